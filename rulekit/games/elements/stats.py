"""Who attacks, with what, whom, and in which situation: the stats that the rules of the chapter take."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Annotated, ClassVar

from pydantic import Field, field_validator

from rulekit.rules import Entry, Levels, Stats, Unit

__all__ = [
    "ELEMENTS",
    "Attacker",
    "Cover",
    "Difficulty",
    "Hands",
    "Rank",
    "Shield",
    "ShieldSkill",
    "Situation",
    "Target",
    "Use",
    "Weapon",
    "with_known_elements",
]

ELEMENTS = ("fire", "water", "earth", "air")
"""The elements that the publisher names. The set is open: every mapping by element takes others too."""

Modifier = Annotated[int, Field(ge=-10, le=20)]
Resistance = Annotated[int, Field(ge=0, le=40)]
Causes = Annotated[int, Field(ge=0, le=5)]


class Hands(Enum):
    """How many hands a weapon takes."""

    ONE = "one"
    """One-handed."""
    BOTH = "both"
    """A one-handed weapon that is held in both hands."""
    TWO = "two"
    """Two-handed."""


class Use(Enum):
    """How an attack reaches its target."""

    MELEE = "melee"
    THROWN = "thrown"
    RANGED = "ranged"


class Rank(Enum):
    """What decides a target's Defense (EL-03)."""

    NORMAL = "normal enemy"
    """The Area DC."""
    UNIQUE = "character or unique enemy"
    """10 and its own Dominant Element modifier."""


class Difficulty(Enum):
    """How the GM shifts the Area DC for a normal enemy's Defense (EL-03)."""

    NORMAL = "normal"
    EASY = "easy"
    HARD = "hard"


class Cover(Enum):
    """What stands between attacker and target (EL-08)."""

    NONE = "none"
    HALF = "half"
    FULL = "full"


class ShieldSkill(Enum):
    """What one can do with a shield (EL-07)."""

    NONE = "none"
    PROFICIENT = "proficient"
    TRAINED = "trained"


def with_known_elements(levels: Mapping[str, int]) -> Levels[str]:
    """Every known element has an entry, 0 if need be, so that it has a control; others may join them."""
    return Levels({**dict.fromkeys(ELEMENTS, 0), **levels})


class Weapon(Entry):
    """A weapon or a manipulation, as it is used in this attack."""

    loadout_file: ClassVar[str] = "weapons.toml"

    ap: Annotated[int, Field(ge=0, le=40, description="Armor Penetration: DR that it takes away")] = 0
    hands: Annotated[Hands, Field(description="One-handed, one-handed but held in both, or two-handed")] = (
        Hands.ONE
    )
    versatile: Annotated[bool, Field(description="One-handed, but may be held in both hands")] = False
    ap_two_handed: Annotated[
        int, Field(ge=0, le=40, description="AP while a versatile weapon is held in both hands")
    ] = 0
    use: Annotated[Use, Field(description="A blow, a throw or a shot")] = Use.MELEE
    reach: Annotated[
        int, Field(ge=5, le=10, multiple_of=5, description="Reach of a melee weapon"), Unit("ft")
    ] = 5
    manipulation: Annotated[bool, Field(description="No weapon: the attack is shaped from an element")] = (
        False
    )
    element_dice: Annotated[
        Mapping[str, Annotated[int, Field(ge=0, le=10)]],
        Field(description="d4s of damage in each element: the rule has 2 for what it is imbued with"),
    ] = Levels({})
    charged: Annotated[bool, Field(description="Imbued and charged with Fire, not yet spent")] = False

    _known = field_validator("element_dice", mode="after")(with_known_elements)


class Attacker(Entry):
    """One who attacks."""

    loadout_file: ClassVar[str] = "attackers.toml"

    mod: Annotated[Modifier, Field(description="Dominant Element modifier: the bonus to hit")] = 3
    weapon: Annotated[Weapon, Field(description="What the attack is made with")] = Weapon()
    element_mods: Annotated[
        Mapping[str, Modifier], Field(description="Modifier in each element: it joins AP in that element")
    ] = Levels({})
    crit_from: Annotated[int, Field(ge=2, le=20, description="Lowest kept die that is a critical")] = 20
    advantage: Annotated[Causes, Field(description="Causes of ADV on the attack roll")] = 0
    disadvantage: Annotated[Causes, Field(description="Causes of DISADV, beside those of the situation")] = 0
    damage_advantage: Annotated[Causes, Field(description="Causes of ADV on damage, beside the weapon's")] = 0
    damage_disadvantage: Annotated[Causes, Field(description="Causes of DISADV on damage")] = 0

    _known = field_validator("element_mods", mode="after")(with_known_elements)


class Shield(Entry):
    """A shield; without an entry there is none."""

    loadout_file: ClassVar[str] = "shields.toml"

    dr: Annotated[Resistance, Field(description="DR that it adds for the proficient")] = 0
    defense: Annotated[int, Field(ge=0, le=10, description="Defense that it adds for the trained")] = 0
    er: Annotated[Mapping[str, Resistance], Field(description="ER that it adds for the proficient")] = Levels(
        {}
    )
    weight: Annotated[int, Field(ge=0, le=100, description="Weight"), Unit("lb")] = 0

    _known = field_validator("er", mode="after")(with_known_elements)


class Target(Entry):
    """One who is attacked."""

    loadout_file: ClassVar[str] = "targets.toml"

    rank: Annotated[Rank, Field(description="Whether its Defense is the Area DC or its own")] = Rank.NORMAL
    mod: Annotated[
        Modifier, Field(description="Dominant Element modifier: 10 and this is a unique one's Defense")
    ] = 3
    dr: Annotated[Resistance, Field(description="DR of all the armour worn")] = 0
    er_armour: Annotated[Mapping[str, Resistance], Field(description="ER of the armour in each element")] = (
        Levels({})
    )
    er_other: Annotated[Mapping[str, Resistance], Field(description="ER from skills and the like")] = Levels(
        {}
    )
    shield: Annotated[Shield, Field(description="The shield in hand")] = Shield()
    shield_skill: Annotated[ShieldSkill, Field(description="Proficient: DR; trained: Defense as well")] = (
        ShieldSkill.NONE
    )
    prone: Annotated[bool, Field(description="Prone: armour protects from nothing")] = False
    immobilised: Annotated[bool, Field(description="Immobilised: armour protects from nothing")] = False
    injurable: Annotated[bool, Field(description="A character, or an NPC whom a critical may injure")] = False
    earth: Annotated[Modifier, Field(description="Earth modifier, for the save against an injury")] = 0

    _known = field_validator("er_armour", "er_other", mode="after")(with_known_elements)


class Situation(Stats):
    """Where and how the attack is made."""

    area_dc: Annotated[int, Field(ge=0, le=40, description="The Area DC: 10 where it is fairly safe")] = 12
    difficulty: Annotated[Difficulty, Field(description="Easy -3, Hard +3 on a normal enemy's Defense")] = (
        Difficulty.NORMAL
    )
    enemy_adjacent: Annotated[bool, Field(description="An enemy stands beside the attacker")] = False
    confined: Annotated[bool, Field(description="A confined space: DISADV for a reach of 10 ft")] = False
    cover: Annotated[Cover, Field(description="The target's cover")] = Cover.NONE
