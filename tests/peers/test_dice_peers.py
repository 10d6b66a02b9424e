"""The same dice in icepool, dyce and lea: three libraries that share no code with this one."""

from __future__ import annotations

import operator
from fractions import Fraction

import dyce
import icepool
import lea
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulekit.distributions import Dist, Pool, d

weights = st.dictionaries(st.integers(-3, 8), st.integers(1, 5), min_size=1, max_size=5)
sides = st.sampled_from([2, 3, 4, 6, 8, 10, 12, 20])
operations = st.sampled_from([operator.add, operator.sub, operator.mul, operator.lt, operator.ge])


def odds(items):
    found = [(outcome, Fraction(weight)) for outcome, weight in items]
    total = sum(weight for _, weight in found)
    return {outcome: weight / total for outcome, weight in found if weight}


def mine(dist):
    return odds(dist.items())


@given(weights, weights, operations)
def test_arithmetic(a, b, operation):
    ours = mine(operation(Dist(a), Dist(b)))
    assert ours == odds(operation(icepool.Die(a), icepool.Die(b)).items())
    by_name = {operator.lt: "lt", operator.ge: "ge"}
    theirs = (
        getattr(dyce.H(a), by_name[operation])(dyce.H(b))
        if operation in by_name
        else operation(dyce.H(a), dyce.H(b))
    )
    assert ours == odds(theirs.items())
    variables = [lea.pmf(x, prob_type="r") for x in (a, b)]
    assert ours == dict(operation(*variables).get_alea().pmf_tuple())


@given(weights, st.integers(0, 12))
def test_sums(die, n):
    ours = mine(n @ Dist(die))
    assert ours == odds((n @ icepool.Die(die)).items())
    if n:
        assert ours == odds((n @ dyce.H(die)).items())
        assert ours == dict(lea.pmf(die, prob_type="r").times(n).get_alea().pmf_tuple())


@given(weights)
def test_moments(die):
    ours, theirs = Dist(die), icepool.Die(die)
    assert ours.mean == theirs.mean()
    assert ours.variance == theirs.variance()
    assert ours.sd == pytest.approx(theirs.standard_deviation())
    assert ours.entropy == pytest.approx(theirs.entropy(), abs=1e-12)
    if ours.variance:
        assert ours.skewness == pytest.approx(float(theirs.skewness()), abs=1e-9)


@settings(max_examples=40)
@given(st.lists(sides, min_size=1, max_size=7), st.integers(1, 4))
def test_keeping_of_unlike_dice(pool, k):
    ours, theirs = Pool(pool), icepool.Pool([icepool.d(n) for n in pool])
    assert mine(ours.highest(k)) == odds(theirs.highest(k).sum().items())
    assert mine(ours.lowest(k)) == odds(theirs.lowest(k).sum().items())
    assert mine(ours.highest(k)) == odds(dyce.P(*pool).at(slice(-k, None)).items())
    if k <= len(pool) and (len(pool) - k) % 2 == 0:
        assert mine(ours.middle(k)) == odds(theirs.middle(k).sum().items())


@pytest.mark.parametrize(("n", "k", "faces"), [(40, 3, 20), (100, 5, 10), (25, 12, 6)])
def test_keeping_of_many(n, k, faces):
    assert mine(Pool([d(faces)] * n).highest(k)) == odds(icepool.d(faces).pool(n).highest(k).sum().items())
    assert mine(Pool([d(faces)] * n).lowest(k)) == odds((n @ dyce.P(faces)).at(slice(0, k)).items())


def test_keeping_of_mixed_and_exploding_dice():
    kinds = (4, 6, 8, 10, 12)
    theirs = icepool.Pool([icepool.d(s) for s in kinds for _ in range(5)])
    assert mine(Pool(dict.fromkeys(map(d, kinds), 5)).middle(5)) == odds(theirs.middle(5).sum().items())
    exploding = icepool.d(10).explode(depth=5).pool(10).highest(5).sum()
    assert mine(Pool([d(10).explode(times=5)] * 10).highest(5)) == odds(exploding.items())
    unlike = icepool.Pool([icepool.d(8).explode(depth=2), icepool.d(6).explode(depth=2), icepool.d(6)])
    ours = Pool([d(8).explode(times=2), d(6).explode(times=2), d(6)])
    assert mine(ours.highest(2)) == odds(unlike.highest(2).sum().items())


@pytest.mark.parametrize(("times", "faces"), [(1, {1}), (2, {1, 2}), (None, {1, 6})])
def test_rerolls(times, faces):
    theirs = icepool.d(6).reroll(faces, depth="inf" if times is None else times)
    assert mine(d(6).reroll(faces, times)) == odds(theirs.items())


@pytest.mark.parametrize(("n", "m", "faces"), [(3, 2, 6), (3, 3, 6), (5, 5, 10), (4, 2, 8)])
def test_sorted_pairs(n, m, faces):
    theirs = icepool.d(faces).pool(n).sort_pair(">", icepool.d(faces).pool(m)).size()
    assert mine(Pool([faces] * n).pairs(Pool([faces] * m))) == odds(theirs.items())
    ties = icepool.d(faces).pool(n).sort_pair(">=", icepool.d(faces).pool(m)).size()
    assert mine(Pool([faces] * n).pairs(Pool([faces] * m), win=1, tie=1)) == odds(ties.items())


@given(st.integers(1, 8), sides, st.integers(1, 20))
def test_successes(n, faces, least):
    ours = mine(Pool([faces] * n).count(range(least, faces + 1)))
    assert ours == odds((n @ (icepool.d(faces) >= least)).items())
