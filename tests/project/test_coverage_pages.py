"""The pages that tell where each rule of a rulebook is follow the code and the tests."""

from __future__ import annotations

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


@pytest.mark.parametrize("game", [path.stem for path in PAGES])
def test_a_place_in_the_code_is_a_file_that_is_there(game: str) -> None:
    for places in coverage_pages.code(game).values():
        for place in places:
            path = place.rpartition("(../../")[2].removesuffix(")")
            assert (coverage_pages.ROOT / path).is_file()
