"""The case files: every `AE-` case, by its adapter."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cases import game_cases
from tests.games.adventures_edge.cases import answers, wanted


@pytest.mark.parametrize("case", game_cases("AE-attack"), ids=lambda case: case["id"])
def test_attack(case: dict[str, Any]) -> None:
    assert answers(case) == wanted(case)


@pytest.mark.parametrize("case", game_cases("AE-effects"), ids=lambda case: case["id"])
def test_effects(case: dict[str, Any]) -> None:
    assert answers(case) == wanted(case)


@pytest.mark.parametrize("case", game_cases("AE-reaction"), ids=lambda case: case["id"])
def test_reaction(case: dict[str, Any]) -> None:
    assert answers(case) == wanted(case)


@pytest.mark.parametrize("case", game_cases("AE-morale"), ids=lambda case: case["id"])
def test_morale(case: dict[str, Any]) -> None:
    assert answers(case) == wanted(case)


@pytest.mark.parametrize("case", game_cases("AE-diplomacy"), ids=lambda case: case["id"])
def test_diplomacy(case: dict[str, Any]) -> None:
    assert answers(case) == wanted(case)


@pytest.mark.parametrize("case", game_cases("AE-first"), ids=lambda case: case["id"])
def test_first(case: dict[str, Any]) -> None:
    assert answers(case) == wanted(case)
