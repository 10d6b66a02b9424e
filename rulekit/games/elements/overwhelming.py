"""Overwhelm: attacking in concert, and what it costs to wait for each other (EL-16, EL-17)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field

from rulekit.games.elements.armour import after_armour, critical_damage, protection
from rulekit.games.elements.attacks import AttackReadings, attack
from rulekit.games.elements.blows import Blow, blow
from rulekit.games.elements.readings import ExcessAp, OverwhelmAp, OverwhelmCritical
from rulekit.games.elements.stats import Attacker, Rank, Situation, Target, Weapon
from rulekit.rolls import Roll, ask, constant, count, dice, stat, where
from rulekit.rules import Measure, Outcome, Stats, rule

__all__ = [
    "Overwhelm",
    "OverwhelmPrice",
    "OverwhelmReadings",
    "Waiting",
    "overwhelm",
    "overwhelm_price",
    "pays_from",
]

PAIR = (
    Attacker(mod=4, weapon=Weapon(ap=1)),
    Attacker(mod=3, weapon=Weapon(ap=2)),
)


Participants = Annotated[
    tuple[Attacker, ...], Field(min_length=1, max_length=20, description="Who attack together")
]


class OverwhelmReadings(AttackReadings):
    """The readings that touch an Overwhelm."""

    overwhelm_ap: OverwhelmAp = OverwhelmAp.HITTERS
    overwhelm_critical: OverwhelmCritical = OverwhelmCritical.OWN_DICE


class Overwhelm(Outcome):
    """One Overwhelm."""

    sentence = "Hurts {hurts}, for {damage} on average; {hitters} of the attacks hit."

    hurts: Annotated[Roll[bool], Measure(help="It does any damage")]
    damage: Annotated[Roll[int], Measure(unit="HP", help="The combined damage that gets through")]
    hitters: Annotated[Roll[int], Measure(help="How many of the participants hit")]
    criticals: Annotated[Roll[int], Measure(help="How many of them as a critical")]
    ap: Annotated[Roll[int], Measure(help="The combined AP")]


@rule("EL-16")
def overwhelm(
    participants: Participants = PAIR,
    target: Target = Target(dr=6),
    situation: Situation = Situation(),
    readings: OverwhelmReadings = OverwhelmReadings(),
) -> Overwhelm:
    """All attack at once: damage and AP of those who hit are added, and meet ER and DR once.

    A critical's own dice skip armour and shield, each on its own, as in a single attack; a charged weapon's
    dice skip everything.
    """
    blows = [blow(one, target, situation, readings) for one in participants]
    any_critical = count(one.critical for one in blows) > 0
    freed = any_critical if readings.overwhelm_critical is OverwhelmCritical.ALL else False
    everyone = readings.overwhelm_ap is OverwhelmAp.EVERYONE

    ap = sum(one.ap if everyone else where(one.hit, one.ap, 0) for one in blows)
    parts = _summed(blows)
    against = protection(target, [kind for kind in parts if kind != "normal"], readings, ignored=freed)
    cut = after_armour(parts, against, where(freed, 0, ap), readings)
    if readings.excess_ap is ExcessAp.ADDS:  # AP adds to damage that there is
        cut = where(count(_ordinary(one) for one in blows if not one.pure) > 0, cut, 0)
    damage = cut + sum(_uncut(one, target) for one in blows)
    return Overwhelm(
        hurts=damage > 0,
        damage=damage,
        hitters=count(one.hit for one in blows),
        criticals=count(one.critical for one in blows),
        ap=ap,
    )


def _ordinary(one: Blow) -> Roll[bool]:
    return one.hit & ~one.critical


def _summed(blows: Sequence[Blow]) -> dict[str, Any]:
    """The dice of all ordinary hits that ER and DR may cut, by what they are damage in."""
    parts: dict[str, Any] = {}
    for one in blows:
        if not one.pure:
            for kind, shown in one.parts.items():
                parts[kind] = parts.get(kind, 0) + where(_ordinary(one), shown, 0)
    return parts


def _uncut(one: Blow, target: Target) -> Any:
    """What one participant does past ER and DR."""
    freed = where(one.critical, critical_damage(one, target), 0)
    if one.pure:
        (shown,) = one.parts.values()
        freed = freed + where(_ordinary(one), shown, 0)
    return freed


# -- what it costs ---------------------------------------------------------------------------------------


class Waiting(Stats):
    """What those who wait for the last participant have to bear (EL-17)."""

    enemy: Annotated[Attacker, Field(description="Who attacks them, other than the target")] = Attacker()
    attacks: Annotated[int, Field(ge=0, le=20, description="Attacks on all who wait, until it triggers")] = 2
    waiter: Annotated[Target, Field(description="One of those who wait, as a target")] = Target(
        rank=Rank.UNIQUE, dr=2, injurable=True
    )


class OverwhelmPrice(Outcome):
    """An Overwhelm beside the same attacks made singly, and the price of waiting."""

    sentence = "Together {together} on average, singly {singly}; waiting costs {added_danger} more taken."

    better: Annotated[Roll[bool], Measure(help="The Overwhelm does more than the attacks made singly")]
    gain: Annotated[Roll[int], Measure(unit="HP", help="Damage more than by the attacks made singly")]
    together: Annotated[Roll[int], Measure(unit="HP", help="Damage of the Overwhelm")]
    singly: Annotated[Roll[int], Measure(unit="HP", help="Damage of the same attacks made singly")]
    danger: Annotated[Roll[int], Measure(unit="HP", help="Damage to those who wait, by attacks with ADV")]
    unhurried: Annotated[Roll[int], Measure(unit="HP", help="Damage by the same attacks without that ADV")]
    added_danger: Annotated[Roll[int], Measure(unit="HP", help="What the ADV adds to that, on average")]
    reactions_forgone: Annotated[
        Roll[int], Measure(help="Who wait and may not react; the last does not wait")
    ]


@rule("EL-16", "EL-17")
def overwhelm_price(
    participants: Participants = PAIR,
    target: Target = Target(dr=6),
    waiting: Waiting = Waiting(),
    situation: Situation = Situation(),
    readings: OverwhelmReadings = OverwhelmReadings(),
) -> OverwhelmPrice:
    """Whether an Overwhelm is worth it: damage against single attacks, and what waiting costs.

    Until the last has readied, enemies other than the target attack those who wait with ADV.
    """
    together = overwhelm(participants, target, situation, readings).damage
    singly = sum((attack(one, target, situation, readings).damage for one in participants), constant(0))
    enemy = waiting.enemy
    eased = Attacker(**{**dict(enemy), "advantage": enemy.advantage + 1})
    danger, unhurried = (
        dice(waiting.attacks, attack(one, waiting.waiter, situation, readings).damage)
        for one in (eased, enemy)
    )
    return OverwhelmPrice(
        better=together > singly,
        gain=together - singly,
        together=together,
        singly=singly,
        danger=danger,
        unhurried=unhurried,
        added_danger=danger - unhurried,
        reactions_forgone=constant(len(participants) - 1),
    )


def pays_from(
    participants: Sequence[Attacker],
    target: Target = Target(),
    situation: Situation = Situation(),
    readings: OverwhelmReadings = OverwhelmReadings(),
    *,
    most: int = 40,
) -> int | None:
    """The least DR at which an Overwhelm does more on average than the same attacks made singly.

    The target's own DR is set aside; DR from 0 to `most` (at most 40) is tried, exactly. None where it
    never does.

    >>> pays_from(PAIR)
    2
    """
    dr = stat("dr", range(most + 1))
    price = overwhelm_price(
        tuple(participants), Target(**{**dict(target), "dr": dr}), Waiting(), situation, readings
    )
    together, singly = ask([("E", price.together), ("E", price.singly)], exact=True)
    return next((least for least in range(most + 1) if together.at(dr=least) > singly.at(dr=least)), None)
