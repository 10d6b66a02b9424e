"""The places where the chapter can be read in more than one way; the first way is the default."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from pydantic import Field

from rulekit.rules import Readings

__all__ = [
    "AttackReadings",
    "BothWays",
    "BumpAdvantage",
    "ContestReadings",
    "DamageReadings",
    "ExtraBumps",
    "HalfShowing",
    "InitiativeReadings",
    "InitiativeTie",
    "MajorShowing",
    "MeleeCover",
    "MinorObstacle",
    "ReactionTiming",
    "ReactionsReadings",
    "SightReadings",
    "Undefended",
]


class InitiativeTie(Enum):
    """BU-01: who goes first where totals are equal."""

    REROLL = "reroll"
    """Those who are tied roll again, Speed included, among themselves."""
    HIGHER_SPEED = "higher_speed"
    """The higher Speed; with equal Speed they roll again."""


class Undefended(Enum):
    """BU-05: an attack against which nobody rolls."""

    ZERO_BUMPS = "zero_bumps"
    """The defender has 0 Bumps, so an attack of 0 Bumps still misses."""
    AUTO_HIT = "auto_hit"
    """It hits, whatever was rolled."""


class ExtraBumps(Enum):
    """BU-07: what the Bumps beyond the first that comes through are worth."""

    NOTHING = "nothing"
    BONUS_DAMAGE = "bonus_damage"
    """1 damage each: not the chapter's rule, for designers who want to try it."""


class BothWays(Enum):
    """BU-09: Resistance and Vulnerability to the same type."""

    ROLL_BOTH = "roll_both"
    """Both are rolled, one floor at the end."""
    NET_FIRST = "net_first"
    """Points cancel first; the difference is rolled."""
    RESIST_FLOOR_FIRST = "resist_floor_first"
    """Resistance first, held at 0; then the extra damage."""


class MeleeCover(Enum):
    """BU-11: whether cover counts against an attack from the next space."""

    APPLIES = "applies"
    IGNORED = "ignored"


class BumpAdvantage(Enum):
    """BU-12: what Advantage does to a Bump roll; Disadvantage does the contrary."""

    TWICE = "twice"
    """The whole roll is made twice and the better one counts; any Bump roll."""
    FLAT = "flat"
    """1 Bump more; any Bump roll."""
    DICE = "dice"
    """One die more; pools only."""
    DROP = "drop"
    """One die more is thrown and the lowest face taken away; pools only."""
    THRESHOLD = "threshold"
    """The number to reach is 1 easier; pools, ladders and rolling under."""


class HalfShowing(Enum):
    """BU-13: exactly half of the target shows."""

    NO_LINE = "no_line"
    COVER = "cover"


class MinorObstacle(Enum):
    """BU-13: less than half shows, and nothing that stands there is a wall, a large tree or darkness."""

    NO_LINE = "no_line"
    COVER = "cover"


class MajorShowing(Enum):
    """BU-13: a wall, a large tree or total darkness stands on the line, yet more than half shows."""

    NO_LINE = "no_line"
    """Such things always block."""
    COVER = "cover"
    """They block only what they hide."""


class ReactionTiming(Enum):
    """BU-15: when the defender chooses whether to spend a Reaction on an attack."""

    BEFORE_THE_ROLL = "before_the_roll"
    """Before any dice fall."""
    AFTER_THE_ROLL = "after_the_roll"
    """Knowing the Bumps of this attack, not those of the later ones."""


class ContestReadings(Readings):
    """The readings that touch a contest of Bumps."""

    undefended: Annotated[Undefended, Field(description="An attack against which nobody rolls")] = (
        Undefended.ZERO_BUMPS
    )
    advantage: Annotated[BumpAdvantage, Field(description="What Advantage does to a Bump roll")] = (
        BumpAdvantage.TWICE
    )


class DamageReadings(Readings):
    """The readings that touch the damage of a hit."""

    both: Annotated[BothWays, Field(description="Resistance and Vulnerability to the same type")] = (
        BothWays.ROLL_BOTH
    )
    extra_bumps: Annotated[ExtraBumps, Field(description="Bumps beyond the first that comes through")] = (
        ExtraBumps.NOTHING
    )


class AttackReadings(ContestReadings, DamageReadings):
    """The readings that touch a whole attack."""

    melee_cover: Annotated[MeleeCover, Field(description="Cover against an attack from the next space")] = (
        MeleeCover.APPLIES
    )


class ReactionsReadings(AttackReadings):
    """The readings that touch the choice of the attacks to answer."""

    timing: Annotated[ReactionTiming, Field(description="When the defender chooses")] = (
        ReactionTiming.BEFORE_THE_ROLL
    )


class InitiativeReadings(Readings):
    """The reading that touches Initiative."""

    initiative_tie: Annotated[InitiativeTie, Field(description="Who goes first where totals are equal")] = (
        InitiativeTie.REROLL
    )


class SightReadings(Readings):
    """The readings that touch line of sight."""

    half_showing: Annotated[HalfShowing, Field(description="Exactly half of the target shows")] = (
        HalfShowing.NO_LINE
    )
    minor_obstacle: Annotated[
        MinorObstacle, Field(description="Less than half shows, behind nothing that is a wall")
    ] = MinorObstacle.NO_LINE
    major_showing: Annotated[
        MajorShowing, Field(description="A wall, tree or darkness on the line, yet more than half shows")
    ] = MajorShowing.NO_LINE
