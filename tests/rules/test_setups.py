"""Setups: values of a rule with its arguments, changed and described by path."""

from __future__ import annotations

import contextlib
import json
import pickle
import random
from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Any

import pytest
from pydantic import Field

from rulekit import Dist, E, P, Part, Roll, RulekitError, Setup, StatError, Stats, d, roll, rule, stat


class Element(Enum):
    FIRE = "fire"
    COLD = "cold"


class Piece(Stats):
    dr: Annotated[int, Field(ge=0, le=9)] = 1


class Soak(Part):
    pass


class Flat(Soak):
    points: Annotated[int, Field(ge=0, le=5)] = 2


class Rolled(Soak):
    die: Dist = d(6)


class Target(Stats):
    defense: Annotated[int, Field(ge=0, le=60)] = 15
    resistance: Mapping[Element, Annotated[int, Field(ge=0, le=4)]] = {}
    armour: tuple[Piece, ...] = (Piece(), Piece(dr=3))
    soak: Soak = Flat()
    layers: tuple[Soak, ...] = (Flat(), Rolled())
    dodging: bool = False
    chance: Annotated[float, Field(ge=0, le=1)] = 0.5


@rule()
def smite(target: Target, bonus: Annotated[int, Field(ge=0, le=20)] = 5) -> Roll[bool]:
    natural = roll(d(20), "natural")
    return natural + bonus >= target.defense + sum(piece.dr for piece in target.armour)


SETUP = smite.setup()


@pytest.mark.parametrize(
    ("path", "given", "got"),
    [
        ("bonus", 7, 7),
        ("target.defense", 20, 20),
        ("target.resistance.fire", 3, 3),
        ("target.armour.1.dr", 5, 5),
        ("target.armour.2", {"dr": 4}, Piece(dr=4)),
        ("target.armour", [], ()),
        ("target.soak.points", 1, 1),
        ("target.soak", "Rolled", Rolled()),
        ("target.soak.kind", "Rolled", "Rolled"),
        ("target.layers.0", "Rolled", Rolled()),
        ("target.layers.1.kind", "Flat", "Flat"),
        ("target.layers.2", {"kind": "Rolled", "die": "d8"}, Rolled(die=d(8))),
        ("target.layers.1.die", "d8", d(8)),
        ("target.dodging", True, True),
        ("target.chance", 0.25, 0.25),
        ("target", {"defense": 3}, Target(defense=3)),
    ],
)
def test_every_kind_is_put_and_found_by_path(path: str, given: Any, got: Any) -> None:
    changed = SETUP.at({path: given})
    assert changed.get(path) == got
    assert changed != SETUP
    assert SETUP == smite.setup()
    assert Setup.from_json(changed.to_json()) == changed


def test_a_whole_model_and_something_within_it_may_be_put_together() -> None:
    changed = SETUP.at({"target.defense": 9, "target": Target(defense=3, dodging=True)})
    assert (changed.get("target.defense"), changed.get("target.dodging")) == (9, True)
    changed = SETUP.at({"target.soak.die": "1d8", "target.soak": "Rolled"})
    assert changed.get("target.soak.die") == d(8)
    changed = SETUP.at({"target.soak.die": d(8), "target.soak.kind": "Rolled"})
    assert changed.get("target.soak.die") == d(8)
    for whole in ("target.layers.0", "target.layers.0.kind"):
        changed = SETUP.at({"target.layers.0.die": d(8), whole: "Rolled"})
        assert changed.get("target.layers") == (Rolled(die=d(8)), Rolled())
    changed = SETUP.at({"target.armour.2": {"dr": 4}, "target.armour.2.dr": 5})
    assert changed.get("target.armour.2") == Piece(dr=5)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"target.defense": 140}, "target.defense: 140 is above 60"),
        ({"target.defence": 14}, "target.defence: there is no such stat; did you mean defense?"),
        ({"terget.defense": 14}, "terget: there is no such stat; did you mean target?"),
        ({"target.armour.7.dr": 1}, "target.armour.7: there are 2, counted from 0"),
        ({"target.armour.0.rd": 1}, "target.armour.0.rd: there is no such stat; there are dr"),
        ({"target.armour.1.dr": 99}, "target.armour.1.dr: 99 is above 9"),
        ({"target.resistance.ice": 1}, "target.resistance: 'ice' is not one of fire, cold"),
        ({"target.resistance.fire": 5}, "target.resistance.fire: 5 is above 4"),
        ({"target.soak": "Rold"}, "target.soak: 'Rold' is not one of Flat, Rolled"),
        ({"target.soak.die": "d6"}, "target.soak.die: there is no such stat; there are points"),
        ({"target.layers.0.kind": "Rold"}, "target.layers.0: 'Rold' is not one of Flat, Rolled"),
        ({"target.layers.0.die": "d6"}, "target.layers.0.die: there is no such stat; there are points"),
        ({"target.layers.2.kind": "Flat"}, "target.layers.2: there are 2, counted from 0"),
        ({"target.armour.0.kind": "Flat"}, "target.armour.0.kind: there is no such stat; there are dr"),
        ({"bonus.more": 1}, "bonus.more: there is nothing within 5"),
        ({"bonus": stat("bonus", [10, 30])}, "bonus: 30 is above 20"),
    ],
)
def test_what_cannot_be_put_says_where_and_why(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(StatError) as fault:
        SETUP.at(changes)
    assert str(fault.value) == message


def test_what_cannot_be_found_says_where() -> None:
    with pytest.raises(StatError, match=r"target\.defence: there is no such stat; did you mean defense\?"):
        SETUP.get("target.defence")


def test_a_setup_is_a_value() -> None:
    other = smite.setup(Target(), bonus=5)
    assert (other == SETUP, hash(other) == hash(SETUP), other.key == SETUP.key) == (True, True, True)
    changed = SETUP.at({"bonus": 6})
    assert (changed == SETUP, changed.key == SETUP.key) == (False, False)
    assert pickle.loads(pickle.dumps(changed)) == changed
    with pytest.raises(AttributeError, match="cannot be changed"):
        SETUP.arguments = changed.arguments


def test_equal_setups_have_one_key_however_they_came_about() -> None:
    one = SETUP.at({"target.resistance": {"fire": 1, "cold": 2}, "target.chance": 1})
    other = (
        SETUP.at({"target.chance": 1.0}).at({"target.resistance.cold": 2}).at({"target.resistance.fire": 1})
    )
    assert (one == other, one.key == other.key) == (True, True)


def test_a_setup_with_an_axis_runs_and_has_no_json() -> None:
    swept = SETUP.at({"target.defense": stat("target.defense", [10, 15])})
    assert P(swept(), exact=True).values.tolist() == [
        P(SETUP.at({"target.defense": ac})()) for ac in (10, 15)
    ]
    with pytest.raises(StatError, match="holds the axis"):
        swept.to_json()


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"rule": ["x"], "stats": {}}',
        f'{{"rule": "{smite.id}", "stats": []}}',
        f'{{"rule": "{smite.id}", "stats": {{"bonus": 1e999}}}}',
        f'{{"rule": "{smite.id}", "stats": {{"target": {{"soak": {{"kind": {{}}}}}}}}}}',
        f'{{"rule": "{smite.id}", "stats": {{"target": {{"armour": {{"0": 1}}}}}}}}',
        "",
        "[]",
        "{}",
        '{"rule": "nobody.nothing", "stats": {}}',
        '{"rule": 3}',
    ],
)
def test_hostile_json_is_refused(text: str) -> None:
    with pytest.raises(RulekitError):
        Setup.from_json(text)


def test_the_stats_of_a_setup_have_their_values_and_defaults() -> None:
    changed = SETUP.at({"target.soak": "Rolled", "target.resistance.cold": 2})
    stats = {info.path: info for info in changed.stats}
    assert [(info.path, info.kind) for info in changed.stats] == [
        ("target.defense", "whole"),
        ("target.resistance.fire", "whole"),
        ("target.resistance.cold", "whole"),
        ("target.armour", "tuple"),
        ("target.armour.0.dr", "whole"),
        ("target.armour.1.dr", "whole"),
        ("target.soak", "part"),
        ("target.soak.die", "dice"),
        ("target.layers", "tuple"),
        ("target.layers.0", "part"),
        ("target.layers.0.points", "whole"),
        ("target.layers.1", "part"),
        ("target.layers.1.die", "dice"),
        ("target.dodging", "switch"),
        ("target.chance", "decimal"),
        ("bonus", "whole"),
    ]
    cold = stats["target.resistance.cold"]
    assert (cold.value, cold.default, cold.low, cold.high) == (2, 0, 0, 4)
    assert (stats["target.soak"].value, stats["target.soak"].choices) == ("Rolled", ("Flat", "Rolled"))
    assert (stats["target.armour"].value, stats["target.armour"].choices) == (2, ())
    assert stats["target.layers"].choices == ("Flat", "Rolled")
    layer = {info.path: info for info in SETUP.at({"target.layers.0": "Rolled"}).stats}["target.layers.0"]
    assert (layer.label, layer.value, layer.default) == ("layers 1", "Rolled", "Flat")
    assert layer.choices == layer.span() == ("Flat", "Rolled")
    assert list(SETUP.models) == [
        "target", "target.armour.0", "target.armour.1", "target.soak", "target.layers.0", "target.layers.1",
    ]  # fmt: skip


def test_spans() -> None:
    stats = {info.path: info for info in SETUP.stats}
    assert stats["target.resistance.fire"].span() == (0, 1, 2, 3, 4)
    assert stats["target.dodging"].span() == (False, True)
    assert stats["target.soak"].span() == ("Flat", "Rolled")
    assert len(stats["target.chance"].span()) == 21
    assert stats["target.armour"].span() == ()
    assert stats["target.defense"].span(most=30) == tuple(range(5, 26))

    @rule()
    def unbounded(bonus: int = 5) -> Roll[int]:
        return roll(d(20)) + bonus

    assert unbounded.stats[0].span() == tuple(range(-5, 16))
    assert E(unbounded()) == 15.5


def test_a_setup_shows_itself_and_is_refused_in_another_form() -> None:
    assert repr(SETUP).startswith("smite.setup(target=Target(defense=15,")
    with pytest.raises(AttributeError, match="cannot be changed"):
        del SETUP.rule
    assert SETUP != "smite"
    for path, held in (("target.armour.5", "there are 2"), ("bonus.x", "nothing within 5")):
        with pytest.raises(StatError, match=held):
            SETUP.get(path)
    assert SETUP.get("target.armour.1.dr") == 3


JUNK = [
    None, True, -1, 1e308, float("nan"), 10**400, "", "1e9", "99999d99999", "((((", [], [[]], {},
    {"kind": "x"},
    {"kind": []}, {"outcomes": {}, "weights": 3}, {"outcomes": [[1]], "weights": [1]}, {"fire": None},
]  # fmt: skip


def spoilt(value: Any, draw: random.Random) -> Any:
    """The same data with junk here and there, in place of values and of names."""
    if draw.random() < 0.1:
        return draw.choice(JUNK)
    if isinstance(value, dict):
        return {draw.choice([key] * 30 + ["zz", "."]): spoilt(part, draw) for key, part in value.items()}
    return [spoilt(part, draw) for part in value] if isinstance(value, list) else value


def test_whatever_a_link_holds_it_is_a_setup_or_an_error_of_the_family() -> None:
    draw = random.Random(7)
    whole = SETUP.at({"target.soak": "Rolled"}).to_dict()
    paths = [*(info.path for info in SETUP.stats), "target", "target.armour.0", "target.layers.1.kind"]
    paths += ["target..", "", "bonus.x"]
    taken = 0
    for _ in range(400):
        try:
            setup = Setup.from_json(
                json.dumps({"rule": whole["rule"], "stats": spoilt(whole["stats"], draw)})
            )
            assert Setup.from_json(setup.to_json()) == setup
            taken += 1
        except RulekitError:
            pass
        with contextlib.suppress(RulekitError):
            SETUP.at({draw.choice(paths): draw.choice(JUNK)})
    assert 20 < taken < 380
