"""Import time in a fresh process: `import rulekit` is to take less than `import dyce`."""

from __future__ import annotations

import subprocess
import sys
import time
from statistics import median

NAMES = ("rulekit", "dyce", "icepool", "lea")
RUNS = 7


def seconds(code: str) -> float:
    """Wall time of a fresh Python that runs the code."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - start


def main() -> None:
    """Print the table; Python's own start is taken off."""
    taken: dict[str, list[float]] = {name: [] for name in NAMES}
    for _ in range(RUNS):
        bare = seconds("pass")
        for name in NAMES:
            taken[name].append(seconds(f"import {name}") - bare)
    print("| import | ms |")
    print("|---|---|")
    for name, times in taken.items():
        print(f"| {name} | {median(times) * 1e3:.0f} |")
    if median(taken["rulekit"]) >= median(taken["dyce"]):
        print("\n**short**: `import rulekit` takes longer than `import dyce`")
