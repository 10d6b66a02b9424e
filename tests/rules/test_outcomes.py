"""Outcomes: fields as Rolls, measures by path, sentences, and worked examples by `given`."""

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from typing import Annotated

import pytest

from rulekit import (
    E,
    ImpossibleCondition,
    Measure,
    Outcome,
    P,
    Roll,
    RulekitError,
    d,
    dice,
    dist,
    roll,
    stat,
    where,
)
from rulekit.rules import Reference, measures_of, rule, sentence_parts


class Element(Enum):
    FIRE = "fire"
    COLD = "cold"


class Blow(Outcome):
    sentence = "Hits {hit} on {hit:roll}, for {damage}."

    hit: Roll[bool]
    damage: Annotated[Roll[int], Measure(unit="HP", help="Damage done")]


class Round(Outcome):
    first: Blow
    others: tuple[Blow, ...]
    element: Roll[Element]


def blow(natural: Roll[int]) -> Blow:
    hit = natural >= 11
    return Blow(hit=hit, damage=where(hit, natural - 10, 0))


def test_a_plain_value_is_a_roll_that_always_shows_it() -> None:
    made = Blow(hit=True, damage=3)
    assert P(made.hit) == 1
    assert dist(made.damage) == d([3])


def test_an_event_counts_as_a_number_where_a_number_is_declared() -> None:
    natural = roll(d(20))
    assert E(Blow(hit=natural == 20, damage=natural == 20).damage) == Fraction(1, 20)


@pytest.mark.parametrize(
    ("hit", "damage", "message"),
    [
        (3, 3, "Blow.hit is declared as an event and was given a number: 3"),
        (True, "much", "Blow.damage is declared as a number and was given a label: 'much'"),
    ],
)
def test_another_kind_than_declared_is_refused(hit: object, damage: object, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        Blow(hit=hit, damage=damage)


def test_an_outcome_is_frozen_and_has_no_equality_of_its_own() -> None:
    made = Blow(hit=True, damage=3)
    with pytest.raises(AttributeError):
        made.hit = made.damage
    assert Blow.__eq__ is object.__eq__


def test_a_field_that_is_no_roll_is_refused_where_it_is_written() -> None:
    with pytest.raises(TypeError, match=r"Odd\.name: a field of an outcome is a Roll"):

        class Odd(Outcome):
            name: str


def test_measures_of_nested_outcomes_go_by_path() -> None:
    made = Round(first=blow(roll(d(20))), others=(blow(roll(d(20))), blow(roll(d(20)))), element=Element.FIRE)
    assert list(measures_of(made)) == [
        "first.hit", "first.damage", "others.0.hit", "others.0.damage", "others.1.hit", "others.1.damage",
        "element",
    ]  # fmt: skip
    assert list(measures_of(roll(d(20)))) == ["result"]


def test_where_picks_between_outcomes_field_by_field() -> None:
    natural = roll(d(20))
    picked = where(natural == 20, Blow(hit=True, damage=9), blow(natural))
    assert E(picked.damage) == Fraction(sum(range(1, 10)) + 9, 20)


# -- given ------------------------------------------------------------------------------------------------


def test_given_fixes_a_named_roll_for_all_fields() -> None:
    fixed = blow(roll(d(20), "natural")).given(natural=15)
    assert (P(fixed.hit), E(fixed.damage)) == (1, 5)
    assert isinstance(fixed, Blow)


def test_given_leaves_the_other_rolls_and_keeps_the_fields_together() -> None:
    natural, die = roll(d(20), "natural"), roll(d(6), "die")
    made = Blow(hit=natural + die >= 20, damage=where(natural + die >= 20, die, 0)).given(natural=15)
    assert P(made.hit) == Fraction(2, 6)
    assert dist(made.damage).items() == ((0, 4), (5, 1), (6, 1))
    assert P(made.hit & (made.damage == 0)) == 0


def test_given_fixes_a_measure_and_a_view_of_a_throw() -> None:
    class Pool(Outcome):
        best: Roll[int]
        ones: Roll[int]

    @rule()
    def pool() -> Pool:
        throw = dice(2, 20)
        return Pool(best=throw.highest(), ones=throw.count(1))

    # Of the 39 throws of two d20 whose best is 20, two show a 1 beside it.
    assert P(pool().given(best=20).ones == 1) == Fraction(2, 39)
    assert P(pool().given(best=1, ones=2).ones == 2) == 1


def test_given_names_what_it_cannot_find_and_what_cannot_be() -> None:
    made = blow(roll(d(20), "natural"))
    with pytest.raises(
        RulekitError, match=r"given\(natual=15\): no roll has that name; did you mean natural\?"
    ):
        made.given(natual=15)
    with pytest.raises(ImpossibleCondition):
        made.given(natural=21)
    swept = Blow(hit=roll(d(20), "natural") >= stat("ac", range(3)), damage=0)
    with pytest.raises(RulekitError, match="plain values first"):
        swept.given(natural=3)


# -- sentences --------------------------------------------------------------------------------------------


def test_a_sentence_comes_apart_into_text_and_measures() -> None:
    made = Blow(hit=True, damage=3)
    assert sentence_parts(made) == (
        "Hits ", Reference("hit"), " on ", Reference("hit", "roll"), ", for ", Reference("damage"), ".",
    )  # fmt: skip
    assert sentence_parts(roll(d(6))) == ()


def test_a_sentence_about_nothing_is_an_error() -> None:
    class Odd(Outcome):
        sentence = "Hits {hut}"
        hit: Roll[bool]

    with pytest.raises(RulekitError, match=r"the sentence of Odd: no measure 'hut'; did you mean hit\?"):
        sentence_parts(Odd(hit=True))


def test_where_keeps_the_notes_of_both_and_refuses_unlike_outcomes() -> None:
    natural = roll(d(20))
    one = Blow(hit=True, damage=9, notes=("sample data",))
    other = Blow(hit=True, damage=9, notes=("sample data", "house rule"))
    assert where(natural == 20, one, other).notes == ("sample data", "house rule")
    assert where(True, one, other).notes == ("sample data",)
    three = Round(first=one, others=(one,), element=Element.FIRE)
    with pytest.raises(RulekitError, match=r"others\.0\.damage, others\.0\.hit"):
        where(natural == 20, three, Round(first=one, others=(), element=Element.FIRE))
    with pytest.raises(RulekitError, match="outcomes of one class"):
        where(natural == 20, one, three)


class Early(Outcome):
    later: Later
    many: tuple[Later, ...]


class Later(Outcome):
    hit: Roll[bool]


def test_a_name_that_comes_later_is_looked_up_when_it_is_needed() -> None:
    late = Later(hit=True)
    assert list(measures_of(Early(later=late, many=(late,)))) == ["later.hit", "many.0.hit"]
    with pytest.raises(TypeError, match=r"Early\.many is a tuple"):
        Early(later=late, many=late)
    with pytest.raises(TypeError, match=r"Early\.later is a Later"):
        Early(later=True, many=())


def test_a_field_may_leave_its_kind_open() -> None:
    class Open(Outcome):
        anything: Roll

    assert [P(Open(anything=True).anything), E(Open(anything=3).anything)] == [1, 3]


def test_a_class_may_have_a_name_that_typing_has_too() -> None:
    class Text(Enum):
        A = "a"

    class Told(Outcome):
        text: Roll[Text]

    assert Told(text=Text.A).text.kind == "label"
