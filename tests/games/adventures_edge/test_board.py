"""Adventure's Edge on the board: what the page says of positions, read off by hand."""

from __future__ import annotations

from itertools import product

import pytest

from rulekit.board.square import Facing
from rulekit.errors import NotAllowed
from rulekit.games.adventures_edge.board import (
    BoardReadings,
    Figure,
    Reach,
    arc_modifier,
    cover_modifiers,
    high_ground_modifiers,
    in_reach,
    longer_reach,
    may_follow,
    move,
    prone_modifier,
    range_modifiers,
    reach_modifier,
    ridden_spaces,
    shielded_from,
    speed,
    threatened,
    turn,
    turning_cost,
)

AROUND = [(dx, dy) for dx, dy in product((-1, 0, 1), repeat=2) if (dx, dy) != (0, 0)]


def edge(*modifiers: object) -> int:
    return sum(getattr(modifier, "edge", 0) for modifier in modifiers)


@pytest.mark.parametrize("facing", Facing)
def test_five_spaces_ahead_are_threatened_and_three_behind_are_not(facing: Facing) -> None:
    """AE-27: whatever the facing, five spaces threatened, two flanks at +1 Edge and a rear at +2."""
    figure = Figure(facing=facing)
    assert len(threatened(figure)) == 5
    edges = [edge(arc_modifier(Figure(x=dx, y=dy), figure)) for dx, dy in AROUND]
    assert sorted(edges) == [0] * 5 + [1, 1, 2]
    for (dx, dy), found in zip(AROUND, edges, strict=True):
        assert ((dx, dy) in threatened(figure)) == (found == 0)


def test_a_shot_from_afar_counts_as_flank_by_reading() -> None:
    """AE-27: `arc_ranged`."""
    shooter, target = Figure(x=0, y=-9), Figure(facing=Facing.NORTH)
    assert arc_modifier(shooter, target, ranged=True) is None
    everywhere = BoardReadings(arc_ranged="by_direction")
    by_direction = arc_modifier(shooter, target, ranged=True, readings=everywhere)
    assert edge(by_direction) == 2
    assert edge(arc_modifier(Figure(y=-2, reach="long"), target)) == 2


def test_long_reach_threatens_by_the_reach_diagonal() -> None:
    """AE-29: diagonals of reach count 1, 2, so two spaces away diagonally is three."""
    long = Figure(reach=Reach.LONG)
    assert (0, 2) in threatened(long)
    assert (1, 2) in threatened(long)
    assert (2, 2) not in threatened(long)
    assert in_reach(Figure(reach="extended", extended=3), Figure(x=2, y=2))
    assert not in_reach(long, Figure(x=2, y=2))


def test_close_combat_and_close_reach_threaten_nothing() -> None:
    """AE-32, AE-29."""
    assert threatened(Figure(grappling=True)) == frozenset()
    assert threatened(Figure(reach=Reach.CLOSE)) == frozenset()


def test_shields_hold_off_as_many_as_they_are_large() -> None:
    """AE-10: one facing opponent, two or three next to each other; a large one every shot from the front."""
    ring = [Figure(x=dx, y=dy) for dx, dy in [(-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (0, -1)]]
    counts = [len(shielded_from(Figure(shield=size), ring)) for size in ("none", "small", "medium", "large")]
    assert counts == [0, 1, 2, 3]
    apart = [Figure(x=-1), Figure(x=1)]
    assert len(shielded_from(Figure(shield="medium"), apart)) == 1
    assert shielded_from(Figure(shield="large"), [Figure(y=-1)]) == frozenset()
    shots = [Figure(x=9), Figure(x=-9), Figure(y=9), Figure(y=-9)]
    assert shielded_from(Figure(shield="large"), shots, ranged=True) == {0, 1, 2}
    assert len(shielded_from(Figure(shield="small"), shots, ranged=True)) == 1


def test_ranges_of_the_chapter() -> None:
    """AE-22: axe at 8 spaces -1; crossbow at 400 feet in the third increment -2, at 20 feet +1."""
    assert edge(*range_modifiers(8, 4, thrown=True)) == -1
    for base in range(27, 40):  # the bases for which 80 spaces are the third increment
        assert edge(*range_modifiers(80, base, mechanical=True)) == -2
    assert edge(*range_modifiers(4, 30, mechanical=True)) == 1
    assert edge(*range_modifiers(5, 30, mechanical=True)) == 0
    assert edge(*range_modifiers(3, 4, thrown=True, made_for_it=False)) == -1
    assert edge(*range_modifiers(3, 2, thrown=True, made_for_it=False)) == -2
    with pytest.raises(NotAllowed, match="AE-22"):
        range_modifiers(3, 0)


def test_prone_at_thirty_spaces() -> None:
    """AE-23: short bow, range 25, at 30 spaces, target prone: -2 in all; in melee +1."""
    beyond = range_modifiers(30, 25)
    lies = prone_modifier(Figure(prone=True), ranged=True, beyond_first_increment=bool(beyond))
    assert edge(*beyond, lies) == -2
    assert prone_modifier(Figure(prone=True), ranged=True) is None
    assert prone_modifier(Figure(prone=True, size="large"), ranged=True, beyond_first_increment=True) is None
    assert edge(prone_modifier(Figure(prone=True), ranged=False)) == 1


def test_cover_and_creatures_add_up() -> None:
    """AE-24: half -1, three quarters -2; through a same-sized creature -1, one larger -2, others nothing."""
    a, b = Figure(), Figure(x=6)
    assert edge(*cover_modifiers(a, b, walls=[(3, 0)])) == -2
    assert edge(*cover_modifiers(Figure(), Figure(x=1, y=1), walls=[(1, 0)])) == -1
    assert cover_modifiers(a, b, walls=[(3, 2)]) == ()
    crowd = [Figure(x=2), Figure(x=3, size="large"), Figure(x=4, size="huge"), Figure(x=5, y=1)]
    assert edge(*cover_modifiers(a, b, creatures=crowd, ranged=True)) == -3
    assert edge(*cover_modifiers(a, b, walls=[(1, 0)], creatures=crowd, ranged=True)) == -5
    assert cover_modifiers(a, b, creatures=crowd) == ()
    assert cover_modifiers(Figure(), Figure(x=2, y=2), creatures=[Figure(x=1)], ranged=True) == ()


def test_reach_used_nearer() -> None:
    """AE-29: Brawn's longsword (medium) at close quarters -1 Edge; a short weapon free; longer not at all."""
    assert edge(reach_modifier(Figure(reach="medium"), Figure())) == -1
    assert reach_modifier(Figure(reach="short"), Figure()) is None
    assert reach_modifier(Figure(reach="long"), Figure(y=1)) is None
    assert edge(reach_modifier(Figure(reach="extended"), Figure(y=1))) == -1
    assert reach_modifier(Figure(reach="extended"), Figure(y=3)) is None
    for reach in ("long", "extended"):
        with pytest.raises(NotAllowed, match="AE-29"):
            reach_modifier(Figure(reach=reach), Figure())
    with pytest.raises(NotAllowed, match="reaches 1"):
        reach_modifier(Figure(), Figure(y=2))
    # The wielder's height shifts the degree: a small one's long weapon is a medium one.
    assert edge(reach_modifier(Figure(reach="long", reach_modifier=-1), Figure())) == -1


def test_whose_reach_is_longer() -> None:
    """AE-29: by degree spear and longsword are even; by number the longsword's 4 beats 3."""
    longsword, spear = Figure(reach="medium", reach_number=4), Figure(reach="medium", reach_number=3)
    number = BoardReadings(reach_compare="number")
    assert not longer_reach(longsword, spear)
    assert longer_reach(longsword, spear, number)
    assert not longer_reach(longsword, longsword, number)
    assert longer_reach(Figure(reach="extended", extended=4), Figure(reach="extended"))


def test_high_ground() -> None:
    """AE-26: feet at the other's waist, head a third above the other's."""
    low = Figure(height=6)
    assert high_ground_modifiers(Figure(ground=3), low)[0].attack == 1
    assert high_ground_modifiers(low, Figure(ground=3))[0].defense == 1
    assert high_ground_modifiers(Figure(ground=2), low) == ()
    assert high_ground_modifiers(Figure(ground=3, height=4), low) == ()  # 7 feet are no third above 6
    assert high_ground_modifiers(Figure(ground=3, height=5), low)[0].attack == 1


def test_movement_and_turning() -> None:
    """AE-38, AE-40."""
    assert [speed(5, n) for n in range(3)] == [5, 10, 15]
    with pytest.raises(NotAllowed, match="AE-38"):
        speed(5, 3)
    assert [turning_cost(d) for d in (0, 45, 90, 135, 180)] == [0, 0, 0, 1, 1]
    assert [turning_cost(d, moving=False) for d in (45, 90, 180)] == [1, 1, 2]
    assert turning_cost(90, moving=False, reaction=True) == 0
    with pytest.raises(NotAllowed, match="AE-40"):
        turning_cost(30)
    with pytest.raises(NotAllowed, match="AE-40"):
        turning_cost(135, reaction=True)


def test_showing_the_back_provokes() -> None:
    """AE-40: a foe ahead who threatens and is adjacent; not one who looks away."""
    facing_me, turned_away = Figure(y=1, facing="south"), Figure(x=1, facing="east")
    found = turn(Figure(facing="north"), Facing.SOUTH, [facing_me, turned_away])
    assert [(p.rule, p.foe) for p in found] == [("AE-40", 0)]
    assert turn(Figure(facing="north"), Facing.EAST, [facing_me]) == ()


def test_entering_a_longer_reach() -> None:
    """AE-39: engaging costs movement, not engaging a reaction; by default only the longer reach matters."""
    spear = Figure(y=3, facing="south", reach="long")
    assert move(Figure(), [(0, 1)], [spear]).cost == 2
    assert move(Figure(), [(0, 1)], [spear], engage_cost=2).cost == 3
    careless = move(Figure(), [(0, 1)], [spear], engaging=False)
    assert (careless.cost, [p.rule for p in careless.provokes]) == (1, ["AE-39"])
    # Brawn steps up to goblins with no longer reach: no need to engage, no reaction.
    equal = Figure(y=2, facing="south")
    assert move(Figure(), [(0, 1)], [equal]) == move(Figure(), [(0, 1)], [])
    strict = BoardReadings(provoke_on_entry="any_threatened")
    assert len(move(Figure(), [(0, 1)], [equal], engaging=False, readings=strict).provokes) == 1
    # Flank and rear are not threatened.
    looks_away = Figure(y=2, facing="north", reach="long")
    assert move(Figure(), [(0, 1)], [looks_away], engaging=False).provokes == ()


def test_leaving_and_disengaging() -> None:
    """AE-38, AE-39: leaving a threatened space provokes; two spaces of movement win one backwards."""
    foe = Figure(y=1, facing="south")
    assert [p.rule for p in move(Figure(), [(0, -1)], [foe]).provokes] == ["AE-38"]
    away = move(Figure(), [(0, -1)], [foe], disengaging=True)
    assert (away.cost, away.provokes) == (2, ())
    # A long reach still holds the space one has backed to: leaving that provokes.
    long = Figure(y=1, facing="south", reach="long")
    assert [p.step for p in move(Figure(), [(0, -1), (0, -2)], [long], disengaging=True).provokes] == [2]
    assert may_follow(foe, Figure())
    assert not may_follow(foe, Figure(reach="long"))


def test_a_horse_is_two_spaces_long() -> None:
    """AE-36."""
    for facing in Facing:
        head, tail = ridden_spaces(Figure(x=3, y=3, facing=facing))
        assert head == (3, 3)
        assert tail in [(3 + dx, 3 + dy) for dx, dy in AROUND]
        assert tail not in threatened(Figure(x=3, y=3, facing=facing))


def test_diagonals_runs_and_allies() -> None:
    """AE-29, AE-38, AE-41."""
    diagonal = [(1, 1), (2, 2), (3, 3)]
    assert move(Figure(), diagonal).cost == 4
    assert move(Figure(), diagonal, readings=BoardReadings(diagonal_move="one")).cost == 3
    assert move(Figure(), [(0, 1), (0, 2), (1, 3)], running=True).cost == 3
    with pytest.raises(NotAllowed, match="AE-38"):
        move(Figure(), [(0, 1), (1, 1)], running=True)
    with pytest.raises(NotAllowed, match="AE-38"):
        move(Figure(), [(0, 1), (1, 2), (2, 2)], running=True)
    with pytest.raises(NotAllowed, match="not next to"):
        move(Figure(), [(0, 2)])
    with pytest.raises(NotAllowed, match="AE-41"):
        move(Figure(), [(0, 1), (0, 2)], allies_in_melee=[(0, 1)])
