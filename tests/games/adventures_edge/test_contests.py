"""Closing, grappling, tackling, and what a sheet is worth: worked examples and brute force."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rulekit import E, NotAllowed, P
from rulekit.games.adventures_edge import (
    Character,
    Closer,
    Crowd,
    Defender,
    Fighter,
    Figure,
    Grappler,
    Ground,
    Obstacle,
    Situation,
    Tackler,
    Target,
    Weapon,
    attack,
    attack_from,
    closing,
    defenses,
    fighter_of,
    grapple,
    hold,
    tackle,
    target_of,
)
from rulekit.games.adventures_edge.board import PlacedReadings, modifiers, situated
from rulekit.games.adventures_edge.characters import DefensesReadings
from rulekit.games.adventures_edge.contests import (
    ClosingReadings,
    GrappleReadings,
    HoldReadings,
    TackleReadings,
)
from rulekit.games.adventures_edge.derived import Halves
from rulekit.rules import shipped
from tests.games.adventures_edge import brute
from tests.games.adventures_edge.cases import odds


@pytest.mark.parametrize("check", ["attack", "combat_skill"])
@pytest.mark.parametrize("tie", ["meets", "exceeds"])
@pytest.mark.parametrize("reactions", [0, 1])
def test_closing(check: str, tie: str, reactions: int) -> None:
    """AE-31: P = s + (1 - s)(1 - r h)."""
    found = closing(
        Closer(attack_bonus=6, combat_skill=9, defense=13, edge=-1),
        Defender(defense=17, attack_bonus=4, reactions=reactions),
        ClosingReadings(closing_check=check, contest_tie=tie),
    )
    s = brute.meets(6 if check == "attack" else 9, 17, -1, exceeds=tie == "exceeds")
    h = brute.strikes(4, 13)
    assert P(found.unhindered) == s
    assert P(found.closes) == s + (1 - s) * (1 - reactions * h)
    assert P(found.struck) == (1 - s) * reactions * h


@pytest.mark.parametrize("break_free", ["as_control", "none"])
@pytest.mark.parametrize("edge_reading", ["once", "stacked"])
@pytest.mark.parametrize(("strikes", "reactions"), [(True, 1), (True, 2), (False, 1), (False, 0)])
def test_grapple(break_free: str, edge_reading: str, strikes: bool, reactions: int) -> None:
    """AE-33: one hand -1 Edge; a reaction to strike first, one to break free as if taking control."""
    found = grapple(
        Grappler(attack_bonus=6, strength=14, one_handed=True),
        Defender(defense=13, attack_bonus=5, reactions=reactions),
        16,
        strikes,
        GrappleReadings(break_free=break_free, control_edge=edge_reading),
    )
    grabs = brute.meets(6, 13, -1)
    frees = brute.meets(5, 14, -1 if edge_reading == "once" else -2, exceeds=True)
    may = break_free == "as_control" and reactions - strikes >= 1
    assert P(found.grabs) == grabs
    assert P(found.struck_first) == (brute.strikes(5, 16) if strikes and reactions else 0)
    assert P(found.holds) == grabs * (1 - frees * may)


@pytest.mark.parametrize("tie", ["meets", "exceeds"])
@pytest.mark.parametrize("edge_reading", ["once", "stacked"])
@pytest.mark.parametrize("target", ["score", "opposed"])
def test_hold(tie: str, edge_reading: str, target: str) -> None:
    """AE-33: control must beat the controller's Strength; push, pull, take down against the other's."""
    a, b = Grappler(attack_bonus=7, strength=15, combat_speed=5), Grappler(attack_bonus=4, strength=13)
    readings = HoldReadings(contest_tie=tie, control_edge=edge_reading, strength_target=target)
    found = hold(a, b, readings=readings)

    def strength(one: Grappler) -> brute.Odds:
        if target == "score":
            return {one.strength: Fraction(1)}
        return brute.push(brute.natural(0), lambda die: die + one.attack_bonus)

    def beats(bonus: int, edge: int, against: brute.Odds, exceeds: bool) -> Fraction:
        return sum(
            (q * brute.meets(bonus, score, edge, exceeds=exceeds) for score, q in against.items()),
            Fraction(0),
        )

    exceeds = tie == "exceeds"
    assert P(found.takes_control) == beats(4, -1 if edge_reading == "once" else -2, strength(a), True)
    assert odds(found.pushed) == brute.pushed(7, 0, strength(b), 2, exceeds=exceeds)
    assert P(found.takes_down) == beats(7, 0, strength(b), exceeds)
    assert P(found.drags_down) == beats(4, -1, strength(a), exceeds)


def test_half_the_speed_and_rolling_on_the_ground() -> None:
    """AE-33: at most half the combat speed, halves by the reading; prone one space."""
    strong = Grappler(attack_bonus=40, combat_speed=5)
    weak = Grappler(strength=1)
    assert max(odds(hold(strong, weak).pushed)) == 2
    assert max(odds(hold(strong, weak, readings=HoldReadings(halves=Halves.UP)).pushed)) == 3
    assert odds(hold(strong, weak, True).pushed) == {1: 1}


def test_the_tackle_from_the_flank() -> None:
    """AE-34: 5 and 18 at +1 Edge, +6: 24 on 14: two spaces. Errata 7: it is A who beats B's defense by 10."""
    charge = tackle(Tackler(attack_bonus=6, from_behind=1, moved=2, movement_left=1), Defender(defense=14))
    blow = charge.given(natural=18)
    assert (E(blow.total), P(blow.success), E(blow.spaces), P(blow.close_combat)) == (24, 1, 2, 1)
    assert E(blow.total) - 14 == 10


@pytest.mark.parametrize("edge", [-1, 0, 1])
@pytest.mark.parametrize("left", [0, 1, 4])
@pytest.mark.parametrize("reading", ["stays_before", "in_close_combat"])
def test_tackle(edge: int, left: int, reading: str) -> None:
    """AE-34: distance by fives as far as movement is left; a miss by 5 or by less."""
    charger = Tackler(attack_bonus=9, sizes_larger=edge, movement_left=left)
    defender = Defender(defense=15, attack_bonus=3, reactions=edge + 1)
    found = tackle(charger, defender, TackleReadings(tackle_short=reading))
    ends = brute.tackle(9, 15, edge, left)
    down = brute.chance(ends, lambda end: end[0] == "down")
    alone = brute.chance(ends, lambda end: end[0] == "alone")
    assert P(found.success) == down
    assert odds(found.spaces) == brute.push(ends, lambda end: end[1])
    assert P(found.falls_alone) == alone
    assert P(found.struck_first) == (brute.strikes(3, 14) if edge >= 0 else 0)
    assert P(found.close_combat) == (down + alone if reading == "stays_before" else 1)


def test_a_tackle_needs_a_run_up() -> None:
    """AE-34."""
    with pytest.raises(NotAllowed, match="AE-34"):
        tackle(Tackler(moved=0))


# -- sheets -----------------------------------------------------------------------------------------------


def test_sheets_give_the_chapters_figures() -> None:
    """AE-09, AE-10, AE-11, AE-13: 14 bare, 15 in leather, 17 parrying; Brawn +7, 1-11+2, 20 and 16."""
    sheets = {name: entry.model for name, entry in shipped(Character).items()}
    weapons = {name: entry.model for name, entry in shipped(Weapon).items()}
    goblin = defenses(sheets["goblin"])
    assert [E(x) for x in (goblin.bare, goblin.standing, goblin.parrying)] == [14, 15, 17]
    assert E(goblin.strength_attack) == 3
    brawn, armed = target_of(sheets["Brawn"]), fighter_of(sheets["Brawn"], weapons["longsword"])
    assert (brawn.defense, brawn.defense - brawn.armour) == (20, 16)
    assert (armed.attack_bonus, armed.weapon.low, armed.weapon.high, armed.weapon.bonus) == (7, 1, 11, 2)
    laurel = fighter_of(sheets["Laurel"], weapons["rapier"])
    assert (laurel.attack_bonus, laurel.weapon.high) == (6, 7)
    spear = fighter_of(sheets["goblin"], weapons["spear"])
    assert (spear.attack_bonus, spear.weapon.high) == (3, 7)


def test_halves_by_the_reading() -> None:
    """AE-09, AE-11: `halves`."""
    odd = Character(combat_ranks=7, athletics_ranks=3, spellcraft_ranks=5, dexterity=10)
    for reading, (parry, dodge, spell) in (("down", (13, 11, 12)), ("up", (14, 12, 13))):
        found = defenses(odd, readings=DefensesReadings(halves=reading))
        assert [E(x) for x in (found.parrying, found.dodging, found.parrying_spells)] == [parry, dodge, spell]


def test_shields() -> None:
    """AE-10, AE-11: no part of a dodge; untrained worth nothing or a reaction; longer reach +1 to parry."""
    trained = Character(dexterity=10, shield=3, combat_ranks=4)
    found = defenses(trained, Crowd(longer_reach=True))
    assert [E(x) for x in (found.standing, found.parrying, found.dodging)] == [13, 16, 10]
    untrained = Character(dexterity=10, shield=3, combat_ranks=4, shield_use=False)
    for reading, parrying in (("nothing", 12), ("as_reaction", 15)):
        found = defenses(untrained, readings=DefensesReadings(shield_untrained=reading))
        assert [E(x) for x in (found.standing, found.parrying)] == [10, parrying]


@pytest.mark.parametrize(
    ("ranks", "crowd", "each", "whole"),
    [
        (4, (1, 2, 1), 1, 2),
        (4, (3, 1, 1), 1, 1),
        (5, (3, 2, 1), 2, 4),
        (5, (1, 2, 1), 1, 2),
        (10, (2, 2, 2), 4, 4),
        (0, (4, 1, 3), 3, 3),
    ],
)
def test_multiple_parries(ranks: int, crowd: tuple[int, int, int], each: int, whole: int) -> None:
    """AE-11: `parry_covers`: one attack from each of 1 + ranks / 5 opponents, or all of theirs this round."""
    opponents, attacks, reactions = crowd
    who = Crowd(opponents=opponents, attacks_each=attacks, reactions=reactions)
    sheet = Character(combat_ranks=ranks)
    for reading, parried in (("one_attack_each", each), ("opponent_for_round", whole)):
        found = defenses(sheet, who, DefensesReadings(parry_covers=reading))
        assert (E(found.parried), E(found.unparried)) == (parried, opponents * attacks - parried)


# -- on the board -----------------------------------------------------------------------------------------


def test_an_attack_from_where_one_stands() -> None:
    """AE-27, AE-24: the rear through half cover is +1 Edge; the same odds as an attack with that Edge."""
    target_at = Figure(facing="north")
    rear = attack_from(place=Figure(y=-1), target_place=target_at)
    assert E(rear.edge) == 2
    assert P(rear.attack.hit) == P(attack(situation=Situation(edge=2)).hit)
    corner = attack_from(
        place=Figure(x=-1, y=-1), target_place=target_at, ground=Ground(walls=(Obstacle(x=-1),))
    )
    assert E(corner.edge) == 1 - 1


def test_shots_on_the_board() -> None:
    """AE-22, AE-23: beyond the base range -1 Edge an increment, no bonus damage; prone another -1."""
    bow = Weapon(ranged=True, base_range=25, bonus=3)
    found = modifiers(Figure(y=-30), Figure(prone=True, facing="south"), bow)
    assert [(m.rule, m.edge) for m in found] == [("AE-22", -1), ("AE-23", -1)]
    situation = situated(found)
    assert (situation.edge, situation.increments) == (-1, 1)
    shot = attack_from(Fighter(weapon=bow), Target(), Figure(y=-30), Figure(prone=True, facing="south"))
    plain = attack(Fighter(weapon=bow), Target(), Situation(edge=-2, in_base_range=False))
    assert odds(shot.attack.damage) == odds(plain.damage)
    behind = PlacedReadings(arc_ranged="by_direction")
    assert E(attack_from(Fighter(weapon=bow), place=Figure(y=-9), readings=behind).edge) == 2


def test_from_the_high_ground() -> None:
    """AE-26: positions give the +1 and keep criticals to the upper half."""
    above = attack_from(place=Figure(y=1, ground=4), target_place=Figure(facing="north"))
    level = attack_from(place=Figure(y=1), target_place=Figure(facing="north"))
    assert E(above.attack.total) == E(level.attack.total) + 1
    assert "left shin" in odds(level.attack.location)
    assert "left shin" not in odds(above.attack.location)


def test_past_the_shield() -> None:
    """AE-10: a shield counts by facing, a small one one foe, a medium one two side by side."""
    ahead, beside, behind = Figure(y=1, facing="south"), Figure(x=1, y=1), Figure(y=-1)
    small = Figure(facing="north", shield="small", shield_bonus=3)
    medium = Figure(facing="north", shield="medium", shield_bonus=3)

    def defense(place: Figure, target: Figure, *first: Figure) -> Fraction:
        found = attack_from(place=place, target_place=target, ground=Ground(held_off_first=first)).attack
        return E(found.total) - E(found.margin)

    assert [defense(place, small) for place in (ahead, beside, behind)] == [15, 15, 12]
    assert [defense(beside, target, ahead) for target in (small, medium)] == [12, 15]
    assert defense(Figure(x=-1), medium, ahead, beside) == 12


def test_out_of_reach() -> None:
    """AE-29: the reach is the weapon's."""
    with pytest.raises(NotAllowed, match="AE-29"):
        attack_from(place=Figure(y=-2))
    assert E(attack_from(Fighter(weapon=Weapon(reach="long")), place=Figure(y=-2)).edge) == 2


def test_throwing() -> None:
    """AE-22: an axe at 8 spaces -1; an arming sword 4 spaces, a longsword 2, at -1 and -1 an increment."""
    axe = shipped(Weapon)["hand axe"].model
    assert E(attack_from(Fighter(weapon=axe), place=Figure(y=8)).edge) == -1
    thrown = Situation(not_made_to_throw=True)
    for number, edges in ((3, {2: -1, 4: -1, 5: -2}), (4, {2: -1, 4: -2, 5: -3})):
        sword = Fighter(weapon=Weapon(reach_number=number))
        for away, edge in edges.items():
            found = attack_from(sword, place=Figure(y=away), situation=thrown).attack
            assert P(found.hit) == brute.strikes(7, 15, edge)
    with pytest.raises(NotAllowed, match="AE-29"):
        attack_from(Fighter(weapon=Weapon(reach_number=3)), place=Figure(y=4))


def test_who_lies_lies_once() -> None:
    """AE-23: said of the target or of its figure, +1 Edge in melee all the same."""
    for target, figure in ((True, False), (False, True), (True, True)):
        found = attack_from(
            target=Target(prone=target), place=Figure(y=1), target_place=Figure(prone=figure, facing="north")
        )
        assert P(found.attack.hit) == P(attack(situation=Situation(edge=1)).hit)
