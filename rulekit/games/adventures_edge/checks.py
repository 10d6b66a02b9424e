"""Before the fight: what the creatures make of the party (AE-01), and talking to them (AE-02, AE-03)."""

from __future__ import annotations

from typing import Annotated, cast

from pydantic import Field

from rulekit.games.adventures_edge.edges import throw_d20
from rulekit.games.adventures_edge.readings import (
    AssistHalf,
    DiplomacyEdge,
    DiplomacyWhenHostile,
    EdgeDice,
)
from rulekit.games.adventures_edge.tables import by_rows, entries
from rulekit.rolls import Roll, halve, roll, table, where
from rulekit.rules import Measure, Outcome, Readings, Stats, rule

__all__ = [
    "Diplomacy",
    "DiplomacyReadings",
    "Encounter",
    "Parley",
    "ParleyReadings",
    "Reaction",
    "ReactionReadings",
    "Talker",
    "diplomacy",
    "parley",
    "reaction",
]


class ReactionReadings(Readings):
    """The readings that touch a reaction roll."""

    edge_dice: EdgeDice = EdgeDice.ONE_PER_EDGE
    diplomacy_when_hostile: DiplomacyWhenHostile = DiplomacyWhenHostile.NO


class DiplomacyReadings(Readings):
    """The readings that touch a diplomacy check."""

    edge_dice: EdgeDice = EdgeDice.ONE_PER_EDGE
    diplomacy_edge: DiplomacyEdge = DiplomacyEdge.PROFICIENCY
    assist_half: AssistHalf = AssistHalf.REACH


class ParleyReadings(ReactionReadings, DiplomacyReadings):
    """The readings that touch a whole parley."""


class Encounter(Stats):
    """The situation in which two groups meet (AE-01)."""

    in_their_territory: Annotated[
        bool, Field(description="The party is uninvited in the creatures' territory or lair")
    ] = False
    hostility_shown: Annotated[bool, Field(description="The party has already shown hostility")] = False
    hunting_or_raiding: Annotated[bool, Field(description="The creatures are hunting or raiding")] = False
    guarding_young_or_valuables: Annotated[
        bool, Field(description="The creatures have young with them or valuables nearby")
    ] = False
    non_aggressive_intent: Annotated[bool, Field(description="The creatures mean no harm")] = False
    clear_advantage: Annotated[bool, Field(description="The party is clearly stronger")] = False
    edge: Annotated[int, Field(ge=-5, le=5, description="Edge for any other reason")] = 0


class Talker(Stats):
    """Who talks, how well, and who helps (AE-02, AE-03)."""

    influence: Annotated[int, Field(ge=-5, le=30, description="The talker's Influence bonus")] = 7
    proficient: Annotated[bool, Field(description="The talker is proficient in Diplomacy")] = True
    edge: Annotated[int, Field(ge=-5, le=5, description="Edge for any other reason")] = 0
    assisted: Annotated[bool, Field(description="Somebody helps")] = False
    helper: Annotated[int, Field(ge=-5, le=30, description="The helper's own Influence bonus")] = 9


class Reaction(Outcome):
    """What the creatures make of the party."""

    sentence = (
        "Most likely: {reaction}. Initiative at once: {initiative}; diplomacy DL {diplomacy_dl} on average."
    )

    reaction: Annotated[Roll[str], Measure(help="The creatures' first response")]
    initiative: Annotated[Roll[bool], Measure(help="They attack: initiative at once")]
    may_talk: Annotated[Roll[bool], Measure(help="The party may try diplomacy")]
    diplomacy_dl: Annotated[Roll[int], Measure(help="What diplomacy has to reach")]
    natural: Annotated[Roll[int], Measure(help="The die of the reaction roll that counts")]


class Diplomacy(Outcome):
    """One diplomacy check."""

    sentence = "Success: {success}, with a total of {total} on average; the helper succeeds: {helped}."

    success: Annotated[Roll[bool], Measure(help="The talk succeeds")]
    total: Annotated[Roll[int], Measure(help="The talker's total, with the help received")]
    margin: Annotated[Roll[int], Measure(help="Total less difficulty")]
    helped: Annotated[Roll[bool], Measure(help="The helper's own check succeeds")]
    natural: Annotated[Roll[int], Measure(help="The talker's die that counts")]


class Parley(Outcome):
    """A reaction roll and the diplomacy that follows it."""

    sentence = "Peace: {peace}; the most likely ending: {ending}."

    peace: Annotated[Roll[bool], Measure(help="The creatures are talked round")]
    ending: Annotated[Roll[str], Measure(help="How the meeting ends")]
    reaction: Reaction
    diplomacy: Diplomacy


@rule("AE-01")
def reaction(encounter: Encounter = Encounter(), readings: ReactionReadings = ReactionReadings()) -> Reaction:
    """The reaction roll: a d20 with Edge and no other modifier, read off the reaction table.

    >>> from rulekit import P
    >>> P(reaction(Encounter(hunting_or_raiding=True)).initiative)
    Fraction(39, 400)
    """
    modifiers = [(row, getattr(encounter, name)) for name, row in entries("reaction_modifiers").items()]
    edge = encounter.edge + sum(row["edge"] * applies for row, applies in modifiers)
    harder = sum(row["dl"] * applies for row, applies in modifiers)

    natural = throw_d20(edge, readings.edge_dice, "natural").natural
    response = table(natural, by_rows("reactions", "faces"))
    hostile = response == "immediately hostile"
    return Reaction(
        natural=natural,
        reaction=response,
        initiative=hostile,
        may_talk=~hostile | (readings.diplomacy_when_hostile == DiplomacyWhenHostile.YES),
        diplomacy_dl=table(natural, by_rows("reactions", "faces", "diplomacy_dl")) + harder,
    )


@rule("AE-02", "AE-03")
def diplomacy(
    talker: Talker = Talker(),
    dl: Annotated[int, Field(ge=0, le=60, description="What the talk has to reach")] = 20,
    readings: DiplomacyReadings = DiplomacyReadings(),
) -> Diplomacy:
    """A diplomacy check, with somebody's help or without: d20 + Influence against its difficulty.

    >>> from rulekit import P
    >>> P(diplomacy(Talker(influence=7, assisted=True, helper=9), 20).success)
    Fraction(351, 400)
    """
    by_proficiency = readings.diplomacy_edge == DiplomacyEdge.PROFICIENCY
    edge = talker.edge + (talker.proficient if by_proficiency else talker.assisted)
    natural = throw_d20(edge, readings.edge_dice, "natural").natural

    helping = roll(20, "helper") + talker.helper
    enough = 2 * helping >= dl if readings.assist_half == AssistHalf.REACH else 2 * helping > dl
    helped = enough & talker.assisted
    total = natural + talker.influence + where(helped, halve(talker.helper, "up"), 0)
    return Diplomacy(natural=natural, success=total >= dl, total=total, margin=total - dl, helped=helped)


@rule("AE-01", "AE-02", "AE-03")
def parley(
    encounter: Encounter = Encounter(),
    talker: Talker = Talker(),
    readings: ParleyReadings = ParleyReadings(),
) -> Parley:
    """A meeting from the reaction roll to its end: a fight, or everybody walks away.

    >>> from rulekit import P
    >>> P(parley(Encounter(hunting_or_raiding=True)).peace)
    Fraction(2767, 4000)
    """
    met = reaction(encounter, readings)
    talk = diplomacy(talker, cast("int", met.diplomacy_dl), readings)
    peace = met.may_talk & talk.success
    return Parley(
        peace=peace,
        ending=where(met.may_talk, where(peace, "peace", "talk fails"), "fight at once"),
        reaction=met,
        diplomacy=talk,
    )
