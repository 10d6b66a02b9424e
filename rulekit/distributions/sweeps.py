"""Dice of a pool ranked and compared by one sweep over the faces, never over the throws.

A sweep goes over the faces from one end and decides at each face how many dice show it. What is
left of a throw is how many dice are *placed* so far: the dice still to come all show something
further on. Dice that agree on the rest of the faces are interchangeable there: a d4 that shows at
most 3 and a d6 that shows at most 3 are the same die. So dice form *families*, a die of which is
its largest member cut off at the start, and a state is one number a family.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import accumulate
from math import comb
from typing import Any

from rulekit.errors import TooLarge

__all__ = ["MAX_STEPS", "Family", "families", "outranked", "ranked_pairs", "sum_of_ranks", "sweep_cost"]

MAX_STEPS = 100_000_000
"""No sweep takes more steps than this, as estimated before it begins; past it ``TooLarge`` is raised.

A step is one weight multiplied and added, some 50 ns; of long weights it counts for several.
"""

Placed = tuple[int, ...]


class Family:
    """Dice with the same weights from some level on: ``starts`` says how many begin at which level."""

    def __init__(self, weights: Sequence[int], starts: dict[int, int]) -> None:
        levels = range(len(weights))
        self.weights = weights
        self.starts = starts
        self.size = sum(starts.values())
        # tails[level]: the weight of this level and all further on; active[level]: the dice that can
        # show it; waiting[level]: the ways of those that cannot yet.
        self.tails = [*accumulate(reversed(weights), initial=0)][::-1]
        self.active = [sum(n for start, n in starts.items() if start <= level) for level in levels]
        self.waiting = [
            math.prod(self.tails[start] ** n for start, n in starts.items() if start > level)
            for level in levels
        ]

    def total(self) -> int:
        """How many throws of all of its dice there are."""
        return math.prod(self.tails[start] ** n for start, n in self.starts.items())


def families(dice: Sequence[tuple[Sequence[int], int]]) -> list[Family]:
    """Dice as (weights by level, how many), gathered into as few families as they allow.

    Scaling a die's weights scales the whole answer, so proportional weights are equal ones here.
    """
    found: list[tuple[Sequence[int], dict[int, int]]] = []
    starting = [(next(i for i, w in enumerate(weights) if w), weights, n) for weights, n in dice]
    for start, weights, n in sorted(starting, key=lambda die: die[0]):
        for reference, starts in found:
            if _proportional(reference[start:], weights[start:]):
                starts[start] = starts.get(start, 0) + n
                break
        else:
            found.append((weights, {start: n}))
    return [Family(weights, starts) for weights, starts in found]


def _proportional(a: Sequence[int], b: Sequence[int]) -> bool:
    return bool(a[0]) and all(x * b[0] == y * a[0] for x, y in zip(a, b, strict=True))


def _moves(group: Sequence[Family], level: int, placed: Placed, limit: int) -> list[tuple[Placed, int, int]]:
    """What can fall on a level, fewer than ``limit`` dice: the state after, how many, in how many ways."""
    if len(group) == 1:  # the loops below for one family, which is nearly every pool
        (family,), (before,) = group, placed
        weight, free = family.weights[level], family.active[level] - before
        return [((before + c,), c, comb(free, c) * weight**c) for c in range(min(free, limit - 1) + 1)]
    moves: list[tuple[Placed, int, int]] = [((), 0, 1)]
    for family, before in zip(group, placed, strict=True):
        weight, free = family.weights[level], family.active[level] - before
        if not weight:
            moves = [((*after, before), dice, ways) for after, dice, ways in moves]
            continue
        options = [(c, comb(free, c) * weight**c) for c in range(min(free, limit - 1) + 1)]
        moves = [
            ((*after, before + c), dice + c, ways * more)
            for after, dice, ways in moves
            for c, more in options
            if dice + c < limit
        ]
    return moves


def _open_ways(group: Sequence[Family], level: int, tail: int, placed: Placed) -> int:
    """In how many ways the dice not yet placed can fall on the levels from ``tail`` on."""
    ways = 1
    for family, before in zip(group, placed, strict=True):
        ways *= family.tails[tail] ** (family.active[level] - before) * family.waiting[level]
    return ways


def _bits(group: Sequence[Family]) -> int:
    """How long a weight can grow."""
    return sum(n * family.tails[start].bit_length() for family in group for start, n in family.starts.items())


def sweep_cost(group: Sequence[Family], last: int, spread: int) -> int:
    """About how many steps `sum_of_ranks` takes up to rank ``last``, for sums of ``spread`` outcomes."""
    # Pairs of states, one before the other, with at most ``last`` dice placed in either.
    by_family = [min(family.size, last) + 1 for family in group if sum(map(bool, family.weights)) > 1]
    pairs = min(comb(last + 2 * len(by_family), last), math.prod(n * (n + 1) // 2 for n in by_family))
    return pairs * len(group[0].weights) * spread * (1 + _bits(group) // 2000)


def sum_of_ranks(group: Sequence[Family], ranks: Sequence[int], values: Sequence[Any]) -> dict[Any, int]:
    """The distribution of the sum of the dice at these ranks, 0 the first in the order of the levels.

    ``values[level]`` is what a die on that level counts. Once the last of the ranks has fallen the
    rest of the pool is a single number, so the state never grows past it.
    """
    last = max(ranks)
    kept = [sum(rank < p for rank in ranks) for p in range(last + 2)]
    done: dict[Any, int] = {}
    states: dict[Placed, dict[Any, int]] = {(0,) * len(group): {0: 1}}
    for level, value in enumerate(values):
        if not any(family.weights[level] for family in group):
            continue
        following: dict[Placed, dict[Any, int]] = {}
        for placed in sorted(states, reverse=True):  # so that what stays as it was comes first, as a copy
            sums, position = states[placed], sum(placed)
            ending = _open_ways(group, level, level, placed)
            for after, dice, ways in _moves(group, level, placed, last + 1 - position):
                further = _open_ways(group, level, level + 1, after)
                if not further:
                    continue  # a die is left that has no face to come
                ending -= ways * further
                gain = (kept[position + dice] - kept[position]) * value
                into = following.get(after)
                if into is None:
                    following[after] = {x + gain: w * ways for x, w in sums.items()} if dice else dict(sums)
                    continue
                for x, w in sums.items():
                    x += gain
                    into[x] = into.get(x, 0) + w * ways
            if ending:
                gain = (kept[last + 1] - kept[position]) * value
                for x, w in sums.items():
                    x += gain
                    done[x] = done.get(x, 0) + w * ending
        states = following
    return done


def _check_pairs(ours: Sequence[Family], theirs: Sequence[Family], together: bool) -> None:
    """Refuse what is too long; ``together``: both pools' moves of a level are looked at in one."""
    n, m = (math.prod(family.size + 1 for family in group) for group in (ours, theirs))
    pairs = min(sum(family.size for family in group) for group in (ours, theirs))
    moves, entries = (n * m // 4, 8 * pairs) if together else ((n + m) // 2, 10)
    steps = len(ours[0].weights) * n * m * moves * entries * (1 + _bits((*ours, *theirs)) * pairs // 20_000)
    if steps > MAX_STEPS:
        raise TooLarge(
            f"pairing the two pools would take about {steps:,} steps; the bound is {MAX_STEPS:,}", cells=steps
        )


def outranked(ours: Sequence[Family], theirs: Sequence[Family], pairs: int) -> list[int]:
    """In how many throws 0, 1, 2, ... of our ranked dice beat theirs at the same rank, strictly.

    Level by level, their dice first: their dice that fall now are beaten where ours at the same rank
    fell before. The counts are packed in one integer, so that a pair won is a shift.
    """
    _check_pairs(ours, theirs, together=False)
    bits = math.prod(family.total() for family in (*ours, *theirs)).bit_length() + 1
    start = (0,) * len(ours), (0,) * len(theirs)
    states: dict[tuple[Placed, Placed], int] = {start: 1}
    for level in range(len(ours[0].weights)):
        their_moves, our_moves = _all_moves(theirs, level), _all_moves(ours, level)
        halfway: dict[tuple[Placed, Placed], int] = {}
        for (mine, other), packed in states.items():
            ahead, rank = min(sum(mine), pairs), sum(other)
            for after, dice, ways in their_moves(other):
                won = max(0, min(rank + dice, ahead) - rank)
                key = mine, after
                halfway[key] = halfway.get(key, 0) + ((packed * ways) << (bits * won))
        states = {}
        for (mine, other), packed in halfway.items():
            for after, _, ways in our_moves(mine):
                key = after, other
                states[key] = states.get(key, 0) + packed * ways
    packed = states[_all_placed(ours), _all_placed(theirs)]
    mask = (1 << bits) - 1
    return [(packed >> (bits * won)) & mask for won in range(pairs + 1)]


def ranked_pairs(ours: Sequence[Family], theirs: Sequence[Family], pairs: int) -> dict[tuple[int, int], int]:
    """(pairs won, pairs lost) to in how many throws, of two ranked pools; the other pairs are ties."""
    _check_pairs(ours, theirs, together=True)
    start = (0,) * len(ours), (0,) * len(theirs)
    states: dict[tuple[Placed, Placed], dict[tuple[int, int], int]] = {start: {(0, 0): 1}}
    for level in range(len(ours[0].weights)):
        their_moves, our_moves = _all_moves(theirs, level), _all_moves(ours, level)
        following: dict[tuple[Placed, Placed], dict[tuple[int, int], int]] = {}
        for (mine, other), counts in states.items():
            i, j = sum(mine), sum(other)
            for mine_after, a, ways_a in our_moves(mine):
                lost = max(0, min(i + a, j, pairs) - i)
                for other_after, b, ways_b in their_moves(other):
                    won = max(0, min(j + b, i, pairs) - j)
                    into = following.setdefault((mine_after, other_after), {})
                    for (x, y), w in counts.items():
                        key = x + won, y + lost
                        into[key] = into.get(key, 0) + w * ways_a * ways_b
        states = following
    return states[_all_placed(ours), _all_placed(theirs)]


def _all_moves(group: Sequence[Family], level: int) -> Callable[[Placed], list[tuple[Placed, int, int]]]:
    """`_moves` without a limit, worked out once for each state of a level."""
    limit = sum(family.active[level] for family in group) + 1
    known: dict[Placed, list[tuple[Placed, int, int]]] = {}

    def moves(placed: Placed) -> list[tuple[Placed, int, int]]:
        if placed not in known:
            known[placed] = _moves(group, level, placed, limit)
        return known[placed]

    return moves


def _all_placed(group: Sequence[Family]) -> Placed:
    return tuple(family.size for family in group)
