"""Products and powers of distributions as whole-number coefficient lists, fast and exact.

A list ``a`` stands for the polynomial ``a[0] + a[1] x + ...``: the weight of outcome ``i`` at place ``i``.
Adding independent rolls multiplies polynomials. ``python-flint`` multiplies where it is installed;
where it is not, packed big integers and a recurrence do, behind the same functions.
"""

from __future__ import annotations

from itertools import accumulate
from math import log2
from typing import Any

from rulekit.errors import TooLarge

__all__ = ["MAX_BITS", "MAX_OUTCOMES", "convolve", "cumulative", "power", "uniform_power"]

MAX_OUTCOMES = 2_000_000
"""No distribution here has more outcomes than this."""

MAX_BITS = 4_000_000_000
"""No result's weights may take more bits than this together (5000d20 takes half)."""

MAX_BITS_PACKED = 60_000_000
"""Without ``python-flint`` a product's weights may take so many bits: Python needs some 20 s for that."""

SMALL = 512
"""Up to so many products of coefficients a plain loop beats any conversion."""


def _flint() -> Any:
    """The flint module, or None where it is not installed."""
    try:
        import flint
    except ImportError:
        return None
    return flint


def _check_size(outcomes: int, bits: float, what: str, most: int = MAX_BITS) -> None:
    if outcomes > MAX_OUTCOMES or outcomes * bits > most:
        raise TooLarge(
            f"{what} would have {outcomes:.3g} outcomes with weights of up to {bits:.3g} bits; the bound is "
            f"{MAX_OUTCOMES:,} outcomes and {most:,} bits in all",
            cells=outcomes,
        )


def cumulative(weights: list[int] | tuple[int, ...]) -> list[int]:
    """Sums of the first 0, 1, 2, ... weights.

    >>> cumulative([1, 2, 3])
    [0, 1, 3, 6]
    """
    return list(accumulate(weights, initial=0))


def convolve(a: list[int], b: list[int]) -> list[int]:
    """The product of two non-empty lists of whole, non-negative coefficients.

    Raises ``TooLarge`` past ``MAX_OUTCOMES`` or ``MAX_BITS``.

    >>> convolve([1, 1], [1, 2, 1])
    [1, 3, 3, 1]
    """
    length = len(a) + len(b) - 1
    if len(a) * len(b) <= SMALL:
        out = [0] * length
        for i, x in enumerate(a):
            if x:
                for j, y in enumerate(b, i):
                    out[j] += x * y
        return out
    bits = max(a).bit_length() + max(b).bit_length() + min(len(a), len(b)).bit_length()
    _check_size(length, bits, "a sum")
    if flint := _flint():
        return _from_flint(flint.fmpz_poly(a) * flint.fmpz_poly(b), length)
    _check_size(length, bits, "a sum", MAX_BITS_PACKED)
    # Kronecker's substitution: with room enough for every coefficient, one product of two big
    # integers is the product of the polynomials.
    width = bits // 8 + 1
    packed = _pack(a, width) * _pack(b, width)
    data = packed.to_bytes(width * length, "little")
    return [int.from_bytes(data[i : i + width], "little") for i in range(0, len(data), width)]


def _pack(a: list[int], width: int) -> int:
    return int.from_bytes(b"".join(x.to_bytes(width, "little") for x in a), "little")


def _from_flint(poly: Any, length: int) -> list[int]:
    out = [int(x) for x in poly.coeffs()]
    out.extend([0] * (length - len(out)))
    return out


def power(a: list[int], n: int) -> list[int]:
    """``a`` multiplied by itself ``n`` times over, ``n`` at least 0: the sum of n equal dice.

    Raises ``TooLarge`` past ``MAX_OUTCOMES`` or ``MAX_BITS``.

    >>> power([1, 2], 3)
    [1, 6, 12, 8]
    """
    if n == 0:
        return [1]
    shift = next(i for i, x in enumerate(a) if x)
    a = a[shift:]
    length = n * (len(a) - 1) + 1
    _check_size(n * shift + length, n * log2(sum(a)), f"the sum of {n} dice")
    if flint := _flint():
        return [0] * (n * shift) + _from_flint(flint.fmpz_poly(a) ** n, length)
    # Miller's recurrence, from p = a**n: a p' = n a' p.
    first, out = a[0], [a[0] ** n]
    terms = [(j, x) for j, x in enumerate(a) if x and j]
    for k in range(1, length):
        total = 0
        for j, x in terms:
            if j > k:
                break
            total += (j * (n + 1) - k) * x * out[k - j]
        out.append(total // (k * first))
    return [0] * (n * shift) + out


def uniform_power(n: int, sides: int) -> list[int]:
    """How many ways n dice with faces 0 .. sides - 1 give each sum; ``n >= 0``, ``sides >= 1``.

    One pass over half of the outcomes (Miller's recurrence, whose inner sum is a running sum when
    all weights are 1); the other half mirrors it. Raises ``TooLarge`` past ``MAX_OUTCOMES`` or
    ``MAX_BITS``.

    >>> uniform_power(2, 6)
    [1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1]
    """
    length = n * (sides - 1) + 1
    _check_size(length, n * log2(sides), f"the sum of {n} dice of {sides} sides")
    half = (length + 1) // 2
    c = [1]
    # With j = 1 .. sides - 1 over the faces: plain = sum c[k-j], weighted = sum j c[k-j].
    plain = weighted = 0
    for k in range(1, half):
        plain += c[k - 1]
        weighted += plain
        if k >= sides:
            gone = c[k - sides]
            plain -= gone
            weighted -= sides * gone
        c.append(((n + 1) * weighted - k * plain) // k)
    return c + c[: length - half][::-1]
