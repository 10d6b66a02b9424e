"""What the chapter works out from scores, ranks and gear: attack bonuses, Defense Bonus, parry and dodge.

Plain arithmetic (AE-09, AE-10, AE-11, AE-13), on numbers as on stat axes: it makes the numbers that an attack
takes as stated.
"""

from __future__ import annotations

from enum import Enum

from rulekit.games.adventures_edge.readings import (
    Halves,
)
from rulekit.games.adventures_edge.stats import AttackType
from rulekit.rules import source

__all__ = [
    "ShieldSize",
    "attack_bonus",
    "defense_bonus",
    "dodge_bonus",
    "half",
    "parries",
    "parry_bonus",
    "raised_high",
    "shield_reach",
    "spell_parry_bonus",
]


class ShieldSize(Enum):
    """AE-10: how many opponents a shield holds off."""

    NONE = "none"
    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"


def half(x: int, halves: Halves = Halves.DOWN) -> int:
    """Half of a number or Roll, rounded by the reading.

    >>> half(5), half(5, Halves.UP), half(-5)
    (2, 3, -3)
    """
    return x // 2 if halves == Halves.DOWN else -(-x // 2)


@source("AE-09")
def attack_bonus(ranks: int, ability: int, halves: Halves = Halves.DOWN) -> int:
    """AE-09: half the ranks and the ability's bonus.

    Combat ranks and Strength (or Dexterity, for ranged and Dexterity weapons), Spellcraft ranks and
    Intelligence for spells.

    >>> attack_bonus(9, 3), attack_bonus(9, 3, Halves.UP)
    (7, 8)
    """
    return half(ranks, halves) + ability


@source("AE-13")
def raised_high(
    low: int, high: int, attack_type: AttackType, ability: int, halves: Halves = Halves.DOWN
) -> int:
    """AE-13: the upper end of a weapon's range, raised by its wielder's ability bonus.

    By the whole Strength bonus, half the Dexterity bonus, nothing for a spell. A negative bonus lowers it,
    never below the lower end.

    >>> raised_high(1, 8, AttackType.STRENGTH, 3), raised_high(1, 6, AttackType.DEXTERITY, 3)
    (11, 7)
    >>> raised_high(1, 4, AttackType.STRENGTH, -5)
    1
    """
    rises = {
        AttackType.STRENGTH: ability,
        AttackType.DEXTERITY: half(ability, halves),
        AttackType.SPELL: 0,
    }
    raised = high + rises[attack_type]
    return low + (raised > low) * (raised - low)


@source("AE-10")
def defense_bonus(dexterity: int, armour: int = 0, shield: int = 0, magic: int = 0) -> int:
    """AE-10: the Dexterity score (not its bonus), and what armour or hide, shield and passive magic add.

    At a location it is that location's armour that counts, in place of the worn one.

    >>> defense_bonus(14), defense_bonus(14, armour=1)
    (14, 15)
    """
    return dexterity + armour + shield + magic


@source("AE-11")
def parry_bonus(combat_ranks: int, longer_reach: bool = False, halves: Halves = Halves.DOWN) -> int:
    """AE-11: what a parry adds to the Defense Bonus: half the Combat ranks, and 1 with the longer reach.

    >>> parry_bonus(4), parry_bonus(4, longer_reach=True)
    (2, 3)
    """
    return half(combat_ranks, halves) + longer_reach


@source("AE-11")
def spell_parry_bonus(spellcraft_ranks: int, halves: Halves = Halves.DOWN) -> int:
    """AE-11: what parrying a spell adds, with a wand, staff or amulet in hand: half the Spellcraft ranks.

    >>> spell_parry_bonus(7)
    3
    """
    return half(spellcraft_ranks, halves)


@source("AE-11")
def dodge_bonus(athletics_ranks: int, shield: int = 0, halves: Halves = Halves.DOWN) -> int:
    """AE-11: what a dodge adds to the Defense Bonus: half the Athletics ranks, less the shield's bonus.

    >>> dodge_bonus(6, shield=2)
    1
    """
    return half(athletics_ranks, halves) - shield


@source("AE-11")
def parries(combat_ranks: int) -> int:
    """AE-11: how many opponents one reaction parries: one, and one more for every 5 Combat ranks.

    >>> [parries(ranks) for ranks in (0, 4, 5, 10)]
    [1, 1, 2, 3]
    """
    return 1 + combat_ranks // 5


@source("AE-10")
def shield_reach(size: ShieldSize) -> int:
    """AE-10: how many facing opponents, next to each other, a shield counts against.

    >>> [shield_reach(size) for size in ShieldSize]
    [0, 1, 2, 3]
    """
    return list(ShieldSize).index(size)
