"""``python -m benchmarks [--patience SECONDS] [WORD ...]``: every case whose name holds one of the words.

Prints one line a case: rulekit's processor time, the best peer's, how many times faster, the ratio
aimed at and whether it holds. The answers of all contenders are compared before any time counts.
"""

from __future__ import annotations

import argparse
import importlib
import pkgutil
import resource
import subprocess
import sys

import benchmarks
from benchmarks.measuring import Case, Timing, measure


def _cases() -> list[Case]:
    found: list[Case] = []
    for module in sorted(info.name for info in pkgutil.iter_modules(benchmarks.__path__)):
        if not module.startswith("_"):
            found += getattr(importlib.import_module(f"benchmarks.{module}"), "CASES", ())
    return found


def _shown(timing: Timing) -> str:
    return timing.failure if timing.seconds is None else f"{timing.seconds * 1000:,.2f} ms"


def _report(case: Case, patience: float) -> bool:
    timings = {contender.name: measure(contender, patience) for contender in case.contenders}
    digests = {name: timing.digest for name, timing in timings.items() if timing.seconds is not None}
    if len(set(digests.values())) != 1 or "rulekit" not in digests:
        print(f"{case.name}: the answers differ: {digests}")
        return False
    own = timings["rulekit"].seconds or 0.0
    rivals = [c.name for c in case.contenders if c.is_peer and c.name != "rulekit"]
    # A peer that ran out of patience took at least so long; one that failed is no rival.
    times = {name: timings[name].seconds or patience for name in rivals if timings[name].may_answer}
    name, best = min(times.items(), key=lambda rival: rival[1])
    ratio = best / own
    holds = ratio >= case.target
    others = [
        f"{other} {_shown(timing)}" for other, timing in timings.items() if other not in ("rulekit", name)
    ]
    if kernel := timings.get("flint"):
        holds = holds and kernel.seconds is not None and own <= kernel.seconds
    print(
        f"{case.name:42} {own * 1000:9.3f} ms  {name:>8} {_shown(timings[name]):>14}  {ratio:9,.1f} x  "
        f"aim {case.target:6,.0f}  {'holds' if holds else 'MISSED':6}  ({', '.join(others)})",
        flush=True,
    )
    return holds


def _import_seconds(code: str) -> float:
    """Processor time of a fresh process, the best of several, less that of an empty one."""

    def once(code: str) -> float:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return min(once(code) for _ in range(5)) - min(once("") for _ in range(5))


def main() -> int:
    """Run the cases; the exit code says whether all of them hold."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--patience", type=float, default=60.0, help="seconds that any contender may take")
    parser.add_argument("words", nargs="*", help="only cases with one of these in their name")
    arguments = parser.parse_args()
    chosen = [
        case for case in _cases() if not arguments.words or any(w in case.name for w in arguments.words)
    ]
    held = [_report(case, arguments.patience) for case in chosen]
    if not arguments.words:
        codes = ("import rulekit", "from rulekit import d; d(6)", "import dyce", "import icepool")
        seconds = {code: _import_seconds(code) for code in codes}
        held.append(seconds["import rulekit"] < seconds["import dyce"])
        print(
            "  ".join(f"{code}: {s * 1000:.0f} ms" for code, s in seconds.items()),
            "holds" if held[-1] else "MISSED",
        )
    print(f"{sum(held)} of {len(held)} hold")
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
