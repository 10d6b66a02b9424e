"""Random expressions by elimination and by brute force: equal as fractions, on both kinds of table."""

from __future__ import annotations

import math
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given as examples
from hypothesis import strategies as st

from rulekit import RulekitError, d
from rulekit.distributions import Dist
from rulekit.rolls import (
    P,
    Roll,
    again,
    apply,
    ask,
    chance,
    clip,
    count,
    dice,
    dist,
    halve,
    isin,
    maximum,
    minimum,
    roll,
    stat,
    table,
    where,
)
from rulekit.rolls.array_tables import NeedsIntegers
from rulekit.rolls.engine import Arrays, integer_rows
from rulekit.rolls.graph import Graph
from rulekit.rolls.operations import Undefined
from tests.rolls.brute_force import UNDEFINED, rows

DICE = [d(2), d(3), d(4), Dist({0: 1, 5: 2}), Dist({-1: 1, 0: 1, 2: 3})]
HALVES = (Fraction(-1, 2), 1, Fraction(5, 2))
LABELS = Dist({"fire": 1, "cold": 2})


@st.composite
def expressions(draw, axes: bool = False, partial: bool = True):
    """A root and a condition over a handful of rolls (at most some 300 combinations of faces)."""
    numbers: list[Roll] = []
    events: list[Roll] = []
    size = 1
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["die", "die", "die", "throw", "chance", "rolled", "label"]))
        if kind == "die":
            die = draw(st.sampled_from(DICE))
            size *= len(die.outcomes)
            numbers.append(roll(die))
        elif kind == "chance":
            size *= 2
            events.append(chance(draw(st.sampled_from(["1/3", "0.25"]))))
        elif kind == "label":
            size *= 2
            label = roll(LABELS)
            events.append(label == "fire")
            numbers.append(where(isin(label, {"cold"}), 2, -1))
        elif kind == "rolled" and numbers:
            size *= 3
            numbers.append(roll(maximum(1, minimum(numbers[-1], 3))))
        else:
            n = draw(st.integers(0 if partial else 1, 3))
            die = draw(st.sampled_from(DICE[:3]))
            size *= math.comb(n + len(die.outcomes) - 1, n)
            throw = dice(n, die)
            numbers.append(throw)
            if draw(st.booleans()):
                numbers.append(throw.highest(draw(st.integers(1, 2))))
            if draw(st.booleans()):
                numbers.append(throw.count(draw(st.sampled_from([1, (2, 3)]))))
        if size > 150:
            break
    if axes:
        numbers.append(stat("a", draw(st.sampled_from([(0, 1, 2), (-1, 3), HALVES]))))
        if draw(st.booleans()):
            numbers.append(stat("b", (1, 2)))
    numbers.append(roll(d(2)))
    for _ in range(draw(st.integers(1, 9))):
        a = draw(st.sampled_from(numbers))
        b = draw(st.sampled_from([*numbers, 2, -1]))
        op = draw(st.sampled_from(OPERATIONS if partial else TOTAL))
        if op == "event":
            events.append(draw(st.sampled_from([a >= b, a == b, a < b, a != b, a > b])))
        elif op == "logic" and events:
            x, y = draw(st.sampled_from(events)), draw(st.sampled_from(events))
            events.append(draw(st.sampled_from([x & y, x | y, ~x, x != y])))
        elif op == "where" and events:
            numbers.append(where(draw(st.sampled_from(events)), a, b))
        elif op == "count" and events:
            numbers.append(count(draw(st.lists(st.sampled_from(events), min_size=1, max_size=3))))
        elif op == "sum":
            numbers.append(sum(draw(st.lists(st.sampled_from(numbers), min_size=2, max_size=4))))
        elif op in BINARY:
            # `apply` of what is never defined is refused when it is built
            with suppress(RulekitError):
                numbers.append(BINARY[op](a, b))
    root = draw(
        st.sampled_from([numbers[-1], numbers[-1], draw(st.sampled_from(events or [numbers[-1] >= 1]))])
    )
    condition = draw(st.sampled_from([None, None, *events[-2:]]))
    return root, condition


BINARY = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "min": minimum,
    "max": maximum,
    "clip": lambda a, b: clip(a, 0, b),
    "halve": lambda a, b: halve(a, "up") + halve(b if isinstance(b, Roll) else a, "zero"),
    "abs": lambda a, b: abs(a - b),
    "floordiv": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "truediv": lambda a, b: a / b,
    "apply": lambda a, b: apply(lambda x, y: x * x - y, a, b),
    "applied": lambda a, b: apply(lambda x: Dist({x: 1, 7: 1}), a),
    "table": lambda a, b: table(clip(a, 0, 5) // 1, {"0": 3, "1-2": 1, ">=3": -2}),
}
OPERATIONS = [*BINARY, "event", "event", "logic", "where", "where", "count", "sum", "sum"]
TOTAL = [op for op in OPERATIONS if op not in ("floordiv", "mod", "truediv")]


def eliminated(root, condition, point=None):
    graph = Graph(root, condition)
    values = {name: (point[name],) for name in graph.stat_names} if point else {}
    row, total = next(integer_rows(graph, graph.stat_names, values))
    merged: dict = {}
    for value, weight in row.items():
        key = UNDEFINED if isinstance(value, Undefined) else value
        merged[key] = merged.get(key, 0) + Fraction(weight, total)
    return merged


def expected(root, condition, point=None):
    if condition is None:
        return rows(root, point=point), Fraction(1)
    return rows(root, condition, point)


@examples(expressions())
def test_integer_tables_equal_brute_force(expression):
    root, condition = expression
    want, mass = expected(root, condition)
    got = eliminated(root, condition)
    got = {value: p for value, p in got.items() if repr(value) != "excluded"}
    assert sum(got.values()) == mass
    if mass:
        assert {value: p / mass for value, p in got.items()} == want


@examples(expressions(axes=True))
def test_integer_tables_equal_brute_force_at_every_point(expression):
    root, condition = expression
    graph = Graph(root, condition)
    names = graph.stat_names
    values = graph.stat_values
    points = [{}]
    for name in names:
        points = [{**point, name: value} for point in points for value in values[name]]
    for point, (row, total) in zip(points, integer_rows(graph, names, values), strict=True):
        want, mass = expected(root, condition, point)
        got: dict = {}
        for value, weight in row.items():
            if repr(value) != "excluded":
                key = UNDEFINED if isinstance(value, Undefined) else value
                got[key] = got.get(key, 0) + Fraction(weight, total)
        assert sum(got.values()) == mass
        if mass:
            assert {value: p / mass for value, p in got.items()} == want


@examples(expressions(axes=True, partial=False))
def test_array_tables_equal_integer_tables(expression):
    root, condition = expression
    graph = Graph(root, condition, jointly=False)
    names, values = graph.stat_names, graph.stat_values
    try:
        support, p = Arrays(values).rows(graph)
    except NeedsIntegers:
        return  # fractions and what is undefined belong to the integer tables
    exact = list(integer_rows(Graph(root, condition), names, values))
    shape = [len(values[name]) for name in names]
    import numpy as np

    flat = np.broadcast_to(p, (*shape, len(support))).reshape(-1, len(support))
    assert len(flat) == len(exact)
    for line, (row, total) in zip(flat, exact, strict=True):
        assert set(row) <= set(support)
        for value, probability in zip(support, line, strict=True):
            assert probability == pytest.approx(row.get(value, 0) / total, rel=1e-12, abs=1e-300)


@examples(expressions(axes=True))
def test_at_some_points_the_answer_is_the_grids_own(expression):
    root, condition = expression
    values = Graph(root, condition).stat_values
    grid = [{}]
    for name in values:
        grid = [{**point, name: value} for point in grid for value in values[name]]
    # The grid's points once more, in another order and with repeats.
    chosen = [*grid[::-1], *grid[::2]]
    points = {name: [point[name] for point in chosen] for name in values}
    for exact in (True, False):
        try:
            (whole,) = ask([("dist", root)], given=condition, exact=exact)
        except RulekitError:
            return  # without axes what is undefined or impossible is refused
        (some,) = ask([("dist", root)], given=condition, exact=exact, points=points)
        for i, point in enumerate(chosen if values else grid):
            there = whole.at(**point).flat if values else whole.flat
            mine = some.at(point=i).flat if values else some.flat
            wanted = dict(zip(whole.coords["outcome"], there, strict=True))
            found = dict(zip(some.coords["outcome"], mine, strict=True))
            assert set(wanted) == set(found)
            for outcome, p in found.items():
                q = wanted[outcome]
                assert p == q if exact and q == q else p == pytest.approx(q, rel=1e-12, nan_ok=True)


@examples(expressions())
def test_again_is_independent_and_has_the_same_distribution(expression):
    root, _ = expression
    if UNDEFINED in rows(root):
        with pytest.raises(RulekitError):
            dist(root)
        return
    assert dist(again(root)) == dist(root)
    if root.kind == "event":
        assert P(root & again(root)) == P(root) ** 2
        assert ask([("P", root | ~root)])[0].item() == 1
