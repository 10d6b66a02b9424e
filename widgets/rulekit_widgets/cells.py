"""Odds as the page gets them: 32-bit floats that it writes as Python writes the exact values.

A 32-bit float keeps six decimal digits for certain, so the page rounds to that many before it writes a cell
(to seven from 0.999 on). Where the exact value lies so close to a tie of rounding
that the last digit would turn, the float is moved until the page writes it right.
"""

from __future__ import annotations

import base64
import math
import sys
from array import array
from collections.abc import Iterable, Iterator, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, get_args

from rulekit import _caches
from rulekit.distributions.formatting import ProbabilityMode, format_probability

__all__ = ["MODES", "SMALLEST", "packed", "packed_numbers", "single", "written"]

MODES: tuple[ProbabilityMode, ...] = get_args(ProbabilityMode)

SMALLEST = 1e-30
"""Odds below are sent as this, and written as smaller than this."""


def packed(odds: Any) -> str:
    """Odds one after another, however nested, as base64 of little-endian 32-bit floats.

    >>> packed([[0.5, 1.0]])
    'AAAAPwAAgD8='
    """
    numbers: Any = odds.ravel() if hasattr(odds, "ravel") else list(_flat(odds))
    cells = array("f", numbers if isinstance(numbers, list) else numbers.astype("f").tobytes())
    for i in _doubtful(numbers):
        cells[i] = single(float(numbers[i]))
    return _encoded(cells)


def _flat(odds: Any) -> Iterator[float]:
    for each in odds:
        if isinstance(each, (list, tuple)):
            yield from _flat(each)
        else:
            yield each


def packed_numbers(numbers: Iterable[float]) -> str:
    """Numbers as base64 of little-endian 64-bit floats."""
    return _encoded(array("d", numbers))


def _encoded(numbers: array[float]) -> str:
    if sys.byteorder == "big":
        numbers.byteswap()
    return base64.b64encode(numbers.tobytes()).decode()


@lru_cache(maxsize=50_000)
def single(p: float) -> float:
    """The 32-bit float nearest to ``p`` that the page writes as Python writes ``p``.

    >>> single(0.0125) == array("f", [0.0125])[0]
    True
    >>> written(single(0.012500004), "percent"), written(array("f", [0.012500004])[0], "percent")
    ('1.3 %', '1.2 %')
    """
    if 0 < p < SMALLEST:
        return array("f", [SMALLEST])[0]
    nearest = array("f", [p])[0]
    if nearest == 1 and p < 1:
        nearest = 1 - 2.0**-24
    modes = MODES if p >= 0.999 else ("percent", "one_in")  # an approximate fraction has no last digit
    told = [format_probability(p, mode) for mode in modes]
    # Half a unit of the sixth digit is at most 5e-6 of the value; steps of two last places of the float.
    for step in range(50):
        for moved in (nearest * (1 + step * 1.2e-7), nearest * (1 - step * 1.2e-7)):
            cell = array("f", [moved])[0]
            if cell < 1 and [written(cell, mode) for mode in modes] == told:
                return cell
    return nearest


_caches.register(single.cache_clear)


def written(cell: float, mode: ProbabilityMode) -> str:
    """What the page writes for a cell: the twin of its `formatCell`.

    >>> written(0.5, "percent"), written(SMALLEST, "percent"), written(0.125, "one_in")
    ('50 %', '< 1e-28 %', '1 in 8')
    """
    if 0 < cell < 2 * SMALLEST:
        return {"percent": "< 1e-28 %", "one_in": "rarer than 1 in 1e30", "fraction": "< 1/1e30"}[mode]
    if cell in (0, 1):
        return format_probability(int(cell), mode)
    if mode == "one_in" or (mode == "fraction" and cell < 0.001):
        odds = Context(prec=6 if cell < 0.999 else 12).plus(Decimal(1 / cell))
        return format_probability(1 / Fraction(odds), mode, approximate=True)
    seen = Context(prec=6 if cell < 0.999 else 7).plus(Decimal(cell))
    return format_probability(Fraction(seen), mode, approximate=True)


def _doubtful(numbers: Sequence[float]) -> Iterable[int]:
    """Where the page might write something else than Python: next to ties, to 1, and below the smallest."""
    numpy: Any = sys.modules.get("numpy")
    if numpy is None:
        tens: Any = _TENS.__getitem__
        return [i for i, p in enumerate(numbers) if 0 < p < 1 and _is_doubtful(max(p, SMALLEST), math, tens)]
    odds = numpy.asarray(numbers, dtype=float)
    inner = numpy.flatnonzero((odds > 0) & (odds < 1))
    there = numpy.maximum(odds[inner], SMALLEST)
    found: Iterable[int] = inner[_is_doubtful(there, numpy, numpy.array(_TENS).take)].tolist()
    return found


_TENS = [float(f"1e{n}") for n in range(32)]


def _is_doubtful(p: Any, library: Any, power_of_ten: Any) -> Any:
    """For one number with `math`, for many with NumPy."""

    def near_tie(in_units: Any) -> Any:
        # Half a unit of the sixth digit and what a 32-bit float is off, that and more to be safe. What is a
        # tie to twelve digits is one to six digits too: both round it alike.
        off = abs(in_units % 1 - 0.5)
        return (off <= 1.3e-3) & (off > 4e-11)

    places = -library.floor(library.log10(p)) - 1  # zeros of a probability before its first digit
    places = places if library is math else places.astype(int)
    below_one_percent = (places - 1) * (places > 1)
    return (
        near_tie(1_000 * p * power_of_ten(below_one_percent))  # one decimal; below 1 % two digits
        | near_tie(100 / p / power_of_ten(places))  # "1 in": three digits
        | (p > 0.995) & (abs(1_000 / p % 1 - 0.5) <= 6e-3)  # "1 in 1.004": four digits
        | (p > 0.999)
        | (p < 2 * SMALLEST)
    )
