"""Which attack to answer, and how long a creature lasts: against every choice and every round."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rulekit import E, NotAllowed, NotAValue, P, StatError, d, dist, roll
from rulekit.games.bumps import (
    Attacker,
    AttackReadings,
    DamagePart,
    Defender,
    Pace,
    ReactionsReadings,
    Situation,
    Weapon,
    attack,
    defeat,
    reactions,
)
from rulekit.studies import sweep
from tests.games.bumps import brute


def monk(rating: int, dice: int = 6, bonus: int = 2) -> Attacker:
    return Attacker(melee=rating, weapon=Weapon(damage=(DamagePart(dice=d(dice), bonus=bonus),)))


ATTACKERS = monk(2), monk(4, 8), monk(3, 4, 0), monk(1, 10, 5)
GUARD = 2


def counted() -> list[tuple[brute.Odds, brute.Odds, Fraction]]:
    """Each attack's Bumps, the guard's against it, and the mean damage of its hit."""
    hurts = [brute.one_type([faces], bonus) for faces, bonus in [(6, 2), (8, 2), (4, 0), (10, 5)]]
    return [
        (brute.pool(rating), brute.pool(GUARD), brute.mean(hurt))
        for rating, hurt in zip((2, 4, 3, 1), hurts, strict=True)
    ]


def mean_damage(bumps: brute.Odds, guard: brute.Odds | None, hurt: Fraction, undefended: str) -> Fraction:
    hits = (p for (_, hit), p in brute.net_and_hit(bumps, guard, undefended).items() if hit)
    return sum(hits, Fraction(0)) * hurt


@pytest.mark.parametrize("undefended", ["zero_bumps", "auto_hit"])
@pytest.mark.parametrize("has", range(6))
def test_the_best_attacks_to_answer(has: int, undefended: str) -> None:
    """BU-15."""
    answered = [mean_damage(bumps, guard, hurt, undefended) for bumps, guard, hurt in counted()]
    unanswered = [mean_damage(bumps, None, hurt, undefended) for bumps, _, hurt in counted()]
    means = [brute.least_mean(answered, unanswered, left) for left in (0, has, has + 1)]
    found = reactions(
        ATTACKERS, Defender(defense=GUARD), reactions=has, readings=ReactionsReadings(undefended=undefended)
    )
    assert E(found.damage) == means[1]
    assert (E(found.saved), E(found.one_more)) == (means[0] - means[1], means[1] - means[2])
    gains = [without - with_it for with_it, without in zip(answered, unanswered, strict=True)]
    assert [E(each.gain) for each in found.attacks] == gains
    assert dist(found.best).outcomes == (f"attack {gains.index(max(gains)) + 1}",)
    assert sum(P(each.answered) for each in found.attacks) == min(has, 4)


@pytest.mark.parametrize("undefended", ["zero_bumps", "auto_hit"])
@pytest.mark.parametrize("has", range(5))
def test_choosing_when_the_bumps_are_known(has: int, undefended: str) -> None:
    """BU-15."""
    readings = ReactionsReadings(undefended=undefended, timing="after_the_roll")
    found = reactions(ATTACKERS, Defender(defense=GUARD), reactions=has, readings=readings)
    means = [brute.least_mean_seeing(counted(), left, undefended) for left in (0, has, has + 1)]
    assert E(found.damage) == means[1]
    assert (E(found.saved), E(found.one_more)) == (means[0] - means[1], means[1] - means[2])
    # knowing more never does harm
    unseen = ReactionsReadings(undefended=undefended)
    assert means[1] <= E(reactions(ATTACKERS, Defender(defense=GUARD), reactions=has, readings=unseen).damage)


def test_the_whole_distribution_of_a_round() -> None:
    """BU-15."""
    found = reactions(ATTACKERS, Defender(defense=GUARD, hp=12), reactions=1)
    each = []
    for place, ((bumps, guard, _), hurt) in enumerate(
        zip(counted(), [([6], 2), ([8], 2), ([4], 0), ([10], 5)], strict=True)
    ):
        answered = dist(found.attacks[place].answered).outcomes == (True,)
        contest = brute.net_and_hit(bumps, guard if answered else None)
        each.append(brute.attack_damage(contest, lambda extra, hurt=hurt: brute.one_type(*hurt)))
    wanted = brute.combine(lambda *all: sum(all), *each)
    shown = dist(found.damage)
    assert {outcome: shown.probability(outcome) for outcome in shown.outcomes} == wanted
    assert P(found.defeated) == sum(p for outcome, p in wanted.items() if outcome >= 12)


def test_reactions_and_ratings_can_be_swept() -> None:
    setup = reactions.setup(ATTACKERS[:2], Defender(defense=GUARD))
    over = {"reactions": range(3), "defender.defense": range(3)}
    swept = sweep(setup, over, ["one_more", "damage"], exact=True)
    for has in range(3):
        for guard in range(3):
            there = setup.at({"reactions": has, "defender.defense": guard})()
            at = {"reactions": has, "defender.defense": guard}
            assert swept.grids["one_more"].at(**at) == E(there.one_more)
            assert swept.grids["damage"].at(**at) == E(there.damage)


def test_eight_attacks_at_most() -> None:
    """BU-15."""
    crowd = tuple(monk(rating) for rating in (1, 2, 3, 4, 5, 6, 7, 8))
    readings = ReactionsReadings(timing="after_the_roll")
    found = reactions(crowd, reactions=3, readings=readings)
    assert E(found.damage) == E(reactions(crowd, reactions=0).damage) - E(found.saved)
    with pytest.raises(StatError, match="there are 9; 1 to 8"):
        reactions((*crowd, monk(1)))


# -- BU-14 ---------------------------------------------------------------------------------------------------


def a_round(attacks: int, answered: int, extra: str = "nothing") -> brute.Odds:
    guards = [brute.pool(4) if place < answered else None for place in range(attacks)]
    blows = [
        brute.attack_damage(
            brute.net_and_hit(brute.pool(5), guard), lambda more: brute.one_type([6], 2 + more, 1), extra
        )
        for guard in guards
    ]
    return brute.combine(lambda *all: sum(all), *blows)


@pytest.mark.parametrize("extra", ["nothing", "bonus_damage"])
@pytest.mark.parametrize(("attacks", "has"), [(1, 1), (1, 0), (2, 1), (2, 5)])
def test_rounds_to_defeat(attacks: int, has: int, extra: str) -> None:
    """BU-14."""
    for rounds in (1, 3, 7):
        found = defeat(
            Attacker(melee=5),
            Defender(hp=15, resistance={"physical": 1}),
            pace=Pace(attacks=attacks, reactions=has),
            rounds=rounds,
            readings=AttackReadings(extra_bumps=extra),
        )
        wanted = a_round(attacks, min(has, attacks), extra)
        shown = dist(found.round_damage)
        assert {outcome: shown.probability(outcome) for outcome in shown.outcomes} == wanted
        assert P(found.within) == P(found.rounds <= rounds) == brute.defeated_within(15, wanted, rounds)
        assert E(found.mean_rounds) == brute.mean_rounds(15, wanted)


def test_what_takes_more_than_forty_rounds_is_told_as_one() -> None:
    """BU-14."""
    found = defeat(monk(1), Defender(defense=6, hp=60))
    within = brute.defeated_within(
        60,
        brute.attack_damage(
            brute.net_and_hit(brute.pool(1), brute.pool(6)), lambda more: brute.one_type([6], 2)
        ),
        40,
    )
    assert P(found.rounds == 41) == 1 - within > Fraction(1, 2)
    assert E(found.mean_rounds) > 40


def test_what_never_ends_is_refused() -> None:
    """BU-14."""
    with pytest.raises(NotAllowed, match="BU-14: these attacks never do any damage"):
        defeat(Attacker(melee=0))


def test_hit_points_can_be_swept() -> None:
    """BU-14."""
    setup = defeat.setup()
    swept = sweep(setup, {"defender.hp": range(5, 9)}, ["mean_rounds"], exact=True)
    for hp in range(5, 9):
        assert swept.grids["mean_rounds"].at(**{"defender.hp": hp}) == E(
            setup.at({"defender.hp": hp})().mean_rounds
        )


def test_a_round_of_attacks_keeps_to_the_rules_of_attack() -> None:
    """BU-13."""
    far = Situation(distance=5)
    for refused in (
        lambda: reactions(situation=far),
        lambda: defeat(situation=far),
        lambda: attack(situation=far),
    ):
        with pytest.raises(NotAllowed, match="BU-02"):
            refused()


def test_a_roll_from_outside_has_no_place_where_odds_are_worked_with() -> None:
    mood = roll(d(6), "mood")
    with pytest.raises(NotAValue, match=r"attackers\.1\.melee is the Roll mood"):
        reactions((monk(2), Attacker(melee=mood)))
    with pytest.raises(NotAValue, match=r"defender\.resistance\.physical is the Roll mood"):
        defeat(defender=Defender(resistance={"physical": mood}))
