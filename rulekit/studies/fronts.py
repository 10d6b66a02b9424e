"""The Setups that no other beats in everything that counts: the Pareto front."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rulekit.errors import StatError
from rulekit.rolls.operations import exact_number
from rulekit.rules import Setup
from rulekit.studies.asking import Asked, asked_of
from rulekit.studies.results import Study, Table, value_text

__all__ = ["Front", "pareto"]

Wanted = str | Callable[[Any], Any]


@dataclass(frozen=True, eq=False, repr=False)
class Front(Study):
    """Which Setups no other beats.

    Attributes:
        setups: All that were looked at, by name.
        measures: What counts, by name.
        values: From name to the value of each measure, in fractions.
        less_is_better: The measures of which less is better.
        front: The names that no other beats, in the order given.
        beaten_by: Of each other name those that beat it: as good in all measures, better in one.
    """

    setups: Mapping[str, Setup[Any]]
    measures: Mapping[str, Asked]
    values: Mapping[str, Mapping[str, Any]]
    less_is_better: frozenset[str]
    front: tuple[str, ...]
    beaten_by: Mapping[str, tuple[str, ...]]

    @property
    def sentence(self) -> str:
        """The front."""
        words = [f"{name} ({'less' if name in self.less_is_better else 'more'})" for name in self.measures]
        many = f"{len(self.front)} of {len(self.setups)}"
        return f"By {', '.join(words)}, {many} are beaten by no other: {', '.join(self.front)}."

    def tables(self) -> tuple[Table, ...]:
        """A row a Setup, the front first."""
        rows = [
            (
                name,
                *(
                    value_text(self.values[name][key], each.kind, each.unit)
                    for key, each in self.measures.items()
                ),
                ", ".join(self.beaten_by.get(name, ())),
            )
            for name in [*self.front, *self.beaten_by]
        ]
        return (Table(("name", *self.measures, "beaten by"), rows),)

    def records(self) -> Iterator[dict[str, Any]]:
        """A row a Setup, in the order given."""
        for name, values in self.values.items():
            yield {"name": name, **values, "on the front": name in self.front}


def pareto(
    setups: Mapping[str, Setup[Any]],
    measures: Sequence[Wanted],
    *,
    less_is_better: Collection[str] = (),
    figures: Mapping[str, Mapping[str, Any]] | None = None,
) -> Front:
    """The Setups that no other beats in all chosen measures.

    Args:
        setups: By name.
        measures: What counts: names of measures, comparisons or functions of the outcome, paths of stats that
            are numbers, and names among `figures`.
        less_is_better: The names of those of which less is better, such as damage taken or cost.
        figures: What no rule tells, such as a price: from its name to a number for each Setup.

    Raises:
        StatError: no measure, a measure that is not there, a figure that is missing for a Setup.
        NotAllowed: a rule does not apply.

    >>> from rulekit import Dist, Roll, d, roll, rule
    >>> @rule()
    ... def swing(weapon: Dist = d(6)) -> Roll[int]:
    ...     return roll(weapon)
    >>> weapons = {"club": d(4), "axe": d(8), "sword": d("d6+2"), "stick": d(3)}
    >>> found = pareto(
    ...     {name: swing.setup(die) for name, die in weapons.items()}, ["result", "cost"],
    ...     less_is_better=["cost"], figures={"cost": {"club": 1, "axe": 8, "sword": 10, "stick": 1}})
    >>> found.front, found.beaten_by
    (('club', 'axe', 'sword'), {'stick': ('club',)})
    """
    if not setups:
        raise StatError("pareto takes Setups by name: {name: setup}")
    if isinstance(measures, str) or not measures:
        raise StatError("pareto takes a list of one or more measures")
    known = dict(figures or {})
    asked: dict[str, Asked] = {}
    values: dict[str, dict[str, Any]] = {str(name): {} for name in setups}
    for each in measures:
        for name, setup in setups.items():
            found, value = _figure(str(name), setup, each, known)
            asked[found.name] = found
            values[str(name)][found.name] = value
    for name in less_is_better:
        if name not in asked:
            raise StatError(f"less_is_better: {name} does not count here; what counts is {', '.join(asked)}")
    signs = {name: -1 if name in less_is_better else 1 for name in asked}
    worth = {name: [signs[key] * value for key, value in row.items()] for name, row in values.items()}
    beaten: dict[str, tuple[str, ...]] = {}
    for name, own in worth.items():
        by = [
            other
            for other, theirs in worth.items()
            if theirs != own and all(b >= a for a, b in zip(own, theirs, strict=True))
        ]
        if by:
            beaten[name] = tuple(by)
    front = tuple(name for name in worth if name not in beaten)
    named = {str(name): setup for name, setup in setups.items()}
    return Front(named, asked, values, frozenset(less_is_better), front, beaten)


def _figure(
    name: str, setup: Setup[Any], measure: Wanted, figures: Mapping[str, Mapping[str, Any]]
) -> tuple[Asked, Any]:
    if isinstance(measure, str):
        if measure in figures:
            if name not in figures[measure]:
                raise StatError(f"{measure}: there is no figure for {name}")
            return Asked(measure, "number"), Fraction(exact_number(figures[measure][name]))
        stat = next((info for info in setup.stats if info.path == measure), None)
        if stat is not None:
            if stat.kind not in ("whole", "decimal"):
                raise StatError(f"{measure}: a {stat.kind} is no number")
            return Asked(measure, "number", stat.unit), Fraction(str(stat.value))
    return asked_of(setup, measure)
