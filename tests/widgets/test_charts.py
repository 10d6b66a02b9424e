"""Charts show the very numbers of the study that they draw."""

from __future__ import annotations

from typing import Any

import holoviews as hv
import numpy as np
import pytest

from rulekit import (
    Dist,
    Roll,
    StatError,
    clip,
    compare,
    d,
    formula,
    pareto,
    roll,
    rule,
    sensitivity,
    solve,
    sweep,
    where,
)
from rulekit_widgets.charts import distribution_curves, draw, round_levels, stat_map


@rule()
def smash(bonus: int = 5, ac: int = 15, die: Dist = d(8), aimed: bool = False) -> Roll[int]:
    return where(roll(d(20)) + bonus >= ac, clip(roll(die), 2, 100), 0)


SETUP = smash.setup()


def _elements(chart: Any, kind: type) -> list[Any]:
    return chart.traverse(lambda element: element, [kind])


@pytest.fixture(autouse=True, scope="module")
def _bokeh() -> None:
    hv.extension("bokeh")


def test_a_map_holds_the_sweep() -> None:
    swept = sweep(SETUP, {"bonus": range(4), "ac": [10, 12, 18]}, ["result"])
    chart = swept.plot()
    (mesh,) = _elements(chart, hv.QuadMesh)
    assert mesh.dimension_values("z", flat=False) == pytest.approx(swept.data["result"].values.T)
    assert [dim.label for dim in mesh.kdims] == ["bonus", "ac"]
    hv.render(chart)


def test_a_map_of_a_probability_is_in_percent_with_its_point_and_lines() -> None:
    swept = sweep(SETUP, {"bonus": range(15), "ac": range(5, 25)}, ["result >= 1"])
    chart = stat_map(swept, lines=[0.25, 0.5])
    (mesh,) = _elements(chart, hv.QuadMesh)
    assert np.nanmax(mesh.dimension_values("z")) == pytest.approx(100)
    assert {tuple(points.array()[0]) for points in _elements(chart, hv.Points)} == {(5, 15)}
    for curve in _elements(chart, hv.Curve):  # along an iso-line bonus - ac stays
        gaps = curve.dimension_values("x") - curve.dimension_values("y")
        assert np.ptp(gaps) == pytest.approx(0, abs=1e-9)
    labels = {label for each in _elements(chart, hv.Labels) for label in each.dimension_values("label")}
    assert labels == {"25", "50"}


def test_lines_stand_at_round_values_within_and_not_at_an_end() -> None:
    assert round_levels([0.04, 7.52], 5) == [2, 4, 6]
    assert round_levels([0.05, 1 + 2**-52], 5) == pytest.approx([0.2, 0.4, 0.6, 0.8])
    assert round_levels([1, 1 + 2**-52], 5) == round_levels([np.nan], 5) == []
    assert round_levels([0.04, 7.52], [0, 5]) == [5]


def test_curves_of_a_sweep_over_one_stat() -> None:
    swept = sweep(SETUP, {"ac": range(8, 20)}, ["result", "result.sd", "result >= 1"])
    chart = draw(swept)
    assert [curve.label for curve in _elements(chart, hv.Curve)] == ["result", "result.sd"]
    curve = _elements(chart, hv.Curve)[0]
    assert curve.dimension_values("y") == pytest.approx(list(swept.grids["result"].flat))
    hv.render(chart)
    hv.render(draw(sweep(SETUP, {"aimed": [False, True]}, ["result"])))


@pytest.mark.parametrize("how", ["exactly", "at least", "at most"])
def test_distributions_over_each_other(how: str) -> None:
    found = compare({"axe": SETUP.at({"die": "d12"}), "mace": SETUP.at({"die": "2d6"})})
    chart = found.plot(how=how)
    curves = {curve.label: curve for curve in _elements(chart, hv.Curve)}
    for name, dist in found.dists["result"].items():
        at = {"exactly": dist.probability, "at least": dist.at_least, "at most": dist.cdf}[how]
        for x, y in curves[name].array():
            assert y == pytest.approx(100 * float(at(int(x))))
    assert len({curve.opts.get().kwargs["line_dash"] for curve in curves.values()}) == 2
    hv.render(chart)


def test_what_a_point_is_worth_and_a_signed_map() -> None:
    found = sensitivity(SETUP, "result")
    more = _elements(found.plot(), hv.Scatter)[0]
    worth = dict(zip(more.dimension_values("y"), more.dimension_values("x"), strict=True))
    assert worth["bonus"] == pytest.approx(float(found.effects["bonus"].more))
    gap = compare({"axe": SETUP.at({"die": "d12"}), "mace": SETUP.at({"die": "2d6"})}).difference(
        "ac=5..20 bonus=0..9"
    )
    hv.render(gap.plot())
    hv.render(compare({"a": SETUP, "b": SETUP.at({"die": "d4"})}).difference("ac=5..20").plot())
    hv.render(found.plot())


def test_what_cannot_be_drawn_says_why() -> None:
    with pytest.raises(StatError, match="one stat or two, and this sweep goes over 3"):
        draw(sweep(SETUP, {"bonus": [1, 2], "ac": [10, 11], "aimed": [False, True]}))
    with pytest.raises(StatError, match="aimed is none"):
        draw(sweep(SETUP, {"bonus": [1, 2], "aimed": [False, True]}))
    with pytest.raises(StatError, match="no measure 'harm'"):
        draw(sweep(SETUP, {"bonus": [1, 2], "ac": [1, 2]}), measure="harm")
    with pytest.raises(StatError, match="7 distributions in one chart"):
        distribution_curves({str(i): d(6) for i in range(7)})


def test_a_formula_goes_through_the_exact_points() -> None:
    found = formula(SETUP, "result", {"ac": range(1, 31)})
    chart = found.plot()
    (marks,) = _elements(chart, hv.Scatter)
    assert marks.array()[:, 1] == pytest.approx([float(value) for value in found.points.values()])
    assert len(_elements(chart, hv.Curve)) == len(found.pieces)
    hv.render(chart)


def test_solutions_and_fronts_as_points() -> None:
    found = solve(SETUP, {"result": (2, 3)}, {"bonus": range(10), "ac": range(10, 20)})
    scatter = {each.label: each for each in _elements(found.plot(), hv.Scatter)}
    assert {tuple(point) for point in scatter["solutions"].array()} == set(found.points)
    assert tuple(scatter["now"].array()[0]) == (5, 15)
    hv.render(found.plot())
    hv.render(solve(SETUP, {"result": (2, 3)}, ["ac"]).plot())
    setups = {die: SETUP.at({"die": die}) for die in ("d4", "d8", "d12")}
    front = pareto(setups, ["result", "bonus"], less_is_better=["bonus"])
    scatter = {each.label: each for each in _elements(front.plot(), hv.Scatter)}
    assert len(scatter["no other beats it"]) == 1
    assert len(scatter["beaten"]) == 2
    hv.render(front.plot())
