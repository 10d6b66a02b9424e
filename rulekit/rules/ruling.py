"""`@rule`: a function of stats that can say what it takes, what it gives and which rules it follows."""

from __future__ import annotations

import functools
import inspect
import itertools
import sys
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, ParamSpec, TypeVar, cast

from pydantic import create_model
from pydantic.errors import PydanticUserError
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from rulekit.distributions import Dist
from rulekit.errors import NotAllowed, NotAValue, RulekitError, StatError, TooLarge
from rulekit.rolls import Roll, call_scope, where
from rulekit.rules.fields import fields_of
from rulekit.rules.models import Entry, Part, Stats, plain_data, validated
from rulekit.rules.outcomes import (
    MeasureInfo,
    Outcome,
    declared_measures,
    found_measures,
    measures_of,
    rebuilt,
)
from rulekit.rules.paths import StatInfo, axes_held, describe, models_held, put
from rulekit.rules.registry import note_sources, register, rule_id
from rulekit.rules.setups import Setup

__all__ = ["Rule", "Run", "rule", "sample_notes"]

P = ParamSpec("P")
R = TypeVar("R")

MOST_RUNS = 20_000
"""How often a rule is run for one answer where it uses stats as plain values."""


@dataclass(frozen=True)
class Run:
    """One run of a rule: the axes that had to be plain values there, and the outcome or why there is none."""

    fixed: Mapping[str, Any]
    outcome: Any = None
    refused: NotAllowed | None = None


class Rule(Generic[P, R]):
    """A rule of a game, made by `rule`: call it like the function that it is.

    Attributes:
        name: The function's name.
        id: `<package below rulekit.games>.<function>`, or `<module>.<function>` of a user's own.
        sources: The numbers of the rulebook's rules that it follows.
        doc: Its docstring.
    """

    def __init__(self, function: Callable[P, R], sources: tuple[str, ...], names: dict[str, Any]) -> None:
        functools.update_wrapper(self, function)
        self._function = function
        self.name = function.__name__
        self.id = rule_id(function.__module__, function.__name__)
        self.sources = sources
        self.doc = inspect.getdoc(function) or ""
        self._signature = inspect.signature(function)
        hints = typing.get_type_hints(function, localns=names, include_extras=True)
        self._gives = hints.pop("return", None)
        self._stats = _model_of(self, self._signature, hints)
        self._fill = tuple(
            name for name, stat in fields_of(self._stats).items() if stat.required and stat.kind == "model"
        )

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """One call of the rule: its dice are thrown anew."""
        given = self._signature.bind(*args, **kwargs).arguments
        return self.run(validated(self._stats, given, ""))

    def __repr__(self) -> str:
        return f"<rule {self.id}>"

    def __reduce__(self) -> str:
        return self._function.__qualname__  # by its name in its module, as a function is

    def setup(self, *args: Any, **kwargs: Any) -> Setup[R]:
        """The rule with its arguments, as a value; what is not given comes from the models' defaults.

        Raises:
            StatError: an argument is refused, or has no default and is not given.
        """
        try:
            given = self._signature.bind_partial(*args, **kwargs).arguments
        except TypeError as fault:
            raise StatError(f"{self.id}: {fault}; it takes {', '.join(self._signature.parameters)}") from None
        return self.setup_of(given)

    def setup_of(self, stats: Mapping[str, Any]) -> Setup[R]:
        """A Setup from the arguments as models or as plain data, as a file or link brings them."""
        if not isinstance(stats, Mapping):
            raise StatError(f"{self.id}: the stats are a mapping, not {stats!r}")
        missing: dict[str, Any] = {name: {} for name in self._fill if name not in stats}
        return Setup(self, validated(self._stats, {**missing, **stats}, ""))

    @property
    def stats(self) -> tuple[StatInfo, ...]:
        """Every stat, nested ones by path, with the values of the defaults where there are any."""
        default = self.default
        return tuple(describe(self._stats, default, default))

    @property
    def models(self) -> dict[str, type[Stats]]:
        """The class of every model within the arguments, by path: the places for a loadout."""
        return dict(models_held(self._stats, self.default))

    @functools.cached_property
    def default(self) -> Stats | None:
        """The arguments by default; None where some stat has no default."""
        try:
            return self.setup().arguments
        except StatError:
            return None

    @property
    def measures(self) -> tuple[MeasureInfo, ...]:
        """What the rule gives: from its annotations, else from a run with the default stats."""
        if self._declared is not None:
            return self._declared
        return self.setup().measures

    @functools.cached_property
    def _declared(self) -> tuple[MeasureInfo, ...] | None:
        return declared_measures(self._gives)

    def measures_at(self, arguments: Stats) -> tuple[MeasureInfo, ...]:
        """What the rule gives with these arguments."""
        return self._declared if self._declared is not None else found_measures(self.run(arguments))

    def schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments: bounds, units, help, choices and defaults."""
        return self._stats.model_json_schema(schema_generator=_Schema)

    # -- running -----------------------------------------------------------------------------------------

    def run(self, arguments: Stats) -> R:
        """The outcome for arguments that were checked; axes in them are kept.

        Where the rule uses stats as plain values it is run once for each of their values and the outcomes
        are joined by `where`.

        Raises:
            NotAllowed: the rule does not apply, at one of the values.
        """
        found = []
        for each in self.runs(arguments):
            if each.refused is not None:
                raise each.refused
            found.append((dict(each.fixed), each.outcome))
        axes = {str(axis.name): axis for _, axis in axes_held(arguments)} if len(found) > 1 else {}
        return cast("R", _side_by_side(found, axes))

    def runs(self, arguments: Stats) -> Iterator[Run]:
        """Run the rule with axes, and where that cannot be, once for each value of the axes at fault.

        Raises:
            NotAValue: a Roll was used as a plain value: the rule must say it with Rolls.
            TooLarge: more than `MOST_RUNS` runs would be needed.
        """
        return self._runs(arguments, {}, 1)

    def _runs(self, arguments: Stats, fixed: dict[str, Any], times: int) -> Iterator[Run]:
        try:
            yield Run(fixed, self.once(arguments))
        except NotAllowed as refused:
            yield Run(fixed, refused=refused)
        except NotAValue as fault:
            places = [(path, axis) for path, axis in axes_held(arguments) if axis.name in fault.stats]
            if fault.rolls or not places:
                raise
            axes = {str(axis.name): axis.values for _, axis in places}
            for values in axes.values():
                times *= len(values)
            if times > MOST_RUNS:
                raise TooLarge(
                    f"{self.id} uses {', '.join(axes)} as plain values and would be run {times:,} times, "
                    f"more than {MOST_RUNS:,}: write where, minimum, maximum or table, or give fewer values"
                ) from fault
            for values in itertools.product(*axes.values()):
                plain = dict(zip(axes, values, strict=True))
                changes = {path: plain[str(axis.name)] for path, axis in places}
                yield from self._runs(put(arguments, changes), {**fixed, **plain}, times)

    def once(self, arguments: Stats) -> Any:
        """The outcome of one run, for arguments that were checked; axes in them are kept.

        Raises:
            NotAllowed: the rule does not apply.
            NotAValue: the rule uses a Roll or an axis (named in its `stats`) as a plain value.
        """
        values = dict(arguments.__dict__)
        with call_scope() as scope:
            outcome = self._function(**values)  # type: ignore[call-arg]
        if isinstance(outcome, Dist):
            raise NotAValue(f"{self.id} gave a Dist; a rule gives what came up: write roll(...) around it")
        if not isinstance(outcome, (Outcome, Roll, int, float, str)):
            raise RulekitError(f"{self.id} gave {outcome!r}; a rule gives an Outcome or one Roll")
        marked = {path: scope.mark(roll, path) for path, roll in measures_of(outcome).items()}
        samples = sample_notes(values)
        notes = (*outcome.notes, *samples) if isinstance(outcome, Outcome) and samples else None
        return rebuilt(outcome, marked, notes=notes)


def rule(*sources: str) -> Callable[[Callable[P, R]], Rule[P, R]]:
    """Make a rule of a function.

    Args:
        sources: The numbers of the rules in the rulebook; none for a house rule.

    The function's parameters are Stats models, or plain numbers, switches, choices and dice, each perhaps
    `Annotated[int, Field(ge=0, le=20)]`; what it returns is an Outcome or one Roll, the measure `result`.

    Raises:
        StatError: a parameter is of no kind that a stat can have.

    >>> from typing import Annotated
    >>> from pydantic import Field
    >>> from rulekit import P, Roll, d, roll
    >>> @rule()
    ... def smash(bonus: Annotated[int, Field(ge=0, le=20)] = 5, ac: int = 15) -> Roll[bool]:
    ...     return roll(d(20), "natural") + bonus >= ac
    >>> P(smash(bonus=7)), P(smash.setup().at({"ac": 11})())
    (Fraction(13, 20), Fraction(3, 4))
    >>> smash(bonus=30)
    Traceback (most recent call last):
    rulekit.errors.StatError: bonus: 30 is above 20
    """
    if sources and callable(sources[0]):
        raise TypeError("write @rule() with brackets, and the rules' numbers in them: @rule('AE-12')")
    names = sys._getframe(1).f_locals

    def make(function: Callable[P, R]) -> Rule[P, R]:
        made = Rule(function, sources, names)
        register(made)
        note_sources(sources, function.__module__, function.__qualname__)
        return made

    return make


def _model_of(rule: Rule[..., Any], signature: inspect.Signature, hints: dict[str, Any]) -> type[Stats]:
    """The arguments of a function as one model."""
    members: dict[str, Any] = {}
    for name, parameter in signature.parameters.items():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise StatError(f"{rule.id}: a rule's stats go by name; {name!r} does not")
        if name not in hints:
            raise StatError(f"{rule.id}: {name} needs a type, such as {name}: int")
        default = ... if parameter.default is parameter.empty else parameter.default
        members[name] = (hints[name], default)
    try:
        return create_model(rule.name, __base__=Stats, __module__=rule.__module__, **members)
    except PydanticUserError as fault:
        raise StatError(f"{rule.id}: {fault.message}") from None


def sample_notes(values: Mapping[str, Any]) -> tuple[str, ...]:
    """A line for what is sample data among a rule's arguments; an Outcome carries it among its notes."""
    found = [path for name, value in values.items() for path in _samples(value, name)]
    return (f"Sample data, not from a rulebook: {', '.join(found)}",) if found else ()


def _samples(value: Any, path: str) -> Iterator[str]:
    if isinstance(value, Entry) and value.sample:
        yield path
    if isinstance(value, Stats):
        for name, part in value.__dict__.items():
            yield from _samples(part, f"{path}.{name}")
    elif isinstance(value, tuple):
        for index, part in enumerate(value):
            yield from _samples(part, f"{path}.{index}")


# -- outcomes side by side -------------------------------------------------------------------------------


def _side_by_side(runs: list[tuple[dict[str, Any], Any]], axes: Mapping[str, Roll[Any]]) -> Any:
    """One outcome from those at each value of some axes; the first axis fixed is the same in all runs."""
    name = next(iter(runs[0][0]), None)
    if name is None:
        return runs[0][1]
    groups: dict[Any, list[tuple[dict[str, Any], Any]]] = {}
    for fixed, outcome in runs:
        rest = {other: value for other, value in fixed.items() if other != name}
        groups.setdefault(fixed[name], []).append((rest, outcome))
    columns = [(value, _side_by_side(group, axes)) for value, group in groups.items()]
    return _halved(axes[name], columns)


def _halved(axis: Roll[Any], columns: list[tuple[Any, Any]]) -> Any:
    """Pick by halving the axis: as deep as the logarithm of its length."""
    if len(columns) == 1:
        return columns[0][1]
    middle = len(columns) // 2
    return where(axis < columns[middle][0], _halved(axis, columns[:middle]), _halved(axis, columns[middle:]))


class _Schema(GenerateJsonSchema):
    """JSON schema with dice as notation, and parts as any of their kinds."""

    def encode_default(self, dft: Any) -> Any:
        return plain_data(dft) if isinstance(dft, Dist) else super().encode_default(dft)

    def model_schema(self, schema: core_schema.ModelSchema) -> JsonSchemaValue:
        described, cls = super().model_schema(schema), schema["cls"]
        if not issubclass(cls, Part):
            return described
        if cls.__subclasses__():
            return {
                "anyOf": [self.generate_inner(part.__pydantic_core_schema__) for part in cls.kinds().values()]
            }
        described["properties"] = {"kind": {"const": cls.kind}, **described.get("properties", {})}
        return described
