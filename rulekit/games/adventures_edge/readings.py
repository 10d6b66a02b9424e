"""The places where the chapter can be read in more than one way; the first of each is the default."""

from __future__ import annotations

from enum import Enum

from rulekit import rules

__all__ = [
    "ArcRanged",
    "AssistHalf",
    "BlowReadings",
    "BreakFree",
    "ClosingCheck",
    "ContestTie",
    "ControlEdge",
    "CriticalMinimum",
    "CriticalParry",
    "DiagonalMove",
    "DiplomacyEdge",
    "DiplomacyWhenHostile",
    "DownAt",
    "EdgeDice",
    "EffectsBeyondList",
    "EffectsFrom",
    "GmNatural",
    "GmRolls",
    "Halves",
    "HelplessArmour",
    "KillingBlow",
    "LeadershipDl",
    "MishapOn",
    "MoralePairs",
    "ParryCovers",
    "PressLasts",
    "ProvokeOnEntry",
    "ReachCompare",
    "Readings",
    "SecondGmSide",
    "SelfInjury",
    "ShieldUntrained",
    "StayConscious",
    "StrayAlly",
    "StrengthTarget",
    "StringBreak",
    "StunSurplus",
    "TackleShort",
    "TargetedCritical",
    "TargetingRisk",
    "TrainedCheck",
    "Wounds",
    "in_full",
]


class EdgeDice(Enum):
    """How many dice an Edge of more than one throws."""

    ONE_PER_EDGE = "one_per_edge"
    TWO_DICE = "two_dice"


class Halves(Enum):
    """How a half is rounded, wherever the chapter halves but for a helper's bonus."""

    DOWN = "down"
    UP = "up"


class DiplomacyWhenHostile(Enum):
    """AE-01: whether creatures that are immediately hostile can still be talked to."""

    NO = "no"
    YES = "yes"


class DiplomacyEdge(Enum):
    """AE-02: where the Edge of a diplomacy check comes from."""

    PROFICIENCY = "proficiency"
    ASSISTED = "assisted"


class AssistHalf(Enum):
    """AE-03: whether the helper must reach half the difficulty or beat it."""

    REACH = "reach"
    BEAT = "beat"


class GmRolls(Enum):
    """AE-04: whether the GM rolls once for each side or once for each creature, of which the best counts."""

    PER_SIDE = "per_side"
    EACH = "each"


class SecondGmSide(Enum):
    """AE-04: where the GM's other side acts when the first one has the highest roll."""

    LAST = "last"
    OWN_PLACE = "own_place"


class GmNatural(Enum):
    """AE-05: whom of a side the GM's natural 20 or 1 touches."""

    RANDOM = "random"
    BEST_AND_WORST = "best_and_worst"


class StunSurplus(Enum):
    """AE-06: what becomes of stun for which there is no action left to take."""

    NEXT_ROUND = "next_round"
    LOST = "lost"


class MoralePairs(Enum):
    """AE-08: whether the greater step of one event replaces the smaller one or adds to it."""

    REPLACES = "replaces"
    ADD = "add"


class LeadershipDl(Enum):
    """AE-08: whether the modifiers make the leader's check harder when they make the morale check harder,
    or count as the column's heading says, for a difficulty.
    """

    MIRRORED = "mirrored"
    AS_HEADED = "as_headed"


class ShieldUntrained(Enum):
    """AE-10: what a shield is worth without Shield Use: nothing, or its bonus at the price of a reaction."""

    NOTHING = "nothing"
    AS_REACTION = "as_reaction"


class HelplessArmour(Enum):
    """AE-10: whether the armour where one is struck still counts when one is helpless."""

    NONE = "none"
    LOCATION = "location"


class ParryCovers(Enum):
    """AE-11: what one reaction parries."""

    ONE_ATTACK_EACH = "one_attack_each"
    OPPONENT_FOR_ROUND = "opponent_for_round"


class MishapOn(Enum):
    """AE-14: which misses by 5 or more are mishaps: those of a natural 1, or any."""

    NATURAL_1 = "natural_1"
    ANY_MISS_BY_5 = "any_miss_by_5"


class StringBreak(Enum):
    """AE-15: which die must show 1 for a missile weapon's string to break: the table's or the attack's."""

    TABLE_1 = "table_1"
    ATTACK_1 = "attack_1"


class StrayAlly(Enum):
    """AE-15: which allies a stray shot can strike: those in range or those in the field of fire."""

    IN_RANGE = "in_range"
    IN_FIELD = "in_field"


class SelfInjury(Enum):
    """AE-15: what injuring oneself costs: one hit point, or the weapon's unraised damage range."""

    ONE_HP = "one_hp"
    WEAPON_DICE = "weapon_dice"


class CriticalMinimum(Enum):
    """AE-18: the least damage of a critical: held in its range, with its bonus, or 1 where the total does
    not exceed the Defense Bonus struck.
    """

    RANGE = "range"
    ONE_POINT = "one_point"


class TargetedCritical(Enum):
    """AE-18: where the critical of an aimed attack lands: where it was aimed, or where a die says."""

    AIMED = "aimed"
    ROLLED = "rolled"


class CriticalParry(Enum):
    """AE-18: whether parry and dodge raise the Defense Bonus of the location that a critical strikes."""

    COUNTS = "counts"
    NOT = "not"


class EffectsFrom(Enum):
    """AE-19: whether effects are counted from the final damage or its base, before bonus and doubling."""

    FINAL = "final"
    BASE = "base"


class EffectsBeyondList(Enum):
    """AE-19: whether a hit's effects end with the type's list or go through it again."""

    STOP = "stop"
    CYCLE = "cycle"


class Wounds(Enum):
    """AE-19: whether a critical's wound goes by fives or by the creature's Toughness."""

    BY_FIVE = "by_five"
    TOUGHNESS = "toughness"


class DownAt(Enum):
    """AE-21: the hit points at which a creature goes down."""

    BELOW_ZERO = "below_zero"
    ZERO = "zero"


class StayConscious(Enum):
    """AE-21: whether the check to stay conscious is made once or every turn."""

    ONCE = "once"
    EACH_TURN = "each_turn"


class TargetingRisk(Enum):
    """AE-25: what aiming risks: all parries and dodges of this round, those against the target, or nothing
    while the target is the one that cannot parry or dodge.
    """

    NO_DEFENSE = "no_defense"
    NOT_AGAINST_TARGET = "not_against_target"
    TARGET_CANNOT = "target_cannot"


class ArcRanged(Enum):
    """AE-27: whether flank and rear count for shots from afar."""

    ADJACENT_ONLY = "adjacent_only"
    BY_DIRECTION = "by_direction"


class PressLasts(Enum):
    """AE-28: whether a press lasts for every attack of the round or for one."""

    ROUND = "round"
    ATTACK = "attack"


class ReachCompare(Enum):
    """AE-29: whether the longer reach is the higher degree or the greater number of the weapon."""

    DEGREE = "degree"
    NUMBER = "number"


class DiagonalMove(Enum):
    """AE-29: whether diagonals count for movement and range as they do for reach (1, 2, 1, 2) or 1 each."""

    SAME = "same"
    ONE = "one"


class ClosingCheck(Enum):
    """AE-31: whether closing is tried with the Strength attack or with the Combat skill."""

    ATTACK = "attack"
    COMBAT_SKILL = "combat_skill"


class ContestTie(Enum):
    """AE-31, AE-33: whether a contest's total must meet what it is held against or exceed it."""

    MEETS = "meets"
    EXCEEDS = "exceeds"


class BreakFree(Enum):
    """AE-33: whether one who is seized may react to break free, as one who takes control would, or not."""

    AS_CONTROL = "as_control"
    NONE = "none"


class ControlEdge(Enum):
    """AE-33: whether the penalty of the one held counts once when he tries to take control, or twice."""

    ONCE = "once"
    STACKED = "stacked"


class StrengthTarget(Enum):
    """AE-33: whether the opponent's Strength is his score or a Strength attack of his own."""

    SCORE = "score"
    OPPOSED = "opposed"


class TackleShort(Enum):
    """AE-34: where a tackle ends that misses by less than 5."""

    STAYS_BEFORE = "stays_before"
    IN_CLOSE_COMBAT = "in_close_combat"


class KillingBlow(Enum):
    """AE-35: how a killing blow counts: the range held once and all doubled, or the critical's, doubled."""

    DOUBLED_ONCE = "doubled_once"
    AS_CRITICAL_THEN_DOUBLED = "as_critical_then_doubled"


class TrainedCheck(Enum):
    """AE-36: whether a trained mount needs a check each round or once."""

    EACH_ROUND = "each_round"
    ONCE = "once"


class ProvokeOnEntry(Enum):
    """AE-39: whose threatened spaces one may not enter without engaging."""

    LONGER_REACH = "longer_reach"
    ANY_THREATENED = "any_threatened"


class BlowReadings(rules.Readings):
    """The readings that touch hit and damage of an attack."""

    edge_dice: EdgeDice = EdgeDice.ONE_PER_EDGE
    helpless_armour: HelplessArmour = HelplessArmour.NONE
    critical_minimum: CriticalMinimum = CriticalMinimum.RANGE
    targeted_critical: TargetedCritical = TargetedCritical.AIMED
    critical_parry: CriticalParry = CriticalParry.COUNTS
    targeting_risk: TargetingRisk = TargetingRisk.NO_DEFENSE


class Readings(BlowReadings):
    """The readings that touch an attack and what it inflicts."""

    mishap: MishapOn = MishapOn.NATURAL_1
    effects_from: EffectsFrom = EffectsFrom.FINAL
    effects_beyond_list: EffectsBeyondList = EffectsBeyondList.STOP
    wounds: Wounds = Wounds.BY_FIVE


def in_full(readings: rules.Readings) -> Readings:
    """The readings of an attack for a rule that lists some of them: the others stand at their default.

    >>> in_full(BlowReadings(edge_dice="two_dice")).edge_dice
    <EdgeDice.TWO_DICE: 'two_dice'>
    """
    return Readings(
        **{name: value for name, value in readings.__dict__.items() if name in Readings.model_fields}
    )
