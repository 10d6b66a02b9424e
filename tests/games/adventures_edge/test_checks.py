"""Before the fight: reaction, diplomacy, initiative, actions, morale. Worked examples, brute force."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from rulekit import E, P, StatError
from rulekit.games.adventures_edge import (
    Adventurer,
    Combatant,
    Encounter,
    Events,
    GameMaster,
    Leader,
    Npc,
    Party,
    Talker,
    actions,
    diplomacy,
    initiative,
    morale,
    morale_of_a_fight,
    parley,
    reaction,
)
from rulekit.games.adventures_edge.checks import DiplomacyReadings, ParleyReadings, ReactionReadings
from rulekit.games.adventures_edge.nerve import MoraleReadings, morale_modifier
from rulekit.games.adventures_edge.turns import ActionsReadings, InitiativeReadings, initiative_bonus
from tests.games.adventures_edge import brute
from tests.games.adventures_edge.cases import odds

# -- reaction and diplomacy -------------------------------------------------------------------------------

SITUATION = {
    "in_their_territory": (-1, 5),
    "hostility_shown": (-1, 5),
    "hunting_or_raiding": (-1, 0),
    "guarding_young_or_valuables": (-1, 5),
    "non_aggressive_intent": (1, 0),
    "clear_advantage": (1, 0),
}


def test_the_gnolls_are_likely_hostile() -> None:
    """AE-01: hunting, so the lower of 7 and 10; Diplomacy DL 20."""
    met = reaction(Encounter(hunting_or_raiding=True))
    assert P(met.natural <= 7) == 1 - Fraction(13, 20) ** 2  # two dice, the lower
    seen = met.given(natural=7)
    assert (odds(seen.reaction), E(seen.diplomacy_dl)) == ({"likely hostile": 1}, 20)
    assert (P(seen.may_talk), P(seen.initiative)) == (1, 0)


@pytest.mark.parametrize("applies", [c for c in product((False, True), repeat=6) if -3 <= sum(c) <= 4])
def test_every_situation(applies: tuple[bool, ...]) -> None:
    """AE-01: six modifiers of Edge and difficulty, added up."""
    found = dict(zip(SITUATION, applies, strict=True))
    edge = sum(SITUATION[name][0] for name in found if found[name])
    harder = sum(SITUATION[name][1] for name in found if found[name])
    met = reaction(Encounter(**found))
    natural = brute.natural(edge)
    assert odds(met.reaction) == brute.push(natural, lambda die: brute.reaction_row(die)[0])
    assert odds(met.diplomacy_dl) == brute.push(natural, lambda die: brute.reaction_row(die)[1] + harder)


@pytest.mark.parametrize("reading", ["no", "yes"])
def test_talking_to_the_immediately_hostile(reading: str) -> None:
    """AE-01: `diplomacy_when_hostile`."""
    met = reaction(readings=ReactionReadings(diplomacy_when_hostile=reading))
    assert P(met.may_talk) == (Fraction(19, 20) if reading == "no" else 1)
    assert E(met.given(natural=1).diplomacy_dl) == 30


def test_laurel_and_calliope_succeed() -> None:
    """AE-02, AE-03: 6 and 10 at +1 Edge, 10 + 7 = 17; the helper's half of 9 is 5: 22 against 20. Errata 1:
    her 7 and 9 are 16, printed as 15; either reaches 10."""
    talk = diplomacy(Talker(influence=7, assisted=True, helper=9), 20)
    seen = talk.given(natural=10, helper=7)
    assert (E(seen.total), P(seen.success), P(seen.helped)) == (22, 1, 1)
    assert 7 + 9 == 16
    assert P(talk.given(natural=10, helper=6).helped) == 1  # the printed 15 would have been enough
    assert P(talk.given(natural=10, helper=1).helped) == 1  # and so is 10 itself
    assert E(diplomacy(Talker(influence=7), 20).given(natural=10).total) == 17


@pytest.mark.parametrize("edge_reading", ["proficiency", "assisted"])
@pytest.mark.parametrize("half", ["reach", "beat"])
@pytest.mark.parametrize(("proficient", "helper"), [(True, None), (True, 4), (False, 4), (False, -3)])
def test_diplomacy_readings(edge_reading: str, half: str, proficient: bool, helper: int | None) -> None:
    """AE-02, AE-03: `diplomacy_edge`, `assist_half`; odd difficulties too, whose half is compared exactly."""
    assisted = helper is not None
    edge = int(proficient if edge_reading == "proficiency" else assisted)
    for dl in (9, 16, 21):
        talk = diplomacy(
            Talker(influence=3, proficient=proficient, assisted=assisted, helper=helper or 0),
            dl,
            DiplomacyReadings(diplomacy_edge=edge_reading, assist_half=half),
        )
        assert P(talk.success) == brute.diplomacy(3, edge, dl, helper, beat=half == "beat")


@pytest.mark.parametrize("reading", ["no", "yes"])
def test_parley_is_a_reaction_and_then_a_talk(reading: str) -> None:
    """AE-01, AE-02, AE-03 in a row: the difficulty is that of the reaction rolled."""
    met = parley(
        Encounter(in_their_territory=True),
        Talker(influence=5, proficient=False),
        ParleyReadings(diplomacy_when_hostile=reading),
    )
    peace = fight = Fraction(0)
    for die, p in brute.natural(-1).items():
        if die == 1 and reading == "no":
            fight += p
        else:
            peace += p * brute.diplomacy(5, 0, brute.reaction_row(die)[1] + 5, None)
    assert P(met.peace) == peace
    assert odds(met.ending).get("fight at once", 0) == fight


# -- initiative and actions -------------------------------------------------------------------------------


def test_initiative_bonus() -> None:
    """AE-04."""
    assert initiative_bonus(2, 1) == 3
    assert initiative_bonus(2, 1, -1) == 2


def named(order: tuple[str, ...]) -> str:
    """The order of brute force in the words of the rule."""
    words = {"gm0": "monsters", "gm1": "allies"}
    return ", ".join(words.get(name, f"character {int(name[2:] or 0) + 1}") for name in order)


@pytest.mark.parametrize(
    ("pcs", "monsters", "allies", "second"),
    [
        ((3, 1), 2, None, "last"),
        ((2, 2), 2, None, "own_place"),
        ((0,), 0, 0, "last"),
        ((1,), 1, 3, "own_place"),
        ((2, 2), 2, 2, "own_place"),
        ((2, 0), 1, 2, "last"),
    ],
)
def test_every_order(pcs: tuple[int, ...], monsters: int, allies: int | None, second: str) -> None:
    """AE-04: every order, each first, each in each place, ties by bonus and then by roll-off."""
    gm = GameMaster(monsters=monsters, with_allies=allies is not None, allies=allies or 0)
    turn = initiative(
        Party(members=[Adventurer(bonus=bonus) for bonus in pcs]),
        gm,
        readings=InitiativeReadings(second_gm_side=second),
    )
    sides = [(monsters, 1)] + ([] if allies is None else [(allies, 1)])
    found = brute.turn_orders(pcs, sides, own_place=second == "own_place")
    assert odds(turn.order) == brute.push(found, named)
    assert P(turn.party_first) == brute.chance(found, lambda order: order[0].startswith("pc"))
    for i, character in enumerate(turn.characters):
        assert odds(character.place) == brute.push(found, lambda order, i=i: order.index(f"pc{i}") + 1)
        assert P(character.first) == brute.chance(found, lambda order, i=i: order[0] == f"pc{i}")
    for i, side in enumerate(turn.sides):
        assert odds(side.place) == brute.push(found, lambda order, i=i: order.index(f"gm{i}") + 1)


def test_the_gm_rolls_for_each() -> None:
    """AE-04: `gm_rolls`: the best of as many dice as there are creatures."""
    turn = initiative(
        Party(members=[Adventurer(bonus=3)]),
        GameMaster(monsters=1, monster_count=3),
        readings=InitiativeReadings(gm_rolls="each"),
    )
    assert odds(turn.order) == brute.push(brute.turn_orders((3,), [(1, 3)]), named)


def test_rounds_with_the_party_first() -> None:
    """AE-04: every round afresh, so the rounds are a binomial."""
    turn = initiative(Party(members=[Adventurer(bonus=0)]), GameMaster(monsters=0), rounds=4)
    assert odds(turn.rounds_party_first) == {k: Fraction(n, 16) for k, n in enumerate((1, 4, 6, 4, 1))}


def test_a_party_of_eight() -> None:
    """AE-04: of eight equal characters and two sides each is first as often."""
    turn = initiative(
        Party(members=[Adventurer(bonus=2)] * 8), GameMaster(monsters=2, with_allies=True, allies=2)
    )
    assert P(turn.characters[4].first) == Fraction(1, 10)  # ten equal rolls, ties by roll-off
    assert P(turn.party_first) == Fraction(8, 10)
    with pytest.raises(StatError):
        Party(members=[Adventurer()] * 9)


@pytest.mark.parametrize("stun", range(6))
@pytest.mark.parametrize("surplus", ["next_round", "lost"])
def test_actions(stun: int, surplus: str) -> None:
    """AE-05, AE-06: 2 + [20] - [1] - stun, never below 0; `stun_surplus`."""
    turn = actions(Combatant(stun=stun), ActionsReadings(stun_surplus=surplus))
    found = brute.actions(stun)
    assert odds(turn.this_round) == brute.push(found, lambda pair: pair[0])
    after = brute.tally(
        (left, p * q)
        for (_, lost), p in found.items()
        for (left, _), q in brute.actions(lost if surplus == "next_round" else 0).items()
    )
    assert odds(turn.next_round) == after


def test_naturals_of_initiative() -> None:
    """AE-05: an inspired one may combine two actions and has one more; at none the movement remains."""
    turn = actions(Combatant())
    assert [E(turn.given(natural=die).this_round) for die in (1, 2, 19, 20)] == [1, 2, 2, 3]
    assert E(actions(Combatant(stun=1)).given(natural=1).this_round) == 0
    assert E(actions(Combatant(reactions=1)).given(natural=10).this_round) == 1  # the goblin that parried


@pytest.mark.parametrize(
    ("reading", "standing", "companions", "up", "down"),
    [
        ("random", "between", 3, Fraction(1, 80), Fraction(1, 80)),
        ("best_and_worst", "highest", 3, Fraction(1, 20), 0),
        ("best_and_worst", "lowest", 3, 0, Fraction(1, 20)),
        ("best_and_worst", "between", 3, 0, 0),
        ("best_and_worst", "between", 0, Fraction(1, 20), Fraction(1, 20)),
    ],
)
def test_the_gms_naturals_touch_one(reading: str, standing: str, companions: int, up: Any, down: Any) -> None:
    """AE-05: `gm_natural`."""
    one = Combatant(controlled_by_gm=True, companions=companions, standing=standing)
    turn = actions(one, ActionsReadings(gm_natural=reading))
    assert (P(turn.inspired), P(turn.off_balance)) == (up, down)


# -- morale -----------------------------------------------------------------------------------------------


def test_morale_triggers() -> None:
    """AE-08: each alone, and `morale_pairs` where two steps of one event meet."""
    alone = {
        "at_half_health": -1,
        "at_quarter_health": -5,
        "half_allies_down": -1,
        "three_quarters_allies_down": -5,
        "leader_down": -1,
        "outnumbered": -1,
        "half_enemies_down": 1,
        "outnumbering": 1,
    }
    for name, modifier in alone.items():
        assert morale_modifier(Events(**{"at_half_health": False, name: True})) == modifier
    everything = Events(**dict.fromkeys(alone, True))
    assert morale_modifier(everything) == -5 - 5 - 1 - 1 + 1 + 1
    assert morale_modifier(everything, MoraleReadings(morale_pairs="add").morale_pairs) == sum(alone.values())


@pytest.mark.parametrize("discipline", [-4, 0, 7])
@pytest.mark.parametrize("modifier", [-6, 0, 2])
@pytest.mark.parametrize("leader", [None, 2, 9])
@pytest.mark.parametrize("reading", ["mirrored", "as_headed"])
def test_morale(discipline: int, modifier: int, leader: int | None, reading: str) -> None:
    """AE-08: the check, with a leader's margin and without."""
    check = morale(
        Npc(discipline=discipline),
        Events(at_half_health=False, other=modifier),
        Leader(leads=leader is not None, influence=leader or 0),
        MoraleReadings(leadership_dl=reading),
    )
    found = brute.morale(discipline, modifier, leader, as_headed=reading == "as_headed")
    assert odds(check.morale) == found


@pytest.mark.parametrize("last_standing", [False, True])
def test_morale_over_a_fight(last_standing: bool) -> None:
    """AE-08: events one after the other; a fallen leader rallies nobody; who fights to the death is asked
    again only as the last one standing."""
    events = [
        Events(at_half_health=True),
        Events(at_half_health=True, half_allies_down=True),
        Events(at_quarter_health=True, half_allies_down=True, leader_down=True, last_standing=last_standing),
    ]
    fight = morale_of_a_fight(Npc(discipline=2), events, Leader(leads=True, influence=3))
    states: brute.Odds = {("continue", 0): Fraction(1)}
    on = []
    for number, (modifier, leader) in enumerate([(-1, 3), (-2, 3), (-7, None)], 1):
        check = brute.morale(2, modifier, leader)
        moved = []
        for (response, made), p in states.items():
            asked = response == "continue" or (response[0:5] == "fight" and last_standing and number == 3)
            if asked:
                moved += [((after, made + 1), p * q) for after, q in check.items()]
            else:
                moved.append(((response, made), p))
        states = brute.tally(moved)
        on.append(brute.chance(states, lambda state: state[0] in ("continue", "fight to the death")))
    assert odds(fight.morale) == brute.push(states, lambda state: state[0])
    assert odds(fight.checks) == brute.push(states, lambda state: state[1])
    assert [P(event) for event in fight.after] == on
    assert P(fight.fights_on) == on[-1]
