"""Several attacks and few Reactions: which to answer, and what one more is worth."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Annotated

from pydantic import Field

from rulekit.distributions import Dist, d
from rulekit.errors import StatError
from rulekit.games.bumps.attacks import exchange, known_odds, refuse_rolls, struck
from rulekit.games.bumps.bump_rolls import BumpRoll, Pool, TableRoll
from rulekit.games.bumps.contests import opposed
from rulekit.games.bumps.readings import ReactionsReadings, ReactionTiming
from rulekit.games.bumps.stats import Attacker, DamagePart, Defender, Situation, Weapon
from rulekit.games.bumps.wounds import total
from rulekit.rolls import Roll, apply, constant, roll
from rulekit.rules import Measure, Outcome, rule, source

__all__ = ["Answer", "Incoming", "Reactions", "best_means", "incoming", "reactions"]

MOST = 8


@dataclass(frozen=True)
class Incoming:
    """One of the attacks of a round, for whoever must choose.

    Attributes:
        bumps: The attacker's Bumps.
        guard: The defender's, should a Reaction be spent.
        damage: From both (None for no Reaction) to the damage of the attack.
    """

    bumps: Roll[int]
    guard: Roll[int]
    damage: Callable[[Roll[int], Roll[int] | None], Roll[int]]

    @cached_property
    def unseen(self) -> tuple[Dist, Dist]:
        """The damage without a Reaction and with one, before anything is rolled."""
        return known_odds(self.damage(self.bumps, None)), known_odds(self.damage(self.bumps, self.guard))

    @property
    def gain(self) -> Fraction:
        """How much damage a Reaction saves on average, spent before the roll."""
        without, with_it = self.unseen
        return Fraction(without.mean - with_it.mean)

    @cached_property
    def bump_odds(self) -> Dist:
        """The odds of the attacker's Bumps."""
        return known_odds(self.bumps)

    @cached_property
    def once_seen(self) -> dict[int, tuple[Dist, Dist]]:
        """For each number of the attacker's Bumps the damage without a Reaction and with one."""
        return {
            bumps: (
                known_odds(self.damage(constant(bumps), None)),
                known_odds(self.damage(constant(bumps), self.guard)),
            )
            for bumps in self.bump_odds.outcomes
        }

    def choices(self, later: Sequence[Fraction], bumps: int, left: int) -> list[Fraction]:
        """The mean damage from here on: without a Reaction, and with one where any is left.

        `later` is what the attacks after this one do on average with 0, 1, ... Reactions left.
        """
        without, with_it = self.once_seen[bumps]
        return [without.mean + later[left], with_it.mean + later[left - 1]][: 1 + min(left, 1)]

    def worth_it(self, later: Sequence[Fraction], bumps: int, left: int) -> bool:
        """Whether a Reaction is best spent on this attack, once its Bumps are known."""
        without, *with_it = self.choices(later, bumps, left)
        return bool(with_it) and with_it[0] < without

    def damage_seen(self, bumps: int, answered: bool) -> Dist:
        """The damage, once both are known."""
        return self.once_seen[bumps][answered]


class Answer(Outcome):
    """What becomes of one attack."""

    answered: Annotated[Roll[bool], Measure(help="A Reaction is spent on it")]
    gain: Annotated[
        Roll[Fraction], Measure(unit="HP", help="Mean damage that a Reaction saves, spent unseen")
    ]
    damage: Annotated[Roll[int], Measure(unit="HP", help="Damage of this attack")]


class Reactions(Outcome):
    """A round of several attacks against one defender whose Reactions are spent as well as can be."""

    sentence = "{damage} on average; best answered is {best}; one more Reaction would save {one_more}."

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

    return Incoming(met.attack_bumps, met.defense_bumps, damage)


@source("BU-15")
def best_means(
    attacks: Sequence[Incoming], most: int, timing: ReactionTiming = ReactionTiming.BEFORE_THE_ROLL
) -> list[list[Fraction]]:
    """The least mean damage of the attacks from one on, with 0, 1, ... `most` Reactions left.

    Before the roll a Reaction goes where it saves most; after it, by working back from the last attack.

    Returns:
        `means[attack][left]`; the last row, after all attacks, is 0.
    """
    means = [[Fraction(0)] * (most + 1)]
    for place in range(len(attacks) - 1, -1, -1):
        attack, later, rest = attacks[place], means[0], attacks[place:]
        if timing is ReactionTiming.BEFORE_THE_ROLL:
            unanswered = sum((each.unseen[0].mean for each in rest), Fraction(0))
            gains = sorted((each.gain for each in rest), reverse=True)
            row = [unanswered - sum(gains[:left], Fraction(0)) for left in range(most + 1)]
        else:
            odds = [(bumps, attack.bump_odds.probability(bumps)) for bumps in attack.bump_odds.outcomes]
            row = [
                sum((p * min(attack.choices(later, bumps, left)) for bumps, p in odds), Fraction(0))
                for left in range(most + 1)
            ]
        means.insert(0, row)
    return means


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
    bump_roll: TableRoll = Pool(),
    readings: ReactionsReadings = ReactionsReadings(),
) -> Reactions:
    """A round of attacks, and Reactions spent where they save the most damage on average.

    Args:
        attackers: Who attacks, each once, in this order; eight at most.
        defender: Who may answer `reactions` of the attacks.
        situation: How they stand, for all attacks alike.
        reactions: How many Reactions the defender has.
        bump_roll: How Bumps are rolled at this table.
        readings: Of the attacks, and when the defender chooses.

    Raises:
        NotAllowed: as `attack`.
    """
    if not 1 <= len(attackers) <= MOST:
        raise StatError(f"attackers: there are {len(attackers)}; 1 to {MOST} can be told")
    refuse_rolls(defender=defender, situation=situation, bump_roll=bump_roll)
    for place, attacker in enumerate(attackers):
        refuse_rolls(**{f"attackers.{place}": attacker})
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
            damage = roll(attack.unseen[place in chosen])
        else:
            answered = apply(partial(attack.worth_it, means[place + 1]), attack.bumps, left)
            left = left - answered
            damage = apply(attack.damage_seen, attack.bumps, answered)
        answers.append(Answer(answered=answered, gain=constant(gains[place]), damage=damage))
    total_damage = sum((answer.damage for answer in answers), constant(0))
    return Reactions(
        damage=total_damage,
        defeated=total_damage >= defender.hp,
        best=constant(f"attack {gains.index(max(gains)) + 1}"),
        saved=constant(means[0][0] - means[0][has]),
        one_more=constant(means[0][has] - means[0][has + 1]),
        attacks=tuple(answers),
        notes=(f"Bump roll: {bump_roll.told()}",),
    )
