"""The map of a page: HoloViews draws it once, and what follows is only new data for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import holoviews as hv
import holoviews.plotting.bokeh
import numpy as np
import panel as pn
from bokeh.models import FixedTicker, NumeralTickFormatter

from rulekit.rules import StatInfo
from rulekit_widgets.beside import MapData
from rulekit_widgets.frames import key_of

__all__ = ["LiveMap", "embedded"]

_INKS = {
    "light": ("#1c2126", "#ffffff"),
    "dark": ("#e9edf1", "#16191d"),
    "contrast": ("#000000", "#ffffff"),
    "contrast-dark": ("#ffffff", "#000000"),
}
"""Of every theme the colour of lines and letters, and of the ground."""

_LEVELS = 6


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
        self._made = made
        self._shade = shade
        self._go = go
        self._pipe = hv.streams.Pipe(data=(made, shade))
        drawn = hv.DynamicMap(self._drawn, streams=[self._pipe])
        self._tap = hv.streams.Tap(source=drawn, x=None, y=None)
        self._tap.add_subscriber(self._tapped)
        self.pane = pn.pane.HoloViews(
            drawn, sizing_mode="stretch_width", height=340, linked_axes=False, backend="bokeh"
        )

    def show(self, made: MapData, shade: str) -> None:
        """Put other data into the figure."""
        self._made, self._shade = made, shade
        self._pipe.send((made, shade))

    def _tapped(self, x: Any = None, y: Any = None) -> None:
        if x is not None and y is not None:
            at = [_nearest(info, values, place) for info, values, place in _places(self._made, (x, y))]
            self._go(at)

    def _drawn(self, data: tuple[MapData, str]) -> Any:
        return picture(*data)


def embedded(made: MapData, shade: str) -> tuple[str, str]:
    """The map for a file: the scripts that draw it, all of them within, and its place."""
    from bokeh.embed import components
    from bokeh.resources import Resources

    script, place = components(hv.render(picture(made, shade), backend="bokeh"))
    return Resources(mode="inline", components=["bokeh"]).render_js() + script, place


def picture(made: MapData, shade: str) -> Any:
    """The map as a HoloViews overlay: cells, lines of equal value, the present point."""
    xs, ys = (_positions(info, values) for info, values in zip(made.axes, made.values, strict=True))
    # The names of dimensions stay the same: a figure that is there takes new data for them alone.
    across, up = (
        hv.Dimension("across", label=_axis_name(made, 0)),
        hv.Dimension("up", label=_axis_name(made, 1)),
    )
    unit = f", {made.figure.unit}" if made.figure.unit else ""
    measure = hv.Dimension("measure", label=made.figure.name + unit)
    cells = hv.Image((xs, ys, np.array(made.cells)), [across, up], measure)
    known = [cell for row in made.cells for cell in row if cell == cell]
    low, high = (min(known), max(known)) if known else (0.0, 1.0)
    levels = [low + (high - low) * k / (_LEVELS + 1) for k in range(1, _LEVELS + 1)] if high > low else [low]
    lines = (
        hv.operation.contours(cells, levels=levels, overlaid=False)
        if high > low
        else hv.Contours([], [across, up], measure)
    )
    here = [] if made.here is None else [(xs[made.here[0]], ys[made.here[1]])]
    ink, ground = _INKS[shade]
    hook = _hook(made, (low, high), ink, ground)
    points = [
        hv.Points(here, [across, up]).opts(
            backend="bokeh", marker="circle_cross", size=17, color=None, line_color=color, line_width=width
        )
        for color, width in (("black", 5), ("white", 2))
    ]
    cells = cells.opts(
        backend="bokeh",
        cmap="cividis",
        colorbar=True,
        clim=(low, high if high > low else low + 1),
        tools=["hover"],
    )
    lines = lines.opts(
        backend="bokeh", cmap=["white"], line_width=1, line_alpha=0.8, colorbar=False, show_legend=False
    )
    return hv.Overlay([cells, lines, *points]).opts(
        backend="bokeh",
        responsive=True,
        height=340,
        toolbar=None,
        default_tools=[],
        active_tools=[],
        framewise=True,
        hooks=[hook],
        show_title=False,
    )


def _axis_name(made: MapData, k: int) -> str:
    unit = made.axes[k].unit
    return made.labels[k] + (f", {unit}" if unit else "")


def _positions(info: StatInfo, values: Sequence[Any]) -> list[float]:
    """Where the values stand on an axis: numbers where they are, choices one after another."""
    if info.kind in ("whole", "decimal"):
        return [float(value) for value in values]
    return [float(i) for i in range(len(values))]


def _places(made: MapData, at: tuple[float, float]) -> Any:
    return zip(made.axes, made.values, at, strict=True)


def _nearest(info: StatInfo, values: Sequence[Any], place: float) -> Any:
    positions = _positions(info, values)
    return values[min(range(len(values)), key=lambda i: abs(positions[i] - place))]


def _hook(made: MapData, ends: tuple[float, float], ink: str, ground: str) -> Callable[[Any, Any], None]:
    """What HoloViews has no options for, set on the figure whenever data comes."""

    def dress(plot: Any, element: Any) -> None:
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
        figure.xaxis[0].axis_label, figure.yaxis[0].axis_label = _axis_name(made, 0), _axis_name(made, 1)
        for bar in figure.select(type=_color_bar()):
            bar.title = None
            bar.background_fill_color, bar.major_label_text_color = ground, ink
            if made.figure.kind == "event":
                bar.formatter = NumeralTickFormatter(format="0.[0] %")

    return dress


def _color_bar() -> Any:
    from bokeh.models import ColorBar

    return ColorBar
