"""From a View to what is on the screen: the frame at its point, and the tables of its sliders."""

from __future__ import annotations

import csv
import io
import itertools
import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import Any, Literal

from rulekit import _caches
from rulekit._clock import processor_time
from rulekit.distributions.formatting import ProbabilityMode, format_number, format_probability
from rulekit.rolls import Grid, Roll, apply, ask, constant, named_rolls
from rulekit.rules import (
    MeasureInfo,
    Outcome,
    Reference,
    StatInfo,
    measures_of,
    plain_data,
    sample_notes,
    sentence_parts,
)
from rulekit.studies.sweeping import Sweep, lines, lines_together
from rulekit_widgets.cells import MODES, packed, packed_numbers
from rulekit_widgets.views import SHAPES, Shape, View

__all__ = ["Frame", "LEAVES", "Tables", "Tile", "frame", "ghost", "key_of", "plain_value", "sent_rows"]

_log = logging.getLogger(__name__)

TileKind = Literal["probability", "number", "label"]
Texts = Mapping[ProbabilityMode, str]
_Told = tuple[str, ...]
"""One thing as text in every mode, in the order of `MODES`."""

_Figure = tuple[Any, _Told]

_PMF, _SD = ":pmf", ":sd"
"""Questions about the measure shown, beside those that have the name of a measure."""

_ROOM = 30_000
"""Rows times outcomes that the tables of one point hold: 480 kB as base64."""

_LONGEST = 1_000
_RARE = 1e-12
"""Chart and table of more outcomes than `_LONGEST` leave out those at the ends that are rarer than this."""

_SHARE = 1 / 4
_CANDIDATES = 3

_CUT = "Chart and table leave out the ends beyond which lies less than 1 in 10^12; the CSV file has all"


# -- the frame at a point ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tile:
    """One figure: its name, a label for people, its kind, its value, and the value as text in every mode."""

    name: str
    label: str
    kind: TileKind
    value: Fraction | float
    texts: Texts


@dataclass(frozen=True)
class Frame:
    """What a View shows at its point; all of it from one computation.

    Attributes:
        view: What was asked.
        sentence: The answer in one sentence, by mode.
        tiles: A figure for every measure.
        outcomes: What the shown measure can be, as text.
        odds: For each shape ("exactly", "at_least", "at_most") the exact odds of the outcomes.
        notes: Lines that every view must show.
    """

    view: View
    sentence: Texts
    tiles: tuple[Tile, ...]
    outcomes: tuple[str, ...]
    odds: Mapping[Shape, tuple[Fraction, ...]]
    notes: tuple[str, ...]

    def table(self, mode: ProbabilityMode | None = None) -> list[tuple[str, str, str, str]]:
        """The rows of the table: outcome, exactly, at least, at most, as text in the view's mode."""
        told = mode or self.view.mode
        columns = ([format_probability(p, told) for p in self.odds[shape]] for shape in SHAPES)
        return list(zip(self.outcomes, *columns, strict=True))

    def to_csv(self) -> str:
        """The table as CSV, odds as fractions and as decimals."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["outcome", *(name for shape in SHAPES for name in (shape, f"{shape}_decimal"))])
        for i, outcome in enumerate(self.outcomes):
            odds = [self.odds[shape][i] for shape in SHAPES]
            writer.writerow([outcome, *(cell for p in odds for cell in (str(p), repr(float(p))))])
        return text.getvalue()


def frame(view: View) -> Frame:
    """The frame of a View, exact.

    Raises:
        NotAllowed: the rule does not apply to these stats.
        RulekitError: what the rule or the engine refuses.

    >>> from rulekit import Roll, d, roll, rule
    >>> @rule()
    ... def smash(bonus: int = 5, ac: int = 15) -> Roll[bool]:
    ...     return roll(d(20), "natural") + bonus >= ac
    >>> shown = frame(View(smash.setup(bonus=7, ac=17)))
    >>> shown.sentence["percent"], shown.odds["exactly"]
    ('Result on a natural 10 or more, 55 %.', (Fraction(9, 20), Fraction(11, 20)))
    """
    return _Point(view).frame


class _Point:
    """A View evaluated at its point, with all that its tables need to know."""

    def __init__(self, view: View) -> None:
        outcome = view.setup()
        self.view = view
        self.outcome = outcome
        self.infos = {info.path: info for info in view.setup.measures}
        self.shown = self.infos[view.measure]
        rolls = measures_of(outcome)
        self.told_event = next((info.path for info in self.infos.values() if info.kind == "event"), None)
        parts = sentence_parts(outcome)
        self.parts = parts
        wanted = {part.measure for part in parts if isinstance(part, Reference) and part.what == "roll"}
        if not parts and self.told_event:
            wanted = {self.told_event}
        # Which of them decides is found place by place: at another value of a stat another may, or none.
        self.thrown = {event: list(_deciding(outcome, event))[:_CANDIDATES] for event in sorted(wanted)}
        names = list(self._questions())
        asked = [_question(wanted, rolls, outcome) for wanted in self._questions().values()]
        grids = ask(asked, exact=True)
        named = dict(zip(names, grids, strict=True))
        answers = {name: column[0] for name, column in self._columns(named).items()}
        shown = named[self._shown_name]
        self.pmf = dict(zip(shown.coords["outcome"], shown.flat, strict=True))
        self.answers = answers
        self.frame = self._frame(answers)

    def _questions(self) -> dict[str, str | Callable[[Any], Roll[Any]]]:
        """What is asked of the outcome, by the name under which the answer is kept."""
        wanted: dict[str, str | Callable[[Any], Roll[Any]]] = {}
        for path, info in self.infos.items():
            wanted[path] = path if info.kind != "event" else f"{path}.pmf"
        if self.shown.kind == "number":
            wanted[_PMF] = f"{self.shown.path}.pmf"
            wanted[_SD] = f"{self.shown.path}.sd"
        for event, names in self.thrown.items():
            wanted.update({f"{event}:{name}": _coded(event, name) for name in names})
        return wanted

    @property
    def _shown_name(self) -> str:
        """The question that gives the distribution of the measure shown."""
        return _PMF if self.shown.kind == "number" else self.shown.path

    def _columns(self, grids: Mapping[str, Grid], line: Sequence[Any] | None = None) -> dict[str, list[Any]]:
        """For every question that `write` needs its answers at the places of a line, or at the point alone: a
        number, a mapping from outcome to odds, or (of a deciding roll) what has to be thrown.
        """
        wanted = {name: grid for name, grid in grids.items() if name in self.infos or name == _SD}
        columns = {name: _column(grid, line is not None) for name, grid in wanted.items()}
        places = 1 if line is None else len(line)
        for event, names in self.thrown.items():
            told = [_needs(name, grids[f"{event}:{name}"], places) for name in names]
            needs = zip(*told, strict=True) if told else [()] * places
            columns[f"{event}:roll"] = [next(filter(None, each), "") for each in needs]
        return columns

    def _frame(self, answers: Mapping[str, Any]) -> Frame:
        outcomes = [x for x, p in self.pmf.items() if p]
        columns = _cumulated_exactly([Fraction(self.pmf[x]) for x in outcomes])
        odds = dict(zip(SHAPES, map(tuple, columns), strict=True))
        sentence, figures = self.write(answers)
        tiles = tuple(
            Tile(*named, value, _by_mode(told))
            for named, (value, told) in zip(self.tiles(), figures, strict=True)
        )
        outcome = self.outcome
        if isinstance(outcome, Outcome):
            notes = tuple(outcome.notes)
        else:  # one Roll carries none
            notes = sample_notes(self.view.setup.arguments.__dict__)
        return Frame(self.view, _by_mode(sentence), tiles, tuple(map(key_of, outcomes)), odds, notes)

    # -- words and figures, for the point and for every place of a table

    def tiles(self) -> list[tuple[str, str, TileKind]]:
        """Name, label and kind of every figure, in the order of `write`."""
        told: list[tuple[str, str, TileKind]] = []
        for path, info in self.infos.items():
            label = _capital(info.label or path)
            if info.kind == "event":
                told.append((path, label, "probability"))
            elif info.kind == "number":
                told.append((path, f"{label}, mean", "number"))
            else:
                told.append((path, f"{label}, likeliest", "label"))
        if self.shown.kind == "number":
            told.append(
                (f"{self.shown.path}.sd", f"{_capital(self.shown.label)}, standard deviation", "number")
            )
        return told

    def write(self, answers: Mapping[str, Any]) -> tuple[_Told, list[_Figure]]:
        """The sentence and the figures, in the order of `tiles`, from the answers at one place."""
        figures: dict[str, _Figure] = {}
        for path, info in self.infos.items():
            answer = answers[path]
            if info.kind == "event":
                p = _chance_of(answer)
                figures[path] = p, _chance_texts(p)
            elif info.kind == "number":
                figures[path] = answer, _number_texts(answer, info.unit)
            else:
                likeliest = max(answer, key=answer.__getitem__)
                p = _tidy(answer[likeliest], answer, likeliest)
                figures[path] = p, tuple(f"{key_of(likeliest)} {text}" for text in _chance_texts(p))
        if _SD in answers:
            figures[_SD] = answers[_SD], _number_texts(answers[_SD], self.shown.unit)
        needs = {event: answers[f"{event}:roll"] for event in self.thrown}
        return self._sentence(needs, figures), list(figures.values())

    def _sentence(self, needs: Mapping[str, str], figures: Mapping[str, _Figure]) -> _Told:
        if self.parts:
            return _joined(
                _same(part) if isinstance(part, str) else _filled(part, needs, figures) for part in self.parts
            )
        said: list[_Told] = []
        if self.told_event:
            need = needs.get(self.told_event)
            on = f" on {need}" if need else ""
            said += [_same(f"{self.infos[self.told_event].label}{on}, "), figures[self.told_event][1]]
        number = self.shown if self.shown.kind == "number" else self._first("number")
        if number:
            joint = "; " if said else ""
            said += [_same(f"{joint}{number.label} "), figures[number.path][1], _same(" on average")]
        if not said:
            label = self._first("label") or self.shown
            said += [_same(f"{label.label}: most likely "), figures[label.path][1]]
        return tuple(map(_capital, _joined([*said, _same(".")])))

    def _first(self, kind: str) -> MeasureInfo | None:
        return next((info for info in self.infos.values() if info.kind == kind), None)

    # -- what is sent

    def here(self, texts: _Texts) -> dict[str, Any]:
        """The table of the point alone, with the odds as exact fractions too."""
        ordered, sent = sent_rows(list(self.pmf), [list(self.pmf.values())])
        odds = _cumulated_exactly([Fraction(self.pmf.get(x, 0)) for x in ordered])
        cells = {
            shape: [format_probability(p, "fraction") for p in column]
            for shape, column in zip(SHAPES, odds, strict=True)
        }
        places, heads = texts.rows([self.write(self.answers)], len(self.frame.tiles))
        return {**sent, "text": places, "heads": heads, "cells": cells}

    def lines(self, info: StatInfo, most: int, patience: float) -> dict[str, Sweep]:
        """What the table of one slider needs."""
        wanted = list(self._questions().values())
        return lines(self.view.setup, wanted, [info.path], most=most, patience=patience)

    def lines_together(self, infos: Iterable[StatInfo], most: int) -> Iterator[dict[str, Sweep]]:
        """What the tables of those sliders need that can be had together."""
        wanted = list(self._questions().values())
        return lines_together(self.view.setup, wanted, [info.path for info in infos], most=most)

    def table(self, info: StatInfo, most: int, swept: Sweep, texts: _Texts) -> dict[str, Any] | None:
        """The table of one slider; None where the rule applies nowhere on it."""
        if not swept.grids:
            return None
        coords = swept.over[info.path]
        grids = dict(zip(self._questions(), swept.grids.values(), strict=True))
        columns = self._columns(grids, coords)
        outcomes, rows = _matrix(grids[self._shown_name])
        reasons = [
            swept.reasons.get((coord,), "There is no answer for this value" if _is_nan(told) else "")
            for coord, told in zip(
                coords, zip(*columns.values(), (row[0] for row in rows), strict=True), strict=True
            )
        ]
        written = [
            None if reason else self.write({name: column[i] for name, column in columns.items()})
            for i, reason in enumerate(reasons)
        ]
        blocked = {i: reason for i, reason in enumerate(reasons) if reason}
        if blocked:
            rows = [[0] * len(outcomes) if i in blocked else row for i, row in enumerate(rows)]
        places, heads = texts.rows(written, len(self.frame.tiles))
        return {
            **sent_rows(outcomes, rows)[1],
            "values": [plain_value(v) for v in info.span(most)],
            "text": places,
            "heads": heads,
            "blocked": blocked,
        }


def _filled(part: Reference, needs: Mapping[str, str], figures: Mapping[str, _Figure]) -> _Told:
    if part.what == "roll":
        return _same(needs.get(part.measure) or "more than one roll")
    return figures[part.measure][1]


def _same(text: str) -> _Told:
    """The same in every mode."""
    return (text,) * len(MODES)


def _joined(parts: Iterable[_Told]) -> _Told:
    return tuple(map("".join, zip(*parts, strict=True)))


def _question(
    wanted: str | Callable[[Any], Roll[Any]], rolls: Mapping[str, Roll[Any]], outcome: Any
) -> tuple[str, Roll[Any]]:
    if callable(wanted):
        return "dist", wanted(outcome)
    if wanted in rolls:
        return ("E" if rolls[wanted].kind == "number" else "dist"), rolls[wanted]
    path, _, how = wanted.rpartition(".")
    return ("dist" if how == "pmf" else how), rolls[path]


# -- what must be rolled -----------------------------------------------------------------------------------


def _coded(event: str, name: str) -> Callable[[Any], Roll[Any]]:
    """A label that tells both what a named roll shows and whether the event happens."""

    def code(outcome: Any) -> Roll[Any]:
        measures = measures_of(outcome)
        thrown = named_rolls(measures[event]).get(name, measures.get(name))
        return constant("") if thrown is None else apply(_code, thrown, measures[event])

    code.__name__ = f"{event}:{name}"
    return code


def _deciding(outcome: Any, event: str) -> dict[str, Roll[Any]]:
    """What might decide an event: the named rolls beneath it, else a measure that shows a die's faces."""
    measures = measures_of(outcome)
    named = {**named_rolls(measures[event]), **measures}
    return {
        name: x for name, x in named.items() if x.kind == "number" and (name not in measures or _is_die(x))
    }


def _is_die(x: Roll[Any]) -> bool:
    (grid,) = ask([("dist", x)])
    faces = [outcome for outcome, p in zip(grid.coords["outcome"], grid.flat, strict=True) if p]
    return sorted(faces) == list(range(1, len(faces) + 1)) and len(faces) > 1


def _code(shown: Any, happens: bool) -> str:
    return f"{shown}{'+' if happens else '-'}"


def _needs(name: str, coded: Grid, places: int) -> list[str]:
    """What has to be thrown at each place, from the odds of `_coded`."""
    codes, rows = _matrix(coded)
    told: dict[tuple[bool, ...], str] = {}
    needs = []
    for row in [[p != 0 for p in row] for row in rows] if isinstance(rows, list) else (rows != 0).tolist():
        there = tuple(row)
        if there not in told:
            told[there] = _threshold(name, itertools.compress(codes, there))
        needs.append(told[there])
    return needs if len(needs) == places else needs * places


def _threshold(name: str, codes: Iterable[str]) -> str:
    """ "a natural 10 or more" from the codes that come up; "" where the roll does not decide."""
    happens: dict[int, bool] = {}
    for code in codes:
        try:
            shown = int(code[:-1])
        except ValueError:
            return ""  # no such roll here, or not a whole number
        if shown in happens:
            return ""
        happens[shown] = code[-1] == "+"
    values = sorted(happens)
    flags = [happens[value] for value in values]
    called = name.replace("_", " ")
    article = "an" if called[0] in "aeiou" else "a"
    if all(flags):
        return f"any {called}"
    if not any(flags):
        return f"no {called}"
    if flags == sorted(flags):
        return f"{article} {called} {values[flags.index(True)]} or more"
    if flags == sorted(flags, reverse=True):
        return f"{article} {called} {values[flags.index(False) - 1]} or less"
    return ""


# -- odds --------------------------------------------------------------------------------------------------


def _tidy(p: Any, pmf: Mapping[Any, Any], outcome: Any) -> Any:
    """A probability that is 1 only where nothing else can happen: floats add up to nearly that."""
    if type(p) is not float:
        return Fraction(p)
    if p < 0.999_999:
        return p
    return min(p, 1 - 2.0**-53) if any(q for x, q in pmf.items() if x != outcome) else 1.0


def _chance_of(pmf: Mapping[Any, Any]) -> Any:
    return _tidy(pmf.get(True, 0), pmf, True)


def _matrix(grid: Grid) -> tuple[tuple[Any, ...], Any]:
    """The outcomes of a distribution, and at each place their odds: lists, or an array with two axes."""
    outcomes = grid.coords[grid.dims[-1]]
    flat: Any = grid.flat
    size = len(outcomes)
    if hasattr(flat, "reshape"):
        return outcomes, flat.reshape(-1, size)
    return outcomes, [flat[start : start + size] for start in range(0, len(flat), size)]


def _column(grid: Grid, on_line: bool) -> list[Any]:
    """The answers of a Grid at every place: numbers, or mappings from outcome to odds."""
    if len(grid.dims) == on_line:
        return grid.flat.tolist() if hasattr(grid.flat, "tolist") else list(grid.flat)
    outcomes, rows = _matrix(grid)
    rows = rows if isinstance(rows, list) else rows.tolist()
    return [dict(zip(outcomes, row, strict=True)) for row in rows]


def _is_nan(told: Iterable[Any]) -> bool:
    """Whether some of the answers at one place is NaN: where there is no answer, all of it is."""
    return any(
        x != x
        for answer in told
        for x in ([next(iter(answer.values()), 0)] if type(answer) is dict else [answer])
    )


def sent_rows(outcomes: Sequence[Any], rows: Any) -> tuple[list[Any], dict[str, Any]]:
    """The outcomes of some places; and they and their odds (exactly, at least, at most) as they are sent.

    Args:
        outcomes: In the order of the columns.
        rows: At each place their odds: lists of numbers, or an array with two axes.
    """
    is_array = not isinstance(rows, list)
    there = rows.any(axis=0).tolist() if is_array else [any(column) for column in zip(*rows, strict=True)]
    place = {x: i for i, x in enumerate(outcomes) if there[i]}
    ordered = list(place)
    numbers = all(isinstance(x, (int, float, Fraction)) and not isinstance(x, bool) for x in ordered)
    if numbers:
        ordered.sort()
        if all(x == int(x) for x in ordered) and ordered[-1] - ordered[0] < 2 * len(ordered) + 20:
            ordered = list(range(int(ordered[0]), int(ordered[-1]) + 1))
    columns = [place.get(x) for x in ordered]
    if is_array:
        sent = _cumulated_arrays(rows, columns)
    else:
        sent = [_cumulated([0 if i is None else row[i] for i in columns]) for row in rows]
    first, last = _shown_outcomes(sent, len(ordered))
    cut = last - first < len(ordered)
    if cut:
        ordered = ordered[first:last]
        sent = sent[:, :, first:last] if is_array else [[c[first:last] for c in row] for row in sent]
    keys: dict[str, Any] = {"keys": [key_of(x) for x in ordered]}
    if numbers and all(type(x) is int for x in ordered) and ordered[-1] - ordered[0] == len(ordered) - 1:
        keys = {"start": ordered[0], "count": len(ordered)}
    elif numbers:
        keys["numbers"] = [float(x) for x in ordered]
    return ordered, {"outcomes": {**keys, "cut": cut}, "rows": packed(sent)}


def _cumulated_exactly(exactly: Sequence[Fraction]) -> tuple[list[Fraction], list[Fraction], list[Fraction]]:
    at_most = list(accumulate(exactly))
    whole = at_most[-1]
    return list(exactly), [whole - below for below in (Fraction(0), *at_most[:-1])], at_most


_NEARLY = 1 - 2.0**-53


def _cumulated(row: Sequence[Any]) -> tuple[list[float], list[float], list[float]]:
    """Exactly, at least, at most; 1 only where it is certain, 0 only where it is impossible."""
    below = list(accumulate(row))
    above = list(accumulate(reversed(row)))[::-1]
    exactly = [float(bool(p)) for p in row] if sum(map(bool, row)) == 1 else [float(p) for p in row]
    return exactly, _summed(above, [0, *below[:-1]]), _summed(below, [*above[1:], 0])


def _summed(sums: Sequence[Any], others: Sequence[Any]) -> list[float]:
    """Sums of odds as floats, with what the other outcomes have beside them: floats add up to nearly 1."""
    return [
        (float(p) if p < _NEARLY else _NEARLY) if other else float(bool(p))
        for p, other in zip(sums, others, strict=True)
    ]


def _cumulated_arrays(rows: Any, columns: Sequence[int | None]) -> Any:
    """The same as `_cumulated` of every row of an array, its columns in this order, None where there is none:
    an array of places, shapes and outcomes.
    """
    import numpy as np

    exactly = np.zeros((len(rows), len(columns)))
    there = [i for i, column in enumerate(columns) if column is not None]
    exactly[:, there] = rows[:, [columns[i] for i in there]]
    below = np.cumsum(exactly, axis=1)
    above = np.cumsum(exactly[:, ::-1], axis=1)[:, ::-1]
    sent = np.zeros((len(rows), 3, len(columns)))
    certain = np.count_nonzero(exactly, axis=1) == 1
    sent[:, 0] = np.where(certain[:, None], exactly != 0, exactly)
    sent[:, 1] = above != 0
    sent[:, 1, 1:] = np.where(below[:, :-1] != 0, np.minimum(above[:, 1:], _NEARLY), sent[:, 1, 1:])
    sent[:, 2] = below != 0
    sent[:, 2, :-1] = np.where(above[:, 1:] != 0, np.minimum(below[:, :-1], _NEARLY), sent[:, 2, :-1])
    return sent


def _shown_outcomes(rows: Any, size: int) -> tuple[int, int]:
    """From where to where outcomes are sent: of more than `_LONGEST` not the rare ones at the ends."""
    if size <= _LONGEST:
        return 0, size
    kept = [i for i in range(size) if any(row[1][i] > _RARE and row[2][i] > _RARE for row in rows)]
    return kept[0], kept[-1] + 1


# -- words -------------------------------------------------------------------------------------------------


@lru_cache(maxsize=20_000, typed=True)  # of 0.5 is told "≈ 1/2", of Fraction(1, 2) "1/2"
def _chance_texts(p: Any) -> _Told:
    return tuple(format_probability(p, mode) for mode in MODES)


@lru_cache(maxsize=20_000, typed=True)
def _number_texts(x: Any, unit: str) -> _Told:
    return _same(f"{format_number(x)} {unit}".rstrip())


def _by_mode(told: _Told) -> Texts:
    return dict(zip(MODES, told, strict=True))


_caches.register(_chance_texts.cache_clear)
_caches.register(_number_texts.cache_clear)


def key_of(outcome: Any) -> str:
    """An outcome as text."""
    if isinstance(outcome, bool):
        return "Yes" if outcome else "No"
    if isinstance(outcome, int):
        return str(outcome).replace("-", "−")
    if isinstance(outcome, float):
        return format_number(outcome)
    return str(plain_data(outcome))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def plain_value(value: Any) -> Any:
    """A stat's value as JSON has it and as the page compares it."""
    if isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, (float, Fraction)):
        return float(value)
    return plain_data(value)


# -- what is sent ------------------------------------------------------------------------------------------


class _Texts:
    """Every text once; what refers to it carries its place."""

    def __init__(self) -> None:
        self.places: dict[str, int] = {}
        self._known: dict[_Told, list[int]] = {}

    def rows(
        self, written: Iterable[tuple[_Told, list[_Figure]] | None], tiles: int
    ) -> tuple[list[int], str]:
        """Places of sentence and tiles in every mode, a row after another, and the tiles' values, packed."""
        places: list[int] = []
        values: list[float] = []
        nothing = _same(""), [(math.nan, _same(""))] * tiles
        for each in written:
            sentence, figures = each or nothing
            places += self._placed(sentence)
            for value, told in figures:
                places += self._placed(told)
                values.append(float(value))
        return places, packed_numbers(values)

    def _placed(self, told: _Told) -> list[int]:
        found = self._known.get(told)
        if found is None:
            found = [self.places.setdefault(text, len(self.places)) for text in told]
            self._known[told] = found
        return found


class Tables:
    """The frame at a View's point and, slider by slider, the frames over their spans.

    Args:
        view: What is looked at.
        slow: From path to the seconds that were not enough for a table before: `add_all` leaves out those for
            which there are no more now, and adds to them.

    Raises:
        NotAllowed: the rule does not apply to these stats.
        RulekitError: what the rule or the engine refuses.
    """

    def __init__(self, view: View, slow: dict[str, float] | None = None) -> None:
        self._slow = {} if slow is None else slow
        self.view = view
        self._point = _Point(view)
        self._texts = _Texts()
        self._stats = {info.path: info for info in view.setup.stats if info.kind in LEAVES}
        self._here = self._point.here(self._texts)
        self._tables: dict[str, Any] = {}
        self._room = 2 * _ROOM
        self._most = _most(list(self.sliding), len(self._point.frame.outcomes))

    @property
    def frame(self) -> Frame:
        """The frame at the point."""
        return self._point.frame

    @property
    def sliding(self) -> Iterable[StatInfo]:
        """The stats that can have a table, numbers first."""
        slides = [info for info in self._stats.values() if info.kind in _SLIDES]
        return sorted(slides, key=lambda info: _SLIDES.index(info.kind))

    def can_slide(self, path: str) -> bool:
        """Whether a stat is among `sliding`."""
        return path in self._stats and self._stats[path].kind in _SLIDES

    def add(self, path: str, seconds: float = math.inf) -> bool:
        """Make the table of one slider, where it has a span and that takes no longer than this much processor
        time; whether there is one now.
        """
        if path not in self._tables and self.can_slide(path) and self._room >= 0:
            self._keep([path], lambda: self._point.lines(self._stats[path], self._most, seconds))
        return path in self._tables

    def add_all(self, seconds: float = math.inf) -> bool:
        """Make the tables of all sliders; whether there are any more than before. No further ones are begun
        after this much processor time, of which one that goes by itself takes no more than a part.
        """
        before = len(self._tables)
        if seconds >= 0:
            self._add_all(seconds)
        return len(self._tables) > before

    def _add_all(self, seconds: float) -> None:
        until = processor_time() + seconds
        waiting = [info for info in self.sliding if info.path not in self._tables]
        for found in self._point.lines_together(waiting, self._most):
            self._keep(found, lambda found=found: found)
            if processor_time() > until or self._room < 0:
                return
        for info in waiting:
            left = until - processor_time()
            if left < 0 or self._room < 0:
                return
            allowed = min(left, _SHARE * seconds)
            if self._slow.get(info.path, -1) < allowed and not self.add(info.path, allowed):
                self._slow[info.path] = allowed

    def _keep(self, paths: Iterable[str], lines: Callable[[], Mapping[str, Sweep]]) -> None:
        try:
            for path, line in lines().items():
                table = self._point.table(self._stats[path], self._most, line, self._texts)
                if table is not None and self._room >= 0:
                    self._tables[path] = table
                    self._room -= len(table["rows"]) // 16
        except Exception:  # too large over its span, or a user's own rule that fails at another value
            _log.info("no table for %s: it asks for each value", ", ".join(paths), exc_info=True)

    def _is_cut(self) -> bool:
        return any(table["outcomes"]["cut"] for table in (self._here, *self._tables.values()))

    def sent(self) -> dict[str, Any]:
        """All of it as JSON for the page.

        Returns:
            `key` (of the Setup), `rule`, `values` (of every control, by path), `measure`, `measures`,
            `tiles`, `notes`, `first` (a slider), `texts`, `point` and `tables` by path: in each `outcomes`,
            `rows` (base64 of 32-bit floats: for every place the odds exactly, at least, at most), `heads`
            (base64 of 64-bit floats: the tiles), `text` (places in `texts`), `values` (of the stat) and
            `blocked` (reasons).
        """
        setup, shown = self.view.setup, self.frame
        return {
            "key": setup.key,
            "rule": {
                "title": _capital(setup.rule.id.rpartition(".")[2].replace("_", " ")),
                "doc": setup.rule.doc.partition("\n")[0],
                "sources": list(setup.rule.sources),
            },
            "values": {path: plain_value(setup.get(path)) for path in self._stats},
            "measure": self.view.measure,
            "measures": [
                {
                    "name": info.path,
                    "label": _capital(info.label),
                    "kind": info.kind,
                    "unit": info.unit,
                    "help": info.help,
                }
                for info in self._point.infos.values()
            ],
            "tiles": [{"name": tile.name, "label": tile.label, "kind": tile.kind} for tile in shown.tiles],
            "notes": [*shown.notes, *([_CUT] if self._is_cut() else [])],
            "first": next((info.path for info in self.sliding if info.path in self._tables), ""),
            "texts": list(self._texts.places),
            "point": self._here,
            "tables": dict(self._tables),
        }


def ghost(view: View) -> dict[str, Any]:
    """The frame at a point as JSON, for a curve to compare with."""
    point = _Point(view)
    return {
        **point.here(_Texts()),
        "measure": view.measure,
        "tiles": [tile.name for tile in point.frame.tiles],
    }


def _most(sliding: Sequence[StatInfo], outcomes: int) -> int:
    """How many values a slider's table holds at most; one with more gets ten either side of where it is."""
    for most in (201, 101, 61, 41):
        if sum(len(info.span(most)) for info in sliding) * outcomes <= _ROOM:
            return most
    return 21


_SLIDES = ("whole", "decimal", "switch", "choice")
LEAVES = (*_SLIDES, "dice")
"""The kinds of stats that are one control with one value."""
