"""Throws of equal dice: the joint distribution of several views of one throw, by one sweep over the faces."""

from __future__ import annotations

from math import comb
from operator import add
from typing import Any

from rulekit.errors import RulekitError
from rulekit.rolls.elimination import Budget
from rulekit.rolls.expressions import ThrowOf
from rulekit.rolls.integer_tables import Conditional, Row, multiple
from rulekit.rolls.operations import Undefined, Value, kind_of

__all__ = ["throw_row", "views_of"]

View = tuple[Any, ...]


def views_of(views: tuple[View, ...], faces: list[Value]) -> tuple[Value, ...]:
    """The views of dice that show `faces`, in any order."""
    ordered = sorted(faces, reverse=True)
    return tuple([_view_value(view, ordered) for view in views])


def _view_value(view: View, ordered: list[Value]) -> Value:
    kind = view[0]
    n = len(ordered)
    if kind == "total":
        return sum(ordered)
    if kind == "count":
        return sum(1 for face in ordered if _shows(view, face))
    if n == 0 or (kind == "ranks" and any(not _exists(rank, n) for rank in view[1])):
        return _missing(view, n)
    return sum(ordered[index] for index in _positions(view, n))


def _exists(rank: int, n: int) -> bool:
    return abs(rank) <= n


def _missing(view: View, n: int) -> Undefined:
    return Undefined(f"{view[0]}({view[1]}) of a throw", (n,))


def _positions(view: View, n: int) -> list[int]:
    """The places, 0 for the highest die, whose faces a view adds up."""
    kind, what = view
    if kind == "highest":
        return list(range(min(what, n)))
    if kind == "lowest":
        return list(range(max(n - what, 0), n))
    return [rank - 1 if rank > 0 else n + rank for rank in what]


def _shows(view: View, face: Value) -> bool:
    wanted = view[1]
    return bool(wanted(face)) if callable(wanted) else face in wanted


def throw_row(
    source: ThrowOf, views: tuple[View, ...], number: Value, given: tuple[Value, ...]
) -> Conditional | Undefined:
    """The joint distribution of `views` of `number` dice, as one row: a value, or a tuple for several."""
    from rulekit.rolls.engine import die_row, results

    if not isinstance(number, int) or number < 0:
        return Undefined("a throw of dice in number", (number,))
    row, total = die_row(source, given)
    undefined = next((value for value in row if isinstance(value, Undefined)), None)
    if undefined is not None:
        return undefined
    key = ("throw", tuple(row.items()), tuple(map(type, row)), number, views)
    known: Conditional | None = results.get(key)
    if known is not None:
        return known
    budget = Budget(cost=4e-7)
    budget.names = lambda: [f"dice({number}, {source})"]
    if views == (("total",),) and all(kind_of(face) != "label" for face in row):
        joint = multiple(budget, {face + 0: weight for face, weight in row.items()}, number)
    elif len(views) == 1 and views[0][0] == "count":
        yes = sum(weight for face, weight in row.items() if _shows(views[0], face))
        budget.spend(number * (1 + number * total.bit_length() // 1000))
        ways = [comb(number, k) * yes**k * (total - yes) ** (number - k) for k in range(number + 1)]
        joint = {k: way for k, way in enumerate(ways) if way}
    else:
        joint = _sweep(row, number, views, budget)
        if len(views) == 1:
            joint = {value[0]: weight for value, weight in joint.items()}
    thrown = Conditional([joint], total**number)
    results.put(key, thrown, len(joint) * (1 + thrown.total.bit_length() // 256))
    return thrown


def _sweep(row: Row, n: int, views: tuple[View, ...], budget: Budget) -> Row:
    """Face by face from the highest: c of the dice left show it; each view takes what it gets of them."""
    labels = any(kind_of(face) == "label" for face in row)
    if labels and any(view[0] != "count" for view in views):
        raise RulekitError("dice that show labels have no total and no order; count(faces) counts them")
    faces = list(row) if labels else sorted(row, reverse=True)
    # For each view: how many of the places taken before j count (running), so that c places from p add
    # (running[p + c] - running[p]) times the face.
    running: list[list[int] | None] = []
    counted: list[set[Any] | None] = []
    constant: list[Value | None] = []
    for view in views:
        places: list[int] | None = None
        told: set[Any] | None = None
        fixed: Value | None = None
        if view[0] == "total":
            places = list(range(n + 1))
        elif view[0] == "count":
            told = {face for face in faces if _shows(view, face)}
        elif n == 0 or (view[0] == "ranks" and any(not _exists(rank, n) for rank in view[1])):
            fixed = _missing(view, n)
        else:
            places = [0] * (n + 1)
            for index in _positions(view, n):
                places[index + 1] += 1
            for index in range(n):
                places[index + 1] += places[index]
        running.append(places)
        counted.append(told)
        constant.append(fixed)
    # What no view looks at any more needs no sweep: the rest of the dice show any of the faces left.
    last = max((places.index(places[-1]) for places in running if places is not None), default=0)
    big = 1 + n * sum(row.values()).bit_length() // 1000  # long numbers take longer
    states: dict[int, Row] = {0: {(0,) * len(views): 1}}
    done: Row = {}
    left = sum(row.values())
    pending = [len(told) if told is not None else 0 for told in counted]
    for face in faces:
        weight = row[face]
        powers = [1]
        for _ in range(n):
            powers.append(powers[-1] * weight)
        following: dict[int, Row] = {}
        for placed, values in states.items():
            remaining = n - placed
            if placed >= last and not any(pending):
                factor = left**remaining
                for value, w in values.items():
                    done[value] = done.get(value, 0) + w * factor
                continue
            budget.spend((remaining + 1) * len(values) * big)
            for c in range(remaining + 1):
                ways = comb(remaining, c) * powers[c]
                gains: list[Any] = []
                for places, told in zip(running, counted, strict=True):
                    if places is not None:
                        gains.append((places[placed + c] - places[placed]) * face)
                    else:
                        gains.append(c if told is not None and face in told else 0)
                target = following.setdefault(placed + c, {})
                get = target.get
                if not any(gains):  # dice that no view looks at
                    for value, w in values.items():
                        target[value] = get(value, 0) + w * ways
                    continue
                for value, w in values.items():
                    key = tuple(map(add, value, gains))
                    target[key] = get(key, 0) + w * ways
        pending = [
            n_left - 1 if told is not None and face in told else n_left
            for n_left, told in zip(pending, counted, strict=True)
        ]
        left -= weight
        states = following
    for value, w in states.get(n, {}).items():
        done[value] = done.get(value, 0) + w
    if any(fixed is not None for fixed in constant):
        return {
            tuple([v if fixed is None else fixed for v, fixed in zip(value, constant, strict=True)]): w
            for value, w in done.items()
        }
    return done
