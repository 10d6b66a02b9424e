"""The one number formatter: what a probability or a number looks like, wherever it is shown.

Every figure starts as **twelve**: the exact value (of a float, the exact value of its binary digits)
rounded to 12 significant decimal digits, half to even. All later rounding is half to even on those
decimal digits, so that a float one bit beside a tie is shown as the tie it stands for, and so that a
formatter in another language agrees with this one. Trailing zeros are dropped (55 %, not 55.0 %).
"""

from __future__ import annotations

import math
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from numbers import Rational
from typing import Literal, SupportsFloat

from rulekit.errors import RulekitError

__all__ = ["ProbabilityMode", "format_number", "format_probability"]

ProbabilityMode = Literal["percent", "fraction", "one_in"]

NOT_DEFINED = "n/a"
LONGEST_DENOMINATOR = 10**12
LARGEST_APPROXIMATE_DENOMINATOR = 1000

# The exponent range is the widest there is: the odds of 1000d100 are far below a float's underflow.
_TWELVE = Context(prec=12, rounding=ROUND_HALF_EVEN, Emin=MIN_EMIN, Emax=MAX_EMAX)
_EXACT_ENOUGH = Context(prec=60, rounding=ROUND_HALF_EVEN, Emin=MIN_EMIN, Emax=MAX_EMAX)


def format_probability(
    p: Rational | SupportsFloat, mode: ProbabilityMode = "percent", approximate: bool = False
) -> str:
    """A probability as text, in one of three modes.

    ``percent``: one decimal; below 1 % two significant digits, written with an exponent below
    0.0001 %. Where one decimal would say 100 % of what is not certain, the decimals needed to tell it
    from 100, at most four, and then ``> 99.9999 %``. Only an exact 0 is ``0 %``.

    ``one_in``: ``1 in N``, N to three significant digits, with a comma every three digits and an
    exponent from 10**9 on. Where three digits would say ``1 in 1`` of what is not certain, the digits
    needed, at most seven, and then ``almost 1 in 1``. 0 is ``never`` and 1 is ``always``.

    ``fraction``: the fraction in lowest terms. A float, whatever ``approximate`` marks, and a fraction
    whose denominator is above 10**12 are shown as the nearest fraction with a denominator of at most
    1,000, after ``≈``; there, below 1/1000 as 1/N with N as in ``one_in``, and above 999/1000 as
    ``> 999/1000``.

    ``p`` is a Fraction, an int or a float from 0 to 1 (a float may miss the range by 1e-9, which is
    taken as the end of it); NaN gives ``n/a``. Anything else raises RulekitError.

    >>> from fractions import Fraction
    >>> [format_probability(p) for p in (Fraction(11, 20), Fraction(1, 12), Fraction(1, 1296), 0.0005)]
    ['55 %', '8.3 %', '0.077 %', '0.05 %']
    >>> format_probability(Fraction(9999, 10000)), format_probability(1 - Fraction(1, 10**20))
    ('99.99 %', '> 99.9999 %')
    >>> format_probability(Fraction(11, 20), "one_in"), format_probability(Fraction(1, 1296), "one_in")
    ('1 in 1.82', '1 in 1,300')
    >>> format_probability(Fraction(11, 20), "fraction"), format_probability(0.55, "fraction")
    ('11/20', '≈ 11/20')
    """
    value = _probability(p)
    if value is None:
        return NOT_DEFINED
    if mode == "percent":
        return _percent(value)
    if mode == "one_in":
        return _one_in(value)
    if mode == "fraction":
        return _fraction(value, approximate or not isinstance(p, Rational))
    raise RulekitError(f"mode is {mode!r}; it must be 'percent', 'fraction' or 'one_in'")


def format_number(x: Rational | SupportsFloat, decimals: int = 2, signed: bool = False) -> str:
    """A mean, a standard deviation or any other number as text.

    At most ``decimals`` decimals (0 to 12); a number below 10**(1 - decimals) in size (with
    ``decimals=0``, below 1) gets two significant digits instead, so that only 0 is ever shown as 0.
    A comma every three digits; an exponent from 10**15 on and below
    10**-6. ``signed`` puts a plus before what is above 0, as a difference needs. NaN gives ``n/a``,
    an infinity ``infinite``.

    >>> from fractions import Fraction
    >>> format_number(Fraction(25, 3)), format_number(Fraction(39, 10)), format_number(-1234567)
    ('8.33', '3.9', '-1,234,567')
    >>> format_number(0.00123456), format_number(Fraction(1, 2), signed=True)
    ('0.0012', '+0.5')
    """
    if not 0 <= decimals <= 12:
        raise RulekitError(f"decimals is {decimals}; it must be 0 to 12")
    if not isinstance(x, Rational):
        as_float = float(x)
        if math.isnan(as_float):
            return NOT_DEFINED
        if math.isinf(as_float):
            return ("-" if as_float < 0 else "+" if signed else "") + "infinite"
    value = _twelve(x)
    sign = "-" if value < 0 else "+" if signed and value > 0 else ""
    size = abs(value)
    if size < Decimal(1).scaleb(1 - max(decimals, 1)):
        return sign + _significant(size, 2, smallest=-6, largest=15)
    if size >= Decimal(1).scaleb(15):
        return sign + _significant(size, 3, smallest=-6, largest=15)
    return sign + _grouped(_to_decimals(size, decimals))


def _probability(p: Rational | SupportsFloat) -> Fraction | None:
    """The exact value of ``p``; None for NaN."""
    if isinstance(p, Rational):
        value = Fraction(p)
    else:
        as_float = float(p)
        if math.isnan(as_float):
            return None
        if -1e-9 <= as_float < 0 or 1 < as_float <= 1 + 1e-9:
            as_float = float(round(as_float))
        if math.isinf(as_float):
            raise RulekitError(f"a probability is from 0 to 1; {as_float} is not")
        value = Fraction(as_float)
    if not 0 <= value <= 1:
        raise RulekitError(f"a probability is from 0 to 1; {_significant(_twelve(value), 6)} is not")
    return value


def _percent(p: Fraction) -> str:
    percent = _twelve(p * 100)
    if percent < 1:
        return _significant(percent, 2, smallest=-4) + " %"
    if p == 1:
        return "100 %"
    for decimals in range(1, 5):
        rounded = _to_decimals(percent, decimals)
        if rounded < 100:
            return _plain(rounded) + " %"
    return "> 99.9999 %"


def _one_in(p: Fraction) -> str:
    if p == 0:
        return "never"
    if p == 1:
        return "always"
    return f"1 in {n}" if (n := _one_in_number(p)) else "almost 1 in 1"


def _one_in_number(p: Fraction) -> str:
    """N of "1 in N"; empty where seven digits don't tell it from 1."""
    odds = _twelve(1 / p)
    for digits in range(3, 8):
        if _to_digits(odds, digits) != 1:
            return _significant(odds, digits, largest=9)
    return ""


def _fraction(p: Fraction, approximate: bool) -> str:
    if p in (0, 1):
        return str(p)
    if not approximate and p.denominator <= LONGEST_DENOMINATOR:
        return str(p)
    if p < Fraction(1, LARGEST_APPROXIMATE_DENOMINATOR):
        return f"≈ 1/{_one_in_number(p)}"
    if p > 1 - Fraction(1, LARGEST_APPROXIMATE_DENOMINATOR):
        return "> 999/1000"
    return f"≈ {Fraction(_twelve(p)).limit_denominator(LARGEST_APPROXIMATE_DENOMINATOR)}"


def _twelve(x: Rational | SupportsFloat) -> Decimal:
    """The value to 12 significant digits, half to even: what everything else starts from."""
    if isinstance(x, Rational):
        return _TWELVE.divide(Decimal(int(x.numerator)), Decimal(int(x.denominator)))
    return _TWELVE.plus(Decimal(float(x)))


def _to_decimals(x: Decimal, decimals: int) -> Decimal:
    return x.quantize(Decimal(1).scaleb(-decimals), context=_EXACT_ENOUGH)


def _to_digits(x: Decimal, digits: int) -> Decimal:
    return Context(prec=digits, rounding=ROUND_HALF_EVEN, Emin=MIN_EMIN, Emax=MAX_EMAX).plus(x)


def _significant(x: Decimal, digits: int, smallest: int = -6, largest: int = 15) -> str:
    """``digits`` significant digits; with an exponent below 10**smallest and from 10**largest on."""
    rounded = _to_digits(x, digits)
    if rounded == 0:
        return "0"
    if smallest <= rounded.adjusted() < largest:
        return _grouped(rounded)
    return f"{_plain(rounded.scaleb(-rounded.adjusted(), _EXACT_ENOUGH))}e{rounded.adjusted()}"


def _plain(x: Decimal) -> str:
    return _without_zeros(f"{x:f}")


def _grouped(x: Decimal) -> str:
    return _without_zeros(f"{x:,f}")


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
