"""The names that rulekit promises, what they take, and what kind of thing they give."""

from __future__ import annotations

import enum
import inspect
import pickle
from fractions import Fraction
from typing import Any

import pytest

import rulekit
from rulekit import (
    Dist,
    E,
    Grid,
    ImpossibleCondition,
    Measure,
    NotAllowed,
    NotationError,
    NotAValue,
    Outcome,
    P,
    Part,
    Pool,
    Readings,
    Roll,
    RulekitError,
    StatError,
    Stats,
    TooLarge,
    again,
    apply,
    chain,
    chance,
    clip,
    count,
    d,
    dice,
    dist,
    explain,
    halve,
    isin,
    joint,
    maximum,
    minimum,
    quantile,
    roll,
    rule,
    sample,
    sd,
    stat,
    sweep,
    table,
    where,
)

THING = object()

# How the design writes each call: positional arguments, then named ones.
CALLS: list[tuple[Any, tuple[Any, ...], dict[str, Any]]] = [
    (d, (6,), {}),
    (Dist, ({1: 1},), {}),
    (Pool, ([6, 6],), {}),
    (roll, (THING,), {}),
    (roll, (THING, "natural"), {}),
    (roll, (THING,), {"name": "natural"}),
    (chance, ("1/2",), {}),
    (stat, ("attack", range(3)), {}),
    (stat, (), {"name": "attack", "values": range(3)}),
    (dice, (3, THING), {}),
    (again, (THING,), {}),
    (chain, (THING, THING), {"until": THING}),
    (chain, (THING, THING), {"until": THING, "limit": 50}),
    (where, (THING, 1, 2), {}),
    (clip, (THING, 1, 2), {}),
    (minimum, (THING, 1), {}),
    (minimum, (THING, 1, THING), {}),
    (maximum, (THING, 1), {}),
    (maximum, (THING, 1, THING), {}),
    (isin, (THING, {19, 20}), {}),
    (count, ([THING, THING],), {}),
    (table, (THING, {"1": 0, "2-7": 1, ">=20": 2}), {}),
    (apply, (max, THING), {}),
    (apply, (max, THING, THING, THING), {}),
    (halve, (THING, "down"), {}),
    (quantile, (THING, 0.5), {}),
    (quantile, (THING, 0.5), {"given": THING, "exact": True}),
    (sample, (THING, 10, THING), {}),
    (sample, (THING,), {"n": 10, "rng": THING}),
    (explain, (THING,), {}),
    (rule, ("AE-12", "AE-13"), {}),
    (rule, (), {}),
    (Measure, (), {"unit": "HP", "help": "damage dealt"}),
    (sweep, (THING,), {"over": {"bonus": range(3)}, "measures": ["hit"]}),
    *[
        (question, (THING,), options)
        for question in (P, E, sd, dist, joint)
        for options in ({}, {"given": THING}, {"exact": True}, {"given": THING, "exact": True})
    ],
]


@pytest.mark.parametrize(("function", "positional", "named"), CALLS)
def test_signature(function: Any, positional: tuple[Any, ...], named: dict[str, Any]) -> None:
    inspect.signature(function).bind(*positional, **named)


def test_a_chain_takes_a_thousand_steps_by_default() -> None:
    assert inspect.signature(chain).parameters["limit"].default == 1_000


def test_every_name_can_be_imported_from_rulekit() -> None:
    for name in rulekit.__all__:
        assert getattr(rulekit, name) is not None, name


def test_explore_comes_from_the_widgets() -> None:
    from rulekit_widgets import explore

    assert inspect.isfunction(explore)


def test_errors_are_one_family() -> None:
    assert issubclass(RulekitError, ValueError)
    for error in (NotationError, NotAValue, ImpossibleCondition, NotAllowed, TooLarge, StatError):
        assert issubclass(error, RulekitError)
        assert error is not RulekitError


def test_what_a_dist_tells() -> None:
    die = Dist({1: 2, 3: 4})
    assert (die.outcomes, die.weights, die.denominator) == ((1, 3), (1, 2), 3)
    assert die.probability(3) == Fraction(2, 3)
    assert (die.mean, die.variance) == (Fraction(7, 3), Fraction(8, 9))
    assert Dist([(1, 1), (3, 2)]) == die


def test_what_a_pool_offers() -> None:
    pool = Pool([d(6), d(6), d(6)])
    assert pool.highest().probability(6) == Fraction(91, 216)
    assert pool.lowest(2).probability(2) == Fraction(16, 216)
    assert pool.middle().probability(1) == Fraction(16, 216)
    for name in ("ranks", "count", "explode", "reroll"):
        assert callable(getattr(pool, name))


def test_views_of_one_throw() -> None:
    throw = dice(3, d(6))
    assert P(throw.highest() == 6) == Fraction(91, 216)
    assert P(throw.lowest() == 6, given=throw.highest() == 6) == Fraction(1, 91)
    assert P(throw.count({6}) == 3) == Fraction(1, 216)
    assert P(throw == 18, given=throw.lowest() >= 6) == 1
    assert callable(throw.ranks)


def test_what_the_questions_give() -> None:
    natural = roll(d(20), "natural")
    assert isinstance(natural, Roll)
    assert natural.name == "natural"
    assert P(natural >= 17) == Fraction(1, 5)
    assert E(natural) == Fraction(21, 2)
    assert isinstance(sd(natural), float)
    assert isinstance(dist(natural), Dist)
    assert quantile(natural, 0.9) == 18
    assert joint(natural, natural >= 20).probability((20, True)) == Fraction(1, 20)
    assert "natural" in str(explain(natural + 1))


def test_the_operations() -> None:
    natural = roll(d(20))
    assert P(isin(natural, {19, 20})) == Fraction(1, 10)
    assert dist(count([natural >= 5, natural >= 15])) == Dist({0: 4, 1: 10, 2: 6})
    assert E(minimum(natural, 2)) == Fraction(39, 20)
    assert E(maximum(natural, 19)) == Fraction(381, 20)
    assert E(clip(natural, 5, 6)) == Fraction(115, 20)
    assert dist(table(natural, {"1": "mishap", "2-19": "plain", ">=20": "critical"})) == Dist(
        {"mishap": 1, "plain": 18, "critical": 1}
    )
    assert dist(apply(lambda value: value % 2 == 0, natural)) == Dist({True: 1, False: 1})
    assert dist(where(natural > 15, 1, 0)) == Dist({0: 3, 1: 1})
    assert dist(again(natural) == natural).probability(True) == Fraction(1, 20)
    minus_three = roll(Dist({-3: 1}))
    assert [E(halve(minus_three, way)) for way in ("down", "up", "zero")] == [-2, -1, -1]
    assert P(chance("0.35")) == Fraction(7, 20)


def test_an_axis_keeps_its_values() -> None:
    attack = stat("attack", range(5, 8))
    hit = roll(d(20)) + attack >= 17
    answer = P(hit, exact=True)
    assert list(answer.dims) == ["attack"]
    assert list(answer.values) == [Fraction(9, 20), Fraction(1, 2), Fraction(11, 20)]
    assert {"dims", "coords", "values"} <= set(inspect.signature(Grid).parameters)
    with pytest.raises(StatError, match="attack"):
        E(stat("attack", range(9)) + attack)


class Tone(enum.Enum):
    SOFT = "soft"
    LOUD = "loud"


class Smasher(Stats):
    bonus: int = 3


class Ways(Readings):
    tone: Tone = Tone.SOFT


class Smash(Outcome):
    hit: Roll[bool]
    damage: Roll[int]


@rule("XX-01")
def smash(smasher: Smasher = Smasher(), ac: int = 15, readings: Ways = Ways()) -> Smash:
    """Hits on the total."""
    natural = roll(d(20), "natural")
    hit = natural + smasher.bonus >= ac
    return Smash(hit=hit, damage=where(hit, roll(d(8), "damage"), 0))


def test_a_rule_makes_setups() -> None:
    setup = smash.setup()
    assert P(setup().hit) == Fraction(9, 20)
    assert P(setup.at({"smasher.bonus": 4})().hit) == Fraction(1, 2)
    assert setup == smash.setup(Smasher(bonus=3))
    assert {stat.path for stat in setup.stats} == {"smasher.bonus", "ac", "readings.tone"}
    assert {measure.path for measure in setup.measures} >= {"hit", "damage"}
    assert P(setup().given(natural=20).hit) == 1
    assert issubclass(Part, Stats)


def test_a_roll_that_is_pickled_stays_the_same_roll() -> None:
    natural = roll(d(20))
    first, second = (pickle.loads(pickle.dumps(piece)) for piece in (natural, natural + 1))
    assert dist(second - first) == Dist({1: 1})
