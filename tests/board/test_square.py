"""The square grid against plain searches and sampled lines."""

from __future__ import annotations

import heapq
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulekit.board.square import (
    Diagonals,
    Facing,
    Space,
    arc,
    direction,
    distance,
    line,
    neighbours,
    showing,
    step,
)
from rulekit.errors import StatError

spaces = st.tuples(st.integers(-6, 6), st.integers(-6, 6))


def cheapest_path(goal: Space, rule: Diagonals) -> int:
    """Dijkstra from the origin; the parity of the diagonal steps taken so far is part of the state."""
    queue = [(0, (0, 0), 0)]
    done: set[tuple[Space, int]] = set()
    while True:
        cost, (x, y), odd = heapq.heappop(queue)
        if (x, y) == goal:
            return cost
        if ((x, y), odd) in done:
            continue
        done.add(((x, y), odd))
        for dx in (-1, 0, 1):
            for dy in (-1, 0, 1):
                if not dx and not dy:
                    continue
                diagonal = dx != 0 and dy != 0
                price = 1
                if diagonal and (rule is Diagonals.TWO or (rule is Diagonals.ALTERNATE and odd)):
                    price = 2
                heapq.heappush(queue, (cost + price, (x + dx, y + dy), odd ^ diagonal))


@pytest.mark.parametrize("rule", Diagonals)
def test_distance_is_the_cheapest_path(rule: Diagonals) -> None:
    for x in range(6):
        for y in range(6):
            assert distance((0, 0), (x, y), rule) == cheapest_path((x, y), rule)


@given(spaces, spaces, spaces)
def test_distance_is_symmetric_and_moves_with_the_board(a: Space, b: Space, by: Space) -> None:
    moved = (a[0] + by[0], a[1] + by[1]), (b[0] + by[0], b[1] + by[1])
    assert distance(a, b) == distance(b, a) == distance(*moved)


@given(spaces, spaces)
def test_direction_is_the_nearest_eighth_by_angle(a: Space, b: Space) -> None:
    if a == b:
        with pytest.raises(StatError, match="same space"):
            direction(a, b)
        return
    bearing = math.degrees(math.atan2(b[0] - a[0], b[1] - a[1]))
    assert direction(a, b) is list(Facing)[round(bearing / 45) % 8]


@given(spaces, st.sampled_from(Facing))
def test_arcs_around_a_space(space: Space, facing: Facing) -> None:
    assert [arc(facing, space, other) for other in neighbours(space)] == [
        abs((45 * place - 45 * list(Facing).index(facing) + 180) % 360 - 180) for place in range(8)
    ]
    assert step(step(space, facing), facing.turned(180)) == space


def test_turning_by_a_crooked_angle_is_refused() -> None:
    with pytest.raises(StatError, match="30 is not a multiple of 45"):
        Facing.NORTH.turned(30)


def meets(
    eye: tuple[Fraction, Fraction], point: tuple[Fraction, Fraction], space: Space, inside: bool
) -> bool:
    """Does the segment meet the space (or its inside)? By the slab test, not by clipping."""
    enter, leave = Fraction(0), Fraction(1)
    for axis in (0, 1):
        low, high = space[axis] - Fraction(1, 2), space[axis] + Fraction(1, 2)
        start, way = eye[axis], point[axis] - eye[axis]
        if way == 0:
            if not (low < start < high if inside else low <= start <= high):
                return False
            continue
        first, last = sorted([(low - start) / way, (high - start) / way])
        enter, leave = max(enter, first), min(leave, last)
    return enter < leave if inside else enter <= leave


def centre(space: Space) -> tuple[Fraction, Fraction]:
    return Fraction(space[0]), Fraction(space[1])


@given(spaces, spaces)
def test_line_is_every_space_that_the_segment_meets(a: Space, b: Space) -> None:
    box = [
        (x, y)
        for x in range(min(a[0], b[0]) - 1, max(a[0], b[0]) + 2)
        for y in range(min(a[1], b[1]) - 1, max(a[1], b[1]) + 2)
    ]
    found = line(a, b)
    assert sorted(found) == [space for space in box if meets(centre(a), centre(b), space, inside=False)]
    assert (found[0], found[-1]) == (a, b)
    # in order: how far along the line a space's centre lies never falls
    along = [(x - a[0]) * (b[0] - a[0]) + (y - a[1]) * (b[1] - a[1]) for x, y in found]
    assert along == sorted(along)
    assert set(line(b, a)) == set(found)


shares = st.fractions(0, 1, max_denominator=6)


@settings(max_examples=60, deadline=None)
@given(spaces, st.dictionaries(spaces, shares, max_size=5))
def test_showing_is_the_mean_over_the_lines_to_the_chord(
    target: Space, obstacles: dict[Space, Fraction]
) -> None:
    eye: Space = (0, 0)
    exact = showing(eye, target, obstacles)
    if target == eye:
        assert exact == 1
        return
    x, y = target
    reach = 2 * max(abs(x), abs(y))
    samples = 200
    in_the_way = {space: share for space, share in obstacles.items() if space not in (eye, target)}
    at_least = obstacles.get(target, Fraction(0))
    shown = Fraction(0)
    for index in range(samples):
        s = Fraction(2 * index + 1, samples) - 1
        point = (x - s * Fraction(y, reach), y + s * Fraction(x, reach))
        crossed = [
            hides for space, hides in in_the_way.items() if meets(centre(eye), point, space, inside=True)
        ]
        shown += 1 - max([at_least, *crossed])
    # each shadow is one interval, so each of its two ends is off by at most one sample
    assert abs(exact - shown / samples) <= Fraction(2 * len(in_the_way), samples)


@given(spaces, spaces, st.sets(spaces, max_size=4))
def test_obstacles_without_a_share_hide_all(a: Space, b: Space, obstacles: set[Space]) -> None:
    assert showing(a, b, obstacles) == showing(a, b, dict.fromkeys(obstacles, 1))


@given(spaces, spaces, st.lists(spaces, max_size=4), spaces)
def test_showing_falls_with_every_obstacle_and_turns_with_the_board(
    a: Space, b: Space, obstacles: list[Space], another: Space
) -> None:
    shown = showing(a, b, obstacles)
    assert 0 <= showing(a, b, [*obstacles, another]) <= shown <= 1
    turned = [(-y, x) for x, y in [a, b, *obstacles]]
    mirrored = [(-x, y) for x, y in [a, b, *obstacles]]
    assert showing(turned[0], turned[1], turned[2:]) == shown
    assert showing(mirrored[0], mirrored[1], mirrored[2:]) == shown


@pytest.mark.parametrize(
    ("target", "obstacles", "shown"),
    [
        ((4, 0), [], Fraction(1)),
        ((4, 0), [(2, 0)], Fraction(0)),
        ((4, 0), [(0, 0)], Fraction(1)),
        ((4, 0), [(4, 0)], Fraction(0)),
        ((4, 0), [(6, 0), (-1, 0), (0, 1)], Fraction(1)),
        # past the corner of a wall: the line from centre to centre itself runs through the corner
        ((1, 1), [(1, 0)], Fraction(1, 2)),
        ((3, 3), [(2, 1)], Fraction(1, 2)),
        ((3, 3), [(2, 0)], Fraction(1)),
        # The ray to the chord point s has the slope (1 + s/2) / (4 - s/8). The corner (5/2, 1/2) of (3, 0)
        # hides slopes below 1/5, that is s below -8/21, of the whole -1 .. 1.
        ((4, 1), [(3, 0)], Fraction(29, 42)),
    ],
)
def test_showing_by_hand(target: Space, obstacles: list[Space], shown: Fraction) -> None:
    assert showing((0, 0), target, obstacles) == shown


def test_what_is_no_space_is_refused_by_name() -> None:
    with pytest.raises(StatError, match=r"a: 3 is not a space"):
        distance(3, (0, 0))  # type: ignore[arg-type]
    with pytest.raises(StatError, match=r"obstacles: \(1\.5, 0\) is not a space"):
        showing((0, 0), (3, 0), [(1.5, 0)])  # type: ignore[list-item]
    with pytest.raises(StatError, match=r"obstacles: \(1, 0\) hides 3/2 of what is behind it"):
        showing((0, 0), (3, 0), {(1, 0): Fraction(3, 2)})
