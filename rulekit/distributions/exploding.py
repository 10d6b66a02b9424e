"""Dice that are thrown on while they show certain faces."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from rulekit.distributions.arithmetic import check_cells
from rulekit.distributions.exact import whole_times
from rulekit.distributions.leftovers import Rest

__all__ = ["EXPLOSION_DEPTH", "EXPLOSION_LEFTOVER", "thrown_on"]

EXPLOSION_DEPTH = 200
"""An endless explosion is followed through no more throws."""

EXPLOSION_LEFTOVER = Fraction(1, 10**18)
"""An endless explosion is cut off where less than this is left over."""


def thrown_on(
    on: dict[Any, int], off: dict[Any, int], times: int | None
) -> tuple[dict[Any, int], Rest | None, tuple[Fraction, Fraction] | None]:
    """The sum of a die's throws, thrown on after what counts ``on`` and not after what counts ``off``.

    Both map a value to its weight; at most ``times`` more throws, None for no end, which needs some ``off``.
    """
    throw = dict(off)
    for x, w in on.items():
        throw[x] = throw.get(x, 0) + w
    if times is None and 0 in on:
        # What counts 0 adds nothing: throwing on after it is throwing anew.
        on = {x: w for x, w in on.items() if x}
        throw = dict(off)
        for x, w in on.items():
            throw[x] = throw.get(x, 0) + w
    if not on:
        return throw, None, None
    total, bursting = sum(throw.values()), sum(on.values())
    p = Fraction(bursting, total)
    if times is None:
        depth = next((k for k in range(EXPLOSION_DEPTH) if p**k < EXPLOSION_LEFTOVER), EXPLOSION_DEPTH)
    else:
        depth = whole_times(times)
    least, most = min(on), max(on)
    sums = max(1, int(most - least))  # about so many more in each step
    check_cells(depth * (depth + 1) // 2 * sums * len(throw), "an explosion")
    merged: dict[Any, int] = {}
    burst = {0: 1}  # the sums of k throws that count ``on``
    for k in range(depth + 1):
        check_cells(len(burst) * len(throw), "an explosion")
        factor = total ** (depth - k)
        ending = off if k < depth else throw if times is not None else {}
        for x, v in burst.items():
            for y, w in ending.items():
                merged[x + y] = merged.get(x + y, 0) + v * w * factor
        if k < depth:
            grown: dict[Any, int] = {}
            for x, v in burst.items():
                for y, w in on.items():
                    grown[x + y] = grown.get(x + y, 0) + v * w
            burst = grown
    if times is not None:
        return merged, None, None
    # Endless: X is a throw, plus another X where the throw counts ``on``.
    mean, square, more = (
        Fraction(sum(x**k * w for x, w in part.items()), total)
        for part, k in ((throw, 1), (throw, 2), (on, 1))
    )
    mean /= 1 - p
    square = (square + 2 * more * mean) / (1 - p)
    # What is left over: depth throws that count ``on``, and one more X.
    low = depth * least + min(throw) if least > 0 else -math.inf
    high = depth * most + max(throw) if most < 0 else math.inf
    return merged, Rest(bursting**depth * total, low, high), (mean, square - mean**2)
