"""In the saddle (AE-36)."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from pydantic import Field

from rulekit.errors import NotAllowed
from rulekit.games.adventures_edge.edges import throw_d20
from rulekit.games.adventures_edge.readings import (
    EdgeDice,
    TrainedCheck,
)
from rulekit.games.adventures_edge.stats import Reach
from rulekit.rolls import Roll, constant
from rulekit.rules import Measure, Outcome, Readings, Stats, rule, source

__all__ = [
    "Pace",
    "Ride",
    "Rider",
    "RiderDefense",
    "RideReadings",
    "mounted_edge",
    "ride",
]

HANDLE_ANIMAL_DL = 10


class Pace(Enum):
    """Whether the mount stands or runs."""

    STANDING = "standing"
    RUNNING = "running"


class RiderDefense(Enum):
    """How the rider means to defend himself."""

    NONE = "none"
    PARRY = "parry"
    DODGE = "dodge"


class RideReadings(Readings):
    """The readings that touch riding."""

    edge_dice: EdgeDice = EdgeDice.ONE_PER_EDGE
    trained_check: TrainedCheck = TrainedCheck.EACH_ROUND


class Rider(Stats):
    """A rider and the mount."""

    handle_animal: Annotated[int, Field(ge=-5, le=30, description="Handle Animal bonus")] = 4
    edge: Annotated[int, Field(ge=-5, le=5, description="Edge of the check for any other reason")] = 0
    trained_mount: Annotated[bool, Field(description="The mount is trained for combat")] = True
    first_round: Annotated[bool, Field(description="The mount has not been mastered yet in this fight")] = (
        True
    )
    pace: Pace = Pace.STANDING
    mounted_combat: Annotated[bool, Field(description="Knows the Mounted Combat style")] = False
    mounted_archery: Annotated[bool, Field(description="Knows the Mounted Archery style")] = False
    ranged: Annotated[bool, Field(description="Shoots instead of striking")] = False
    two_handed: Annotated[bool, Field(description="The weapon takes two hands")] = False
    long_bow: Annotated[bool, Field(description="The weapon is a long bow")] = False
    reach: Annotated[Reach, Field(description="The weapon's reach")] = Reach.MEDIUM
    straight_ahead: Annotated[bool, Field(description="The target is over the mount's head")] = False
    defense: Annotated[RiderDefense, Field(description="The rider's reaction")] = RiderDefense.NONE


class Ride(Outcome):
    """A round in the saddle."""

    sentence = "The mount obeys: {obeys}. Actions left: {actions}; Edge of attacks: {attack_edge}."

    obeys: Annotated[Roll[bool], Measure(help="The mount obeys")]
    actions: Annotated[Roll[int], Measure(help="Actions left after mastering the mount")]
    attack_edge: Annotated[Roll[int], Measure(help="Edge of the rider's attacks")]
    provokes: Annotated[Roll[bool], Measure(help="Leaving a foe's space gives away a reaction attack")]
    natural: Annotated[Roll[int], Measure(help="The die of the Handle Animal check")]


@source("AE-36")
def mounted_edge(pace: Pace, ranged: bool, mounted_combat: bool, mounted_archery: bool) -> int:
    """AE-36: Edge of an attack from the saddle: -1 standing, -2 running, one better with the style for it.

    >>> mounted_edge(Pace.RUNNING, ranged=False, mounted_combat=True, mounted_archery=False)
    -1
    """
    return -(2 if pace == Pace.RUNNING else 1) + (mounted_archery if ranged else mounted_combat)


@rule("AE-36")
def ride(rider: Rider = Rider(), readings: RideReadings = RideReadings()) -> Ride:
    """A round in the saddle: mastering the mount, and what is left for the attack.

    Raises:
        NotAllowed: a dodge, a two-handed weapon or long bow, a blow straight ahead without long reach.

    >>> from rulekit import P
    >>> P(ride(Rider(trained_mount=False)).obeys)
    Fraction(9, 16)
    """
    if rider.defense == RiderDefense.DODGE:
        raise NotAllowed("AE-36", "a rider can parry but not dodge")
    if rider.two_handed or rider.long_bow:
        raise NotAllowed("AE-36", "no two-handed weapon and no long bow from the saddle")
    if rider.straight_ahead and not rider.ranged and rider.reach not in (Reach.LONG, Reach.EXTENDED):
        raise NotAllowed("AE-36", "straight over the mount's head only with a long reach")
    mastered = rider.trained_mount and readings.trained_check == TrainedCheck.ONCE and not rider.first_round
    edge = rider.edge - (1 - rider.trained_mount)
    natural = throw_d20(edge, readings.edge_dice, "natural").natural
    takes_action = not (mastered or rider.mounted_combat)
    return Ride(
        natural=natural,
        obeys=constant(True) if mastered else natural + rider.handle_animal >= HANDLE_ANIMAL_DL,
        actions=constant(2 - takes_action),
        attack_edge=constant(
            mounted_edge(rider.pace, rider.ranged, rider.mounted_combat, rider.mounted_archery)
        ),
        provokes=constant(rider.pace != Pace.RUNNING),
    )
