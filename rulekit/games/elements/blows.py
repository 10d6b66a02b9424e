"""What an attack brings before any armour: the d20, the damage dice in their elements, the AP."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rulekit.errors import NotAllowed
from rulekit.games.elements.readings import (
    AdvMix,
    ChargedCritical,
    CoverHitsThrown,
    CriticalFloor,
    DamageAdvantage,
    ElementAp,
    ImbuedDice,
    LowCritical,
    ManipulationCritical,
    NormalEnemyShield,
)
from rulekit.games.elements.stats import (
    Attacker,
    Cover,
    Difficulty,
    Hands,
    Rank,
    ShieldSkill,
    Situation,
    Target,
    Use,
    Weapon,
)
from rulekit.rolls import Roll, constant, dice, maximum, minimum, where
from rulekit.rules import Readings

__all__ = [
    "NORMAL",
    "Blow",
    "BlowReadings",
    "DamageRoll",
    "D20Readings",
    "MeleeReadings",
    "blow",
    "d20",
    "defense",
]

NORMAL = "normal"
"""The label of damage that is in no element."""

DIFFICULTY = {Difficulty.NORMAL: 0, Difficulty.EASY: -3, Difficulty.HARD: 3}
WEAPON_DICE = (2, 3)
IMPROVISED_DICE = (1, 4)
CHARGED_DICE = (2, 6)
ELEMENT_DIE = 4
CRITICAL_DIE = 6


class D20Readings(Readings):
    """The reading that touches every roll with ADV or DISADV."""

    adv_mix: AdvMix = AdvMix.ANY_PAIR_STRAIGHT


class MeleeReadings(D20Readings):
    """The readings that touch a blow with a weapon before it meets armour."""

    normal_enemy_shield: NormalEnemyShield = NormalEnemyShield.NO
    damage_advantage: DamageAdvantage = DamageAdvantage.WHOLE_ROLL
    imbued_dice: ImbuedDice = ImbuedDice.REPLACES
    element_ap: ElementAp = ElementAp.SUM
    low_critical: LowCritical = LowCritical.HITS
    critical_floor: CriticalFloor = CriticalFloor.OWN_DICE
    charged_critical: ChargedCritical = ChargedCritical.IMBUED


class BlowReadings(MeleeReadings):
    """The readings that touch any attack before it meets armour."""

    cover_hits_thrown: CoverHitsThrown = CoverHitsThrown.YES
    manipulation_critical: ManipulationCritical = ManipulationCritical.AS_IMBUED


@dataclass(frozen=True)
class DamageRoll:
    """Damage dice: how many of which, by what they are damage in (EL-09, EL-12)."""

    dice: Mapping[str, tuple[int, int]]

    @property
    def top(self) -> int:
        """The most that these dice can show."""
        return sum(number * sides for number, sides in self.dice.values())

    def thrown(self, advantage: Any, disadvantage: Any, readings: BlowReadings) -> dict[str, Roll[int]]:
        """What they show, with so many causes of ADV and DISADV (EL-01, EL-10)."""
        up, down = _balance(advantage, disadvantage, readings.adv_mix)
        if readings.damage_advantage is DamageAdvantage.EXTRA_DIE:
            more = {kind: dice(number + (up | down), sides) for kind, (number, sides) in self.dice.items()}
            return {
                kind: where(down, more[kind].lowest(number), more[kind].highest(number))
                for kind, (number, _) in self.dice.items()
            }
        once = {kind: dice(number, sides) for kind, (number, sides) in self.dice.items()}
        if up is False and down is False:
            return dict(once)
        twice = {kind: dice(number, sides) for kind, (number, sides) in self.dice.items()}
        if len(once) == 1:
            ((kind, a),), (b,) = once.items(), twice.values()
            return {kind: where(up, maximum(a, b), where(down, minimum(a, b), a))}
        first, second = _total(once), _total(twice)
        other = (up & (second > first)) | (down & (second < first))
        return {kind: where(other, twice[kind], once[kind]) for kind in once}


@dataclass(frozen=True, eq=False)
class Blow:
    """One attack before it meets armour.

    Attributes:
        natural: The kept d20.
        hit, critical: Whether it hits, and whether as a critical (which is a hit).
        parts: What an ordinary hit rolls, by what it is damage in.
        critical_dice: What a critical rolls, its floor included.
        elements: The elements that the attack is in.
        ap: Its AP, the rise by the attacker's elements included.
        pure: Charged: what it rolls is cut by nothing.
    """

    natural: Roll[int]
    hit: Roll[bool]
    critical: Roll[bool]
    parts: dict[str, Roll[int]]
    critical_dice: Roll[int]
    elements: tuple[str, ...]
    ap: Any
    pure: bool


def blow(
    attacker: Attacker,
    target: Target,
    situation: Situation,
    readings: BlowReadings,
    *,
    improvised: bool = False,
) -> Blow:
    """Roll one attack: d20, damage dice, AP.

    `improvised` is a weapon used for what it is not made for (EL-15): a d4 in no element, as a blow.

    Raises:
        NotAllowed: full cover (EL-08); a weapon in both hands that is not made for it (EL-10).
    """
    weapon = attacker.weapon
    if situation.cover is Cover.FULL:
        raise NotAllowed("EL-08", "a target in full cover cannot be targeted")
    if weapon.hands is Hands.BOTH and not weapon.versatile:
        raise NotAllowed("EL-10", "only a versatile weapon may be held in both hands")

    # EL-01, EL-02: the attack roll
    hampered = 0 if improvised else _hampered(weapon, situation, readings)
    natural = d20(attacker.advantage, attacker.disadvantage + hampered, readings.adv_mix)
    reaches = natural + attacker.mod >= defense(target, situation, readings)
    critical = natural >= attacker.crit_from
    if readings.low_critical is LowCritical.MUST_REACH_DEFENSE:
        critical = critical & (reaches | (natural == 20))

    # EL-09, EL-12, EL-13: the damage dice
    in_element = {element: int(number) for element, number in weapon.element_dice.items()}
    elements = () if improvised else tuple(element for element, number in in_element.items() if number)
    charged = bool(weapon.charged) and not improvised
    if charged and (weapon.manipulation or not elements):
        raise NotAllowed("EL-13", "only a weapon that is imbued with an element can be charged")
    if weapon.manipulation and not elements:
        raise NotAllowed("EL-12", "a manipulation is in an element: give it dice in one")
    damage = _damage_dice(
        weapon, {element: in_element[element] for element in elements}, charged, improvised, readings
    )

    # EL-10: two hands on a melee weapon
    both_hands = weapon.hands is not Hands.ONE and weapon.use is Use.MELEE
    eased = charged or (both_hands and not weapon.manipulation and not improvised)
    causes = (attacker.damage_advantage + eased, attacker.damage_disadvantage)
    (critical_dice,) = (
        _critical_dice(weapon, bool(elements), charged, readings).thrown(*causes, readings).values()
    )
    floor = (
        WEAPON_DICE[0] * WEAPON_DICE[1]
        if readings.critical_floor is CriticalFloor.NORMAL_DICE
        else damage.top
    )
    return Blow(
        natural=natural,
        hit=critical | reaches,
        critical=critical,
        parts=damage.thrown(*causes, readings),
        critical_dice=maximum(critical_dice, floor),
        elements=elements,
        ap=_penetration(attacker, elements, readings),
        pure=charged,
    )


def d20(advantage: Any, disadvantage: Any, mix: AdvMix) -> Roll[int]:
    """The kept die of a d20 with so many causes of ADV and DISADV (EL-01); either may be an axis.

    >>> from rulekit import P
    >>> P(d20(1, 0, AdvMix.ANY_PAIR_STRAIGHT) == 20), P(d20(0, 3, AdvMix.NET) == 20)
    (Fraction(39, 400), Fraction(1, 400))
    >>> P(d20(2, 1, AdvMix.ANY_PAIR_STRAIGHT) == 20), P(d20(2, 1, AdvMix.NET) == 20)
    (Fraction(1, 20), Fraction(39, 400))
    """
    up, down = _balance(advantage, disadvantage, mix)
    thrown = dice(1 + (up | down), 20)
    kept: Roll[int] = where(down, thrown.lowest(), thrown.highest())
    return kept


def defense(target: Target, situation: Situation, readings: BlowReadings) -> Any:
    """What an attack has to reach (EL-03, EL-07).

    >>> defense(Target(), Situation(area_dc=12, difficulty="hard"), BlowReadings())
    15
    >>> defense(Target(rank="character or unique enemy", mod=4), Situation(), BlowReadings())
    14
    """
    shield = target.shield.defense if target.shield_skill is ShieldSkill.TRAINED else 0
    if target.rank is Rank.UNIQUE:
        return 10 + target.mod + shield
    if readings.normal_enemy_shield is NormalEnemyShield.NO:
        shield = 0
    return situation.area_dc + DIFFICULTY[situation.difficulty] + shield


def _total(parts: Mapping[str, Roll[int]]) -> Roll[int]:
    return sum(parts.values(), constant(0))


def _balance(advantage: Any, disadvantage: Any, mix: AdvMix) -> tuple[Any, Any]:
    """Whether the higher of two rolls counts, and whether the lower."""
    if mix is AdvMix.NET:
        return advantage > disadvantage, advantage < disadvantage
    some, against = advantage > 0, disadvantage > 0
    return some > against, some < against


def _hampered(weapon: Weapon, situation: Situation, readings: BlowReadings) -> Any:
    """How many causes of DISADV the situation gives (EL-02, EL-08)."""
    afar = weapon.use is not Use.MELEE
    long = weapon.reach == 10 and not afar and not weapon.manipulation
    thrown_spared = weapon.use is Use.THROWN and readings.cover_hits_thrown is CoverHitsThrown.NO
    covered = situation.cover is Cover.HALF and afar and not thrown_spared
    return (situation.enemy_adjacent & afar) + (situation.confined & long) + covered


def _damage_dice(
    weapon: Weapon, in_element: Mapping[str, int], charged: bool, improvised: bool, readings: BlowReadings
) -> DamageRoll:
    """What an ordinary hit rolls (EL-09, EL-12, EL-13, EL-15)."""
    if improvised:
        return DamageRoll({NORMAL: IMPROVISED_DICE})
    if charged:
        return DamageRoll({NORMAL: CHARGED_DICE})
    own = {NORMAL: WEAPON_DICE}
    if in_element and (weapon.manipulation or readings.imbued_dice is ImbuedDice.REPLACES):
        own = {}
    return DamageRoll({**own, **{element: (number, ELEMENT_DIE) for element, number in in_element.items()}})


def _critical_dice(weapon: Weapon, imbued: bool, charged: bool, readings: BlowReadings) -> DamageRoll:
    """What a critical rolls before its floor (EL-14)."""
    as_normal = (
        not imbued
        or (charged and readings.charged_critical is ChargedCritical.NORMAL)
        or (weapon.manipulation and readings.manipulation_critical is ManipulationCritical.AS_NORMAL)
    )
    return DamageRoll({NORMAL: (2 if as_normal else 3, CRITICAL_DIE)})


def _penetration(attacker: Attacker, elements: tuple[str, ...], readings: BlowReadings) -> Any:
    """AP, with the attacker's modifier in the elements of the attack (EL-10, EL-12)."""
    weapon = attacker.weapon
    ap = weapon.ap_two_handed if weapon.hands is Hands.BOTH else weapon.ap
    rises = [attacker.element_mods[element] for element in elements]
    if not rises:
        return ap
    if readings.element_ap is ElementAp.HIGHEST and len(rises) > 1:
        return ap + maximum(*rises)
    return ap + sum(rises)
