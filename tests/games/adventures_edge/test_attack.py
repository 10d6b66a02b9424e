"""The attack (AE-12, AE-13, AE-14, AE-18, AE-19 and all that sways it): worked examples, brute force."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from rulekit import E, NotAllowed, P, dist, stat
from rulekit.games.adventures_edge import Fighter, Location, Readings, Situation, Target, Weapon, attack
from rulekit.games.adventures_edge.attacks import attack_edge
from rulekit.games.adventures_edge.edges import throw_d20
from rulekit.games.adventures_edge.stats import Aim
from rulekit.games.adventures_edge.tables import entries, faces_of
from rulekit.rules import shipped
from tests.games.adventures_edge import brute
from tests.games.adventures_edge.cases import odds

BRAWN = shipped(Fighter)["Brawn"].model
GOBLIN = shipped(Target)["goblin"].model
PLAIN = Target(defense=15, parry=2)
PARRY = Situation(defends="parry")


def seen(outcome: Any) -> tuple[Any, ...]:
    """The figures that brute force gives too."""
    return odds(outcome.damage), P(outcome.hit), P(outcome.critical), P(outcome.mishap)


def expected(found: brute.Odds) -> tuple[Any, ...]:
    return (brute.damage(found), *(brute.chance(found, lambda o, i=i: o[i]) for i in range(3)))


# -- worked examples: the dice are fixed, the figures are the chapter's -----------------------------------


def test_the_first_blow_does_7() -> None:
    """AE-13: 15 and 7 are 22 on the parried 17, 1-11+2: 5 and 2. Errata 2: the text then calls the 22 a 21,
    which its own 7 contradicts (a 21 would do 6)."""
    swing = attack(BRAWN, GOBLIN, PARRY)
    blow = swing.given(natural=15)
    assert (E(blow.total), E(blow.margin), E(blow.damage)) == (22, 5, 7)
    assert E(swing.given(natural=14).damage) == 6
    assert (E(blow.bleeding), E(blow.stun)) == (1, 0)  # AE-19: slash 7: B


def test_a_natural_1_that_misses_by_5_is_a_mishap() -> None:
    """AE-14: the goblin's spear thrust at Brawn."""
    thrust = attack(shipped(Fighter)["goblin"].model, shipped(Target)["Brawn"].model).given(natural=1)
    assert (P(thrust.hit), P(thrust.mishap), E(thrust.damage)) == (0, 1, 0)


def test_the_critical_on_the_bare_arm_does_15() -> None:
    """AE-18: 20 and 7 are 27 on the bare arm's 14: 13 within 1-22, and 2. The arm has no armour to damage."""
    blow = attack(BRAWN, GOBLIN).given(**{"natural": 20, "location roll": 16})
    assert odds(blow.location) == {"lower right arm": 1}
    assert (E(blow.damage), E(blow.armour_damage)) == (15, 0)
    assert (E(blow.bleeding), E(blow.stun), odds(blow.wound)) == (1, 1, {"mortal": 1})


def test_a_critical_on_the_jerkin() -> None:
    """AE-18: the chest is covered: 27 on 15 is one point less, and the armour struck takes 1 damage."""
    blow = attack(BRAWN, GOBLIN).given(**{"natural": 20, "location roll": 4})
    assert (E(blow.damage), E(blow.armour_damage)) == (14, 1)


def test_the_critical_that_leaves_the_goblin_at_minus_8() -> None:
    """AE-19 and AE-20: 7 and 15 of 14 health points; slash 7 and slash 15 leave it bleeding 2 in all."""
    first = attack(BRAWN, GOBLIN, PARRY).given(natural=15)
    second = attack(BRAWN, GOBLIN).given(**{"natural": 20, "location roll": 16})
    assert GOBLIN.health - E(first.damage) - E(second.damage) == -8
    assert E(first.bleeding) + E(second.bleeding) == 2


def test_the_second_goblin_hits_for_1_twice() -> None:
    """AE-09, AE-25. Errata 4: the goblin's +4 becomes +3 in the next sentence, and +3 is the rule's; both
    figures hit, 17 by 1 at +4, and not at all at +3."""
    brawn = shipped(Target)["Brawn"].model
    goblin = shipped(Fighter)["goblin"].model
    printed = attack(Fighter(attack_bonus=4, weapon=goblin.weapon), brawn).given(natural=17)
    assert (E(printed.total), E(printed.damage)) == (21, 1)
    by_rule = attack(goblin, brawn).given(natural=17)
    assert (E(by_rule.total), E(by_rule.damage)) == (20, 1)  # the margin 0 is held at the range's 1
    # The forearm, bare but for the shield: 14 and 15 at -1 Edge, 14 + 3 on 16.
    aimed = attack(goblin, brawn, Situation(aimed_at="lower right arm"))
    assert attack_edge(goblin, brawn, Situation(aimed_at="lower right arm")) == -1
    blow = aimed.given(natural=14)
    assert (E(blow.total), E(blow.margin), E(blow.damage)) == (17, 1, 1)


@pytest.mark.parametrize(("edge", "thrown", "kept"), [(1, (6, 10), 10), (-1, (7, 10), 7), (-1, (14, 15), 14)])
def test_edge_keeps_one_die_of_two(edge: int, thrown: tuple[int, int], kept: int) -> None:
    """The three worked throws: of the throws whose dice are these two, which one counts."""
    dice = throw_d20(edge)
    these = (dice.highest == max(thrown)) & (dice.natural == (min(thrown) if edge < 0 else max(thrown)))
    assert P(dice.natural == kept, given=these) == 1
    assert P(these) == (Fraction(2, 400) if edge < 0 else Fraction(2 * max(thrown) - 1, 400))


# -- against a plain enumeration of the dice --------------------------------------------------------------


@pytest.mark.parametrize("edge", [-2, 0, 2])
@pytest.mark.parametrize(
    ("edge_dice", "mishap", "minimum", "parries"),
    list(
        product(
            ("one_per_edge", "two_dice"),
            ("natural_1", "any_miss_by_5"),
            ("range", "one_point"),
            ("counts", "not"),
        )
    ),
)
def test_every_reading(edge: int, edge_dice: str, mishap: str, minimum: str, parries: str) -> None:
    """AE-12, AE-13, AE-14, AE-18, Edge."""
    readings = Readings(edge_dice=edge_dice, mishap=mishap, critical_minimum=minimum, critical_parry=parries)
    armour = {place: n % 4 for n, place in enumerate(Location)}
    outcome = attack(
        Fighter(attack_bonus=4, weapon=Weapon(low=2, high=9, bonus=1)),
        Target(defense=24, armour=2, parry=3, location_armour=armour),
        Situation(edge=edge, defends="parry"),
        readings,
    )
    struck = brute.tally(
        (22 + armour[Location(name)] + 3 * (parries == "counts"), Fraction(len(faces_of(row["faces"])), 20))
        for name, row in entries("hit_locations").items()
    )
    found = brute.attack(
        4,
        27,
        2,
        9,
        1,
        edge,
        struck=struck,
        any_miss_by_5=mishap == "any_miss_by_5",
        one_point=minimum == "one_point",
        two_dice=edge_dice == "two_dice",
    )
    assert seen(outcome) == expected(found)


@pytest.mark.parametrize("ab", [-5, 3, 9, 30])
@pytest.mark.parametrize("db", [0, 12, 25, 45])
def test_far_from_the_middle(ab: int, db: int) -> None:
    """AE-12, AE-13, AE-14, AE-18, AE-22 where totals leave the range at either end."""
    outcome = attack(
        Fighter(attack_bonus=ab, weapon=Weapon(low=1, high=6, bonus=3)),
        Target(defense=db),
        Situation(edge=-1, in_base_range=False),
    )
    assert seen(outcome) == expected(brute.attack(ab, db, 1, 6, 3, -1, in_base_range=False))


def test_along_an_axis_the_same_figures() -> None:
    """One evaluation for every Edge, Defense Bonus and upper end at once."""
    setup = attack.setup(BRAWN, GOBLIN.but(location_armour={})).at(
        {
            "situation.edge": stat("edge", range(-2, 3)),
            "target.defense": stat("defense", (9, 15, 24)),
            "attacker.weapon.high": stat("high", (4, 11)),
        }
    )
    outcome = setup()
    damage, mishap = E(outcome.damage, exact=True), P(outcome.mishap, exact=True)
    for edge, db, high in product(range(-2, 3), (9, 15, 24), (4, 11)):
        found = brute.attack(7, db, 1, high, 2, edge, struck={db - 1: Fraction(1)})
        at = {"edge": edge, "defense": db}
        assert damage.sel(**at, high=high).item() == brute.mean(brute.damage(found))
        assert mishap.sel(**at).item() == brute.chance(found, lambda o: o[2])


def test_a_damage_of_nothing_leaves_a_critical_one_point() -> None:
    """AE-18: a total below the Defense Bonus, with a weapon whose range begins at 0."""
    feeble = Fighter(attack_bonus=0, weapon=Weapon(low=0, high=1))
    assert E(attack(feeble, Target(defense=25)).given(natural=20).damage) == 1


@pytest.mark.parametrize("beyond", ["stop", "cycle"])
@pytest.mark.parametrize("source", ["final", "base"])
@pytest.mark.parametrize("kind", list(brute.EFFECTS))
def test_effects_of_an_attack(kind: str, source: str, beyond: str) -> None:
    """AE-19: from the same roll as the damage."""
    weapon = Weapon(low=1, high=15, bonus=4, damage_type=kind)
    readings = Readings(effects_from=source, effects_beyond_list=beyond)
    outcome = attack(Fighter(attack_bonus=12, weapon=weapon), Target(defense=14), readings=readings)
    for natural in range(1, 21):
        there = outcome.given(natural=natural)
        points = int(E(there.damage))
        if source == "base" and natural != 1:
            points = brute.held(natural + 12 - 14, 1, 15)
        assert (E(there.bleeding), E(there.stun)) == brute.effects(points, kind, cycle=beyond == "cycle")


def test_the_large_suffer_no_effects_unless_a_step_is_set() -> None:
    """AE-19."""
    for step, effects in ((0, 0), (10, 1)):
        large = Target(defense=10, medium_or_smaller=False, effect_step=step)
        blow = attack(BRAWN, large).given(natural=19)
        assert (E(blow.damage), E(blow.bleeding)) == (13, effects)


# -- what sways the Edge ----------------------------------------------------------------------------------

BOW = Weapon(ranged=True, base_range=25)
SWAYS = [
    ({"surprised": True}, 1, 1),  # AE-07
    ({"dazed": True}, -1, -1),  # AE-20
    ({"held": True}, -1, -1),  # AE-33
    ({"increments": 2}, -2, -2),  # AE-22
    ({"point_blank": True}, 1, 1),
    ({"not_made_to_throw": True}, -1, -1),
    ({"cover": "half"}, -1, -1),  # AE-24
    ({"cover": "three quarters"}, -2, -2),
    ({"through_same_size": 2}, 0, -2),
    ({"through_larger": 1}, 0, -2),
    ({"aimed_at": "left shin"}, -1, -1),  # AE-25
    ({"aimed_at": "head"}, -2, -2),
    ({"arc": "flank"}, 1, 1),  # AE-27
    ({"arc": "rear"}, 2, 2),
    ({"two_degrees_shorter": True}, -1, -1),  # AE-29
    ({"off_hand": True}, -1, -1),  # AE-30
    ({"heavy_again": True}, -1, -1),
    ({"close_combat": "into"}, -1, -2),  # AE-32
    ({"close_combat": "out of"}, -1, -1),
    ({"mount": "standing"}, -1, -1),  # AE-36
    ({"mount": "running", "riding_style": True}, -1, -1),
    ({"cover": "half", "arc": "rear", "dazed": True}, 0, 0),
]


@pytest.mark.parametrize(("how", "melee", "ranged"), SWAYS, ids=lambda x: str(x))
def test_edge_by_situation(how: dict[str, Any], melee: int, ranged: int) -> None:
    assert attack_edge(Fighter(), Target(), Situation(**how)) == melee
    assert attack_edge(Fighter(weapon=BOW), Target(), Situation(**how)) == ranged


def test_edge_against_the_prone() -> None:
    """AE-23: worked, short bow at 30 spaces of 25: -2; melee +1; nearby or large nothing."""
    prone, archer = Target(prone=True), Fighter(weapon=BOW)
    beyond = Situation(increments=1)
    assert attack_edge(archer, prone, beyond) == -2
    assert attack_edge(archer, prone, Situation()) == 0
    assert attack_edge(archer, Target(prone=True, medium_or_smaller=False), beyond) == -1
    assert attack_edge(Fighter(), prone, Situation()) == 1


# -- Defense Bonus, locations -----------------------------------------------------------------------------


def test_what_the_target_does() -> None:
    """AE-10, AE-11: 15 standing, 17 parrying; a dodge that costs the shield may be worth less."""
    target = Target(defense=15, parry=2, spell_parry=4, dodge=-1)
    for defends, db in (("no reaction", 15), ("parry", 17), ("spell parry", 19), ("dodge", 14)):
        swing = attack(BRAWN, target, Situation(defends=defends)).given(natural=10)
        assert E(swing.margin) == 17 - db


def test_helpless() -> None:
    """AE-10: Defense Bonus 0, or what armour gives by the reading."""
    helpless = Target(defense=18, armour=3, helpless=True, parry=2)
    assert E(attack(BRAWN, helpless, PARRY).given(natural=2).margin) == 9
    armoured = Readings(helpless_armour="location")
    assert E(attack(BRAWN, helpless, PARRY, armoured).given(natural=2).margin) == 6


def test_high_ground() -> None:
    """AE-26: +1 attack or +1 Defense Bonus; half of the body out of reach, for aims and for criticals."""
    plain = attack(BRAWN, GOBLIN).given(natural=10)
    above = Situation(high_ground="attacker")
    below = Situation(high_ground="target")
    assert E(attack(BRAWN, GOBLIN, above).given(natural=10).margin) == E(plain.margin) + 1
    assert E(attack(BRAWN, GOBLIN, below).given(natural=10).margin) == E(plain.margin) - 1
    halves = {name: row["half"] for name, row in entries("hit_locations").items()}
    for situation, half in ((above, "upper"), (below, "lower")):
        struck = odds(attack(BRAWN, GOBLIN, situation).given(natural=20).location)
        faces = {name: len(faces_of(entries("hit_locations")[name]["faces"])) for name in struck}
        assert {halves[name] for name in struck} == {half}
        assert struck == {name: Fraction(n, sum(faces.values())) for name, n in faces.items()}
    with pytest.raises(NotAllowed, match="AE-26"):
        attack(BRAWN, GOBLIN, above.but(aimed_at="left shin"))
    with pytest.raises(NotAllowed, match="AE-26"):
        attack(BRAWN, GOBLIN, below.but(aimed_at="head"))


def test_aimed_criticals() -> None:
    """AE-18: `targeted_critical`, where it was aimed or where a die says."""
    aimed = Situation(aimed_at="neck")
    assert odds(attack(BRAWN, GOBLIN, aimed).given(natural=20).location) == {"neck": 1}
    rolled = attack(BRAWN, GOBLIN, aimed, Readings(targeted_critical="rolled")).given(natural=20)
    assert len(odds(rolled.location)) == len(Location)
    assert odds(attack(BRAWN, GOBLIN, aimed).given(natural=15).location) == {"neck": 1}


def test_the_target_cannot_defend_by_the_reading() -> None:
    """AE-25: `targeting_risk`."""
    aimed = PARRY.but(aimed_at="neck")
    by_rule = attack(BRAWN, GOBLIN, aimed).given(natural=15)
    cannot = attack(BRAWN, GOBLIN, aimed, Readings(targeting_risk="target_cannot")).given(natural=15)
    assert E(cannot.margin) == E(by_rule.margin) + 2


def test_the_location_table_is_a_d20_and_has_the_printed_row() -> None:
    rows = entries("hit_locations")
    assert {Location(name) for name in rows} == set(Location)
    assert sorted(face for row in rows.values() for face in faces_of(row["faces"])) == list(range(1, 21))
    assert rows["lower right arm"]["faces"] == "16"
    aimable = {name for name, row in rows.items() if row["aim"] != "body"}
    assert {aim.value for aim in Aim if aim is not Aim.NOWHERE} == aimable


# -- data -------------------------------------------------------------------------------------------------


def test_sample_data_is_noted() -> None:
    assert attack(BRAWN, PLAIN).notes == ()
    assert attack(BRAWN, GOBLIN).notes == ("hit locations: sample data, not printed in the chapter",)
    archer = shipped(Fighter)["archer"].model
    assert attack(archer, PLAIN).notes == ("Sample data, not from a rulebook: attacker, attacker.weapon",)


@pytest.mark.parametrize("kind", [Fighter, Target, Weapon])
def test_shipped_entries_say_where_they_come_from(kind: Any) -> None:
    found = shipped(kind)
    assert any(entry.source == "AE" for entry in found.values())
    assert any(entry.sample for entry in found.values())
    for entry in found.values():
        assert entry.model.sample == entry.sample == (entry.source == "")


def test_two_dice_make_no_difference_at_one_edge() -> None:
    setup = attack.setup(BRAWN, GOBLIN)
    one = setup.at({"situation.edge": -1})
    other = one.at({"readings.edge_dice": "two_dice"})
    assert dist(one().damage) == dist(other().damage)
