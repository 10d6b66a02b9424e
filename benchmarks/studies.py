"""Studies of the attack with 15 stats: what they take, and what they may take."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median

import rulekit
from benchmarks.attack15 import SETUP
from rulekit import compare, formula, sensitivity, solve, sweep

CUBE = {
    "attacker.attack_bonus": range(30),
    "defender.defense": range(10, 40),
    "attacker.high": range(2, 32),
}
MAP = {"attacker.attack_bonus": range(-5, 31), "defender.defense": range(60)}
WIDE_MAP = {
    "defender.parry": range(20),
    "defender.defense": range(60),
    "attacker.critical_from": range(18, 21),
}

STUDIES: list[tuple[str, float, Callable[[], object]]] = [
    ("sensitivity of 15 stats, floats", 0.05, lambda: sensitivity(SETUP, "damage", exact=False)),
    ("sensitivity of 15 stats, fractions", 0.3, lambda: sensitivity(SETUP, "damage")),
    ("map of 36 x 60, hit", 0.05, lambda: sweep(SETUP, MAP, ["hit"]).data),
    ("map of 20 x 60 x 3, damage", 0.05, lambda: sweep(SETUP, WIDE_MAP, ["damage"]).data),
    ("solve over 30 x 30 x 30, a band", 1.0, lambda: solve(SETUP, {"hit": (0.6, 0.65)}, CUBE)),
    (
        "solve over 30 x 30 x 30, two bands",
        1.0,
        lambda: solve(SETUP, {"hit": (0.6, 0.65), "damage": (3, 5)}, CUBE),
    ),
    ("formula along defense", 1.0, lambda: formula(SETUP, "hit", "defender.defense")),
    (
        "compare two, flips along every stat",
        3.0,
        lambda: compare(
            {"now": SETUP, "sure": SETUP.at({"attacker.low": 6, "attacker.high": 7})}, ["damage"]
        ).flips(),
    ),
]


def taken(study: Callable[[], object], repeats: int = 5) -> float:
    """Seconds of processor time, caches cleared, the median of some runs after one that is not counted."""
    times = []
    for _ in range(repeats + 1):
        rulekit.clear_caches()
        start = time.process_time()
        study()
        times.append(time.process_time() - start)
    return median(times[1:])


def main() -> None:
    print("| study | ms of processor time | asked |\n|---|---|---|")
    for name, limit, study in STUDIES:
        print(f"| {name} | {taken(study) * 1e3:.1f} | {limit * 1e3:.0f} |")


if __name__ == "__main__":
    main()
