"""What importing costs, and what works where the numerical packages are not installed."""

from __future__ import annotations

import subprocess
import sys

SLOW = ("numpy", "sympy", "scipy", "xarray", "pandas", "flint", "lark", "pydantic")

# Everything that an in-browser kernel lacks.
MASKED = ("numpy", "scipy", "xarray", "pandas", "sympy", "flint", "panel", "holoviews", "bokeh", "dask")


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def masked(code: str) -> str:
    """Run with the packages as good as not installed: no import and no search finds them. Nor is there a
    clock for a thread, which WebAssembly lacks.
    """
    return run(f"import sys, time; del time.thread_time; sys.modules |= dict.fromkeys({MASKED})\n{code}")


def test_import_rulekit_loads_nothing_slow() -> None:
    loaded = run(f"import sys, rulekit; print(*(name for name in {SLOW} if name in sys.modules))")
    assert loaded == ""


def test_two_dice_load_nothing_slow() -> None:
    loaded = run(
        "import sys; from rulekit import P, d, roll; assert P(roll(3 @ d(6) + 1) >= 10) > 0;"
        f"print(*(name for name in {SLOW} if name in sys.modules and name != 'flint'))"
    )
    assert loaded == ""


def test_the_mask_masks() -> None:
    told = masked(
        """
from importlib.util import find_spec
assert find_spec("numpy") is None
try:
    import numpy.linalg
except ModuleNotFoundError as error:
    print(error.name)
"""
    )
    assert told == "numpy.linalg"


def test_dice_and_rolls_work_without_the_numerical_packages() -> None:
    told = masked(
        """
from fractions import Fraction
from rulekit import E, P, Pool, clip, d, dice, dist, joint, quantile, roll, stat, where
assert d("4d6kh3").mean == Fraction(15869, 1296)
assert (1000 @ d(6)).mean == 3500
assert (d(6) + d("2d10+1")).mean == Fraction(31, 2)
natural = roll(d(20), "natural")
hit = (natural == 20) | ((natural != 1) & (natural + 7 >= 17))
damage = where(hit, clip(natural - 10, 1, where(natural == 20, 22, 11)) + 2, 0)
assert P(hit) == Fraction(11, 20), P(hit)
assert E(damage) == Fraction(39, 10), E(damage)
assert P(damage >= 10, given=hit) == Fraction(3, 11)
assert quantile(damage, "1/2") == 3
assert dist(dice(3, d(6)).highest()).probability(6) == Fraction(91, 216)
attack = stat("attack", range(5, 8))
grid = P(natural + attack >= 17, exact=True)
print(list(grid.flat))
"""
    )
    assert told == "[Fraction(9, 20), Fraction(1, 2), Fraction(11, 20)]"


def test_a_rule_and_its_frames_work_without_the_numerical_packages() -> None:
    told = masked(
        """
from rulekit.games import adventures_edge
from rulekit.studies import sweep
from rulekit_widgets import View, frame
setup = adventures_edge.attack.setup()
path = next(stat.path for stat in setup.stats if stat.path.endswith("attack_bonus"))
assert sweep(setup, over={path: range(3)}, measures=["hit"]).grids
print(frame(View(setup=setup, measure="damage")).sentence)
"""
    )
    assert "%" in told
