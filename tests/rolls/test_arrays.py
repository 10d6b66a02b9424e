"""Array tables on what random graphs seldom make: long sums, merged states, mixtures, large numbers."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from rulekit import (
    Dist,
    E,
    P,
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
    quantile,
    roll,
    sd,
    stat,
    table,
    where,
)
from rulekit.rolls import ask
from rulekit.rolls.array_tables import NeedsIntegers
from rulekit.rolls.engine import Arrays
from rulekit.rolls.graph import Graph

BONUS = stat("bonus", range(4))
ARMOUR = stat("armour", (0, 2, 5))


def bleeding(clamped):
    points, bleeds = 20, 0
    for _ in range(4):
        natural = roll(d(6))
        hit = natural + BONUS >= 5
        bleeds = bleeds + where(hit & (natural >= 6), 1, 0)
        points = points - where(hit, maximum(roll(d(4)) + 1 - ARMOUR, 0), 0) - bleeds
        if clamped:
            points = maximum(points, 0)
    return points * 10 + bleeds


def attackers():
    harm = piercing = 0
    for i in range(5):
        natural = roll(d(6))
        hit = natural + BONUS >= 4 + i % 2
        harm = harm + where(hit, where(natural == 6, roll(2 @ d(4)), roll(d(4 + i))), 0)
        piercing = piercing + where(hit, i % 3, 0)
    return maximum(harm - maximum(ARMOUR - piercing, 0), 0)


def labels():
    mood = table(roll(d(6)) + BONUS, {"<=2": "cold", "3-5": "wary", ">=6": "warm"})
    other = where(roll(d(2)) == 1, mood, "wary")
    return where(isin(other, {"cold"}), -3, where(mood == "warm", ARMOUR, 1))


def views():
    throw = dice(1 + BONUS, 6)
    return throw.highest(2) - throw.lowest() + throw.count((1, 6)) * (1 + BONUS) - throw


def mixtures():
    coin = chance("1/3")
    return (
        where(coin | (roll(d(4)) > 3), roll(2 @ d(6)) * 2, minimum(roll(d(8)), roll(d(6)) + BONUS)) - ARMOUR
    )


EXPRESSIONS = {
    "bleeding": lambda: bleeding(False),
    "bleeding, held at 0": lambda: bleeding(True),
    "attackers": attackers,
    "labels": labels,
    "views": views,
    "mixtures": mixtures,
    "a power": lambda: dice(9, where(roll(d(6)) + BONUS >= 5, roll(d(4)), 0)) - 3 * ARMOUR,
    "no dice": lambda: dice(0, roll(d(6)) + BONUS) + ARMOUR,
    "gaps": lambda: roll(Dist({0: 1, 1000: 2, 70_000: 1})) * (1 + BONUS) + roll(Dist({-5: 1, 300_000: 1})),
    "products": lambda: roll(d(5)) * roll(d(6)) * BONUS - ARMOUR * ARMOUR,
    "whole arithmetic": lambda: halve(roll(2 @ d(6)) - 7, "zero") + halve(BONUS - roll(d(4)), "up")
    + (roll(d(12)) + BONUS) // 3 % 4 + abs(roll(d(6)) - ARMOUR) - halve(ARMOUR, "down"),
    "steps": lambda: roll(d(2 + 2 * BONUS)) + roll(d(roll(d(3)) * 2)),
    "applied": lambda: apply(lambda x, y: x * x % 7 - y, roll(d(6)), BONUS) + apply(d, roll(d(3))) + ARMOUR,
    "quotients that are whole": lambda: (roll(d(4)) * 6 * (1 + BONUS)) / 3 + ARMOUR,
    "the same term again": lambda: (x := roll(d(4)) + BONUS) * 2 + x - minimum(x, ARMOUR),
    "events": lambda: count([roll(d(6)) + BONUS >= 5, roll(d(6)) > ARMOUR, ~(roll(d(4)) == 1)]),
}  # fmt: skip


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_arrays_answer_as_the_integers_do(name):
    x = EXPRESSIONS[name]()
    arrays_used = True
    try:
        graph = Graph(x, jointly=False)
        Arrays({axis: graph.stat_values[axis] for axis in graph.stat_names}).rows(graph)
    except NeedsIntegers:
        arrays_used = False
    assert arrays_used
    floats, exact = dist(x), dist(x, exact=True)
    assert floats.outcome.values.tolist() == exact.outcome.values.tolist()
    assert floats.dims == exact.dims
    for got, want in zip(floats.values.flat, exact.values.flat, strict=True):
        assert got == pytest.approx(float(want), rel=1e-12, abs=0)
    assert E(x).values == pytest.approx(E(x, exact=True).values.astype(float), rel=1e-12, abs=1e-12)
    assert sd(x).values == pytest.approx(sd(x, exact=True).values.astype(float), rel=1e-9, abs=1e-9)
    for q in (0, Fraction(1, 3), 0.9, 1):
        assert quantile(x, q).values.tolist() == quantile(x, q, exact=True).values.tolist()
    given = x > 3
    floats, exact = P(x > 6, given=given), P(x > 6, given=given, exact=True)
    assert floats.values == pytest.approx(exact.values.astype(float), rel=1e-12, nan_ok=True)
    assert floats.attrs["impossible"] == exact.attrs["impossible"] == int(np.isnan(floats.values).sum())


def test_joint_over_an_axis():
    natural = roll(d(6))
    odds = joint(natural + BONUS >= 6, natural % 2)
    exact = joint(natural + BONUS >= 6, natural % 2, exact=True)
    assert odds.values == pytest.approx(exact.values.astype(float), rel=1e-13)
    assert exact.sel(bonus=1).values.tolist() == [
        Fraction(1, 3),
        Fraction(1, 3),
        Fraction(1, 6),
        Fraction(1, 6),
    ]


@pytest.mark.parametrize(
    "make",
    [
        lambda: roll(d(6)) / 4 + BONUS,
        lambda: roll(d(6)) * 0.5 + BONUS,
        lambda: roll(Dist({Fraction(1, 2): 1, 3: 1})) + BONUS,
        lambda: roll(d(6)) // BONUS,
        lambda: roll(d(6)) * 2**41 + BONUS,
        lambda: roll(Dist({2**41: 1, 0: 1})) + BONUS,
        lambda: roll(d(6)) * 2**30 * (1 + BONUS) * 2**20,
        lambda: dice(BONUS, 6).highest(),
        lambda: roll(Dist({0: 1, 2**30: 1})) + roll(Dist({0: 1, 3 * 2**29: 1})) + BONUS,
        lambda: roll(d(4)) + stat("half", (Fraction(1, 2), 1)),
    ],
)
def test_what_arrays_cannot_hold_goes_to_the_integers(make):
    x = make()
    floats, exact = ask([("E", x)])[0], ask([("E", x)], exact=True)[0]
    assert floats.attrs["undefined"] == exact.attrs["undefined"]
    for got, want in zip(floats.flat, exact.flat, strict=True):
        assert (math.isnan(got) and math.isnan(want)) or got == pytest.approx(float(want), rel=1e-13)


def test_a_chance_along_fractions():
    p = stat("p", (0, Fraction(1, 3), Fraction(1, 2), 1))
    x = count([chance(p) for _ in range(4)])
    assert E(x).values == pytest.approx([0, 4 / 3, 2, 4])
    assert P(x >= 2, exact=True).values.tolist() == [0, Fraction(11, 27), Fraction(11, 16), 1]
    # 0 and 1 count 1 (5 of 16), 2 counts 2 (6), 3 and 4 count 3 (5)
    assert E(clip(x, 1, 3), exact=True).sel(p=0.5).item() == 2


def test_measures_asked_together_are_the_same_as_alone():
    natural = roll(d(20))
    hit = natural + BONUS >= 12
    harm = where(hit, dice(2, 6) + natural // 10 - ARMOUR, 0)
    together = ask([("P", hit), ("E", harm), ("dist", harm), ("sd", harm), ("E", natural)])
    assert [grid.dims for grid in together] == [
        ("bonus",),
        ("bonus", "armour"),
        ("bonus", "armour", "outcome"),
        ("bonus", "armour"),
        (),
    ]
    assert together[0] == ask([("P", hit)])[0]
    assert list(together[1].flat) == list(ask([("E", harm)])[0].flat)
    assert together[4].item() == Fraction(21, 2)
