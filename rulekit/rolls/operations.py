"""What each operation of an expression means on plain values: the one table that every engine reads.

A value is an int or Fraction (number), a bool (event), a str or Enum member (label), or `Undefined`:
the mark of an operation without a value for its inputs, which is an error only where it carries
probability in what is asked.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from numbers import Integral
from typing import Any

from rulekit.errors import RulekitError

Value = Any  # int | Fraction | bool | str | Enum | Undefined: a union this wide helps no checker


class Undefined:
    """The result of an operation that has no value there: which operation, on which inputs."""

    __slots__ = ("inputs", "operation")

    def __init__(self, operation: str, inputs: tuple[Value, ...]) -> None:
        self.operation = operation
        self.inputs = inputs

    def __repr__(self) -> str:
        return f"undefined: {self.operation} of {', '.join(map(str, self.inputs))}"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Undefined) and (self.operation, self.inputs) == (
            other.operation,
            other.inputs,
        )

    def __hash__(self) -> int:
        return hash((Undefined, self.operation, self.inputs))


def exact_number(value: Any) -> Any:
    """A plain number as int or Fraction; a float or Decimal by its shortest decimal digits.

    >>> exact_number(0.1), exact_number(2.0)
    (Fraction(1, 10), 2)
    """
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise RulekitError(f"{value} is not a number that dice can have")
        value = Fraction(repr(float(value)))  # a NumPy float is one, and shows itself otherwise
    elif isinstance(value, (Fraction, Decimal)):
        value = Fraction(value)
    elif hasattr(value, "item"):  # a NumPy scalar
        return exact_number(value.item())
    else:
        raise RulekitError(f"{value!r} is not a number")
    return value.numerator if value.denominator == 1 else value


def is_whole(value: Any, least: int) -> bool:
    """Whether a value is a whole number (no bool) of `least` or more.

    >>> is_whole(3, 1), is_whole(True, 1), is_whole(0, 1)
    (True, False, False)
    """
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= least


def kind_of(value: Any) -> str | None:
    """The kind of a plain value: "event", "number" or "label"; None for anything else."""
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return "event"
    if isinstance(value, Enum):
        return "number" if isinstance(value, int) else "label"
    if isinstance(value, (int, float, Fraction, Decimal)):
        return "number"
    if isinstance(value, str):
        return "label"
    if type(value).__module__ == "numpy" and getattr(value, "shape", None) == () and hasattr(value, "item"):
        return kind_of(value.item())
    return None


def plain(value: Any) -> Value:
    """`value` in the one form that expressions hold it in; its kind must be known."""
    kind = kind_of(value)
    if kind == "event":
        return bool(value)
    if kind == "number":
        return exact_number(value)
    return value


def _normal(value: Fraction | int) -> int | Fraction:
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def _add(a: Value, b: Value) -> Value:
    return _normal(a + b)


def _subtract(a: Value, b: Value) -> Value:
    return _normal(a - b)


def _multiply(a: Value, b: Value) -> Value:
    return _normal(a * b)


def _divide(a: Value, b: Value) -> Value:
    return _normal(Fraction(a) / b) if b else Undefined("/", (a, b))


def _floor_divide(a: Value, b: Value) -> Value:
    return _normal(a // b) if b else Undefined("//", (a, b))


def _modulo(a: Value, b: Value) -> Value:
    return _normal(a % b) if b else Undefined("%", (a, b))


def _halve_down(a: Value) -> Value:
    return a // 2


def _halve_up(a: Value) -> Value:
    return -(-a // 2)


def _halve_to_zero(a: Value) -> Value:
    return a // 2 if a >= 0 else -(-a // 2)


def _where(event: Value, a: Value, b: Value) -> Value:
    return a if event else b


#: name -> function of plain values, none of them undefined (`and`, `or`, `where`: see `strict`)
SCALAR: dict[str, Callable[..., Value]] = {
    "add": _add,
    "sub": _subtract,
    "mul": _multiply,
    "truediv": _divide,
    "floordiv": _floor_divide,
    "mod": _modulo,
    "neg": operator.neg,
    "abs": abs,
    "min": min,
    "max": max,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
    "and": lambda a, b: bool(a and b),
    "or": lambda a, b: bool(a or b),
    "not": operator.not_,
    "where": _where,
    "halve_down": _halve_down,
    "halve_up": _halve_up,
    "halve_zero": _halve_to_zero,
    "identity": lambda a: a,
    "pair": lambda *values: values,
}


def strict(name: str, function: Callable[..., Value]) -> Callable[..., Value]:
    """`function` made to pass on an undefined input. `where` looks at the branch it takes alone; a false
    part makes `&` false and a true part makes `|` true, whatever the other part is.
    """
    if name == "where":

        def lazily(event: Value, a: Value, b: Value) -> Value:
            return event if isinstance(event, Undefined) else (a if event else b)

        return lazily
    if name in ("and", "or"):
        decides = name == "or"

        def three_valued(a: Value, b: Value) -> Value:
            if a is decides or b is decides:
                return decides
            return a if isinstance(a, Undefined) else b if isinstance(b, Undefined) else not decides

        return three_valued
    if name == "pair":
        return function

    def passing_on(*values: Value) -> Value:
        for value in values:
            if isinstance(value, Undefined):
                return value
        return function(*values)

    return passing_on
