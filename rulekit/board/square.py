"""The square grid: distance, facing, the spaces a line touches, and how much of a space shows.

A space is ``(x, y)`` in whole numbers, x growing to the east and y to the north; its centre is that
point and it reaches half a space to every side, its border included. All answers are exact.
"""

from __future__ import annotations

import enum
import operator
from collections.abc import Iterable, Mapping
from fractions import Fraction
from itertools import pairwise

from rulekit.errors import NotAValue, StatError

__all__ = [
    "Diagonals",
    "Facing",
    "Space",
    "arc",
    "direction",
    "distance",
    "line",
    "neighbours",
    "showing",
    "step",
]

Space = tuple[int, int]
"""A space of the grid: ``(x, y)``."""

_Point = tuple[Fraction, Fraction]
_HALF = Fraction(1, 2)


class Diagonals(enum.Enum):
    """What diagonal steps cost in :func:`distance`; an orthogonal step always costs 1."""

    ALTERNATE = "alternate"
    """1, 2, 1, 2, ..."""
    ONE = "one"
    """1 each: a king's moves."""
    TWO = "two"
    """2 each: no diagonal steps at all."""


class Facing(enum.Enum):
    """The eight directions, clockwise from the north."""

    NORTH = "north"
    NORTH_EAST = "north-east"
    EAST = "east"
    SOUTH_EAST = "south-east"
    SOUTH = "south"
    SOUTH_WEST = "south-west"
    WEST = "west"
    NORTH_WEST = "north-west"

    def turned(self, degrees: int) -> Facing:
        """The facing after a turn of ``degrees`` clockwise, a multiple of 45 (negative: the other way).

        >>> Facing.NORTH.turned(90), Facing.NORTH.turned(-45)
        (<Facing.EAST: 'east'>, <Facing.NORTH_WEST: 'north-west'>)
        """
        eighths, rest = divmod(degrees, 45)
        if rest:
            raise StatError(f"degrees: {degrees} is not a multiple of 45")
        return _CLOCKWISE[(_CLOCKWISE.index(self) + eighths) % 8]


_CLOCKWISE = list(Facing)
_STEPS: dict[Facing, Space] = {
    Facing.NORTH: (0, 1),
    Facing.NORTH_EAST: (1, 1),
    Facing.EAST: (1, 0),
    Facing.SOUTH_EAST: (1, -1),
    Facing.SOUTH: (0, -1),
    Facing.SOUTH_WEST: (-1, -1),
    Facing.WEST: (-1, 0),
    Facing.NORTH_WEST: (-1, 1),
}
_FACING_OF = {delta: facing for facing, delta in _STEPS.items()}


def _space(name: str, space: Space) -> Space:
    try:
        x, y = space
        return operator.index(x), operator.index(y)
    except NotAValue:
        raise  # a stat axis as a coordinate: whoever runs the rule then tries its values one by one
    except (TypeError, ValueError):
        raise StatError(f"{name}: {space!r} is not a space; give (x, y) in whole numbers") from None


def step(space: Space, facing: Facing) -> Space:
    """The neighbour of ``space`` that lies in the direction ``facing``.

    >>> step((2, 2), Facing.NORTH_EAST)
    (3, 3)
    """
    x, y = _space("space", space)
    dx, dy = _STEPS[Facing(facing)]
    return x + dx, y + dy


def neighbours(space: Space) -> tuple[Space, ...]:
    """The eight spaces around ``space``, clockwise from the north.

    >>> neighbours((0, 0))
    ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
    """
    return tuple(step(space, facing) for facing in Facing)


def distance(a: Space, b: Space, diagonals: Diagonals = Diagonals.ALTERNATE) -> int:
    """The fewest spaces from ``a`` to ``b``, counted by the rule for ``diagonals``.

    With ``ALTERNATE`` the first diagonal step of the way costs 1, the second 2, the third 1, ...

    >>> distance((0, 0), (3, 3))
    4
    >>> distance((0, 0), (3, 3), Diagonals.ONE), distance((0, 0), (3, 3), Diagonals.TWO)
    (3, 6)
    >>> distance((0, 0), (0, 1.5))
    Traceback (most recent call last):
    rulekit.errors.StatError: b: (0, 1.5) is not a space; give (x, y) in whole numbers
    """
    (ax, ay), (bx, by) = _space("a", a), _space("b", b)
    short, long = sorted((abs(bx - ax), abs(by - ay)))
    match Diagonals(diagonals):
        case Diagonals.ALTERNATE:
            return long + short // 2
        case Diagonals.ONE:
            return long
        case Diagonals.TWO:
            return long + short


def direction(a: Space, b: Space) -> Facing:
    """The one of the eight directions that is nearest to the way from the centre of ``a`` to that of ``b``.

    Never a draw: the limits between two directions lie at 22.5 degrees and no space's centre is on one.
    Raises StatError where ``a`` and ``b`` are the same space.

    >>> direction((0, 0), (5, 2)), direction((0, 0), (5, 3))
    (<Facing.EAST: 'east'>, <Facing.NORTH_EAST: 'north-east'>)
    """
    (ax, ay), (bx, by) = _space("a", a), _space("b", b)
    dx, dy = bx - ax, by - ay
    if not (dx or dy):
        raise StatError(f"b: {b} is the same space as a; there is no direction from one to the other")
    short, long = sorted((abs(dx), abs(dy)))
    # short / long < tan(22.5 degrees) = sqrt(2) - 1, in whole numbers
    if (short + long) ** 2 < 2 * long**2:
        dx, dy = (dx, 0) if abs(dx) == long else (0, dy)
    return _FACING_OF[((dx > 0) - (dx < 0), (dy > 0) - (dy < 0))]


def arc(facing: Facing, a: Space, b: Space) -> int:
    """How far off the ``facing`` of somebody in ``a`` the space ``b`` lies: 0, 45, 90, 135 or 180 degrees.

    Left and right are the same; ``b`` counts in the nearest of the eight directions, as in :func:`direction`.

    >>> [arc(Facing.NORTH, (0, 0), b) for b in [(0, 1), (1, 1), (-1, 0), (1, -1), (0, -1)]]
    [0, 45, 90, 135, 180]
    """
    turn = (_CLOCKWISE.index(direction(a, b)) - _CLOCKWISE.index(Facing(facing))) % 8
    return 45 * min(turn, 8 - turn)


def line(a: Space, b: Space) -> tuple[Space, ...]:
    """The spaces that the straight line from the centre of ``a`` to that of ``b`` touches, in order.

    ``a`` and ``b`` are the first and the last. Borders count: a space met only at a corner is touched too.

    >>> line((0, 0), (2, 1))
    ((0, 0), (1, 0), (1, 1), (2, 1))
    >>> line((0, 0), (1, 1))
    ((0, 0), (0, 1), (1, 0), (1, 1))
    """
    (ax, ay), (bx, by) = _space("a", a), _space("b", b)
    if abs(by - ay) > abs(bx - ax):
        # along the longer side, so that every column of spaces meets the line in a short piece
        return tuple((x, y) for y, x in line((ay, ax), (by, bx)))
    if ax > bx:
        return line(b, a)[::-1]
    if ax == bx:
        return ((ax, ay),)
    slope = Fraction(by - ay, bx - ax)
    touched: list[Space] = []
    for x in range(ax, bx + 1):
        enter = ay + slope * (max(x - _HALF, Fraction(ax)) - ax)
        leave = ay + slope * (min(x + _HALF, Fraction(bx)) - ax)
        low, high = min(enter, leave), max(enter, leave)
        # -(-n // 1) is the ceiling
        rows = range(-((_HALF - low) // 1), (high + _HALF) // 1 + 1)
        touched += [(x, y) for y in (rows if slope >= 0 else reversed(rows))]
    return tuple(touched)


def showing(a: Space, b: Space, obstacles: Iterable[Space] | Mapping[Space, Fraction | int]) -> Fraction:
    """How much of the space ``b`` shows from the centre of ``a`` past ``obstacles``, from 0 to 1.

    The rule: what can show is the chord of ``b`` through its centre, at right angles to the line from centre
    to centre. Behind each obstacle that the straight line from the centre of ``a`` to a point of the chord
    crosses, that point is hidden. An obstacle fills its whole space; one in ``b`` itself stands before all of
    the chord, one in ``a`` is behind the eye. Somebody in the same space shows wholly.

    Args:
        a, b: Spaces.
        obstacles: Spaces that hide all that is behind them; or from space to how much of what is behind it
            the obstacle there hides, from 0 to 1 (how high it is, how dense). Where several stand one behind
            the other, the one that hides most counts.

    >>> showing((0, 0), (4, 0), [(2, 0)]), showing((0, 0), (4, 0), [(2, 1)])
    (Fraction(0, 1), Fraction(1, 1))
    >>> showing((0, 0), (1, 1), [(1, 0)]), showing((0, 0), (5, 2), [(2, 0)])
    (Fraction(1, 2), Fraction(27, 34))
    >>> showing((0, 0), (4, 0), {(2, 0): Fraction(1, 3)})
    Fraction(2, 3)
    """
    (ax, ay), (bx, by) = _space("a", a), _space("b", b)
    hiding = _hiding(obstacles)
    dx, dy = bx - ax, by - ay
    if not (dx or dy):
        return Fraction(1)
    # The eye is the origin. The chord's points are (dx, dy) + s * across for s from -1 to 1.
    reach = 2 * max(abs(dx), abs(dy))
    across = (Fraction(-dy, reach), Fraction(dx, reach))
    left, right = (dx + across[0], dy + across[1]), (dx - across[0], dy - across[1])
    origin = (Fraction(0), Fraction(0))
    shadows: list[tuple[Fraction, Fraction, Fraction]] = [
        (Fraction(-1), Fraction(1), hiding.pop((bx, by), Fraction(0)))
    ]
    hiding.pop((ax, ay), None)
    for obstacle, hides in hiding.items():
        x, y = obstacle[0] - ax, obstacle[1] - ay
        west, east, south, north = x - _HALF, x + _HALF, y - _HALF, y + _HALF
        piece: list[_Point] = [(west, south), (east, south), (east, north), (west, north)]
        # what of the obstacle lies in the triangle of eye and chord, seen anticlockwise
        for start, end in ((origin, right), (right, left), (left, origin)):
            piece = _left_of(start, end, piece)
        if piece:
            marks = [(px * -dy + py * dx) / (px * dx + py * dy) * reach for px, py in piece]
            shadows.append((min(marks), max(marks), hides))
    hidden = Fraction(0)
    edges = sorted({edge for low, high, _ in shadows for edge in (low, high)})
    for low, high in pairwise(edges):
        hidden += (high - low) * max(hides for start, end, hides in shadows if start <= low and high <= end)
    return 1 - hidden / 2


def _hiding(obstacles: Iterable[Space] | Mapping[Space, Fraction | int]) -> dict[Space, Fraction]:
    """How much each obstacle hides, by its space."""
    given = obstacles.items() if isinstance(obstacles, Mapping) else ((space, 1) for space in obstacles)
    hiding: dict[Space, Fraction] = {}
    for space, hides in given:
        if not 0 <= hides <= 1:
            raise StatError(f"obstacles: {space} hides {hides} of what is behind it; that is from 0 to 1")
        hiding[_space("obstacles", space)] = Fraction(hides)
    return hiding


def _left_of(start: _Point, end: _Point, polygon: list[_Point]) -> list[_Point]:
    """The part of a convex polygon left of the line from start to end, or on it (Sutherland-Hodgman)."""

    def side(point: _Point) -> Fraction:
        return (end[0] - start[0]) * (point[1] - start[1]) - (end[1] - start[1]) * (point[0] - start[0])

    kept: list[_Point] = []
    for here, there in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        here_side, there_side = side(here), side(there)
        if here_side >= 0:
            kept.append(here)
        if (here_side > 0) != (there_side > 0) and here_side and there_side:
            share = here_side / (here_side - there_side)
            kept.append((here[0] + share * (there[0] - here[0]), here[1] + share * (there[1] - here[1])))
    return kept
