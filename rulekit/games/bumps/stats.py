"""Who attacks, with what, whom, from where: the stats that the rules of the chapter take."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Annotated, ClassVar

from pydantic import Field, field_validator

from rulekit.distributions import Dist, d
from rulekit.errors import StatError
from rulekit.rules import Entry, Levels, Stats, Unit, source

__all__ = [
    "AttackKind",
    "Attacker",
    "BonusDamage",
    "BonusType",
    "Combatant",
    "Contender",
    "DamagePart",
    "DamageType",
    "Defender",
    "Pace",
    "Sight",
    "Situation",
    "Target",
    "Targets",
    "Tool",
    "Weapon",
]

Rating = Annotated[int, Field(ge=0, le=30)]
Bonus = Annotated[int, Field(ge=-10, le=20)]
Points = Annotated[int, Field(ge=0, le=20)]
FlatDamage = Annotated[int, Field(ge=-10, le=50), Unit("HP")]

NO_DICE: Dist = d({0: 1})


@source("BU-10")
class DamageType(Enum):
    """The ten types of damage."""

    PHYSICAL = "physical"
    BIO = "bio"
    COLD = "cold"
    FIRE = "fire"
    MYSTIC = "mystic"
    ACID = "acid"
    CHAOS = "chaos"
    ELECTRIC = "electric"
    HOLY = "holy"
    PSIONIC = "psionic"


@source("BU-10")
class BonusType(Enum):
    """The type of bonus damage: one of the ten, or that of the attack it rides on."""

    OF_THE_ATTACK = "of the attack"
    PHYSICAL = "physical"
    BIO = "bio"
    COLD = "cold"
    FIRE = "fire"
    MYSTIC = "mystic"
    ACID = "acid"
    CHAOS = "chaos"
    ELECTRIC = "electric"
    HOLY = "holy"
    PSIONIC = "psionic"


@source("BU-02")
class AttackKind(Enum):
    """The three attacks, each with an aptitude of its own."""

    MELEE = "melee"
    """Tied to Brawn; against an adjacent space."""
    RANGED = "ranged"
    """Tied to Skill; needs a ranged weapon."""
    SPELLCRAFT = "spellcraft"
    """Tied to Intellect; needs a Focal."""


class Tool(Enum):
    """What is in the hand."""

    NOTHING = "nothing"
    MELEE_WEAPON = "melee weapon"
    RANGED_WEAPON = "ranged weapon"
    FOCAL = "focal"


@source("BU-03")
class Targets(Enum):
    """The defense that an attack must get past."""

    DEFENSE = "defense"
    """Against what is tangible."""
    SAVE = "save"
    """Against what is not."""


@source("BU-13")
class Sight(Enum):
    """What there is between attacker and target."""

    CLEAR = "clear"
    COVER = "cover"
    NO_LINE = "no line"


def _whole_dice(damage: Dist) -> Dist:
    for outcome in damage.outcomes:
        if isinstance(outcome, bool) or not isinstance(outcome, int):
            raise StatError(f"{outcome!r} is no damage; what damage dice show is a whole number")
    return damage


class DamagePart(Stats):
    """Damage of one type: dice and what is added to them."""

    dice: Annotated[Dist, Field(description="Damage dice, of any kind")] = d(6)
    bonus: Annotated[FlatDamage, Field(description="Added to the dice")] = 0
    type: Annotated[DamageType, Field(description="Which Resistance and Vulnerability it meets")] = (
        DamageType.PHYSICAL
    )

    _whole = field_validator("dice", mode="after")(_whole_dice)


class BonusDamage(Stats):
    """Extra damage that an ability brings; without a type of its own it takes that of the attack."""

    dice: Annotated[Dist, Field(description="Extra dice; 0 for none")] = NO_DICE
    bonus: Annotated[FlatDamage, Field(description="Added to the dice")] = 0
    type: Annotated[BonusType, Field(description="Its own type, or that of what it rides on")] = (
        BonusType.OF_THE_ATTACK
    )

    _whole = field_validator("dice", mode="after")(_whole_dice)


class Weapon(Entry):
    """A weapon, a Focal or a bare hand, as it is used in this attack. The default is the printed kick."""

    loadout_file: ClassVar[str] = "weapons.toml"

    attack: Annotated[AttackKind, Field(description="Which attack is made with it")] = AttackKind.MELEE
    tool: Annotated[Tool, Field(description="What is in the hand")] = Tool.NOTHING
    targets: Annotated[Targets, Field(description="Which defense it must get past")] = Targets.DEFENSE
    damage: Annotated[tuple[DamagePart, ...], Field(description="Damage of a hit, by type")] = (
        DamagePart(bonus=2),
    )


class Attacker(Entry):
    """One who attacks. A rating is what the table's Bump roll makes of it: dice, a modifier, ..."""

    loadout_file: ClassVar[str] = "attackers.toml"

    melee: Annotated[Rating, Field(description="Rating in Melee, tied to Brawn")] = 4
    ranged: Annotated[Rating, Field(description="Rating in Ranged, tied to Skill")] = 4
    spellcraft: Annotated[Rating, Field(description="Rating in Spellcraft, tied to Intellect")] = 4
    bonus: Annotated[Bonus, Field(description="Bonus to this attack's Bump roll")] = 0
    advantage: Annotated[bool, Field(description="Advantage on the attack")] = False
    disadvantage: Annotated[bool, Field(description="Disadvantage on the attack, besides cover's")] = False
    weapon: Annotated[Weapon, Field(description="What the attack is made with")] = Weapon()
    bonus_damage: Annotated[tuple[BonusDamage, ...], Field(description="Extra damage from abilities")] = ()
    untyped: Annotated[
        BonusType,
        Field(
            title="type of untyped extras",
            description="Type of extra damage that has none, where the attack deals several types or none",
        ),
    ] = BonusType.OF_THE_ATTACK


class Target(Stats):
    """What damage meets."""

    hp: Annotated[
        int, Field(ge=1, le=300, title="Hit Points", description="What is left of them"), Unit("HP")
    ] = 20
    resistance: Annotated[
        Mapping[DamageType, Points], Field(description="Each point takes 1d6 from a hit of this type")
    ] = Levels({})
    vulnerability: Annotated[
        Mapping[DamageType, Points], Field(description="Each point adds 1d6 to a hit of this type")
    ] = Levels({})


class Defender(Entry, Target):
    """One who is attacked."""

    loadout_file: ClassVar[str] = "creatures.toml"

    defense: Annotated[Rating, Field(description="Rating in Defense, against what is tangible")] = 4
    save: Annotated[Rating, Field(description="Rating in Save, against what is not")] = 4
    bonus: Annotated[Bonus, Field(description="Bonus to this defense's Bump roll")] = 0
    advantage: Annotated[bool, Field(description="Advantage on the defense, besides cover's")] = False
    disadvantage: Annotated[bool, Field(description="Disadvantage on the defense")] = False


class Situation(Stats):
    """How the two stand to each other."""

    distance: Annotated[
        int, Field(ge=1, le=60, description="From one to the other; 1 is adjacent"), Unit("spaces")
    ] = 1
    sight: Annotated[Sight, Field(description="Line of sight from the attacker to the target")] = Sight.CLEAR
    obscured: Annotated[bool, Field(description="The target is hidden, invisible or else obscured")] = False


class Contender(Stats):
    """One side of a contest of Bumps."""

    rating: Annotated[Rating, Field(description="What the Bump roll starts from")] = 4
    bonus: Annotated[Bonus, Field(description="Added for this roll")] = 0
    advantage: Annotated[bool, Field(description="Advantage on the roll")] = False
    disadvantage: Annotated[bool, Field(description="Disadvantage on the roll")] = False


class Pace(Stats):
    """How much happens in a round."""

    attacks: Annotated[int, Field(ge=1, le=8, description="Attacks made on the defender in a round")] = 1
    reactions: Annotated[int, Field(ge=0, le=8, description="Reactions that the defender has in a round")] = 1


class Combatant(Stats):
    """One who rolls for Initiative."""

    speed: Annotated[int, Field(ge=-5, le=20, description="Added to the d20")] = 0
