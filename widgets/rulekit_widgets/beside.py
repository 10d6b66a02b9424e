"""What stands beside the explorer on a page: the map, what a point is worth, the readings, and why.

Each is a pure function of a View, gives plain data with its texts, and may take its time: the page asks for
it when the cheap things are on the screen.
"""

from __future__ import annotations

import base64
import csv
import io
import math
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rulekit import _caches
from rulekit._clock import processor_time
from rulekit.distributions.formatting import format_number, format_probability
from rulekit.errors import RulekitError
from rulekit.rolls import Roll, ask, explain, stat
from rulekit.rolls.explaining import Explanation
from rulekit.rules import Readings, Setup, StatInfo, measures_of
from rulekit.studies.asking import asked_of
from rulekit.studies.sensing import Sensitivity, sensitivity
from rulekit.studies.sweeping import sweep
from rulekit_widgets.frames import key_of
from rulekit_widgets.views import View

__all__ = ["MapData", "key_for", "map_axes", "map_of", "readings_of", "why_of", "worth_of"]

_SLIDES = ("whole", "decimal", "switch", "choice")
_CELLS = 4_000
"""A map has at most this many places, where the rule can keep its stats as axes."""

_SECONDS = 2.0
_BESIDES = 0.02
"""A map takes about that many seconds at most, and has fewer places where each takes long; what a question
takes however many places it has is not counted for each.
"""

_DEEP = 4
_LEAVES = 60


def key_for(view: View) -> str:
    """What these are made for: the Setup, the measure, the stats of the map, and how numbers are written."""
    return " ".join([view.setup.key, view.measure, view.mode, *view.axes])


@dataclass(frozen=True)
class Figure:
    """The one number that maps, worth and readings tell: an event's probability, a number's mean, and of a
    label the probability of what is likeliest now.

    Attributes:
        wanted: What to ask of a Setup: the measure's path, or a function of the outcome.
        name: For people.
        kind: "event" or "number".
        unit: Of a number.
        value: What it is where the Setup stands.
    """

    wanted: str | Callable[[Any], Any]
    name: str
    kind: str
    unit: str
    value: Any

    def text(self, value: Any, view: View) -> str:
        """A value of it, as the view writes numbers."""
        if self.kind == "event":
            exact = isinstance(value, (int, Fraction))
            return format_probability(value, view.mode, approximate=not exact)
        return f"{format_number(value)} {self.unit}".rstrip()

    def difference(self, now: Any) -> str:
        """How far another value is from the present one, in points of probability or in the unit."""
        by = now - self.value
        if not by:
            return "no change"
        if self.kind == "event":
            return f"{format_number(by * 100, signed=True)} points"
        return f"{format_number(by, signed=True)} {self.unit}".rstrip()


def figure_of(view: View) -> Figure:
    """The number that stands for the view's measure.

    Raises:
        NotAllowed: the rule does not apply here.
    """
    info = next(info for info in view.setup.measures if info.path == view.measure)
    roll = measures_of(view.setup())[view.measure]
    name = (info.label or info.path).capitalize()
    how = {"event": "P", "number": "E", "label": "dist"}[info.kind]
    (grid,) = ask([(how, roll)], exact=True)
    if info.kind != "label":
        return Figure(view.measure, name, info.kind, info.unit, grid.item())
    odds = dict(zip(grid.coords["outcome"], grid.flat, strict=True))
    likeliest = max(odds, key=odds.__getitem__)

    def is_it(outcome: Any) -> Roll[bool]:
        happens: Roll[bool] = measures_of(outcome)[view.measure] == likeliest
        return happens

    is_it.__name__ = f"{view.measure}: {key_of(likeliest)}"
    return Figure(is_it, f"{name}: {key_of(likeliest)}", "event", "", odds[likeliest])


def label_of(info: StatInfo, setup: Setup[Any]) -> str:
    """A stat's name for people, with what it belongs to where another stat is called the same."""
    name = info.label.partition(": ")[2] or info.label
    others = [other for other in setup.stats if (other.label.partition(": ")[2] or other.label) == name]
    if len(others) > 1:
        name = f"{info.path.rpartition('.')[0].replace('_', ' ').replace('.', ' ')} {name}".strip()
    name = name.replace("_", " ")
    return name[:1].upper() + name[1:]


# -- worth ---------------------------------------------------------------------------------------------------


def worth_of(view: View) -> tuple[dict[str, Any], Sensitivity]:
    """What one point more and less of each stat changes, ranked.

    Returns:
        Plain data (`key`, `text`, `rows` with `path`, `label`, `now`, `less`, `more`), and the study itself.
    """
    figure = figure_of(view)
    study = sensitivity(view.setup, figure.wanted)
    stats = {info.path: info for info in view.setup.stats}
    rows = [
        {
            "path": path,
            "label": label_of(stats[path], view.setup),
            "now": key_of(effect.value),
            "less": "" if effect.less is None else figure.difference(figure.value + effect.less),
            "more": "" if effect.more is None else figure.difference(figure.value + effect.more),
        }
        for path, effect in study.effects.items()
        if effect.size
    ]
    still = len(study.effects) - len(rows)
    text = f"{figure.name} is {figure.text(figure.value, view)} now"
    if not rows:
        text += "; one point of no stat changes it"
    elif still:
        text += f"; one point of {still} other {'stat' if still == 1 else 'stats'} changes nothing"
    return {"key": key_for(view), "text": f"{text}.", "rows": rows}, study


# -- readings ------------------------------------------------------------------------------------------------


def readings_of(view: View) -> dict[str, Any]:
    """For every reading of the rulebook its choices, which is on, and the difference that each would make.

    Returns:
        `key`, and `groups` with `path`, `label`, `help` and `choices` (`value`, `label`, `on`, `difference`).
    """
    figure = figure_of(view)
    groups = []
    for info in view.setup.stats:
        parent = info.path.rpartition(".")[0]
        if info.kind not in ("choice", "switch") or not parent or not _is_readings(view.setup, parent):
            continue
        choices = (False, True) if info.kind == "switch" else info.choices
        groups.append(
            {
                "path": info.path,
                "label": label_of(info, view.setup),
                "help": info.help,
                "choices": [_reading(view, figure, info, choice) for choice in choices],
            }
        )
    return {"key": key_for(view), "groups": groups}


def _is_readings(setup: Setup[Any], path: str) -> bool:
    return isinstance(setup.get(path), Readings)


def _reading(view: View, figure: Figure, info: StatInfo, choice: Any) -> dict[str, Any]:
    on = choice == info.value
    label = ("Yes" if choice else "No") if isinstance(choice, bool) else str(choice).replace("_", " ")
    told = ""
    if not on:
        try:
            told = figure.difference(_value(view.setup.at({info.path: choice}), figure))
        except RulekitError as fault:
            told = str(fault).partition("\n")[0]
    return {"value": choice, "label": label[:1].upper() + label[1:], "on": on, "difference": told}


def _value(setup: Setup[Any], figure: Figure) -> Any:
    return asked_of(setup, figure.wanted)[1]


# -- why -----------------------------------------------------------------------------------------------------


def why_of(view: View, matters: Sequence[str]) -> dict[str, Any]:
    """The trees of the headline's event and of the measure shown, with today's values by name.

    Args:
        view: The point and the measure.
        matters: The stats that change the measure: their names stand in the expressions.

    Returns:
        `key`, `text` (the rules followed) and `trees` of `name`, `kind`, `odds`, `text`, `children`.
    """
    setup = view.setup
    # A stat at 0 takes no part today; as a name it would only make the expressions longer.
    values = {
        info.path: info.value for info in setup.stats if info.kind in ("whole", "decimal") and info.value
    }
    named = [path for path in matters if path in values][:8]
    try:
        outcome = setup.at({path: stat(path, [setup.get(path)]) for path in named})()
    except RulekitError:
        outcome = setup()  # a rule that cannot keep its stats as axes shows them as the numbers they are
    measures = measures_of(outcome)
    kinds = {info.path: info.kind for info in setup.measures}
    first = next((path for path, kind in kinds.items() if kind == "event"), None)
    wanted = dict.fromkeys(path for path in (first, view.measure) if path is not None)
    labels = {info.path: label_of(info, setup) for info in setup.stats}
    room = [_LEAVES]
    trees = [
        _told(explain(measures[path], depth=_DEEP, parts=measures.values()), view, labels, room, set())
        for path in wanted
    ]
    sources = ", ".join(setup.rule.sources)
    said = f"By {sources}." if sources else "By a rule of your own."
    return {"key": key_for(view), "text": said, "trees": trees}


def _told(
    node: Explanation, view: View, labels: Mapping[str, str], room: list[int], shown: set[int]
) -> dict[str, Any]:
    """A node and what is beneath it, which is shown where it first comes."""
    room[0] -= 1
    if node.name in labels and not node.children:
        return {"name": labels[node.name], "kind": "stat", "odds": node.odds, "text": "", "children": []}
    odds = node.odds
    if node.kind == "event" and node.value is not None:
        odds = format_probability(node.value, view.mode)
    text = node.text if node.text != node.name else ""
    for path, label in labels.items():
        text = text.replace(path, label.lower())
    text = text.replace("_", " ")
    name = node.name.replace("_", " ")
    beneath = () if id(node) in shown else node.children
    shown.add(id(node))
    children = [_told(child, view, labels, room, shown) for child in beneath if room[0] > 0]
    return {
        "name": name[:1].upper() + name[1:] if text else name,
        "kind": node.kind,
        "odds": odds,
        "text": text,
        "children": children,
    }


# -- the map -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MapData:
    """A measure over two stats.

    Attributes:
        key: What it was made for.
        figure: What is shown.
        axes: The two stats.
        values: Of each stat, as a Setup takes them.
        cells: A row for each value of the second stat; NaN where the rule does not apply.
        here: Where the point stands among the values; None where it is not among them.
        text: All of it in a sentence.
        labels: The names of the stats.
    """

    key: str
    figure: Figure
    axes: tuple[StatInfo, StatInfo]
    values: tuple[tuple[Any, ...], tuple[Any, ...]]
    cells: tuple[tuple[float, ...], ...]
    here: tuple[int, int] | None
    text: str
    labels: tuple[str, str]

    def to_csv(self) -> str:
        """A row a place: both stats by path, and the measure."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow([self.axes[0].path, self.axes[1].path, self.figure.name])
        for y, row in zip(self.values[1], self.cells, strict=True):
            writer.writerows(
                [x, y, "" if cell != cell else repr(cell)]
                for x, cell in zip(self.values[0], row, strict=True)
            )
        return text.getvalue()


def map_options(setup: Setup[Any]) -> list[StatInfo]:
    """The stats that a map can go over, numbers first."""
    found = [info for info in setup.stats if info.kind in _SLIDES and len(info.span(101)) > 1]
    return sorted(found, key=lambda info: _SLIDES.index(info.kind))


def map_axes(view: View, frames: Mapping[str, Any] | None = None) -> tuple[str, ...]:
    """The stats of the map: the view's own, else of two models the first that change the measure much.

    Args:
        view: What is looked at.
        frames: The tables around its point (see `Tables.sent`), by which to tell; without them the first
            numbers.

    Returns:
        Two paths; none where the rule has no two stats to go over.
    """
    paths = [info.path for info in map_options(view.setup)]
    if len(view.axes) == 2 and view.axes[0] != view.axes[1] and set(view.axes) <= set(paths):
        return view.axes
    if len(paths) < 2:
        return ()
    reach = _reaches(frames) if frames is not None else {}
    much = max(reach.values(), default=0.0) / 5
    numbers = [
        info.path for info in view.setup.stats if info.kind in ("whole", "decimal") and info.path in paths
    ]
    telling = [path for path in numbers if reach.get(path, math.inf) >= much]  # no table: not known
    first = telling[0] if telling else paths[0]
    others = [path for path in [*telling, *numbers, *paths] if path != first]
    of_another = (path for path in telling if path.partition(".")[0] != first.partition(".")[0])
    return first, next(of_another, others[0])


def _reaches(frames: Mapping[str, Any]) -> dict[str, float]:
    """How far the measure goes over the span of each slider."""
    names = [tile["name"] for tile in frames["tiles"]]
    place = names.index(frames["measure"])
    found = {}
    for path, table in frames["tables"].items():
        heads = array("d", base64.b64decode(table["heads"]))[place :: len(names)]
        known = [value for value in heads if value == value]
        found[path] = max(known) - min(known) if known else 0.0
    return found


def map_of(view: View) -> MapData | None:
    """The view's measure over the two stats of its map; None where the rule has no two.

    Raises:
        RulekitError: it is too large, or the rule does not apply where the view stands.
    """
    axes = map_axes(view)
    if not axes:
        return None
    setup = view.setup
    stats = {info.path: info for info in setup.stats}
    infos = stats[axes[0]], stats[axes[1]]
    figure = figure_of(view)
    spans = _spans(view, infos)
    swept = sweep(setup, dict(zip(axes, spans, strict=True)), [figure.wanted])
    flat = [float(cell) for cell in next(iter(swept.grids.values())).flat]
    height = len(spans[1])
    cells = tuple(tuple(flat[j::height]) for j in range(height))
    here = tuple(_index(span, info.value) for span, info in zip(spans, infos, strict=True))
    labels = label_of(infos[0], setup), label_of(infos[1], setup)
    text = _map_text(view, figure, labels, spans, cells)
    at = None if None in here else (here[0], here[1])
    return MapData(key_for(view), figure, infos, spans, cells, at, text, labels)  # type: ignore[arg-type]


def _index(span: Sequence[Any], value: Any) -> int | None:
    return next((i for i, each in enumerate(span) if each == value or _same(each, value)), None)


def _same(a: Any, b: Any) -> bool:
    return (
        not isinstance(a, (str, bool))
        and not isinstance(b, (str, bool))
        and math.isclose(a, b, abs_tol=1e-12)
    )


def _spans(view: View, infos: tuple[StatInfo, StatInfo]) -> tuple[tuple[Any, ...], ...]:
    """The values of both stats: their whole spans, or fewer about the point where those would take long."""
    sizes = ((101, 101), (61, 61), (41, 41), (21, 21), (11, 11), (5, 5))
    spans = [tuple(_span(info, most) for info, most in zip(infos, size, strict=True)) for size in sizes]
    rate = _rate(view.setup.rule.id, infos[0].path, infos[1].path, view)
    for pair in spans[:-1]:
        places = len(pair[0]) * len(pair[1])
        if places <= _CELLS and places * rate <= _SECONDS:
            return pair
    return spans[-1]


_rates: dict[tuple[str, ...], float] = {}
_caches.register(_rates.clear)


def _rate(rule: str, across: str, up: str, view: View) -> float:
    """Seconds a place of the map takes at most, tried once on a few places."""
    known = rule, across, up, view.measure
    if known not in _rates:
        if len(_rates) > 1_000:
            _rates.clear()
        stats = {info.path: info for info in view.setup.stats}
        for count in (3, 5):  # the first time brings what every later one finds ready
            spans = {path: _spread(_span(stats[path], 101), count) for path in (across, up)}
            begun = processor_time()
            sweep(view.setup, spans, [figure_of(view).wanted])
            took = processor_time() - begun - _BESIDES
        _rates[known] = took / math.prod(map(len, spans.values()))
    return _rates[known]


def _spread(values: tuple[Any, ...], count: int) -> tuple[Any, ...]:
    """So many of some values, from end to end."""
    last = len(values) - 1
    return tuple(values[i] for i in sorted({round(last * k / (count - 1)) for k in range(count)}))


def _span(info: StatInfo, most: int) -> tuple[Any, ...]:
    values = info.span(most)
    return values if len(values) <= most else tuple(values[:: -(-len(values) // most)])


def _map_text(view: View, figure: Figure, labels: Sequence[str], spans: Any, cells: Any) -> str:
    known = [(cell, i, j) for j, row in enumerate(cells) for i, cell in enumerate(row) if cell == cell]
    over = " and ".join(
        f"{label.lower()} ({key_of(span[0])} to {key_of(span[-1])})"
        for label, span in zip(labels, spans, strict=True)
    )
    if not known:
        return f"{figure.name} over {over}: the rule applies nowhere."
    least, most = min(known), max(known)

    def place(found: tuple[float, int, int]) -> str:
        at = [
            f"{label.lower()} {key_of(span[i])}"
            for label, span, i in zip(labels, spans, found[1:], strict=True)
        ]
        return f"{figure.text(found[0], view)} at {', '.join(at)}"

    return (
        f"{figure.name} over {over}: {figure.text(figure.value, view)} here, "
        f"least {place(least)}, most {place(most)}."
    )
