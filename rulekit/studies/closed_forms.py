"""Closed forms: the shortest piecewise polynomial through a measure's exact values along a stat.

A form is found, not derived: a measure along a stat is a sequence of exact fractions, and a polynomial that
goes through all of a stretch of them, more points than it has coefficients, is the formula there. Along a
number of dice or of Edge odds fall off as a power: such a stretch is told as A + B * r**x.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rulekit.errors import NotAllowed, StatError, TooLarge
from rulekit.rules import Setup, StatInfo
from rulekit.rules.fields import nearest
from rulekit.studies.asking import Asked, asked_of
from rulekit.studies.results import Study, Table
from rulekit.studies.sweeping import sweep

__all__ = ["Formula", "Piece", "formula"]

MOST_PIECES = 8
"""A form with more pieces than that is a table, not a formula."""

MOST_DEGREE = 30
MOST_POINTS = 10_000

LONGEST_DENOMINATOR = 4
"""The highest power of the stat by which a form is divided, as means over dice of a size are."""


@dataclass(frozen=True)
class Piece:
    """A polynomial over a stretch of the stat, divided by the form's power of it; or A + B * r**x.

    Attributes:
        low, high: The first and the last value that it goes through.
        coefficients: Of the powers 0, 1, 2, ...; with a ratio A and B.
        points: How many values it goes through.
        ratio: The r of A + B * r**x; None for a polynomial.
    """

    low: Fraction
    high: Fraction
    coefficients: tuple[Fraction, ...]
    points: int
    ratio: Fraction | None = None

    def at(self, x: Fraction, power: int = 0) -> Fraction:
        """The form's value, in fractions (with a ratio at whole numbers)."""
        if self.ratio is not None:
            return self.coefficients[0] + self.coefficients[1] * Fraction(self.ratio**x)
        value = Fraction(0)
        for coefficient in reversed(self.coefficients):
            value = value * x + coefficient
        return value / x**power if power else value


@dataclass(frozen=True, eq=False, repr=False)
class Formula(Study):
    """The closed form of a measure along a stat, or that there is no short one.

    Attributes:
        setup: Where the other stats stand.
        measure: What is told.
        over: The stat; for two the paths as they were given.
        variable: What the form is in: the stat, or `a - b` or `a + b` where two stats count only so.
        pieces: In order; empty where there is no short formula.
        power: The power of the variable by which every piece is divided; 0 for a plain polynomial.
        points: The exact values, by value of the variable.
        why_not: What stands in the way of a formula, else "".
    """

    setup: Setup[Any]
    measure: Asked
    over: tuple[str, ...]
    variable: str
    pieces: tuple[Piece, ...]
    power: int
    points: Mapping[Fraction, Fraction]
    why_not: str

    @property
    def found(self) -> bool:
        """Whether there is a short formula; it then holds at every one of `points`."""
        return bool(self.pieces)

    def __call__(self, value: Any) -> Fraction:
        """The formula's value, in fractions.

        Raises:
            StatError: there is no formula, or it does not reach that far.
        """
        x = Fraction(value) if not isinstance(value, float) else Fraction(str(value))
        for piece in self.pieces:
            if piece.low <= x <= piece.high:
                return piece.at(x, self.power)
        if not self.pieces:
            raise StatError(self.sentence)
        low, high = self.pieces[0].low, self.pieces[-1].high
        between = ", and not between its whole values" if low <= x <= high else ""
        raise StatError(
            f"{self.variable}: the formula holds from {low} to {high}{between}; {value} is not there"
        )

    @functools.cached_property
    def symbols(self) -> tuple[Any, ...]:
        """The stats as sympy Symbols: by the last names of their paths, or by the whole paths where those are
        the same.
        """
        import sympy

        short = [path.rpartition(".")[2] for path in self.over]
        names = short if len(set(short)) == len(short) else self.over
        return tuple(sympy.Symbol(name, real=True) for name in names)

    @property
    def argument(self) -> Any:
        """What the form is in, in sympy: a stat, or the difference or sum of two."""
        first, *second = self.symbols
        if not second:
            return first
        return first - second[0] if " - " in self.variable else first + second[0]

    @functools.cached_property
    def expression(self) -> Any:
        """The form in sympy: a polynomial, or a Piecewise of them over the stretches where each holds.

        Raises:
            StatError: there is no short formula.
        """
        import sympy

        if not self.pieces:
            raise StatError(self.sentence)
        forms = [self.form(piece) for piece in self.pieces]
        if len(forms) == 1:
            return forms[0]
        # Where one piece ends the next begins; the last point of a piece belongs to it.
        arms = [
            (form, self.argument <= _sympy(piece.high))
            for form, piece in zip(forms[:-1], self.pieces[:-1], strict=True)
        ]
        return sympy.Piecewise(*arms, (forms[-1], True))

    def form(self, piece: Piece) -> Any:
        """What one piece says, in sympy."""
        import sympy

        x = self.argument
        if piece.ratio is not None:
            constant, factor = map(_sympy, piece.coefficients)
            return constant + factor * _sympy(piece.ratio) ** x
        terms = [_sympy(c) * x**n for n, c in enumerate(piece.coefficients)]
        return _neat(sympy.Add(*terms) / x**self.power)

    @functools.cached_property
    def derivative(self) -> Any:
        """How fast the form rises along the (first) stat: its derivative in sympy."""
        import sympy

        pieces = [(self._slope(piece), piece) for piece in self.pieces]
        if len(pieces) < 2:
            return sympy.diff(self.expression, self.symbols[0]) if not pieces else pieces[0][0]
        arms = [(slope, self.argument <= _sympy(piece.high)) for slope, piece in pieces[:-1]]
        return sympy.Piecewise(*arms, (pieces[-1][0], True))

    def _slope(self, piece: Piece) -> Any:
        import sympy

        slope = sympy.diff(self.form(piece), self.symbols[0])
        return slope if piece.ratio is not None else _neat(slope)

    @property
    def latex(self) -> str:
        r"""The form as LaTeX, with the value where the Setup stands.

        >>> from rulekit import Roll, d, roll, rule
        >>> @rule()
        ... def smash(bonus: int = 5, ac: int = 15) -> Roll[bool]:
        ...     return roll(d(100)) <= 5 * bonus
        >>> print(formula(smash.setup(), "result", {"bonus": range(1, 11)}).latex)
        P(\mathrm{result}) = \frac{\mathit{bonus}}{20};\quad \mathit{bonus} = 5:\ \frac{1}{4}
        """
        import sympy

        name = rf"\mathrm{{{_latex_words(self.measure.name)}}}"
        what = f"P({name})" if self.measure.kind == "event" else f"E[{name}]"
        names = {symbol: rf"\mathit{{{_latex_words(symbol.name)}}}" for symbol in self.symbols}
        body = sympy.latex(self.expression, symbol_names=names)
        now = self._now()
        if now is None:
            return f"{what} = {body}"
        sign = " - " if " - " in self.variable else " + "
        standing = sign.join(names[symbol] for symbol in self.symbols)
        here = rf";\quad {standing} = {now}:\ {sympy.latex(_sympy(self.points[now]))}"
        return f"{what} = {body}{here}"

    def _now(self) -> Fraction | None:
        """The variable where the Setup stands, if that is one of the points."""
        values = [Fraction(str(self.setup.get(path))) for path in self.over]
        if len(values) == 1:
            now = values[0]
        else:
            now = values[0] - values[1] if " - " in self.variable else values[0] + values[1]
        return now if now in self.points else None

    @property
    def sentence(self) -> str:
        """The form in one line, and at how many points it was checked."""
        what = f"{self.measure.name} along {self.variable}"
        if not self.pieces:
            return f"No short formula for {what}: {self.why_not}."
        texts = [f"{self.form(piece)}{self._stretch(piece)}" for piece in self.pieces]
        alone = f"; only {self.variable} counts" if len(self.over) == 2 else ""
        return f"{what}: {'; '.join(texts)}{alone} (checked at {len(self.points):,} points)."

    def _stretch(self, piece: Piece) -> str:
        if len(self.pieces) == 1:
            return ""
        return f" at {piece.low}" if piece.low == piece.high else f" from {piece.low} to {piece.high}"

    def tables(self) -> tuple[Table, ...]:
        """A row a piece, with its derivative."""
        rows = [
            (
                f"{piece.low} to {piece.high}" if piece.low != piece.high else str(piece.low),
                str(self.form(piece)),
                str(self._slope(piece)),
                str(piece.points),
            )
            for piece in self.pieces
        ]
        sign = " - " if " - " in self.variable else " + "
        variable = sign.join(symbol.name for symbol in self.symbols)
        return (Table((variable, self.measure.name, "derivative", "points"), rows),)

    def records(self) -> Iterator[dict[str, Any]]:
        """A row a point: the exact value there."""
        for x, value in self.points.items():
            yield {self.variable: x, self.measure.name: value}

    def _repr_html_(self) -> str:
        if not self.pieces:
            return super()._repr_html_()
        # Notebooks set what stands between the dollar signs.
        return super()._repr_html_().replace("</div>", f"<div>${self.latex}$</div></div>")


def formula(
    setup: Setup[Any],
    measure: str | Callable[[Any], Any],
    over: str | tuple[str, str] | Mapping[str, Iterable[Any]],
) -> Formula:
    """The piecewise closed form of a measure along one stat, or along two of which only the difference or the
    sum counts.

    Args:
        setup: Where the other stats stand.
        measure: A measure's name, a comparison, or a function of the outcome.
        over: A stat (over its whole range), two of them, or a mapping from stat to values. A chance gives a
            polynomial, whose degree is found; give it more values than that.

    Returns:
        A Formula, held against every point in fractions. Where the pieces would be too many it says "no short
        formula".

    Raises:
        StatError: a stat that is no number, a label, values that are not evenly spaced.
        TooLarge: more than 10,000 points.

    >>> from rulekit import Roll, d, roll, rule
    >>> @rule()
    ... def smash(bonus: int = 5, ac: int = 15) -> Roll[bool]:
    ...     natural = roll(d(20))
    ...     return (natural == 20) | ((natural != 1) & (natural + bonus >= ac))
    >>> print(formula(smash.setup(), "result", {"ac": range(1, 40)}).sentence)
    result along ac: 19/20 from 1 to 7; (26 - ac)/20 from 8 to 25; 1/20 from 26 to 39 (checked at 39 points).
    """
    ranges = _ranges(setup, over)
    count = 1
    for values in ranges.values():
        count *= len(values)
    if count > MOST_POINTS:
        raise TooLarge(f"{count:,} points are more than {MOST_POINTS:,}: give fewer values, {{path: values}}")
    asked = _asked(setup, measure)
    grid = sweep(setup, ranges, [measure], exact=True).grids[asked.name]
    if len(ranges) == 1:
        ((path, values),) = ranges.items()
        points = {x: value for x, value in zip(values, grid.flat, strict=True) if value == value}
        return _fitted(setup, asked, (path,), path, points)
    (first, xs), (second, ys) = ranges.items()
    for variable, sign in ((f"{first} - {second}", -1), (f"{first} + {second}", 1)):
        along = _along(xs, ys, grid.flat, sign)
        if along is not None:
            return _fitted(setup, asked, (first, second), variable, along)
    why = "it depends on neither the difference nor the sum of the two alone"
    return Formula(setup, asked, (first, second), f"{first} and {second}", (), 0, {}, why)


def _asked(setup: Setup[Any], measure: str | Callable[[Any], Any]) -> Asked:
    try:
        return asked_of(setup, measure)[0]
    except NotAllowed as refused:
        raise StatError(f"start from a Setup to which the rule applies; {refused}") from None


def _ranges(setup: Setup[Any], over: Any) -> dict[str, list[Fraction]]:
    stats = {info.path: info for info in setup.stats}
    paths: Iterable[str] = [over] if isinstance(over, str) else over
    ranges: dict[str, list[Fraction]] = {}
    for path in paths:
        if path not in stats:
            raise StatError(f"{path}: there is no such stat{nearest(path, stats)}")
        if stats[path].kind not in ("whole", "decimal"):
            raise StatError(f"{path}: a formula goes along a number, and this is a {stats[path].kind}")
        values = over[path] if isinstance(over, Mapping) else _span(stats[path])
        ranges[path] = [Fraction(str(value)) for value in values]
        steps = {b - a for a, b in itertools.pairwise(ranges[path])}
        if len(steps) != 1 or min(steps) <= 0:
            raise StatError(f"{path}: a formula is read off two or more values, evenly spaced and rising")
    if len(ranges) not in (1, 2):
        raise StatError(f"a formula goes along one stat or two, not {len(ranges)}")
    return ranges


def _span(info: StatInfo) -> Sequence[Any]:
    """A stat's range; of a decimal with both ends 61 values, so that a degree of up to 59 shows."""
    if info.kind == "decimal" and info.step is None and info.low is not None and info.high is not None:
        low, high = Fraction(str(info.low)), Fraction(str(info.high))
        return [low + (high - low) * i / 60 for i in range(61)]
    return info.span()


def _along(
    xs: Sequence[Fraction], ys: Sequence[Fraction], flat: Sequence[Any], sign: int
) -> dict[Fraction, Fraction] | None:
    """The values by x + sign * y, if there is one for each; None where it depends on more."""
    found: dict[Fraction, Fraction] = {}
    for i, value in enumerate(flat):
        if value == value and found.setdefault(xs[i // len(ys)] + sign * ys[i % len(ys)], value) != value:
            return None
    return dict(sorted(found.items()))


# -- fitting -----------------------------------------------------------------------------------------------


def _fitted(
    setup: Setup[Any], asked: Asked, over: tuple[str, ...], variable: str, points: Mapping[Fraction, Fraction]
) -> Formula:
    best: tuple[int, list[Piece], int] | None = None
    xs = list(points)
    for power in range(LONGEST_DENOMINATOR + 1):
        if power and (not xs or xs[0] <= 0):
            break
        pieces = _pieces(xs, [value * x**power for x, value in points.items()], may_be_power=not power)
        cost = power + sum(len(piece.coefficients) + 1 + (piece.ratio is not None) for piece in pieces)
        if best is None or cost < best[0]:
            best = cost, pieces, power
    if best is None or not xs:
        return Formula(setup, asked, over, variable, (), 0, points, "the rule applies nowhere there")
    cost, pieces, power = best
    if len(pieces) > MOST_PIECES or (len(pieces) > 1 and cost >= len(xs)):
        why = f"{len(xs)} points would need {len(pieces)} pieces"
        return Formula(setup, asked, over, variable, (), 0, points, why)
    return Formula(setup, asked, over, variable, tuple(pieces), power, points, "")


_POWER = -1
"""Stands for the degree of A + B * r**x, which costs 4, as three numbers tell it."""


def _pieces(xs: Sequence[Fraction], values: Sequence[Fraction], *, may_be_power: bool) -> list[Piece]:
    """The cheapest way to cut the sequence into polynomials and powers: a piece of degree k costs k + 2. It
    goes through one point, or through at least k + 2 and 2 k + 1: enough to be no accident.
    """
    count = len(xs)
    even = _even(xs)
    runs = _runs(values, even)
    powers = _power_runs(xs, values, even) if may_be_power else [0] * count
    # cost[i] and cut[i]: the least that the points from i on cost, and the end and degree of the piece there.
    cost, cut = [0] * (count + 1), [(0, 0)] * (count + 1)
    for i in range(count - 1, -1, -1):
        cost[i], cut[i] = cost[i + 1] + 2, (i + 1, 0)
        for degree, end in enumerate(runs[i]):
            # A longer piece never costs more than a shorter one, as the rest is then shorter.
            if end - i >= max(degree + 2, 2 * degree + 1) and cost[end] + degree + 2 < cost[i]:
                cost[i], cut[i] = cost[end] + degree + 2, (end, degree)
        if powers[i] - i >= 5 and cost[powers[i]] + 4 < cost[i]:
            cost[i], cut[i] = cost[powers[i]] + 4, (powers[i], _POWER)
    pieces = []
    i = 0
    while i < count:
        end, degree = cut[i]
        if degree == _POWER:
            pieces.append(_power(xs[i], xs[end - 1], values[i : i + 3], end - i))
        else:
            coefficients = _interpolated(xs[i : i + degree + 1], values[i : i + degree + 1])
            pieces.append(Piece(xs[i], xs[end - 1], coefficients, end - i))
        i = end
    return pieces


def _power(low: Fraction, high: Fraction, first: Sequence[Fraction], points: int) -> Piece:
    """A + B * r**x through three values at x = low, low + 1, low + 2."""
    ratio = (first[2] - first[1]) / (first[1] - first[0])
    factor = (first[1] - first[0]) / (ratio - 1) / Fraction(ratio**low)
    return Piece(low, high, (first[0] - factor * Fraction(ratio**low), factor), points, ratio)


def _power_runs(xs: Sequence[Fraction], values: Sequence[Fraction], even: Sequence[int]) -> list[int]:
    """For each place the end of the longest stretch from there along which every difference is the same share
    of the one before: whole numbers only, and not where nothing changes.
    """
    count = len(xs)
    runs = list(range(count))
    for i in range(count - 3, -1, -1):
        a, b, c = values[i : i + 3]
        if (
            b == a
            or c == b
            or b - a == c - b
            or even[i] < i + 3
            or xs[i].denominator > 1
            or xs[i + 1] - xs[i] != 1
        ):
            continue
        following = values[i + 1 : i + 4]
        goes_on = runs[i + 1] >= i + 4 and (following[2] - following[1]) * (b - a) == (c - b) * (
            following[1] - following[0]
        )
        runs[i] = min(runs[i + 1], even[i]) if goes_on else i + 3
    return runs


def _even(xs: Sequence[Fraction]) -> list[int]:
    """For each place the end of the stretch along which x goes on evenly: a hole in the points ends it."""
    count = len(xs)
    step = min((b - a for a, b in itertools.pairwise(xs)), default=Fraction(1))
    even = [count] * count
    for i in range(count - 2, -1, -1):
        even[i] = even[i + 1] if xs[i + 1] - xs[i] == step else i + 1
    return even


def _runs(values: Sequence[Fraction], even: Sequence[int]) -> list[list[int]]:
    """For each place and degree k the end of the longest stretch from there that a polynomial of degree k
    fits: where the differences of order k + 1 stop being 0.
    """
    count = len(values)
    runs: list[list[int]] = [[] for _ in range(count)]
    differences = list(values)
    for degree in range(min(MOST_DEGREE, count - 2) + 1):
        differences = [b - a for a, b in itertools.pairwise(differences)]
        end = count
        for i in range(len(differences) - 1, -1, -1):
            if differences[i]:
                end = i + degree + 1
            runs[i].append(min(end, even[i]))
    return runs


def _interpolated(xs: Sequence[Fraction], values: Sequence[Fraction]) -> tuple[Fraction, ...]:
    """The coefficients of the polynomial through these points, by Newton's divided differences."""
    table = list(values)
    newton = [table[0]]
    for order in range(1, len(xs)):
        table = [(b - a) / (xs[i + order] - xs[i]) for i, (a, b) in enumerate(itertools.pairwise(table))]
        newton.append(table[0])
    coefficients = [Fraction(0)]
    for x, value in zip(reversed(xs), reversed(newton), strict=True):
        shifted = [Fraction(0), *coefficients]
        coefficients = [a - x * b for a, b in zip(shifted, [*coefficients, Fraction(0)], strict=True)]
        coefficients[0] += value
    while len(coefficients) > 1 and not coefficients[-1]:
        coefficients.pop()
    return tuple(coefficients)


# -- writing -----------------------------------------------------------------------------------------------


def _sympy(value: Fraction) -> Any:
    import sympy

    return sympy.Rational(value.numerator, value.denominator)


def _neat(form: Any) -> Any:
    """A fraction with a polynomial above: (26 - ac)/20."""
    import sympy

    return sympy.together(sympy.expand(form))


def _latex_words(text: str) -> str:
    for mark in "\\_%&#$":
        text = text.replace(mark, "\\" + mark)
    return text.replace(" ", "\\ ")
