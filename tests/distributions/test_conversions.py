"""Every form of a Dist comes back as an equal Dist; what is no Dist is refused with what it was."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from scipy.stats import binom, poisson

from rulekit.distributions import Dist, d
from rulekit.distributions.conversions import from_json, from_plain, to_json, to_plain
from rulekit.distributions.notation import to_notation
from rulekit.errors import RulekitError

numbers = st.integers(-50, 50) | st.fractions(-9, 9, max_denominator=12)
dists = st.dictionaries(numbers, st.integers(1, 10**25), min_size=1, max_size=8).map(Dist)
labels = st.dictionaries(st.text(max_size=4), st.integers(1, 99), min_size=1, max_size=5).map(Dist)

SEVERAL = [
    d("2d6+1"),
    d("4d6kh3"),
    100 @ d(6),
    d(20) >= 15,
    d(6) / 4,
    Dist({"hit": 3, "miss": 1}),
    Dist({(1, "a"): 1, (2, "b"): 3}),
    d("d6!"),
    d("2d6!!") + d(4),
    d("d4!") >= 200,
]


@pytest.mark.parametrize("dist", SEVERAL, ids=lambda x: repr(x)[:30])
def test_json_and_pickle_come_back(dist: Dist) -> None:
    for back in (from_json(to_json(dist)), pickle.loads(pickle.dumps(dist)), Dist.from_json(dist.to_json())):
        assert back == dist
        assert [type(x) for x in back.outcomes] == [type(x) for x in dist.outcomes]
        assert back.kind == dist.kind


def test_json_keeps_the_moments_of_an_endless_explosion() -> None:
    assert from_json(to_json(d("d6!"))).mean == Fraction(21, 5)


@given(dists | labels)
def test_json_comes_back_for_any(dist: Dist) -> None:
    assert from_json(to_json(dist)) == dist


def test_big_weights_are_strings_also_beyond_what_python_prints() -> None:
    weights = to_plain(60 @ d(6))["weights"]
    assert weights[0] == 1
    assert weights[20] == str((60 @ d(6)).weights[20])
    huge = Dist({0: 7**9000, 1: 10**4000, 2: 1})
    assert from_json(to_json(huge)) == huge


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "3",
        '{"outcomes": [1]}',
        '{"outcomes": [1], "weights": [1, 2]}',
        '{"outcomes": [1], "weights": [0.5]}',
        '{"outcomes": [1], "weights": [true]}',
        '{"outcomes": [1], "weights": ["x"]}',
        '{"outcomes": [1], "weights": [-1]}',
        '{"outcomes": [1], "weights": [0]}',
        '{"outcomes": [{"number": "1/0"}], "weights": [1]}',
        '{"outcomes": [{}], "weights": [1]}',
        '{"outcomes": [1], "weights": [1], "leftover": {"weight": 1}}',
        '{"outcomes": [1], "weights": [1], "leftover": 3}',
    ],
)
def test_other_json_is_refused(text: str) -> None:
    with pytest.raises(RulekitError):
        from_json(text)


def test_an_outcome_without_a_json_form_is_refused() -> None:
    with pytest.raises(RulekitError, match="no form for the outcome"):
        to_json(Dist({frozenset({1}): 1}))


@given(dists)
def test_pandas_and_xarray_come_back(dist: Dist) -> None:
    assert Dist.from_pandas(dist.to_pandas()) == dist
    assert Dist.from_pandas(dist.to_pandas().reset_index()) == dist
    assert Dist.from_xarray(dist.to_xarray()) == dist


@pytest.mark.parametrize("dist", SEVERAL, ids=lambda x: repr(x)[:30])
def test_pandas_and_xarray_come_back_for_labels_events_and_leftovers(dist: Dist) -> None:
    assert Dist.from_pandas(dist.to_pandas()) == dist
    assert Dist.from_xarray(dist.to_xarray()) == dist


def test_changed_or_foreign_tables_are_taken_as_they_are() -> None:
    changed = d(4).to_pandas()
    changed.loc[4] = 0.5
    assert Dist.from_pandas(changed) == Dist({1: 1, 2: 1, 3: 1, 4: 2})
    assert Dist.from_pandas(pd.DataFrame({"weight": [1, 2]}, index=["a", "b"])) == Dist({"a": 1, "b": 2})
    halved = d(4).to_xarray()[:2]
    assert Dist.from_xarray(halved) == d(2)
    with pytest.raises(RulekitError, match="column weight or probability"):
        Dist.from_pandas(pd.DataFrame({"x": [1]}))
    with pytest.raises(RulekitError, match="from 0 up"):
        Dist.from_pandas(pd.Series([-0.5, 1.5]))
    with pytest.raises(RulekitError, match="one dimension"):
        Dist.from_xarray(xr.DataArray(np.ones((2, 2)), dims=("a", "b")))


def test_scipy_agrees_and_comes_back() -> None:
    dist = d("4d6kh3")
    frozen = dist.to_scipy()
    assert Dist.from_scipy(frozen) == dist
    assert frozen.mean() == pytest.approx(float(dist.mean), rel=1e-12)
    assert frozen.std() == pytest.approx(dist.sd, rel=1e-12)
    assert frozen.sf(14) == pytest.approx(float(dist.sf(14)), rel=1e-12)
    assert Dist.from_scipy(binom(3, 0.5)) == 3 @ Dist({0: 1, 1: 1})


def test_what_scipy_cannot_hold_is_refused() -> None:
    for dist in (d(6) / 4, Dist({"a": 1}), d("d6!")):
        with pytest.raises(RulekitError, match="whole-number outcomes"):
            dist.to_scipy()
    with pytest.raises(RulekitError, match="finite"):
        Dist.from_scipy(poisson(2))


class Weapon(BaseModel):
    model_config = ConfigDict(frozen=True)

    name: str
    damage: Dist


@pytest.mark.parametrize("value", [d("2d6+1"), "2d6+1", to_plain(d("2d6+1"))])
def test_a_field_of_dice_takes_a_dist_notation_or_its_json(value: Any) -> None:
    weapon = Weapon(name="axe", damage=value)
    assert weapon.damage == d("2d6+1")
    assert weapon.model_dump() == {"name": "axe", "damage": "2d6+1"}
    assert Weapon.model_validate_json(weapon.model_dump_json()) == weapon


def test_a_field_of_dice_takes_a_number_as_a_constant() -> None:
    assert Weapon(name="stone", damage=3).damage == Dist({3: 1})  # type: ignore[arg-type]


@pytest.mark.parametrize("value", ["4d6kx3", True, None, [1, 2], {"outcomes": [1]}])
def test_other_values_of_a_field_are_refused(value: Any) -> None:
    with pytest.raises(ValidationError, match="damage"):
        Weapon(name="axe", damage=value)


@pytest.mark.parametrize("dist", SEVERAL, ids=lambda x: repr(x)[:30])
def test_a_field_of_dice_comes_back(dist: Dist) -> None:
    adapter = TypeAdapter(Dist)
    if dist.kind == "label" and isinstance(dist.outcomes[0], tuple):
        dumped = json.loads(adapter.dump_json(dist))
        assert from_plain(dumped) == dist
    else:
        assert adapter.validate_json(adapter.dump_json(dist)) == dist


def test_the_field_describes_itself() -> None:
    schema = TypeAdapter(Dist).json_schema()
    assert {part["type"] for part in schema["anyOf"]} == {"string", "object"}


@pytest.mark.parametrize(
    "text",
    [
        "2d6+1",
        "d20",
        "3d8-4",
        "4d6kh3",
        "2d20kl1",
        "3d12kh2+5",
        "d{0:3,1}",
        "d{-1/2,3:2}",
        "7",
        "-3",
        "1/2",
        "d20>=14",
    ],
)
def test_notation_is_found_as_it_would_be_written(text: str) -> None:
    assert to_notation(d(text)) == text


@given(dists)
def test_a_notation_that_is_found_means_the_same(dist: Dist) -> None:
    text = to_notation(dist)
    assert text is not None
    assert d(text) == dist


def test_what_has_no_notation() -> None:
    assert to_notation(Dist({"hit": 1})) is None
    assert to_notation(d("d6!")) is None
    assert to_notation(100 @ d("4d6kh3")) is None
