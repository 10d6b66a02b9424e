"""Positions on the hex map as what they mean for an attack, each by its rule (EL-02, EL-08, EL-15, EL-21)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, NamedTuple

from pydantic import Field

from rulekit.board import hex as hexes
from rulekit.errors import NotAllowed
from rulekit.games.elements.attacks import Attack, AttackReadings, Leaving, attack
from rulekit.games.elements.grappling import Clinch
from rulekit.games.elements.readings import CoverHitsThrown, OwnCover
from rulekit.games.elements.stats import Attacker, Cover, Situation, Target, Use, Weapon
from rulekit.rules import Stats, rule

__all__ = [
    "Battlefield",
    "BoardReadings",
    "Modifier",
    "Obstacle",
    "Place",
    "attack_on_board",
    "clinch_between",
    "cover_between",
    "gap",
    "leaving_reach",
    "modifiers",
    "placed",
]

FEET = 5
"""A hex is five feet wide."""

STRENGTH = (Cover.NONE, Cover.HALF, Cover.FULL)


class BoardReadings(AttackReadings):
    """The readings that touch an attack on the map."""

    own_cover: OwnCover = OwnCover.IGNORED_WHEN_LEANING


Coordinate = Annotated[int, Field(ge=-20, le=20)]


class Place(Stats):
    """Where somebody stands: the hex, for a creature of several hexes the one at its centre."""

    q: Annotated[Coordinate, Field(description="Axial coordinate q of the centre hex")] = 0
    r: Annotated[Coordinate, Field(description="Axial coordinate r of the centre hex")] = 0
    radius: Annotated[int, Field(ge=0, le=5, description="Hexes that it reaches beyond its centre")] = 0
    leaning: Annotated[bool, Field(description="Leans out of cover to act")] = False

    @property
    def centre(self) -> hexes.Hex:
        """The centre hex."""
        return self.q, self.r


class Obstacle(Stats):
    """A hex that gives cover."""

    q: Annotated[Coordinate, Field(description="Axial coordinate q")] = 0
    r: Annotated[Coordinate, Field(description="Axial coordinate r")] = 0
    cover: Annotated[Cover, Field(description="The cover that it gives")] = Cover.HALF
    low: Annotated[bool, Field(description="Low enough to reach over")] = False

    @property
    def hex(self) -> hexes.Hex:
        """Its hex."""
        return self.q, self.r


class Battlefield(Stats):
    """Who stands where, and what stands between."""

    attacker: Annotated[Place, Field(description="The attacker")] = Place()
    target: Annotated[Place, Field(description="The target")] = Place(q=4)
    enemies: Annotated[tuple[Place, ...], Field(description="The attacker's other enemies")] = ()
    obstacles: Annotated[tuple[Obstacle, ...], Field(description="What gives cover")] = ()


class Modifier(NamedTuple):
    """What a position does to an attack: "ADV", "DISADV" or "cannot be targeted", by which rule, why."""

    effect: str
    rule: str
    why: str


def gap(a: Place, b: Place) -> int:
    """Steps between the nearest hexes of the two: 1 where they are adjacent, 0 where they share a hex.

    >>> gap(Place(), Place(q=3)), gap(Place(radius=1), Place(q=3, radius=1))
    (3, 1)
    """
    return max(0, hexes.distance(a.centre, b.centre) - a.radius - b.radius)


def cover_between(
    attacker: Place,
    target: Place,
    obstacles: Sequence[Obstacle],
    own_cover: OwnCover = OwnCover.IGNORED_WHEN_LEANING,
) -> Cover:
    """The cover of the target: the strongest that the line between the centres touches (EL-08).

    One who leans out is in half cover, whatever the obstacle beside him gives; on his own line that obstacle
    is left out, unless the reading says that it counts.

    >>> wall, far = [Obstacle(q=1, r=0, cover="full")], Place(q=4)
    >>> cover_between(Place(), far, wall)
    <Cover.FULL: 'full'>
    >>> cover_between(Place(leaning=True), far, wall), cover_between(far, Place(leaning=True), wall)
    (<Cover.NONE: 'none'>, <Cover.HALF: 'half'>)
    """
    touched = set(hexes.line(attacker.centre, target.centre))
    strongest = Cover.HALF if target.leaning else Cover.NONE
    for obstacle in obstacles:
        if obstacle.hex not in touched:
            continue
        if attacker.leaning and own_cover is OwnCover.IGNORED_WHEN_LEANING and _beside(attacker, obstacle):
            continue
        own = target.leaning and _beside(target, obstacle)
        strongest = max(strongest, Cover.HALF if own else obstacle.cover, key=STRENGTH.index)
    return strongest


def modifiers(
    weapon: Weapon,
    battlefield: Battlefield,
    situation: Situation = Situation(),
    readings: BoardReadings = BoardReadings(),
) -> tuple[Modifier, ...]:
    """What the positions do to an attack with this weapon, each with the number of its rule.

    >>> bow, axe = Weapon(use="ranged"), Weapon()
    >>> field = Battlefield(target=Place(q=3), enemies=[Place(r=1)], obstacles=[Obstacle(q=1)])
    >>> [(m.effect, m.rule) for m in modifiers(bow, field)]
    [('DISADV', 'EL-02'), ('DISADV', 'EL-08')]
    >>> modifiers(axe, field)
    (Modifier(effect='cannot be targeted', rule='EL-15', why='15 ft off, the reach is 5 ft'),)
    """
    here, there = battlefield.attacker, battlefield.target
    if weapon.use is Use.MELEE:
        return tuple(_melee(weapon, battlefield, situation))
    found = []
    if any(gap(here, enemy) <= 1 for enemy in (there, *battlefield.enemies)):
        found.append(Modifier("DISADV", "EL-02", "an enemy is adjacent"))
    cover = cover_between(here, there, battlefield.obstacles, readings.own_cover)
    if cover is Cover.FULL:
        found.append(Modifier("cannot be targeted", "EL-08", "full cover"))
    spared = weapon.use is Use.THROWN and readings.cover_hits_thrown is CoverHitsThrown.NO
    if cover is Cover.HALF and not spared:
        found.append(Modifier("DISADV", "EL-08", "half cover"))
    return tuple(found)


def placed(
    weapon: Weapon,
    battlefield: Battlefield,
    situation: Situation = Situation(),
    readings: BoardReadings = BoardReadings(),
) -> Situation:
    """The situation of an attack with this weapon, as the positions make it.

    Raises:
        NotAllowed: the target cannot be targeted; with the rule that says so.
    """
    found = modifiers(weapon, battlefield, situation, readings)
    for modifier in found:
        if modifier.effect == "cannot be targeted":
            raise NotAllowed(modifier.rule, f"cannot be targeted: {modifier.why}")
    rules = {modifier.rule for modifier in found}
    return Situation(
        **{
            **dict(situation),
            "enemy_adjacent": "EL-02" in rules and weapon.use is not Use.MELEE,
            "cover": Cover.HALF if "EL-08" in rules else Cover.NONE,
        }
    )


@rule("EL-02", "EL-08", "EL-21")
def attack_on_board(
    attacker: Attacker = Attacker(weapon=Weapon(use=Use.RANGED)),
    target: Target = Target(),
    battlefield: Battlefield = Battlefield(obstacles=(Obstacle(q=2),)),
    situation: Situation = Situation(),
    readings: BoardReadings = BoardReadings(),
) -> Attack:
    """One attack on the hex map: cover, reach and adjacent enemies come from the positions."""
    return attack(attacker, target, placed(attacker.weapon, battlefield, situation, readings), readings)


def leaving_reach(attacker: Place, before: Place, after: Place, enemies: Sequence[Place] = ()) -> Leaving:
    """An enemy's step as an attack of opportunity sees it (EL-15); `enemies` are the others.

    >>> leaving_reach(Place(), Place(q=1), Place(q=3), [Place(r=-1)])
    Leaving(leaves_from=5, leaves_to=15, others_adjacent=True, reaction_left=True)
    """
    return Leaving(
        leaves_from=FEET * max(1, gap(attacker, before)),
        leaves_to=FEET * max(1, gap(attacker, after)),
        others_adjacent=any(gap(attacker, enemy) <= 1 for enemy in enemies),
    )


def clinch_between(attacker: Place, target: Place, other: Place, *, one_holds: bool) -> Clinch:
    """Two who grapple as an attack at `target` finds them (EL-20).

    >>> clinch_between(Place(), Place(q=3), Place(q=2), one_holds=True).other_in_line
    True
    """
    touched = set(hexes.line(attacker.centre, target.centre))
    return Clinch(
        one_holds=one_holds, other_in_line=not touched.isdisjoint(hexes.disk(other.centre, other.radius))
    )


def _beside(place: Place, obstacle: Obstacle) -> bool:
    return hexes.distance(place.centre, obstacle.hex) <= place.radius + 1


def _melee(weapon: Weapon, battlefield: Battlefield, situation: Situation) -> list[Modifier]:
    here, there = battlefield.attacker, battlefield.target
    off = gap(here, there)
    if off * FEET > weapon.reach:
        why = f"{off * FEET} ft off, the reach is {weapon.reach} ft"
        return [Modifier("cannot be targeted", "EL-15", why)]
    own = {*hexes.disk(here.centre, here.radius), *hexes.disk(there.centre, there.radius)}
    between = set(hexes.line(here.centre, there.centre)) - own
    for obstacle in battlefield.obstacles:
        # What is adjacent to both is also not more than one hex deep.
        over = obstacle.low and _beside(here, obstacle) and _beside(there, obstacle)
        if obstacle.hex in between and not over:
            return [Modifier("cannot be targeted", "EL-21", "cover that one cannot reach over")]
    if situation.confined and weapon.reach == 10 and not weapon.manipulation:
        return [Modifier("DISADV", "EL-02", "a reach of 10 ft in a confined space")]
    return []
