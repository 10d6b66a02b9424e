"""The formatter: worked values, and what no figure may ever say."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rulekit.distributions.formatting import format_number, format_probability
from rulekit.errors import RulekitError

PERCENT = [
    (0, "0 %"),
    (1, "100 %"),
    (Fraction(11, 20), "55 %"),
    (Fraction(1, 3), "33.3 %"),
    (Fraction(2, 3), "66.7 %"),
    (Fraction(1, 100), "1 %"),
    (Fraction(1, 216), "0.46 %"),
    (Fraction(1, 7776), "0.013 %"),
    (Fraction(999, 1000), "99.9 %"),
    (Fraction(9996, 10000), "99.96 %"),
    (Fraction(99995, 100000), "99.995 %"),
    (1 - Fraction(1, 10**9), "> 99.9999 %"),
    (Fraction(1, 10**9), "1e-7 %"),
    (Fraction(1, 6**1000), "7.1e-777 %"),
    # Ties go to the even digit, and a float beside a tie is the tie that it stands for.
    (Fraction(2025, 10000), "20.2 %"),
    (Fraction(2035, 10000), "20.4 %"),
    (0.1225, "12.2 %"),
    (0.1235, "12.4 %"),
    (Fraction(125, 100000), "0.12 %"),
    # Just below 1 % two digits round to 1.
    (Fraction(996, 100000), "1 %"),
    (Fraction(994, 100000), "0.99 %"),
]

ONE_IN = [
    (0, "never"),
    (1, "always"),
    (Fraction(1, 2), "1 in 2"),
    (Fraction(11, 20), "1 in 1.82"),
    (Fraction(1, 216), "1 in 216"),
    (Fraction(1, 1296), "1 in 1,300"),
    (Fraction(1, 6**10), "1 in 60,500,000"),
    (Fraction(1, 6**12), "1 in 2.18e9"),
    (Fraction(9999, 10000), "1 in 1.0001"),
    (1 - Fraction(1, 10**10), "almost 1 in 1"),
    (0.16, "1 in 6.25"),
]

FRACTION = [
    (0, "0"),
    (1, "1"),
    (Fraction(10, 20), "1/2"),
    (Fraction(64800983, 163215360), "64800983/163215360"),
    (0.55, "≈ 11/20"),
    (0.3333333432674408, "≈ 1/3"),
    (Fraction(1, 6**20), "≈ 1/3.66e15"),
    (Fraction(6**20 - 1, 6**20), "> 999/1000"),
    (0.00001, "≈ 1/100,000"),
]


@pytest.mark.parametrize(("p", "text"), PERCENT)
def test_percent(p: Fraction | float, text: str) -> None:
    assert format_probability(p) == text


@pytest.mark.parametrize(("p", "text"), ONE_IN)
def test_one_in(p: Fraction | float, text: str) -> None:
    assert format_probability(p, "one_in") == text


@pytest.mark.parametrize(("p", "text"), FRACTION)
def test_fraction(p: Fraction | float, text: str) -> None:
    assert format_probability(p, "fraction") == text


def test_a_fraction_is_marked_as_approximate_where_asked() -> None:
    assert format_probability(Fraction(1, 1008), "fraction") == "1/1008"
    assert format_probability(Fraction(11, 20), "fraction", approximate=True) == "≈ 11/20"


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (0, "0"),
        (Fraction(553, 40), "13.82"),
        (Fraction(25, 3), "8.33"),
        (3.9, "3.9"),
        (-2.5, "-2.5"),
        (1234567.891, "1,234,567.89"),
        (10**15, "1e15"),
        (Fraction(1, 700), "0.0014"),
        (1e-9, "1e-9"),
        (math.inf, "infinite"),
        (-math.inf, "-infinite"),
        (math.nan, "n/a"),
        (0.0999, "0.1"),
    ],
)
def test_numbers(x: Fraction | float, text: str) -> None:
    assert format_number(x) == text


def test_differences_carry_a_sign() -> None:
    assert [format_number(x, signed=True) for x in (0.25, -0.25, 0, math.inf)] == [
        "+0.25",
        "-0.25",
        "0",
        "+infinite",
    ]


def test_decimals() -> None:
    assert format_number(Fraction(5, 2), decimals=0) == "2"
    assert format_number(Fraction(2, 5), decimals=0) == "0.4"
    assert format_number(math.pi, decimals=4) == "3.1416"
    with pytest.raises(RulekitError, match="0 to 12"):
        format_number(1, decimals=13)


@pytest.mark.parametrize("p", [-1, 2, Fraction(-1, 100), 1.01, -0.5, math.inf])
def test_what_is_no_probability_is_refused(p: float) -> None:
    with pytest.raises(RulekitError, match="from 0 to 1"):
        format_probability(p)


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(RulekitError, match="'one_in'"):
        format_probability(1, "odds")  # type: ignore[arg-type]


def test_rounding_noise_at_the_ends_is_the_end_and_nan_says_so() -> None:
    assert format_probability(1 + 2e-16) == "100 %"
    assert format_probability(-1e-17) == "0 %"
    assert format_probability(math.nan, "one_in") == "n/a"


@given(st.fractions(0, 1, max_denominator=10**30) | st.floats(0, 1))
def test_only_the_impossible_is_0_and_only_the_certain_100(p: Fraction | float) -> None:
    assert (format_probability(p) == "0 %") == (p == 0)
    assert (format_probability(p) == "100 %") == (p == 1)
    assert (format_probability(p, "one_in") == "never") == (p == 0)
    assert (format_probability(p, "one_in") in ("always", "1 in 1")) == (p == 1)
    assert (format_probability(p, "fraction").lstrip("≈ ") in ("0", "1", "0/1", "1/1")) == (p in (0, 1))


@given(st.fractions(Fraction(1, 100), Fraction(999, 1000), max_denominator=10**6))
def test_percent_is_python_rounding_of_the_exact_value(p: Fraction) -> None:
    # `round` of a Fraction is exact and half to even: a second way to the same figure.
    assert Fraction(format_probability(p).removesuffix(" %")) == round(p * 100, 1)


@given(st.fractions(Fraction(1, 10**9), Fraction(99, 10**4), max_denominator=10**12))
def test_below_one_percent_two_digits_are_within_half_a_unit(p: Fraction) -> None:
    shown = Decimal(format_probability(p).removesuffix(" %"))
    unit = Fraction(10) ** (shown.adjusted() - 1)
    assert abs(Fraction(shown) - 100 * p) <= unit / 2


@given(st.floats(-(10.0**300), 10.0**300))
def test_no_number_but_0_is_shown_as_0(x: float) -> None:
    assert (format_number(x) in ("0", "-0")) == (x == 0)
