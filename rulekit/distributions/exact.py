"""What a user gives, taken exactly or refused: numbers, outcomes, weights, faces."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational
from typing import Any

from rulekit.errors import RulekitError

__all__ = [
    "Faces",
    "Number",
    "as_outcome",
    "chooser",
    "exact_number",
    "is_label",
    "tidy",
    "whole_times",
    "whole_weight",
]

Number = int | Fraction

Faces = Hashable | Collection[Hashable] | Callable[[Any], object]
"""Which faces are meant: one face, a collection of them, or a function that says yes or no."""


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


def as_outcome(x: Any) -> Any:
    """An outcome as it is kept: numbers exact, anything else as it is."""
    if type(x) is int or type(x) is bool or type(x) is str:
        return x
    number = exact_number(x)
    if number is not None:
        return number
    try:
        hash(x)
    except TypeError:
        raise RulekitError(f"an outcome has to be hashable, {x!r} is not: a tuple for a list?") from None
    return x


def is_label(x: object) -> bool:
    """Whether ``x`` can be an outcome; a Roll, an array or another library's die cannot."""
    if hasattr(x, "__array_ufunc__") and exact_number(x) is None:
        return False
    try:
        hash(x)
    except TypeError:
        return False
    return True


def whole_weight(w: object, what: str) -> int:
    """A weight, or ``RulekitError`` that says what was given for ``what``."""
    if isinstance(w, bool) or not isinstance(w, Integral):
        raise RulekitError(f"{what} is a whole number, not {w!r}")
    if int(w) < 0:
        raise RulekitError(f"{what} is not negative, but {w!r} was given")
    return int(w)


def whole_times(times: object) -> int:
    """How often at most a die is thrown again."""
    if isinstance(times, bool) or not isinstance(times, Integral) or not 0 <= int(times) <= 1000:
        raise RulekitError(f"`times` is a whole number from 0 to 1,000, or None for no end, not {times!r}")
    return int(times)


def chooser(faces: Faces) -> Callable[[Any], bool]:
    """``faces`` (one, several, or a function that says yes or no) as a function.

    >>> [chooser({1, 2})(1), chooser(6)(1), chooser(lambda face: face < 3)(1)]
    [True, False, True]
    """
    if callable(faces):
        return lambda x: bool(faces(x))
    if isinstance(faces, str | tuple) or not isinstance(faces, Collection):
        single = as_outcome(faces)
        if isinstance(single, tuple):
            several = frozenset(map(as_outcome, single))
            return lambda x: x == single or x in several
        return lambda x: bool(x == single)
    wanted = frozenset(map(as_outcome, faces))
    return lambda x: x in wanted
