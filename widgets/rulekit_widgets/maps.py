"""The map of a page: HoloViews draws it once, and what follows is only new data for it."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import holoviews as hv
import holoviews.plotting.bokeh
import numpy as np
import panel as pn
from bokeh.models import BasicTicker, BasicTickFormatter, ColorBar, FixedTicker, NumeralTickFormatter

from rulekit.distributions.formatting import format_number, format_probability
from rulekit.rules import StatInfo
from rulekit_widgets.beside import MapData
from rulekit_widgets.charts import iso_lines, round_levels
from rulekit_widgets.frames import key_of

__all__ = ["LiveMap", "embedded"]

_INKS = {
    "light": ("#1c2126", "#ffffff"),
    "dark": ("#e9edf1", "#16191d"),
    "contrast": ("#000000", "#ffffff"),
    "contrast-dark": ("#ffffff", "#000000"),
}
"""Of every theme the colour of lines and letters, and of the ground."""

_LINES = 5

_FIGURE: dict[str, Any] = {
    "backend": "bokeh",
    "responsive": True,
    "height": 340,
    "toolbar": None,
    "default_tools": [],
    "active_tools": [],
    "show_title": False,
}


class LiveMap:
    """A map that stays the same figure while its data changes.

    Args:
        made: What to show first.
        shade: The theme's name.
        go: What to call with the values of both stats when a place is clicked.

    Attributes:
        pane: The Panel pane to put on a page.
    """

    def __init__(self, made: MapData, shade: str, go: Callable[[Sequence[Any]], None]) -> None:
        self._go = go
        self._shown = made, shade
        self._layers = _layers(made)
        self._pipe = hv.streams.Pipe(data=0)
        maps = [hv.DynamicMap(self._layer(k), streams=[self._pipe]) for k in range(len(self._layers))]
        self._tap = hv.streams.Tap(source=maps[0])
        self._tap.add_subscriber(self._tapped)
        drawn = functools.reduce(operator.mul, maps).opts(**_FIGURE, hooks=[_hook(lambda: self._shown)])
        self.pane = pn.pane.HoloViews(
            drawn, sizing_mode="stretch_width", height=340, linked_axes=False, backend="bokeh"
        )

    def show(self, made: MapData, shade: str) -> None:
        """Put other data into the figure."""
        self._shown = made, shade
        self._layers = _layers(made)
        self._pipe.send(self._pipe.data + 1)

    def _layer(self, k: int) -> Callable[..., Any]:
        return lambda data: self._layers[k]

    def _tapped(self, x: Any = None, y: Any = None) -> None:
        if x is not None and y is not None:
            made = self._shown[0]
            places = zip(made.axes, made.values, (x, y), strict=True)
            self._go([_nearest(info, values, place) for info, values, place in places])


def embedded(made: MapData, shade: str) -> tuple[str, str]:
    """The map for a file: the scripts that draw it, all of them within, and its place."""
    from bokeh.embed import components
    from bokeh.resources import Resources

    script, place = components(hv.render(picture(made, shade), backend="bokeh"))
    return Resources(mode="inline", components=["bokeh"]).render_js() + script, place


def picture(made: MapData, shade: str) -> Any:
    """The map as a HoloViews overlay: cells, lines of equal value, the present point."""
    return hv.Overlay(_layers(made)).opts(**_FIGURE, hooks=[_hook(lambda: (made, shade))])


def _layers(made: MapData) -> list[Any]:
    xs, ys = (_positions(info, values) for info, values in zip(made.axes, made.values, strict=True))
    # The names of dimensions stay the same: a figure that is there takes new data for them alone.
    across, up, measure = hv.Dimension("across"), hv.Dimension("up"), hv.Dimension("measure")
    values = np.array(made.cells)
    known = values[np.isfinite(values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    numbers = all(info.kind in ("whole", "decimal") for info in made.axes)
    levels = round_levels(values, _LINES) if numbers else []
    found = iso_lines(np.array(xs), np.array(ys), values, levels)
    paths = [{"across": line[:, 0], "up": line[:, 1], "measure": level} for level, line in found]
    middles = [(*line[len(line) // 2], _level_text(made, level)) for level, line in found]
    here = [] if made.here is None else [(xs[made.here[0]], ys[made.here[1]])]
    points = [
        hv.Points(here, [across, up]).opts(
            backend="bokeh", marker="circle_cross", size=17, color=None, line_color=color, line_width=width
        )
        for color, width in (("black", 5), ("white", 2))
    ]
    return [
        hv.Image((xs, ys, values), [across, up], measure).opts(
            backend="bokeh",
            cmap="cividis",
            colorbar=True,
            clim=(low, high if high > low else low + 1),
            tools=["hover"],
            framewise=True,
        ),
        hv.Contours(paths, [across, up], measure).opts(
            backend="bokeh", cmap=["white"], line_width=1.2, colorbar=False, show_legend=False
        ),
        hv.Labels(middles, [across, up], "text").opts(
            backend="bokeh", text_color="white", text_font_size="9pt", text_font_style="bold"
        ),
        *points,
    ]


def _level_text(made: MapData, level: float) -> str:
    return (
        format_probability(level, approximate=True) if made.figure.kind == "event" else format_number(level)
    )


def _axis_name(made: MapData, k: int) -> str:
    unit = made.axes[k].unit
    return made.labels[k] + (f", {unit}" if unit else "")


def _positions(info: StatInfo, values: Sequence[Any]) -> list[float]:
    """Where the values stand on an axis: numbers where they are, choices one after another."""
    if info.kind in ("whole", "decimal"):
        return [float(value) for value in values]
    return [float(i) for i in range(len(values))]


def _nearest(info: StatInfo, values: Sequence[Any], place: float) -> Any:
    positions = _positions(info, values)
    return values[min(range(len(values)), key=lambda i: abs(positions[i] - place))]


def _hook(shown: Callable[[], tuple[MapData, str]]) -> Callable[[Any, Any], None]:
    """What HoloViews has no options for, set on the figure whenever data comes."""

    def dress(plot: Any, element: Any) -> None:
        made, shade = shown()
        ink, ground = _INKS[shade]
        figure = plot.state
        figure.background_fill_color = figure.border_fill_color = ground
        figure.outline_line_color = ink
        for axis, info, values in zip((*figure.xaxis, *figure.yaxis), made.axes, made.values, strict=True):
            axis.axis_label_text_color = axis.major_label_text_color = ink
            axis.axis_line_color = axis.major_tick_line_color = ink
            axis.minor_tick_line_color = None
            if info.kind not in ("whole", "decimal"):
                axis.ticker = FixedTicker(ticks=list(range(len(values))))
                axis.major_label_overrides = {i: key_of(value) for i, value in enumerate(values)}
            elif isinstance(axis.ticker, FixedTicker):
                axis.ticker, axis.major_label_overrides = BasicTicker(), {}
        figure.xaxis[0].axis_label, figure.yaxis[0].axis_label = _axis_name(made, 0), _axis_name(made, 1)
        for bar in figure.select(type=ColorBar):
            bar.title = None
            bar.background_fill_color, bar.major_label_text_color = ground, ink
            wanted = NumeralTickFormatter if made.figure.kind == "event" else BasicTickFormatter
            if type(bar.formatter) is not wanted:
                bar.formatter = wanted(format="0.[0] %") if made.figure.kind == "event" else wanted()

    return dress
