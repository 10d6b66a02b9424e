"""What a hit leaves behind: bleeding, stun and wounds (AE-19), and how long one lasts (AE-20, AE-21)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from rulekit.games.adventures_edge.edges import throw_d20
from rulekit.games.adventures_edge.readings import (
    DownAt,
    EdgeDice,
    EffectsBeyondList,
    EffectsFrom,
    StayConscious,
    Wounds,
)
from rulekit.games.adventures_edge.stats import DamageType
from rulekit.games.adventures_edge.tables import entries
from rulekit.rolls import Roll, chain, constant, count, maximum, minimum, roll, where
from rulekit.rules import Measure, Outcome, Readings, Stats, Unit, rule, source

__all__ = [
    "Decline",
    "DeclineReadings",
    "Effects",
    "EffectsReadings",
    "Sufferer",
    "decline",
    "effect_step",
    "effects",
    "inflicted",
    "wound",
]

EFFECT_STEP = 5
CONSCIOUS_DL = 10


class EffectsReadings(Readings):
    """The readings that touch what a hit inflicts."""

    effects_from: EffectsFrom = EffectsFrom.FINAL
    effects_beyond_list: EffectsBeyondList = EffectsBeyondList.STOP
    wounds: Wounds = Wounds.BY_FIVE


class DeclineReadings(Readings):
    """The readings that touch how long a creature lasts."""

    edge_dice: EdgeDice = EdgeDice.ONE_PER_EDGE
    down_at: DownAt = DownAt.BELOW_ZERO
    stay_conscious: StayConscious = StayConscious.ONCE


class Effects(Outcome):
    """What one hit inflicts beyond its damage."""

    sentence = "Inflicts {bleeding} bleeding and {stun} stun."

    bleeding: Annotated[Roll[int], Measure(help="Bleeding points added")]
    stun: Annotated[Roll[int], Measure(help="Actions lost to stun")]
    wound: Annotated[Roll[str], Measure(help="The wound, of a critical alone")]


class Sufferer(Stats):
    """A creature that bleeds."""

    health: Annotated[int, Field(ge=-40, le=60, description="Health points now"), Unit("HP")] = 14
    bleeding: Annotated[int, Field(ge=1, le=12, description="Bleeding points"), Unit("HP")] = 2
    constitution: Annotated[int, Field(ge=1, le=40, description="Constitution score")] = 14
    discipline: Annotated[int, Field(ge=-10, le=30, description="Discipline bonus")] = 0
    edge: Annotated[int, Field(ge=-5, le=5, description="Edge of the checks to stay conscious")] = 0
    stopped_after: Annotated[
        int, Field(ge=0, le=100, description="When magic stops the bleeding; 0: it does not"), Unit("turns")
    ] = 0


class Decline(Outcome):
    """How long a creature lasts that loses its bleeding total every turn."""

    sentence = "Dies: {dies}, after {turns_to_death}; can act in {turns_conscious} on average."

    turns_to_death: Annotated[Roll[int], Measure(unit="turns", help="Turns until dead; 0: it lives")]
    dies: Annotated[Roll[bool], Measure(help="Dies of the bleeding")]
    turns_conscious: Annotated[Roll[int], Measure(unit="turns", help="Turns it can still act in")]
    conscious_to_the_end: Annotated[Roll[bool], Measure(help="Never loses consciousness before it dies")]
    not_restored: Annotated[
        Roll[int], Measure(unit="HP", help="Lost to bleeding: no magic or herb restores it")
    ]


@source("AE-19")
def effect_step(stated: int, medium_or_smaller: bool) -> int:
    """The points of damage that inflict one effect: what is stated for the creature, else 5; 0 (no effects)
    for a creature larger than medium for which nothing is stated.

    >>> effect_step(0, True), effect_step(0, False), effect_step(10, False)
    (5, 0, 10)
    """
    if stated:
        return stated
    return EFFECT_STEP if medium_or_smaller else 0


@source("AE-19")
def inflicted(
    damage: Roll[int] | int,
    kind: DamageType,
    step: int = EFFECT_STEP,
    beyond: EffectsBeyondList = EffectsBeyondList.STOP,
) -> tuple[Roll[int], Roll[int]]:
    """(bleeding, stun) of one hit: an effect for every full `step` points (0: none), down the type's list.

    >>> from rulekit import E
    >>> [E(points) for points in inflicted(13, DamageType.SLASH)]
    [Fraction(1, 1), Fraction(1, 1)]
    """
    if not step:
        return constant(0), constant(0)
    row: list[str] = entries("damage_effects")[kind.value]["effects"]
    steps = maximum(damage, 0) // step

    def letter(name: str) -> Roll[int]:
        places = [place for place, effect in enumerate(row, 1) if name in effect]
        if beyond == EffectsBeyondList.STOP:
            return count([steps >= place for place in places])
        again, rest = steps // len(row), steps % len(row)
        return again * len(places) + count([rest >= place for place in places])

    return letter("B"), letter("S")


@source("AE-19")
def wound(damage: Roll[int] | int, critical: Roll[bool] | bool, toughness: int, by: Wounds) -> Roll[str]:
    """AE-19: the wound of a critical: "minor", "major" or "mortal" by fives of damage, or a major one where
    the damage reaches the Toughness; else "none".

    >>> from rulekit import P
    >>> P(wound(12, True, 20, Wounds.BY_FIVE) == "major"), P(wound(12, True, 20, Wounds.TOUGHNESS) == "none")
    (Fraction(1, 1), Fraction(1, 1))
    """
    points = maximum(damage, 0)
    if by == Wounds.TOUGHNESS:
        depth = where(points >= toughness, "major", "none")
    else:
        depth = where(
            points >= 15, "mortal", where(points >= 10, "major", where(points >= 5, "minor", "none"))
        )
    result: Roll[str] = where(critical, depth, "none")
    return result


@rule("AE-19")
def effects(
    damage: Annotated[int, Field(ge=0, le=100, description="Damage of the hit"), Unit("HP")] = 15,
    kind: DamageType = DamageType.SLASH,
    critical: Annotated[bool, Field(description="A critical, which alone makes wounds")] = False,
    toughness: Annotated[int, Field(ge=1, le=60, description="Toughness of the creature")] = 14,
    medium_or_smaller: Annotated[bool, Field(description="The creature is of medium size or smaller")] = True,
    step: Annotated[int, Field(ge=0, le=60, description="Points an effect; 0: of its size")] = 0,
    base_damage: Annotated[
        int, Field(ge=0, le=100, description="The damage before bonus and doubling"), Unit("HP")
    ] = 15,
    readings: EffectsReadings = EffectsReadings(),
) -> Effects:
    """What a hit inflicts: one effect for every full 5 points, in the order of its damage type's list.

    Creatures larger than medium suffer none unless `step` is set.

    >>> from rulekit import E
    >>> E(effects(13, DamageType.SLASH).bleeding), E(effects(13, DamageType.SLASH).stun)
    (Fraction(1, 1), Fraction(1, 1))
    """
    counted = damage if readings.effects_from == EffectsFrom.FINAL else base_damage
    every = effect_step(step, medium_or_smaller)
    bleeding, stun = inflicted(counted, kind, every, readings.effects_beyond_list)
    return Effects(bleeding=bleeding, stun=stun, wound=wound(damage, critical, toughness, readings.wounds))


@dataclass(frozen=True)
class _Life:
    """A bleeding creature after the start of one of its turns."""

    health: Roll[int] | int
    asleep: Roll[bool] | bool
    checked: Roll[bool] | bool


@rule("AE-20", "AE-21")
def decline(sufferer: Sufferer = Sufferer(), readings: DeclineReadings = DeclineReadings()) -> Decline:
    """How long a creature lasts that loses its bleeding total at the start of each of its turns.

    Once it is down it must make a Discipline check against 10 and the points below 0 to stay conscious; below
    minus its Constitution score it is dead. One that is down already makes its check at once.

    >>> from rulekit import E
    >>> E(decline(Sufferer(health=-8, bleeding=3, constitution=14)).turns_to_death)
    Fraction(3, 1)
    """
    down_at = 0 if readings.down_at == DownAt.ZERO else -1
    once = readings.stay_conscious == StayConscious.ONCE

    def faints(health: Roll[int]) -> Roll[bool]:
        check = throw_d20(sufferer.edge, readings.edge_dice, "Discipline").natural + sufferer.discipline
        return check < CONSCIOUS_DL - minimum(health, 0)

    def turn(life: _Life) -> _Life:
        health = constant(life.health) - sufferer.bleeding
        down = health <= down_at
        must = down & ~constant(life.checked) if once else down
        return _Life(health, constant(life.asleep) | (must & faints(health)), constant(life.checked) | down)

    def is_dead(health: Roll[int]) -> Roll[bool]:
        return health < -sufferer.constitution

    death = chain(constant(sufferer.health), lambda health: health - sufferer.bleeding, until=is_dead)
    health = constant(sufferer.health)
    down = health <= down_at
    awake = chain(
        _Life(health, down & faints(health), down),
        turn,
        until=lambda life: constant(life.asleep) | is_dead(constant(life.health)),
    )
    turns = _rolled(death.steps)
    stopped = where(sufferer.stopped_after == 0, turns, sufferer.stopped_after)
    return Decline(
        turns_to_death=where(turns <= stopped, turns, 0),
        dies=turns <= stopped,
        turns_conscious=maximum(_rolled(awake.steps) - 1, 0),
        conscious_to_the_end=~awake.end.asleep,
        not_restored=minimum(turns, stopped) * sufferer.bleeding,
    )


def _rolled(steps: Any) -> Roll[int]:
    """The steps of a chain as a Roll, with axes or without."""
    result: Roll[int] = steps if isinstance(steps, Roll) else roll(steps)
    return result
