"""How long a creature lasts."""

from __future__ import annotations

import operator
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from rulekit.distributions import Dist
from rulekit.errors import NotAllowed
from rulekit.games.bumps.attacks import attack, known_odds, refuse_rolls
from rulekit.games.bumps.bump_rolls import Pool, TableRoll
from rulekit.games.bumps.readings import AttackReadings
from rulekit.games.bumps.stats import Attacker, Defender, Pace, Situation
from rulekit.rolls import Roll, chain, constant, maximum, roll
from rulekit.rules import Measure, Outcome, rule

__all__ = ["Defeat", "defeat"]

HORIZON = 40
"""Rounds that are told one by one."""


class Defeat(Outcome):
    """How many rounds it takes to bring a creature to 0."""

    sentence = "Defeated in time {within}; it takes {mean_rounds} on average."

    within: Annotated[Roll[bool], Measure(help="Brought to 0 within the rounds asked about")]
    rounds: Annotated[Roll[int], Measure(unit="rounds", help=f"Rounds it takes; {HORIZON + 1} for any more")]
    mean_rounds: Annotated[
        Roll[Fraction], Measure(unit="rounds", help="The exact mean of the rounds it takes")
    ]
    round_damage: Annotated[Roll[int], Measure(unit="HP", help="Damage in one round")]


@rule("BU-14")
def defeat(
    attacker: Attacker = Attacker(),
    defender: Defender = Defender(),
    situation: Situation = Situation(),
    pace: Pace = Pace(),
    rounds: Annotated[int, Field(ge=1, le=HORIZON, description="Rounds within which it should be over")] = 3,
    bump_roll: TableRoll = Pool(),
    readings: AttackReadings = AttackReadings(),
) -> Defeat:
    """Rounds of equal attacks until the target's Hit Points are at 0, as a chain.

    In each round the first attacks are answered, as long as there are Reactions.

    Args:
        attacker, defender, situation, bump_roll, readings: As in `attack`.
        pace: Attacks and Reactions in a round.
        rounds: How many rounds count as in time.

    Raises:
        NotAllowed: as `attack`; BU-14, the attack never does any damage.
    """
    refuse_rolls(attacker=attacker, defender=defender, situation=situation, bump_roll=bump_roll)
    attacks, reactions = operator.index(pace.attacks), operator.index(pace.reactions)
    answered = min(reactions, attacks)

    def blow(reaction: bool) -> Dist:
        return known_odds(attack(attacker, defender, situation, reaction, bump_roll, readings).damage)

    odds: Dist = answered @ blow(True) + (attacks - answered) @ blow(False)
    if odds.outcomes[-1] == 0:
        raise NotAllowed("BU-14", "these attacks never do any damage, so the target is never brought to 0")
    fight = chain(
        operator.index(defender.hp),
        lambda hp: maximum(hp - roll(odds), 0),
        until=lambda hp: hp <= 0,
        limit=HORIZON,
    )
    told = fight.steps
    later = {HORIZON + 1: int(told.leftover * told.denominator)} if told.leftover else {}
    taken = roll(Dist({**dict(told.items()), **later}))
    return Defeat(
        within=taken <= rounds,
        rounds=taken,
        mean_rounds=constant(fight.mean),
        round_damage=roll(odds),
        notes=(f"Bump roll: {bump_roll.told()}",),
    )
