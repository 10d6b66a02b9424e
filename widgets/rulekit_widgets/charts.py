"""Studies as HoloViews charts, drawn from the arrays that their tables show.

`draw(study)` picks the chart of a study (it is what `study.plot()` finds); the functions below it are the
charts themselves. No colour is the only sign: lines differ in dash and marker too, and a map bears labelled
lines of equal value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import holoviews as hv
import numpy as np

from rulekit.distributions import Dist
from rulekit.errors import RulekitError, StatError
from rulekit.rolls import Grid
from rulekit.studies.closed_forms import Formula
from rulekit.studies.comparing import Comparison, Difference
from rulekit.studies.fronts import Front
from rulekit.studies.results import Study
from rulekit.studies.sensing import Sensitivity
from rulekit.studies.solving import Solutions
from rulekit.studies.sweeping import Sweep

__all__ = [
    "difference_map", "distribution_curves", "draw", "effect_bars", "formula_curve", "front_points",
    "solution_points", "stat_curves", "stat_map",
]  # fmt: skip

How = Literal["exactly", "at least", "at most"]

# Okabe and Ito's colours, told apart in every kind of colour blindness, without their yellow, which is too
# pale for a line on white.
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#000000")
DASHES = ("solid", "dashed", "dotdash", "dotted", "dashdot", "solid")
MARKERS = ("circle", "square", "triangle", "diamond", "inverted_triangle", "x")
MAP_COLORS = "cividis"
SIGNED_COLORS = "PuOr"

MOST_CURVES = 6
"""More curves in one chart are not told apart."""

_OFF = 1e-9
"""What floats may be off by, as a share."""

SIZE = {"width": 640, "height": 400}


def draw(study: Study, **options: Any) -> Any:
    """The chart of a study.

    Args:
        study: What a study gave.
        options: What the chart takes: see the function named after what it draws.

    Returns:
        A HoloViews object.

    Raises:
        RulekitError: there is no chart for it.
    """
    if "bokeh" not in hv.Store.renderers:
        hv.extension("bokeh", inline=True)  # with its scripts: a notebook may stand where there is no network
    for kind, chart in _CHARTS.items():
        if isinstance(study, kind):
            return chart(study, **options)
    raise RulekitError(f"there is no chart of a {type(study).__name__}")


# -- over stats --------------------------------------------------------------------------------------------


def draw_sweep(sweep: Sweep, measure: str | None = None, **options: Any) -> Any:
    """A sweep over one stat as curves, over two as a map of one measure (the first by default)."""
    if len(sweep.over) == 1:
        return stat_curves(sweep, [measure] if measure else None, **options)
    if len(sweep.over) == 2:
        return stat_map(sweep, measure, **options)
    raise StatError(f"a chart goes over one stat or two, and this sweep goes over {len(sweep.over)}")


def stat_map(
    sweep: Sweep,
    measure: str | None = None,
    *,
    point: Mapping[str, Any] | None = None,
    lines: int | Sequence[float] = 5,
) -> Any:
    """A map of a measure over two stats, with the present point and lines of equal value.

    Args:
        sweep: Over two numbers.
        measure: One of the sweep's, the first by default.
        point: Where to put the cross, by path; by default where the Setup stands.
        lines: The values to draw lines at, or about how many.

    Raises:
        StatError: the sweep is not over two numbers, or has no such measure.
    """
    name, grid = _picked(sweep.grids, measure)
    probable = sweep.questions.get(name) == "P"
    if point is None:
        point = {path: sweep.setup.get(path) for path in sweep.over}
    return _map(grid, name, point, lines, MAP_COLORS, None, percent=probable)


def difference_map(
    difference: Difference, *, point: Mapping[str, Any] | None = None, lines: int | Sequence[float] = (0,)
) -> Any:
    """A map of what one Setup has over another, as strong in colour for as much either way; the line at 0 is
    where the order turns round. Over one stat a curve.
    """
    name = f"{difference.measure.name}: {difference.first} − {difference.second}"
    probable = difference.measure.kind == "event"
    if len(difference.grid.dims) == 1:
        (path,) = difference.grid.dims
        curve = _curve(
            difference.grid.coords[path], _floats(difference.grid), path, name, 0, percent=probable
        )
        return curve.opts(title=name) * hv.HLine(0).opts(color="#505a64", line_width=1)
    values = np.abs(_floats(difference.grid))
    most = float(np.nanmax(values)) if np.isfinite(values).any() else 0.0
    return _map(
        difference.grid,
        name,
        point or {},
        lines,
        SIGNED_COLORS,
        (-most, most) if most else None,
        percent=probable,
    )


def _map(
    grid: Grid,
    name: str,
    point: Mapping[str, Any],
    lines: int | Sequence[float],
    colors: str,
    limits: tuple[float, float] | None,
    *,
    percent: bool,
) -> Any:
    if len(grid.dims) != 2:
        raise StatError(f"a map goes over two numbers, and {name} goes over {len(grid.dims)} stats")
    across, up = grid.dims
    for path in grid.dims:
        if any(isinstance(value, (str, bool)) for value in grid.coords[path]):
            raise StatError(f"a map goes over two numbers, and {path} is none")
    xs, ys = (np.array([float(value) for value in grid.coords[path]]) for path in grid.dims)
    values = _floats(grid).reshape(len(xs), len(ys)).T * (100 if percent else 1)
    title = f"{name} (%)" if percent else name
    dims = [hv.Dimension("x", label=across), hv.Dimension("y", label=up)]
    scale = 100 if percent else 1
    mesh = hv.QuadMesh((xs, ys, values), dims, hv.Dimension("z", label=title)).opts(
        cmap=colors, colorbar=True, tools=["hover"], xlabel=across, ylabel=up, title=title, **SIZE
    )
    if limits is not None:
        mesh = mesh.opts(clim=(limits[0] * scale, limits[1] * scale))
    layers = mesh
    levels = round_levels(values, lines if isinstance(lines, int) else [line * scale for line in lines])
    marks = []
    for level, path in iso_lines(xs, ys, values, levels):
        for color, width, dash in (("#ffffff", 3, "solid"), ("#000000", 1.2, "dashed")):  # seen on any ground
            layers = layers * hv.Curve(path, *dims).opts(color=color, line_width=width, line_dash=dash)
        marks.append((*path[len(path) // 2], f"{level:.3g}"))
    if marks:  # over all lines
        layers = layers * hv.Labels(marks, dims, "label").opts(
            text_color="#000000", text_font_size="9pt", background_fill_color="#ffffff"
        )
    here = tuple(point[path] for path in grid.dims if path in point)
    if len(here) == 2 and all(isinstance(value, (int, float)) for value in here):
        for color, width in (("#ffffff", 7), ("#000000", 3)):
            layers = layers * hv.Points([here], dims, label="now").opts(
                marker="cross", size=18, line_color=color, line_width=width
            )
    return layers.opts(show_legend=False)


def round_levels(values: Any, lines: int | Sequence[float]) -> list[float]:
    """Round values to draw lines at: about so many, within what is shown."""
    if not np.isfinite(values).any():
        return []
    low, high = float(np.nanmin(values)), float(np.nanmax(values))
    if isinstance(lines, int):
        return round_steps(low, high, lines)[1:-1]
    return [line for line in lines if low < line < high]


def round_steps(low: float, high: float, lines: int) -> list[float]:
    """Round values in even steps, from the last at or below a range to the first at or above it, about so
    many of them within; none where the range is no more than what floats are off by.
    """
    if lines <= 0 or high - low <= _OFF * max(abs(low), abs(high)):
        return []
    rough = (high - low) / (lines + 1)
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= rough)
    return [step * i for i in range(math.floor(low / step + _OFF), math.ceil(high / step - _OFF) + 1)]


def iso_lines(xs: Any, ys: Any, values: Any, levels: Sequence[float]) -> list[tuple[float, Any]]:
    """Lines of equal value, each with its value: arrays of points; a row of `values` for every y."""
    if len(xs) < 2 or len(ys) < 2:
        return []
    from contourpy import contour_generator

    generator = contour_generator(xs, ys, np.ma.masked_invalid(values))
    return [(level, line) for level in levels for line in generator.lines(level) if len(line) > 1]


def stat_curves(sweep: Sweep, measures: Sequence[str] | None = None) -> Any:
    """Measures along one stat, each a curve with a mark at every value, and a line where the Setup stands.

    Args:
        sweep: Over one stat; a choice stands as it is written.
        measures: Names of the sweep's; by default all of its first one's kind, so that they share an axis.

    Raises:
        StatError: the sweep goes over more, or has no such measure.
    """
    if len(sweep.over) != 1:
        raise StatError(f"curves go over one stat, and this sweep goes over {len(sweep.over)}")
    (path,) = sweep.over
    scalar = {name: grid for name, grid in sweep.grids.items() if grid.dims == (path,)}
    if measures is None:
        kinds = {name: sweep.questions.get(name) == "P" for name in scalar}
        measures = [name for name in scalar if kinds[name] == kinds[next(iter(scalar))]]
    curves = []
    for i, name in enumerate(measures[:MOST_CURVES]):
        _, grid = _picked(scalar, name)
        probable = sweep.questions.get(name) == "P"
        curves.append(_curve(grid.coords[path], _floats(grid), path, name, i, percent=probable))
    now = sweep.setup.get(path)
    if isinstance(now, (int, float)) and not isinstance(now, bool):
        curves.append(hv.VLine(now).opts(color="#505a64", line_width=1, line_dash="dotted"))
    return hv.Overlay(curves).opts(legend_position="right", **SIZE)


def _curve(values: Sequence[Any], heights: Any, path: str, name: str, i: int, *, percent: bool) -> Any:
    places = [value if isinstance(value, (str, bool)) else float(value) for value in values]
    places = [str(place) if isinstance(place, bool) else place for place in places]
    unit = "%" if percent else name
    dims = hv.Dimension("x", label=path), hv.Dimension("y", label=unit)
    points = list(zip(places, heights * (100 if percent else 1), strict=True))
    line = hv.Curve(points, *dims, label=name).opts(
        color=COLORS[i], line_dash=DASHES[i], line_width=2, xlabel=path, ylabel=unit, **SIZE
    )
    marks = hv.Scatter(points, *dims, label=name).opts(
        color=COLORS[i], marker=MARKERS[i], size=6, tools=["hover"], **SIZE
    )
    return line * marks


# -- distributions -----------------------------------------------------------------------------------------


def draw_comparison(comparison: Comparison, measure: str | None = None, how: How = "at least") -> Any:
    """The distributions of one measure (by default the first number) of up to six Setups over each other."""
    if measure is None:
        numbers = [name for name in comparison.dists if comparison.measures[name].kind == "number"]
        measure = next(iter([*numbers, *comparison.dists]), None)
    if measure is None or measure not in comparison.dists:
        raise StatError(f"no measure {measure!r}; there are {', '.join(comparison.dists)}")
    return distribution_curves(comparison.dists[measure], how, comparison.measures[measure].unit or measure)


def distribution_curves(dists: Mapping[str, Dist], how: How = "at least", label: str = "outcome") -> Any:
    """Up to six named distributions of numbers over each other.

    Args:
        dists: By name.
        how: "exactly", "at least" or "at most".
        label: What the outcomes are.

    Raises:
        StatError: more than six, or another `how`.
    """
    if len(dists) > MOST_CURVES:
        raise StatError(
            f"{len(dists)} distributions in one chart are not told apart; give {MOST_CURVES} at most"
        )
    if how not in ("exactly", "at least", "at most"):
        raise StatError(f"how is 'exactly', 'at least' or 'at most', not {how!r}")
    support = sorted({outcome for dist in dists.values() for outcome in dist.outcomes})
    curves = []
    for i, (name, dist) in enumerate(dists.items()):
        at = {"exactly": dist.probability, "at least": dist.at_least, "at most": dist.cdf}[how]
        heights = np.array([float(at(outcome)) for outcome in support])
        curves.append(_curve(support, heights, label, name, i, percent=True))
    return hv.Overlay(curves).opts(legend_position="right", ylabel=f"{how} (%)", **SIZE)


def effect_bars(sensitivity: Sensitivity, most: int = 15) -> Any:
    """What one more and one less of each stat is worth, the greatest on top, at most so many stats."""
    shown = [effect for effect in sensitivity.effects.values() if effect.size][:most][::-1]
    scale = 100 if sensitivity.measure.kind == "event" else 1
    unit = "percentage points" if scale == 100 else sensitivity.measure.unit or sensitivity.measure.name
    label = f"change of {sensitivity.measure.name} ({unit})"
    layers = []
    for i, (word, mark) in enumerate((("one more", "triangle"), ("one less", "inverted_triangle"))):
        gains = [effect.more if word == "one more" else effect.less for effect in shown]
        points = [
            (float(gain) * scale, effect.path)
            for effect, gain in zip(shown, gains, strict=True)
            if gain is not None
        ]
        layers.append(
            hv.Scatter(
                points, hv.Dimension("x", label=label), hv.Dimension("y", label="stat"), label=word
            ).opts(color=COLORS[i], marker=mark, size=11, tools=["hover"])
        )
    zero = hv.VLine(0).opts(color="#505a64", line_width=1)
    return hv.Overlay([zero, *layers]).opts(
        legend_position="right", xlabel=label, ylabel="", width=720, height=max(200, 60 + 26 * len(shown))
    )


def formula_curve(formula: Formula) -> Any:
    """The exact values as marks, and through them the closed form, a line a piece."""
    scale = 100 if formula.measure.kind == "event" else 1
    unit = f"{formula.measure.name} (%)" if scale == 100 else formula.measure.name
    dims = hv.Dimension("x", label=formula.variable), hv.Dimension("y", label=unit)
    points = [(float(x), float(value) * scale) for x, value in formula.points.items()]
    layers = [hv.Scatter(points, *dims, label="exact").opts(color="#000000", size=5, tools=["hover"])]
    for i, piece in enumerate(formula.pieces):
        if piece.ratio is None:
            places = [piece.low + (piece.high - piece.low) * j / 50 for j in range(51)]
        else:
            places = [x for x in formula.points if piece.low <= x <= piece.high]
        line = [(float(x), float(piece.at(x, formula.power)) * scale) for x in places]
        style = {"color": COLORS[i % 5], "line_dash": DASHES[i % 5]}
        layers.append(hv.Curve(line, *dims, label=str(formula.form(piece))).opts(line_width=2, **style))
    return hv.Overlay(layers).opts(legend_position="right", xlabel=formula.variable, ylabel=unit, **SIZE)


def solution_points(solutions: Solutions) -> Any:
    """The solutions over the (first) two stats that vary, and where the Setup stands."""
    paths = list(solutions.over)[:2]
    dims = [hv.Dimension(axis, label=path) for axis, path in zip("xy", paths, strict=False)]
    if len(dims) == 1:
        dims.append(hv.Dimension("y", label=" "))
    shown = dict.fromkeys(tuple(_place(value) for value in point[:2]) for point in solutions.points)
    missing = () if len(paths) == 2 else ("",)
    found = hv.Scatter([(*point, *missing) for point in shown], *dims, label="solutions").opts(
        color=COLORS[0], marker="square", size=8, tools=["hover"]
    )
    now = [(*(_place(solutions.setup.get(path)) for path in paths), *missing)]
    here = hv.Scatter(now, *dims, label="now").opts(color="#000000", marker="cross", size=16, line_width=3)
    return hv.Overlay([found, here]).opts(legend_position="right", **SIZE)


def _place(value: Any) -> Any:
    if isinstance(value, (bool, str)) or not hasattr(value, "numerator"):
        return value if isinstance(value, float) else str(value)
    return float(value)


def front_points(front: Front, across: str | None = None, up: str | None = None) -> Any:
    """Every Setup by two of the measures (the first two by default), those on the front filled."""
    names = list(front.measures)
    if len(names) < 2:
        raise StatError("a front is drawn by two measures, and only one counts here")
    across, up = across or names[0], up or names[1]
    for name in (across, up):
        if name not in front.measures:
            raise StatError(f"there is no measure {name!r} here; there are {', '.join(names)}")
    dims = [
        hv.Dimension(axis, label=f"{name} ({'less' if name in front.less_is_better else 'more'} is better)")
        for axis, name in (("x", across), ("y", up))
    ]
    layers = []
    for label, chosen, fill in (("no other beats it", front.front, 1.0), ("beaten", front.beaten_by, 0.0)):
        points = [(float(front.values[name][across]), float(front.values[name][up])) for name in chosen]
        layers.append(hv.Scatter(points, *dims, label=label).opts(color=COLORS[0], fill_alpha=fill, size=10))
        layers.append(
            hv.Labels(
                [(*point, name) for point, name in zip(points, chosen, strict=True)], dims, "name"
            ).opts(
                text_font_size="9pt",
                text_align="left",
                xoffset=0,
                text_baseline="bottom",
                text_color="#000000",
            )
        )
    return hv.Overlay(layers).opts(legend_position="right", padding=0.2, **SIZE)


def _picked(grids: Mapping[str, Grid], measure: str | None) -> tuple[str, Grid]:
    name = next(iter(grids), "") if measure is None else measure
    if name not in grids:
        raise StatError(f"there is no measure {name!r} here; there are {', '.join(grids)}")
    return name, grids[name]


def _floats(grid: Grid) -> Any:
    return np.array([float(value) for value in grid.flat])


_CHARTS: dict[type[Study], Callable[..., Any]] = {
    Sweep: draw_sweep,
    Difference: difference_map,
    Comparison: draw_comparison,
    Sensitivity: effect_bars,
    Formula: formula_curve,
    Solutions: solution_points,
    Front: front_points,
}
