"""What dice notation is read into: a tree of small frozen values, each of which prints itself.

Printing a node and reading the text again gives an equal node; where a node came from in a text
(``position``) does not count for equality.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

__all__ = [
    "ONE",
    "Binding",
    "Bound",
    "Braces",
    "Call",
    "Comparison",
    "Condition",
    "Count",
    "Dice",
    "Explode",
    "Faces",
    "Modifier",
    "Negative",
    "Node",
    "Number",
    "Product",
    "Relation",
    "Reroll",
    "Roll",
    "Select",
    "Sum",
]

Relation = Literal["<", "<=", ">", ">=", "=", "<>"]


class Binding:
    """How tightly a printed node holds together: whoever asks for more puts parentheses around it."""

    COMPARISON, SUM, PRODUCT, SIGNED, OPERAND = range(5)


@dataclass(frozen=True, slots=True)
class Node:
    """A part of an expression; ``position`` is the index of its first character in the text read."""

    position: int | None = field(default=None, kw_only=True, compare=False, repr=False)

    @property
    def binding(self) -> int:
        """How tightly the printed node holds together."""
        return Binding.OPERAND

    def within(self, binding: int) -> str:
        """The node as it is printed inside something that binds as tightly as this."""
        return str(self) if self.binding >= binding else f"({self})"


@dataclass(frozen=True, slots=True)
class Number(Node):
    """A number that is not negative, whole or a decimal."""

    value: int | Fraction

    def __str__(self) -> str:
        if isinstance(self.value, int):
            return str(self.value)
        # A decimal comes in as a fraction whose denominator divides a power of ten.
        digits = 1
        while 10**digits % self.value.denominator:
            digits += 1
        whole, rest = divmod(int(self.value * 10**digits), 10**digits)
        return f"{whole}.{rest:0{digits}}"


@dataclass(frozen=True, slots=True)
class Negative(Node):
    """The operand with its sign turned."""

    operand: Node

    @property
    def binding(self) -> int:
        """A sign binds less than dice do."""
        return Binding.SIGNED

    def __str__(self) -> str:
        # "-1d6" would be minus one die, which is no throw.
        if isinstance(self.operand, Roll) and self.operand.counts_its_dice:
            return f"-({self.operand})"
        return f"-{self.operand.within(Binding.OPERAND)}"


@dataclass(frozen=True, slots=True)
class Sum(Node):
    """Two terms or more, each with its sign, + or -; the first sign is a plus."""

    terms: tuple[tuple[str, Node], ...]

    @property
    def binding(self) -> int:
        """A sum binds less than a product."""
        return Binding.SUM

    def __str__(self) -> str:
        return "".join(sign + term.within(Binding.PRODUCT) for sign, term in self.terms)[1:]


@dataclass(frozen=True, slots=True)
class Product(Node):
    """Two factors or more, each with the operator before it, ``* / //``; the first is ``*``."""

    factors: tuple[tuple[str, Node], ...]

    @property
    def binding(self) -> int:
        """A product binds less than a sign."""
        return Binding.PRODUCT

    def __str__(self) -> str:
        return "".join(sign + factor.within(Binding.SIGNED) for sign, factor in self.factors)[1:]


@dataclass(frozen=True, slots=True)
class Call(Node):
    """``max min floor ceil abs`` of its arguments."""

    name: str
    arguments: tuple[Node, ...]

    def __str__(self) -> str:
        return f"{self.name}({','.join(map(str, self.arguments))})"


@dataclass(frozen=True, slots=True)
class Comparison(Node):
    """Whether two totals stand in a relation: an event."""

    left: Node
    relation: Relation
    right: Node

    @property
    def binding(self) -> int:
        """A comparison binds least."""
        return Binding.COMPARISON

    def __str__(self) -> str:
        # Right behind dice a relation would count them.
        left = f"({self.left})" if isinstance(self.left, Roll) else self.left.within(Binding.SUM)
        return f"{left}{self.relation}{self.right.within(Binding.SUM)}"


@dataclass(frozen=True, slots=True)
class Condition:
    """Which faces are meant: those that stand in this relation to a number."""

    relation: Relation
    value: Node

    def __str__(self) -> str:
        return self.relation + _amount(self.value)


@dataclass(frozen=True, slots=True)
class Modifier:
    """What is done to the dice of a roll, in the order written."""

    position: int | None = field(default=None, kw_only=True, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Select(Modifier):
    """Keep the highest, lowest or middle of the dice still in, or drop the highest or lowest of all."""

    name: Literal["kh", "kl", "km", "dh", "dl"]
    amount: Node

    def __str__(self) -> str:
        return self.name + _amount(self.amount, signed=False)


@dataclass(frozen=True, slots=True)
class Explode(Modifier):
    """Throw on: an extra die (or, compound, onto the die itself), at most ``limit`` times."""

    compound: bool
    limit: int | None
    condition: Condition | None

    def __str__(self) -> str:
        limit = "" if self.limit is None else f"{{{self.limit}}}"
        return ("!!" if self.compound else "!") + limit + str(self.condition or "")


@dataclass(frozen=True, slots=True)
class Reroll(Modifier):
    """Throw anew while the die shows any of the conditions, at most ``limit`` times."""

    limit: int | None
    conditions: tuple[Condition, ...]

    def __str__(self) -> str:
        name = {None: "r", 1: "ro"}.get(self.limit, f"r{{{self.limit}}}")
        return "".join(f"{name}{condition}" for condition in self.conditions)


@dataclass(frozen=True, slots=True)
class Bound(Modifier):
    """A floor (``mi``) or a cap (``ma``) for each die."""

    name: Literal["mi", "ma"]
    value: Node

    def __str__(self) -> str:
        return self.name + _amount(self.value)


@dataclass(frozen=True, slots=True)
class Count(Modifier):
    """How many dice meet a condition, less those that meet another."""

    condition: Condition
    less: Condition | None

    def __str__(self) -> str:
        return str(self.condition) + (f"f{self.less}" if self.less else "")


@dataclass(frozen=True, slots=True)
class Faces:
    """The faces of a die by hand, with their weights."""

    items: tuple[tuple[int | Fraction, int], ...]

    def __str__(self) -> str:
        return "{" + ",".join(f"{face}" if w == 1 else f"{face}:{w}" for face, w in self.items) + "}"


@dataclass(frozen=True, slots=True)
class Dice:
    """So many dice of so many sides, or of faces given by hand."""

    count: Node
    sides: Node | Faces

    def __str__(self) -> str:
        count = str(self.count) if isinstance(self.count, Number | Call) else f"({self.count})"
        sides = str(self.sides) if isinstance(self.sides, Number | Faces) else f"({self.sides})"
        return f"{'' if self.count == ONE else count}d{sides}"


@dataclass(frozen=True, slots=True)
class Braces:
    """A pool of unlike dice: the total of each entry is one die."""

    entries: tuple[Node, ...]

    def __str__(self) -> str:
        return "{" + ",".join(map(str, self.entries)) + "}"


@dataclass(frozen=True, slots=True)
class Roll(Node):
    """Dice with what is done to them."""

    source: Dice | Braces
    modifiers: tuple[Modifier, ...] = ()

    @property
    def counts_its_dice(self) -> bool:
        """Whether it is printed with a number of dice in front."""
        return isinstance(self.source, Dice) and self.source.count != ONE

    @property
    def binding(self) -> int:
        """A count is written as a comparison."""
        counts = bool(self.modifiers) and isinstance(self.modifiers[-1], Count)
        return Binding.COMPARISON if counts else Binding.OPERAND

    def __str__(self) -> str:
        text = str(self.source)
        bare = False
        for modifier in self.modifiers:
            # Behind a bare "!" a relation would say which faces explode.
            text += f"count{modifier}" if bare and isinstance(modifier, Count) else str(modifier)
            bare = isinstance(modifier, Explode) and modifier.condition is None
        return text


ONE = Number(1)


def _amount(value: Node, signed: bool = True) -> str:
    """A number behind a modifier or a relation; ``signed`` where a sign can stand there."""
    bare = value.operand if signed and isinstance(value, Negative) else value
    return str(value) if isinstance(bare, Number) else f"({value})"
