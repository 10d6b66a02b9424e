"""Writes docs/coverage/<game>.md: where each rule of a rulebook is in the code, what proves and shows it.

A rule is *in the code* where ``@rule("AE-12")`` or ``@source("AE-12")`` carries its number.
It is *proved* by a test function that names the number, or the kind of cases that carry it
(``game_cases("AE-attack")``), itself or through a name that it uses from its module. It is *shown* by a
notebook that names it.
"""

from __future__ import annotations

import ast
import importlib
import json
import pkgutil
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from rulekit.rules import sourced

ROOT = Path(__file__).resolve().parents[1]
HOME = ROOT / "docs" / "coverage"
MOST_TESTS = 4

Function = ast.FunctionDef | ast.AsyncFunctionDef
Found = dict[str, list[str]]


def mentions(text: str, prefix: str) -> set[str]:
    """The rule numbers of a game that stand in a text, those of case kinds included."""
    numbers = set(re.findall(rf"\b{prefix}-\d\d\b", text))
    for kind in re.findall(rf"\b{prefix}-[a-z]\w*", text):
        numbers |= CASES[kind]
    return numbers


def _cases() -> defaultdict[str, set[str]]:
    numbers: defaultdict[str, set[str]] = defaultdict(set)
    for case in json.loads((ROOT / "tests/cases/cases.json").read_text(encoding="utf-8")):
        kind = "-".join(case["id"].split("-")[:2])
        numbers[kind] |= set(case["rule"].split())
    return numbers


CASES = _cases()


def parsed(folder: Path) -> Iterator[tuple[Path, str, ast.Module]]:
    """The Python files below a folder, in the order of their names."""
    for path in sorted(folder.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        yield path, text, ast.parse(text)


def link(name: str, path: Path) -> str:
    """A link from a coverage page to a file of the project."""
    return f"[{name}](../../{path.relative_to(ROOT).as_posix()})"


def code(game: str) -> Found:
    """Rule number to links to the functions and classes that carry it."""
    package = importlib.import_module(f"rulekit.games.{game}")
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
    found: Found = defaultdict(list)
    for each in sorted(sourced(package.__name__), key=lambda each: (each.module, each.name)):
        path = Path(str(importlib.import_module(each.module).__file__))
        for number in each.sources:
            found[number].append(link(f"`{path.stem}.{each.name}`", path))
    return found


def tests(prefix: str) -> dict[str, dict[str, list[str]]]:
    """Rule number to links to test files, each with the test functions that name the rule."""
    found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for path, text, tree in parsed(ROOT / "tests"):
        if not path.name.startswith("test_") or path.is_relative_to(ROOT / "tests" / "project"):
            continue
        shared = {
            target.id: mentions(ast.get_source_segment(text, node) or "", prefix)
            for node in tree.body
            if isinstance(node, ast.Assign | ast.AnnAssign)
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(tree):
            if isinstance(node, Function) and node.name.startswith("test_"):
                parts: list[ast.AST] = [node, *node.decorator_list]
                segments = [ast.get_source_segment(text, part) or "" for part in parts]
                numbers = mentions(" ".join(segments), prefix)
                used = {name.id for part in parts for name in ast.walk(part) if isinstance(name, ast.Name)}
                numbers |= {number for name in used & shared.keys() for number in shared[name]}
                for number in numbers:
                    found[number][link(f"`{path.stem}`", path)].append(node.name)
    return found


def notebooks(prefix: str) -> Found:
    """Rule number to links to the notebooks that name it."""
    found: Found = defaultdict(list)
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        for number in mentions("\n".join("".join(cell["source"]) for cell in cells), prefix):
            found[number].append(link(path.stem, path))
    return found


def _told(files: dict[str, list[str]]) -> str:
    if not files:
        return "–"
    told = []
    for file, names in files.items():
        shown = sorted({name.removeprefix("test_").replace("_", " ") for name in names})
        more = f" and {len(shown) - MOST_TESTS} more" if len(shown) > MOST_TESTS else ""
        told.append(f"{file}: {', '.join(shown[:MOST_TESTS])}{more}")
    return "; ".join(told)


def page(game: str, title: str, prefix: str, rules: list[str]) -> str:
    """The page of one game."""
    in_code, proved, shown = code(game), tests(prefix), notebooks(prefix)
    numbers = [f"{prefix}-{place:02d}" for place in range(1, len(rules) + 1)]
    unknown = sorted(in_code.keys() - set(numbers))
    if unknown:
        raise SystemExit(f"{game} carries rules that its rulebook does not have: {', '.join(unknown)}")
    lines = [
        f"# {title}: where each rule is",
        "",
        "Written by `make coverage-pages`; the rules' names are in [rules.toml](rules.toml).",
        f"Of {len(numbers)} rules {sum(number in in_code for number in numbers)} are in the code, "
        f"{sum(number in proved for number in numbers)} are named by tests "
        f"and {sum(number in shown for number in numbers)} are shown in a notebook.",
        "",
        "| rule | about | in the code | proved by | shown in |",
        "|---|---|---|---|---|",
    ]
    for number, about in zip(numbers, rules, strict=True):
        places = ", ".join(in_code.get(number, ())) or "–"
        books = ", ".join(shown.get(number, ())) or "–"
        lines.append(f"| {number} | {about} | {places} | {_told(proved.get(number, {}))} | {books} |")
    return "\n".join(lines) + "\n"


def pages() -> dict[Path, str]:
    """Every page by its path, as it has to be."""
    games = tomllib.loads((HOME / "rules.toml").read_text(encoding="utf-8"))
    return {HOME / f"{game}.md": page(game, **told) for game, told in games.items()}


def main() -> None:
    """Write the pages."""
    for path, text in pages().items():
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
