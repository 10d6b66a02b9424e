"""Outcomes: what a rule gives, as named measures that views, sweeps and tests can ask for."""

from __future__ import annotations

import contextlib
import string
import sys
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from enum import Enum
from fractions import Fraction
from typing import Any, ClassVar, Literal, NamedTuple, Self, cast, dataclass_transform

from rulekit.distributions import Dist
from rulekit.errors import RulekitError
from rulekit.rolls import Roll, apply, constant, joint, named_rolls, where
from rulekit.rolls import roll as roll_anew
from rulekit.rules.fields import nearest

__all__ = [
    "Measure",
    "MeasureInfo",
    "Outcome",
    "Reference",
    "as_outcome_fields",
    "declared_measures",
    "found_measures",
    "measures_of",
    "rebuilt",
    "sentence_parts",
]

MeasureKind = Literal["event", "number", "label"]


@dataclass(frozen=True)
class Measure:
    """The unit and the line of help of a measure: `Annotated[Roll[int], Measure(unit="HP", help="...")]`."""

    unit: str = ""
    help: str = ""


@dataclass(frozen=True)
class MeasureInfo:
    """What a view needs to know of one measure: its path in the outcome, its kind (an event is told by its
    probability, a number by its mean, a label by the probability of each), unit, help and name for people.
    """

    path: str
    kind: MeasureKind
    unit: str = ""
    help: str = ""
    label: str = ""


class Reference(NamedTuple):
    """A place in a sentence that a view fills in: a measure, and what of it.

    `what` is "" for its headline (a probability, a mean, the likeliest label) or "roll" for what must be
    rolled for the event.
    """

    measure: str
    what: str = ""


@dataclass(frozen=True)
class _Shape:
    """What a field of an outcome holds: a Roll of some kind (None: any), an outcome, or a tuple of either."""

    kind: MeasureKind | None = None
    measure: Measure = Measure()
    outcome: type[Outcome] | None = None
    items: _Shape | None = None


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
@dataclass(frozen=True, eq=False)
class Outcome:
    """What a rule gives: the base of frozen dataclasses whose fields are Rolls.

    A field is `Roll[bool]` (an event), `Roll[int]` (a number), `Roll[str]` or `Roll[AnEnum]` (a label), each
    perhaps `Annotated[..., Measure(unit=..., help=...)]`; another Outcome; or a tuple of these. A plain value
    becomes a Roll that always shows it. Subclasses are dataclasses without saying so. There is no `==`.

    Attributes:
        notes: Lines that every view must show.
        sentence: The sentence of a view, with measures in braces: `"Hits {hit}, {damage} damage"`; for an
            event `{hit:roll}` is what must be rolled for it. Without one a view tells the first event and the
            first number.

    >>> from rulekit import E, P, d, roll, where
    >>> class Blow(Outcome):
    ...     hit: Roll[bool]
    ...     damage: Roll[int]
    >>> natural = roll(d(20), "natural")
    >>> blow = Blow(hit=natural >= 11, damage=where(natural >= 11, natural - 10, 0))
    >>> P(blow.hit), E(blow.damage), blow.given(natural=15).damage
    (Fraction(1, 2), Fraction(11, 4), 5)
    """

    sentence: ClassVar[str] = ""
    _shapes: ClassVar[dict[str, _Shape] | None] = None
    _namespace: ClassVar[dict[str, Any]] = {}

    notes: tuple[str, ...] = field(default=(), kw_only=True)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        dataclass(frozen=True, eq=False)(cls)
        cls._shapes = None
        # Annotations are text; names that only the class's surroundings know are looked up there, once.
        cls._namespace = sys._getframe(1).f_locals
        with contextlib.suppress(NameError):  # a name that comes later is looked up when first used
            _shapes_of(cls)

    def __post_init__(self) -> None:
        for name, value in as_outcome_fields(self).items():
            object.__setattr__(self, name, value)

    def given(self, **values: Any) -> Self:
        """This outcome where named rolls, measures or views of a throw showed these values.

        Args:
            values: From name to value: `given(natural=20)`. Fix all that is to be fixed in one call.

        Returns:
            An outcome of the same class: its fields still depend on each other and on nothing else.

        Raises:
            RulekitError: there is no roll of that name, or it depends on a stat axis.
            ImpossibleCondition: these values cannot occur together.
        """
        measures = measures_of(self)
        named: dict[str, Roll[Any]] = {}
        for measure in measures.values():
            for name, node in named_rolls(measure).items():
                named.setdefault(name, node)
        condition: Roll[bool] = constant(True)
        for name, value in values.items():
            if name not in named:
                raise RulekitError(f"given({name}={value!r}): no roll has that name{nearest(name, named)}")
            condition = condition & (named[name] == value)
        return cast("Self", rebuilt(self, _conditioned(measures, condition)))

    def __where__(self, event: Any, other: Any) -> Self:
        """This outcome where the event happens, else the other, measure by measure; the notes of both."""
        first, second = measures_of(self), measures_of(other)
        if type(self) is not type(other) or first.keys() != second.keys():
            odd = ", ".join(sorted(first.keys() ^ second.keys())) or type(other).__name__
            raise RulekitError(f"where: outcomes of one class and with the same measures, not other in {odd}")
        picked = {path: where(event, roll, second[path]) for path, roll in first.items()}
        return cast("Self", rebuilt(self, picked, notes=tuple(dict.fromkeys((*self.notes, *other.notes)))))


def _conditioned(measures: dict[str, Roll[Any]], condition: Roll[bool]) -> dict[str, Roll[Any]]:
    """The measures where the condition holds, as functions of one new roll: which of their joint outcomes
    it is.
    """
    together = joint(*measures.values(), given=condition)
    if not isinstance(together, Dist):
        raise RulekitError("given on an outcome with stat axes: give the stats plain values first")
    columns = zip(*together.outcomes, strict=True)
    which = roll_anew(Dist(enumerate(together.weights)))
    return {
        path: constant(column[0]) if len(set(column)) == 1 else apply(column.__getitem__, which)
        for path, column in zip(measures, columns, strict=True)
    }


# -- shapes ----------------------------------------------------------------------------------------------


def _shapes_of(cls: type[Outcome]) -> dict[str, _Shape]:
    if cls._shapes is None:
        hints = typing.get_type_hints(cls, localns=cls._namespace, include_extras=True)
        names = [each.name for each in fields(cls) if each.name != "notes"]
        cls._shapes = {name: _shape(hints[name], f"{cls.__name__}.{name}") for name in names}
        cls._namespace = {}
    return cls._shapes


def _shape(hint: Any, where: str, measure: Measure | None = None) -> _Shape:
    if typing.get_origin(hint) is typing.Annotated:
        hint, *extras = typing.get_args(hint)
        found = [extra for extra in extras if isinstance(extra, Measure)]
        return _shape(hint, where, found[0] if found else measure)
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple and args:
        return _Shape(items=_shape(args[0], where, measure))
    if isinstance(hint, type) and issubclass(hint, Outcome):
        return _Shape(outcome=hint)
    if hint is Roll or (isinstance(origin, type) and issubclass(origin, Roll)):
        return _Shape(kind=_kind(args[0]) if args else None, measure=measure or Measure())
    raise TypeError(f"{where}: a field of an outcome is a Roll, an Outcome or a tuple of them, not {hint!r}")


def _kind(value_type: Any) -> MeasureKind | None:
    if value_type is bool:
        return "event"
    if value_type in (int, float, Fraction):
        return "number"
    if typing.get_origin(value_type) is Literal:
        return "label"
    if isinstance(value_type, type) and issubclass(value_type, (str, Enum)):
        return "label"
    return None


def as_outcome_fields(outcome: Outcome) -> dict[str, Any]:
    """The fields of an outcome, plain values as Rolls, each checked against its annotation."""
    name = type(outcome).__name__
    return {
        key: _fitted(shape, getattr(outcome, key), f"{name}.{key}")
        for key, shape in _shapes_of(type(outcome)).items()
    }


def _fitted(shape: _Shape, value: Any, where: str) -> Any:
    if shape.items is not None:
        if not isinstance(value, tuple):
            raise TypeError(f"{where} is a tuple, not {value!r}")
        return tuple(_fitted(shape.items, item, f"{where}.{i}") for i, item in enumerate(value))
    if shape.outcome is not None:
        if not isinstance(value, shape.outcome):
            raise TypeError(f"{where} is a {shape.outcome.__name__}, not {value!r}")
        return value
    roll = constant(value)
    if shape.kind == "number" and roll.kind == "event":
        return roll * 1
    if shape.kind is not None and roll.kind != shape.kind:
        raise TypeError(
            f"{where} is declared as {_NOUN[shape.kind]} and was given {_NOUN[roll.kind]}: {roll!r}"
        )
    return roll


_NOUN = {"event": "an event", "number": "a number", "label": "a label"}


# -- measures --------------------------------------------------------------------------------------------


def measures_of(outcome: Any) -> dict[str, Roll[Any]]:
    """Every measure of an outcome by its path (`hit`, `counter.damage`, `blows.0.hit`); of a single Roll,
    `result`.
    """
    if not isinstance(outcome, Outcome):
        return {"result": constant(outcome)}
    return dict(_leaves(outcome, ""))


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Roll[Any]]]:
    if isinstance(value, Roll):
        yield path[:-1], value
    elif isinstance(value, Outcome):
        for name in _shapes_of(type(value)):
            yield from _leaves(getattr(value, name), f"{path}{name}.")
    else:
        for index, item in enumerate(value):
            yield from _leaves(item, f"{path}{index}.")


def declared_measures(hint: Any) -> tuple[MeasureInfo, ...] | None:
    """The measures that a rule's return annotation promises; None where only a run can tell."""
    if hint is None:
        return None
    found = list(_declared(_shape(hint, "a rule's result"), "result", None))
    return None if any(info is None for info in found) else tuple(info for info in found if info is not None)


def _declared(shape: _Shape, path: str, parent: str | None) -> Iterator[MeasureInfo | None]:
    if shape.items is not None:
        yield None
    elif shape.outcome is not None:
        for name, inner in _shapes_of(shape.outcome).items():
            whole = name if parent is None else f"{parent}.{name}"
            yield from _declared(inner, whole, whole)
    elif shape.kind is None:
        yield None
    else:
        yield _measure_info(path, shape.kind, shape.measure)


def _measure_info(path: str, kind: MeasureKind, measure: Measure) -> MeasureInfo:
    return MeasureInfo(path, kind, measure.unit, measure.help, path.replace("_", " ").replace(".", " "))


def found_measures(outcome: Any) -> tuple[MeasureInfo, ...]:
    """The measures of an outcome that was made, with what its class declares of them."""
    infos = []
    for path, roll in measures_of(outcome).items():
        measure = _shape_at(outcome, path).measure if isinstance(outcome, Outcome) else Measure()
        infos.append(_measure_info(path, roll.kind, measure))
    return tuple(infos)


def _shape_at(outcome: Outcome, path: str) -> _Shape:
    shape = _Shape(outcome=type(outcome))
    for name in path.split("."):
        shape = shape.items if shape.items is not None else _shapes_of(shape.outcome or Outcome)[name]
    return shape


def rebuilt(outcome: Any, rolls: Mapping[str, Roll[Any]], *, notes: tuple[str, ...] | None = None) -> Any:
    """The same outcome with other Rolls at its measures, and other notes where they are given."""
    if not isinstance(outcome, Outcome):
        return rolls["result"]
    return _rebuilt(outcome, rolls, "", notes)


def _rebuilt(
    value: Any, rolls: Mapping[str, Roll[Any]], path: str, notes: tuple[str, ...] | None = None
) -> Any:
    if isinstance(value, Roll):
        return rolls[path[:-1]]
    if isinstance(value, tuple):
        return tuple(_rebuilt(item, rolls, f"{path}{index}.") for index, item in enumerate(value))
    copy = object.__new__(type(value))
    for name in _shapes_of(type(value)):
        object.__setattr__(copy, name, _rebuilt(getattr(value, name), rolls, f"{path}{name}."))
    object.__setattr__(copy, "notes", value.notes if notes is None else notes)
    return copy


def sentence_parts(outcome: Any) -> tuple[str | Reference, ...]:
    """The sentence of an outcome as text and places to fill in; empty where it has none of its own.

    Raises:
        RulekitError: the sentence names a measure that the outcome does not have.

    >>> class Blow(Outcome):
    ...     sentence = "Hits {hit}, on {hit:roll}."
    ...     hit: Roll[bool]
    >>> sentence_parts(Blow(hit=True))
    ('Hits ', Reference(measure='hit', what=''), ', on ', Reference(measure='hit', what='roll'), '.')
    """
    text = getattr(outcome, "sentence", "")
    parts: list[str | Reference] = []
    for literal, name, what, _ in string.Formatter().parse(text):
        if literal:
            parts.append(literal)
        if name is not None:
            known = measures_of(outcome)
            if name not in known:
                raise RulekitError(
                    f"the sentence of {type(outcome).__name__}: no measure {name!r}{nearest(name, known)}"
                )
            parts.append(Reference(name, what or ""))
    return tuple(parts)
