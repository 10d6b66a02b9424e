"""What people reported of other dice tools, for dice, pools and notation: right figures, wrong ones excluded.

The cases stand in ``tests/cases/field_cases.json`` with their inputs; each test says how the input is
written in rulekit. A figure of a case that no test asks for fails the last test.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product
from typing import Any

import pytest

from rulekit.distributions import Dist, Pool, d, mixture
from rulekit.errors import NotationError
from tests.cases import field_case

CASES = [
    "A1",
    "A2",
    "A3",
    "A4",
    "B1",
    "B2",
    "B3",
    "B4",
    "B5",
    "C1",
    "C2",
    "D1",
    "D3",
    "D4",
    "E1",
    "E7",
    "P1",
    "P2",
    "P3",
    "S1",
]


def p(dist: Dist, low: int, high: int | None = None) -> Fraction:
    """The probability of low to high, or of low alone."""
    return sum((dist.probability(x) for x in range(low, (low if high is None else high) + 1)), Fraction(0))


def at_least(dist: Dist, x: int) -> Fraction:
    return dist.at_least(x)


WILD = "max(d8!,d6!)"
ACES = "d6!+d6!"
GREATSWORD = "1d4+2d6+3"


def attack(natural: Dist) -> Dist:
    """+8 against 15, a natural 1 misses, 19 and 20 are critical."""

    def damage(face: int) -> Dist:
        if face >= 19:
            return d("5d6+5")
        return d("2d6+5") if face != 1 and face + 8 >= 15 else d("0")

    return natural.bind(damage)


def contest() -> Dist:
    """2d10 up to 6 against 2d10 up to 5: successes, then the successful dice from the highest down."""

    def successes(dice: tuple[int, ...], skill: int) -> tuple[int, ...]:
        good = sorted((die for die in dice if die <= skill), reverse=True)
        return (len(good), *good)

    def result(ours: tuple[int, ...], theirs: tuple[int, ...]) -> int:
        a, b = successes(ours, 6), successes(theirs, 5)
        return (a > b) - (a < b)

    throws = Pool([10, 10]).sorted().items()
    return Dist((result(ours, theirs), v * w) for (ours, v), (theirs, w) in product(throws, repeat=2))


def blades(n: int) -> Dist:
    """The graded result of n dice; of none, the lower of two."""
    if n == 0:
        return d("2d6kl1").map(lambda x: "6" if x == 6 else "4-5" if x >= 4 else "1-3")

    def grade(throw: tuple[int, ...]) -> str:
        if throw[:2] == (6, 6):
            return "critical"
        return "6" if throw[0] == 6 else "4-5" if throw[0] >= 4 else "1-3"

    return Pool([6] * n).sorted().map(grade)


def blades_grade(n: int, grade: str) -> Fraction:
    return blades(n).probability(grade)


def total_explodes() -> Dist:
    """2d2 of which the total, not each die, explodes on its greatest."""
    return d("2d2").explode()


FIGURES: dict[str, dict[str, Callable[[], Any]]] = {
    "A1": {
        "mean 2d20kh1": lambda: d("2d20kh1").mean,
        "mean 3d20kh1": lambda: d("3d20kh1").mean,
    },
    "A2": {
        "P(10)": lambda: d("2d20khmin10").probability(10),
        "mean": lambda: d("2d20mi10kh1").mean,
    },
    "A3": {
        "(a) P(middle=10)": lambda: d("3d20dl1kl1").probability(10),
        "(a) P(middle=1)": lambda: d("3d20km1").probability(1),
        "(a) mean": lambda: d("3d20dl1kl1").mean,
        "(b) mean": lambda: d("3d6kh2dl1").mean,
        "(b) P(12)": lambda: d("3d6kh2dl1").probability(12),
        "(c) each of 11..30": lambda: {d("1d20kl1+10").probability(x) for x in range(11, 31)},
        "(c) mean": lambda: d("1d20kl1+10").mean,
    },
    "A4": {
        "mean kh2": lambda: d("{d6,d6,d8,d12}kh2").mean,
        "P(kh2 >= 12)": lambda: at_least(d("{d6,d6,d8,d12}kh2"), 12),
        "P(kh2 = 20)": lambda: d("{d6,d6,d8,d12}kh2").probability(20),
        "mean best of d6,d8": lambda: d("{d6,d8}kh1").mean,
    },
    "B1": {
        "mean": lambda: d("2d6 ro<=2").mean,
        "P(2)": lambda: d("2d6ro<3").probability(2),
        "P(12)": lambda: d("2d6r{1}<=2").probability(12),
    },
    "B2": {
        "mean": lambda: d("max(d6,3)+max(d6,3)+5").mean,
        "P(11)": lambda: d("2d6mi3+5").probability(11),
    },
    "B3": {
        "control: mean of d2!": lambda: d("d2!").mean,
        "control: P(d2! = 1)": lambda: d("d2!").probability(1),
        "control: P(d2! >= 9)": lambda: at_least(d("d2!"), 9),
    },
    "B4": {
        "P(d4! >= 4)": lambda: at_least(d("d4!"), 4),
        "P(d4! >= 5)": lambda: at_least(d("d4!"), 5),
        "P(d4! >= 6)": lambda: at_least(d("d4!"), 6),
        "P(d8! >= 20)": lambda: at_least(d("d8!"), 20),
        "P(d100! >= 200)": lambda: at_least(d("d100!"), 200),
        "mean d4!": lambda: d("d4!").mean,
        "mean d6!": lambda: d("d6!").mean,
        "2d2! per die: P(4)": lambda: d("2d2!").probability(4),
        "2d2! per die: P(5)": lambda: d("2d2!").probability(5),
        "2d2! per die: mean": lambda: d("2d2!").mean,
        "2d2 exploding only when the total is 4: P(3)": lambda: total_explodes().probability(3),
        "2d2 exploding only when the total is 4: mean": lambda: total_explodes().mean,
    },
    "B5": {
        "P(best >= 4)": lambda: at_least(d(WILD), 4),
        "P(best >= 8)": lambda: at_least(d(WILD), 8),
        "P(best >= 10)": lambda: at_least(d(WILD), 10),
        "P(best >= 12)": lambda: at_least(d(WILD), 12),
        "P(both natural 1)": lambda: d("{d8,d6}<=1").probability(2),
        "2d6! v toughness 7: damage < 7": lambda: 1 - at_least(d(ACES), 7),
        "2d6! v toughness 7: 7-10": lambda: p(d(ACES), 7, 10),
        "2d6! v toughness 7: 11-14": lambda: p(d(ACES), 11, 14),
        "2d6! v toughness 7: 15-18": lambda: p(d(ACES), 15, 18),
        "2d6! v toughness 7: >= 19": lambda: at_least(d("2d6!"), 19),
        "P(2d6! = 7 exactly)": lambda: d("2d6!").probability(7),
    },
    "C1": {
        "straight: mean": lambda: attack(d("d20")).mean,
        "straight: P(0)": lambda: attack(d("d20")).probability(0),
        "straight: P(>=20)": lambda: at_least(attack(d("d20")), 20),
        "advantage: mean": lambda: attack(d("2d20kh1")).mean,
        "advantage: P(0)": lambda: attack(d("2d20kh1")).probability(0),
        "advantage: P(>=20)": lambda: at_least(attack(d("2d20kh1")), 20),
        "advantage: P(crit)": lambda: at_least(d("2d20kh1"), 19),
        "disadvantage: mean": lambda: attack(d("2d20kl1")).mean,
    },
    "C2": {
        "d10 -> 2d10 mean": lambda: d("2d10").mean,
        "1d4+1d6 -> 2d4+2d6 mean": lambda: d("2d4+2d6").mean,
        "1d(4+floor(8/6)*2) -> 2d6 mean": lambda: d("2d(4+floor((7+1)/6)*2)").mean,
        "1d4+2d6+3 dice doubled: mean": lambda: d("2d4+4d6+3").mean,
        "1d4+2d6+3 dice doubled: variance": lambda: d("2d4+4d6+3").variance,
        "1d4+2d6+3 dice doubled: P(>=30)": lambda: at_least(d("2d4+4d6+3"), 30),
        "number doubled: mean": lambda: d("2*(1d4+2d6)+3").mean,
        "number doubled: variance": lambda: d("2*(1d4+2d6)+3").variance,
        "number doubled: P(>=30)": lambda: at_least(d("2*(1d4+2d6)+3"), 30),
        "1d6 as 2d6kh1 mean": lambda: d("2d6kh1").mean,
        "2d6+3+12 mean": lambda: d("2d6+3+12").mean,
        "3d8+1+24 mean": lambda: d("3d8+1+24").mean,
    },
    "D1": {
        "max(1,1d4-1): mean": lambda: d("max(1,1d4-1)").mean,
        "max(1,1d6-4): P(1)": lambda: d("max(1,1d6-4)").probability(1),
        "max(1,1d6-4): mean": lambda: d("max(1,1d6-4)").mean,
        "1d6-6: mean": lambda: d("1d6-6").mean,
        "1d6-6: P(0)": lambda: d("1d6-6").probability(0),
        "max(0,1d6-6): P(0)": lambda: d("max(0,1d6-6)").probability(0),
    },
    "D3": {
        "(a)": lambda: d("max(0,5-15)+max(0,5)").mean,
        "(b) mean": lambda: d("max(0,1d6-3)+max(0,1d6-3)").mean,
        "(b) P(0)": lambda: d("max(0,1d6-3)+max(0,1d6-3)").probability(0),
    },
    "D4": {
        "(a) mean": lambda: d("2*floor(2d6/2)").mean,
        "(a) P(12)": lambda: d("2*floor(2d6/2)").probability(12),
        "(b) mean": lambda: d("ceil(2d6/2)").mean,
        "(c) mean": lambda: d("floor(2d6/2)").mean,
        "5 halved up": lambda: d("ceil(5/2)").mean,
        "21 halved up": lambda: d("ceil(21/2)").mean,
    },
    "E1": {
        "A wins": lambda: contest().probability(1),
        "draw": lambda: contest().probability(0),
        "B wins": lambda: contest().probability(-1),
    },
    "E7": {
        **{
            f"{n} dice: {grade}": partial(blades_grade, n, grade)
            for n in (0, 1, 2, 4)
            for grade in ("1-3", "4-5", "6", "critical")
        },
        "two dice, both must be 6 (another game's zero-dice rule)": lambda: d("2d6>=6").probability(2),
    },
    "P1": {
        "mean 1d6 - 1": lambda: {d(f"1d6 {sign} 1").mean for sign in "-−–—－﹣"},
        "P(1d6 - 1 = 0)": lambda: {d(f"1d6 {sign} 1").probability(0) for sign in "-−–—－﹣"},
        "mean 1d20 - 2": lambda: {d("1d20−2").mean, d("１ｄ２０\u00a0−\u202f２").mean},
    },
    "P2": {
        "d4 mean": lambda: d("d4").mean,
        "d% mean (1..100)": lambda: d("d%").mean,
        "P(d% = 100)": lambda: d("D%").probability(100),
        "2d%kh1 mean": lambda: d("2d%kh1").mean,
        "1d20+-5 mean": lambda: d("1d20+-5").mean,
        "1d6 + -1 mean": lambda: d("1d6 + -1").mean,
        "-1": lambda: d("-1").mean,
        "9+2d6 mean": lambda: d("9+2d6").mean,
        "P(3d12-4 = -1)": lambda: d("3d12-4").probability(-1),
    },
    "P3": {
        "(1d6+2d8)*2 mean": lambda: d("(1d6+2d8)*2").mean,
        "1d6+(2d8*2) mean": lambda: d("1d6+(2d8*2)").mean,
        "1d6-2 mean": lambda: d("1d6-2").mean,
        "2-1d6 mean": lambda: d("2-1d6").mean,
        "4d6*2 mean": lambda: d("4d6*2").mean,
        "4d6*2 variance": lambda: d("4d6×2").variance,
        "1d1+4*10": lambda: d("1d1+4*10").mean,
        "1+(5-3)d5 mean": lambda: d("1+(5-3)d5").mean,
        "(4+2)d10kh(2+2) mean": lambda: d("(4+2)d10kh(2+2)").mean,
        "(4+2)d10kh(2+2) P(>=30)": lambda: at_least(d("(4+2)d10kh(2+2)"), 30),
        "max(0,floor((10-0)/2))": lambda: d("max(0,floor((10-0)/2))").mean,
    },
    "S1": {
        "P(>= 65)": lambda: d("1d24+1d23+1d20+1d16+1d11+1d9+1d7+1d4 >= 65").probability(True),
    },
}

DISTRIBUTIONS: dict[str, dict[str, str]] = {
    "A2": {"2d20kh min 10": "2d20mi10kh1"},
    "A3": {"(a)": "3d20dl1kl1", "(b)": "3d6kh2dl1"},
    "A4": {"{d6,d6,d8,d12}kh2": "{d6,d6,d8,d12}kh2", "{d6,d8}kh1": "{d6,d8}kh1"},
    "B1": {"2d6 ro<=2": "2d6ro<=2"},
    "B2": {"2d6 min 3 each, +5": "2d6mi3+5"},
    "D1": {"max(1,1d4-1)": "max(1,1d4-1)", "max(1,1d6-4)": "max(1,1d6-4)"},
    "D3": {"(b)": "max(0,1d6-3)+max(0,1d6-3)"},
    "D4": {"(a)": "2*floor(2d6/2)", "(b)": "ceil(2d6/2)"},
    "P1": {"1d6 - 1": "1d6 − 1"},
}

WRONG: dict[str, dict[str, Callable[[], Any]]] = {
    # How the wrong figure comes about, so that it is the wrong one that is excluded.
    "B1": {
        "mean if only 1s are rerolled (wrong)": lambda: d("2d6ro1").mean,
        "mean if rerolled until 3+ (wrong)": lambda: d("2d6r<=2").mean,
    },
    "B2": {
        "mean if +5 is inside the second comparison (wrong)": lambda: d("max(d6,3)+max(d6+5,3)").mean,
        "mean if floor 6 on the sum of the dice (wrong)": lambda: d("max(2d6,6)+5").mean,
    },
    "C2": {"1d4+1d6, first term only (wrong)": lambda: d("2d4+1d6").mean},
    "D3": {"(b) floor on the total instead (wrong mean)": lambda: d("max(0,1d6-3+1d6-3)").mean},
}


@pytest.mark.parametrize(
    ("name", "label"), [(name, label) for name in CASES for label in field_case(name)["right_value_fraction"]]
)
def test_right_value(name: str, label: str) -> None:
    right = Fraction(field_case(name)["right_value_fraction"][label])
    value = FIGURES[name][label]()
    assert value == ({right} if isinstance(value, set) else right)


@pytest.mark.parametrize(
    ("name", "label"), [(name, label) for name in CASES for label in field_case(name).get("distribution", {})]
)
def test_whole_distribution(name: str, label: str) -> None:
    right = {int(x): Fraction(q) for x, q in field_case(name)["distribution"][label].items()}
    dist = d(DISTRIBUTIONS[name][label])
    assert {x: dist.probability(x) for x in dist.outcomes} == right


@pytest.mark.parametrize(
    ("name", "label"),
    [(name, label) for name in CASES for label in field_case(name).get("wrong_answers_to_catch", {})],
)
def test_wrong_value_belongs_to_another_rule(name: str, label: str) -> None:
    case = field_case(name)
    wrong = Fraction(case["wrong_answers_to_catch"][label])
    rights = {label: Fraction(q) for label, q in case["right_value_fraction"].items()}
    assert WRONG[name][label]() == wrong
    means = {label: FIGURES[name][label]() for label in rights if "mean" in label}
    assert wrong not in means.values()


@pytest.mark.parametrize("text", ["d1!", "1d6r<7", "1d6!>=1", "d8r=4r<4r>4", "3d1!", "d1!!kh1", "{1,d6}!"])
def test_what_never_stops_is_an_error_at_once(text: str) -> None:
    with pytest.raises(NotationError, match="never stop"):
        d(text)


@pytest.mark.parametrize("text", ["d % 3", "2d%3", "d%%"])
def test_percent_is_no_modulo(text: str) -> None:
    with pytest.raises(NotationError):
        d(text)


@pytest.mark.parametrize("text", ["0d6kh1", "0d6kl1", "(2-5)d6", "-1d6"])
def test_a_pool_that_cannot_be_is_an_error_not_a_zero(text: str) -> None:
    with pytest.raises(NotationError):
        d(text)


def test_no_dice_are_a_total_of_nothing() -> None:
    assert d("0d6") == d("0") == d("0d6>=5")


def test_a_mixture_by_the_number_of_dice_is_the_same_as_a_computed_count() -> None:
    assert d("(d4)d6") == mixture([(n @ d(6), 1) for n in range(1, 5)])


def test_every_figure_is_asked_for() -> None:
    for name in CASES:
        case = field_case(name)
        assert set(case["right_value_fraction"]) <= set(FIGURES[name])
        assert set(case.get("distribution", {})) == set(DISTRIBUTIONS.get(name, {}))
        assert set(case.get("wrong_answers_to_catch", {})) == set(WRONG.get(name, {}))
