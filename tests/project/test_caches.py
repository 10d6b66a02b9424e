"""Caches are bounded and can all be dropped at once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator
from typing import Any

import rulekit
import rulekit_widgets
from rulekit import d
from rulekit._caches import clear_caches, register
from tests.project.test_tree import modules_of


def caches() -> Iterator[tuple[str, Any]]:
    """Those of finished results: not what is made or read once (a parser, a game's tables)."""
    for module in [*modules_of(rulekit), *modules_of(rulekit_widgets)]:
        if module.__name__.startswith("rulekit.games."):
            continue
        for holder in [module, *(thing for thing in vars(module).values() if inspect.isclass(thing))]:
            for name, value in vars(holder).items():
                if isinstance(value, functools._lru_cache_wrapper) and inspect.signature(value).parameters:
                    yield f"{module.__name__}.{name}", value


def test_what_is_registered_is_called() -> None:
    calls: list[int] = []
    register(lambda: calls.append(1))
    clear_caches()
    clear_caches()
    assert calls == [1, 1]


def test_every_cache_is_bounded() -> None:
    assert not {name for name, cache in caches() if cache.cache_parameters()["maxsize"] is None}


def test_clearing_leaves_nothing() -> None:
    assert d("4d6kh3").mean == (d(6) + 0).bind(lambda _: d("4d6kh3")).mean
    clear_caches()
    kept = {name for name, cache in caches() if cache.cache_info().currsize}
    assert not kept
