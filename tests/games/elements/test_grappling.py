"""Grapples: the contest and the moves by brute force, and attacks into one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit import E, NotAllowed, P
from rulekit.games.elements import (
    Clinch,
    Cover,
    Grappler,
    Situation,
    attack_into_grapple,
    grapple,
    move_grappled,
)
from tests.games.elements import brute
from tests.games.elements.cases import attacker, odds, target

ways = st.integers(-1, 1)


def grappler(mod: int, way: int) -> Grappler:
    return Grappler(mod=mod, advantage=max(way, 0), disadvantage=max(-way, 0))


@given(st.integers(-5, 12), st.integers(-5, 12), ways, ways)
def test_contest(a: int, b: int, a_way: int, b_way: int) -> None:
    """EL-18."""
    outcome = grapple(grappler(a, a_way), grappler(b, b_way))
    want = brute.tally((lead, p) for (_, lead), p in brute.contest(a, b, a_way, b_way).items())
    assert odds(outcome.lead) == want
    assert P(outcome.holds) == brute.chance(want, lambda x: x > 0)
    assert P(outcome.held) == brute.chance(want, lambda x: x < 0)
    assert P(outcome.tie) == want.get(0, 0)


@given(st.integers(-5, 12), st.integers(-5, 12), ways, ways, st.sampled_from(["must_win", "always"]))
def test_move(a: int, b: int, a_way: int, b_way: int, natural_20_move: str) -> None:
    """EL-19."""
    outcome = move_grappled(grappler(a, a_way), grappler(b, b_way), {"natural_20_move": natural_20_move})
    want = brute.grapple(a, b, a_way, b_way, natural_20_move=natural_20_move)
    assert {feet: p for feet, p in odds(outcome.feet).items() if feet} == {
        feet: p for feet, p in want.items() if isinstance(feet, int)
    }
    assert P(outcome.escapes) == want.get("lose", 0)
    assert P(outcome.tie) == want.get("tie", 0)
    assert P(outcome.moves) + P(outcome.escapes) + P(outcome.tie) == 1


@pytest.mark.parametrize(
    "hampered", [{"immobilised": True}, {"limb_injury": True}, {"immobilised": True, "limb_injury": True}]
)
def test_what_hampers(hampered: dict[str, bool]) -> None:
    want = brute.grapple(3, 3, -1, 0)
    assert P(grapple(Grappler(**hampered), Grappler()).held) == want["lose"]
    assert P(move_grappled(Grappler(**hampered), Grappler()).escapes) == want["lose"]
    # ADV and DISADV together are a straight roll, unless the majority counts.
    eased = Grappler(**hampered, advantage=3)
    assert P(grapple(eased, Grappler()).held) == brute.grapple(3, 3)["lose"]
    assert P(grapple(eased, Grappler(), {"adv_mix": "net"}).held) == brute.grapple(3, 3, 1, 0)["lose"]


def test_the_helpless() -> None:
    helpless = Grappler(helpless=True)
    assert P(grapple(Grappler(), helpless).holds) == 1
    outcome = move_grappled(Grappler(), helpless)
    assert odds(outcome.feet) == {5: Fraction(19, 20), 15: Fraction(1, 20)}
    for contest in (grapple, move_grappled):
        with pytest.raises(NotAllowed, match="EL-18"):
            contest(Grappler(), helpless, {"helpless_grapple": "no_contest"})
        for mode in ("auto_win", "no_contest"):
            with pytest.raises(NotAllowed, match="EL-18"):
                contest(helpless, Grappler(), {"helpless_grapple": mode})


# -- attacks into a grapple ------------------------------------------------------------------------------

BLOW = {"mod": 2, "defense": 13, "dr": 2, "ap": 1}
WATER = {**BLOW, "elements": {"water": 2}, "element_mods": {"water": 1}, "er_armour": {"water": 1}}
OTHER: dict[str, Any] = {"dr": 4, "er_armour": {"water": 3}, "shield_dr": 1}


@pytest.mark.parametrize(
    "inputs",
    [
        BLOW,
        {**BLOW, "two_handed": True, "roll": -1},
        WATER,
        {**WATER, "crit_from": 16, "defense": 20, "low_critical": "must_reach_defense"},
        {**WATER, "charged": True},
        {**BLOW, "dr": 0, "ap": 6, "excess_ap": "adds"},
    ],
)
def test_what_misses_the_one_hits_the_other(inputs: dict[str, Any]) -> None:
    """EL-20: where neither holds the other."""
    from rulekit.games.elements import IntoGrappleReadings

    known = IntoGrappleReadings.model_fields
    outcome = attack_into_grapple(
        attacker(inputs),
        target(inputs),
        target({**inputs, **OTHER}),
        Clinch(),
        Situation(area_dc=inputs["defense"]),
        {name: value for name, value in inputs.items() if name in known},
    )
    want = brute.into_grapple(OTHER, **inputs)
    told = odds(outcome.damage + 1_000 * outcome.damage_other)
    assert {(x % 1_000, x // 1_000): p for x, p in told.items()} == want
    assert P(outcome.hit) + P(outcome.hits_other) == 1


BOW = {**BLOW, "ranged": True}


@pytest.mark.parametrize(
    ("clinch", "readings", "way"),
    [
        ({"one_holds": True}, {}, 0),
        ({"one_holds": True, "other_in_line": True}, {}, -1),
        ({"one_holds": True}, {"grapple_cover": "always"}, -1),
        ({"one_holds": False, "other_in_line": True}, {}, 0),
        ({"one_holds": False}, {"grapple_cover": "always"}, 0),
    ],
)
def test_half_cover_of_one_for_the_other(clinch: dict[str, bool], readings: dict[str, str], way: int) -> None:
    """EL-20: where one holds the other."""
    outcome = attack_into_grapple(
        attacker(BOW),
        target(BOW),
        clinch=Clinch(**clinch),
        situation=Situation(area_dc=13),
        readings=readings,
    )
    assert odds(outcome.damage) == brute.damage(**BOW, roll=way)
    assert (P(outcome.hits_other) > 0) == (not clinch["one_holds"])


def test_cover_that_is_there_already_stays() -> None:
    held = Clinch(one_holds=True, other_in_line=True)
    with pytest.raises(NotAllowed, match="EL-08"):
        attack_into_grapple(attacker(BOW), clinch=held, situation=Situation(cover=Cover.FULL))


def test_no_blow_across_a_grappler() -> None:
    held = {"one_holds": True, "other_in_line": True}
    with pytest.raises(NotAllowed, match="EL-21"):
        attack_into_grapple(attacker(BLOW), clinch=Clinch(**held))
    low = attack_into_grapple(
        attacker(BLOW), target(BLOW), clinch=Clinch(**held, other_low=True), situation=Situation(area_dc=13)
    )
    assert odds(low.damage) == brute.damage(**BLOW)  # melee knows no half cover
    assert E(low.damage_other) == 0
