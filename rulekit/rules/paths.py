"""Stats by path: `attacker.weapon.low`, `target.armour.0.dr`, `target.resistance.fire`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rulekit.errors import StatError
from rulekit.rolls import Roll
from rulekit.rules.fields import Kind, Number, StatField, fields_of, nearest
from rulekit.rules.models import Entry, Levels, Part, Stats, plain_data, validated

__all__ = ["StatInfo", "axes_held", "describe", "look_up", "models_held", "put"]


@dataclass(frozen=True)
class StatInfo:
    """What a control needs to know of one stat.

    Attributes:
        path: Where it is.
        kind: "whole" or "decimal" (a mapping's levels are "whole" at `resistance.fire`), "switch", "choice",
            "dice", "part" (a choice of kinds; the stats of the one chosen follow), "tuple" (its value is how
            many there are; their stats follow, of a part its kind first).
        label, help, unit: For people.
        low, high, step: Bounds of a number; None where there is none.
        choices: What a choice, a part or each part of a tuple can be, as files have it.
        value: In this Setup, as plain data; an axis is left as it is.
        default: As plain data; None with `required` where the stat must be given.
    """

    path: str
    kind: Kind
    label: str
    help: str
    unit: str
    low: Number | None
    high: Number | None
    step: Number | None
    choices: tuple[Any, ...]
    value: Any
    default: Any
    required: bool

    @property
    def bounds(self) -> tuple[Number | None, Number | None]:
        """The least and the greatest number allowed; None for no such bound."""
        return self.low, self.high

    def span(self, most: int = 201) -> tuple[Any, ...]:
        """The values over which a slider goes and a sweep is made.

        A number goes from bound to bound (in its `step`, a decimal without one in twentieths of its range);
        one without bounds, or with more than `most` values, ten either side of where it is. A choice, part or
        switch goes over all it can be; dice and tuples have no span.

        >>> StatInfo("ac", "whole", "ac", "", "", None, None, None, (), 15, 15, False).span()[:3]
        (5, 6, 7)
        """
        if self.kind == "switch":
            return (False, True)
        if self.kind in ("choice", "part"):
            return self.choices
        if self.kind not in ("whole", "decimal"):
            return ()
        value = self.default if self.value is None or isinstance(self.value, Roll) else self.value
        return _span(self, Fraction(str(value or 0)), most)


def _span(info: StatInfo, value: Fraction, most: int) -> tuple[Any, ...]:
    low = None if info.low is None else Fraction(str(info.low))
    high = None if info.high is None else Fraction(str(info.high))
    if (
        info.kind == "whole"
        and info.step is None
        and low is not None
        and high is not None
        and high - low < most
    ):
        return tuple(range(math.ceil(low), math.floor(high) + 1))
    step = Fraction(1) if info.step is None else Fraction(str(info.step))
    if info.kind == "decimal" and info.step is None and low is not None and high is not None:
        step = (high - low) / 20 or Fraction(1)
    if low is None or high is None or (high - low) / step >= most:
        low = value - 10 * step if low is None else max(low, value - 10 * step)
        high = value + 10 * step if high is None else min(high, value + 10 * step)
    first = math.ceil(low / step)
    if info.kind == "decimal" and info.step is None:
        numbers = [low + step * i for i in range(int((high - low) / step) + 1)]
    else:
        numbers = [step * i for i in range(first, math.floor(high / step) + 1)]
    return tuple(int(n) if info.kind == "whole" else n for n in numbers)


# -- describing ------------------------------------------------------------------------------------------


def describe(
    cls: type[Stats], value: Stats | None = None, default: Stats | None = None, prefix: str = ""
) -> Iterator[StatInfo]:
    """Every stat of a model, nested ones by path, in the order in which the classes name them."""
    for name, field in fields_of(cls).items():
        if name == "sample" and issubclass(cls, Entry):
            continue  # where an entry comes from is no stat of it
        path = prefix + name
        own_default = getattr(default, name, None) if default is not None else field.default
        now = getattr(value, name) if value is not None else own_default
        yield from _describe_field(field, path, now, own_default)


def _describe_field(field: StatField, path: str, value: Any, default: Any) -> Iterator[StatInfo]:
    if field.kind == "model":
        chosen = type(value) if isinstance(value, Stats) else field.type
        yield from describe(chosen, value, default if type(default) is chosen else None, path + ".")
    elif field.kind == "mapping":
        levels = value if isinstance(value, Levels) else Levels(value or {})
        usual = default if isinstance(default, Levels) else Levels(default or {})
        for key in field.keys or tuple(label for label, _ in levels.labels()):
            yield _info(
                field, f"{path}.{key}", "whole", levels[key], usual[key], label=f"{field.label}: {key}"
            )
    elif field.kind == "tuple":
        items, usual_items = value or (), default or ()
        kinds = _kinds(field)
        yield _info(field, path, "tuple", len(items), len(usual_items), choices=kinds)
        for index, item in enumerate(items):
            same = usual_items[index] if index < len(usual_items) else None
            if kinds:
                yield from _describe_part(
                    field, f"{path}.{index}", item, same, label=f"{field.label} {index + 1}"
                )
            else:
                yield from describe(
                    type(item), item, same if type(same) is type(item) else None, f"{path}.{index}."
                )
    elif field.kind == "part":
        yield from _describe_part(field, path, value, default)
    else:
        yield _info(field, path, field.kind, value, default)


def _describe_part(
    field: StatField, path: str, value: Any, default: Any, label: str | None = None
) -> Iterator[StatInfo]:
    """The kind of a part and the stats of that kind."""
    kind, usual_kind = (part.kind if isinstance(part, Part) else None for part in (value, default))
    yield _info(field, path, "part", kind, usual_kind, choices=_kinds(field), label=label)
    if isinstance(value, Part):
        yield from describe(type(value), value, default if type(default) is type(value) else None, path + ".")


def _kinds(field: StatField) -> tuple[str, ...]:
    """What a part, or a part of a tuple, can be."""
    return tuple(field.type.kinds()) if issubclass(field.type, Part) else ()


def _info(
    field: StatField,
    path: str,
    kind: Kind,
    value: Any,
    default: Any,
    *,
    choices: tuple[Any, ...] | None = None,
    label: str | None = None,
) -> StatInfo:
    return StatInfo(
        path=path,
        kind=kind,
        label=field.label if label is None else label,
        help=field.help,
        unit=field.unit,
        low=field.low,
        high=field.high,
        step=field.step,
        choices=field.choices if choices is None else choices,
        value=value if isinstance(value, Roll) else plain_data(value),
        default=default if isinstance(default, Roll) else plain_data(default),
        required=field.required,
    )


def models_held(
    cls: type[Stats], value: Stats | None = None, prefix: str = ""
) -> Iterator[tuple[str, type[Stats]]]:
    """The path and class of every model and part within: the places where a loadout can be put."""
    for name, field in fields_of(cls).items():
        if field.kind not in ("model", "part", "tuple"):
            continue
        held = getattr(value, name, None)
        items = enumerate(held or ()) if field.kind == "tuple" else [("", held)]
        for index, item in items:
            path = f"{prefix}{name}.{index}".rstrip(".")
            chosen = type(item) if isinstance(item, Stats) else field.type
            yield path, chosen
            yield from models_held(chosen, item, path + ".")


def axes_held(value: Any, prefix: str = "") -> Iterator[tuple[str, Roll[Any]]]:
    """The path of every stat axis in a model, with the axis."""
    if isinstance(value, Roll):
        if value.is_axis:
            yield prefix[:-1], value
    elif isinstance(value, Stats):
        for name, part in value.__dict__.items():
            yield from axes_held(part, f"{prefix}{name}.")
    elif isinstance(value, Levels):
        for label, part in value.labels():
            yield from axes_held(part, f"{prefix}{label}.")
    elif isinstance(value, tuple):
        for index, part in enumerate(value):
            yield from axes_held(part, f"{prefix}{index}.")


# -- looking up and putting ------------------------------------------------------------------------------


def look_up(model: Stats, path: str) -> Any:
    """What stands at a path.

    Raises:
        StatError: there is no such path; the nearest known name is given.
    """
    value: Any = model
    walked: list[str] = []
    rest = path
    while rest:
        if isinstance(value, Levels):
            return value[rest]
        name, _, rest = rest.partition(".")
        walked.append(name)
        if isinstance(value, Part) and name == "kind":
            value = value.kind
        elif isinstance(value, Stats) and name in fields_of(type(value)):
            value = getattr(value, name)
        elif isinstance(value, tuple) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        else:
            raise _unknown(".".join(walked), value)
    return value


def _unknown(path: str, holder: Any) -> StatError:
    name = path.rpartition(".")[2]
    if isinstance(holder, Stats):
        return StatError(f"{path}: there is no such stat{nearest(name, fields_of(type(holder)))}")
    if isinstance(holder, tuple):
        return StatError(f"{path}: there are {len(holder)}, counted from 0")
    return StatError(f"{path}: there is nothing within {plain_data(holder)!r}")


def put(model: Stats, changes: Mapping[str, Any], where: str = "") -> Any:
    """The same model with other values at some paths, checked like new ones.

    Args:
        model: What to start from; it stays as it is.
        changes: From path to value: a plain value, a stat axis, a whole model, a part's kind, text for dice.
        where: The path of the model itself, for errors.

    Raises:
        StatError: names the path, the value and what is allowed.
    """
    fields = fields_of(type(model))
    data = dict(model.__dict__)
    deeper: dict[str, dict[str, Any]] = {}
    for path, value in changes.items():
        head, _, rest = path.partition(".")
        if head not in fields:
            raise _unknown(_join(where, head), model)
        if rest:
            deeper.setdefault(head, {})[rest] = value
        else:
            data[head] = value
    for head, inner in deeper.items():
        if head in changes:  # a whole model and something within it: the model comes first
            data[head] = getattr(validated(type(model), {**model.__dict__, head: data[head]}, where), head)
        data[head] = _put_within(fields[head], data[head], inner, _join(where, head))
    return validated(type(model), data, where)


def _put_within(field: StatField, value: Any, changes: dict[str, Any], where: str) -> Any:
    if field.kind in ("model", "part"):
        return _put_in_model(field.type, value, changes, where)
    if isinstance(value, Levels):
        return {**dict(value.labels()), **changes}
    if isinstance(value, tuple):
        return _put_items(field.type, value, changes, where)
    raise _unknown(_join(where, next(iter(changes))), value)


def _put_in_model(cls: type[Stats], value: Stats, changes: dict[str, Any], where: str) -> Stats:
    """A model changed within; a part whose kind is given becomes one of that kind."""
    if "kind" in changes and issubclass(cls, Part):
        value = validated(cls, {"kind": changes["kind"]}, where)
        changes = {path: given for path, given in changes.items() if path != "kind"}
    return put(value, changes, where) if changes else value


def _put_items(
    cls: type[Stats], items: tuple[Any, ...], changes: dict[str, Any], where: str
) -> tuple[Any, ...]:
    """Items changed by index; the index after the last adds one."""
    result = list(items)
    deeper: dict[str, dict[str, Any]] = {}
    for path, value in changes.items():
        name, _, rest = path.partition(".")
        if rest:
            deeper.setdefault(name, {})[rest] = value
        elif name.isdecimal() and int(name) <= len(result):
            result[int(name) : int(name) + 1] = [value]
        else:
            raise _unknown(_join(where, name), tuple(result))
    for name, inner in deeper.items():
        place = _join(where, name)
        if not name.isdecimal() or int(name) >= len(result):
            raise _unknown(place, tuple(result))
        item = validated(cls, result[int(name)], place)  # a whole one may have been given as data
        result[int(name)] = _put_in_model(cls, item, inner, place)
    return tuple(result)


def _join(where: str, name: str) -> str:
    return f"{where}.{name}" if where else name
