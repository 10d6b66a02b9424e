"""Hexes in axial coordinates: distance, neighbours, and the straight line with all that it touches.

A hex is a pair of whole numbers ``(q, r)``; the third coordinate of the usual three is ``-q - r``.
Every hex has six neighbours at distance 1. All arithmetic is on whole numbers and fractions, so a
line that runs exactly along an edge is seen to do so, whatever the distance.
"""

from __future__ import annotations

import operator
from fractions import Fraction

from rulekit.errors import RulekitError, StatError

__all__ = ["DIRECTIONS", "Hex", "adjacent", "disk", "distance", "line", "neighbours"]

Hex = tuple[int, int]
"""A hex by its axial coordinates ``(q, r)``."""

DIRECTIONS: tuple[Hex, ...] = ((1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1))
"""The steps to the six neighbours, in the order in which they stand around a hex."""

FARTHEST = 1_000
"""The longest line and the widest disk that are drawn, in hexes: beyond it is a slip of the hand."""


def distance(a: Hex, b: Hex) -> int:
    """How many steps from neighbour to neighbour lead from ``a`` to ``b``.

    Raises ``StatError`` for anything that is not a pair of whole numbers.

    >>> distance((0, 0), (3, -1))
    3
    >>> distance((2, 2), (-1, 0))
    5
    """
    (aq, ar), (bq, br) = _whole(a), _whole(b)
    q, r = aq - bq, ar - br
    return max(abs(q), abs(r), abs(q + r))


def adjacent(a: Hex, b: Hex) -> bool:
    """Whether the two hexes share an edge; a hex is not adjacent to itself.

    >>> adjacent((0, 0), (1, -1)), adjacent((0, 0), (1, 1)), adjacent((0, 0), (0, 0))
    (True, False, False)
    """
    return distance(a, b) == 1


def neighbours(a: Hex) -> tuple[Hex, ...]:
    """The six hexes around ``a``, in the order of ``DIRECTIONS``.

    >>> neighbours((2, 0))
    ((3, 0), (3, -1), (2, -1), (1, 0), (1, 1), (2, 1))
    """
    q, r = _whole(a)
    return tuple((q + dq, r + dr) for dq, dr in DIRECTIONS)


def disk(centre: Hex, radius: int) -> tuple[Hex, ...]:
    """All hexes within ``radius`` steps of ``centre`` (0 to 1,000), in rising order.

    >>> disk((0, 0), 0)
    ((0, 0),)
    >>> len(disk((5, -2), 1)), len(disk((5, -2), 2))
    (7, 19)
    """
    q, r = _whole(centre)
    if not 0 <= radius <= FARTHEST:
        raise StatError(f"a disk has a radius of 0 to {FARTHEST:,} hexes, not {radius}")
    return tuple(
        (q + dq, r + dr)
        for dq in range(-radius, radius + 1)
        for dr in range(max(-radius, -radius - dq), min(radius, radius - dq) + 1)
    )


def line(a: Hex, b: Hex) -> tuple[Hex, ...]:
    """Every hex that the straight line from the centre of ``a`` to the centre of ``b`` touches.

    **The rule for edges and corners**: a hex includes its border. So a line that runs exactly along
    an edge touches the hexes on both sides of it, and one that meets a corner touches all three hexes
    that meet there.

    Both ends are included, in the order in which the line comes to them (of two that it comes to at
    once, the one it leaves first; then the smaller pair). The ends may be up to 1,000 hexes apart;
    ``StatError`` beyond.

    >>> line((0, 0), (2, 0))
    ((0, 0), (1, 0), (2, 0))
    >>> line((0, 0), (1, 1))              # along the edge between two hexes: both are touched
    ((0, 0), (0, 1), (1, 0), (1, 1))
    >>> line((0, 0), (4, 1))              # (1, 1) and (3, 0) only at a corner
    ((0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (3, 0), (3, 1), (4, 1))
    """
    start, end = _whole(a), _whole(b)
    if (steps := distance(start, end)) > FARTHEST:
        raise StatError(f"a line is at most {FARTHEST:,} hexes long, not {steps:,} (from {a} to {b})")
    # What a line touches hangs together, so a search over neighbours from its start finds it all.
    spans = {start: (Fraction(0), Fraction(0))}
    edge = [start]
    while edge:
        here = edge.pop()
        for there in neighbours(here):
            if there not in spans and (span := _span(start, end, there)):
                spans[there] = span
                edge.append(there)
    return tuple(sorted(spans, key=lambda hex_: (spans[hex_], hex_)))


def _span(start: Hex, end: Hex, hex_: Hex) -> tuple[Fraction, Fraction] | None:
    """The part of the way (0 at ``start``, 1 at ``end``) that lies within ``hex_``, or None."""
    # With x + y + z = 0, the points of the hex around c are those where none of the differences
    # x - y, y - z, z - x is more than 1 away from that of c: three strips, each between two edges.
    enter, leave = Fraction(0), Fraction(1)
    for at, to, centre in zip(_differences(start), _differences(end), _differences(hex_), strict=True):
        offset, slope = at - centre, to - at
        if slope == 0:
            if abs(offset) > 1:
                return None
            continue
        near, far = sorted((Fraction(-1 - offset, slope), Fraction(1 - offset, slope)))
        enter, leave = max(enter, near), min(leave, far)
        if enter > leave:
            return None
    return enter, leave


def _differences(hex_: Hex) -> tuple[int, int, int]:
    q, r = hex_
    s = -q - r
    return q - r, r - s, s - q


def _whole(hex_: Hex) -> Hex:
    try:
        q, r = hex_
        return operator.index(q), operator.index(r)
    except RulekitError:
        raise  # a stat axis has an error of its own, by which a sweep knows what to do
    except (TypeError, ValueError):
        raise StatError(f"{hex_!r} is not a hex: two whole numbers (q, r) are") from None
