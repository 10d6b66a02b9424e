from __future__ import annotations

import math
import operator
import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.distributions import Dist, Pool, d, mixture
from rulekit.errors import RulekitError, TooLarge
from tests.cases import field_case

dice = st.dictionaries(st.integers(-2, 6), st.integers(1, 4), min_size=2, max_size=5).map(Dist)


def by_recursion(die, faces, times):
    """Thrown on at most ``times``, as the rule says it."""
    if not times:
        return die
    return die.bind(lambda x: by_recursion(die, faces, times - 1) + x if x in faces else x)


@given(dice, st.sets(st.integers(-2, 6), max_size=4), st.integers(0, 3))
def test_at_most_n_times_is_the_rule_and_has_no_leftover(die, faces, times):
    exploded = die.explode(faces, times)
    assert exploded == by_recursion(die, faces, times)
    assert exploded.leftover == 0


@given(dice.filter(lambda die: min(die.outcomes) > 0), st.data())
def test_to_the_end_agrees_with_a_deep_cut(die, data):
    faces = data.draw(st.sets(st.sampled_from(die.outcomes), min_size=1, max_size=len(die.outcomes) - 1))
    endless, deep = die.explode(faces), die.explode(faces, times=12)
    for x in range(1, 12 * min(faces)):
        assert endless.at_least(x) == deep.at_least(x)
        assert endless.probability(x) == deep.probability(x)
    assert float(endless.mean) >= float(deep.mean)
    assert 0 < endless.leftover < Fraction(1, 10**6)
    # The law of the total: an exploded die is one throw, and another exploded die where it explodes.
    again = sum(
        die.probability(x) * (endless.mean + x) if x in faces else die.probability(x) * x
        for x in die.outcomes
    )
    assert endless.mean == again
    square = sum(
        die.probability(x) * (endless.variance + (endless.mean + x) ** 2 if x in faces else Fraction(x) ** 2)
        for x in die.outcomes
    )
    assert endless.variance == square - endless.mean**2


@pytest.mark.parametrize("sides", [2, 3, 4, 6, 8, 10, 12, 20, 100])
def test_closed_forms_of_the_common_die(sides):
    exploded = d(sides).explode()
    assert exploded.mean == Fraction(sides * (sides + 1), 2 * (sides - 1))
    assert exploded.leftover < Fraction(1, 10**18)
    for h in (1, sides, sides + 1, 2 * sides, 2 * sides + 1, 5 * sides - 1):
        whole, shown = divmod(h - 1, sides)
        assert exploded.at_least(h) == Fraction(1, sides) ** whole * Fraction(sides - shown, sides)


def test_field_case_b4():
    right = {name: Fraction(x) for name, x in field_case("B4")["right_value_fraction"].items()}
    d4, d2 = d(4).explode(), d(2).explode()
    assert [d4.at_least(h) for h in (4, 5, 6)] == [right[f"P(d4! >= {h})"] for h in (4, 5, 6)]
    assert d(8).explode().at_least(20) == right["P(d8! >= 20)"]
    assert d(100).explode().at_least(200) == right["P(d100! >= 200)"]
    assert (d4.mean, d(6).explode().mean) == (right["mean d4!"], right["mean d6!"])
    both = 2 @ d2
    assert [both.probability(x) for x in (4, 5)] == [Fraction(1, 4), 0]
    assert both.mean == right["2d2! per die: mean"]
    on_four = (2 @ d(2)).explode(4)
    assert on_four.probability(3) == Fraction(1, 2)
    assert on_four.mean == right["2d2 exploding only when the total is 4: mean"]


def test_field_case_b5():
    right = {name: Fraction(x) for name, x in field_case("B5")["right_value_fraction"].items()}
    best = Pool([d(8).explode(), d(6).explode()]).highest()
    for h in (4, 8, 10, 12):
        assert best.at_least(h) == right[f"P(best >= {h})"]
    both = 2 @ d(6).explode()
    assert both.cdf(6) == right["2d6! v toughness 7: damage < 7"]
    for low, high in ((7, 10), (11, 14), (15, 18)):
        assert both.at_least(low) - both.at_least(high + 1) == right[f"2d6! v toughness 7: {low}-{high}"]
    assert both.at_least(19) == right["2d6! v toughness 7: >= 19"]
    assert both.probability(7) == right["P(2d6! = 7 exactly)"]


@pytest.mark.parametrize(
    "ask",
    [
        lambda: d(1).explode(),
        lambda: d(6).explode(range(1, 7)),
        lambda: d(6).explode(lambda x: x >= 1),
        lambda: d(6).reroll(lambda x: x < 7),
        lambda: d(8).reroll([4]).reroll(lambda x: x < 4).reroll(lambda x: x > 4),
        lambda: Pool([1]).explode("extra_die"),
        lambda: Pool([d(6), d(1)]).explode(),
        lambda: (d(6) * 0).explode(0),
    ],
)
def test_what_never_stops_is_an_error_at_once(ask):
    with pytest.raises(RulekitError, match="never stop"):
        ask()


def test_an_explosion_too_large_to_follow_is_refused_at_once():
    with pytest.raises(TooLarge):
        d(100).explode(range(1, 100))
    with pytest.raises(TooLarge):
        d(1000).explode(lambda x: x % 2, times=1000)


def test_a_face_of_nothing_is_thrown_anew():
    assert Dist({0: 1, 1: 1, 2: 1}).explode(0) == Dist({1: 1, 2: 1})
    two = Dist({0: 1, 1: 1, 2: 1}).explode({0, 2})
    assert two.mean == Dist({1: 1, 2: 1}).explode(2).mean
    assert two.at_least(5) == Dist({1: 1, 2: 1}).explode(2).at_least(5)


def test_rerolls():
    assert d(6).reroll({1, 2}, times=1) == d(6).bind(lambda x: d(6) if x <= 2 else x)
    assert d(6).reroll({1, 2}, times=2) == d(6).bind(lambda x: d(6).reroll({1, 2}, times=1) if x <= 2 else x)
    assert d(6).reroll({1, 2}) == Dist({3: 1, 4: 1, 5: 1, 6: 1})
    assert d(6).reroll(7) == d(6) == d(6).reroll(6, times=0)
    for times in (-1, 1.5, "1", True):
        with pytest.raises(RulekitError):
            d(6).reroll(1, times=times)


# -- what is left over -------------------------------------------------------------------------------

exploding = d(6).explode()
LOW = exploding.leftover_range[0]


def close(a, b):
    return abs(a - b) < Fraction(1, 10**17)


def test_where_it_lies():
    assert LOW > exploding.outcomes[-1]
    assert exploding.leftover_range[1] == math.inf
    assert sum(exploding.weights) + exploding.leftover * exploding.denominator == exploding.denominator
    assert pickle.loads(pickle.dumps(exploding)) == exploding
    assert exploding != Dist(dict(exploding.items()))
    assert Dist(exploding) == exploding


def test_sums_keep_it():
    three = 3 @ exploding
    assert three == exploding + exploding + exploding
    assert three.leftover_range[0] == LOW + 2
    assert three.leftover == 1 - (1 - exploding.leftover) ** 3
    assert three.mean == 3 * exploding.mean
    assert three.variance == 3 * exploding.variance
    deep = 3 @ d(6).explode(times=60)
    for x in (3, 18, 30, 60):
        assert three.at_least(x) == deep.at_least(x) == 1 - three.cdf(x - 1)
    shifted = 2 * exploding - 3
    assert shifted.mean == 2 * exploding.mean - 3
    assert shifted.leftover_range == (2 * LOW - 3, math.inf)
    assert (-exploding).leftover_range == (-math.inf, -LOW)
    assert (-exploding).cdf(-12) == Fraction(1, 36)
    assert (exploding - exploding).mean == 0
    assert (exploding // 2).at_least(6) == Fraction(1, 36)
    assert abs(-exploding) == abs(exploding)
    assert exploding * 0 == Dist({0: 1})


def test_a_cap_ends_it():
    capped = exploding.clip(high=20)
    assert capped.leftover == 0
    assert capped == d(6).explode(times=10).clip(high=20)
    assert exploding.clip(low=3).leftover == exploding.leftover


def test_comparisons_are_exact_below_it():
    assert (exploding >= 30).leftover == 0
    assert exploding.at_least(LOW) == exploding.leftover
    assert (exploding < 12) == ~(exploding >= 12)
    assert (exploding == 7).probability(True) == Fraction(1, 36)
    beyond = exploding >= LOW + 10
    assert beyond.leftover == exploding.leftover
    assert beyond.probability(True) == 0
    assert beyond.probability(False) == 1 - exploding.leftover
    against = exploding > d(6).explode()
    assert close(
        against.probability(True), (d(6).explode(times=60) > d(6).explode(times=60)).probability(True)
    )
    assert 0 < against.leftover < 3 * exploding.leftover
    assert (exploding > d(20)).leftover == 0
    assert (exploding > d(20)).probability(True) == (d(6).explode(times=60) > d(20)).probability(True)


def test_undecided_events_are_decided_by_others():
    beyond = exploding >= LOW + 10
    assert (beyond & False) == Dist({False: 1})
    assert (beyond | True) == Dist({True: 1})
    assert (beyond & (d(6) > 3)).leftover == beyond.leftover / 2
    assert (~beyond).leftover == beyond.leftover


def test_mixtures_and_rolled_numbers_of_dice_keep_it():
    either = mixture([(exploding, 1), (d(6), 1)])
    assert either.mean == (exploding.mean + Fraction(7, 2)) / 2
    assert either.leftover == exploding.leftover / 2
    spread = either.variance
    assert close(spread, mixture([(d(6).explode(times=60), 1), (d(6), 1)]).variance)
    assert (d(2) @ exploding).mean == Fraction(3, 2) * exploding.mean


def test_quantiles_below_it_are_exact():
    assert exploding.median == 3
    assert exploding.quantile(0.99) == d(6).explode(times=30).quantile(0.99)
    assert exploding.mode == 1
    assert (-exploding).mode == -5
    assert (-exploding).median == (-d(6).explode(times=30)).median == -4
    assert (-exploding).quantile(0.01) == (-d(6).explode(times=30)).quantile(0.01)
    with pytest.raises(RulekitError, match="cut off"):
        (-exploding).quantile(0)
    with pytest.raises(RulekitError, match="cut off"):
        exploding.quantile(1)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: exploding.map(lambda x: x + 1),
        lambda: exploding.bind(d),
        lambda: exploding.given(3),
        lambda: exploding.entropy,
        lambda: exploding.skewness,
        lambda: exploding.dominates(d(6)),
        lambda: exploding.clip(low=4).mean,
        lambda: exploding * exploding,
        lambda: exploding % 2,
        lambda: exploding**2,
        lambda: Pool([exploding, exploding]).highest().mean,
        lambda: exploding.explode(),
        lambda: exploding.reroll(1),
        lambda: (exploding > exploding).mean,
        lambda: exploding @ d(6),
    ],
)
def test_what_is_not_known_exactly_is_refused(ask):
    with pytest.raises(RulekitError, match="cut off"):
        ask()


@pytest.mark.parametrize("operation", [operator.gt, operator.ge, operator.lt, operator.le])
@given(x=st.integers(-5, 200), n=st.integers(1, 3), negate=st.booleans())
def test_certain_parts_bracket_the_truth(operation, x, n, negate):
    cut, deep = n @ d(2).explode(), n @ d(2).explode(times=150)
    if negate:
        cut, deep = -cut, -deep
    event = operation(cut, x)
    truth = operation(deep, x).probability(True)
    slack = Fraction(1, 2**140)
    assert event.probability(True) - slack <= truth <= event.probability(True) + event.leftover + slack


def test_draws_of_an_endless_explosion():
    drawn = exploding.sample(2000, 11)
    assert drawn.min() >= 1
    assert 6 not in drawn.tolist()
    assert abs(drawn.mean() - 4.2) < 5 * exploding.sd / math.sqrt(2000)
    mostly_left = Dist({1: 1, 2: 999}).explode(2)
    assert mostly_left.leftover == Fraction(999, 1000) ** 200
    with pytest.raises(RulekitError, match="one of the draws"):
        mostly_left.sample(1000, 11)


def test_huge_shifts_keep_the_side():
    assert (-exploding + 10**40).leftover_range == (-math.inf, 10**40 - LOW)
    assert (exploding - 10**40).leftover_range == (LOW - 10**40, math.inf)
