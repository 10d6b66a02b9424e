"""Chains: a rule repeated on its own result until something holds, solved exactly.

The step is written once, on a state whose fields are kept axes, and eliminated for each state that is
reached. Falling states need one forward pass; where states come back, the block of states that lead into
each other is solved as linear equations in fractions.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Hashable, Iterator
from fractions import Fraction
from functools import cached_property
from typing import Any

from rulekit.distributions import Dist
from rulekit.distributions.leftovers import Rest
from rulekit.errors import NotAValue, RulekitError, TooLarge
from rulekit.rolls.engine import integer_rows, plain_value, points
from rulekit.rolls.expressions import Roll, _draw, _identity, _make, axes_of, base_rolls, constant
from rulekit.rolls.graph import Graph
from rulekit.rolls.grid import Grid
from rulekit.rolls.integer_tables import Row
from rulekit.rolls.operations import Undefined, Value, is_whole, kind_of, plain

__all__ = ["Chain", "chain"]

State = tuple[Value, ...]
#: States that a chain may reach before it is too large.
MOST_STATES = 50_000
#: States in one block of equations: their solution takes time that grows with the third power.
MOST_IN_BLOCK = 1_500


def chain(
    start: Any, step: Callable[[Any], Any], until: Callable[[Any], Any] | None = None, limit: int = 1000
) -> Chain:
    """Repeat a rule on its own result.

    Args:
        start: The first state: a frozen dataclass of numbers, labels and events, or one such value. It may
            hold axes and Rolls.
        step: From a state to the next one, as Rolls (a dataclass of the same class, or one value). It is
            called on fields that stand for every value; if it needs plain values it is called for each
            state instead.
        until: From a state to an event (or bool) on it; a state where it holds is final. Asked before each
            step, the first included. Without it the chain goes on: only `after(n)` answers.
        limit: How many steps `steps` lists at most (the rest is its leftover).

    Raises:
        TooLarge: more than 50,000 states.
        RulekitError: a step that uses a roll made outside it, or has no value for a state.

    >>> from rulekit import d, roll
    >>> hits = chain(11, lambda hp: hp - roll(d(6)), until=lambda hp: hp <= 0)
    >>> hits.steps.probability(2), hits.steps.mean
    (Fraction(1, 12), Fraction(218463217, 60466176))
    """
    if not is_whole(limit, 1):
        raise RulekitError(f"limit is a whole number of steps, 1 or more, not {limit!r}")
    if not callable(step) or (until is not None and not callable(until)):
        raise RulekitError("chain takes step and until as functions of a state")
    return Chain(_Shape(start), start, step, until, limit)


class _Shape:
    """How a state is taken apart into plain values and put together again."""

    def __init__(self, start: Any) -> None:
        self.single = not dataclasses.is_dataclass(start)
        if isinstance(start, type):
            raise RulekitError(f"chain starts from a state, not from the class {start.__name__}")
        self.cls: Any = None if self.single else type(start)
        self.fields = [""] if self.single else [field.name for field in dataclasses.fields(start)]
        self.nodes = self.parts(start)

    def parts(self, state: Any) -> tuple[Roll[Any], ...]:
        """A state's fields as Rolls."""
        if self.single:
            return (constant(state),)
        if type(state) is not self.cls:
            raise RulekitError(f"a step from {self.cls.__name__} gives a {self.cls.__name__}, not {state!r}")
        return tuple([constant(getattr(state, field)) for field in self.fields])

    def build(self, values: Any) -> Any:
        """A state from its fields."""
        values = tuple(values)
        return values[0] if self.single else self.cls(**dict(zip(self.fields, values, strict=True)))

    def name(self, index: int) -> str:
        """The name under which a field is bound."""
        return f"state.{self.fields[index]}" if self.fields[index] else "state"


class Chain:
    """The answers of `chain`: `steps`, `end`, `after(n)`, `mean`, `variance`, `never`."""

    def __init__(
        self,
        shape: _Shape,
        start: Any,
        step: Callable[[Any], Any],
        until: Callable[[Any], Any] | None,
        limit: int,
    ) -> None:
        self._shape = shape
        self._limit = limit
        top = _make("pair", shape.nodes, "label")
        outer = {base._identity for base in base_rolls(top)}
        self._start = Graph(top)
        mark = _identity()
        self._transition = _Transition(shape, step, until, self._kinds(), self._first(), mark, outer)
        axes = {str(axis.name): axis for axis in (*axes_of(top), *self._transition.axes)}
        self._axes = tuple(axes.values())
        self._after: dict[int, Any] = {}
        self._solved: dict[tuple[Any, ...], _Solution] = {}

    def _kinds(self) -> list[str]:
        return [node._kind for node in self._shape.nodes]

    def _first(self) -> State:
        values = self._start.stat_values
        point = {name: values[name][0] for name in values}
        for row, _ in integer_rows(self._start, self._start.stat_names, {n: (v,) for n, v in point.items()}):
            for state in row:
                if not any(isinstance(value, Undefined) for value in state):
                    return tuple(state)
        raise RulekitError("a chain needs a start whose fields have values")

    def _solution(self, *at: Value) -> _Solution:
        found = self._solved.get(at)
        if found is None:
            point = {str(axis.name): value for axis, value in zip(self._axes, at, strict=True)}
            here = {name: (point[name],) for name in self._start.stat_names}
            row, total = next(integer_rows(self._start, self._start.stat_names, here))
            found = self._solved[at] = _Solution(
                _checked(row, total), total, self._transition, point, self._limit
            )
        return found

    def _grid(self, value: Callable[[_Solution], Any]) -> Any:
        if not self._axes:
            return value(self._solution())
        names = [str(axis.name) for axis in self._axes]
        values = {str(axis.name): axis.values for axis in self._axes}
        flat = [value(self._solution(*point.values())) for point in points(names, values)]
        return Grid.from_flat(names, values, flat)

    @cached_property
    def steps(self) -> Any:
        """How many steps it takes: a Dist, whose mean and variance are exact even where what takes more
        than `limit` steps is its leftover. Along axes a Roll; an error where something is left over.
        """
        if not self._axes:
            return self._solution().steps

        def at(*values: Value) -> Dist:
            steps = self._solution(*values).steps
            if steps.leftover:
                point = dict(zip([axis.name for axis in self._axes], values, strict=True))
                raise RulekitError(
                    f"more than {self._limit} steps have a probability of {float(steps.leftover):.3g} at "
                    f"{point}: ask mean and variance, or raise limit="
                )
            return steps

        return _draw(self._axes, "number", _At(at, "steps"), "steps")

    @property
    def mean(self) -> Any:
        """The exact mean number of steps (along axes a Grid). An error where it may never end."""
        return self._grid(lambda solution: solution.moments[0])

    @property
    def variance(self) -> Any:
        """The exact variance of the number of steps (along axes a Grid)."""
        return self._grid(lambda solution: solution.moments[1])

    @property
    def never(self) -> Any:
        """The probability that it never ends (along axes a Grid)."""
        return self._grid(lambda solution: solution.never)

    @cached_property
    def end(self) -> Any:
        """The final state: its fields are Rolls of one shared draw. An error where it may never end."""
        return self._state(lambda solution: solution.end(), "end")

    def after(self, n: int) -> Any:
        """The state after n steps (a final state stays): its fields are Rolls of one shared draw."""
        if not is_whole(n, 0):
            raise RulekitError(f"after takes a whole number of steps, 0 or more, not {n!r}")
        if n not in self._after:
            self._after[n] = self._state(lambda solution: solution.after(n), f"after({n})")
        return self._after[n]

    def _state(self, of: Callable[[_Solution], Row], name: str) -> Any:
        kinds = self._kinds()

        def at(*values: Value) -> Dist:
            return Dist(of(self._solution(*values)))

        param: Any = _At(at, name) if self._axes else at()
        draw = _draw(self._axes, "label", param, None)
        fields = []
        for index, kind in enumerate(kinds):
            label = f"{name}.{self._shape.fields[index]}".rstrip(".")
            fields.append(_make("item", (draw,), kind, index, label))  # type: ignore[arg-type]
        return self._shape.build(fields)

    def __repr__(self) -> str:
        over = f" over {', '.join(str(a.name) for a in self._axes)}" if self._axes else ""
        return f"<chain of {self._shape.cls.__name__ if self._shape.cls else 'one value'}{over}>"


class _At:
    """A distribution that depends on the axes."""

    def __init__(self, function: Callable[..., Dist], name: str) -> None:
        self.function = function
        self.name = name

    def __call__(self, *values: Value) -> Dist:
        return self.function(*values)

    def __str__(self) -> str:
        return self.name


def _checked(row: Row, total: int) -> Row:
    for state, weight in row.items():
        for value in state:
            if isinstance(value, Undefined):
                raise RulekitError(f"a chain's state: {value}, with probability {Fraction(weight, total)}")
    return row


class _Transition:
    """The step as a function from a state to the next states, with their odds."""

    def __init__(
        self,
        shape: _Shape,
        step: Callable[[Any], Any],
        until: Callable[[Any], Any] | None,
        kinds: list[str],
        first: State,
        mark: int,
        outer: set[int],
    ) -> None:
        self.shape, self.step, self.until = shape, step, until
        self.kinds = kinds
        self.mark = mark
        self.outer = outer
        # Each field stands for every value it may have, under a name of its own.
        fields = [
            _make("stat", (), kind, (value,), shape.name(i))  # type: ignore[arg-type]
            for i, (kind, value) in enumerate(zip(kinds, first, strict=True))
        ]
        self.names = [shape.name(i) for i in range(len(fields))]
        self.graph = self._symbolic(lambda state: self._next(step(state)), fields)
        self.final = (
            None if until is None else self._symbolic(lambda state: self._event(until(state)), fields)
        )
        graphs = [g for g in (self.graph, self.final) if g is not None]
        # A step that needs plain values says on which axes it depends when it is run on the first state.
        roots = [self._next(step(shape.build(first)))] if self.graph is None else []
        own = set(self.names)
        names = {n: g.stat_values[n] for g in graphs for n in g.stat_names if n not in own}
        self.axes = tuple(_make("stat", (), "number", values, name) for name, values in names.items())
        for root in roots:
            self.axes = (*self.axes, *[a for a in axes_of(root) if a.name not in names])
        self.memo: dict[Hashable, tuple[Row, int]] = {}
        self.finals: dict[Hashable, bool] = {}

    def _symbolic(self, make: Callable[[Any], Roll[Any]], fields: list[Roll[Any]]) -> Graph | None:
        try:
            return Graph(make(self.shape.build(fields)))
        except NotAValue as error:
            if error.rolls or not set(error.stats) <= set(self.names):
                raise
            return None  # plain values, then: the function is called for each state

    def _next(self, state: Any) -> Roll[Any]:
        parts = list(self.shape.parts(state))
        for index, (part, kind) in enumerate(zip(parts, self.kinds, strict=True)):
            if (part._kind, kind) == ("event", "number"):
                parts[index] = +part
            elif part._kind != kind:
                raise RulekitError(
                    f"{self.shape.name(index)} starts as {'an' if kind == 'event' else 'a'} {kind}, "
                    f"and the step makes it {'an' if part._kind == 'event' else 'a'} {part._kind}"
                )
        root = _make("pair", tuple(parts), "label")
        for base in base_rolls(root):
            if base._identity < self.mark and base._identity >> 64 == self.mark >> 64:
                raise RulekitError(
                    f"the step uses a roll made outside it ({base!r}): put it into the state, where each "
                    "step sees the same one, or roll it inside the step"
                )
        return root

    def _event(self, event: Any) -> Roll[Any]:
        node = constant(event)
        if node._kind != "event":
            raise RulekitError(f"until gives an event, not {node!r}, a {node._kind}")
        if base_rolls(node):
            raise RulekitError(
                "until looks at the state and rolls nothing: put what is rolled into the state"
            )
        return node

    def _bound(self, graph: Graph, state: State, point: dict[str, Any]) -> tuple[Row, int]:
        bound = {**point, **dict(zip(self.names, state, strict=True))}
        return next(
            integer_rows(graph, graph.stat_names, {name: (bound[name],) for name in graph.stat_names})
        )

    def is_final(self, state: State, point: dict[str, Any]) -> bool:
        """Whether `until` holds."""
        if self.until is None:
            return False
        key = state, tuple(point.values())
        known = self.finals.get(key)
        if known is None:
            graph = self.final
            if graph is None:
                graph = Graph(self._event(self.until(self.shape.build(state))))
            value = plain_value(graph, {**point, **dict(zip(self.names, state, strict=True))})
            if isinstance(value, Undefined):
                raise RulekitError(f"until has no value for {self.shape.build(state)!r}: {value}")
            known = self.finals[key] = value is True
        return known

    def after(self, state: State, point: dict[str, Any]) -> tuple[Row, int]:
        """The next states and their weights, and the weights' sum."""
        key = state, tuple(point.values())
        known = self.memo.get(key)
        if known is None:
            if len(self.memo) >= MOST_STATES:
                raise TooLarge(
                    f"a chain that reaches more than {MOST_STATES:,} states; keep the state small (a total, "
                    "not each die) and give it an end with until",
                    cells=MOST_STATES,
                )
            graph = self.graph
            if graph is None:
                graph = Graph(self._next(self.step(self.shape.build(state))))
            row, total = self._bound(graph, state, point)
            known = self.memo[key] = _checked(row, total), total
        return known


class _Solution:
    """One chain without axes, solved."""

    def __init__(
        self, start: Row, total: int, transition: _Transition, point: dict[str, Any], limit: int
    ) -> None:
        self.start = {tuple(map(_plain, state)): weight for state, weight in start.items()}
        self.total = total
        self.transition = transition
        self.point = point
        self.limit = limit

    # -- the graph of states -----------------------------------------------------------------------

    @cached_property
    def _next(self) -> dict[State, tuple[Row, int] | None]:
        """Every state that can be reached, with its next states; None for a final one."""
        reached: dict[State, tuple[Row, int] | None] = {}
        stack = list(self.start)
        while stack:
            state = stack.pop()
            if state in reached:
                continue
            if self.transition.is_final(state, self.point):
                reached[state] = None
                continue
            rows = reached[state] = self.transition.after(state, self.point)
            stack.extend(following for following in rows[0] if following not in reached)
        return reached

    @cached_property
    def _blocks(self) -> list[list[State]]:
        """States that lead into each other, block after block in the order in which they are passed."""
        graph = self._next
        index: dict[State, int] = {}
        low: dict[State, int] = {}
        on_path: dict[State, bool] = {}
        path: list[State] = []
        blocks: list[list[State]] = []
        for root in self.start:
            if root in index:
                continue
            work: list[tuple[State, Iterator[State]]] = []
            index[root] = low[root] = len(index)
            path.append(root)
            on_path[root] = True
            work.append((root, self._following(root)))
            while work:
                state, following = work[-1]
                for other in following:
                    if other not in index:
                        index[other] = low[other] = len(index)
                        path.append(other)
                        on_path[other] = True
                        work.append((other, self._following(other)))
                        break
                    if on_path.get(other):
                        low[state] = min(low[state], index[other])
                else:
                    work.pop()
                    if work:
                        low[work[-1][0]] = min(low[work[-1][0]], low[state])
                    if low[state] == index[state]:
                        block = []
                        while True:
                            other = path.pop()
                            on_path[other] = False
                            block.append(other)
                            if other == state:
                                break
                        blocks.append(block)
        assert len(index) == len(graph)
        return blocks[::-1]

    def _following(self, state: State) -> Iterator[State]:
        entry = self._next[state]
        return iter(entry[0] if entry is not None else ())

    # -- passing forward ---------------------------------------------------------------------------

    def _forward(self) -> Iterator[tuple[dict[State, int], dict[State, int], int]]:
        """After each number of steps: the weights of the states not final, what has just ended, and the sum
        of all weights that is the measure of both.
        """
        alive = dict(self.start)
        total = self.total
        while True:
            ended = {}
            for state in [state for state in alive if self.transition.is_final(state, self.point)]:
                ended[state] = alive.pop(state)
            yield alive, ended, total
            totals = {self.transition.after(state, self.point)[1] for state in alive}
            common = math.lcm(*totals) if totals else 1
            following: dict[State, int] = {}
            for state, weight in alive.items():
                row, row_total = self.transition.after(state, self.point)
                factor = weight * (common // row_total)
                for other, w in row.items():
                    following[other] = following.get(other, 0) + factor * w
            alive = following
            total *= common

    @cached_property
    def _passed(self) -> tuple[list[Fraction], Row | None]:
        """The probability to end after each number of steps, and the weights of the final states where all
        have ended within the limit: then nothing needs solving.
        """
        self._needs_an_end()
        odds: list[Fraction] = []
        finals: Row = {}
        measure = self.total
        for alive, ended, total in self._forward():
            if total != measure:
                factor = total // measure
                finals = {state: weight * factor for state, weight in finals.items()}
                measure = total
            for state, weight in ended.items():
                finals[state] = finals.get(state, 0) + weight
            odds.append(Fraction(sum(ended.values()), total))
            if not alive:
                return odds, finals
            if len(odds) > self.limit:
                break
        return odds, None

    def _needs_an_end(self) -> None:
        if self.transition.until is None:
            raise RulekitError("a chain without until has no end: after(n) tells the state after n steps")

    @cached_property
    def steps(self) -> Dist:
        """The number of steps until the end."""
        odds, finals = self._passed
        weights = {(n,): p for n, p in enumerate(odds) if p}
        if finals is not None:
            return Dist({n: weight for (n,), weight in _as_weights(weights).items()})
        common = math.lcm(*[p.denominator for p in weights.values()])
        whole = {n: p.numerator * (common // p.denominator) for (n,), p in weights.items()}
        try:
            moments = None if self.never else self.moments
        except TooLarge:  # states without an end: what lies beyond the limit has no mean that can be told
            moments = None
        return Dist._from_merged(whole, Rest(common - sum(whole.values()), len(odds), math.inf), moments)

    def after(self, n: int) -> Row:
        """Weights of the states after n steps."""
        done: dict[State, Fraction] = {}
        current = {state: Fraction(weight, self.total) for state, weight in self.start.items()}
        for _ in range(n):
            following: dict[State, Fraction] = {}
            for state, p in current.items():
                if self.transition.is_final(state, self.point):
                    done[state] = done.get(state, Fraction(0)) + p
                    continue
                row, total = self.transition.after(state, self.point)
                for other, weight in row.items():
                    following[other] = following.get(other, Fraction(0)) + p * Fraction(weight, total)
            if not following:
                current = {}
                break
            current = following
        for state, p in current.items():
            done[state] = done.get(state, Fraction(0)) + p
        return _as_weights(done)

    # -- solving -----------------------------------------------------------------------------------

    @cached_property
    def _visits(self) -> tuple[dict[State, Fraction], Fraction, Fraction, Fraction]:
        """The probability to end in each final state, the sums over n of P(steps > n) and of
        n P(steps > n), and the probability never to end.
        """
        self._needs_an_end()
        inflow = {state: Fraction(weight, self.total) for state, weight in self.start.items()}
        later: dict[State, Fraction] = {}  # inflow weighted by the step at which it comes
        finals: dict[State, Fraction] = {}
        first = second = never = Fraction(0)
        for block in self._blocks:
            state = block[0]
            entry = self._next[state]
            if entry is None:
                finals[state] = inflow.get(state, Fraction(0))
                continue
            members = {other: i for i, other in enumerate(block)}
            leaves = any(other not in members for s in block for other in self._following(s))
            entering = [inflow.get(s, Fraction(0)) for s in block]
            if not leaves:
                never += sum(entering)
                continue
            visits = self._solve(block, members, entering)
            # W(s) = sum over n of n P(in s after n steps): what comes from t comes a step later, W(t) + V(t).
            shifted = [later.get(s, Fraction(0)) for s in block]
            for s, v in zip(block, visits, strict=True):
                row, total = self._next[s]  # type: ignore[misc]
                for other, weight in row.items():
                    if other in members:
                        shifted[members[other]] += v * Fraction(weight, total)
            weighted = self._solve(block, members, shifted)
            first += sum(visits)
            second += sum(weighted)
            for s, v, w in zip(block, visits, weighted, strict=True):
                row, total = self._next[s]  # type: ignore[misc]
                for other, weight in row.items():
                    if other not in members:
                        p = Fraction(weight, total)
                        inflow[other] = inflow.get(other, Fraction(0)) + v * p
                        later[other] = later.get(other, Fraction(0)) + (w + v) * p
        return finals, first, second, never

    def _solve(self, block: list[State], members: dict[State, int], right: list[Fraction]) -> list[Fraction]:
        """x with x(s) = right(s) + sum over t of x(t) P(t -> s), within one block."""
        size = len(block)
        rows = [self._next[s] for s in block]
        if size == 1:
            row, total = rows[0]  # type: ignore[misc]
            return [right[0] / (1 - Fraction(row.get(block[0], 0), total))]
        if size > MOST_IN_BLOCK:
            raise TooLarge(
                f"{size:,} states that lead into each other: more equations than {MOST_IN_BLOCK:,}; after(n) "
                "and a state that only falls need none",
                cells=size * size,
            )
        matrix = [[Fraction(int(i == j)) for j in range(size)] for i in range(size)]
        for i, entry in enumerate(rows):
            row, total = entry  # type: ignore[misc]
            for other, weight in row.items():
                j = members.get(other)
                if j is not None:
                    matrix[j][i] -= Fraction(weight, total)
        return _linear_solution(matrix, right)

    @property
    def never(self) -> Fraction:
        """The probability never to end."""
        return Fraction(0) if self._passed[1] is not None else self._visits[3]

    @cached_property
    def moments(self) -> tuple[Fraction, Fraction]:
        """Mean and variance of the number of steps."""
        if self._passed[1] is not None:
            return self.steps.mean, self.steps.variance
        _, first, second, never = self._visits
        if never:
            raise RulekitError(f"with a probability of {never} this chain never ends: its steps have no mean")
        mean = first
        return mean, 2 * second + first - mean**2

    def end(self) -> Row:
        """Weights of the final states."""
        if self._passed[1] is not None:
            return self._passed[1]
        finals, _, _, never = self._visits
        if never:
            raise RulekitError(
                f"with a probability of {never} this chain never ends: it has no final state then"
            )
        return _as_weights({state: p for state, p in finals.items() if p})


def _plain(value: Any) -> Value:
    """A field's value in its one form."""
    return plain(value) if kind_of(value) is not None else value


def _as_weights(odds: dict[State, Fraction]) -> Row:
    common = math.lcm(*[p.denominator for p in odds.values()])
    return {state: p.numerator * (common // p.denominator) for state, p in odds.items()}


def _linear_solution(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """Solve matrix x = right exactly."""
    try:
        from flint import fmpq, fmpq_mat
    except ImportError:
        return _eliminated(matrix, right)
    size = len(right)
    a = fmpq_mat(size, size, [fmpq(x.numerator, x.denominator) for row in matrix for x in row])
    b = fmpq_mat(size, 1, [fmpq(x.numerator, x.denominator) for x in right])
    solution = a.solve(b)
    return [Fraction(int(solution[i, 0].p), int(solution[i, 0].q)) for i in range(size)]


def _eliminated(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction]:
    """The same by Gaussian elimination. I - Q of states that all leave has a pivot in every column."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    size = len(rows)
    for column in range(size):
        pivot = next(i for i in range(column, size) if rows[i][column])
        rows[column], rows[pivot] = rows[pivot], rows[column]
        head = rows[column]
        inverse = 1 / head[column]
        rows[column] = head = [value * inverse if value else value for value in head]
        for i in range(size):
            factor = rows[i][column]
            if i != column and factor:
                rows[i] = [x - factor * y if y else x for x, y in zip(rows[i], head, strict=True)]
    return [row[size] for row in rows]
