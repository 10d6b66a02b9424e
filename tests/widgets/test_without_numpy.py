"""The Python side of the explorer where none of the big packages is, as in a kernel inside a browser."""

from __future__ import annotations

import subprocess
import sys

from rulekit_widgets import View, frame
from tests.browser.house_rules import strike

MASKED = """
import sys
import time

del time.thread_time  # WebAssembly has no clock for a thread
for name in ("numpy", "scipy", "xarray", "pandas", "panel", "bokeh", "holoviews", "param", "sympy"):
    sys.modules[name] = None  # an import of it raises

import random

from rulekit_widgets import View, explore, frame
from rulekit_widgets.frames import Tables
from tests.browser.house_rules import strike

explorer = explore(strike, seed=1)
explorer.set({"attacker.attack": 9})
told = frame(explorer.view).sentence["percent"]
assert explorer.frames["texts"][explorer.frames["point"]["text"][0]] == told
made = Tables(View(strike.setup()))
assert made.add("target.defense") and made.add("target.size")
explorer.request = {"seq": 1, "changes": {"target.defense": 12}, "edits": [{"op": "roll"}]}
assert sum(explorer.answer["throws"]["counts"]) == 1000
print(told)
"""


def test_the_explorer_needs_none_of_the_big_packages() -> None:
    done = subprocess.run(
        [sys.executable, "-c", MASKED], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.strip() == frame(View(strike.setup().at({"attacker.attack": 9}))).sentence["percent"]


def test_importing_the_widgets_loads_nothing_big() -> None:
    code = (
        "import sys, rulekit_widgets; print([m for m in ('anywidget', 'numpy', 'panel') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout.strip() == "[]"


def test_a_missing_anywidget_names_the_extra() -> None:
    code = "import sys; sys.modules['anywidget'] = None; from rulekit_widgets import explore"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode != 0
    assert "rulekit-ttrpg[widgets]" in done.stderr
