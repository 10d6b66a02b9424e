"""The brute force itself, against the case files and figures worked out by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tests.cases import game_cases
from tests.games.elements import brute


def named(kind: str) -> list[Any]:
    return [pytest.param(case, id=case["id"]) for case in game_cases(kind)]


def fractions(odds: dict[str, str]) -> dict[int, Fraction]:
    return {int(outcome): Fraction(p) for outcome, p in odds.items()}


@pytest.mark.parametrize("case", named("EL-attack"))
def test_attack(case: dict[str, Any]) -> None:
    odds = brute.attack(**case["inputs"])
    want = case["want"]
    assert brute.chance(odds, lambda x: x[0]) == Fraction(want["hit"])
    assert brute.chance(odds, lambda x: x[1]) == Fraction(want["critical"])
    damage = brute.damage(**case["inputs"])
    assert damage == fractions(want["damage"])
    assert brute.mean(damage) == Fraction(want["mean_damage"])


@pytest.mark.parametrize(
    "case", [c for c in named("EL-overwhelm") if len(c.values[0]["inputs"]["participants"]) < 4]
)
def test_overwhelm(case: dict[str, Any]) -> None:
    odds = brute.overwhelm(**case["inputs"])
    damage = brute.tally((x[1], p) for x, p in odds.items())
    assert damage == fractions(case["want"]["damage"])


@pytest.mark.parametrize("case", named("EL-grapple"))
def test_grapple(case: dict[str, Any]) -> None:
    odds = brute.grapple(**case["inputs"])
    want = {key: Fraction(p) for key, p in case["want"].items()}
    win = want.pop("win")
    assert {f"feet_{key}" if isinstance(key, int) else key: p for key, p in odds.items()} == want
    assert brute.chance(odds, lambda x: isinstance(x, int)) == win


def test_one_participant_is_one_attack() -> None:
    for i in (
        {"mod": 3, "defense": 12, "dr": 4, "ap": 1},
        {"mod": 3, "defense": 12, "dr": 2, "ap": 1, "element": True, "element_mod": 2, "er_other": 2},
        {"mod": 3, "defense": 12, "dr": 2, "element": True, "imbued_dice": "adds", "er_armour": 1},
        {"mod": 3, "defense": 12, "dr": 9, "charged": True},
    ):
        odds = brute.overwhelm([i], **i)
        assert brute.tally((x[1], p) for x, p in odds.items()) == brute.damage(**i)
