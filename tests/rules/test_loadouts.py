"""Loadout files: TOML and JSON there and back, a user's own beside the shipped, and errors that say where."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Annotated, ClassVar, Literal

import pytest
from pydantic import Field

from rulekit import Dist, Part, StatError, Stats, d, stat
from rulekit.games.adventures_edge import Fighter, Weapon
from rulekit.rules import Entry, available, load, save, shipped


class Axe(Entry):
    loadout_file: ClassVar[str] = "axes.toml"
    damage: Dist = d(6)
    weight: Annotated[float, Field(ge=0, le=20)] = 2.0


class Viking(Entry):
    axe: Axe = Axe()
    attack: Annotated[int, Field(ge=0, le=30)] = 5


@pytest.mark.parametrize("name", ["vikings.toml", "vikings.json"])
def test_what_is_saved_is_loaded(tmp_path: Path, name: str) -> None:
    models = {"Olaf": Viking(axe=Axe(damage=2 @ d(6)), attack=7), "Ingrid the Bold": Viking(sample=True)}
    save(tmp_path / name, models)
    found = load(Viking, tmp_path / name)
    assert {key: entry.model for key, entry in found.items()} == models
    assert [entry.sample for entry in found.values()] == [False, True]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[Olaf]\nattack = 99\n", "Olaf.attack: 99 is above 30"),
        ("[Olaf]\natack = 9\n", "Olaf.atack: there is no such stat; did you mean attack?"),
        ("[Olaf.axe]\nwieght = 9\n", "Olaf.axe.wieght: there is no such stat; did you mean weight?"),
        ("[Olaf.axe]\ndamage = 'd'\n", "Olaf.axe.damage: "),
        ("[Olaf]\nsource = 3\n", "Olaf: source is text and sample is true or false"),
        ("Olaf = 3\n", "Olaf: 3 is not a table of stats"),
        ("[Olaf\n", "Expected"),
    ],
)
def test_an_error_names_file_path_value_and_what_is_allowed(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "vikings.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(StatError) as fault:
        load(Viking, file)
    assert str(fault.value).startswith(f"{file}: ")
    assert message in str(fault.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(StatError, match="No such file"):
        load(Viking, tmp_path / "none.toml")


def test_a_model_within_may_be_named(tmp_path: Path) -> None:
    (tmp_path / "axes.toml").write_text("[bearded]\ndamage = '1d8'\n", encoding="utf-8")
    (tmp_path / "vikings.toml").write_text(
        "[Olaf]\naxe = 'bearded'\n[Eric]\naxe = 'berded'\n", encoding="utf-8"
    )
    with pytest.raises(StatError, match=r"Eric\.axe: there is no entry 'berded'; did you mean bearded\?"):
        load(Viking, tmp_path / "vikings.toml")
    (tmp_path / "vikings.toml").write_text("[Olaf]\naxe = 'bearded'\n", encoding="utf-8")
    assert load(Viking, tmp_path / "vikings.toml")["Olaf"].model.axe.damage == d(8)


def test_ones_own_entries_stand_beside_the_shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "loadouts" / "adventures_edge"
    folder.mkdir(parents=True)
    (folder / "weapons.toml").write_text("[spear]\nhigh = 12\n['my axe']\nhigh = 9\n", encoding="utf-8")
    found = available(Weapon)
    assert found.keys() == shipped(Weapon).keys() | {"my axe"}
    assert (found["spear"].model.high, shipped(Weapon)["spear"].model.high) == (12, 6)
    assert available(Weapon, tmp_path).keys() == shipped(Weapon).keys()
    assert available(Fighter)["Brawn"].model.weapon.high == 11


def test_an_axis_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(StatError, match="holds the axis"):
        save(tmp_path / "x.toml", {"x": Viking(attack=stat("attack", range(3)))})
    with pytest.raises(StatError, match=r"ends in \.toml or \.json"):
        save(tmp_path / "x.yaml", {})


class Element(Enum):
    FIRE = "fire"
    COLD = "cold"


class Ward(Part):
    pass


class Flat(Ward):
    points: int = 2


class Rolled(Ward):
    kind = "rolled"
    die: Dist = d(6)


class Everything(Stats):
    whole: int = 3
    decimal: float = 0.5
    fraction: Fraction = Fraction(1, 3)
    money: Decimal = Decimal("1.50")
    switch: bool = False
    element: Element = Element.FIRE
    word: Literal["low", "high"] = "low"
    damage: Dist = d(6)
    resistance: Mapping[Element, int] = {}
    axe: Axe = Axe()
    axes: tuple[Axe, ...] = ()
    ward: Ward = Flat()


@pytest.mark.parametrize("name", ["all.toml", "all.json"])
def test_every_kind_of_field_has_a_form_in_a_file(tmp_path: Path, name: str) -> None:
    models = {
        "plain": Everything(),
        "changed": Everything(
            whole=-4,
            decimal=Fraction(1, 3),
            fraction=Fraction(-7, 2),
            money=Decimal("100"),
            switch=True,
            element="cold",
            word="high",
            damage="4d6kh3+1",
            resistance={"cold": 2, "fire": 1},
            axe={"damage": "2d4", "weight": 1},
            axes=[{"weight": 3}, Axe(sample=True)],
            ward={"kind": "rolled", "die": "1d3"},
        ),
    }
    save(tmp_path / name, models)
    assert {key: entry.model for key, entry in load(Everything, tmp_path / name).items()} == models


def test_a_file_written_by_hand(tmp_path: Path) -> None:
    file = tmp_path / "all.toml"
    file.write_text(
        """
        ["Grim's kit"]
        whole = 7
        element = "cold"
        damage = "2d6+1"
        resistance = { fire = 2 }
        axe.weight = 2.5
        ward = "rolled"
        [["Grim's kit".axes]]
        damage = "d8"
        """,
        encoding="utf-8",
    )
    model = load(Everything, file)["Grim's kit"].model
    assert (model.whole, model.element, model.damage) == (7, Element.COLD, 2 @ d(6) + 1)
    assert (model.resistance[Element.FIRE], model.axe.weight, model.ward) == (2, 2.5, Rolled())
    assert model.axes == (Axe(damage=d(8)),)
