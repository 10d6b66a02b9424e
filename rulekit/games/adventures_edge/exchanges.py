"""Attacks that are answered: pressing (AE-28), aiming (AE-25), and what shields one in an ambush (AE-07)."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from pydantic import Field

from rulekit.distributions import Dist
from rulekit.errors import NotAllowed
from rulekit.games.adventures_edge.attacks import Attack, attack, location_notes
from rulekit.games.adventures_edge.readings import BlowReadings, PressLasts, Readings, TargetingRisk, in_full
from rulekit.games.adventures_edge.stats import Aim, Defends, Fighter, Situation, Target
from rulekit.games.adventures_edge.turns import standing
from rulekit.rolls import Roll, apply, count, roll, where
from rulekit.rules import Measure, Outcome, Stats, Unit, rule

__all__ = [
    "AimedExchange",
    "Ambush",
    "Press",
    "PressReadings",
    "Pressing",
    "Stance",
    "Surprise",
    "Watcher",
    "aimed_exchange",
    "press",
    "surprise",
]

PRESSED = 2
LONGER_WEAPON = 1


class Stance(Enum):
    """AE-28: what one who is pressed does."""

    STAND = "stand"
    RETREAT = "retreat"


class PressReadings(Readings):
    """The readings that touch a pressing attack."""

    press_lasts: PressLasts = PressLasts.ROUND


class Pressing(Stats):
    """How one presses, and how the other takes it."""

    stance: Annotated[Stance, Field(description="The defender stands or retreats")] = Stance.STAND
    longer_weapon: Annotated[bool, Field(description="The attacker's reach is the longer")] = False
    attacks: Annotated[int, Field(ge=1, le=2, description="Attacks in this round")] = 1
    reactions: Annotated[int, Field(ge=0, le=3, description="The defender's reactions, parry included")] = 1
    movement: Annotated[int, Field(ge=0, le=20, description="The attacker's movement"), Unit("spaces")] = 4
    retreated: Annotated[bool, Field(description="The attacker has retreated this round")] = False
    own_height: Annotated[int, Field(ge=1, le=60, description="The attacker's height"), Unit("ft")] = 6
    foe_height: Annotated[int, Field(ge=1, le=60, description="The defender's height"), Unit("ft")] = 6
    foe_movement: Annotated[
        int, Field(ge=0, le=20, description="The defender's movement left"), Unit("spaces")
    ] = 4


class Press(Outcome):
    """A round of pressing attacks and what they give away."""

    sentence = "Deals {dealt} and takes {taken}, against {without} without pressing: worth {gain} on average."

    dealt: Annotated[Roll[int], Measure(unit="HP", help="Damage done")]
    taken: Annotated[Roll[int], Measure(unit="HP", help="Damage by the counter-attacks")]
    balance: Annotated[Roll[int], Measure(unit="HP", help="Damage done less damage taken")]
    without: Annotated[Roll[int], Measure(unit="HP", help="Damage done without pressing")]
    gain: Annotated[Roll[int], Measure(unit="HP", help="What pressing is worth: balance less that")]
    first: Attack
    counter: Attack


@rule("AE-28")
def press(
    attacker: Fighter = Fighter(),
    target: Target = Target(),
    foe: Fighter = Fighter(attack_bonus=3),
    own: Target = Target(),
    pressing: Pressing = Pressing(),
    situation: Situation = Situation(),
    readings: PressReadings = PressReadings(),
) -> Press:
    """A pressing attack: +2, and 1 more with the longer weapon, if the defender stands.

    A stand that the attack misses may be answered with a reaction at +2, which the attacker cannot parry; a
    defender who retreats takes the bonus away. A parry (`situation.defends`) is the first reaction and covers
    the first attack alone.

    Raises:
        NotAllowed: no movement left, a retreat this round, a foe twice one's height, or a parry without a
            reaction.

    >>> from rulekit import E
    >>> E(press(pressing=Pressing(longer_weapon=True)).gain)
    Fraction(4, 5)
    """
    if pressing.movement < 1 or pressing.retreated:
        raise NotAllowed("AE-28", "one presses with movement left and not after a retreat")
    if pressing.foe_height >= 2 * pressing.own_height:
        raise NotAllowed("AE-28", "the foe is twice the attacker's height or more")
    if pressing.stance == Stance.RETREAT and pressing.foe_movement < 1:
        raise NotAllowed("AE-28", "one who has no movement left cannot retreat")
    if situation.defends != Defends.NOT and pressing.reactions < 1:
        raise NotAllowed("AE-06", "a parry or dodge takes a reaction, and none is left")
    stands = pressing.stance == Stance.STAND
    pushed = (PRESSED + LONGER_WEAPON * pressing.longer_weapon) * stands

    def strike(bonus: int, defends: Defends) -> Attack:
        how = situation.but(attack_modifier=situation.attack_modifier + bonus, defends=defends)
        return attack(attacker, target, how, readings)

    first = strike(pushed, situation.defends)
    second = strike(pushed if readings.press_lasts == PressLasts.ROUND else 0, Defends.NOT)
    left = pressing.reactions - (situation.defends != Defends.NOT)
    counter = attack(foe, own, Situation(attack_modifier=PRESSED), readings)
    again_counter = attack(foe, own, Situation(attack_modifier=PRESSED), readings)

    answers_first = ~first.hit & (left >= 1) & stands
    second_pressed = stands if readings.press_lasts == PressLasts.ROUND else False
    answers_second = ~second.hit & (left - answers_first >= 1) & second_pressed & (pressing.attacks == 2)
    dealt = first.damage + where(pressing.attacks == 2, second.damage, 0)
    taken = where(answers_first, counter.damage, 0) + where(answers_second, again_counter.damage, 0)
    plain = strike(0, situation.defends).damage + where(
        pressing.attacks == 2, strike(0, Defends.NOT).damage, 0
    )
    return Press(
        dealt=dealt,
        taken=taken,
        balance=dealt - taken,
        without=plain,
        gain=dealt - taken - plain,
        first=first,
        counter=counter,
        notes=location_notes(target, own),
    )


class AimedExchange(Outcome):
    """An aimed attack and the attack that answers it."""

    sentence = (
        "Deals {dealt} (unaimed {without}), takes {taken} (else {taken_without}): worth {gain} on average."
    )

    dealt: Annotated[Roll[int], Measure(unit="HP", help="Damage of the aimed attack")]
    taken: Annotated[Roll[int], Measure(unit="HP", help="Damage of the target's attack in return")]
    taken_from_others: Annotated[Roll[int], Measure(unit="HP", help="Damage of the same attack by another")]
    without: Annotated[Roll[int], Measure(unit="HP", help="Damage of the attack when not aimed")]
    taken_without: Annotated[Roll[int], Measure(unit="HP", help="Damage taken when one has not aimed")]
    gain: Annotated[Roll[int], Measure(unit="HP", help="What aiming is worth: more dealt less more taken")]
    aimed: Attack


@rule("AE-25")
def aimed_exchange(
    attacker: Fighter = Fighter(),
    target: Target = Target(),
    foe: Fighter = Fighter(attack_bonus=3),
    own: Target = Target(parry=2),
    situation: Situation = Situation(aimed_at=Aim.LOWER_RIGHT_ARM),
    own_defense: Annotated[Defends, Field(description="How the attacker meets an attack")] = Defends.PARRY,
    readings: Readings = Readings(),
) -> AimedExchange:
    """An attack aimed at a location, and the answer to it: whoever aims gives up parry and dodge.

    >>> from rulekit import E
    >>> E(aimed_exchange().gain)
    Fraction(-1111, 400)
    """
    risk = readings.targeting_risk
    against_target = Defends.NOT if risk != TargetingRisk.TARGET_CANNOT else own_defense
    against_others = Defends.NOT if risk == TargetingRisk.NO_DEFENSE else own_defense

    aimed = attack(attacker, target, situation, readings)
    plain = attack(attacker, target, situation.but(aimed_at=Aim.NOWHERE), readings)
    taken = attack(foe, own, Situation(defends=against_target), readings).damage
    taken_without = attack(foe, own, Situation(defends=own_defense), readings).damage
    return AimedExchange(
        dealt=aimed.damage,
        taken=taken,
        taken_from_others=attack(foe, own, Situation(defends=against_others), readings).damage,
        without=plain.damage,
        taken_without=taken_without,
        gain=aimed.damage - plain.damage - (taken - taken_without),
        aimed=aimed,
        notes=location_notes(target, own),
    )


BEFORE, LEVEL = 100, 1


def _warned(ahead: int) -> Dist:
    """Whether one who noticed comes before the attackers: surely, or of k who are level with them in a
    roll-off of k + 1.
    """
    return Dist({True: 1}) if ahead >= BEFORE else Dist({True: ahead, False: 1})


class Watcher(Stats):
    """One of those who walk into an ambush, besides the one who is attacked."""

    perception: Annotated[int, Field(ge=-5, le=30, description="Perception bonus")] = 4
    initiative: Annotated[int, Field(ge=-10, le=30, description="Initiative bonus")] = 3


class Ambush(Stats):
    """Who lies in wait, and who may notice."""

    stealth: Annotated[int, Field(ge=-5, le=30, description="The attackers' Stealth bonus")] = 5
    initiative: Annotated[int, Field(ge=-10, le=30, description="The attackers' initiative bonus")] = 2
    watchers: Annotated[tuple[Watcher, ...], Field(max_length=7)] = (Watcher(), Watcher(), Watcher())


class Surprise(Outcome):
    """An attack out of ambush."""

    sentence = (
        "Warned: {warned}. {damage} damage on average, {damage_warned} if warned, else {damage_unwarned}."
    )

    warned: Annotated[Roll[bool], Measure(help="Somebody notices in time to warn the target")]
    aware: Annotated[Roll[int], Measure(help="How many of the watchers notice")]
    damage: Annotated[Roll[int], Measure(unit="HP", help="Damage of the attack on the target")]
    damage_unwarned: Annotated[Roll[int], Measure(unit="HP", help="Damage of the attack without a warning")]
    damage_warned: Annotated[Roll[int], Measure(unit="HP", help="Damage of the attack after a warning")]


@rule("AE-07")
def surprise(
    attacker: Fighter = Fighter(),
    target: Target = Target(parry=3),
    ambush: Ambush = Ambush(),
    situation: Situation = Situation(defends=Defends.PARRY),
    readings: BlowReadings = BlowReadings(),
) -> Surprise:
    """An attack in a surprise round, at +1 Edge; a target who is warned has one reaction.

    Warned by whoever perceives the attackers (Perception against their Stealth, which equals suffice) and
    comes before them in initiative.

    >>> from rulekit import P
    >>> P(surprise(ambush=Ambush(watchers=(Watcher(),))).warned)
    Fraction(4351, 16000)
    """
    hidden = roll(20, "stealth") + ambush.stealth
    attackers = standing(roll(20, "attackers' initiative"), ambush.initiative)
    notices, ahead = [], []
    for i, watcher in enumerate(ambush.watchers, 1):
        sees = roll(20, f"perception {i}") + watcher.perception >= hidden
        own = standing(roll(20, f"initiative {i}"), watcher.initiative)
        notices.append(sees)
        ahead.append(where(sees & (own >= attackers), where(own > attackers, BEFORE, LEVEL), 0))
    warned = apply(_warned, sum(ahead))

    def strike(defends: Defends) -> Roll[int]:
        how = situation.but(surprised=True, defends=defends)
        return attack(attacker, target, how, in_full(readings)).damage

    unwarned, reacting = strike(Defends.NOT), strike(situation.defends)
    return Surprise(
        warned=warned,
        aware=count(notices),
        damage=where(warned, reacting, unwarned),
        damage_unwarned=unwarned,
        damage_warned=reacting,
        notes=location_notes(target),
    )
