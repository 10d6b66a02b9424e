"""Every cache of the package in one list, so that one call empties them all.

A module that keeps finished results registers how to drop them::

    @lru_cache(maxsize=256)
    def _power(...): ...

    register(_power.cache_clear)
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["clear_caches", "register"]

_clearers: list[Callable[[], None]] = []


def register(clear: Callable[[], None]) -> None:
    """Have ``clear`` called, without arguments, by every later `clear_caches`."""
    _clearers.append(clear)


def clear_caches() -> None:
    """Drop every finished result that rulekit keeps; answers stay the same, only slower once.

    Made for benchmarks that have to count the building too, and for long-lived processes.

    >>> import rulekit
    >>> rulekit.clear_caches()
    """
    for clear in _clearers:
        clear()
