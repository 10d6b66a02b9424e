"""An attack's Bumps against a defense's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from rulekit.games.bumps.bump_rolls import Pool, TableRoll, sway
from rulekit.games.bumps.readings import ContestReadings, Undefended
from rulekit.games.bumps.stats import Contender
from rulekit.rolls import Roll, constant
from rulekit.rules import Measure, Outcome, rule, source

__all__ = ["Clash", "Contest", "contest", "opposed"]


@dataclass(frozen=True)
class Clash:
    """Both sides' Bumps and what comes of them, as rolls."""

    attack_bumps: Roll[int]
    defense_bumps: Roll[int]
    net: Roll[int]
    hit: Roll[bool]


@source("BU-05", "BU-06")
def opposed(
    attack_bumps: Roll[int], defense_bumps: Roll[int] | None, undefended: Undefended = Undefended.ZERO_BUMPS
) -> Clash:
    """Every Bump of the defender takes one from the attacker; what is left decides.

    Args:
        attack_bumps: The attacker's Bumps, 0 or more.
        defense_bumps: The defender's; None where no Reaction is spent.
        undefended: What happens then.

    >>> from rulekit import P, d, roll
    >>> P(opposed(roll(d(3)), roll(d(2))).hit)
    Fraction(1, 2)
    """
    held = constant(0) if defense_bumps is None else defense_bumps
    net = attack_bumps - held
    certain = defense_bumps is None and undefended is Undefended.AUTO_HIT
    return Clash(attack_bumps, held, net, (net >= 1) | certain)


class Contest(Outcome):
    """How a contest of Bumps ends."""

    sentence = "Hits {hit}: {attack_bumps} against {defense_bumps} on average."

    hit: Annotated[Roll[bool], Measure(help="At least one Bump comes through")]
    net: Annotated[Roll[int], Measure(unit="Bumps", help="Attacking less defending Bumps")]
    attack_bumps: Annotated[Roll[int], Measure(unit="Bumps", help="What the attacker rolls")]
    defense_bumps: Annotated[Roll[int], Measure(unit="Bumps", help="What the defender rolls")]


@rule("BU-04", "BU-05", "BU-06", "BU-12")
def contest(
    attack: Contender = Contender(),
    defense: Contender = Contender(),
    reaction: Annotated[bool, Field(description="The defender spends a Reaction to roll")] = True,
    bump_roll: TableRoll = Pool(),
    readings: ContestReadings = ContestReadings(),
) -> Contest:
    """Attack against Defense or Save: the Bumps of both, what is left of the attack, hit or miss.

    Args:
        attack: Who attacks: rating, bonus, Advantage.
        defense: Who defends.
        reaction: Whether the defender spends a Reaction to roll.
        bump_roll: How Bumps are rolled at this table.
        readings: Attacks that nobody answers; Advantage.
    """
    attacking = bump_roll.bumps(
        attack.rating, attack.bonus, "attack", sway(attack.advantage, attack.disadvantage), readings.advantage
    )
    defending = bump_roll.bumps(
        defense.rating,
        defense.bonus,
        "defense",
        sway(defense.advantage, defense.disadvantage),
        readings.advantage,
    )
    clash = opposed(attacking, defending if reaction else None, readings.undefended)
    return Contest(
        hit=clash.hit,
        net=clash.net,
        attack_bumps=clash.attack_bumps,
        defense_bumps=clash.defense_bumps,
        notes=(f"Bump roll: {bump_roll.told()}",),
    )
