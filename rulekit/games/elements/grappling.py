"""Grapples: the contest, moving the opponent, and attacks into one (EL-18 to EL-20)."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

from pydantic import Field

from rulekit.errors import NotAllowed
from rulekit.games.elements.armour import after_armour, protection
from rulekit.games.elements.attacks import AttackReadings, struck
from rulekit.games.elements.blows import D20Readings, blow, d20
from rulekit.games.elements.readings import GrappleCover, HelplessGrapple, Natural20Move
from rulekit.games.elements.stats import Attacker, Causes, Cover, Modifier, Rank, Situation, Target, Use
from rulekit.rolls import Roll, constant, where
from rulekit.rules import Entry, Measure, Outcome, Stats, rule

__all__ = [
    "Clinch",
    "Grapple",
    "GrappleReadings",
    "Grappler",
    "IntoGrapple",
    "IntoGrappleReadings",
    "Move",
    "MoveReadings",
    "attack_into_grapple",
    "grapple",
    "move_grappled",
]


class Grappler(Entry):
    """One of two who grapple."""

    loadout_file: ClassVar[str] = "grapplers.toml"

    mod: Annotated[Modifier, Field(description="Dominant Element modifier")] = 3
    immobilised: Annotated[bool, Field(description="Immobilised: DISADV")] = False
    limb_injury: Annotated[
        bool, Field(description="A severe or critical injury of an arm or leg: DISADV")
    ] = False
    helpless: Annotated[bool, Field(description="Incapacitated, paralysed or the like: makes no check")] = (
        False
    )
    advantage: Annotated[Causes, Field(description="Other causes of ADV on the check")] = 0
    disadvantage: Annotated[Causes, Field(description="Other causes of DISADV on the check")] = 0


class GrappleReadings(D20Readings):
    """The readings that touch a grapple."""

    helpless_grapple: HelplessGrapple = HelplessGrapple.AUTO_WIN


class Grapple(Outcome):
    """One opposed check between two who grapple."""

    sentence = "Holds the other {holds}, is held {held}; nothing changes {tie}."

    holds: Annotated[Roll[bool], Measure(help="The one who began holds the other")]
    held: Annotated[Roll[bool], Measure(help="The other holds the one who began")]
    tie: Annotated[Roll[bool], Measure(help="Nothing changes")]
    lead: Annotated[Roll[int], Measure(help="By how much the one who began is ahead; 0 without a check")]


@rule("EL-01", "EL-18")
def grapple(
    starter: Grappler = Grappler(),
    other: Grappler = Grappler(),
    readings: GrappleReadings = GrappleReadings(),
) -> Grapple:
    """A grapple of an adjacent character: the higher holds the other, whoever began."""
    if starter.helpless:
        raise NotAllowed("EL-18", "one who is helpless cannot begin a grapple")
    if other.helpless:
        if readings.helpless_grapple is HelplessGrapple.NO_CONTEST:
            raise NotAllowed("EL-18", "against one who is helpless there is no contest")
        return Grapple(holds=constant(True), held=constant(False), tie=constant(False), lead=constant(0))
    lead = _check(starter, readings) + starter.mod - (_check(other, readings) + other.mod)
    return Grapple(holds=lead > 0, held=lead < 0, tie=lead == 0, lead=lead)


def _check(one: Grappler, readings: D20Readings) -> Roll[int]:
    hampered = one.disadvantage + one.immobilised + one.limb_injury
    return d20(one.advantage, hampered, readings.adv_mix)


# -- moving the opponent ---------------------------------------------------------------------------------


class MoveReadings(GrappleReadings):
    """The readings that touch moving a grappled opponent."""

    natural_20_move: Natural20Move = Natural20Move.MUST_WIN


class Move(Outcome):
    """One try to move a grappled opponent."""

    sentence = "Moves the opponent {moves}, {feet} on average; the opponent escapes {escapes}."

    moves: Annotated[Roll[bool], Measure(help="The mover may move the opponent")]
    feet: Annotated[Roll[int], Measure(unit="ft", help="How far at most, 0 where not at all")]
    escapes: Annotated[Roll[bool], Measure(help="The opponent escapes")]
    tie: Annotated[Roll[bool], Measure(help="Nothing changes")]
    natural: Annotated[Roll[int], Measure(help="The mover's d20 that counts")]


@rule("EL-01", "EL-19")
def move_grappled(
    mover: Grappler = Grappler(), held: Grappler = Grappler(), readings: MoveReadings = MoveReadings()
) -> Move:
    """The holder's next turn: opposed again; 5 ft, by 10 or more 10 ft, with a natural 20 up to 15 ft."""
    if mover.helpless:
        raise NotAllowed("EL-18", "one who is helpless cannot make the check")
    natural = d20(
        mover.advantage, mover.disadvantage + mover.immobilised + mover.limb_injury, readings.adv_mix
    )
    if held.helpless:
        if readings.helpless_grapple is HelplessGrapple.NO_CONTEST:
            raise NotAllowed("EL-18", "against one who is helpless there is no contest")
        far = where(natural == 20, 15, 5)
        return Move(
            moves=constant(True), feet=far, escapes=constant(False), tie=constant(False), natural=natural
        )
    lead = natural + mover.mod - (_check(held, readings) + held.mod)
    far = natural == 20 if readings.natural_20_move is Natural20Move.ALWAYS else (natural == 20) & (lead > 0)
    feet = where(far, 15, where(lead >= 10, 10, where(lead > 0, 5, 0)))
    return Move(moves=feet > 0, feet=feet, escapes=(lead < 0) & ~far, tie=(lead == 0) & ~far, natural=natural)


# -- attacks into a grapple ------------------------------------------------------------------------------


class Clinch(Stats):
    """How the two stand whom an attack is made into (EL-20)."""

    one_holds: Annotated[bool, Field(description="One of them holds the other")] = False
    other_in_line: Annotated[bool, Field(description="The other stands in the line of the attack")] = False
    other_low: Annotated[bool, Field(description="The other is low enough to reach over")] = False


class IntoGrappleReadings(AttackReadings):
    """The readings that touch an attack into a grapple."""

    grapple_cover: GrappleCover = GrappleCover.BY_LINE


class IntoGrapple(Outcome):
    """One attack into a grapple."""

    sentence = "Hits the one aimed at {hit}, the other {hits_other}: {damage} and {damage_other} on average."

    hit: Annotated[Roll[bool], Measure(help="The one aimed at is hit")]
    hits_other: Annotated[Roll[bool], Measure(help="The other is hit instead")]
    damage: Annotated[Roll[int], Measure(unit="HP", help="Damage to the one aimed at")]
    damage_other: Annotated[Roll[int], Measure(unit="HP", help="Damage to the other")]
    critical: Annotated[Roll[bool], Measure(help="The one aimed at is hit by a critical")]


@rule("EL-20")
def attack_into_grapple(
    attacker: Attacker = Attacker(),
    target: Target = Target(),
    other: Target = Target(rank=Rank.UNIQUE),
    clinch: Clinch = Clinch(),
    situation: Situation = Situation(),
    readings: IntoGrappleReadings = IntoGrappleReadings(),
) -> IntoGrapple:
    """An attack at one of two who grapple.

    Where neither holds the other, whatever misses the one hits the other, as an ordinary hit against what
    protects him. Where one holds the other, each is half cover for the other.
    """
    covered = clinch.one_holds & (clinch.other_in_line | (readings.grapple_cover is GrappleCover.ALWAYS))
    if covered and situation.cover is Cover.NONE:
        situation = Situation(**{**dict(situation), "cover": Cover.HALF})
    melee = attacker.weapon.use is Use.MELEE
    if melee and clinch.one_holds and clinch.other_in_line and not clinch.other_low:
        raise NotAllowed("EL-21", "no blow reaches over a grappler who stands in its line")
    one = blow(attacker, target, situation, readings)
    aimed = struck(one, target, situation, readings)
    astray = ~one.hit & (not clinch.one_holds)
    instead: Any
    if one.pure:
        (instead,) = one.parts.values()
    else:
        instead = after_armour(one.parts, protection(other, one.elements, readings), one.ap, readings)
    return IntoGrapple(
        hit=aimed.hit,
        hits_other=astray,
        damage=aimed.damage,
        damage_other=where(astray, instead, 0),
        critical=aimed.critical,
    )
