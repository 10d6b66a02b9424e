"""The chapter by plain enumeration: every throw written out, every answer a sum of Fractions.

Written against the rule page, and deliberately ignorant of rulekit: it is what the rules are tested with.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from typing import Any

Odds = dict[Any, Fraction]
FACES = range(1, 21)

EFFECTS = {
    "electricity": ["S"],
    "crush": ["S", "S", "B"],
    "fire/cold": ["S"],
    "crush/slash": ["BS", "S", "B"],
    "force": ["S"],
    "crush/pierce": ["BS", "B", "S"],
    "slash": ["B", "S"],
    "pierce": ["B", "B", "S"],
}


def tally(pairs: Iterable[tuple[Any, Fraction]]) -> Odds:
    """Add up the probability of equal outcomes and drop what cannot happen."""
    odds: defaultdict[Any, Fraction] = defaultdict(Fraction)
    for outcome, probability in pairs:
        odds[outcome] += probability
    return {outcome: probability for outcome, probability in odds.items() if probability}


def push(odds: Odds, f: Callable[[Any], Any]) -> Odds:
    """The odds of f(outcome)."""
    return tally((f(outcome), p) for outcome, p in odds.items())


def mean(odds: Odds) -> Fraction:
    """The expectation of numeric outcomes."""
    return sum((outcome * p for outcome, p in odds.items()), Fraction(0))


def chance(odds: Odds, f: Callable[[Any], bool]) -> Fraction:
    """The probability of the outcomes for which f holds."""
    return sum((p for outcome, p in odds.items() if f(outcome)), Fraction(0))


@cache
def kept(edge: int, two_dice: bool = False) -> Odds:
    """(kept die, natural ones among the dice) of a throw at that Edge."""
    n = 1 if edge == 0 else 2 if two_dice else abs(edge) + 1
    pick = max if edge >= 0 else min
    p = Fraction(1, 20**n)
    return tally(((pick(faces), faces.count(1)), p) for faces in product(FACES, repeat=n))


@cache
def natural(edge: int, two_dice: bool = False) -> Odds:
    """The kept die alone: the highest is at most k where all are, the lowest at least k where all are."""
    n = 1 if edge == 0 else 2 if two_dice else abs(edge) + 1
    up = {k: Fraction(k**n - (k - 1) ** n, 20**n) for k in FACES}
    return up if edge >= 0 else {21 - k: p for k, p in up.items()}


# --- before the fight ------------------------------------------------------------------------------------


def reaction_row(face: int) -> tuple[str, int]:
    """AE-01's table: the reaction and its difficulty of diplomacy."""
    if face == 1:
        return "immediately hostile", 30
    if face <= 7:
        return "likely hostile", 20
    if face <= 13:
        return "uncertain", 15
    if face <= 19:
        return "likely friendly", 10
    return "immediately friendly", 5


def half_up(x: int) -> int:
    """Half of a number, halves up."""
    return -((-x) // 2)


def diplomacy(
    bonus: int, edge: int, dl: int, helper: int | None, *, beat: bool = False, two_dice: bool = False
) -> Fraction:
    """AE-02 and AE-03: P(the talk succeeds)."""
    won = Fraction(0)
    for die, p in natural(edge, two_dice).items():
        if helper is None:
            won += p * (die + bonus >= dl)
            continue
        for other in FACES:
            double = 2 * (other + helper)
            helps = double > dl if beat else double >= dl
            won += p * Fraction(1, 20) * (die + bonus + (half_up(helper) if helps else 0) >= dl)
    return won


def turn_orders(pcs: Sequence[int], sides: Sequence[tuple[int, int]], *, own_place: bool = False) -> Odds:
    """AE-04: odds of the order of a round, as a tuple of "pc0", "pc1", ..., "gm0", "gm1".

    `sides` are the GM's, as (bonus, rolls made for it, the best of which counts).
    """
    names = [f"pc{i}" for i in range(len(pcs))] + [f"gm{i}" for i in range(len(sides))]
    bonuses = list(pcs) + [bonus for bonus, _ in sides]
    rolls = [1] * len(pcs) + [n for _, n in sides]
    found: defaultdict[tuple[tuple[int, int], ...], int] = defaultdict(int)
    for thrown in product(FACES, repeat=sum(rolls)):
        dice = iter(thrown)
        best = [max(next(dice) for _ in range(n)) for n in rolls]
        keys = tuple((die + bonus, bonus) for die, bonus in zip(best, bonuses, strict=True))
        found[keys] += 1
    odds: defaultdict[tuple[str, ...], Fraction] = defaultdict(Fraction)
    patterns: defaultdict[tuple[int, ...], int] = defaultdict(int)
    for keys, times in found.items():
        rising = sorted(set(keys))
        patterns[tuple(rising.index(key) for key in keys)] += times
    for ranks, times in patterns.items():
        rankings: list[list[int]] = [[]]
        for rank in sorted(set(ranks), reverse=True):
            tied = [i for i, other in enumerate(ranks) if other == rank]
            rankings = [ranking + list(order) for ranking in rankings for order in permutations(tied)]
        for ranking in rankings:
            order = tuple(names[i] for i in _seating(ranking, len(pcs), own_place))
            odds[order] += Fraction(times, len(rankings) * 20 ** sum(rolls))
    return dict(odds)


def _seating(ranking: list[int], n: int, own_place: bool) -> list[int]:
    """Who acts when, from everybody in the order of their rolls."""
    first = next(i for i in ranking if i < n)
    party = [(first + k) % n for k in range(n)]
    gm = [i for i in ranking if i >= n]
    if ranking[0] < n:
        return party + gm
    if own_place:
        ahead = [i for i in gm if ranking.index(i) < ranking.index(first)]
        return ahead + party + [i for i in gm if i not in ahead]
    return gm[:1] + party + gm[1:]


def actions(stun: int = 0, *, carried: int = 0) -> Odds:
    """AE-05 and AE-06: (actions this round, stun points that found no action to take)."""
    found = []
    for die in FACES:
        had = 2 + (die == 20) - (die == 1)
        found.append(((max(0, had - stun - carried), max(0, stun + carried - had)), Fraction(1, 20)))
    return tally(found)


def morale_row(face: int, total: int) -> str:
    """AE-08's table."""
    if face == 1 or total <= 1:
        return "flee"
    if total <= 9:
        return "retreat"
    return "continue" if total <= 19 else "fight to the death"


def morale(discipline: int, modifier: int, leader: int | None = None, *, as_headed: bool = False) -> Odds:
    """AE-08: one morale check, with a leader's Influence check where there is one."""
    found = []
    for leading in FACES if leader is not None else [0]:
        margin = 0
        if leader is not None:
            margin = max(0, leading + leader - (10 + modifier if as_headed else 10 - modifier))
        for face in FACES:
            p = Fraction(1, 400 if leader is not None else 20)
            found.append((morale_row(face, face + discipline + modifier + margin), p))
    return tally(found)


# --- the attack ------------------------------------------------------------------------------------------


def attack(
    ab: int,
    db: int,
    lo: int,
    hi: int,
    bonus: int,
    edge: int = 0,
    *,
    struck: dict[int, Fraction] | None = None,
    in_base_range: bool = True,
    any_miss_by_5: bool = False,
    one_point: bool = False,
    two_dice: bool = False,
) -> Odds:
    """AE-12, AE-13, AE-14, AE-18: odds of (hit, critical, mishap, damage).

    `struck` gives the odds of the Defense Bonus where a critical lands; without it, it is `db`.
    """
    found = []
    extra = bonus if in_base_range else 0
    for (die, ones), p in kept(edge, two_dice).items():
        total = die + ab
        critical = die == 20
        hit = critical or (die != 1 and total >= db)
        short = not hit and db - total >= 5
        mishap = (short and (die == 1 or any_miss_by_5)) or (edge < 0 and ones >= 2)
        if critical:
            for location_db, q in (struck or {db: Fraction(1)}).items():
                if one_point and total <= location_db:
                    damage = 1
                else:
                    damage = max(1, held(total - location_db, lo, 2 * hi) + extra)
                found.append(((hit, critical, mishap, damage), p * q))
        else:
            found.append(((hit, critical, mishap, held(total - db, lo, hi) + extra if hit else 0), p))
    return tally(found)


def held(x: int, low: int, high: int) -> int:
    """x, kept within a range."""
    return max(low, min(high, x))


def damage(odds: Odds) -> Odds:
    """The damage of an attack, a miss counting 0."""
    return push(odds, lambda outcome: outcome[3])


def effects(points: int, kind: str, *, cycle: bool = False) -> tuple[int, int]:
    """AE-19: (bleeding, stun) of one hit."""
    row = EFFECTS[kind]
    inflicted = [row[i % len(row)] for i in range(points // 5) if cycle or i < len(row)]
    return sum("B" in e for e in inflicted), sum("S" in e for e in inflicted)


# --- mishaps ---------------------------------------------------------------------------------------------


def mishap_row(face: int) -> str:
    """AE-15's table."""
    if face <= 5:
        return "weapon damaged"
    if face <= 7:
        return "weapon dropped"
    if face <= 10:
        return "strikes an ally"
    return "open to attack" if face <= 19 else "injures self"


GRID = [[(1, 2), (3, 4), (5, 6)], [(15, 16), (17, 20), (7, 8)], [(13, 14), (11, 12), (9, 10)]]
"""AE-16's grid as printed, each space with its first and last face."""


def scattered() -> Odds:
    """AE-16: odds of (column, row) from the owner's space, the top row ahead."""
    found = []
    for down, row in enumerate(GRID):
        for across, (first, last) in enumerate(row):
            found.append(((across - 1, 1 - down), Fraction(last - first + 1, 20)))
    return tally(found)


def attacks_until(broken: Fraction, left: int, attacks: int) -> Odds:
    """AE-17: the attack at which `left` points of damage are reached, 0 for more than `attacks`; `broken` is
    the probability of a point an attack.
    """
    found: list[tuple[int, Fraction]] = []
    standing = {0: Fraction(1)}
    for attack_number in range(1, attacks + 1):
        moved: defaultdict[int, Fraction] = defaultdict(Fraction)
        for taken, p in standing.items():
            moved[taken] += p * (1 - broken)
            moved[taken + 1] += p * broken
        found.append((attack_number, moved.pop(left, Fraction(0))))
        standing = dict(moved)
    found.append((0, sum(standing.values(), Fraction(0))))
    return tally(found)


# --- body against body -----------------------------------------------------------------------------------


def strikes(bonus: int, defense: int, edge: int = 0) -> Fraction:
    """P(an attack hits)."""
    return chance(natural(edge), lambda die: die == 20 or (die != 1 and die + bonus >= defense))


def meets(bonus: int, target: int, edge: int = 0, *, exceeds: bool = False) -> Fraction:
    """P(d20 + bonus reaches the target), or exceeds it."""
    return chance(natural(edge), lambda die: die + bonus > target if exceeds else die + bonus >= target)


def tackle(bonus: int, defense: int, edge: int, movement_left: int) -> Odds:
    """AE-34: odds of ("down", spaces driven), ("alone", 0) or ("short", 0)."""
    found = []
    for die, p in natural(edge).items():
        margin = die + bonus - defense
        if margin >= 0:
            spaces = 0
            while margin >= 5 * (spaces + 1) and spaces < 1 + movement_left:
                spaces += 1
            found.append((("down", spaces), p))
        else:
            found.append((("alone" if margin <= -5 else "short", 0), p))
    return tally(found)


def pushed(bonus: int, edge: int, strength: Odds, farthest: int, *, exceeds: bool = False) -> Odds:
    """AE-33: odds of the spaces that a controller moves the other."""
    found = []
    for die, p in natural(edge).items():
        for target, q in strength.items():
            by = die + bonus - target
            moves = by > 0 if exceeds else by >= 0
            found.append((min(1 + by // 5, farthest) if moves else 0, p * q))
    return tally(found)


# --- after the hit ---------------------------------------------------------------------------------------


def turns_left(health: int, bleeding: int, constitution: int) -> int:
    """AE-20, AE-21: the turn at whose start a bleeding creature dies."""
    turn = 0
    while health >= -constitution:
        turn += 1
        health -= bleeding
    return turn


def turns_awake(
    health: int,
    bleeding: int,
    constitution: int,
    discipline: int,
    *,
    each_turn: bool = False,
    down_at: int = -1,
) -> Odds:
    """AE-21: odds of the turns that a bleeding creature can still act in."""
    found = []

    def live(turn: int, health: int, checked: bool, p: Fraction) -> None:
        health -= bleeding
        if health < -constitution:
            found.append((turn, p))
            return
        stays = Fraction(1)
        if health <= down_at and (each_turn or not checked):
            stays = meets(discipline, 10 - min(health, 0))
            checked = True
        if stays < 1:
            found.append((turn, p * (1 - stays)))
        if stays:
            live(turn + 1, health, checked, p * stays)

    live(0, health, False, Fraction(1))
    return tally(found)
