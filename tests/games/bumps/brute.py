"""Bumps by counting every throw: written from the numbered rules, with none of the package's code.

A distribution is a plain dict from outcome to Fraction. Slow on purpose: each function walks through
all faces of all dice that the rule lets fall.
"""

from __future__ import annotations

import functools
import itertools
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction

Odds = dict[int, Fraction]
Throw = tuple[int, ...]


def throws(sides: Sequence[int]) -> list[Throw]:
    """Every throw of dice with these sides, all equally likely."""
    return list(itertools.product(*[range(1, s + 1) for s in sides]))


def tally(outcomes: Iterable[int]) -> Odds:
    """The odds of equally likely outcomes."""
    seen: dict[int, int] = defaultdict(int)
    for outcome in outcomes:
        seen[outcome] += 1
    total = sum(seen.values())
    return {outcome: Fraction(times, total) for outcome, times in sorted(seen.items())}


def combine(function: Callable[..., int], *odds: Odds) -> Odds:
    """The odds of a function of independent draws."""
    result: Odds = defaultdict(Fraction)
    for drawn in itertools.product(*[each.items() for each in odds]):
        weight = Fraction(1)
        for _, probability in drawn:
            weight *= probability
        result[function(*[outcome for outcome, _ in drawn])] += weight
    return dict(sorted(result.items()))


def mean(odds: Odds) -> Fraction:
    return sum((outcome * probability for outcome, probability in odds.items()), Fraction(0))


# BU-04 and BU-12: one side's Bumps, held at 0. sway is +1 with Advantage, -1 with Disadvantage.


def pool(
    dice: int,
    die: int = 6,
    bump_on: int = 4,
    *,
    double: bool = False,
    bonus: int = 0,
    bonus_as: str = "dice",
    sway: int = 0,
    advantage: str = "twice",
) -> Odds:
    flat = bonus if bonus_as == "bumps" else 0
    dice = max(0, dice + (bonus if bonus_as == "dice" else 0))
    if advantage == "threshold":
        bump_on = min(max(bump_on - sway, 1), die + 1)
    if advantage == "dice":
        dice = max(0, dice + sway)
    if advantage == "drop" and sway:
        kept = [sorted(throw)[1:] if sway > 0 else sorted(throw)[:-1] for throw in throws([die] * (dice + 1))]
    else:
        kept = [list(throw) for throw in throws([die] * dice)]

    def worth(face: int) -> int:
        if face < bump_on:
            return 0
        return 2 if double and face == die else 1

    once = tally(sum(map(worth, faces)) + flat for faces in kept)
    return sway_whole(once, sway, advantage)


def ladder(
    modifier: int, base: int = 10, step: int = 5, *, bonus: int = 0, sway: int = 0, advantage: str = "twice"
) -> Odds:
    if advantage == "threshold":
        base -= sway

    def bumps(face: int) -> int:
        reached, climbing = 0, base
        while face + modifier + bonus >= climbing:
            reached, climbing = reached + 1, climbing + step
        return reached

    return sway_whole(tally(bumps(face) for face in range(1, 21)), sway, advantage)


def roll_under(target: int, *, bonus: int = 0, sway: int = 0, advantage: str = "twice") -> Odds:
    if advantage == "threshold":
        target += sway
    faces = range(1, 21)
    once = tally((1 if face < target else 2 if face == target else 0) + bonus for face in faces)
    return sway_whole(once, sway, advantage)


def any_distribution(odds: Odds, *, bonus: int = 0, sway: int = 0, advantage: str = "twice") -> Odds:
    return sway_whole(combine(lambda bumps: bumps + bonus, odds), sway, advantage)


def sway_whole(once: Odds, sway: int, advantage: str) -> Odds:
    """The two readings that every kind of roll knows (the others have changed the dice before); held at 0."""
    if sway and advantage == "twice":
        once = combine(max if sway > 0 else min, once, once)
    flat = sway if advantage == "flat" else 0
    return combine(lambda bumps: max(0, bumps + flat), once)


# BU-05, BU-06: the contest


def net_and_hit(
    attack: Odds, defense: Odds | None, undefended: str = "zero_bumps"
) -> dict[tuple[int, bool], Fraction]:
    """The odds of (net Bumps, hit); `defense` None where no Reaction is spent."""
    result: dict[tuple[int, bool], Fraction] = defaultdict(Fraction)
    for bumps, probability in attack.items():
        if defense is None:
            result[bumps, bumps >= 1 or undefended == "auto_hit"] += probability
            continue
        for guard, other in defense.items():
            result[bumps - guard, bumps - guard >= 1] += probability * other
    return dict(result)


# BU-07 to BU-10: the damage of one hit


def one_type(
    faces: Sequence[int], bonus: int = 0, resistance: int = 0, vulnerability: int = 0, both: str = "roll_both"
) -> Odds:
    """The damage of one type, from the sides of its dice; every die of every kind is thrown."""
    if both == "net_first":
        cancelled = min(resistance, vulnerability)
        resistance, vulnerability = resistance - cancelled, vulnerability - cancelled
    outcomes = []
    for throw in throws([*faces, *[6] * (resistance + vulnerability)]):
        dealt = sum(throw[: len(faces)]) + bonus
        resisted = sum(throw[len(faces) : len(faces) + resistance])
        added = sum(throw[len(faces) + resistance :])
        if both == "resist_floor_first":
            outcomes.append(max(0, dealt - resisted) + added)
        else:
            outcomes.append(max(0, dealt + added - resisted))
    return tally(outcomes)


def one_type_by_sums(
    faces: Sequence[int], bonus: int = 0, resistance: int = 0, vulnerability: int = 0
) -> Odds:
    """The same for many dice, reading `roll_both`: the sum is built up a die at a time."""
    total: dict[int, int] = {bonus: 1}
    for sides, sign in [*[(s, 1) for s in faces], *[(6, 1)] * vulnerability, *[(6, -1)] * resistance]:
        following: dict[int, int] = defaultdict(int)
        for so_far, ways in total.items():
            for face in range(1, sides + 1):
                following[so_far + sign * face] += ways
        total = dict(following)
    ways_in_all = sum(total.values())
    result: Odds = defaultdict(Fraction)
    for so_far, ways in total.items():
        result[max(0, so_far)] += Fraction(ways, ways_in_all)
    return dict(sorted(result.items()))


def attack_damage(
    contest: dict[tuple[int, bool], Fraction],
    damage_with: Callable[[int], Odds],
    extra_bumps: str = "nothing",
) -> Odds:
    """The damage of an attack, a miss as 0; `damage_with(extra)` is a hit's with `extra` bonus damage."""
    result: Odds = defaultdict(Fraction)
    for (net, hit), probability in contest.items():
        if not hit:
            result[0] += probability
            continue
        extra = max(0, net - 1) if extra_bumps == "bonus_damage" else 0
        for dealt, other in damage_with(extra).items():
            result[dealt] += probability * other
    return dict(sorted(result.items()))


# BU-01: initiative


@functools.cache  # the same tie comes up again and again
def order_odds(
    speeds: tuple[int, ...], tie: str = "reroll", sides: int = 20
) -> dict[tuple[int, ...], Fraction]:
    """The odds of every order of the combatants 0, 1, ...: every throw of all their dice.

    A tie is thrown for again by those in it. Where all of them tie again nothing has been decided: the
    odds are those of the throws that decide something.
    """
    decided: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    share = Fraction(1, sides ** len(speeds))
    for throw in throws([sides] * len(speeds)):
        totals = [face + speed for face, speed in zip(throw, speeds, strict=True)]
        if tie == "higher_speed":
            ranks = [(total, speed) for total, speed in zip(totals, speeds, strict=True)]
        else:
            ranks = [(total, 0) for total in totals]
        groups = [
            [who for who in range(len(speeds)) if ranks[who] == rank]
            for rank in sorted(set(ranks), reverse=True)
        ]
        if len(groups) == 1 and len(speeds) > 1:
            continue
        orders: dict[tuple[int, ...], Fraction] = {(): share}
        for group in groups:
            if len(group) == 1:
                within = {(0,): Fraction(1)}
            else:
                within = order_odds(tuple(speeds[who] for who in group), tie, sides)
            orders = {
                before + tuple(group[place] for place in after): weight * other
                for before, weight in orders.items()
                for after, other in within.items()
            }
        for order, weight in orders.items():
            decided[order] += weight
    whole = sum(decided.values())
    return {order: weight / whole for order, weight in decided.items()}


# BU-14: defeat


def defeated_within(hp: int, a_round: Odds, rounds: int) -> Fraction:
    """The odds that `hp` is gone after so many rounds, each with this damage."""
    left = {hp: Fraction(1)}
    for _ in range(rounds):
        left = combine(lambda before, dealt: max(0, before - dealt), left, a_round)
    return left.get(0, Fraction(0))


def mean_rounds(hp: int, a_round: Odds) -> Fraction:
    """The mean number of rounds: a round without damage is waited out."""
    nothing = a_round.get(0, Fraction(0))
    means = [Fraction(0)]
    for left in range(1, hp + 1):
        onward = sum((p * means[max(0, left - dealt)] for dealt, p in a_round.items() if dealt), Fraction(0))
        means.append((1 + onward) / (1 - nothing))
    return means[hp]


# BU-15: reactions


def least_mean(answered: Sequence[Fraction], unanswered: Sequence[Fraction], reactions: int) -> Fraction:
    """The least mean damage over every choice of the attacks to answer, made before any dice fall."""
    attacks = range(len(answered))
    return min(
        sum((answered[a] if a in chosen else unanswered[a] for a in attacks), Fraction(0))
        for count in range(min(reactions, len(answered)) + 1)
        for chosen in itertools.combinations(attacks, count)
    )


def least_mean_seeing(
    attacks: Sequence[tuple[Odds, Odds, Fraction]], reactions: int, undefended: str = "zero_bumps"
) -> Fraction:
    """The same where each attack's Bumps are known before the choice: the best of both at every point.

    An attack is its Bumps, the defender's Bumps against it, and the mean damage of its hit.
    """
    if not attacks:
        return Fraction(0)
    (bumps, guard, hurt), later = attacks[0], attacks[1:]
    total = Fraction(0)
    for shown, probability in bumps.items():
        taken = hurt if shown >= 1 or undefended == "auto_hit" else Fraction(0)
        best = taken + least_mean_seeing(later, reactions, undefended)
        if reactions:
            through = sum((p for held, p in guard.items() if shown - held >= 1), Fraction(0))
            best = min(best, through * hurt + least_mean_seeing(later, reactions - 1, undefended))
        total += probability * best
    return total
