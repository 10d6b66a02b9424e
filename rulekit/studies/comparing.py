"""Loadouts, readings or rules side by side: values, who beats whom, dominance, and where the order flips."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rulekit.distributions import Dist
from rulekit.errors import NotAllowed, StatError
from rulekit.rolls import Grid, apply, ask, dist
from rulekit.rules import Setup, StatInfo, measures_of
from rulekit.rules.fields import label_of, nearest
from rulekit.rules.outcomes import found_measures
from rulekit.studies.asking import Asked
from rulekit.studies.results import Study, Table, difference_text, value_text
from rulekit.studies.sweeping import question_of, sweep

__all__ = ["Comparison", "Difference", "Duel", "Flip", "compare"]

Wanted = str | Callable[[Any], Any]

NEGLIGIBLE = 1e-12
"""A difference of floats below this share of the larger value counts as none."""


@dataclass(frozen=True)
class Duel:
    """One draw of a measure from each of two Setups, independent of each other.

    Attributes:
        measure, first, second: What, and who.
        wins, ties, losses: The probabilities that the first shows the better, the same, the worse value.
        dominance: 1 or 2 where the first dominates the second stochastically in that order (the first order
            is the stronger claim and holds for every taste, the second for all who shun risk), -1 or -2 where
            the second dominates the first, 0 for neither.
    """

    measure: str
    first: str
    second: str
    wins: Any
    ties: Any
    losses: Any
    dominance: int


@dataclass(frozen=True)
class Flip:
    """A place along a stat where the order of two Setups turns round.

    Attributes:
        measure, path: Of what, along which stat.
        before, after: Who is ahead before it, who after it.
        last: The last value of the stat where `before` is ahead.
        ties: The values between where the two are equal.
        first: The first value where `after` is ahead.
    """

    measure: str
    path: str
    before: str
    after: str
    last: Any
    ties: tuple[Any, ...]
    first: Any


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Study):
    """Setups side by side.

    Attributes:
        setups: What is compared, by name.
        measures: What they are compared by, by name.
        values: From measure and name to the value: a probability or a mean.
        dists: From measure and name to the whole distribution; a spread has none.
        less_is_better: The measures of which less is better.
    """

    setups: Mapping[str, Setup[Any]]
    measures: Mapping[str, Asked]
    values: Mapping[str, Mapping[str, Any]]
    dists: Mapping[str, Mapping[str, Dist]]
    less_is_better: frozenset[str]
    wanted: Mapping[str, Wanted]

    @functools.cached_property
    def duels(self) -> tuple[Duel, ...]:
        """Who beats whom in each measure, for every pair."""
        pairs = list(itertools.combinations(self.setups, 2))
        return tuple(self._duel(measure, *pair) for measure in self.dists for pair in pairs)

    def duel(self, measure: str, first: str, second: str) -> Duel:
        """How often the first shows the better value of a measure than the second, and which dominates.

        Raises:
            StatError: a measure or name that is not there.

        >>> from rulekit import Dist, Roll, d, roll, rule
        >>> @rule()
        ... def swing(weapon: Dist = d(6)) -> Roll[int]:
        ...     return roll(weapon)
        >>> found = compare({"axe": swing.setup(d(8)), "club": swing.setup(d(6))})
        >>> duel = found.duel("result", "axe", "club")
        >>> duel.wins, duel.ties, duel.dominance
        (Fraction(9, 16), Fraction(1, 8), 1)
        """
        for name in (first, second):
            if name not in self.setups:
                raise StatError(f"{name!r}: nothing of that name is compared{nearest(name, self.setups)}")
        if measure not in self.dists:
            raise StatError(f"{measure!r}: there is no distribution of it{nearest(measure, self.dists)}")
        return self._duel(measure, first, second)

    def _duel(self, measure: str, first: str, second: str) -> Duel:
        sign = -1 if measure in self.less_is_better else 1
        a, b = (self.dists[measure][name] * sign for name in (first, second))
        wins, losses = (a > b).probability(True), (b > a).probability(True)
        dominance = 0
        for order, better, worse in ((1, a, b), (-1, b, a), (2, a, b), (-2, b, a)):
            if better.dominates(worse, 1 if abs(order) == 1 else 2):
                dominance = order
                break
        return Duel(measure, first, second, wins, 1 - wins - losses, losses, dominance)

    def flips(
        self,
        over: str | Iterable[str] | Mapping[str, Iterable[Any]] | None = None,
        measures: Sequence[str] | None = None,
    ) -> tuple[Flip, ...]:
        """Where the order of two of the Setups turns round, along stats that are set alike for all.

        Args:
            over: A stat, several, or a mapping from stat to values; by default every number on which the
                Setups agree, over its whole range.
            measures: Names among those compared; all by default.

        Returns:
            All of them, decided in fractions: two curves may cross more than once.

        Raises:
            StatError: a stat that one of them does not have.

        >>> from rulekit import Roll, d, roll, rule, where
        >>> @rule()
        ... def swing(bonus: int = 0, damage: int = 6, ac: int = 10) -> Roll[int]:
        ...     return where(roll(d(20)) + bonus >= ac, damage, 0)
        >>> found = compare({"sure": swing.setup(4, 5), "heavy": swing.setup(0, 8)})
        >>> [(flip.before, flip.last, flip.first, flip.after) for flip in found.flips({"ac": range(1, 30)})]
        [('heavy', 14, 15, 'sure')]
        """
        names = list(self.measures) if measures is None else list(measures)
        for name in names:
            if name not in self.measures:
                raise StatError(f"there is no measure {name!r}{nearest(name, self.measures)}")
        if not names:
            return ()
        found: list[Flip] = []
        for path, values in self._ranges(over).items():
            sweeps = {
                name: sweep(setup, {path: values}, [self.wanted[measure] for measure in names], exact=True)
                for name, setup in self.setups.items()
            }
            for measure in names:
                for pair in itertools.combinations(self.setups, 2):
                    first, second = (sweeps[name].grids[measure] for name in pair)
                    found += self._flips(measure, path, pair, first, second)
        return tuple(found)

    def _flips(
        self, measure: str, path: str, pair: tuple[str, str], first: Grid, second: Grid
    ) -> Iterator[Flip]:
        sign = -1 if measure in self.less_is_better else 1
        last: Any = None
        ahead, ties = 0, []
        for value, a, b in zip(first.coords[path], first.flat, second.flat, strict=True):
            if a != a or b != b:  # one of the rules does not apply there
                continue
            now = ((a > b) - (a < b)) * sign
            if not now:
                ties.append(value)
                continue
            if ahead and now != ahead:
                before, after = pair if ahead > 0 else pair[::-1]
                yield Flip(measure, path, before, after, last, tuple(ties), value)
            ahead, last, ties = now, value, []

    def _ranges(self, over: str | Iterable[str] | Mapping[str, Iterable[Any]] | None) -> Mapping[str, Any]:
        if isinstance(over, Mapping):
            return over
        stats = [{info.path: info for info in setup.stats} for setup in self.setups.values()]
        if over is None:
            return {
                path: values
                for path, info in stats[0].items()
                if info.kind in ("whole", "decimal")
                and all(path in other and other[path].value == info.value for other in stats)
                and (values := _common_span([each[path] for each in stats]))
            }
        paths = [over] if isinstance(over, str) else list(over)
        for path in paths:
            for name, each in zip(self.setups, stats, strict=True):
                if path not in each or each[path].kind not in ("whole", "decimal"):
                    raise StatError(f"{path}: no number of {name}{nearest(path, each)}")
        return {path: _common_span([each[path] for each in stats]) for path in paths}

    def difference(
        self,
        over: Mapping[str, Iterable[Any]] | str,
        measure: str | None = None,
        pair: tuple[str, str] | None = None,
        *,
        exact: bool = False,
    ) -> Difference:
        """A measure of the first less that of the second, over a map of stats: where, and whom, it helps.

        Args:
            over: From path to values, or text, as in `sweep`; the same for both.
            measure: One of those compared; the first by default.
            pair: Two of the names; the first two by default.
            exact: Fractions in place of floats.

        Raises:
            StatError: a measure, name or stat that is not there.
        """
        if measure is None:
            measure = next(iter(self.measures))
        if measure not in self.measures:
            raise StatError(f"there is no measure {measure!r}{nearest(measure, self.measures)}")
        first, second = tuple(self.setups)[:2] if pair is None else pair
        for name in (first, second):
            if name not in self.setups:
                raise StatError(f"{name!r}: nothing of that name is compared{nearest(name, self.setups)}")
        a, b = (
            sweep(self.setups[name], over, [self.wanted[measure]], exact=exact).grids[measure]
            for name in (first, second)
        )
        flat = [x - y for x, y in zip(a.flat, b.flat, strict=True)]
        if not exact:
            sizes = (max(abs(x), abs(y)) for x, y in zip(a.flat, b.flat, strict=True))
            flat = [
                0.0 if abs(gap) <= NEGLIGIBLE * size else float(gap)
                for gap, size in zip(flat, sizes, strict=True)
            ]
        return Difference(first, second, self.measures[measure], Grid.from_flat(a.dims, a.coords, flat))

    @property
    def sentence(self) -> str:
        """Who leads in the first measures, by how much, and how sure that is."""
        parts = []
        for name, asked in list(self.measures.items())[:3]:
            values = self.values[name]
            best = (min if name in self.less_is_better else max)(values.values())
            leaders = [setup for setup, value in values.items() if value == best]
            rest = ", ".join(
                f"{setup} {value_text(value, asked.kind, asked.unit)}"
                for setup, value in values.items()
                if setup not in leaders
            )
            leading = f"{' and '.join(leaders)} {value_text(best, asked.kind, asked.unit)}"
            same = f"{name}: {value_text(best, asked.kind, asked.unit)} for all"
            parts.append(f"{name}: {leading}, ahead of {rest}" if rest else same)
        if len(self.setups) == 2:
            for duel in self.duels:
                if self.measures[duel.measure].kind == "number":
                    parts.append(
                        f"one {duel.measure} of {duel.first} beats one of {duel.second} "
                        f"{value_text(duel.wins, 'event')} of the time, ties "
                        f"{value_text(duel.ties, 'event')}"
                        + _dominance_text(duel, "; {} dominates ({} order)")
                    )
                    break
        return "; ".join(parts) + "."

    def tables(self) -> tuple[Table, ...]:
        """A row a measure; and who beats whom in those that are numbers (`duels` has the events too)."""
        rows = []
        for name, asked in self.measures.items():
            values = list(self.values[name].values())
            cells = [value_text(value, asked.kind, asked.unit) for value in values]
            gap = [difference_text(values[1] - values[0], asked.kind, asked.unit)] if len(values) == 2 else []
            rows.append((name, *cells, *gap))
        names = list(self.setups)
        head = ("measure", *names, *([f"{names[1]} − {names[0]}"] if len(names) == 2 else []))
        duels = [
            (
                duel.measure, f"{duel.first} : {duel.second}",
                *(value_text(p, "event") for p in (duel.wins, duel.ties, duel.losses)),
                _dominance_text(duel, "{}, {} order"),
            )
            for duel in self.duels
            if self.measures[duel.measure].kind == "number"
        ]  # fmt: skip
        beats = ("measure", "pair", "first better", "tie", "second better", "dominates")
        return Table(head, rows), Table(beats, duels, "Who beats whom, one draw each")

    def records(self) -> Iterator[dict[str, Any]]:
        """A row a measure, a column a Setup."""
        for name in self.measures:
            yield {"measure": name, **self.values[name]}


@dataclass(frozen=True, eq=False, repr=False)
class Difference(Study):
    """A measure of one Setup less that of another, over a map.

    Attributes:
        first, second: Their names.
        measure: What is compared.
        grid: The first's less the second's; NaN where one of the rules does not apply.
    """

    first: str
    second: str
    measure: Asked
    grid: Grid

    def _side(self, sign: int) -> list[tuple[tuple[Any, ...], Any]]:
        """The points where the difference has this sign, with it."""
        points = itertools.product(*self.grid.coords.values())
        return [
            (point, gap)
            for point, gap in zip(points, self.grid.flat, strict=True)
            if gap == gap and (gap > 0) - (gap < 0) == sign
        ]

    @property
    def sentence(self) -> str:
        """At how many points each is ahead, and where most."""
        parts = []
        for name, sign in ((self.first, 1), (self.second, -1)):
            side = self._side(sign)
            if side:
                point, gap = max(side, key=lambda each: abs(each[1]))
                most = difference_text(abs(gap), self.measure.kind, self.measure.unit)
                parts.append(
                    f"{name} gives more at {len(side):,} points, most at {self._place(point)} ({most})"
                )
            else:
                parts.append(f"{name} nowhere gives more")
        return f"{self.measure.name}: {'; '.join(parts)}; equal at {len(self._side(0)):,}."

    def tables(self) -> tuple[Table, ...]:
        """Whom it helps: a row for each side, with the stats' values between which it is ahead."""
        rows = []
        for name, sign in ((self.first, 1), (self.second, -1), ("equal", 0)):
            side = self._side(sign)
            spans = []
            for i in range(len(self.grid.dims)):
                values = [point[i] for point, _ in side]
                ordered = [value for value in self.grid.coords[self.grid.dims[i]] if value in set(values)]
                spans.append(f"{ordered[0]} to {ordered[-1]}" if ordered else "")
            mean = sum(gap for _, gap in side) / len(side) if side else 0
            rows.append(
                (
                    name, f"{len(side):,}", *spans,
                    difference_text(mean, self.measure.kind, self.measure.unit) if side else "",
                )
            )  # fmt: skip
        return (Table(("more for", "points", *self.grid.dims, "by, on average"), rows),)

    def records(self) -> Iterator[dict[str, Any]]:
        """A row a point of the map."""
        name = f"{self.measure.name}: {self.first} - {self.second}"
        for point, gap in zip(itertools.product(*self.grid.coords.values()), self.grid.flat, strict=True):
            yield {**dict(zip(self.grid.dims, point, strict=True)), name: gap}

    def _place(self, point: tuple[Any, ...]) -> str:
        return ", ".join(f"{path} {value}" for path, value in zip(self.grid.dims, point, strict=True))


def compare(
    setups: Mapping[str, Setup[Any]],
    measures: Sequence[Wanted] | None = None,
    *,
    less_is_better: Collection[str] = (),
) -> Comparison:
    """Setups side by side: loadouts, readings of one rule, or rules that share a measure.

    Args:
        setups: Two or more, by name.
        measures: Names, comparisons (`"damage >= 10"`) or functions of the outcome; by default all that
            every one of them has. A label counts once for each value it may show.
        less_is_better: Names of measures of which less is better, such as damage taken.

    Returns:
        A Comparison, in fractions: values, duels, dominance; `flips` and `difference` look along stats.

    Raises:
        StatError: fewer than two, no shared measure, or a measure that one of them does not have.
        NotAllowed: one of the rules does not apply; the message names the Setup.

    >>> from rulekit import Dist, Roll, d, roll, rule
    >>> @rule()
    ... def swing(weapon: Dist = d(6)) -> Roll[int]:
    ...     return roll(weapon)
    >>> found = compare({"axe": swing.setup(d(12)), "mace": swing.setup(d("2d6"))})
    >>> print(found.tables()[0].text())
    measure  axe  mace  mace − axe
    result   6.5     7        +0.5
    >>> found.duels[0].wins, found.duels[0].dominance
    (Fraction(5, 12), -2)
    """
    if not isinstance(setups, Mapping) or len(setups) < 2:
        raise StatError("compare takes two or more Setups by name: {name: setup}")
    for name, setup in setups.items():
        if not isinstance(setup, Setup):
            raise StatError(f"{name}: {setup!r} is not a Setup; a_rule.setup(...) gives one")
    outcomes = {str(name): _outcome(name, setup) for name, setup in setups.items()}
    wanted = _shared(outcomes) if measures is None else list(measures)
    infos = {info.path: info for info in found_measures(next(iter(outcomes.values())))}
    asked: dict[str, Asked] = {}
    values: dict[str, dict[str, Any]] = {}
    dists: dict[str, dict[str, Dist]] = {}
    functions: dict[str, Wanted] = {}
    for each in _without_labels(outcomes, wanted):
        for setup_name, outcome in outcomes.items():
            name, question, roll = question_of(each, measures_of(outcome), outcome)
            if question == "dist":
                raise StatError(f"{name} is not one number: ask for an event such as '{name} == fire'")
            info = infos.get(name.removesuffix(".sd"))
            asked[name] = Asked(name, "event" if question == "P" else "number", info.unit if info else "")
            values.setdefault(name, {})[setup_name] = ask([(question, roll)], exact=True)[0].item()
            if question != "sd":
                dists.setdefault(name, {})[setup_name] = dist(roll * 1)
        if name in functions:
            raise StatError(f"two measures are called {name!r}: give the functions names of their own")
        functions[name] = each
    unknown = set(less_is_better) - set(asked)
    if unknown:
        raise StatError(
            f"less_is_better: {', '.join(sorted(unknown))} is not compared; there are {', '.join(asked)}"
        )
    return Comparison(
        {str(name): setup for name, setup in setups.items()}, asked, values, dists,
        frozenset(less_is_better), functions,
    )  # fmt: skip


def _outcome(name: str, setup: Setup[Any]) -> Any:
    try:
        return setup()
    except NotAllowed as refused:
        raise NotAllowed(refused.rule, f"{name}: {str(refused).removeprefix(refused.rule + ': ')}") from None


def _shared(outcomes: Mapping[str, Any]) -> list[Wanted]:
    """The measures that all outcomes have, of one kind."""
    first, *others = ({path: roll.kind for path, roll in measures_of(o).items()} for o in outcomes.values())
    shared: list[Wanted] = [path for path, kind in first.items() if all(o.get(path) == kind for o in others)]
    if not shared:
        raise StatError("the Setups share no measure: give measures as functions of the outcome")
    return shared


def _without_labels(outcomes: Mapping[str, Any], wanted: Sequence[Wanted]) -> Iterator[Wanted]:
    """The measures, a label as one event for each value that it may show."""
    for each in wanted:
        if isinstance(each, str):
            rolls = [measures_of(outcome).get(each) for outcome in outcomes.values()]
            if all(roll is not None and roll.kind == "label" for roll in rolls):
                seen = (ask([("dist", roll)])[0].coords["outcome"] for roll in rolls)
                labels = dict.fromkeys(str(label_of(label)) for found in seen for label in found)
                yield from (_shows(each, label) for label in labels)
                continue
        yield each


def _shows(path: str, label: str) -> Wanted:
    """The event that a label shows this, also where it never does."""

    def shows(outcome: Any) -> Any:
        return apply(lambda value: str(label_of(value)) == label, measures_of(outcome)[path])

    shows.__name__ = f"{path} = {label}"
    return shows


def _common_span(infos: Sequence[StatInfo]) -> list[Any]:
    """The values of the first one's span that all of them allow."""
    values: list[Any] = list(infos[0].span())
    for info in infos[1:]:
        low, high = info.bounds
        values = [v for v in values if (low is None or v >= low) and (high is None or v <= high)]
    return values


def _dominance_text(duel: Duel, text: str) -> str:
    if not duel.dominance:
        return ""
    who = duel.first if duel.dominance > 0 else duel.second
    return text.format(who, "first" if abs(duel.dominance) == 1 else "second")
