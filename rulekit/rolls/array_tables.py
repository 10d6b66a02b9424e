"""Array tables: float64 probabilities in NumPy, every value of the stat axes at once.

Shapes: a plain value and a column are int64 arrays of shape (*axes, states), any dimension along which
nothing changes being 1. A conditional is a sorted support (outcomes,), the different distributions that
occur (rows, outcomes), and the row of each place (*axes, states): an operation works on different rows, of
which there are few, and not on every place. What is no whole number (a label, a tuple of views, what a
condition leaves out) is held as a code beyond every number. What these tables cannot hold (fractions,
something undefined) raises `NeedsIntegers`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulekit.distributions import Dist
from rulekit.rolls.elimination import Budget
from rulekit.rolls.graph import EXCLUDED
from rulekit.rolls.integer_tables import Conditional as IntegerConditional
from rulekit.rolls.operations import Undefined

__all__ = ["ArrayTables", "Conditional", "NeedsIntegers"]

Array = NDArray[Any]

_CODES = 1 << 60  # codes from here on are no numbers
_RANGE = 1 << 20  # values that lie closer than this are ranked by a table, others by sorting
_MOST = 1 << 40  # whole numbers beyond this are left to the integer tables


class NeedsIntegers(Exception):
    """These tables cannot hold what came up; the integer tables can."""


class Plain:
    """One value for every point of the axes: shape (*axes, 1)."""

    __slots__ = ("values",)

    def __init__(self, values: Array) -> None:
        self.values = values


class Column:
    """One value a state: shape (*axes, states)."""

    __slots__ = ("values",)

    def __init__(self, values: Array) -> None:
        self.values = values


class Conditional:
    """A distribution a state: `support` sorted, `rows` (rows, outcomes), `index` (*axes, states)."""

    __slots__ = ("index", "rows", "support")

    def __init__(self, support: Array, rows: Array, index: Array) -> None:
        self.support = support
        self.rows = rows
        self.index = index


class ArrayTables:
    """Tables over all combinations of the axes' values, in the order of `stat_values`; or over one axis
    along which all their values go `together`.
    """

    def __init__(
        self, stat_values: dict[str, tuple[Any, ...]], budget: Budget, together: bool = False
    ) -> None:
        self.stat_values = stat_values
        self.place = {name: 0 if together else i for i, name in enumerate(stat_values)}
        self.budget = budget
        self.rank = 1 if together else len(stat_values)
        self.stats: dict[str, Plain] = {}
        self.codes: list[Any] = [EXCLUDED]
        self.code_of: dict[Any, int] = {(type(EXCLUDED), EXCLUDED): _CODES}
        self.weights: Array = np.ones((1,) * (self.rank + 1))

    # -- values and codes --------------------------------------------------------------------------

    def encode(self, value: Any) -> int:
        """A value as the whole number that stands for it."""
        if type(value) is int and -_MOST < value < _MOST:
            return value
        if isinstance(value, (bool, int)):
            if abs(value) >= _MOST:
                raise NeedsIntegers
            return int(value)
        if isinstance(value, (Undefined, Fraction, float)):
            raise NeedsIntegers
        key = (type(value), value)
        code = self.code_of.get(key)
        if code is None:
            code = self.code_of[key] = _CODES + len(self.codes)
            self.codes.append(value)
        return code

    def decode(self, number: int) -> Any:
        """The value that a whole number stands for."""
        return self.codes[number - _CODES] if number >= _CODES else number

    def binding(self, axes: int) -> Any:
        """All values of an axis are there at once: only which axes matters."""
        return axes

    def _constant(self, value: Any) -> Array:
        if isinstance(value, Fraction):
            array = np.empty((1,) * (self.rank + 1), dtype=object)
            array[...] = value
            return array
        return np.full((1,) * (self.rank + 1), self.encode(value), dtype=np.int64)

    # -- the protocol ------------------------------------------------------------------------------

    def plain(self, op: str, param: Any, args: list[Any]) -> Plain:
        """A node with no roll beneath it."""
        if op == "const":
            return Plain(self._constant(param))
        if op == "stat":
            known = self.stats.get(param)
            if known is None:
                known = self.stats[param] = self._stat(param)
            return known
        return Plain(self._function(op, param)(*[arg.values for arg in args]))

    def _stat(self, name: str) -> Plain:
        values = self.stat_values[name]
        whole = all(isinstance(value, int) for value in values)
        shape = [1] * (self.rank + 1)
        shape[self.place[name]] = len(values)
        if whole and max(map(abs, values)) >= _MOST:
            raise NeedsIntegers
        return Plain(np.array(values, dtype=np.int64 if whole else object).reshape(shape))

    def begin(self) -> None:
        """A frontier of one state."""
        self.weights = np.ones((1,) * (self.rank + 1))

    def states(self) -> int:
        """How many states the frontier has."""
        return int(self.weights.shape[-1])

    def is_conditional(self, value: Any) -> bool:
        """Whether it is a distribution a state."""
        return type(value) is Conditional

    def is_column(self, value: Any) -> bool:
        """Whether it is a value a state."""
        return type(value) is Column

    def depends_on_state(self, value: Any) -> bool:
        """Whether a conditional has a row a state."""
        return type(value) is Conditional and value.index.shape[-1] > 1

    def materialise(self, value: Conditional, live: dict[int, Any]) -> Column:
        """Multiply the states by the outcomes of `value`."""
        count, outcomes = self.states(), len(value.support)
        shape = np.broadcast_shapes(self.weights.shape, value.index.shape)
        self._spend((*shape, outcomes))
        self.weights = (self.weights[..., None] * value.rows[value.index]).reshape(
            (*shape[:-1], count * outcomes)
        )
        column = np.tile(value.support, count).reshape((1,) * self.rank + (count * outcomes,))
        for number, other in live.items():
            live[number] = _per_state(other, lambda array: np.repeat(array, outcomes, axis=-1))
        alive: Array = np.asarray(self.weights.any(axis=tuple(range(self.rank))))
        if np.count_nonzero(alive) < 0.7 * alive.size:
            self.weights = self.weights[..., alive]
            column = column[..., alive]
            for number, other in live.items():
                live[number] = _per_state(other, lambda array: array[..., alive])
        return Column(column)

    def merge(self, live: dict[int, Any]) -> None:
        """Make states with equal live columns one."""
        columns = [(number, value.values) for number, value in live.items() if type(value) is Column]
        if not columns:
            self.weights = self.weights.sum(axis=-1, keepdims=True)
            return
        shape = np.broadcast_shapes(self.weights.shape, *[values.shape for _, values in columns])
        combined: Array | None = None
        supports = []
        size = 1
        for _, values in columns:
            support, codes = _ranks(values)
            supports.append(support)
            size *= len(support)
            if size >= 1 << 62:
                raise NeedsIntegers
            combined = codes if combined is None else combined * len(support) + codes
        assert combined is not None
        self._spend(shape)
        present, weights = self._scatter(combined, self.weights)
        self.weights = weights
        for (number, _), support in reversed(list(zip(columns, supports, strict=True))):
            present, place = np.divmod(present, len(support))
            live[number] = Column(support[place].reshape((1,) * self.rank + (-1,)))

    def marginal(self, value: Any) -> Conditional:
        """A value's distribution over all states, one row a point of the axes."""
        if type(value) is Conditional:
            if value.index.shape[-1] == 1:
                return value
            used, weights = self._scatter(value.index, self.weights)
            self._spend((weights.size, len(value.support)))
            return self._by_point(value.support, np.matmul(weights, value.rows[used]))
        if value.values.dtype == object:
            raise NeedsIntegers
        return self._by_point(*self._scatter(value.values, self.weights))

    def _by_point(self, support: Array, p: Array) -> Conditional:
        shape = p.shape[:-1]
        rows = p.reshape(-1, len(support))
        return Conditional(support, rows, np.arange(len(rows)).reshape((*shape, 1)))

    def apply(self, op: str, param: Any, args: list[Any]) -> Any:
        """An operation on values, columns and conditionals, none of them needed jointly."""
        if any(arg.values.dtype == object for arg in args if type(arg) is not Conditional) and op != "draw":
            raise NeedsIntegers
        if op == "draw" or op == "throw":
            return self._draw(param, args)
        if not any(type(arg) is Conditional for arg in args):
            return Column(self._function(op, param)(*[arg.values for arg in args]))
        if op == "times":
            low, rows = _dense(args[0].support, args[0].rows)
            return self._trimmed(low * param, self._power(rows, param), args[0].index)
        if op == "sum" and not any(type(arg) is Conditional and _is_sparse(arg.support) for arg in args):
            return self._sum(param, args)
        if op == "where" and type(args[0]) is not Conditional:
            return self._pick(args)
        if op in _MIRRORED and not all(type(arg) is Conditional for arg in args):
            return self._compared(op, *args)
        index, parts = self._combinations(args)
        if op == "where":
            support, rows = self._mixed(parts)
        elif op in ("min", "max"):
            support, rows = self._extreme(op == "max", parts)
        else:
            support, rows = self._outer(self._function(op, param), parts)
        return Conditional(support, rows, index)

    # -- kernels -----------------------------------------------------------------------------------

    def _spend(self, shape: Sequence[int]) -> None:
        self.budget.spend(reduce(lambda a, b: a * int(b), shape, 1))

    def _scatter(self, values: Array, weights: Array) -> tuple[Array, Array]:
        """Add up `weights` by value along the last axis: the sorted values, and (*axes, values)."""
        if values.shape[-1] == 1 and weights.shape[-1] > 1:
            weights = weights.sum(axis=-1, keepdims=True)
        if values.size == values.shape[-1]:
            # The same values everywhere: sort once and add up runs.
            flat = values.reshape(-1)
            order = np.argsort(flat, kind="stable")
            ordered = flat[order]
            first = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
            weights = np.broadcast_to(weights, (*weights.shape[:-1], len(flat)))
            return ordered[first], np.add.reduceat(weights[..., order], first, axis=-1)
        shape = np.broadcast_shapes(values.shape, weights.shape)
        self._spend(shape)
        low, high = int(values.min()), int(values.max())
        if high - low < max(4096, 4 * int(values.size)):
            support = np.arange(low, high + 1)
            codes = values - low
        else:
            support, inverse = np.unique(values, return_inverse=True)
            codes = inverse.reshape(values.shape)
        width = len(support)
        rows = reduce(lambda a, b: a * b, shape[:-1], 1)
        self._spend((rows, width))
        base = (np.arange(rows) * width).reshape((*shape[:-1], 1))
        flat_codes = (np.broadcast_to(codes, shape) + base).ravel()
        p = np.bincount(flat_codes, weights=np.broadcast_to(weights, shape).ravel(), minlength=rows * width)
        p = p.reshape((*shape[:-1], width))
        alive = p.reshape(rows, width).any(axis=0)
        if not alive.all():
            support, p = support[alive], p[..., alive]
        return support, p

    def _combinations(self, args: list[Any]) -> tuple[Array, list[tuple[Array, Array]]]:
        """The combinations of rows and values of `args` that occur: the combination of each place, and for
        each argument its support and its probabilities (combinations or 1, outcomes).
        """
        radix: list[tuple[Any, Array, int, int]] = []  # argument, codes, how many, first value
        combined: Array | None = None
        size = 1
        for arg in args:
            if type(arg) is Conditional:
                codes, count, low = arg.index, len(arg.rows), 0
            else:
                low = int(arg.values.min())
                codes, count = arg.values - low, int(arg.values.max()) - low + 1
                if count > _RANGE:
                    arg = self._as_conditional(arg)
                    codes, count, low = arg.index, len(arg.rows), 0
            radix.append((arg, codes, count, low))
            if count == 1:
                continue
            size *= count
            if size >= 1 << 62:
                raise NeedsIntegers
            combined = codes if combined is None else combined * count + codes
        if combined is None:
            present, index = np.zeros(1, dtype=np.int64), np.zeros((1,) * (self.rank + 1), dtype=np.int64)
        else:
            self._spend(combined.shape)
            present, index = _ranked(combined, size)
        parts: list[tuple[Array, Array]] = []
        for arg, _, count, low in reversed(radix):
            here = present * 0 if count == 1 else present
            if count > 1:
                present, here = np.divmod(present, count)
            if type(arg) is Conditional:
                parts.append((arg.support, arg.rows if count == 1 else arg.rows[here]))
            elif count == 1:
                parts.append((np.array([low]), np.ones((1, 1))))
            else:
                support, place = np.unique(here, return_inverse=True)
                rows = np.zeros((len(here), len(support)))
                rows[np.arange(len(here)), place] = 1.0
                parts.append((support + low, rows))
        return index, parts[::-1]

    def _as_conditional(self, arg: Any) -> Conditional:
        if type(arg) is Conditional:
            return arg
        support, index = np.unique(arg.values, return_inverse=True)
        self._spend((len(support), len(support)))
        return Conditional(support, np.eye(len(support)), index.reshape(arg.values.shape))

    def _sum(self, param: Any, args: list[Any]) -> Conditional:
        coefficients, constant = param
        if any(isinstance(k, Fraction) for k in (*coefficients, constant)) or abs(constant) >= _MOST:
            raise NeedsIntegers
        shift: Array = np.full((1,) * (self.rank + 1), constant, dtype=np.int64)
        groups: list[list[Any]] = []  # [coefficient, conditional, how often]
        for k, arg in zip(coefficients, args, strict=True):
            if type(arg) is not Conditional:
                shift = shift + k * arg.values
                continue
            for group in groups:
                if group[0] == k and group[1] is arg:
                    group[2] += 1
                    break
            else:
                groups.append([k, arg, 1])
        low, rows = 0, np.ones((1, 1))
        index: Array = np.zeros((1,) * (self.rank + 1), dtype=np.int64)
        # What has fewer rows first: most of a sum is found once for all places.
        for k, arg, times in sorted(groups, key=lambda g: (len(g[1].rows), len(g[1].support))):
            more, part = _dense(arg.support, arg.rows, k)
            if times > 1:
                more, part = more * times, self._power(part, times)
            low += more
            if len(rows) == 1 or len(part) == 1:
                index = arg.index if len(part) > 1 else index
            else:
                self._spend(np.broadcast_shapes(index.shape, arg.index.shape))
                present, index = _ranked(index * len(part) + arg.index, len(rows) * len(part))
                first, second = np.divmod(present, len(part))
                rows, part = rows[first], part[second]
            rows = self._convolve(rows, part)
        least = int(shift.min())
        spread = int(shift.max()) - least
        if not spread:
            return self._trimmed(low + least, rows, index)
        if spread >= _RANGE:
            raise NeedsIntegers
        self._spend(np.broadcast_shapes(index.shape, shift.shape))
        present, index = _ranked(index * (spread + 1) + (shift - least), len(rows) * (spread + 1))
        row, moved = np.divmod(present, spread + 1)
        width = rows.shape[-1]
        self._spend((len(present), width + spread))
        out = np.zeros((len(present), width + spread))
        np.put_along_axis(out, moved[:, None] + np.arange(width), rows[row], axis=1)
        return self._trimmed(low + least, out, index)

    def _trimmed(self, low: int, rows: Array, index: Array) -> Conditional:
        """Dense probabilities as a conditional, without outcomes that no row has."""
        alive = rows.any(axis=0)
        support = np.arange(low, low + rows.shape[-1])
        if alive.all():
            return Conditional(support, rows, index)
        return Conditional(support[alive], rows[:, alive], index)

    def _convolve(self, a: Array, b: Array) -> Array:
        """Direct convolution of rows: no transform, so that tails keep their relative accuracy."""
        if a.shape[-1] < b.shape[-1]:
            a, b = b, a
        if len(a) == 1 and len(b) == 1:
            self._spend((a.size, 1 + b.size // 64))
            return np.convolve(a[0], b[0])[None, :]
        count = max(len(a), len(b))
        self._spend((count, a.shape[-1], 1 + b.shape[-1] // 8))
        out = np.zeros((count, a.shape[-1] + b.shape[-1] - 1))
        for i in range(b.shape[-1]):
            out[:, i : i + a.shape[-1]] += a * b[:, i : i + 1]
        return out

    def _power(self, rows: Array, times: int) -> Array:
        result = np.ones((1, 1))
        while times:
            if times & 1:
                result = self._convolve(result, rows)
            times >>= 1
            if times:
                rows = self._convolve(rows, rows)
        return result

    def _pick(self, args: list[Any]) -> Conditional:
        """`where` with a condition that is known at each place: one row or the other."""
        condition = args[0].values != 0
        a, b = self._as_conditional(args[1]), self._as_conditional(args[2])
        support, first, second = self._on_one_support([(a.support, a.rows), (b.support, b.rows)])
        self._spend(np.broadcast_shapes(condition.shape, a.index.shape, b.index.shape))
        index = np.where(condition, a.index, b.index + len(a.rows))
        return Conditional(support, np.concatenate([first, second]), index)

    def _compared(self, op: str, a: Any, b: Any) -> Conditional:
        """Whether a distribution's outcomes lie on this or that side of a value that is known at each place:
        sums of what is below and above, of which the smaller one is as accurate as the other.
        """
        if type(a) is not Conditional:
            op, a, b = _MIRRORED[op], b, a
        values, place = _ranks(b.values)
        self._spend(np.broadcast_shapes(a.index.shape, place.shape))
        there, index = _ranked(a.index * len(values) + place, len(a.rows) * len(values))
        row, value = np.divmod(there, len(values))
        self._spend((len(a.rows), a.rows.shape[-1] + 1))
        below = np.zeros((len(a.rows), a.rows.shape[-1] + 1))
        above = np.zeros_like(below)
        np.cumsum(a.rows, axis=-1, out=below[:, 1:])
        np.cumsum(a.rows[:, ::-1], axis=-1, out=above[:, -2::-1])
        first = np.searchsorted(a.support, values, "left")[value]
        after = np.searchsorted(a.support, values, "right")[value]
        cut = after if op in ("le", "gt") else first
        less, more = below[row, cut], above[row, cut]
        if op in ("eq", "ne"):
            equal = np.where(after > first, a.rows[row, np.minimum(first, len(a.support) - 1)], 0.0)
            less, more = less + above[row, after], equal
        yes, no = (less, more) if op in ("lt", "le", "ne") else (more, less)
        rows = np.stack([no, yes], axis=1)
        alive = rows.any(axis=0)
        return Conditional(np.flatnonzero(alive), rows[:, alive], index)

    def _on_one_support(self, parts: list[tuple[Array, Array]]) -> list[Array]:
        """The union of the supports, and each part's rows on it."""
        support = parts[0][0]
        for other, _ in parts[1:]:
            if len(other) != len(support) or not bool((other == support).all()):
                support = np.union1d(support, other)
        spread = [support]
        for own, rows in parts:
            if len(own) == len(support):
                spread.append(rows)
                continue
            self._spend((len(rows), len(support)))
            out = np.zeros((len(rows), len(support)))
            out[:, np.searchsorted(support, own)] = rows
            spread.append(out)
        return spread

    def _mixed(self, parts: list[tuple[Array, Array]]) -> tuple[Array, Array]:
        """`where` with a condition that is rolled: the branches mixed with its odds."""
        (events, odds), *branches = parts
        support, a, b = self._on_one_support(branches)
        happens = odds[:, events != 0].sum(axis=-1, keepdims=True)
        not_so = odds[:, events == 0].sum(axis=-1, keepdims=True)
        return support, happens * a + not_so * b

    def _extreme(self, highest: bool, parts: list[tuple[Array, Array]]) -> tuple[Array, Array]:
        support, *rows = self._on_one_support(parts)
        if support[-1] >= _CODES:
            raise NeedsIntegers
        top: Array | None = None
        for p in rows:
            if not highest:
                p = p[:, ::-1]
            if top is None:
                top = p
            else:  # either shows this while the other shows no more: sums alone, so that both tails hold
                below = np.zeros_like(top)
                np.cumsum(top[:, :-1], axis=-1, out=below[:, 1:])
                top = top * np.cumsum(p, axis=-1) + below * p
        assert top is not None
        return support, top if highest else top[:, ::-1]

    def _outer(self, function: Callable[..., Array], parts: list[tuple[Array, Array]]) -> tuple[Array, Array]:
        """Any function of independent arguments: every combination of their outcomes."""
        count = len(parts)
        values: list[Array] = []
        product: Array = np.ones((1,) * (count + 1))
        for place, (support, rows) in enumerate(parts):
            inner = tuple([len(support) if i == place else 1 for i in range(count)])
            values.append(support.reshape(inner))
            rows = rows.reshape((len(rows), *inner))
            self._spend(np.broadcast_shapes(product.shape, rows.shape))
            product = product * rows
        flat = product[0].size
        result = np.broadcast_to(function(*values), product.shape[1:]).reshape(flat)
        return self._collected(result, product.reshape(len(product), flat))

    def _collected(self, values: Array, weights: Array) -> tuple[Array, Array]:
        """Add up weights (rows, places) by the value of each place."""
        order = np.argsort(values, kind="stable")
        ordered = values[order]
        first = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
        if len(first) == len(values):
            return ordered, weights[:, order]
        return ordered[first], np.add.reduceat(weights[:, order], first, axis=-1)

    def _draw(self, param: Any, args: list[Any]) -> Conditional:
        """A die, or one that depends on values: a row for each combination of them."""
        nowhere = np.zeros((1,) * (self.rank + 1), dtype=np.int64)
        if not args:
            support, rows = self._rows(lambda: param, [()])
            return Conditional(support, rows, nowhere)
        conditionals = [arg for arg in args if type(arg) is Conditional]
        if conditionals:
            if len(args) > 1:
                raise NeedsIntegers
            arg = conditionals[0]
            support, rows = self._rows(param, [(self.decode(int(value)),) for value in arg.support])
            return Conditional(support, np.matmul(arg.rows, rows), arg.index)
        arrays = np.broadcast_arrays(*[arg.values for arg in args])
        self._spend(arrays[0].shape)
        combinations: dict[Any, int] = {}
        index = [
            combinations.setdefault(key, len(combinations))
            for key in zip(*[array.ravel().tolist() for array in arrays], strict=True)
        ]
        decoded = [
            tuple([self.decode(value) if isinstance(value, int) else value for value in key])
            for key in combinations
        ]
        support, rows = self._rows(param, decoded)
        return Conditional(support, rows, np.array(index).reshape(arrays[0].shape))

    def _rows(self, param: Any, keys: list[tuple[Any, ...]]) -> tuple[Array, Array]:
        found: list[dict[int, float]] = []
        for key in keys:
            given = param(*key)
            if isinstance(given, Dist):
                pairs: Any = given.items()
                total = given.denominator
            elif isinstance(given, IntegerConditional):
                pairs, total = given.rows[0].items(), given.total
            else:
                raise NeedsIntegers
            self.budget.spend(50 * len(pairs) * (1 + total.bit_length() // 1000))  # Python's own work
            found.append({self.encode(value): weight / total for value, weight in pairs})
        support = np.array(sorted(set().union(*found)), dtype=np.int64)
        self._spend((len(found), len(support)))
        place = {int(value): i for i, value in enumerate(support)}
        rows = np.zeros((len(found), len(support)))
        for i, row in enumerate(found):
            for value, p in row.items():
                rows[i, place[value]] = p
        return support, rows

    # -- operations as functions of arrays ---------------------------------------------------------

    def _function(self, op: str, param: Any) -> Callable[..., Array]:
        known = _VECTOR.get(op)
        if known is not None:
            return known
        if op == "sum":
            return lambda *values: _linear(param, values)
        if op == "isin":
            members = np.array(
                [self.encode(value) for value in param if not isinstance(value, Fraction)], dtype=np.int64
            )
            return lambda values: _is_member(values, members)
        if op == "times":
            return lambda values: _multiply(values, np.full((1,) * values.ndim, param))
        if op == "item":
            return lambda values: self._by_value(lambda value: value[param], values)
        if op == "pair":
            return lambda *values: self._by_value(lambda *v: v, *values)
        return lambda *values: self._by_value(param, *values)

    def _by_value(self, function: Callable[..., Any], *values: Array) -> Array:
        """A function of plain values, called once for each combination that is there."""
        parts: list[Array] = []
        codes: Array = np.zeros(1, dtype=np.int64)
        size = 1
        for array in values:
            present, index = _ranks(array)
            parts.append(present)
            size *= len(present)
            if size >= 1 << 62:
                raise NeedsIntegers
            self._spend(np.broadcast_shapes(codes.shape, index.shape))
            codes = codes * len(present) + index
        there, index = _ranked(codes, size)
        columns: list[list[Any]] = []
        for present in reversed(parts):
            there, place = np.divmod(there, len(present))
            columns.append([self.decode(value) for value in present[place].tolist()])
        results = [self.encode(function(*key)) for key in zip(*columns[::-1], strict=True)]
        return np.array(results, dtype=np.int64)[index]


def _is_sparse(support: Array) -> bool:
    """Whether outcomes lie so far apart that every combination of them is less than all that lies between."""
    return bool(support[-1] < _CODES) and int(support[-1] - support[0]) > 64 * len(support) + 4096


def _per_state(value: Any, change: Callable[[Array], Array]) -> Any:
    """A column or conditional with its states changed; what is the same for every state stays."""
    if type(value) is Column and value.values.shape[-1] > 1:
        return Column(change(value.values))
    if type(value) is Conditional and value.index.shape[-1] > 1:
        return Conditional(value.support, value.rows, change(value.index))
    return value


def _ranks(values: Array) -> tuple[Array, Array]:
    """The different whole numbers of an array in rising order, and the place of each among them."""
    if values.dtype == object:
        raise NeedsIntegers
    low = int(values.min())
    present, index = _ranked(values - low, int(values.max()) - low + 1)
    return present + low, index


def _ranked(codes: Array, size: int) -> tuple[Array, Array]:
    """The different codes (0 to size - 1) in rising order, and the place of each code among them."""
    if size > max(_RANGE, 4 * codes.size):
        present, index = np.unique(codes, return_inverse=True)
        return present, index.reshape(codes.shape)
    there = np.zeros(size, dtype=bool)
    there[codes.ravel()] = True
    return np.flatnonzero(there), (np.cumsum(there) - 1)[codes]


def _dense(support: Array, rows: Array, k: int = 1) -> tuple[int, Array]:
    """k times an outcome as the lowest and probabilities for every whole number from there."""
    if support[-1] >= _CODES:
        raise NeedsIntegers
    if k == 0:
        return 0, rows.sum(axis=-1, keepdims=True)
    if k != 1:
        support = support * k
        if k < 0:
            support, rows = support[::-1], rows[:, ::-1]
    low, width = int(support[0]), int(support[-1] - support[0]) + 1
    if width == len(support):
        return low, rows
    if width > _RANGE:
        raise NeedsIntegers
    dense = np.zeros((len(rows), width))
    dense[:, support - low] = rows
    return low, dense


def _linear(param: Any, values: Sequence[Array]) -> Array:
    coefficients, constant = param
    result: Any = constant
    for k, value in zip(coefficients, values, strict=True):
        result = result + (value if k == 1 else k * value)
    return _whole(result)


def _whole(array: Any) -> Array:
    """An array of Fractions as whole numbers where it holds nothing else."""
    if array.dtype == object and all(value == int(value) for value in array.flat):
        return np.asarray(array.astype(np.int64))
    return np.asarray(array)


def _integers(function: Callable[..., Array]) -> Callable[..., Array]:
    return lambda *values: function(*values).astype(np.int64)


def _multiply(a: Array, b: Array) -> Array:
    if a.dtype != object and b.dtype != object:
        if int(np.abs(a).max()) * int(np.abs(b).max()) >= _MOST:
            raise NeedsIntegers
        return a * b
    return _whole(a * b)


def _divided(function: Callable[[Array, Array], Array]) -> Callable[[Array, Array], Array]:
    def divide(a: Array, b: Array) -> Array:
        if a.dtype == object or b.dtype == object or not b.all():
            raise NeedsIntegers
        return function(a, b)

    return divide


def _quotient(a: Array, b: Array) -> Array:
    quotient, rest = np.divmod(a, b)
    if rest.any():
        raise NeedsIntegers
    return np.asarray(quotient)


def _is_member(values: Array, members: Array) -> Array:
    if values.dtype == object:  # of fractions there are none among the members
        raise NeedsIntegers
    return np.isin(values, members).astype(np.int64)


def _chosen(condition: Array, a: Array, b: Array) -> Array:
    return np.asarray(np.where(condition, a, b))


def _many(function: Any) -> Callable[..., Array]:
    return lambda *values: reduce(function, values)


_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}
"""Comparisons, and what each is with its sides exchanged."""

_VECTOR: dict[str, Callable[..., Array]] = {
    "mul": _multiply,
    "truediv": _divided(_quotient),
    "floordiv": _divided(np.floor_divide),
    "mod": _divided(np.mod),
    "abs": np.abs,
    "min": _many(np.minimum),
    "max": _many(np.maximum),
    "and": _many(np.minimum),
    "or": _many(np.maximum),
    "not": lambda a: 1 - a,
    "identity": lambda a: a,
    "where": lambda c, a, b: _chosen(c != 0, a, b),
    "halve_down": lambda a: a // 2,
    "halve_up": lambda a: -(-a // 2),
    "halve_zero": lambda a: _chosen(a >= 0, a // 2, -(-a // 2)),
    **{
        op: _integers(function)
        for op, function in {
            "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal,
            "eq": np.equal, "ne": np.not_equal,
        }.items()
    },
}  # fmt: skip
