"""The map of a page: HoloViews draws it once, and what follows is new data for the figure that is there."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any

import holoviews as hv
import holoviews.plotting.bokeh
import numpy as np
import panel as pn
from bokeh.embed import components
from bokeh.events import Tap
from bokeh.models import (
    BasicTicker,
    BasicTickFormatter,
    ColorBar,
    CustomJS,
    FixedTicker,
    HoverTool,
    NumeralTickFormatter,
)
from bokeh.resources import Resources

from rulekit.distributions.formatting import format_number, format_probability
from rulekit.rules import StatInfo
from rulekit_widgets.beside import MapData
from rulekit_widgets.charts import iso_lines, round_levels
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
_HEIGHT = 340

_BARE: dict[str, Any] = {"backend": "bokeh", "default_tools": [], "active_tools": []}
"""Nothing of a map takes the wheel or a drag away from the page."""

_TOLD = """
const detail = {figure: figure.id, x: cb_obj.x, y: cb_obj.y};
window.dispatchEvent(new CustomEvent("rulekit:tap", {detail}));
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
    """The map for a file: the scripts that draw it, all of them within, and its place."""
    drawing = _Drawing(made)
    figure = hv.render(_picture(drawing, lambda figure: _fill(figure, drawing, shade)), backend="bokeh")
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
        self.ends = low, high if high > low else low + 1
        self.is_number = [info.kind in ("whole", "decimal") for info in made.axes]
        levels = round_levels(self.cells, _LINES) if all(self.is_number) else []
        self.lines = iso_lines(np.array(xs), np.array(ys), self.cells, levels)
        self.labels = [(*line[len(line) // 2], self._text(level)) for level, line in self.lines]
        self.here = [] if made.here is None else [(xs[made.here[0]], ys[made.here[1]])]
        self.steps = [(places[-1] - places[0]) / (len(places) - 1) for places in (xs, ys)]
        self.bounds = [
            (places[0] - step / 2, places[-1] + step / 2)
            for places, step in zip((xs, ys), self.steps, strict=True)
        ]
        self.places = xs, ys

    def _text(self, level: float) -> str:
        if self.made.figure.kind == "event":
            return format_probability(level, approximate=True)
        return format_number(level)

    def sources(self) -> list[dict[str, Any]]:
        """What the sources of the figure hold: cells, lines, their labels, and twice the present point."""
        (left, right), (bottom, top) = self.bounds
        xs, ys, texts = ([label[k] for label in self.labels] for k in range(3))
        here = {"across": [x for x, _ in self.here], "up": [y for _, y in self.here]}
        return [
            {"image": [self.cells], "x": [left], "y": [bottom], "dw": [right - left], "dh": [top - bottom]},
            {
                "xs": [line[:, 0] for _, line in self.lines],
                "ys": [line[:, 1] for _, line in self.lines],
                "measure": [level for level, _ in self.lines],
            },
            {"across": xs, "up": ys, "text": texts},
            here,
            dict(here),
        ]


def _picture(drawing: _Drawing, take: Callable[[Any], None]) -> Any:
    """The map as a HoloViews overlay; `take` gets the figure that draws it."""
    # The names of dimensions stay the same: a figure that is there takes new data for them.
    across, up, measure = hv.Dimension("across"), hv.Dimension("up"), hv.Dimension("measure")
    paths = [{"across": line[:, 0], "up": line[:, 1], "measure": level} for level, line in drawing.lines]
    points = [
        hv.Points(drawing.here, [across, up]).opts(
            **_BARE, marker="circle_cross", size=17, color=None, line_color=color, line_width=width
        )
        for color, width in (("black", 5), ("white", 2))
    ]
    layers = [
        hv.Image((*drawing.places, drawing.cells), [across, up], measure).opts(
            **_BARE, cmap="cividis", colorbar=True, clim=drawing.ends, tools=["hover"]
        ),
        hv.Contours(paths, [across, up], measure).opts(
            **_BARE, cmap=["white"], line_width=1.2, colorbar=False, show_legend=False
        ),
        hv.Labels(drawing.labels, [across, up], "text").opts(
            **_BARE, text_color="#000000", text_font_size="9pt", background_fill_color="#ffffff"
        ),
        *points,
    ]
    return hv.Overlay(layers).opts(
        backend="bokeh",
        responsive=True,
        height=_HEIGHT,
        toolbar=None,
        show_title=False,
        hooks=[lambda plot, element: take(plot.state)],
    )


def _fill(figure: Any, drawing: _Drawing, shade: str) -> None:
    """Put data and colours into a figure."""
    made, (ink, ground) = drawing.made, _INKS[shade]
    for renderer, data in zip(figure.renderers, drawing.sources(), strict=True):
        renderer.data_source.data = data
    mapper = figure.renderers[0].glyph.color_mapper
    mapper.low, mapper.high = drawing.ends
    for range_, (low, high) in zip((figure.x_range, figure.y_range), drawing.bounds, strict=True):
        range_.update(start=low, end=high, reset_start=low, reset_end=high)
    figure.update(background_fill_color=ground, border_fill_color=ground, outline_line_color=ink)
    for k, axis in enumerate((figure.xaxis[0], figure.yaxis[0])):
        axis.update(
            axis_label=_axis_name(made, k),
            axis_label_text_color=ink,
            major_label_text_color=ink,
            axis_line_color=ink,
            major_tick_line_color=ink,
            minor_tick_line_color=None,
        )
        if not drawing.is_number[k]:
            axis.ticker = FixedTicker(ticks=list(range(len(made.values[k]))))
            axis.major_label_overrides = {i: key_of(value) for i, value in enumerate(made.values[k])}
        elif isinstance(axis.ticker, FixedTicker):
            axis.ticker, axis.major_label_overrides = BasicTicker(), {}
    (bar,) = (each for each in figure.right if isinstance(each, ColorBar))
    bar.update(title=None, background_fill_color=ground, major_label_text_color=ink)
    is_chance = made.figure.kind == "event"
    if isinstance(bar.formatter, NumeralTickFormatter) != is_chance:
        bar.formatter = NumeralTickFormatter(format="0.[0] %") if is_chance else BasicTickFormatter()
    value = (made.figure.name, "@image{0.[0] %}" if is_chance else "@image{0.[00]}")
    names = zip(made.labels, ("$x{0.[00]}", "$y{0.[00]}"), drawing.is_number, strict=True)
    (hover,) = (tool for tool in figure.toolbar.tools if isinstance(tool, HoverTool))
    hover.tooltips = [*((label, text) for label, text, number in names if number), value]


def _axis_name(made: MapData, k: int) -> str:
    unit = made.axes[k].unit
    return made.labels[k] + (f", {unit}" if unit else "")


def _positions(info: StatInfo, values: Sequence[Any]) -> list[float]:
    """Where the values stand on an axis: numbers where they are, choices one after another."""
    if info.kind in ("whole", "decimal"):
        return [float(value) for value in values]
    return [float(i) for i in range(len(values))]
