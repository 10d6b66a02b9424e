"""When an attack goes wrong: the mishap table (AE-15), what is scattered (AE-16), what breaks (AE-17)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from pydantic import Field

from rulekit import rules
from rulekit.games.adventures_edge.attacks import attack, location_notes
from rulekit.games.adventures_edge.readings import (
    CriticalMinimum,
    EdgeDice,
    HelplessArmour,
    MishapOn,
    SelfInjury,
    StrayAlly,
    StringBreak,
    TargetingRisk,
    in_full,
)
from rulekit.games.adventures_edge.stats import Fighter, Situation, Target
from rulekit.games.adventures_edge.tables import by_rows, column, faces_of
from rulekit.rolls import Chain, Roll, chain, constant, dice, roll, table, where
from rulekit.rules import Measure, Outcome, Stats, Unit, rule, source

__all__ = [
    "Ally",
    "Around",
    "Breakage",
    "BreakageReadings",
    "Mishap",
    "MishapReadings",
    "Scatter",
    "breakage",
    "mishap",
    "off_target_grid",
    "scatter",
    "wear",
]

DAMAGED, DROPPED, ON_ALLY, OPEN, SELF = column("mishaps", "faces")


class MishapReadings(rules.Readings):
    """The readings that touch a mishap and the attacks that follow from it."""

    helpless_armour: HelplessArmour = HelplessArmour.NONE
    critical_minimum: CriticalMinimum = CriticalMinimum.RANGE
    string_break: StringBreak = StringBreak.TABLE_1
    stray_ally: StrayAlly = StrayAlly.IN_RANGE
    self_injury: SelfInjury = SelfInjury.ONE_HP


class BreakageReadings(rules.Readings):
    """The readings that touch whether an attack goes wrong."""

    edge_dice: EdgeDice = EdgeDice.ONE_PER_EDGE
    helpless_armour: HelplessArmour = HelplessArmour.NONE
    mishap: MishapOn = MishapOn.NATURAL_1
    targeting_risk: TargetingRisk = TargetingRisk.NO_DEFENSE


class Ally(Stats):
    """One whom a blow or shot gone astray may strike."""

    target: Target = Target()
    adjacent: Annotated[bool, Field(description="Next to the attacker")] = True
    in_range: Annotated[bool, Field(description="Within the weapon's range")] = True
    in_field: Annotated[bool, Field(description="Before or behind the attacker: in the field of fire")] = True


class Around(Stats):
    """Who and what is around the one whose attack went wrong."""

    allies: Annotated[tuple[Ally, ...], Field(max_length=6)] = (Ally(),)
    opponents: Annotated[int, Field(ge=0, le=8, description="Adjacent opponents with a reaction left")] = 1
    opponent: Annotated[Fighter, Field(description="How they attack")] = Fighter()
    own: Annotated[Target, Field(description="The attacker as a target: neither parry nor dodge")] = Target()
    attack_showed_1: Annotated[bool, Field(description="The die of the attack that counts shows 1")] = True
    unraised_high: Annotated[
        int, Field(ge=1, le=60, description="Most base damage of the weapon by itself"), Unit("HP")
    ] = 8


class Scatter(Outcome):
    """Where a dropped or scattered thing lands."""

    sentence = "In the own space: {own_space}; the most likely space: {place}."

    place: Annotated[Roll[str], Measure(help="The space, seen from the owner")]
    own_space: Annotated[Roll[bool], Measure(help="It stays in the owner's space")]
    column: Annotated[Roll[int], Measure(unit="spaces", help="To the right; to the left negative")]
    row: Annotated[Roll[int], Measure(unit="spaces", help="Ahead; behind negative")]


class Mishap(Outcome):
    """What a mishap brings."""

    sentence = "Most likely: {mishap}. An ally hit: {ally_hit}; {damage_taken} damage taken on average."

    mishap: Annotated[Roll[str], Measure(help="The row of the mishap table")]
    weapon_damage: Annotated[Roll[int], Measure(help="Damage to the weapon")]
    string_breaks: Annotated[Roll[bool], Measure(help="The string of the missile weapon breaks")]
    dropped: Annotated[Roll[bool], Measure(help="The weapon slips from the hand")]
    lands: Annotated[Roll[str], Measure(help="Where it lands")]
    ally_hit: Annotated[Roll[bool], Measure(help="An ally is hit")]
    ally_damage: Annotated[Roll[int], Measure(unit="HP", help="Damage to an ally")]
    attacked: Annotated[Roll[int], Measure(help="Reaction attacks given away")]
    damage_taken: Annotated[Roll[int], Measure(unit="HP", help="Damage by those attacks")]
    self_damage: Annotated[Roll[int], Measure(unit="HP", help="Damage to oneself")]


class Breakage(Outcome):
    """How a weapon wears."""

    sentence = "Damaged by an attack: {damaged}; broken within these attacks: {broken}."

    damaged: Annotated[Roll[bool], Measure(help="An attack damages the weapon")]
    points: Annotated[Roll[int], Measure(help="Damage to the weapon over the attacks asked for")]
    broken: Annotated[Roll[bool], Measure(help="Broken within the attacks asked for")]
    lasts: Annotated[Roll[int], Measure(help="The attack that breaks it; one more than asked for: none")]


@source("AE-16")
def off_target_grid() -> dict[tuple[int, int], Fraction]:
    """The odds of each space, as (column, row) from the owner's: column 1 is to the right, row 1 ahead.

    >>> grid = off_target_grid()
    >>> grid[0, 0], grid[0, 1], sum(grid.values())
    (Fraction(1, 5), Fraction(1, 10), Fraction(1, 1))
    """
    columns, rows = column("off_target", "column"), column("off_target", "row")
    return {
        (columns[place], rows[place]): Fraction(len(faces_of(faces)), 20)
        for place, faces in column("off_target", "faces").items()
    }


@rule("AE-16")
def scatter() -> Scatter:
    """Where a dropped or scattered thing lands: one d20 on the off-target grid.

    >>> from rulekit import P
    >>> P(scatter().place == "ahead")
    Fraction(1, 10)
    """
    die = roll(20, "scatter")
    place = table(die, by_rows("off_target", "faces"))
    return Scatter(
        place=place,
        own_space=place == "own space",
        column=table(die, by_rows("off_target", "faces", "column")),
        row=table(die, by_rows("off_target", "faces", "row")),
    )


@rule("AE-15", "AE-16")
def mishap(
    attacker: Fighter = Fighter(),
    around: Around = Around(),
    readings: MishapReadings = MishapReadings(),
) -> Mishap:
    """A mishap has happened: a second d20 says what it brings.

    >>> from rulekit import P
    >>> P(mishap().mishap == "strikes an ally")
    Fraction(3, 20)
    """
    weapon = attacker.weapon
    die = roll(20, "mishap roll")
    row = table(die, by_rows("mishaps", "faces"))
    damaged = row == "weapon damaged"
    dropped = (row == "weapon dropped") & (not weapon.natural)

    by_table = readings.string_break == StringBreak.TABLE_1
    string_breaks = damaged & weapon.bowstring & (die == 1 if by_table else constant(around.attack_showed_1))

    struck, harm = _astray(attacker, around, readings)
    astray = row == "strikes an ally"
    opens = row == "open to attack"
    retaliation = attack(around.opponent, around.own, readings=in_full(readings))

    by_oneself = row == "injures self"
    uniform = weapon.low - 1 + roll(around.unraised_high - weapon.low + 1, "own weapon")
    injury = 1 if readings.self_injury == SelfInjury.ONE_HP else uniform
    bruised = damaged & weapon.natural
    return Mishap(
        mishap=row,
        weapon_damage=where(damaged & (not weapon.natural), 1, 0),
        string_breaks=string_breaks,
        dropped=dropped,
        lands=where(dropped, scatter().place, "in hand"),
        ally_hit=astray & struck,
        ally_damage=where(astray, harm, 0),
        attacked=where(opens, around.opponents, 0),
        damage_taken=where(opens, dice(around.opponents, retaliation.damage), 0),
        self_damage=where(by_oneself, injury, where(bruised, 1, 0)),
        notes=location_notes(around.own, *(ally.target for ally in around.allies)),
    )


def _astray(attacker: Fighter, around: Around, readings: MishapReadings) -> tuple[Roll[bool], Roll[int]]:
    """The second attack, at -1 Edge, on an ally whom luck picks: whether it hits, and its damage."""
    if attacker.weapon.ranged:
        in_range = readings.stray_ally == StrayAlly.IN_RANGE
        eligible = [ally for ally in around.allies if (ally.in_range if in_range else ally.in_field)]
    else:
        eligible = [ally for ally in around.allies if ally.adjacent]
    struck: Roll[bool] = constant(False)
    harm: Roll[int] = constant(0)
    luck = roll(max(1, len(eligible)), "luck")
    for place, ally in enumerate(eligible, 1):
        second = attack(attacker, ally.target, Situation(edge=-1), in_full(readings))
        struck = where(luck == place, second.hit, struck)
        harm = where(luck == place, second.damage, harm)
    return struck, harm


def _damaged(
    attacker: Fighter, target: Target, situation: Situation, readings: BreakageReadings
) -> Roll[bool]:
    """Whether one attack damages the weapon."""
    swing = attack(attacker, target, situation, in_full(readings))
    row = table(roll(20, "mishap roll"), by_rows("mishaps", "faces"))
    return swing.mishap & (row == "weapon damaged") & (not attacker.weapon.natural)


@source("AE-17")
def wear(
    attacker: Fighter,
    target: Target,
    taken: int = 0,
    situation: Situation = Situation(),
    readings: BreakageReadings = BreakageReadings(),
) -> Chain:
    """Attacks until a weapon that has taken some damage is broken, as a chain: its `steps` and `mean`.

    >>> from rulekit.games.adventures_edge.stats import Weapon
    >>> longsword = Fighter(attack_bonus=7, weapon=Weapon(breakage=7))
    >>> wear(longsword, Target(defense=15), taken=5).mean
    Fraction(160, 1)
    """

    def swing(points: Roll[int]) -> Roll[int]:
        return points + _damaged(attacker, target, situation, readings)

    return chain(taken, swing, until=lambda points: points >= attacker.weapon.breakage)


@dataclass(frozen=True)
class _Worn:
    """A weapon after some attacks."""

    attacks: Roll[int] | int
    points: Roll[int] | int


@rule("AE-14", "AE-15", "AE-17")
def breakage(
    attacker: Fighter = Fighter(),
    target: Target = Target(),
    situation: Situation = Situation(),
    taken: Annotated[int, Field(ge=0, le=20, description="Damage that the weapon has taken")] = 3,
    attacks: Annotated[int, Field(ge=1, le=400, description="Attacks to look at")] = 100,
    readings: BreakageReadings = BreakageReadings(),
) -> Breakage:
    """How a weapon wears: a mishap damages it in 5 cases of 20; at its breakage score it is broken.

    `wear` looks at all attacks to come, whose mean and distribution have no end.

    >>> from rulekit import P
    >>> P(breakage(taken=4, attacks=20).broken)
    Fraction(25643898483841102155013169622598465599, 115292150460684697600000000000000000000)
    """
    scores = attacker.weapon.breakage

    def swing(worn: _Worn) -> _Worn:
        damaged = _damaged(attacker, target, situation, readings)
        return _Worn(constant(worn.attacks) + 1, constant(worn.points) + damaged)

    def is_over(worn: _Worn) -> Roll[bool]:
        return (constant(worn.points) >= scores) | (constant(worn.attacks) >= attacks)

    end = chain(_Worn(0, taken), swing, until=is_over).end
    return Breakage(
        damaged=_damaged(attacker, target, situation, readings),
        points=end.points - taken,
        broken=end.points >= scores,
        lasts=where(end.points >= scores, end.attacks, attacks + 1),
    )
