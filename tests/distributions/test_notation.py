"""What the notation means, by brute force and by hand, and how its errors point."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest

from rulekit.distributions import Dist, Pool, d
from rulekit.distributions.notation import evaluate, parse
from rulekit.errors import NotationError

Throw = tuple[int, ...]


def brute(n: int, sides: int, rule: Callable[[Throw], int]) -> Dist:
    """Every throw of n dice, the rule applied to the sorted faces, the lowest first."""
    return Dist(Counter(rule(tuple(sorted(throw))) for throw in product(range(1, sides + 1), repeat=n)))


@pytest.mark.parametrize(
    ("text", "n", "sides", "rule"),
    [
        ("4d6kh3", 4, 6, lambda t: sum(t[1:])),
        ("4d6k3", 4, 6, lambda t: sum(t[1:])),
        ("4d6dl1", 4, 6, lambda t: sum(t[1:])),
        ("4d6kl3", 4, 6, lambda t: sum(t[:3])),
        ("4d6dh1dl1", 4, 6, lambda t: sum(t[1:3])),
        ("5d4km3", 5, 4, lambda t: sum(t[1:4])),
        ("4d6kh3kl1", 4, 6, lambda t: t[1]),
        ("4d6kl3kh1", 4, 6, lambda t: t[2]),
        ("4d6kh2dl2", 4, 6, lambda t: sum(t[2:])),
        ("4d6kh3dh1", 4, 6, lambda t: sum(t[1:3])),
        ("4d6dl1dl2", 4, 6, lambda t: sum(t[2:])),
        ("4d6mi3kh2", 4, 6, lambda t: sum(max(x, 3) for x in t[2:])),
        ("4d6kh2ma4", 4, 6, lambda t: sum(min(x, 4) for x in t[2:])),
        ("4d6>=5", 4, 6, lambda t: sum(x >= 5 for x in t)),
        ("4d6<>2", 4, 6, lambda t: sum(x != 2 for x in t)),
        ("4d6=2", 4, 6, lambda t: sum(x == 2 for x in t)),
        ("4d6>=5f1", 4, 6, lambda t: sum((x >= 5) - (x == 1) for x in t)),
        ("4d6kh2<=3", 4, 6, lambda t: sum(x <= 3 for x in t[2:])),
        ("4d6kl2count>=3f<2", 4, 6, lambda t: sum((x >= 3) - (x < 2) for x in t[:2])),
        ("4dF", 4, 3, lambda t: sum(x - 2 for x in t)),
        ("(4d6>=5)+2", 4, 6, lambda t: sum(x >= 5 for x in t) + 2),
        ("3*abs(4d6-14)", 4, 6, lambda t: 3 * abs(sum(t) - 14)),
        ("7//2d4", 2, 4, lambda t: 7 // sum(t)),
    ],
)
def test_against_every_throw(text: str, n: int, sides: int, rule: Callable[[Throw], int]) -> None:
    assert d(text) == brute(n, sides, rule)


def kept_then(n: int, k: int, again: Callable[[int], Dist]) -> Dist:
    """n d6, the k highest kept, each of which then becomes ``again(face)``: over every throw."""
    parts: Counter[int] = Counter()
    scale = 6**6
    for throw in product(range(1, 7), repeat=n):
        total = Dist({0: 1})
        for face in sorted(throw)[n - k :]:
            total = total + again(face)
        for x, w in total.items():
            parts[x] += w * scale // total.denominator
    return Dist(parts)


def test_what_happens_behind_a_selection_happens_to_the_dice_kept() -> None:
    one = Dist({1: 1})
    assert d("3d6kh2ro1") == kept_then(3, 2, lambda face: d(6) if face == 1 else one * face)
    assert d("3d6kh2!{1}") == kept_then(3, 2, lambda face: d(6) + 6 if face == 6 else one * face)
    assert d("3d6kh2!!{2}>=5") == kept_then(
        3, 2, lambda face: d(6).explode({5, 6}, times=1) + face if face >= 5 else one * face
    )
    assert d("3d6kh2r<=2") == kept_then(3, 2, lambda face: d([3, 4, 5, 6]) if face <= 2 else one * face)
    assert d("3d6kh2!{1}ma9") == kept_then(
        3, 2, lambda face: (d(6) + 6).clip(high=9) if face == 6 else one * face
    )


def test_the_order_of_modifiers_matters() -> None:
    assert d("4d6!{1}kh1") != d("4d6kh1!{1}")
    assert d("2d6ro1mi2") != d("2d6mi2ro1")
    assert d("2d6!!{1}ma6").mean == 2 * (d(6).explode(times=1).clip(high=6)).mean


def test_extra_dice_join_the_pool_and_compound_ones_do_not() -> None:
    assert d("3d6!kh2") == Pool([6] * 3).explode("extra_die").highest(2)
    assert d("3d6!!kh2") == Pool([6] * 3).explode("compound").highest(2)
    assert d("3d6!dl1kh2") == Pool([6] * 3).explode("extra_die").drop(lowest=1).keep(highest=2).total()
    assert d("6d6!count>=5").mean == Fraction(12, 5)


def test_unlike_pools() -> None:
    throws = Counter(max(a, b, c) for a, b, c in product(range(1, 5), range(2, 9), range(1, 9)))
    assert d("{d4,d{2,3,4,5,6,7,8},d8}kh1") == Dist(throws)
    assert d("{2d6,d8}kl1") == Dist(
        Counter(min(a + b, c) for a, b, c in product(*[range(1, 7)] * 2, range(1, 9)))
    )
    assert d("{d6,3}") == d("d6+3")


def test_rolled_numbers_of_dice_and_sides() -> None:
    assert d("(d2)d4") == Dist({1: 4, 2: 5, 3: 6, 4: 7, 5: 4, 6: 3, 7: 2, 8: 1})
    assert d("d(2d2)") == Dist(
        Counter(x for s in (2, 3, 3, 4) for x in range(1, s + 1) for _ in range(12 // s))
    )


def test_comparisons() -> None:
    assert d("(d6)=(d6)") == Dist({True: 1, False: 5})
    assert d("(d6)<>(d6)").probability(True) == Fraction(5, 6)
    assert d("d20+5>=d20").probability(True) == Fraction(295, 400)
    assert d("d20>=15").kind == d("(2d20)>=15").kind == d("3>2").kind == "event"
    assert d("2d20>=15").kind == "number"


@pytest.mark.parametrize(
    ("text", "same"),
    [
        (" 4 D 6\tKH 3 ", "4d6kh3"),
        ("d20×2", "d20*2"),
        ("d20 ÷ 2", "d20/2"),
        ("d20≥11", "d20>=11"),
        ("（１＋２）ｄ６", "(1+2)d6"),
        ("2d6min2max5", "2d6mi2ma5"),
        ("--3", "3"),
        ("2d6ro<=2", "2d6r{1}<=2"),
        ("((2d6))", "2d6"),
        ("d6==3", "d6=3"),
        ("2.50", "2.5"),
    ],
)
def test_what_is_understood_alike(text: str, same: str) -> None:
    assert parse(text) == parse(same)
    assert str(parse(text)) == str(parse(same))


@pytest.mark.parametrize(
    ("text", "position", "says"),
    [
        ("4d6kx3", 4, "not understood at character 5, 'x'"),
        ("1d6+", 4, "ends too early"),
        ("", 0, "empty text"),
        ("(1d6", 4, 'expected: "\\)"'),
        ("1d6 @ 2", 4, "'@'"),
        ("d6²", 2, "SUPERSCRIPT TWO"),
        ("d6 ☃", 3, "SNOWMAN"),
        ("4d6d1", 3, "write dl1"),
        ("3d6!p", 4, "penetrating"),
        ("2d20adv", 4, "2d20kh1"),
        ("d6cs>=5", 2, "write count>=5"),
        ("6d6>=5+2", 5, "parentheses"),
        ("d20+5>=15f1", 9, "f stands behind a count"),
        ("1<2<3", 3, "one comparison"),
        ("-1d6", 0, "not negative"),
        ("2+-1d6", 2, "not negative"),
        ("max(2d6)", 0, "2d6kh1"),
        ("floor(1,2)", 7, "one argument"),
        ("d6!!6!5", 5, "explodes once"),
        ("2d6ro{2}1", 3, "r{1}"),
        ("d6!{1001}", 4, "1,000"),
        ("d6!{0}", 4, "from 1 up"),
        ("d{1/0}", 4, "divided by 0"),
        ("d{1:0}", 4, "weight of a face"),
        ("d0", 1, "1 to 10,000"),
        ("d1.5", 1, "1 to 10,000"),
        ("(1-2)d6", 1, "0 to 10,000"),
        ("4d6kh5", 3, "5 of 4 dice"),
        ("4d6dl5", 3, "5 of 4 dice"),
        ("4d6dl4", 3, "no dice are left"),
        ("4d6km1", 3, "no middle"),
        ("4d6kh(d4)", 6, "not dice"),
        ("4d6kh1.5", 5, "not 3/2"),
        ("4d6>=(d6)", 6, "not dice"),
        ("d6/(3-3)", 4, "has no value"),
        ("1/0", 2, "has no value"),
        ("d1!", 2, "never stop"),
        ("4d6kh3!kh1", 7, "before"),
        ("4d6kh3!r1", 7, "once"),
        ("3d6!kh2dl1", 7, "comes first"),
        ("{d6,d8}kh1!", 10, "unlike dice"),
        ("4d6kh3!count>=5", 7, "not counted"),
        ("(d6!)d6", 1, "cut off|open-ended"),
        ("(d200)d6", 1, "100 values"),
        ("{" + ",".join(["d6"] * 51) + "}", 0, "at most 50"),
        ("5000d9999", 0, "too large"),
    ],
)
def test_an_error_points_at_the_place(text: str, position: int, says: str) -> None:
    with pytest.raises(NotationError, match=says) as raised:
        evaluate(text)
    assert raised.value.position == position
    assert raised.value.text == text
    if text.strip():
        assert str(raised.value).splitlines()[2].index("^") == min(position, 50) + 2


def test_the_caret_stands_below_wide_characters_too() -> None:
    with pytest.raises(NotationError) as raised:
        parse("４ｄ６kx")
    assert str(raised.value).splitlines()[2] == " " * 9 + "^"


def test_what_is_expected_is_listed() -> None:
    with pytest.raises(NotationError) as raised:
        parse("2d")
    assert raised.value.expected == ("a number", '"("', '"{"', '"%"', '"f"')


def test_only_a_text_is_read() -> None:
    with pytest.raises(NotationError, match="is a text"):
        parse(6)  # type: ignore[arg-type]
