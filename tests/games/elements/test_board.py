"""Positions on the hex map: what they do to an attack, by which rule, worked out by hand."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

from rulekit import E, NotAllowed, P, stat
from rulekit.games.elements import (
    Attacker,
    Battlefield,
    BoardReadings,
    Cover,
    Hands,
    Obstacle,
    OwnCover,
    Place,
    Situation,
    Target,
    Use,
    Weapon,
    attack,
    attack_of_opportunity,
    attack_on_board,
    clinch_between,
    cover_between,
    gap,
    leaving_reach,
    modifiers,
    placed,
)
from rulekit.studies import sweep

BOW = Weapon(use=Use.RANGED, hands=Hands.TWO)
AXE = Weapon(use=Use.THROWN)
BOLT = Weapon(use=Use.RANGED, manipulation=True, element_dice={"water": 2})
SWORD, SPEAR = Weapon(), Weapon(reach=10)

HERE, FAR = Place(), Place(q=4)


def half(q: int, r: int, *, low: bool = False) -> Obstacle:
    return Obstacle(q=q, r=r, cover=Cover.HALF, low=low)


def full(q: int, r: int) -> Obstacle:
    return Obstacle(q=q, r=r, cover=Cover.FULL)


def told(weapon: Weapon, field: Battlefield, **rest: Any) -> list[tuple[str, str]]:
    return [(modifier.effect, modifier.rule) for modifier in modifiers(weapon, field, **rest)]


@pytest.mark.parametrize(
    ("obstacles", "cover"),
    [
        ([], Cover.NONE),
        ([half(2, 0)], Cover.HALF),
        ([full(2, 0)], Cover.FULL),
        ([half(1, 0), full(3, 0)], Cover.FULL),
        ([half(2, -1)], Cover.NONE),  # beside the line
        ([half(5, 0), half(-1, 0)], Cover.NONE),  # behind either end
        ([half(4, 0)], Cover.HALF),  # in the target's own hex
    ],
)
def test_cover_is_what_the_line_touches(obstacles: list[Obstacle], cover: Cover) -> None:
    """EL-08."""
    assert cover_between(HERE, FAR, obstacles) is cover
    assert cover_between(FAR, HERE, obstacles) is cover


def test_an_edge_and_a_corner_are_touched() -> None:
    # From (0, 0) to (1, 1) along the edge between (1, 0) and (0, 1); to (4, 1) past the corner of (1, 1).
    for obstacle in (half(1, 0), half(0, 1)):
        assert cover_between(HERE, Place(q=1, r=1), [obstacle]) is Cover.HALF
    assert cover_between(HERE, Place(q=4, r=1), [full(1, 1)]) is Cover.FULL


@pytest.mark.parametrize(
    ("attacker", "target", "obstacles", "own_cover", "cover"),
    [
        # The target leans out: half cover, were it full or none.
        (HERE, Place(q=4, leaning=True), [full(3, 0)], "ignored_when_leaning", Cover.HALF),
        (HERE, Place(q=4, leaning=True), [], "ignored_when_leaning", Cover.HALF),
        # But what stands farther off still hides him.
        (HERE, Place(q=4, leaning=True), [full(2, 0)], "ignored_when_leaning", Cover.FULL),
        # The attacker leans out: his own cover is out of his way, or not; others' is not.
        (Place(leaning=True), FAR, [full(1, 0)], "ignored_when_leaning", Cover.NONE),
        (Place(leaning=True), FAR, [full(1, 0)], "counts", Cover.FULL),
        (Place(leaning=True), FAR, [half(1, 0)], "counts", Cover.HALF),
        (Place(leaning=True), FAR, [full(1, 0), half(2, 0)], "ignored_when_leaning", Cover.HALF),
        (HERE, FAR, [full(1, 0)], "ignored_when_leaning", Cover.FULL),
    ],
)
def test_leaning_out(
    attacker: Place, target: Place, obstacles: list[Obstacle], own_cover: str, cover: Cover
) -> None:
    """EL-08."""
    assert cover_between(attacker, target, obstacles, OwnCover(own_cover)) is cover


def test_the_centre_of_a_big_creature_counts() -> None:
    dragon = Place(q=5, radius=2)
    # (4, -1) hides a part of it, but not its centre; (4, 0) is within it, before its centre.
    assert cover_between(HERE, dragon, [full(4, -1)]) is Cover.NONE
    assert cover_between(HERE, dragon, [half(4, 0)]) is Cover.HALF
    assert gap(HERE, dragon) == 3
    assert gap(Place(radius=1), dragon) == 2
    assert gap(Place(q=4), dragon) == 0


@pytest.mark.parametrize(
    ("weapon", "field", "want"),
    [
        (BOW, Battlefield(), []),
        (BOW, Battlefield(target=Place(q=1)), [("DISADV", "EL-02")]),
        (BOW, Battlefield(enemies=(Place(r=1),)), [("DISADV", "EL-02")]),
        (BOW, Battlefield(enemies=(Place(r=2),)), []),
        (BOW, Battlefield(enemies=(Place(r=3, radius=2),)), [("DISADV", "EL-02")]),
        (AXE, Battlefield(enemies=(Place(r=1),)), [("DISADV", "EL-02")]),
        (BOLT, Battlefield(enemies=(Place(r=1),)), [("DISADV", "EL-02")]),
        (SWORD, Battlefield(target=Place(q=1), enemies=(Place(r=1),)), []),
        (BOW, Battlefield(obstacles=(half(2, 0),)), [("DISADV", "EL-08")]),
        (AXE, Battlefield(obstacles=(half(2, 0),)), [("DISADV", "EL-08")]),
        (BOW, Battlefield(obstacles=(full(2, 0),)), [("cannot be targeted", "EL-08")]),
        # Reach
        (SWORD, Battlefield(target=Place(q=1)), []),
        (SWORD, Battlefield(target=Place(q=2)), [("cannot be targeted", "EL-15")]),
        (SPEAR, Battlefield(target=Place(q=2)), []),
        (SPEAR, Battlefield(target=Place(q=3)), [("cannot be targeted", "EL-15")]),
        (SWORD, Battlefield(target=Place(q=3, radius=2)), []),
        # Melee across cover: low, one hex deep, both beside it
        (SPEAR, Battlefield(target=Place(q=2), obstacles=(half(1, 0, low=True),)), []),
        (SPEAR, Battlefield(target=Place(q=2), obstacles=(half(1, 0),)), [("cannot be targeted", "EL-21")]),
        (SPEAR, Battlefield(target=Place(q=2), obstacles=(full(1, 0),)), [("cannot be targeted", "EL-21")]),
        (
            SPEAR,
            Battlefield(target=Place(q=1, r=1), obstacles=(half(1, 0),)),
            [("cannot be targeted", "EL-21")],
        ),
        (SPEAR, Battlefield(target=Place(q=2), obstacles=(half(1, 1),)), []),
        # Cover in one's own hex is not between
        (SWORD, Battlefield(target=Place(q=1), obstacles=(half(1, 0),)), []),
    ],
)
def test_modifiers(weapon: Weapon, field: Battlefield, want: list[tuple[str, str]]) -> None:
    assert told(weapon, field) == want


def test_readings_and_situation() -> None:
    behind = Battlefield(obstacles=(half(2, 0),))
    spared = BoardReadings(cover_hits_thrown="no")
    assert told(AXE, behind, readings=spared) == []
    assert told(BOW, behind, readings=spared) == [("DISADV", "EL-08")]
    tight = Situation(confined=True)
    assert told(SPEAR, Battlefield(target=Place(q=2)), situation=tight) == [("DISADV", "EL-02")]
    assert told(SWORD, Battlefield(target=Place(q=1)), situation=tight) == []


@pytest.mark.parametrize(
    ("weapon", "field", "situation"),
    [
        (BOW, Battlefield(), {}),
        (BOW, Battlefield(target=Place(q=1)), {"enemy_adjacent": True}),
        (BOW, Battlefield(obstacles=(half(2, 0),)), {"cover": Cover.HALF}),
        (SPEAR, Battlefield(target=Place(q=2), obstacles=(half(1, 0, low=True),)), {}),
    ],
)
def test_an_attack_from_positions_is_that_attack(
    weapon: Weapon, field: Battlefield, situation: dict[str, Any]
) -> None:
    attacker, target = Attacker(weapon=weapon), Target(dr=2)
    assert placed(weapon, field) == Situation(**situation)
    on_board = attack_on_board(attacker, target, field)
    assert P(on_board.hit) == P(attack(attacker, target, Situation(**situation)).hit)
    assert E(on_board.damage) == E(attack(attacker, target, Situation(**situation)).damage)


@pytest.mark.parametrize(
    ("weapon", "field", "number"),
    [
        (BOW, Battlefield(obstacles=(full(2, 0),)), "EL-08"),
        (SWORD, Battlefield(), "EL-15"),
        (SPEAR, Battlefield(target=Place(q=2), obstacles=(half(1, 0),)), "EL-21"),
    ],
)
def test_what_cannot_be_targeted_is_refused(weapon: Weapon, field: Battlefield, number: str) -> None:
    with pytest.raises(NotAllowed) as refused:
        attack_on_board(Attacker(weapon=weapon), battlefield=field)
    assert refused.value.rule == number


def test_full_cover_is_a_hole_on_a_map() -> None:
    # A bowman at (0, 0), a wall at (2, 0), somebody at his elbow: DISADV everywhere, nothing behind the wall.
    field = Battlefield(enemies=(Place(r=1),), obstacles=(full(2, 0),))
    setup = attack_on_board.setup(Attacker(mod=0, weapon=BOW), Target(), field, Situation(area_dc=11))
    grid = sweep(
        setup,
        over={"battlefield.target.q": range(1, 6), "battlefield.target.r": range(-2, 3)},
        measures=["hit"],
    ).grids["hit"]
    holes = {
        (q, r)
        for q in range(1, 6)
        for r in range(-2, 3)
        if math.isnan(grid.at(**{"battlefield.target.q": q, "battlefield.target.r": r}))
    }
    # What the wall hides: its own hex, the row behind it, and where the line touches its sides.
    assert holes == {
        (q, r)
        for q in range(1, 6)
        for r in range(-2, 3)
        if cover_between(HERE, Place(q=q, r=r), field.obstacles) is Cover.FULL
    }
    assert {(2, 0), (3, 0), (5, 0)} <= holes
    assert (1, 0) not in holes
    shown = grid.at(**{"battlefield.target.q": 1, "battlefield.target.r": 2})
    assert Fraction(shown).limit_denominator(1000) == Fraction(1, 4)


def test_a_place_may_be_an_axis() -> None:
    swept = attack_on_board(
        Attacker(mod=0, weapon=BOW), battlefield=Battlefield(target=Place(q=stat("q", range(1, 4))))
    )
    # Beside the bowman DISADV, farther off a straight roll.
    assert P(swept.hit, exact=True).values.tolist() == [Fraction(81, 400), Fraction(9, 20), Fraction(9, 20)]


# -- attacks of opportunity and grapples from positions --------------------------------------------------


def test_leaving_reach() -> None:
    step = leaving_reach(HERE, Place(q=1), Place(q=2))
    assert P(attack_of_opportunity(Attacker(weapon=SWORD), leaving=step).hit) == Fraction(3, 5)
    with pytest.raises(NotAllowed, match="EL-15"):  # still within ten feet
        attack_of_opportunity(Attacker(weapon=SPEAR), leaving=step)
    away = leaving_reach(HERE, Place(q=2), Place(q=3))
    assert P(attack_of_opportunity(Attacker(weapon=SPEAR), leaving=away).hit) == Fraction(3, 5)
    with pytest.raises(NotAllowed, match="EL-15: another enemy"):
        attack_of_opportunity(leaving=leaving_reach(HERE, Place(q=1), Place(q=2), [Place(r=-1)]))


def test_who_stands_in_the_line_of_a_grapple() -> None:
    assert clinch_between(HERE, Place(q=3), Place(q=2), one_holds=True).other_in_line
    assert not clinch_between(HERE, Place(q=2), Place(q=3), one_holds=True).other_in_line
    assert clinch_between(HERE, Place(q=4), Place(q=2, r=-1, radius=1), one_holds=True).other_in_line
