"""Line of sight and cover from a scene; the geometry itself is tested with the board."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from rulekit import E, P, dist, stat
from rulekit.games.bumps import (
    Attacker,
    Obstacle,
    ObstacleKind,
    Scene,
    Sight,
    SightReadings,
    Weapon,
    attack,
    line_of_sight,
    share_showing,
    sight,
    situation,
)
from tests.games.bumps import brute

MAJOR = {ObstacleKind.WALL, ObstacleKind.LARGE_TREE, ObstacleKind.DARKNESS}
CLEAR, COVER, NO_LINE = Sight.CLEAR, Sight.COVER, Sight.NO_LINE

# from (0, 0): the target, an obstacle, how much of a body behind it it hides
WHOLLY_HIDDEN = (4, 0), (2, 0), 100
MOSTLY_HIDDEN = (5, 1), (2, 0), 60
HALF_HIDDEN = (4, 0), (2, 0), 50
HALF_HIDDEN_BY_A_CORNER = (1, 1), (1, 0), 100
MOSTLY_SHOWING = (4, 0), (2, 0), 49
MOSTLY_SHOWING_PAST_A_CORNER = (1, 1), (1, 0), 90
OFF_THE_LINE = (5, 2), (2, 0), 100  # though 7/34 are hidden


def seen(place: Any, kind: ObstacleKind, **readings: str) -> Sight:
    target, (x, y), hides = place
    return sight((0, 0), target, [Obstacle(x=x, y=y, kind=kind, hides=hides)], SightReadings(**readings))


@pytest.mark.parametrize("kind", ObstacleKind)
def test_what_is_not_on_the_line_is_of_no_matter(kind: ObstacleKind) -> None:
    """BU-13."""
    assert seen(OFF_THE_LINE, kind) is CLEAR
    assert sight((0, 0), (5, 2)) is CLEAR


@pytest.mark.parametrize("kind", [kind for kind in ObstacleKind if kind not in MAJOR])
def test_lesser_obstacles(kind: ObstacleKind) -> None:
    """BU-11 and BU-13."""
    for place in (MOSTLY_SHOWING, MOSTLY_SHOWING_PAST_A_CORNER):
        assert seen(place, kind) is COVER
    for place in (HALF_HIDDEN, HALF_HIDDEN_BY_A_CORNER):
        assert seen(place, kind) is seen(place, kind, minor_obstacle="cover") is NO_LINE
        assert seen(place, kind, half_showing="cover") is COVER
    for place in (MOSTLY_HIDDEN, WHOLLY_HIDDEN):
        assert seen(place, kind) is seen(place, kind, half_showing="cover") is NO_LINE
        assert seen(place, kind, minor_obstacle="cover") is COVER


@pytest.mark.parametrize("kind", sorted(MAJOR, key=str))
def test_walls_trees_and_darkness(kind: ObstacleKind) -> None:
    """BU-13."""
    assert seen(MOSTLY_SHOWING, kind) is NO_LINE
    assert seen(MOSTLY_SHOWING, kind, major_showing="cover") is COVER
    for place in (MOSTLY_HIDDEN, WHOLLY_HIDDEN):
        assert seen(place, kind, major_showing="cover", minor_obstacle="cover") is NO_LINE
    assert seen(HALF_HIDDEN, kind, half_showing="cover") is NO_LINE
    assert seen(HALF_HIDDEN, kind, half_showing="cover", major_showing="cover") is COVER


def test_what_hides_most_counts_where_several_stand_in_a_row() -> None:
    """BU-13."""
    row = [Obstacle(x=1, y=0, hides=30), Obstacle(x=2, y=0, hides=45), Obstacle(x=2, y=0, hides=20)]
    assert share_showing((0, 0), (4, 0), row) == Fraction(55, 100)
    assert sight((0, 0), (4, 0), row) is COVER


def test_something_in_the_targets_own_space_is_cover() -> None:
    """BU-11."""
    assert sight((0, 0), (5, 2), [Obstacle(x=5, y=2, kind="person held as a shield", hides=45)]) is COVER
    assert sight((0, 0), (5, 2), [Obstacle(x=0, y=0, kind="thick foliage")]) is CLEAR


def test_hidden_and_wholly_covered() -> None:
    """BU-13."""
    open_field = Scene(obstacles=())
    assert situation(open_field).sight is CLEAR
    assert situation(Scene(obstacles=(), wholly_covered=True)).sight is NO_LINE
    hidden = situation(Scene(obstacles=(), obscured=True))
    assert (hidden.sight, hidden.obscured) == (NO_LINE, True)


def test_a_blow_always_finds_its_line_but_not_to_the_obscured() -> None:
    """BU-13."""
    corner = Scene(attack="melee", target_x=1, target_y=1, obstacles=(Obstacle(x=1, y=0, kind="solid wall"),))
    assert situation(corner).sight is COVER
    assert situation(line_of_sight.setup(corner).at({"scene.attack": "ranged"}).get("scene")).sight is NO_LINE
    assert situation(line_of_sight.setup(corner).at({"scene.obscured": True}).get("scene")).sight is NO_LINE
    dark = Obstacle(x=1, y=1, kind="total darkness")
    in_the_dark = situation(Scene(attack="melee", target_x=1, target_y=1, obstacles=(dark,)))
    assert (in_the_dark.sight, in_the_dark.obscured) == (NO_LINE, True)


def test_a_scene_leads_to_its_attack() -> None:
    """BU-11."""
    bow = Attacker(weapon=Weapon(attack="ranged", tool="ranged weapon"))
    found = attack(bow, situation=situation(Scene()))
    contest = brute.net_and_hit(brute.pool(4, sway=-1), brute.pool(4, sway=1))
    assert P(found.hit) == sum(p for (_, hit), p in contest.items() if hit)


def test_line_of_sight_can_be_asked_for_every_space_at_once() -> None:
    x, y = stat("x", range(1, 6)), stat("y", range(3))
    scene = Scene(target_x=x, target_y=y)
    found = line_of_sight(scene)
    lines, shares = P(found.line, exact=True), E(found.showing, exact=True)
    for column in range(1, 6):
        for row in range(3):
            here = line_of_sight(Scene(target_x=column, target_y=row))
            assert lines.sel(x=column, y=row).item() == P(here.line)
            assert shares.sel(x=column, y=row).item() == E(here.showing)
    one = line_of_sight(Scene())
    assert (P(one.line), P(one.cover), E(one.distance)) == (1, 1, 5)
    assert E(one.showing) == Fraction(3, 5)
    assert dist(one.sight).outcomes == (COVER,)
