"""Exact finite distributions: dice, pools and dice notation."""

from __future__ import annotations

from rulekit.distributions.distribution import Dist, d, mixture
from rulekit.distributions.estimates import Estimate
from rulekit.distributions.pools import Pool

__all__ = ["Dist", "Estimate", "Pool", "d", "mixture"]
