"""One attack from beginning to end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from rulekit.distributions import Dist
from rulekit.errors import NotAllowed, NotAValue
from rulekit.games.bumps.bump_rolls import BumpRoll, Pool, TableRoll, sway
from rulekit.games.bumps.contests import Clash, opposed
from rulekit.games.bumps.readings import AttackReadings, MeleeCover
from rulekit.games.bumps.stats import (
    Attacker,
    AttackKind,
    Defender,
    Sight,
    Situation,
    Targets,
    Tool,
    Weapon,
)
from rulekit.games.bumps.wounds import TypedDamage, damage_by_type, several, total
from rulekit.rolls import Roll, axes_of, dist, named_rolls, where
from rulekit.rules import Measure, Outcome, Stats, rule, source
from rulekit.rules.paths import describe

__all__ = [
    "Attack",
    "Exchange",
    "attack",
    "attack_rating",
    "behind_cover",
    "check_means",
    "defense_rating",
    "exchange",
    "known_odds",
    "refuse_rolls",
    "struck",
]

NEEDED = {AttackKind.RANGED: Tool.RANGED_WEAPON, AttackKind.SPELLCRAFT: Tool.FOCAL}


class Attack(Outcome):
    """What one attack does."""

    sentence = "Hits {hit}, {damage} on average; defeats the target at once {defeats}."

    hit: Annotated[Roll[bool], Measure(help="At least one Bump comes through")]
    damage: Annotated[Roll[int], Measure(unit="HP", help="Damage of the attack, 0 for a miss")]
    defeats: Annotated[Roll[bool], Measure(help="This attack alone takes all Hit Points")]
    net: Annotated[Roll[int], Measure(unit="Bumps", help="Attacking less defending Bumps")]
    attack_bumps: Annotated[Roll[int], Measure(unit="Bumps", help="What the attacker rolls")]
    defense_bumps: Annotated[Roll[int], Measure(unit="Bumps", help="What the defender rolls")]
    by_type: tuple[TypedDamage, ...]


@source("BU-02")
def check_means(weapon: Weapon, distance: int) -> None:
    """Nothing, where the attack can be made with this weapon over this distance.

    Raises:
        NotAllowed: BU-02, a shot without a ranged weapon, a spell without a Focal, a blow at somebody who is
            not in an adjacent space.

    >>> check_means(Weapon(attack=AttackKind.SPELLCRAFT), 1)
    Traceback (most recent call last):
    rulekit.errors.NotAllowed: BU-02: spellcraft needs a focal, and weapon.tool is nothing
    """
    needed = NEEDED.get(weapon.attack)
    if needed is not None and weapon.tool is not needed:
        raise NotAllowed(
            "BU-02", f"{weapon.attack.value} needs a {needed.value}, and weapon.tool is {weapon.tool.value}"
        )
    if weapon.attack is AttackKind.MELEE and distance > 1:
        raise NotAllowed("BU-02", f"melee reaches the adjacent spaces, and the distance is {distance}")


@source("BU-02")
def attack_rating(attacker: Attacker) -> int:
    """The rating that the attack rolls: Melee, Ranged or Spellcraft, as the weapon is used.

    >>> attack_rating(Attacker(melee=6, ranged=2))
    6
    """
    match attacker.weapon.attack:
        case AttackKind.MELEE:
            return attacker.melee
        case AttackKind.RANGED:
            return attacker.ranged
        case AttackKind.SPELLCRAFT:
            return attacker.spellcraft


@source("BU-03")
def defense_rating(defender: Defender, targets: Targets) -> int:
    """The rating that answers: Defense or Save, whichever the attack targets.

    >>> defense_rating(Defender(defense=5, save=2), Targets.SAVE)
    2
    """
    return defender.save if targets is Targets.SAVE else defender.defense


@source("BU-11", "BU-13")
def behind_cover(kind: AttackKind, situation: Situation, reading: MeleeCover) -> bool:
    """Whether the target has cover from this attack.

    Raises:
        NotAllowed: BU-13, the target cannot be attacked: no line of sight, or it is obscured.

    >>> behind_cover(AttackKind.RANGED, Situation(sight="cover"), MeleeCover.APPLIES)
    True
    """
    melee = kind is AttackKind.MELEE
    if situation.obscured:
        raise NotAllowed("BU-13", "the target is hidden, invisible or obscured: no attack can be aimed at it")
    if situation.sight is Sight.NO_LINE and not melee:
        raise NotAllowed(
            "BU-13", "there is no line of sight to the target; what hits a whole area still reaches it"
        )
    if situation.sight is Sight.CLEAR:
        return False
    return not (melee and reading is MeleeCover.IGNORED)


@dataclass(frozen=True)
class Exchange:
    """What both sides roll, or would roll, in one attack."""

    attack_bumps: Roll[int]
    defense_bumps: Roll[int]


def exchange(
    attacker: Attacker,
    defender: Defender,
    situation: Situation,
    bump_roll: BumpRoll,
    readings: AttackReadings,
) -> Exchange:
    """The Bump rolls of an attack that can be made; the defender's counts where a Reaction is spent.

    Raises:
        NotAllowed: as `attack`.
    """
    weapon = attacker.weapon
    check_means(weapon, situation.distance)
    cover = behind_cover(weapon.attack, situation, readings.melee_cover)
    return Exchange(
        bump_roll.bumps(
            attack_rating(attacker),
            attacker.bonus,
            "attack",
            sway(attacker.advantage, attacker.disadvantage or cover),
            readings.advantage,
        ),
        bump_roll.bumps(
            defense_rating(defender, weapon.targets),
            defender.bonus,
            "defense",
            sway(defender.advantage or cover, defender.disadvantage),
            readings.advantage,
        ),
    )


def struck(
    attacker: Attacker, defender: Defender, clash: Clash, readings: AttackReadings
) -> tuple[TypedDamage, ...]:
    """The damage of an attack by type: what a hit does, 0 for a miss."""
    return tuple(
        TypedDamage(type=each.type, damage=where(clash.hit, each.damage, 0))
        for each in damage_by_type(attacker, defender, clash.net, readings)
    )


def known_odds(x: Roll[int]) -> Dist:
    """The distribution of `x`, for a rule that must know it before it goes on.

    Raises:
        NotAValue: `x` depends on stat axes: the rule is then run once for each of their values.
    """
    axes = tuple(str(axis.name) for axis in axes_of(x))
    if axes:
        raise NotAValue(f"its odds must be known at one value of {', '.join(axes)}", stats=axes)
    odds: Dist = dist(x)
    return odds


def refuse_rolls(**stats: Stats) -> None:
    """Nothing, where no stat is a Roll: for a rule that goes on from odds, which forget who shares a roll.

    Stat axes may stand where they do.

    Raises:
        NotAValue: a stat is a Roll, thrown outside the rule.
    """
    for name, model in stats.items():
        for info in describe(type(model), model, prefix=f"{name}."):
            if isinstance(info.value, Roll) and not info.value.is_axis:
                raise NotAValue(
                    f"{info.path} is the Roll {info.value!r}: this rule needs a number there, for it works "
                    "with the odds of whole attacks; give a number, or a stat axis for several",
                    rolls=tuple(named_rolls(info.value)) or (info.path,),
                )


@rule(
    "BU-02", "BU-03", "BU-04", "BU-05", "BU-06", "BU-07", "BU-08", "BU-09", "BU-10", "BU-11", "BU-12", "BU-14"
)
def attack(
    attacker: Attacker = Attacker(),
    defender: Defender = Defender(),
    situation: Situation = Situation(),
    reaction: Annotated[bool, Field(description="The defender spends a Reaction to roll")] = True,
    bump_roll: TableRoll = Pool(),
    readings: AttackReadings = AttackReadings(),
) -> Attack:
    """One attack: Bumps against Bumps, and the damage of a hit.

    Args:
        attacker: Ratings, bonuses, weapon.
        defender: Ratings, Hit Points, Resistance, Vulnerability.
        situation: Distance and line of sight.
        reaction: Whether the defender spends a Reaction to roll.
        bump_roll: How Bumps are rolled at this table.
        readings: Of all that an attack comes to.

    Raises:
        NotAllowed: BU-02, the weapon does not serve for this attack; BU-10, extra damage of no known type;
            BU-12, the reading of Advantage means nothing to the Bump roll; BU-13, no line of sight.
    """
    met = exchange(attacker, defender, situation, bump_roll, readings)
    clash = opposed(met.attack_bumps, met.defense_bumps if reaction else None, readings.undefended)
    by_type = struck(attacker, defender, clash, readings)
    dealt = total(by_type)
    return Attack(
        hit=clash.hit,
        damage=dealt,
        defeats=dealt >= defender.hp,
        net=clash.net,
        attack_bumps=clash.attack_bumps,
        defense_bumps=clash.defense_bumps,
        by_type=several(by_type),
        notes=(f"Bump roll: {bump_roll.told()}",),
    )
