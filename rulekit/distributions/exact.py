"""Numbers taken exactly: what a user writes becomes an ``int`` or a ``Fraction``, never a float."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational

from rulekit.errors import RulekitError

__all__ = ["Number", "exact_number", "tidy"]

Number = int | Fraction


def tidy(x: Number) -> Number:
    """A fraction without a denominator is an ``int``.

    >>> tidy(Fraction(6, 3)), tidy(Fraction(1, 2))
    (2, Fraction(1, 2))
    """
    return x.numerator if isinstance(x, Fraction) and x.denominator == 1 else x


def exact_number(x: object) -> Number | None:
    """The exact value of a number, None for what is no real number.

    A float is taken by its shortest decimal, as it is written: 0.1 is one tenth. NumPy's scalars are
    taken as Python's. Raises ``RulekitError`` for an infinity or NaN.

    >>> exact_number(0.1), exact_number(3.0), exact_number("hit")
    (Fraction(1, 10), 3, None)
    """
    kind = type(x)
    if kind is int or kind is bool:
        return x  # type: ignore[return-value]
    if kind.__module__ == "numpy" and getattr(x, "ndim", None) == 0:
        x = x.item()  # type: ignore[attr-defined]
    if isinstance(x, int):
        return x
    if isinstance(x, Integral):
        return int(x)
    if isinstance(x, Rational):
        return tidy(Fraction(int(x.numerator), int(x.denominator)))
    if isinstance(x, float | Decimal):
        if not math.isfinite(x):
            raise RulekitError(f"{x} is not a finite number")
        return tidy(Fraction(repr(float(x)) if isinstance(x, float) else x))
    return None
