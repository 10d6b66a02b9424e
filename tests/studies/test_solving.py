"""What brings measures into their bands, against the loop over the whole grid in fractions."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from rulekit import (
    Dist,
    E,
    NotAllowed,
    Outcome,
    P,
    Roll,
    StatError,
    TooLarge,
    chain,
    clip,
    d,
    roll,
    rule,
    solve,
    where,
)


class Blow(Outcome):
    hit: Roll[bool]
    damage: Roll[int]
    part: Roll[str]


@rule()
def strike(
    bonus: Annotated[int, Field(ge=0, le=20)] = 5,
    ac: Annotated[int, Field(ge=1, le=30)] = 15,
    extra: Annotated[int, Field(ge=0, le=10)] = 2,
    die: Dist = d(8),
    stance: Literal["low", "high"] = "low",
    aimed: bool = False,
) -> Blow:
    if ac == 13:
        raise NotAllowed("YY-3", "nobody has that")
    natural = roll(d(20), "natural")
    hit = (natural == 20) | ((natural != 1) & (natural + bonus + where(aimed, 2, 0) >= ac))
    damage = where(hit, clip(roll(die) - 1, 1, 20) + extra + (1 if stance == "high" else 0), 0)
    return Blow(hit=hit, damage=damage, part=where(natural >= 19, "head", "body"))


SETUP = strike.setup()


def _away(path: str, value: Any) -> int:
    now = SETUP.get(path)
    return abs(value - now) if isinstance(value, int) and not isinstance(value, bool) else int(value != now)


def _loop(over: dict[str, Any], inside: Any) -> list[tuple[Any, ...]]:
    """All points within, by steps away, then by how many stats change."""
    found = []
    for point in itertools.product(*over.values()):
        try:
            outcome = SETUP.at(dict(zip(over, point, strict=True)))()
        except NotAllowed:
            continue
        if inside(outcome):
            found.append(point)

    def order(point: tuple[Any, ...]) -> tuple[int, int]:
        steps = [_away(path, value) for path, value in zip(over, point, strict=True)]
        return sum(steps), sum(step > 0 for step in steps)

    return sorted(found, key=order)


@pytest.mark.parametrize(
    ("targets", "over", "inside"),
    [
        ({"hit": (0.6, 0.65)}, {"bonus": range(21), "ac": range(1, 31)},
         lambda o: Fraction(3, 5) <= P(o.hit) <= Fraction(13, 20)),
        ({"hit": 0.55}, {"ac": range(1, 31)}, lambda o: P(o.hit) == Fraction(11, 20)),
        ({"damage": (3, 4), "hit": (Fraction(1, 2), None)}, {"bonus": range(21), "extra": range(11)},
         lambda o: 3 <= E(o.damage) <= 4 and P(o.hit) >= Fraction(1, 2)),
        ({"damage": (None, 2)}, {"stance": ("low", "high"), "aimed": (False, True), "ac": range(10, 25)},
         lambda o: E(o.damage) <= 2),
        ({"damage >= 5": (0.2, 0.3)}, {"die": (d(4), d(8), d("2d6")), "ac": range(12, 22)},
         lambda o: Fraction(1, 5) <= P(o.damage >= 5) <= Fraction(3, 10)),
        ({"part == head": "1/10"}, {"bonus": range(3)}, lambda _: True),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)  # fmt: skip
def test_all_solutions_are_those_of_the_loop(targets: Any, over: dict[str, Any], inside: Any) -> None:
    found = solve(SETUP, targets, over)
    expected = _loop(over, inside)
    assert expected
    assert sorted(map(str, found.points)) == sorted(map(str, expected))

    def steps(point: tuple[Any, ...]) -> tuple[int, int]:
        away = [_away(path, value) for path, value in zip(over, point, strict=True)]
        return sum(away), sum(step > 0 for step in away)

    assert [steps(point) for point in found.points] == [steps(point) for point in expected]
    assert found.best == SETUP.at(dict(zip(over, found.points[0], strict=True)))
    for solution in itertools.islice(found, 3):
        outcome = SETUP.at(solution.stats)()
        assert inside(outcome)
        if "damage" in solution.values:
            assert solution.values["damage"] == E(outcome.damage)


def test_none_is_said_with_the_nearest_miss() -> None:
    found = solve(SETUP, {"hit": (0.9, 1), "damage": (None, 4)}, {"bonus": range(21)})
    assert len(found) == 0
    assert found.best is None
    assert found.nearest_miss is not None
    outcomes = {bonus: SETUP.at({"bonus": bonus})() for bonus in range(21)}
    spread_hit = max(P(o.hit) for o in outcomes.values()) - min(P(o.hit) for o in outcomes.values())
    spread = max(E(o.damage) for o in outcomes.values()) - min(E(o.damage) for o in outcomes.values())

    def missed(outcome: Blow) -> Fraction:
        return max(0, Fraction(9, 10) - P(outcome.hit)) / spread_hit + max(0, E(outcome.damage) - 4) / spread

    least = min(missed(outcome) for outcome in outcomes.values())
    assert missed(SETUP.at(found.nearest_miss.stats)()) == least
    assert found.sentence.startswith(
        "None of 21 gives hit from 90 % to 100 % and damage of 4 or less; the nearest miss: bonus "
    )
    assert found.tables()[0].caption == "The nearest miss"


def test_where_the_rule_applies_nowhere() -> None:
    found = solve(SETUP.at({"ac": 13}), {"hit": (0.5, None)}, {"bonus": range(21)})
    assert found.sentence == "None of 21 gives hit of 50 % or more: the rule applies nowhere there."
    assert len(solve(SETUP.at({"ac": 13}), {"hit": (0.5, None)}, {"ac": range(10, 15)})) == 4


@pytest.mark.parametrize(
    ("targets", "over", "monotone"),
    [
        ({"hit": (0.6, 0.65)}, {"bonus": range(21)}, "bonus"),
        ({"hit": (0.6, 0.65)}, {"bonus": range(21), "ac": range(14, 31)}, "ac"),
        ({"hit": (0.6, 0.65)}, {"bonus": range(21), "ac": range(14, 31)}, "bonus"),
        ({"damage": (3, 4), "hit": (0.5, None)}, {"extra": range(11), "bonus": range(21)}, "extra"),
        ({"damage": (None, 4)}, {"extra": range(11), "stance": ("low", "high"), "bonus": range(5)}, "bonus"),
        ({"hit": 0.12345}, {"bonus": range(21)}, "bonus"),
    ],
)
def test_bisection_finds_what_scanning_finds(targets: Any, over: Any, monotone: str) -> None:
    scanned, halved = solve(SETUP, targets, over), solve(SETUP, targets, over, monotone=monotone)
    assert halved.points == scanned.points
    assert halved.tried == scanned.tried
    if scanned.nearest_miss is not None:
        assert halved.nearest_miss is not None
        assert halved.nearest_miss.stats == scanned.nearest_miss.stats


def test_a_monotone_stat_may_have_a_million_values() -> None:
    runs = []

    @rule()
    def climb(gold: Annotated[int, Field(ge=0, le=10**6)] = 5) -> Roll[int]:
        runs.append(gold)
        return roll(d(6)) + int(gold**0.5)  # a plain value: one run for each

    found = solve(climb.setup(), {"result": (500, 500.5)}, {"gold": range(10**6 + 1)}, monotone="gold")
    assert found.points == [(gold,) for gold in range(496**2, 10**6 + 1) if int(gold**0.5) + 3.5 <= 500.5
                            and int(gold**0.5) + 3.5 >= 500]  # fmt: skip
    assert len(runs) < 100


def test_a_stat_that_is_not_monotone_is_found_out() -> None:
    @rule()
    def bow(x: Annotated[int, Field(ge=0, le=40)] = 0) -> Roll[int]:
        return roll(d(6)) + x * (30 - x)

    with pytest.raises(StatError, match="result both rises and falls along x"):
        solve(bow.setup(), {"result": (100, None)}, ["x"], monotone="x")


@dataclass(frozen=True)
class _Fight:
    hp: Any
    rounds: Any


def test_a_fight_that_ends_in_three_to_five_rounds_eight_times_in_ten() -> None:
    @rule()
    def duel(
        hp: Annotated[int, Field(ge=1, le=12)] = 4, ac: Annotated[int, Field(ge=2, le=20)] = 10
    ) -> Roll[int]:
        fight = chain(
            _Fight(hp, 0),
            lambda now: _Fight(clip(now.hp - where(roll(d(20)) >= ac, 1, 0), 0, 20), now.rounds + 1),
            until=lambda now: (now.hp == 0) | (now.rounds == 6),
        )
        return fight.end.rounds

    def three_to_five(rounds: Roll[int]) -> Roll[bool]:
        return (rounds >= 3) & (rounds <= 5)

    found = solve(duel.setup(), {three_to_five: (0.8, None)}, {"hp": [2, 3, 4], "ac": [2, 3, 5, 8]})
    expected = [
        (hp, ac)
        for hp in (2, 3, 4)
        for ac in (2, 3, 5, 8)
        if sum(_negative_binomial(hp, Fraction(21 - ac, 20), n) for n in (3, 4, 5)) >= Fraction(4, 5)
    ]
    assert expected
    assert sorted(found.points) == sorted(expected)


def _negative_binomial(successes: int, p: Fraction, throws: int) -> Fraction:
    if throws < successes:
        return Fraction(0)
    return math.comb(throws - 1, successes - 1) * p**successes * (1 - p) ** (throws - successes)


@pytest.mark.parametrize(
    ("targets", "vary", "message"),
    [
        ({}, ["ac"], "at least one target"),
        ({"hit": 0.5}, [], "at least one stat to vary"),
        ({"hot": 0.5}, ["ac"], "there is no measure 'hot'"),
        ({"hit": 1.5}, ["ac"], "hit: a probability is from 0 to 1, not 1.5"),
        ({"hit": (0.6, 0.5)}, ["ac"], "ends before it begins"),
        ({"hit": (None, None)}, ["ac"], "at least one end"),
        ({"hit": (1, 2, 3)}, ["ac"], "a band is (low, high)"),
        ({"damage": "much"}, ["ac"], "damage: 'much' is not a number"),
        ({"part": 1}, ["ac"], "part is not one number"),
        ({"hit": 0.5}, ["ca"], "ca: there is no such stat"),
        ({"hit": 0.5}, ["die"], "die: it has no range of its own"),
    ],
)
def test_what_cannot_be_sought_says_why(targets: Any, vary: Any, message: str) -> None:
    with pytest.raises(StatError) as fault:
        solve(SETUP, targets, vary)
    assert message in str(fault.value)


def test_a_grid_beyond_scanning_says_so() -> None:
    @rule()
    def wide(
        a: Annotated[int, Field(ge=0, le=9999)] = 0, b: Annotated[int, Field(ge=0, le=9999)] = 0
    ) -> Roll[int]:
        return roll(d(6)) + a + b

    with pytest.raises(TooLarge, match="100,000,000 points"):
        solve(wide.setup(), {"result": 7}, {"a": range(10_000), "b": range(10_000)})


def test_stats_to_vary_as_text() -> None:
    assert solve(SETUP, {"hit": (0.6, 0.65)}, "bonus=4..8 ac=15,17").points == (
        solve(SETUP, {"hit": (0.6, 0.65)}, {"bonus": range(4, 9), "ac": [15, 17]}).points
    )
    assert solve(SETUP, {"hit": 0.55}, "ac").points == [(15,)]
