"""The shipped entries: what is printed, what is a sample, and that each of them can fight."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from rulekit import E, P
from rulekit.games import bumps
from rulekit.games.bumps import Attacker, AttackKind, Defender, Situation, Weapon, attack
from rulekit.rules import Rule, registered, rules_of, shipped, sourced

WEAPONS, ATTACKERS, CREATURES = shipped(Weapon), shipped(Attacker), shipped(Defender)


def test_what_the_chapter_prints_and_nothing_else_has_a_source() -> None:
    entries = [*WEAPONS.values(), *ATTACKERS.values(), *CREATURES.values()]
    assert {entry.name for entry in entries if entry.source} == {"kick", "golem"}
    assert all(entry.sample is not bool(entry.source) for entry in entries)


def test_the_printed_kick_and_golem() -> None:
    (kick,) = WEAPONS["kick"].model.damage
    assert (kick.dice.mean + kick.bonus, kick.type.value) == (Fraction(11, 2), "physical")
    assert WEAPONS["kick"].model == Weapon() == ATTACKERS["Sun"].model.weapon
    golem = CREATURES["golem"].model
    assert dict(golem.resistance.items()) == {bumps.DamageType.PHYSICAL: 3}
    assert dict(golem.vulnerability.items()) == {bumps.DamageType.MYSTIC: 2}


def test_the_sample_set_has_what_a_table_needs() -> None:
    samples = [entry.model for entry in WEAPONS.values() if entry.sample]
    assert len(samples) == 6
    assert {weapon.attack for weapon in samples} == set(AttackKind)
    assert {"sample golem", "Sun", "Qin"} < CREATURES.keys()
    assert {"Sun", "Qin"} < ATTACKERS.keys()
    assert len(CREATURES.keys() - {"golem", "sample golem", "Sun", "Qin"}) == 4


@pytest.mark.parametrize("name", WEAPONS)
def test_every_weapon_against_the_golem(name: str) -> None:
    weapon = WEAPONS[name].model
    far = Situation(distance=1 if weapon.attack is AttackKind.MELEE else 8)
    found = attack(Attacker(weapon=weapon), CREATURES["golem"].model, far)
    assert P(found.hit) == Fraction(93, 256)
    assert E(found.damage) > 0
    assert any("Sample data" in note for note in found.notes) == WEAPONS[name].sample


@pytest.mark.parametrize("name", ATTACKERS)
def test_every_attacker_can_attack(name: str) -> None:
    found = attack(ATTACKERS[name].model, CREATURES["Qin"].model)
    assert P(found.hit) > Fraction(1, 4)
    assert any("Sample data" in note and "attacker" in note for note in found.notes)


def test_every_rule_of_the_chapter_is_in_the_code() -> None:
    rules = rules_of("rulekit.games.bumps")
    assert {rule.id for rule in rules} == {
        f"bumps.{name}"
        for name in ("attack", "contest", "damage", "defeat", "initiative", "line_of_sight", "reactions")
    }
    assert set(rules) <= set(registered())
    numbers = {number for each in sourced("rulekit.games.bumps") for number in each.sources}
    assert numbers == {f"BU-{place:02d}" for place in range(1, 16)}


@pytest.mark.parametrize("rule", rules_of("rulekit.games.bumps"), ids=lambda rule: rule.id)
def test_every_rule_runs_by_default_and_says_what_it_takes_and_gives(rule: Rule[..., Any]) -> None:
    setup = rule.setup()
    assert setup.measures
    assert all(info.help for info in setup.measures)
    assert [info.path for info in setup.stats if not info.help and info.kind != "tuple"] == []
    assert type(setup).from_json(setup.to_json()) == setup
    assert all(note.startswith(("Bump roll: ", "More than")) for note in setup().notes)
