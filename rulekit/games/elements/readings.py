"""The places where the chapter can be read in more than one way; the first of each is the default."""

from __future__ import annotations

from enum import Enum

__all__ = [
    "AdvMix",
    "AooAdjacent",
    "ChargedCritical",
    "CoverHitsThrown",
    "CriticalFloor",
    "DamageAdvantage",
    "ElementAp",
    "ExcessAp",
    "GrappleCover",
    "HelplessGrapple",
    "ImbuedDice",
    "LayerScope",
    "LowCritical",
    "ManipulationCritical",
    "Natural20Move",
    "NormalEnemyShield",
    "OverwhelmAp",
    "OverwhelmCritical",
    "OwnCover",
    "PlateOverMid",
    "ProneShield",
]


class AdvMix(Enum):
    """EL-01: what comes of ADV and DISADV together."""

    ANY_PAIR_STRAIGHT = "any_pair_straight"
    """At least one of each, in any number: a straight roll."""
    NET = "net"
    """The majority wins, still with two dice."""


class NormalEnemyShield(Enum):
    """EL-03: whether a trained shield's Defense bonus counts for an enemy whose Defense is the Area DC."""

    NO = "no"
    YES = "yes"


class PlateOverMid(Enum):
    """EL-05: which mid-layer plate may be worn over."""

    CHAIN_ONLY = "chain_only"
    ANY = "any"


class LayerScope(Enum):
    """EL-05: where the layer must lie that another needs beneath it."""

    WHOLE_BODY = "whole_body"
    """Anywhere on the body."""
    BY_PART = "by_part"
    """On the same part of the body."""


class ProneShield(Enum):
    """EL-06: whether one who is prone or immobilised still has the protection of the shield."""

    KEPT = "kept"
    LOST = "lost"


class CoverHitsThrown(Enum):
    """EL-08: whether half cover hampers thrown weapons too."""

    YES = "yes"
    NO = "no"


class OwnCover(Enum):
    """EL-08: whether one who leans out of cover is hampered by it in his own attack."""

    IGNORED_WHEN_LEANING = "ignored_when_leaning"
    COUNTS = "counts"


class ExcessAp(Enum):
    """EL-09: what becomes of AP beyond the DR that there is."""

    WASTED = "wasted"
    ADDS = "adds"


class DamageAdvantage(Enum):
    """EL-10: how a damage roll has ADV."""

    WHOLE_ROLL = "whole_roll"
    """All the damage dice twice, the higher total."""
    EXTRA_DIE = "extra_die"
    """One die more (of each kind), the lowest dropped."""


class ImbuedDice(Enum):
    """EL-12: whether an imbued weapon's own dice are rolled beside those of the element."""

    REPLACES = "replaces"
    ADDS = "adds"


class ElementAp(Enum):
    """EL-12: which modifier joins the AP of an attack in several elements."""

    SUM = "sum"
    HIGHEST = "highest"


class LowCritical(Enum):
    """EL-14: whether a critical below 20 hits where it misses Defense."""

    HITS = "hits"
    MUST_REACH_DEFENSE = "must_reach_defense"


class CriticalFloor(Enum):
    """EL-14: the least damage of a critical."""

    OWN_DICE = "own_dice"
    """The top of the dice that an ordinary hit with it rolls."""
    NORMAL_DICE = "normal_dice"
    """6, the top of 2d3, for all."""


class ManipulationCritical(Enum):
    """EL-14: whether a manipulation's critical rolls 3d6, as for an imbued weapon, or 2d6."""

    AS_IMBUED = "as_imbued"
    AS_NORMAL = "as_normal"


class ChargedCritical(Enum):
    """EL-14: whether a charged weapon's critical rolls 3d6, as for an imbued weapon, or 2d6."""

    IMBUED = "imbued"
    NORMAL = "normal"


class AooAdjacent(Enum):
    """EL-15: who must not be adjacent to one who makes an attack of opportunity."""

    OTHER_ENEMIES = "other_enemies"
    """Nobody but the one who leaves."""
    ANYONE = "anyone"
    """Not even the one who leaves."""


class OverwhelmAp(Enum):
    """EL-16: whose AP is added."""

    HITTERS = "hitters"
    EVERYONE = "everyone"


class OverwhelmCritical(Enum):
    """EL-16: what one participant's critical frees from DR and ER."""

    OWN_DICE = "own_dice"
    ALL = "all"


class HelplessGrapple(Enum):
    """EL-18: what happens to one who cannot make the check."""

    AUTO_WIN = "auto_win"
    """The other holds him."""
    NO_CONTEST = "no_contest"
    """There is no grapple."""


class Natural20Move(Enum):
    """EL-19: whether the mover's natural 20 moves 15 ft even where his total does not win."""

    MUST_WIN = "must_win"
    ALWAYS = "always"


class GrappleCover(Enum):
    """EL-20: when one of two grapplers is half cover for the other."""

    BY_LINE = "by_line"
    """Where he stands in the line of the attack."""
    ALWAYS = "always"
