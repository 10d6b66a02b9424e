"""The attack with 15 stats: every slider's line of answers, as an explorer needs them after each rest."""

from __future__ import annotations

import time
from statistics import median
from typing import Annotated

from pydantic import Field

import rulekit
from rulekit import Measure, Outcome, Roll, Setup, Stats, clip, d, dice, maximum, rule, where
from rulekit.studies.sweeping import lines

LIMIT = 0.1
"""Seconds of processor time for all lines."""


class Attacker(Stats):
    attack_bonus: Annotated[int, Field(ge=-5, le=30)] = 7
    edge: Annotated[int, Field(ge=-3, le=3)] = 1
    low: Annotated[int, Field(ge=0, le=20)] = 1
    high: Annotated[int, Field(ge=1, le=40)] = 11
    bonus: Annotated[int, Field(ge=-5, le=20)] = 2
    critical_from: Annotated[int, Field(ge=15, le=20)] = 20


class Defender(Stats):
    defense: Annotated[int, Field(ge=0, le=60)] = 17
    parry: Annotated[int, Field(ge=0, le=20)] = 2
    armour: Annotated[int, Field(ge=0, le=20)] = 3
    location_armour: Annotated[int, Field(ge=0, le=20)] = 1
    soak_dice: Annotated[int, Field(ge=0, le=4)] = 1
    soak_sides: Annotated[int, Field(ge=1, le=12)] = 4
    vulnerability: Annotated[int, Field(ge=0, le=20)] = 1
    hit_points: Annotated[int, Field(ge=1, le=40)] = 14


class Blow(Outcome):
    hit: Roll[bool]
    damage: Annotated[Roll[int], Measure(unit="HP")]
    critical: Roll[bool]
    mishap: Roll[bool]
    kill: Roll[bool]
    margin: Roll[int]


@rule()
def attack15(
    attacker: Attacker, defender: Defender, distance: Annotated[int, Field(ge=0, le=60)] = 10
) -> Blow:
    """A margin attack with Edge, criticals by location, a rolled soak and range: 15 stats, 399 points."""
    throw = dice(1 + abs(attacker.edge), 20)
    natural = where(attacker.edge >= 0, throw.highest(), throw.lowest())
    total = natural + attacker.attack_bonus - distance // 20
    margin = total - defender.defense - defender.parry
    critical = natural >= attacker.critical_from
    hit = critical | ((natural != 1) & (margin >= 0))
    critical_margin = total - (defender.defense - defender.armour + defender.location_armour)
    base = where(
        critical,
        clip(critical_margin, attacker.low, 2 * attacker.high),
        clip(margin, attacker.low, attacker.high),
    )
    soak = dice(defender.soak_dice, d(defender.soak_sides))
    damage = where(hit, maximum(0, base + attacker.bonus + defender.vulnerability - soak), 0)
    mishap = ((natural == 1) & (margin <= -5)) | ((attacker.edge < 0) & (throw.count(1) >= 2))
    return Blow(
        hit=hit,
        damage=damage,
        critical=critical,
        mishap=mishap,
        kill=damage >= defender.hit_points,
        margin=margin,
    )


SETUP: Setup[Blow] = attack15.setup()
MEASURES = ["hit", "damage", "critical", "mishap", "kill", "margin", "damage.pmf", "damage.sd"]


def taken(repeats: int = 9) -> float:
    """Seconds of processor time for all lines, caches cleared, after one run that is not counted."""
    times = []
    for _ in range(repeats + 1):
        rulekit.clear_caches()
        start = time.process_time()
        lines(SETUP, MEASURES)
        times.append(time.process_time() - start)
    return median(times[1:])


def main() -> None:
    points = sum(len(info.span()) for info in SETUP.stats)
    seconds = taken()
    print("| stats | points | measures | ms of processor time | asked |\n|---|---|---|---|---|")
    print(f"| {len(SETUP.stats)} | {points} | {len(MEASURES)} | {seconds * 1e3:.1f} | {LIMIT * 1e3:.0f} |")


if __name__ == "__main__":
    main()
