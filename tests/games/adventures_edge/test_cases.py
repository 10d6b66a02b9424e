"""The case files: every `AE-` case, by its adapter."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tests.cases import game_cases
from tests.games.adventures_edge import brute
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


@pytest.mark.parametrize("crit_db", [9, 16, 23])
@pytest.mark.parametrize("critical_minimum", ["range", "one_point"])
def test_the_adapter_reads_the_struck_location(crit_db: int, critical_minimum: str) -> None:
    """AE-18: `crit_db` below and above `db`, held against brute force."""
    inputs = {"ab": 2, "db": 16, "lo": 1, "hi": 7, "bonus": 1, "edge": 1, "crit_db": crit_db}
    case = {
        "id": "AE-attack-made",
        "inputs": {**inputs, "critical_minimum": critical_minimum},
        "want": {"damage": {}, "hit": "0", "mean_damage": "0"},
    }
    found = brute.attack(
        2, 16, 1, 7, 1, 1, struck={crit_db: Fraction(1)}, one_point=critical_minimum == "one_point"
    )
    assert answers(case) == {
        "damage": brute.damage(found),
        "hit": brute.chance(found, lambda outcome: outcome[0]),
        "mean_damage": brute.mean(brute.damage(found)),
    }
