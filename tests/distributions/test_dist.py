from __future__ import annotations

import copy
import math
import operator
import pickle
import random
import sys
from collections import Counter
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.distributions import Dist, d, mixture
from rulekit.errors import ImpossibleCondition, NotAValue, RulekitError, TooLarge

numbers = st.one_of(st.integers(-9, 9), st.fractions(-3, 3, max_denominator=4))
dists = st.dictionaries(numbers, st.integers(1, 6), min_size=1, max_size=6).map(Dist)
sparse = st.dictionaries(st.integers(-(10**9), 10**9), st.integers(1, 9), min_size=1, max_size=5).map(Dist)


def brute(operation, *dice):
    """Every throw of independent dice, one by one."""
    weights = Counter()
    for throw in product(*(die.items() for die in dice)):
        weights[operation(*(x for x, _ in throw))] += math.prod(w for _, w in throw)
    return Dist(weights)


# -- what it is made of --------------------------------------------------------------------------------


def test_weights_are_in_lowest_terms_and_outcomes_sorted():
    die = Dist({3: 4, 1: 2, 2: 0})
    assert die.items() == ((1, 1), (3, 2))
    assert (die.outcomes, die.weights, die.denominator) == ((1, 3), (1, 2), 3)


@pytest.mark.parametrize(
    "pairs",
    [
        [(1, 1), (True, 1)],
        [(True, 1), (1, 1)],
        [(Fraction(1), 1), (1.0, 1)],
        [(True, 1), (Fraction(2, 2), 1)],
    ],
)
def test_equal_outcomes_of_different_type_are_one_number(pairs):
    die = Dist(pairs)
    assert die.items() == ((1, 1),)
    assert type(die.outcomes[0]) is int


def test_truth_values_stay_truth_values_only_among_themselves():
    assert Dist({True: 1, False: 1}).kind == "event"
    mixed = Dist({True: 1, 2: 1})
    assert mixed.kind == "number"
    assert [type(x) for x in mixed.outcomes] == [int, int]
    assert Dist({True: 1, False: 1}) == Dist({1: 1, 0: 1})


def test_floats_and_decimals_are_their_shortest_decimal():
    assert Dist({0.1: 1, 0.2: 1}) == Dist({Fraction(1, 10): 1, Fraction(1, 5): 1})
    assert Dist({Decimal("0.10"): 1}).outcomes == (Fraction(1, 10),)
    assert (d(6) + 0.1).outcomes[0] == Fraction(11, 10)
    assert Dist({np.int64(3): np.int64(2), np.float64(0.5): 1, np.bool_(True): 1}).outcomes == (
        Fraction(1, 2),
        1,
        3,
    )
    assert [type(x) for x in (d(6) / 2).outcomes] == [Fraction, int, Fraction, int, Fraction, int]


class Side(Enum):
    HEADS = "heads"
    TAILS = "tails"


def test_labels_of_any_hashable_kind():
    coin = Dist({Side.TAILS: 1, Side.HEADS: 1})
    assert coin == Dist([(Side.HEADS, 3), (Side.TAILS, 3)])
    assert hash(coin) == hash(Dist({Side.HEADS: 1, Side.TAILS: 1}))
    assert coin.probability(Side.HEADS) == Fraction(1, 2)
    assert coin.kind == "label"
    assert Dist({("a", 1): 1, ("a", 0): 2}).outcomes == (("a", 0), ("a", 1))
    assert (coin == Side.HEADS).probability(True) == Fraction(1, 2)
    assert (Dist({"hit": 1, "miss": 3}) != "hit").probability(True) == Fraction(3, 4)


@pytest.mark.parametrize(
    "data",
    [
        {},
        {1: 0},
        {1: -1},
        {1: 0.5},
        {1: 2.0},
        {1: Fraction(1, 2)},
        {1: True},
        {1: "2"},
        {1: None},
        [1, 2],
        [(1, 2, 3)],
        "ab",
        6,
        {float("nan"): 1},
        {float("inf"): 1},
        [([1], 1)],
    ],
)
def test_what_is_no_distribution_is_refused(data):
    with pytest.raises(RulekitError):
        Dist(data)


@pytest.mark.parametrize("x", [0, -1, 2.5, None, True, Fraction(1, 2), {}, []])
def test_what_is_no_die_is_refused(x):
    with pytest.raises(RulekitError):
        d(x)


def test_dice():
    assert (
        d(4)
        == Dist({1: 1, 2: 1, 3: 1, 4: 1})
        == d([1, 2, 3, 4])
        == d(range(1, 5))
        == d({1: 2, 2: 2, 3: 2, 4: 2})
    )
    assert d(d(4)) is not None
    assert d(1).items() == ((1, 1),)
    assert d(np.int64(6)) == d(6)

    class Axis:
        def __as_die__(self):
            return d(8)

    assert d(Axis()) == d(8)


def test_it_does_not_change():
    die = d(6)
    with pytest.raises(AttributeError):
        die.weights = (1,)
    with pytest.raises(AttributeError):
        die._weights = (1,)
    assert copy.copy(die) is die
    assert copy.deepcopy(die) is die


@given(dists)
def test_pickle(die):
    back = pickle.loads(pickle.dumps(die))
    assert back == die
    assert hash(back) == hash(die)
    assert back.kind == die.kind


@given(dists, dists)
def test_equality_is_a_bool_and_agrees_with_the_hash(a, b):
    assert (a == b) is (dict(a.items()) == dict(b.items()))
    assert (a != b) is not (a == b)
    assert Dist({x: 3 * w for x, w in reversed(a.items())}) == a
    assert hash(Dist({x: 3 * w for x, w in a.items()})) == hash(a)


# -- arithmetic ----------------------------------------------------------------------------------------

OPERATIONS = [operator.add, operator.sub, operator.mul]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge]


@pytest.mark.parametrize("operation", OPERATIONS + COMPARISONS)
@given(a=dists, b=dists, x=numbers)
def test_operations_against_every_pair(operation, a, b, x):
    assert operation(a, b) == brute(operation, a, b)
    assert operation(a, x) == brute(operation, a, Dist({x: 1}))
    assert operation(x, a) == brute(operation, Dist({x: 1}), a)


@pytest.mark.parametrize("operation", [operator.floordiv, operator.mod, lambda x, y: Fraction(x) / y])
@given(a=dists, b=dists)
def test_divisions_against_every_pair(operation, a, b):
    divisor = b.map(lambda x: x or 1)
    ours = operator.truediv if operation not in (operator.floordiv, operator.mod) else operation
    assert ours(a, divisor) == brute(operation, a, divisor)
    assert ours(7, divisor) == brute(operation, Dist({7: 1}), divisor)


@given(sparse, sparse)
def test_far_apart_outcomes_need_no_space_between(a, b):
    assert a + b == brute(operator.add, a, b)
    assert 3 @ a == brute(lambda x, y, z: x + y + z, a, a, a)


@given(dists, dists, dists)
def test_laws(a, b, c):
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)
    assert (-a) * -1 == a == +a
    assert a - b == a + -b
    assert (a + b).mean == a.mean + b.mean
    assert (a + b).variance == a.variance + b.variance
    assert (a < b).probability(True) + (a >= b).probability(True) == 1
    assert abs(a) == a.map(abs)
    assert a * 0 == Dist({0: 1})


@given(dists, st.integers(0, 6))
def test_n_dice_are_added_up_one_by_one(die, n):
    total = Dist({0: 1})
    for _ in range(n):
        total = total + die
    assert n @ die == total


def test_a_number_of_dice_that_is_rolled():
    assert d(3) @ d(2) == mixture([(1 @ d(2), 1), (2 @ d(2), 1), (3 @ d(2), 1)])
    assert (d(4) @ d(6)).mean == Fraction(5, 2) * Fraction(7, 2)
    for n in (-1, 1.5, Fraction(1, 2)):
        with pytest.raises(RulekitError):
            n @ d(6)
    with pytest.raises(TypeError):
        "2" @ d(6)


def test_powers():
    assert d(3) ** 2 == Dist({1: 1, 4: 1, 9: 1})
    assert 2 ** d(3) == Dist({2: 1, 4: 1, 8: 1})
    assert d(2) ** -1 == Dist({1: 1, Fraction(1, 2): 1})
    with pytest.raises(RulekitError):
        d(3) ** 0.5
    with pytest.raises(TooLarge):
        d(3) ** 10**9


@pytest.mark.parametrize(
    "ask", [lambda: d(6) / (d(3) - 1), lambda: d(6) // 0, lambda: 1 % (d(2) - 1), lambda: (d(2) - 1) ** -1]
)
def test_division_by_zero_says_how_likely_it_is(ask):
    with pytest.raises(RulekitError, match="division by 0"):
        ask()


def test_what_is_not_known_is_left_to_the_other_side():
    class Roll:
        __hash__ = None

        def _answer(self, other):
            return "the roll's"

        __radd__ = __rsub__ = __rmul__ = __eq__ = __lt__ = __gt__ = __rand__ = _answer

    for answer in (
        d(6) + Roll(),
        d(6) - Roll(),
        d(6) * Roll(),
        d(6) == Roll(),
        d(6) < Roll(),
        (d(6) > 3) & Roll(),
    ):
        assert answer == "the roll's"
    with pytest.raises(TypeError):
        d(6) + "fire"
    with pytest.raises(TypeError):
        d(6) + np.arange(3)
    assert np.int64(2) + d(6) == d(6) + 2 == np.float64(2) + d(6)


def test_labels_have_no_arithmetic():
    side = Dist({"hit": 1, "miss": 1})
    for ask in (
        lambda: side + 1,
        lambda: -side,
        lambda: 2 @ side,
        lambda: side * d(6),
        lambda: side.mean,
        lambda: side > 1,
    ):
        with pytest.raises(RulekitError):
            ask()
    assert (side < "miss").probability(True) == Fraction(1, 2)


def test_a_dist_is_no_truth_value():
    for ask in (lambda: bool(d(6)), lambda: 1 < d(6) < 3, lambda: not d(6) > 3, lambda: (d(6) > 3) and 1):
        with pytest.raises(NotAValue):
            ask()
    with pytest.raises(NotAValue, match=r"probability\(True\)"):
        bool(d(6) > 3)


def test_events():
    high, even = d(6) >= 5, d(6).map(lambda x: x % 2 == 0)
    assert (high & even).probability(True) == Fraction(1, 6)
    assert (high | even).probability(True) == Fraction(2, 3)
    assert (high ^ even).probability(True) == Fraction(1, 2)
    assert (~high).probability(True) == Fraction(2, 3)
    assert high & True == high
    assert True | high == Dist({True: 1})
    assert high + high == 2 @ high == Dist({0: 4, 1: 4, 2: 1})
    for ask in (lambda: high & d(6), lambda: ~d(6), lambda: d(6) | d(6)):
        with pytest.raises(RulekitError):
            ask()


# -- questions -----------------------------------------------------------------------------------------


@given(dists, st.fractions(0, 1))
def test_questions_against_their_definition(die, q):
    total = sum(w for _, w in die.items())
    mean = Fraction(sum(x * w for x, w in die.items())) / total
    assert die.mean == mean
    assert die.variance == Fraction(sum((x - mean) ** 2 * w for x, w in die.items())) / total
    assert die.central_moment(3) == Fraction(sum((x - mean) ** 3 * w for x, w in die.items())) / total
    assert die.sd == pytest.approx(math.sqrt(die.variance))
    for x in (*die.outcomes, Fraction(1, 7)):
        assert die.cdf(x) == sum(die.probability(y) for y in die.outcomes if y <= x)
        assert die.sf(x) == 1 - die.cdf(x)
        assert die.at_least(x) == die.sf(x) + die.probability(x)
    assert die.quantile(q) == next(x for x in die.outcomes if die.cdf(x) >= q)
    assert die.probability(die.mode) == max(die.probability(x) for x in die.outcomes)
    assert die.entropy == pytest.approx(
        -sum(w / total * math.log2(w / total) for _, w in die.items()), abs=1e-12
    )


def test_nothing_cancels():
    assert (d(6) + 10**9).variance == Fraction(35, 12)
    assert (d(6) + 10**100).sd == d(6).sd
    assert (1000 @ d(6)).variance == 1000 * Fraction(35, 12)


def test_quantiles_take_floats_as_they_are_written():
    ten = d(10)
    assert [ten.quantile(q / 10) for q in range(11)] == [1, *range(1, 11)]
    assert ten.quantile(0.3) == 3
    assert (2 @ d(6)).median == 7
    for q in (-0.1, 1.1, "half"):
        with pytest.raises(RulekitError):
            ten.quantile(q)
    with pytest.raises(RulekitError):
        Dist({Side.HEADS: 1, Side.TAILS: 1}).quantile(0.5)


@given(dists, dists)
def test_dominance_against_its_definition(a, b):
    points = sorted({*a.outcomes, *b.outcomes})
    better = [a.at_least(x) - b.at_least(x) for x in points]
    assert a.dominates(b) is (min(better) >= 0 and max(better) > 0)
    # Second order by its other form: the mean of what falls short of each point.
    short = [
        b.map(lambda y, x=x: max(x - y, 0)).mean - a.map(lambda y, x=x: max(x - y, 0)).mean for x in points
    ]
    assert a.dominates(b, 2) is (min(short) >= 0 and max(short) > 0)
    if a.dominates(b):
        assert a.dominates(b, 2)
        assert not b.dominates(a)


def test_conditions_maps_and_mixtures():
    assert (2 @ d(6)).given(lambda x: x >= 11) == Dist({11: 2, 12: 1})
    assert d(6).given(6) == Dist({6: 1})
    with pytest.raises(ImpossibleCondition):
        d(6).given(7)
    assert d(6).map(lambda x: x // 2) == Dist({0: 1, 1: 2, 2: 2, 3: 1})
    with pytest.raises(RulekitError, match="bind"):
        d(2).map(d)
    assert d(2).bind(d) == Dist({1: 3, 2: 1})
    assert d(2).bind(lambda x: "low" if x == 1 else "high") == Dist({"low": 1, "high": 1})
    assert mixture({d(2): 1, d(4): 1}) == Dist({1: 3, 2: 3, 3: 1, 4: 1})
    assert mixture([(d(6) > 3, 1), (Dist({1: 1}), 1)]).kind == "number"
    for parts in ([], [(d(6), 0)], [(d(6), -1)], [(d(6), 0.5)]):
        with pytest.raises(RulekitError):
            mixture(parts)


def test_floors_and_caps():
    assert d(6).clip(3, 5) == brute(lambda x: min(max(x, 3), 5), d(6))
    assert d(20).clip(low=10).mean == Fraction(1, 2) * 10 + Fraction(sum(range(11, 21)), 20)
    for low, high in (
        (5, 3),
        ("a", None),
        (
            None,
            None,
        ),
    ):
        if low is None:
            assert d(6).clip(low, high) == d(6)
            continue
        with pytest.raises(RulekitError):
            d(6).clip(low, high)


def test_what_cannot_be_compared_is_refused():
    words, sides = Dist({"a": 1, "b": 1}), Dist({Side.HEADS: 1, Side.TAILS: 1})
    tuples = Dist({(1, 2): 1, (2, 1): 1})
    for ask in (
        lambda: d(6) < "a",
        lambda: words >= 1,
        lambda: words < d(6),
        lambda: sides < Side.HEADS,
        lambda: words < tuples,
        lambda: words.dominates(words),
        lambda: d(6).dominates(d(6), order=3),
    ):
        with pytest.raises(RulekitError):
            ask()
    assert (tuples > (1, 2)).probability(True) == Fraction(1, 2)
    assert tuples.given((1, 2)) == Dist({(1, 2): 1})
    assert d(6).given((1, 2)) == d(2)
    assert Dist({0: 2, 3: 1}).skewness == pytest.approx(1 / math.sqrt(2))


# -- sampling ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rng", [7, np.random.default_rng(7), random.Random(7)])
@pytest.mark.parametrize("scale", [1, 3**50])
def test_draws_have_their_odds(rng, scale):
    die = Dist({1: scale, 2: scale + 1, 5: 2 * scale})
    drawn = Counter(die.sample(8000, rng).tolist())
    assert set(drawn) == {1, 2, 5}
    for x in drawn:
        p = float(die.probability(x))
        assert abs(drawn[x] - 8000 * p) < 5 * math.sqrt(8000 * p * (1 - p))


def test_draws_repeat_with_their_seed_and_keep_their_type():
    assert d(20).sample(5, 3).tolist() == d(20).sample(5, 3).tolist()
    assert d(20).sample(5, 3).dtype.kind == "i"
    assert (d(20) > 3).sample(5, 3).dtype == bool
    assert (d(2) / 3).sample(1, 3).dtype == object
    assert Dist({("a", 1): 1}).sample(2, 3).tolist() == [("a", 1)] * 2
    assert Dist({2**70: 1}).sample(1).tolist() == [2**70]
    assert d(6).sample(0).size == 0
    for n, rng in ((-1, None), (1.5, None), (1, "seed")):
        with pytest.raises(RulekitError):
            d(6).sample(n, rng)


def test_draws_without_numpy(monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    monkeypatch.setitem(sys.modules, "numpy.random", None)
    drawn = d(6).sample(5, 3)
    assert drawn == d(6).sample(5, random.Random(3))
    assert set(drawn) <= set(range(1, 7))


# -- bounds --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "ask",
    [
        lambda: d(10**9),
        lambda: 10**9 @ d(6),
        lambda: 10**6 @ d(10**6),
        lambda: d(10**6) * d(10**6),
        lambda: 100 @ Dist({10**k: 1 for k in range(12)}),
        lambda: d(range(10**9)),
    ],
)
def test_absurd_asks_fail_at_once(ask):
    with pytest.raises(TooLarge):
        ask()


@pytest.mark.parametrize("times", [0, 1, 2, 5])
def test_a_bounded_reroll_is_its_geometric_sum(times):
    stands = sum(2**k * 6 ** (times - k) for k in range(times + 1))
    expected = Dist({1: 2**times, 2: 2**times, 3: stands, 4: stands, 5: stands, 6: stands})
    assert d(6).reroll({1, 2}, times=times) == expected


def test_what_would_take_too_long_to_reroll_is_refused():
    with pytest.raises(TooLarge, match="a reroll"):
        d(50_000).reroll(lambda face: face > 1, times=1000)


def test_only_a_dist_is_dominated():
    with pytest.raises(RulekitError, match="3 is none"):
        d(6).dominates(3)
