"""From where two stand, and what lies between, to line of sight and cover."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from enum import Enum
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from rulekit.board import square
from rulekit.board.square import Diagonals, Space
from rulekit.games.bumps.readings import HalfShowing, MajorShowing, MinorObstacle, SightReadings
from rulekit.games.bumps.stats import AttackKind, Sight, Situation
from rulekit.rolls import Roll, constant
from rulekit.rules import Measure, Outcome, Stats, Unit, rule, source

__all__ = [
    "LineOfSight",
    "Obstacle",
    "ObstacleKind",
    "Scene",
    "line_of_sight",
    "share_showing",
    "sight",
    "situation",
]

Coordinate = Annotated[int, Field(ge=-30, le=30)]
HALF = Fraction(1, 2)


@source("BU-11", "BU-13")
class ObstacleKind(Enum):
    """What can stand in the way, filling its space."""

    WAGON = "wagon"
    FOG = "dense fog or smoke"
    FURNITURE = "furniture"
    DEBRIS = "debris"
    FOLIAGE = "thick foliage"
    PILLAR = "pillar"
    PERSON = "person held as a shield"
    WALL = "solid wall"
    LARGE_TREE = "large tree"
    DARKNESS = "total darkness"


MAJOR = frozenset({ObstacleKind.WALL, ObstacleKind.LARGE_TREE, ObstacleKind.DARKNESS})


class Obstacle(Stats):
    """Something that fills a space."""

    x: Annotated[Coordinate, Field(description="Column, growing to the east")] = 2
    y: Annotated[Coordinate, Field(description="Row, growing to the north")] = 0
    kind: Annotated[ObstacleKind, Field(description="What stands there")] = ObstacleKind.FURNITURE
    hides: Annotated[
        int,
        Field(ge=0, le=100, description="How much of a body behind it it hides: height, density"),
        Unit("%"),
    ] = 100


class Scene(Stats):
    """Attacker, target and what stands around them, on a square grid."""

    attack: Annotated[AttackKind, Field(description="How the attack is made")] = AttackKind.RANGED
    x: Annotated[Coordinate, Field(description="Attacker's column")] = 0
    y: Annotated[Coordinate, Field(description="Attacker's row")] = 0
    target_x: Annotated[Coordinate, Field(description="Target's column")] = 5
    target_y: Annotated[Coordinate, Field(description="Target's row")] = 1
    obstacles: Annotated[tuple[Obstacle, ...], Field(description="What stands around")] = (
        Obstacle(hides=40),
    )
    obscured: Annotated[bool, Field(description="The target is hidden, invisible or else obscured")] = False
    wholly_covered: Annotated[bool, Field(description="The target is wholly behind cover")] = False


@source("BU-11", "BU-13")
def sight(
    a: Space, b: Space, obstacles: Iterable[Obstacle] = (), readings: SightReadings = SightReadings()
) -> Sight:
    """What there is between somebody in the space `a` and a target in `b`.

    The line runs from centre to centre; what it touches, if only at a corner, is on it (`square.line`). How
    much of the target shows is `square.showing` past all obstacles, each with what it hides. Something in the
    target's own space (foliage, a person held as a shield) is on the line; in the attacker's it is not.

    Args:
        a, b: Spaces of the square grid.
        obstacles: What stands around.
        readings: Where the chapter leaves open what happens.

    >>> sight((0, 0), (5, 1), [Obstacle(x=2, y=0, kind="pillar")])
    <Sight.NO_LINE: 'no line'>
    >>> sight((0, 0), (5, 1), [Obstacle(x=2, y=0, kind="furniture", hides=40)])
    <Sight.COVER: 'cover'>
    """
    standing = [each for each in obstacles if (each.x, each.y) != a]
    on_line = set(square.line(a, b))
    crossed = [each.kind for each in standing if (each.x, each.y) in on_line]
    if not crossed:
        return Sight.CLEAR
    major = not MAJOR.isdisjoint(crossed)
    if major and readings.major_showing is MajorShowing.NO_LINE:
        return Sight.NO_LINE
    shown = share_showing(a, b, standing)
    if shown > HALF:
        return Sight.COVER
    if shown == HALF:
        return Sight.COVER if readings.half_showing is HalfShowing.COVER else Sight.NO_LINE
    return Sight.COVER if readings.minor_obstacle is MinorObstacle.COVER and not major else Sight.NO_LINE


@source("BU-13")
def share_showing(a: Space, b: Space, obstacles: Iterable[Obstacle]) -> Fraction:
    """How much of somebody in `b` shows from `a`, from 0 to 1, by the rule of `square.showing`.

    >>> share_showing((0, 0), (5, 0), [Obstacle(x=2, y=0, hides=40)])
    Fraction(3, 5)
    """
    hiding: dict[Space, Fraction] = {}
    for each in obstacles:
        space = each.x, each.y
        hiding[space] = max(hiding.get(space, Fraction(0)), Fraction(operator.index(each.hides), 100))
    return square.showing(a, b, hiding)


@source("BU-13")
def situation(scene: Scene, readings: SightReadings = SightReadings()) -> Situation:
    """The situation of an attack made in this scene.

    A blow always finds its line, except to somebody obscured; total darkness in the target's own space
    obscures.

    Args:
        scene: Who stands where.
        readings: Of line of sight.

    >>> situation(Scene()).sight
    <Sight.COVER: 'cover'>
    """
    a, b = (scene.x, scene.y), (scene.target_x, scene.target_y)
    dark = any((each.x, each.y) == b and each.kind is ObstacleKind.DARKNESS for each in scene.obstacles)
    obscured = scene.obscured or dark
    seen = Sight.NO_LINE if scene.wholly_covered else sight(a, b, scene.obstacles, readings)
    if obscured:
        seen = Sight.NO_LINE
    elif scene.attack is AttackKind.MELEE and seen is Sight.NO_LINE:
        seen = Sight.COVER
    return Situation(distance=square.distance(a, b, Diagonals.ONE) or 1, sight=seen, obscured=obscured)


class LineOfSight(Outcome):
    """Whether the target can be attacked, and whether it has cover."""

    sentence = "Line of sight: {sight}; {showing} of the target shows."

    line: Annotated[Roll[bool], Measure(help="There is a line of sight")]
    cover: Annotated[Roll[bool], Measure(help="Disadvantage for the attack, Advantage for the defense")]
    showing: Annotated[Roll[Fraction], Measure(help="The share of the target that shows")]
    distance: Annotated[Roll[int], Measure(unit="spaces", help="From space to space, a diagonal step as one")]
    sight: Annotated[Roll[Sight], Measure(help="Clear, cover or no line")]


@rule("BU-11", "BU-13")
def line_of_sight(scene: Scene = Scene(), readings: SightReadings = SightReadings()) -> LineOfSight:
    """Line of sight from centre to centre: clear, cover, or none.

    Args:
        scene: Who stands where, and what stands between.
        readings: Half showing, less than half, walls that hide little.
    """
    found = situation(scene, readings)
    return LineOfSight(
        line=constant(found.sight is not Sight.NO_LINE),
        cover=constant(found.sight is Sight.COVER),
        showing=constant(
            share_showing((scene.x, scene.y), (scene.target_x, scene.target_y), scene.obstacles)
        ),
        distance=constant(found.distance),
        sight=constant(found.sight),
    )
