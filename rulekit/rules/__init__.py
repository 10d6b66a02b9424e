"""Rules: a rulebook's rule as a function of stats, and what can be asked of it.

>>> from typing import Annotated
>>> from pydantic import Field
>>> from rulekit import Measure, Outcome, P, Roll, Stats, d, roll, rule, where
>>> class Fighter(Stats):
...     attack: Annotated[int, Field(ge=0, le=20, description="Added to the d20")] = 5
>>> class Blow(Outcome):
...     hit: Roll[bool]
...     damage: Annotated[Roll[int], Measure(unit="HP")]
>>> @rule()
... def strike(attacker: Fighter, armour_class: int = 15) -> Blow:
...     natural = roll(d(20), "natural")
...     hit = natural + attacker.attack >= armour_class
...     return Blow(hit=hit, damage=where(hit, roll(d(8)), 0))
>>> P(strike(Fighter(attack=7)).hit), P(strike.setup().at({"attacker.attack": 9})().hit)
(Fraction(13, 20), Fraction(3, 4))
"""

from __future__ import annotations

from rulekit.rules.fields import Keys, StatField, Unit
from rulekit.rules.loadouts import Loadout, available, load, save, shipped
from rulekit.rules.models import Entry, Levels, Part, Readings, Stats, plain_data
from rulekit.rules.outcomes import Measure, MeasureInfo, Outcome, Reference, measures_of, sentence_parts
from rulekit.rules.paths import StatInfo
from rulekit.rules.registry import Sourced, find_rule, registered, rules_of, source, sourced
from rulekit.rules.ruling import Rule, Run, rule, sample_notes
from rulekit.rules.setups import Setup

__all__ = [
    "Entry",
    "Keys",
    "Levels",
    "Loadout",
    "Measure",
    "MeasureInfo",
    "Outcome",
    "Part",
    "Readings",
    "Reference",
    "Rule",
    "Run",
    "Setup",
    "Sourced",
    "StatField",
    "StatInfo",
    "Stats",
    "Unit",
    "available",
    "find_rule",
    "load",
    "measures_of",
    "plain_data",
    "registered",
    "rule",
    "rules_of",
    "sample_notes",
    "save",
    "sentence_parts",
    "shipped",
    "source",
    "sourced",
]
