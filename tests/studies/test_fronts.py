"""The front, against the definition."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest

from rulekit import Dist, E, Outcome, P, Roll, StatError, d, pareto, roll, rule, where


class Blow(Outcome):
    hit: Roll[bool]
    damage: Roll[int]


@rule()
def strike(bonus: int = 5, die: Dist = d(8), weight: int = 3) -> Blow:
    hit = roll(d(20)) + bonus >= 12
    return Blow(hit=hit, damage=where(hit, roll(die), 0))


SETUPS = {
    f"{bonus} {die} {weight}": strike.setup(bonus, d(die), weight)
    for bonus, die, weight in itertools.product((2, 5, 8), ("d4", "d8", "d12"), (1, 3))
}


def test_the_front_is_what_none_beats() -> None:
    found = pareto(SETUPS, ["hit", "damage", "weight"], less_is_better=["damage", "weight"])
    worth = {
        name: (P(setup().hit), -E(setup().damage), -setup.get("weight")) for name, setup in SETUPS.items()
    }
    for name, own in worth.items():
        beats = [
            other
            for other, theirs in worth.items()
            if all(b >= a for a, b in zip(own, theirs, strict=True)) and theirs != own
        ]
        assert (name in found.front) == (not beats)
        assert list(found.beaten_by.get(name, ())) == beats
    assert set(found.front) == {"2 d4 1", "5 d4 1", "8 d4 1"}
    assert [row["on the front"] for row in found.records()] == [name in found.front for name in SETUPS]
    assert "3 of 18 are beaten by no other" in found.sentence


def test_equals_stay_together_and_figures_count() -> None:
    setups = {"a": strike.setup(), "b": strike.setup(), "c": strike.setup(die=d(6))}
    found = pareto(setups, ["damage", "cost"], less_is_better=["cost"],
                   figures={"cost": {"a": 2, "b": 2, "c": 2.5}})  # fmt: skip
    assert found.front == ("a", "b")
    assert found.beaten_by == {"c": ("a", "b")}
    assert found.values["c"]["cost"] == Fraction(5, 2)
    assert found.tables()[0].rows[-1] == ("c", "2.45", "2.5", "a, b")


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: pareto({}, ["hit"]), "Setups by name"),
        (lambda: pareto(SETUPS, []), "one or more measures"),
        (lambda: pareto(SETUPS, "hit"), "a list of"),
        (lambda: pareto(SETUPS, ["hot"]), "there is no measure 'hot'"),
        (lambda: pareto(SETUPS, ["die"]), "die: a dice is no number"),
        (lambda: pareto(SETUPS, ["hit"], less_is_better=["cost"]), "cost does not count here"),
        (lambda: pareto(SETUPS, ["cost"], figures={"cost": {}}), "cost: there is no figure for 2 d4 1"),
    ],
)
def test_what_has_no_front_says_why(build: Any, message: str) -> None:
    with pytest.raises(StatError) as fault:
        build()
    assert message in str(fault.value)
