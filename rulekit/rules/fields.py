"""What a model's fields are: their kind, bounds, unit, help and choices; and their errors in plain words."""

from __future__ import annotations

import difflib
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, GetJsonSchemaHandler, ValidationError
from pydantic.fields import FieldInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, ErrorDetails, PydanticUndefined

from rulekit.distributions import Dist
from rulekit.errors import StatError

if TYPE_CHECKING:
    from rulekit.rules.models import Stats

__all__ = [
    "Keys",
    "Kind",
    "Number",
    "StatField",
    "Unit",
    "allowed",
    "fields_of",
    "label_of",
    "nearest",
    "refusal",
]

Kind = Literal["whole", "decimal", "switch", "choice", "dice", "mapping", "model", "tuple", "part"]
Number = int | float | Fraction | Decimal

MOST_NAMED = 20
"""How many known names an error lists."""

_KINDS = (
    "a whole number, decimal, switch, choice (Enum or Literal), dice (Dist), mapping from a label to a whole "
    "number, Stats model, tuple of them, or Part"
)


@dataclass(frozen=True)
class StatField:
    """One field of a Stats class.

    Attributes:
        name: The field's name.
        kind: "whole", "decimal", "switch", "choice", "dice", "mapping", "model", "tuple" or "part".
        type: Of the value; of a mapping's levels `int`; of a tuple the class of its items.
        low, high: The least and the greatest number allowed; None where there is no such bound.
        step: What a number must be a multiple of; None where the field does not say.
        choices: The values of a choice, as files have them.
        keys: The keys that a mapping may have; empty where any is taken.
        unit, help, label: For people.
        default: What it is when not given; None with `required` where it must be.
    """

    name: str
    kind: Kind
    type: Any
    low: Number | None = None
    high: Number | None = None
    step: Number | None = None
    choices: tuple[Any, ...] = ()
    keys: tuple[str, ...] = ()
    unit: str = ""
    help: str = ""
    label: str = ""
    default: Any = None
    required: bool = False


@dataclass(frozen=True)
class Unit:
    """The unit of a stat, beside its bounds and help: `Annotated[int, Field(ge=0), Unit("HP")]`.

    It shows beside the control and stands in the JSON schema as `unit`.
    """

    name: str

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        return {**handler(schema), "unit": self.name}


@dataclass(frozen=True)
class Keys:
    """The keys that a mapping field may have, where they come from a game's data and not from an Enum:
    `Annotated[Mapping[str, int], Keys("fire", "cold")]`.
    """

    names: tuple[str, ...]

    def __init__(self, *names: str) -> None:
        object.__setattr__(self, "names", names)


def label_of(key: Any) -> Any:
    """A choice or key as it is written: an Enum member by its value."""
    return key.value if isinstance(key, Enum) else key


def nearest(name: str, known: Iterable[str]) -> str:
    """ "; did you mean x?" for the nearest known name, else what there is, the first few of many.

    >>> nearest("defence", ["defense", "armour"])
    '; did you mean defense?'
    >>> nearest("x", map(str, range(100)))[-17:]
    '18, 19, … 80 more'
    """
    names = list(known)
    close = difflib.get_close_matches(name, names, n=1)
    if close:
        return f"; did you mean {close[0]}?"
    more = f", … {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"; there are {', '.join(names[:MOST_NAMED])}{more}" if names else ""


def fields_of(cls: type[Stats]) -> dict[str, StatField]:
    """The fields of a model class in their order, described once.

    Raises:
        StatError: a field is of no kind that a stat can have.
    """
    if not cls.stat_fields:
        cls.stat_fields = {
            name: _field(f"{cls.__name__}.{name}", name, info) for name, info in cls.model_fields.items()
        }
    return cls.stat_fields


def _field(where: str, name: str, info: FieldInfo) -> StatField:
    kind, held, choices = _kind_of(where, info.annotation)
    bounds, keys = info, tuple(key for item in info.metadata if isinstance(item, Keys) for key in item.names)
    if kind == "mapping":
        key_type, level = typing.get_args(info.annotation)
        bounds = FieldInfo.from_annotation(level)
        keys = keys or tuple(str(choice) for choice in _choices(key_type))
    low, high, step = _bounds(bounds)
    units = [item.name for item in (*info.metadata, *bounds.metadata) if isinstance(item, Unit)]
    default = info.get_default(call_default_factory=True) if not info.is_required() else None
    return StatField(
        name=name, kind=kind, type=held, low=low, high=high, step=step, choices=choices, keys=keys,
        unit=units[0] if units else "", help=info.description or "",
        label=info.title or name.replace("_", " "),
        default=None if default is PydanticUndefined else default, required=info.is_required(),
    )  # fmt: skip


def _kind_of(where: str, annotation: Any) -> tuple[Kind, Any, tuple[Any, ...]]:
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation is bool:
        return "switch", bool, ()
    if annotation is int:
        return "whole", int, ()
    if annotation in (float, Decimal, Fraction):
        return "decimal", annotation, ()
    choices = _choices(annotation)
    if choices:
        return "choice", annotation, choices
    if annotation is Dist or origin is Dist:
        return "dice", Dist, ()
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping) and _is_whole(args[1]):
        return "mapping", int, ()
    if origin is tuple and len(args) == 2 and args[1] is ... and _is_stats(args[0]):
        return "tuple", args[0], ()
    if _is_stats(annotation):
        return "part" if _is_part(annotation) else "model", annotation, ()
    raise StatError(f"{where}: a stat is {_KINDS}, not {annotation!r}")


def _choices(annotation: Any) -> tuple[Any, ...]:
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return tuple(member.value for member in annotation)
    if typing.get_origin(annotation) is Literal:
        return typing.get_args(annotation)
    return ()


def _is_whole(annotation: Any) -> bool:
    return annotation is int or (
        typing.get_origin(annotation) is typing.Annotated and typing.get_args(annotation)[0] is int
    )


def _is_stats(annotation: Any) -> bool:
    return (
        isinstance(annotation, type)
        and issubclass(annotation, BaseModel)
        and hasattr(annotation, "stat_fields")
    )


def _is_part(annotation: Any) -> bool:
    return hasattr(annotation, "kinds")


def _alternatives(cls: Any) -> list[Any]:
    """A model class, and of a part every kind that can stand there."""
    return [cls, *cls.kinds().values()] if _is_part(cls) else [cls]


def _bounds(info: FieldInfo) -> tuple[Number | None, Number | None, Number | None]:
    low: Number | None = None
    high: Number | None = None
    step: Number | None = None
    one = 1 if _is_whole(info.annotation) else 0  # above 3 is 4 or more for whole numbers
    for item in info.metadata:
        low = getattr(item, "ge", low)
        high = getattr(item, "le", high)
        low = item.gt + one if getattr(item, "gt", None) is not None else low
        high = item.lt - one if getattr(item, "lt", None) is not None else high
        step = getattr(item, "multiple_of", step)
    return low, high, step


# -- errors ----------------------------------------------------------------------------------------------


def allowed(field: StatField) -> str:
    """What a field takes, in words.

    >>> allowed(StatField("defense", "whole", int, low=0, high=60))
    'a whole number from 0 to 60'
    """
    if field.kind in ("whole", "decimal", "mapping"):
        noun = "a number" if field.kind == "decimal" else "a whole number"
        if field.kind == "mapping":
            noun = "a mapping from a label to a whole number"
        if field.low is not None and field.high is not None:
            return f"{noun} from {field.low} to {field.high}"
        if field.low is not None:
            return f"{noun} of {field.low} or more"
        return f"{noun} of {field.high} or less" if field.high is not None else noun
    if field.kind == "choice":
        return f"one of {', '.join(map(str, field.choices))}"
    words = {"switch": "true or false", "dice": "dice notation", "tuple": f"a list of {field.type.__name__}"}
    return words.get(field.kind, f"a {field.type.__name__}")


def refusal(error: ValidationError, cls: type[Stats], where: str) -> StatError:
    """A pydantic error as ours: one line a fault, each with path, value and what is allowed."""
    lines = [_line(fault, cls, where) for fault in error.errors(include_url=False)]
    return StatError("\n".join(dict.fromkeys(lines)))


def _line(fault: ErrorDetails, cls: type[Stats], where: str) -> str:
    names = [name for name in fault["loc"] if name != "[key]"]
    path = ".".join(str(name) for name in ([where] if where else []) + names)
    return f"{path}: {_reason(fault, cls, names)}"


def _reason(fault: ErrorDetails, cls: type[Stats], names: list[Any]) -> str:
    kind, value, context = fault["type"], fault["input"], fault.get("ctx", {})
    plain = {
        "less_than_equal": "{value} is above {le}",
        "greater_than_equal": "{value} is below {ge}",
        "less_than": "{value} is not below {lt}",
        "greater_than": "{value} is not above {gt}",
        "multiple_of": "{value} is not a multiple of {multiple_of}",
        "missing": "is missing",
        "value_error": "{error}",
        "too_long": "there are more than {max_length}",
        "too_short": "there are fewer than {min_length}",
        "frozen_instance": "cannot be changed; make another with Setup.at, or from its class",
    }
    if kind in plain:
        return plain[kind].format(
            value=_short(value), **{name: _short(bound) for name, bound in context.items()}
        )
    if kind == "extra_forbidden":
        known = _known_names(cls, names[:-1])
        return f"there is no such stat{nearest(str(names[-1]), known)}"
    field = _field_at(cls, names)
    if field is not None and isinstance(value, BaseModel) and type(value).__name__ == field.type.__name__:
        return f"{value!r} is of an earlier definition of {type(value).__name__}; make it anew"
    if field is not None:
        return f"{value if isinstance(value, Fraction) else repr(value)} is not {allowed(field)}"
    return f"{value!r}: {fault['msg']}"


def _short(bound: Any) -> Any:
    return int(bound) if isinstance(bound, float) and bound.is_integer() else bound


def _field_at(cls: type[Stats], names: list[Any]) -> StatField | None:
    """The field that a path of an error leads to; an item or key of it counts as the field itself."""
    field: StatField | None = None
    classes: list[type[Stats]] = [cls]
    for name in names:
        if field is not None and field.kind in ("tuple", "mapping") and name not in fields_of(classes[0]):
            continue
        found = [fields_of(one)[name] for one in classes if name in fields_of(one)]
        if not found:
            return field
        field = found[0]
        if field.kind in ("model", "tuple", "part"):
            classes = _alternatives(field.type)
    return field


def _known_names(cls: type[Stats], names: list[Any]) -> list[str]:
    field = _field_at(cls, names) if names else None
    if field is None:
        return list(fields_of(cls))
    return list(dict.fromkeys(name for one in _alternatives(field.type) for name in fields_of(one)))
