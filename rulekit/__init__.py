"""rulekit turns tabletop rules into exact odds.

A `Dist` is what could come up, a `Roll` is what came up: one roll decides a hit, its margin and
its mishap together, however often a rule looks at it.

>>> from rulekit import E, P, clip, d, roll, where
>>> natural = roll(d(20), "natural")
>>> hit = (natural == 20) | ((natural != 1) & (natural + 7 >= 17))
>>> P(hit)
Fraction(11, 20)
>>> E(where(hit, clip(natural - 10, 1, 11) + 2, 0))
Fraction(39, 10)

Importing the package loads none of its parts: each name is fetched from its home when first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from rulekit._caches import clear_caches
from rulekit._version import __version__
from rulekit.errors import (
    ImpossibleCondition,
    NotAllowed,
    NotationError,
    NotAValue,
    RulekitError,
    StatError,
    TooLarge,
)

if TYPE_CHECKING:
    from rulekit.distributions import Dist, Estimate, Pool, d
    from rulekit.rolls import (
        E,
        Grid,
        P,
        Roll,
        again,
        apply,
        chain,
        chance,
        clip,
        count,
        dice,
        dist,
        explain,
        halve,
        isin,
        joint,
        maximum,
        minimum,
        quantile,
        roll,
        sample,
        sd,
        stat,
        table,
        where,
    )
    from rulekit.rules import Measure, Outcome, Part, Readings, Setup, Stats, rule
    from rulekit.studies import compare, formula, pareto, sensitivity, solve, sweep

__all__ = [
    "Dist",
    "E",
    "Estimate",
    "Grid",
    "ImpossibleCondition",
    "Measure",
    "NotAValue",
    "NotAllowed",
    "NotationError",
    "Outcome",
    "P",
    "Part",
    "Pool",
    "Readings",
    "Roll",
    "RulekitError",
    "Setup",
    "StatError",
    "Stats",
    "TooLarge",
    "__version__",
    "again",
    "apply",
    "chain",
    "chance",
    "clear_caches",
    "clip",
    "compare",
    "count",
    "d",
    "dice",
    "dist",
    "explain",
    "formula",
    "halve",
    "isin",
    "joint",
    "maximum",
    "minimum",
    "pareto",
    "quantile",
    "roll",
    "rule",
    "sample",
    "sd",
    "sensitivity",
    "solve",
    "stat",
    "sweep",
    "table",
    "where",
]

_HOMES = {
    "rulekit.distributions": "Dist Estimate Pool d",
    "rulekit.rolls": (
        "E Grid P Roll again apply chain chance clip count dice dist explain halve isin joint "
        "maximum minimum quantile roll sample sd stat table where"
    ),
    "rulekit.rules": "Measure Outcome Part Readings Setup Stats rule",
    "rulekit.studies": "compare formula pareto sensitivity solve sweep",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> object:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
