"""What a combatant does in a round, a few special attacks among it (AE-30, AE-32, AE-35, AE-37, AE-42)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from rulekit import rules
from rulekit.errors import NotAllowed
from rulekit.games.adventures_edge.after_the_hit import effect_step, inflicted, wound
from rulekit.games.adventures_edge.attacks import SHORT, attack, attack_edge, blow, location_notes
from rulekit.games.adventures_edge.edges import throw_d20
from rulekit.games.adventures_edge.readings import (
    BlowReadings,
    EdgeDice,
    EffectsBeyondList,
    EffectsFrom,
    HelplessArmour,
    KillingBlow,
    MishapOn,
    Wounds,
    in_full,
)
from rulekit.games.adventures_edge.stats import (
    CloseCombat,
    Fighter,
    Location,
    Situation,
    Target,
    Weapon,
)
from rulekit.games.adventures_edge.tables import entries
from rulekit.rolls import Roll, clip, constant, dice, where
from rulekit.rules import Measure, Outcome, Stats, rule, source

__all__ = [
    "CloseQuarters",
    "Execution",
    "KillingReadings",
    "Plan",
    "Round",
    "RoundReadings",
    "drop_prone",
    "into_close_combat",
    "killing_blow",
    "one_action_deeds",
    "round_of_attacks",
    "shots",
]


class RoundReadings(BlowReadings):
    """The readings that touch a round of attacks."""

    mishap: MishapOn = MishapOn.NATURAL_1
    effects_from: EffectsFrom = EffectsFrom.FINAL
    effects_beyond_list: EffectsBeyondList = EffectsBeyondList.STOP


class KillingReadings(rules.Readings):
    """The readings that touch a killing blow."""

    edge_dice: EdgeDice = EdgeDice.ONE_PER_EDGE
    helpless_armour: HelplessArmour = HelplessArmour.NONE
    effects_beyond_list: EffectsBeyondList = EffectsBeyondList.STOP
    wounds: Wounds = Wounds.BY_FIVE
    killing_blow: KillingBlow = KillingBlow.DOUBLED_ONCE


class Plan(Stats):
    """How the actions of a round are spent."""

    actions: Annotated[int, Field(ge=1, le=3, description="Actions spent on attacking and reloading")] = 2
    rounds: Annotated[int, Field(ge=1, le=20, description="Rounds in a row")] = 1
    combined: Annotated[bool, Field(description="Both attacks as one combined action")] = False
    two_weapons: Annotated[bool, Field(description="The further attacks are the off hand's")] = False
    dual_wielding: Annotated[bool, Field(description="Knows the Dual Wielding style")] = False
    off_hand: Annotated[Weapon, Field(description="The weapon in the off hand")] = Weapon(
        low=1, high=7, light=True
    )


class Round(Outcome):
    """The attacks of a round, or of several."""

    sentence = "{damage} damage on average, hits {hits} of {attacks}; more than the target has: {downs}."

    damage: Annotated[Roll[int], Measure(unit="HP", help="Damage in all")]
    damage_a_round: Annotated[Roll[int], Measure(unit="HP", help="Damage a round")]
    attacks: Annotated[Roll[int], Measure(help="Attacks made")]
    hits: Annotated[Roll[int], Measure(help="Attacks that hit")]
    downs: Annotated[Roll[bool], Measure(help="The damage takes all the target's health points and more")]
    bleeding: Annotated[Roll[int], Measure(unit="HP", help="Bleeding points inflicted")]
    stun: Annotated[Roll[int], Measure(help="Stun points inflicted")]
    mishaps: Annotated[Roll[int], Measure(help="Attacks that go wrong")]
    parry_left: Annotated[Roll[bool], Measure(help="A parry remains, without an action")]


class CloseQuarters(Outcome):
    """An attack on one of two who are in close combat."""

    sentence = "Hit: {hit}, for {damage} on average; the other struck: {other_hit}, for {other_damage}."

    hit: Annotated[Roll[bool], Measure(help="Hits the one it was meant for")]
    damage: Annotated[Roll[int], Measure(unit="HP", help="Damage to the one it was meant for")]
    strays: Annotated[Roll[bool], Measure(help="Misses by 5 or more: the other may be struck")]
    other_hit: Annotated[Roll[bool], Measure(help="Hits the other")]
    other_damage: Annotated[Roll[int], Measure(unit="HP", help="Damage to the other")]
    natural: Annotated[Roll[int], Measure(help="The die that counts")]


class Execution(Outcome):
    """A killing blow."""

    sentence = "Kills: {kills}, with {damage} damage on average; a mishap: {mishap}."

    success: Annotated[Roll[bool], Measure(help="Anything but a natural 1")]
    damage: Annotated[Roll[int], Measure(unit="HP", help="Damage done")]
    kills: Annotated[Roll[bool], Measure(help="The target is below minus its Constitution score")]
    mishap: Annotated[Roll[bool], Measure(help="A natural 1")]
    natural: Annotated[Roll[int], Measure(help="The die that counts")]
    bleeding: Annotated[Roll[int], Measure(unit="HP", help="Bleeding points inflicted")]
    stun: Annotated[Roll[int], Measure(help="Stun points inflicted")]
    wound: Annotated[Roll[str], Measure(help="The wound")]


@source("AE-30")
def shots(actions: int, reload: int) -> int:
    """How many attacks a weapon that starts loaded makes in so many actions: one every 1 + reload.

    >>> [shots(2, reload) for reload in (0, 1, 2)], shots(6, 2)
    ([2, 1, 1], 2)
    """
    return -(-actions // (1 + reload))


@rule("AE-06", "AE-30")
def round_of_attacks(
    attacker: Fighter = Fighter(),
    target: Target = Target(),
    plan: Plan = Plan(),
    situation: Situation = Situation(),
    readings: RoundReadings = RoundReadings(),
) -> Round:
    """The attacks of a round, by the weapon's attack type.

    A heavy weapon's further attacks have -1 Edge unless both are one combined action; an off hand's have -1
    without the style for it; a reload weapon shoots once every 1 + reload actions.

    Raises:
        NotAllowed: an off-hand weapon that is not light.

    >>> from rulekit import E
    >>> E(round_of_attacks(Fighter(weapon=Weapon(heavy=True))).damage)
    Fraction(2109, 400)
    """
    weapon = attacker.weapon
    if plan.two_weapons and not plan.off_hand.light:
        raise NotAllowed("AE-30", "only light weapons are used in the off hand")
    first = attack(attacker, target, situation, in_full(readings))
    if plan.two_weapons:
        off_hand = Fighter(attack_bonus=attacker.attack_bonus, weapon=plan.off_hand)
        further = attack(off_hand, target, situation.but(off_hand=not plan.dual_wielding), in_full(readings))
        made = plan.actions * plan.rounds
    else:
        again_heavy = weapon.heavy and not plan.combined
        further = attack(attacker, target, situation.but(heavy_again=again_heavy), in_full(readings))
        made = shots(plan.actions * plan.rounds, weapon.reload)
    beginning = where(made > plan.rounds, plan.rounds, made)

    def over_the_round(measure: str) -> Roll[int]:
        total: Roll[int] = dice(beginning, getattr(first, measure)) + dice(
            made - beginning, getattr(further, measure)
        )
        return total

    damage = over_the_round("damage")
    return Round(
        damage=damage,
        damage_a_round=damage / plan.rounds,
        attacks=constant(made),
        hits=over_the_round("hit"),
        downs=damage > target.health,
        bleeding=over_the_round("bleeding"),
        stun=over_the_round("stun"),
        mishaps=over_the_round("mishap"),
        parry_left=constant((plan.actions == 2) & plan.two_weapons & plan.dual_wielding),
        notes=location_notes(target),
    )


@rule("AE-32")
def into_close_combat(
    attacker: Fighter = Fighter(),
    target: Target = Target(),
    other: Target = Target(),
    situation: Situation = Situation(close_combat=CloseCombat.INTO),
    readings: BlowReadings = BlowReadings(),
) -> CloseQuarters:
    """An attack on one of two in close combat: -1 Edge, -2 for a shot; a miss by 5 or more is held, with the
    highest die thrown, against the other.

    >>> from rulekit import P
    >>> P(into_close_combat().other_hit)
    Fraction(39, 200)
    """
    thrown = throw_d20(attack_edge(attacker, target, situation), readings.edge_dice, "natural")
    meant = blow(thrown.natural, attacker, target, situation, readings)
    strays = ~meant.hit & (meant.margin <= -SHORT)
    unmeant = blow(thrown.highest, attacker, other, situation, readings)
    return CloseQuarters(
        hit=meant.hit,
        damage=meant.damage,
        strays=strays,
        other_hit=strays & unmeant.hit,
        other_damage=where(strays, unmeant.damage, 0),
        natural=thrown.natural,
        notes=location_notes(target, other),
    )


@rule("AE-10", "AE-35")
def killing_blow(
    attacker: Fighter = Fighter(),
    target: Target = Target(health=-1),
    location: Annotated[Location, Field(description="Where it is struck")] = Location.NECK,
    edge: Annotated[int, Field(ge=-5, le=5, description="Edge of the blow")] = 0,
    readings: KillingReadings = KillingReadings(),
) -> Execution:
    """A killing blow on a helpless target: all but a natural 1 is a critical where one likes, doubled.

    >>> from rulekit import E
    >>> E(killing_blow(Fighter(attack_bonus=6, weapon=Weapon(low=1, high=7))).given(natural=7).damage)
    Fraction(14, 1)
    """
    weapon = attacker.weapon
    natural = throw_d20(edge, readings.edge_dice, "natural").natural
    success = natural != 1
    armoured = readings.helpless_armour == HelplessArmour.LOCATION
    defense = target.location_armour[location] if armoured else 0
    as_critical = readings.killing_blow == KillingBlow.AS_CRITICAL_THEN_DOUBLED
    high = 2 * weapon.high if as_critical else weapon.high
    margin = 20 + attacker.attack_bonus - defense
    damage = where(success, 2 * (clip(margin, weapon.low, high) + weapon.bonus), 0)
    step = effect_step(target.effect_step, target.medium_or_smaller)
    bleeding, stun = inflicted(damage, weapon.damage_type, step, readings.effects_beyond_list)
    return Execution(
        success=success,
        damage=damage,
        kills=target.health - damage < -target.constitution,
        mishap=~success,
        natural=natural,
        bleeding=bleeding,
        stun=stun,
        wound=wound(damage, success, target.toughness, readings.wounds),
        notes=location_notes(target) if armoured else (),
    )


@source("AE-37")
def drop_prone(carefully: bool) -> tuple[int, int, int]:
    """Dropping prone: (actions, spaces of movement, damage that no armour takes off).

    >>> drop_prone(carefully=True), drop_prone(carefully=False)
    ((1, 0, 0), (0, 1, 1))
    """
    return (1, 0, 0) if carefully else (0, 1, 1)


@source("AE-42")
def one_action_deeds() -> tuple[str, ...]:
    """What takes one action, in the order of the chapter's list.

    >>> len(one_action_deeds()), one_action_deeds()[:2]
    (16, ('additional move', 'attack'))
    """
    return tuple(entries("actions"))
