"""Attacks: by brute force under every reading; what is refused; a round, two weapons, opportunity."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit import E, NotAllowed, P, dist, stat
from rulekit.games.elements import (
    AdvMix,
    AooAdjacent,
    Attacker,
    ChargedCritical,
    Cover,
    CoverHitsThrown,
    CriticalFloor,
    DamageAdvantage,
    ElementAp,
    ExcessAp,
    Hands,
    ImbuedDice,
    Leaving,
    LowCritical,
    ManipulationCritical,
    OpportunityReadings,
    Rank,
    Shield,
    Situation,
    Target,
    Use,
    Weapon,
    attack,
    attack_of_opportunity,
    attack_round,
    defense,
    two_weapons,
)
from rulekit.games.elements.attacks import AttackReadings
from rulekit.rolls import ask
from tests.games.elements import brute
from tests.games.elements.cases import attack_setup, odds


def told(outcome: Any) -> dict[Any, Fraction]:
    """Hit, critical, injury and damage of an attack together, as `brute.attack` gives them."""
    packed = outcome.damage + 1_000 * outcome.hit + 2_000 * outcome.critical + 4_000 * outcome.injury
    return {
        (bool(x // 1_000 % 2), bool(x // 2_000 % 2), bool(x // 4_000 % 2), x % 1_000): p
        for x, p in odds(packed).items()
    }


SWORD = {"mod": 4, "defense": 13, "dr": 3, "ap": 1}
WATER = {
    **SWORD,
    "dr": 2,
    "elements": {"water": 2},
    "element_mods": {"water": 3},
    "er_armour": {"water": 2},
    "er_other": {"water": 1},
}
STORM = {
    "mod": 2,
    "defense": 11,
    "dr": 4,
    "elements": {"water": 2, "air": 1},
    "element_mods": {"water": 3, "air": -2},
    "er_armour": {"water": 2},
    "er_other": {"air": 3},
}
CHARGED = {
    "mod": 3,
    "defense": 14,
    "dr": 9,
    "charged": True,
    "elements": {"water": 2},
    "er_armour": 9,
    "er_other": 9,
}

CASES = {
    "a plain blow": SWORD,
    "two hands": {**SWORD, "two_handed": True},
    "two hands on a bow give nothing": {**SWORD, "two_handed": True, "ranged": True},
    "a critical may injure": {**SWORD, "save": 2, "save_dc": 16},
    "a shield": {**SWORD, "shield_dr": 2, "roll": 1},
    "prone": {**SWORD, "bare": True, "shield_dr": 2, "ap": 4},
    "prone: the shield is lost": {**SWORD, "bare": True, "shield_dr": 2, "prone_shield": "lost"},
    "AP beyond DR": {**SWORD, "ap": 5},
    "AP beyond DR adds": {**SWORD, "ap": 5, "excess_ap": "adds"},
    "ADV and DISADV": {**SWORD, "adv": 3, "dis": 1},
    "ADV and DISADV, net": {**SWORD, "adv": 3, "dis": 1, "adv_mix": "net"},
    "as much DISADV as ADV, net": {**SWORD, "adv": 2, "dis": 2, "adv_mix": "net"},
    "DISADV on damage": {**SWORD, "damage_dis": 1},
    "DISADV on damage, a die more": {**SWORD, "damage_dis": 1, "damage_advantage": "extra_die"},
    "two hands, a die more": {**SWORD, "two_handed": True, "damage_advantage": "extra_die"},
    "two hands and DISADV on damage, net": {**SWORD, "two_handed": True, "damage_dis": 2, "adv_mix": "net"},
    "two hands and DISADV on damage": {**SWORD, "two_handed": True, "damage_dis": 2},
    "imbued": WATER,
    "imbued, prone": {**WATER, "bare": True, "shield_er": {"water": 1}},
    "imbued, both dice": {**WATER, "imbued_dice": "adds"},
    "imbued, both dice, two hands": {**WATER, "imbued_dice": "adds", "two_handed": True},
    "imbued, both dice, a die more": {
        **WATER, "imbued_dice": "adds", "two_handed": True, "damage_advantage": "extra_die"
    },
    "imbued, AP beyond DR adds": {**WATER, "excess_ap": "adds"},
    "in two elements": STORM,
    "in two elements, the higher modifier": {**STORM, "element_ap": "highest"},
    "in two elements, two hands": {**STORM, "two_handed": True},
    "in two elements and its own dice, DISADV": {**STORM, "imbued_dice": "adds", "damage_dis": 1},
    "a negative modifier lowers AP": {**WATER, "element_mods": {"water": -3}},
    "charged": CHARGED,
    "charged, two hands": {**CHARGED, "two_handed": True},
    "charged, DISADV on damage": {**CHARGED, "damage_dis": 1},
    "charged, a die more": {**CHARGED, "damage_advantage": "extra_die"},
    "charged, critical 2d6": {**CHARGED, "charged_critical": "normal"},
    "charged, floor 6": {**CHARGED, "critical_floor": "normal_dice"},
    "imbued, floor 6": {**WATER, "critical_floor": "normal_dice", "crit_from": 15},
    "a manipulation": {**WATER, "manipulation": True, "ranged": True, "two_handed": True},
    "a manipulation, critical 2d6": {**WATER, "manipulation": True, "manipulation_critical": "as_normal"},
    "a manipulation has no dice of its own": {**WATER, "manipulation": True, "imbued_dice": "adds"},
    "a low critical": {**SWORD, "defense": 24, "crit_from": 18},
    "a low critical must reach Defense": {
        **SWORD, "defense": 24, "crit_from": 18, "low_critical": "must_reach_defense"
    },
    "a low critical that reaches Defense": {
        **SWORD, "defense": 23, "crit_from": 18, "low_critical": "must_reach_defense"
    },
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_by_brute_force(name: str) -> None:
    """EL-01, EL-04, EL-06, EL-07, EL-09, EL-10, EL-12, EL-13, EL-14 and their readings."""
    inputs = CASES[name]
    assert told(attack_setup(inputs)()) == brute.attack(**inputs)


def reading(enum: type[Any]) -> st.SearchStrategy[str]:
    return st.sampled_from([member.value for member in enum])


levels = st.dictionaries(st.sampled_from(["fire", "water"]), st.integers(0, 4))
INPUTS = st.fixed_dictionaries(
    {"mod": st.integers(-3, 8), "defense": st.integers(5, 27), "dr": st.integers(0, 9)},
    optional={
        "ap": st.integers(0, 6),
        "two_handed": st.booleans(),
        "ranged": st.booleans(),
        "manipulation": st.booleans(),
        "charged": st.booleans(),
        "crit_from": st.integers(12, 20),
        "adv": st.integers(0, 2),
        "dis": st.integers(0, 2),
        "damage_adv": st.integers(0, 2),
        "damage_dis": st.integers(0, 2),
        "elements": st.dictionaries(st.sampled_from(["fire", "water"]), st.integers(1, 2), min_size=1),
        "element_mods": st.dictionaries(st.sampled_from(["fire", "water"]), st.integers(-3, 5)),
        "er_armour": levels,
        "er_other": levels,
        "shield_dr": st.integers(0, 3),
        "shield_er": levels,
        "bare": st.booleans(),
        "adv_mix": reading(AdvMix),
        "damage_advantage": reading(DamageAdvantage),
        "imbued_dice": reading(ImbuedDice),
        "element_ap": reading(ElementAp),
        "excess_ap": reading(ExcessAp),
        "low_critical": reading(LowCritical),
        "critical_floor": reading(CriticalFloor),
        "manipulation_critical": reading(ManipulationCritical),
        "charged_critical": reading(ChargedCritical),
        "prone_shield": st.sampled_from(["kept", "lost"]),
    },
).filter(lambda i: not (i.get("manipulation") and (i.get("charged") or "elements" not in i)))


@given(INPUTS)
def test_any_attack_by_brute_force(inputs: dict[str, Any]) -> None:
    """EL-01, EL-04, EL-06, EL-07, EL-09, EL-10, EL-12, EL-13, EL-14: whatever the stats."""
    assert told(attack_setup(inputs)()) == brute.attack(**inputs)


# -- what the situation does -----------------------------------------------------------------------------


def hit(weapon: Weapon, **situation: Any) -> Fraction:
    readings = {"cover_hits_thrown": situation.pop("cover_hits_thrown", "yes")}
    return P(
        attack(Attacker(mod=0, weapon=weapon), Target(), Situation(area_dc=11, **situation), readings).hit
    )


STRAIGHT, HAMPERED = Fraction(1, 2), Fraction(1, 4)
BOW = Weapon(use=Use.RANGED, hands=Hands.TWO)
AXE = Weapon(use=Use.THROWN)
BOLT = Weapon(use=Use.RANGED, manipulation=True, element_dice={"water": 2})
TOUCH = Weapon(manipulation=True, element_dice={"fire": 2})
SPEAR = Weapon(reach=10)


@pytest.mark.parametrize(
    ("weapon", "situation", "want"),
    [
        (Weapon(), {}, STRAIGHT),
        (Weapon(), {"enemy_adjacent": True}, STRAIGHT),
        (BOW, {"enemy_adjacent": True}, HAMPERED),
        (AXE, {"enemy_adjacent": True}, HAMPERED),
        (BOLT, {"enemy_adjacent": True}, HAMPERED),
        (TOUCH, {"enemy_adjacent": True}, STRAIGHT),
        (SPEAR, {"confined": True}, HAMPERED),
        (Weapon(), {"confined": True}, STRAIGHT),
        (BOW, {"confined": True}, STRAIGHT),
        (BOW, {"cover": Cover.HALF}, HAMPERED),
        (BOLT, {"cover": Cover.HALF}, HAMPERED),
        (AXE, {"cover": Cover.HALF}, HAMPERED),
        (AXE, {"cover": Cover.HALF, "cover_hits_thrown": CoverHitsThrown.NO}, STRAIGHT),
        (BOW, {"cover": Cover.HALF, "cover_hits_thrown": CoverHitsThrown.NO}, HAMPERED),
        (Weapon(), {"cover": Cover.HALF}, STRAIGHT),
        # Two causes of DISADV are still two dice.
        (BOW, {"cover": Cover.HALF, "enemy_adjacent": True}, HAMPERED),
    ],
)
def test_what_hampers(weapon: Weapon, situation: dict[str, Any], want: Fraction) -> None:
    """EL-02, EL-08: what gives DISADV."""
    assert hit(weapon, **situation) == want


def test_full_cover_cannot_be_targeted() -> None:
    with pytest.raises(NotAllowed, match="EL-08"):
        attack(situation=Situation(cover=Cover.FULL))


@pytest.mark.parametrize(
    ("target", "situation", "readings", "want"),
    [
        (Target(), {"area_dc": 10}, {}, 10),
        (Target(), {"area_dc": 10, "difficulty": "hard"}, {}, 13),
        (Target(), {"area_dc": 10, "difficulty": "easy"}, {}, 7),
        (Target(rank=Rank.UNIQUE, mod=4), {"area_dc": 30, "difficulty": "hard"}, {}, 14),
        (Target(rank=Rank.UNIQUE, mod=4, shield=Shield(defense=2), shield_skill="trained"), {}, {}, 16),
        (Target(rank=Rank.UNIQUE, mod=4, shield=Shield(defense=2), shield_skill="proficient"), {}, {}, 14),
        (Target(shield=Shield(defense=2), shield_skill="trained"), {"area_dc": 10}, {}, 10),
        (Target(shield=Shield(defense=2), shield_skill="trained"), {"area_dc": 10},
         {"normal_enemy_shield": "yes"}, 12),
        (Target(shield=Shield(defense=2), shield_skill="proficient"), {"area_dc": 10},
         {"normal_enemy_shield": "yes"}, 10),
    ],
)  # fmt: skip
def test_defense(target: Target, situation: dict[str, Any], readings: dict[str, str], want: int) -> None:
    """EL-03, EL-07."""
    assert defense(target, Situation(**situation), AttackReadings(**readings)) == want
    # A d20 without bonus reaches it as often as its faces do.
    assert P(attack(Attacker(mod=0), target, Situation(**situation), readings).hit) == Fraction(21 - want, 20)


@pytest.mark.parametrize(("skill", "dr"), [("none", 0), ("proficient", 2), ("trained", 2)])
def test_a_shield_protects_the_proficient(skill: str, dr: int) -> None:
    """EL-07."""
    target = Target(shield=Shield(dr=2), shield_skill=skill)
    assert dist(attack(target=target).damage) == dist(attack(target=Target(dr=dr)).damage)


def test_both_hands_take_a_versatile_weapon() -> None:
    sword = {"ap": 1, "ap_two_handed": 2}
    with pytest.raises(NotAllowed, match="EL-10"):
        attack(Attacker(weapon=Weapon(hands=Hands.BOTH, **sword)))
    inputs = {"mod": 3, "defense": 12, "dr": 4}
    for hands, ap, two_handed in ((Hands.ONE, 1, False), (Hands.BOTH, 2, True)):
        weapon = Weapon(hands=hands, versatile=True, **sword)
        outcome = attack(Attacker(weapon=weapon), Target(dr=4))
        assert odds(outcome.damage) == brute.damage(**inputs, ap=ap, two_handed=two_handed)


@pytest.mark.parametrize(
    ("weapon", "number"),
    [
        (Weapon(charged=True), "EL-13"),
        (Weapon(charged=True, manipulation=True, element_dice={"water": 2}), "EL-13"),
        (Weapon(manipulation=True), "EL-12"),
    ],
)
def test_weapons_that_cannot_be(weapon: Weapon, number: str) -> None:
    with pytest.raises(NotAllowed) as refused:
        attack(Attacker(weapon=weapon))
    assert refused.value.rule == number


def test_elements_are_an_open_set() -> None:
    weapon = Weapon(element_dice={"void": 2})
    outcome = attack(Attacker(weapon=weapon, element_mods={"void": 1}), Target(dr=1, er_armour={"void": 2}))
    inputs = {"mod": 3, "defense": 12, "dr": 1, "elements": {"void": 2}, "element_mods": {"void": 1}}
    assert odds(outcome.damage) == brute.damage(**inputs, er_armour={"void": 2})


def test_an_axis_is_every_value() -> None:
    swept = attack(Attacker(mod=stat("mod", range(-2, 6))), Target(dr=stat("dr", range(6))))
    hit, damage = ask([("P", swept.hit), ("E", swept.damage)], exact=True)
    for mod in range(-2, 6):
        for dr in range(6):
            one = attack(Attacker(mod=mod), Target(dr=dr))
            assert damage.at(mod=mod, dr=dr) == E(one.damage)
        assert hit.at(mod=mod) == P(one.hit)


# -- a round, two weapons --------------------------------------------------------------------------------


def test_a_round_meets_full_armour_each_time() -> None:
    """EL-04."""
    one = brute.damage(mod=3, defense=12, dr=3)
    three: dict[tuple[int, int], Fraction] = {(0, 0): Fraction(1)}
    for _ in range(3):
        three = brute.tally(
            ((total + x, wounds + (x > 0)), p * q)
            for (total, wounds), p in three.items()
            for x, q in one.items()
        )
    outcome = attack_round(target=Target(dr=3), attacks=3, hit_points=4)
    assert {(x // 10, x % 10): p for x, p in odds(10 * outcome.damage + outcome.wounds).items()} == three
    assert P(outcome.downs) == brute.chance(three, lambda x: x[0] >= 4)


PICK, BLADE = Weapon(ap=3), Weapon(element_dice={"water": 2})


@pytest.mark.parametrize("dr", range(8))
@pytest.mark.parametrize("needed", [0, 5])
def test_the_better_weapon(dr: int, needed: int) -> None:
    """EL-11."""
    pick = brute.damage(mod=3, defense=12, dr=dr, ap=3)
    blade = brute.damage(mod=3, defense=12, dr=dr, element=True)

    def worth(damage: brute.Odds) -> Fraction:
        return brute.chance(damage, lambda x: x >= needed) if needed else brute.mean(damage)

    outcome = two_weapons(Attacker(weapon=PICK), BLADE, Target(dr=dr), needed=needed)
    better = "first" if worth(pick) >= worth(blade) else "second"
    assert dist(outcome.better).outcomes == (better,)
    assert odds(outcome.damage) == (pick if better == "first" else blade)
    assert odds(outcome.second.damage) == blade


def test_the_choice_of_weapon_changes_along_an_axis() -> None:
    swept = two_weapons(Attacker(weapon=PICK), BLADE, Target(dr=stat("dr", range(8))))
    first = ask([("P", swept.better == "first")], exact=True)[0]
    plain = [two_weapons(Attacker(weapon=PICK), BLADE, Target(dr=dr)).better for dr in range(8)]
    chosen = [P(better == "first") for better in plain]
    assert [first.at(dr=dr) for dr in range(8)] == chosen
    assert set(chosen) == {0, 1}


@pytest.mark.parametrize("hands", [Hands.TWO, Hands.BOTH])
def test_two_weapons_are_one_handed(hands: Hands) -> None:
    with pytest.raises(NotAllowed, match="EL-11"):
        two_weapons(Attacker(weapon=Weapon(hands=hands, versatile=True)))
    with pytest.raises(NotAllowed, match="EL-11"):
        two_weapons(other=Weapon(hands=hands, versatile=True))


# -- attacks of opportunity ------------------------------------------------------------------------------


def test_opportunity_with_a_melee_weapon_is_an_attack() -> None:
    outcome = attack_of_opportunity(Attacker(weapon=Weapon(ap=2)), Target(dr=3))
    assert told(outcome) == brute.attack(mod=3, defense=12, dr=3, ap=2)


def test_opportunity_with_a_crossbow_is_a_d4() -> None:
    """EL-15."""
    crossbow = Weapon(use=Use.RANGED, hands=Hands.TWO, ap=1, element_dice={"fire": 2}, charged=True)
    # No DISADV by the enemy at hand, no ADV by two hands, nothing of the element.
    outcome = attack_of_opportunity(
        Attacker(weapon=crossbow, element_mods={"fire": 3}),
        Target(dr=2),
        situation=Situation(enemy_adjacent=True),
    )
    assert told(outcome) == brute.attack(mod=3, defense=12, dr=2, ap=1, improvised=True)
    assert min(x for x in odds(outcome.given(natural=20).damage)) == 4


@pytest.mark.parametrize(
    ("weapon", "leaving", "adjacent"),
    [
        (Weapon(), {"leaves_to": 5}, "other_enemies"),
        (Weapon(), {"leaves_from": 10, "leaves_to": 15}, "other_enemies"),
        (Weapon(), {"others_adjacent": True}, "other_enemies"),
        (Weapon(), {"reaction_left": False}, "other_enemies"),
        (Weapon(), {}, "anyone"),
        (SPEAR, {"leaves_from": 5, "leaves_to": 10}, "other_enemies"),
        (SPEAR, {"leaves_from": 5, "leaves_to": 15}, "anyone"),
        (Weapon(use=Use.RANGED, reach=10), {"leaves_from": 10, "leaves_to": 15}, "other_enemies"),
        (BOLT, {}, "other_enemies"),
    ],
)
def test_no_opportunity(weapon: Weapon, leaving: dict[str, Any], adjacent: str) -> None:
    readings = OpportunityReadings(aoo_adjacent=adjacent)
    with pytest.raises(NotAllowed, match="EL-15"):
        attack_of_opportunity(Attacker(weapon=weapon), leaving=Leaving(**leaving), readings=readings)


def test_a_long_reach_sees_the_one_that_leaves_from_afar() -> None:
    readings = OpportunityReadings(aoo_adjacent=AooAdjacent.ANYONE)
    leaving = Leaving(leaves_from=10, leaves_to=15)
    outcome = attack_of_opportunity(Attacker(weapon=SPEAR), leaving=leaving, readings=readings)
    assert P(outcome.hit) == Fraction(3, 5)
