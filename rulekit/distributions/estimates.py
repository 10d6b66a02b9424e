"""`Estimate`: what a simulation answers, which is never a Dist."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Estimate"]


@dataclass(frozen=True)
class Estimate:
    """A simulated figure: its ``value``, the ``standard_error`` of that, and the ``n`` draws behind it.

    >>> str(Estimate(0.55, 0.005, 10_000))
    '0.55 ± 0.005 (10,000 draws)'
    """

    value: float
    standard_error: float
    n: int

    def __str__(self) -> str:
        return f"{self.value:.4g} ± {self.standard_error:.2g} ({self.n:,} draws)"
