"""Studies: the questions that designers and players bring, each answered for any Setup."""

from __future__ import annotations

from rulekit.studies.sensing import Effect, Sensitivity, sensitivity
from rulekit.studies.sweeping import Sweep, sweep

__all__ = ["Effect", "Sensitivity", "Sweep", "sensitivity", "sweep"]
