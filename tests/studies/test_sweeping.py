"""One Setup over ranges of its stats, against the loop over the plain rule."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from typing import Annotated, Any

import pytest
from pydantic import Field

from rulekit import (
    Dist,
    E,
    Measure,
    NotAllowed,
    Outcome,
    P,
    Part,
    Readings,
    Roll,
    Setup,
    StatError,
    Stats,
    TooLarge,
    chance,
    d,
    dist,
    roll,
    rule,
    sd,
    stat,
    sweep,
    where,
)
from rulekit.games.adventures_edge import Fighter, Target, attack, killing_blow
from rulekit.games.bumps import attack as bumps_attack
from rulekit.games.bumps import contest
from rulekit.games.elements import attack as elements_attack
from rulekit.games.elements import grapple as elements_grapple
from rulekit.rolls import constant
from rulekit.rules.fields import label_of
from rulekit.studies import sweeping
from rulekit.studies.sweeping import lines


class Element(Enum):
    FIRE = "fire"
    COLD = "cold"


class Soak(Part):
    pass


class Flat(Soak):
    points: int = 2


class Rolled(Soak):
    die: Dist = d(4)


class Reading(Enum):
    FIRST = "first"
    SECOND = "second"


class MyReadings(Readings):
    floor: Reading = Reading.FIRST


class Foe(Stats):
    ac: Annotated[int, Field(ge=1, le=30)] = 15
    soak: Soak = Flat()
    resistance: Mapping[Element, Annotated[int, Field(ge=0, le=4)]] = {}
    luck: Annotated[float, Field(ge=0, le=1)] = 0.25


class Hurt(Outcome):
    hit: Annotated[Roll[bool], Measure(help="It lands")]
    damage: Annotated[Roll[int], Measure(unit="HP")]
    element: Roll[Element]


@rule("YY-1", "YY-2")
def burn(
    foe: Foe,
    bonus: Annotated[int, Field(ge=0, le=20)] = 5,
    aimed: bool = False,
    readings: MyReadings = MyReadings(),
) -> Hurt:
    natural = roll(d(20), "natural")
    hit = (natural + bonus + where(aimed, 2, 0) >= foe.ac) & ~chance(foe.luck)
    soak = foe.soak.points if isinstance(foe.soak, Flat) else roll(foe.soak.die)
    element = where(natural % 2 == 0, Element.FIRE, Element.COLD)
    less = where(element == Element.FIRE, foe.resistance[Element.FIRE], foe.resistance[Element.COLD])
    done = natural - soak - less
    return Hurt(hit=hit, damage=where(hit, where(done > 0, done, 0), 0), element=element)


SETUP = burn.setup()


@pytest.mark.parametrize(
    "over",
    [
        {"bonus": [0, 3, 7]},
        {"foe.ac": range(8, 12), "bonus": [2, 9]},
        {"bonus": [2, 9], "foe.ac": range(8, 12)},
        {"aimed": [False, True]},
        {"aimed": [False, True], "bonus": [1, 2]},
        {"bonus": [1, 2], "foe.soak": ["Flat", "Rolled"], "readings.floor": ["first", "second"]},
        {"foe.resistance.fire": [0, 4], "foe.luck": [0, Fraction(1, 3)]},
    ],
    ids=str,
)
def test_a_sweep_is_the_loop_over_the_plain_rule(over: dict[str, Any]) -> None:
    found = sweep(SETUP, over, ["hit", "damage", "damage.sd", "damage.pmf", "element"], exact=True)
    for name in ("hit", "damage", "damage.sd"):
        assert found.grids[name].dims == tuple(over)
    pmf, element = found.grids["damage.pmf"], found.grids["element"]
    assert pmf.dims == (*over, "damage.outcome")

    def loop(paths: list[str], at: dict[str, Any], coords: dict[str, Any]) -> None:
        if paths:
            for value, coordinate in zip(over[paths[0]], found.over[paths[0]], strict=True):
                loop(paths[1:], {**at, paths[0]: value}, {**coords, paths[0]: coordinate})
            return
        outcome = SETUP.at(at)()
        assert found.grids["hit"].at(**coords) == P(outcome.hit)
        assert found.grids["damage"].at(**coords) == E(outcome.damage)
        assert found.grids["damage.sd"].at(**coords) == pytest.approx(sd(outcome.damage))
        shown = dist(outcome.damage)
        for value in pmf.coords["damage.outcome"]:
            assert pmf.at(**coords, **{"damage.outcome": value}) == shown.probability(value)
        assert element.at(**coords, **{"element.outcome": "fire"}) == Fraction(1, 2)

    loop(list(over), {}, {})


def test_all_measures_by_default_and_functions_of_the_outcome() -> None:
    assert list(sweep(SETUP, {"bonus": [1, 2]}).grids) == ["hit", "damage", "element"]

    def hurts_much(outcome: Hurt) -> Roll[bool]:
        return outcome.damage >= 10

    found = sweep(SETUP, {"bonus": [1, 2]}, [hurts_much], exact=True)
    assert found.grids["hurts_much"].flat[1] == P(SETUP.at({"bonus": 2})().damage >= 10)


def test_models_are_swept_by_name() -> None:
    foes = {"orc": Foe(ac=13), "ogre": Foe(ac=10)}
    found = sweep(SETUP, {"foe": foes, "bonus": [1, 2]}, ["hit"], exact=True)
    assert found.over == {"foe": ("orc", "ogre"), "bonus": (1, 2)}
    assert found.grids["hit"].at(foe="ogre", bonus=2) == P(SETUP.at({"foe.ac": 10, "bonus": 2})().hit)


# -- rules in plain Python, and where a rule does not apply -------------------------------------------------


@rule()
def plain(
    attack: Annotated[int, Field(ge=0, le=40)] = 5, ac: Annotated[int, Field(ge=1, le=40)] = 15
) -> Roll[int]:
    if ac < 3:
        raise NotAllowed("YY-9", "nobody is that easy to hit")
    return where(roll(d(20)) >= max(2, ac - attack), roll(d(6 + attack)), 0)


def test_a_plain_rule_and_its_holes() -> None:
    found = sweep(
        plain.setup(), {"attack": [1, 2, 3], "ac": [1, 2, 10, 20]}, ["result", "result.pmf"], exact=True
    )
    grid, pmf = found.grids["result"], found.grids["result.pmf"]
    for bonus in (1, 2, 3):
        for ac in (10, 20):
            assert grid.at(attack=bonus, ac=ac) == E(plain(bonus, ac))
        for ac in (1, 2):
            assert math.isnan(grid.at(attack=bonus, ac=ac))
            assert found.reasons[bonus, ac] == "YY-9: nobody is that easy to hit"
            assert all(math.isnan(p) for p in pmf.at(attack=bonus, ac=ac).flat)
    assert len(found.reasons) == 6


def test_a_sweep_of_holes_alone_is_a_sweep() -> None:
    found = sweep(plain.setup(), {"ac": [1, 2]}, ["result"])
    assert all(math.isnan(value) for value in found.grids["result"].flat)
    assert set(found.reasons) == {(1,), (2,)}


@pytest.mark.parametrize(
    ("over", "measures", "message"),
    [
        ({}, None, "at least one stat"),
        ({"bonas": [1]}, None, "bonas: there is no such stat; did you mean bonus?"),
        ({"bonus": [1, 30]}, None, "bonus: 30 is above 20"),
        ({"bonus": [2, 1]}, None, "rising order"),
        ({"bonus": 3}, None, "several values"),
        ({"bonus": []}, None, "at least one value"),
        ({"readings.floor": ["third"]}, None, "readings.floor: 'third' is not one of first, second"),
        ({"foe": [Foe()]}, None, "foe: models are swept by name"),
        ({"bonus": [1]}, ["hot"], "there is no measure 'hot'; did you mean hit?"),
        ({"bonus": [1]}, ["hit.median"], "there is no measure 'hit.median'"),
        ({"bonus": [1]}, "hit", "measures are a list"),
    ],
)
def test_what_cannot_be_swept_says_why(over: Any, measures: Any, message: str) -> None:
    with pytest.raises(StatError) as fault:
        sweep(SETUP, over, measures)
    assert message in str(fault.value)


def test_a_setup_that_holds_an_axis_is_asked_to_name_it() -> None:
    with pytest.raises(StatError, match="bonus is an axis of the Setup already"):
        sweep(SETUP.at({"bonus": stat("bonus", [1, 2])}), {"foe.ac": [10, 12]})


# -- the Dataset --------------------------------------------------------------------------------------------


def test_the_dataset_is_labelled() -> None:
    found = sweep(
        SETUP, {"bonus": [1, 2], "foe.soak": ["Flat", "Rolled"]}, ["hit", "damage", "damage.pmf", "element"]
    )
    data = found.data
    assert data["damage"].dims == ("bonus", "foe.soak")
    assert data["damage"].attrs == {"unit": "HP", "help": ""}
    assert data["hit"].attrs["help"] == "It lands"
    assert data["damage.pmf"].dims == ("bonus", "foe.soak", "damage.outcome")
    assert list(data["element.outcome"].values) == ["cold", "fire"]
    assert data.attrs["sources"] == "YY-1 YY-2"
    assert data.attrs["readings"] == "readings.floor=first"
    assert data.attrs["rule"] == burn.id
    assert float(data["damage"].sel(bonus=2, **{"foe.soak": "Flat"})) == pytest.approx(
        float(E(SETUP.at({"bonus": 2})().damage)), rel=1e-12
    )


# -- lines --------------------------------------------------------------------------------------------------


def test_lines_go_over_every_stat_around_the_point() -> None:
    setup = attack.setup(Fighter(attack_bonus=7), Target(defense=17))
    found = lines(setup, ["hit", "damage.pmf"], exact=True)
    assert set(found) == {info.path for info in setup.stats if info.span()}
    for path, swept in found.items():
        here = swept.over[path].index(label_of(setup.get(path)))
        assert swept.grids["hit"].flat[here] == Fraction(11, 20)
    with pytest.raises(StatError, match="there is no such stat"):
        lines(setup, ["hit"], ["attacker.bonus"])


@pytest.mark.parametrize(
    "setup",
    [
        attack.setup(),
        killing_blow.setup(),
        elements_attack.setup(),
        elements_grapple.setup(),
        bumps_attack.setup(),
        contest.setup(),
        SETUP,
    ],
    ids=lambda setup: setup.rule.id,
)
def test_lines_together_are_the_sweeps_of_each_stat(
    setup: Setup[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeping, "_LINES_PATIENCE", math.inf)
    names = [info.path for info in setup.measures]
    names += [f"{info.path}.pmf" for info in setup.measures if info.kind == "number"]
    paths = [info.path for info in setup.stats if info.kind == "whole"]
    found: dict[str, sweeping.Sweep] = {}
    for some in sweeping.lines_together(setup, names, paths, most=21):
        found.update(some)
    assert len(found) > len(paths) // 3
    for path, line in found.items():
        alone = sweep(setup, {path: line.over[path]}, names)
        assert (line.over, line.questions, line.infos) == (alone.over, alone.questions, alone.infos)
        for name, grid in line.grids.items():
            wanted = alone.grids[name]
            assert (grid.dims, grid.coords) == (wanted.dims, wanted.coords)
            assert [float(p) for p in grid.flat] == pytest.approx(
                [float(p) for p in wanted.flat], rel=1e-12, abs=1e-15
            )


def test_a_line_that_cannot_go_with_others_goes_alone() -> None:
    @rule()
    def odd(bonus: int = 0, far: int = 0, steps: Annotated[int, Field(ge=1, le=4)] = 2) -> Roll[int]:
        if far > 5:
            raise NotAllowed("ZZ-1", "too far")
        return sum((roll(d(4)) for _ in range(steps)), start=constant(0)) + bonus

    found = lines(odd.setup(), ["result"])
    together: dict[str, sweeping.Sweep] = {}
    for some in sweeping.lines_together(odd.setup(), ["result"], ["bonus", "far", "steps"]):
        together.update(some)
    assert list(together) == ["bonus"]
    assert found["steps"].grids["result"].values == [2.5, 5, 7.5, 10]
    assert found["bonus"].grids["result"].at(bonus=-3) == 2
    assert found["far"].reasons[(6,)] == "ZZ-1: too far"
    assert found["far"].grids["result"].at(far=5) == 5


def test_a_line_has_a_patience() -> None:
    with pytest.raises(TooLarge, match="longer"):
        lines(attack.setup(), ["hit"], ["attacker.weapon.heavy"], patience=0)


def test_labels_of_a_measure_that_mixes_texts_are_in_order() -> None:
    @rule()
    def mood(bonus: int = 0) -> Roll[str]:
        return where(roll(d(20)) + bonus >= 11, "wary", where(bonus > 0, "keen", "dull"))

    found = sweep(mood.setup(), {"bonus": [0, 1]}, exact=True).grids["result"]
    assert found.coords["result.outcome"] == ("dull", "keen", "wary")
    assert found.at(bonus=1, **{"result.outcome": "keen"}) == Fraction(9, 20)
    assert found.at(bonus=1, **{"result.outcome": "dull"}) == 0


def test_a_stat_called_outcome_says_that_the_name_is_taken() -> None:
    @rule()
    def odd(outcome: int = 0) -> Roll[int]:
        return roll(d(20)) + outcome

    with pytest.raises(StatError, match="that name is taken"):
        sweep(odd.setup(), {"outcome": [1, 2]})


def test_a_choice_is_swept_once() -> None:
    @rule()
    def swing(weapon: Dist = d(6)) -> Roll[int]:
        return roll(weapon)

    for weapons in ([d(6), d(4), "d6"], {1: d(6), "1": d(4)}):
        with pytest.raises(StatError, match=r"weapon: (d6|1) is there twice"):
            sweep(swing.setup(), {"weapon": weapons})


# -- in parts -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("setup", "over"),
    [
        (SETUP, {"foe.ac": range(8, 15), "bonus": range(5)}),
        (SETUP, {"aimed": [False, True], "bonus": range(5), "foe.resistance.fire": [0, 1, 2]}),
        (SETUP, {"bonus": range(5), "foe.soak": ["Flat", "Rolled"], "foe.ac": range(8, 15)}),
        (plain.setup(), {"attack": range(1, 6), "ac": range(1, 9)}),
    ],
    ids=str,
)
@pytest.mark.parametrize("points", [1, 4, 9])
def test_a_sweep_in_parts_is_the_same(
    setup: Any, over: dict[str, Any], points: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [info.path for info in setup.measures]
    measures = [*names, *(f"{name}.pmf" for name in names)]
    whole = sweep(setup, over, measures, exact=True)
    monkeypatch.setattr(sweeping, "POINTS_AT_ONCE", points)
    parts = sweep(setup, over, measures, exact=True)
    assert parts.reasons == whole.reasons
    for name, grid in whole.grids.items():
        assert parts.grids[name].dims == grid.dims
        assert parts.grids[name].coords == grid.coords
        assert [str(value) for value in parts.grids[name].flat] == [str(value) for value in grid.flat]


def test_a_rule_in_plain_python_is_not_run_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeping, "MOST_RUNS", 20)
    with pytest.raises(TooLarge, match="would be run more than 20 times"):
        sweep(plain.setup(), {"attack": range(1, 10), "ac": range(1, 9)})
