"""``python -m benchmarks.games``: what the rulebooks' heaviest rules take, beside the limit that was set."""

from __future__ import annotations

import time
from collections.abc import Callable
from statistics import median
from typing import Any

import rulekit
from rulekit import dist
from rulekit.games import elements

__all__ = ["QUESTIONS"]


def overwhelm() -> Any:
    """Ten participants who differ in bonus, weapon, armour piercing and element."""
    kinds = ({}, {"water": 2}, {}, {"fire": 2}, {})
    participants = tuple(
        elements.Attacker(
            mod=i,
            weapon=elements.Weapon(ap=i % 4, element_dice=kinds[i % 5]),
            element_mods=dict(kinds[i % 5]),
        )
        for i in range(10)
    )
    target = elements.Target(dr=14, er_armour={"water": 2, "fire": 1})
    return dist(elements.overwhelm(participants, target, elements.Situation(area_dc=13)).damage)


QUESTIONS: dict[str, tuple[Callable[[], Any], float]] = {
    "Overwhelm of ten unlike participants": (overwhelm, 1000.0),
}


def main() -> None:
    """Print a line a question: milliseconds of processor time, caches cleared, and the limit."""
    for name, (ask, limit) in QUESTIONS.items():
        times = []
        for _ in range(5):
            rulekit.clear_caches()
            start = time.process_time()
            ask()
            times.append((time.process_time() - start) * 1e3)
        print(f"{name:44} {median(times):8.1f} ms  limit {limit:6,.0f} ms")


if __name__ == "__main__":
    main()
