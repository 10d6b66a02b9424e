"""From where the figures stand to what an attack gains or loses by it, each with its rule number.

Positions and facings are `rulekit.board.square`'s; heights are in feet, everything else in spaces of 5 feet.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from itertools import pairwise
from typing import Annotated

from pydantic import Field

from rulekit.board import square
from rulekit.board.square import Diagonals, Facing, Space
from rulekit.errors import NotAllowed
from rulekit.games.adventures_edge.attacks import Attack, attack, location_notes
from rulekit.games.adventures_edge.derived import ShieldSize, shield_reach
from rulekit.games.adventures_edge.readings import (
    ArcRanged,
    DiagonalMove,
    ProvokeOnEntry,
    ReachCompare,
)
from rulekit.games.adventures_edge.readings import Readings as AttackReadings
from rulekit.games.adventures_edge.stats import Fighter, HighGround, Reach, Situation, Target, Varied, Weapon
from rulekit.rolls import Roll, constant
from rulekit.rules import Measure, Outcome, Readings, Stats, Unit, rule, source

__all__ = [
    "BoardReadings",
    "Figure",
    "Ground",
    "Modifier",
    "Move",
    "Obstacle",
    "PlaceReadings",
    "PlacedAttack",
    "PlacedReadings",
    "Provocation",
    "Size",
    "arc_modifier",
    "attack_from",
    "cover_modifiers",
    "high_ground_modifiers",
    "improvised_range",
    "in_reach",
    "longer_reach",
    "may_follow",
    "modifiers",
    "move",
    "prone_modifier",
    "range_modifiers",
    "reach_modifier",
    "ridden_spaces",
    "shielded_from",
    "situated",
    "speed",
    "threatened",
    "turn",
    "turning_cost",
]

POINT_BLANK = 4  # AE-22: 20 feet
FRONT = 90  # AE-27: degrees off the facing that are still ahead


class PlaceReadings(Readings):
    """The readings that touch where one stands."""

    arc_ranged: ArcRanged = ArcRanged.ADJACENT_ONLY
    diagonal_move: DiagonalMove = DiagonalMove.SAME


class BoardReadings(PlaceReadings):
    """The readings that touch positions and movement."""

    reach_compare: ReachCompare = ReachCompare.DEGREE
    provoke_on_entry: ProvokeOnEntry = ProvokeOnEntry.LONGER_REACH


class PlacedReadings(PlaceReadings, AttackReadings):
    """The readings that touch an attack on the board."""


class Size(Enum):
    """Size categories around a human's; the chapter names medium alone."""

    SMALL = "small"
    MEDIUM = "medium"
    LARGE = "large"
    HUGE = "huge"


_DEGREES = list(Reach)
_SIZES = list(Size)
_SPACES = {Reach.LONG: 2, Reach.MEDIUM: 1, Reach.SHORT: 1, Reach.CLOSE: 0}


class Figure(Varied, Stats):
    """Somebody on the board."""

    x: Annotated[int, Field(ge=-200, le=200), Unit("spaces")] = 0
    y: Annotated[int, Field(ge=-200, le=200), Unit("spaces")] = 0
    facing: Annotated[Facing, Field(description="Where the front of the figure points")] = Facing.NORTH
    size: Size = Size.MEDIUM
    height: Annotated[int, Field(ge=1, le=60, description="How tall, standing"), Unit("ft")] = 6
    ground: Annotated[int, Field(ge=-200, le=200, description="How high the feet are"), Unit("ft")] = 0
    prone: Annotated[bool, Field(description="Lies on the ground")] = False
    reach: Annotated[Reach, Field(description="The weapon's degree of reach")] = Reach.MEDIUM
    reach_number: Annotated[int, Field(ge=0, le=12, description="The weapon's reach as a number")] = 4
    reach_modifier: Annotated[int, Field(ge=-4, le=4, description="What the wielder's height adds")] = 0
    extended: Annotated[int, Field(ge=3, le=12, description="An extended reach"), Unit("spaces")] = 3
    shield: ShieldSize = ShieldSize.NONE
    shield_bonus: Annotated[
        int, Field(ge=0, le=20, description="How much of the Defense Bonus is the shield's")
    ] = 0
    grappling: Annotated[bool, Field(description="In close combat, which takes all attention")] = False

    @property
    def space(self) -> Space:
        """Where the figure stands."""
        return self.x, self.y

    @property
    def degree(self) -> Reach:
        """The degree of reach that weapon and wielder have together."""
        return _DEGREES[max(0, min(len(_DEGREES) - 1, _DEGREES.index(self.reach) + self.reach_modifier))]

    @property
    def reach_spaces(self) -> int:
        """How many spaces away the weapon strikes."""
        return self.extended if self.degree is Reach.EXTENDED else _SPACES[self.degree]


@dataclass(frozen=True)
class Modifier:
    """What a position does to an attack, and the rule that says so."""

    rule: str
    why: str
    edge: int = 0
    attack: int = 0
    defense: int = 0


@dataclass(frozen=True)
class Provocation:
    """A reaction attack that a move gives away: to which foe (its place in the list) and at which step."""

    rule: str
    why: str
    foe: int
    step: int


@dataclass(frozen=True)
class Move:
    """A move along a path: the movement it takes, in spaces, and what it provokes."""

    cost: int
    provokes: tuple[Provocation, ...]


@source("AE-27", "AE-29")
def threatened(figure: Figure) -> frozenset[Space]:
    """AE-27, AE-29: the spaces that a figure threatens: those ahead of it within its reach.

    In close combat it threatens none, and so does a weapon of close reach.

    >>> sorted(threatened(Figure(facing=Facing.NORTH)))
    [(-1, 0), (-1, 1), (0, 1), (1, 0), (1, 1)]
    """
    if figure.grappling:
        return frozenset()
    n = figure.reach_spaces
    around = ((figure.x + dx, figure.y + dy) for dx in range(-n, n + 1) for dy in range(-n, n + 1))
    return frozenset(
        space
        for space in around
        if space != figure.space
        and square.distance(figure.space, space) <= n
        and square.arc(figure.facing, figure.space, space) <= FRONT
    )


@source("AE-27")
def arc_modifier(
    attacker: Figure, target: Figure, ranged: bool = False, readings: PlaceReadings = PlaceReadings()
) -> Modifier | None:
    """AE-27: +1 Edge from the flank, +2 from the rear; None from the front or from the same space.

    >>> arc_modifier(Figure(x=1, y=-1), Figure(facing=Facing.NORTH))
    Modifier(rule='AE-27', why='from the flank', edge=1, attack=0, defense=0)
    >>> arc_modifier(Figure(y=-1), Figure()).edge, arc_modifier(Figure(x=1), Figure())
    (2, None)
    """
    if attacker.space == target.space:
        return None
    adjacent = square.distance(attacker.space, target.space, Diagonals.ONE) == 1
    if ranged and not adjacent and readings.arc_ranged == ArcRanged.ADJACENT_ONLY:
        return None
    off = square.arc(target.facing, target.space, attacker.space)
    if off <= FRONT:
        return None
    if off == 180:
        return Modifier("AE-27", "from the rear", edge=2)
    return Modifier("AE-27", "from the flank", edge=1)


@source("AE-10")
def shielded_from(target: Figure, attackers: Sequence[Figure], ranged: bool = False) -> frozenset[int]:
    """AE-10: against which of the attackers (their places in the list) the shield counts.

    A small shield counts against one facing opponent, a medium one against two next to each other, a large
    one against three; a large one also against every shot from the front. The shield is turned to where it
    holds off the most, the first of the list where that is equal.

    >>> foes = [Figure(x=-1, y=1), Figure(y=1), Figure(x=1, y=1), Figure(y=-1)]
    >>> [sorted(shielded_from(Figure(shield=size), foes)) for size in ("medium", "large")]
    [[0, 1], [0, 1, 2]]
    """
    facing = {
        i: square.direction(target.space, attacker.space)
        for i, attacker in enumerate(attackers)
        if attacker.space != target.space and square.arc(target.facing, target.space, attacker.space) <= FRONT
    }
    width = shield_reach(target.shield)
    if width == 0:
        return frozenset()
    if ranged:
        return frozenset(facing) if target.shield is ShieldSize.LARGE else frozenset(list(facing)[:1])
    best: frozenset[int] = frozenset()
    for start in Facing:
        span = {start.turned(45 * k) for k in range(width)}
        covered = frozenset([i for i, direction in facing.items() if direction in span][:width])
        if (len(covered), sorted(best)) > (len(best), sorted(covered)):
            best = covered
    return best


@source("AE-22")
def range_modifiers(
    distance: int, base: int, *, mechanical: bool = False, thrown: bool = False, made_for_it: bool = True
) -> tuple[Modifier, ...]:
    """AE-22: -1 Edge for each range increment beyond the first, +1 point blank with a firearm or mechanical
    bow, -1 for throwing what is not made for it.

    Args:
        distance: Spaces to the target.
        base: The weapon's base range in spaces (`improvised_range` where it has none).
        mechanical: A firearm or mechanical bow.
        thrown: The weapon is thrown.
        made_for_it: The weapon is made for throwing.

    >>> [m.edge for m in range_modifiers(80, 30, mechanical=True)]
    [-2]
    >>> [m.edge for m in range_modifiers(8, 4, thrown=True)]
    [-1]
    """
    if base < 1:
        raise NotAllowed("AE-22", f"a base range of {base} spaces reaches nothing")
    found = []
    beyond = math.ceil(Fraction(distance, base)) - 1
    if beyond > 0:
        found.append(Modifier("AE-22", f"range increment {beyond + 1}", edge=-beyond))
    if mechanical and distance <= POINT_BLANK:
        found.append(Modifier("AE-22", "point blank", edge=1))
    if thrown and not made_for_it:
        found.append(Modifier("AE-22", "not made to be thrown", edge=-1))
    return tuple(found)


@source("AE-22")
def improvised_range(reach_number: int) -> int:
    """AE-22: the base range, in spaces, of a weapon that is thrown and not made for it, by its reach number.

    >>> improvised_range(3), improvised_range(4)
    (4, 2)
    """
    return 4 if reach_number <= 3 else 2


@source("AE-23")
def prone_modifier(target: Figure, ranged: bool, beyond_first_increment: bool = False) -> Modifier | None:
    """AE-23: a prone target, medium or smaller, is harder to shoot beyond the first increment and easier to
    strike in melee.

    >>> prone_modifier(Figure(prone=True), ranged=True, beyond_first_increment=True).edge
    -1
    >>> prone_modifier(Figure(prone=True), ranged=False).edge
    1
    """
    if not target.prone:
        return None
    if not ranged:
        return Modifier("AE-23", "the target is prone", edge=1)
    if beyond_first_increment and _SIZES.index(target.size) <= _SIZES.index(Size.MEDIUM):
        return Modifier("AE-23", "the target is prone", edge=-1)
    return None


@source("AE-24")
def cover_modifiers(
    attacker: Figure,
    target: Figure,
    walls: Iterable[Space] = (),
    creatures: Iterable[Figure] = (),
    ranged: bool = False,
) -> tuple[Modifier, ...]:
    """AE-24: -1 Edge where at least half of the target is behind the walls, -2 for three quarters.

    A shot through a creature of the target's size has another -1, through one a size larger -2, each.

    How much is hidden is `square.showing`'s; a creature is shot through where the straight line from centre
    to centre crosses its space.

    >>> [m.edge for m in cover_modifiers(Figure(), Figure(x=1, y=1), walls=[(1, 0)])]
    [-1]
    >>> [m.edge for m in cover_modifiers(Figure(), Figure(x=4), creatures=[Figure(x=2)], ranged=True)]
    [-1]
    """
    found = []
    covered = 1 - square.showing(attacker.space, target.space, walls)
    if covered >= Fraction(3, 4):
        found.append(Modifier("AE-24", "at least three quarters covered", edge=-2))
    elif covered >= Fraction(1, 2):
        found.append(Modifier("AE-24", "at least half covered", edge=-1))
    if ranged:
        larger = {0: -1, 1: -2}
        for creature in creatures:
            by = _SIZES.index(creature.size) - _SIZES.index(target.size)
            if by in larger and _crosses(attacker.space, target.space, creature.space):
                found.append(Modifier("AE-24", f"through a {creature.size.value} creature", edge=larger[by]))
    return tuple(found)


def _crosses(a: Space, b: Space, between: Space) -> bool:
    """Whether the line from centre to centre goes through the inside of a third space."""
    if between in (a, b) or between not in square.line(a, b):
        return False
    dx, dy = b[0] - a[0], b[1] - a[1]
    off = abs(dx * (between[1] - a[1]) - dy * (between[0] - a[0]))
    return 2 * off < abs(dx) + abs(dy)


@source("AE-29")
def in_reach(attacker: Figure, target: Figure) -> bool:
    """AE-29: whether the target stands within the attacker's reach, its facing left out of account.

    Diagonals count 1, 2, 1, 2. A weapon of close reach strikes in the own space alone.

    >>> spear = Figure(reach="long")
    >>> in_reach(spear, Figure(x=2, y=1)), in_reach(spear, Figure(x=2, y=2))
    (True, False)
    """
    return square.distance(attacker.space, target.space) <= attacker.reach_spaces


@source("AE-29")
def reach_modifier(attacker: Figure, target: Figure) -> Modifier | None:
    """AE-29: a weapon used nearer than it is made for: one degree is free, two cost 1 Edge.

    Raises:
        NotAllowed: three degrees, or a target out of reach.

    >>> reach_modifier(Figure(reach="medium"), Figure()).edge
    -1
    >>> reach_modifier(Figure(reach="short"), Figure()) is None
    True
    """
    away = square.distance(attacker.space, target.space)
    if not in_reach(attacker, target):
        raise NotAllowed("AE-29", f"{away} spaces away, and the weapon reaches {attacker.reach_spaces}")
    wanted = max((degree for degree in _SPACES if _SPACES[degree] == min(away, 2)), key=_DEGREES.index)
    shorter = _DEGREES.index(attacker.degree) - _DEGREES.index(wanted)
    if away > _SPACES[Reach.LONG] or shorter <= 1:
        return None
    if shorter == 2:
        return Modifier("AE-29", "two degrees inside the weapon's reach", edge=-1)
    raise NotAllowed(
        "AE-29", f"a weapon of {attacker.degree.value} reach cannot strike at {wanted.value} reach"
    )


@source("AE-29")
def longer_reach(a: Figure, b: Figure, readings: BoardReadings = BoardReadings()) -> bool:
    """AE-29: whether a's reach is longer than b's, by degree or by the weapon's number.

    >>> arming, long = Figure(reach="medium", reach_number=3), Figure(reach="medium", reach_number=4)
    >>> longer_reach(long, arming), longer_reach(long, arming, BoardReadings(reach_compare="number"))
    (False, True)
    """
    if readings.reach_compare == ReachCompare.NUMBER:
        return a.reach_number + a.reach_modifier > b.reach_number + b.reach_modifier
    return (_DEGREES.index(a.degree), a.reach_spaces) > (_DEGREES.index(b.degree), b.reach_spaces)


@source("AE-26")
def high_ground_modifiers(attacker: Figure, target: Figure) -> tuple[Modifier, ...]:
    """AE-26: in melee, whose feet are at the other's waist or higher and whose head is a third above the
    other's has +1 to attack and +1 to Defense Bonus.

    >>> high_ground_modifiers(Figure(ground=3), Figure())
    (Modifier(rule='AE-26', why='from the high ground', edge=0, attack=1, defense=0),)
    >>> high_ground_modifiers(Figure(), Figure(ground=3))[0].defense
    1
    """
    if _above(attacker, target):
        return (Modifier("AE-26", "from the high ground", attack=1),)
    if _above(target, attacker):
        return (Modifier("AE-26", "the target holds the high ground", defense=1),)
    return ()


def _above(a: Figure, b: Figure) -> bool:
    up = a.ground - b.ground
    return 2 * up >= b.height and 3 * (up + a.height) >= 4 * b.height


@source("AE-38")
def speed(combat_speed: int, extra_actions: int = 0) -> int:
    """AE-38: spaces of movement in a turn: the combat speed free, twice for an action, three times for both.

    >>> [speed(4, actions) for actions in (0, 1, 2)]
    [4, 8, 12]
    """
    if not 0 <= extra_actions <= 2:
        raise NotAllowed("AE-38", f"{extra_actions} actions given up for movement; a turn has 0 to 2")
    return combat_speed * (1 + extra_actions)


@source("AE-40")
def turning_cost(degrees: int, moving: bool = True, reaction: bool = False) -> int:
    """AE-40: spaces of movement for turning: with a move two turns of 45 degrees are free, each 90 degrees
    beyond cost one, begun ones in full. A reaction turns one by up to 90 degrees and takes no movement.

    >>> turning_cost(90), turning_cost(180), turning_cost(180, moving=False)
    (0, 1, 2)
    >>> turning_cost(90, moving=False, reaction=True)
    0
    """
    if degrees % 45 or degrees < 0:
        raise NotAllowed("AE-40", f"a turn is a multiple of 45 degrees, not {degrees}")
    if reaction and degrees > 90:
        raise NotAllowed("AE-40", f"a reaction turns by up to 90 degrees, not {degrees}")
    free = 90 if moving or reaction else 0
    return math.ceil(Fraction(max(0, degrees - free), 90))


@source("AE-38", "AE-39", "AE-41")
def move(
    mover: Figure,
    path: Sequence[Space],
    foes: Sequence[Figure] = (),
    allies_in_melee: Iterable[Space] = (),
    *,
    engaging: bool = True,
    disengaging: bool = False,
    running: bool = False,
    engage_cost: int = 1,
    readings: BoardReadings = BoardReadings(),
) -> Move:
    """AE-38, AE-39, AE-41: what a move along a path costs and provokes.

    Args:
        mover: Who moves, from where he stands.
        path: The spaces entered, each next to the one before.
        foes: Those who may strike back, with their facing and reach.
        allies_in_melee: Spaces of allies who fight; they are in the way.
        engaging: Foes with the longer reach are engaged on entry, at `engage_cost` each.
        disengaging: The first space is won backwards, for two spaces of movement.
        running: A run: straight, or with one turn of 45 degrees.
        engage_cost: Spaces of movement that engaging takes (the chapter gives no number).

    Raises:
        NotAllowed: a space that cannot be entered, or a run that bends too much.

    >>> foe = Figure(y=3, facing="south", reach="long")
    >>> move(Figure(), [(0, 1)], [foe]).cost
    2
    >>> move(Figure(), [(0, 1)], [foe], engaging=False).provokes[0].rule
    'AE-39'
    """
    spaces = [mover.space, *path]
    if running:
        _check_run(spaces)
    blocked = set(allies_in_melee)
    provoked: list[Provocation] = []
    cost = diagonals_taken = 0
    for n, (here, there) in enumerate(pairwise(spaces), 1):
        if square.distance(here, there, Diagonals.ONE) != 1:
            raise NotAllowed("AE-38", f"{there} is not next to {here}")
        if there in blocked:
            raise NotAllowed("AE-41", f"an ally who fights in melee is in the way at {there}")
        diagonal = here[0] != there[0] and here[1] != there[1]
        diagonals_taken += diagonal
        dear = diagonal and diagonals_taken % 2 == 0 and readings.diagonal_move == DiagonalMove.SAME
        cost += 2 if dear else 1
        backing = disengaging and n == 1
        cost += backing
        for i, foe in enumerate(foes):
            ahead = threatened(foe)
            if here in ahead and not backing:
                provoked.append(Provocation("AE-38", "leaves a threatened space", i, n))
            if there in ahead and here not in ahead:
                must = readings.provoke_on_entry == ProvokeOnEntry.ANY_THREATENED or longer_reach(
                    foe, mover, readings
                )
                if must and engaging and not running:
                    cost += engage_cost
                elif must:
                    provoked.append(Provocation("AE-39", "enters a threatened space", i, n))
    return Move(cost, tuple(provoked))


@source("AE-40")
def turn(mover: Figure, facing: Facing, foes: Sequence[Figure] = ()) -> tuple[Provocation, ...]:
    """AE-40: what turning on the spot provokes: showing flank or rear to a foe who threatens the space and is
    adjacent.

    >>> foes = [Figure(y=1, facing="south"), Figure(y=-1, facing="south")]
    >>> [p.foe for p in turn(Figure(), Facing.SOUTH, foes)]
    [0]
    """
    return tuple(
        Provocation("AE-40", "shows flank or rear", i, 0)
        for i, foe in enumerate(foes)
        if mover.space in threatened(foe)
        and square.distance(mover.space, foe.space, Diagonals.ONE) == 1
        and square.arc(mover.facing, mover.space, foe.space) <= FRONT
        and square.arc(facing, mover.space, foe.space) > FRONT
    )


@source("AE-39")
def may_follow(foe: Figure, mover: Figure, readings: BoardReadings = BoardReadings()) -> bool:
    """AE-39: whether a foe may follow, as a reaction, one who disengages: not with the shorter reach.

    >>> may_follow(Figure(reach="short"), Figure(reach="long")), may_follow(Figure(), Figure())
    (False, True)
    """
    return not longer_reach(mover, foe, readings)


@source("AE-36")
def ridden_spaces(rider: Figure) -> tuple[Space, Space]:
    """AE-36: the two spaces of a horse, head first; its rider is in both.

    >>> ridden_spaces(Figure(facing="east"))
    ((0, 0), (-1, 0))
    """
    return rider.space, square.step(rider.space, rider.facing.turned(180))


def _check_run(spaces: Sequence[Space]) -> None:
    """AE-38: a run is straight, or bends once by 45 degrees."""
    headings = [square.direction(a, b) for a, b in pairwise(spaces)]
    bends = [(a, b) for a, b in pairwise(headings) if a is not b]
    if len(bends) > 1 or any(b not in (a.turned(45), a.turned(-45)) for a, b in bends):
        raise NotAllowed("AE-38", "a run goes straight, or turns once by 45 degrees")


class Obstacle(Stats):
    """A space that a wall or something like it fills."""

    x: Annotated[int, Field(ge=-200, le=200), Unit("spaces")] = 0
    y: Annotated[int, Field(ge=-200, le=200), Unit("spaces")] = 0


class Ground(Stats):
    """What else is on the board between the two."""

    walls: tuple[Obstacle, ...] = ()
    creatures: tuple[Figure, ...] = ()
    held_off_first: Annotated[
        tuple[Figure, ...], Field(description="Other foes, whom the target's shield holds off first")
    ] = ()


class PlacedAttack(Outcome):
    """An attack from where the attacker stands on who stands there."""

    sentence = "Edge by the positions: {edge}. Hit: {attack.hit}, for {attack.damage} damage on average."

    edge: Annotated[Roll[int], Measure(help="Edge that the positions give")]
    distance: Annotated[Roll[int], Measure(unit="spaces", help="Spaces between the two")]
    attack: Attack


@source("AE-10", "AE-22", "AE-23", "AE-24", "AE-26", "AE-27", "AE-29")
def modifiers(
    attacker: Figure,
    target: Figure,
    weapon: Weapon = Weapon(),
    ground: Ground = Ground(),
    readings: PlaceReadings = PlaceReadings(),
) -> tuple[Modifier, ...]:
    """All that the positions do to an attack, each with its rule number.

    Raises:
        NotAllowed: a target out of reach (AE-29), or at no range of the weapon (AE-22).

    >>> [(m.rule, m.edge) for m in modifiers(Figure(y=-1), Figure(prone=True))]
    [('AE-23', 1), ('AE-27', 2)]
    """
    ranged = weapon.ranged
    found: list[Modifier | None] = []
    beyond: tuple[Modifier, ...] = ()
    if ranged:
        diagonals = Diagonals.ALTERNATE if readings.diagonal_move == DiagonalMove.SAME else Diagonals.ONE
        away = square.distance(attacker.space, target.space, diagonals)
        beyond = range_modifiers(away, weapon.base_range, mechanical=weapon.mechanical)
        found += beyond
    else:
        found.append(reach_modifier(attacker, target))
        found += high_ground_modifiers(attacker, target)
    found.append(prone_modifier(target, ranged, any(m.edge < 0 for m in beyond)))
    walls = [(wall.x, wall.y) for wall in ground.walls]
    found += cover_modifiers(attacker, target, walls, ground.creatures, ranged)
    found.append(arc_modifier(attacker, target, ranged, readings))
    facing = (*ground.held_off_first, attacker)
    held_off = len(facing) - 1 in shielded_from(target, facing, ranged)
    if target.shield_bonus and not held_off:
        found.append(Modifier("AE-10", "past the shield", defense=-target.shield_bonus))
    return tuple(modifier for modifier in found if modifier is not None)


@source("AE-22", "AE-23", "AE-24", "AE-26", "AE-27", "AE-29")
def situated(found: Iterable[Modifier], situation: Situation = Situation()) -> Situation:
    """A situation with what the positions do to the attack put in.

    >>> situated(modifiers(Figure(y=-1), Figure())).edge
    2
    """
    found = tuple(found)
    beyond = sum(-m.edge for m in found if m.rule == "AE-22" and m.why.startswith("range increment"))
    heights = {m.why: m for m in found if m.rule == "AE-26"}
    high_ground = situation.high_ground
    if heights:
        attackers = any(m.attack for m in heights.values())
        high_ground = HighGround.ATTACKER if attackers else HighGround.TARGET
    return situation.but(
        edge=situation.edge + sum(m.edge for m in found) + beyond,
        defense_modifier=situation.defense_modifier + sum(m.defense for m in found if m.rule == "AE-10"),
        increments=situation.increments + beyond,
        high_ground=high_ground,
    )


@rule("AE-10", "AE-12", "AE-22", "AE-23", "AE-24", "AE-26", "AE-27", "AE-29")
def attack_from(
    attacker: Fighter = Fighter(),
    target: Target = Target(),
    place: Figure = Figure(y=-1),
    target_place: Figure = Figure(),
    ground: Ground = Ground(),
    situation: Situation = Situation(),
    readings: PlacedReadings = PlacedReadings(),
) -> PlacedAttack:
    """An attack by the positions on the board: reach or range, cover, heights, shield, flank and rear.

    The attacker strikes with the weapon's reach. Beyond it a weapon with a base range is thrown, and with
    `situation.not_made_to_throw` any other. The target lies if its figure does or its stats say so.

    Raises:
        NotAllowed: a target out of reach, or at no range of the weapon.

    >>> from rulekit import P
    >>> P(attack_from(place=Figure(y=1)).attack.hit), P(attack_from(place=Figure(y=-1)).attack.hit)
    (Fraction(13, 20), Fraction(7657, 8000))
    """
    armed = place.but(reach=attacker.weapon.reach, reach_number=attacker.weapon.reach_number)
    away = square.distance(place.space, target_place.space)
    weapon = _as_used(attacker.weapon, away > armed.reach_spaces, situation)
    lying = target_place.but(prone=target_place.prone or target.prone)
    standing = target.but(prone=False)
    found = modifiers(armed, lying, weapon, ground, readings)
    return PlacedAttack(
        edge=constant(sum(m.edge for m in found)),
        distance=constant(away),
        attack=attack(attacker.but(weapon=weapon), standing, situated(found, situation), readings),
        notes=location_notes(target),
    )


def _as_used(weapon: Weapon, beyond_reach: bool, situation: Situation) -> Weapon:
    """AE-22: the weapon as it is used over a distance: thrown, where it can be."""
    base = improvised_range(weapon.reach_number) if situation.not_made_to_throw else weapon.base_range
    if weapon.ranged or not beyond_reach or not base:
        return weapon
    return weapon.but(ranged=True, base_range=base)
