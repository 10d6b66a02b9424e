"""One Setup over ranges of its stats: numbers as axes in one evaluation, choices by running each."""

from __future__ import annotations

import functools
import itertools
import logging
import math
import operator
import re
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulekit import _caches
from rulekit._clock import processor_time
from rulekit.distributions.formatting import ProbabilityMode
from rulekit.errors import NotAValue, StatError, TooLarge
from rulekit.rolls import Grid, Roll, apply, ask, constant, stat
from rulekit.rules import MeasureInfo, Readings, Setup, StatInfo, measures_of, plain_data
from rulekit.rules.fields import label_of, nearest
from rulekit.rules.outcomes import found_measures
from rulekit.rules.paths import axes_held
from rulekit.rules.ruling import MOST_RUNS
from rulekit.studies.batches import ranges_of
from rulekit.studies.results import Study, Table, value_text

if TYPE_CHECKING:
    import xarray

__all__ = ["Sweep", "lines", "lines_together", "sweep"]

_log = logging.getLogger(__name__)

Wanted = str | Callable[[Any], Any]
_NAN = float("nan")


@dataclass(frozen=True, eq=False, repr=False)
class Sweep(Study):
    """A Setup's measures over ranges of its stats.

    Attributes:
        setup: What was swept, with its own values at the stats.
        over: From path to the coordinates: numbers, or choices by their text.
        grids: From measure to its Grid over the stats in that order. An event by its probability, a number by
            its mean; a label and a `.pmf` as probabilities along a last dimension `<measure>.outcome`. NaN
            where the rule does not apply.
        reasons: Why there is none, from coordinates to the rule's own words.
        infos: What is known of the measures that the rule names.
        questions: From measure to what was asked of it: "P", "E", "sd" or "dist".
    """

    setup: Setup[Any]
    over: Mapping[str, tuple[Any, ...]]
    grids: Mapping[str, Grid]
    reasons: Mapping[tuple[Any, ...], str]
    infos: Mapping[str, MeasureInfo]
    questions: Mapping[str, str]

    @functools.cached_property
    def data(self) -> xarray.Dataset:
        """The same as an `xarray.Dataset`, with units, help, sources, readings and version as attributes.

        Raises:
            ImportError: xarray is not installed; `grids` has all of it.
        """
        import xarray

        from rulekit import __version__

        variables = {}
        for name, grid in self.grids.items():
            array = grid.to_xarray()
            info = self._info(name)
            array.attrs.update({"unit": info.unit, "help": info.help} if info else {})
            variables[name] = array
        readings = {
            f"{name}.{key}": choice
            for name, value in self.setup.arguments.__dict__.items()
            if isinstance(value, Readings)
            for key, choice in plain_data(value).items()
        }
        attrs = {
            "rule": self.setup.rule.id,
            "sources": " ".join(self.setup.rule.sources),
            "readings": ", ".join(f"{path}={choice}" for path, choice in readings.items()),
            "version": __version__,
        }
        return xarray.Dataset(variables, attrs=attrs)

    @property
    def sentence(self) -> str:
        """What was swept over what, and between which values each measure lies."""
        parts = []
        for name in self.grids:
            if self.questions.get(name) != "dist":
                known = [value for value in _values(self.grids[name]) if value == value]
                low, high = (self._text(name, end(known)) if known else "" for end in (min, max))
                parts.append(f"{name} from {low} to {high}" if known else f"{name} nowhere")
        stats = ", ".join(f"{path} ({_range_text(coords)})" for path, coords in self.over.items())
        told = f": {', '.join(parts)}" if parts else ""
        return f"{self.setup.rule.id} over {stats}{told}."

    def tables(self, mode: ProbabilityMode = "percent") -> tuple[Table, ...]:
        """A row a combination of the stats' values, a column a measure; probabilities in this mode."""
        rows = []
        head: dict[str, None] = {}
        for row in self.records():
            head.update(dict.fromkeys(row))
            rows.append(
                tuple(
                    str(value) if key in self.over or isinstance(value, str) else self._text(key, value, mode)
                    for key, value in row.items()
                )
            )
        return (Table(tuple(head), rows),)

    def records(self) -> Iterator[dict[str, Any]]:
        """A row a combination: the stats, each measure, of a distribution the probability of each outcome as
        `damage = 3`; `not allowed` says why a row has no values.
        """
        columns: dict[str, list[Any]] = {}
        for name, grid in self.grids.items():
            flat = _values(grid)
            if len(grid.dims) == len(self.over):
                columns[name] = flat
            else:
                outcomes = grid.coords[grid.dims[-1]]
                what = name.removesuffix(".pmf")
                for i, outcome in enumerate(outcomes):
                    columns[f"{what} = {outcome}"] = flat[i :: len(outcomes)]
        for i, place in enumerate(itertools.product(*self.over.values())):
            row = dict(zip(self.over, place, strict=True))
            row.update({name: column[i] for name, column in columns.items()})
            if self.reasons:
                row["not allowed"] = self.reasons.get(place, "")
            yield row

    def _info(self, name: str) -> MeasureInfo | None:
        return self.infos.get(name.removesuffix(".pmf").removesuffix(".sd"))

    def _text(self, name: str, value: Any, mode: ProbabilityMode = "percent") -> str:
        if self.questions.get(name) in ("E", "sd"):
            info = self._info(name)
            return value_text(value, "number", info.unit if info else "")
        return value_text(value, "event", mode=mode)


def sweep(
    setup: Setup[Any],
    over: Mapping[str, Iterable[Any]] | str,
    measures: Sequence[Wanted] | None = None,
    *,
    exact: bool = False,
    store: str | Path | None = None,
    client: Any = None,
    progress: bool | None = None,
) -> Sweep:
    """The measures of a rule at every combination of some stats' values.

    More than `MOST_IN_MEMORY` combinations, or any number with `store` or `client`, are worked through in
    parts and kept in a Zarr store: memory stays flat, and a sweep that was killed goes on where it was.

    Args:
        setup: The rule with its arguments.
        over: From path to values: numbers in rising order; switches, choices, kinds of a part; or named
            models, as a mapping from name to model. Or all of that as text, see
            `rulekit.studies.batches.ranges_of`: `"attacker.attack_bonus=4..8 target.defense=15,17"`.
        measures: Names of measures (`"hit"`), their distribution (`"damage.pmf"`), standard deviation
            (`"damage.sd"`), comparisons (`"damage >= 10"`), or functions of the outcome that give a Roll; all
            measures by default.
        exact: Fractions in place of floats; not in a store.
        store: A folder for the Zarr store; a new one below the temporary folder by default.
        client: A Dask client; by default one on this machine's processors where there is much to do.
        progress: Whether parts are counted on the standard error stream; by default where that is a terminal.

    Raises:
        StatError: a path, value or measure that is not there or not allowed; a store with another sweep.
        TooLarge: fractions at too many combinations, or a rule that must be run once for each of too many.

    >>> from rulekit import Roll, d, roll, rule
    >>> @rule()
    ... def smash(bonus: int = 5, ac: int = 15) -> Roll[bool]:
    ...     return roll(d(20)) + bonus >= ac
    >>> sweep(smash.setup(), {"ac": [15, 17]}, exact=True).grids["result"].flat
    [Fraction(11, 20), Fraction(9, 20)]
    """
    if isinstance(over, str):
        over = ranges_of(setup, over)
    if not over:
        raise StatError("sweep needs at least one stat: over={path: values}")
    for path, axis in axes_held(setup.arguments):
        if path not in over:
            raise StatError(f"{path} is an axis of the Setup already ({axis!r}): give it in over")
    stats = {info.path: info for info in setup.stats}
    ranges = {path: _range(setup, stats, path, values) for path, values in over.items()}
    count = math.prod(len(each.coords) for each in ranges.values())
    if store is None and client is None and count <= MOST_IN_MEMORY:
        return sweep_ranges(setup, ranges, measures, exact)
    if exact:
        raise TooLarge(
            f"a store holds floats: give at most {MOST_IN_MEMORY:,} combinations for fractions, not {count:,}"
        )
    from rulekit.studies.at_scale import sweep_into

    if measures is None:
        measures = [info.path for info in setup.measures if info.kind != "label"]
    return sweep_into(setup, ranges, measures, store=store, client=client, progress=progress)


def lines(
    setup: Setup[Any],
    measures: Sequence[Wanted],
    paths: Iterable[str] | None = None,
    *,
    most: int = 201,
    exact: bool = False,
    patience: float = math.inf,
) -> dict[str, Sweep]:
    """For each of some stats a sweep over its own span, the others as they stand: what a view's sliders need.

    Which of them are found in one evaluation depends on how long that takes, so floats agree from run to run
    but for rounding; fractions are the same.

    Args:
        setup: The point around which the lines go.
        measures: As in `sweep`.
        paths: The stats; all that have a span by default.
        most: How many values at most; a number with more goes ten either side of where it stands.
        exact: Fractions in place of floats.
        patience: Seconds of processor time for each line.

    Raises:
        StatError: a path or measure that is not there.
        TooLarge: the patience is at its end.

    >>> from rulekit import Roll, d, roll, rule
    >>> @rule()
    ... def smash(bonus: int = 5, ac: int = 15) -> Roll[bool]:
    ...     return roll(d(20)) + bonus >= ac
    >>> lines(smash.setup(), ["result"])["ac"].over["ac"][:3]
    (5, 6, 7)
    """
    stats = {info.path: info for info in setup.stats}
    spans = _spans(stats, paths, most)
    ranges = {path: _range(setup, stats, path, values) for path, values in spans.items()}
    found: dict[str, Sweep] = {}
    for some in _together(setup, measures, ranges, exact):
        found.update(some)
    return {
        path: found.get(path) or sweep_ranges(setup, {path: each}, measures, exact, patience)
        for path, each in ranges.items()
    }


def lines_together(
    setup: Setup[Any],
    measures: Sequence[Wanted],
    over: Iterable[str] | Mapping[str, Iterable[Any]],
    *,
    most: int = 201,
    exact: bool = False,
) -> Iterator[dict[str, Sweep]]:
    """Those of the `lines` that one evaluation can give, some at a time: of numbers that the rule takes as
    axes.

    The rule runs once with an axis in the place of each of these stats, and is asked at the points of all
    their lines at once. Left out is what has to go by itself: choices, stats that the rule uses as plain
    values, lines on which the rule has no answer somewhere, and what no sweep takes.

    Args:
        setup, measures, most, exact: As for `lines`.
        over: Paths, for lines over their spans; or from path to values in rising order.
    """
    stats = {info.path: info for info in setup.stats}
    spans = over if isinstance(over, Mapping) else _spans(stats, over, most)
    ranges = {}
    for path, values in spans.items():
        with suppress(StatError):  # by itself a line says what is wrong with it
            ranges[path] = _range(setup, stats, path, values)
    return _together(setup, measures, ranges, exact)


# -- what is swept and asked -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Range:
    """The values of one stat: a number's as an axis, a choice's one by one."""

    coords: tuple[Any, ...]
    values: tuple[Any, ...]
    is_axis: bool

    def part(self, places: range) -> Range:
        """Some of its values."""
        some = slice(places.start, places.stop)
        return Range(self.coords[some], self.values[some], self.is_axis)


def _spans(
    stats: Mapping[str, StatInfo], paths: Iterable[str] | None, most: int
) -> dict[str, tuple[Any, ...]]:
    """The span of each of some stats; of all that have one by default."""
    found = {}
    for path in stats if paths is None else paths:
        if path not in stats:
            raise StatError(f"{path}: there is no such stat{nearest(path, stats)}")
        values = stats[path].span(most)
        if values:
            found[path] = values
    return found


def _range(setup: Setup[Any], stats: Mapping[str, StatInfo], path: str, values: Iterable[Any]) -> Range:
    if path == "outcome":
        raise StatError("outcome: that name is taken by what a measure can be; call the stat otherwise")
    if isinstance(values, Mapping):
        setup.get(path)
        return _choices(path, tuple(map(str, values)), tuple(values.values()))
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise StatError(f"{path}: a sweep goes over several values, not {values!r}")
    given = tuple(values)
    if not given:
        raise StatError(f"{path}: a sweep needs at least one value")
    info = stats.get(path)
    if info is not None and info.kind in ("whole", "decimal"):
        axis = stat(path, given)
        return Range(axis.values, axis.values, True)
    if info is None:
        setup.get(path)  # an unknown path says so itself
        raise StatError(f"{path}: models are swept by name: {{name: model}}")
    coords = tuple(value if isinstance(value, bool) else str(plain_data(value)) for value in given)
    return _choices(path, coords, given)


def _choices(path: str, coords: tuple[Any, ...], values: tuple[Any, ...]) -> Range:
    if len(set(coords)) < len(coords):
        twice = next(name for name in coords if coords.count(name) > 1)
        raise StatError(f"{path}: {twice} is there twice")
    return Range(coords, values, False)


# -- sweeping --------------------------------------------------------------------------------------------


MOST_IN_MEMORY = 2_000_000
"""How many combinations a sweep holds in memory; more go into a store."""

POINTS_AT_ONCE = 8_192
"""How many points along axes one evaluation takes: more do not fit a processor's cache, and go no faster."""


def sweep_ranges(
    setup: Setup[Any],
    ranges: Mapping[str, Range],
    measures: Sequence[Wanted] | None,
    exact: bool,
    patience: float = math.inf,
) -> Sweep:
    """As `sweep`, over ranges that were checked, in memory; TooLarge after some seconds of processor time."""
    until = processor_time() + patience
    choices = {path: each for path, each in ranges.items() if not each.is_axis}
    over = {path: each.coords for path, each in ranges.items()}
    pieces: list[_Piece] = []
    reasons: dict[tuple[Any, ...], str] = {}
    infos: tuple[MeasureInfo, ...] = ()
    questions: dict[str, str] = {}
    times = 0
    for picked in itertools.product(*(range(len(each.coords)) for each in choices.values())):
        chosen = {path: choices[path].values[i] for path, i in zip(choices, picked, strict=True)}
        at = {path: over[path][i] for path, i in zip(choices, picked, strict=True)}
        sizes = {path: len(each.coords) for path, each in ranges.items() if each.is_axis}
        for block in blocks_of(sizes, POINTS_AT_ONCE):
            axes = {path: stat(path, over[path][part.start : part.stop]) for path, part in block.items()}
            here = setup.at({**chosen, **axes})
            for run in here.rule.runs(here.arguments):
                times += 1
                if times > MOST_RUNS:
                    raise TooLarge(f"{setup.rule.id} would be run more than {MOST_RUNS:,} times: {_SMALLER}")
                place = {**at, **run.fixed}
                if run.refused is not None:
                    reasons.update(dict.fromkeys(_places(place, block, over), str(run.refused)))
                else:
                    infos = infos or found_measures(run.outcome)
                    asked = _asked(run.outcome, measures)
                    questions = {name: question for name, question, _ in asked}
                    left = until - processor_time()
                    if left < 0:
                        raise TooLarge(f"{setup.rule.id} takes longer over {', '.join(over)} than allowed")
                    answers = ask([(how, roll) for _, how, roll in asked], exact=exact, patience=left)
                    pieces.append(_Piece(place, block, dict(zip(questions, answers, strict=True))))
    if pieces:
        grids = {name: _whole_grid(name, over, pieces) for name in pieces[0].grids}
    else:
        hole = Grid.from_flat(tuple(over), over, [_NAN] * math.prod(map(len, over.values())))
        grids = {_name(wanted): hole for wanted in measures or [info.path for info in setup.rule.measures]}
    return Sweep(setup, over, grids, reasons, {info.path: info for info in infos}, questions)


_LINES_PATIENCE = 0.15
"""Seconds of processor time for the lines that go together. Alone, a line may be quicker: in a rule for many
equal fighters what is the same for all of them is found once, unless each of their stats is an axis.
"""


@dataclass
class _Learned:
    """What was seen of a rule when something was asked of it: about how many points of lines go together in
    good time, and the stats whose lines do not: plain values of the rule, or too slow even among few.
    """

    points: int = 512
    alone: set[str] = field(default_factory=set)


_FEW_POINTS = 128

_learned: weakref.WeakKeyDictionary[Any, dict[Any, _Learned]] = weakref.WeakKeyDictionary()

_caches.register(_learned.clear)


def _together(
    setup: Setup[Any], measures: Sequence[Wanted], ranges: Mapping[str, Range], exact: bool
) -> Iterator[dict[str, Sweep]]:
    asked = exact, *map(_name, measures)
    learned = _learned.setdefault(setup.rule, {}).setdefault(asked, _Learned())
    waiting = [path for path, each in ranges.items() if each.is_axis and path not in learned.alone]
    while waiting:
        group: dict[str, Range] = {}
        for path in waiting:
            group[path] = ranges[path]
            if sum(len(each.coords) for each in group.values()) >= learned.points:
                break
        try:
            found = _star(setup, measures, group, exact, learned.alone)
        except TooLarge:
            if learned.points > _FEW_POINTS:
                learned.points = _FEW_POINTS
                continue
            learned.alone.update(group)
            found = {}
        except Exception:  # by itself each line says what is wrong with it
            _log.info("no lines together for %s", ", ".join(group), exc_info=True)
            found = {}
        yield found
        waiting = waiting[len(group) :]


def _star(
    setup: Setup[Any],
    measures: Sequence[Wanted],
    ranges: Mapping[str, Range],
    exact: bool,
    alone: set[str],
) -> dict[str, Sweep]:
    """Lines through one point, all in one evaluation: those that have an answer everywhere. What the rule
    uses as a plain value goes into `alone`.
    """
    ranges = dict(ranges)
    own = {path: stat(path, [setup.get(path)]).values[0] for path in ranges}
    axes = {path: stat(path, sorted({*each.coords, own[path]})) for path, each in ranges.items()}
    here = setup.at(axes)
    while True:
        try:
            outcome = here.rule.once(here.arguments)
            break
        except NotAValue as fault:
            plain = {path: setup.get(path) for path in ranges if path in fault.stats}
            alone.update(plain)
            ranges = {path: each for path, each in ranges.items() if path not in plain}
            if fault.rolls or not ranges or not plain:
                return {}
            here = here.at(plain)
    asked = _asked(outcome, measures)
    infos = {info.path: info for info in found_measures(outcome)}
    questions = {name: question for name, question, _ in asked}
    stops = list(itertools.accumulate(len(each.coords) for each in ranges.values()))
    points: dict[str, list[Any]] = {path: [own[path]] * stops[-1] for path in ranges}
    parts = {
        path: range(stop - len(each.coords), stop)
        for (path, each), stop in zip(ranges.items(), stops, strict=True)
    }
    for path, part in parts.items():
        points[path][part.start : part.stop] = ranges[path].coords
    requests = [(how, roll) for _, how, roll in asked]
    answers = ask(requests, exact=exact, points=points, patience=_LINES_PATIENCE)
    found = {}
    for path, part in parts.items():
        coords = ranges[path].coords
        grids = {}
        for name, grid in zip(questions, answers, strict=True):
            cut = _cut(name, grid, path, coords, part)
            if cut is not None:
                grids[name] = cut
        if len(grids) == len(questions):
            found[path] = Sweep(setup, {path: coords}, grids, {}, infos, questions)
    return found


def _cut(name: str, grid: Grid, path: str, coords: tuple[Any, ...], part: range) -> Grid | None:
    """One line's part of an answer at the points of many; None where some of it is NaN."""
    outcomes = grid.coords.get("outcome")
    size = 1 if outcomes is None else len(outcomes)
    flat: Any = grid.flat
    flat = flat[part.start * size : part.stop * size] if "point" in grid.dims else list(flat) * len(part)
    is_array = hasattr(flat, "reshape")
    if (flat != flat).any() if is_array else any(value != value for value in flat):
        return None
    if outcomes is None:
        return Grid.from_flat((path,), {path: coords}, flat)
    if is_array:
        table = flat.reshape(-1, size)
        there = table.any(axis=0)
        kept, flat = there.nonzero()[0].tolist(), table[:, there].ravel()
    else:
        kept = [i for i in range(size) if any(flat[i::size])]
        flat = [flat[start + i] for start in range(0, len(flat), size) for i in kept]
    label = f"{name.removesuffix('.pmf')}.outcome"
    return Grid.from_flat((path, label), {path: coords, label: [label_of(outcomes[i]) for i in kept]}, flat)


_SMALLER = "give fewer values, or a store= to work through them in parts"


def blocks_of(sizes: Mapping[str, int], points: int) -> Iterator[dict[str, range]]:
    """Parts of a grid in its order, of at most so many points: of each stat a range of places."""
    rest, whole = points, {}
    for path, size in reversed(list(sizes.items())):
        whole[path] = max(1, min(size, rest))
        rest //= whole[path]
        if whole[path] < size:
            rest = 1  # the axes before it go one by one, so that the parts follow each other in the grid
    steps = [
        [range(start, min(start + whole[path], size)) for start in range(0, size, whole[path])]
        for path, size in sizes.items()
    ]
    for parts in itertools.product(*steps):
        yield dict(zip(sizes, parts, strict=True))


@dataclass(frozen=True)
class _Piece:
    """The answers of one run: over the axes that it kept, in these parts, at the others' coordinates `at`."""

    at: Mapping[str, Any]
    parts: Mapping[str, range]
    grids: Mapping[str, Grid]


_Asked = tuple[str, str, Roll[Any]]


def _asked(outcome: Any, measures: Sequence[Wanted] | None) -> list[_Asked]:
    known = measures_of(outcome)
    if measures is None:
        measures = tuple(known)
    if isinstance(measures, str) or callable(measures):
        raise StatError(f"measures are a list, not {measures!r}")
    asked = [question_of(wanted, known, outcome) for wanted in measures]
    names = [name for name, _, _ in asked]
    for name in names:
        if names.count(name) > 1:
            raise StatError(
                f"two measures are called {name!r}: give the functions names of their own, with def"
            )
    return asked


_BY_KIND = {"event": "P", "number": "E", "label": "dist"}
_BY_SUFFIX = {"pmf": "dist", "sd": "sd"}
_COMPARISON = re.compile(r"(?P<path>[\w.]+)\s*(?P<sign>>=|<=|==|!=|>|<)\s*(?P<value>\S.*)")
_SIGNS: dict[str, Callable[[Any, Any], Any]] = {
    ">=": operator.ge, "<=": operator.le, "==": operator.eq, "!=": operator.ne,
    ">": operator.gt, "<": operator.lt,
}  # fmt: skip


def question_of(wanted: Wanted, known: Mapping[str, Roll[Any]], outcome: Any) -> tuple[str, str, Roll[Any]]:
    """The name, question and Roll of what is wanted."""
    if callable(wanted):
        made = constant(wanted(outcome))
        return _name(wanted), _BY_KIND[made.kind], made
    if wanted in known:
        return wanted, _BY_KIND[known[wanted].kind], known[wanted]
    path, _, suffix = wanted.rpartition(".")
    if path in known and suffix in _BY_SUFFIX:
        return wanted, _BY_SUFFIX[suffix], known[path]
    compared = _COMPARISON.fullmatch(wanted.strip())
    if compared and compared["path"] in known:
        return wanted, "P", _compared(wanted, known[compared["path"]], compared["sign"], compared["value"])
    raise StatError(f"there is no measure {wanted!r}{nearest(wanted, known)}")


def _compared(wanted: str, roll: Roll[Any], sign: str, text: str) -> Roll[Any]:
    """The event that a measure compares so with what is written."""
    if roll.kind == "number":
        try:
            number = Fraction(text)
        except (ValueError, ZeroDivisionError):
            raise StatError(f"{wanted!r}: {text!r} is not a number") from None
        event: Roll[Any] = _SIGNS[sign](roll, int(number) if number.denominator == 1 else number)
        return event
    if roll.kind == "event" or sign not in ("==", "!="):
        what = (
            "an event, which is asked for by its name" if roll.kind == "event" else "a label, for == and !="
        )
        raise StatError(f"{wanted!r}: this measure is {what}")
    (odds,) = ask([("dist", roll)])
    labels = [str(label_of(outcome)) for outcome in odds.coords["outcome"]]
    if text not in labels:
        raise StatError(f"{wanted!r}: there is no such outcome{nearest(text, labels)}")
    event = apply(lambda outcome: str(label_of(outcome)) == text, roll)
    return event if sign == "==" else ~event


def _range_text(coords: Sequence[Any]) -> str:
    if len(coords) > 3 and not isinstance(coords[0], (str, bool)):
        return f"{coords[0]} to {coords[-1]}"
    return ", ".join(map(str, coords))


def _name(wanted: Wanted) -> str:
    return wanted if isinstance(wanted, str) else getattr(wanted, "__name__", "measure")


def _whole_grid(name: str, over: Mapping[str, tuple[Any, ...]], pieces: Sequence[_Piece]) -> Grid:
    """One Grid over all stats from the pieces; NaN where no piece is."""
    dims, sizes = tuple(over), tuple(len(coords) for coords in over.values())
    grids = [piece.grids[name] for piece in pieces]
    label = f"{name.removesuffix('.pmf')}.outcome"
    if grids[0].dims == dims and all(
        grid.dims == dims and not piece.at for grid, piece in zip(grids, pieces, strict=True)
    ):
        return Grid.from_flat(dims, over, [value for grid in grids for value in _values(grid)])
    if len(pieces) == 1 and grids[0].dims == (*dims, "outcome"):  # one run, over all stats in order
        named = {label if dim == "outcome" else dim: coords for dim, coords in grids[0].coords.items()}
        if label in named:
            named[label] = tuple(map(label_of, named[label]))
        return Grid.from_flat(tuple(named), named, _values(grids[0]))
    outcomes: dict[Any, int] | None = None
    if grids[0].dims[-1:] == ("outcome",):
        found = {label_of(outcome) for grid in grids for outcome in grid.coords["outcome"]}
        outcomes = {outcome: i for i, outcome in enumerate(_in_order(found))}
    width = 1 if outcomes is None else len(outcomes)
    cells: list[Any] = [_NAN] * (math.prod(sizes) * width)
    strides = [math.prod(sizes[i + 1 :]) for i in range(len(sizes))]
    stride = dict(zip(dims, strides, strict=True))
    for piece in pieces:
        _lay(piece, piece.grids[name], over, stride, outcomes, cells)
    coords = dict(over)
    if outcomes is not None:
        dims, sizes, coords = (*dims, label), (*sizes, width), {**coords, label: tuple(outcomes)}
    return Grid.from_flat(dims, coords, cells)


def _lay(
    piece: _Piece,
    grid: Grid,
    over: Mapping[str, tuple[Any, ...]],
    stride: Mapping[str, int],
    outcomes: Mapping[Any, int] | None,
    cells: list[Any],
) -> None:
    """Put a piece's grid into its places, the same along stats that it does not depend on."""
    flat = _values(grid)
    kept = [dim for dim in grid.dims if dim != "outcome"]
    own = [len(grid.coords[dim]) for dim in kept]
    step = dict(zip(kept, (math.prod(own[i + 1 :]) for i in range(len(own))), strict=True))
    spans = [
        [coords.index(piece.at[dim])] if dim in piece.at else piece.parts.get(dim, range(len(coords)))
        for dim, coords in over.items()
    ]
    support = [] if outcomes is None else [outcomes[label_of(outcome)] for outcome in grid.coords["outcome"]]
    for index in itertools.product(*spans):
        target = source = 0
        for dim, i in zip(over, index, strict=True):
            target += stride[dim] * i
            if dim in step:
                source += step[dim] * (i - piece.parts[dim].start)
        if outcomes is None:
            cells[target] = flat[source]
        else:
            row = flat[source * len(support) : (source + 1) * len(support)]
            filled = [_NAN if row and row[0] != row[0] else 0] * len(outcomes)
            for position, p in zip(support, row, strict=True):
                filled[position] = p
            cells[target * len(outcomes) : (target + 1) * len(outcomes)] = filled


def _values(grid: Grid) -> list[Any]:
    """A Grid's values in one row as Python's own numbers."""
    flat: Any = grid.flat
    values: list[Any] = flat.tolist() if hasattr(flat, "tolist") else list(flat)
    return values


def _places(
    at: Mapping[str, Any], parts: Mapping[str, range], over: Mapping[str, tuple[Any, ...]]
) -> Iterable[tuple[Any, ...]]:
    spans = []
    for path, coords in over.items():
        part = parts.get(path, range(len(coords)))
        spans.append([at[path]] if path in at else coords[part.start : part.stop])
    return itertools.product(*spans)


def _in_order(outcomes: Iterable[Any]) -> list[Any]:
    found = list(outcomes)
    try:
        return sorted(found)
    except TypeError:
        return sorted(found, key=str)
