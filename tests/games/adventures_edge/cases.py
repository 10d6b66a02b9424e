"""From the short inputs of the case files to a Setup, and from a Setup to the figures wanted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from rulekit import E, P, dist
from rulekit.games.adventures_edge import (
    Adventurer,
    Encounter,
    Events,
    Fighter,
    GameMaster,
    Location,
    Npc,
    Party,
    Situation,
    Talker,
    Target,
    Weapon,
    attack,
    diplomacy,
    effects,
    initiative,
    morale,
    reaction,
)
from rulekit.rules import Rule, Setup


def setup(case: Mapping[str, Any]) -> Setup[Any]:
    """The Setup of a case, by the kind that its id names."""
    return _SETUPS[case["id"].split("-")[1]](case["inputs"])


def answers(case: Mapping[str, Any]) -> dict[str, Any]:
    """What rulekit says to a case, under the names of its `want`, as fractions."""
    outcome = setup(case)()
    found = {}
    for name, want in case["want"].items():
        measure = getattr(outcome, "damage" if name == "mean_damage" else name)
        if isinstance(want, Mapping):
            found[name] = odds(measure)
        else:
            found[name] = P(measure) if measure.kind == "event" else E(measure)
    return found


def odds(x: Any) -> dict[Any, Fraction]:
    """A Roll's distribution as a mapping."""
    shown = dist(x)
    return {outcome: shown.probability(outcome) for outcome in shown.outcomes}


def wanted(case: Mapping[str, Any]) -> dict[str, Any]:
    """The figures of a case as fractions, whole-number outcomes as numbers."""
    return {
        name: {_outcome(outcome): Fraction(p) for outcome, p in value.items()}
        if isinstance(value, dict)
        else Fraction(value)
        for name, value in case["want"].items()
    }


def _outcome(text: str) -> int | str:
    return int(text) if text.lstrip("-").isdigit() else text


def named_readings(rule: Rule[..., Any], inputs: Mapping[str, Any]) -> Any:
    """The readings of a rule, those that the inputs name set."""
    model = rule.models["readings"]
    return model(**{name: value for name, value in inputs.items() if name in model.model_fields})


def attack_setup(inputs: Mapping[str, Any]) -> Setup[Any]:
    """AE-attack: `ab`, `db`, `lo`, `hi`, `bonus`, `edge`, `crit_db`, `in_base_range`."""
    # The location's own Defense Bonus is the general one less the worn armour, plus the armour there.
    less = inputs["db"] - inputs.get("crit_db", inputs["db"])
    return attack.setup(
        Fighter(
            attack_bonus=inputs["ab"],
            weapon=Weapon(low=inputs["lo"], high=inputs["hi"], bonus=inputs.get("bonus", 0)),
        ),
        Target(
            defense=inputs["db"],
            armour=max(less, 0),
            location_armour=dict.fromkeys(Location, max(-less, 0)),
        ),
        Situation(edge=inputs.get("edge", 0), in_base_range=inputs.get("in_base_range", True)),
        named_readings(attack, inputs),
    )


def effects_setup(inputs: Mapping[str, Any]) -> Setup[Any]:
    """AE-effects: `damage`, `kind`."""
    return effects.setup(inputs["damage"], inputs["kind"], readings=named_readings(effects, inputs))


def reaction_setup(inputs: Mapping[str, Any]) -> Setup[Any]:
    """AE-reaction: `edge`."""
    return reaction.setup(Encounter(edge=inputs["edge"]), named_readings(reaction, inputs))


def morale_setup(inputs: Mapping[str, Any]) -> Setup[Any]:
    """AE-morale: `discipline`, `modifier`."""
    return morale.setup(
        Npc(discipline=inputs["discipline"]),
        Events(at_half_health=False, other=inputs["modifier"]),
        readings=named_readings(morale, inputs),
    )


def diplomacy_setup(inputs: Mapping[str, Any]) -> Setup[Any]:
    """AE-diplomacy: `bonus`, `edge`, `dl`, `helper` (None for nobody)."""
    talker = Talker(
        influence=inputs["bonus"],
        proficient=False,
        edge=inputs["edge"],
        assisted=inputs["helper"] is not None,
        helper=inputs["helper"] or 0,
    )
    return diplomacy.setup(talker, inputs["dl"], named_readings(diplomacy, inputs))


def first_setup(inputs: Mapping[str, Any]) -> Setup[Any]:
    """AE-first: `pcs` and `gm`, initiative bonuses."""
    return initiative.setup(
        Party(members=[Adventurer(bonus=bonus) for bonus in inputs["pcs"]]),
        GameMaster(monsters=inputs["gm"], monster_count=1),
        readings=named_readings(initiative, inputs),
    )


_SETUPS: dict[str, Callable[[Mapping[str, Any]], Setup[Any]]] = {
    "attack": attack_setup,
    "effects": effects_setup,
    "reaction": reaction_setup,
    "morale": morale_setup,
    "diplomacy": diplomacy_setup,
    "first": first_setup,
}
