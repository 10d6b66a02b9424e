"""The questions: values known from elsewhere, conditions, axes, limits, laws."""

from __future__ import annotations

import itertools
import math
import pickle
import threading
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given as examples
from hypothesis import strategies as st

from rulekit import (
    Dist,
    E,
    ImpossibleCondition,
    NotAValue,
    P,
    RulekitError,
    TooLarge,
    chance,
    clear_caches,
    clip,
    count,
    d,
    dice,
    dist,
    isin,
    joint,
    maximum,
    minimum,
    quantile,
    roll,
    sd,
    stat,
    table,
    where,
)
from rulekit.rolls import Grid, apply, ask, constant


def attack(bonus, defense, high=11):
    natural = roll(d(20), "natural")
    total = natural + bonus
    critical = natural == 20
    hit = critical | ((natural != 1) & (total >= defense))
    return hit, where(hit, clip(total - defense, 1, where(critical, 2 * high, high)) + 2, 0)


def test_the_designs_own_example():
    hit, damage = attack(7, 17)
    assert P(hit) == Fraction(11, 20)
    assert E(damage) == Fraction(39, 10)
    assert P(damage >= 10, given=hit) == Fraction(3, 11)
    assert dist(damage).probability(0) == Fraction(9, 20)


def test_conditions_share_their_rolls_and_change_nothing():
    die = roll(d(6))
    assert E(die, given=die >= 5) == Fraction(11, 2)
    assert E(die) == Fraction(7, 2)
    with pytest.raises(ImpossibleCondition):
        P(die == 1, given=die > 6)
    assert quantile(die, 0.5, given=die >= 3) == 4
    assert sd(die, given=die == 3) == 0
    assert joint(die, die + 1, given=die >= 5).outcomes == ((5, 6), (6, 7))


def test_quantile_is_the_least_outcome_that_reaches_q():
    die = roll(d(10))
    assert [quantile(die, q) for q in (0, 0.1, "1/10", 0.1000001, 0.5, 1)] == [1, 1, 1, 2, 5, 10]
    assert quantile(d(10), 0.3) == 3
    for q in (-0.1, 1.1, "x", None):
        with pytest.raises(RulekitError, match="from 0 to 1"):
            quantile(die, q)


def test_a_dist_answers_too_and_a_plain_bool_does_not():
    assert P(d(6) >= 5) == Fraction(1, 3)
    assert E(d(6)) == Fraction(7, 2)
    assert sd(d(6)) == pytest.approx(math.sqrt(35 / 12), rel=1e-15)
    with pytest.raises(NotAValue, match="plain bool"):
        P(d(6) == d(6))
    with pytest.raises(NotAValue):
        P(d(6) >= 5, given=roll(d(6)) > 3)


def test_along_axes_an_array_with_the_stats_as_dimensions():
    bonus, defense = stat("bonus", range(6)), stat("defense", (10, 15, 20))
    hit, damage = attack(bonus, defense)
    p = P(hit)
    assert p.dims == ("bonus", "defense")
    assert p.dtype == np.float64
    exact = E(damage, exact=True)
    odds = dist(damage)
    assert odds.dims[-1] == "outcome"
    for b in range(6):
        for target in (10, 15, 20):
            plain_hit, plain_damage = attack(b, target)
            at = {"bonus": b, "defense": target}
            assert p.sel(at).item() == pytest.approx(float(P(plain_hit)), rel=1e-14)
            assert exact.sel(at).item() == E(plain_damage)
            for outcome in odds.outcome.values:
                assert odds.sel(at).sel(outcome=outcome).item() == pytest.approx(
                    float(dist(plain_damage).probability(int(outcome))), rel=1e-13
                )


def test_axes_in_sides_numbers_of_dice_and_chances():
    sides, number = stat("sides", (4, 6, 8)), stat("number", range(4))
    assert E(roll(d(sides)), exact=True).values.tolist() == [Fraction(5, 2), Fraction(7, 2), Fraction(9, 2)]
    total = E(dice(number, d(sides)), exact=True)
    assert total.sel(number=3, sides=6).item() == Fraction(21, 2)
    best = E(dice(number, 6).highest())
    assert np.isnan(best.sel(number=0))
    assert best.sel(number=2).item() == pytest.approx(161 / 36)
    assert best.attrs["undefined"] == 1
    p = stat("p", (Fraction(0), Fraction(1, 3), Fraction(1)))
    assert P(chance(p) & chance(p), exact=True).values.tolist() == [0, Fraction(1, 9), 1]


def test_impossible_along_an_axis_is_nan_and_counted():
    bonus = stat("bonus", range(3))
    natural = roll(d(4))
    answer = P(natural == 4, given=natural + bonus >= 6)
    assert np.isnan(answer.values[:2]).all()
    assert answer.values[2] == 1
    assert answer.attrs["impossible"] == 2
    exact = P(natural == 4, given=natural + bonus >= 6, exact=True)
    assert exact.values[2] == 1
    assert exact.attrs["impossible"] == 2


def test_a_grid_stands_below():
    bonus = stat("bonus", range(3))
    hit, damage = attack(bonus, 12)
    grids = ask([("P", hit), ("E", damage), ("dist", damage)], exact=True)
    assert all(isinstance(grid, Grid) for grid in grids)
    assert grids[0].at(bonus=1) == P(attack(1, 12)[0])
    assert grids[2].dims == ("bonus", "outcome")
    assert sum(grids[2].at(bonus=2).flat) == 1
    assert ask([("P", roll(d(6)) > 3)])[0].item() == Fraction(1, 2)


def test_a_function_of_an_axis_of_fractions_gets_the_fractions():
    level = stat("level", (Fraction(1, 2), Fraction(3, 2)))
    for x in (apply(lambda v: int(v * 2), level), apply(lambda v, w: int(v * 2) + 0 * w, level, roll(d(4)))):
        assert E(x + roll(d(4))).values.tolist() == [3.5, 5.5]


def test_an_axis_of_fractions_alone_and_a_grid_without_outcomes():
    level = stat("level", (Fraction(1, 2), Fraction(3, 2)))
    assert E(level + 2).values.tolist() == [2.5, 3.5]
    (nothing,) = ask([("dist", level // dice(0, 2))])
    assert nothing.shape == (2, 0)
    assert nothing.at(level=Fraction(1, 2)).flat == []


def test_an_event_in_a_joint_answer_is_true_or_false_along_axes_too():
    natural, bonus = roll(d(4)), stat("bonus", (0, 1))
    for exact in (True, False):
        found = joint(natural + bonus >= 4, natural, exact=exact).outcome.values.tolist()
        assert found == ["(False, 1)", "(False, 2)", "(False, 3)", "(True, 3)", "(True, 4)"]


def test_at_points_every_axis_has_its_own_value():
    sides, number, bonus = (
        stat("sides", range(2, 13)),
        stat("number", range(5)),
        stat("bonus", range(-20, 20)),
    )
    throw = dice(number, d(sides))
    asked = [("P", throw.count(1) + bonus >= 2), ("E", throw + bonus), ("dist", throw.highest(2))]
    points = {"number": [0, 2, 4, 2], "sides": [4, 6, 12, 6], "bonus": [2, 1, -3, 1]}
    for exact in (True, False):
        p, mean, odds = ask(asked, points=points, exact=exact)
        for i, (n, s, b) in enumerate(zip(*points.values(), strict=True)):
            thrown = dice(n, d(s))
            assert p.at(point=i) == pytest.approx(float(P(thrown.count(1) + b >= 2)), rel=1e-13)
            assert mean.at(point=i) == pytest.approx(n * (s + 1) / 2 + b, rel=1e-13)
            if n == 0:
                assert all(math.isnan(found) for found in odds.at(point=i).flat), "nothing is highest"
                continue
            plain = dist(thrown.highest(2))
            for outcome, found in zip(odds.coords["outcome"], odds.at(point=i).flat, strict=True):
                assert found == pytest.approx(float(plain.probability(outcome)), rel=1e-13)
    constant, moves = ask([("P", roll(d(20)) > 5), ("P", roll(d(20)) > bonus)], points={"bonus": [5, 15]})
    assert (constant.dims, constant.item()) == ((), Fraction(3, 4))
    assert moves.values == pytest.approx([0.75, 0.25])


def test_points_name_every_axis_and_patience_ends():
    bonus, defense = stat("bonus", range(5)), stat("defense", range(5))
    hit = roll(d(20)) + bonus >= defense
    with pytest.raises(RulekitError, match="every axis; defense has not"):
        ask([("P", hit)], points={"bonus": [1, 2]})
    with pytest.raises(RulekitError, match="equally many"):
        ask([("P", hit)], points={"bonus": [1, 2], "defense": [1]})
    for exact in (True, False):
        with pytest.raises(TooLarge, match="longer than was allowed"):
            ask([("P", hit)], points={"bonus": [1, 2], "defense": [1, 2]}, exact=exact, patience=0)


def test_tails_keep_their_relative_accuracy():
    n = stat("n", (1, 2))
    lowest = P(dice(60, 6) + n * 0 == 60)
    assert lowest.values[0] == pytest.approx(6.0**-60, rel=1e-12)
    tops = dist(maximum(roll(40 @ d(10)), roll(40 @ d(10))) + n * 0)
    assert tops.sel(outcome=400, n=1).item() == pytest.approx(2e-40, rel=1e-12)


def test_too_large_is_said_before_it_is_made():
    rolls = [roll(d(1000), f"r{i}") for i in range(4)]
    product = rolls[0] * rolls[1] * rolls[2] * rolls[3]
    mixed = product + rolls[0] * rolls[2] - rolls[1] * rolls[3]
    with pytest.raises(TooLarge) as caught:
        dist(mixed)
    assert caught.value.cells > 5e7 or caught.value.seconds > 10
    assert set(caught.value.rolls) & {"r0", "r1", "r2", "r3"}
    with pytest.raises(TooLarge):
        dist(roll(d(1000)) * roll(d(999)), budget=1000)


def test_two_runs_are_equal_to_the_last_bit_and_threads_agree():
    bonus = stat("bonus", range(20))

    def answer():
        return dist(attack(bonus, 15)[1]).values.tobytes()

    first = answer()
    clear_caches()
    assert answer() == first
    results: list[bytes] = []
    threads = [threading.Thread(target=lambda: results.append(answer())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(results) == {first}


def test_what_one_question_found_serves_another_that_reads_the_axes_in_another_order():
    attack, ac = stat("attack", range(4)), stat("ac", range(4))
    hit = roll(d(6)) + attack >= ac + 3
    (first,) = ask([("P", hit)], exact=True)
    (other,) = ask([("E", ac + hit)], exact=True)
    assert (first.dims, other.dims) == (("attack", "ac"), ("ac", "attack"))
    assert other.at(attack=3, ac=0) == 1  # even a 1 hits
    assert other.at(attack=0, ac=3) == 3 + Fraction(1, 6)  # only a 6 hits


def test_halves_beside_a_condition_on_an_axis():
    first, second, third, target = roll(d(6)), roll(d(6)), roll(d(4)), stat("target", [3, 9])
    asked = ((first + second >= target) | (second == third)) & (first != third)
    halves = E(first * Fraction(1, 2), given=asked)
    for place, at_least in enumerate([3, 9]):
        shown = [
            Fraction(a, 2)
            for a, b, c in itertools.product(range(1, 7), range(1, 7), range(1, 5))
            if (a + b >= at_least or b == c) and a != c
        ]
        assert halves.values[place] == pytest.approx(float(sum(shown) / len(shown)), rel=1e-12)


def test_a_fraction_on_an_axis_is_found_among_fractions():
    weight = stat("weight", [Fraction(1, 2), 1, Fraction(3, 2)])
    assert P(isin(weight, [1, Fraction(3, 2)])).values.tolist() == [0, 1, 1]


def test_a_function_of_an_event_gets_true_or_false_along_axes_too():
    hit = roll(d(6)) + stat("bonus", [0, 2]) >= 5
    assert P(apply(str, hit) == "True").values.tolist() == pytest.approx([1 / 3, 2 / 3])
    fair = apply(lambda event: d(6) if event is True else d([0]), hit)
    assert E(fair).values.tolist() == pytest.approx([7 / 6, 7 / 3])


def test_what_cancels_is_zero_along_axes_too_and_what_is_certain_has_no_spread():
    edge = stat("edge", range(-3, 4))
    lead = 3 * roll(d(20)) + 2 * roll(d(10)) - 4 * roll(d(12)) - roll(d(8)) + edge  # of mean 12 + edge
    assert E(lead - 12).values[3] == 0
    assert sd(where(roll(d(7)) >= edge, 7, 7)).values.tolist() == [0] * 7


def test_what_is_certain_is_not_more_than_certain():
    total = roll(d(20)) + stat("bonus", range(6))
    told = where(total >= 25, "crit", where(total >= 10, "hit", "miss"))
    assert P(told != "crit").values.tolist() == pytest.approx([1, 1, 1, 1, 1, 0.95])
    assert P(told != "crit").values.max() <= 1


def test_what_one_question_found_of_a_table_of_1_and_0_is_not_that_of_true_and_false():
    assert E(table(roll(d(6)), {"1-5": 0, "6": 1})) == Fraction(1, 6)
    six, coin = table(roll(d(6)), {"1-5": False, "6": True}), chance("1/2")
    assert P((six & coin) | (six & ~coin)) == Fraction(1, 6)
    assert dist(six).outcomes == (False, True)
    assert dist(six).kind == "event"


def test_dice_of_true_and_false_are_not_counted_as_dice_of_1_and_0_were():
    def true(face):
        return face is True

    assert E(dice(2, Dist({0: 1, 1: 1})).count(true)) == 0
    assert E(dice(2, Dist({False: 1, True: 1})).count(true)) == 1


def test_ten_unlike_attackers_against_one_armour():
    groups = []
    for i in range(10):
        natural = roll(d(20))
        hit = natural + i >= 12
        groups.append(
            (where(hit, where(natural == 20, roll(2 @ d(6)), roll(d(4 + i))), 0), where(hit, i % 3, 0))
        )
    dealt = maximum(0, sum(g[0] for g in groups) - maximum(0, 12 - sum(g[1] for g in groups)))
    # By hand: each attacker's (damage, piercing) as a table, the tables added one after the other.
    table = {(0, 0): Fraction(1)}
    for i in range(10):
        one: dict[tuple[int, int], Fraction] = {}
        for face in range(1, 21):
            if face + i < 12:
                one[0, 0] = one.get((0, 0), 0) + Fraction(1, 20)
                continue
            die = 2 @ d(6) if face == 20 else d(4 + i)
            for value in die.outcomes:
                key = value, i % 3
                one[key] = one.get(key, 0) + Fraction(1, 20) * die.probability(value)
        following: dict[tuple[int, int], Fraction] = {}
        for (x, y), p in table.items():
            for (u, v), q in one.items():
                following[x + u, y + v] = following.get((x + u, y + v), 0) + p * q
        table = following
    want = sum(p * max(0, x - max(0, 12 - y)) for (x, y), p in table.items())
    assert E(dealt) == want


@examples(st.integers(1, 6), st.integers(1, 6), st.integers(-2, 2))
def test_laws(n, m, k):
    a, b = dice(n, 4), dice(m, 6)
    assert E(a + k * b) == E(a) + k * E(b)
    event, other = a > b, a.highest() >= 3
    assert P(event) == P(event, given=other) * P(other) + (
        P(event, given=~other) * P(~other) if P(~other) else 0
    )
    assert P(event | other) == P(event) + P(other) - P(event & other)
    assert E(maximum(a, b)) + E(minimum(a, b)) == E(a) + E(b)
    assert dist(a + again_of(a)) == 2 @ dist(a)


def again_of(x):
    from rulekit import again

    return again(x)


def test_a_dist_is_a_dist_after_all_and_pickles():
    odds = dist(attack(7, 17)[1])
    assert isinstance(odds, Dist)
    assert pickle.loads(pickle.dumps(odds)) == odds
    assert dist(count([roll(d(6)) == 6 for _ in range(60)])) == dist(dice(60, 6).count(6))


def test_three_views_of_one_throw():
    throw = dice(4, 6)
    odds = joint(throw, throw.highest(3), throw.lowest(), throw.count((1, 2)), throw.ranks(2, -1))
    # brute force over all 1,296 throws
    import itertools
    from collections import Counter

    counts = Counter()
    for faces in itertools.product(range(1, 7), repeat=4):
        ordered = sorted(faces, reverse=True)
        counts[
            sum(faces), sum(ordered[:3]), ordered[-1], sum(f <= 2 for f in faces), ordered[1] + ordered[-1]
        ] += 1
    assert {key: odds.probability(key) * 1296 for key in odds.outcomes} == counts
    assert E(dice(roll(d(4)), 6).highest(2)) == Fraction(
        sum(E(dice(n, 6).highest(2)) for n in range(1, 5)), 4
    )


def test_what_is_thrown_several_times_is_its_own_world():
    # Found by a damage rule thrown twice beside another die: sums inside and outside must not be joined.
    face = roll(d(6))
    die = where(face >= 4, 1, 0)
    blow = where(dice(4, die) + 0 >= 1, roll(d(6)) + 2 + dice(0, 6) - dice(0, 6), 0)
    assert dist(dice(2, blow) + roll(d(4))) == 2 @ dist(blow) + d(4)
    assert dist(dice(3, constant(2)) + roll(d(4))) == d(4) + 6


def test_sums_side_by_side_are_not_carried_jointly():
    k = stat("k", range(3))
    sums = [sum(where(roll(d(6)) > 3, roll(d(6)), 0) for _ in range(3 + i)) for i in range(3)]
    picked = E(where(k < 1, sums[0], where(k < 2, sums[1], sums[2])), exact=True)
    assert picked.values.tolist() == [Fraction(7 * n, 4) for n in (3, 4, 5)]


def test_running_totals_and_common_rolls_stay_small():
    # Each of these is a table of at most some thousand states, and 20 ** 8 if taken up in the wrong order.
    points, bleeds = 60, 0
    for _ in range(8):
        natural = roll(d(20))
        bleeds = where(natural >= 18, 1, 0) + bleeds
        points = maximum(0, -where(natural >= 7, roll(2 @ d(6)), 0) - bleeds + points)
    assert P(bleeds == 0) == P(points >= 0, given=bleeds == 0) * P(bleeds == 0) == Fraction(17, 20) ** 8
    stealth, leader = roll(d(6)), roll(d(6))
    seen = [(roll(d(6)) >= stealth, roll(d(6))) for _ in range(6)]
    before = count(sees & (own > leader) for sees, own in seen)
    after = count(sees & (own < leader) for sees, own in seen)
    # given the two common rolls the six are independent: a multinomial by hand
    want = Fraction(0)
    for s in range(1, 7):
        for x in range(1, 7):
            p = Fraction(7 - s, 6)
            want += (
                Fraction(1, 36)
                * 6
                * 5
                * p
                * Fraction(6 - x, 6)
                * p
                * Fraction(x - 1, 6)
                * (1 - p * Fraction(5, 6)) ** 4
            )
    assert P((before == 1) & (after == 1)) == want


@pytest.mark.parametrize("budget", [0, -1, 1.5, "much", True])
def test_a_budget_is_a_number_of_cells(budget):
    with pytest.raises(RulekitError, match="budget is a whole number"):
        P(roll(d(6)) > 3, budget=budget)


def test_dice_of_labels_are_counted_and_not_added_up():
    throw = dice(3, where(roll(d(20)) > 5, "calm", "afraid"))
    assert E(throw.count("calm")) == Fraction(9, 4)
    with pytest.raises(RulekitError, match="labels have no total"):
        E(throw)
    with pytest.raises(RulekitError, match="labels have no total"):
        dist(throw + 1)
