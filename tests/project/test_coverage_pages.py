"""The pages that tell where each rule of a rulebook is follow the code and the tests."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from scripts import coverage_pages

PAGES = coverage_pages.pages()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_page_is_current(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == PAGES[path], "`make coverage-pages` writes it anew"


def test_a_case_kind_stands_for_the_rules_of_its_cases() -> None:
    assert coverage_pages.mentions('game_cases("AE-diplomacy"), AE-12', "AE") == {"AE-02", "AE-03", "AE-12"}
    assert coverage_pages.mentions("EL-01 and AE-012", "AE") == set()


def test_every_rule_that_a_game_offers_is_on_its_page() -> None:
    """What is found in the files is what the rules themselves say."""
    module = importlib.import_module("rulekit.games.adventures_edge")
    in_code = coverage_pages.code("adventures_edge")
    for name in module.__all__:
        for number in getattr(getattr(module, name), "sources", ()):
            assert any(f".{name}`" in place for place in in_code[number]), (name, number)
