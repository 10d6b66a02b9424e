"""Values of stats as text, and the batch table that comes of them."""

from __future__ import annotations

import csv
import io
from fractions import Fraction
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from rulekit import Dist, NotAllowed, Outcome, P, Roll, StatError, Stats, d, roll, rule, sweep, where
from rulekit.games.adventures_edge import Fighter, Target, attack
from rulekit.studies.batches import ranges_of


class Archer(Stats):
    bonus: Annotated[int, Field(ge=-5, le=20)] = 5
    luck: Annotated[float, Field(ge=0, le=1)] = 0.5
    steady: bool = False
    bow: Literal["short bow", "long"] = "long"
    die: Dist = d(8)
    spread: Annotated[int, Field(ge=0, le=60, multiple_of=5)] = 10


class Shot(Outcome):
    hit: Roll[bool]
    damage: Roll[int]
    where_to: Roll[str]


@rule("YY-3")
def shoot(archer: Archer = Archer(), ac: Annotated[int, Field(ge=1, le=30)] = 15) -> Shot:
    if ac == 13:
        raise NotAllowed("YY-3", "nobody has that")
    natural = roll(d(20))
    hit = natural + archer.bonus >= ac
    return Shot(
        hit=hit, damage=where(hit, roll(archer.die), 0), where_to=where(natural >= 19, "head", "body")
    )


SETUP = shoot.setup()


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("ac=4..8", {"ac": [4, 5, 6, 7, 8]}),
        ("ac=15,17 archer.bonus=-2..0", {"ac": [15, 17], "archer.bonus": [-2, -1, 0]}),
        ("ac=9,4..6,5", {"ac": [4, 5, 6, 9]}),
        ("ac=28..", {"ac": [28, 29, 30]}),
        ("archer.bonus=..-4", {"archer.bonus": [-5, -4]}),
        ("archer.spread=..20", {"archer.spread": [0, 5, 10, 15, 20]}),
        ("ac=1..30..10", {"ac": [1, 11, 21]}),
        ("archer.luck=0.1,1/3", {"archer.luck": [Fraction(1, 10), Fraction(1, 3)]}),
        ("archer.luck=0..1..0.5", {"archer.luck": [0, Fraction(1, 2), 1]}),
        ("archer.steady=true,no", {"archer.steady": [True, False]}),
        ("archer.bow='short bow',long", {"archer.bow": ["short bow", "long"]}),
        ("archer.bow=..", {"archer.bow": ["short bow", "long"]}),
        ("archer.die=d6,2d4", {"archer.die": ["d6", "2d4"]}),
    ],
)
def test_how_values_are_written(text: str, values: dict[str, Any]) -> None:
    assert ranges_of(SETUP, text) == values


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("ac", "'ac': write path=values"),
        ("ac=", "write path=values"),
        ("ac=x", "ac: 'x' is neither a number nor a range"),
        ("ac=8..4", "ends before it begins"),
        ("ac=1..9..0", "a step is above 0"),
        ("ac=1/0", "ac: 1/0 divides by 0"),
        ("ac=0..99999999", "100,000,000 values, more than 10,000"),
        ("ac=1 ac=2", "ac is given twice"),
        ("ca=1", "ca: there is no such stat; there are archer.bonus"),
        ("archer.steady=maybe", "archer.steady: 'maybe' is not one of true, yes, on"),
        ("archer.bow=crossbow", "archer.bow: 'crossbow' is not one of short bow, long"),
        ("archer.bow='short", "a quotation mark is missing"),
        ("archer=Robin", "archer: there is no loadout 'Robin'"),
    ],
)
def test_what_cannot_be_read_says_why(text: str, message: str) -> None:
    with pytest.raises(StatError) as fault:
        ranges_of(SETUP, text)
    assert message in str(fault.value)


def test_loadouts_go_by_name() -> None:
    found = sweep(
        attack.setup(Fighter(), Target()), "attacker=Brawn target.defense=15,17", ["hit"], exact=True
    )
    brawn = attack.setup(Fighter(), Target()).at(
        {"attacker": ranges_of(attack.setup(Fighter(), Target()), "attacker=Brawn")["attacker"]["Brawn"]}
    )
    for defense in (15, 17):
        expected = P(brawn.at({"target.defense": defense})().hit)
        assert found.grids["hit"].at(**{"attacker": "Brawn", "target.defense": defense}) == expected


def test_a_batch_is_a_row_a_combination() -> None:
    found = sweep(
        SETUP, "archer.bonus=4..6 ac=13,15", ["hit", "damage.sd", "where_to", "damage >= 3"], exact=True
    )
    rows = list(found.records())
    assert len(rows) == 6
    assert [(row["archer.bonus"], row["ac"]) for row in rows[:3]] == [(4, 13), (4, 15), (5, 13)]
    assert rows[0]["not allowed"] == "YY-3: nobody has that"
    assert rows[3]["hit"] == P(SETUP().hit)
    assert rows[3]["damage >= 3"] == Fraction(11, 20) * Fraction(6, 8)
    assert rows[3]["where_to = head"] == Fraction(1, 10)
    assert list(found.to_dataframe().columns) == list(rows[0])
    read = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert float(read[3]["hit"]) == 0.55
    assert read[0]["not allowed"] == "YY-3: nobody has that"
    assert "hit from 50 % to 60 %" in found.sentence
    assert found.tables()[0].rows[3][:3] == ("5", "15", "55 %")


def test_a_csv_is_written(tmp_path: Any) -> None:
    text = sweep(SETUP, "ac=14,15", ["hit"]).to_csv(tmp_path / "batch.csv")
    assert (tmp_path / "batch.csv").read_text(encoding="utf-8") == text
    assert text.splitlines()[0] == "ac,hit"


@pytest.mark.parametrize(
    ("measure", "event"),
    [
        ("damage >= 3", lambda shot: shot.damage >= 3),
        ("damage<=2", lambda shot: shot.damage <= 2),
        ("damage == 1", lambda shot: shot.damage == 1),
        ("damage != 0", lambda shot: shot.damage != 0),
        ("damage > 7.5", lambda shot: shot.damage >= 8),
        ("damage < 1/2", lambda shot: shot.damage == 0),
        ("where_to == head", lambda shot: shot.where_to == "head"),
        ("where_to != head", lambda shot: shot.where_to == "body"),
    ],
)
def test_comparisons_as_measures(measure: str, event: Any) -> None:
    found = sweep(SETUP, {"ac": [15]}, [measure], exact=True)
    assert found.grids[measure].flat[0] == P(event(SETUP()))


@pytest.mark.parametrize(
    ("measure", "message"),
    [
        ("damage >= x", "'x' is not a number"),
        ("hit >= 1", "asked for by its name"),
        ("where_to >= head", "for == and !="),
        ("where_to == heart", "no such outcome; did you mean head?"),
        ("harm >= 1", "there is no measure 'harm >= 1'"),
    ],
)
def test_comparisons_that_make_no_sense(measure: str, message: str) -> None:
    with pytest.raises(StatError) as fault:
        sweep(SETUP, {"ac": [15]}, [measure])
    assert message in str(fault.value)


def test_two_functions_of_one_name_are_told_apart_or_refused() -> None:
    with pytest.raises(StatError, match="two measures are called '<lambda>'"):
        sweep(SETUP, {"ac": [15]}, [lambda shot: shot.hit, lambda shot: shot.damage])
