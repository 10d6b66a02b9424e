"""Overwhelm: by brute force under every reading, its price, and how long ten of them take."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulekit import E, P, dist
from rulekit.games.elements import (
    Attacker,
    Situation,
    Target,
    Waiting,
    Weapon,
    attack,
    overwhelm,
    overwhelm_price,
    pays_from,
)
from tests.games.elements import brute
from tests.games.elements.cases import attacker, odds, overwhelm_setup

BLADE = {"mod": 4, "defense": 13, "ap": 1}
AXE = {"mod": 2, "defense": 13, "ap": 3, "two_handed": True, "roll": 1}
WATER = {"mod": 3, "defense": 13, "ap": 1, "elements": {"water": 2}, "element_mods": {"water": 2}}
TORCH = {"mod": 1, "defense": 13, "elements": {"fire": 2}, "element_mods": {"fire": -1}, "crit_from": 17}
SMOKING = {"mod": 0, "defense": 13, "ap": 2, "charged": True, "elements": {"water": 2}}
KNIGHT = {"dr": 8, "er_armour": {"water": 3, "fire": 1}, "er_other": {"water": 1}, "shield_dr": 1}

CASES = {
    "two blades": ([BLADE, AXE], KNIGHT),
    "two of one element": ([WATER, {**WATER, "mod": 1}], KNIGHT),
    "two elements and a blade": ([WATER, TORCH, BLADE], KNIGHT),
    "a charged weapon": ([SMOKING, WATER], KNIGHT),
    "everyone's AP": ([BLADE, AXE], {**KNIGHT, "overwhelm_ap": "everyone"}),
    "one critical frees all": ([WATER, TORCH], {**KNIGHT, "overwhelm_critical": "all"}),
    "one critical frees all, charged": (
        [{**SMOKING, "crit_from": 15}, TORCH],
        {**KNIGHT, "overwhelm_critical": "all"},
    ),
    "AP beyond DR": ([BLADE, AXE], {"dr": 2}),
    "AP beyond DR adds": ([BLADE, AXE], {"dr": 2, "excess_ap": "adds"}),
    "AP beyond DR adds, everyone's": (
        [BLADE, AXE],
        {"dr": 2, "excess_ap": "adds", "overwhelm_ap": "everyone"},
    ),
    "AP beyond DR adds, one critical frees all": (
        [BLADE, {**AXE, "crit_from": 15}],
        {"dr": 2, "excess_ap": "adds", "overwhelm_critical": "all"},
    ),
    "AP beyond DR adds, charged": ([SMOKING, BLADE], {"dr": 2, "excess_ap": "adds"}),
    "prone": ([WATER, BLADE], {**KNIGHT, "bare": True}),
    "their own dice and the element's": ([WATER, BLADE], {**KNIGHT, "imbued_dice": "adds"}),
}


@pytest.mark.parametrize("name", CASES)
def test_by_brute_force(name: str) -> None:
    """EL-16 and its readings."""
    participants, target = CASES[name]
    outcome = overwhelm_setup({"participants": participants, **target})()
    told = {(x % 10, x // 10): p for x, p in odds(outcome.hitters + 10 * outcome.damage).items()}
    assert told == brute.overwhelm(participants, **target)


PARTICIPANT = st.fixed_dictionaries(
    {"mod": st.integers(-3, 8), "defense": st.just(14)},
    optional={
        "ap": st.integers(0, 6),
        "two_handed": st.booleans(),
        "charged": st.booleans(),
        "crit_from": st.integers(15, 20),
        "roll": st.integers(-1, 1),
        "elements": st.dictionaries(st.sampled_from(["fire", "water"]), st.just(2), min_size=1),
        "element_mods": st.dictionaries(st.sampled_from(["fire", "water"]), st.integers(-3, 5)),
    },
)
TARGET = st.fixed_dictionaries(
    {"dr": st.integers(0, 12)},
    optional={
        "er_armour": st.dictionaries(st.sampled_from(["fire", "water"]), st.integers(0, 5)),
        "er_other": st.dictionaries(st.sampled_from(["fire", "water"]), st.integers(0, 5)),
        "shield_dr": st.integers(0, 3),
        "overwhelm_ap": st.sampled_from(["hitters", "everyone"]),
        "overwhelm_critical": st.sampled_from(["own_dice", "all"]),
        "excess_ap": st.sampled_from(["wasted", "adds"]),
        "element_ap": st.sampled_from(["sum", "highest"]),
    },
)


@given(st.lists(PARTICIPANT, min_size=1, max_size=2), TARGET)
@settings(max_examples=30)
def test_any_overwhelm_by_brute_force(participants: list[dict[str, Any]], target: dict[str, Any]) -> None:
    """EL-16: whatever the stats."""
    outcome = overwhelm_setup({"participants": participants, **target})()
    told = {(x % 10, x // 10): p for x, p in odds(outcome.hitters + 10 * outcome.damage).items()}
    assert told == brute.overwhelm(participants, **target)


@pytest.mark.parametrize("one", [BLADE, AXE, WATER, TORCH, SMOKING])
def test_an_overwhelm_of_one_is_an_attack(one: dict[str, Any]) -> None:
    target, situation = (
        Target(dr=3, er_armour={"water": 1}, er_other={"water": 1, "fire": 2}),
        Situation(area_dc=13),
    )
    together = overwhelm((attacker(one),), target, situation)
    singly = attack(attacker(one), target, situation)
    assert dist(together.damage) == dist(singly.damage)
    assert P(together.criticals == 1) == P(singly.critical)


def test_an_overwhelm_needs_somebody() -> None:
    with pytest.raises(ValueError, match="participants"):
        overwhelm(())


TEN = [
    {**BLADE, "mod": 2},
    {**AXE, "mod": 3},
    {**WATER, "mod": 4, "ap": 0},
    {**BLADE, "mod": 5, "ap": 3},
    {**TORCH, "mod": 6},
    {**AXE, "mod": 1},
    {**WATER, "mod": 3, "manipulation": True, "ranged": True},
    {**BLADE, "ap": 4, "roll": -1},
    {**SMOKING, "mod": 2},
    {**BLADE, "mod": 5, "crit_from": 19},
]


def test_ten_unlike_participants() -> None:
    setup = overwhelm_setup({"participants": TEN, "dr": 14, "er_armour": {"water": 2, "fire": 1}})
    damage = dist(setup().damage)
    assert sum(damage.probability(x) for x in damage.outcomes) == 1
    # Nothing comes through exactly when nobody hits hard enough; all that can be is 10 best criticals.
    assert damage.outcomes[0] == 0
    assert damage.outcomes[-1] == 5 * 12 + 4 * 18 + 12


# -- the price -------------------------------------------------------------------------------------------


def test_price_by_brute_force() -> None:
    """EL-17."""
    participants = (Attacker(mod=4, weapon=Weapon(ap=1)), Attacker(mod=3, weapon=Weapon(ap=2)))
    waiting = Waiting(
        enemy=Attacker(mod=2, weapon=Weapon(ap=1)),
        attacks=2,
        waiter=Target(rank="character or unique enemy", mod=4, dr=2),
    )
    outcome = overwhelm_price(participants, Target(dr=6), waiting, Situation(area_dc=13))

    pair = [{"mod": 4, "defense": 13, "ap": 1}, {"mod": 3, "defense": 13, "ap": 2}]
    together = brute.tally((x[1], p) for x, p in brute.overwhelm(pair, dr=6).items())
    one, other = (brute.damage(**each, dr=6) for each in pair)
    singly = brute.tally((x + y, p * q) for x, p in one.items() for y, q in other.items())
    assert odds(outcome.together) == together
    assert odds(outcome.singly) == singly
    assert E(outcome.gain) == brute.mean(together) - brute.mean(singly)
    assert P(outcome.better) == sum(p * q for x, p in together.items() for y, q in singly.items() if x > y)

    enemy = {"mod": 2, "defense": 14, "ap": 1, "dr": 2}
    assert E(outcome.danger) == 2 * brute.mean(brute.damage(**enemy, roll=1))
    assert E(outcome.unhurried) == 2 * brute.mean(brute.damage(**enemy))
    assert E(outcome.added_danger) == E(outcome.danger) - E(outcome.unhurried) > 0
    assert E(outcome.reactions_forgone) == 1


def test_the_dr_from_which_it_pays() -> None:
    """EL-16, EL-17."""
    pair = [{"mod": 4, "defense": 13, "ap": 1}, {"mod": 3, "defense": 13, "ap": 2}]

    def gain(dr: int) -> Fraction:
        together = brute.tally((x[1], p) for x, p in brute.overwhelm(pair, dr=dr).items())
        return brute.mean(together) - sum(brute.mean(brute.damage(**one, dr=dr)) for one in pair)

    gains = [gain(dr) for dr in range(10)]
    assert gains[0] == 0  # without armour there is nothing to overwhelm
    paying = [dr for dr, value in enumerate(gains) if value > 0]
    attackers = [attacker(one) for one in pair]
    assert pays_from(attackers, situation=Situation(area_dc=13)) == paying[0]
    # Alone one gains nothing, whatever the armour.
    assert pays_from(attackers[:1], situation=Situation(area_dc=13)) is None
