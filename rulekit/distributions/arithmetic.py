"""Independent draws put together: sums, products, comparisons, events."""

from __future__ import annotations

import math
import operator
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from rulekit.distributions import kernels
from rulekit.distributions.exact import Number, tidy
from rulekit.distributions.leftovers import Rest
from rulekit.errors import RulekitError, TooLarge

if TYPE_CHECKING:
    from rulekit.distributions.distribution import Dist

__all__ = [
    "MAX_CELLS",
    "add",
    "below",
    "check_cells",
    "divide",
    "ends",
    "join",
    "outer",
    "power",
    "sum_of",
]

MAX_CELLS = 5_000_000
"""No operation looks at more pairs of outcomes than this one by one; past it ``TooLarge`` is raised."""


def check_cells(cells: int, what: str) -> None:
    """Refuse, before it begins, what would look at more than ``MAX_CELLS`` pairs."""
    if cells > MAX_CELLS:
        raise TooLarge(
            f"{what} would look at {cells:,} pairs of outcomes; the bound is {MAX_CELLS:,}", cells=cells
        )


def ends(die: Dist) -> tuple[Any, Any]:
    """The least and the greatest value, a leftover's included."""
    outcomes, rest = die._outcomes, die._rest
    if rest is None:
        return outcomes[0], outcomes[-1]
    return min(rest.low, *outcomes[:1]), max(rest.high, *outcomes[-1:])


def _lattice(die: Dist) -> tuple[Number, Number, list[int]]:
    """First outcome, greatest common step, and the number of steps to each outcome."""
    low = die._outcomes[0]
    if len(die._outcomes) == 1:
        return low, 0, [0]
    if all(type(x) is int for x in die._outcomes):
        if die._outcomes[-1] - low == len(die._outcomes) - 1:
            return low, 1, list(range(len(die._outcomes)))
        gaps = [x - low for x in die._outcomes]
        step = math.gcd(*gaps)
        return low, step, [gap // step for gap in gaps]
    scale = math.lcm(*(x.denominator for x in die._outcomes))
    gaps = [int((x - low) * scale) for x in die._outcomes]
    step = math.gcd(*gaps)
    return low, tidy(Fraction(step, scale)), [gap // step for gap in gaps]


def _common_step(a: Number, b: Number) -> Number:
    if type(a) is int and type(b) is int:
        return math.gcd(a, b)
    x, y = Fraction(a), Fraction(b)
    scale = math.lcm(x.denominator, y.denominator)
    return tidy(Fraction(math.gcd(int(x * scale), int(y * scale)), scale))


def _dense(die: Dist, places: list[int], factor: int = 1) -> list[int]:
    if places[-1] * factor == len(places) - 1:
        return list(die._weights)
    out = [0] * (places[-1] * factor + 1)
    for i, w in zip(places, die._weights, strict=True):
        out[i * factor] = w
    return out


def _rest_of_sum(a: Dist, b: Dist) -> Rest | None:
    if a._rest is None and b._rest is None:
        return None
    certain = sum(a._weights) * sum(b._weights)
    (low_a, high_a), (low_b, high_b) = ends(a), ends(b)
    lows = [r.low + low for r, low in ((a._rest, low_b), (b._rest, low_a)) if r]
    highs = [r.high + high for r, high in ((a._rest, high_b), (b._rest, high_a)) if r]
    return Rest(a._denominator * b._denominator - certain, min(lows), max(highs))


def add(a: Dist, b: Dist) -> Dist:
    """The sum of two independent draws."""
    a._numbers("+")
    b._numbers("+")
    rest = _rest_of_sum(a, b)
    moments = None
    if rest and (a._moments or not a._rest) and (b._moments or not b._rest):
        moments = a.mean + b.mean, a.variance + b.variance
    low_a, step_a, places_a = _lattice(a)
    low_b, step_b, places_b = _lattice(b)
    step = _common_step(step_a, step_b)
    low = tidy(low_a + low_b)
    if not step:
        return a._from_merged({low: a._weights[0] * b._weights[0]}, rest, moments)
    factor_a, factor_b = int(step_a / step), int(step_b / step)
    length = places_a[-1] * factor_a + places_b[-1] * factor_b + 1
    if length > 4 * len(places_a) * len(places_b) + 64:
        return outer(a, b, operator.add, "+", rest, moments)
    product = kernels.convolve(_dense(a, places_a, factor_a), _dense(b, places_b, factor_b))
    return a._from_coefficients(low, step, product, rest, moments)


def sum_of(die: Dist, n: int) -> Dist:
    """The sum of n independent draws."""
    if n == 0:
        return die._from_sorted((0,), (1,))
    if n == 1:
        return die
    low, step, places = _lattice(die)
    rest, moments = None, None
    if die._rest:
        (least, most), (_, low_rest, high_rest) = ends(die), die._rest
        weight = die._denominator**n - sum(die._weights) ** n
        rest = Rest(weight, low_rest + (n - 1) * least, high_rest + (n - 1) * most)
        moments = die._moments and (die._moments[0] * n, die._moments[1] * n)
    if places[-1] > 1000 * len(places):
        half = sum_of(die, n // 2)
        return add(add(half, half), die) if n % 2 else add(half, half)
    if places[-1] == len(places) - 1 and set(die._weights) == {1}:
        weights = kernels.uniform_power(n, len(places))
    else:
        weights = kernels.power(_dense(die, places), n)
    return die._from_coefficients(tidy(low * n), step or 1, weights, rest, moments)


def outer(
    a: Dist,
    b: Dist,
    operation: Callable[[Any, Any], Any],
    sign: str,
    rest: Rest | None = None,
    moments: tuple[Fraction, Fraction] | None = None,
) -> Dist:
    """Every outcome of ``a`` with every one of ``b``; ``rest`` where the caller knows it."""
    if rest is None:
        a._whole(f"{sign} of it")
        b._whole(f"{sign} with it")
    check_cells(len(a._outcomes) * len(b._outcomes), sign)
    merged: dict[Any, int] = {}
    undefined: dict[tuple[Any, Any], int] = {}
    for x, v in zip(a._outcomes, a._weights, strict=True):
        for y, w in zip(b._outcomes, b._weights, strict=True):
            try:
                z = tidy(operation(x, y))
            except ZeroDivisionError:
                undefined[x, y] = v * w
                continue
            merged[z] = merged.get(z, 0) + v * w
    if undefined:
        (x, y), p = next(iter(undefined)), Fraction(sum(undefined.values()), a._denominator * b._denominator)
        raise RulekitError(f"{x} {sign} {y} has no value, and a division by 0 comes up with probability {p}")
    return a._from_merged(merged, rest, moments)


def divide(x: Number, y: Number) -> Number:
    """``x / y`` as a fraction."""
    return Fraction(x) / y


def power(x: Number, y: Number) -> Number:
    """``x ** y`` exactly, for a whole ``y``."""
    if isinstance(y, Fraction):
        raise RulekitError(f"{x} ** {y} has no exact value: an exponent is a whole number")
    if abs(y) * max(x.numerator.bit_length(), x.denominator.bit_length()) > 1_000_000:
        raise TooLarge(f"{x} ** {y} has more than a million bits")
    return Fraction(x) ** y if y < 0 else x**y


def below(a: Dist, b: Dist, or_equal: bool, sign: str) -> Dist:
    """The event a < b, or a <= b, by cumulative sums."""
    if (a._kind == "label") != (b._kind == "label"):
        raise RulekitError(f"{sign} compares numbers with numbers or labels with labels")
    a._ordered()
    b._ordered()
    bisect = bisect_right if or_equal else bisect_left
    sums = kernels.cumulative(a._weights)
    certain_a, certain_b = sums[-1], sum(b._weights)
    try:
        yes = sum(w * sums[bisect(a._outcomes, y)] for y, w in zip(b._outcomes, b._weights, strict=True))
    except TypeError:
        raise RulekitError(f"{sign} has no meaning between {a!r} and {b!r}") from None
    no = certain_a * certain_b - yes
    undecided = 0
    below: Callable[[Any, Any], bool] = operator.le if or_equal else operator.lt
    # What was cut off lies in an interval: against each outcome it may be decided all the same.
    meetings: list[tuple[int, Any, Any, Any, Any]] = []
    if a._rest:
        meetings += [(a._rest.weight * w, a._rest.low, a._rest.high, y, y) for y, w in b.items()]
    if b._rest:
        meetings += [(b._rest.weight * w, x, x, b._rest.low, b._rest.high) for x, w in a.items()]
    if a._rest and b._rest:
        meetings.append((a._rest.weight * b._rest.weight, *a._rest[1:], *b._rest[1:]))
    for weight, low_a, high_a, low_b, high_b in meetings:
        if below(high_a, low_b):
            yes += weight
        elif not below(low_a, high_b):
            no += weight
        else:
            undecided += weight
    return a._event(yes, no, undecided)


def join(a: Dist, other: object, operation: Callable[[bool, bool], bool]) -> Any:
    """Two independent events joined; what is undecided may be decided by the other."""
    if isinstance(other, bool):
        b = a._event(int(other), int(not other))
    elif isinstance(other, type(a)):
        b = other
    else:
        return NotImplemented
    if a._kind != "event" or b._kind != "event":
        raise RulekitError("&, | and ^ join events: compare first, as in (d(6) > 3) & (d(8) > 3)")
    weights = {True: 0, False: 0, None: 0}
    for x, v in (*a.items(), (None, a._rest.weight if a._rest else 0)):
        for y, w in (*b.items(), (None, b._rest.weight if b._rest else 0)):
            ends = {operation(p, q) for p in _either(x) for q in _either(y)}
            weights[ends.pop() if len(ends) == 1 else None] += v * w
    return a._event(weights[True], weights[False], weights[None])


def _either(x: bool | None) -> tuple[bool, ...]:
    return (False, True) if x is None else (x,)
