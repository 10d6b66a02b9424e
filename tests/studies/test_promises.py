"""The names that studies promise, what they take, and that exact studies need no big package."""

from __future__ import annotations

import inspect
import subprocess
import sys
from typing import Any

import pytest

import rulekit
from rulekit import Roll, compare, d, formula, pareto, roll, rule, sensitivity, solve, sweep


@rule()
def smash(bonus: int = 5, ac: int = 15) -> Roll[bool]:
    return roll(d(20)) + bonus >= ac


SETUP = smash.setup()
BOTH = {"one": SETUP, "two": smash.setup(6)}


@pytest.mark.parametrize(
    ("function", "positional", "named"),
    [
        (sweep, (SETUP,), {"over": {"ac": [1, 2]}, "measures": ["result"]}),
        (sweep, (SETUP, {"ac": [1, 2]}, ["result"]), {"store": "folder", "client": None}),
        (compare, (BOTH,), {}),
        (sensitivity, (SETUP, "result"), {}),
        (solve, (SETUP, {"result": (0.5, 1)}), {"vary": ["ac"]}),
        (formula, (SETUP, "result"), {"over": "ac"}),
        (pareto, (BOTH, ["result"]), {}),
    ],
)
def test_signatures(function: Any, positional: tuple[Any, ...], named: dict[str, Any]) -> None:
    inspect.signature(function).bind(*positional, **named)
    assert getattr(rulekit, function.__name__) is function


def test_results_show_themselves() -> None:
    for found in (
        sweep(SETUP, over={"ac": [14, 15]}),
        compare(BOTH),
        compare(BOTH).difference("ac=10..20"),
        sensitivity(SETUP, "result"),
        solve(SETUP, {"result": (0.5, 1)}, vary=["ac"]),
        formula(SETUP, "result", over="ac"),
        pareto(BOTH, ["result"]),
    ):
        assert found.sentence in str(found)
        assert "<table>" in found._repr_html_()
        assert len(found.to_dataframe()) == len(list(found.records()))
        assert found.to_csv().count("\n") == len(list(found.records())) + 1
        assert repr(found).startswith(f"<{type(found).__name__}: ")


_WITHOUT = """
import sys
class Block:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"numpy", "pandas", "xarray", "scipy", "sympy", "holoviews", "panel"}:
            raise ImportError(name + " is not here")
sys.meta_path.insert(0, Block())
from fractions import Fraction
from rulekit import compare, pareto, sensitivity, sweep
from rulekit.cli import main
from rulekit.games.adventures_edge import Fighter, Target, attack
setup = attack.setup(Fighter(attack_bonus=7), Target(defense=17))
assert sensitivity(setup, "hit").effects["target.defense"].more == Fraction(-1, 20)
swept = sweep(setup, "target.defense=15..17", ["hit"], exact=True)
assert swept.grids["hit"].flat[-1] == Fraction(11, 20)
assert swept.to_csv().splitlines()[-1] == "17,0.55"
both = {"now": setup, "more": setup.at({"attacker.attack_bonus": 8})}
assert compare(both, ["damage"]).duels[0].dominance == -1
assert pareto(both, ["damage"]).front == ("more",)
try:
    swept.plot()
except ValueError as fault:
    assert "pip install 'rulekit-ttrpg[widgets]'" in str(fault)
else:
    raise AssertionError
assert main(["odds", "adventures_edge.attack", "target.defense=10..12", "-m", "hit"]) == 0
"""


def test_exact_studies_without_the_big_packages() -> None:
    done = subprocess.run([sys.executable, "-c", _WITHOUT], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1].split()[:3] == ["10", "90", "%"]
