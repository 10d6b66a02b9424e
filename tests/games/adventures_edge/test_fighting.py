"""Mishaps, exchanges of blows, rounds, special attacks: worked examples and brute force."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from rulekit import E, NotAllowed, P
from rulekit.games.adventures_edge import (
    Ally,
    Ambush,
    Around,
    Fighter,
    Location,
    Plan,
    Pressing,
    Rider,
    Situation,
    Target,
    Watcher,
    Weapon,
    aimed_exchange,
    breakage,
    into_close_combat,
    killing_blow,
    mishap,
    off_target_grid,
    press,
    ride,
    round_of_attacks,
    scatter,
    surprise,
    wear,
)
from rulekit.games.adventures_edge.exchanges import PressReadings
from rulekit.games.adventures_edge.mishaps import MishapReadings
from rulekit.games.adventures_edge.mounted import RideReadings
from rulekit.games.adventures_edge.readings import Readings
from rulekit.games.adventures_edge.rounds import KillingReadings, drop_prone, one_action_deeds
from rulekit.rules import shipped
from tests.games.adventures_edge import brute
from tests.games.adventures_edge.cases import odds

BRAWN = shipped(Fighter)["Brawn"].model
LAUREL = shipped(Fighter)["Laurel"].model
GOBLIN = shipped(Target)["goblin"].model.but(location_armour={})
SPEAR = Weapon(low=1, high=7)


def mean_damage(*numbers: int, **how: Any) -> Fraction:
    return brute.mean(brute.damage(brute.attack(*numbers, **how)))


def hits(odds: brute.Odds) -> Fraction:
    return brute.chance(odds, lambda outcome: outcome[0])


def convolved(a: brute.Odds, b: brute.Odds, f: Any = lambda x, y: x + y) -> brute.Odds:
    return brute.tally((f(x, y), p * q) for x, p in a.items() for y, q in b.items())


# -- mishaps ----------------------------------------------------------------------------------------------


def test_mishap_table() -> None:
    """AE-15: every row; the goblin's 11 opens it up to attack."""
    gone_wrong = mishap()
    rows = brute.tally((brute.mishap_row(face), Fraction(1, 20)) for face in brute.FACES)
    assert odds(gone_wrong.mishap) == rows
    assert P(gone_wrong.dropped) == Fraction(2, 20)
    eleven = gone_wrong.given(**{"mishap roll": 11})
    assert (odds(eleven.mishap), E(eleven.attacked)) == ({"open to attack": 1}, 1)


def test_the_off_target_grid() -> None:
    """AE-16: the printed grid, its top row ahead."""
    assert off_target_grid() == brute.scattered()
    where = scatter()
    assert odds(where.column) == brute.push(brute.scattered(), lambda place: place[0])
    assert odds(where.row) == brute.push(brute.scattered(), lambda place: place[1])
    assert P(where.own_space) == Fraction(1, 5)
    lands = mishap().given(mishap="weapon dropped").lands
    assert odds(lands)["own space"] == Fraction(1, 5)


def test_strings_break_by_the_reading() -> None:
    """AE-15: `string_break`: the table's 1, or the attack's."""
    archer = Fighter(weapon=Weapon(ranged=True, bowstring=True, base_range=25))
    assert P(mishap(archer).string_breaks) == Fraction(1, 20)
    by_attack = MishapReadings(string_break="attack_1")
    assert P(mishap(archer, readings=by_attack).string_breaks) == Fraction(5, 20)
    assert P(mishap(archer, Around(attack_showed_1=False), by_attack).string_breaks) == 0
    assert P(mishap(BRAWN).string_breaks) == 0


def test_natural_weapons_bruise_their_owner() -> None:
    """AE-15: a natural weapon takes no damage and is not dropped; its owner loses 1 HP."""
    claws = mishap(Fighter(weapon=Weapon(natural=True)))
    assert (E(claws.weapon_damage), P(claws.dropped)) == (0, 0)
    assert odds(claws.self_damage) == {0: Fraction(14, 20), 1: Fraction(6, 20)}


def test_self_injury_by_the_reading() -> None:
    """AE-15: 1 HP, or uniform over the range that the weapon has by itself."""
    around = Around(unraised_high=8)
    assert odds(mishap(BRAWN, around).self_damage) == {0: Fraction(19, 20), 1: Fraction(1, 20)}
    rolled = mishap(BRAWN, around, MishapReadings(self_injury="weapon_dice")).given(mishap="injures self")
    assert odds(rolled.self_damage) == {points: Fraction(1, 8) for points in range(1, 9)}


def test_a_blow_at_an_ally() -> None:
    """AE-15: a second attack at -1 Edge on one of the eligible, each as likely; nobody there: nothing."""
    allies = (
        Ally(target=Target(defense=12)),
        Ally(target=Target(defense=20)),
        Ally(target=Target(defense=5), adjacent=False),
    )
    astray = mishap(BRAWN, Around(allies=allies)).given(mishap="strikes an ally")
    found = [brute.attack(7, db, 1, 11, 2, -1) for db in (12, 20)]
    assert P(astray.ally_hit) == sum(hits(one) for one in found) / 2
    assert E(astray.ally_damage) == sum(brute.mean(brute.damage(one)) for one in found) / 2
    alone = mishap(BRAWN, Around(allies=()))
    assert (P(alone.ally_hit), E(alone.ally_damage)) == (0, 0)


def test_a_stray_shot_by_the_reading() -> None:
    """AE-15: `stray_ally`: an ally in range, or one in the field of fire."""
    archer = Fighter(weapon=Weapon(ranged=True, base_range=25))
    around = Around(allies=(Ally(in_range=True, in_field=False),))
    row = {"mishap": "strikes an ally"}
    assert P(mishap(archer, around).given(**row).ally_hit) > 0
    assert P(mishap(archer, around, MishapReadings(stray_ally="in_field")).given(**row).ally_hit) == 0


def test_open_to_attack() -> None:
    """AE-15: every adjacent opponent with a reaction attacks; no parry, no dodge."""
    around = Around(
        opponents=3, opponent=Fighter(attack_bonus=3, weapon=SPEAR), own=Target(defense=16, parry=9)
    )
    opened = mishap(BRAWN, around).given(mishap="open to attack")
    assert odds(opened.attacked) == {3: 1}
    assert E(opened.damage_taken) == 3 * mean_damage(3, 16, 1, 7, 0)


def test_two_points_until_the_longsword_breaks() -> None:
    """AE-17: breakage 7, five taken: two left; P(damage) is P(mishap) x 5/20."""
    assert BRAWN.weapon.breakage - 5 == 2
    chance = Fraction(1, 20) * Fraction(5, 20)
    worn = breakage(BRAWN, GOBLIN, taken=5, attacks=30)
    assert P(worn.damaged) == chance
    found = brute.attacks_until(chance, 2, 30)
    assert odds(worn.lasts) == {attack or 31: p for attack, p in found.items()}
    assert P(worn.broken) == 1 - found[0]
    until = wear(BRAWN, GOBLIN, taken=5)
    assert until.mean == 2 / chance
    assert until.variance == 2 * (1 - chance) / chance**2  # a negative binomial's
    assert [until.steps.probability(n) for n in (1, 2, 30)] == [found.get(n, 0) for n in (1, 2, 30)]


def test_claws_do_not_break() -> None:
    """AE-17."""
    claws = Fighter(weapon=Weapon(natural=True))
    assert P(breakage(claws, GOBLIN, attacks=10).broken) == 0


# -- press, aim, ambush -----------------------------------------------------------------------------------


def test_brawn_presses() -> None:
    """AE-28: 18 + 7 + 3 = 28 on 17: 13."""
    charge = press(BRAWN, GOBLIN, pressing=Pressing(longer_weapon=True), situation=Situation(defends="parry"))
    eighteen = charge.first.natural == 18
    found = [E(x, given=eighteen) for x in (charge.first.total, charge.first.damage, charge.dealt)]
    assert found == [28, 13, 13]


@pytest.mark.parametrize("stance", ["stand", "retreat"])
@pytest.mark.parametrize("reactions", [0, 1, 2])
@pytest.mark.parametrize("parries", [False, True])
def test_press(stance: str, reactions: int, parries: bool) -> None:
    """AE-28: +2 if the defender stands, and then his answer to a miss, at +2, if a reaction is left."""
    if parries and not reactions:
        return  # without a reaction there is no parry to test
    foe = Fighter(attack_bonus=3, weapon=SPEAR)
    exchange = press(
        BRAWN,
        GOBLIN,
        foe,
        Target(defense=16, parry=5),
        Pressing(stance=stance, reactions=reactions),
        Situation(defends="parry" if parries else "no reaction"),
    )
    stands = stance == "stand"
    struck = {14 + 2 * parries: Fraction(1)}
    mine = brute.attack(7 + 2 * stands, 15 + 2 * parries, 1, 11, 2, struck=struck)
    plain = brute.attack(7, 15 + 2 * parries, 1, 11, 2, struck=struck)
    answer = mean_damage(5, 16, 1, 7, 0)
    answered = stands and reactions - parries >= 1
    assert odds(exchange.dealt) == brute.damage(mine)
    assert E(exchange.taken) == ((1 - hits(mine)) * answer if answered else 0)
    assert E(exchange.gain) == brute.mean(brute.damage(mine)) - E(exchange.taken) - brute.mean(
        brute.damage(plain)
    )
    assert E(exchange.balance) == E(exchange.dealt) - E(exchange.taken)


@pytest.mark.parametrize("reading", ["round", "attack"])
@pytest.mark.parametrize("reactions", [1, 2])
def test_two_pressed_attacks(reading: str, reactions: int) -> None:
    """AE-28: `press_lasts`; each miss while pressing may be answered, as long as reactions last."""
    foe = Fighter(attack_bonus=3, weapon=SPEAR)
    exchange = press(
        BRAWN,
        Target(defense=18),
        foe,
        Target(defense=16),
        Pressing(attacks=2, reactions=reactions),
        readings=PressReadings(press_lasts=reading),
    )
    lasting = reading == "round"
    first, second = brute.attack(9, 18, 1, 11, 2), brute.attack(9 if lasting else 7, 18, 1, 11, 2)
    answers = Fraction(0)
    for a, p in first.items():
        for b, q in second.items():
            misses = (not a[0]) + (lasting and not b[0])
            answers += p * q * min(misses, reactions)
    assert odds(exchange.dealt) == convolved(brute.damage(first), brute.damage(second))
    assert E(exchange.taken) == answers * mean_damage(5, 16, 1, 7, 0)


def test_who_may_press() -> None:
    """AE-28: movement left, not retreated, a foe below twice one's height; to retreat takes movement."""
    for how in (
        {"movement": 0},
        {"retreated": True},
        {"own_height": 5, "foe_height": 10},
        {"stance": "retreat", "foe_movement": 0},
    ):
        with pytest.raises(NotAllowed, match="AE-28"):
            press(pressing=Pressing(**how))
    assert P(press(pressing=Pressing(own_height=5, foe_height=9)).first.hit) > 0


@pytest.mark.parametrize(
    ("reading", "parries_target", "parries_others"),
    [("no_defense", False, False), ("not_against_target", False, True), ("target_cannot", True, True)],
)
def test_what_aiming_risks(reading: str, parries_target: bool, parries_others: bool) -> None:
    """AE-25: `targeting_risk`, on the attacks that come back."""
    foe = Fighter(attack_bonus=3, weapon=SPEAR)
    found = aimed_exchange(
        BRAWN, GOBLIN, foe, Target(defense=14, parry=3), readings=Readings(targeting_risk=reading)
    )
    parried, open_ = mean_damage(3, 17, 1, 7, 0), mean_damage(3, 14, 1, 7, 0)
    assert E(found.taken) == (parried if parries_target else open_)
    assert E(found.taken_from_others) == (parried if parries_others else open_)
    assert E(found.taken_without) == parried
    assert E(found.dealt) == mean_damage(7, 14, 1, 11, 2, -1)
    assert E(found.gain) == E(found.dealt) - E(found.without) - (E(found.taken) - parried)


def test_an_ambush() -> None:
    """AE-07: one of three watchers perceives and comes first: warned; +1 Edge on the attack either way."""
    watchers = (
        Watcher(perception=4, initiative=3),
        Watcher(perception=0, initiative=2),
        Watcher(perception=2, initiative=2),
    )
    found = surprise(
        BRAWN,
        Target(defense=15, parry=3),
        Ambush(stealth=5, initiative=2, watchers=watchers),
    )
    unwarned = Fraction(0)
    for hidden, attackers in brute.product(brute.FACES, repeat=2):
        tied: brute.Odds = {0: Fraction(1)}  # nobody before the attackers, so many level with them
        for watcher in watchers:
            sees = brute.meets(watcher.perception, hidden + 5)
            keys = brute.push(brute.natural(0), lambda die, w=watcher: (die + w.initiative, w.initiative))
            after = 1 - sees * brute.chance(keys, lambda key, a=attackers: key >= (a + 2, 2))
            level = sees * keys.get((attackers + 2, 2), Fraction(0))
            tied = brute.tally(
                (n + step, p * q) for n, p in tied.items() for step, q in ((0, after), (1, level))
            )
        unwarned += sum(p / (n + 1) for n, p in tied.items()) / 400
    assert P(found.warned) == 1 - unwarned
    without, reacting = mean_damage(7, 15, 1, 11, 2, 1), mean_damage(7, 18, 1, 11, 2, 1)
    assert (E(found.damage_unwarned), E(found.damage_warned)) == (without, reacting)
    assert E(found.damage) == unwarned * without + (1 - unwarned) * reacting


# -- rounds and special attacks ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("weapon", "plan", "edges"),
    [
        ({}, {}, [0, 0]),
        ({"heavy": True}, {}, [0, -1]),
        ({"heavy": True}, {"combined": True}, [0, 0]),
        ({"heavy": True}, {"rounds": 2}, [0, -1, 0, -1]),
        ({"reload": 1}, {}, [0]),
        ({"reload": 2}, {"rounds": 3}, [0, 0]),
        ({"heavy": True}, {"actions": 3}, [0, -1, -1]),
    ],
)
def test_rounds(weapon: dict[str, Any], plan: dict[str, Any], edges: list[int]) -> None:
    """AE-30: heavy and reload weapons."""
    made = round_of_attacks(
        Fighter(attack_bonus=5, weapon=Weapon(low=1, high=9, bonus=1, **weapon)),
        Target(defense=15),
        Plan(**plan),
    )
    found = [brute.attack(5, 15, 1, 9, 1, edge) for edge in edges]
    total: brute.Odds = {0: Fraction(1)}
    for one in found:
        total = convolved(total, brute.damage(one))
    assert odds(made.damage) == total
    assert E(made.attacks) == len(edges)
    assert E(made.hits) == sum(hits(one) for one in found)
    assert E(made.damage_a_round) == brute.mean(total) / plan.get("rounds", 1)
    assert P(made.downs) == brute.chance(total, lambda points: points > 14)


def test_two_weapons() -> None:
    """AE-30: the off hand at -1 Edge without the style, with which a parry comes free; light weapons only."""
    knife = Weapon(low=1, high=4, light=True)
    plain = round_of_attacks(BRAWN, Target(defense=15), Plan(two_weapons=True, off_hand=knife))
    assert E(plain.damage) == mean_damage(7, 15, 1, 11, 2) + mean_damage(7, 15, 1, 4, 0, -1)
    styled = round_of_attacks(
        BRAWN, Target(defense=15), Plan(two_weapons=True, dual_wielding=True, off_hand=knife)
    )
    assert E(styled.damage) == mean_damage(7, 15, 1, 11, 2) + mean_damage(7, 15, 1, 4, 0)
    assert (P(plain.parry_left), P(styled.parry_left)) == (0, 1)
    with pytest.raises(NotAllowed, match="AE-30"):
        round_of_attacks(BRAWN, GOBLIN, Plan(two_weapons=True, off_hand=Weapon()))


@pytest.mark.parametrize("ranged", [False, True])
def test_into_close_combat(ranged: bool) -> None:
    """AE-32: -1 Edge, -2 for a shot; a miss by 5 or more is held, with the highest die, against the other."""
    attacker = Fighter(attack_bonus=2, weapon=Weapon(low=1, high=6, ranged=ranged, base_range=20))
    found = into_close_combat(attacker, Target(defense=16), Target(defense=13))
    n = 3 if ranged else 2
    hit = other = Fraction(0)
    harm = Fraction(0)
    for faces in brute.product(brute.FACES, repeat=n):
        low, high = min(faces), max(faces)
        meant = low == 20 or (low != 1 and low + 2 >= 16)
        hit += meant
        if not meant and low + 2 <= 11 and (high == 20 or (high != 1 and high + 2 >= 13)):
            other += 1
            harm += max(1, brute.held(high + 2 - 13, 1, 12 if high == 20 else 6))
    assert P(found.hit) == hit / 20**n
    assert P(found.other_hit) == other / 20**n
    assert E(found.other_damage) == harm / 20**n


def test_laurels_killing_blow() -> None:
    """AE-35: 26 on 0, held at 7 and doubled: 14, a major wound and 2 bleeding; from -1 it kills.

    Errata 8: all other rules of a critical would hold it at twice 7 first: 28.
    """
    blow = killing_blow(LAUREL, Target(health=-1, constitution=14), Location.NECK).given(natural=7)
    assert (E(blow.damage), E(blow.bleeding), odds(blow.wound)) == (14, 2, {"major": 1})
    assert (P(blow.kills), P(blow.success)) == (1, 1)
    doubled = KillingReadings(killing_blow="as_critical_then_doubled")
    assert E(killing_blow(LAUREL, readings=doubled).given(natural=7).damage) == 28
    missed = killing_blow(LAUREL).given(natural=1)
    assert (P(missed.mishap), E(missed.damage), P(missed.kills)) == (1, 0, 0)


def test_a_killing_blow_through_armour() -> None:
    """AE-10, AE-35: `helpless_armour`."""
    armoured = Target(health=-1, location_armour={"neck": 4})
    weak = Fighter(attack_bonus=-10, weapon=Weapon(low=1, high=9))
    by_location = KillingReadings(helpless_armour="location")
    assert E(killing_blow(weak, armoured).given(natural=9).damage) == 18
    assert E(killing_blow(weak, armoured, readings=by_location).given(natural=9).damage) == 12


def test_riding() -> None:
    """AE-36: Handle Animal DL 10, untrained mounts at -1 Edge; what a rider may not do."""
    assert P(ride(Rider(handle_animal=3)).obeys) == brute.meets(3, 10)
    assert P(ride(Rider(handle_animal=3, trained_mount=False)).obeys) == brute.meets(3, 10, -1)
    assert E(ride(Rider()).actions) == 1
    assert E(ride(Rider(mounted_combat=True)).actions) == 2
    once = RideReadings(trained_check="once")
    later = ride(Rider(first_round=False), once)
    assert (P(later.obeys), E(later.actions)) == (1, 2)
    assert E(ride(Rider(first_round=False)).actions) == 1
    assert E(ride(Rider(first_round=False, trained_mount=False), once).actions) == 1
    edges = [
        ride(Rider(pace=pace, ranged=ranged, mounted_combat=True)).attack_edge
        for pace in ("standing", "running")
        for ranged in (False, True)
    ]
    assert [E(edge) for edge in edges] == [0, -1, -1, -2]
    assert E(ride(Rider(pace="running", ranged=True, mounted_archery=True)).attack_edge) == -1
    assert (P(ride(Rider()).provokes), P(ride(Rider(pace="running")).provokes)) == (1, 0)
    for how in ({"defense": "dodge"}, {"two_handed": True}, {"long_bow": True}, {"straight_ahead": True}):
        with pytest.raises(NotAllowed, match="AE-36"):
            ride(Rider(**how))
    assert P(ride(Rider(straight_ahead=True, reach="long")).obeys) > 0


def test_falling_flat() -> None:
    """AE-37: carefully an action; with one movement 1 damage."""
    assert (drop_prone(carefully=True), drop_prone(carefully=False)) == ((1, 0, 0), (0, 1, 1))


def test_the_list_of_one_action_deeds() -> None:
    """AE-42: sixteen entries, the attack and the parry among them."""
    deeds = one_action_deeds()
    assert len(deeds) == len(set(deeds)) == 16
    assert {"attack", "parry", "stand up from prone", "reload a mechanical bow"} <= set(deeds)
