"""The published demo: what it is built from, and a rehearsal of building and launching it.

``write`` puts into binder/requirements.txt the exact versions that are installed here, which are those
that the tests ran with. ``check`` does what a Binder does, as far as that goes without Docker: repo2docker
reads the folder, a fresh environment is made from its files over what Binder's own image brings, postBuild
runs in a clean copy of the tree, and the address of the launch badge is asked for.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
BINDER = ROOT / "binder"
PACKAGE = "rulekit-ttrpg"
EXTRAS = ("widgets",)
HEADER = """\
# Written by `make binder`: the versions that the tests ran with. JupyterLab comes with Binder's own image.
"""
INSTALL = f"-e .[{','.join(EXTRAS)}]"

# What Binder's image has before it reads requirements.txt; the versions are in repo2docker's lock file.
IMAGE = ("jupyterlab", "notebook", "ipywidgets", "jupyter_server", "nbconvert-core", "ipykernel")


def needed() -> dict[str, str]:
    """Name to installed version of everything that the demo needs, the package itself left out."""
    versions: dict[str, str] = {}
    waiting = [(PACKAGE, EXTRAS)]
    done: set[tuple[str, tuple[str, ...]]] = set()
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) in done:
            continue
        done.add((name, extras))
        installed = distribution(name)
        versions[name] = installed.version
        for line in installed.requires or ():
            requirement = Requirement(line)
            wanted = [{"extra": extra} for extra in (*extras, "")]
            if requirement.marker is None or any(requirement.marker.evaluate(extra) for extra in wanted):
                waiting.append((canonicalize_name(requirement.name), tuple(sorted(requirement.extras))))
    del versions[PACKAGE]
    return versions


def requirements() -> str:
    """What binder/requirements.txt has to hold."""
    pins = "".join(f"{name}=={version}\n" for name, version in sorted(needed().items()))
    return f"{HEADER}{pins}{INSTALL}\n"


def wanted_python() -> str:
    """The Python that the demo runs on, as "3.11"."""
    return (BINDER / "runtime.txt").read_text(encoding="utf-8").strip().removeprefix("python-")


def launch_path() -> str:
    """What the badge in the README asks the demo's server for."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    badge = re.search(re.escape("https://mybinder.org/v2/") + r"\S+?[?&]urlpath=([^)\s]+)", readme)
    if badge is None:
        raise SystemExit("README.md has no launch badge")
    return badge[1].replace("%2F", "/")


def copy_of_tree(target: Path) -> None:
    """The files that git holds or would take in: what a build has, and nothing else that lies about."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, check=True,
    )  # fmt: skip
    for name in filter(None, listed.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def dockerfile(tree: Path) -> str:
    """The Dockerfile that repo2docker makes of the tree (it prints it among its log, on either stream)."""
    command = [sys.executable, "-m", "repo2docker", "--no-build", "--debug", str(tree)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stdout + done.stderr


def image_pins(python: str) -> list[str]:
    """The versions of `IMAGE` in Binder's own environment for this Python."""
    import repo2docker

    locks = Path(repo2docker.__file__).parent / "buildpacks" / "conda"
    text = (locks / f"environment.py-{python}-linux-64.lock").read_text(encoding="utf-8")
    pins = []
    for name in IMAGE:
        version = re.search(rf"/{re.escape(name)}-(\d[^-]*)-[^/]*$", text, re.MULTILINE)
        if version is None:
            raise SystemExit(f"repo2docker's image for Python {python} has no {name}")
        pins.append(f"{name.removesuffix('-core')}=={version[1]}")
    return pins


def python_for(version: str) -> str:
    """The path of this machine's Python of that version."""
    found = subprocess.run([ROOT / "scripts" / "pythons"], capture_output=True, text=True, check=True)
    pythons = dict(line.split(" ", 1) for line in found.stdout.splitlines())
    if version not in pythons:
        raise SystemExit(f"the demo runs on Python {version}; this machine has {', '.join(pythons)}")
    return pythons[version]


@contextlib.contextmanager
def server(jupyter: Path, tree: Path, environment: dict[str, str]) -> Iterator[str]:
    """A notebook server as the image starts it, in the tree; its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tree.parent / "server.log"
    with log.open("w", encoding="utf-8") as out:
        process = subprocess.Popen(
            [jupyter, "notebook", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}",
             "--IdentityProvider.token=", "--ServerApp.password="],
            cwd=tree, env=environment, stdout=out, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            address = f"http://127.0.0.1:{port}/"
            deadline = time.monotonic() + 60
            while True:
                try:
                    get(address + "api")
                    break
                except (urllib.error.URLError, ConnectionError) as error:
                    if process.poll() is not None or time.monotonic() > deadline:
                        raise SystemExit(f"the server did not start:\n{log.read_text('utf-8')}") from error
                    time.sleep(0.2)
            yield address
        finally:
            process.terminate()
            process.wait(timeout=30)


def get(address: str) -> str:
    """What the server answers; an error status raises."""
    with urllib.request.urlopen(address, timeout=30) as answer:
        text: str = answer.read().decode()
    return text


def check() -> None:
    """Rehearse the demo; the first thing that does not hold ends it with a message."""
    if sys.version_info[:2] == tuple(map(int, wanted_python().split("."))):
        if (BINDER / "requirements.txt").read_text(encoding="utf-8") != requirements():
            raise SystemExit("binder/requirements.txt is stale: `make binder` writes it anew")
    else:
        print(f"This is another Python than the demo's {wanted_python()}: its pins are not compared.")
    with tempfile.TemporaryDirectory(prefix="rulekit-binder-") as folder:
        tree, home, venv = (Path(folder) / name for name in ("tree", "home", "venv"))
        home.mkdir()
        copy_of_tree(tree)
        made = dockerfile(tree)
        for step in ("binder/requirements.txt", "./binder/postBuild", f"python={wanted_python()}"):
            if step not in made:
                raise SystemExit(f"repo2docker does not use {step}:\n{made}")
        print("repo2docker reads the folder.")

        environment = {name: os.environ[name] for name in os.environ if not name.startswith("PYTHON")}
        environment |= {"HOME": str(home), "PATH": f"{venv / 'bin'}{os.pathsep}{os.environ['PATH']}"}

        def step(*command: str | Path) -> None:
            subprocess.run(command, cwd=tree, env=environment, check=True)

        subprocess.run([python_for(wanted_python()), "-m", "venv", venv], check=True)
        pip = (venv / "bin" / "python", "-m", "pip", "install", "--quiet")
        step(*pip, "--upgrade", "pip")
        step(*pip, *image_pins(wanted_python()))
        step(*pip, "-r", "binder/requirements.txt")
        step(venv / "bin" / "python", "-m", "pip", "check")
        print("A fresh environment holds what the folder asks for.")
        step("./binder/postBuild")
        print("postBuild runs.")
        with server(venv / "bin" / "jupyter", tree, environment) as address:
            page = get(address + launch_path())
            config = re.findall(r'id="jupyter-config-data"[^>]*>(.*?)</script>', page, re.DOTALL)[0]
            extensions = {extension["name"] for extension in json.loads(config)["federated_extensions"]}
            if "anywidget" not in extensions:
                raise SystemExit(f"JupyterLab cannot show the explorer: it has only {sorted(extensions)}")
            notebook = launch_path().partition("/tree/")[2]
            get(address + "api/contents/" + notebook)
        print(f"The launch address answers: {launch_path()}")


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description="Write or rehearse the published demo.")
    parser.add_argument("action", choices=["write", "check"])
    if parser.parse_args().action == "check":
        check()
    else:
        (BINDER / "requirements.txt").write_text(requirements(), encoding="utf-8")


if __name__ == "__main__":
    main()
