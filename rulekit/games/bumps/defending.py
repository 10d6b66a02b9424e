"""Several attacks and few Reactions: which to answer, and what one more is worth."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Annotated

from pydantic import Field

from rulekit.distributions import d
from rulekit.errors import NotAValue, StatError
from rulekit.games.bumps.attacks import exchange, struck
from rulekit.games.bumps.bump_rolls import BumpRoll, Pool
from rulekit.games.bumps.contests import opposed
from rulekit.games.bumps.readings import ReactionsReadings, ReactionTiming
from rulekit.games.bumps.stats import Attacker, DamagePart, Defender, Situation, Weapon
from rulekit.games.bumps.wounds import total
from rulekit.rolls import Roll, apply, ask, axes_of, constant, stat, where
from rulekit.rules import Measure, Outcome, rule, source

__all__ = ["Answer", "Incoming", "Reactions", "best_means", "incoming", "reactions"]

MOST = 8


@dataclass(frozen=True)
class Incoming:
    """One of the attacks of a round, for whoever must choose.

    Attributes:
        bumps: The attacker's Bumps.
        answered, taken: Its damage if a Reaction is spent on it, and if not.
        odds: The probability of each number of Bumps.
        mean_answered, mean_taken: For each number of Bumps the mean damage.
    """

    bumps: Roll[int]
    answered: Roll[int]
    taken: Roll[int]
    odds: Mapping[int, Fraction]
    mean_answered: Mapping[int, Fraction]
    mean_taken: Mapping[int, Fraction]

    @property
    def gain(self) -> Fraction:
        """How much damage a Reaction saves on average, spent before the roll."""
        return sum(
            (p * (self.mean_taken[bumps] - self.mean_answered[bumps]) for bumps, p in self.odds.items()),
            Fraction(0),
        )


class Answer(Outcome):
    """What becomes of one attack."""

    answered: Annotated[Roll[bool], Measure(help="A Reaction is spent on it")]
    gain: Annotated[
        Roll[Fraction], Measure(unit="HP", help="Mean damage that a Reaction saves, spent unseen")
    ]
    damage: Annotated[Roll[int], Measure(unit="HP", help="Damage of this attack")]


class Reactions(Outcome):
    """A round of several attacks against one defender whose Reactions are spent as well as can be."""

    sentence = "{damage} damage on average; best answered is {best}; one more Reaction would save {one_more}."

    damage: Annotated[Roll[int], Measure(unit="HP", help="Damage of all the attacks")]
    defeated: Annotated[Roll[bool], Measure(help="The attacks together take all Hit Points")]
    best: Annotated[Roll[str], Measure(help="The attack on which a Reaction saves most")]
    saved: Annotated[Roll[Fraction], Measure(unit="HP", help="Mean damage that the Reactions save")]
    one_more: Annotated[Roll[Fraction], Measure(unit="HP", help="Mean damage that one more would save")]
    attacks: tuple[Answer, ...]


def incoming(
    attacker: Attacker,
    defender: Defender,
    situation: Situation,
    bump_roll: BumpRoll,
    readings: ReactionsReadings,
) -> Incoming:
    """One attack, with what it does whether it is answered or not.

    Raises:
        NotAllowed: as `attack`.
        NotAValue: a stat is an axis: who chooses must know the odds.
    """
    met = exchange(attacker, defender, situation, bump_roll, readings)

    def damage(bumps: Roll[int], guard: Roll[int] | None) -> Roll[int]:
        return total(struck(attacker, defender, opposed(bumps, guard, readings.undefended), readings))

    answered, taken = damage(met.attack_bumps, met.defense_bumps), damage(met.attack_bumps, None)
    axes = axes_of(answered + taken)
    if axes:
        names = tuple(str(axis.name) for axis in axes)
        raise NotAValue(f"whoever chooses must know the odds at one value of {', '.join(names)}", stats=names)
    (odds,) = ask([("dist", met.attack_bumps)], exact=True)
    shown = [int(bumps) for bumps in odds.coords["outcome"]]
    each = stat("bumps of this attack", shown)
    with_it, without = ask(
        [("E", damage(each, met.defense_bumps) + 0 * each), ("E", damage(each, None) + 0 * each)], exact=True
    )
    return Incoming(
        met.attack_bumps,
        answered,
        taken,
        dict(zip(shown, odds.flat, strict=True)),
        dict(zip(shown, with_it.flat, strict=True)),
        dict(zip(shown, without.flat, strict=True)),
    )


@source("BU-15")
def best_means(
    attacks: Sequence[Incoming], most: int, timing: ReactionTiming = ReactionTiming.BEFORE_THE_ROLL
) -> list[list[Fraction]]:
    """The least mean damage of the attacks from one on, with 0, 1, ... `most` Reactions left.

    Returns:
        `means[attack][left]`; the last row, after all attacks, is 0.

    Before the roll a Reaction goes where it saves most; after it, by working back from the last attack.
    """
    means = [[Fraction(0)] * (most + 1)]
    for place in range(len(attacks) - 1, -1, -1):
        attack, later = attacks[place], means[0]
        if timing is ReactionTiming.BEFORE_THE_ROLL:
            rest = attacks[place:]
            unanswered = sum((mean(each.odds, each.mean_taken) for each in rest), Fraction(0))
            gains = sorted((each.gain for each in rest), reverse=True)
            row = [unanswered - sum(gains[:left], Fraction(0)) for left in range(most + 1)]
        else:
            row = [
                sum(
                    (p * min(options(attack, later, bumps, left)) for bumps, p in attack.odds.items()),
                    Fraction(0),
                )
                for left in range(most + 1)
            ]
        means.insert(0, row)
    return means


def mean(odds: Mapping[int, Fraction], values: Mapping[int, Fraction]) -> Fraction:
    """The mean of what each number of Bumps brings."""
    return sum((p * values[bumps] for bumps, p in odds.items()), Fraction(0))


def options(attack: Incoming, later: Sequence[Fraction], bumps: int, left: int) -> list[Fraction]:
    """The mean damage from here on: without a Reaction, and with one where any is left."""
    without = attack.mean_taken[bumps] + later[left]
    return [without, attack.mean_answered[bumps] + later[left - 1]] if left else [without]


THREE = (
    Attacker(melee=3),
    Attacker(melee=5),
    Attacker(melee=4, weapon=Weapon(damage=(DamagePart(dice=2 @ d(6)),))),
)


@rule("BU-15")
def reactions(
    attackers: Annotated[tuple[Attacker, ...], Field(description="In the order of their attacks")] = THREE,
    defender: Defender = Defender(),
    situation: Situation = Situation(),
    reactions: Annotated[int, Field(ge=0, le=8, description="How many Reactions the defender has")] = 1,
    bump_roll: BumpRoll = Pool(),
    readings: ReactionsReadings = ReactionsReadings(),
) -> Reactions:
    """A round of attacks, and Reactions spent where they save the most damage on average.

    Args:
        attackers: Who attacks, each once, in this order; eight at most.
        defender: Who may answer `reactions` of the attacks.
        situation: Where they stand, for all attacks alike; its own switch for the Reaction is of no matter.
        reactions: How many Reactions the defender has.
        bump_roll: How Bumps are rolled at this table.
        readings: Of the attacks, and when the defender chooses.

    Raises:
        NotAllowed: as `attack`.
    """
    if not 1 <= len(attackers) <= MOST:
        raise StatError(f"attackers: there are {len(attackers)}; 1 to {MOST} can be told")
    attacks = [incoming(attacker, defender, situation, bump_roll, readings) for attacker in attackers]
    has = operator.index(reactions)
    means = best_means(attacks, has + 1, readings.timing)
    gains = [attack.gain for attack in attacks]
    chosen = sorted(range(len(attacks)), key=lambda place: -gains[place])[:has]
    left: Roll[int] = constant(has)
    answers = []
    for place, attack in enumerate(attacks):
        if readings.timing is ReactionTiming.BEFORE_THE_ROLL:
            answered = constant(place in chosen)
        else:
            answered = apply(partial(_worth_it, attack, means[place + 1]), attack.bumps, left)
            left = left - answered
        answers.append(
            Answer(
                answered=answered, gain=gains[place], damage=where(answered, attack.answered, attack.taken)
            )
        )
    damage = sum((answer.damage for answer in answers), constant(0))
    return Reactions(
        damage=damage,
        defeated=damage >= defender.hp,
        best=f"attack {gains.index(max(gains)) + 1}",
        saved=means[0][0] - means[0][has],
        one_more=means[0][has] - means[0][has + 1],
        attacks=tuple(answers),
        notes=(f"Bump roll: {bump_roll.told()}",),
    )


def _worth_it(attack: Incoming, later: Sequence[Fraction], bumps: int, left: int) -> bool:
    without, *with_it = options(attack, later, bumps, left)
    return bool(with_it) and with_it[0] < without
