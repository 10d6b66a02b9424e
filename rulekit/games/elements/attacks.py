"""Attacks: one, a round of them, with two weapons, and of opportunity."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from rulekit.errors import NotAllowed, NotAValue
from rulekit.games.elements.armour import ArmourReadings, after_armour, critical_damage, protection
from rulekit.games.elements.blows import Blow, BlowReadings, MeleeReadings, blow
from rulekit.games.elements.readings import AooAdjacent
from rulekit.games.elements.stats import Attacker, Hands, Situation, Target, Use, Weapon
from rulekit.rolls import E, Roll, axes_of, constant, dice, roll, where
from rulekit.rules import Measure, Outcome, Stats, Unit, rule

__all__ = [
    "Attack",
    "AttackReadings",
    "Leaving",
    "OpportunityReadings",
    "Round",
    "TwoWeapons",
    "attack",
    "attack_of_opportunity",
    "attack_round",
    "two_weapons",
]


class AttackReadings(BlowReadings, ArmourReadings):
    """The readings that touch an attack."""


class Attack(Outcome):
    """One attack."""

    sentence = "Hits on {hit:roll}, {hit}, for {damage} on average; hurts {hurts}, a critical {critical}."

    hit: Annotated[Roll[bool], Measure(help="The attack hits")]
    damage: Annotated[Roll[int], Measure(unit="HP", help="Damage done, 0 for a miss")]
    critical: Annotated[Roll[bool], Measure(help="It hits as a critical")]
    hurts: Annotated[Roll[bool], Measure(help="It does any damage")]
    bounces: Annotated[Roll[bool], Measure(help="It hits and the armour stops it all")]
    injury: Annotated[Roll[bool], Measure(help="A critical injures: the save against it fails")]
    natural: Annotated[Roll[int], Measure(help="The d20 that counts")]


@rule(
    "EL-01", "EL-02", "EL-03", "EL-04", "EL-06", "EL-07", "EL-08", "EL-09", "EL-10", "EL-12", "EL-13", "EL-14"
)
def attack(
    attacker: Attacker = Attacker(),
    target: Target = Target(),
    situation: Situation = Situation(),
    readings: AttackReadings = AttackReadings(),
) -> Attack:
    """One attack: whether it hits, what it does after ER and DR, and whether it injures."""
    return struck(blow(attacker, target, situation, readings), target, situation, readings)


def struck(blow: Blow, target: Target, situation: Situation, readings: ArmourReadings) -> Attack:
    """What one blow does to a target."""
    if blow.pure:
        (ordinary,) = blow.parts.values()
    else:
        against = protection(target, blow.elements, readings)
        ordinary = after_armour(blow.parts, against, blow.ap, readings)
    damage = where(blow.critical, critical_damage(blow, target), where(blow.hit, ordinary, 0))
    return Attack(
        natural=blow.natural,
        hit=blow.hit,
        critical=blow.critical,
        damage=damage,
        hurts=damage > 0,
        bounces=blow.hit & (damage == 0),
        injury=blow.critical & _save_fails(target, situation),
    )


def _save_fails(target: Target, situation: Situation) -> Any:
    """The save against an injury: d20 and Earth against the Area DC and 3 (EL-14)."""
    unsaved = roll(20, "injury save") + target.earth < situation.area_dc + 3
    return target.injurable & unsaved


# -- a round ---------------------------------------------------------------------------------------------


class Round(Outcome):
    """The attacks of one round on one target."""

    sentence = "Does {damage} on average in the round and takes all the hit points {downs}."

    downs: Annotated[Roll[bool], Measure(help="The round takes all the hit points")]
    damage: Annotated[Roll[int], Measure(unit="HP", help="Damage done in the round")]
    wounds: Annotated[Roll[int], Measure(help="How many of the attacks do damage")]


@rule("EL-01", "EL-04")
def attack_round(
    attacker: Attacker = Attacker(),
    target: Target = Target(),
    situation: Situation = Situation(),
    attacks: Annotated[int, Field(ge=1, le=10, description="Attacks in the round")] = 2,
    hit_points: Annotated[int, Field(ge=1, le=200, description="Hit points that the target has left")] = 10,
    readings: AttackReadings = AttackReadings(),
) -> Round:
    """A round of equal attacks: the target's DR and ER are full again for each."""
    damage = dice(attacks, attack(attacker, target, situation, readings).damage)
    return Round(downs=damage >= hit_points, damage=damage, wounds=attacks - damage.count(0))


class TwoWeapons(Outcome):
    """Two weapons, of which each attack of the round uses one."""

    sentence = "Better with the {better}: {damage} on average; first {first.damage}, second {second.damage}."

    damage: Annotated[Roll[int], Measure(unit="HP", help="Damage of an attack with the better weapon")]
    better: Annotated[Roll[str], Measure(help="The weapon that does more on average")]
    first: Attack
    second: Attack


@rule("EL-11")
def two_weapons(
    attacker: Attacker = Attacker(),
    other: Weapon = Weapon(ap=2),
    target: Target = Target(),
    situation: Situation = Situation(),
    needed: Annotated[int, Field(ge=0, le=60, description="Damage that is needed; 0: as much as may be")] = 0,
    readings: AttackReadings = AttackReadings(),
) -> TwoWeapons:
    """A weapon in each hand without the mastery: which of the two to attack with.

    The choice is free for each attack: the weapon that is likelier to do the damage `needed`, or, where
    nothing in particular is needed, the one that does more on average.
    """
    for weapon in (attacker.weapon, other):
        if weapon.hands is not Hands.ONE:
            raise NotAllowed("EL-11", "both weapons are one-handed, and held in one hand")
    first = attack(attacker, target, situation, readings)
    second = attack(Attacker(**{**dict(attacker), "weapon": other}), target, situation, readings)
    better = _worth(first.damage, needed) >= _worth(second.damage, needed)
    return TwoWeapons(
        damage=first.damage if better else second.damage,
        better=constant("first" if better else "second"),
        first=first,
        second=second,
    )


def _worth(damage: Roll[int], needed: Any) -> Any:
    useful = where(needed > 0, (damage >= needed) * 1, damage)
    stats = [axis.name for axis in axes_of(useful) if axis.name]
    if stats:  # the choice differs along an axis: it is made for one value after another
        raise NotAValue(
            f"the better weapon is chosen for plain stats, not along {', '.join(stats)}", stats=stats
        )
    return E(useful)


# -- attacks of opportunity ------------------------------------------------------------------------------


class OpportunityReadings(MeleeReadings, ArmourReadings):
    """The readings that touch an attack of opportunity: a blow, whatever the weapon."""

    aoo_adjacent: AooAdjacent = AooAdjacent.OTHER_ENEMIES


class Leaving(Stats):
    """How the enemy leaves (EL-15)."""

    leaves_from: Annotated[
        int, Field(ge=5, le=60, multiple_of=5, description="How far off it was before it moved"), Unit("ft")
    ] = 5
    leaves_to: Annotated[
        int, Field(ge=5, le=60, multiple_of=5, description="How far off it then is"), Unit("ft")
    ] = 10
    others_adjacent: Annotated[bool, Field(description="Another enemy stands beside the attacker")] = False
    reaction_left: Annotated[bool, Field(description="The attacker may still react")] = True


@rule("EL-15")
def attack_of_opportunity(
    attacker: Attacker = Attacker(),
    target: Target = Target(),
    leaving: Leaving = Leaving(),
    situation: Situation = Situation(),
    readings: OpportunityReadings = OpportunityReadings(),
) -> Attack:
    """The reaction to an enemy that leaves one's reach.

    A weapon that is not made for blows is used as a d4 with a reach of 5 ft, and keeps its AP.
    """
    weapon = attacker.weapon
    if weapon.manipulation:
        raise NotAllowed("EL-15", "an attack of opportunity is made with the weapon in hand")
    improvised = weapon.use is not Use.MELEE
    reach = 5 if improvised else weapon.reach
    if not leaving.reaction_left:
        raise NotAllowed("EL-15", "it is a reaction, and there is none left")
    if not leaving.leaves_from <= reach < leaving.leaves_to:
        raise NotAllowed("EL-15", f"it does not leave the reach of {reach} ft")
    if leaving.others_adjacent:
        raise NotAllowed("EL-15", "another enemy is adjacent")
    if readings.aoo_adjacent is AooAdjacent.ANYONE and leaving.leaves_from == 5:
        raise NotAllowed("EL-15", "the enemy that leaves is adjacent")
    as_attack = AttackReadings(**{name: value for name, value in readings if name != "aoo_adjacent"})
    return struck(
        blow(attacker, target, situation, as_attack, improvised=improvised), target, situation, readings
    )
