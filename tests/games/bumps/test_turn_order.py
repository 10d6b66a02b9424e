"""Initiative against every throw of everybody's dice, on small dice where there are many of them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rulekit import E, P, StatError, dist, stat
from rulekit.games.bumps import (
    Combatant,
    FullInitiative,
    InitiativeReadings,
    InitiativeTie,
    initiative,
    order_odds,
    place_odds,
)
from tests.games.bumps import brute

SPEEDS = [
    ((0, 1), 20),
    ((3, 3), 20),
    ((4, 2, 2), 20),
    ((0, 0, 0), 6),
    ((0, 1, 1, 3), 5),
    ((2, 2, 2, 2), 4),
    ((0, 1, 2, 2, 2), 3),
    ((0, 0, 1, 1, 3), 3),
    ((9, 0, 1), 4),
]


@pytest.mark.parametrize("tie", InitiativeTie)
@pytest.mark.parametrize(("speeds", "die"), SPEEDS)
def test_orders_and_places(speeds: tuple[int, ...], die: int, tie: InitiativeTie) -> None:
    """BU-01."""
    wanted = brute.order_odds(speeds, tie.value, die)
    assert order_odds(speeds, tie, die) == wanted
    places = place_odds(speeds, tie, die)
    for who in range(len(speeds)):
        for place in range(len(speeds)):
            assert places[who][place] == sum(p for order, p in wanted.items() if order[place] == who)


@pytest.mark.parametrize("tie", InitiativeTie)
def test_six_in_all_their_places(tie: InitiativeTie) -> None:
    """BU-01."""
    speeds = (0, 0, 1, 2, 2, 5)
    wanted = brute.order_odds(speeds, tie.value, 3)
    places = place_odds(speeds, tie, 3)
    for who in range(6):
        for place in range(6):
            assert places[who][place] == sum(p for order, p in wanted.items() if order[place] == who)


@pytest.mark.parametrize("tie", InitiativeTie)
def test_eight_fill_eight_places(tie: InitiativeTie) -> None:
    """BU-01."""
    odds = place_odds((0, 1, 1, 2, 3, 5, 8, 12), tie)
    assert [sum(row) for row in odds] == [1] * 8
    assert [sum(column) for column in zip(*odds, strict=True)] == [1] * 8
    firsts = [row[0] for row in odds]
    assert firsts == sorted(firsts)
    assert place_odds([7] * 8, tie) == [[Fraction(1, 8)] * 8] * 8


def test_the_rule_reads_all_places_off_one_order() -> None:
    """BU-01."""
    speeds = (4, 2, 2)
    found = initiative(tuple(Combatant(speed=speed) for speed in speeds))
    assert isinstance(found, FullInitiative)
    wanted = brute.order_odds(speeds)
    for order, p in wanted.items():
        assert P(found.order == " > ".join(str(who + 1) for who in order)) == p
    assert P(found.turns[0].first & found.turns[1].first) == 0
    assert E(sum((turn.place for turn in found.turns), found.turns[0].place * 0)) == 6
    second = found.given(order="2 > 1 > 3")
    assert [dist(turn.place).outcomes for turn in second.turns] == [(2,), (1,), (3,)]


def test_six_to_eight_have_their_places_one_by_one() -> None:
    """BU-01."""
    combatants = tuple(Combatant(speed=speed) for speed in (5, 0, 1, 2, 2, 3, 3, 20))
    for tie in InitiativeTie:
        found = initiative(combatants, InitiativeReadings(initiative_tie=tie))
        odds = place_odds([combatant.speed for combatant in combatants], tie)
        for turn, row in zip(found.turns, odds, strict=True):
            assert [P(turn.place == place + 1) for place in range(8)] == row
        assert any("each place by itself" in note for note in found.notes)


def test_speed_can_be_swept() -> None:
    speed = stat("speed", range(-3, 4))
    found = P(initiative((Combatant(speed=speed), Combatant())).turns[0].first, exact=True)
    for value in range(-3, 4):
        assert found.sel(speed=value).item() == brute.order_odds((value, 0))[0, 1]


def test_too_many_are_refused() -> None:
    with pytest.raises(StatError, match="there are 9; 2 to 8"):
        initiative((Combatant(),) * 9)
    with pytest.raises(StatError, match="6 combatants; orders are listed for 1 to 5"):
        order_odds([0] * 6)
    with pytest.raises(StatError, match="9 combatants; places are told for 1 to 8"):
        place_odds([0] * 9)
