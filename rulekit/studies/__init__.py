"""Studies: the questions that designers and players bring, each answered for any Setup."""

from __future__ import annotations

from rulekit.studies.closed_forms import Formula, Piece, formula
from rulekit.studies.comparing import Comparison, Difference, Duel, Flip, compare
from rulekit.studies.fronts import Front, pareto
from rulekit.studies.sensing import Effect, Sensitivity, sensitivity
from rulekit.studies.solving import Band, Solution, Solutions, solve
from rulekit.studies.sweeping import Sweep, sweep

__all__ = [
    "Band",
    "Comparison",
    "Difference",
    "Duel",
    "Effect",
    "Flip",
    "Formula",
    "Front",
    "Piece",
    "Sensitivity",
    "Solution",
    "Solutions",
    "Sweep",
    "compare",
    "formula",
    "pareto",
    "sensitivity",
    "solve",
    "sweep",
]
