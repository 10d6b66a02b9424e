"""Stats: the inputs of a rule, as frozen models from which controls, files, axes and errors come."""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import ItemsView, Iterator, Mapping
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar, cast

from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

from rulekit._caches import register
from rulekit.distributions import Dist
from rulekit.errors import StatError
from rulekit.rolls import Roll
from rulekit.rules.fields import StatField, allowed, fields_of, label_of, refusal

__all__ = ["Entry", "Levels", "Part", "Readings", "Stats", "held_roll", "plain_data", "validated"]

K = TypeVar("K")

# A decimal or fraction as text; no exponents, which could ask for a number of any size.
_PLAIN = re.compile(r"\s*[-+]?\d{1,30}(\.\d{1,30}|/\d{1,30})?\s*")


class Levels(Mapping[K, int], Generic[K]):
    """A label's level, read-only; a label without an entry has level 0. Found by the label or its text.

    >>> resistance = Levels({"fire": 2})
    >>> resistance["fire"], resistance["cold"]
    (2, 0)
    """

    __slots__ = ("_entries", "_keys")

    def __init__(self, entries: Mapping[K, int]) -> None:
        self._keys = {str(label_of(key)): key for key in entries}
        self._entries = {str(label_of(key)): level for key, level in entries.items()}

    def __getitem__(self, key: K) -> int:
        return self._entries.get(str(label_of(key)), 0)

    def __contains__(self, key: object) -> bool:
        return str(label_of(key)) in self._entries

    def __iter__(self) -> Iterator[K]:
        return iter(self._keys.values())

    def __len__(self) -> int:
        return len(self._entries)

    def labels(self) -> ItemsView[str, int]:
        """The entries by the label's text."""
        return self._entries.items()

    def _told(self) -> dict[str, int]:
        return {label: level for label, level in self._entries.items() if level}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Levels) and self._told() == other._told()

    def __hash__(self) -> int:
        return hash(frozenset(self._told().items()))

    def __repr__(self) -> str:
        return repr(self._entries)


class Stats(BaseModel):
    """The stats of something that takes part in a rule: frozen, every field checked, unknown names refused.

    A field is a whole number, decimal, switch, choice (Enum or Literal), dice (`Dist`), mapping from a label
    to a whole number, another Stats model, a tuple of them, or a `Part`. Where a number (or a switch) stands,
    a Roll or a stat axis may stand too: each value of an axis is checked against the field.

    Raises:
        StatError: names the field, the value and what is allowed.

    >>> from typing import Annotated
    >>> from pydantic import Field
    >>> class Target(Stats):
    ...     defense: Annotated[int, Field(ge=0, le=60, description="Total needed to hit")] = 10
    >>> Target(defense=17)
    Target(defense=17)
    >>> Target(defense=140)
    Traceback (most recent call last):
    rulekit.errors.StatError: Target.defense: 140 is above 60
    >>> Target(defence=14)
    Traceback (most recent call last):
    rulekit.errors.StatError: Target.defence: there is no such stat; did you mean defense?
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        arbitrary_types_allowed=True,
        validate_default=True,
        allow_inf_nan=False,
    )
    stat_fields: ClassVar[dict[str, StatField]]

    if not TYPE_CHECKING:  # type checkers read the constructor off the fields

        def __init__(self, /, **data):
            try:
                self.__pydantic_validator__.validate_python(data, self_instance=self)
            except ValidationError as error:
                raise refusal(error, type(self), type(self).__name__) from None

        # Without this mark pydantic would call the constructor for every nested model, and the path of
        # an error inside it would be lost.
        __init__.__pydantic_base_init__ = True

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        cls.stat_fields = {}
        if cls.__pydantic_complete__:
            fields_of(cls)

    @field_validator("*", mode="wrap")
    @classmethod
    def _stand_in(cls, value: Any, handler: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
        """Let a Roll stand for a number, and take the forms that files and notebooks bring."""
        field = fields_of(cls)[cast("str", info.field_name)]
        kind = field.kind
        if kind == "whole" or kind == "decimal":
            if type(value) is int:
                return handler(value)
            return _number(field, value, handler)
        if kind == "switch" and isinstance(value, Roll):
            return _checked_roll(field, value, "event", handler)
        if kind == "mapping":
            return _levels(field, value, handler)
        return handler(value)

    @model_serializer(mode="plain")
    def _as_data(self) -> dict[str, Any]:
        return cast("dict[str, Any]", plain_data(self))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Stats):
            return NotImplemented
        for model in (self, other):
            _refuse_rolls(model, "==")
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        _refuse_rolls(self, "a hash")
        return hash((type(self), *self.__dict__.values()))


class Entry(Stats):
    """Stats that a game's files hold entries of: weapons, fighters, armour.

    `loadout_file` names the file in the game's `data/` and in a user's `loadouts/<game>/`. `sample` marks
    what no rulebook printed; a rule that is given such an entry says so in the `notes` of its outcome.
    """

    loadout_file: ClassVar[str] = ""

    sample: bool = False


class Readings(Stats):
    """Where a rulebook can be read in more than one way: an Enum field each, its first member the default.

    >>> from enum import Enum
    >>> class MishapReading(Enum):
    ...     NATURAL_1 = "natural_1"
    ...     ANY_MISS = "any_miss"
    >>> class MyReadings(Readings):
    ...     mishap: MishapReading = MishapReading.NATURAL_1
    >>> MyReadings(mishap="any_miss").mishap
    <MishapReading.ANY_MISS: 'any_miss'>
    """

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        for name, info in cls.model_fields.items() if cls.__pydantic_complete__ else ():
            choices = info.annotation
            members = list(choices) if isinstance(choices, type) and issubclass(choices, Enum) else []
            if not members or info.default is not members[0]:
                raise StatError(
                    f"{cls.__name__}.{name}: a reading is an Enum whose first member is the default, "
                    f"not {info.annotation!r} with default {info.default!r}"
                )


class Part(Stats):
    """Something that plugs in: the base of alternatives, each a subclass known by its `kind`.

    Subclasses are found when they are looked for, so one that was written in a notebook counts. Its `kind` is
    the class's name unless the class says `kind = "..."`.

    >>> class Soak(Part):
    ...     pass
    >>> class Flat(Soak):
    ...     points: int = 0
    >>> class Target(Stats):
    ...     soak: Soak = Flat()
    >>> Target(soak={"kind": "Flat", "points": 3})
    Target(soak=Flat(points=3))
    """

    kind: ClassVar[str] = "Part"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "kind" not in cls.__dict__:
            cls.kind = cls.__name__

    @classmethod
    def kinds(cls) -> dict[str, type[Self]]:
        """The alternatives by their kind; where a kind was defined twice (a cell run again), the last."""
        found: dict[str, type[Self]] = {}
        waiting = list(cls.__subclasses__())
        while waiting:
            part = waiting.pop(0)
            found[part.kind] = part
            waiting[:0] = part.__subclasses__()
        return found or {cls.kind: cls}

    @model_validator(mode="wrap")
    @classmethod
    def _choose(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        if isinstance(value, str):
            value = {"kind": value}
        if not isinstance(value, Mapping) or "kind" not in value:
            return handler(value)
        kinds = cls.kinds()
        kind, rest = value["kind"], {name: given for name, given in value.items() if name != "kind"}
        if kind == cls.kind and kind not in kinds:
            return handler(rest)
        if not isinstance(kind, str) or kind not in kinds:
            raise StatError(f"{kind!r} is not one of {', '.join(kinds)}")
        part = kinds[kind]
        return handler(rest) if part is cls else part.model_validate(rest)


def validated(cls: type[Stats], data: Any, where: str) -> Any:
    """A model from data, or itself; what is wrong is told with its path from `where`."""
    try:
        return cls.__pydantic_validator__.validate_python(dict(data) if isinstance(data, Mapping) else data)
    except ValidationError as error:
        raise refusal(error, cls, where) from None


# -- what may stand in a field ---------------------------------------------------------------------------


def _number(field: StatField, value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    if isinstance(value, Roll):
        return _checked_roll(field, value, "number", handler)
    if isinstance(value, bool) or (
        isinstance(value, str) and (field.kind == "whole" or not _PLAIN.fullmatch(value))
    ):
        raise StatError(f"{value!r} is not {allowed(field)}")
    if field.type is float and isinstance(value, (str, Fraction)):
        return _fraction(field, value, handler)
    if field.kind == "whole" and not isinstance(value, float) and hasattr(value, "__index__"):
        value = operator.index(value)  # NumPy's whole numbers, as they come out of an array
    return handler(value)


def _fraction(field: StatField, value: str | Fraction, handler: ValidatorFunctionWrapHandler) -> Any:
    """A fraction in a decimal's place: by its digits where it has few, else itself, a third stays a third."""
    try:
        exact = Fraction(value)
    except ZeroDivisionError:
        raise StatError(f"{value!r} is not {allowed(field)}") from None
    decimal = handler(float(exact))
    return decimal if Fraction(str(decimal)) == exact else exact


def _checked_roll(
    field: StatField, value: Roll[Any], kind: str, handler: ValidatorFunctionWrapHandler
) -> Roll[Any]:
    if value.kind != kind:
        what = "an event" if value.kind == "event" else f"a {value.kind}"
        raise StatError(f"{value!r} is {what}, not {allowed(field)}")
    if value.is_axis:
        for number in value.values:
            handler(float(number) if field.type is float else number)
    return value


def _levels(field: StatField, value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    if not isinstance(value, Mapping):
        return handler(value)
    entries = dict(value.labels()) if isinstance(value, Levels) else dict(value)
    if field.keys:
        for key in entries:
            if str(label_of(key)) not in field.keys:
                raise StatError(f"{label_of(key)!r} is not one of {', '.join(field.keys)}")
    rolls = {key: level for key, level in entries.items() if isinstance(level, Roll)}
    checked = dict(handler({key: level for key, level in entries.items() if key not in rolls}))
    for key, level in rolls.items():
        _checked_roll(field, level, "number", lambda number, key=key: handler({key: number}))
        checked[next(iter(handler({key: field.low or 0})))] = level
    return Levels(checked)


# -- a model as plain data -------------------------------------------------------------------------------


def held_roll(value: Any) -> tuple[str, Roll[Any]] | None:
    """The first Roll in a model and its path; None where all is plain.

    >>> held_roll(Stats()) is None
    True
    """
    if isinstance(value, Roll):
        return "", value
    items: Any = ()
    if isinstance(value, Stats):
        items = value.__dict__.items()
    elif isinstance(value, Levels):
        items = value.labels()
    elif isinstance(value, tuple):
        items = enumerate(value)
    for name, part in items:
        found = held_roll(part)
        if found:
            return f"{name}.{found[0]}".rstrip("."), found[1]
    return None


def _refuse_rolls(model: Stats, wanted: str) -> None:
    found = held_roll(model)
    if found:
        path, held = found
        what = "the axis" if held.is_axis else "the Roll"
        raise StatError(
            f"{type(model).__name__}.{path} holds {what} {held!r}: such a model has no ==, hash or JSON "
            f"({wanted} was asked); compare or save it with plain values"
        )


def plain_data(value: Any) -> Any:
    """A model or one of its values as JSON and TOML have it, the same for equal models: dice as notation,
    choices by their value.

    Raises:
        StatError: the value holds a Roll or an axis.

    >>> from rulekit import d
    >>> plain_data((True, Fraction(1, 3), d(6)))
    [True, '1/3', 'd6']
    """
    if isinstance(value, Stats):
        _refuse_rolls(value, "JSON")
        data = {name: plain_data(part) for name, part in value.__dict__.items()}
        if isinstance(value, Entry) and not value.sample:
            del data["sample"]
        return {"kind": value.kind, **data} if isinstance(value, Part) else data
    if isinstance(value, Levels):
        return {label: level for label, level in sorted(value.labels()) if level}
    if isinstance(value, tuple):
        return [plain_data(part) for part in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, Decimal):
        return f"{value.normalize():f}"
    if isinstance(value, Dist):
        return _dice_text(value, value.kind)
    return value


@functools.lru_cache(maxsize=512)
def _dice_text(die: Dist, kind: str) -> Any:
    """Notation where there is one, else outcomes and weights: both are read again as this very die. Its kind
    keeps True and False apart from an equal die of 1 and 0.
    """
    from rulekit.distributions.conversions import to_plain
    from rulekit.distributions.notation import to_notation

    return to_notation(die) or to_plain(die)


register(_dice_text.cache_clear)
