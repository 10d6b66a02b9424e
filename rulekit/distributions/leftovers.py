"""What a cut-off leaves over: a weight, and between which two values it lies."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

__all__ = ["Rest", "hull", "moved"]


class Rest(NamedTuple):
    """What a cut-off left over: ``weight`` beside the other weights, somewhere in low .. high."""

    weight: int
    low: Any  # a number, or an infinity as a float
    high: Any


def moved(rest: Rest, function: Callable[[Any], Any]) -> Rest:
    """The leftover of a monotone function of what it is the leftover of."""
    ends = sorted(_limit(function, x) for x in (rest.low, rest.high))
    return Rest(rest.weight, *ends)


def _limit(function: Callable[[Any], Any], x: Any) -> Any:
    """A monotone function at ``x``, at an infinity its limit (told by a far value's sign)."""
    if not isinstance(x, float):
        return function(x)
    far = 10**30 if x > 0 else -(10**30)
    value = function(far)
    further = function(2 * far)
    return value if value == further else math.inf if further > value else -math.inf


def hull(a: Rest | None, b: Rest | None) -> Rest | None:
    """Two leftovers as one."""
    if a is None or b is None:
        return a or b
    return Rest(a.weight + b.weight, min(a.low, b.low), max(a.high, b.high))
