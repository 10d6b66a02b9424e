"""Attacks, maps, joint totals and chains, beside icepool's and dyce's own ways and hand-written NumPy."""

from __future__ import annotations

import itertools
import operator
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any

import dyce
import icepool
import numpy as np
from dyce.evaluation import HResult, expand

from benchmarks.measuring import Case, Contender, answer
from rulekit import (
    E,
    P,
    chain,
    clip,
    count,
    d,
    dice,
    dist,
    joint,
    maximum,
    roll,
    stat,
    where,
)

__all__ = ["CASES"]

BONUSES, DEFENSES = range(40), range(5, 45)


def attack(bonus: Any, defense: Any, soak: int = 0) -> Any:
    """Hit and damage of a margin attack, with no soak, one or two kinds of it."""
    natural = roll(d(20), "natural")
    total = natural + bonus
    critical = natural == 20
    hit = critical | ((natural != 1) & (total >= defense))
    damage = clip(total - defense, 1, where(critical, 22, 11)) + 2
    if soak:
        damage = damage - roll(2 @ d(4))
    if soak > 1:
        damage = damage - where(critical, 0, roll(d(6)))
    return hit, where(hit, maximum(damage, 0), 0)


def damage_by_hand(natural: int, bonus: int, defense: int) -> int | None:
    """Damage before soak; None for a miss."""
    critical = natural == 20
    total = natural + bonus
    if not (critical or (natural != 1 and total >= defense)):
        return None
    return min(max(total - defense, 1), 22 if critical else 11) + 2


def grid(rows: Any) -> list[tuple[Any, int]]:
    """A map's probabilities to seven digits, as comparable pairs (the shift keeps them off the edges)."""
    flat = np.asarray(rows, dtype=float).reshape(-1)
    return [(i, int(p * 1e7 + 0.317)) for i, p in enumerate(flat)]


def our_map(soak: int) -> Any:
    return dist(attack(stat("bonus", BONUSES), stat("defense", DEFENSES), soak)[1])


def numpy_map() -> Any:
    """What a careful person writes by hand for this one attack."""
    natural = np.arange(1, 21)
    total = natural + np.array(BONUSES)[:, None, None]
    margin = total - np.array(DEFENSES)[:, None]
    critical = natural == 20
    hit = critical | ((natural != 1) & (margin >= 0))
    damage = np.where(hit, np.clip(margin, 1, np.where(critical, 22, 11)) + 2, 0)
    rows = damage.reshape(-1, 20)
    cells = (np.arange(len(rows)) * 25)[:, None] + rows
    return np.bincount(cells.ravel(), minlength=len(rows) * 25).reshape(40, 40, 25) / 20


def spread(result: Any) -> Any:
    """Our map on the outcomes 0 to 24."""
    out = np.zeros((40, 40, 25))
    out[..., result.outcome.values] = result.values
    return out


def peer_map(one: Callable[[int, int], Any]) -> Any:
    return [[one(bonus, defense) for defense in DEFENSES] for bonus in BONUSES]


def peer_rows(maps: Any) -> Any:
    out = np.zeros((40, 40, 25))
    for (i, row), j in itertools.product(enumerate(maps), range(40)):
        weights = dict(row[j].items())
        total = sum(weights.values())
        for outcome, weight in weights.items():
            out[i, j, int(outcome)] += weight / total
    return out


def icepool_attack(bonus: int, defense: int, soak: int) -> Any:
    soak_die = 2 @ icepool.d4

    def damage(natural: int) -> Any:
        base = damage_by_hand(natural, bonus, defense)
        if base is None:
            return icepool.Die([0])
        if not soak:
            return icepool.Die([base])
        left = base - soak_die if natural == 20 or soak < 2 else base - soak_die - icepool.d6
        return left.map(lambda x: max(x, 0))

    return icepool.d20.map(damage)


warnings.filterwarnings("ignore", category=dyce.lifecycle.ExperimentalWarning)

H4, H6, H20 = dyce.H(4), dyce.H(6), dyce.H(20)


def dyce_attack(bonus: int, defense: int, soak: int) -> Any:
    if not soak:
        return dyce.H(Counter(damage_by_hand(n, bonus, defense) or 0 for n in range(1, 21)))

    def damage(natural: HResult) -> Any:
        base = damage_by_hand(int(natural.outcome), bonus, defense)
        if base is None:
            return 0
        left = base - 2 @ H4
        if natural.outcome != 20 and soak > 1:
            left = left - H6
        held: Counter[int] = Counter()
        for x, weight in left.items():
            held[max(x, 0)] += weight
        return dyce.H(held)

    return expand(damage, H20)


def ours(ask: Callable[[], Any], tell: Callable[[Any], Any] = lambda x: answer(x.items())) -> Contender:
    return Contender("rulekit", ask, tell)


def peers(
    name: str, ask: Callable[[], Any], tell: Callable[[Any], Any] = lambda x: answer(x.items())
) -> Contender:
    return Contender(name, ask, tell)


def pairs_as_numbers(items: Any) -> list[tuple[Any, int]]:
    return answer((a * 1_000 + b, w) for (a, b), w in items)


def total_and_ones() -> Any:
    rolls = [roll(d(6)) for _ in range(30)]
    return joint(sum(rolls), count(r == 1 for r in rolls))


def icepool_total_and_ones() -> Any:
    one = icepool.d6.map(lambda x: icepool.Vector((x, int(x == 1))))
    return 30 @ one


def dyce_total_and_ones() -> Any:
    state = {(0, 0): 1}
    for _ in range(30):
        following: dict[tuple[int, int], int] = {}
        for (total, ones), weight in state.items():
            for face in H6:
                key = total + face, ones + (face == 1)
                following[key] = following.get(key, 0) + weight
        state = following
    return state


def bleeding() -> Any:
    points, bleeds = 60, 0
    for _ in range(10):
        natural = roll(d(20))
        hit = natural + 5 >= 12
        bleeds = bleeds + where(hit & (natural >= 18), 1, 0)
        points = maximum(points - where(hit, roll(2 @ d(6)) + 3, 0) - bleeds, 0)
    return joint(points, bleeds)


def bleeding_by_hand() -> Any:
    """A dictionary of states, one attack after the other."""
    two = [(a + b, 1) for a in range(1, 7) for b in range(1, 7)]
    state = {(60, 0): 1}
    for _ in range(10):
        following: dict[tuple[int, int], int] = {}
        for (points, bleeds), weight in state.items():
            for natural in range(1, 21):
                hit = natural + 5 >= 12
                more = bleeds + (hit and natural >= 18)
                for damage, w in two if hit else [(-3, 36)]:
                    key = max(points - damage - 3 - more, 0), more
                    following[key] = following.get(key, 0) + weight * w
        state = following
    return state


def ten_unlike() -> Any:
    harm, piercing = 0, 0
    for i in range(10):
        natural = roll(d(20))
        hit = natural + i >= 12
        critical = natural == 20
        harm = harm + where(hit, where(critical, roll(2 @ d(6)), roll(d(4 + i))), 0)
        piercing = piercing + where(hit, i % 3, 0)
    return dist(maximum(harm - maximum(12 - piercing, 0), 0))


def ten_unlike_by_hand() -> Any:
    state = {(0, 0): 1}
    for i in range(10):
        one: dict[tuple[int, int], int] = {}
        scale = 36 * (4 + i)
        for natural in range(1, 21):
            if natural + i < 12:
                one[0, 0] = one.get((0, 0), 0) + scale
            elif natural == 20:
                for a, b in itertools.product(range(1, 7), repeat=2):
                    one[a + b, i % 3] = one.get((a + b, i % 3), 0) + scale // 36
            else:
                for a in range(1, 5 + i):
                    one[a, i % 3] = one.get((a, i % 3), 0) + scale // (4 + i)
        following: dict[tuple[int, int], int] = {}
        for (x, y), w in state.items():
            for (u, v), q in one.items():
                following[x + u, y + v] = following.get((x + u, y + v), 0) + w * q
        state = following
    out: dict[int, int] = {}
    for (x, y), w in state.items():
        value = max(x - max(12 - y, 0), 0)
        out[value] = out.get(value, 0) + w
    return out


def branches() -> Any:
    die = roll(d(20))
    return dist(reduce(lambda x, i: where(die == i, roll(i @ d(6)) + i, x), range(2, 21), roll(d(6)) + 1))


def long_chain() -> Any:
    x = roll(d(20))
    for _ in range(5_000):
        x = maximum(x - 1, 0) + 1
    return dist(x)


@dataclass(frozen=True)
class Duel:
    ours: Any
    theirs: Any


def duel() -> Any:
    fight = chain(
        Duel(20, 20),
        lambda s: Duel(s.ours - roll(2 @ d(6)), s.theirs - roll(2 @ d(6))),
        until=lambda s: (s.ours <= 0) | (s.theirs <= 0),
    )
    return joint(maximum(fight.end.ours, 0), maximum(fight.end.theirs, 0))


def icepool_duel() -> Any:
    two = 2 @ icepool.d6

    def exchange(a: int, b: int) -> Any:
        if a <= 0 or b <= 0:
            return icepool.Die([(a, b)])
        return icepool.map(lambda x, y: (max(a - x, 0), max(b - y, 0)), two, two)

    return icepool.Die([(20, 20)]).map(exchange, repeat="inf", star=True)


def single() -> Any:
    hit, damage = attack(7, 17, 1)
    return P(hit), E(damage), dist(damage)


CASES = (
    Case(
        "40 x 40 map of a margin attack (at most 10x NumPy)",
        0.1,
        (
            ours(lambda: our_map(0), lambda x: grid(spread(x))),
            peers("numpy", numpy_map, grid),
            peers("dyce", lambda: peer_map(lambda b, t: dyce_attack(b, t, 0)), lambda x: grid(peer_rows(x))),
        ),
    ),
    Case(
        "40 x 40 map with two soaks, icepool's loop",
        80,
        (
            ours(lambda: our_map(2), lambda x: grid(spread(x))),
            peers(
                "icepool",
                lambda: peer_map(lambda b, t: icepool_attack(b, t, 2)),
                lambda x: grid(peer_rows(x)),
            ),
        ),
    ),
    Case(
        "40 x 40 map with two soaks, dyce's expand",
        40,
        (
            ours(lambda: our_map(2), lambda x: grid(spread(x))),
            peers("dyce", lambda: peer_map(lambda b, t: dyce_attack(b, t, 2)), lambda x: grid(peer_rows(x))),
        ),
    ),
    Case(
        "one attack: P, E and dist together",
        0,
        (
            ours(single, lambda x: answer(x[2].items())),
            peers("dyce", lambda: dyce_attack(7, 17, 1)),
            peers("icepool", lambda: icepool_attack(7, 17, 1)),
        ),
    ),
    Case(
        "total and ones of 30 rolled d6",
        1,
        (
            ours(total_and_ones, lambda x: pairs_as_numbers(x.items())),
            peers("by hand", dyce_total_and_ones, lambda x: pairs_as_numbers(x.items())),
            peers("icepool", icepool_total_and_ones, lambda x: pairs_as_numbers(x.items())),
        ),
    ),
    Case(
        "hit points and bleeding over 10 attacks",
        1,
        (
            ours(bleeding, lambda x: pairs_as_numbers(x.items())),
            peers("by hand", bleeding_by_hand, lambda x: pairs_as_numbers(x.items())),
        ),
    ),
    Case(
        "ten unlike attackers, one armour",
        1,
        (ours(ten_unlike), peers("by hand", ten_unlike_by_hand)),
    ),
    Case(
        "a mixture of 20 attack branches",
        3,
        (
            ours(branches),
            peers("icepool", lambda: icepool.d20.map(lambda i: i @ icepool.d6 + i)),
            peers("dyce", lambda: expand(lambda r: int(r.outcome) @ H6 + int(r.outcome), H20)),
        ),
    ),
    Case(
        "20 attacks as dice(20, damage)",
        3,
        (
            ours(lambda: dist(dice(20, attack(7, 17, 1)[1]))),
            peers("dyce", lambda: 20 @ dyce_attack(7, 17, 1)),
            peers("icepool", lambda: 20 @ icepool_attack(7, 17, 1)),
        ),
    ),
    Case(
        "20 attacks as 20 calls",
        0.5,
        (
            ours(lambda: dist(sum(attack(7, 17, 1)[1] for _ in range(20)))),
            peers("dyce", lambda: reduce(operator.add, [dyce_attack(7, 17, 1) for _ in range(20)])),
        ),
    ),
    Case(
        "a chain of 10,000 operations",
        0,
        (ours(long_chain), peers("by hand", lambda: dict.fromkeys(range(1, 21), 1))),
    ),
    Case(
        "a duel of 20 hit points, 2d6 each way",
        30,
        (
            ours(duel, lambda x: pairs_as_numbers(x.items())),
            peers("icepool", icepool_duel, lambda x: pairs_as_numbers(x.items())),
        ),
    ),
)
