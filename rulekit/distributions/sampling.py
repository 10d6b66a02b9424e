"""Whole numbers drawn evenly below a bound of any size."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from numbers import Integral
from typing import Any

from rulekit.errors import RulekitError

__all__ = ["draws"]


def draws(rng: Any) -> Callable[[int, int], Iterable[int]]:
    """A function that draws n whole numbers below a bound, of any size, evenly."""
    if isinstance(rng, random.Random):
        return lambda bound, n: [rng.randrange(bound) for _ in range(n)]
    if rng is None or (isinstance(rng, Integral) and not isinstance(rng, bool)):
        seed = None if rng is None else int(rng)
        try:
            from numpy.random import default_rng
        except ImportError:
            return draws(random.Random(seed))
        return draws(default_rng(seed))
    if not (hasattr(rng, "integers") and hasattr(rng, "bytes")):
        raise RulekitError(f"rng is a numpy Generator, a random.Random or a whole number, not {rng!r}")

    def draw(bound: int, n: int) -> Iterable[int]:
        if bound < 2**63:
            numbers: list[int] = rng.integers(bound, size=n).tolist()
            return numbers
        bits = bound.bit_length()
        size = (bits + 7) // 8
        drawn: list[int] = []
        while len(drawn) < n:  # a draw at or above the bound is thrown away: on average less than one each
            x = int.from_bytes(rng.bytes(size), "little") >> (8 * size - bits)
            if x < bound:
                drawn.append(x)
        return drawn

    return draw
