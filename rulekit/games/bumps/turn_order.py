"""Initiative: who acts when."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache, partial
from itertools import combinations
from math import lcm
from typing import Annotated, Any

from pydantic import Field

from rulekit._caches import register
from rulekit.distributions import Dist
from rulekit.errors import StatError
from rulekit.games.bumps.readings import InitiativeReadings, InitiativeTie
from rulekit.games.bumps.stats import Combatant
from rulekit.rolls import Roll, apply, roll
from rulekit.rules import Measure, Outcome, rule, source

__all__ = ["FullInitiative", "Initiative", "Turn", "initiative", "order_odds", "place_odds"]

MOST = 8
MOST_ORDERED = 5
DIE = 20
SLOT = 64  # bits for a count of throws: 20 ** 8 is below 2 ** 35

Order = tuple[int, ...]


@source("BU-01")
def order_odds(
    speeds: Sequence[int], tie: InitiativeTie = InitiativeTie.REROLL, die: int = DIE
) -> dict[Order, Fraction]:
    """The probability of every order in which combatants of these Speeds can act.

    Args:
        speeds: What each adds to the die; five at most, for the orders of n are n! many.
        tie: Who goes first where totals are equal. Whoever rolls again adds Speed again.
        die: The faces of the die; the rule's is 20.

    Returns:
        From order (places in `speeds`, first to act first) to probability.

    >>> order_odds([0, 1], InitiativeTie.HIGHER_SPEED)
    {(1, 0): Fraction(229, 400), (0, 1): Fraction(171, 400)}
    """
    if not 1 <= len(speeds) <= MOST_ORDERED:
        raise StatError(f"speeds: {len(speeds)} combatants; orders are listed for 1 to {MOST_ORDERED}")
    return dict(_orders(tuple(speeds), tie, die))


@source("BU-01")
def place_odds(
    speeds: Sequence[int], tie: InitiativeTie = InitiativeTie.REROLL, die: int = DIE
) -> list[list[Fraction]]:
    """The probability of each place for each combatant: `place_odds(speeds)[who][place]`, both from 0.

    Args:
        speeds: What each adds to the die; eight at most.
        tie, die: As in `order_odds`.

    >>> place_odds([3, 3])
    [[Fraction(1, 2), Fraction(1, 2)], [Fraction(1, 2), Fraction(1, 2)]]
    """
    if not 1 <= len(speeds) <= MOST:
        raise StatError(f"speeds: {len(speeds)} combatants; places are told for 1 to {MOST}")
    return [_places(who, tuple(speeds), tie, die) for who in range(len(speeds))]


def _rank(face: int, speed: int, tie: InitiativeTie) -> tuple[int, int]:
    """What decides: the total, and with equal totals perhaps the Speed. Equal ranks roll again."""
    return face + speed, speed if tie is InitiativeTie.HIGHER_SPEED else 0


@lru_cache(maxsize=4096)
def _orders(speeds: tuple[int, ...], tie: InitiativeTie, die: int) -> tuple[tuple[Order, Fraction], ...]:
    everyone = range(len(speeds))
    showing: dict[tuple[int, int], list[int]] = {}
    for who in everyone:
        for face in range(1, die + 1):
            showing.setdefault(_rank(face, speeds[who], tie), []).append(who)
    # The orders of those who have shown less, from the least rank up; in a tie its own throws decide.
    behind: dict[Order, Fraction] = {(): Fraction(1)}
    for rank in sorted(showing):
        following = dict(behind)
        for order, probability in behind.items():
            able = [who for who in showing[rank] if who not in order]
            for size in range(1, len(able) + 1):
                for group in combinations(able, size):
                    if size == len(speeds) > 1:
                        continue  # all tie and throw again: nothing is decided, so it drops out below
                    tied = tuple(speeds[who] for who in group)
                    for within, share in _orders(tied, tie, die) if size > 1 else (((0,), Fraction(1)),):
                        whole = tuple(group[place] for place in within) + order
                        following[whole] = following.get(whole, 0) + probability * share / die**size
        behind = following
    decided = {order: probability for order, probability in behind.items() if len(order) == len(speeds)}
    certain = sum(decided.values())
    return tuple((order, probability / certain) for order, probability in decided.items())


def _places(who: int, speeds: tuple[int, ...], tie: InitiativeTie, die: int) -> list[Fraction]:
    leads = sorted(speed - speeds[who] for other, speed in enumerate(speeds) if other != who)
    return list(_ahead(tuple(leads), tie, die))


@lru_cache(maxsize=65_536)
def _ahead(leads: tuple[int, ...], tie: InitiativeTie, die: int) -> tuple[Fraction, ...]:
    """The probability that 0, 1, ... of the others act before somebody whom they lead in Speed by `leads`.

    Given what that one shows, the others' throws are independent: each is below, above, or tied with it.
    """
    # By those who tie: in how many ways 0, 1, ... of the rest are above, packed into one integer.
    ways: dict[tuple[int, ...], int] = {}
    for face in range(1, die + 1):
        split: dict[tuple[int, ...], int] = {(): 1}
        for lead in leads:
            below = min(max(face - lead - 1, 0), die)
            above = min(max(die - face + lead, 0), die)
            ties = below + above < die
            if ties and lead and tie is InitiativeTie.HIGHER_SPEED:
                below, above, ties = (below, above + 1, False) if lead > 0 else (below + 1, above, False)
            parted = {tied: count * (below + (above << SLOT)) for tied, count in split.items()}
            if ties:
                for tied, count in split.items():
                    parted[(*tied, lead)] = parted.get((*tied, lead), 0) + count
            split = parted
        for tied, count in split.items():
            ways[tied] = ways.get(tied, 0) + count
    again = ways.pop(leads) if leads and leads in ways else 0
    result = [Fraction(0)] * (len(leads) + 1)
    for tied, packed in ways.items():
        for more, share in enumerate(_ahead(tied, tie, die) if tied else (Fraction(1),)):
            for rest in range(len(leads) - len(tied) + 1):
                result[rest + more] += (packed >> SLOT * rest) % (1 << SLOT) * share
    return tuple(each / (die ** (len(leads) + 1) - again) for each in result)


register(_orders.cache_clear)
register(_ahead.cache_clear)


class Turn(Outcome):
    """When one combatant acts."""

    first: Annotated[Roll[bool], Measure(help="Acts before all others")]
    place: Annotated[Roll[int], Measure(help="1 for whoever acts first")]


class Initiative(Outcome):
    """When each combatant acts."""

    sentence = "Combatant 1 acts first {turns.0.first}, in place {turns.0.place} on average."

    turns: tuple[Turn, ...]


class FullInitiative(Initiative):
    """When each combatant acts, and in which order all of them do."""

    sentence = "Combatant 1 acts first {turns.0.first}; the likeliest order is {order}."

    order: Annotated[Roll[str], Measure(help="Combatants by their number, first to act first")]


@rule("BU-01")
def initiative(
    combatants: Annotated[tuple[Combatant, ...], Field(description="Two to eight")] = (
        Combatant(speed=4),
        Combatant(speed=2),
        Combatant(speed=2),
        Combatant(),
    ),
    readings: InitiativeReadings = InitiativeReadings(),
) -> Initiative:
    """Initiative, d20 and Speed, rolled once when the fight begins: each one's place, and the order of all.

    Up to five combatants all places are read off one order. With six to eight each place has its own exact
    odds and is drawn by itself: ask about one place at a time.

    Args:
        combatants: Their Speeds; two to eight.
        readings: Ties.
    """
    if not 2 <= len(combatants) <= MOST:
        raise StatError(f"combatants: there are {len(combatants)}; 2 to {MOST} can be told")
    speeds = [operator.index(combatant.speed) for combatant in combatants]
    if len(speeds) > MOST_ORDERED:
        odds = place_odds(speeds, readings.initiative_tie)
        places = [roll(_die({place + 1: p for place, p in enumerate(each)})) for each in odds]
        note = f"More than {MOST_ORDERED} combatants: each place by itself, no order of all"
        return Initiative(turns=tuple(_turn(place) for place in places), notes=(note,))
    orders = order_odds(speeds, readings.initiative_tie)
    order = roll(_die({_told(each): p for each, p in orders.items()}), "order")
    places = [apply(partial(_place_in, who), order) for who in range(len(speeds))]
    return FullInitiative(turns=tuple(_turn(place) for place in places), order=order)


def _turn(place: Roll[int]) -> Turn:
    return Turn(first=place == 1, place=place)


def _told(order: Order) -> str:
    return " > ".join(str(who + 1) for who in order)


def _place_in(who: int, order: str) -> int:
    return order.split(" > ").index(str(who + 1)) + 1


def _die(odds: dict[Any, Fraction]) -> Dist:
    """A distribution from probabilities that add up to 1."""
    common = lcm(*(p.denominator for p in odds.values()))
    return Dist({outcome: p.numerator * (common // p.denominator) for outcome, p in odds.items() if p})
