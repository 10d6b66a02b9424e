"""Bump rolls, Advantage and the contest, against counting every throw."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from rulekit import Dist, E, NotAllowed, P, Roll, StatError, d, dist, joint, stat
from rulekit.games.bumps import (
    AnyDistribution,
    BumpAdvantage,
    BumpRoll,
    Contender,
    ContestReadings,
    Ladder,
    Pool,
    RollUnder,
    contest,
)
from rulekit.rolls import dice
from tests.games.bumps import brute

LEANINGS = [(False, False, 0), (True, False, 1), (False, True, -1), (True, True, 0)]

# BU-04 and BU-12: a Bump roll, the counted throws of it, and the readings of Advantage that it knows
ROLLS: list[tuple[str, BumpRoll, Any, list[str]]] = [
    ("pool", Pool(), brute.pool, ["twice", "flat", "dice", "drop", "threshold"]),
    (
        "pool of d8, 7+, 8 doubles, bonus as Bumps",
        Pool(die=8, bump_on=7, top_counts_double=True, bonus_as="bumps"),
        lambda n, **more: brute.pool(n, 8, 7, double=True, bonus_as="bumps", **more),
        ["twice", "flat", "dice", "drop", "threshold"],
    ),
    (
        "pool that always bumps",
        Pool(die=4, bump_on=1),
        lambda n, **more: brute.pool(n, 4, 1, **more),
        ["twice", "threshold"],
    ),
    (
        "pool that never bumps",
        Pool(die=4, bump_on=5),
        lambda n, **more: brute.pool(n, 4, 5, **more),
        ["twice", "threshold"],
    ),
    ("ladder", Ladder(), brute.ladder, ["twice", "flat", "threshold"]),
    (
        "steep ladder",
        Ladder(base=14, step=2),
        lambda n, **more: brute.ladder(n, 14, 2, **more),
        ["twice", "flat", "threshold"],
    ),
    (
        "roll under",
        RollUnder(base=9),
        lambda n, **more: brute.roll_under(9 + n, **more),
        ["twice", "flat", "threshold"],
    ),
    (
        "any",
        AnyDistribution(attack=d({-1: 1, 0: 2, 3: 1}), defense=d(4)),
        lambda n, **more: brute.any_distribution(
            {-1: Fraction(1, 4), 0: Fraction(1, 2), 3: Fraction(1, 4)}, **more
        ),
        ["twice", "flat"],
    ),
]
KNOWN = [(name, roll, counted, reading) for name, roll, counted, known in ROLLS for reading in known]
UNKNOWN = [
    (roll, reading)
    for roll, known in [(Ladder(), "threshold"), (RollUnder(), "threshold"), (AnyDistribution(), "none")]
    for reading in ("dice", "drop", "threshold")
    if reading != known
]


def probabilities(shown: Dist) -> dict[Any, Fraction]:
    return {outcome: shown.probability(outcome) for outcome in shown.outcomes}


def odds(x: Roll[Any]) -> dict[Any, Fraction]:
    return probabilities(dist(x))


@pytest.mark.parametrize(
    ("name", "roll", "counted", "reading"), KNOWN, ids=[f"{n}-{r}" for n, _, _, r in KNOWN]
)
def test_every_bump_roll_in_every_reading(name: str, roll: BumpRoll, counted: Any, reading: str) -> None:
    """BU-04 and BU-12."""
    for rating in (0, 1, 3):
        for bonus in (-2, 0, 2):
            for advantage, disadvantage, sway in LEANINGS:
                side = Contender(rating=rating, bonus=bonus, advantage=advantage, disadvantage=disadvantage)
                found = contest(
                    side, bump_roll=roll, readings=ContestReadings(advantage=reading)
                ).attack_bumps
                assert odds(found) == counted(rating, bonus=bonus, sway=sway, advantage=reading), (
                    side,
                    reading,
                )


@pytest.mark.parametrize(("roll", "reading"), UNKNOWN)
def test_a_reading_that_means_nothing_to_a_bump_roll_is_refused(roll: BumpRoll, reading: str) -> None:
    """BU-12."""
    readings = ContestReadings(advantage=reading)
    with pytest.raises(NotAllowed, match=rf"BU-12: Advantage as '{reading}' does nothing"):
        contest(Contender(advantage=True), bump_roll=roll, readings=readings)
    # without Advantage the reading is of no matter
    assert odds(contest(bump_roll=roll, readings=readings).net) == odds(contest(bump_roll=roll).net)


def test_three_against_one_lets_two_through() -> None:
    """BU-05 and BU-06."""
    clash = contest().given(attack_bumps=3, defense_bumps=1)
    assert (E(clash.net), P(clash.hit)) == (2, 1)
    assert P(contest().given(attack_bumps=1, defense_bumps=1).hit) == 0


@pytest.mark.parametrize("undefended", ["zero_bumps", "auto_hit"])
@pytest.mark.parametrize("reaction", [True, False])
@pytest.mark.parametrize("roll", [Pool(), RollUnder()])
def test_net_bumps_and_hit(undefended: str, reaction: bool, roll: BumpRoll) -> None:
    """BU-05 and BU-06."""
    counted = brute.pool if isinstance(roll, Pool) else lambda rating: brute.roll_under(8 + rating)
    for attack in range(5):
        for defense in range(4):
            found = contest(
                Contender(rating=attack),
                Contender(rating=defense),
                reaction=reaction,
                bump_roll=roll,
                readings=ContestReadings(undefended=undefended),
            )
            wanted = brute.net_and_hit(counted(attack), counted(defense) if reaction else None, undefended)
            assert probabilities(joint(found.net, found.hit)) == wanted


def test_a_d20_is_known_by_its_side() -> None:
    """BU-04."""
    found = contest(bump_roll=Ladder(base=10, step=5)).given(**{"attack d20": 16, "defense d20": 5})
    assert (E(found.attack_bumps), E(found.defense_bumps), P(found.hit)) == (3, 0, 1)


def test_the_map_over_both_pools_is_the_contest_at_each_place() -> None:
    attack, defense = stat("attack", range(5)), stat("defense", range(4))
    found = P(contest(Contender(rating=attack), Contender(rating=defense)).hit, exact=True)
    for a in range(5):
        for b in range(4):
            wanted = brute.net_and_hit(brute.pool(a), brute.pool(b))
            assert found.sel(attack=a, defense=b).item() == sum(p for (_, hit), p in wanted.items() if hit)


@pytest.mark.parametrize("reading", BumpAdvantage)
def test_the_dice_of_a_pool_can_be_swept_in_every_reading(reading: BumpAdvantage) -> None:
    faces, least = stat("faces", [4, 6]), stat("least", [2, 4])
    found = contest(
        Contender(rating=2, advantage=True),
        bump_roll=Pool(die=faces, bump_on=least),
        readings=ContestReadings(advantage=reading),
    )
    shown = E(found.attack_bumps, exact=True)
    for die in (4, 6):
        for bump_on in (2, 4):
            wanted = brute.mean(brute.pool(2, die, bump_on, sway=1, advantage=reading.value))
            assert shown.sel(faces=die, least=bump_on).item() == wanted


def test_every_result_names_its_bump_roll_and_the_default_says_that_it_is_a_convenience() -> None:
    (told,) = contest().notes
    assert "Pool of d6, a Bump on 4 or more" in told
    assert "convenience" in told
    for roll in (Ladder(), RollUnder(), AnyDistribution()):
        (told,) = contest(bump_roll=roll).notes
        assert told.startswith("Bump roll: ")
        assert "Pool" not in told


def test_a_fifth_bump_roll_is_a_class_with_one_method() -> None:
    class Swords(BumpRoll):
        """d10s; a 10 is two Bumps, a 1 takes one away."""

        def once(self, rating: int, bonus: int, side: Any) -> Roll[int]:
            return dice(rating + bonus, d({-1: 1, 0: 5, 1: 3, 2: 1}))

    setup = contest.setup(bump_roll="Swords")
    assert setup.get("bump_roll.kind") == "Swords"
    one = {-1: Fraction(1, 10), 0: Fraction(1, 2), 1: Fraction(3, 10), 2: Fraction(1, 10)}
    plain = brute.combine(lambda *bumps: max(0, sum(bumps)), one, one, one)
    assert odds(setup.at({"attack.rating": 3})().attack_bumps) == plain
    twice = setup.at({"attack.rating": 3, "attack.advantage": True})
    assert odds(twice().attack_bumps) == brute.combine(max, plain, plain)


def test_a_bump_roll_takes_whole_bumps_only() -> None:
    with pytest.raises(StatError, match="is no number of Bumps"):
        AnyDistribution(attack=d({"many": 1}))
    with pytest.raises(StatError, match=r"Pool\.die: 1 is below 2"):
        Pool(die=1)
