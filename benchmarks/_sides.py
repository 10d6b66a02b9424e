"""One case measured on several sides, each in a process of its own, their results compared first.

A side is a function without arguments that imports its library and returns what to time. It is named
``<library>_<case>`` in the module of its table; the last lines of a child process are its answer.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import importlib
import json
import math
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from statistics import median
from typing import Any

LIMIT = 60
"""Seconds after which a side is stopped; it then counts as having taken just that."""

OURS = "rulekit"
KERNELS = {"flint"}


@dataclass(frozen=True)
class Case:
    """What is computed, and how many times faster than the best peer it is to be."""

    name: str
    title: str
    asked: float


def weights(result: Any) -> list[tuple[str, int]]:
    """A result of any library as (outcome, weight) pairs in lowest terms, in one order."""
    if isinstance(result, Fraction):
        return [(str(result), 1)]
    if hasattr(result, "_ps"):  # lea
        pairs = list(zip(result._vs, result._ps, strict=True))
        below = math.lcm(*(Fraction(p).denominator for _, p in pairs))
        pairs = [(x, int(p * below)) for x, p in pairs]
    elif isinstance(result, list):  # coefficients of FLINT's polynomial
        pairs = list(enumerate(result))
    else:
        pairs = list(result.items())
    pairs = [(x, int(w)) for x, w in pairs if w]
    common = math.gcd(*(w for _, w in pairs))
    return sorted((repr(x), w // common) for x, w in pairs)


def clear_caches() -> None:
    """Every cache of every library, ours and theirs."""
    if "rulekit" in sys.modules:
        sys.modules["rulekit"].clear_caches()
    for thing in gc.get_objects():
        if isinstance(thing, functools._lru_cache_wrapper):
            thing.cache_clear()


def measure(work: Callable[[], Any], seconds: float = 1.0) -> tuple[float, Any]:
    """The median time of a run with cold caches, over about that many seconds, and the result."""
    times: list[float] = []
    while not times or (sum(times) < seconds and len(times) < 200):
        clear_caches()
        start = time.perf_counter()
        result = work()
        times.append(time.perf_counter() - start)
    return median(times), result


def child(module: str, side: str) -> None:
    """What a child process does: measure one side and print its time and the digest of its result."""
    taken, result = measure(getattr(importlib.import_module(module), side)())
    digest = hashlib.sha256(json.dumps(weights(result)).encode()).hexdigest()
    print(json.dumps({"seconds": taken, "digest": digest}))


@dataclass(frozen=True)
class Ran:
    """How one side did: its time, the digest of its result, or why it has none."""

    seconds: float
    digest: str | None = None
    failed: str = ""

    def __str__(self) -> str:
        if self.failed:
            return self.failed
        unit, size = next(
            (each for each in (("s", 1.0), ("ms", 1e-3)) if self.seconds >= each[1]), ("µs", 1e-6)
        )
        return f"{'' if self.digest else '> '}{self.seconds / size:.3g} {unit}"


def run(module: str, side: str) -> Ran:
    """Measure one side in a process of its own."""
    command = [sys.executable, "-c", f"from benchmarks._sides import child; child({module!r}, {side!r})"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return Ran(LIMIT)
    if done.returncode:
        error = done.stderr.strip().splitlines()[-1]
        return Ran(math.inf, failed=error.partition(":")[0])
    return Ran(**json.loads(done.stdout.splitlines()[-1]))


def compare(module: str, cases: Iterable[Case]) -> None:
    """Print a table: our time, the others', the ratio to the best peer, and what was asked.

    A kernel stands beside the peers where there is one: ours is to be no slower than it.
    """
    print("| | rulekit | others | times faster than the best peer | asked | |")
    print("|---|---|---|---|---|---|")
    sides = [name for name in vars(importlib.import_module(module)) if "_" in name]
    for case in cases:
        ours = run(module, f"{OURS}_{case.name}")
        if ours.digest is None:
            raise SystemExit(f"{case.title}: rulekit {ours}")
        others = {}
        for side in sides:
            library, _, name = side.partition("_")
            if name == case.name and library != OURS:
                others[library] = run(module, side)
                if others[library].digest not in (ours.digest, None):
                    raise SystemExit(f"{case.title}: rulekit and {library} do not agree")
        best = min(other.seconds for name, other in others.items() if name not in KERNELS) / ours.seconds
        kept = best >= case.asked and all(
            ours.seconds <= other.seconds for name, other in others.items() if name in KERNELS
        )
        times = ", ".join(f"{name} {other}" for name, other in others.items())
        verdict = "ok" if kept else "**short**"
        print(f"| {case.title} | {ours} | {times} | {best:.3g} | {case.asked:g} | {verdict} |", flush=True)
