"""Whose turn it is: initiative (AE-04), actions in a round (AE-05, AE-06) and ambushes (AE-07)."""

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from functools import cache
from math import lcm
from typing import Annotated

from pydantic import Field

from rulekit.distributions import Dist
from rulekit.games.adventures_edge.readings import (
    GmNatural,
    GmRolls,
    SecondGmSide,
    StunSurplus,
)
from rulekit.rolls import Roll, apply, chance, constant, dice, maximum, roll, where
from rulekit.rules import Measure, Outcome, Readings, Stats, rule, source

__all__ = [
    "Actions",
    "ActionsReadings",
    "Adventurer",
    "Combatant",
    "GameMaster",
    "Initiative",
    "InitiativeReadings",
    "Party",
    "Place",
    "Standing",
    "actions",
    "initiative",
    "initiative_bonus",
    "standing",
]

ACTIONS_A_ROUND = 2
PARTY = "party"


class Standing(Enum):
    """AE-05: where a combatant's initiative bonus stands among those of its side."""

    BETWEEN = "between"
    HIGHEST = "highest"
    LOWEST = "lowest"


class InitiativeReadings(Readings):
    """The readings that touch initiative."""

    gm_rolls: GmRolls = GmRolls.PER_SIDE
    second_gm_side: SecondGmSide = SecondGmSide.LAST


class ActionsReadings(Readings):
    """The readings that touch the number of actions."""

    gm_natural: GmNatural = GmNatural.RANDOM
    stun_surplus: StunSurplus = StunSurplus.NEXT_ROUND


class Adventurer(Stats):
    """One of the party."""

    bonus: Annotated[int, Field(ge=-10, le=20, description="Initiative bonus")] = 3


class Party(Stats):
    """The players' characters, clockwise around the table."""

    members: Annotated[tuple[Adventurer, ...], Field(min_length=1, max_length=8)] = (
        Adventurer(bonus=3),
        Adventurer(bonus=1),
        Adventurer(bonus=4),
        Adventurer(bonus=2),
    )


class GameMaster(Stats):
    """The GM's sides: the monsters, and the party's allies where there are any."""

    monsters: Annotated[int, Field(ge=-10, le=20, description="The monsters' initiative bonus")] = 2
    monster_count: Annotated[int, Field(ge=1, le=12, description="How many monsters")] = 2
    with_allies: Annotated[bool, Field(description="Allied NPCs fight on the party's side")] = False
    allies: Annotated[int, Field(ge=-10, le=20, description="The allies' initiative bonus")] = 1
    ally_count: Annotated[int, Field(ge=1, le=12, description="How many allies")] = 1


class Combatant(Stats):
    """One who waits to learn how many actions this round has."""

    controlled_by_gm: Annotated[bool, Field(description="One of the GM's, who share their natural")] = False
    companions: Annotated[int, Field(ge=0, le=11, description="Others on the same GM side")] = 1
    standing: Annotated[Standing, Field(description="Its initiative bonus among those of its side")] = (
        Standing.BETWEEN
    )
    stun: Annotated[int, Field(ge=0, le=12, description="Stun points to pay, an action each")] = 0
    reactions: Annotated[int, Field(ge=0, le=3, description="Reactions already taken this round")] = 0


class Place(Outcome):
    """One character's turn in the order."""

    first: Annotated[Roll[bool], Measure(help="Acts before everybody else")]
    place: Annotated[Roll[int], Measure(help="Place in the order, each of the GM's sides counting as one")]


class Initiative(Outcome):
    """Who acts when in a round."""

    sentence = "The party begins: {party_first}; of these rounds {rounds_party_first} on average."

    party_first: Annotated[Roll[bool], Measure(help="One of the party acts first")]
    rounds_party_first: Annotated[Roll[int], Measure(help="Rounds of those asked for that the party begins")]
    first: Annotated[Roll[str], Measure(help="Who acts first")]
    order: Annotated[Roll[str], Measure(help="The whole order")]
    characters: tuple[Place, ...]
    sides: tuple[Place, ...]


class Actions(Outcome):
    """How many actions a combatant has."""

    sentence = "{this_round} actions this round on average; inspired: {inspired}, off balance: {off_balance}."

    this_round: Annotated[Roll[int], Measure(help="Actions this round; movement remains even at none")]
    next_round: Annotated[Roll[int], Measure(help="Actions in the next round, with the stun that is left")]
    inspired: Annotated[Roll[bool], Measure(help="One action more")]
    off_balance: Annotated[Roll[bool], Measure(help="One action fewer")]
    combined: Annotated[Roll[bool], Measure(help="May take a combined action")]
    natural: Annotated[Roll[int], Measure(help="The initiative die")]


@source("AE-04")
def initiative_bonus(dexterity: int, wisdom: int, class_modifier: int = 0) -> int:
    """AE-04: the bonuses of Dexterity and Wisdom, and the modifier of some classes.

    >>> initiative_bonus(2, 1)
    3
    """
    return dexterity + wisdom + class_modifier


@rule("AE-04")
def initiative(
    party: Party = Party(),
    gm: GameMaster = GameMaster(),
    rounds: Annotated[int, Field(ge=1, le=20, description="Rounds to look at")] = 5,
    readings: InitiativeReadings = InitiativeReadings(),
) -> Initiative:
    """A round's order: everybody rolls d20 + bonus, and the highest roll says where the table begins.

    >>> from rulekit import P
    >>> P(initiative(Party(members=[Adventurer(bonus=3), Adventurer(bonus=1)])).party_first)
    Fraction(1349, 2000)
    """
    standings = [
        standing(roll(20, f"character {i}"), member.bonus) for i, member in enumerate(party.members, 1)
    ]
    best, leader, tied = _highest(standings)

    sides = {"monsters": (gm.monsters, gm.monster_count)}
    if gm.with_allies:
        sides["allies"] = (gm.allies, gm.ally_count)
    each = readings.gm_rolls == GmRolls.EACH
    keys = [standing(dice(n if each else 1, 20).highest(), bonus) for bonus, n in sides.values()]
    by_roll = apply(lambda *found: _by_roll(tuple(sides), *found), tied, best, *keys)
    others_last = readings.second_gm_side == SecondGmSide.LAST
    blocks = apply(lambda order: _blocks(order, others_last), by_roll)

    n = len(party.members)
    ahead = apply(lambda order: order.split(", ").index(PARTY), blocks)
    characters = []
    for i in range(n):
        place = ahead + 1 + (i - leader) % n
        characters.append(Place(first=place == 1, place=place))
    gm_sides = []
    for side in sides:
        place = apply(lambda order, side=side: _place_of(order, side, n), blocks)
        gm_sides.append(Place(first=place == 1, place=place))
    order = apply(lambda order, start: _call_out(order, start, n), blocks, leader)
    party_first = ahead == 0
    return Initiative(
        party_first=party_first,
        rounds_party_first=dice(rounds, party_first),
        first=apply(lambda order: order.split(", ")[0], order),
        order=order,
        characters=tuple(characters),
        sides=tuple(gm_sides),
    )


@rule("AE-05", "AE-06")
def actions(combatant: Combatant = Combatant(), readings: ActionsReadings = ActionsReadings()) -> Actions:
    """Actions in a round: two, one more on a natural 20, one fewer on a 1, less stun and reactions taken.

    >>> from rulekit import P
    >>> P(actions(Combatant(stun=1)).this_round == 0)
    Fraction(1, 20)
    """
    natural = roll(20, "natural")
    inspired, off_balance = _touched(natural, combatant, readings)
    had = ACTIONS_A_ROUND + inspired - off_balance - combatant.reactions
    lost = maximum(combatant.stun - maximum(had, 0), 0)

    inspired_next, off_balance_next = _touched(roll(20, "next natural"), combatant, readings)
    carried = lost if readings.stun_surplus == StunSurplus.NEXT_ROUND else 0
    this_round = maximum(had - combatant.stun, 0)
    return Actions(
        natural=natural,
        this_round=this_round,
        next_round=maximum(ACTIONS_A_ROUND + inspired_next - off_balance_next - carried, 0),
        inspired=inspired,
        off_balance=off_balance,
        combined=this_round >= 2,
    )


@source("AE-04")
def standing(die: Roll[int], bonus: int) -> Roll[int]:
    """Total and bonus as one number: of equal totals the higher bonus is the greater.

    >>> from rulekit import E
    >>> from rulekit.rolls import constant
    >>> E(standing(constant(10), 4)) > E(standing(constant(11), 3))
    True
    """
    return (die + bonus) * 100 + bonus


def _highest(standings: list[Roll[int]]) -> tuple[Roll[int], Roll[int], Roll[int]]:
    """The highest of the standings, whose it is (from 0) and how many share it; of k that are tied each
    is the one with probability 1/k, as a roll-off between them would decide.
    """
    best, leader, tied = standings[0], constant(0), constant(1)
    for i, standing in enumerate(standings[1:], 1):
        ties, beats = standing == best, standing > best
        wins_roll_off = apply(lambda k: Dist({True: 1, False: k}), tied)
        leader = where(beats | (ties & wins_roll_off), i, leader)
        tied = where(beats, 1, where(ties, tied + 1, tied))
        best = where(beats, standing, best)
    return best, leader, tied


def _by_roll(sides: tuple[str, ...], tied: int, *standings: int) -> Dist:
    """The party's best and the GM's sides in the order of their rolls; `tied` of the party share its best."""
    rising = sorted(set(standings))
    return _orders(sides, tied, *map(rising.index, standings))


@cache
def _orders(sides: tuple[str, ...], tied: int, *standings: int) -> Dist:
    weights = dict(zip((PARTY, *sides), (tied, *[1] * len(sides)), strict=True))
    found = _roll_offs(dict(zip((PARTY, *sides), standings, strict=True)), weights)
    scale = lcm(*(p.denominator for p in found.values()))
    return Dist({", ".join(order): int(p * scale) for order, p in found.items()})


def _roll_offs(standings: dict[str, int], weights: dict[str, int]) -> dict[tuple[str, ...], Fraction]:
    """Every order from the highest down: among the tied, first in proportion to the dice they throw."""
    if not standings:
        return {(): Fraction(1)}
    top = [name for name, standing in standings.items() if standing == max(standings.values())]
    orders: dict[tuple[str, ...], Fraction] = {}
    for name in top:
        share = Fraction(weights[name], sum(weights[other] for other in top))
        rest = {other: standing for other, standing in standings.items() if other != name}
        for order, p in _roll_offs(rest, weights).items():
            orders[name, *order] = share * p
    return orders


def _blocks(by_roll: str, others_last: bool) -> str:
    """The order of party and sides: the GM acts last where the party begins, else one side or both first."""
    order = by_roll.split(", ")
    if order[0] == PARTY or not others_last:
        return by_roll
    return ", ".join([order[0], PARTY, *(side for side in order[1:] if side != PARTY)])


def _place_of(blocks: str, side: str, n: int) -> int:
    """The place of one of the GM's sides when the party takes n places."""
    ahead = blocks.split(", ")[: blocks.split(", ").index(side)]
    return 1 + sum(n if block == PARTY else 1 for block in ahead)


def _call_out(blocks: str, leader: int, n: int) -> str:
    """The whole order, the party clockwise from its leader."""
    party = [f"character {(leader + k) % n + 1}" for k in range(n)]
    return ", ".join(name for block in blocks.split(", ") for name in (party if block == PARTY else [block]))


def _touched(
    natural: Roll[int], combatant: Combatant, readings: ActionsReadings
) -> tuple[Roll[bool], Roll[bool]]:
    """Whether a natural 20, or a 1, is this combatant's: a player's always, the GM's for one of a side."""
    inspired, off_balance = natural == 20, natural == 1
    if not combatant.controlled_by_gm:
        return inspired, off_balance
    if readings.gm_natural == GmNatural.RANDOM:
        picked = chance(Fraction(1) / (combatant.companions + 1), "picked")
        return inspired & picked, off_balance & picked
    alone = combatant.companions == 0
    return (
        inspired & (alone | (combatant.standing == Standing.HIGHEST)),
        off_balance & (alone | (combatant.standing == Standing.LOWEST)),
    )
