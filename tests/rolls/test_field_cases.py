"""Problems that people had with chains of rolls (field cases C, E, W), answered with rolls."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from rulekit import Dist, E, P, again, count, d, dice, dist, halve, maximum, minimum, roll, where

CASES = {
    case["id"]: case
    for case in json.loads((Path(__file__).parents[1] / "cases" / "field_cases.json").read_text())
}


def right(case, label):
    return Fraction(CASES[case]["right_value_fraction"][label])


@pytest.mark.parametrize("how", ["straight", "advantage", "disadvantage"])
def test_c1_criticals_with_advantage(how):
    throw = dice(1 if how == "straight" else 2, 20)
    natural = throw.lowest() if how == "disadvantage" else throw.highest()
    critical = natural >= 19
    hit = (natural != 1) & (critical | (natural + 8 >= 15))
    damage = where(hit, where(critical, roll(5 @ d(6)), roll(2 @ d(6))) + 5, 0)
    assert E(damage) == right("C1", f"{how}: mean")
    if how != "disadvantage":
        assert P(damage == 0) == right("C1", f"{how}: P(0)")
        assert P(damage >= 20) == right("C1", f"{how}: P(>=20)")
    if how == "advantage":
        assert P(critical) == right("C1", "advantage: P(crit)")


def test_c5_bonus_on_the_first_hit_only():
    def strike(bonus_left):
        natural = roll(d(20))
        hit = (natural == 20) | ((natural != 1) & (natural >= 8))
        double = where(natural == 20, 2, 1)
        weapon = where(natural == 20, roll(2 @ d(4)), roll(d(4)))
        extra = where(natural == 20, roll(2 @ d(6)), roll(d(6)))
        return hit, where(hit, weapon + where(bonus_left, extra, 0), 0), double

    first, damage, _ = strike(True)
    _second, more, _ = strike(~first)
    total = damage + more
    assert E(total) == right("C5", "mean")
    assert P(total == 0) == right("C5", "P(0)")
    odds = dist(total)
    assert {str(x): str(odds.probability(x)) for x in odds.outcomes} == CASES["C5"]["distribution"]["damage"]
    assert E(total) != Fraction(CASES["C5"]["wrong_answers_to_catch"]["bonus on every hit (wrong mean)"])


def test_c7_two_weapons_or_one():
    def strike(bonus, mean, ac):
        natural, confirm = roll(d(20)), roll(d(20))
        hit = (natural == 20) | ((natural != 1) & (natural + bonus >= ac))
        confirmed = (confirm == 20) | ((confirm != 1) & (confirm + bonus >= ac))
        critical = hit & (natural >= 19) & confirmed
        return E(where(critical, 2, where(hit, 1, 0))) * mean

    better = []
    for ac in range(8, 33):
        one = strike(10, Fraction(10), ac)
        two = strike(8, Fraction(13, 2), ac) + strike(8, Fraction(9, 2), ac)
        assert one != two
        if one > two:
            better.append(ac)
        for name, value in (("greatsword", one), ("two weapons", two)):
            if f"AC {ac}: {name}" in CASES["C7"]["right_value_fraction"]:
                assert value == right("C7", f"AC {ac}: {name}")
    assert better == list(range(12, 30))


def test_d3_a_floor_for_each_type():
    fire, cold = roll(d(6)), roll(d(6))
    total = maximum(0, fire - 3) + maximum(0, cold - 3)
    assert E(total) == right("D3", "(b) mean")
    assert P(total == 0) == right("D3", "(b) P(0)")
    assert E(maximum(0, fire + cold - 6)) == Fraction(14, 9)


def test_d4_halving():
    total = roll(2 @ d(6))
    assert E(2 * halve(total, "down")) == right("D4", "(a) mean")
    assert P(2 * halve(total, "down") == 12) == right("D4", "(a) P(12)")
    assert E(halve(total, "up")) == right("D4", "(b) mean")
    assert E(halve(total, "down")) == right("D4", "(c) mean")


def test_e1_roll_high_but_under():
    a, b = dice(2, 10), dice(2, 10)
    # Successes count first, then the successful dice from the highest down; the case's own text.
    ours, theirs = a.count(lambda x: x <= 6), b.count(lambda x: x <= 5)
    wins_by_count = P(ours > theirs)
    losses_by_count = P(ours < theirs)
    assert wins_by_count + losses_by_count < 1

    def side(limit):
        x, y = roll(d(10)), roll(d(10))
        good = [where(z <= limit, z, 0) for z in (x, y)]
        number = count(z <= limit for z in (x, y))
        return number * 10_000 + maximum(*good) * 100 + minimum(*good)

    one, other = side(6), side(5)
    assert P(one > other) == right("E1", "A wins")
    assert P(one == other) == right("E1", "draw")
    assert P(one < other) == right("E1", "B wins")


def test_w1_rerolls_and_lethal_hits():
    def wounds(reroll):
        first, second = roll(d(6)), roll(d(6))
        shown = where(reroll(first), second, first)
        return where(shown == 6, 1, where((shown >= 3) & (roll(d(6)) >= 5), 1, 0))

    none = dist(dice(36, wounds(lambda x: x < 1)))
    misses = dist(dice(36, wounds(lambda x: x < 3)))
    all_but = dist(dice(36, wounds(lambda x: x < 6)))
    assert none.mean == right("W1", "no reroll: mean wounds")
    assert misses.mean == right("W1", "reroll misses: mean wounds")
    assert all_but.mean == right("W1", "reroll all but 6s: mean wounds")
    assert all_but.variance == right("W1", "variance")
    assert P(all_but >= 16) == right("W1", "P(>= 16 wounds), reroll all but 6s")


def test_w3_damage_does_not_spill_over():
    def fight(spill):
        left, kills = roll(Dist({2: 1})), 0
        total = 0
        for _ in range(6):
            through = (roll(d(6)) >= 3) & (roll(d(6)) >= 3)
            damage = where(through, roll(d(6)), 0)
            total = total + damage
            dead = damage >= left
            kills = kills + where(dead, 1, 0)
            left = where(dead, 2, left - damage)
        return total // 2 if spill else kills

    assert E(fight(False)) == right("W3", "(a) mean kills, no spill")
    assert E(fight(True)) == right("W3", "(a) mean kills, spill")

    def attack():
        natural = roll(d(6))

        def unsaved(hit):
            wound, save = roll(d(6)), roll(d(6))
            return where(hit & ((wound == 6) | ((wound >= 4) & (save == 1))), 1, 0)

        return unsaved(natural >= 2) + unsaved(natural == 6)

    assert E(dice(6, attack())) == right("W3", "(b) mean kills, no spill (W1 and W2 alike)")


def test_calls_and_again_are_new_throws():
    one = roll(d(6))
    assert dist(one + again(one)) == 2 @ d(6)
