"""Exact finite distributions: dice, pools and dice notation."""

from __future__ import annotations

from rulekit.distributions.dist import Dist, d, mixture
from rulekit.distributions.estimates import Estimate

__all__ = ["Dist", "Estimate", "d", "mixture"]
