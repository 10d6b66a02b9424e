"""What holds for every rule of the chapter: readings that matter, axes that agree with single values."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import rulekit.games.adventures_edge as game
from rulekit import E, NotAllowed, dist, stat
from rulekit.rules import Rule, Setup, measures_of, rules_of, sourced

ROOT = Path(__file__).parents[3]
RULES = {rule.__name__: rule for rule in rules_of("rulekit.games.adventures_edge")}

BARE = {"target.defense": 16, "target.armour": 2, "target.parry": 3, "situation.defends": "parry"}
AIMED = {**BARE, "situation.aimed_at": "neck", "target.location_armour.neck": 4}
HELPLESS = {"target.helpless": True, "target.armour": 2, "target.location_armour.neck": 3}
STRONG = {"attacker.attack_bonus": 14, "attacker.weapon.high": 18, "attacker.weapon.bonus": 3}
FEEBLE = {"attacker.attack_bonus": -9, "attacker.weapon.bonus": 3, "target.defense": 22}
CLUMSY = {"situation.edge": -2}
ATTACK = [BARE, AIMED, HELPLESS, {**BARE, **STRONG}, FEEBLE, {**FEEBLE, **CLUMSY}]

#: Stats at which each reading of a rule shows; a reading that shows at none of them does not touch the rule.
SHOWING: dict[str, list[dict[str, Any]]] = {
    "reaction": [{"encounter.edge": -2}],
    "diplomacy": [{}, {"talker.edge": 1, "talker.assisted": True}, {"talker.assisted": True, "dl": 22}],
    "parley": [
        {"talker.edge": 1, "encounter.edge": 2},
        {"talker.assisted": True, "talker.proficient": False},
    ],
    "initiative": [{"gm.with_allies": True, "party.members": ({"bonus": 1}, {"bonus": 2})}],
    "actions": [
        {"combatant.controlled_by_gm": True, "combatant.standing": "highest"},
        {"combatant.stun": 4},
    ],
    "surprise": [
        {"situation.edge": 1, "target.armour": 2},
        {**FEEBLE, "situation.edge": 1},
        {"situation.aimed_at": "neck", "target.location_armour.neck": 4},
        HELPLESS,
    ],
    "morale": [
        {"leader.leads": True, "leader.edge": 2, "events.at_quarter_health": True},
    ],
    "morale_of_a_fight": [
        {"leader.leads": True, "leader.edge": 2, "events.2.at_half_health": True},
    ],
    "defenses": [
        {"character.combat_ranks": 7, "character.shield": 2, "character.shield_use": False},
    ],
    "attack": ATTACK,
    "attack_from": [
        *ATTACK,
        {"attacker.weapon.ranged": True, "attacker.weapon.base_range": 3, "place.y": -3, "place.x": -3},
    ],
    "mishap": [
        {
            "attacker.weapon.ranged": True,
            "attacker.weapon.bowstring": True,
            "around.allies.0.in_range": False,
        },
        {"attacker.attack_bonus": -9, "attacker.weapon.bonus": 3},
        {"around.own.helpless": True, "around.own.armour": 2},
    ],
    "breakage": [*ATTACK, {**AIMED, "attacker.attack_bonus": 14}, {**HELPLESS, "attacker.attack_bonus": -4}],
    "effects": [
        {"damage": 19, "base_damage": 9, "critical": True, "toughness": 12},
    ],
    "decline": [
        {"sufferer.edge": -2, "sufferer.health": 4},
    ],
    "aimed_exchange": [
        {"target.armour": 2, "target.parry": 3, "situation.defends": "parry"},
        HELPLESS,
        FEEBLE,
        STRONG,
        CLUMSY,
    ],
    "press": [*ATTACK, {"pressing.attacks": 2}],
    "round_of_attacks": ATTACK,
    "closing": [{"closer.edge": 2, "closer.combat_skill": 9}],
    "into_close_combat": [*ATTACK, {**BARE, **CLUMSY}],
    "grapple": [{"defender.reactions": 2, "grappler.edge": 2}],
    "hold": [{"controller.edge": 2, "controller.attack_bonus": 14, "controller.combat_speed": 5}],
    "tackle": [{"tackler.edge": 2}],
    "killing_blow": [
        {"edge": -2, "attacker.weapon.high": 19},
        {"target.location_armour.neck": 9, "attacker.attack_bonus": -8},
    ],
    "ride": [{"rider.edge": 2, "rider.first_round": False}],
}


def shown(setup: Setup[Any]) -> dict[str, Any]:
    """Every measure of a setup as a distribution; None where the rule does not apply."""
    return {path: dist(measure) for path, measure in measures_of(setup()).items()}


@pytest.mark.parametrize("name", SHOWING)
def test_every_reading_that_a_rule_lists_touches_it(name: str) -> None:
    rule: Rule[..., Any] = RULES[name]
    setups = [rule.setup().at(changes) for changes in SHOWING[name]]
    before = [shown(setup) for setup in setups]
    for reading, field in rule.models["readings"].stat_fields.items():
        first, *others = field.choices
        assert rule.setup().get(f"readings.{reading}").value == first
        after = [[shown(setup.at({f"readings.{reading}": choice})) for setup in setups] for choice in others]
        assert any(each != before for each in after), f"{name} lists {reading}, which changes nothing"


def test_no_rule_with_readings_is_left_out() -> None:
    assert SHOWING.keys() == {name for name, rule in RULES.items() if "readings" in rule.models}


def test_the_page_on_the_game_names_every_reading_and_its_choices() -> None:
    page = (ROOT / "docs" / "adventures-edge.md").read_text(encoding="utf-8")
    for rule in RULES.values():
        for name, field in getattr(rule.models.get("readings"), "stat_fields", {}).items():
            choices = ", ".join(f"`{choice}`" for choice in field.choices)
            assert f"| `{name}` | {choices} |" in page


def test_every_number_of_the_chapter_is_in_the_code() -> None:
    """AE-01 to AE-42."""
    numbers = {number for one in sourced(game.__name__) for number in one.sources}
    assert numbers == {f"AE-{n:02d}" for n in range(1, 43)}


@pytest.mark.parametrize("name", [name for name in RULES if name != "initiative"])
def test_along_an_axis_each_value_gives_what_it_gives_alone(name: str) -> None:
    setup = RULES[name].setup()
    numbers = [info for info in setup.stats if info.kind == "whole" and info.high is not None]
    for info in numbers[:: max(1, len(numbers) // 6)]:
        here = setup.get(info.path)
        values = sorted({max(info.low, min(info.high, here + step)) for step in (0, 2)})
        try:
            along = measures_of(setup.at({info.path: stat(info.path, values)})())
        except NotAllowed:
            continue  # the board's reach ends there
        wanted = [path for path, measure in along.items() if measure.kind != "label"][:3]
        for value in values:
            alone = measures_of(setup.at({info.path: value})())
            for path in wanted:
                assert at(E(along[path], exact=True), info.path, value) == E(alone[path])


def at(answer: Any, stat_name: str, value: int) -> Fraction:
    """One value of an answer, which may not depend on the stat at all."""
    if isinstance(answer, Fraction):
        return answer
    found: Fraction = answer.sel({stat_name: value}).item()
    return found


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("attack", "target"),
        ("attack_from", "target"),
        ("surprise", "target"),
        ("press", "own"),
        ("aimed_exchange", "target"),
        ("round_of_attacks", "target"),
        ("into_close_combat", "other"),
        ("mishap", "around.own"),
        ("mishap", "around.allies.0.target"),
    ],
)
def test_sample_locations_are_noted_wherever_they_count(name: str, path: str) -> None:
    setup = RULES[name].setup()
    assert not any("hit locations" in note for note in setup().notes)
    assert any("hit locations" in note for note in setup.at({f"{path}.location_armour.head": 1})().notes)
