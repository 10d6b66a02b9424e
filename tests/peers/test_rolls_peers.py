"""Attacks, throws and chains of rolls as icepool and dyce answer them."""

from __future__ import annotations

import warnings
from fractions import Fraction

import dyce
import icepool
from dyce.evaluation import expand
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from rulekit import clip, count, d, dice, dist, joint, maximum, roll, where


def odds(peer):
    """Outcome to probability, as fractions of the peer's own whole weights."""
    pairs = list(peer.items())
    total = sum(weight for _, weight in pairs)
    return {outcome: Fraction(weight, total) for outcome, weight in pairs if weight}


def ours(x):
    found = dist(x)
    return {outcome: found.probability(outcome) for outcome in found.outcomes}


@hypothesis_settings(max_examples=15)
@given(st.integers(-2, 12), st.integers(8, 25), st.integers(1, 12), st.integers(1, 3))
def test_a_margin_attack_with_soak(bonus, defense, high, soak):
    natural = roll(d(20))
    critical = natural == 20
    hit = critical | ((natural != 1) & (natural + bonus >= defense))
    base = clip(natural + bonus - defense, 1, where(critical, 2 * high, high))
    damage = where(hit, maximum(base + 2 - roll(soak @ d(4)), 0), 0)

    def before_soak(face):
        if face == 1 or not (face == 20 or face + bonus >= defense):
            return None
        return min(max(face + bonus - defense, 1), 2 * high if face == 20 else high) + 2

    def by_icepool(face):
        value = before_soak(face)
        return icepool.Die([0]) if value is None else (value - soak @ icepool.d4).map(lambda x: max(x, 0))

    assert ours(damage) == odds(icepool.d20.map(by_icepool))

    def by_dyce(result):
        value = before_soak(int(result.outcome))
        if value is None:
            return 0
        held: dict[int, int] = {}
        for x, weight in (value - soak @ dyce.H(4)).items():
            held[max(x, 0)] = held.get(max(x, 0), 0) + weight
        return dyce.H(held)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", category=dyce.lifecycle.ExperimentalWarning)
        assert ours(damage) == odds(expand(by_dyce, dyce.H(20)))


@hypothesis_settings(max_examples=15)
@given(st.integers(1, 6), st.integers(2, 8), st.integers(1, 6))
def test_views_of_a_throw(n, sides, k):
    throw = dice(n, sides)
    pool = icepool.d(sides).pool(n)
    assert ours(throw.highest(k)) == odds(pool.highest(min(k, n)).sum())
    assert ours(throw.lowest(k)) == odds(pool.lowest(min(k, n)).sum())
    assert ours(throw.count(sides)) == odds(n @ (icepool.d(sides) == sides))
    rolls = [roll(d(sides)) for _ in range(n)]
    together = joint(sum(rolls), count(r == 1 for r in rolls))
    peer = n @ icepool.d(sides).map(lambda x: icepool.Vector((x, int(x == 1))))
    assert {o: together.probability(o) for o in together.outcomes} == {
        tuple(k): p for k, p in odds(peer).items()
    }
