from __future__ import annotations

import copy
import math
import pickle
from collections import Counter
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulekit.distributions import Dist, Pool, d, mixture
from rulekit.errors import RulekitError, TooLarge
from tests.cases import field_case

fair = st.integers(1, 6).map(d)
crooked = st.dictionaries(st.integers(-2, 5), st.integers(1, 3), min_size=1, max_size=4).map(Dist)
pools = st.lists(st.one_of(fair, crooked), min_size=1, max_size=4)
like = st.tuples(st.one_of(fair, crooked), st.integers(1, 4)).map(lambda x: [x[0]] * x[1])


def throws(dice, key=None):
    """Every throw of a pool with its weight, ranked: the highest first."""
    for throw in product(*(die.items() for die in dice)):
        shown = sorted((x for x, _ in throw), key=key or (lambda x: x), reverse=True)
        yield shown, math.prod(w for _, w in throw)


def brute(dice, function, key=None):
    weights = Counter()
    for shown, w in throws(dice, key):
        weights[function(shown)] += w
    return Dist(weights)


def fractions(case):
    return {name: Fraction(x) for name, x in field_case(case)["right_value_fraction"].items()}


def table(text):
    return {int(x): Fraction(p) for x, p in text.items()}


def odds(dist):
    return {x: dist.probability(x) for x in dist.outcomes}


# -- ranks -----------------------------------------------------------------------------------------------


@given(st.one_of(pools, like), st.integers(0, 5))
def test_ends_against_every_throw(dice, k):
    pool = Pool(dice)
    assert pool.highest(k) == brute(dice, lambda x: sum(x[:k]))
    assert pool.lowest(k) == brute(dice, lambda x: sum(x[::-1][:k]))
    assert pool.total() == brute(dice, sum)


@given(st.one_of(pools, like), st.data())
def test_any_ranks_against_every_throw(dice, data):
    n = len(dice)
    ranks = data.draw(st.sets(st.integers(1, n), min_size=1))
    assert Pool(dice).ranks(*ranks) == brute(dice, lambda x: sum(x[r - 1] for r in ranks))
    assert Pool(dice).ranks(*(r - n - 1 for r in ranks)) == brute(
        dice, lambda x: sum(x[r - 1] for r in ranks)
    )
    k = data.draw(st.sampled_from(range(n, 0, -2)))
    assert Pool(dice).middle(k) == brute(dice, lambda x: sum(x[(n - k) // 2 : (n + k) // 2]))


@given(st.one_of(pools, like), st.integers(0, 2), st.integers(0, 2), st.integers(1, 3))
def test_keep_and_drop_apply_in_the_order_written(dice, high, low, k):
    if high + low >= len(dice):
        return
    pool = Pool(dice).drop(highest=high, lowest=low)
    assert pool.total() == brute(dice, lambda x: sum(x[high : len(x) - low]))
    assert pool.lowest(k) == brute(dice, lambda x: sum(x[high : len(x) - low][::-1][:k]))
    assert pool.clip(low=2).total() == brute(dice, lambda x: sum(max(y, 2) for y in x[high : len(x) - low]))
    assert pool.count(lambda x: x >= 2) == brute(dice, lambda x: sum(y >= 2 for y in x[high : len(x) - low]))


@given(st.one_of(pools, like))
def test_another_order(dice):
    def key(x):
        return -abs(x - 2)

    def both(x):
        return key(x), x

    assert Pool(dice).ranked_by(key).highest() == brute(dice, lambda x: x[0], both)
    assert Pool(dice).ranked_by(key).lowest(2) == brute(dice, lambda x: sum(x[::-1][:2]), both)


def test_labels_can_be_ranked():
    rank = {"miss": 0, "hit": 1, "critical": 2}
    die = Dist({"miss": 3, "hit": 2, "critical": 1})
    best = Pool([die] * 3).ranked_by(rank.get).highest()
    assert best == brute([die] * 3, lambda x: x[0], rank.get)
    assert Pool([die] * 3).map(rank.get).highest().mean == best.map(rank.get).mean
    for ask in (lambda: Pool([die] * 3).ranked_by(rank.get).highest(2), Pool([d([1, "a"])] * 2).highest):
        with pytest.raises(RulekitError):
            ask()
    as_given = Pool([Dist([("miss", 1), ("hit", 1)])] * 2).ranked_by(lambda face: 0).highest()
    assert as_given.probability("miss") == Fraction(3, 4)


@given(st.one_of(pools, like))
def test_whole_throws(dice):
    assert Pool(dice).sorted() == brute(dice, tuple)
    assert Pool(dice).drop(lowest=1).sorted() == brute(dice, lambda x: tuple(x[:-1]))


def test_large_pools_against_sums_over_the_order():
    # P(highest <= f) = (f/s)**n, and the mean of all ranks is the mean of the sum.
    pool = Pool([d(20)] * 40)
    assert pool.highest().cdf(17) == Fraction(17, 20) ** 40
    assert pool.lowest().sf(3) == Fraction(17, 20) ** 40
    assert pool.highest(3).mean + pool.lowest(37).mean == 40 * Fraction(21, 2)
    assert pool.ranks(7).cdf(10) == sum(Fraction(math.comb(40, k), 2**40) for k in range(7))


def test_mirrored():
    dice = [d(4)] * 3 + [d(6)] * 3 + [d(8)] * 3
    assert Pool(dice).lowest(4) == -Pool([-die for die in dice]).highest(4)


# -- counts ----------------------------------------------------------------------------------------------


@given(st.one_of(pools, like), st.sets(st.integers(-2, 6)))
def test_counts_against_every_throw(dice, faces):
    expected = brute(dice, lambda x: sum(y in faces for y in x))
    assert Pool(dice).count(faces) == Pool(dice).count(lambda x: x in faces) == expected
    worth = {6: 2, 5: 1, 1: -1}
    assert Pool(dice).count(worth) == brute(dice, lambda x: sum(worth.get(y, 0) for y in x))


def test_counts():
    assert Pool([d(6)] * 5).count(6).probability(0) == Fraction(5, 6) ** 5
    assert Pool(["1d10"] * 2).count(range(8, 11)).mean == Fraction(3, 5)
    with pytest.raises(RulekitError):
        Pool([6]).count({6: 0.5})


# -- pairs -----------------------------------------------------------------------------------------------


def brute_pairs(ours, theirs, win, tie, lose):
    weights = Counter()
    for x, v in throws(ours):
        for y, w in throws(theirs):
            points = sum(win if a > b else tie if a == b else lose for a, b in zip(x, y, strict=False))
            weights[points] += v * w
    return Dist(weights)


@settings(max_examples=30)
@given(
    st.one_of(pools, like).filter(lambda x: len(x) < 4),
    pools.filter(lambda x: len(x) < 3),
    st.sampled_from([(1, 0, 0), (1, 1, 0), (1, 0, -1), (3, 1, 0)]),
)
def test_pairs_against_every_throw(ours, theirs, points):
    win, tie, lose = points
    assert Pool(ours).pairs(Pool(theirs), win=win, tie=tie, lose=lose) == brute_pairs(ours, theirs, *points)


def test_risk():
    # The known table: attackers 3 against defenders 2.
    attack, defence = Pool([d(6)] * 3), Pool([d(6)] * 2)
    assert odds(attack.pairs(defence)) == {
        0: Fraction(2275, 7776),
        1: Fraction(2611, 7776),
        2: Fraction(2890, 7776),
    }
    assert attack.pairs(defence) == 2 - defence.pairs(attack, win=1, tie=1)
    assert Pool([]).pairs(defence) == Dist({0: 1})
    with pytest.raises(RulekitError):
        attack.drop(lowest=1).pairs(defence)


def test_pairs_of_many():
    assert Pool([d(10)] * 8).pairs(Pool([d(10)] * 8)) == 8 - Pool([d(10)] * 8).pairs(
        Pool([d(10)] * 8), win=1, tie=1
    )


# -- each die --------------------------------------------------------------------------------------------


@given(pools, st.sets(st.integers(-2, 5), max_size=2))
def test_modifiers_of_each_die(dice, faces):
    rerolled = [die.reroll(faces, 1) for die in dice]
    assert Pool(dice).reroll(faces, times=1).total() == brute(rerolled, sum)
    exploded = [die.explode(faces, 1) for die in dice]
    assert Pool(dice).explode("compound", faces, times=1).highest(2) == brute(exploded, lambda x: sum(x[:2]))
    assert Pool(dice).clip(0, 3).lowest() == brute([die.clip(0, 3) for die in dice], lambda x: x[-1])


def extra_dice(dice, faces, times):
    """Every pool that extra dice can make, die by die."""
    results = {(): 1}
    for die in dice:
        chains = {}

        def follow(shown, left, weight, die=die, chains=chains):
            for x, w in die.items():
                scale = weight * w
                if x in faces and left:
                    follow((*shown, x), left - 1, scale)
                else:
                    filler = die.denominator**left
                    key = (*shown, x)
                    chains[key] = chains.get(key, 0) + scale * filler

        follow((), times, 1)
        grown = Counter()
        for shown, w in results.items():
            for more, v in chains.items():
                grown[tuple(sorted((*shown, *more), reverse=True))] += w * v
        results = grown
    return results


@settings(max_examples=40)
@given(
    st.lists(st.one_of(fair, crooked), min_size=1, max_size=3),
    st.sets(st.integers(0, 5), min_size=1, max_size=3),
    st.integers(0, 2),
)
def test_extra_dice_against_every_throw(dice, faces, times):
    pool = Pool(dice).explode("extra_die", faces, times)
    every = extra_dice(dice, faces, times)

    def expected(function):
        weights = Counter()
        for shown, w in every.items():
            weights[function(shown)] += w
        return Dist(weights)

    assert pool.total() == expected(sum)
    assert pool.highest(2) == expected(lambda x: sum(x[:2]))
    assert pool.lowest() == expected(lambda x: x[-1])
    assert pool.count({5, 6}) == expected(lambda x: sum(y in (5, 6) for y in x))
    assert pool.drop(lowest=1).total() == expected(lambda x: sum(x[:-1]))
    assert pool.sorted() == expected(tuple)


def test_endless_extra_dice():
    pool = Pool([d(6)] * 3).explode("extra_die")
    deep = Pool([d(6)] * 3).explode("extra_die", times=30)
    assert pool.total() == 3 @ d(6).explode()
    # Three sixes at least are on the table wherever the dice were no longer followed: 18 is certain.
    best = pool.highest(3)
    assert best.leftover == 0
    assert abs(best.mean - deep.highest(3).mean) < Fraction(1, 10**17)
    counted = pool.count({5, 6})
    assert counted.mean == 3 * Fraction(1, 3) * Fraction(6, 5)
    for k in range(6):
        assert counted.at_least(k) == deep.count({5, 6}).at_least(k)
    assert pool.count(5).leftover == 0  # sixes bring dice and count nothing: the five or not is in the end
    assert pool.lowest().leftover > 0
    assert pool.clip(low=2).total().mean == 3 * (Fraction(22, 6) + Fraction(1, 6) * 0) / Fraction(5, 6)


@pytest.mark.parametrize("k", [1, 5, 14, 16, 25])
def test_what_endless_extra_dice_leave_open_brackets_the_truth(k):
    dice = [d(20)] * 3 if k > 5 else [d(20), d(20), d(12)]
    endless = Pool(dice).explode("extra_die").highest(k)
    deep = Pool(dice).explode("extra_die", times=25).highest(k)
    slack = Fraction(1, 10**24)
    for x in (1, 3, 20, 41, 20 * k - 1, 20 * k):
        event, truth = endless >= x, deep.at_least(x)
        assert event.probability(True) - slack <= truth <= event.probability(True) + event.leftover + slack
    assert endless.leftover < Fraction(1, 10**16)


def test_endless_extra_dice_have_no_list_of_throws():
    with pytest.raises(RulekitError, match="times"):
        Pool([6]).explode("extra_die").sorted()
    assert Pool([d(6), d([1, 2])]).explode("extra_die", faces=6).highest().at_least(6) == Fraction(1, 6)


def test_cut_off_dice_in_another_order_are_refused():
    exploding = Pool([d(6).explode()] * 2)
    for ask in (
        exploding.ranked_by(lambda x: -x).highest,
        exploding.sorted,
        lambda: exploding.keep(highest=1).count(6),
    ):
        with pytest.raises(RulekitError, match="cut off"):
            ask()
    with pytest.raises(RulekitError, match="cut off"):
        exploding.pairs(Pool([6]))


# -- the field's cases -----------------------------------------------------------------------------------


def test_field_case_a1():
    right = fractions("A1")
    assert Pool([20, 20]).highest().mean == right["mean 2d20kh1"]
    assert Pool([20] * 3).highest().mean == right["mean 3d20kh1"]


def test_field_case_a2():
    expected = table(field_case("A2")["distribution"]["2d20kh min 10"])
    assert odds(Pool([20, 20]).keep(highest=1).clip(low=10).total()) == expected
    assert odds(Pool([20, 20]).clip(low=10).highest()) == expected


def test_field_case_a3():
    case = field_case("A3")["distribution"]
    assert odds(Pool([20] * 3).drop(lowest=1).lowest()) == table(case["(a)"]) == odds(Pool([20] * 3).middle())
    assert odds(Pool([6] * 3).keep(highest=2).total()) == table(case["(b)"])
    assert Pool([20]).lowest() + 10 == d(range(11, 31))


def test_field_case_a4():
    case = field_case("A4")["distribution"]
    assert odds(Pool([6, 6, 8, 12]).highest(2)) == table(case["{d6,d6,d8,d12}kh2"])
    assert odds(Pool([d(6), d(8)]).highest()) == table(case["{d6,d8}kh1"])


def test_field_case_b1():
    once = Pool([6, 6]).reroll({1, 2}, times=1).total()
    assert odds(once) == table(field_case("B1")["distribution"]["2d6 ro<=2"])
    wrong = field_case("B1")["wrong_answers_to_catch"]
    assert str(Pool([6, 6]).reroll(1, times=1).total().mean) == wrong["mean if only 1s are rerolled (wrong)"]
    assert str(Pool([6, 6]).reroll({1, 2}).total().mean) == wrong["mean if rerolled until 3+ (wrong)"]


def test_field_case_b2():
    floored = Pool([6, 6]).clip(low=3).total() + 5
    assert odds(floored) == table(field_case("B2")["distribution"]["2d6 min 3 each, +5"])


def test_field_case_c2():
    right = fractions("C2")
    crit = 2 @ d(4) + 4 @ d(6) + 3
    doubled = 2 * (d(4) + 2 @ d(6)) + 3
    assert (crit.mean, crit.variance, crit.at_least(30)) == (22, Fraction(85, 6), Fraction(7, 324))
    assert doubled.mean == right["number doubled: mean"]
    assert doubled.variance == right["number doubled: variance"]
    assert doubled.at_least(30) == right["number doubled: P(>=30)"]
    assert Pool([6, 6]).highest().mean == right["1d6 as 2d6kh1 mean"]


def test_field_cases_d():
    case = field_case("D1")["distribution"]
    assert odds((d(4) - 1).clip(low=1)) == table(case["max(1,1d4-1)"])
    assert odds((d(6) - 4).clip(low=1)) == table(case["max(1,1d6-4)"])
    assert (d(6) - 6).mean == Fraction(-5, 2)
    assert (d(6) - 6).clip(low=0) == Dist({0: 1})
    assert odds(2 @ (d(6) - 3).clip(low=0)) == table(field_case("D3")["distribution"]["(b)"])
    case = field_case("D4")["distribution"]
    assert odds((2 @ d(6)) // 2 * 2) == table(case["(a)"])
    assert odds(-(-(2 @ d(6)) // 2)) == table(case["(b)"])


def test_field_case_e1():
    def scores(attribute):
        # Only dice that roll under count: their number first, then the dice themselves.
        return Pool([10, 10]).map(lambda x: x if x <= attribute else 0).sorted()

    def successes(throw):
        return sum(x > 0 for x in throw), throw

    ours, theirs = (scores(attribute).map(successes) for attribute in (6, 5))
    right = fractions("E1")
    assert (ours > theirs).probability(True) == right["A wins"]
    assert (ours < theirs).probability(True) == right["B wins"]


def test_field_case_e7():
    right = fractions("E7")
    nothing = Pool([6, 6]).lowest()
    assert nothing.cdf(3) == right["0 dice: 1-3"]
    assert nothing.probability(6) == right["0 dice: 6"]
    for n in (1, 2, 4):
        best, sixes = Pool([6] * n).highest(), Pool([6] * n).count(6)
        assert best.cdf(3) == right[f"{n} dice: 1-3"]
        assert best.cdf(5) - best.cdf(3) == right[f"{n} dice: 4-5"]
        assert sixes.probability(1) == right[f"{n} dice: 6"]
        if n > 1:
            assert sixes.at_least(2) == right[f"{n} dice: critical"]


def test_field_case_s1():
    eight = Pool([24, 23, 20, 16, 11, 9, 7, 4]).total()
    assert eight.at_least(65) == fractions("S1")["P(>= 65)"]


# -- edges -----------------------------------------------------------------------------------------------


def test_no_dice():
    empty = Pool([])
    assert empty.total() == empty.count(6) == Dist({0: 1})
    assert len(empty) == 0
    for ask in (empty.highest, empty.lowest, lambda: empty.ranks(1)):
        with pytest.raises(RulekitError):
            ask()
    assert Pool({d(6): 0, d(4): 2}).total() == 2 @ d(4)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: Pool(d(6)),
        lambda: Pool("4d6"),
        lambda: Pool(4),
        lambda: Pool([0]),
        lambda: Pool({d(6): -1}),
        lambda: Pool([6, 6]).highest(-1),
        lambda: Pool([6, 6]).highest(1.5),
        lambda: Pool([6] * 4).middle(1),
        lambda: Pool([6] * 4).ranks(5),
        lambda: Pool([6] * 4).ranks(0),
        lambda: Pool([6] * 4).ranks(),
        lambda: Pool([6] * 4).keep(),
        lambda: Pool([6] * 4).keep(highest=1, lowest=1),
        lambda: Pool([6] * 4).keep(highest=3).explode(),
        lambda: Pool([6] * 4).drop(lowest=1).reroll(1),
        lambda: Pool([6] * 4).explode("twice"),
        lambda: Pool([6] * 4).clip(low=3, high=2),
        lambda: Pool([6] * 4).keep(highest=2).clip(low="a"),
    ],
)
def test_what_makes_no_sense_is_refused(ask):
    with pytest.raises(RulekitError):
        ask()


@pytest.mark.parametrize(
    "ask",
    [
        lambda: Pool(range(1, 1_000_001)),
        lambda: Pool({d(6): 10**9}),
        lambda: Pool(6 for _ in range(10**9)),
        lambda: Pool([d(10**5)] * 200).highest(100),
        lambda: Pool([Dist({k: 1, k + 7: 2}) for k in range(40)]).highest(20),
        lambda: Pool([d(100)] * 100).sorted(),
        lambda: Pool([d(100)] * 200).pairs(Pool([d(100)] * 200)),
        lambda: Pool([d(10)] * 30).pairs(Pool([d(10)] * 30), lose=-1),
    ],
)
def test_absurd_asks_fail_at_once(ask):
    with pytest.raises(TooLarge):
        ask()


def test_it_is_a_value():
    pool = Pool([6, 6, 8]).drop(lowest=1)
    assert pickle.loads(pickle.dumps(pool)).total() == pool.total()
    with pytest.raises(AttributeError):
        pool._dice = ()
    assert "Pool" in repr(pool)
    assert copy.copy(pool) is copy.deepcopy(pool) is pool


def test_dice_made_on_the_way_are_told_apart():
    assert Pool([face, face + 1] for face in range(20)).total().mean == sum(range(20)) + 10
    assert Pool(d(2) if n % 2 else d(4) for n in range(6)).total() == 3 @ d(2) + 3 @ d(4)
    assert Pool([True, False] for _ in range(3)).total() == 3 @ Dist({0: 1, 1: 1})


def test_dice_that_explode_in_a_mixed_pool():
    pool = Pool([d(8).explode(times=1), d(6).explode(times=2), d(4)])
    dice = [d(8).explode(times=1), d(6).explode(times=2), d(4)]
    assert pool.highest(2) == brute(dice, lambda x: sum(x[:2]))
    assert mixture([(pool.highest(2), 1)]) == pool.highest(2)


def test_too_many_throws_to_list_are_refused_before_the_first():
    with pytest.raises(TooLarge, match="the throws of a pool"):
        Pool([20] * 30).sorted()
