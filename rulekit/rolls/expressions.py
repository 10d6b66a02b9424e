"""Roll: what came up, as an expression over rolls, stat axes and plain values.

Building an expression computes no odds. Every node knows its operation, its arguments and its kind; a
base roll also has an identity, so that the same roll stays the same roll wherever it is used.
"""

from __future__ import annotations

import dataclasses
import itertools
import re
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from fractions import Fraction
from typing import Any, Generic, Literal, NoReturn, TypeVar, cast

from rulekit.distributions import Dist, d
from rulekit.errors import NotAValue, RulekitError, StatError
from rulekit.rolls.operations import SCALAR, Undefined, Value, exact_number, is_whole, kind_of, plain, strict

__all__ = [
    "Roll",
    "Throw",
    "VariableDie",
    "again",
    "apply",
    "axes_of",
    "base_rolls",
    "call_scope",
    "chance",
    "clip",
    "constant",
    "count",
    "dice",
    "halve",
    "isin",
    "maximum",
    "minimum",
    "named_rolls",
    "roll",
    "stat",
    "table",
    "where",
]

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")
Kind = Literal["event", "number", "label"]

#: symbol and precedence, as Python has them
_INFIX = {
    "eq": ("==", 1), "ne": ("!=", 1), "lt": ("<", 1), "le": ("<=", 1), "gt": (">", 1), "ge": (">=", 1),
    "or": ("|", 2), "and": ("&", 3), "add": ("+", 4), "sub": ("-", 4), "mul": ("*", 5), "truediv": ("/", 5),
    "floordiv": ("//", 5), "mod": ("%", 5),
}  # fmt: skip
_SHOW = {"min": "minimum", "max": "maximum", "neg": "-", "not": "~", "where": "where", "abs": "abs"}

_process = secrets.randbits(64) << 64  # keeps identities apart between processes: pickles may meet
_counter = itertools.count(1)
_scopes: ContextVar[tuple[int, ...]] = ContextVar("rulekit_call_scopes", default=())


def _identity() -> int:
    return _process + next(_counter)


class Roll(Generic[T_co]):
    """What came up: a random variable, as an expression. Used twice it is the same roll.

    Made by `roll`, `chance`, `dice`, `stat` and by every operation on a Roll; never by calling Roll.
    Immutable, without a hash, and no plain value: `if`, `and`, `in`, `max` and the like raise
    `NotAValue`, which says what to write instead.

    >>> natural = roll(d(20), "natural")
    >>> natural + 7 >= 17
    natural + 7 >= 17
    """

    __slots__ = ("_args", "_identity", "_kind", "_name", "_op", "_param", "_scope")
    _args: tuple[Roll[Any], ...]
    _identity: int
    _kind: Kind
    _name: str | None
    _op: str
    _param: Any
    _scope: tuple[int, ...]

    __array_ufunc__ = None  # NumPy then leaves `array + roll` to us, to be refused with a reason

    def __new__(cls, *args: Any, **kwargs: Any) -> Roll[T_co]:
        """Refused: rolls are made by the functions named in the error."""
        raise RulekitError("a Roll is made by roll(die), chance(p), dice(n, die) or stat(name, values)")

    @property
    def kind(self) -> Kind:
        """`"event"`, `"number"` or `"label"`."""
        return self._kind

    @property
    def name(self) -> str | None:
        """The name given to `roll`, `stat` or by a rule's outcome; None without one."""
        return self._name

    @property
    def is_axis(self) -> bool:
        """Whether this is a stat axis itself (not an expression over one)."""
        return self._op == "stat"

    @property
    def values(self) -> tuple[int | Fraction, ...]:
        """The values of a stat axis, in rising order; an error for any other Roll."""
        if self._op != "stat":
            raise RulekitError(f"only a stat axis has values; {self!r} is not one")
        return cast("tuple[int | Fraction, ...]", self._param)

    # -- arithmetic: Python's operators, on the same roll ------------------------------------------

    def __add__(self, other: Any) -> Roll[Any]:
        return _arithmetic("add", self, other)

    def __radd__(self, other: Any) -> Roll[Any]:
        return _arithmetic("add", other, self)

    def __sub__(self, other: Any) -> Roll[Any]:
        return _arithmetic("sub", self, other)

    def __rsub__(self, other: Any) -> Roll[Any]:
        return _arithmetic("sub", other, self)

    def __mul__(self, other: Any) -> Roll[Any]:
        return _arithmetic("mul", self, other)

    def __rmul__(self, other: Any) -> Roll[Any]:
        return _arithmetic("mul", other, self)

    def __truediv__(self, other: Any) -> Roll[Any]:
        return _arithmetic("truediv", self, other)

    def __rtruediv__(self, other: Any) -> Roll[Any]:
        return _arithmetic("truediv", other, self)

    def __floordiv__(self, other: Any) -> Roll[Any]:
        return _arithmetic("floordiv", self, other)

    def __rfloordiv__(self, other: Any) -> Roll[Any]:
        return _arithmetic("floordiv", other, self)

    def __mod__(self, other: Any) -> Roll[Any]:
        return _arithmetic("mod", self, other)

    def __rmod__(self, other: Any) -> Roll[Any]:
        return _arithmetic("mod", other, self)

    def __neg__(self) -> Roll[Any]:
        return _node("neg", (_number(self, "-"),), "number")

    def __pos__(self) -> Roll[Any]:
        return self + 0 if self._kind == "event" else _number(self, "+")

    def __abs__(self) -> Roll[Any]:
        return _node("abs", (_number(self, "abs"),), "number")

    def __matmul__(self, other: Any) -> NoReturn:
        raise RulekitError("@ is for dice: write dice(n, die) for n throws of which n is a Roll")

    __rmatmul__ = __matmul__

    def __pow__(self, other: Any) -> NoReturn:
        raise RulekitError("a Roll has no power: write apply(lambda x: x ** 2, roll)")

    __rpow__ = __pow__

    # -- comparison --------------------------------------------------------------------------------

    def __lt__(self, other: Any) -> Roll[bool]:
        return _comparison("lt", self, other)

    def __le__(self, other: Any) -> Roll[bool]:
        return _comparison("le", self, other)

    def __gt__(self, other: Any) -> Roll[bool]:
        return _comparison("gt", self, other)

    def __ge__(self, other: Any) -> Roll[bool]:
        return _comparison("ge", self, other)

    def __eq__(self, other: Any) -> Roll[bool]:  # type: ignore[override]
        return _comparison("eq", self, other)

    def __ne__(self, other: Any) -> Roll[bool]:  # type: ignore[override]
        return _comparison("ne", self, other)

    # -- events ------------------------------------------------------------------------------------

    def __and__(self, other: Any) -> Roll[bool]:
        return _logic("and", self, other)

    def __rand__(self, other: Any) -> Roll[bool]:
        return _logic("and", other, self)

    def __or__(self, other: Any) -> Roll[bool]:
        return _logic("or", self, other)

    def __ror__(self, other: Any) -> Roll[bool]:
        return _logic("or", other, self)

    def __invert__(self) -> Roll[bool]:
        return _node("not", (_event(self, "~"),), "event")

    def __xor__(self, other: Any) -> NoReturn:
        raise RulekitError("^ is not defined on Rolls: exactly one of two events is a != b")

    __rxor__ = __xor__

    # -- where Python wants one plain value --------------------------------------------------------

    def __bool__(self) -> NoReturn:
        raise _not_a_value(
            self,
            "`if`, `and`, `or`, `not`, chained comparison, `min`, `max` and `in`",
            "where(event, a, b), the operators & | ~ with each part in brackets, "
            "minimum(...), maximum(...), isin(x, values)",
        )

    def __hash__(self) -> NoReturn:
        raise _not_a_value(
            self, "a set, a dict key, `in {...}` and a cache", "isin(x, values) or table(x, {...})"
        )

    def __contains__(self, item: Any) -> NoReturn:
        raise _not_a_value(self, "`in`", "isin(x, values)")

    def __int__(self) -> NoReturn:
        raise _not_a_value(self, "int()", "x // 1 (down), halve(x, ...) or apply(f, x)")

    def __float__(self) -> NoReturn:
        raise _not_a_value(self, "float()", "E(x) for its mean, P(x) for a probability")

    def __index__(self) -> NoReturn:
        raise _not_a_value(
            self, "range() and an index", "dice(n, die) for n throws, table(x, {...}) for a look-up"
        )

    def __round__(self, ndigits: int | None = None) -> NoReturn:
        raise _not_a_value(self, "round()", "x // 1 (down), -(-x // 1) (up) or halve(x, ...)")

    def __iter__(self) -> NoReturn:
        raise _not_a_value(self, "a loop", "dice(n, die) for n throws, chain(...) for again and again")

    def __len__(self) -> NoReturn:
        raise _not_a_value(self, "len()", "dice(n, die).count(faces) or count(events)")

    def __getitem__(self, key: Any) -> NoReturn:
        raise _not_a_value(
            self, "indexing", "table(x, {...}) to look up by a Roll, dice(n, die).ranks(...) for dice"
        )

    __trunc__ = __floor__ = __ceil__ = __complex__ = __int__

    def __as_die__(self) -> VariableDie:
        return VariableDie(_number(self, "d"))

    # -- a value -----------------------------------------------------------------------------------

    def __copy__(self) -> Roll[T_co]:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Roll[T_co]:
        return self

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(f"a Roll cannot be changed (.{name} = {value!r})")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a Roll cannot be changed (del .{name})")

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_rows, (_to_rows(self),)

    def __format__(self, spec: str) -> str:
        if spec:
            raise _not_a_value(self, f"the format {spec!r}", "E(x) or P(x) first")
        return repr(self)

    def __repr__(self) -> str:
        text = _text(self, 0, 8)
        return text if len(text) <= 160 else text[:159] + "…"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        from rulekit.rolls.display import mimebundle

        return mimebundle(self)

    def _repr_latex_(self) -> str:
        from rulekit.rolls.display import latex

        return latex(self)


class Throw(Roll[int]):
    """One throw of several dice, as a number its total; the methods are other views of the same throw.

    >>> throw = dice(4, 6)
    >>> throw.highest(3), throw.count(6)
    (dice(4, d6).highest(3), dice(4, d6).count(6))
    """

    __slots__ = ()

    def _view(self, *spec: Any, kind: Kind = "number") -> Roll[Any]:
        return _node("view", (self._args[0],), kind, param=spec)

    def highest(self, k: int = 1) -> Roll[int]:
        """The sum of the `k` highest dice (all of them where there are fewer; undefined of none)."""
        return self._view("highest", _whole(k, "highest", 1))

    def lowest(self, k: int = 1) -> Roll[int]:
        """The sum of the `k` lowest dice (all of them where there are fewer; undefined of none)."""
        return self._view("lowest", _whole(k, "lowest", 1))

    def ranks(self, *ranks: int) -> Roll[int]:
        """The sum of the dice at these ranks: 1 the highest, 2 the next, -1 the lowest. Undefined where
        there is no such die.

        >>> dice(3, 20).ranks(2)
        dice(3, d20).ranks(2)
        """
        if not ranks or any(not (is_whole(rank, 1) or is_whole(-rank, 1)) for rank in ranks):
            raise RulekitError(f"ranks takes whole numbers from 1 (highest) or -1 (lowest), not {ranks}")
        return self._view("ranks", tuple(map(int, ranks)))

    def count(self, faces: Any) -> Roll[int]:
        """How many dice show one of `faces`: a face, several faces, or a rule such as `lambda x: x >= 5`
        (called once for each face).
        """
        if callable(faces):
            return self._view("count", faces)
        if isinstance(faces, (str, Enum)) or not isinstance(faces, Iterable):
            faces = (faces,)
        return self._view("count", tuple(plain(face) for face in faces))


class VariableDie:
    """A die whose number of faces is an axis or a Roll; it takes part in an expression once rolled."""

    __slots__ = ("sides",)

    def __init__(self, sides: Roll[int]) -> None:
        self.sides = sides

    def __repr__(self) -> str:
        return f"d({self.sides!r})"


# -- building nodes --------------------------------------------------------------------------------


def _make(
    op: str,
    args: tuple[Roll[Any], ...],
    kind: Kind,
    param: Any = None,
    name: str | None = None,
    identity: int = 0,
    scope: tuple[int, ...] = (),
    cls: type[Roll[Any]] = Roll,
) -> Roll[Any]:
    node: Roll[Any] = object.__new__(cls)
    put = object.__setattr__
    put(node, "_op", op)
    put(node, "_args", args)
    put(node, "_kind", kind)
    put(node, "_param", param)
    put(node, "_name", name)
    put(node, "_identity", identity)
    put(node, "_scope", scope)
    return node


def _node(
    op: str, args: tuple[Roll[Any], ...], kind: Kind, param: Any = None, name: str | None = None
) -> Roll[Any]:
    """An operation; of constants alone it is computed at once."""
    if op in SCALAR and all(arg._op == "const" for arg in args):
        value = strict(op, SCALAR[op])(*(arg._param for arg in args))
        return _make("const", (), kind, value)
    return _make(op, args, kind, param, name)


def constant(value: Any) -> Roll[Any]:
    """A plain value as a Roll that always shows it: number, event (bool) or label (str, Enum)."""
    if isinstance(value, Roll):
        return value
    kind = kind_of(value)
    if kind is None:
        raise _refused(value)
    return _make("const", (), cast("Kind", kind), plain(value))


def _refused(value: Any) -> RulekitError:
    if isinstance(value, Dist):
        return NotAValue(
            f"a Dist ({value!r}) among Rolls: write roll(...) around it, once, and use that Roll wherever "
            "the same roll is meant (each roll(...) is a new throw)"
        )
    if isinstance(value, VariableDie):
        return NotAValue(f"{value!r} is a die that has not been rolled: write roll({value!r})")
    if type(value).__module__.split(".")[0] in ("numpy", "pandas", "xarray"):
        return NotAValue(
            f"an array ({type(value).__name__}) among Rolls: write stat(name, values) for all values at once"
        )
    return NotAValue(f"{value!r} ({type(value).__name__}) is no number, event, label or Roll")


def _not_a_value(x: Roll[Any], where_used: str, instead: str) -> NotAValue:
    stats = tuple(cast("str", axis._name) for axis in axes_of(x))
    bases = base_rolls(x)
    rolls = tuple(base._name or _text(base, 0, 2) for base in bases)
    subject = f"{x!r} is a Roll, not one value"
    if stats and not rolls:
        subject = f"{x!r} stands for many values (stat {', '.join(stats)}), not one"
    return NotAValue(f"{subject}: {where_used} cannot use it; write {instead}", stats=stats, rolls=rolls)


def _number(value: Any, operation: str) -> Roll[Any]:
    node = constant(value)
    if node._kind == "label":
        raise RulekitError(
            f"{operation} needs numbers, and {node!r} is a label; labels have ==, !=, isin and table"
        )
    return node


def _event(value: Any, operation: str) -> Roll[bool]:
    node = constant(value)
    if node._kind != "event":
        raise RulekitError(
            f"{operation} needs events, and {node!r} is a {node._kind}; put brackets around each comparison: "
            "(total >= 17) & critical"
        )
    return node


def _arithmetic(op: str, left: Any, right: Any) -> Roll[Any]:
    symbol = _INFIX[op][0]
    return _node(op, (_number(left, symbol), _number(right, symbol)), "number")


def _comparison(op: str, left: Any, right: Any) -> Roll[bool]:
    a, b = constant(left), constant(right)
    if "label" in (a._kind, b._kind):
        if op not in ("eq", "ne"):
            raise RulekitError(
                f"{_INFIX[op][0]} between labels: {a!r}, {b!r} have no order; they have ==, !=, isin, table"
            )
        if a._kind != b._kind:
            raise RulekitError(f"{_INFIX[op][0]} between a {a._kind} and a {b._kind}: {a!r}, {b!r}")
    return _node(op, (a, b), "event")


def _logic(op: str, left: Any, right: Any) -> Roll[bool]:
    symbol = _INFIX[op][0]
    return _node(op, (_event(left, symbol), _event(right, symbol)), "event")


def _whole(value: Any, what: str, least: int) -> int:
    if not is_whole(value, least):
        raise RulekitError(f"{what} takes a whole number of {least} or more, not {value!r}")
    return int(value)


def _draw(
    args: tuple[Roll[Any], ...], kind: Kind, param: Any, name: str | None, op: str = "draw"
) -> Roll[Any]:
    return _make(op, args, kind, param, name, _identity(), _scopes.get())


# -- the functions that rules are written with -----------------------------------------------------


def _kind_of_dist(dist: Dist) -> Kind:
    if dist.kind == "label" and any(kind_of(outcome) != "label" for outcome in dist.outcomes):
        raise RulekitError(
            "a Roll shows numbers, labels or events, one kind of them; this die has "
            + ", ".join(sorted({type(outcome).__name__ for outcome in dist.outcomes}))
        )
    return dist.kind


def roll(x: Any, name: str | None = None) -> Roll[Any]:
    """One roll of a die: a random variable. Each call is a new throw.

    Args:
        x: A Dist, or what `d` takes: a number of sides, dice notation; or a die whose number of sides is
            an axis or a Roll (`d(sides)` or the sides themselves).
        name: Shows in `explain`, in errors and in `given`.

    >>> from rulekit import E, P
    >>> natural = roll(d(20), "natural")
    >>> P(natural + 7 >= 17), E(natural + natural)
    (Fraction(11, 20), Fraction(21, 1))
    """
    if name is not None and not isinstance(name, str):
        raise RulekitError(f"a roll's name is text, not {name!r}")
    if isinstance(x, VariableDie):
        return _draw((x.sides,), "number", DieOfSides(), name)
    if isinstance(x, Roll):
        return _draw((_number(x, "roll"),), "number", DieOfSides(), name)
    die = x if isinstance(x, Dist) else d(x)
    if isinstance(die, VariableDie):
        return roll(die, name)
    return _draw((), _kind_of_dist(_exact(die)), die, name)


def _exact(die: Dist) -> Dist:
    if die.leftover:
        raise RulekitError(
            f"{die!r} was cut off (leftover {float(die.leftover):.3g}); a Roll is exact: "
            "give explode a number of times"
        )
    return die


def chance(p: Any, name: str | None = None) -> Roll[bool]:
    """An event of probability `p` (0 to 1): a fraction, a decimal (by its digits), an axis or a Roll.

    >>> from rulekit import P
    >>> P(chance(0.3) & chance("1/2"))
    Fraction(3, 20)
    """
    if isinstance(p, Roll):
        return _draw((_number(p, "chance"),), "event", Chance(), name)
    try:
        value = Fraction(p) if isinstance(p, str) else Fraction(exact_number(p))
    except ValueError:
        raise RulekitError(f"chance takes a probability from 0 to 1, not {p!r}") from None
    return _draw((), "event", Chance()(value), name)


def stat(name: str, values: Iterable[Any]) -> Roll[Any]:
    """A stat axis: every value at once. An answer along it is a labelled array.

    Args:
        name: The dimension's name.
        values: Numbers in rising order, at least one.

    Raises:
        StatError: values that are no numbers or do not rise. Two axes of one name with other values in
            one expression raise it too, when asked.

    >>> from rulekit import P
    >>> attack = stat("attack", range(0, 3))
    >>> P(roll(d(20)) + attack >= 15, exact=True).values.tolist()
    [Fraction(3, 10), Fraction(7, 20), Fraction(2, 5)]
    """
    if not isinstance(name, str) or name == "":
        raise StatError(f"a stat has a name, not {name!r}")
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise StatError(f"stat {name!r} takes numbers in rising order, not {values!r}")
    given = tuple(values)
    if any(kind_of(value) != "number" for value in given):
        raise StatError(f"stat {name!r} takes numbers, not {given!r}")
    numbers = tuple(exact_number(value) for value in given)
    if not numbers or any(b <= a for a, b in itertools.pairwise(numbers)):
        raise StatError(f"stat {name!r} takes numbers in rising order, at least one, not {given!r}")
    return _make("stat", (), "number", numbers, name)


def where(event: Any, a: Any, b: Any) -> Any:
    """`a` where the event happens, else `b`: numbers, labels, events, or two outcomes of one class (field
    by field). A plain bool just picks.

    >>> from rulekit import E
    >>> natural = roll(d(20))
    >>> E(where(natural == 20, 10, where(natural >= 15, 5, 0)))
    Fraction(7, 4)
    """
    if kind_of(event) == "event":
        picked = a if event else b
        return picked if dataclasses.is_dataclass(picked) or isinstance(picked, tuple) else constant(picked)
    condition = _event(event, "where")
    if hasattr(a, "__where__"):  # a rule's outcome knows its fields
        return a.__where__(condition, b)
    if dataclasses.is_dataclass(a) and not isinstance(a, type) and type(a) is type(b):
        fields = [field.name for field in dataclasses.fields(a) if field.init]
        return type(a)(
            **{field: _where_field(condition, getattr(a, field), getattr(b, field)) for field in fields}
        )
    if isinstance(a, tuple) and type(a) is type(b) and len(a) == len(b):
        parts = [_where_field(condition, x, y) for x, y in zip(a, b, strict=True)]
        return type(a)(*parts) if hasattr(a, "_fields") else tuple(parts)
    x, y = constant(a), constant(b)
    if x._kind != y._kind:
        raise RulekitError(f"where's branches are of one kind; {x!r} is a {x._kind}, {y!r} a {y._kind}")
    if condition._op == "const":
        return x if condition._param else y
    return _node("where", (condition, x, y), x._kind)


def _where_field(event: Roll[bool], a: Any, b: Any) -> Any:
    if a is b or (
        kind_of(a) is None
        and not isinstance(a, Roll)
        and not dataclasses.is_dataclass(a)
        and not isinstance(a, tuple)
    ):
        if a is not b and (isinstance(b, Roll) or a != b):
            raise RulekitError(f"where picks between numbers, labels and events, not {a!r} and {b!r}")
        return a
    return where(event, a, b)


def minimum(*values: Any) -> Roll[Any]:
    """The least of several numbers, each a Roll or plain.

    >>> from rulekit import E
    >>> E(minimum(roll(d(20)), roll(d(20))))
    Fraction(287, 40)
    """
    return _extreme("min", values)


def maximum(*values: Any) -> Roll[Any]:
    """The greatest of several numbers, each a Roll or plain.

    >>> from rulekit import E
    >>> E(maximum(roll(d(20)), roll(d(20))))
    Fraction(553, 40)
    """
    return _extreme("max", values)


def _extreme(op: str, values: tuple[Any, ...]) -> Roll[Any]:
    if len(values) == 1 and isinstance(values[0], Iterable) and not isinstance(values[0], (Roll, str)):
        values = values if hasattr(values[0], "__array__") else tuple(values[0])
    if not values:
        raise RulekitError(f"{_SHOW[op]} takes at least one number")
    nodes = [_number(value, _SHOW[op]) for value in values]
    result = nodes[0]
    for node in nodes[1:]:
        result = _node(op, (result, node), "number")
    return result


def clip(x: Any, low: Any, high: Any) -> Roll[Any]:
    """`x` held between `low` and `high`, both included; where they cross, `high` wins.

    >>> clip(roll(d(20), "n") - 10, 0, 5)
    minimum(maximum(n - 10, 0), 5)
    """
    return minimum(maximum(x, low), high)


def halve(x: Any, rounding: str = "down") -> Roll[Any]:
    """Half of `x` as rulebooks round it.

    Args:
        x: A number or Roll.
        rounding: "down" (to the lower number), "up" (to the higher), "zero" (towards 0).

    >>> from rulekit import E
    >>> E(halve(roll(d("2d6")), "up"))
    Fraction(15, 4)
    """
    if rounding not in ("down", "up", "zero"):
        raise RulekitError(f'halve rounds "down", "up" or "zero", not {rounding!r}')
    return _node("halve_" + rounding, (_number(x, "halve"),), "number")


def isin(x: Any, values: Iterable[Any]) -> Roll[bool]:
    """Whether `x` is one of `values` (plain numbers or labels).

    >>> from rulekit import P
    >>> P(isin(roll(d(20)), {19, 20}))
    Fraction(1, 10)
    """
    node = constant(x)
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise RulekitError(f"isin takes several plain values, not {values!r}")
    members = []
    for value in values:
        if isinstance(value, Roll):
            raise _not_a_value(value, "isin's values", "(x == a) | (x == b)")
        kind = kind_of(value)
        if kind is None or (kind == "label") != (node._kind == "label"):
            raise RulekitError(f"isin: {value!r} cannot equal {node!r}, which is a {node._kind}")
        members.append(plain(value))
    return _lookup("isin", node, frozenset(members), "event")


def _lookup(op: str, node: Roll[Any], param: Any, kind: Kind) -> Roll[Any]:
    if node._op == "const":
        return _make("const", (), kind, node._param in param)
    return _make(op, (node,), kind, param)


def count(*events: Any) -> Roll[int]:
    """How many of the events happen.

    >>> from rulekit import P
    >>> rolls = [roll(d(6)) for _ in range(3)]
    >>> P(count(r == 6 for r in rolls) >= 2)
    Fraction(2, 27)
    """
    if len(events) == 1 and not isinstance(events[0], Roll) and isinstance(events[0], Iterable):
        events = tuple(events[0])
    total: Roll[Any] = constant(0)
    for event in events:
        total = total + _event(event, "count")
    return total


_RANGE = re.compile(
    r"""\s*(?: (?P<op>[<>]=?|≤|≥) \s* (?P<bound>[-−]?\d+)
          | (?P<low>[-−]?\d+) (?: \s* (?:-|–|—|−|\.\.|to) \s* (?P<high>[-−]?\d+)
                               | \s* (?P<more>\+|or[ ]more|or[ ]less) )? ) \s*""",
    re.VERBOSE,
)


def _range_test(key: Any) -> tuple[Fraction | int | None, Fraction | int | None]:
    """A row's key as lowest and highest value, None for no end."""
    if kind_of(key) == "number":
        value = exact_number(key)
        return value, value
    match = _RANGE.fullmatch(key) if isinstance(key, str) else None
    if match is None:
        raise RulekitError(f'table: {key!r} is no row: write 3, "3", "2-7", ">=20", "20+", "<=1"')

    def number(text: str) -> int:
        return 100 if text == "00" else int(text.replace("−", "-"))

    if match["op"]:
        bound = number(match["bound"])
        op = match["op"].replace("≥", ">=").replace("≤", "<=")
        return {">=": (bound, None), ">": (bound + 1, None), "<=": (None, bound), "<": (None, bound - 1)}[op]
    low = number(match["low"])
    if match["more"]:
        return (None, low) if match["more"] == "or less" else (low, None)
    high = number(match["high"]) if match["high"] else low
    if high < low:
        raise RulekitError(f"table: row {key!r} ends before it begins")
    return low, high


def table(x: Any, rows: Mapping[Any, Any]) -> Roll[Any]:
    """Look `x` up in a rulebook's table.

    Args:
        x: A Roll (whole numbers), or labels with label keys.
        rows: From a number or a range as books print it ("1", "2-7", ">=20", "20+", "<=1", and "96-00" on
            percent dice) to a number, a label, an event or a Roll; all results of one kind.

    Raises:
        RulekitError: when built, where a possible outcome of `x` has no row or two.

    >>> from rulekit import P
    >>> mood = table(roll(d(20)), {"1": "hostile", "2-19": "wary", "20": "friendly"})
    >>> P(mood == "wary")
    Fraction(9, 10)
    """
    node = constant(x)
    if not isinstance(rows, Mapping) or not rows:
        raise RulekitError(f"table takes rows as a dict, not {rows!r}")
    results = [constant(value) for value in rows.values()]
    kinds = {result._kind for result in results}
    if len(kinds) > 1:
        raise RulekitError(f"table's results are of one kind, not {', '.join(sorted(kinds))}")
    if node._kind == "label":
        keys: list[Any] = [(key, key) for key in rows]
    else:
        keys = [_range_test(int(key) if node._kind == "event" and key in (0, 1) else key) for key in rows]
    names = list(rows)
    return _tabulate(node, keys, names, results)


def _tabulate(node: Roll[Any], keys: list[Any], names: list[Any], results: list[Roll[Any]]) -> Roll[Any]:
    kind = results[0]._kind
    selector = Rows(tuple(keys), tuple(names), node._kind == "label")
    within = node._param.results if node._op == "table" else None  # a table of a table of a table ...
    if within is None or any(len(selector.matches(value)) != 1 for value in within):
        within = _possible(node)
    for value in within:
        hits = [names[i] for i in selector.matches(value)]
        if len(hits) > 1:
            raise RulekitError(f"table: {value} has {len(hits)} rows: {', '.join(map(repr, hits))}")
        if not hits:
            raise RulekitError(
                f"table: {value} is possible and has no row; the rows are {', '.join(map(repr, names))}"
            )
    if all(result._op == "const" for result in results):
        looked = Lookup(selector, tuple(result._param for result in results))
        if node._op == "const":
            return _make("const", (), kind, looked(node._param))
        return _make("table", (node,), kind, looked)
    # Rolled results: pick the row first, then its result, so that each row's roll stays the roll it is.
    position = _make("table", (node,), "number", Lookup(selector, tuple(range(len(results)))))
    chosen = results[-1]
    for index in range(len(results) - 2, -1, -1):
        chosen = _node(
            "where", (_node("eq", (position, constant(index)), "event"), results[index], chosen), kind
        )
    return chosen


@dataclasses.dataclass(frozen=True)
class Rows:
    """Which rows of a table a value falls into."""

    keys: tuple[Any, ...]
    names: tuple[Any, ...]
    labels: bool

    def matches(self, value: Value) -> list[int]:
        if self.labels:
            return [i for i, (key, _) in enumerate(self.keys) if key == value]
        return [
            i
            for i, (low, high) in enumerate(self.keys)
            if (low is None or value >= low) and (high is None or value <= high)
        ]


@dataclasses.dataclass(frozen=True)
class Lookup:
    """A table with plain results, as a function of the value looked up."""

    rows: Rows
    results: tuple[Value, ...]

    def __call__(self, value: Value) -> Value:
        hits = self.rows.matches(value)
        return self.results[hits[0]] if hits else Undefined("table", (value,))


def _possible(node: Roll[Any]) -> tuple[Value, ...]:
    """Every value that `node` can show at any value of its axes; empty where finding out costs too much."""
    from rulekit.rolls.engine import possible_values

    return possible_values(node)


def apply(f: Callable[..., Any], *rolls: Any) -> Roll[Any]:
    """`f` of plain values, for what the operators cannot say.

    Args:
        f: A pure function of plain values; it gives a number, a label or a bool, always of one kind, or a
            Dist (which is then rolled anew by this node). It is tried on a few values at once, and called
            for each combination that can occur when a question is asked.
        rolls: Rolls or plain values, in the order of f's parameters.

    Raises:
        RulekitError: a result that is none of these or of another kind, at once or when asked.

    >>> from rulekit import E
    >>> E(apply(lambda n: n ** 2, roll(d(6))))
    Fraction(91, 6)
    """
    if not callable(f):
        raise RulekitError(f"apply takes a function first, not {f!r}")
    args = tuple(constant(x) for x in rolls)
    shown = [f(*values) for values in _witnesses(args)]
    kind = _kind_of_result(f, shown[0])
    events = tuple([arg._kind == "event" for arg in args])
    if any(isinstance(result, Dist) for result in shown):
        return _draw(args, kind, Applied(f, kind, events), None)
    applied = Called(f, kind, events, tuple(map(plain, shown)))
    if all(arg._op == "const" for arg in args):
        return _make("const", (), kind, applied(*[arg._param for arg in args]))
    return _make("apply", args, kind, applied)


def _kind_of_result(f: Callable[..., Any], result: Any) -> Kind:
    """The kind of what a user's function gave, checked."""
    if isinstance(result, Dist):
        _exact(result)
        return _kind_of_dist(result)
    kind = kind_of(result)
    if kind is None:
        raise RulekitError(f"apply: {_called(f)} gave {result!r}; it gives a number, label, bool or Dist")
    return cast("Kind", kind)


def _with_bools(values: Sequence[Value], events: Sequence[bool]) -> list[Value]:
    """What a user's function gets: of an event True or False, which array tables hold as 1 or 0."""
    return [bool(value) if event else value for value, event in zip(values, events, strict=True)]


def _called(f: Callable[..., Any]) -> str:
    return str(getattr(f, "__name__", "f"))


def dice(n: Any, die: Any) -> Throw:
    """One throw of `n` equal dice: as a number its total, with views that depend on each other as on the
    table.

    Args:
        n: A whole number of 0 or more, an axis or a Roll (a negative number is undefined there).
        die: A Dist, what `d` takes, an axis or Roll of sides inside `d(...)`, or an expression, thrown anew
            for each of the n (within a rule's result: what was rolled inside that call).

    >>> from rulekit import P
    >>> throw = dice(4, 6)
    >>> P(throw.highest(3) == 18, given=throw.count(6) >= 1)
    Fraction(21, 671)
    """
    number = _number(n, "dice")
    if number._op == "const" and (
        number._kind != "number" or not isinstance(number._param, int) or number._param < 0
    ):
        raise RulekitError(f"dice takes a whole number of 0 or more dice, not {n!r}")
    if isinstance(die, Roll):
        expression = again(die)
        inside = _inside(expression)
    else:
        expression = roll(die)  # a number of sides that is rolled is rolled once, for all the dice
        inside = {expression._identity}
    outer = tuple(node for node in base_rolls(expression) if node._identity not in inside)
    axes = axes_of(expression)
    shared = tuple(node._identity for node in outer)
    source = _draw(
        (number, *axes, *outer), "number", ThrowOf(expression, len(axes), shared), None, op="throw"
    )
    return cast("Throw", _make("view", (source,), "number", ("total",), cls=Throw))


def again(x: Any) -> Any:
    """The same expression with every roll in it thrown anew.

    The result of a rule throws anew what was rolled inside that call, and shares what came from outside; a
    bare expression is thrown anew whole.

    >>> from rulekit import E, dist
    >>> die = roll(d(6))
    >>> dist(die + again(die)) == 2 @ d(6)
    True
    """
    node = constant(x)
    fresh: dict[int, Roll[Any]] = {}
    inside = _inside(node)
    identities: dict[int, int] = {}
    active = _scopes.get()
    for old in _walk(node):
        args = tuple(fresh[id(arg)] for arg in old._args)
        if old._identity and old._identity in inside:
            new = identities.setdefault(old._identity, _identity())
            scope = tuple(dict.fromkeys(active + old._scope))
            fresh[id(old)] = _make(old._op, args, old._kind, old._param, old._name, new, scope, type(old))
        elif all(a is b for a, b in zip(args, old._args, strict=True)):
            fresh[id(old)] = old
        else:
            fresh[id(old)] = _make(
                old._op, args, old._kind, old._param, old._name, old._identity, old._scope, type(old)
            )
    return fresh[id(node)]


def _inside(x: Roll[Any]) -> set[int]:
    """The identities of the base rolls that `again` throws anew: those of the call that made x, else all."""
    scope = x._param if x._op == "mark" else None
    return {node._identity for node in _walk(x) if node._identity and (scope is None or scope in node._scope)}


class _CallScope:
    """One call of a rule: what is rolled inside belongs to it."""

    def __init__(self, identity: int) -> None:
        self.identity = identity

    def mark(self, x: Any, name: str | None = None) -> Roll[Any]:
        """`x` as a result of this call, with the name of the outcome's field."""
        node = constant(x)
        return _make("mark", (node,), node._kind, self.identity, name or node._name)


@contextmanager
def call_scope() -> Iterator[_CallScope]:
    """Marks what is rolled within as belonging to one call of a rule, for `again` and `dice`.

    >>> with call_scope() as scope:
    ...     damage = scope.mark(roll(d(6)) + 2, "damage")
    >>> damage
    damage
    """
    identity = _identity()
    token = _scopes.set((*_scopes.get(), identity))
    try:
        yield _CallScope(identity)
    finally:
        _scopes.reset(token)


# -- dice that depend on a value -------------------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class DieOfSides:
    """A die with as many faces as the value says; undefined below 1."""

    def __call__(self, sides: Value) -> Dist | Undefined:
        if not isinstance(sides, int) or sides < 1:
            return Undefined("a die with sides", (sides,))
        return d(sides)

    def __str__(self) -> str:
        return "roll"


@dataclasses.dataclass(frozen=True)
class Chance:
    """An event of the probability that the value says; an error outside 0 to 1."""

    def __call__(self, p: Value) -> Dist:
        p = Fraction(p)
        if not 0 <= p <= 1:
            raise RulekitError(f"chance takes a probability from 0 to 1, not {p}")
        weights = {False: p.denominator - p.numerator, True: p.numerator}
        return Dist({outcome: weight for outcome, weight in weights.items() if weight})

    def __str__(self) -> str:
        return "chance"


@dataclasses.dataclass(frozen=True)
class Called:
    """A user's function that gives plain values of one kind."""

    function: Callable[..., Any]
    kind: Kind
    events: tuple[bool, ...]
    shown: tuple[Value, ...] = dataclasses.field(compare=False)

    def __call__(self, *values: Value) -> Value:
        result = self.function(*_with_bools(values, self.events))
        if isinstance(result, Dist):
            raise RulekitError(
                f"apply: {self} gave a Dist for {values} and a plain value for others; "
                "let it always give one, d([x]) for a certain x"
            )
        if _kind_of_result(self.function, result) != self.kind:
            raise RulekitError(
                f"apply: {self} gave {result!r} for {values}, and a {self.kind} for other values"
            )
        return plain(result)

    def __str__(self) -> str:
        return _called(self.function)


@dataclasses.dataclass(frozen=True)
class Applied:
    """A user's function that gives a Dist of one kind, or a plain value now and then."""

    function: Callable[..., Any]
    kind: Kind
    events: tuple[bool, ...]

    def __call__(self, *values: Value) -> Dist:
        result = self.function(*_with_bools(values, self.events))
        if _kind_of_result(self.function, result) != self.kind:
            raise RulekitError(
                f"apply: {self} gave {result!r} for {values}, and a {self.kind} for other values"
            )
        return result if isinstance(result, Dist) else Dist({plain(result): 1})

    def __str__(self) -> str:
        return _called(self.function)


class ThrowOf:
    """The die of a throw: an expression whose rolls are thrown anew for each of the n dice. The throw's
    arguments are n, the axes of that expression and the outer rolls that it shares.
    """

    __slots__ = ("die", "n_axes", "outer", "structure")

    def __init__(self, die: Roll[Any], n_axes: int, outer: tuple[int, ...]) -> None:
        self.die = die
        self.n_axes = n_axes
        self.outer = outer
        self.structure: Any = None  # found by the engine when first needed

    def __str__(self) -> str:
        die = self.die
        if die._op == "draw" and not die._args and die._name is None:
            return _die_text(die._param)
        return _text(die, 0, 4)


# -- looking at expressions ------------------------------------------------------------------------


def _walk(x: Roll[Any]) -> list[Roll[Any]]:
    """Every node beneath x, arguments before what uses them, x last; a throw's own die is not entered."""
    order: list[Roll[Any]] = []
    seen: set[int] = set()
    stack: list[tuple[Roll[Any], bool]] = [(x, False)]
    while stack:
        node, done = stack.pop()
        if done:
            order.append(node)
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((arg, False) for arg in reversed(node._args) if id(arg) not in seen)
    return order


def axes_of(x: Roll[Any]) -> tuple[Roll[Any], ...]:
    """The stat axes that an expression depends on, each once, in the order of their first use.

    >>> axes_of(roll(d(20)) + stat("attack", range(3)))
    (attack,)
    """
    axes: dict[str, Roll[Any]] = {}
    for node in _walk(x):
        if node._op == "stat":
            known = axes.setdefault(cast("str", node._name), node)
            if known._param != node._param:
                raise StatError(
                    f"two axes are named {node._name!r}, "
                    f"with values {_few(known._param)} and {_few(node._param)}"
                )
    return tuple(axes.values())


def _few(values: Sequence[Any]) -> str:
    shown = ", ".join(map(str, values[:6]))
    return f"{shown}, … {values[-1]}" if len(values) > 6 else shown


def base_rolls(x: Roll[Any]) -> tuple[Roll[Any], ...]:
    """Every base roll beneath x, each once, in the order of their first use.

    >>> base_rolls(roll(d(20), "natural") + roll(d(6), "bonus"))
    (natural, bonus)
    """
    found: dict[int, Roll[Any]] = {}
    for node in _walk(x):
        if node._identity:
            found.setdefault(node._identity, node)
    return tuple(found.values())


def named_rolls(x: Roll[Any]) -> dict[str, Roll[Any]]:
    """Every named node beneath x (rolls, results of rules; not axes) by its name, the first of a name.

    >>> named_rolls(roll(d(20), "natural") + 7)
    {'natural': natural}
    """
    found: dict[str, Roll[Any]] = {}
    for node in _walk(x):
        if node._name is not None and node._op != "stat":
            found.setdefault(node._name, node)
    return found


def _witnesses(args: tuple[Roll[Any], ...]) -> list[list[Value]]:
    """Possible combinations of plain values of `args`, low and high, found without any odds."""
    from rulekit.rolls.engine import witness

    if len(args) == 1 and args[0]._op == "apply":  # known: a function of a function of a function ...
        return [[value] for value in args[0]._param.shown]
    low, high = witness(args), witness(args, first=-1)
    return [low] if low == high else [low, high]


# -- text ------------------------------------------------------------------------------------------


def _die_text(die: Dist) -> str:
    outcomes = die.outcomes
    n = die.denominator
    if n == len(outcomes) and outcomes[0] == 1 and outcomes[-1] == n and set(map(type, outcomes)) == {int}:
        return f"d{n}"
    if outcomes in ((False, True), (True,), (False,)):
        return f"chance({die.probability(True)})"
    text = str(die)
    return text if len(text) <= 24 and "\n" not in text else f"die of {len(outcomes)} outcomes"


def _text(x: Roll[Any], above: int, depth: int) -> str:
    """x as short text; `above` is the precedence of what surrounds it, `depth` how much deeper to go."""
    op, args = x._op, x._args
    if x._name is not None:
        return x._name
    if op == "const":
        return str(x._param) if not isinstance(x._param, str) else repr(x._param)
    if op == "draw" and not args:
        return _die_text(x._param) if x._kind == "event" else f"roll({_die_text(x._param)})"
    if depth <= 0:
        return "…"
    if op in _INFIX:
        symbol, level = _INFIX[op]
        left, right = _text(args[0], level + (level == 1), depth - 1), _text(args[1], level + 1, depth - 1)
        text = f"{left} {symbol} {right}"
        return f"({text})" if level < above else text
    if op in ("neg", "not"):
        return _SHOW[op] + _text(args[0], 6, depth - 1)
    inner = ", ".join(_text(arg, 0, depth - 1) for arg in args)
    if op.startswith("halve_"):
        return f'halve({inner}, "{op[6:]}")'
    if op == "isin":
        return f"isin({inner}, {{{', '.join(map(str, sorted(x._param, key=str)))}}})"
    if op == "table":
        return f"table({inner}, {len(x._param.results)} rows)"
    if op == "apply":
        return f"apply({x._param}, {inner})"
    if op == "draw":
        return f"{x._param}({inner})"
    if op == "mark":
        return inner
    if op == "throw":
        return f"dice({_text(args[0], 0, depth - 1)}, {x._param})"
    if op == "view":
        view, *rest = x._param
        if view == "total":
            return inner
        told = ", ".join("rule" if callable(v) else str(v).strip("()").rstrip(",") for v in rest)
        return f"{inner}.{view}({told})"
    return f"{_SHOW.get(op, op)}({inner})"


# -- pickle: rows instead of nested calls, so that a deep expression needs no recursion ------------


def _to_rows(x: Roll[Any]) -> list[tuple[Any, ...]]:
    index: dict[int, int] = {}
    rows: list[tuple[Any, ...]] = []
    for node in _walk(x):
        index[id(node)] = len(rows)
        param = node._param
        if node._op == "throw":
            param = (_to_rows(param.die), param.n_axes, param.outer)
        args = tuple(index[id(arg)] for arg in node._args)
        rows.append((node._op, args, node._kind, param, node._name, node._identity, node._scope, type(node)))
    return rows


def _from_rows(rows: list[tuple[Any, ...]]) -> Roll[Any]:
    nodes: list[Roll[Any]] = []
    for op, args, kind, param, name, identity, scope, cls in rows:
        if op == "throw":
            param = ThrowOf(_from_rows(param[0]), *param[1:])
        nodes.append(_make(op, tuple(nodes[i] for i in args), kind, param, name, identity, scope, cls))
    return nodes[-1]
