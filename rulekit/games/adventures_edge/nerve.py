"""Morale: who stays in the fight (AE-08)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from rulekit.games.adventures_edge.edges import throw_d20
from rulekit.games.adventures_edge.readings import (
    EdgeDice,
    LeadershipDl,
    MoralePairs,
)
from rulekit.games.adventures_edge.tables import by_rows, entries
from rulekit.rolls import Roll, chain, constant, isin, roll, table, where
from rulekit.rules import Measure, Outcome, Readings, Stats, rule, source

__all__ = [
    "Events",
    "Leader",
    "Morale",
    "MoraleOfAFight",
    "MoraleReadings",
    "Npc",
    "morale",
    "morale_modifier",
    "morale_of_a_fight",
]

BASE_DL = 10


class MoraleReadings(Readings):
    """The readings that touch morale."""

    edge_dice: EdgeDice = EdgeDice.ONE_PER_EDGE
    morale_pairs: MoralePairs = MoralePairs.REPLACES
    leadership_dl: LeadershipDl = LeadershipDl.MIRRORED


class Npc(Stats):
    """Whose nerve is tried: never a player's character."""

    discipline: Annotated[int, Field(ge=-10, le=30, description="Discipline (Courage) bonus")] = 0


class Events(Stats):
    """What has happened in the fight, each of which calls for a check."""

    at_half_health: Annotated[bool, Field(description="At 50 % of health")] = True
    at_quarter_health: Annotated[bool, Field(description="At 25 % of health")] = False
    half_allies_down: Annotated[bool, Field(description="Half the allies are down")] = False
    three_quarters_allies_down: Annotated[bool, Field(description="Three quarters of them are down")] = False
    leader_down: Annotated[bool, Field(description="The leader is down or has fled")] = False
    outnumbered: Annotated[bool, Field(description="Outnumbered two to one")] = False
    half_enemies_down: Annotated[bool, Field(description="Half the enemies are down")] = False
    outnumbering: Annotated[bool, Field(description="Outnumbering the enemy two to one")] = False
    last_standing: Annotated[
        bool, Field(description="The last of them standing: a check for whoever fights to the death too")
    ] = False
    other: Annotated[int, Field(ge=-20, le=20, description="Any other modifier of the check")] = 0


class Leader(Stats):
    """Who rallies them, before their next checks."""

    leads: Annotated[bool, Field(description="A leader makes a Leadership check")] = False
    influence: Annotated[int, Field(ge=-5, le=30, description="The leader's Influence bonus")] = 5
    edge: Annotated[int, Field(ge=-5, le=5, description="Edge of the leader's check")] = 0


class Morale(Outcome):
    """One morale check."""

    sentence = "Fights on: {fights_on}; the most likely response: {morale}."

    morale: Annotated[Roll[str], Measure(help="What the combatant does")]
    total: Annotated[Roll[int], Measure(help="The check's total")]
    fights_on: Annotated[Roll[bool], Measure(help="Stays in the fight, until the next event or to the death")]
    rallied: Annotated[Roll[bool], Measure(help="The leader's check succeeds")]
    bonus: Annotated[Roll[int], Measure(help="What the leader adds to the check")]
    natural: Annotated[Roll[int], Measure(help="The die of the check")]


@source("AE-08")
def morale_modifier(events: Events, pairs: MoralePairs = MoralePairs.REPLACES) -> int:
    """AE-08: what the events add to a morale check.

    >>> both = Events(at_half_health=True, at_quarter_health=True)
    >>> morale_modifier(both), morale_modifier(both, MoralePairs.ADD)
    (-5, -6)
    """
    total = events.other
    rows = entries("morale_triggers")
    for name, row in rows.items():
        happened = getattr(events, name)
        greater = [
            getattr(events, other)
            for other, their in rows.items()
            if row.get("pair") == their.get("pair", "") and abs(their["modifier"]) > abs(row["modifier"])
        ]
        if pairs == MoralePairs.REPLACES:
            for outdone in greater:
                happened = happened * (1 - outdone)
        total = total + row["modifier"] * happened
    return total


@dataclass(frozen=True, eq=False)
class _Check:
    natural: Roll[int]
    total: Roll[int]
    response: Roll[str]
    rallied: Roll[bool]
    bonus: Roll[int]


def _check(npc: Npc, modifier: Any, leader: Leader, leads: Any, readings: MoraleReadings) -> _Check:
    mirrored = readings.leadership_dl == LeadershipDl.MIRRORED
    dl = BASE_DL - modifier if mirrored else BASE_DL + modifier
    margin = throw_d20(leader.edge, readings.edge_dice, "leader").natural + leader.influence - dl
    rallied = (margin >= 0) & leads
    bonus = where(rallied, margin, 0)
    natural = roll(20, "natural")
    total = natural + npc.discipline + modifier + bonus
    response = where(natural == 1, "flee", table(total, by_rows("morale", "totals")))
    return _Check(natural, total, response, rallied, bonus)


def _fights_on(response: Roll[str]) -> Roll[bool]:
    return isin(response, ("continue", "fight to the death"))


@rule("AE-08")
def morale(
    npc: Npc = Npc(),
    events: Events = Events(),
    leader: Leader = Leader(),
    readings: MoraleReadings = MoraleReadings(),
) -> Morale:
    """A morale check: d20 + Discipline + what has happened + what a leader adds; a natural 1 is a rout.

    >>> from rulekit import P
    >>> P(morale(Npc(discipline=3)).fights_on)
    Fraction(13, 20)
    """
    modifier = morale_modifier(events, readings.morale_pairs)
    check = _check(npc, modifier, leader, leader.leads, readings)
    return Morale(
        natural=check.natural,
        morale=check.response,
        total=check.total,
        fights_on=_fights_on(check.response),
        rallied=check.rallied,
        bonus=check.bonus,
    )


class MoraleOfAFight(Outcome):
    """How the nerve of one combatant holds over the events of a fight."""

    sentence = "Still in the fight after all events: {fights_on}; {checks} checks on average."

    morale: Annotated[Roll[str], Measure(help="The last response, when the events are over")]
    checks: Annotated[Roll[int], Measure(help="Checks made, the one that ends them included")]
    fights_on: Annotated[Roll[bool], Measure(help="Still in the fight after all events")]
    after: Annotated[tuple[Roll[bool], ...], Measure(help="Still in the fight after that many events")]


@dataclass(frozen=True)
class _Nerve:
    """How many events have passed, how many checks were made, and the last response."""

    events: Roll[int] | int
    checks: Roll[int] | int
    response: Roll[str] | str


@rule("AE-08")
def morale_of_a_fight(
    npc: Npc = Npc(),
    events: Annotated[tuple[Events, ...], Field(min_length=1, max_length=8)] = (
        Events(),
        Events(half_allies_down=True),
        Events(at_quarter_health=True, half_allies_down=True, leader_down=True),
    ),
    leader: Leader = Leader(),
    readings: MoraleReadings = MoraleReadings(),
) -> MoraleOfAFight:
    """Morale over a fight: a check at each event, with all that has happened by then, until one decides.

    Who fights to the death makes no further check before he is the last one standing. A leader rallies anew
    at each event until he is down.

    >>> from rulekit import P
    >>> [P(event) for event in morale_of_a_fight(Npc(discipline=3)).after]
    [Fraction(13, 20), Fraction(9, 20), Fraction(23, 80)]
    """
    modifiers = dict(enumerate(morale_modifier(each, readings.morale_pairs) for each in events))
    led = dict(enumerate(leader.leads & (not each.leader_down) for each in events))
    last = dict(enumerate(constant(each.last_standing) for each in events))

    def next_event(nerve: _Nerve) -> _Nerve:
        number, before = constant(nerve.events), constant(nerve.response)
        checked = (before == "continue") | table(number, last)
        check = _check(npc, table(number, modifiers), leader, table(number, led), readings)
        response = where(checked, check.response, before)
        return _Nerve(number + 1, constant(nerve.checks) + checked, response)

    def decided(nerve: _Nerve) -> Roll[bool]:
        return ~_fights_on(constant(nerve.response)) | (constant(nerve.events) == len(events))

    fight = chain(_Nerve(0, 0, "continue"), next_event, until=decided)
    return MoraleOfAFight(
        morale=fight.end.response,
        checks=fight.end.checks,
        fights_on=_fights_on(fight.end.response),
        after=tuple(_fights_on(fight.after(n).response) for n in range(1, len(events) + 1)),
    )
