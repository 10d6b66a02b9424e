"""Rolls: expressions over what came up, and the questions one can ask of them.

`expressions` builds them, `questions` asks; between them stand `graph` (one question's graph, cut into
modules), `elimination` (the algorithm) and two kinds of table, `integer_tables` and `array_tables`.
"""

from __future__ import annotations

from rulekit.rolls.chains import Chain, chain
from rulekit.rolls.explaining import Explanation, explain
from rulekit.rolls.expressions import (
    Roll,
    Throw,
    again,
    apply,
    axes_of,
    base_rolls,
    call_scope,
    chance,
    clip,
    constant,
    count,
    dice,
    halve,
    isin,
    maximum,
    minimum,
    named_rolls,
    roll,
    stat,
    table,
    where,
)
from rulekit.rolls.grid import Grid
from rulekit.rolls.questions import E, P, ask, dist, joint, quantile, sd
from rulekit.rolls.sampling import sample

__all__ = [
    "Chain",
    "E",
    "Explanation",
    "Grid",
    "P",
    "Roll",
    "Throw",
    "again",
    "apply",
    "ask",
    "axes_of",
    "base_rolls",
    "call_scope",
    "chain",
    "chance",
    "clip",
    "constant",
    "count",
    "dice",
    "dist",
    "explain",
    "halve",
    "isin",
    "joint",
    "maximum",
    "minimum",
    "named_rolls",
    "quantile",
    "roll",
    "sample",
    "sd",
    "stat",
    "table",
    "where",
]
