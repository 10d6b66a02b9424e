"""After the hit: effects, wounds, bleeding turn by turn, consciousness, death."""

from __future__ import annotations

from fractions import Fraction

import pytest

from rulekit import E, P
from rulekit.games.adventures_edge import Fighter, Sufferer, Target, attack, decline, effects
from rulekit.games.adventures_edge.after_the_hit import DeclineReadings, EffectsReadings
from rulekit.rules import shipped
from tests.games.adventures_edge import brute
from tests.games.adventures_edge.cases import odds


@pytest.mark.parametrize("beyond", ["stop", "cycle"])
@pytest.mark.parametrize("kind", list(brute.EFFECTS))
def test_effects(kind: str, beyond: str) -> None:
    """AE-19: every type at every number of points."""
    for points in range(41):
        found = effects(points, kind, readings=EffectsReadings(effects_beyond_list=beyond))
        assert (E(found.bleeding), E(found.stun)) == brute.effects(points, kind, cycle=beyond == "cycle")


def test_the_chapters_effects() -> None:
    """AE-19: slash 7 B, slash 13 B S, pierce 14 B B; slash 15 leaves the goblin bleeding 2 in all."""
    assert [E(x) for x in (effects(7, "slash").bleeding, effects(7, "slash").stun)] == [1, 0]
    assert [E(x) for x in (effects(13, "slash").bleeding, effects(13, "slash").stun)] == [1, 1]
    assert [E(x) for x in (effects(14, "pierce").bleeding, effects(14, "pierce").stun)] == [2, 0]
    assert E(effects(7, "slash").bleeding) + E(effects(15, "slash").bleeding) == 2


def test_effects_of_the_base_damage() -> None:
    """AE-19: `effects_from`: the chapter calls the 5 below the 7 what inflicts the bleeding."""
    base = EffectsReadings(effects_from="base")
    assert E(effects(7, "slash", base_damage=5, readings=base).bleeding) == 1
    assert E(effects(7, "slash", base_damage=4, readings=base).bleeding) == 0
    assert E(effects(7, "slash", base_damage=4).bleeding) == 1


def test_size() -> None:
    """AE-19: none for creatures larger than medium, unless a step is set."""
    assert E(effects(20, "crush", medium_or_smaller=False).stun) == 0
    assert E(effects(20, "crush", medium_or_smaller=False, step=10).stun) == 2


def test_wounds() -> None:
    """AE-19: of criticals alone; by fives, or major where the damage reaches the Toughness."""
    names = [
        next(iter(odds(effects(points, "slash", critical=True).wound))) for points in (4, 5, 9, 10, 14, 15)
    ]
    assert names == ["none", "minor", "minor", "major", "major", "mortal"]
    assert odds(effects(30, "slash").wound) == {"none": 1}
    tough = EffectsReadings(wounds="toughness")
    for points, name in ((11, "none"), (12, "major"), (40, "major")):
        assert odds(effects(points, "slash", critical=True, toughness=12, readings=tough).wound) == {name: 1}


def test_turns_left_of_the_chapters_goblins() -> None:
    """AE-20, AE-21: Constitution 14 dies at -15. From -8 losing 3, the third turn; losing 2, the fourth.

    Errata 3: the goblin's own turn passed with 1 bleeding unpaid, so it stands at -9, not the printed -8;
    the printed three rounds fit 2 a turn from there, or 3 a turn from -8.
    """
    printed = Sufferer(health=-8, bleeding=3, constitution=14)
    assert E(decline(printed).turns_to_death) == 3
    assert E(decline(Sufferer(health=-8, bleeding=2)).turns_to_death) == 4
    first, second = 7, 15
    unpaid = 14 - first - 1 - second
    assert unpaid == -9
    assert E(decline(Sufferer(health=unpaid, bleeding=2)).turns_to_death) == 3


def test_errata_of_the_second_goblin() -> None:
    """AE-28 and AE-21. Errata 5: the second pressed attack takes +6 for +7 and leaves out the +2: by rule
    12 + 7 + 3 is 22 on 15, 7 + 2 = 9, printed 6. Errata 6: after 13 and 6 "lost 16"; by rule 13 + 9 = 22 of
    15 health points."""
    brawn, goblin = shipped(Fighter)["Brawn"].model, shipped(Target)["second goblin"].model
    pressed = attack(brawn, goblin, {"attack_modifier": 3, "defends": "parry"}).given(natural=18)
    again = attack(brawn, goblin, {"attack_modifier": 3}).given(natural=12)
    assert (E(pressed.total), E(pressed.damage), E(again.total), E(again.damage)) == (28, 13, 22, 9)
    assert E(again.damage) != 6
    lost = E(pressed.damage) + E(again.damage)
    assert lost == 22
    assert goblin.health - lost == -7
    assert (E(pressed.bleeding), E(pressed.stun), E(again.bleeding)) == (1, 1, 1)


def test_staying_conscious_at_minus_1_is_dl_11() -> None:
    """AE-21: worked."""
    down = decline(Sufferer(health=-1, bleeding=1, discipline=0))
    awake = brute.meets(0, 11)
    assert P(down.conscious_to_the_end) == awake == Fraction(1, 2)


@pytest.mark.parametrize("reading", ["once", "each_turn"])
@pytest.mark.parametrize("down_at", ["below_zero", "zero"])
@pytest.mark.parametrize(("health", "bleeding", "discipline"), [(14, 2, 0), (9, 3, 5), (1, 1, 8), (4, 4, 2)])
def test_decline(health: int, bleeding: int, discipline: int, down_at: str, reading: str) -> None:
    """AE-20, AE-21: `down_at`, `stay_conscious`, turn by turn."""
    one = Sufferer(health=health, bleeding=bleeding, constitution=9, discipline=discipline)
    found = decline(one, DeclineReadings(down_at=down_at, stay_conscious=reading))
    assert odds(found.turns_to_death) == {brute.turns_left(health, bleeding, 9): 1}
    awake = brute.turns_awake(
        health,
        bleeding,
        9,
        discipline,
        each_turn=reading == "each_turn",
        down_at=0 if down_at == "zero" else -1,
    )
    assert odds(found.turns_conscious) == awake


def test_magic_stops_the_bleeding() -> None:
    """AE-20: what was lost by then is counted apart; nothing restores it."""
    saved = decline(Sufferer(health=-8, bleeding=3, stopped_after=2))
    assert (P(saved.dies), E(saved.turns_to_death), E(saved.not_restored)) == (0, 0, 6)
    late = decline(Sufferer(health=-8, bleeding=3, stopped_after=3))
    assert (P(late.dies), E(late.turns_to_death), E(late.not_restored)) == (1, 3, 9)
