"""Armour and shields: what may be worn, what it weighs and adds up to."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from rulekit import E, NotAllowed, dist
from rulekit.games.elements import (
    Armour,
    Attacker,
    Layer,
    Material,
    Shield,
    Target,
    Wearer,
    attack,
    capacity,
    dressed,
    rig,
)
from tests.games.elements.cases import odds

SHIRT = Armour(layer="base", material="cloth", dr=1, weight=5)
JERKIN = Armour(layer="base", material="leather", part="torso", dr=1, weight=5)
MAIL = Armour(layer="mid", material="chain", dr=2, er={"water": 2}, weight=20)
MAIL_TORSO = Armour(layer="mid", material="chain", part="torso", dr=2, weight=10)
SCALE = Armour(layer="mid", material="scale", part="torso", dr=2, weight=15)
PLATE = Armour(layer="plated", material="plate", part="torso", dr=3, er={"water": 1, "fire": 1}, weight=15)
GREAVES = Armour(layer="plated", material="plate", part="legs", dr=1, weight=5)

TRAINED = {"mid_training": True, "plated_training": True, "capacity": 100}


@pytest.mark.parametrize(
    ("pieces", "dr"),
    [
        ((), 0),
        ((SHIRT,), 1),
        ((SHIRT, MAIL), 3),
        ((SHIRT, PLATE), 4),
        ((SHIRT, MAIL, PLATE, GREAVES), 7),
        ((JERKIN, MAIL), 3),
        ((JERKIN, PLATE, GREAVES), 5),
    ],
)
def test_rigs_that_may_be_worn(pieces: tuple[Armour, ...], dr: int) -> None:
    """EL-04, EL-05."""
    outcome = rig(Wearer(armour=pieces, **TRAINED))
    assert E(outcome.dr) == dr
    assert E(outcome.weight) == sum(piece.weight for piece in pieces)
    assert E(outcome.spare) == 100 - E(outcome.weight)
    # The order of putting on is not asked.
    assert E(rig(Wearer(armour=pieces[::-1], **TRAINED)).dr) == dr


@pytest.mark.parametrize(
    ("pieces", "why"),
    [
        ((MAIL,), "mid armour needs a base layer"),
        ((PLATE,), "plated armour needs a base layer"),
        ((MAIL, PLATE), "needs a base layer"),
        ((SHIRT, SCALE, PLATE), "chain only, not of scale"),
        ((SHIRT, JERKIN), "two pieces of base armour"),
        ((SHIRT, MAIL, SCALE), "two pieces of mid armour"),
        ((SHIRT, PLATE, PLATE), "two pieces of plated armour on the same part .torso"),
    ],
)
def test_rigs_that_may_not(pieces: tuple[Armour, ...], why: str) -> None:
    with pytest.raises(NotAllowed, match=why) as refused:
        rig(Wearer(armour=pieces, **TRAINED))
    assert refused.value.rule == "EL-05"


@pytest.mark.parametrize(
    ("pieces", "readings", "worn"),
    [
        # Plate over a mid-layer that is not chain
        ((SHIRT, SCALE, PLATE), {}, False),
        ((SHIRT, SCALE, PLATE), {"plate_over_mid": "any"}, True),
        ((SHIRT, SCALE, GREAVES), {}, False),
        # By part, scale on the torso is not under plate on the legs ...
        ((SHIRT, SCALE, GREAVES), {"layer_scope": "by_part"}, True),
        ((SHIRT, SCALE, PLATE), {"layer_scope": "by_part"}, False),
        # ... and a base layer on the torso is not under it either.
        ((JERKIN, GREAVES), {}, True),
        ((JERKIN, GREAVES), {"layer_scope": "by_part"}, False),
        ((JERKIN, MAIL_TORSO, PLATE), {"layer_scope": "by_part"}, True),
    ],
)
def test_readings(pieces: tuple[Armour, ...], readings: dict[str, str], worn: bool) -> None:
    wearer = Wearer(armour=pieces, **TRAINED)
    if worn:
        assert E(rig(wearer, readings=readings).dr) == sum(piece.dr for piece in pieces)
    else:
        with pytest.raises(NotAllowed, match="EL-05"):
            rig(wearer, readings=readings)


@pytest.mark.parametrize(
    ("training", "pieces", "worn"),
    [
        ({}, (SHIRT,), True),
        ({}, (SHIRT, MAIL), False),
        ({"mid_training": True}, (SHIRT, MAIL), True),
        ({"mid_training": True}, (SHIRT, PLATE), False),
        ({"plated_training": True}, (SHIRT, PLATE), True),
        ({"plated_training": True}, (SHIRT, MAIL, PLATE), False),
    ],
)
def test_training(training: dict[str, bool], pieces: tuple[Armour, ...], worn: bool) -> None:
    wearer = Wearer(armour=pieces, **{**TRAINED, "mid_training": False, "plated_training": False, **training})
    if worn:
        assert E(rig(wearer).weight) > 0
    else:
        with pytest.raises(NotAllowed, match=r"EL-05: \w+ armour takes training"):
            rig(wearer)


@pytest.mark.parametrize("kind", [Layer.MID.value, Material.CHAIN.value])
def test_a_path_may_forbid_kinds(kind: str) -> None:
    with pytest.raises(NotAllowed, match=f"EL-05: the wearer's Path forbids {kind}"):
        rig(Wearer(armour=(SHIRT, MAIL), forbidden={kind: 1}, **TRAINED))


def test_carrying_capacity() -> None:
    assert [capacity(earth) for earth in (0, 3)] == [50, 80]
    heavy: dict[str, Any] = {"armour": (SHIRT, MAIL), "shield": Shield(weight=10), **TRAINED}
    assert E(rig(Wearer(**{**heavy, "carried": 65})).spare) == 0
    with pytest.raises(NotAllowed, match="EL-05: 101 lb are more than the 100 lb"):
        rig(Wearer(**{**heavy, "carried": 66}))


def test_a_rig_adds_up() -> None:
    wearer = Wearer(
        armour=(SHIRT, MAIL, PLATE),
        shield=Shield(dr=2, defense=1, er={"fire": 1}),
        shield_skill="trained",
        **TRAINED,
    )
    outcome = rig(wearer, ap=5)
    assert [E(x) for x in (outcome.dr, outcome.defense)] == [8, 1]
    assert [E(getattr(outcome.er, e)) for e in ("fire", "water", "earth", "air")] == [2, 3, 0, 0]
    # 2d3 less what 5 points of AP leave of DR 8.
    assert odds(outcome.through) == {
        0: Fraction(3, 9), 1: Fraction(3, 9), 2: Fraction(2, 9), 3: Fraction(1, 9)
    }  # fmt: skip

    target = dressed(wearer, Target(mod=4))
    assert (target.mod, target.dr, target.er_armour["water"], target.er_armour["fire"]) == (4, 6, 3, 1)
    by_hand = Target(
        mod=4, dr=6, er_armour={"water": 3, "fire": 1}, shield=wearer.shield, shield_skill="trained"
    )
    assert target == by_hand
    assert dist(attack(Attacker(), target).damage) == dist(attack(Attacker(), by_hand).damage)


@pytest.mark.parametrize(
    ("skill", "dr", "defense"), [("none", 1, 0), ("proficient", 3, 0), ("trained", 3, 2)]
)
def test_shields(skill: str, dr: int, defense: int) -> None:
    """EL-07."""
    outcome = rig(Wearer(armour=(SHIRT,), shield=Shield(dr=2, defense=2), shield_skill=skill))
    assert (E(outcome.dr), E(outcome.defense)) == (dr, defense)
