"""A character sheet, and the fighter and target that it makes (AE-09, AE-10, AE-11, AE-13)."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from rulekit.games.adventures_edge.derived import (
    attack_bonus,
    defense_bonus,
    dodge_bonus,
    parries,
    parry_bonus,
    raised_high,
    spell_parry_bonus,
)
from rulekit.games.adventures_edge.readings import Halves, ParryCovers, ShieldUntrained
from rulekit.games.adventures_edge.stats import AttackType, Fighter, Target, Weapon
from rulekit.rolls import Roll, constant, minimum
from rulekit.rules import Entry, Measure, Outcome, Readings, Stats, rule, source

__all__ = [
    "Character",
    "Crowd",
    "Defenses",
    "DefensesReadings",
    "defenses",
    "fighter_of",
    "target_of",
    "wielded",
]

Bonus = Annotated[int, Field(ge=-10, le=15)]
Ranks = Annotated[int, Field(ge=0, le=40)]
Protection = Annotated[int, Field(ge=0, le=20)]


class DefensesReadings(Readings):
    """The readings that touch what a sheet is worth in defense."""

    halves: Halves = Halves.DOWN
    shield_untrained: ShieldUntrained = ShieldUntrained.NOTHING
    parry_covers: ParryCovers = ParryCovers.ONE_ATTACK_EACH


class Character(Entry):
    """A character sheet, as far as fighting goes. The bonus of an ability is stated, not derived."""

    loadout_file: ClassVar[str] = "characters.toml"

    strength_bonus: Annotated[Bonus, Field(description="Strength bonus")] = 0
    dexterity: Annotated[int, Field(ge=1, le=40, description="Dexterity score")] = 12
    dexterity_bonus: Annotated[Bonus, Field(description="Dexterity bonus")] = 0
    intelligence_bonus: Annotated[Bonus, Field(description="Intelligence bonus")] = 0
    constitution: Annotated[int, Field(ge=1, le=40, description="Constitution score")] = 12
    health: Annotated[int, Field(ge=1, le=200, description="Health points")] = 14
    combat_ranks: Annotated[Ranks, Field(description="Ranks in Combat")] = 4
    spellcraft_ranks: Annotated[Ranks, Field(description="Ranks in Spellcraft")] = 0
    athletics_ranks: Annotated[Ranks, Field(description="Ranks in Athletics")] = 0
    mastery: Annotated[int, Field(ge=0, le=10, description="What masteries add to the damage bonus")] = 0
    armour: Annotated[Protection, Field(description="DR of armour or hide")] = 0
    magic: Annotated[Protection, Field(description="Passive magical defense")] = 0
    shield: Annotated[Protection, Field(description="Shield bonus")] = 0
    shield_use: Annotated[bool, Field(description="Proficient in Shield Use")] = True


class Crowd(Stats):
    """Who attacks the one who defends."""

    opponents: Annotated[int, Field(ge=0, le=12, description="Opponents who attack")] = 2
    attacks_each: Annotated[int, Field(ge=0, le=4, description="Attacks by each")] = 2
    reactions: Annotated[int, Field(ge=0, le=3, description="Reactions spent on parrying")] = 1
    longer_reach: Annotated[bool, Field(description="The defender's reach is the longer")] = False


class Defenses(Outcome):
    """What a sheet is worth in attack and defense."""

    sentence = "Defense Bonus {standing}, parrying {parrying}, dodging {dodging}; attacks parried: {parried}."

    standing: Annotated[Roll[int], Measure(help="Defense Bonus without a reaction")]
    parrying: Annotated[Roll[int], Measure(help="Defense Bonus while parrying")]
    parrying_spells: Annotated[Roll[int], Measure(help="Defense Bonus while parrying a spell")]
    dodging: Annotated[Roll[int], Measure(help="Defense Bonus while dodging")]
    bare: Annotated[Roll[int], Measure(help="Defense Bonus where nothing is worn")]
    parried: Annotated[Roll[int], Measure(help="Attacks that are parried")]
    unparried: Annotated[Roll[int], Measure(help="Attacks that are not")]
    strength_attack: Annotated[Roll[int], Measure(help="Strength attack bonus")]
    dexterity_attack: Annotated[Roll[int], Measure(help="Dexterity attack bonus")]
    spell_attack: Annotated[Roll[int], Measure(help="Spell attack bonus")]


@source("AE-13")
def wielded(weapon: Weapon, character: Character, halves: Halves = Halves.DOWN) -> Weapon:
    """A weapon in a character's hands: its range raised by the ability, the masteries in its bonus.

    >>> longsword = Weapon(low=1, high=8, bonus=1)
    >>> held = wielded(longsword, Character(strength_bonus=3, mastery=1))
    >>> held.low, held.high, held.bonus
    (1, 11, 2)
    """
    raised = raised_high(weapon.low, weapon.high, weapon.attack_type, _ability(weapon, character), halves)
    return weapon.but(high=raised, bonus=weapon.bonus + character.mastery)


def _ability(weapon: Weapon, character: Character) -> int:
    return {
        AttackType.STRENGTH: character.strength_bonus,
        AttackType.DEXTERITY: character.dexterity_bonus,
        AttackType.SPELL: character.intelligence_bonus,
    }[weapon.attack_type]


@source("AE-09", "AE-13")
def fighter_of(character: Character, weapon: Weapon, halves: Halves = Halves.DOWN) -> Fighter:
    """The character attacking with a weapon.

    >>> fighter_of(Character(combat_ranks=8, strength_bonus=3), Weapon()).attack_bonus
    7
    """
    by_spell = weapon.attack_type == AttackType.SPELL
    ranks = character.spellcraft_ranks if by_spell else character.combat_ranks
    bonus = attack_bonus(ranks, _ability(weapon, character), halves)
    return Fighter(attack_bonus=bonus, weapon=wielded(weapon, character, halves), sample=character.sample)


@source("AE-10", "AE-11")
def target_of(
    character: Character, longer_reach: bool = False, readings: DefensesReadings = DefensesReadings()
) -> Target:
    """The character as a target; `location_armour` stays empty, for no sheet says what is worn where.

    >>> goblin = target_of(Character(dexterity=14, armour=1, combat_ranks=4))
    >>> goblin.defense, goblin.armour, goblin.parry
    (15, 1, 2)
    """
    shield = character.shield * character.shield_use
    held_up = character.shield - shield if readings.shield_untrained == ShieldUntrained.AS_REACTION else 0
    return Target(
        defense=defense_bonus(character.dexterity, character.armour, shield, character.magic),
        armour=character.armour,
        parry=parry_bonus(character.combat_ranks, longer_reach, readings.halves) + held_up,
        spell_parry=spell_parry_bonus(character.spellcraft_ranks, readings.halves),
        dodge=dodge_bonus(character.athletics_ranks, shield, readings.halves),
        health=character.health,
        constitution=character.constitution,
        sample=character.sample,
    )


@rule("AE-09", "AE-10", "AE-11")
def defenses(
    character: Character = Character(),
    crowd: Crowd = Crowd(),
    readings: DefensesReadings = DefensesReadings(),
) -> Defenses:
    """What a sheet is worth: the Defense Bonus with each reaction, attacks parried, and attack bonuses.

    One reaction parries one attack from each of 1 + ranks / 5 opponents, or all attacks of theirs this round.

    >>> from rulekit import E
    >>> E(defenses(Character(dexterity=14, armour=1, combat_ranks=4)).parrying)
    Fraction(17, 1)
    """
    target = target_of(character, crowd.longer_reach, readings)
    covered = parries(character.combat_ranks)
    made = crowd.opponents * crowd.attacks_each
    if readings.parry_covers == ParryCovers.OPPONENT_FOR_ROUND:
        parried = minimum(crowd.opponents, covered * crowd.reactions) * crowd.attacks_each
    else:
        parried = minimum(made, crowd.reactions * minimum(covered, crowd.opponents))
    halves = readings.halves
    return Defenses(
        standing=constant(target.defense),
        parrying=constant(target.defense + target.parry),
        parrying_spells=constant(target.defense + target.spell_parry),
        dodging=constant(target.defense + target.dodge),
        bare=constant(target.defense - target.armour),
        parried=parried,
        unparried=made - parried,
        strength_attack=constant(attack_bonus(character.combat_ranks, character.strength_bonus, halves)),
        dexterity_attack=constant(attack_bonus(character.combat_ranks, character.dexterity_bonus, halves)),
        spell_attack=constant(attack_bonus(character.spellcraft_ranks, character.intelligence_bonus, halves)),
    )
