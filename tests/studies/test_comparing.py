"""Side by side: duels, dominance and flips against brute force over the plain rule."""

from __future__ import annotations

import itertools
from enum import Enum
from fractions import Fraction
from typing import Annotated, Any

import pytest
from pydantic import Field

from rulekit import (
    Dist,
    E,
    NotAllowed,
    Outcome,
    P,
    Readings,
    Roll,
    Setup,
    StatError,
    Stats,
    clip,
    compare,
    d,
    dist,
    roll,
    rule,
    where,
)
from rulekit.games.adventures_edge import Fighter, Target, Weapon, attack


class Floor(Enum):
    ZERO = "zero"
    ONE = "one"


class MyReadings(Readings):
    floor: Floor = Floor.ZERO


class Arms(Stats):
    bonus: Annotated[int, Field(ge=0, le=20)] = 5
    die: Dist = d(8)
    sure: Annotated[int, Field(ge=0, le=10)] = 0


class Blow(Outcome):
    hit: Roll[bool]
    damage: Roll[int]
    part: Roll[str]


@rule()
def strike(
    arms: Arms = Arms(), ac: Annotated[int, Field(ge=1, le=40)] = 15, readings: MyReadings = MyReadings()
) -> Blow:
    natural = roll(d(20), "natural")
    hit = (natural == 20) | ((natural != 1) & (natural + arms.bonus >= ac))
    least = 1 if readings.floor is Floor.ONE else 0
    damage = where(hit, clip(roll(arms.die) - 2, least, 100) + arms.sure, 0)
    return Blow(hit=hit, damage=damage, part=where(natural >= 19, "head", "body"))


AXE = strike.setup(Arms(bonus=3, die=d(12)))
SWORD = strike.setup(Arms(bonus=6, die=d(8)))
MACE = strike.setup(Arms(bonus=5, die=d("2d4")))


def test_values_are_the_plain_questions() -> None:
    found = compare({"axe": AXE, "sword": SWORD, "mace": MACE})
    assert list(found.measures) == ["hit", "damage", "part = body", "part = head"]
    for name, setup in found.setups.items():
        outcome = setup()
        assert found.values["hit"][name] == P(outcome.hit)
        assert found.values["damage"][name] == E(outcome.damage)
        assert found.values["part = head"][name] == Fraction(1, 10)
        assert found.dists["damage"][name] == dist(outcome.damage)


def test_duels_are_sums_over_all_pairs_of_outcomes() -> None:
    found = compare({"axe": AXE, "sword": SWORD, "mace": MACE}, ["damage"], less_is_better=["damage"])
    assert len(found.duels) == 3
    for duel in found.duels:
        a, b = (dist(found.setups[name]().damage) for name in (duel.first, duel.second))
        pairs = list(itertools.product(a.outcomes, b.outcomes))
        odds = {pair: a.probability(pair[0]) * b.probability(pair[1]) for pair in pairs}
        assert duel.wins == sum(p for (x, y), p in odds.items() if x < y)  # less is better
        assert duel.ties == sum(p for (x, y), p in odds.items() if x == y)
        assert duel.wins + duel.ties + duel.losses == 1


def _dominates(a: Dist, b: Dist, order: int) -> bool:
    """By definition: the cumulative function is nowhere above, or its sum over whole numbers is."""
    span = range(min(*a.outcomes, *b.outcomes), max(*a.outcomes, *b.outcomes) + 1)
    below = [[sum(x.probability(o) for o in span if o <= at) for at in span] for x in (a, b)]
    if order == 2:
        below = [list(itertools.accumulate(row)) for row in below]
    gaps = [theirs - mine for mine, theirs in zip(*below, strict=True)]
    return all(gap >= 0 for gap in gaps) and any(gaps)


@pytest.mark.parametrize("less", [False, True])
@pytest.mark.parametrize(
    ("one", "other"),
    [(d(8), d(6)), (d(6), Dist({1: 1, 6: 1})), (d("2d6"), d(12)), (d(12), Dist({3: 1, 4: 1})), (d(6), d(6)),
     (d("3d4"), Dist({1: 1, 20: 1}))],
)  # fmt: skip
def test_dominance_by_its_definition(one: Dist, other: Dist, less: bool) -> None:
    @rule()
    def swing(weapon: Dist = d(6)) -> Roll[int]:
        return roll(weapon)

    found = compare(
        {"one": swing.setup(one), "other": swing.setup(other)}, less_is_better=["result"] if less else []
    )
    a, b = (one * -1, other * -1) if less else (one, other)
    expected = next(
        (
            sign * order
            for order in (1, 2)
            for sign, x, y in ((1, a, b), (-1, b, a))
            if _dominates(x, y, order)
        ),
        0,
    )
    assert found.duels[0].dominance == expected


def _brute_flips(
    a: Setup[Any], b: Setup[Any], path: str, values: Any, value_of: Any
) -> list[tuple[Any, ...]]:
    signs = []
    for value in values:
        x, y = (value_of(setup.at({path: value})()) for setup in (a, b))
        signs.append((value, (x > y) - (x < y)))
    led = [(value, sign) for value, sign in signs if sign]
    return [(v, w, s) for (v, s), (w, t) in itertools.pairwise(led) if s != t]


@pytest.mark.parametrize(
    ("first", "second"), [(AXE, SWORD), (AXE, MACE), (SWORD, MACE), (AXE, AXE.at({"arms.sure": 1}))]
)
def test_flips_are_those_of_the_loop(first: Setup[Any], second: Setup[Any]) -> None:
    found = compare({"first": first, "second": second})
    for measure, value_of in (("hit", lambda o: P(o.hit)), ("damage", lambda o: E(o.damage))):
        flips = found.flips("ac", [measure])
        expected = _brute_flips(first, second, "ac", range(1, 41), value_of)
        assert [(f.last, f.first, 1 if f.before == "first" else -1) for f in flips] == expected
        for flip in flips:
            for tie in flip.ties:
                assert flip.last < tie < flip.first
                assert value_of(first.at({"ac": tie})()) == value_of(second.at({"ac": tie})())


def test_two_curves_may_cross_twice_and_touch() -> None:
    @rule()
    def height(x: Annotated[int, Field(ge=0, le=10)] = 0, bowed: bool = False, low: int = 7) -> Roll[int]:
        return where(bowed, x * (10 - x), 16 + roll(d(1)) * 0) - 0 * low

    found = compare({"level": height.setup(), "bow": height.setup(bowed=True)})
    flips = found.flips("x")
    assert [(f.before, f.last, f.ties, f.first, f.after) for f in flips] == [
        ("level", 1, (2,), 3, "bow"),
        ("bow", 7, (8,), 9, "level"),
    ]
    assert {flip.path for flip in found.flips()} == {"x"}  # `low` changes nothing


def test_flips_pass_over_where_a_rule_does_not_apply() -> None:
    @rule()
    def odd(x: Annotated[int, Field(ge=0, le=6)] = 0, back: bool = False) -> Roll[int]:
        if x == 3:
            raise NotAllowed("YY-1", "not at 3")
        return roll(Dist({(6 - x if back else x): 1}))

    flips = compare({"up": odd.setup(), "down": odd.setup(back=True)}).flips("x")
    assert [(f.before, f.last, f.ties, f.first, f.after) for f in flips] == [("down", 2, (), 4, "up")]


def test_one_loadout_under_two_readings_over_a_map() -> None:
    readings = {floor.value: SWORD.at({"readings.floor": floor.value}) for floor in Floor}
    found = compare(readings)
    gap = found.difference("ac=5..30 arms.bonus=0..20", "damage", exact=True)
    for ac, bonus in ((5, 0), (17, 6), (30, 20)):
        zero, one = (
            E(readings[name].at({"ac": ac, "arms.bonus": bonus})().damage) for name in ("zero", "one")
        )
        assert gap.grid.at(**{"ac": ac, "arms.bonus": bonus}) == zero - one
    assert gap.sentence.startswith(
        "damage: zero nowhere gives more; one gives more at 546 points, most at ac 5"
    )
    assert [row[:2] for row in gap.tables()[0].rows] == [("zero", "0"), ("one", "546"), ("equal", "0")]
    fast = found.difference({"ac": range(5, 31), "arms.bonus": range(21)}, "damage")
    assert [float(x) for x in gap.grid.flat] == pytest.approx(list(fast.grid.flat), abs=1e-12)


def test_rules_that_share_a_measure() -> None:
    @rule()
    def bite(jaws: Dist = d(6)) -> Blow:
        return Blow(hit=True, damage=roll(jaws), part=where(roll(d(2)) == 1, "head", "leg"))

    found = compare({"strike": SWORD, "bite": bite.setup()}, [lambda o: o.damage >= 3, "damage.sd", "part"])
    assert found.values["<lambda>"]["bite"] == Fraction(2, 3)
    assert "damage.sd" not in found.dists
    assert found.values["part = leg"] == {"strike": 0, "bite": Fraction(1, 2)}


def test_what_it_says() -> None:
    weapons = {"axe": Weapon(low=1, high=12), "dagger": Weapon(low=4, high=6)}
    found = compare(
        {name: attack.setup(Fighter(attack_bonus=7, weapon=weapon), Target(defense=15))
         for name, weapon in weapons.items()},
        ["damage", "hit"],
    )  # fmt: skip
    assert "beats one of" in found.sentence
    assert "hit: 65 % for all" in found.sentence
    head = found.tables()[0].head
    assert head == ("measure", "axe", "dagger", "dagger − axe")
    assert list(found.to_dataframe()["measure"]) == ["damage", "hit"]
    assert found._repr_html_().count("<table>") == 2


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: compare({"one": AXE}), "two or more Setups"),
        (lambda: compare({"one": AXE, "two": strike}), "two: <rule"),
        (lambda: compare({"a": AXE, "b": SWORD}, ["harm"]), "there is no measure 'harm'"),
        (lambda: compare({"a": AXE, "b": SWORD}, less_is_better=["x"]), "less_is_better: x is not compared"),
        (lambda: compare({"a": AXE, "b": SWORD}).flips("bc"), "bc: no number of a; there are"),
        (lambda: compare({"a": AXE, "b": SWORD}).duel("hit", "a", "c"), "'c': nothing of that name"),
        (lambda: compare({"a": AXE, "b": SWORD}).difference("ac=1..3", "harm"), "there is no measure 'harm'"),
    ],
)
def test_what_cannot_be_compared_says_why(build: Any, message: str) -> None:
    with pytest.raises(StatError) as fault:
        build()
    assert message in str(fault.value)


def test_a_setup_to_which_the_rule_does_not_apply_is_named() -> None:
    @rule()
    def never(x: int = 0) -> Roll[int]:
        if x:
            raise NotAllowed("YY-1", "not so")
        return roll(d(6))

    with pytest.raises(NotAllowed, match="YY-1: second: not so"):
        compare({"first": never.setup(), "second": never.setup(1)})
