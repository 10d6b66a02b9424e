"""Rules of no game with a stat of every kind: what the explorer is tried on."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Annotated

from pydantic import Field

from rulekit import Measure, Outcome, Part, Roll, Stats, clip, d, maximum, roll, rule, where
from rulekit.distributions import Dist
from rulekit.errors import NotAllowed
from rulekit.rules import Keys, Unit


class Size(Enum):
    SMALL = "small"
    LARGE = "large"


class Soak(Part):
    """What takes damage away."""


class Flat(Soak):
    points: Annotated[int, Field(ge=0, le=6)] = 2


class Rolled(Soak):
    die: Dist = d(4)


class Plate(Stats):
    dr: Annotated[int, Field(ge=0, le=5)] = 1


class Weapon(Stats):
    low: Annotated[int, Field(ge=0, le=6)] = 1
    high: Annotated[int, Field(ge=6, le=14)] = 8
    extra: Dist = d(4)


class Fighter(Stats):
    """Who attacks."""

    attack: Annotated[int, Field(ge=-2, le=14, description="Added to the d20")] = 7
    weapon: Weapon = Weapon()
    luck: Annotated[float, Field(ge=0, le=0.5, multiple_of=0.05)] = 0.0


class Target(Stats):
    defense: Annotated[int, Field(ge=5, le=25), Unit("DB")] = 17
    prone: bool = False
    size: Size = Size.SMALL
    resistance: Annotated[Mapping[str, Annotated[int, Field(ge=0, le=4)]], Keys("fire", "cold")] = Field(
        default={}
    )
    soak: Soak = Flat()
    armour: tuple[Plate, ...] = (Plate(),)
    distance: int = 3


class Blow(Outcome):
    hit: Roll[bool]
    critical: Roll[bool]
    damage: Annotated[Roll[int], Measure(unit="HP", help="What gets through")]
    effect: Roll[str]


@rule("HR-1")
def strike(attacker: Fighter, target: Target) -> Blow:
    """A blow with a blade."""
    if target.distance > 9:
        raise NotAllowed("HR-2", "the target is out of range")
    natural = roll(d(20), "natural")
    lucky = roll(d(20), "luck") <= attacker.luck * 20
    total = natural + attacker.attack + where(target.prone, 2, 0) - (1 if target.size == Size.LARGE else 0)
    critical = natural == 20
    hit = critical | ((natural != 1) & (total >= target.defense)) | lucky
    weapon, soak = attacker.weapon, target.soak
    held = clip(total - target.defense, weapon.low, where(critical, 2 * weapon.high, weapon.high))
    armour = sum((plate.dr for plate in target.armour), 0)
    taken = armour + target.resistance["fire"] + (soak.points if isinstance(soak, Flat) else 0)
    if isinstance(soak, Rolled):
        taken = taken + roll(soak.die, "soak")
    damage = where(hit, maximum(held + roll(weapon.extra, "extra") - taken, 0), 0)
    effect = where(damage >= 10, "bleeding", where(damage >= 5, "dazed", "none"))
    return Blow(hit=hit, critical=critical, damage=damage, effect=effect)


@rule()
def smash(bonus: Annotated[int, Field(ge=0, le=20)] = 5, ac: int = 15) -> Roll[bool]:
    """A d20 against armour."""
    return roll(d(20), "natural") + bonus >= ac


@rule()
def soaked(
    bonus: Annotated[int, Field(ge=0, le=9)] = 0,
    layers: tuple[Soak, ...] = (Flat(points=2), Flat(points=1)),
) -> Roll[int]:
    """What a d8 leaves after layers that each take their share."""
    left = roll(d(8), "blow") + bonus
    for i, layer in enumerate(layers, 1):
        left = left - (roll(layer.die, f"layer {i}") if isinstance(layer, Rolled) else layer.points)
    return left
