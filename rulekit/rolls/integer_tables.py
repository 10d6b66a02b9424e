"""Integer tables: whole-number weights in plain Python, exact at any size, with no NumPy."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from itertools import accumulate, product
from math import gcd, lcm
from operator import itemgetter
from typing import Any

from rulekit.distributions import Dist
from rulekit.distributions.kernels import convolve, power
from rulekit.rolls.elimination import Budget
from rulekit.rolls.operations import SCALAR, Undefined, Value, strict

__all__ = ["Column", "Conditional", "IntegerTables", "Plain"]

Row = dict[Any, int]

#: Below this many products of weights, two dictionaries multiply faster than two dense lists.
_SMALL = 600
#: A dense list may be this much longer than the outcomes that it holds.
_SPARSE = 16


class Plain:
    """One value, whatever was rolled."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value


class Column:
    """One value for each state."""

    __slots__ = ("values",)

    def __init__(self, values: list[Value]) -> None:
        self.values = values


class Conditional:
    """A distribution for each state (or one for all): weights that add up to `total` in every row."""

    __slots__ = ("rows", "total")

    def __init__(self, rows: list[Row], total: int) -> None:
        self.rows = rows
        self.total = total


class IntegerTables:
    """Tables for one point of the stat axes: `point` has the value of each axis by name."""

    def __init__(self, stat_names: list[str], point: dict[str, Any], budget: Budget) -> None:
        self.point = point
        self.by_name = sorted((name, 1 << i) for i, name in enumerate(stat_names))
        self.budget = budget
        self.weights: list[int] = [1]

    def binding(self, axes: int) -> Any:
        """The values of these axes by name, for a result's key: each graph has an order of its own, and True
        is not 1.
        """
        if not axes:
            return ()
        values = [self.point[name] for name, bit in self.by_name if axes & bit]
        return tuple(values), tuple(map(type, values))

    def plain(self, op: str, param: Any, args: list[Any]) -> Plain:
        """A node with no roll beneath it."""
        if op == "const":
            return Plain(param)
        if op == "stat":
            return Plain(self.point[param])
        return Plain(_function(op, param)(*[arg.value for arg in args]))

    def begin(self) -> None:
        """A frontier of one state."""
        self.weights = [1]

    def is_conditional(self, value: Any) -> bool:
        """Whether it is a distribution a state."""
        return type(value) is Conditional

    def is_column(self, value: Any) -> bool:
        """Whether it is a value a state."""
        return type(value) is Column

    def depends_on_state(self, value: Any) -> bool:
        """Whether a conditional has a row a state."""
        return type(value) is Conditional and len(value.rows) > 1

    def materialise(self, value: Conditional, live: dict[int, Any]) -> Column:
        """Multiply the states by the outcomes of `value`."""
        rows = value.rows
        count = len(self.weights)
        shared = len(rows) == 1
        cells = count * len(rows[0]) if shared else sum(map(len, rows))
        self.budget.spend(cells * (1 + len(live)))
        weights: list[int] = []
        values: list[Value] = []
        origin: list[int] = []
        for state, weight in enumerate(self.weights):
            row = rows[0] if shared else rows[state]
            values += row
            weights += [weight * w for w in row.values()] if weight != 1 else row.values()
            origin += [state] * len(row)
        self.weights = weights
        for number, other in live.items():
            if type(other) is Column:
                column = other.values
                live[number] = Column([column[state] for state in origin])
            elif type(other) is Conditional and len(other.rows) > 1:
                old = other.rows
                live[number] = Conditional([old[state] for state in origin], other.total)
        return Column(values)

    def merge(self, live: dict[int, Any]) -> None:
        """Make states with equal live columns one."""
        columns = [(number, value.values) for number, value in live.items() if type(value) is Column]
        if not columns:
            self.weights = [sum(self.weights)]
            return
        merged: dict[Any, int] = {}
        get = merged.get
        self.budget.spend(len(self.weights))
        if len(columns) == 1:
            for state, weight in zip(columns[0][1], self.weights, strict=True):
                merged[state] = get(state, 0) + weight
            live[columns[0][0]] = Column(list(merged))
        else:
            for state, weight in zip(
                zip(*[values for _, values in columns], strict=True), self.weights, strict=True
            ):
                merged[state] = get(state, 0) + weight
            for (number, _), values in zip(columns, zip(*merged, strict=True), strict=True):
                live[number] = Column(list(values))
        self.weights = list(merged.values())

    def marginal(self, value: Any) -> Conditional:
        """A value's distribution over all states, as one row in lowest terms."""
        row: Row
        if type(value) is Plain:
            return Conditional([{value.value: 1}], 1)
        if type(value) is Column:
            row = {}
            for outcome, weight in zip(value.values, self.weights, strict=True):
                row[outcome] = row.get(outcome, 0) + weight
        elif len(value.rows) == 1:
            row = value.rows[0]
        else:
            row = {}
            for part, weight in zip(value.rows, self.weights, strict=True):
                for outcome, w in part.items():
                    row[outcome] = row.get(outcome, 0) + weight * w
        divisor = gcd(*row.values())
        if divisor > 1:
            row = {outcome: weight // divisor for outcome, weight in row.items()}
        return Conditional([row], sum(row.values()))

    def apply(self, op: str, param: Any, args: list[Any]) -> Any:
        """An operation on values, columns and conditionals, none of them needed jointly."""
        conditionals = [arg for arg in args if type(arg) is Conditional]
        states = len(self.weights)
        if not conditionals and not (op == "draw" or op == "throw"):
            function = _function(op, param)
            columns = [arg.values if type(arg) is Column else [arg.value] * states for arg in args]
            self.budget.spend(states)
            return Column(list(map(function, *columns)))
        by_state = any(
            type(arg) is Column or (type(arg) is Conditional and len(arg.rows) > 1) for arg in args
        )
        if op == "sum" and by_state:
            param, args = self._sum_shared(*self._sum_columns(param, args))
        kernel = _KERNELS.get(op)
        if kernel is None:
            return self._outer(op, param, args, states if by_state else 1)
        if not by_state:
            return _even([kernel(self, param, [self._part(arg, 0) for arg in args])])
        # Many states have the same row or value in each argument: each combination is worked out once.
        keys = [
            arg.values if isinstance(arg, Column) else list(map(id, arg.rows))
            for arg in args
            if isinstance(arg, Column) or (isinstance(arg, Conditional) and len(arg.rows) > 1)
        ]
        found: dict[Any, Part] = {}
        results: list[Part] = []
        for state, key in enumerate(keys[0] if len(keys) == 1 else zip(*keys, strict=True)):
            result = found.get(key)
            if result is None:
                result = found[key] = kernel(self, param, [self._part(arg, state) for arg in args])
            results.append(result)
        return _even(results)

    def _part(self, arg: Any, state: int) -> Part:
        """An argument's distribution in one state."""
        if type(arg) is Conditional:
            return arg.rows[state if len(arg.rows) > 1 else 0], arg.total
        return {arg.values[state] if type(arg) is Column else arg.value: 1}, 1

    def _sum_columns(self, param: Any, args: list[Any]) -> tuple[Any, list[Any]]:
        """Add up first what is one value a state."""
        coefficients, constant = param
        columns = [i for i, arg in enumerate(args) if type(arg) is not Conditional]
        if len(columns) < 2:
            return param, args
        one = self.apply(
            "sum", (tuple([coefficients[i] for i in columns]), constant), [args[i] for i in columns]
        )
        rest = [i for i in range(len(args)) if i not in set(columns)]
        return ((1, *[coefficients[i] for i in rest]), 0), [one, *[args[i] for i in rest]]

    def _sum_shared(self, param: Any, args: list[Any]) -> tuple[Any, list[Any]]:
        """Add up first what depends on no state: once, not once a state."""
        coefficients, constant = param
        shared = [i for i, arg in enumerate(args) if type(arg) is Conditional and len(arg.rows) == 1]
        if len(shared) < 2:
            return param, args
        row, total = _sum_kernel(
            self, ([coefficients[i] for i in shared], 0), [(args[i].rows[0], args[i].total) for i in shared]
        )
        rest = [i for i in range(len(args)) if i not in set(shared)]
        together = Conditional([row], total)
        return ((*[coefficients[i] for i in rest], 1), constant), [*[args[i] for i in rest], together]

    def _outer(self, op: str, param: Any, args: list[Any], count: int) -> Conditional:
        """Any function of independent arguments: every combination of their outcomes."""
        function = _function(op, param)
        rows: list[Row] = []
        total = 1
        for arg in args:
            if type(arg) is Conditional:
                total *= arg.total
        memo: dict[Any, Row] = {}
        for state in range(count):
            parts: list[Row] = []
            key: list[Any] = []
            for arg in args:
                if type(arg) is Conditional:
                    part = arg.rows[state] if len(arg.rows) > 1 else arg.rows[0]
                    parts.append(part)
                    key.append(id(part))
                else:
                    value = arg.values[state] if type(arg) is Column else arg.value
                    parts.append({value: 1})
                    key.append((type(value), value))
            known = memo.get(tuple(key))
            if known is None:
                known = memo[tuple(key)] = self._product(function, parts)
            rows.append(known)
        return Conditional(rows, total)

    def _product(self, function: Callable[..., Value], parts: list[Row]) -> Row:
        cells = reduce(lambda n, part: n * len(part), parts, 1)
        self.budget.spend(cells)
        row: Row = {}
        get = row.get
        if len(parts) == 1:
            for value, weight in parts[0].items():
                result = function(value)
                row[result] = get(result, 0) + weight
        elif len(parts) == 2:
            second = list(parts[1].items())
            for a, w in parts[0].items():
                for b, v in second:
                    result = function(a, b)
                    row[result] = get(result, 0) + w * v
        else:
            for combination in product(*[part.items() for part in parts]):
                weight = 1
                for _, w in combination:
                    weight *= w
                result = function(*[value for value, _ in combination])
                row[result] = get(result, 0) + weight
        return row


def _even(parts: list[Part]) -> Conditional:
    """Rows brought to one total; equal ones stay one object."""
    totals = {total for _, total in parts}
    if len(totals) == 1:
        return Conditional([row for row, _ in parts], totals.pop())
    common = lcm(*totals)
    scaled: dict[int, Row] = {}
    rows = []
    for row, total in parts:
        if total != common:
            known = scaled.get(id(row))
            if known is None:
                factor = common // total
                known = scaled[id(row)] = {value: weight * factor for value, weight in row.items()}
            row = known
        rows.append(row)
    return Conditional(rows, common)


def _function(op: str, param: Any) -> Callable[..., Value]:
    """An operation as a function of plain values that passes on what is undefined."""
    known = _STRICT.get(op)
    if known is not None:
        return known
    if op == "sum":
        return _weighted(*param)
    if op == "isin":
        return strict(op, lambda x: x in param)
    if op == "item":
        return strict(op, itemgetter(param))
    if op == "times":
        return strict(op, lambda value: value * param)
    return strict(op, param)  # `apply` and `table`: the function or look-up itself


def _weighted(coefficients: tuple[Any, ...], constant: Any) -> Callable[..., Value]:
    if len(coefficients) == 1:
        k = coefficients[0]

        def one(x: Value) -> Value:
            return x if type(x) is Undefined else _number(k * x + constant)

        return one

    def several(*values: Value) -> Value:
        result = constant
        for k, value in zip(coefficients, values, strict=True):
            if type(value) is Undefined:
                return value
            result += k * value
        return _number(result)

    return several


def _number(value: Any) -> Any:
    return value.numerator if type(value) is Fraction and value.denominator == 1 else value


def _many(decide: Callable[..., Value], name: str) -> Callable[..., Value]:
    """`min`, `max`, `&`, `|` of any number of values."""
    two = strict(name, decide)

    def function(*values: Value) -> Value:
        return reduce(two, values)

    return function


_STRICT: dict[str, Callable[..., Value]] = {
    name: _many(function, name) if name in ("min", "max", "and", "or") else strict(name, function)
    for name, function in SCALAR.items()
}


# -- kernels: operations on independent distributions that need not look at every combination ------

Part = tuple[Row, int]


def _total(parts: list[Part]) -> int:
    return reduce(lambda n, part: n * part[1], parts, 1)


def _undefined(row: Row) -> bool:
    return any(type(value) is Undefined for value in row)


def _sum_kernel(tables: IntegerTables, param: Any, parts: list[Part]) -> Part:
    """A weighted sum: equal terms as a power, dense ones as polynomials."""
    coefficients, constant = param
    groups: list[tuple[Row, int, int]] = []  # scaled row, its total, how often
    for k, (row, total) in zip(coefficients, parts, strict=True):
        if len(row) == 1 and total == 1:
            (value,) = row
            if type(value) is Undefined:
                return {value: 1}, 1
            constant += k * value
            continue
        if any(type(value) is Undefined for value in row):
            return _folded(_function("add", None), param, parts, tables)
        if k != 1 or any(type(value) is bool for value in row):
            row = _collect((_number(k * value), weight) for value, weight in row.items())
        for index, (other, _, times) in enumerate(groups):
            if other is row or other == row:
                groups[index] = (other, total, times + 1)
                break
        else:
            groups.append((row, total, 1))
    result: Row = {_number(constant): 1}
    total = 1
    for row, row_total, times in sorted(groups, key=lambda g: len(g[0]) * g[2]):
        result = _add(tables.budget, result, multiple(tables.budget, row, times) if times > 1 else row)
        total *= row_total**times
    return result, total


def _folded(function: Callable[..., Value], param: Any, parts: list[Part], tables: IntegerTables) -> Part:
    """A sum in which something is undefined, two terms at a time."""
    coefficients, constant = param
    result: Row = {constant: 1}
    for k, (row, _) in zip(coefficients, parts, strict=True):
        scaled = _collect(
            (value if type(value) is Undefined else k * value, weight) for value, weight in row.items()
        )
        result = tables._product(function, [result, scaled])
    return result, _total(parts)


def _collect(pairs: Any) -> Row:
    row: Row = {}
    for value, weight in pairs:
        row[value] = row.get(value, 0) + weight
    return row


def _dense(row: Row) -> tuple[int, list[int]] | None:
    """Lowest outcome and weights from there, where the outcomes are whole and lie close enough."""
    if any(type(value) is not int for value in row):
        return None
    low, high = min(row), max(row)
    if high - low >= _SPARSE * len(row) + 64:
        return None
    weights = [0] * (high - low + 1)
    for value, weight in row.items():
        weights[value - low] = weight
    return low, weights


def _add(budget: Budget, a: Row, b: Row) -> Row:
    if len(a) == 1:
        ((shift, weight),) = a.items()
        if weight == 1:
            return {_number(shift + value): w for value, w in b.items()} if shift else b
    cells = len(a) * len(b)
    if cells > _SMALL:
        dense_a, dense_b = _dense(a), _dense(b)
        if dense_a is not None and dense_b is not None:
            budget.spend(len(dense_a[1]) + len(dense_b[1]))
            weights = convolve(dense_a[1], dense_b[1])
            low = dense_a[0] + dense_b[0]
            return {low + i: w for i, w in enumerate(weights) if w}
    budget.spend(cells)
    row: Row = {}
    get = row.get
    second = list(b.items())
    for value, weight in a.items():
        for other, w in second:
            result = value + other
            row[result] = get(result, 0) + weight * w
    if any(type(value) is Fraction for value in row):
        return _collect((_number(value), weight) for value, weight in row.items())
    return row


def multiple(budget: Budget, row: Row, times: int) -> Row:
    """The sum of `times` independent copies."""
    if times == 0:
        return {0: 1}
    if times == 1:
        return row
    big = 1 + times * sum(row.values()).bit_length() // 1000  # long numbers take longer
    dense = _dense(row)
    if dense is not None:
        low, weights = dense
        budget.spend(len(weights) * times * big)
        return {low * times + i: w for i, w in enumerate(power(weights, times)) if w}
    result: Row | None = None
    while times:
        if times & 1:
            result = row if result is None else _add(budget, result, row)
        times >>= 1
        if times:
            row = _add(budget, row, row)
    assert result is not None
    return result


def _extreme_kernel(highest: bool) -> Callable[[IntegerTables, Any, list[Part]], Part]:
    def kernel(tables: IntegerTables, param: Any, parts: list[Part]) -> Part:
        if any(_undefined(row) for row, _ in parts):
            function = _STRICT["max" if highest else "min"]
            return tables._product(function, [row for row, _ in parts]), _total(parts)
        rows = [row for row, _ in parts]
        values = sorted(set().union(*rows))
        tables.budget.spend(len(values) * len(rows))
        if not highest:
            values.reverse()
        below = [1] * len(values)
        for row in rows:
            for index, running in enumerate(accumulate(row.get(value, 0) for value in values)):
                below[index] *= running
        result: Row = {}
        previous = 0
        for value, cumulative in zip(values, below, strict=True):
            if cumulative != previous:
                result[int(value) if type(value) is bool else value] = cumulative - previous
                previous = cumulative
        return result, _total(parts)

    return kernel


def _logic_kernel(decides: bool) -> Callable[[IntegerTables, Any, list[Part]], Part]:
    def kernel(tables: IntegerTables, param: Any, parts: list[Part]) -> Part:
        if any(_undefined(row) for row, _ in parts):
            function = _STRICT["or" if decides else "and"]
            return tables._product(function, [row for row, _ in parts]), _total(parts)
        total = _total(parts)
        undecided = 1
        for row, _ in parts:
            undecided *= row.get(not decides, 0)
        row = {not decides: undecided, decides: total - undecided}
        return {value: weight for value, weight in row.items() if weight}, total

    return kernel


def _where_kernel(tables: IntegerTables, param: Any, parts: list[Part]) -> Part:
    """Mix the two branches with the odds of the condition."""
    (condition, condition_total), (a, a_total), (b, b_total) = parts
    if len(condition) == 1:
        (event,) = condition
        if type(event) is Undefined:
            return condition, condition_total
        return (a, a_total) if event else (b, b_total)
    common = lcm(a_total, b_total)
    tables.budget.spend(len(a) + len(b))
    row: Row = {}
    for event, part, part_total in ((True, a, a_total), (False, b, b_total)):
        factor = condition.get(event, 0) * (common // part_total)
        if factor:
            for value, weight in part.items():
                row[value] = row.get(value, 0) + weight * factor
    for value, weight in condition.items():
        if type(value) is Undefined:
            row[value] = row.get(value, 0) + weight * common
    return row, condition_total * common


def _compare_kernel(op: str) -> Callable[[IntegerTables, Any, list[Part]], Part]:
    function = _STRICT[op]

    def kernel(tables: IntegerTables, param: Any, parts: list[Part]) -> Part:
        (a, a_total), (b, b_total) = parts
        if len(a) * len(b) <= 64 or _undefined(a) or _undefined(b):
            return tables._product(function, [a, b]), a_total * b_total
        if op in ("eq", "ne"):
            tables.budget.spend(len(a) + len(b))
            same = sum(weight * b.get(value, 0) for value, weight in a.items())
            return _event(same if op == "eq" else a_total * b_total - same, a_total * b_total)
        tables.budget.spend(2 * (len(a) + len(b)))
        values = sorted(b)
        running = list(accumulate((b[value] for value in values), initial=0))
        find = bisect_left if op in ("gt", "le") else bisect_right
        below = sum(weight * running[find(values, value)] for value, weight in a.items())
        # gt, le: b < a;  ge, lt: b <= a
        return _event(below if op in ("gt", "ge") else a_total * b_total - below, a_total * b_total)

    return kernel


def _event(weight: int, total: int) -> Part:
    row = {False: total - weight, True: weight}
    return {value: w for value, w in row.items() if w}, total


def _draw_kernel(tables: IntegerTables, param: Any, parts: list[Part]) -> Part:
    """A die that depends on values: its distribution for each combination of them, mixed."""
    if not parts:
        return dict(param.items()), param.denominator
    drawn: list[Part] = []
    weights: list[int] = []
    cells = reduce(lambda n, part: n * len(part[0]), parts, 1)
    tables.budget.spend(cells)
    for combination in product(*[row.items() for row, _ in parts]):
        weight = 1
        undefined: Undefined | None = None
        for value, w in combination:
            weight *= w
            if type(value) is Undefined:
                undefined = value
        given = param(*[value for value, _ in combination]) if undefined is None else undefined
        if isinstance(given, Dist):
            drawn.append((dict(given.items()), given.denominator))
        elif type(given) is Conditional:
            drawn.append((given.rows[0], given.total))
        else:
            drawn.append(({given: 1}, 1))
        weights.append(weight)
    even = _even(drawn)
    if len(weights) == 1:
        return even.rows[0], even.total
    row: Row = {}
    for part, weight in zip(even.rows, weights, strict=True):
        tables.budget.spend(len(part))
        for value, w in part.items():
            row[value] = row.get(value, 0) + w * weight
    return row, even.total * _total(parts)


def _vecsum_kernel(tables: IntegerTables, param: Any, parts: list[Part]) -> Part:
    """Groups of several sums, added up jointly: packed into one polynomial where the outcomes are whole."""
    distinct: list[list[Any]] = []
    for row, total in parts:
        for entry in distinct:
            if entry[0] == row:
                entry[2] += 1
                break
        else:
            distinct.append([row, total, 1])
    width = len(next(iter(parts[0][0])))
    plain = all(type(x) in (int, bool) for row, _, _ in distinct for value in row for x in value)
    total = _total(parts)
    if plain:
        lows = [[min(value[i] for value in row) for i in range(width)] for row, _, _ in distinct]
        spans = [
            sum(
                (max(value[i] for value in row) - lows[g][i]) * times
                for g, (row, _, times) in enumerate(distinct)
            )
            + 1
            for i in range(width)
        ]
        size = reduce(lambda n, span: n * span, spans, 1)
        states = sum(len(row) * times for row, _, times in distinct)
        if size <= tables.budget.cells and size <= 64 * states * max(spans):
            return _packed(tables, distinct, lows, spans), total
    plus = _STRICT["add"]
    result: Row = {(0,) * width: 1}
    for row, _, times in distinct:
        for _ in range(times):
            tables.budget.spend(len(result) * len(row))
            merged: Row = {}
            get = merged.get
            for value, weight in result.items():
                for other, w in row.items():
                    key = tuple([plus(x, y) for x, y in zip(value, other, strict=True)])
                    merged[key] = get(key, 0) + weight * w
            result = merged
    return result, total


def _packed(tables: IntegerTables, distinct: list[list[Any]], lows: list[list[int]], spans: list[int]) -> Row:
    # The fastest-running place has the longest span: then one power's list is shortest.
    strides = [reduce(lambda n, span: n * span, spans[:i], 1) for i in range(len(spans))]
    coefficients = [1]
    offset = [0] * len(spans)
    for (row, _, times), low in zip(distinct, lows, strict=True):
        top = max(
            sum((x - lowest) * s for x, lowest, s in zip(value, low, strides, strict=True)) for value in row
        )
        packed = [0] * (top + 1)
        for value, weight in row.items():
            packed[sum((x - lowest) * s for x, lowest, s in zip(value, low, strides, strict=True))] += weight
        tables.budget.spend(len(packed) * times + len(coefficients))
        part = power(packed, times) if times > 1 else packed
        coefficients = convolve(coefficients, part) if len(coefficients) > 1 else part
        offset = [o + lowest * times for o, lowest in zip(offset, low, strict=True)]
    result: Row = {}
    for index, weight in enumerate(coefficients):
        if weight:
            value = []
            for span, shift in zip(spans, offset, strict=True):
                index, place = divmod(index, span)
                value.append(place + shift)
            result[tuple(value)] = weight
    return result


def _times_kernel(tables: IntegerTables, param: int, parts: list[Part]) -> Part:
    """The total of `param` independent throws of one die."""
    row, total = parts[0]
    if _undefined(row):
        return _folded(_function("add", None), ([1] * param, 0), [parts[0]] * param, tables)
    if any(type(value) is bool for value in row):
        row = _collect((int(value), weight) for value, weight in row.items())
    return multiple(tables.budget, row, param), total**param


_KERNELS: dict[str, Callable[[IntegerTables, Any, list[Part]], Part]] = {
    "sum": _sum_kernel,
    "min": _extreme_kernel(False),
    "max": _extreme_kernel(True),
    "and": _logic_kernel(False),
    "or": _logic_kernel(True),
    "where": _where_kernel,
    "draw": _draw_kernel,
    "throw": _draw_kernel,
    "vecsum": _vecsum_kernel,
    "times": _times_kernel,
    **{op: _compare_kernel(op) for op in ("lt", "le", "gt", "ge", "eq", "ne")},
}
