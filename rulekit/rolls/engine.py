"""From an expression to its distribution: the integer tables, point by point of its axes, and their cache."""

from __future__ import annotations

import itertools
import math
import threading
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Any

from rulekit import _caches
from rulekit.distributions import Dist
from rulekit.errors import RulekitError, TooLarge
from rulekit.rolls.elimination import Budget, eliminate
from rulekit.rolls.expressions import Roll, ThrowOf, _make, _walk
from rulekit.rolls.graph import Graph, Same, ThrowViews, hashable_view
from rulekit.rolls.integer_tables import Conditional, IntegerTables, Row, _function
from rulekit.rolls.operations import SCALAR, Undefined, Value
from rulekit.rolls.throws import views_of

__all__ = [
    "Arrays",
    "die_row",
    "die_structure",
    "integer_rows",
    "plain_value",
    "possible_values",
    "structures",
    "witness",
]

#: Seconds that one cell of an integer table takes, roughly.
_CELL_SECONDS = 4e-7
#: The same for an array table.
_ARRAY_CELL_SECONDS = 1e-8


class _Cache:
    """Finished results by structure: the least recently used go when the weights held are too many."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.held = 0
        self.entries: OrderedDict[Any, tuple[Any, int]] = OrderedDict()
        self.lock = threading.Lock()

    def get(self, key: Any) -> Any:
        with self.lock:
            entry = self.entries.get(key)
            if entry is None:
                return None
            self.entries.move_to_end(key)
            return entry[0]

    def put(self, key: Any, value: Any, size: int) -> None:
        with self.lock:
            if key in self.entries or size > self.most // 8:
                return
            self.entries[key] = (value, size)
            self.held += size
            while self.held > self.most:
                self.held -= self.entries.popitem(last=False)[1][1]

    def clear(self) -> None:
        with self.lock:
            self.entries.clear()
            self.held = 0


#: Results by (structure, values of the axes); a weight counts 1, and 8 for a big one is near enough.
results = _Cache(2_000_000)
#: Structures by their description; a number is never given twice, so a cleared table cannot mislead.
_structures: dict[Any, int] = {}
_structure_numbers = itertools.count(1)
_structures_lock = threading.Lock()


def _intern(description: Any) -> int:
    number = _structures.get(description)
    if number is None:
        with _structures_lock:
            if len(_structures) > 100_000:
                _structures.clear()
            number = _structures.setdefault(description, next(_structure_numbers))
    return number


def _clear() -> None:
    results.clear()
    with _structures_lock:
        _structures.clear()


_caches.register(_clear)


def structures(graph: Graph) -> dict[int, int]:
    """The number of each module's structure: equal for modules that are the same but for their rolls."""
    if graph.structures is not None:
        return graph.structures
    plain: dict[int, Any] = {}
    numbers: dict[int, int] = {}
    for number, (op, args, param) in enumerate(zip(graph.op, graph.args, graph.param, strict=True)):
        if not graph.masks[number]:
            plain[number] = _intern((op, _parameter(op, param), tuple([plain[arg] for arg in args])))
    for module, (inside, inputs) in graph.skeletons.items():
        local: dict[int, Any] = {}
        for index, number in enumerate(inputs):
            local[number] = (index, numbers[number])
        description: list[Any] = []
        for number in inside:
            description.append(
                (
                    graph.op[number],
                    _parameter(graph.op[number], graph.param[number]),
                    tuple([-plain[arg] if arg in plain else local[arg] for arg in graph.args[number]]),
                )
            )
            local[number] = len(local)
        numbers[module] = _intern(tuple(description))
    graph.structures = numbers
    return numbers


def _parameter(op: str, param: Any) -> Any:
    if op == "const":
        return type(param), param
    if op == "draw" and isinstance(param, Dist):
        return param.kind, param, _types(param.outcomes) if param.kind == "label" else None
    if op == "table":
        return param, _types(param.results)
    if isinstance(param, ThrowViews):
        return die_structure(param.source), tuple([hashable_view(view) for view in param.views])
    try:
        hash(param)
    except TypeError:
        return Same(param)
    return param


def _types(value: Any) -> Any:
    """What keeps values apart that are equal: True and 1, in tuples too."""
    return tuple([_types(part) for part in value]) if type(value) is tuple else type(value)


def die_structure(source: ThrowOf) -> Any:
    """What a throw's die is, as part of a key: its structure, where it shares no outer roll."""
    if source.structure is None and source.die._op == "draw" and not source.die._args:
        source.structure = _parameter("draw", source.die._param)
    if source.structure is None:
        graph = Graph(source.die)
        whole = structures(graph).get(graph.root)
        shared = source.outer or whole is None
        source.structure = Same(source) if shared else (whole, tuple(graph.stat_names))
    return source.structure


def points(
    names: Sequence[str], values: dict[str, tuple[Any, ...]], together: bool = False
) -> Iterator[dict[str, Any]]:
    """Every point of the axes, the last axis running fastest; or, `together`, their first values, their
    second ones and so on.
    """
    columns = [values[name] for name in names]
    for combination in zip(*columns, strict=True) if together and names else itertools.product(*columns):
        yield dict(zip(names, combination, strict=True))


def integer_rows(
    graph: Graph,
    names: Sequence[str],
    values: dict[str, tuple[Any, ...]],
    cells: int | None = None,
    together: bool = False,
    until: float = math.inf,
) -> Iterator[tuple[Row, int]]:
    """The root's distribution at every one of `points`: outcome -> weight, and the weights' sum."""
    numbers = structures(graph)
    budget = Budget(_CELL_SECONDS, cells, until)
    for point in points(names, values, together):
        tables = IntegerTables(graph.stat_names, point, budget)

        def known(module: int, tables: IntegerTables = tables) -> Conditional | None:
            found: Conditional | None = results.get((numbers[module], tables.binding(graph.axes[module])))
            return found

        def keep(module: int, result: Conditional, tables: IntegerTables = tables) -> None:
            key = numbers[module], tables.binding(graph.axes[module])
            results.put(key, result, len(result.rows[0]) * (1 + result.total.bit_length() // 256))

        result = eliminate(graph, tables, known, keep)
        yield result.rows[0], result.total


def plain_value(graph: Graph, point: dict[str, Any]) -> Value:
    """The value of an expression without rolls at one point of its axes."""
    values: list[Value] = []
    for op, param, args in zip(graph.op, graph.param, graph.args, strict=True):
        if op == "const":
            values.append(param)
        elif op == "stat":
            values.append(point[param])
        else:
            values.append(_function(op, param)(*[values[arg] for arg in args]))
    return values[graph.root]


class Arrays:
    """Array tables shared by several graphs over the same axes: modules of equal structure are found once.

    `rows(graph)` gives a root's outcomes, and their float64 probabilities in an array (*axes, outcomes);
    an axis on which they do not depend has length 1. Values that go `together` are one axis.
    """

    def __init__(
        self,
        values: dict[str, tuple[Any, ...]],
        cells: int | None = None,
        together: bool = False,
        until: float = math.inf,
    ) -> None:
        from rulekit.rolls.array_tables import ArrayTables

        self.tables = ArrayTables(values, Budget(_ARRAY_CELL_SECONDS, cells, until), together)
        self.found: dict[int, Any] = {}

    def rows(self, graph: Graph) -> tuple[list[Any], Any]:
        """Raises `array_tables.NeedsIntegers` for what arrays cannot hold."""
        numbers = structures(graph)
        found, tables = self.found, self.tables
        result = eliminate(
            graph,
            tables,
            lambda module: found.get(numbers[module]),
            lambda module, value: found.setdefault(numbers[module], value),
        )
        alive = result.rows.any(axis=0)
        outcomes = [tables.decode(number) for number in result.support[alive].tolist()]
        return outcomes, result.rows[:, alive][result.index[..., 0]]


def die_row(source: ThrowOf, given: tuple[Value, ...]) -> tuple[Row, int]:
    """A throw's die at these values of its axes and of the outer rolls that it shares."""
    from rulekit.rolls.expressions import axes_of

    die = source.die
    if die._op == "draw" and not die._args:
        return dict(die._param.items()), die._param.denominator
    axes = axes_of(die)
    if source.outer:
        die = _bound(die, dict(zip(source.outer, given[len(axes) :], strict=True)))
    graph = Graph(die)
    values = {str(axis.name): (value,) for axis, value in zip(axes, given, strict=False)}
    graph.stat_values = values
    return next(integer_rows(graph, graph.stat_names, values))


def _bound(x: Roll[Any], values: dict[int, Value]) -> Roll[Any]:
    """x with the base rolls of these identities showing these values."""
    fresh: dict[int, Roll[Any]] = {}
    for node in _walk(x):
        if node._identity in values:
            fresh[id(node)] = _make("const", (), node._kind, values[node._identity])
        else:
            args = tuple(fresh[id(arg)] for arg in node._args)
            fresh[id(node)] = _make(
                node._op, args, node._kind, node._param, node._name, node._identity, node._scope, type(node)
            )
    return fresh[id(x)]


# -- what an expression can show, for tables and `apply` -------------------------------------------


def possible_values(x: Roll[Any]) -> tuple[Value, ...]:
    """Every value that x can show somewhere on its axes. Empty where finding out would cost too much: what
    is missing is then undefined, and an error as soon as it matters.
    """
    bounds = _bounds(x)
    if bounds is not None and bounds[1] - bounds[0] <= 4096:
        rough = tuple(range(bounds[0], bounds[1] + 1))
    else:
        rough = ()
    if rough and x._kind == "number" and _is_whole_range(x):
        return rough
    graph = Graph(x)
    count = 1
    for name in graph.stat_names:
        count *= len(graph.stat_values[name])
    if count > 2_000:
        return ()
    found: dict[Value, None] = {}
    try:
        for row, _ in integer_rows(graph, graph.stat_names, graph.stat_values, cells=2_000_000):
            found.update(dict.fromkeys(value for value in row if not isinstance(value, Undefined)))
    except TooLarge:
        return ()
    return tuple(found)


def _is_whole_range(x: Roll[Any]) -> bool:
    return (
        x._op == "draw"
        and not x._args
        and x._param.outcomes == tuple(range(x._param.outcomes[0], x._param.outcomes[-1] + 1))
    )


def _bounds(x: Roll[Any]) -> tuple[int, int] | None:
    if x._op == "draw" and not x._args and all(isinstance(value, int) for value in x._param.outcomes):
        return x._param.outcomes[0], x._param.outcomes[-1]
    return None


def witness(args: Sequence[Roll[Any]], first: int = 0) -> list[Value]:
    """One combination of plain values that `args` can show together, found without any odds: the lowest of
    each die, or the highest (`first` -1), where that is defined.
    """
    top = _make("pair", tuple(args), "number")
    order = _walk(top)
    for attempt in range(first, 64):
        value: dict[int, Any] = {}
        drawn: dict[int, Any] = {}
        for node in order:
            if node is top:
                break
            given = [value[id(arg)] for arg in node._args]
            value[id(node)] = _show(node, given, drawn, attempt)
        result = [value[id(arg)] for arg in args]
        if not any(isinstance(v, Undefined) for v in result):
            return result
    bad = next(v for v in result if isinstance(v, Undefined))
    raise RulekitError(
        f"apply: no combination of values was found for which its arguments are defined ({bad})"
    )


def _show(node: Roll[Any], given: list[Value], drawn: dict[int, Any], attempt: int) -> Value:
    op, param = node._op, node._param
    if op == "const":
        return param
    if op == "stat":
        return param[attempt % len(param)]
    if op in ("draw", "throw"):
        if node._identity not in drawn:
            drawn[node._identity] = _pick(node, given, attempt, len(drawn))
        return drawn[node._identity]
    if op == "view":
        faces = given[0]
        return faces if isinstance(faces, Undefined) else views_of((param,), faces)[0]
    if op == "mark":
        return given[0]
    if op in SCALAR:
        return _function(op, None)(*given)
    return _function(op, param)(*given)


def _pick(node: Roll[Any], given: list[Value], attempt: int, place: int) -> Any:
    bad = next((value for value in given if isinstance(value, Undefined)), None)
    if bad is not None:
        return bad
    if node._op == "throw":
        number = given[0]
        if not isinstance(number, int) or number < 0:
            return Undefined("a throw of dice in number", (number,))
        row, _ = die_row(node._param, tuple(given[1:]))
        return [list(row)[attempt % len(row)]] * number
    die = node._param(*given) if given else node._param
    if isinstance(die, Undefined):
        return die
    # A different outcome of each die in each attempt, so that 0 / 0 at the first is not the end.
    return die.outcomes[(attempt * (1 + place % 7)) % len(die.outcomes)]
