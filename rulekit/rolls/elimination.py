"""Elimination: from a graph to the distribution of its root, module by module, over any kind of table.

Within a module the values still needed are kept in one joint table of states (the frontier). A node is
*plain* (no roll beneath it), a *column* (one value a state), or a *conditional* (a distribution a state,
independent of every other conditional given the state). A node read once may stay a conditional; one read
more often becomes a column when it is first needed: the states multiply. Columns that nobody reads any more
are dropped and equal states merged, before the next one multiplies.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from typing import Any, Protocol

from rulekit._clock import processor_time
from rulekit.errors import TooLarge
from rulekit.rolls.graph import ACCUMULATORS, Graph

__all__ = ["Budget", "Tables", "eliminate"]

#: The default budget: cells that may be held or worked through for one answer.
CELLS = 50_000_000
#: The default budget in seconds, by each kind of table's own estimate of what a cell costs.
SECONDS = 10.0


class Budget:
    """What one question may cost; spent by the tables as they multiply, before they allocate.

    `until` is the thread's processor time after which nothing more is spent, if any.
    """

    __slots__ = ("cells", "cost", "names", "seconds", "spent", "until")

    def __init__(self, cost: float, cells: int | None = None, until: float = math.inf) -> None:
        self.cost = cost
        self.cells = CELLS if cells is None else cells
        self.seconds = SECONDS if cells is None else max(SECONDS, cells * SECONDS / CELLS)
        self.spent = 0
        self.until = until
        self.names: Callable[[], list[str]] = list

    def spend(self, cells: int) -> None:
        """Take `cells` from the budget, or raise `TooLarge` with what multiplies."""
        self.spent += cells
        if cells <= self.cells and self.spent * self.cost <= self.seconds:
            if self.until == math.inf or processor_time() <= self.until:
                return
            raise TooLarge("this takes longer than was allowed for it", cells=cells)
        names = list(dict.fromkeys(self.names()))[:12]
        seconds = self.spent * self.cost
        raise TooLarge(
            f"this needs a table of {cells:,} cells and about {max(seconds, 0.1):.1f} s or more; the budget "
            f"is {self.cells:,} cells and {self.seconds:.0f} s. "
            f"What multiplies: {', '.join(names) or 'the outcomes'}. "
            "Throw equal dice together with dice(n, die), read less in one question, use fewer values of an "
            "axis, or raise budget= (in cells)",
            cells=cells,
            seconds=seconds,
            rolls=names,
        )


class Tables(Protocol):
    """One kind of table: how values, columns and conditionals are held and worked on."""

    budget: Budget

    def plain(self, op: str, param: Any, args: list[Any]) -> Any:
        """A node with no roll beneath it."""

    def begin(self) -> None:
        """A frontier of one state that always holds."""

    def apply(self, op: str, param: Any, args: list[Any]) -> Any:
        """An operation on plain values, columns and conditionals, none of them needed jointly."""

    def is_conditional(self, value: Any) -> bool:
        """Whether it is a distribution a state."""

    def is_column(self, value: Any) -> bool:
        """Whether it is a value a state."""

    def depends_on_state(self, value: Any) -> bool:
        """Whether a conditional has a row a state, and not one for all."""

    def materialise(self, value: Any, live: dict[int, Any]) -> Any:
        """Multiply the states by a conditional's outcomes; `live` is brought along in place."""

    def merge(self, live: dict[int, Any]) -> None:
        """Make states with equal live columns one; `live` holds columns and shared conditionals."""

    def marginal(self, value: Any) -> Any:
        """A value's distribution over all states, as a conditional with one row for all."""

    def binding(self, axes: int) -> Any:
        """What a result depends on besides its structure: the values of these axes."""


def eliminate(
    graph: Graph, tables: Tables, known: Callable[[int], Any], keep: Callable[[int, Any], None]
) -> Any:
    """The distribution of the graph's root.

    `known(module)` gives a finished result or None, `keep(module, result)` may store one: modules of equal
    structure are eliminated once.
    """
    plain: dict[int, Any] = {}
    for number, mask in enumerate(graph.masks):
        if not mask:
            plain[number] = tables.plain(
                graph.op[number], graph.param[number], [plain[arg] for arg in graph.args[number]]
            )
    if graph.root in plain:
        tables.begin()
        return tables.marginal(plain[graph.root])
    results: dict[int, Any] = {}
    needed = _needed(graph, known, results)
    for module in sorted(needed):
        result = _Frontier(graph, tables, module, plain, results).run()
        results[module] = result
        keep(module, result)
    return results[graph.root]


def _needed(graph: Graph, known: Callable[[int], Any], results: dict[int, Any]) -> list[int]:
    """The modules that still have to be eliminated; what is known goes into `results`."""
    needed: list[int] = []
    seen = {graph.root}
    stack = [graph.root]
    for module in stack:
        result = known(module)
        if result is not None:
            results[module] = result
            continue
        needed.append(module)
        for child in graph.skeletons[module][1]:
            if child not in seen:
                seen.add(child)
                stack.append(child)
    return needed


class _Frontier:
    """The elimination of one module."""

    def __init__(
        self, graph: Graph, tables: Tables, module: int, plain: dict[int, Any], results: dict[int, Any]
    ) -> None:
        self.graph, self.tables, self.module = graph, tables, module
        self.inside, inputs = graph.skeletons[module]
        self.value: dict[int, Any] = {}
        self.plain = plain
        self.inputs = inputs
        self.results = results
        self.op = graph.op

    def run(self) -> Any:
        graph, tables, module = self.graph, self.tables, self.module
        tables.budget.names = self.names
        tables.begin()
        if len(self.inside) == 1 and len(self.inputs) == sum(1 for a in graph.args[module] if graph.masks[a]):
            args = [self.plain[a] if a in self.plain else self.results[a] for a in graph.args[module]]
            return tables.marginal(tables.apply(graph.op[module], graph.param[module], args))
        self._prepare()
        while self.todo:
            if not self._run_free():
                self._unlock()
        return tables.marginal(self.value[module])

    def names(self) -> list[str]:
        """The rolls in the frontier, for `TooLarge`."""
        masks = self.graph.masks
        held = 0
        for number in self.value or self.inputs:
            held |= masks[number] if number < len(masks) else 0
        return [
            self.graph.text(number)
            for number, op in enumerate(self.graph.op)
            if op in ("draw", "throw") and masks[number] & held
        ]

    def _prepare(self) -> None:
        graph = self.graph
        self.todo = set(self.inside)
        self.args: dict[int, list[int]] = {}
        self.param: dict[int, Any] = {}
        self.left: dict[int, int] = {}  # how often each value is still to be read
        self.readers: dict[int, list[int]] = {}
        self.waiting: dict[int, int] = {}  # how many arguments are not there yet
        for number in self.inside:
            args = list(graph.args[number])
            self.args[number] = args
            self.param[number] = graph.param[number]
            self.waiting[number] = 0
            for arg in args:
                if arg not in self.plain:
                    self.left[arg] = self.left.get(arg, 0) + 1
                    self.waiting[number] += 1
                    self.readers.setdefault(arg, []).append(number)
        self.left[self.module] = self.left.get(self.module, 0) + 1
        self.free: list[int] = []
        self.fresh = len(graph.op)  # numbers for partial results of accumulators
        self.dirty = False  # whether a column has died since states were last merged
        for number in self.inputs:
            self._arrived(number, self.results[number])

    def _arrived(self, number: int, value: Any) -> None:
        self.value[number] = value
        for reader in self.readers.get(number, ()):
            self.waiting[reader] -= 1
            if not self.waiting[reader]:
                heapq.heappush(self.free, reader)

    def _is_free(self, number: int) -> bool:
        """Whether a node can run without the states multiplying."""
        for arg in self.args[number]:
            if arg not in self.plain and self.left[arg] > 1 and self.tables.is_conditional(self.value[arg]):
                return False
        return True

    def _read(self, arg: int) -> Any:
        if arg in self.plain:
            return self.plain[arg]
        value = self.value[arg]
        self.left[arg] -= 1
        if not self.left[arg]:
            del self.value[arg]
            if self.tables.is_column(value):
                self.dirty = True
        elif self.left[arg] == 1:  # its last reader may have waited for that
            for reader in self.readers[arg]:
                if reader in self.todo and not self.waiting[reader]:
                    heapq.heappush(self.free, reader)
        return value

    def _run_free(self) -> bool:
        ran = False
        while self.free:
            number = heapq.heappop(self.free)
            if number not in self.todo or self.waiting[number] or not self._is_free(number):
                continue
            self.todo.discard(number)
            args = [self._read(arg) for arg in self.args[number]]
            self._arrived(number, self.tables.apply(self.op[number], self.param[number], args))
            ran = True
        return ran

    def _unlock(self) -> None:
        """Nothing can run as it is: fold what accumulators have, merge states, and make what blocks the
        next node columns, which multiplies the states.
        """
        for number in sorted(self.todo):
            if self.op[number] in ACCUMULATORS and self.waiting[number]:
                self._fold(number)
        blocking: list[int] = []
        for number in sorted(self.todo):  # in the expression's own order: what is begun is finished first
            if self.waiting[number] and self.op[number] not in ACCUMULATORS:
                continue
            blocking = [
                arg
                for arg in dict.fromkeys(self.args[number])
                if arg in self.value and self.left[arg] > 1 and self.tables.is_conditional(self.value[arg])
            ]
            if self.waiting[number]:
                blocking = blocking[:1]  # an accumulator needs one at a time
            if blocking:
                break
        assert blocking, "a module's nodes always have something to run"
        if self.dirty:
            self._merge()
        for arg in blocking:
            if self.tables.is_conditional(self.value[arg]):  # merging may have made it a column
                self._materialise(arg)

    def _materialise(self, arg: int) -> None:
        value = self.value.pop(arg)
        self.value[arg] = self.tables.materialise(value, self.value)
        for reader in self.readers.get(arg, ()):
            if reader in self.todo and not self.waiting[reader]:
                heapq.heappush(self.free, reader)

    def _merge(self) -> None:
        for number in [n for n, v in self.value.items() if self.tables.is_conditional(v)]:
            if self.tables.depends_on_state(self.value[number]):
                self._materialise(number)
        self.tables.merge(self.value)
        self.dirty = False

    def _fold(self, number: int) -> None:
        """Put the terms that an accumulator already has into one partial value."""
        tables = self.tables
        ready = [
            index
            for index, arg in enumerate(self.args[number])
            if arg in self.value and not (self.left[arg] > 1 and tables.is_conditional(self.value[arg]))
        ]
        # Terms that depend on no state can wait: they cost nothing until the end.
        if len(ready) < 2 or not any(
            tables.is_column(self.value[self.args[number][i]])
            or tables.depends_on_state(self.value[self.args[number][i]])
            for i in ready
        ):
            return
        args = self.args[number]
        taken = [args[i] for i in ready]
        rest = [i for i in range(len(args)) if i not in set(ready)]
        if self.op[number] == "sum":
            coefficients, constant = self.param[number]
            part_param: Any = (tuple([coefficients[i] for i in ready]), 0)
            self.param[number] = ((*[coefficients[i] for i in rest], 1), constant)
        else:
            part_param = None
        partial = self.fresh
        self.fresh += 1
        self.args[number] = [*[args[i] for i in rest], partial]
        values = [self._read(arg) for arg in taken]
        self.left[partial] = 1
        self.readers[partial] = [number]
        self.value[partial] = tables.apply(self.op[number], part_param, values)
