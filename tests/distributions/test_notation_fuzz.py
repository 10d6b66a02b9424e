"""Whatever text comes: a Dist or a NotationError, within a bound of time and memory."""

from __future__ import annotations

import resource
import time
from fractions import Fraction
from itertools import accumulate
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from rulekit.distributions import Dist, d
from rulekit.distributions import notation_tree as tree
from rulekit.distributions.notation import MAX_DEPTH, MAX_LENGTH, Expression, evaluate, parse
from rulekit.errors import NotationError

SECONDS = 20
MEGABYTES = 1500

PIECES = st.sampled_from(
    [
        *"0123456789",
        *"dDkhl!rofF%+-*/(){},<>=.: ",
        *[
            "10",
            "20",
            "100",
            "1000",
            "999999999",
            "d6",
            "d20",
            "2d6",
            "d%",
            "dF",
            "kh",
            "kl",
            "dh",
            "dl",
            "km",
        ],
        *[
            "!!",
            "!>=5",
            "r<2",
            "ro1",
            "mi",
            "ma",
            "max(",
            "min(",
            "floor(",
            "ceil(",
            "abs(",
            "count>=4",
            ">=",
            "//",
        ],
        *"−–×÷≥≤≠１ｄ６\u00a0\u200b²½x#\n",
    ]
)


def bounded(text: str) -> Dist | NotationError:
    started = time.process_time()
    try:
        return d(text)
    except NotationError as error:
        return error
    finally:
        assert time.process_time() - started < SECONDS, text
        # In kilobytes, of the whole process so far.
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < MEGABYTES * 1000, text


def check(text: str) -> None:
    result = bounded(text)
    if isinstance(result, NotationError):
        assert result.text == text[:MAX_LENGTH]
        assert result.position is None or 0 <= result.position <= len(text)
    else:
        assert sum(result.weights) + result.leftover * result.denominator == result.denominator


@given(st.text(max_size=60))
@example("\ud800")
@example("٣d٦")
def test_any_text(text: str) -> None:
    check(text)


@given(st.lists(PIECES, max_size=14).map("".join))
@settings(max_examples=150)
def test_pieces_of_notation(text: str) -> None:
    check(text)


NUMBERS = st.sampled_from(["", "1", "2", "3", "7", "40", "300", "5000", "1000000", "(d6)", "(2-5)"])
MODIFIERS = st.sampled_from(
    [
        "kh2",
        "kl",
        "km1",
        "dl1",
        "dh3",
        "!",
        "!!",
        "!{2}",
        "!>1",
        "r1",
        "ro<3",
        "r{9}>2",
        "mi3",
        "ma9",
        "count>=3f1",
    ]
)
ROLLS = st.builds(
    lambda n, sides, modifiers: f"{n}d{sides or 6}{''.join(modifiers)}",
    NUMBERS,
    NUMBERS,
    st.lists(MODIFIERS, max_size=4),
)


@given(
    st.recursive(
        ROLLS | st.sampled_from(["5", "0", "1.5"]),
        lambda inner: (
            st.builds("({}{}{})".format, inner, st.sampled_from(["+", "-", "*", "/", "//", ">=", "="]), inner)
            | st.builds("max({},{})".format, inner, inner)
            | st.builds("{{{},{}}}kh1".format, inner, inner)
        ),
        max_leaves=6,
    )
)
@settings(max_examples=150)
def test_well_formed_and_absurd(text: str) -> None:
    check(text)


@pytest.mark.parametrize(
    "text",
    [
        "1000000000d1000000000",
        "9" * 1900 + "d6",
        "d" + "9" * 1900,
        "1000000d1000000",
        "5000d1000",
        "100000d100000kh50000",
        "500d500!kh250",
        "d1000000*d1000000",
        "d1000000!>1",
        "1000d1000r{1000}<999",
        "(d1000)d1000",
        "(1000d6)d6",
        "d(d1000000)",
        "+".join(["d1000000"] * 200),
        "*".join(["d1000000"] * 200),
        "*".join(["d6"] * 500),
        "max(" + ",".join(["d1000000"] * 200) + ")",
        "{" + ",".join(f"d{n}" for n in range(1, 400)) + "}kh200",
        "{" + ",".join(f"d{n}!" for n in range(2, 300)) + "}kh100",
        "50d10!kh20+" * 100 + "1",
        "40d20kh20+" * 100 + "1",
        "100d6!!count>=5+" * 100 + "1",
        "-" * 1999 + "1",
        "(" * 1000 + "1" + ")" * 1000,
        "{" * 1000,
        "d6" + "+1" * 999,
        "d6" + "/7" * 999,
        "9" * 400 + "*" + "9" * 400 + "*d6/" + "7" * 400,
        "d6" + "r1" * 900,
        "d6" + "kh1" * 600,
        "d{" + ",".join(map(str, range(200))) + "}*d{" + ",".join(map(str, range(0, 4000, 23))) + "}",
        "d{1:" + "9" * 1000 + ",2:1}!",
        "20d{1:" + "9" * 1000 + ",2:1}kh3",
        "x" * 10_000_000,
    ],
    ids=lambda text: text[:30],
)
def test_absurd_asks_end_at_once(text: str) -> None:
    check(text)


# -- print and read ------------------------------------------------------------------------------------

whole = st.integers(0, 10**6).map(tree.Number)
numbers = whole | st.builds(
    lambda n, digits: tree.Number(x if (x := Fraction(n, 10**digits)).denominator > 1 else int(x)),
    st.integers(0, 10**6),
    st.integers(1, 4),
)
relations = st.sampled_from(["<", "<=", ">", ">=", "=", "<>"])
faces = st.lists(
    st.tuples(
        st.integers(-20, 20)
        | st.fractions(-9, 9, max_denominator=9).map(lambda x: x if x.denominator > 1 else int(x)),
        st.integers(1, 9),
    ),
    min_size=1,
    max_size=4,
).map(lambda items: tree.Faces(tuple(items)))


def extend(inner: st.SearchStrategy[tree.Node]) -> st.SearchStrategy[tree.Node]:
    conditions = st.builds(tree.Condition, relations, inner)
    limits = st.none() | st.integers(1, 1000)
    selects = st.builds(tree.Select, st.sampled_from(["kh", "kl", "km", "dh", "dl"]), inner)
    bounds = st.builds(tree.Bound, st.sampled_from(["mi", "ma"]), inner)
    rerolls = st.builds(tree.Reroll, limits, st.lists(conditions, min_size=1, max_size=2).map(tuple))
    explodes = st.builds(tree.Explode, st.booleans(), limits, st.none() | conditions)
    counts = st.builds(tree.Count, conditions, st.none() | conditions)
    sources = st.builds(tree.Dice, st.just(tree.ONE) | inner, inner | faces) | st.builds(
        tree.Braces, st.lists(inner, min_size=1, max_size=3).map(tuple)
    )

    @st.composite
    def rolls(draw: Any) -> tree.Roll:
        modifiers: list[tree.Modifier] = draw(st.lists(selects | bounds, max_size=2))
        for extra in (draw(st.lists(rerolls, max_size=1)), draw(st.lists(explodes, max_size=1))):
            place = draw(st.integers(0, len(modifiers)))
            modifiers[place:place] = extra
        return tree.Roll(draw(sources), (*modifiers, *draw(st.lists(counts, max_size=1))))

    @st.composite
    def chains(draw: Any, kind: Any, signs: list[str]) -> tree.Node:
        parts = draw(st.lists(inner, min_size=2, max_size=4))
        later = [(draw(st.sampled_from(signs)), part) for part in parts[1:]]
        node: tree.Node = kind(((signs[0], parts[0]), *later))
        return node

    return st.one_of(
        rolls(),
        chains(tree.Sum, ["+", "-"]),
        chains(tree.Product, ["*", "/", "//"]),
        st.builds(tree.Negative, inner),
        st.builds(tree.Comparison, inner, relations, inner),
        st.builds(tree.Call, st.sampled_from(["floor", "ceil", "abs"]), st.tuples(inner)),
        st.builds(tree.Call, st.sampled_from(["max", "min"]), st.tuples(inner, inner)),
    )


def deepest(text: str) -> int:
    return max(accumulate(((ch in "({") - (ch in ")}") for ch in text), initial=0))


@given(st.recursive(numbers, extend, max_leaves=12))
@settings(max_examples=200)
def test_what_is_printed_reads_back_as_the_same_tree(root: tree.Node) -> None:
    text = str(root)
    assume(len(text) <= MAX_LENGTH and deepest(text) <= MAX_DEPTH)
    read = parse(text)
    assert read == Expression(root)
    assert str(read) == text


@given(ROLLS)
def test_the_printed_form_means_the_same(text: str) -> None:
    try:
        meant = evaluate(text)
    except NotationError:
        return
    assert evaluate(str(parse(text))) == meant
