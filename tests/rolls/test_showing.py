"""How a Roll shows itself, why it is as it is, throws at random, and Grids."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from rulekit import (
    E,
    ImpossibleCondition,
    P,
    RulekitError,
    StatError,
    apply,
    chance,
    count,
    d,
    dice,
    dist,
    explain,
    halve,
    isin,
    maximum,
    roll,
    sample,
    stat,
    table,
    where,
)
from rulekit.rolls import Grid, call_scope, constant
from rulekit.rolls.display import latex

NATURAL = roll(d(20), "natural")


def attack(bonus=7, defense=17):
    hit = (NATURAL == 20) | ((NATURAL != 1) & (NATURAL + bonus >= defense))
    with call_scope() as scope:
        hit = scope.mark(hit, "hit")
        damage = scope.mark(where(hit, roll(2 @ d(6), "weapon") + 3, 0), "damage")
    return hit, damage


def test_explain_has_the_odds_at_each_named_node():
    hit, damage = attack()
    why = explain(damage)
    named = {node.name: node for node in why.walk()}
    assert named["damage"].value == E(damage)
    assert named["hit"].value == P(hit) == Fraction(11, 20)
    assert named["weapon"].odds == "mean 7, sd 2.42"
    assert named["hit"].children[0].name == "natural"
    assert "hit" in str(why)
    assert "55 %" in str(why)
    page = why._repr_html_()
    assert "<b>hit</b>: 55 %" in page


def test_explain_says_a_rule_in_the_names_of_its_results():
    natural = roll(d(20), "natural")
    with call_scope() as scope:
        total = natural + 7 + constant(0)
        margin = total - 17
        hit = (natural == 20) | ((natural != 1) & (margin >= 0)) | constant(False)
        results = {"total": total, "margin": margin, "hit": hit}
        marked = {name: scope.mark(roll, name) for name, roll in results.items()}
    why = explain(marked["hit"], parts=marked.values())
    assert why.text == "(natural == 20) | (natural != 1) & (margin >= 0)"
    assert why.value == P(hit) == Fraction(11, 20)
    assert [(part.name, part.text) for part in why.walk()][1:] == [
        ("natural", "roll(d20)"),
        ("margin", "total - 17"),
        ("total", "natural + 7"),
        ("natural", "roll(d20)"),
    ]
    assert "total" not in explain(marked["hit"]).text


def test_explain_given_and_of_labels_and_axes():
    hit, damage = attack()
    assert explain(damage, given=hit).value == E(damage, given=hit) == 10
    with pytest.raises(ImpossibleCondition):
        explain(damage, given=NATURAL > 20)
    mood = table(NATURAL, {"1": "hostile", "2-20": "wary"})
    assert explain(mood).odds == "wary 95 %, hostile 5 %"
    along = explain(attack(stat("bonus", range(10)))[0])
    assert along.odds == "20 % … 65 % along bonus"
    assert "bonus" in {node.name for node in along.walk()}
    assert "too large" in explain(roll(d(2000)) * roll(d(1999)) * roll(d(1997))).odds
    assert "/ of 1, 0" in explain(1 / (NATURAL - 1)).odds


def test_escaping_in_html():
    assert "<b>&lt;script&gt;</b>" in explain(roll(d(6), "<script>"))._repr_html_()
    assert "<script>" not in roll(d(6), "<script>")._repr_mimebundle_()["text/html"]


def test_in_a_notebook_a_roll_shows_its_distribution_where_that_is_cheap_and_never_raises():
    _, damage = attack()
    bundle = damage._repr_mimebundle_()
    assert bundle["text/plain"] == "damage"
    assert "<svg" in bundle["text/html"] or "<table" in bundle["text/html"]
    big = roll(d(3000)) * roll(d(2999))
    assert "cells" in big._repr_mimebundle_()["text/html"]
    assert "division" not in (1 / (NATURAL - 1))._repr_mimebundle_()["text/plain"]
    bonus = stat("bonus", range(10))
    assert "along bonus 0 … 9" in (NATURAL + bonus)._repr_mimebundle_()["text/html"]
    assert "text/html" in (NATURAL + bonus + stat("bonus", (1, 2)))._repr_mimebundle_()


@pytest.mark.parametrize(
    ("make", "tex"),
    [
        (lambda n: n + 7 >= 17, r"\mathrm{natural} + 7 \ge 17"),
        (lambda n: (n - 1) * 2, r"\left(\mathrm{natural} - 1\right) \cdot 2"),
        (lambda n: n / 3, r"\frac{\mathrm{natural}}{3}"),
        (lambda n: n // 3, r"\left\lfloor\frac{\mathrm{natural}}{3}\right\rfloor"),
        (lambda n: -n, r"-\mathrm{natural}"),
        (lambda n: abs(n), r"\left|\mathrm{natural}\right|"),
        (lambda n: maximum(n, 3), r"\max\left(\mathrm{natural}, 3\right)"),
        (lambda n: halve(n, "up"), r"\left\lceil\tfrac{1}{2}\,\mathrm{natural}\right\rceil"),
        (lambda n: isin(n, {1, 20}), r"\mathrm{natural} \in \{1, 20\}"),
        (lambda n: where(~(n > 3), 1, Fraction(1, 2)),
         r"\begin{cases}1 & \text{if } \neg \left(\mathrm{natural} > 3\right)\\"
         r"\tfrac{1}{2} & \text{else}\end{cases}"),
        (lambda n: apply(lambda x: x, n), r"\mathrm{apply(<lambda>,\ natural)}"),
    ],
)  # fmt: skip
def test_latex(make, tex):
    assert latex(make(NATURAL)) == f"${tex}$"
    assert make(NATURAL)._repr_latex_() == f"${tex}$"


def test_what_shares_a_roll_shares_its_draw():
    hit, damage = attack()
    naturals, hits, damages = sample((NATURAL, hit, damage), 4_000, rng=7)
    assert hits.dtype == bool
    assert ((naturals == 20) | ((naturals != 1) & (naturals + 7 >= 17)) == hits).all()
    assert ((damages > 0) == hits).all()
    # The mean of 4,000 is within five standard errors of the exact mean, for this seed and any library.
    assert abs(damages.mean() - float(E(damage))) < 5 * damages.std() / 4_000**0.5
    again, _, _ = sample((NATURAL, hit, damage), 4_000, rng=7)
    assert (again == naturals).all()


def test_sampling_what_depends_on_what_was_rolled():
    number = roll(d(4))
    throw = dice(number, 6)
    rolled, total, best, sixes = sample(
        (number, throw, throw.highest(), throw.count(6)), 500, rng=np.random.default_rng(3)
    )
    assert ((rolled <= total) & (total <= 6 * rolled)).all()
    assert ((best == 6) == (sixes > 0)).all()
    step = roll(d(where(number > 2, 8, 4)))
    sides, shown = sample((number, step), 500, rng=random.Random(3))
    assert (shown <= np.where(sides > 2, 8, 4)).all()
    events, labels = sample([chance("1/3"), table(number, {"1-2": "low", "3-4": "high"})], 10, rng=1)
    assert set(labels) <= {"low", "high"}
    assert events.dtype == bool
    assert set(sample(d(6), 100, rng=1)) <= set(range(1, 7))
    assert (sample(number * 0 + Fraction(1, 2), 3, rng=1) == Fraction(1, 2)).all()
    assert set(sample(count([number > 2, number > 3]), 200, rng=2)) == {0, 1, 2}


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: sample(NATURAL, -1), "0 or more"),
        (lambda: sample(NATURAL, 1.5), "0 or more"),
        (lambda: sample((), 1), "at least one"),
        (lambda: sample(NATURAL, 1, rng="x"), "whole number as seed"),
        (lambda: sample(1 / (NATURAL - NATURAL), 3, rng=1), "in 3 of 3 throws"),
        (lambda: sample(dice(NATURAL - 30, 6), 3, rng=1), "in 3 of 3 throws"),
        (lambda: sample(roll(d(NATURAL - 30)), 3, rng=1), "in 3 of 3 throws"),
    ],
)
def test_sample_refuses(ask, said):
    with pytest.raises(RulekitError) as caught:
        ask()
    assert said in str(caught.value)


def test_sample_wants_one_value_of_each_stat():
    with pytest.raises(StatError, match="bonus has many"):
        sample(NATURAL + stat("bonus", (1, 2)), 3)


def test_grids():
    grid = Grid(("a", "b"), {"a": (1, 2), "b": ("x", "y", "z")}, [[1, 2, 3], [4, 5, 6]])
    assert grid.at(a=2, b="y") == 5
    assert grid.at(b="z").values == [3, 6]
    assert grid.map(lambda v: v * 2).values == [[2, 4, 6], [8, 10, 12]]
    assert grid == Grid.from_flat(("a", "b"), grid.coords, [1, 2, 3, 4, 5, 6])
    assert grid != grid.at(a=1)
    assert grid != 3
    assert repr(grid) == "Grid(a: 2, b: 3)"
    assert repr(Grid((), {}, 3)) == "Grid(3)"
    array = grid.to_xarray()
    assert array.sel(a=2, b="y").item() == 5
    exact = Grid(("p",), {"p": (Fraction(1, 2), 1)}, [Fraction(1, 3), Fraction(1, 2)]).to_xarray()
    assert exact.values.tolist() == [Fraction(1, 3), Fraction(1, 2)]
    assert exact.p.values.tolist() == [0.5, 1.0]
    for wrong, error in (
        (lambda: grid.at(c=1), StatError),
        (lambda: grid.at(a=3), StatError),
        (lambda: grid.item(), RulekitError),
        (lambda: Grid(("a",), {}, [1]), RulekitError),
        (lambda: Grid(("a",), {"a": (1, 2)}, [1]), RulekitError),
    ):
        with pytest.raises(error):
            wrong()
    with pytest.raises(TypeError):
        hash(grid)


def test_a_question_over_axes_without_arrays_says_the_same():
    number = stat("number", (1, 2, 3))
    tenth = dist(dice(number, 6) / 10)  # tenths are left to the integers
    assert tenth.sel(number=3, outcome=0.3).item() == pytest.approx(1 / 216, rel=1e-14)


def test_a_die_is_shown_by_its_faces_however_many():
    assert repr(roll(d(1_000_000))) == "roll(d1000000)"
    assert "d3" not in repr(roll(d([1, Fraction(3, 2), 3])))
