"""Who attacks, with what, whom, and how things stand: the stats that the rules of the chapter take."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field

from rulekit.rules import Entry, Levels, Stats, Unit

__all__ = [
    "Aim",
    "Arc",
    "AttackType",
    "CloseCombat",
    "Cover",
    "DamageType",
    "Defends",
    "Fighter",
    "HighGround",
    "Location",
    "Mount",
    "Reach",
    "Situation",
    "Target",
    "Varied",
    "Weapon",
]

AttackBonus = Annotated[int, Field(ge=-10, le=40, description="Attack bonus: added to the d20")]
Armour = Annotated[int, Field(ge=0, le=20)]


class AttackType(Enum):
    """AE-09: what an attack's bonus and range grow with."""

    STRENGTH = "strength"
    DEXTERITY = "dexterity"
    SPELL = "spell"


class DamageType(Enum):
    """AE-19: the damage types of the chapter's table."""

    CRUSH = "crush"
    SLASH = "slash"
    PIERCE = "pierce"
    CRUSH_PIERCE = "crush/pierce"
    CRUSH_SLASH = "crush/slash"
    FORCE = "force"
    FIRE_COLD = "fire/cold"
    ELECTRICITY = "electricity"


class Reach(Enum):
    """AE-29: the degrees of reach, from the shortest."""

    CLOSE = "close"
    SHORT = "short"
    MEDIUM = "medium"
    LONG = "long"
    EXTENDED = "extended"


class Defends(Enum):
    """AE-11: the reaction that the target spends on this attack."""

    NOT = "no reaction"
    PARRY = "parry"
    SPELL_PARRY = "spell parry"
    DODGE = "dodge"


class Cover(Enum):
    """AE-24: how much of the target's body a barrier hides."""

    NONE = "none"
    HALF = "half"
    THREE_QUARTERS = "three quarters"


class Arc(Enum):
    """AE-27: from where the attack comes."""

    FRONT = "front"
    FLANK = "flank"
    REAR = "rear"


class HighGround(Enum):
    """AE-26: who holds the high ground."""

    NOBODY = "nobody"
    ATTACKER = "attacker"
    TARGET = "target"


class CloseCombat(Enum):
    """AE-32: where a close combat stands between attacker and target."""

    NONE = "none"
    INTO = "into"
    """The target is in close combat with somebody else."""
    OUT_OF = "out of"
    """The attacker is, and the target is not part of it."""


class Mount(Enum):
    """AE-36: whether the attacker rides."""

    NONE = "none"
    STANDING = "standing"
    RUNNING = "running"


class Location(Enum):
    """AE-18: where a critical lands; `data/hit_locations.toml` has the faces for each."""

    HEAD = "head"
    NECK = "neck"
    CHEST = "chest"
    BELLY = "belly"
    GROIN = "groin"
    UPPER_LEFT_ARM = "upper left arm"
    LOWER_LEFT_ARM = "lower left arm"
    UPPER_RIGHT_ARM = "upper right arm"
    LOWER_RIGHT_ARM = "lower right arm"
    RIGHT_THIGH = "right thigh"
    RIGHT_SHIN = "right shin"
    LEFT_THIGH = "left thigh"
    LEFT_SHIN = "left shin"


class Aim(Enum):
    """AE-25: where an attack is aimed: nowhere, at a limb, or at a vital spot."""

    NOWHERE = "nowhere"
    HEAD = "head"
    NECK = "neck"
    GROIN = "groin"
    UPPER_LEFT_ARM = "upper left arm"
    LOWER_LEFT_ARM = "lower left arm"
    UPPER_RIGHT_ARM = "upper right arm"
    LOWER_RIGHT_ARM = "lower right arm"
    RIGHT_THIGH = "right thigh"
    RIGHT_SHIN = "right shin"
    LEFT_THIGH = "left thigh"
    LEFT_SHIN = "left shin"


class Varied:
    """A model of which a changed copy is often wanted."""

    def but(self, **changes: Any) -> Self:
        """The same model with other values here and there, checked as always.

        >>> Situation(edge=1).but(dazed=True).edge
        1
        """
        return type(self)(**{**self.__dict__, **changes})


class Weapon(Varied, Entry):
    """A weapon or directed spell, in the hands of who uses it."""

    loadout_file: ClassVar[str] = "weapons.toml"

    low: Annotated[int, Field(ge=0, le=40, description="Least base damage"), Unit("HP")] = 1
    high: Annotated[
        int, Field(ge=0, le=60, description="Most base damage, with what the ability adds"), Unit("HP")
    ] = 8
    bonus: Annotated[
        int, Field(ge=-10, le=20, description="The +X after the range, masteries in"), Unit("HP")
    ] = 0
    damage_type: DamageType = DamageType.SLASH
    attack_type: Annotated[AttackType, Field(description="What it is used with")] = AttackType.STRENGTH
    ranged: Annotated[bool, Field(description="Shot, thrown or cast from afar")] = False
    base_range: Annotated[int, Field(ge=0, le=200, description="Base range, 0 for none"), Unit("spaces")] = 0
    mechanical: Annotated[bool, Field(description="A firearm or mechanical bow")] = False
    bowstring: Annotated[bool, Field(description="A missile weapon with a string")] = False
    reload: Annotated[int, Field(ge=0, le=6, description="Actions to reload")] = 0
    reach: Annotated[Reach, Field(description="Degree of reach")] = Reach.MEDIUM
    reach_number: Annotated[int, Field(ge=0, le=12, description="Reach as a number")] = 3
    heavy: Annotated[bool, Field(description="Strength / Heavy: further attacks cost Edge")] = False
    light: Annotated[bool, Field(description="Can be used in the off hand")] = False
    natural: Annotated[bool, Field(description="Claw, fist: no weapon to break or drop")] = False
    breakage: Annotated[int, Field(ge=1, le=20, description="Damage at which it is broken")] = 5


class Fighter(Varied, Entry):
    """Who attacks."""

    loadout_file: ClassVar[str] = "fighters.toml"

    attack_bonus: AttackBonus = 7
    weapon: Annotated[Weapon, Field(description="What the attack is made with")] = Weapon()


class Target(Varied, Entry):
    """Who is attacked."""

    loadout_file: ClassVar[str] = "targets.toml"

    defense: Annotated[int, Field(ge=0, le=60, description="Defense Bonus: the total that hits")] = 15
    armour: Annotated[Armour, Field(description="What the armour worn adds to it")] = 0
    location_armour: Annotated[
        Mapping[Location, Armour],
        Field(description="What armour adds where a critical or an aimed attack lands, in place of that"),
    ] = Levels({})
    parry: Annotated[int, Field(ge=-10, le=30, description="What a parry adds")] = 0
    spell_parry: Annotated[int, Field(ge=-10, le=30, description="What parrying a spell adds")] = 0
    dodge: Annotated[int, Field(ge=-20, le=30, description="What a dodge adds, the shield's loss in")] = 0
    helpless: Annotated[bool, Field(description="Asleep, unconscious, paralysed or pinned")] = False
    prone: Annotated[bool, Field(description="Lies on the ground")] = False
    medium_or_smaller: Annotated[bool, Field(description="Of medium size or smaller")] = True
    effect_step: Annotated[
        int, Field(ge=0, le=20, description="Points of damage an effect; 0: 5, none for the large")
    ] = 0
    toughness: Annotated[int, Field(ge=1, le=60, description="Toughness, against major wounds")] = 14
    health: Annotated[int, Field(ge=-40, le=200, description="Health points now"), Unit("HP")] = 14
    constitution: Annotated[int, Field(ge=1, le=40, description="Constitution score")] = 14


class Situation(Varied, Stats):
    """How things stand for one attack."""

    edge: Annotated[int, Field(ge=-6, le=6, description="Edge for any other reason")] = 0
    attack_modifier: Annotated[int, Field(ge=-20, le=20, description="Added to the total, otherwise")] = 0
    defense_modifier: Annotated[
        int, Field(ge=-20, le=20, description="Added to the Defense Bonus, otherwise")
    ] = 0
    defends: Annotated[Defends, Field(description="The target's reaction")] = Defends.NOT
    aimed_at: Annotated[Aim, Field(description="Where the attack is aimed")] = Aim.NOWHERE
    in_base_range: Annotated[bool, Field(description="Within the base range: the +X counts")] = True
    increments: Annotated[int, Field(ge=0, le=9, description="Range increments beyond the first")] = 0
    point_blank: Annotated[bool, Field(description="A firearm or mechanical bow within 20 ft")] = False
    not_made_to_throw: Annotated[bool, Field(description="Thrown and not made for it")] = False
    cover: Cover = Cover.NONE
    through_same_size: Annotated[int, Field(ge=0, le=5, description="Shot through creatures as large")] = 0
    through_larger: Annotated[int, Field(ge=0, le=5, description="Shot through creatures a size larger")] = 0
    arc: Annotated[Arc, Field(description="From where the attack comes")] = Arc.FRONT
    high_ground: Annotated[HighGround, Field(description="Who holds the high ground")] = HighGround.NOBODY
    surprised: Annotated[bool, Field(description="The target is surprised")] = False
    dazed: Annotated[bool, Field(description="The attacker is dazed")] = False
    held: Annotated[bool, Field(description="The attacker is held in a grapple")] = False
    off_hand: Annotated[bool, Field(description="With the off hand, without the style for it")] = False
    heavy_again: Annotated[bool, Field(description="A further attack with a heavy weapon")] = False
    two_degrees_shorter: Annotated[bool, Field(description="Two degrees inside the weapon's reach")] = False
    close_combat: Annotated[CloseCombat, Field(description="A close combat in the way")] = CloseCombat.NONE
    mount: Annotated[Mount, Field(description="The attacker rides")] = Mount.NONE
    riding_style: Annotated[bool, Field(description="The rider knows the style for this attack")] = False
