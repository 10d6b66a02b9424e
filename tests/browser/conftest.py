"""A real Chromium for every test here: no network, no sleeps, no retries; on failure it leaves a trace, a
screenshot and the console in `test-results/`.

The page that a test gets is `page`; `lab` is a running JupyterLab; `serve(...)` starts any other server.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Playwright, Route, expect, sync_playwright

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "test-results"
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
OWN_HOSTS = {"127.0.0.1", "localhost"}
PATIENCE = 60.0

expect.set_options(timeout=15_000)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    outcome = yield
    report = outcome.get_result()
    if report.when == "call":
        item.stash[FAILED] = report.failed


FAILED = pytest.StashKey[bool]()


@pytest.fixture(scope="module")
def playwright() -> Iterator[Playwright]:
    """It keeps an event loop running in this thread, which tests of other modules must not find there."""
    with sync_playwright() as started:
        yield started


@pytest.fixture(scope="module")
def browser(playwright: Playwright) -> Iterator[Browser]:
    """The system's Chromium, else the one that playwright installed."""
    own = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    path = own or playwright.chromium.executable_path
    if not Path(path).exists():
        pytest.fail(
            "no Chromium was found: install it with `apt-get install chromium`, or with "
            "`python -m playwright install --with-deps chromium`",
            pytrace=False,
        )
    started = playwright.chromium.launch(executable_path=path, headless=True, args=ARGUMENTS)
    yield started
    started.close()


class Watched:
    """What a browser context must not do: ask another host, or write an error to the console, but for one
    that is expected.
    """

    def __init__(self, context: BrowserContext, expected: str = "") -> None:
        self.expected = expected
        self.outside: list[str] = []
        self.errors: list[str] = []
        self.console: list[str] = []
        context.route("**/*", self._route)
        context.on("console", lambda message: self._hear(message.type, message.text))
        context.on("weberror", lambda error: self.errors.append(str(error.error)))

    def _route(self, route: Route) -> None:
        url = urlsplit(route.request.url)
        if url.scheme in ("http", "https", "ws", "wss") and url.hostname not in OWN_HOSTS:
            self.outside.append(route.request.url)
            route.abort()
        else:
            route.continue_()

    def _hear(self, kind: str, text: str) -> None:
        self.console.append(f"{kind}: {text}")
        if kind == "error" and not (self.expected and self.expected in text):
            self.errors.append(text)


@pytest.fixture
def new_page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Callable[..., Page]]:
    """Makes pages, each in a context of its own, and holds them to the rules of this house."""
    opened: list[tuple[BrowserContext, Watched]] = []

    def make(*, expected: str = "", **options: object) -> Page:
        options.setdefault("viewport", {"width": 1100, "height": 1000})
        context = browser.new_context(**options)  # type: ignore[arg-type]
        context.tracing.start(screenshots=True, snapshots=True)
        opened.append((context, Watched(context, expected)))
        return context.new_page()

    yield make
    failed = request.node.stash.get(FAILED, True)
    wrong = [fault for _, watched in opened for fault in (*watched.outside, *watched.errors)]
    for number, (context, watched) in enumerate(opened):
        if failed or wrong:
            folder = RESULTS / request.node.name.replace("/", "_")
            folder.mkdir(parents=True, exist_ok=True)
            for i, page in enumerate(context.pages):
                page.screenshot(path=folder / f"{number}-{i}.png", full_page=True)
            (folder / f"{number}-console.txt").write_text("\n".join(watched.console), encoding="utf-8")
            context.tracing.stop(path=folder / f"{number}-trace.zip")
        context.close()
    assert not [url for _, watched in opened for url in watched.outside], "a request left the machine"
    assert not wrong, wrong


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    return new_page()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[list[str], int, Path], None]]:
    """Start a server and wait until its port answers; it is stopped after the last test."""
    running: list[subprocess.Popen[bytes]] = []

    def start(command: list[str], port: int, folder: Path) -> None:
        log = tmp_path_factory.mktemp("server") / "log.txt"
        with log.open("wb") as told:
            process = subprocess.Popen(
                command,
                stdout=told,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env={**os.environ, "PYTHONPATH": str(folder)},
                start_new_session=True,
            )
        running.append(process)
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            if process.poll() is not None:
                break
            try:
                socket.create_connection(("127.0.0.1", port), 0.2).close()
                return
            except OSError:
                process_wait(process, 0.05)
        pytest.fail(f"{' '.join(command)} did not answer:\n{log.read_text(errors='replace')[-2000:]}")

    yield start
    for process in running:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait(20)


def process_wait(process: subprocess.Popen[bytes], seconds: float) -> None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)


class Lab:
    """A JupyterLab on a folder of its own."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.port = port

    def open(self, page: Page, name: str) -> None:
        """Open a notebook of the folder and wait until its kernel is idle."""
        page.goto(f"http://127.0.0.1:{self.port}/lab/tree/{name}?reset")
        page.wait_for_selector(".jp-NotebookPanel .jp-CodeCell", timeout=PATIENCE * 1000)
        page.wait_for_selector(
            '.jp-Notebook-ExecutionIndicator[data-status="idle"]', state="attached", timeout=PATIENCE * 1000
        )
        # The indicator is idle before there is a kernel too; what is run then asks for one in a dialog.
        expect(page.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible(timeout=PATIENCE * 1000)

    def run_all(self, page: Page) -> None:
        """Run every cell and wait until the last has its number."""
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        last = page.locator(".jp-CodeCell .jp-InputPrompt").last
        expect(last).to_have_text(
            "[" + str(page.locator(".jp-CodeCell").count()) + "]:", timeout=PATIENCE * 1000
        )


@pytest.fixture(scope="session")
def lab(serve: Callable[[list[str], int, Path], None], tmp_path_factory: pytest.TempPathFactory) -> Lab:
    """JupyterLab, without a browser of its own and without a token."""
    folder, port = tmp_path_factory.mktemp("lab"), free_port()
    settings = ["--IdentityProvider.token=", "--ServerApp.password=", f"--ServerApp.root_dir={folder}"]
    quiet = ["--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}", "--ServerApp.port_retries=0"]
    # Whatever the user has set up in JupyterLab is not part of the test; nor does it look for news.
    os.environ.setdefault("JUPYTER_CONFIG_DIR", str(tmp_path_factory.mktemp("jupyter")))
    extra = ["--LabApp.news_url=", "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"]
    serve([sys.executable, "-m", "jupyterlab", *quiet, *settings, *extra], port, folder)
    return Lab(folder, port)
