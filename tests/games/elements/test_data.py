"""The shipped entries: labelled as samples, in every category that the chapter names, and consistent."""

from __future__ import annotations

from typing import Any

import pytest

from rulekit import E
from rulekit.games import elements
from rulekit.games.elements import (
    Armour,
    Attacker,
    Grappler,
    Hands,
    Layer,
    Shield,
    Target,
    Use,
    Weapon,
    Wearer,
    attack,
    capacity,
    dressed,
    rig,
)
from rulekit.rules import Readings, Rule, Stats, shipped
from rulekit_widgets.frames import frame
from rulekit_widgets.views import View

KINDS: list[type[Stats]] = [Armour, Attacker, Grappler, Shield, Target, Wearer, Weapon]
ENEMIES = {"conscript", "mail guard", "plated champion"}


def entries(kind: type[Any]) -> dict[str, Any]:
    return {name: entry.model for name, entry in shipped(kind).items()}


@pytest.mark.parametrize("kind", KINDS)
def test_everything_is_a_sample(kind: type[Stats]) -> None:
    found = shipped(kind)
    assert found
    assert all(entry.sample and not entry.source for entry in found.values())


def test_every_category_has_an_entry() -> None:
    weapons = entries(Weapon).values()
    assert {weapon.hands for weapon in weapons} == {Hands.ONE, Hands.TWO}
    assert {weapon.use for weapon in weapons} == set(Use)
    assert {weapon.reach for weapon in weapons} == {5, 10}
    assert any(weapon.versatile and weapon.ap_two_handed > weapon.ap for weapon in weapons)
    imbued = [weapon for weapon in weapons if any(weapon.element_dice.values()) and not weapon.manipulation]
    assert {weapon.charged for weapon in imbued} == {True, False}
    assert {weapon.use for weapon in weapons if weapon.manipulation} == {Use.MELEE, Use.RANGED}
    armour = entries(Armour).values()
    assert {piece.layer for piece in armour} == set(Layer)
    assert any(any(piece.er.values()) for piece in armour)
    assert {"buckler", "small shield", "large shield"} <= set(entries(Shield))


def test_four_characters_and_three_enemies() -> None:
    names = set(entries(Attacker))
    assert len(names - ENEMIES) == 4
    assert ENEMIES < names
    assert set(entries(Target)) == set(entries(Wearer)) == set(entries(Grappler)) == names
    for name in names:
        assert entries(Attacker)[name].mod == entries(Target)[name].mod == entries(Grappler)[name].mod


@pytest.mark.parametrize("name", entries(Wearer))
def test_what_they_wear_is_legal_and_what_they_have(name: str) -> None:
    wearer, target = entries(Wearer)[name], entries(Target)[name]
    assert E(rig(wearer).spare) >= 0
    pieces = [piece for piece in entries(Armour).values() for worn in wearer.armour if piece == worn]
    assert len(pieces) == len(wearer.armour)
    assert dressed(wearer, target) == target
    if name not in ENEMIES:
        assert wearer.capacity == capacity(target.earth)


@pytest.mark.parametrize("weapon", entries(Weapon))
def test_every_weapon_can_attack(weapon: str) -> None:
    outcome = attack(Attacker(weapon=entries(Weapon)[weapon]))
    assert E(outcome.damage) > 0
    assert "attacker.weapon" in outcome.notes[0]  # that it is sample data is said


def rules() -> list[Rule[..., Any]]:
    return [found for name in elements.__all__ if isinstance(found := getattr(elements, name), Rule)]


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.id)
def test_every_rule_answers_by_default(rule: Rule[..., Any]) -> None:
    setup = rule.setup()
    assert rule.id.startswith("elements.")
    assert all(measure.help for measure in setup.measures)
    assert all(stat.help for stat in setup.stats if not stat.path.startswith("readings"))
    told = frame(View(setup=setup))
    assert told.sentence["percent"].endswith(".")


def test_all_rules_of_the_chapter_are_followed() -> None:
    numbers = {number for rule in rules() for number in rule.sources}
    assert numbers == {f"EL-{n:02}" for n in range(1, 22)}


def test_a_rule_lists_only_the_readings_that_touch_it() -> None:
    touching = {rule.id.partition(".")[2]: set(rule.models["readings"].model_fields) for rule in rules()}
    assert touching["rig"] == {"plate_over_mid", "layer_scope"}
    assert touching["grapple"] == {"adv_mix", "helpless_grapple"}
    assert touching["move_grappled"] == {"adv_mix", "helpless_grapple", "natural_20_move"}
    assert touching["overwhelm"] - touching["attack"] == {"overwhelm_ap", "overwhelm_critical"}
    assert touching["attack"] ^ touching["attack_of_opportunity"] == {
        "aoo_adjacent", "cover_hits_thrown", "manipulation_critical"
    }  # fmt: skip
    assert touching["attack_into_grapple"] - touching["attack"] == {"grapple_cover"}
    assert touching["attack_on_board"] - touching["attack"] == {"own_cover"}
    assert "own_cover" not in touching["attack"]
    every = {name for names in touching.values() for name in names}
    assert len(every) == 21
    assert all(issubclass(rule.models["readings"], Readings) for rule in rules())
