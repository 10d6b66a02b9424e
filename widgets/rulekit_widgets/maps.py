"""The map of a page: HoloViews draws it once, and what follows is new data for the figure that is there."""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import holoviews as hv
import holoviews.plotting.bokeh
import numpy as np
import panel as pn
from bokeh.document import Document
from bokeh.embed import components
from bokeh.events import DocumentReady, Tap
from bokeh.models import BasicTicker, BoxAnnotation, ColorBar, CustomJS, FixedTicker, HoverTool
from bokeh.palettes import Cividis256
from bokeh.resources import Resources

from rulekit.distributions.formatting import format_number, format_probability
from rulekit.rules import StatInfo
from rulekit_widgets.beside import MapData
from rulekit_widgets.charts import iso_lines, round_steps
from rulekit_widgets.frames import key_of

__all__ = ["LiveMap", "embedded", "nearest"]

_INKS = {
    "light": ("#1c2126", "#ffffff"),
    "dark": ("#e9edf1", "#16191d"),
    "contrast": ("#000000", "#ffffff"),
    "contrast-dark": ("#ffffff", "#000000"),
}
"""Of every theme the colour of lines and letters, and of the ground."""

_LINES = 5
_NEAR = 0.2
"""A line's label keeps that far from the present point, as a share of the map."""

_HEIGHT = 340

_BARE: dict[str, Any] = {"backend": "bokeh", "default_tools": [], "active_tools": []}
"""Nothing of a map takes the wheel or a drag away from the page."""

_TOLD = """
const detail = {figure: figure.id, x: cb_obj.x, y: cb_obj.y};
window.dispatchEvent(new CustomEvent("rulekit:tap", {detail}));
"""

_FOLLOWS = """
const page = document.querySelector(".rk-page");
const dress = () => {
  for (const [model, look] of looks[page.dataset.theme]) model.setv(look);
};
new MutationObserver(dress).observe(page, {attributes: true, attributeFilter: ["data-theme"]});
dress();
"""


class LiveMap:
    """A map that stays the same figure while its data changes.

    Args:
        made: What to show first.
        shade: The theme's name.

    Attributes:
        pane: The Panel pane to put on a page. A click on it is told to the window as `rulekit:tap`.
    """

    def __init__(self, made: MapData, shade: str) -> None:
        self._shown = _Drawing(made), shade
        self._figures: weakref.WeakSet[Any] = weakref.WeakSet()
        drawn = _picture(self._shown[0], self._taken)
        self.pane = pn.pane.HoloViews(
            drawn, sizing_mode="stretch_width", height=_HEIGHT, linked_axes=False, backend="bokeh"
        )

    def show(self, made: MapData, shade: str) -> None:
        """Put other data into every figure of it."""
        self._shown = _Drawing(made), shade
        for figure in self._figures:
            _fill(figure, *self._shown)
        if pn.state.curdoc is None or pn.state.curdoc.session_context is None:
            pn.io.push_notebook(self.pane)

    def _taken(self, figure: Any) -> None:
        """A figure was made, for one more place where the page is shown."""
        figure.js_on_event(Tap, CustomJS(args={"figure": figure}, code=_TOLD))
        self._figures.add(figure)
        _fill(figure, *self._shown)


def embedded(made: MapData, shade: str) -> tuple[str, str]:
    """The map for a file: the scripts that draw it, in the theme of the page around it, and its place."""
    drawing = _Drawing(made)
    figure = hv.render(_picture(drawing, lambda figure: _fill(figure, drawing, shade)), backend="bokeh")
    document = Document()
    document.add_root(figure)
    looks = {theme: _looks(figure, drawing, theme) for theme in _INKS}
    document.js_on_event(DocumentReady, CustomJS(args={"looks": looks}, code=_FOLLOWS))
    script, place = components(figure)
    # Bokeh's own scripts alone: with `render_js` come those that other packages have asked for.
    library = "\n".join(Resources(mode="inline", components=["bokeh"]).js_raw)
    return f'<script type="text/javascript">\n{library}\n</script>\n{script}', place


def nearest(made: MapData, at: Sequence[float]) -> list[Any]:
    """The values of both stats whose place is the nearest to a point of the figure."""
    found = []
    for info, values, place in zip(made.axes, made.values, at, strict=True):
        positions = _positions(info, values)
        found.append(values[min(range(len(values)), key=lambda i: abs(positions[i] - place))])
    return found


class _Drawing:
    """A map's data as the figure's sources have it, layer by layer."""

    def __init__(self, made: MapData) -> None:
        self.made = made
        xs, ys = (_positions(info, values) for info, values in zip(made.axes, made.values, strict=True))
        self.cells = np.array(made.cells)
        known = self.cells[np.isfinite(self.cells)]
        low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
        self.levels = round_steps(low, high, _LINES) or [low]
        self.ends = low, high if len(self.levels) > 1 else low + 1
        self.is_number = [info.kind in ("whole", "decimal") for info in made.axes]
        levels = self.levels[1:-1] if all(self.is_number) else []
        self.lines = iso_lines(np.array(xs), np.array(ys), self.cells, levels)
        self.here = [] if made.here is None else [(xs[made.here[0]], ys[made.here[1]])]
        steps = [(places[-1] - places[0]) / (len(places) - 1) for places in (xs, ys)]
        self.bounds = [
            (places[0] - step / 2, places[-1] + step / 2)
            for places, step in zip((xs, ys), steps, strict=True)
        ]
        self.places = xs, ys
        self.labels = [(*self._label_place(line), self.text(level)) for level, line in self.lines]

    def _label_place(self, line: Any) -> Any:
        """The middle of a line; where the present point is near, the quarter that is farther from it."""
        size = [high - low for low, high in self.bounds]

        def away(place: Any) -> float:
            return min((float(np.hypot(*((place - here) / size))) for here in self.here), default=math.inf)

        quarter, middle, last = (line[len(line) * k // 4] for k in (1, 2, 3))
        return middle if away(middle) >= _NEAR else max(quarter, last, key=away)

    def text(self, level: float) -> str:
        """A value as the map writes it."""
        if self.made.figure.kind == "event":
            return format_probability(level, approximate=True)
        return format_number(level)

    def sources(self) -> list[dict[str, Any]]:
        """What the sources of the figure hold: cells, twice the lines, their labels, twice the point."""
        (left, right), (bottom, top) = self.bounds
        xs, ys, texts = ([label[k] for label in self.labels] for k in range(3))
        here = {"across": [x for x, _ in self.here], "up": [y for _, y in self.here]}
        lines = {
            "xs": [line[:, 0] for _, line in self.lines],
            "ys": [line[:, 1] for _, line in self.lines],
        }
        return [
            {"image": [self.cells], "x": [left], "y": [bottom], "dw": [right - left], "dh": [top - bottom]},
            lines,
            dict(lines),
            {"across": xs, "up": ys, "text": texts},
            here,
            dict(here),
        ]


def _picture(drawing: _Drawing, take: Callable[[Any], None]) -> Any:
    """The map as a HoloViews overlay; `take` gets the figure that draws it."""
    # The names of dimensions stay the same: a figure that is there takes new data for them.
    across, up, measure = hv.Dimension("across"), hv.Dimension("up"), hv.Dimension("measure")
    paths = [{"across": line[:, 0], "up": line[:, 1]} for _, line in drawing.lines]
    # Lines and the point are drawn twice, narrow on wide: seen on the darkest and on the palest cell.
    lines = [hv.Contours(paths, [across, up]).opts(**_BARE, show_legend=False) for _ in range(2)]
    points = [
        hv.Points(drawing.here, [across, up]).opts(**_BARE, marker="circle_cross", color=None)
        for _ in range(2)
    ]
    layers = [
        hv.Image((*drawing.places, drawing.cells), [across, up], measure).opts(
            **_BARE, colorbar=True, clim=drawing.ends, tools=["hover"]
        ),
        *lines,
        hv.Labels(drawing.labels, [across, up], "text").opts(**_BARE),
        *points,
    ]
    return hv.Overlay(layers).opts(
        backend="bokeh",
        responsive=True,
        height=_HEIGHT,
        toolbar=None,
        show_title=False,
        hooks=[lambda plot, element: take(_on_hatch(plot.state))],
    )


def _on_hatch(figure: Any) -> Any:
    """A figure whose cells lie over a hatch: seen where there are none, in high contrast. A figure's own
    background hatch fails in the browser when it is there before the canvas is.
    """
    if not figure.select(BoxAnnotation):
        figure.add_layout(BoxAnnotation(level="image", line_color=None, hatch_pattern="/", visible=False))
        figure.renderers[0].level = "underlay"
    return figure


def _fill(figure: Any, drawing: _Drawing, shade: str) -> None:
    """Put data and colours into a figure."""
    made = drawing.made
    for renderer, data in zip(figure.renderers, drawing.sources(), strict=True):
        renderer.data_source.data = data
    for range_, (low, high) in zip((figure.x_range, figure.y_range), drawing.bounds, strict=True):
        range_.update(start=low, end=high, reset_start=low, reset_end=high)
    for k, axis in enumerate((figure.xaxis[0], figure.yaxis[0])):
        axis.update(axis_label=_axis_name(made, k), minor_tick_line_color=None)
        if not drawing.is_number[k]:
            axis.ticker = FixedTicker(ticks=list(range(len(made.values[k]))))
            axis.major_label_overrides = {i: key_of(value) for i, value in enumerate(made.values[k])}
        elif isinstance(axis.ticker, FixedTicker):
            axis.ticker, axis.major_label_overrides = BasicTicker(), {}
    figure.styles = {"clip-path": "inset(2px)"}  # a trace of a former ground stays around a canvas
    bar = _color_bar(figure)
    bar.update(title=None, major_label_overrides={level: drawing.text(level) for level in drawing.levels})
    if not isinstance(bar.ticker, FixedTicker):
        bar.ticker = FixedTicker()
    for model, look in _looks(figure, drawing, shade):
        model.update(**look)
    value = (made.figure.name, "@image{0.[0] %}" if made.figure.kind == "event" else "@image{0.[00]}")
    names = zip(made.labels, ("$x{0.[00]}", "$y{0.[00]}"), drawing.is_number, strict=True)
    (hover,) = (tool for tool in figure.toolbar.tools if isinstance(tool, HoverTool))
    hover.tooltips = [*((label, text) for label, text, number in names if number), value]


def _looks(figure: Any, drawing: _Drawing, shade: str) -> list[tuple[Any, dict[str, Any]]]:
    """What differs from theme to theme: models of the figure with their properties.

    In high contrast the cells go from ground to ink in a few even greys, one from each round value to the
    next; lines over them are ink on ground, and where the rule does not apply there is a hatch.
    """
    ink, ground = _INKS[shade]
    (low, high), levels = drawing.ends, drawing.levels
    strong = shade.startswith("contrast")
    if strong:
        core, around, edge, size = ink, ground, 2, 1.25
        palette = _greys(len(levels) - 1, ground, ink)
        low, high = (levels[0], levels[-1]) if len(levels) > 1 else (low, high)
    else:
        core, around, edge, size = "#ffffff", "#000000", 1, 1.0
        palette = list(Cividis256)
        levels = [level for level in levels if low <= level <= high]
    plot = {
        "background_fill_color": ground,
        "border_fill_color": ground,
        "outline_line_color": ink,
        "outline_line_width": 2 * edge,
    }
    ticks = {
        "major_label_text_color": ink,
        "major_label_text_font_size": f"{11 * size:g}px",
        "major_tick_line_color": ink,
        "major_tick_line_width": edge,
    }
    axis = {
        **ticks,
        "axis_label_text_color": ink,
        "axis_label_text_font_size": f"{13 * size:g}px",
        "axis_line_color": ink,
        "axis_line_width": edge,
    }
    label = {
        "text_color": core,
        "text_font_size": f"{9 * size:g}pt",
        "background_fill_color": around,
        "border_line_color": core,
        "padding": 2,
    }
    bar = _color_bar(figure)
    cells, line_around, line, labels, point_around, point = (each.glyph for each in figure.renderers)
    return [
        (figure, plot),
        (figure.select_one(BoxAnnotation), {"visible": strong, "fill_color": ground, "hatch_color": ink}),
        (figure.xaxis[0], axis),
        (figure.yaxis[0], axis),
        (bar, {**ticks, "background_fill_color": ground, "bar_line_color": ink, "bar_line_width": edge}),
        (bar.ticker, {"ticks": levels}),
        (cells.color_mapper, {"palette": palette, "low": low, "high": high}),
        (line_around, {"line_color": around, "line_width": 2.6 * edge}),
        (line, {"line_color": core, "line_width": 1.2 * edge}),
        (labels, label),
        (point_around, {"line_color": around, "line_width": 5 * size, "size": 17 * size}),
        (point, {"line_color": core, "line_width": 2 * size, "size": 17 * size}),
    ]


def _color_bar(figure: Any) -> Any:
    (bar,) = (each for each in figure.right if isinstance(each, ColorBar))
    return bar


def _greys(count: int, first: str, last: str) -> list[str]:
    """So many greys in even steps from one colour to another; a single one is between them."""
    ends = [int(color[1:3], 16) for color in (first, last)]
    shares = [k / (count - 1) for k in range(count)] if count > 1 else [0.5]
    return ["#" + f"{round(ends[0] + share * (ends[1] - ends[0])):02x}" * 3 for share in shares]


def _axis_name(made: MapData, k: int) -> str:
    unit = made.axes[k].unit
    return made.labels[k] + (f", {unit}" if unit else "")


def _positions(info: StatInfo, values: Sequence[Any]) -> list[float]:
    """Where the values stand on an axis: numbers where they are, choices one after another."""
    if info.kind in ("whole", "decimal"):
        return [float(value) for value in values]
    return [float(i) for i in range(len(values))]
