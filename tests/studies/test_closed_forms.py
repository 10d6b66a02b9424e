"""Formulas, against closed forms that are known."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Annotated, Any

import pytest
import sympy
from pydantic import Field

from rulekit import (
    Dist,
    E,
    NotAllowed,
    Outcome,
    P,
    Roll,
    StatError,
    TooLarge,
    chance,
    clip,
    count,
    d,
    dice,
    formula,
    roll,
    rule,
    where,
)
from rulekit.games.adventures_edge import Fighter, Situation, Target, attack


class Throw(Outcome):
    best: Roll[int]
    worst: Roll[int]
    total: Roll[int]


@rule()
def keep(n: Annotated[int, Field(ge=1, le=4)] = 2, sides: Annotated[int, Field(ge=1, le=20)] = 6) -> Throw:
    throw = dice(n, d(sides))
    return Throw(best=throw.highest(), worst=throw.lowest(), total=throw * 1)


def _verified(found: Any) -> None:
    """The form in sympy has the exact value at every point."""
    assert found.found
    for x, value in found.points.items():
        assert found(x) == value
        if len(found.over) == 1:
            assert found.expression.subs(found.symbols[0], sympy.Rational(x.numerator, x.denominator)) == (
                sympy.Rational(value.numerator, value.denominator)
            )


S = sympy.Symbol("sides", real=True)


@pytest.mark.parametrize(
    ("n", "measure", "known"),
    [
        (1, "best", (S + 1) / 2),
        (2, "best", (S + 1) * (4 * S - 1) / (6 * S)),
        (2, "worst", (S + 1) * (2 * S + 1) / (6 * S)),
        (3, "best", (S + 1) * (3 * S - 1) / (4 * S)),
        (3, "total", 3 * (S + 1) / 2),
        # Of four dice, by Faulhaber's formula for the sum of fourth powers.
        (4, "best", S - (S - 1) * (2 * S - 1) * (3 * (S - 1) ** 2 + 3 * (S - 1) - 1) / (30 * S**3)),
    ],
)
def test_means_of_kept_dice_along_their_size(n: int, measure: str, known: Any) -> None:
    found = formula(keep.setup(n=n), measure, "sides")
    _verified(found)
    assert sympy.simplify(found.expression - known) == 0
    assert sympy.simplify(found.derivative - sympy.diff(known, S)) == 0


@pytest.mark.parametrize(
    ("edge", "shape"), [(0, "linear"), (1, "best of 2"), (-1, "worst of 2"), (2, "best of 3")]
)
def test_hit_chances_with_edge(edge: int, shape: str) -> None:
    setup = attack.setup(Fighter(attack_bonus=7), Target(defense=17), Situation(edge=edge))
    found = formula(setup, "hit", {"target.defense": range(5, 36)})
    _verified(found)
    defense = found.symbols[0]
    miss = (defense - 8) / sympy.Integer(20)  # the d20 shows less than defense - 7
    known = {
        "linear": 1 - miss,
        "best of 2": 1 - miss**2,
        "worst of 2": (1 - miss) ** 2,
        "best of 3": 1 - miss**3,
    }[shape]
    middle = next(piece for piece in found.pieces if piece.low <= 17 <= piece.high)
    assert sympy.expand(found.form(middle) - known) == 0
    assert (middle.low <= 10, middle.high >= 27) == (True, True)


def test_hit_chances_along_edge_fall_off_as_a_power() -> None:
    setup = attack.setup(Fighter(attack_bonus=7), Target(defense=17))
    found = formula(setup, "hit", "situation.edge")
    _verified(found)
    edge = found.symbols[0]
    worst, best = found.pieces
    # Of 1 + n dice all must miss, each with 9/20; with the worst counting all must hit, each with 11/20.
    assert sympy.simplify(found.form(best) - (1 - sympy.Rational(9, 20) ** (1 + edge))) == 0
    assert sympy.simplify(found.form(worst) - sympy.Rational(11, 20) ** (1 - edge)) == 0
    assert (worst.high + 1, best.points + worst.points) == (best.low, 13)


def test_at_least_one_six_along_the_number_of_dice() -> None:
    @rule()
    def sixes(n: Annotated[int, Field(ge=0, le=12)] = 2) -> Roll[bool]:
        return dice(n, d(6)).count(6) >= 1

    found = formula(sixes.setup(), "result", "n")
    _verified(found)
    assert found.sentence == "result along n: 1 - (5/6)**n (checked at 13 points)."


def test_clamps_at_both_ends() -> None:
    @rule()
    def held(x: Annotated[int, Field(ge=-20, le=40)] = 0) -> Roll[int]:
        return clip(x + roll(d(1)), 3, 12)

    found = formula(held.setup(), "result", "x")
    _verified(found)
    assert [(piece.low, piece.high, piece.coefficients) for piece in found.pieces] == [
        (-20, 2, (3,)),
        (3, 11, (1, 1)),
        (12, 40, (12,)),
    ]
    assert str(found.derivative) == "Piecewise((0, x <= 2), (1, x <= 11), (0, True))"


@pytest.mark.parametrize(("k", "n"), [(1, 3), (2, 4), (5, 10), (0, 2), (10, 10)])
def test_at_least_k_of_n_along_a_chance(k: int, n: int) -> None:
    @rule()
    def tries(p: Annotated[float, Field(ge=0, le=1)] = 0.5) -> Roll[bool]:
        return count([chance(p) for _ in range(n)]) >= k

    found = formula(tries.setup(), "result", "p")
    _verified(found)
    p = found.symbols[0]
    known = sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k, n + 1))
    assert len(found.pieces) == 1
    assert sympy.expand(found.expression - known) == 0
    assert sympy.expand(found.derivative - sympy.diff(sympy.expand(known), p)) == 0


@rule()
def strike(
    bonus: Annotated[int, Field(ge=0, le=15)] = 5,
    ac: Annotated[int, Field(ge=1, le=30)] = 15,
    die: Dist = d(8),
) -> Roll[int]:
    natural = roll(d(20))
    hit = (natural == 20) | ((natural != 1) & (natural + bonus >= ac))
    return where(hit, clip(natural + bonus - ac, 1, 6), 0)


def test_two_stats_of_which_only_the_difference_counts() -> None:
    found = formula(strike.setup(), "result", ("bonus", "ac"))
    assert found.variable == "bonus - ac"
    _verified(found)
    for bonus, ac in ((0, 1), (5, 15), (15, 30), (3, 3)):
        expected = E(strike(bonus, ac))
        assert found(bonus - ac) == expected
        values = dict(zip(found.symbols, (bonus, ac), strict=True))
        assert Fraction(str(found.expression.subs(values))) == expected
    assert "only bonus - ac counts" in found.sentence
    assert found.tables()[0].head[0] == "bonus - ac"
    assert r"\mathit{bonus} - \mathit{ac} = -10:" in found.latex


def test_two_stats_of_which_only_the_sum_counts_and_two_that_both_count() -> None:
    @rule()
    def both(a: Annotated[int, Field(ge=0, le=9)] = 0, b: Annotated[int, Field(ge=0, le=9)] = 0) -> Throw:
        total = roll(d(6)) + a + b
        return Throw(best=total, worst=total * (1 + a), total=total * 1)

    found = formula(both.setup(), "best", ("a", "b"))
    assert found.variable == "a + b"
    assert str(found.expression) == "(2*a + 2*b + 7)/2"
    refused = formula(both.setup(), "worst", ("a", "b"))
    assert not refused.found
    assert refused.sentence.startswith("No short formula for worst along a and b: it depends on neither")
    with pytest.raises(StatError, match="No short formula"):
        _ = refused.expression


def test_no_short_formula_is_said() -> None:
    @rule()
    def jumpy(x: Annotated[int, Field(ge=0, le=40)] = 0) -> Roll[int]:
        return roll(d(6)) + (x * x * 7919) % 13

    found = formula(jumpy.setup(), "result", "x")
    assert not found.found
    assert "No short formula for result along x: 41 points would need" in found.sentence
    assert len(list(found.records())) == 41
    assert formula(jumpy.setup(), "result", {"x": [0, 1]}).found is False


def test_holes_end_a_piece() -> None:
    @rule()
    def holed(x: Annotated[int, Field(ge=0, le=20)] = 0) -> Roll[int]:
        if 8 <= x <= 10:
            raise NotAllowed("YY-1", "not there")
        return roll(d(6)) + 2 * x

    found = formula(holed.setup(), "result", "x")
    _verified(found)
    assert [(piece.low, piece.high) for piece in found.pieces] == [(0, 7), (11, 20)]
    with pytest.raises(StatError, match="9 is not there"):
        found(9)


def test_latex_holds_todays_numbers() -> None:
    found = formula(strike.setup(), lambda damage: damage >= 1, "ac")
    assert r"\mathit{ac} = 15:\ \frac{11}{20}" in found.latex
    assert r"\begin{cases}" in found.latex
    assert "$P(" in found._repr_html_()
    assert P(strike.setup()() >= 1) == Fraction(11, 20)


@pytest.mark.parametrize(
    ("over", "message"),
    [
        ("ca", "ca: there is no such stat"),
        ("die", "die: a formula goes along a number, and this is a dice"),
        ({"ac": [1, 2, 4]}, "evenly spaced"),
        ({"ac": [3]}, "two or more values"),
        ({}, "one stat or two, not 0"),
    ],
)
def test_what_has_no_formula_says_why(over: Any, message: str) -> None:
    with pytest.raises(StatError) as fault:
        formula(strike.setup(), "result", over)
    assert message in str(fault.value)


def test_too_many_points_are_refused() -> None:
    with pytest.raises(TooLarge, match="14,400 points"):
        formula(keep.setup(), "best", {"n": range(1, 121), "sides": range(1, 121)})
