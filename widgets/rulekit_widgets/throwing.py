"""*Roll it*: one throw with every named die and what it did, and many over the exact bars."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from rulekit.rolls import Roll, named_rolls, sample
from rulekit.rules import measures_of
from rulekit_widgets.frames import key_of, sent_rows
from rulekit_widgets.views import View

__all__ = ["MANY", "throws"]

MANY = 1_000


def throws(view: View, rng: random.Random) -> dict[str, Any]:
    """A thousand throws of the rule, as JSON for the page.

    Args:
        view: The point and the measure.
        rng: Where chance comes from.

    Returns:
        `n`; `one`, the first throw as (name, what it showed, "die" or "measure"); `measure`; `outcomes` and
        `rows` as in a table: the shares of the throws exactly, at least, at most; `counts` of the outcomes.
    """
    measures = measures_of(view.setup())
    infos = {info.path: info for info in view.setup.measures}
    named: dict[str, Roll[Any]] = {}
    for measure in measures.values():
        for name, node in named_rolls(measure).items():
            if name not in measures:
                named.setdefault(name, node)
    everything = {**named, **measures}
    columns = dict(zip(everything, sample(tuple(everything.values()), MANY, rng), strict=True))
    counts = Counter(columns[view.measure])
    faces = sorted(counts)
    ordered, sent = sent_rows(faces, [[counts[outcome] / MANY for outcome in faces]])
    one = [(name.replace("_", " "), key_of(columns[name][0]), "die") for name in named]
    for path, info in infos.items():
        unit = f" {info.unit}" if info.unit else ""
        one.append((info.label, key_of(columns[path][0]) + unit, "measure"))
    return {
        **sent,
        "n": MANY,
        "measure": view.measure,
        "one": one,
        "counts": [counts[outcome] for outcome in ordered],
        "heads": "",
    }
