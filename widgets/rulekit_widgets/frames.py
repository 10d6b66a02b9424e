"""From a View to what is on the screen: the frame at its point, and the tables of its sliders."""

from __future__ import annotations

import csv
import io
import logging
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import Any, Literal

from rulekit import _caches
from rulekit.distributions.formatting import ProbabilityMode, format_number, format_probability
from rulekit.rolls import Grid, Roll, apply, ask, constant, named_rolls
from rulekit.rules import MeasureInfo, Reference, StatInfo, measures_of, plain_data, sentence_parts
from rulekit.studies.sweeping import lines
from rulekit_widgets.cells import MODES, packed, packed_numbers
from rulekit_widgets.views import SHAPES, Shape, View

__all__ = ["Frame", "LEAVES", "Tables", "Tile", "frame", "ghost", "key_of", "plain_value", "sent_rows"]

_log = logging.getLogger(__name__)

TileKind = Literal["probability", "number", "label"]
Texts = Mapping[ProbabilityMode, str]
_Told = tuple[str, ...]
"""The same in every mode, in the order of `MODES`."""

_Figure = tuple[Any, _Told]

_ROOM = 30_000
"""Rows times outcomes that the tables of one point hold: 480 kB as base64."""

_LONGEST = 1_000
_RARE = 1e-12
"""A distribution with more outcomes than `_LONGEST` leaves out those at its ends that are rarer than this."""


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
        self.thrown = {event: name for event in sorted(wanted) if (name := _deciding_roll(outcome, event))}
        names = list(self._questions())
        asked = [_question(wanted, rolls, outcome) for wanted in self._questions().values()]
        grids = ask(asked, exact=True)
        answers: dict[str, Any] = {}
        for name, (how, _), grid in zip(names, asked, grids, strict=True):
            answers[name] = (
                dict(zip(grid.coords["outcome"], grid.flat, strict=True)) if how == "dist" else grid.item()
            )
        self.pmf: Mapping[Any, Any] = answers["pmf" if self.shown.kind == "number" else view.measure]
        self.answers = answers
        self.known: dict[str, Grid] = {}  # what a slider does not touch is asked once for all sliders
        self.frame = self._frame(answers)

    def _questions(self) -> dict[str, str | Callable[[Any], Roll[Any]]]:
        """What is asked of the outcome, by the name under which the answer is kept."""
        wanted: dict[str, str | Callable[[Any], Roll[Any]]] = {}
        for path, info in self.infos.items():
            wanted[path] = path if info.kind != "event" else f"{path}.pmf"
        if self.shown.kind == "number":
            wanted["pmf"] = f"{self.shown.path}.pmf"
            wanted["sd"] = f"{self.shown.path}.sd"
        for event, name in self.thrown.items():
            wanted[f"{event}:roll"] = _coded(event, name)
        return wanted

    def _frame(self, answers: Mapping[str, Any]) -> Frame:
        outcomes = [x for x, p in self.pmf.items() if p]
        columns = _cumulated_exactly([Fraction(self.pmf[x]) for x in outcomes])
        odds = dict(zip(SHAPES, map(tuple, columns), strict=True))
        sentence, figures = self.write(answers)
        tiles = tuple(
            Tile(*named, value, _by_mode(told))
            for named, (value, told) in zip(self.tiles(), figures, strict=True)
        )
        notes = tuple(getattr(self.outcome, "notes", ()))
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
        if "sd" in answers:
            figures["sd"] = answers["sd"], _number_texts(answers["sd"], self.shown.unit)
        needs = {event: _threshold(name, answers[f"{event}:roll"]) for event, name in self.thrown.items()}
        return tuple(self._sentence(needs, figures, k) for k in range(len(MODES))), list(figures.values())

    def _sentence(self, needs: Mapping[str, str], figures: Mapping[str, _Figure], k: int) -> str:
        if self.parts:
            return "".join(
                part if isinstance(part, str) else _filled(part, needs, figures, k) for part in self.parts
            )
        said = []
        if self.told_event:
            need = needs.get(self.told_event)
            on = f" on {need}" if need else ""
            said.append(
                f"{_capital(self.infos[self.told_event].label)}{on}, {figures[self.told_event][1][k]}"
            )
        number = self.shown if self.shown.kind == "number" else self._first("number")
        if number:
            said.append(f"{number.label} {figures[number.path][1][k]} on average")
        if not said:
            label = self._first("label") or self.shown
            said.append(f"{label.label}: most likely {figures[label.path][1][k]}")
        return _capital("; ".join(said)) + "."

    def _first(self, kind: str) -> MeasureInfo | None:
        return next((info for info in self.infos.values() if info.kind == kind), None)

    # -- what is sent

    def here(self, texts: _Texts) -> dict[str, Any]:
        """The table of the point alone, with the odds as exact fractions too."""
        ordered, sent = sent_rows([self.pmf])
        odds = _cumulated_exactly([Fraction(self.pmf.get(x, 0)) for x in ordered])
        cells = {
            shape: [format_probability(p, "fraction") for p in column]
            for shape, column in zip(SHAPES, odds, strict=True)
        }
        places, heads = texts.rows([self.write(self.answers)], len(self.frame.tiles))
        return {**sent, "text": places, "heads": heads, "cells": cells}

    def along(self, info: StatInfo, most: int, texts: _Texts) -> dict[str, Any] | None:
        """The table of one slider; None where it has no span or the rule applies nowhere on it."""
        wanted = self._questions()
        values = info.span(most)
        if not values:
            return None
        swept = lines(self.view.setup, list(wanted.values()), [info.path], most=most, known=self.known)[
            info.path
        ]
        if not swept.grids:
            return None
        coords = swept.over[info.path]
        columns = {
            name: _column(grid, len(coords)) for name, grid in zip(wanted, swept.grids.values(), strict=True)
        }
        rows: list[Mapping[Any, Any]] = []
        written: list[tuple[_Told, list[_Figure]] | None] = []
        blocked = {}
        for i, coord in enumerate(coords):
            answers = {name: column[i] for name, column in columns.items()}
            if (coord,) in swept.reasons or any(map(_is_nan, answers.values())):
                blocked[i] = swept.reasons.get((coord,), "There is no answer for this value")
                rows.append({})
                written.append(None)
            else:
                rows.append(answers["pmf"] if self.shown.kind == "number" else answers[self.shown.path])
                written.append(self.write(answers))
        places, heads = texts.rows(written, len(self.frame.tiles))
        sent = sent_rows(rows)[1]
        return {
            **sent,
            "values": [plain_value(v) for v in values],
            "text": places,
            "heads": heads,
            "blocked": blocked,
        }


def _filled(part: Reference, needs: Mapping[str, str], figures: Mapping[str, _Figure], k: int) -> str:
    if part.what == "roll":
        return needs.get(part.measure) or "more than one roll"
    return figures[part.measure][1][k]


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

    code.__name__ = f"{event}:roll"
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


def _deciding_roll(outcome: Any, event: str) -> str | None:
    """The first roll whose value alone decides the event, from some value up or down."""
    happens = measures_of(outcome)[event]
    for name, thrown in _deciding(outcome, event).items():
        (grid,) = ask([("dist", apply(_code, thrown, happens))], exact=True)
        if _threshold(name, dict(zip(grid.coords["outcome"], grid.flat, strict=True))):
            return name
    return None


def _threshold(name: str, coded: Mapping[str, Any]) -> str:
    """ "a natural 10 or more" from the odds of `_coded`; "" where the roll does not decide."""
    happens: dict[int, bool] = {}
    for code, p in coded.items():
        if not p:
            continue
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


def _column(grid: Any, places: int) -> list[Any]:
    """The answers of a Grid at every place: numbers, or mappings from outcome to odds."""
    flat = grid.flat.tolist() if hasattr(grid.flat, "tolist") else list(grid.flat)
    if len(grid.dims) == 1:
        return flat
    outcomes = grid.coords[grid.dims[-1]]
    size = len(outcomes)
    return [dict(zip(outcomes, flat[i * size : (i + 1) * size], strict=True)) for i in range(places)]


def _is_nan(answer: Any) -> bool:
    if type(answer) is dict:  # where there is no answer, all of it is NaN
        answer = next(iter(answer.values()), 0)
    return bool(answer != answer)


def sent_rows(rows: Sequence[Mapping[Any, Any]]) -> tuple[list[Any], dict[str, Any]]:
    """The outcomes of some places; and they and their odds (exactly, at least, at most) as they are sent."""
    possible = {x for row in rows for x, p in row.items() if p}
    ordered = list(dict.fromkeys(x for row in rows for x in row if x in possible))
    numbers = all(isinstance(x, (int, float, Fraction)) and not isinstance(x, bool) for x in ordered)
    if numbers:
        ordered.sort()
        if all(x == int(x) for x in ordered) and ordered[-1] - ordered[0] < 2 * len(ordered) + 20:
            ordered = list(range(int(ordered[0]), int(ordered[-1]) + 1))
    sent = [_cumulated([row.get(x, 0) for x in ordered]) for row in rows]
    ordered, sent = _without_rare_ends(ordered, sent)
    keys: dict[str, Any] = {"keys": [key_of(x) for x in ordered]}
    if numbers and all(type(x) is int for x in ordered) and ordered[-1] - ordered[0] == len(ordered) - 1:
        keys = {"start": ordered[0], "count": len(ordered)}
    elif numbers:
        keys["numbers"] = [float(x) for x in ordered]
    return ordered, {"outcomes": keys, "rows": packed(column for row in sent for column in row)}


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


def _without_rare_ends(outcomes: list[Any], rows: list[Any]) -> tuple[list[Any], list[Any]]:
    if len(outcomes) <= _LONGEST:
        return outcomes, rows
    kept = [i for i in range(len(outcomes)) if any(row[1][i] > _RARE and row[2][i] > _RARE for row in rows)]
    first, last = kept[0], kept[-1] + 1
    return outcomes[first:last], [tuple(column[first:last] for column in row) for row in rows]


# -- words -------------------------------------------------------------------------------------------------


@lru_cache(maxsize=20_000)
def _chance_texts(p: Any) -> _Told:
    return tuple(format_probability(p, mode) for mode in MODES)


@lru_cache(maxsize=20_000)
def _number_texts(x: Any, unit: str) -> _Told:
    return (f"{format_number(x)} {unit}".rstrip(),) * len(MODES)


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
        nothing = ("",) * len(MODES), [(math.nan, ("",) * len(MODES))] * tiles
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

    Raises:
        NotAllowed: the rule does not apply to these stats.
        RulekitError: what the rule or the engine refuses.
    """

    def __init__(self, view: View) -> None:
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

    def add(self, path: str) -> bool:
        """Make the table of one slider, where it has a span; whether there is one now."""
        if path in self._tables:
            return True
        info = self._stats.get(path)
        if info is None or info.kind not in _SLIDES or self._room < 0:
            return False
        try:
            table = self._point.along(info, self._most, self._texts)
        except Exception:  # too large over the whole span, or a user's own rule that fails at another value
            _log.info("no table for %s: it asks for each value", path, exc_info=True)
            return False
        if table is not None:
            self._tables[path] = table
            self._room -= len(table["rows"]) // 16
        return table is not None

    def add_all(self, seconds: float = math.inf) -> None:
        """Make the tables of all sliders; no further one is begun after this much processor time."""
        until = time.thread_time() + seconds
        for info in self.sliding:
            if time.thread_time() > until:
                break
            self.add(info.path)

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
            "notes": list(shown.notes),
            "first": next((info.path for info in self.sliding if info.path in self._tables), ""),
            "texts": list(self._texts.places),
            "point": self._here,
            "tables": self._tables,
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
