"""Hexes: distance against a search, the line against polygons, laws of symmetry, edges and corners."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.board import hex as hexes
from rulekit.board.hex import adjacent, disk, distance, line, neighbours
from rulekit.errors import StatError

HEXES = st.tuples(st.integers(-12, 12), st.integers(-12, 12))

# A hex around (0, 0) in axial coordinates, three times its size, so that its corners are whole.
CORNERS = [(1, 1), (2, -1), (1, -2), (-1, -1), (-2, 1), (-1, 2)]


def side(p: tuple[int, int], q: tuple[int, int], x: tuple[int, int]) -> int:
    """On which side of the line from p to q the point x lies: the sign of the area of the triangle."""
    area = (q[0] - p[0]) * (x[1] - p[1]) - (q[1] - p[1]) * (x[0] - p[0])
    return (area > 0) - (area < 0)


def cross(p: tuple[int, int], q: tuple[int, int], x: tuple[int, int], y: tuple[int, int]) -> bool:
    """Whether the segments p-q and x-y have a point in common, ends included."""
    sides = side(p, q, x), side(p, q, y), side(x, y, p), side(x, y, q)
    if sides == (0, 0, 0, 0):  # all on one line: do they overlap?
        return all(
            max(min(p[i], q[i]), min(x[i], y[i])) <= min(max(p[i], q[i]), max(x[i], y[i])) for i in (0, 1)
        )
    return sides[0] * sides[1] <= 0 and sides[2] * sides[3] <= 0


def touched_by_polygons(a: tuple[int, int], b: tuple[int, int]) -> set[tuple[int, int]]:
    """What the line touches, by crossing it with the six sides of every hex anywhere near."""
    start, end = (3 * a[0], 3 * a[1]), (3 * b[0], 3 * b[1])
    found = {a, b}
    for h in disk(a, distance(a, b) + 1):
        corners = [(3 * h[0] + x, 3 * h[1] + y) for x, y in CORNERS]
        if any(cross(start, end, p, q) for p, q in pairwise([*corners, corners[0]])):
            found.add(h)
    return found


@given(HEXES)
def test_six_neighbours_at_distance_one(a: tuple[int, int]) -> None:
    around = neighbours(a)
    assert len(set(around)) == 6
    assert all(adjacent(a, b) and adjacent(b, a) for b in around)
    # They stand in a ring: each is adjacent to the next.
    assert all(adjacent(b, c) for b, c in pairwise([*around, around[0]]))


def test_distance_is_the_number_of_steps() -> None:
    steps, frontier, seen = 0, {(0, 0)}, {(0, 0)}
    while steps < 6:
        assert {distance((0, 0), h) for h in frontier} == {steps}
        steps += 1
        frontier = {n for h in frontier for n in neighbours(h)} - seen
        seen |= frontier
        assert len(frontier) == 6 * steps
        assert set(disk((0, 0), steps)) == seen


@given(HEXES, HEXES, HEXES)
def test_distance_is_a_metric(a: tuple[int, int], b: tuple[int, int], c: tuple[int, int]) -> None:
    assert distance(a, b) == distance(b, a)
    assert (distance(a, b) == 0) == (a == b)
    assert distance(a, c) <= distance(a, b) + distance(b, c)


@given(st.tuples(st.integers(-7, 7), st.integers(-7, 7)), st.tuples(st.integers(-3, 3), st.integers(-3, 3)))
def test_the_line_touches_what_it_crosses(b: tuple[int, int], a: tuple[int, int]) -> None:
    touched = line(a, b)
    assert len(set(touched)) == len(touched)
    assert set(touched) == touched_by_polygons(a, b)


@given(HEXES, HEXES, HEXES)
def test_the_line_knows_no_direction_and_no_place(
    a: tuple[int, int], b: tuple[int, int], by: tuple[int, int]
) -> None:
    there = set(line(a, b))
    assert set(line(b, a)) == there

    def moved(h: tuple[int, int]) -> tuple[int, int]:
        return h[0] + by[0], h[1] + by[1]

    def turned(h: tuple[int, int]) -> tuple[int, int]:
        return -h[1], h[0] + h[1]

    def mirrored(h: tuple[int, int]) -> tuple[int, int]:
        return h[1], h[0]

    for image in (moved, turned, mirrored):
        assert set(line(image(a), image(b))) == {image(h) for h in there}


@given(HEXES, HEXES)
def test_the_line_goes_from_end_to_end(a: tuple[int, int], b: tuple[int, int]) -> None:
    touched = line(a, b)
    assert touched[0] == a
    assert touched[-1] == b
    assert len(touched) >= distance(a, b) + 1
    # No hex is left out on the way: each is adjacent to one that was there before it.
    assert all(any(adjacent(h, before) for before in touched[:i]) for i, h in enumerate(touched) if i)


@pytest.mark.parametrize("n", [1, 2, 3, 50])
def test_along_an_edge_both_sides_are_touched(n: int) -> None:
    """The direction (1, 1) leaves a hex by its corner and runs along an edge to the next but one."""
    touched = line((0, 0), (n, n))
    beside = {h for k in range(n) for h in ((k + 1, k), (k, k + 1))}
    assert set(touched) == {(k, k) for k in range(n + 1)} | beside
    assert len(touched) == 3 * n + 1


def test_at_a_corner_three_hexes_are_touched() -> None:
    # At a third of the way the line stands at (4/3, 1/3): the corner of (1, 0), (2, 0) and (1, 1).
    assert {(1, 0), (2, 0), (1, 1)} <= set(line((0, 0), (4, 1)))
    # One step aside it passes by: the third hex is not touched.
    assert (1, 1) not in line((0, 0), (5, 1))


@pytest.mark.parametrize("direction", hexes.DIRECTIONS)
def test_along_a_row_nothing_else_is_touched(direction: tuple[int, int]) -> None:
    q, r = direction
    assert line((0, 0), (40 * q, 40 * r)) == tuple((k * q, k * r) for k in range(41))


def test_a_hex_alone() -> None:
    assert line((3, -2), (3, -2)) == ((3, -2),)


@pytest.mark.parametrize("bad", [(0.5, 0), (1,), (1, 2, 3), "ab", None, (Fraction(1), 0)])
def test_what_is_no_hex_is_refused(bad: object) -> None:
    with pytest.raises(StatError, match="two whole numbers"):
        distance(bad, (0, 0))  # type: ignore[arg-type]


def test_bounds_are_stated() -> None:
    assert len(line((0, 0), (1000, -1))) > 1000
    with pytest.raises(StatError, match=r"at most 1,000 hexes long, not 1,001"):
        line((0, 0), (1001, 0))
    with pytest.raises(StatError, match=r"0 to 1,000 hexes, not -1"):
        disk((0, 0), -1)
