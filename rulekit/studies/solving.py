"""Which values of some stats bring measures to a target or into a band."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from numbers import Real
from typing import TYPE_CHECKING, Any

from rulekit.errors import NotAllowed, StatError, TooLarge
from rulekit.rolls.operations import exact_number
from rulekit.rules import Setup, plain_data
from rulekit.rules.fields import nearest
from rulekit.studies.asking import Asked, asked_of
from rulekit.studies.batches import ranges_of
from rulekit.studies.results import Study, Table, value_text
from rulekit.studies.sweeping import sweep

if TYPE_CHECKING:
    import numpy

__all__ = ["Band", "Solution", "Solutions", "solve"]

Wanted = str | Callable[[Any], Any]

MOST_POINTS = 5_000_000
"""How many points are scanned at most; along a monotone stat any number of values may be given."""

CLOSE = 1e-9
"""A float this near to the end of a band is decided by its fraction."""


@dataclass(frozen=True)
class Band:
    """Where a measure should lie, both ends counted; None for no end."""

    measure: Asked
    low: Fraction | None
    high: Fraction | None

    def miss(self, value: Any) -> Any:
        """How far a value is outside; 0 within."""
        if self.low is not None and value < self.low:
            return self.low - value
        return value - self.high if self.high is not None and value > self.high else 0

    def text(self, value: Any) -> str:
        """A value of the measure as text."""
        return value_text(value, self.measure.kind, self.measure.unit)

    def __str__(self) -> str:
        low, high = ("" if end is None else self.text(end) for end in (self.low, self.high))
        if low == high:
            return f"{self.measure.name} at {low}"
        if not high:
            return f"{self.measure.name} of {low} or more"
        return (
            f"{self.measure.name} of {high} or less"
            if not low
            else f"{self.measure.name} from {low} to {high}"
        )


@dataclass(frozen=True)
class Solution:
    """One point: the values of the stats, and there in fractions the measures."""

    stats: Mapping[str, Any]
    values: Mapping[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class Solutions(Study):
    """The points of a grid at which all measures are where they should be, the nearest to the Setup first.

    Attributes:
        setup: Where the search started.
        bands: What was sought.
        over: The values of the stats that vary.
        points: Every solution, as the values of those stats. Near means few steps along the stats' values in
            all, then few stats changed.
        tried: How many points the grid has.
        nearest_miss: Where there is no solution, the point that misses the bands by least.
    """

    setup: Setup[Any]
    bands: tuple[Band, ...]
    over: Mapping[str, tuple[Any, ...]]
    points: Sequence[tuple[Any, ...]]
    tried: int
    nearest_miss: Solution | None
    wanted: tuple[Wanted, ...]

    def __len__(self) -> int:
        return len(self.points)

    def __getitem__(self, i: int) -> Solution:
        """The i-th nearest solution, its measures asked for in fractions."""
        return self._solution(self.points[i])

    def __iter__(self) -> Iterator[Solution]:
        return map(self._solution, self.points)

    @property
    def best(self) -> Setup[Any] | None:
        """The Setup of the nearest solution; None where there is none."""
        return self.setup.at(dict(zip(self.over, self.points[0], strict=True))) if len(self.points) else None

    def _solution(self, point: tuple[Any, ...]) -> Solution:
        return _exact_solution(self.setup, dict(zip(self.over, point, strict=True)), self.wanted)

    @functools.cached_property
    def _first(self) -> list[Solution]:
        return [self[i] for i in range(min(len(self), 20))]

    @property
    def sentence(self) -> str:
        """How many solutions, and the nearest; or the nearest miss."""
        sought = " and ".join(map(str, self.bands))
        if len(self):
            first = self._first[0]
            return f"{len(self):,} of {self.tried:,} give {sought}; the nearest: {self._told(first)}."
        if self.nearest_miss is None:
            return f"None of {self.tried:,} gives {sought}: the rule applies nowhere there."
        return f"None of {self.tried:,} gives {sought}; the nearest miss: {self._told(self.nearest_miss)}."

    def _told(self, solution: Solution) -> str:
        stats = ", ".join(f"{path} {value}" for path, value in solution.stats.items())
        values = ", ".join(
            f"{band.measure.name} {band.text(solution.values[band.measure.name])}" for band in self.bands
        )
        return f"{stats} ({values})"

    def tables(self) -> tuple[Table, ...]:
        """The nearest solutions, or the nearest miss."""
        shown = self._first or ([self.nearest_miss] if self.nearest_miss else [])
        rows = [
            (
                *(str(value) for value in solution.stats.values()),
                *(band.text(solution.values[band.measure.name]) for band in self.bands),
            )
            for solution in shown
        ]
        head = (*self.over, *(band.measure.name for band in self.bands))
        caption = "" if len(self) else "The nearest miss"
        if len(self) > len(rows):
            caption = f"The nearest {len(rows)} of {len(self):,}"
        return (Table(head, rows, caption),)

    def records(self) -> Iterator[dict[str, Any]]:
        """A row a solution: its stats and, in fractions, its measures."""
        for solution in self:
            yield {**solution.stats, **solution.values}


def solve(
    setup: Setup[Any],
    targets: Mapping[Wanted, Any],
    vary: Sequence[str] | Mapping[str, Iterable[Any]] | str,
    *,
    monotone: str | None = None,
) -> Solutions:
    """The values of some stats that bring measures to a target or into a band.

    Args:
        setup: Where to start from: solutions near to it come first.
        targets: From measure (a name, a comparison such as `"damage >= 10"`, or a function of the outcome) to
            what it should be: a number, or `(low, high)` with both ends counted and None for no end. A float
            means its shortest decimal.
        vary: The stats that may change: paths (over their whole range), a mapping from path to values, or
            text as `sweep` takes it.
        monotone: One of them along which every measure only rises or only falls: there the ends of the band
            are found by bisection, so that it may have any number of values. Held against every value that is
            looked at.

    Returns:
        All solutions on the grid. A float decides a point, except within a thousand-millionth of the end of
        a band, where the fraction does.

    Raises:
        StatError: a measure, path or band that makes no sense; a stat that is not monotone after all.
        TooLarge: more points than can be scanned.

    >>> from typing import Annotated
    >>> from pydantic import Field
    >>> from rulekit import Roll, d, roll, rule
    >>> @rule()
    ... def smash(bonus: Annotated[int, Field(ge=0, le=9)] = 5, ac: int = 15) -> Roll[bool]:
    ...     return roll(d(20)) + bonus >= ac
    >>> found = solve(smash.setup(), {"result": (0.6, 0.65)}, ["bonus", "ac"])
    >>> [dict(solution.stats) for solution in found][:2]
    [{'bonus': 5, 'ac': 14}, {'bonus': 6, 'ac': 15}]
    >>> print(solve(smash.setup(ac=30), {"result": (0.5, None)}, ["bonus"]).sentence)
    None of 10 gives result of 50 % or more; the nearest miss: bonus 5 (result 0 %).
    """
    if not targets:
        raise StatError("solve needs at least one target: {measure: number or (low, high)}")
    if not vary:
        raise StatError("solve needs at least one stat to vary")
    bands = tuple(_band(setup, measure, target) for measure, target in targets.items())
    over = _grid(setup, vary)
    if monotone is not None:
        if monotone not in over:
            raise StatError(f"monotone: {monotone} does not vary{nearest(monotone, over)}")
        return _Bisection(setup, tuple(targets), bands, over, monotone).solutions()
    tried = math.prod(map(len, over.values()))
    if tried > MOST_POINTS:
        raise TooLarge(
            f"{tried:,} points are more than the {MOST_POINTS:,} that are scanned: vary fewer stats, give "
            "fewer values, or name one along which the measures only rise or only fall as monotone="
        )
    return _scan(setup, tuple(targets), bands, over, tried)


# -- what is sought ----------------------------------------------------------------------------------------


def _band(setup: Setup[Any], measure: Wanted, target: Any) -> Band:
    try:
        asked, _ = asked_of(setup, measure)
    except NotAllowed:  # not here, but perhaps elsewhere on the grid
        name = measure if isinstance(measure, str) else getattr(measure, "__name__", "measure")
        kinds = {info.path: info for info in setup.rule.measures}
        info = kinds.get(name.removesuffix(".sd"))
        known = info is not None and info.kind == "number"
        asked = Asked(name, "number" if known else "event", info.unit if info and known else "")
    if isinstance(target, (tuple, list)):
        if len(target) != 2:
            raise StatError(f"{asked.name}: a band is (low, high), not {target!r}")
        low, high = (None if end is None else _target(asked, end) for end in target)
    else:
        low = high = _target(asked, target)
    if low is None and high is None:
        raise StatError(f"{asked.name}: a band has at least one end")
    if low is not None and high is not None and low > high:
        raise StatError(f"{asked.name}: the band ({low}, {high}) ends before it begins")
    return Band(asked, low, high)


def _target(asked: Asked, end: Any) -> Fraction:
    try:
        value = Fraction(end) if isinstance(end, str) else Fraction(exact_number(end))
    except (ValueError, ZeroDivisionError):
        raise StatError(f"{asked.name}: {end!r} is not a number") from None
    if asked.kind == "event" and not 0 <= value <= 1:
        raise StatError(f"{asked.name}: a probability is from 0 to 1, not {end}")
    return value


def _grid(setup: Setup[Any], vary: Sequence[str] | Mapping[str, Iterable[Any]] | str) -> dict[str, Any]:
    if isinstance(vary, str) and "=" in vary:
        vary = ranges_of(setup, vary)
    if isinstance(vary, Mapping):
        return {
            path: values if isinstance(values, (Mapping, range)) else tuple(values)
            for path, values in vary.items()
        }
    stats = {info.path: info for info in setup.stats}
    over: dict[str, Any] = {}
    for path in [vary] if isinstance(vary, str) else vary:
        if path not in stats:
            raise StatError(f"{path}: there is no such stat{nearest(path, stats)}")
        over[path] = stats[path].span()
        if not over[path]:
            raise StatError(f"{path}: it has no range of its own; give its values: {{path: values}}")
    return over


def _exact_solution(setup: Setup[Any], stats: Mapping[str, Any], wanted: Sequence[Wanted]) -> Solution:
    there = setup.at(stats)
    values = dict(_named(asked_of(there, measure)) for measure in wanted)
    return Solution(stats, values)


def _named(found: tuple[Asked, Any]) -> tuple[str, Any]:
    return found[0].name, found[1]


# -- by scanning -------------------------------------------------------------------------------------------


def _scan(
    setup: Setup[Any],
    wanted: tuple[Wanted, ...],
    bands: tuple[Band, ...],
    over: Mapping[str, Any],
    tried: int,
) -> Solutions:
    import numpy as np

    swept = sweep(setup, over, wanted)
    given = {path: _values_of(values) for path, values in over.items()}
    within, missed = np.ones(tried, dtype=bool), np.zeros(tried)
    for measure, band in zip(wanted, bands, strict=True):
        values = np.asarray(swept.grids[band.measure.name].flat, dtype=float)
        within &= ~np.isnan(values)
        spread = 1.0 if np.isnan(values).all() else float(np.nanmax(values) - np.nanmin(values)) or 1.0
        for end, sign in ((band.low, 1), (band.high, -1)):
            if end is not None:
                beyond = sign * (float(end) - values)  # above 0 outside the band
                near = np.abs(beyond) <= CLOSE * max(1.0, abs(float(end)))
                inside = beyond <= 0
                inside[near] = _decided(setup, measure, given, values, np.flatnonzero(near), end * sign, sign)
                within &= inside
                missed += np.maximum(beyond, 0) / spread
    points = _nearest_first(setup, swept.over, given, np.flatnonzero(within))
    miss = None
    if not points and not np.isnan(missed).all():
        least = np.flatnonzero(missed <= np.nanmin(missed) + CLOSE)
        nearest_miss = _nearest_first(setup, swept.over, given, least)[0]
        miss = _exact_solution(setup, dict(zip(given, nearest_miss, strict=True)), wanted)
    return Solutions(setup, bands, swept.over, points, tried, miss, wanted)


def _values_of(given: Any) -> Sequence[Any]:
    """What to put into a Setup at each place: of named models the models."""
    return list(given.values()) if isinstance(given, Mapping) else given


def _at(given: Mapping[str, Sequence[Any]], place: int) -> dict[str, Any]:
    """The values at a place of the grid, counted in its order."""
    found = {}
    for path, values in reversed(given.items()):  # type: ignore[call-overload]
        place, i = divmod(place, len(values))
        found[path] = values[i]
    return {path: found[path] for path in given}


def _decided(
    setup: Setup[Any],
    measure: Wanted,
    given: Mapping[str, Sequence[Any]],
    values: numpy.ndarray[Any, Any],
    places: numpy.ndarray[Any, Any],
    end: Fraction,
    sign: int,
) -> Any:
    """Whether a measure is within the end of its band, by fractions, at places where floats cannot tell; of
    those that show the very same float by one of them.
    """
    import numpy as np

    _, first, same = np.unique(values[places], return_index=True, return_inverse=True)
    decided = [sign * asked_of(setup.at(_at(given, int(i))), measure)[1] >= end for i in places[first]]
    return np.array(decided, dtype=bool)[same]


def _nearest_first(
    setup: Setup[Any],
    over: Mapping[str, tuple[Any, ...]],
    given: Mapping[str, Sequence[Any]],
    places: numpy.ndarray[Any, Any],
) -> list[tuple[Any, ...]]:
    """The points at these places of the grid, by how many steps they are away, then how many stats change."""
    import numpy as np

    if not len(places):
        return []
    index = np.unravel_index(places, [len(values) for values in given.values()])
    steps, changed = np.zeros(len(places)), np.zeros(len(places), dtype=int)
    for column, (path, coords) in zip(index, over.items(), strict=True):
        away = _steps_away(setup.get(path), coords, given[path])[column]
        steps += away
        changed += away > 0
    order = np.lexsort((changed, np.round(steps, 9)))
    columns = [
        [values[i] for i in column[order].tolist()]
        for column, values in zip(index, given.values(), strict=True)
    ]
    return list(zip(*columns, strict=True))


def _steps_away(now: Any, coords: Sequence[Any], values: Sequence[Any]) -> Any:
    """How many steps each value is from the present one; another choice is one step."""
    import numpy as np

    if (
        isinstance(now, bool)
        or not isinstance(now, Real)
        or any(isinstance(c, (str, bool)) for c in coords[:1])
    ):
        text = str(plain_data(now))
        return np.array(
            [0.0 if value == now or str(c) == text else 1.0 for c, value in zip(coords, values, strict=True)]
        )
    numbers = np.array([float(value) for value in coords])
    step = float(np.diff(numbers).min()) if len(numbers) > 1 else 1.0
    return np.abs(numbers - float(now)) / step


# -- by bisection ------------------------------------------------------------------------------------------


class _Bisection:
    """A grid of which one stat moves every measure one way only: the ends of the bands are found by halving.

    A *row* is a combination of the other stats; a *slice* holds all rows at one value of the monotone stat,
    asked for at once.
    """

    def __init__(
        self,
        setup: Setup[Any],
        wanted: tuple[Wanted, ...],
        bands: tuple[Band, ...],
        over: Mapping[str, Any],
        monotone: str,
    ) -> None:
        self.setup, self.wanted, self.bands, self.over, self.path = setup, wanted, bands, over, monotone
        self.given = {path: _values_of(values) for path, values in over.items()}
        self.values = self.given[monotone]
        self.others = {path: values for path, values in over.items() if path != monotone}
        self.rows = math.prod(map(len, self.others.values()))
        self.slices: dict[int, dict[str, Sequence[Any]]] = {}

    def solutions(self) -> Solutions:
        import numpy as np

        ranges = [range(len(self.values))] * self.rows
        for band in self.bands:
            for end, sign in ((band.low, 1), (band.high, -1)):
                if end is not None:
                    ranges = self._narrowed(ranges, band.measure.name, end * sign, sign)
        self._hold_against_what_was_seen()
        count = sum(map(len, ranges))
        if count > MOST_POINTS:
            raise TooLarge(
                f"{count:,} solutions are more than {MOST_POINTS:,}: give fewer values or a narrower band"
            )
        places = sorted(self._place(row, i) for row, each in enumerate(ranges) for i in each)
        over = {path: _coords(values) for path, values in self.over.items()}
        points = _nearest_first(self.setup, over, self.given, np.array(places, dtype=int))
        tried = self.rows * len(self.values)
        return Solutions(
            self.setup, self.bands, over, points, tried, None if points else self._miss(), self.wanted
        )

    def _slice(self, i: int) -> dict[str, Sequence[Any]]:
        if i not in self.slices:
            here = self.setup.at({self.path: self.values[i]})
            if self.others:
                grids = sweep(here, self.others, self.wanted, exact=True).grids
                self.slices[i] = {band.measure.name: grids[band.measure.name].flat for band in self.bands}
            else:
                self.slices[i] = {
                    band.measure.name: [asked_of(here, measure)[1]]
                    for measure, band in zip(self.wanted, self.bands, strict=True)
                }
            for name, flat in self.slices[i].items():
                if any(value != value for value in flat):
                    raise StatError(
                        f"{name} has no value at {self.path} {self.values[i]}, where the rule does not "
                        "apply: give values where it does, or leave monotone= out"
                    )
        return self.slices[i]

    def _narrowed(self, ranges: list[range], name: str, end: Fraction, sign: int) -> list[range]:
        """Of each row the part where the measure is within one end of a band."""
        last = len(self.values) - 1
        first_slice, last_slice = self._slice(0)[name], self._slice(last)[name]
        rising = [sign * (b - a) >= 0 for a, b in zip(first_slice, last_slice, strict=True)]

        def within(row: int, i: int) -> bool:
            return bool(sign * self._slice(i)[name][row] >= end)

        # The first value within for a row that rises, the first one outside for one that falls.
        spans = [(0, last + 1)] * self.rows
        while any(low < high for low, high in spans):
            for row, (low, high) in enumerate(spans):
                if low < high:
                    middle = (low + high) // 2
                    spans[row] = (low, middle) if within(row, middle) == rising[row] else (middle + 1, high)
        narrowed = []
        for row, (turn, _) in enumerate(spans):
            part = range(turn, last + 1) if rising[row] else range(turn)
            narrowed.append(range(max(part.start, ranges[row].start), min(part.stop, ranges[row].stop)))
        return narrowed

    def _hold_against_what_was_seen(self) -> None:
        for band in self.bands:
            name = band.measure.name
            seen = sorted(self.slices)
            for row in range(self.rows):
                values = [self.slices[i][name][row] for i in seen]
                signs = {(b > a) - (b < a) for a, b in itertools.pairwise(values)}
                if {1, -1} <= signs:
                    raise StatError(
                        f"{name} both rises and falls along {self.path}: leave monotone= out, and every "
                        "value is looked at"
                    )

    def _place(self, row: int, i: int) -> int:
        """Where a row and a value of the monotone stat are in the order of the grid."""
        inner = 1
        paths = list(self.over)
        for path in paths[paths.index(self.path) + 1 :]:
            inner *= len(self.over[path])
        return (row // inner * len(self.values) + i) * inner + row % inner

    def _miss(self) -> Solution:
        """Of the points looked at the one that misses by least."""

        def missed(point: tuple[int, int]) -> Any:
            i, row = point
            return sum(band.miss(self.slices[i][band.measure.name][row]) for band in self.bands)

        i, row = min(((i, row) for i in self.slices for row in range(self.rows)), key=missed)
        return _exact_solution(self.setup, _at(self.given, self._place(row, i)), self.wanted)


def _coords(values: Any) -> tuple[Any, ...]:
    return tuple(map(str, values)) if isinstance(values, Mapping) else tuple(values)
