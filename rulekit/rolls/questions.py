"""The questions one can ask of an expression: P, E, sd, dist, joint, quantile.

A plain expression is answered exactly, from integer tables. Along stat axes an answer is an array: float64
from array tables, or Fractions (`exact=True`) from integer tables, and from those too where NumPy is not.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from importlib.util import find_spec
from itertools import accumulate
from typing import Any

from rulekit._clock import processor_time
from rulekit.distributions import Dist
from rulekit.errors import ImpossibleCondition, NotAValue, RulekitError, TooLarge
from rulekit.rolls.engine import Arrays, integer_rows
from rulekit.rolls.expressions import Roll, _event, _make, _with_bools, axes_of, constant
from rulekit.rolls.graph import EXCLUDED, Graph
from rulekit.rolls.grid import Grid
from rulekit.rolls.groups import join_groups
from rulekit.rolls.integer_tables import Row
from rulekit.rolls.operations import Undefined, exact_number, is_whole, kind_of

__all__ = ["E", "P", "ask", "dist", "joint", "quantile", "sd"]

NAN = float("nan")
#: Up to so many points of the axes, joint totals of groups are left to the integers.
_FEW_POINTS = 500
#: A mean that is smaller than this part of what it is added up from is 0: floats have lost the rest.
_ROUNDING = 1e-14


def P(event: Any, given: Any = None, exact: bool | None = None, budget: int | None = None) -> Any:
    """The probability of an event.

    Args:
        event: A Roll that is an event, or a Dist of truth values.
        given: An event to condition on; it shares its rolls with the question.
        exact: Fractions also along axes (True), floats (False); by default fractions for a plain
            expression and float64 along axes.
        budget: The most table cells to hold (default 5e7).

    Returns:
        A Fraction; along axes a DataArray (a Grid where xarray is not installed) with the stats as
        dimensions, NaN where the condition is impossible or the event undefined.

    Raises:
        ImpossibleCondition: a condition that cannot happen.
        NotAValue: a plain bool, which says nothing about odds.
        TooLarge: more than the budget.

    >>> from rulekit import d, roll
    >>> natural = roll(d(20))
    >>> P(natural >= 15), P(natural == 20, given=natural >= 15)
    (Fraction(3, 10), Fraction(1, 6))
    """
    if isinstance(event, Dist):
        return _of_dist("P", event, given)
    if kind_of(event) == "event":
        raise NotAValue(
            f"P wants an event, and {event!r} is a plain bool: == between two Dists asks whether they are "
            "the same distribution; roll(a) == roll(b) is the event that they show the same"
        )
    return _answer("P", event, given, exact, budget)


def E(x: Any, given: Any = None, exact: bool | None = None, budget: int | None = None) -> Any:
    """The expected value (mean) of a number; of an event its probability. Arguments and result as for `P`.

    >>> from rulekit import d, roll
    >>> die = roll(d(6))
    >>> E(die), E(die, given=die >= 3)
    (Fraction(7, 2), Fraction(9, 2))
    """
    if isinstance(x, Dist):
        return _of_dist("E", x, given)
    return _answer("E", x, given, exact, budget)


def sd(x: Any, given: Any = None, exact: bool | None = None, budget: int | None = None) -> Any:
    """The standard deviation of a number, as a float (along axes an array of them).

    >>> from rulekit import d, roll
    >>> round(sd(roll(d(6))), 6)
    1.707825
    """
    if isinstance(x, Dist):
        return _of_dist("sd", x, given)
    return _answer("sd", x, given, exact, budget)


def dist(x: Any, given: Any = None, exact: bool | None = None, budget: int | None = None) -> Any:
    """The distribution of x: a Dist; along axes an array with `outcome` as last dimension.

    >>> from rulekit import d, roll
    >>> die = roll(d(6))
    >>> dist(die + die) == 2 * d(6), dist(die + roll(d(6))) == 2 @ d(6)
    (True, True)
    """
    if isinstance(x, Dist):
        return x if given is None else _of_dist("dist", x, given)
    return _answer("dist", x, given, exact, budget)


def joint(*rolls: Any, given: Any = None, exact: bool | None = None, budget: int | None = None) -> Any:
    """The joint distribution of several Rolls: a Dist of tuples; along axes an array with `outcome` (tuples)
    as last dimension.

    >>> from rulekit import d, roll
    >>> a, b = roll(d(2)), roll(d(2))
    >>> joint(a, a + b).probability((1, 2))
    Fraction(1, 4)
    """
    if not rolls:
        raise RulekitError("joint takes at least one Roll")
    nodes = tuple(constant(x) for x in rolls)
    return _answer("dist", _make("pair", nodes, "label"), given, exact, budget)


def quantile(x: Any, q: Any, given: Any = None, exact: bool | None = None, budget: int | None = None) -> Any:
    """The least outcome whose cumulative probability is at least q.

    Args:
        x: A number.
        q: From 0 to 1: a fraction, or a float, which means its shortest decimal.
        given, exact, budget: As for `P`.

    >>> from rulekit import d, roll
    >>> quantile(roll(2 @ d(6)), 0.5), quantile(roll(d(10)), 0.1)
    (7, 1)
    """
    try:
        level = Fraction(q) if isinstance(q, str) else Fraction(exact_number(q))
    except (ValueError, TypeError):
        level = Fraction(-1)
    if not 0 <= level <= 1:
        raise RulekitError(f"quantile takes q from 0 to 1, not {q!r}")
    if isinstance(x, Dist):
        return _quantile(_conditioned_dist(x, given), level)
    return _answer("quantile", x, given, exact, budget, level)


def ask(
    requests: Sequence[tuple[str, Any]],
    given: Any = None,
    exact: bool = False,
    budget: int | None = None,
    points: Mapping[str, Sequence[Any]] | None = None,
    patience: float = math.inf,
) -> list[Grid]:
    """Several questions at once, as Grids: what frames and sweeps use.

    Args:
        requests: Pairs of a question ("P", "E", "sd", "dist") and a Roll. The same Roll asked twice is
            eliminated once.
        given, budget: As for `P`.
        exact: Fractions along axes instead of floats. Without axes the values are always Fractions.
        points: From the name of every axis to its value at each of some points: the answers at these alone,
            in place of all combinations of the axes' values; they are taken as they are, on the axis or not.
        patience: Seconds of processor time after which the tables grow no further.

    Returns:
        A Grid a request, over the axes of that Roll and the condition (with `points` over one dimension,
        `point`, where it has any axis); "dist" has `outcome` last.

    Raises:
        TooLarge: more than the budget, or the patience is at its end.

    >>> from rulekit import d, roll, stat
    >>> hit = roll(d(20)) >= 15
    >>> [grid.item() for grid in ask([("P", hit), ("E", hit)])]
    [Fraction(3, 10), Fraction(3, 10)]
    >>> attack, ac = stat("attack", range(10)), stat("ac", range(10, 20))
    >>> hit = roll(d(20)) + attack >= ac
    >>> ask([("P", hit)], exact=True, points={"attack": [5, 7], "ac": [15, 12]})[0].values
    [Fraction(11, 20), Fraction(4, 5)]
    """
    checked = [(question, _checked(question, x)) for question, x in requests]
    nodes = {id(node): node for _, node in checked}
    until = processor_time() + patience
    tabulated = _tabulate(list(nodes.values()), given, exact, budget, points, until)
    found = dict(zip(nodes, tabulated, strict=True))
    return [found[id(node)].answer(question) for question, node in checked]


# -- how an answer is found ------------------------------------------------------------------------


def _checked(question: str, x: Any) -> Roll[Any]:
    node = constant(x)
    if question == "P" and node._kind != "event":
        raise RulekitError(f"P wants an event, and {node!r} is a {node._kind}; E gives the mean of a number")
    if question in ("E", "sd", "quantile") and node._kind == "label":
        raise RulekitError(f"{question} wants a number, and {node!r} is a label; dist gives its odds")
    return node


def _answer(
    question: str, x: Any, given: Any, exact: bool | None, budget: int | None, level: Any = None
) -> Any:
    node = _checked(question, x)
    # A float's rounding can tip a cumulative sum over q: quantiles come from the integers.
    (tabulated,) = _tabulate([node], given, bool(exact) or question == "quantile", budget)
    if tabulated.names:
        grid = tabulated.answer(question, level)
        return grid.to_xarray() if find_spec("xarray") is not None else grid
    if question == "dist" and isinstance(tabulated, _Rows):
        return tabulated.as_dist()
    value = tabulated.answer(question, level).item()
    return float(value) if exact is False and isinstance(value, Fraction) else value


def _tabulate(
    nodes: Sequence[Roll[Any]],
    given: Any,
    exact: bool,
    budget: int | None,
    points: Mapping[str, Sequence[Any]] | None = None,
    until: float = math.inf,
) -> list[_Tabulated]:
    """The distributions of several Rolls under one condition, what they have in common found once."""
    if budget is not None and not is_whole(budget, 1):
        raise RulekitError(f"budget is a whole number of table cells, 1 or more, not {budget!r}")
    condition = None if given is None else _event(given, "given")
    axes = axes_of(_make("pair", (*nodes, *([] if condition is None else [condition])), "label"))
    values = {str(axis.name): axis.values for axis in axes}
    if points is not None:
        missing = [name for name in values if name not in points]
        if missing or len({len(column) for column in points.values()}) > 1:
            told = ", ".join(missing) or "some"
            raise RulekitError(f"points has equally many values of every axis; {told} has not")
        values = {name: tuple(points[name]) for name in values}
    places = _Places(values, points is not None, exact, budget, until)
    return [_tabulate_one(node, condition, places) for node in nodes]


class _Places:
    """Where answers are wanted, and how: at all combinations of the axes' values; or at points, at each of
    which every axis has one of its values (`together`).
    """

    def __init__(
        self,
        values: dict[str, tuple[Any, ...]],
        together: bool,
        exact: bool,
        budget: int | None,
        until: float,
    ) -> None:
        self.values = values
        self.together = together
        self.exact = exact
        self.budget = budget
        self.until = until
        self.arrays: Arrays | None = None
        if values and not exact and find_spec("numpy") is not None:
            self.arrays = Arrays(values, budget, together, until)

    def coords(self, names: Sequence[str]) -> dict[str, tuple[Any, ...]]:
        """The dimensions of an answer that depends on these axes."""
        if self.together and names:
            return {"point": tuple(range(len(self.values[names[0]])))}
        return {name: self.values[name] for name in names}

    def integer_rows(self, graph: Graph) -> Iterator[tuple[Row, int]]:
        """The root's row of whole-number weights at each place."""
        names = graph.stat_names
        return integer_rows(graph, names, self.values, self.budget, self.together, self.until)


def _tabulate_one(node: Roll[Any], condition: Roll[bool] | None, places: _Places) -> _Tabulated:
    graph = Graph(node, condition, jointly=False)
    names = graph.stat_names
    coords = places.coords(names)
    # Joint totals of many groups take much room at many points: integers find them point by point.
    joined = join_groups(graph) and math.prod(map(len, coords.values())) <= _FEW_POINTS
    if places.arrays is not None and names and not joined:
        from rulekit.rolls.array_tables import NeedsIntegers

        # What they cannot hold goes point by point; what is too large does where points are not many.
        with suppress(NeedsIntegers, *([] if places.together else [TooLarge])):
            whole = Graph(node, condition, jointly=False) if graph.joined else graph
            support, p = places.arrays.rows(whole)
            if node._op == "pair":  # array tables hold what happens as 1
                events = [arg._kind == "event" for arg in node._args]
                support = [tuple(_with_bools(x, events)) if type(x) is tuple else x for x in support]
            return _Arrays(
                node._kind, coords, support, p, ["point"] if places.together else list(places.values)
            )
    try:
        rows = list(places.integer_rows(graph))
    except TooLarge:
        graph = Graph(node, condition, jointly=False)
        if not join_groups(graph, least=2):
            raise
        rows = list(places.integer_rows(graph))
    return _Rows(node._kind, coords, rows, places.exact or not coords)


class _Tabulated(ABC):
    """Distributions at every point of some axes, ready for any question."""

    def __init__(self, kind: str, coords: dict[str, tuple[Any, ...]]) -> None:
        self.kind = kind
        self.names = list(coords)
        self.coords = coords

    @abstractmethod
    def answer(self, question: str, level: Any = None) -> Grid:
        """The answer at every point."""


class _Rows(_Tabulated):
    """One row of whole-number weights a point, without what the condition excludes."""

    def __init__(
        self,
        kind: str,
        coords: dict[str, tuple[Any, ...]],
        rows: Sequence[tuple[Row, int]],
        exact: bool,
    ) -> None:
        super().__init__(kind, coords)
        self.exact = exact
        self.impossible = self.undefined = 0
        self.rows: list[tuple[Row, int] | None] = [self._accept(row, total) for row, total in rows]

    def _accept(self, row: Row, total: int) -> tuple[Row, int] | None:
        excluded = row.get(EXCLUDED, 0)
        if excluded:
            row = {value: weight for value, weight in row.items() if value is not EXCLUDED}
        if excluded == total:
            self.impossible += 1
            if not self.names:
                raise ImpossibleCondition("the condition cannot happen: its probability is 0")
            return None
        bad = {value: weight for value, weight in row.items() if _has_undefined(value)}
        if bad:
            self.undefined += 1
            if not self.names:
                first = next(iter(bad))
                if isinstance(first, tuple):
                    first = next(value for value in first if isinstance(value, Undefined))
                raise RulekitError(
                    f"{first}; that has a probability of {Fraction(sum(bad.values()), total)} in what is "
                    "asked. "
                    "where(event, a, b) keeps it out where it does not apply"
                )
            return None
        return row, total - excluded

    def _number(self, value: Any) -> Any:
        return value if self.exact else float(value)

    def answer(self, question: str, level: Any = None) -> Grid:
        attrs = {}
        if self.names:
            attrs = {"undefined": self.undefined, "impossible": self.impossible}
        if question == "dist":
            outcomes = _ordered({value for entry in self.rows if entry for value in entry[0]})
            flat: list[Any] = []
            for entry in self.rows:
                if entry is None:
                    flat += [NAN] * len(outcomes)
                else:
                    row, mass = entry
                    flat += [self._number(Fraction(row.get(outcome, 0), mass)) for outcome in outcomes]
            return Grid.from_flat([*self.names, "outcome"], {**self.coords, "outcome": outcomes}, flat, attrs)
        flat = [NAN if entry is None else self._one(question, *entry, level) for entry in self.rows]
        return Grid.from_flat(self.names, self.coords, flat, attrs)

    def _one(self, question: str, row: Row, mass: int, level: Any) -> Any:
        if question == "P":
            return self._number(Fraction(row.get(True, 0), mass))
        if question == "quantile":
            return _quantile(Dist(row), level)
        mean = Fraction(sum(value * weight for value, weight in row.items())) / mass
        if question == "E":
            return self._number(mean)
        variance = sum((value - mean) ** 2 * weight for value, weight in row.items()) / mass
        return math.sqrt(variance)

    def as_dist(self) -> Dist:
        assert self.rows[0] is not None  # a plain question has raised instead
        row = self.rows[0][0]
        if self.kind != "event":
            row = {int(value) if isinstance(value, bool) else value: weight for value, weight in row.items()}
        return Dist(row)


class _Arrays(_Tabulated):
    """Float probabilities (*axes, outcomes), without what the condition excludes."""

    def __init__(
        self,
        kind: str,
        coords: dict[str, tuple[Any, ...]],
        support: list[Any],
        p: Any,
        order: list[str],
    ) -> None:
        super().__init__(kind, coords)
        import numpy as np

        if EXCLUDED in support:
            keep = [i for i, value in enumerate(support) if value is not EXCLUDED]
            support, p = [support[i] for i in keep], p[..., keep]
            mass = p.sum(axis=-1, keepdims=True)
            nowhere = mass[..., 0] == 0
            with np.errstate(invalid="ignore", divide="ignore"):
                p = p / mass
        else:
            nowhere = np.zeros((1,) * (p.ndim - 1), dtype=bool)
        # From the axes of all that was asked to the axes of this one; along the others nothing changes.
        there = tuple([slice(None) if name in coords else 0 for name in order])
        left = [name for name in order if name in coords]
        turned = [left.index(name) for name in self.names]
        shape = tuple([len(values) for values in coords.values()])
        self.p = np.broadcast_to(p[there].transpose([*turned, len(left)]), (*shape, len(support)))
        self.nowhere = np.broadcast_to(nowhere[there].transpose(turned), shape)
        self.support = [bool(value) for value in support] if kind == "event" else support

    def answer(self, question: str, level: Any = None) -> Grid:
        import numpy as np

        attrs = {"undefined": 0, "impossible": int(self.nowhere.sum())}
        if question == "dist":
            order = {value: i for i, value in enumerate(self.support)}
            outcomes = _ordered(self.support)
            p = self.p if outcomes == self.support else self.p[..., [order[value] for value in outcomes]]
            return Grid([*self.names, "outcome"], {**self.coords, "outcome": outcomes}, p, attrs)
        if question == "P":
            here = [i for i, value in enumerate(self.support) if value is True]
            p = np.minimum(self.p[..., here[0]], 1.0) if here else self.p.sum(axis=-1) * 0
            return Grid(self.names, self.coords, np.where(self.nowhere, NAN, p), attrs)
        outcomes_array = np.array(self.support, dtype=float)
        mean = self.p @ outcomes_array
        if question == "E":
            if (outcomes_array < 0).any():  # what cancels is 0, and not what rounding leaves
                mean = np.where(abs(mean) < _ROUNDING * (self.p @ abs(outcomes_array)), 0.0, mean)
            return Grid(self.names, self.coords, np.where(self.nowhere, NAN, mean), attrs)
        spread = (outcomes_array - mean[..., None]) ** 2
        root = np.sqrt((self.p * spread).sum(axis=-1))
        root = np.where(np.count_nonzero(self.p, axis=-1) == 1, 0.0, root)  # certain, but for rounding
        return Grid(self.names, self.coords, np.where(self.nowhere, NAN, root), attrs)


def _has_undefined(value: Any) -> bool:
    return isinstance(value, Undefined) or (
        isinstance(value, tuple) and any(isinstance(part, Undefined) for part in value)
    )


def _ordered(outcomes: Any) -> list[Any]:
    """Outcomes in rising order where they have one, else (labels) as they come, texts by themselves."""
    listed = list(dict.fromkeys(outcomes))
    try:
        return sorted(listed)
    except TypeError:
        return sorted(listed, key=lambda value: str(getattr(value, "value", value)))


def _quantile(distribution: Dist, level: Fraction) -> Any:
    need = level * distribution.denominator
    for outcome, reached in zip(distribution.outcomes, accumulate(distribution.weights), strict=True):
        if reached >= need:
            return outcome
    return distribution.outcomes[-1]


def _conditioned_dist(x: Dist, given: Any) -> Dist:
    if given is not None:
        raise NotAValue(
            "a Dist has no roll to share with a condition: write x = roll(...) and ask that, "
            "or Dist.given(...)"
        )
    return x


def _of_dist(question: str, x: Dist, given: Any) -> Any:
    """The same questions of a Dist, which is its own only roll."""
    x = _conditioned_dist(x, given)
    kinds = {kind_of(outcome) for outcome in x.outcomes}
    if question == "P":
        if kinds != {"event"}:
            raise RulekitError(
                f"P wants an event, and {x!r} is a Dist of {', '.join(map(str, kinds))}; compare it first"
            )
        return x.probability(True)
    if kinds - {"number", "event"}:
        raise RulekitError(f"{question} wants a number, and {x!r} shows labels")
    return x.mean if question == "E" else math.sqrt(x.variance)
