"""The attack (AE-12, AE-13, AE-14, AE-18): the case files, the chapter's worked examples, every reading."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from rulekit import E, P, dist
from rulekit.games.adventures_edge import Fighter, Location, Readings, Situation, Target, Weapon, attack
from rulekit.games.adventures_edge.edges import throw_d20
from rulekit.games.adventures_edge.tables import entries
from rulekit.rules import shipped
from tests.cases import game_cases
from tests.games.adventures_edge.cases import answers, odds, wanted

BRAWN = Fighter(attack_bonus=7, weapon=Weapon(low=1, high=11, bonus=2))
GOBLIN = Target(defense=15, armour=1)
GOBLIN_ARMOUR = dict.fromkeys(Location, 1) | {Location.LOWER_RIGHT_ARM: 0}


@pytest.mark.parametrize("case", game_cases("AE-attack"), ids=lambda case: case["id"])
def test_case(case: dict[str, Any]) -> None:
    assert {name: answers(case)[name] for name in case["want"]} == wanted(case)


# -- worked examples: the dice are fixed, the figures are the chapter's -----------------------------------


def test_the_first_blow_does_7() -> None:
    # AE-13 worked: 15 + 7 = 22 on a parried 17, 1-11+2 (the text later says 21, which its own 7 contradicts).
    blow = attack(BRAWN, Target(defense=15, parry=2)).given(natural=15)
    assert (P(blow.hit), E(blow.margin), E(blow.damage)) == (1, 5, 7)


def test_a_natural_1_that_misses_by_5_is_a_mishap() -> None:
    thrust = attack(Fighter(attack_bonus=4), Target(defense=20)).given(natural=1)
    assert (P(thrust.hit), P(thrust.mishap), E(thrust.damage)) == (0, 1, 0)


def test_the_critical_on_the_bare_arm_does_15() -> None:
    # AE-18 worked: 20 + 7 = 27 on 14, 1-22+2.
    target = Target(defense=15, armour=1, location_armour=GOBLIN_ARMOUR)
    blow = attack(BRAWN, target).given(**{"natural": 20, "location roll": 16})
    assert odds(blow.location) == {"lower right arm": 1}
    assert (E(blow.damage), E(blow.armour_damage)) == (15, 1)


def test_the_second_goblin_does_1_twice() -> None:
    spear = Weapon(low=1, high=7)
    thrust = attack(Fighter(attack_bonus=4, weapon=spear), Target(defense=20)).given(natural=17)
    assert (P(thrust.hit), E(thrust.damage)) == (1, 1)
    aimed = attack(Fighter(attack_bonus=3, weapon=spear), Target(defense=16), Situation(edge=-1)).given(
        natural=14
    )
    assert (P(aimed.hit), E(aimed.damage)) == (1, 1)


@pytest.mark.parametrize(("edge", "dice", "kept"), [(1, (6, 10), 10), (-1, (7, 10), 7), (-1, (14, 15), 14)])
def test_edge_keeps_one_die_of_two(edge: int, dice: tuple[int, int], kept: int) -> None:
    assert (max(dice) if edge > 0 else min(dice)) == kept
    # The kept die of two is at most k where both are (edge +1), or either is (edge -1).
    at_most = Fraction(kept, 20) ** 2 if edge > 0 else 1 - Fraction(20 - kept, 20) ** 2
    assert P(throw_d20(edge).natural <= kept) == at_most


# -- every reading against a plain enumeration of the dice ------------------------------------------------


def enumerated(
    bonus: int, target: Target, weapon: Weapon, edge: int, readings: dict[str, str]
) -> tuple[dict[int, Fraction], Fraction, Fraction]:
    """Damage, chance to hit and chance of a mishap, throw by throw, the same armour at every location."""
    number = 1 + (abs(edge) if readings["edge_dice"] == "one_per_edge" else min(1, abs(edge)))
    there = next(iter(target.location_armour.values()), 0)
    damage: dict[int, Fraction] = {}
    hits = mishaps = Fraction(0)
    for faces in product(range(1, 21), repeat=number):
        p = Fraction(1, 20**number)
        kept = max(faces) if edge >= 0 else min(faces)
        total, defense = kept + bonus, target.defense + target.parry
        hit = kept == 20 or (kept != 1 and total >= defense)
        done = 0
        if hit and kept == 20:
            against = target.defense - target.armour + there
            against += target.parry if readings["critical_parry"] == "counts" else 0
            done = max(1, min(max(total - against, weapon.low), 2 * weapon.high) + weapon.bonus)
            if readings["critical_minimum"] == "one_point" and total <= against:
                done = 1
        elif hit:
            done = min(max(total - defense, weapon.low), weapon.high) + weapon.bonus
        wrong = (kept == 1 or readings["mishap"] == "any_miss_by_5") and not hit and defense - total >= 5
        wrong = wrong or (edge < 0 and faces.count(1) >= 2)
        damage[done] = damage.get(done, Fraction(0)) + p
        hits += p * hit
        mishaps += p * wrong
    return damage, hits, mishaps


CHOICES = {
    name: [choice.value for choice in field.annotation] for name, field in Readings.model_fields.items()
}


@pytest.mark.parametrize("edge", [-2, 0, 2])
@pytest.mark.parametrize("chosen", list(product(*CHOICES.values())), ids="-".join)
def test_every_reading(edge: int, chosen: tuple[str, ...]) -> None:
    readings = dict(zip(CHOICES, chosen, strict=True))
    target = Target(defense=24, parry=3, armour=2, location_armour=dict.fromkeys(Location, 1))
    weapon = Weapon(low=2, high=9, bonus=1)
    outcome = attack(
        Fighter(attack_bonus=4, weapon=weapon), target, Situation(edge=edge), Readings(**readings)
    )
    damage, hits, mishaps = enumerated(4, target, weapon, edge, readings)
    assert (odds(outcome.damage), P(outcome.hit), P(outcome.mishap)) == (damage, hits, mishaps)


def test_two_dice_make_no_difference_at_one_edge() -> None:
    setup = attack.setup(BRAWN, GOBLIN)
    one = setup.at({"situation.edge": -1})
    other = one.at({"readings.edge_dice": "two_dice"})
    assert dist(one().damage) == dist(other().damage)


def test_a_damage_of_nothing_leaves_a_critical_one_point() -> None:
    feeble = Fighter(attack_bonus=0, weapon=Weapon(low=0, high=1, bonus=-5))
    assert E(attack(feeble, Target(defense=20)).given(natural=20).damage) == 1


# -- the locations ----------------------------------------------------------------------------------------


def test_the_location_table_has_one_row_for_every_face_and_a_name_for_every_row() -> None:
    assert {Location(name) for name in entries("hit_locations")} == set(Location)
    located = attack(BRAWN, GOBLIN).given(natural=20).location
    assert sum(odds(located).values()) == 1
    assert P(located == "lower right arm") == Fraction(1, 20)


def test_sample_data_is_noted() -> None:
    assert attack(BRAWN, GOBLIN).notes == ()
    armoured = Target(defense=15, location_armour=dict.fromkeys(Location, 1))
    assert any("sample" in note for note in attack(BRAWN, armoured).notes)
    archer = shipped(Fighter)["archer"].model
    assert attack(archer, GOBLIN).notes == ("Sample data, not from a rulebook: attacker, attacker.weapon",)


@pytest.mark.parametrize("kind", [Fighter, Target, Weapon])
def test_shipped_entries_say_where_they_come_from(kind: Any) -> None:
    found = shipped(kind)
    assert any(entry.source == "AE" for entry in found.values())
    assert any(entry.sample for entry in found.values())
    for entry in found.values():
        assert entry.model.sample == entry.sample == (entry.source == "")
