"""Body against body: closing (AE-31), grappling (AE-33) and tackling (AE-34)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from rulekit.errors import NotAllowed
from rulekit.games.adventures_edge.derived import half
from rulekit.games.adventures_edge.edges import throw_d20
from rulekit.games.adventures_edge.readings import (
    BreakFree,
    ClosingCheck,
    ContestTie,
    ControlEdge,
    EdgeDice,
    Halves,
    StrengthTarget,
    TackleShort,
)
from rulekit.rolls import Roll, constant, maximum, minimum, where
from rulekit.rules import Measure, Outcome, Readings, Stats, Unit, rule

__all__ = [
    "Closing",
    "ClosingReadings",
    "Closer",
    "Defender",
    "Grapple",
    "GrappleReadings",
    "Grappler",
    "Hold",
    "HoldReadings",
    "Tackle",
    "TackleReadings",
    "Tackler",
    "closing",
    "grapple",
    "hold",
    "tackle",
]


class ClosingReadings(Readings):
    """The readings that touch closing."""

    edge_dice: EdgeDice = EdgeDice.ONE_PER_EDGE
    closing_check: ClosingCheck = ClosingCheck.ATTACK
    contest_tie: ContestTie = ContestTie.MEETS


class GrappleReadings(Readings):
    """The readings that touch the start of a grapple."""

    edge_dice: EdgeDice = EdgeDice.ONE_PER_EDGE
    contest_tie: ContestTie = ContestTie.MEETS
    break_free: BreakFree = BreakFree.AS_CONTROL
    control_edge: ControlEdge = ControlEdge.ONCE
    strength_target: StrengthTarget = StrengthTarget.SCORE


class HoldReadings(Readings):
    """The readings that touch what is done within a grapple."""

    edge_dice: EdgeDice = EdgeDice.ONE_PER_EDGE
    contest_tie: ContestTie = ContestTie.MEETS
    control_edge: ControlEdge = ControlEdge.ONCE
    strength_target: StrengthTarget = StrengthTarget.SCORE
    halves: Halves = Halves.DOWN


class TackleReadings(Readings):
    """The readings that touch a tackle."""

    edge_dice: EdgeDice = EdgeDice.ONE_PER_EDGE
    tackle_short: TackleShort = TackleShort.STAYS_BEFORE


class Closer(Stats):
    """Who moves inside the other's reach."""

    attack_bonus: Annotated[int, Field(ge=-10, le=40, description="Strength attack bonus")] = 6
    combat_skill: Annotated[int, Field(ge=-10, le=40, description="Combat skill bonus")] = 6
    edge: Annotated[int, Field(ge=-5, le=5, description="Edge of the check")] = 0
    defense: Annotated[int, Field(ge=0, le=60, description="Own Defense Bonus")] = 15


class Defender(Stats):
    """Whom it is done to."""

    defense: Annotated[int, Field(ge=0, le=60, description="Defense Bonus")] = 14
    attack_bonus: Annotated[int, Field(ge=-10, le=40, description="Strength attack bonus")] = 3
    strength: Annotated[int, Field(ge=1, le=40, description="Strength score")] = 12
    reactions: Annotated[int, Field(ge=0, le=3, description="Reactions left")] = 1
    reaction_edge: Annotated[int, Field(ge=-5, le=5, description="Edge of the reaction")] = 0


class Grappler(Stats):
    """Who grapples, or is grappled."""

    attack_bonus: Annotated[int, Field(ge=-10, le=40, description="Strength attack bonus")] = 6
    strength: Annotated[int, Field(ge=1, le=40, description="Strength score")] = 14
    one_handed: Annotated[bool, Field(description="Only one hand is free")] = False
    edge: Annotated[int, Field(ge=-5, le=5, description="Edge for any other reason")] = 0
    combat_speed: Annotated[int, Field(ge=1, le=20, description="Combat speed"), Unit("spaces")] = 4


class Tackler(Stats):
    """Who charges in."""

    attack_bonus: Annotated[int, Field(ge=-10, le=40, description="Strength attack bonus")] = 6
    sizes_larger: Annotated[
        int, Field(ge=-3, le=3, description="Size categories above the target's (below: negative)")
    ] = 0
    defense: Annotated[int, Field(ge=0, le=60, description="Own Defense Bonus")] = 14
    from_behind: Annotated[int, Field(ge=0, le=2, description="Edge of flank (1) or rear (2)")] = 0
    edge: Annotated[int, Field(ge=-5, le=5, description="Edge for any other reason")] = 0
    moved: Annotated[
        int, Field(ge=0, le=20, description="Moved before the target's space"), Unit("spaces")
    ] = 2
    movement_left: Annotated[
        int, Field(ge=0, le=20, description="Movement left in the target's space"), Unit("spaces")
    ] = 1


class Closing(Outcome):
    """An attempt to get inside somebody's reach."""

    sentence = "Gets inside: {closes}; unhindered: {unhindered}, struck: {struck}."

    closes: Annotated[Roll[bool], Measure(help="Gets inside the reach")]
    unhindered: Annotated[Roll[bool], Measure(help="The check succeeds: no reaction is provoked")]
    struck: Annotated[Roll[bool], Measure(help="The reaction attack hits and ends the move")]
    margin: Annotated[Roll[int], Measure(help="The check's total less the Defense Bonus")]
    natural: Annotated[Roll[int], Measure(help="The die of the check that counts")]


class Grapple(Outcome):
    """An attempt to seize somebody."""

    sentence = "Seizes: {grabs}, and holds: {holds}; struck first: {struck_first}."

    grabs: Annotated[Roll[bool], Measure(help="The Strength attack succeeds")]
    struck_first: Annotated[Roll[bool], Measure(help="The opponent's reaction attack hits before")]
    breaks_free: Annotated[Roll[bool], Measure(help="The one seized breaks free at once")]
    holds: Annotated[Roll[bool], Measure(help="The grapple stands, its starter in control")]
    margin: Annotated[Roll[int], Measure(help="The attack's total less the Defense Bonus")]
    natural: Annotated[Roll[int], Measure(help="The die that counts")]


class Hold(Outcome):
    """What either side of a grapple can do, each with its own throw."""

    sentence = "Control taken: {takes_control}; pushed {pushed} on average; brought down: {takes_down}."

    takes_control: Annotated[Roll[bool], Measure(help="The one held takes control")]
    pushed: Annotated[Roll[int], Measure(unit="spaces", help="How far the controller moves the other")]
    takes_down: Annotated[Roll[bool], Measure(help="The controller brings both to the ground")]
    drags_down: Annotated[Roll[bool], Measure(help="The one held brings both to the ground")]


class Tackle(Outcome):
    """A tackle and where it ends."""

    sentence = "Brought down: {success}, and driven {spaces} on average; falls alone: {falls_alone}."

    success: Annotated[Roll[bool], Measure(help="Both go down")]
    spaces: Annotated[Roll[int], Measure(unit="spaces", help="How far the target is driven")]
    falls_alone: Annotated[Roll[bool], Measure(help="Missed by 5 or more: the attacker alone lies prone")]
    struck_first: Annotated[Roll[bool], Measure(help="The reaction attack that it provokes hits before")]
    close_combat: Annotated[Roll[bool], Measure(help="The two end in close combat")]
    total: Annotated[Roll[int], Measure(help="The attack's total")]
    natural: Annotated[Roll[int], Measure(help="The die that counts")]


def _reaches(total: Roll[int], target: int, tie: ContestTie) -> Roll[bool]:
    return total >= target if tie == ContestTie.MEETS else total > target


def _attack_hits(attack_bonus: int, defense: int, edge: int, edge_dice: EdgeDice) -> Roll[bool]:
    """AE-12, AE-14, AE-18: whether a reaction attack hits; a natural 20 does and a natural 1 does not."""
    natural = throw_d20(edge, edge_dice, "reaction attack").natural
    return (natural == 20) | ((natural != 1) & (natural + attack_bonus >= defense))


@rule("AE-31")
def closing(
    closer: Closer = Closer(), defender: Defender = Defender(), readings: ClosingReadings = ClosingReadings()
) -> Closing:
    """Closing: a check against the Defense Bonus; on a failure a reaction attack, which must miss.

    >>> from rulekit import P
    >>> P(closing().closes)
    Fraction(337, 400)
    """
    with_skill = readings.closing_check == ClosingCheck.COMBAT_SKILL
    bonus = closer.combat_skill if with_skill else closer.attack_bonus
    natural = throw_d20(closer.edge, readings.edge_dice, "natural").natural
    margin = natural + bonus - defender.defense
    unhindered = _reaches(margin, 0, readings.contest_tie)
    hit = _attack_hits(defender.attack_bonus, closer.defense, defender.reaction_edge, readings.edge_dice)
    struck = ~unhindered & hit & (defender.reactions >= 1)
    return Closing(closes=~struck, unhindered=unhindered, struck=struck, margin=margin, natural=natural)


@rule("AE-33")
def grapple(
    grappler: Grappler = Grappler(),
    defender: Defender = Defender(),
    defense: Annotated[int, Field(ge=0, le=60, description="The grappler's own Defense Bonus")] = 14,
    strikes_first: Annotated[
        bool, Field(description="The opponent faces the grappler and spends a reaction on striking first")
    ] = True,
    readings: GrappleReadings = GrappleReadings(),
) -> Grapple:
    """Seizing somebody in close combat: a Strength attack against the Defense Bonus.

    A facing opponent may strike first with a reaction; with one that is left he may try to break free.

    >>> from rulekit import P
    >>> P(grapple().holds)
    Fraction(13, 20)
    """
    hit = _attack_hits(defender.attack_bonus, defense, defender.reaction_edge, readings.edge_dice)
    struck_first = hit & (defender.reactions >= 1) & strikes_first
    natural = throw_d20(grappler.edge - grappler.one_handed, readings.edge_dice, "natural").natural
    margin = natural + grappler.attack_bonus - defender.defense
    grabs = _reaches(margin, 0, readings.contest_tie)
    breaks_free: Roll[bool] = constant(False)
    if readings.break_free == BreakFree.AS_CONTROL:
        tries = _controls(
            defender.attack_bonus, defender.reaction_edge, grappler.attack_bonus, grappler.strength, readings
        )
        breaks_free = grabs & tries & (defender.reactions - strikes_first >= 1)
    return Grapple(
        natural=natural,
        grabs=grabs,
        struck_first=struck_first,
        breaks_free=breaks_free,
        holds=grabs & ~breaks_free,
        margin=margin,
    )


def _controls(
    attack_bonus: int,
    edge: int,
    their_attack: int,
    their_strength: int,
    readings: GrappleReadings | HoldReadings,
) -> Roll[bool]:
    """Taking control: a Strength attack at -1 Edge, or -2, that must beat the controller's Strength."""
    held = 1 if readings.control_edge == ControlEdge.ONCE else 2
    total = throw_d20(edge - held, readings.edge_dice, "control").natural + attack_bonus
    return total > _strength(their_attack, their_strength, readings)


def _strength(attack_bonus: int, strength: int, readings: GrappleReadings | HoldReadings) -> Roll[int]:
    """The opponent's Strength that a contest is held against."""
    if readings.strength_target == StrengthTarget.SCORE:
        return constant(strength)
    return throw_d20(0, readings.edge_dice, "Strength").natural + attack_bonus


@rule("AE-33")
def hold(
    controller: Grappler = Grappler(),
    held: Grappler = Grappler(attack_bonus=3, strength=12),
    prone: Annotated[bool, Field(description="They lie on the ground: moving is rolling, one space")] = False,
    readings: HoldReadings = HoldReadings(),
) -> Hold:
    """Within a grapple: take control, push or pull, take down. Each is an action with its own throw.

    >>> from rulekit import P
    >>> P(hold().takes_control)
    Fraction(81, 400)
    """
    takes_control = _controls(
        held.attack_bonus, held.edge - held.one_handed, controller.attack_bonus, controller.strength, readings
    )

    def controller_margin() -> tuple[Roll[int], Roll[bool]]:
        edge = controller.edge - controller.one_handed
        total = throw_d20(edge, readings.edge_dice, "push or take down").natural + controller.attack_bonus
        target = _strength(held.attack_bonus, held.strength, readings)
        return total - target, _reaches(total - target, 0, readings.contest_tie)

    by, moves = controller_margin()
    farthest = where(prone, 1, maximum(half(controller.combat_speed, readings.halves), 0))
    pushed = where(moves, minimum(1 + by // 5, farthest), 0)
    _, takes_down = controller_margin()

    down_total = (
        throw_d20(held.edge - held.one_handed - 1, readings.edge_dice, "drag down").natural
        + held.attack_bonus
    )
    against = _strength(controller.attack_bonus, controller.strength, readings)
    return Hold(
        takes_control=takes_control,
        pushed=pushed,
        takes_down=takes_down,
        drags_down=_reaches(down_total - against, 0, readings.contest_tie),
    )


@rule("AE-34")
def tackle(
    tackler: Tackler = Tackler(),
    defender: Defender = Defender(),
    readings: TackleReadings = TackleReadings(),
) -> Tackle:
    """A tackle: a Strength attack from at least one space away, into the target's space and beyond.

    By 5 or more the target is driven one space, and each further 5 one more if movement is left. It always
    provokes a reaction attack first, which does not stop it.

    Raises:
        NotAllowed: no space moved before.

    >>> from rulekit import E
    >>> E(tackle(Tackler(from_behind=1)).given(natural=18).spaces)
    Fraction(2, 1)
    """
    if tackler.moved < 1:
        raise NotAllowed("AE-34", "a tackle needs at least one space of movement before the target's own")
    edge = tackler.edge + tackler.sizes_larger + tackler.from_behind
    natural = throw_d20(edge, readings.edge_dice, "natural").natural
    total = natural + tackler.attack_bonus
    margin = total - defender.defense
    success = margin >= 0
    driven = where(margin >= 5, minimum(margin // 5, 1 + tackler.movement_left), 0)
    falls_alone = margin <= -5
    hit = _attack_hits(defender.attack_bonus, tackler.defense, defender.reaction_edge, readings.edge_dice)
    short_ends_close = readings.tackle_short == TackleShort.IN_CLOSE_COMBAT
    return Tackle(
        natural=natural,
        success=success,
        spaces=driven,
        falls_alone=falls_alone,
        struck_first=hit & (defender.reactions >= 1),
        close_combat=success | falls_alone | short_ends_close,
        total=total,
    )
