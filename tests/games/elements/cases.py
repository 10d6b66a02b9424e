"""From the short inputs of the case files (and of `brute`) to a Setup, and to the figures wanted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from rulekit import E, P, dist
from rulekit.games.elements import (
    Attacker,
    Grappler,
    Hands,
    Rank,
    Shield,
    ShieldSkill,
    Situation,
    Target,
    Use,
    Weapon,
    attack,
    move_grappled,
    overwhelm,
)
from rulekit.rules import Rule, Setup


def setup(case: Mapping[str, Any]) -> Setup[Any]:
    """The Setup of a case, by the kind that its id names (EL-attack, EL-overwhelm, EL-grapple)."""
    kind = case["id"].split("-")[1]
    return {"attack": attack_setup, "overwhelm": overwhelm_setup, "grapple": move_setup}[kind](case["inputs"])


def answers(case: Mapping[str, Any]) -> dict[str, Any]:
    """What rulekit says to a case, under the names of its `want`, as fractions."""
    outcome = setup(case)()
    if case["id"].startswith("EL-grapple"):
        return {
            "win": P(outcome.moves),
            "lose": P(outcome.escapes),
            "tie": P(outcome.tie),
            **{f"feet_{feet}": P(outcome.feet == feet) for feet in (5, 10, 15)},
        }
    found = {"mean_damage": E(outcome.damage), "damage": dict(odds(outcome.damage))}
    if case["id"].startswith("EL-attack"):
        found |= {"hit": P(outcome.hit), "critical": P(outcome.critical)}
    return found


def odds(x: Any) -> dict[Any, Fraction]:
    """A Roll's distribution as a mapping."""
    shown = dist(x)
    return {outcome: shown.probability(outcome) for outcome in shown.outcomes}


def attack_setup(inputs: Mapping[str, Any]) -> Setup[Any]:
    return attack.setup(
        attacker(inputs), target(inputs), Situation(area_dc=inputs["defense"]), named_readings(attack, inputs)
    )


def overwhelm_setup(inputs: Mapping[str, Any]) -> Setup[Any]:
    participants = inputs["participants"]
    area_dc = participants[0]["defense"]
    # One target has one Defense: where the inputs name several, the difference goes to the bonus.
    attackers = [
        attacker({**inputs, **one, "mod": one["mod"] + area_dc - one["defense"]}) for one in participants
    ]
    elements = {element for one in attackers for element in elements_of(one)}
    return overwhelm.setup(
        attackers, target(inputs, elements), Situation(area_dc=area_dc), named_readings(overwhelm, inputs)
    )


def move_setup(inputs: Mapping[str, Any]) -> Setup[Any]:
    def grappler(who: str) -> Grappler:
        roll = inputs.get(f"{who}_roll", 0)
        return Grappler(mod=inputs[who], advantage=max(roll, 0), disadvantage=max(-roll, 0))

    return move_grappled.setup(grappler("mover"), grappler("held"), named_readings(move_grappled, inputs))


def attacker(inputs: Mapping[str, Any]) -> Attacker:
    get = inputs.get
    dice = dict(get("elements", {"fire": 2} if get("element") else {}))
    mods = dict(get("element_mods", dict.fromkeys(dice, get("element_mod", 0))))
    if get("charged") and not dice:
        dice = {"fire": 2}  # only what is imbued can be charged; what it does is in no element
    roll = get("roll", 0)
    weapon = Weapon(
        ap=get("ap", 0),
        hands=Hands.TWO if get("two_handed") else Hands.ONE,
        use=Use.RANGED if get("ranged") else Use.MELEE,
        manipulation=get("manipulation", False),
        element_dice=dice,
        charged=get("charged", False),
    )
    return Attacker(
        mod=inputs["mod"],
        weapon=weapon,
        element_mods=mods,
        crit_from=get("crit_from", 20),
        advantage=get("adv", 0) + max(roll, 0),
        disadvantage=get("dis", 0) + max(-roll, 0),
        damage_advantage=get("damage_adv", 0),
        damage_disadvantage=get("damage_dis", 0),
    )


def elements_of(one: Attacker) -> list[str]:
    return [element for element, number in one.weapon.element_dice.items() if number]


def target(inputs: Mapping[str, Any], elements: Iterable[str] = ()) -> Target:
    get = inputs.get
    elements = list(elements) or elements_of(attacker({"mod": 0, **inputs}))

    def by_name(x: Any) -> dict[str, int]:
        return dict(x) if isinstance(x, Mapping) else dict.fromkeys(elements, x)

    return Target(
        rank=Rank.NORMAL,
        dr=get("dr", 0),
        er_armour=by_name(get("er_armour", 0)),
        er_other=by_name(get("er_other", 0)),
        shield=Shield(dr=get("shield_dr", 0), er=by_name(get("shield_er", 0))),
        shield_skill=ShieldSkill.PROFICIENT,
        prone=bool(get("bare", False)),
        injurable="save" in inputs,
        earth=get("save", 0),
    )


def named_readings(rule: Rule[..., Any], inputs: Mapping[str, Any]) -> dict[str, str]:
    """The readings that the inputs name, among those that touch the rule."""
    known = rule.models["readings"].model_fields
    return {name: value for name, value in inputs.items() if name in known}
