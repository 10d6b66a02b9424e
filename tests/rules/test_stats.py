"""Stats: every kind of field, what may stand in it, and what is said of what may not."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Mapping
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import Annotated, Any, Literal

import numpy
import pytest
from pydantic import Field

from rulekit import Dist, NotationError, Part, Readings, RulekitError, StatError, Stats, d, roll, stat
from rulekit.rules import Keys, Levels, Unit, plain_data


class Element(Enum):
    FIRE = "fire"
    COLD = "cold"


class Piece(Stats):
    dr: Annotated[int, Field(ge=0, le=9)] = 1


class Soak(Part):
    pass


class Flat(Soak):
    points: Annotated[int, Field(ge=0)] = 2


class Rolled(Soak):
    kind = "rolled"
    die: Dist = d(6)


class Everything(Stats):
    whole: Annotated[int, Field(ge=0, le=60, description="A whole number"), Unit("HP")] = 3
    decimal: Annotated[float, Field(ge=0, le=1)] = 0.5
    fraction: Fraction = Fraction(1, 3)
    money: Decimal = Decimal("1.50")
    switch: bool = False
    element: Element = Element.FIRE
    word: Literal["low", "high"] = "low"
    damage: Dist = 2 @ d(6) + 1
    resistance: Mapping[Element, Annotated[int, Field(ge=0, le=4)]] = {}
    skill: Annotated[Mapping[str, int], Keys("climb", "swim")] = {}
    worn: Piece = Piece()
    armour: tuple[Piece, ...] = (Piece(), Piece(dr=3))
    soak: Soak = Flat()


def refused(**fields: Any) -> str:
    with pytest.raises(StatError) as fault:
        Everything(**fields)
    return str(fault.value)


def test_an_error_is_of_the_family_and_a_value_error() -> None:
    with pytest.raises(RulekitError):
        Everything(whole=140)
    with pytest.raises(ValueError, match="140 is above 60"):
        Everything(whole=140)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"whole": 140}, "Everything.whole: 140 is above 60"),
        ({"whole": -1}, "Everything.whole: -1 is below 0"),
        ({"whole": 2.5}, "Everything.whole: 2.5 is not a whole number from 0 to 60"),
        ({"whole": True}, "Everything.whole: True is not a whole number from 0 to 60"),
        ({"whole": "7"}, "Everything.whole: '7' is not a whole number from 0 to 60"),
        ({"decimal": 2}, "Everything.decimal: 2 is above 1"),
        ({"decimal": "x"}, "Everything.decimal: 'x' is not a number from 0 to 1"),
        ({"fraction": "a third"}, "Everything.fraction: 'a third' is not a number"),
        ({"fraction": "1e999999999"}, "Everything.fraction: '1e999999999' is not a number"),
        ({"decimal": "1/0"}, "Everything.decimal: '1/0' is not a number from 0 to 1"),
        ({"decimal": float("nan")}, "Everything.decimal: nan is not a number from 0 to 1"),
        ({"switch": "maybe"}, "Everything.switch: 'maybe' is not true or false"),
        ({"element": "ice"}, "Everything.element: 'ice' is not one of fire, cold"),
        ({"word": "mid"}, "Everything.word: 'mid' is not one of low, high"),
        ({"resistance": {"ice": 1}}, "Everything.resistance: 'ice' is not one of fire, cold"),
        ({"resistance": {"fire": 9}}, "Everything.resistance.fire: 9 is above 4"),
        (
            {"resistance": 3},
            "Everything.resistance: 3 is not a mapping from a label to a whole number from 0 to 4",
        ),
        ({"skill": {"sing": 1}}, "Everything.skill: 'sing' is not one of climb, swim"),
        ({"worn": 3}, "Everything.worn: 3 is not a Piece"),
        ({"worn": {"dr": 10}}, "Everything.worn.dr: 10 is above 9"),
        ({"worn": {"rd": 1}}, "Everything.worn.rd: there is no such stat; there are dr"),
        ({"armour": 4}, "Everything.armour: 4 is not a list of Piece"),
        ({"armour": [{"dr": 1}, {"dr": 12}]}, "Everything.armour.1.dr: 12 is above 9"),
        ({"soak": "flot"}, "Everything.soak: 'flot' is not one of Flat, rolled"),
        (
            {"soak": {"kind": "Flat", "pints": 1}},
            "Everything.soak.pints: there is no such stat; did you mean points?",
        ),
        ({"soak": {"kind": "Flat", "points": -1}}, "Everything.soak.points: -1 is below 0"),
        ({"wole": 4}, "Everything.wole: there is no such stat; did you mean whole?"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_refused_says_what_is_allowed(fields: dict[str, Any], message: str) -> None:
    assert refused(**fields) == message


def test_every_fault_is_told() -> None:
    assert (
        refused(whole=99, decimal=7) == "Everything.whole: 99 is above 60\nEverything.decimal: 7 is above 1"
    )


def test_dice_that_are_no_notation_say_so() -> None:
    assert refused(damage="2x6").startswith("Everything.damage: ")
    with pytest.raises(NotationError):
        d("2x6")


def test_frozen() -> None:
    piece = Piece()
    with pytest.raises(ValueError, match="frozen"):
        piece.dr = 3


# -- Rolls and axes in the place of numbers ---------------------------------------------------------------


def test_an_axis_stands_for_a_number_where_all_its_values_are_allowed() -> None:
    axis = stat("whole", range(61))
    assert Everything(whole=axis).whole is axis
    assert refused(whole=stat("whole", [50, 70])) == "Everything.whole: 70 is above 60"
    assert refused(whole=stat("whole", [Fraction(1, 2)])).startswith(
        "Everything.whole: 1/2 is not a whole number"
    )
    assert Everything(decimal=stat("p", [0, Fraction(1, 3), 1])).decimal.values[1] == Fraction(1, 3)
    assert refused(decimal=stat("p", [0, 2])) == "Everything.decimal: 2 is above 1"


def test_a_roll_stands_for_a_number_and_an_event_for_a_switch() -> None:
    natural = roll(d(20), "natural")
    assert Everything(whole=natural + 1).whole.kind == "number"
    assert Everything(switch=natural == 20).switch.kind == "event"
    assert (
        refused(whole=natural == 20)
        == "Everything.whole: natural == 20 is an event, not a whole number from 0 to 60"
    )
    assert refused(switch=natural) == "Everything.switch: natural is a number, not true or false"
    assert refused(element=natural) == "Everything.element: natural is not one of fire, cold"


def test_an_axis_stands_for_a_level_of_a_mapping() -> None:
    axis = stat("fire", [0, 2, 4])
    model = Everything(resistance={"fire": axis})
    assert model.resistance[Element.FIRE] is axis
    assert model.resistance[Element.COLD] == 0
    assert refused(resistance={"fire": stat("fire", [3, 5])}) == "Everything.resistance.fire: 5 is above 4"


@pytest.mark.parametrize(
    "ask", [lambda model: model == model, hash, plain_data, lambda model: model.model_dump_json()],
    ids=["==", "hash", "data", "json"],
)  # fmt: skip
def test_a_model_that_holds_an_axis_has_no_equality_hash_or_json(ask: Any) -> None:
    model = Everything(armour=(Piece(dr=stat("dr", range(3))),))
    with pytest.raises(ValueError, match=r"armour\.0\.dr holds the axis dr"):
        ask(model)


# -- values -----------------------------------------------------------------------------------------------


def test_equal_models_are_equal_and_hash_alike() -> None:
    one, other = Everything(resistance={"fire": 2, "cold": 0}), Everything(resistance={Element.FIRE: 2})
    assert one == other
    assert hash(one) == hash(other)
    assert one != Everything()
    assert Piece() != Flat()


def test_plain_data_comes_back() -> None:
    model = Everything(
        damage="4d6kh3", resistance={"cold": 1}, soak={"kind": "rolled", "die": "d8"}, armour=[{"dr": 0}]
    )
    data = plain_data(model)
    assert data["resistance"] == {"cold": 1}
    assert data["soak"]["kind"] == "rolled"
    assert data["fraction"] == "1/3"
    assert Everything(**data) == model
    assert model.model_dump() == data
    assert Everything.model_validate_json(model.model_dump_json()) == model


def test_models_pickle_and_copy() -> None:
    model = Everything(resistance={"cold": 1}, whole=stat("whole", range(4)))
    assert copy.deepcopy(model).whole is model.whole
    assert pickle.loads(pickle.dumps(model)).resistance == model.resistance


def test_a_third_stays_a_third_and_a_decimal_is_one_however_it_is_given() -> None:
    third = Everything(decimal=Fraction(1, 3))
    assert third.decimal == Fraction(1, 3)
    assert Everything(**plain_data(third)) == third
    for tenth in (0.1, Fraction(1, 10), "0.1", "1/10"):
        assert plain_data(Everything(decimal=tenth))["decimal"] == 0.1


def test_levels_are_zero_where_nothing_is_said() -> None:
    levels = Levels({Element.FIRE: 2})
    assert (levels[Element.FIRE], levels[Element.COLD], len(levels), list(levels)) == (
        2,
        0,
        1,
        [Element.FIRE],
    )
    assert Element.COLD not in levels


def test_a_part_defined_later_counts_and_the_last_of_a_kind_wins() -> None:
    class Base(Part):
        pass

    class First(Base):
        kind = "same"
        points: int = 1

    class Holder(Stats):
        part: Base = First()

    def again() -> type[Base]:
        class Second(Base):
            kind = "same"
            points: int = 2

        return Second

    second = again()
    assert Base.kinds() == {"same": second}
    assert isinstance(Holder(part="same").part, second)


def test_readings_have_the_first_member_as_default() -> None:
    with pytest.raises(
        StatError, match=r"Odd\.element: a reading is an Enum whose first member is the default"
    ):

        class Odd(Readings):
            element: Element = Element.COLD


def test_a_field_of_no_kind_is_refused_where_it_is_written() -> None:
    with pytest.raises(StatError, match=r"Odd\.name: a stat is a whole number"):

        class Odd(Stats):
            name: str = ""


def test_numpy_numbers_are_numbers() -> None:
    assert type(Everything(whole=numpy.int64(7)).whole) is int


def test_an_instance_of_an_earlier_definition_is_told_from_a_wrong_one() -> None:
    def define() -> type[Stats]:
        class Piece(Stats):
            dr: int = 1

        return Piece

    assert refused(worn=define()()) == (
        "Everything.worn: Piece(dr=1) is of an earlier definition of Piece; make it anew"
    )


def test_as_many_as_the_field_allows() -> None:
    class Hand(Stats):
        pieces: Annotated[tuple[Piece, ...], Field(max_length=2)] = ()

    with pytest.raises(StatError, match=r"Hand\.pieces: there are more than 2"):
        Hand(pieces=[Piece()] * 3)


def test_dice_are_written_as_notation_or_by_their_weights() -> None:
    odd = Everything(damage=Dist({1: 3, 4: 5, 9: 1}))
    data = plain_data(odd)["damage"]
    assert data == "d{1:3,4:5,9}"
    assert Everything(damage=data) == odd
    named = Everything(damage=Dist({"axe": 1, "bow": 2}))
    assert plain_data(named)["damage"] == {"outcomes": ["axe", "bow"], "weights": [1, 2]}
    assert Everything(**plain_data(named)) == named
    coin = Dist({0: 1, 1: 1})
    for die in (coin, coin >= 1, coin):  # equal as distributions, and not of one kind
        assert Everything(damage=plain_data(die)).damage.kind == die.kind
