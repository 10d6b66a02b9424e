"""Whole attacks and the damage of a hit: the case files, the chapter's examples, counting every throw."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import pytest

from rulekit import Dist, E, NotAllowed, P, Roll, StatError, d, dist, stat
from rulekit.games.bumps import (
    Attacker,
    AttackKind,
    AttackReadings,
    BonusDamage,
    DamagePart,
    DamageReadings,
    DamageType,
    Defender,
    Sight,
    Situation,
    Target,
    Tool,
    Weapon,
    attack,
    damage,
)
from tests.cases import game_cases
from tests.games.bumps import brute
from tests.games.bumps.cases import answers, setup

BOTH = ["roll_both", "net_first", "resist_floor_first"]
CASES = game_cases("BU-attack") + game_cases("BU-cover")


def odds(x: Roll[Any]) -> dict[Any, Fraction]:
    shown = dist(x)
    return {outcome: shown.probability(outcome) for outcome in shown.outcomes}


def blow(dice: Dist, bonus: int = 0) -> Attacker:
    return Attacker(weapon=Weapon(damage=(DamagePart(dice=dice, bonus=bonus),)))


def physical(resistance: int = 0, vulnerability: int = 0) -> dict[str, dict[str, int]]:
    return {"resistance": {"physical": resistance}, "vulnerability": {"physical": vulnerability}}


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_cases(case: dict[str, Any]) -> None:
    found, want = answers(case), dict(case["want"])
    if "damage" in want:
        assert found["damage"] == {int(outcome): Fraction(p) for outcome, p in want.pop("damage").items()}
    for name, value in want.items():
        assert found[name] == Fraction(value), name


# -- the chapter's own figures -------------------------------------------------------------------------------


def test_two_through_a_four_and_the_bonus_are_six() -> None:
    """BU-07."""
    # The text lets the defender roll the damage; the one who attacks rolls it.
    met = attack(Attacker(), Defender()).given(attack_bumps=3, defense_bumps=1)
    assert P(met.hit) == 1
    assert odds(met.damage) == {face + 2: Fraction(1, 6) for face in range(1, 7)}
    four = attack(Attacker(), Defender()).given(attack_bumps=3, defense_bumps=1, **{"damage dice": 4})
    assert odds(four.damage) == {6: 1}


def test_twelve_less_nine_is_three() -> None:
    """BU-08."""
    longsword = blow(d({12: 1}))
    hurt = damage(longsword, Target(**physical(resistance=3)))
    assert odds(hurt.damage) == brute.one_type([], 12, resistance=3)
    assert P(hurt.damage == 3) == Fraction(25, 216)  # 9 on 3d6


def test_eight_and_ten_are_eighteen() -> None:
    """BU-09."""
    blast = Attacker(weapon=Weapon(damage=(DamagePart(dice=d({8: 1}), type="mystic"),)))
    golem = Target(resistance={"physical": 3}, vulnerability={"mystic": 2})
    hurt = damage(blast, golem)
    assert odds(hurt.damage) == brute.one_type([], 8, vulnerability=2)
    assert P(hurt.damage == 18) == Fraction(3, 36)  # 10 on 2d6


@pytest.mark.parametrize(
    ("reading", "mean"), [("roll_both", "367/60"), ("net_first", "361/60"), ("resist_floor_first", "296/45")]
)
def test_resistance_and_vulnerability_together(reading: str, mean: str) -> None:
    """BU-09."""
    hurt = damage(blow(d(10), 4), Target(**physical(2, 1)), readings=DamageReadings(both=reading))
    assert E(hurt.damage) == Fraction(mean)


def test_parts_of_one_type_meet_its_dice_once() -> None:
    """BU-10."""
    one = DamagePart(dice=d(8)), DamagePart(dice=d(6))
    hurt = damage(Attacker(weapon=Weapon(damage=one)), Target(**physical(resistance=1)))
    assert E(hurt.damage) == Fraction(1331, 288)
    assert hurt.by_type == ()  # one type: the total says all


# -- damage against counting ----------------------------------------------------------------------------


@pytest.mark.parametrize("both", BOTH)
def test_damage_of_one_type(both: str) -> None:
    """BU-08 and BU-09."""
    for faces, bonus, (resistance, vulnerability) in itertools.product(
        [[6], [4, 8]], [-3, 0, 2], [(0, 0), (1, 0), (0, 2), (2, 1), (1, 2), (2, 2)]
    ):
        dice = sum((d(sides) for sides in faces[1:]), d(faces[0]))
        hurt = damage(
            blow(dice, bonus),
            Target(**physical(resistance, vulnerability)),
            readings=DamageReadings(both=both),
        )
        assert odds(hurt.damage) == brute.one_type(faces, bonus, resistance, vulnerability, both)


def test_each_type_has_its_own_floor() -> None:
    """BU-10."""
    parts = (
        DamagePart(dice=d(4)),
        DamagePart(dice=d(6), type="fire"),
        DamagePart(dice=d(4), bonus=1, type="cold"),
    )
    target = Target(resistance={"physical": 2, "cold": 1}, vulnerability={"fire": 1})
    hurt = damage(Attacker(weapon=Weapon(damage=parts)), target)
    by_type = [
        brute.one_type([4], resistance=2),
        brute.one_type([6], vulnerability=1),
        brute.one_type([4], 1, 1),
    ]
    assert [odds(each.damage) for each in hurt.by_type] == by_type
    assert odds(hurt.damage) == brute.combine(lambda *each: sum(each), *by_type)
    assert [set(odds(each.type)) for each in hurt.by_type] == [
        {DamageType.PHYSICAL}, {DamageType.FIRE}, {DamageType.COLD}
    ]  # fmt: skip


@pytest.mark.parametrize("kind", DamageType)
def test_every_type_meets_its_own_resistance_alone(kind: DamageType) -> None:
    """BU-10."""
    part = DamagePart(dice=d(8), type=kind)
    others = {other: 5 for other in DamageType if other is not kind}
    hurt = damage(Attacker(weapon=Weapon(damage=(part,))), Target(resistance={**others, kind: 1}))
    assert odds(hurt.damage) == brute.one_type([8], resistance=1)


def test_extra_damage_takes_the_type_it_rides_on() -> None:
    """BU-10."""
    target = Target(resistance={"physical": 1, "fire": 2})
    extra = BonusDamage(dice=d(4), bonus=1)
    riding = damage(Attacker(weapon=Weapon(), bonus_damage=(extra,)), target)
    assert odds(riding.damage) == brute.one_type([6, 4], 3, resistance=1)
    own = damage(Attacker(bonus_damage=(extra, BonusDamage(dice=d(6), type="fire"))), target)
    fire = brute.one_type([6], resistance=2)
    assert odds(own.damage) == brute.combine(
        lambda a, b: a + b, brute.one_type([6, 4], 3, resistance=1), fire
    )


@pytest.mark.parametrize("parts", [(), (DamagePart(), DamagePart(type="fire"))])
def test_extra_damage_on_nothing_or_on_several_types_needs_its_type(
    parts: tuple[DamagePart, ...],
) -> None:
    """BU-10."""
    attacker = Attacker(weapon=Weapon(damage=parts), bonus_damage=(BonusDamage(bonus=3),))
    with pytest.raises(NotAllowed, match=r"BU-10: .*attacker.untyped must say"):
        damage(attacker)
    told = damage(Attacker(weapon=attacker.weapon, bonus_damage=attacker.bonus_damage, untyped="holy"))
    holy = damage(
        Attacker(weapon=attacker.weapon, bonus_damage=attacker.bonus_damage, untyped="holy"),
        Target(resistance={"holy": 9}),
    )
    assert E(told.damage) == E(holy.damage) + 3
    if parts:
        assert set(odds(told.by_type[-1].type)) == {DamageType.HOLY}


@pytest.mark.parametrize("extra", ["nothing", "bonus_damage"])
@pytest.mark.parametrize("undefended", ["zero_bumps", "auto_hit"])
@pytest.mark.parametrize("reaction", [True, False])
def test_bumps_beyond_the_first(extra: str, undefended: str, reaction: bool) -> None:
    """BU-07."""
    found = attack(
        Attacker(melee=3),
        Defender(defense=2, **physical(1, 1)),
        reaction=reaction,
        readings=AttackReadings(extra_bumps=extra, undefended=undefended, both="net_first"),
    )
    contest = brute.net_and_hit(brute.pool(3), brute.pool(2) if reaction else None, undefended)
    wanted = brute.attack_damage(
        contest, lambda more: brute.one_type([6], 2 + more, 1, 1, "net_first"), extra
    )
    assert odds(found.damage) == wanted


def test_further_bumps_in_the_damage_of_a_hit() -> None:
    """BU-07."""
    assert E(damage(bumps=4).damage) == Fraction(11, 2)
    assert E(damage(bumps=4, readings=DamageReadings(extra_bumps="bonus_damage")).damage) == Fraction(17, 2)


def test_twenty_resistance_dice_against_ten_damage_dice_are_exact_and_fast() -> None:
    setup = attack.setup(blow(10 @ d(10)), Defender(**physical(resistance=20)))
    found = odds(setup().damage)
    contest = brute.net_and_hit(brute.pool(4), brute.pool(4))
    assert found == brute.attack_damage(
        contest, lambda more: brute.one_type_by_sums([10] * 10, resistance=20)
    )


def test_a_hit_stays_a_hit_at_0() -> None:
    """BU-08."""
    found = attack(blow(d(4)), Defender(**physical(resistance=4)))
    assert P(found.damage == 0, given=found.hit) == 1
    assert P(found.hit) == Fraction(93, 256)
    assert P(damage(blow(d(4)), Target(**physical(resistance=4))).nothing) == 1


def test_resistance_can_be_swept() -> None:
    points = stat("points", range(4))
    means = E(damage(blow(d(8), 3), Target(resistance={"physical": points})).damage, exact=True)
    for resistance in range(4):
        assert means.sel(points=resistance).item() == brute.mean(brute.one_type([8], 3, resistance))


# -- which attack, against what, seen how ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "tool", "rating"),
    [("melee", "nothing", 5), ("ranged", "ranged weapon", 3), ("spellcraft", "focal", 1)],
)
@pytest.mark.parametrize(("targets", "guard"), [("defense", 2), ("save", 4)])
def test_each_attack_its_aptitude_each_defense_its_rating(
    kind: str, tool: str, rating: int, targets: str, guard: int
) -> None:
    """BU-02 and BU-03."""
    weapon = Weapon(attack=kind, tool=tool, targets=targets)
    found = attack(
        Attacker(melee=5, ranged=3, spellcraft=1, bonus=1, weapon=weapon),
        Defender(defense=2, save=4, bonus=-1),
    )
    assert odds(found.attack_bumps) == brute.pool(rating, bonus=1)
    assert odds(found.defense_bumps) == brute.pool(guard, bonus=-1)


@pytest.mark.parametrize(("kind", "needed"), [("ranged", "ranged weapon"), ("spellcraft", "focal")])
def test_without_the_tool_there_is_no_attack(kind: str, needed: str) -> None:
    """BU-02."""
    for tool in Tool:
        attacker = Attacker(weapon=Weapon(attack=kind, tool=tool))
        if tool.value == needed:
            assert P(attack(attacker).hit) == Fraction(93, 256)
            continue
        with pytest.raises(NotAllowed, match=f"BU-02: {kind} needs a {needed}"):
            attack(attacker)


def test_melee_reaches_the_next_space() -> None:
    """BU-02."""
    with pytest.raises(NotAllowed, match="BU-02: melee reaches the adjacent spaces, and the distance is 2"):
        attack(situation=Situation(distance=2))
    bow = Attacker(weapon=Weapon(attack="ranged", tool="ranged weapon"))
    assert P(attack(bow, situation=Situation(distance=30)).hit) == Fraction(93, 256)


RANGED = Attacker(weapon=Weapon(attack="ranged", tool="ranged weapon"))


@pytest.mark.parametrize("advantage", ["twice", "flat", "dice", "drop", "threshold"])
@pytest.mark.parametrize("reaction", [True, False])
def test_cover_leans_on_both_sides_at_once(advantage: str, reaction: bool) -> None:
    """BU-11."""
    found = attack(
        RANGED,
        situation=Situation(sight=Sight.COVER),
        reaction=reaction,
        readings=AttackReadings(advantage=advantage),
    )
    attacking = brute.pool(4, sway=-1, advantage=advantage)
    guarding = brute.pool(4, sway=1, advantage=advantage)
    wanted = brute.net_and_hit(attacking, guarding if reaction else None)
    assert P(found.hit) == sum(p for (_, hit), p in wanted.items() if hit)


def test_cover_and_advantage_cancel_on_each_side_by_itself() -> None:
    """BU-12."""
    behind = Situation(sight=Sight.COVER)
    aimed = attack(Attacker(weapon=RANGED.weapon, advantage=True), situation=behind)
    assert odds(aimed.attack_bumps) == brute.pool(4)
    assert odds(aimed.defense_bumps) == brute.pool(4, sway=1)
    hampered = attack(RANGED, Defender(disadvantage=True), behind)
    assert odds(hampered.attack_bumps) == brute.pool(4, sway=-1)
    assert odds(hampered.defense_bumps) == brute.pool(4)


def test_cover_against_a_blow_is_a_reading() -> None:
    """BU-11."""
    behind = Situation(sight=Sight.COVER)
    assert odds(attack(situation=behind).attack_bumps) == brute.pool(4, sway=-1)
    ignored = attack(situation=behind, readings=AttackReadings(melee_cover="ignored"))
    assert (odds(ignored.attack_bumps), odds(ignored.defense_bumps)) == (brute.pool(4), brute.pool(4))
    shot = attack(RANGED, situation=behind, readings=AttackReadings(melee_cover="ignored"))
    assert odds(shot.attack_bumps) == brute.pool(4, sway=-1)


@pytest.mark.parametrize("kind", AttackKind)
def test_no_line_no_attack_but_a_blow_finds_its_way(kind: AttackKind) -> None:
    """BU-13."""
    tool = {"melee": "nothing", "ranged": "ranged weapon", "spellcraft": "focal"}[kind.value]
    attacker = Attacker(weapon=Weapon(attack=kind, tool=tool))
    with pytest.raises(NotAllowed, match="BU-13: the target is hidden"):
        attack(attacker, situation=Situation(obscured=True))
    no_line = Situation(sight=Sight.NO_LINE)
    if kind is AttackKind.MELEE:
        assert odds(attack(attacker, situation=no_line).attack_bumps) == brute.pool(4, sway=-1)
    else:
        with pytest.raises(NotAllowed, match="BU-13: there is no line of sight"):
            attack(attacker, situation=no_line)


def test_the_blow_that_takes_the_last_hit_points() -> None:
    """BU-14."""
    found = attack(blow(d(6), 2), Defender(hp=6))
    assert P(found.defeats) == P(found.damage >= 6) == Fraction(93, 256) * Fraction(1, 2)


def test_an_input_that_no_adapter_knows_is_refused() -> None:
    with pytest.raises(KeyError, match="armour"):
        setup({"attack_pool": 1, "defense_pool": 1, "armour": 3})


def test_what_is_no_damage_is_refused() -> None:
    with pytest.raises(StatError, match="is no damage"):
        DamagePart(dice=d({"ouch": 1}))
