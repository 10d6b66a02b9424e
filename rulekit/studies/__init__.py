"""Studies: what a rule does over a range of its stats."""

from __future__ import annotations

from rulekit.studies.sweeping import Sweep, sweep

__all__ = ["Sweep", "sweep"]
