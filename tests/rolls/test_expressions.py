"""What a Roll promises: identity, kinds, and one error that says what to write instead."""

from __future__ import annotations

import copy
import pickle
from collections import namedtuple
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction

import numpy as np
import pytest

from rulekit import (
    E,
    NotAValue,
    P,
    Roll,
    RulekitError,
    StatError,
    again,
    apply,
    chance,
    clip,
    count,
    d,
    dice,
    dist,
    halve,
    isin,
    joint,
    maximum,
    minimum,
    roll,
    stat,
    table,
    where,
)
from rulekit.rolls import call_scope, named_rolls

NATURAL = roll(d(20), "natural")


def test_the_same_roll_twice_is_one_roll_and_a_dist_twice_is_two():
    die = roll(d(6))
    assert dist(die + die) == 2 * d(6)
    assert dist(roll(d(6)) + roll(d(6))) == 2 @ d(6) == d(6) + d(6)
    assert P(die == die) == 1
    assert P(roll(d(6)) == roll(d(6))) == Fraction(1, 6)


@pytest.mark.parametrize(
    ("use", "instead"),
    [
        (lambda x: bool(x > 3), "where(event, a, b)"),
        (lambda x: 1 if x > 3 else 0, "where(event, a, b)"),
        (lambda x: (x > 3) and (x < 5), "& | ~"),
        (lambda x: (x > 3) or (x < 5), "& | ~"),
        (lambda x: not (x > 3), "& | ~"),
        (lambda x: 3 < x < 5, "& | ~"),
        (lambda x: max(x, 3), "maximum"),
        (lambda x: min(x, 3), "minimum"),
        (lambda x: x in {19, 20}, "isin"),
        (lambda x: x in [19, 20], "isin"),
        (lambda x: {x: 1}, "isin"),
        (lambda x: {19: 1}[x], "table"),
        (lambda x: 19 in x, "isin"),
        (lambda x: int(x), "halve"),
        (lambda x: round(x), "halve"),
        (lambda x: float(x), "E(x)"),
        (lambda x: range(x), "dice(n, die)"),
        (lambda x: [1, 2, 3][x], "table"),
        (lambda x: x[0], "table"),
        (lambda x: list(x), "dice(n, die)"),
        (lambda x: len(x), "count"),
        (lambda x: f"{x:.1f}", "E(x)"),
        (lambda x: np.array([1, 2]) + x, "stat("),
        (lambda x: x + np.array([1, 2]), "stat("),
        (lambda x: x + d(6), "roll("),
        (lambda x: d(6) + x, "roll("),
        (lambda x: d(6) >= x, "roll("),
        (lambda x: where(x > 3, d(6), 0), "roll("),
        (lambda x: x + None, "NoneType"),
    ],
)
def test_where_a_plain_value_is_wanted_one_error_says_what_to_write(use, instead):
    with pytest.raises(NotAValue) as caught:
        use(NATURAL)
    assert instead in str(caught.value)
    assert isinstance(caught.value, RulekitError)


def test_the_error_names_stats_and_rolls():
    attack = stat("attack", range(3))
    with pytest.raises(NotAValue) as caught:
        bool(attack > 1)
    assert (caught.value.stats, caught.value.rolls) == (("attack",), ())
    with pytest.raises(NotAValue) as caught:
        bool(attack + NATURAL > 1)
    assert (caught.value.stats, caught.value.rolls) == (("attack",), ("natural",))


@pytest.mark.parametrize(
    ("use", "said"),
    [
        (lambda: 17 & (NATURAL > 3), "& needs events"),
        (lambda: NATURAL >= 17 & (NATURAL == 20), "& needs events"),
        (lambda: NATURAL | (NATURAL > 3), "| needs events"),
        (lambda: ~NATURAL, "~ needs events"),
        (lambda: P(NATURAL), "P wants an event"),
        (lambda: E(where(NATURAL > 3, "a", "b")), "E wants a number"),
        (lambda: where(NATURAL, 1, 2), "where needs events"),
        (lambda: where(NATURAL > 3, 1, "miss"), "of one kind"),
        (lambda: where(NATURAL > 3, True, 1), "of one kind"),
        (lambda: where(NATURAL > 3, "a", "b") < "b", "have no order"),
        (lambda: where(NATURAL > 3, "a", "b") + 1, "needs numbers"),
        (lambda: where(NATURAL > 3, "a", "b") == 1, "between a label and a number"),
        (lambda: count([NATURAL]), "count needs events"),
        (lambda: maximum(), "at least one"),
        (lambda: halve(NATURAL, "nearest"), "down"),
        (lambda: isin(NATURAL, "19"), "isin takes several plain values"),
        (lambda: isin(NATURAL, {"x"}), "cannot equal"),
        (lambda: chance(1.5), "from 0 to 1"),
        (lambda: chance("x"), "from 0 to 1"),
        (lambda: chance(-1), "from 0 to 1"),
        (lambda: roll(d(6), 3), "a roll's name is text"),
        (lambda: Roll(), "made by roll(die)"),
        (lambda: NATURAL**2, "apply(lambda"),
        (lambda: 3 @ NATURAL, "dice(n, die)"),
        (lambda: (NATURAL > 3) ^ (NATURAL > 5), "a != b"),
        (lambda: apply(3, NATURAL), "function first"),
        (lambda: apply(lambda x: [x], NATURAL), "gave [1]"),
        (lambda: dice(-1, 6), "0 or more"),
        (lambda: dice(1.5, 6), "0 or more"),
        (lambda: dice(3, 6).highest(0), "1 or more"),
        (lambda: dice(3, 6).ranks(0), "ranks takes"),
        (lambda: dice(3, 6).ranks(), "ranks takes"),
        (lambda: roll(Dist_of_mixed()), "one kind"),
        (lambda: roll(d(6).explode(times=None)), "cut off"),
    ],
)
def test_kinds_and_ranges_are_held(use, said):
    with pytest.raises(RulekitError) as caught:
        use()
    assert said in str(caught.value)


def Dist_of_mixed():
    from rulekit import Dist

    return Dist({"miss": 1, 3: 1})


def test_an_event_counts_as_zero_or_one():
    hit = NATURAL >= 15
    assert E(hit) == P(hit) == Fraction(3, 10)
    assert E(hit * 7 + 1) == Fraction(31, 10)
    assert dist(hit + hit).outcomes == (0, 2)


def test_division_is_exact_and_halving_is_the_rulebooks():
    die = roll(d(6))
    assert E(die / 4) == Fraction(7, 8)
    assert dist(die // 2).outcomes == (0, 1, 2, 3)
    assert dist(die % 3) == dist(die - die // 3 * 3)
    five = die * 0 + 5
    assert [E(halve(five, how)) for how in ("down", "up", "zero")] == [2, 3, 2]
    assert [E(halve(-five, how)) for how in ("down", "up", "zero")] == [-3, -2, -2]
    assert E(die * 0.1) == Fraction(7, 20)


def test_a_roll_is_immutable_and_copies_to_itself():
    assert copy.copy(NATURAL) is NATURAL is copy.deepcopy(NATURAL)
    with pytest.raises(AttributeError):
        NATURAL.kind = "label"
    with pytest.raises(AttributeError):
        del NATURAL._op


def test_pieces_pickled_apart_still_share_their_rolls():
    hit, high = NATURAL >= 15, NATURAL >= 18
    one, other = pickle.loads(pickle.dumps(hit)), pickle.loads(pickle.dumps(high))
    assert P(one & other) == P(high)
    assert P(one & hit) == P(hit)
    throw = dice(3, 6)
    total, best = (pickle.loads(pickle.dumps(x)) for x in (throw, throw.highest()))
    assert P(total == 18, given=best == 6) == P(throw == 18, given=throw.highest() == 6)


def test_a_deep_expression_pickles_and_answers_without_recursion():
    x = roll(d(20))
    for _ in range(10_000):
        x = maximum(x - 1, 0) + 1
    assert E(pickle.loads(pickle.dumps(x))) == E(x) == Fraction(21, 2)


def test_repr_is_the_expression_and_short():
    hit = (NATURAL == 20) | ((NATURAL != 1) & (NATURAL + 7 >= 17))
    assert repr(hit) == "(natural == 20) | (natural != 1) & (natural + 7 >= 17)"
    assert repr(clip(NATURAL, 1, 5)) == "minimum(maximum(natural, 1), 5)"
    assert repr(NATURAL - (NATURAL - 1)) == "natural - (natural - 1)"
    x = NATURAL
    for _ in range(5_000):
        x = x + roll(d(6))
    assert len(repr(x)) <= 160


def test_where_with_a_plain_bool_picks_and_outcomes_go_field_by_field():
    @dataclass(frozen=True, eq=False)
    class Attack:
        hit: object
        damage: object

    assert E(where(True, NATURAL, 3)) == Fraction(21, 2)
    a, b = Attack(NATURAL >= 11, NATURAL), Attack(NATURAL < 0, 0)
    both = where(NATURAL >= 18, a, b)
    assert P(both.hit) == Fraction(3, 20)
    assert E(both.damage) == Fraction(18 + 19 + 20, 20)
    assert where(False, a, b) is b


class Mood(Enum):
    HOSTILE = "hostile"
    WARY = "wary"


def test_where_keeps_the_class_of_a_named_tuple_and_refuses_what_it_cannot_pick():
    pair = namedtuple("pair", ["hp", "note"])
    picked = where(NATURAL > 10, pair(1, None), pair(3, None))
    assert (E(picked.hp), picked.note) == (2, None)
    with pytest.raises(RulekitError, match="not None and 'b'"):
        where(NATURAL > 10, pair(1, None), pair(3, "b"))


def test_tables_take_the_books_own_ranges():
    x = table(NATURAL, {"1": "a", "2-7": "b", "8–13": "c", "14 to 19": "d", ">=20": "e"})
    assert [P(x == k) * 20 for k in "abcde"] == [1, 6, 6, 6, 1]
    assert P(table(NATURAL, {"<=1": Mood.HOSTILE, ">1": Mood.WARY}) == Mood.WARY) == Fraction(19, 20)
    assert E(table(NATURAL, {"10 or less": 0, "11+": roll(d(6))})) == Fraction(7, 4)
    shared = roll(d(6))
    assert P(table(NATURAL, {"1-10": shared, "11-20": shared + 1}) >= shared) == 1
    assert P(table(x, {"a": True, "b": False, "c": False, "d": True, "e": True})) == Fraction(8, 20)
    assert P(table(roll(d("d%")), {"01-95": "no", "96-00": "yes"}) == "yes") == Fraction(1, 20)
    assert E(table(NATURAL, {"≤5": 4, "≥6": 0})) == 1
    assert E(table(NATURAL > 15, {False: 0, True: 8})) == 2


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ({"1-10": 1, "12-20": 2}, "11 is possible and has no row"),
        ({"1-10": 1, "10-20": 2}, "10 has 2 rows"),
        ({"1-x": 1}, "is no row"),
        ({"5-2": 1}, "ends before it begins"),
        ({"1-10": 1, "11-20": "two"}, "of one kind"),
        ({}, "rows as a dict"),
    ],
)
def test_a_table_with_a_hole_or_an_overlap_is_an_error_when_built(rows, said):
    with pytest.raises(RulekitError) as caught:
        table(NATURAL, rows)
    assert said in str(caught.value)


def test_a_table_over_an_axis_is_checked_along_it():
    bonus = stat("bonus", range(4))
    with pytest.raises(RulekitError, match="23 is possible and has no row"):
        table(NATURAL + bonus, {"1-22": 1})


def test_apply_gives_values_or_rolls_what_it_gives():
    die = roll(d(6))
    assert E(apply(lambda n: n * n, die)) == Fraction(91, 6)
    assert E(apply(lambda n: d(n), die)) == Fraction(sum(range(1, 7)) + 6, 12)
    rolled = apply(lambda n: d(n), die)
    assert P(rolled == rolled) == 1
    assert dist(apply(lambda a, b: "high" if a + b > 9 else "low", die, roll(d(6)))).probability("high") == (
        Fraction(1, 6)
    )


def test_what_apply_gives_is_exact_and_of_one_kind():
    die = roll(d(6))
    assert dist(apply(lambda x: x * 0.5, die)) == d(6) / 2
    assert dist(apply(lambda x: np.int64(x) * np.float64(0.5), die)) == d(6) / 2
    assert P(apply(lambda x: np.bool_(x > 4), die)) == Fraction(1, 3)
    assert E(apply(lambda x: d(6) if x > 3 else 0, die)) == Fraction(7, 4)
    assert E(apply(lambda x: 0 if x > 3 else d(6), die)) == Fraction(7, 4)
    assert E(apply(lambda x: x + 1, 3) + die) == Fraction(15, 2)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda x: x if x != 3 else None, "gave None"),
        (lambda x: x if x != 3 else "three", "gave 'three' for (3,), and a number for other values"),
        (lambda x: d(6) if x == 3 else 0, "gave a Dist for (3,)"),
        (lambda x: d(6) if x != 3 else "three", "gave 'three' for (3,)"),
        (lambda x: d(x + 1).explode(), "cut off"),
        (lambda x: d(6).explode() if x == 3 else d(6), "cut off"),
    ],
)
def test_what_apply_cannot_take_is_refused(function, said):
    with pytest.raises(RulekitError) as caught:
        E(apply(function, roll(d(6))))
    assert said in str(caught.value)


def test_numpy_numbers_count_as_numbers():
    throw = dice(np.int64(4), np.int64(6))
    assert E(throw.highest(np.int64(3))) == E(dice(4, 6).highest(3))
    assert E(throw.ranks(np.int64(-1))) == E(dice(4, 6).lowest())
    assert P(chance(np.float64(0.3))) == Fraction(3, 10)
    assert E(NATURAL + np.float64(0.1)) == Fraction(106, 10)


def test_long_chains_of_tables_and_functions_are_built_in_one_pass():
    x = y = roll(d(6))
    for _ in range(3_000):
        x = table(x, {"1": 2, "2": 3, "3": 4, "4": 5, "5": 6, "6": 1})
        y = apply(lambda v: v % 6 + 1, y)
    assert P(x == y) == 1


def test_undefined_is_an_error_only_where_it_matters():
    die = roll(d(6)) - 1
    with pytest.raises(RulekitError) as caught:
        E(10 / die)
    assert "/" in str(caught.value)
    assert "(10, 0)" in str(caught.value).replace("10, 0", "(10, 0)")
    assert "1/6" in str(caught.value)
    assert E(where(die > 0, 10 / die, 0)) == Fraction(1, 6) * 10 * sum(Fraction(1, k) for k in range(1, 6))
    assert P((die > 0) & (10 // die >= 5)) == Fraction(2, 6)
    assert E(10 / die, given=die > 0) == 2 * sum(Fraction(1, k) for k in range(1, 6))
    assert P((die == 0) | (10 / die > 3)) == Fraction(4, 6)


def test_again_and_calls():
    def attack(target):
        with call_scope() as scope:
            natural = roll(d(20), "natural")
            return scope.mark(where(natural >= target, roll(d(6)), 0), "damage")

    armour = roll(d(4)) + 10
    one = attack(armour)
    assert E(one + again(one)) == 2 * E(one)
    both = dist(one + again(one))
    # Both look at the same armour, so the two are not independent: brute force over everything.
    weights: dict[int, Fraction] = {}
    for a in range(11, 15):
        p = Fraction(21 - a, 20)
        single = {0: 1 - p, **dict.fromkeys(range(1, 7), p / 6)}
        for x, px in single.items():
            for y, py in single.items():
                weights[x + y] = weights.get(x + y, 0) + Fraction(1, 4) * px * py
    assert {x: both.probability(x) for x in both.outcomes} == weights
    assert dist(dice(2, one)) == both
    assert dist(again(one + 0)) == dist(one)
    bare = one + 0  # a bare expression is thrown anew whole, armour and all
    assert dist(bare + again(bare)) == 2 @ dist(one)


def test_names_are_found():
    assert named_rolls(NATURAL + roll(d(6), "bonus")).keys() == {"natural", "bonus"}


def test_axes_of_one_name_must_agree():
    with pytest.raises(StatError, match="two axes are named 'a'"):
        P(NATURAL + stat("a", (1, 2)) > stat("a", (1, 3)))
    a = stat("a", (1, 2))
    assert E(a + stat("a", (1, 2)), exact=True).values.tolist() == [2, 4]
    for values in ((2, 1), (1, 1), (), "12", (1, "x"), 3):
        with pytest.raises(StatError):
            stat("a", values)
    with pytest.raises(StatError):
        stat("", (1,))


def test_minimum_maximum_and_sum_over_lists():
    rolls = [roll(d(6)) for _ in range(3)]
    assert dist(maximum(rolls)) == dist(dice(3, 6).highest())
    assert dist(minimum(*rolls)) == dist(dice(3, 6).lowest())
    assert dist(maximum(r + 1 for r in rolls)) == dist(maximum(rolls)) + 1
    assert dist(sum(rolls)) == 3 @ d(6)
    assert joint(maximum(rolls), count(r == 6 for r in rolls)).probability((6, 1)) == Fraction(75, 216)
