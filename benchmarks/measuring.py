"""One question put to several libraries: the same answer from all, then who needs how much processor time."""

from __future__ import annotations

import hashlib
import multiprocessing
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import gcd
from typing import Any

import rulekit

__all__ = ["Case", "Contender", "Timing", "answer", "measure"]


@dataclass(frozen=True)
class Contender:
    """One library's way: ``ask`` builds and answers, ``answer`` turns its result into `answer`'s form."""

    name: str
    ask: Callable[[], Any]
    answer: Callable[[Any], Any]
    is_peer: bool = True


@dataclass(frozen=True)
class Case:
    """One question, and how many times faster than the best peer rulekit means to be."""

    name: str
    target: float
    contenders: tuple[Contender, ...]
    note: str = ""


@dataclass(frozen=True)
class Timing:
    """Processor seconds of the best run and a digest of the answer; without a run, why not."""

    seconds: float | None
    digest: str = ""
    failure: str = ""

    @property
    def may_answer(self) -> bool:
        """Whether it answered, or would have with more patience."""
        return self.seconds is not None or self.failure.startswith(">")


def answer(pairs: Iterable[tuple[Any, int]]) -> list[tuple[Any, int]]:
    """Outcome and weight, sorted, in lowest terms."""
    found = sorted(((outcome, int(weight)) for outcome, weight in pairs if weight), key=lambda pair: pair[0])
    common = gcd(*(weight for _, weight in found))
    return [(outcome, weight // common) for outcome, weight in found]


def _digest(pairs: list[tuple[Any, int]]) -> str:
    text = ";".join(
        f"{int(outcome) if outcome == int(outcome) else outcome}:{weight:x}" for outcome, weight in pairs
    )
    return hashlib.sha256(text.encode()).hexdigest()


def _timed(contender: Contender) -> tuple[float, Any]:
    rulekit.clear_caches()
    before = time.process_time()
    result = contender.ask()
    return time.process_time() - before, result


def _run(contender: Contender, once: bool, pipe: Any) -> None:
    try:
        best, result = _timed(contender)
        if best < 5 and not once:  # the first run has paid for imports and counts only where it takes long
            start, times = time.perf_counter(), []
            while len(times) < 50 and (time.perf_counter() - start < 1 or not times):
                times.append(_timed(contender)[0])
            best = min(times)
        pipe.send(Timing(best, _digest(contender.answer(result))))
    except Exception as failure:
        pipe.send(Timing(None, failure=type(failure).__name__))


def measure(contender: Contender, patience: float) -> Timing:
    """The best of several runs, each of a peer's in a process of its own, so that no cache of theirs is warm.

    What keeps no caches, or has just had them cleared, runs them all in one.
    """
    context = multiprocessing.get_context("fork")
    once = contender.is_peer and contender.name not in ("rulekit", "numpy", "by hand")
    best = Timing(None, failure=f"> {patience:g} s")
    start = time.perf_counter()
    for _ in range(5 if once else 1):
        here, there = context.Pipe(duplex=False)
        child = context.Process(target=_run, args=(contender, once, there))
        child.start()
        timing = here.recv() if here.poll(patience) else best
        child.terminate()
        child.join()
        if best.seconds is None or (timing.seconds or best.seconds) < best.seconds:
            best = timing
        if best.seconds is None or time.perf_counter() - start > 2:
            break
    return best
