"""The rule numbers that a piece of a rulebook in code answers to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["source"]

F = TypeVar("F", bound=Callable[..., Any])


def source(*numbers: str) -> Callable[[F], F]:
    """Say which rules a plain function or a class follows, as ``@rule`` does for what rolls.

    Geometry, tables and derivations are rules of the book too. The numbers are kept as ``sources`` and
    stand in the game's coverage page.

    >>> @source("AE-27")
    ... def flanks(bearing: int) -> bool:
    ...     return bearing == 135
    >>> flanks.sources
    ('AE-27',)
    """

    def mark(function: F) -> F:
        function.sources = numbers  # type: ignore[attr-defined]
        return function

    return mark
