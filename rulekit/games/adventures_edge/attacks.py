"""The attack: one d20 decides hit, damage, critical and mishap together (AE-12, AE-13, AE-14, AE-18)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from rulekit.distributions import Dist
from rulekit.errors import NotAllowed
from rulekit.games.adventures_edge.after_the_hit import effect_step, inflicted, wound
from rulekit.games.adventures_edge.edges import throw_d20
from rulekit.games.adventures_edge.readings import (
    BlowReadings,
    CriticalMinimum,
    CriticalParry,
    EffectsFrom,
    HelplessArmour,
    MishapOn,
    Readings,
    TargetedCritical,
    TargetingRisk,
)
from rulekit.games.adventures_edge.stats import (
    Aim,
    Arc,
    CloseCombat,
    Cover,
    Defends,
    Fighter,
    HighGround,
    Location,
    Mount,
    Situation,
    Target,
)
from rulekit.games.adventures_edge.tables import entries, faces_of, sample_note
from rulekit.rolls import Roll, clip, constant, maximum, roll, table, where
from rulekit.rules import Measure, Outcome, rule, source

__all__ = [
    "Attack",
    "Blow",
    "attack",
    "attack_edge",
    "blow",
    "critical_location",
    "defense_against",
    "location_notes",
]

SHORT = 5
"""By how much an attack has to miss for a mishap (AE-14), or to strike another in close combat (AE-32)."""

NO_LOCATION = "none"


class Attack(Outcome):
    """What one attack roll does."""

    sentence = (
        "Hits on {hit:roll}, {hit}, for {damage} damage on average; a critical {critical}, a mishap {mishap}."
    )

    hit: Annotated[Roll[bool], Measure(help="The attack hits (AE-12, AE-14, AE-18)")]
    damage: Annotated[Roll[int], Measure(unit="HP", help="Damage done; a miss does 0 (AE-13)")]
    critical: Annotated[Roll[bool], Measure(help="A natural 20 (AE-18)")]
    mishap: Annotated[Roll[bool], Measure(help="The attack goes wrong: roll on the mishap table (AE-14)")]
    margin: Annotated[Roll[int], Measure(help="The total less the Defense Bonus")]
    natural: Annotated[Roll[int], Measure(help="The die that counts")]
    total: Annotated[Roll[int], Measure(help="The die and all that is added to it")]
    bleeding: Annotated[Roll[int], Measure(unit="HP", help="Bleeding points inflicted (AE-19)")]
    stun: Annotated[Roll[int], Measure(help="Stun points inflicted, an action each (AE-19)")]
    location: Annotated[Roll[str], Measure(help="Where a critical lands (AE-18)")]
    wound: Annotated[Roll[str], Measure(help="The wound, of a critical alone (AE-19)")]
    armour_damage: Annotated[Roll[int], Measure(help="What the armour struck by a critical takes (AE-18)")]


@dataclass(frozen=True, eq=False)
class Blow:
    """What one natural roll does to one target, before what it inflicts."""

    total: Roll[int]
    margin: Roll[int]
    hit: Roll[bool]
    critical: Roll[bool]
    location: Roll[str]
    base: Roll[int]
    damage: Roll[int]
    armour_damage: Roll[int]


@source("AE-07", "AE-20", "AE-22", "AE-23", "AE-24", "AE-25", "AE-27", "AE-29", "AE-30", "AE-32", "AE-36")
def attack_edge(attacker: Fighter, target: Target, situation: Situation) -> int:
    """The Edge of an attack: all that helps or hinders it, added up.

    >>> attack_edge(Fighter(), Target(prone=True), Situation(arc="rear", cover="half"))
    2
    """
    ranged = attacker.weapon.ranged
    edge = situation.edge + situation.surprised  # AE-07
    edge -= situation.dazed + situation.held  # AE-20, AE-33
    edge += situation.point_blank - situation.increments - situation.not_made_to_throw  # AE-22
    if ranged:
        edge -= target.prone * target.medium_or_smaller * (situation.increments > 0)  # AE-23
        edge -= situation.through_same_size + 2 * situation.through_larger  # AE-24
    else:
        edge += target.prone  # AE-23
    edge -= {Cover.NONE: 0, Cover.HALF: 1, Cover.THREE_QUARTERS: 2}[situation.cover]  # AE-24
    edge -= _aiming(situation)  # AE-25
    edge += {Arc.FRONT: 0, Arc.FLANK: 1, Arc.REAR: 2}[situation.arc]  # AE-27
    edge -= situation.two_degrees_shorter  # AE-29
    edge -= situation.off_hand + situation.heavy_again  # AE-30
    crowded = {CloseCombat.NONE: 0, CloseCombat.INTO: 2 if ranged else 1, CloseCombat.OUT_OF: 1}
    edge -= crowded[situation.close_combat]  # AE-32
    if situation.mount != Mount.NONE:  # AE-36
        edge += situation.riding_style - (2 if situation.mount == Mount.RUNNING else 1)
    return edge


def _aiming(situation: Situation) -> int:
    """AE-25: what aiming costs: 1 at a limb, 2 at a vital spot.

    Raises:
        NotAllowed: AE-26, the half of the body that is out of reach from higher or lower ground.
    """
    if situation.aimed_at == Aim.NOWHERE:
        return 0
    place = entries("hit_locations")[situation.aimed_at.value]
    if place["half"] == _half_out_of_reach(situation):
        raise NotAllowed("AE-26", f"the {situation.aimed_at.value} cannot be aimed at from there")
    return 2 if place["aim"] == "vital" else 1


def _half_out_of_reach(situation: Situation) -> str:
    """AE-26: the half of the target's body that an attack across high ground cannot strike."""
    return {HighGround.NOBODY: "", HighGround.ATTACKER: "lower", HighGround.TARGET: "upper"}[
        situation.high_ground
    ]


def _reaction_bonus(target: Target, situation: Situation, readings: BlowReadings) -> int:
    """AE-11: what the target's reaction adds to the Defense Bonus."""
    if readings.targeting_risk == TargetingRisk.TARGET_CANNOT and situation.aimed_at != Aim.NOWHERE:
        return 0
    return {
        Defends.NOT: 0,
        Defends.PARRY: target.parry,
        Defends.SPELL_PARRY: target.spell_parry,
        Defends.DODGE: target.dodge,
    }[situation.defends]


def _armour_at(target: Target, location: Roll[str]) -> Roll[int]:
    """AE-10: what armour adds where an attack lands."""
    armour: Roll[int] = table(location, {place.value: target.location_armour[place] for place in Location})
    return armour


@source("AE-10", "AE-11", "AE-26")
def defense_against(
    target: Target,
    situation: Situation,
    readings: BlowReadings,
    location: Roll[str] | None = None,
    reacts: bool = True,
) -> Roll[int]:
    """The Defense Bonus that one attack meets: the stated one, or that of the location struck.

    >>> from rulekit import E
    >>> goblin = Target(defense=15, armour=1, parry=2)
    >>> E(defense_against(goblin, Situation(defends="parry"), Readings()))
    Fraction(17, 1)
    >>> from rulekit.rolls import constant
    >>> E(defense_against(goblin, Situation(), Readings(), constant("lower right arm")))
    Fraction(14, 1)
    """
    armour = constant(target.armour) if location is None else _armour_at(target, location)
    defense = target.defense - target.armour + armour
    if reacts:
        defense += _reaction_bonus(target, situation, readings)
    defense += situation.defense_modifier + (situation.high_ground == HighGround.TARGET)
    keeps_armour = readings.helpless_armour == HelplessArmour.LOCATION
    result: Roll[int] = where(target.helpless, armour if keeps_armour else 0, defense)
    return result


def location_notes(*targets: Target) -> tuple[str, ...]:
    """What a view must show where armour by location counts: the locations are sample data.

    >>> location_notes(Target()), location_notes(Target(location_armour={"head": 1}))
    ((), ('hit locations: sample data, not printed in the chapter',))
    """
    note = sample_note("hit_locations") if any(target.location_armour for target in targets) else None
    return (note,) if note else ()


@source("AE-18", "AE-25", "AE-26")
def critical_location(situation: Situation, readings: BlowReadings) -> Roll[str]:
    """Where a critical lands: by a second d20, thrown again for a half of the body that is out of reach; that
    of an aimed attack where it was aimed.

    >>> from rulekit import P
    >>> P(critical_location(Situation(), Readings()) == "lower right arm")
    Fraction(1, 20)
    """
    aimed = situation.aimed_at != Aim.NOWHERE
    if aimed and readings.targeted_critical == TargetedCritical.AIMED:
        return constant(situation.aimed_at.value)
    out_of_reach = _half_out_of_reach(situation)
    places = {name: row for name, row in entries("hit_locations").items() if row["half"] != out_of_reach}
    faces = Dist([(face, 1) for row in places.values() for face in faces_of(row["faces"])])
    location: Roll[str] = table(
        roll(faces, "location roll"), {row["faces"]: name for name, row in places.items()}
    )
    return location


@source("AE-12", "AE-13", "AE-14", "AE-18", "AE-22")
def blow(
    natural: Roll[int],
    attacker: Fighter,
    target: Target,
    situation: Situation = Situation(),
    readings: BlowReadings = BlowReadings(),
) -> Blow:
    """What a natural roll does to a target: hit or miss, and the damage."""
    weapon = attacker.weapon
    total = natural + attacker.attack_bonus + situation.attack_modifier
    total += situation.high_ground == HighGround.ATTACKER  # AE-26
    aimed = None if situation.aimed_at == Aim.NOWHERE else constant(situation.aimed_at.value)
    margin = total - defense_against(target, situation, readings, aimed)

    # AE-12, AE-14, AE-18: the total decides, but a natural 1 misses and a natural 20 hits.
    critical = natural == 20
    hit = critical | ((natural != 1) & (margin >= 0))

    # AE-18: the location that a critical strikes has a Defense Bonus of its own.
    location = critical_location(situation, readings)
    reacts = readings.critical_parry == CriticalParry.COUNTS
    critical_margin = total - defense_against(target, situation, readings, location, reacts)

    # AE-13: the margin, held within the weapon's range (a critical's is twice as high), and the bonus.
    bonus = where((situation.increments == 0) & situation.in_base_range, weapon.bonus, 0)  # AE-22
    ordinary = clip(margin, weapon.low, weapon.high) + bonus
    crushing = maximum(1, clip(critical_margin, weapon.low, 2 * weapon.high) + bonus)
    if readings.critical_minimum == CriticalMinimum.ONE_POINT:
        crushing = where(critical_margin > 0, crushing, 1)
    base = clip(where(critical, critical_margin, margin), weapon.low, weapon.high)
    return Blow(
        total=total,
        margin=margin,
        hit=hit,
        critical=critical,
        location=where(critical, location, NO_LOCATION if aimed is None else aimed),
        base=where(hit, base, 0),
        damage=where(hit, where(critical, crushing, ordinary), 0),
        armour_damage=where(critical & (_armour_at(target, location) > 0), 1, 0),
    )


@rule("AE-12", "AE-13", "AE-14", "AE-18", "AE-19")
def attack(
    attacker: Fighter = Fighter(),
    target: Target = Target(),
    situation: Situation = Situation(),
    readings: Readings = Readings(),
) -> Attack:
    """One attack roll: hit, critical, mishap, damage and what the damage inflicts.

    Raises:
        NotAllowed: an aim at a half of the body that is out of reach (AE-26).

    >>> from rulekit import E, P
    >>> swing = attack(Fighter(attack_bonus=7), Target(defense=17))
    >>> P(swing.hit), E(swing.damage)
    (Fraction(11, 20), Fraction(11, 4))
    """
    edge = attack_edge(attacker, target, situation)
    natural, ones, _ = throw_d20(edge, readings.edge_dice, "natural")
    struck = blow(natural, attacker, target, situation, readings)

    # AE-14
    goes_wrong = natural == 1 if readings.mishap == MishapOn.NATURAL_1 else ~struck.hit
    mishap = (goes_wrong & (struck.margin <= -SHORT)) | ((ones >= 2) & (edge < 0))

    # AE-19
    counted = struck.damage if readings.effects_from == EffectsFrom.FINAL else struck.base
    step = effect_step(target.effect_step, target.medium_or_smaller)
    bleeding, stun = inflicted(counted, attacker.weapon.damage_type, step, readings.effects_beyond_list)

    return Attack(
        hit=struck.hit,
        damage=struck.damage,
        critical=struck.critical,
        mishap=mishap,
        margin=struck.margin,
        natural=natural,
        total=struck.total,
        bleeding=bleeding,
        stun=stun,
        location=struck.location,
        wound=wound(struck.damage, struck.critical, target.toughness, readings.wounds),
        armour_damage=struck.armour_damage,
        notes=location_notes(target),
    )
