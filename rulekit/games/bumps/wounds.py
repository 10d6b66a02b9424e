"""What a hit does: damage by type, Resistance and Vulnerability, extra damage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from rulekit.errors import NotAllowed
from rulekit.games.bumps.readings import BothWays, DamageReadings, ExtraBumps
from rulekit.games.bumps.stats import Attacker, BonusType, DamageType, Target
from rulekit.rolls import Roll, constant, dice, maximum, roll
from rulekit.rules import Measure, Outcome, rule, source

__all__ = [
    "Damage",
    "TypedDamage",
    "brought",
    "damage",
    "damage_by_type",
    "several",
    "taken",
    "total",
    "type_of_untyped",
]

RESISTANCE_DIE = 6


@source("BU-10")
def type_of_untyped(attacker: Attacker) -> DamageType:
    """The type of extra damage that has none: that of the attack it rides on.

    Raises:
        NotAllowed: BU-10, the attack deals several types of damage, or none, and `attacker.untyped` does not
            say which.

    >>> type_of_untyped(Attacker())
    <DamageType.PHYSICAL: 'physical'>
    """
    if attacker.untyped is not BonusType.OF_THE_ATTACK:
        return DamageType(attacker.untyped.value)
    types = list(dict.fromkeys(part.type for part in attacker.weapon.damage))
    if len(types) == 1:
        return types[0]
    dealt = "several types" if types else "no damage of its own"
    raise NotAllowed(
        "BU-10", f"the attack has {dealt}: attacker.untyped must say the type of its extra damage"
    )


@source("BU-07", "BU-10")
def brought(attacker: Attacker, net: Roll[int], readings: DamageReadings) -> dict[DamageType, Roll[int]]:
    """What a hit rolls before it meets the target: dice and bonuses, those of one type added up.

    Args:
        attacker: With the weapon's damage and the extra damage.
        net: The Bumps that came through; only the reading `bonus_damage` counts them.
        readings: What further Bumps are worth.
    """
    by_type: dict[DamageType, list[Any]] = {}
    for place, part in enumerate(attacker.weapon.damage):
        rolled = roll(part.dice, _name("damage dice", place))
        by_type.setdefault(part.type, []).append(rolled + part.bonus)
    for place, extra in enumerate(attacker.bonus_damage):
        untyped = extra.type is BonusType.OF_THE_ATTACK
        kind = type_of_untyped(attacker) if untyped else DamageType(extra.type.value)
        rolled = roll(extra.dice, _name("extra dice", place))
        by_type.setdefault(kind, []).append(rolled + extra.bonus)
    if readings.extra_bumps is ExtraBumps.BONUS_DAMAGE:
        by_type.setdefault(type_of_untyped(attacker), []).append(maximum(net - 1, 0))
    return {kind: sum(rolls[1:], rolls[0]) for kind, rolls in by_type.items()}


def _name(dice: str, place: int) -> str:
    return f"{dice} {place + 1}" if place else dice


@source("BU-08", "BU-09")
def taken(dealt: Roll[int], resistance: int, vulnerability: int, both: BothWays) -> Roll[int]:
    """The damage of one type that a hit does, 0 or more.

    Args:
        dealt: What was rolled in this type, bonuses included.
        resistance, vulnerability: The target's points: 1d6 less, 1d6 more for each.
        both: How the two meet.

    >>> from rulekit import E, d
    >>> [E(taken(roll(d(10)) + 4, 2, 1, reading)) for reading in BothWays]
    [Fraction(367, 60), Fraction(361, 60), Fraction(296, 45)]
    """
    if both is BothWays.NET_FIRST:
        less = dice(maximum(resistance - vulnerability, 0), RESISTANCE_DIE)
        more = dice(maximum(vulnerability - resistance, 0), RESISTANCE_DIE)
    else:
        less, more = dice(resistance, RESISTANCE_DIE), dice(vulnerability, RESISTANCE_DIE)
    if both is BothWays.RESIST_FLOOR_FIRST:
        return maximum(dealt - less, 0) + more
    return maximum(dealt + more - less, 0)


class TypedDamage(Outcome):
    """Damage of one type."""

    type: Annotated[Roll[DamageType], Measure(help="Which type of damage")]
    damage: Annotated[Roll[int], Measure(unit="HP", help="Damage of this type that gets through")]


class Damage(Outcome):
    """What one hit does."""

    sentence = "A hit does {damage} on average; it defeats the target at once {defeats}."

    damage: Annotated[Roll[int], Measure(unit="HP", help="Damage of all types together")]
    nothing: Annotated[Roll[bool], Measure(help="A hit still, though no damage gets through")]
    defeats: Annotated[Roll[bool], Measure(help="This hit alone takes all Hit Points")]
    by_type: tuple[TypedDamage, ...]


def damage_by_type(
    attacker: Attacker, target: Target, net: Roll[int], readings: DamageReadings
) -> tuple[TypedDamage, ...]:
    """The damage of a hit in each type that it brings; each type has a floor of its own."""
    dealt: Mapping[DamageType, Roll[int]] = brought(attacker, net, readings)
    return tuple(
        TypedDamage(
            type=constant(kind),
            damage=taken(rolled, target.resistance[kind], target.vulnerability[kind], readings.both),
        )
        for kind, rolled in dealt.items()
    )


def several(by_type: tuple[TypedDamage, ...]) -> tuple[TypedDamage, ...]:
    """The damage by type where there are several types: of one alone the total says all."""
    return by_type if len(by_type) > 1 else ()


def total(by_type: Sequence[TypedDamage]) -> Roll[int]:
    """The damage of all types together."""
    return sum((each.damage for each in by_type), constant(0))


@rule("BU-07", "BU-08", "BU-09", "BU-10")
def damage(
    attacker: Attacker = Attacker(),
    target: Target = Target(),
    bumps: Annotated[int, Field(ge=1, le=30, description="Bumps that came through")] = 1,
    readings: DamageReadings = DamageReadings(),
) -> Damage:
    """The damage of a hit: dice once, bonuses, then for each type its Resistance and Vulnerability.

    Args:
        attacker: Weapon and extra damage.
        target: Hit Points, Resistance, Vulnerability.
        bumps: The Bumps that came through: of no matter but in the reading `bonus_damage`.
        readings: Resistance and Vulnerability together; further Bumps.
    """
    by_type = damage_by_type(attacker, target, constant(bumps), readings)
    dealt = total(by_type)
    return Damage(damage=dealt, nothing=dealt == 0, defeats=dealt >= target.hp, by_type=several(by_type))
