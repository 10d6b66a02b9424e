"""What holds for every file, and for the packages as a whole."""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import re
import tomllib
from importlib.metadata import version
from pathlib import Path
from types import FunctionType, ModuleType

import pytest

import rulekit
import rulekit_widgets
from tests.project.tree import ROOT, texts

MACHINE_PATH = re.compile(r"(?<![\w.$}])/(?:work|root|home|Users)/\w")
HOST = re.compile(r"https?://([A-Za-z0-9.-]+)")
HOSTS = {
    "127.0.0.1",
    "localhost",
    "www.w3.org",
    "mybinder.org",  # the launch badge
}


def modules_of(package: ModuleType) -> list[ModuleType]:
    found = pkgutil.walk_packages(package.__path__, package.__name__ + ".")
    return [package, *(importlib.import_module(module.name) for module in found)]


def test_one_version() -> None:
    assert rulekit.__version__ == rulekit_widgets.__version__ == version("rulekit-ttrpg")
    assert f"## {rulekit.__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_no_path_of_a_machine() -> None:
    found = [
        f"{path}: {match.group()}" for path, text in texts().items() for match in MACHINE_PATH.finditer(text)
    ]
    assert not found


def test_pages_and_notebooks_need_no_other_host() -> None:
    found = {
        f"{path}: {host}"
        for path, text in texts().items()
        for host in HOST.findall(text)
        if host not in HOSTS
    }
    assert not found


def test_notebooks_are_stored_without_outputs() -> None:
    for path, text in texts().items():
        if path.suffix == ".ipynb":
            for cell in json.loads(text)["cells"]:
                assert not cell.get("outputs"), path
                assert cell.get("execution_count") is None, path


def test_no_module_has_the_name_of_a_public_function() -> None:
    """``from rulekit.studies import sweep`` must give the function, whatever was imported before."""
    modules = {module.__name__: module for module in [*modules_of(rulekit), *modules_of(rulekit_widgets)]}

    def offers(package: ModuleType | None, name: str) -> bool:
        return name in getattr(package, "__all__", ()) and isinstance(getattr(package, name), FunctionType)

    clashes = {
        path
        for path, (home, _, name) in {path: path.rpartition(".") for path in modules}.items()
        if offers(modules.get(home), name) or offers(rulekit, name)
    }
    assert not clashes


def test_every_module_says_what_is_public() -> None:
    """A name in ``__all__`` exists, and what it names has a docstring."""
    for module in [*modules_of(rulekit), *modules_of(rulekit_widgets)]:
        assert module.__doc__, module.__name__
        for name in getattr(module, "__all__", ()):
            value = getattr(module, name)
            if isinstance(value, type | FunctionType):
                assert value.__doc__, f"{module.__name__}.{name} has no docstring"


def test_lazy_names_are_those_that_editors_see() -> None:
    tree = ast.parse(Path(rulekit.__file__).read_text(encoding="utf-8"))
    block = next(
        node
        for node in tree.body
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
    )
    seen = {
        (node.module, alias.name)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == {(home, name) for home, names in rulekit._HOMES.items() for name in names.split()}
    assert {name for _, name in seen} <= set(rulekit.__all__)
    for home, name in seen:
        assert getattr(rulekit, name) is getattr(importlib.import_module(str(home)), name)
    assert set(rulekit.__all__) <= set(dir(rulekit))
    with pytest.raises(AttributeError, match="no attribute 'dize'"):
        rulekit.dize  # noqa: B018


def test_the_wheel_takes_both_packages_whole() -> None:
    """Data files (grammar, tables, the front end) lie inside the packages that the build names."""
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["build"]
    packages = build["targets"]["wheel"]["packages"]
    assert packages == ["rulekit", "widgets/rulekit_widgets"]
    shipped = [path for path in texts() if path.suffix in {".lark", ".toml", ".js", ".css"}]
    outside = {
        path
        for path in shipped
        if path.parts[0] in {"rulekit", "widgets"}
        and not any(path.is_relative_to(package) for package in packages)
    }
    assert not outside


def test_links_between_pages_lead_somewhere() -> None:
    broken = {
        f"{path}: {target}"
        for path, text in texts().items()
        if path.suffix == ".md"
        for target in re.findall(r"\]\(([^)#:\s]+)[^):]*\)", text)
        if not (ROOT / path.parent / target).exists()
    }
    assert not broken
