"""Dice notation, for the many who think in it: ``4d6kh3``, ``{d6,d8}kh1``, ``max(d6, 3)+2``.

`parse` reads a text into a tree that prints itself, `evaluate` gives its distribution, and
`to_notation` finds a notation for a distribution. Each dice term is a roll of its own; all dice are
independent. The whole notation is on one page, ``docs/notation.md``.

Hostile input fails at once: a text has at most ``MAX_LENGTH`` characters, parentheses and braces nest
at most ``MAX_DEPTH`` deep, and the distributions of an expression stay within the bounds of ``evaluate``.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulekit.distributions import notation_tree as tree
from rulekit.errors import NotationError

if TYPE_CHECKING:
    from lark import Lark, Token
    from lark.exceptions import UnexpectedInput

    from rulekit.distributions.distribution import Dist

__all__ = ["MAX_DEPTH", "MAX_LENGTH", "Expression", "evaluate", "parse", "to_notation"]

MAX_LENGTH = 2_000
"""A text has at most this many characters."""

MAX_DEPTH = 30
"""Parentheses and braces nest at most this deep."""


@dataclass(frozen=True)
class Expression:
    """Dice notation that has been read: equal where it means the same step by step, printed in one way.

    ``text`` is what was read, for errors to point into.

    >>> print(parse(" 4 D 6 k 3 + −1"))
    4d6kh3+-1
    >>> parse("1d%") == parse("d100")
    True
    """

    root: tree.Node
    text: str = field(default="", compare=False)

    def __str__(self) -> str:
        return str(self.root)


def parse(text: str) -> Expression:
    """Read dice notation.

    Stray spaces, capitals, missing counts, the typographic forms of minus, times, divided and the
    comparisons, full-width characters and no-break spaces are understood. Raises ``NotationError``
    (``text``, ``position``, ``expected``) for anything else, pointing at the character.

    >>> parse("4d6kh3").root
    Roll(source=Dice(count=Number(value=4), sides=Number(value=6)),
         modifiers=(Select(name='kh', amount=Number(value=3)),))
    >>> parse("4d6kx3")
    Traceback (most recent call last):
    ...
    rulekit.errors.NotationError: dice notation not understood at character 5, 'x'
      4d6kx3
          ^
    expected: a number, "(", ...
    """
    if not isinstance(text, str):
        raise NotationError(f"dice notation is a text, not {text!r}")
    if len(text) > MAX_LENGTH:
        raise NotationError(
            f"dice notation of {len(text):,} characters; at most {MAX_LENGTH:,} are read",
            text=text[:MAX_LENGTH],
        )
    plain = _plain(text)
    _check_depth(text, plain)
    from lark.exceptions import UnexpectedInput

    try:
        root: Any = _lark().parse(plain)
    except UnexpectedInput as unexpected:
        raise _explained(text, plain, unexpected) from None
    except _Misplaced as misplaced:
        raise point_at(text, misplaced.position, misplaced.problem) from None
    return Expression(root, text)


def evaluate(expression: Expression | str) -> Dist:
    """The distribution of dice notation.

    Raises ``NotationError``, pointing at the place, for what has no distribution (zero sides, the best
    3 of 2 dice, a die that explodes for ever) and for what is too large: more than 10,000 dice or sides,
    more than 50 dice in braces, or steps that together would look at more than 4,000,000 cells or take
    more than 4,000,000,000 bits (the bounds of ``evaluation.py``).

    >>> evaluate("2d20kh1").mean
    Fraction(553, 40)
    >>> evaluate(parse("6d6>=5")).probability(2)
    Fraction(80, 243)
    """
    from rulekit.distributions.evaluation import evaluate_expression

    return evaluate_expression(expression if isinstance(expression, Expression) else parse(expression))


def to_notation(dist: Dist) -> str | None:
    """A notation that means this distribution, the shortest kind that fits; None where there is none.

    Sums of equal dice with a number (``2d6+1``), the highest or lowest of equal dice (``4d6kh3``), and for
    any other numbers the faces with their weights (``d{0:3,1}``). Labels and a distribution that was cut
    off have no notation, and neither have more faces than a text holds.

    >>> from rulekit.distributions.distribution import Dist, d
    >>> [to_notation(x) for x in (d("2d6") + 1, d("2d20kl1"), Dist({0: 3, 1: 1}), Dist({"hit": 1}))]
    ['2d6+1', '2d20kl1', 'd{0:3,1}', None]
    """
    if dist.kind == "label" or dist.leftover:
        return None
    return next((text for text in _candidates(dist) if _means(text, dist)), None)


def _candidates(dist: Dist) -> Iterator[str]:
    outcomes, weights, total = dist.outcomes, dist.weights, dist.denominator
    first, last = outcomes[0], outcomes[-1]
    if dist.kind == "event":
        yield f"d{total}>={total - weights[-1] * int(last) + 1}"
        return
    if len(outcomes) == 1:
        yield str(first)
        return
    span = last - first
    if span == len(outcomes) - 1 and isinstance(first, int) and weights[0] == 1 and span % weights[1] == 0:
        n = weights[1]  # one way to throw the least, and as many for the next as there are dice
        yield _dice(n, span // n + 1, "", first - n)
    for sides in (4, 6, 8, 10, 12, 20):
        kept, rest = divmod(span, sides - 1)
        for name, rarest in (("kh", weights[0]), ("kl", weights[-1])):
            n = round(math.log(total / rarest, sides)) if total // rarest < 10**15 else 0
            if not rest and n > kept and sides**n * rarest == total and isinstance(first, int):
                yield _dice(n, sides, f"{name}{kept}", first - kept)
    yield f"d{tree.Faces(dist.items())}"


def _dice(n: int, sides: int, kept: str, added: int) -> str:
    return f"{'' if n == 1 else n}d{sides}{kept}{f'{added:+}' if added else ''}"


def _means(text: str, dist: Dist) -> bool:
    try:
        return len(text) <= MAX_LENGTH and evaluate(text) == dist
    except NotationError:
        return False


# -- errors that point ---------------------------------------------------------------------------------


def point_at(text: str, position: int | None, problem: str, expected: Iterable[str] = ()) -> NotationError:
    """A ``NotationError`` that shows the text with a caret below the character at fault.

    >>> print(point_at("4d0", 2, "a die has at least one side"))
    a die has at least one side
      4d0
        ^
    """
    expected = tuple(expected)
    lines = [problem]
    if position is not None and text.strip():
        first = max(0, position - 50)
        shown = [ch if ch.isprintable() else " " for ch in text[first : position + 25]]
        width = sum(2 if unicodedata.east_asian_width(ch) in "WF" else 1 for ch in shown[: position - first])
        lines += ["  " + "".join(shown).rstrip(), "  " + " " * width + "^"]
    if expected:
        lines.append("expected: " + ", ".join(expected))
    return NotationError("\n".join(lines), text=text, position=position, expected=expected)


class _Misplaced(Exception):
    """Well-formed, but not allowed there: found while the tree is built, which does not know the text."""

    def __init__(self, position: int | None, problem: str) -> None:
        super().__init__(problem)
        self.position = position
        self.problem = problem


_MODIFIERS = "a modifier (kh kl km dh dl ! !! r ro mi ma count)"
_OPERATOR = "an operator (+ - * / //)"
_EXPECTED = {
    "NUMBER": "a number",
    "D": "dice (such as 2d6)",
    "LPAR": '"("',
    "LBRACE": '"{"',
    "FUNCTION": "a function (max min floor ceil abs)",
    "PERCENT": '"%"',
    "F": '"f"',
    "SELECT": _MODIFIERS,
    "EXPLODE": _MODIFIERS,
    "REROLL": _MODIFIERS,
    "BOUND": _MODIFIERS,
    "COUNT": "count",
    "TIMES": _OPERATOR,
    "DIVIDE": _OPERATOR,
    "FLOORDIVIDE": _OPERATOR,
    "PLUS": "a sign",
    "MINUS": "a sign",
    "COMPARE": "a comparison (>= > <= < = <>)",
    "RPAR": '")"',
    "RBRACE": '"}"',
    "COMMA": '","',
    "COLON": '":"',
    "$END": "the end",
}

# What other dice languages write, by what stands at the place where ours stops understanding.
_HINTS = (
    (r"(?<=!)\s*p", "penetrating dice are not part of this notation"),
    (r"c[sf]?\s*[<>=\d]", "to count dice write count>=5, and f1 behind it for those that cancel"),
    (r"s[ad]?\s*$|u\s*$", "the order of the dice does not change the odds: leave it out"),
    (r"adv|dis", "advantage is 2d20kh1 and disadvantage 2d20kl1"),
    (r"d\s*\d+", "to drop the lowest die write dl1, the highest dh1"),
    (r"(?<=[=])\s*[<>]", "write >= or <="),
    (r"!\s*=", "not equal is written <>"),
    (r"\^|(?<=\*)\*", "powers are not part of this notation"),
    (r"round", "write floor(...) or ceil(...)"),
    (r"(?<=[\d)\s])x", "times is written *, and exploding !"),
    (r"\(", "multiplication is written with *"),
    (r"w\s*\d", "a die is written d, as in d6"),
    (r"[<>=]", "one comparison for each pair of parentheses"),
)


def _explained(text: str, plain: str, unexpected: UnexpectedInput) -> NotationError:
    """What the parser did not understand, in words."""
    parser: Any = unexpected.interactive_parser
    accepted: set[str] = parser.accepts()
    if "TIMES" in accepted:
        accepted -= {"PLUS", "MINUS"}  # they are operators there
    expected = list(dict.fromkeys(label for name, label in _EXPECTED.items() if name in accepted))
    token = getattr(unexpected, "token", None)
    if token is not None and token.type == "$END":
        if not plain.strip():
            return point_at(text, 0, "there is no dice notation in an empty text", expected)
        end = len(plain.rstrip())
        return point_at(text, end, f"dice notation ends too early, after {text[end - 1]!r}", expected)
    position: Any = unexpected.pos_in_stream
    problem = f"dice notation not understood at character {position + 1}, {text[position]!r}"
    for pattern, hint in _HINTS:
        if re.compile(pattern, re.IGNORECASE).match(plain, position):
            return point_at(text, position, f"{problem}: {hint}", expected)
    return point_at(text, position, problem, expected)


# -- characters ----------------------------------------------------------------------------------------

_LOOKALIKES = {
    **dict.fromkeys("‐‑‒–—−﹣", "-"),
    **dict.fromkeys("×✕✖⋅·∙∗", "*"),
    **dict.fromkeys("÷∕⁄", "/"),
    **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad", " "),
    "﹢": "+",
    "٪": "%",
}


def _plain(text: str) -> str:
    """The text in the characters of the grammar, each in its old place."""
    if text.isascii():
        return text
    return "".join(_plain_character(text, i) for i in range(len(text)))


def _plain_character(text: str, position: int) -> str:
    ch = text[position]
    if ch.isascii() or ch in "≤≥≠":
        return ch
    if ch in _LOOKALIKES:
        return _LOOKALIKES[ch]
    if "！" <= ch <= "～":  # the full-width forms of ASCII
        return chr(ord(ch) - ord("！") + ord("!"))
    if ch.isspace():
        return " "
    digit = unicodedata.decimal(ch, None)
    if digit is not None:
        return str(digit)
    name = unicodedata.name(ch, f"U+{ord(ch):04X}")
    raise point_at(text, position, f"{ch!r} ({name}) has no meaning in dice notation")


def _check_depth(text: str, plain: str) -> None:
    depth = 0
    for position, ch in enumerate(plain):
        depth += (ch in "({") - (ch in ")}")
        if depth > MAX_DEPTH:
            raise point_at(text, position, f"parentheses and braces nest more than {MAX_DEPTH} deep")


# -- from the grammar to the tree ----------------------------------------------------------------------


@cache
def _lark() -> Lark:
    from lark import Lark

    grammar = Path(__file__).with_name("grammar.lark").read_text(encoding="utf-8")
    return Lark(grammar, parser="lalr", transformer=_Builder(), maybe_placeholders=False)


@dataclass(frozen=True)
class _Group:
    """What stands in parentheses, until it is known whether they matter."""

    inner: tree.Node
    position: int | None


_RELATIONS: dict[str, tree.Relation] = {"==": "=", "≤": "<=", "≥": ">=", "≠": "<>"}


class _Builder:
    """One method for each rule of the grammar: its parts in, a node out."""

    def start(self, parts: list[Any]) -> tree.Node:
        return _bare(parts[0])

    def comparison(self, parts: list[Any]) -> tree.Node:
        if len(parts) == 1:
            return _bare(parts[0])
        left, relation, right, *less = parts
        position = _position(left)
        if isinstance(left, tree.Roll) and not _counts(left):
            number = right.operand if isinstance(right, tree.Negative) else right
            if not isinstance(number, tree.Number | _Group):
                raise _Misplaced(
                    _position(right),
                    f"behind dice, {relation} counts the dice that meet a number: put the number in "
                    "parentheses, or the dice in parentheses for their total",
                )
            condition = tree.Condition(_relation(relation), _bare(right))
            count = tree.Count(condition, less[1] if less else None, position=relation.start_pos)
            return tree.Roll(left.source, (*left.modifiers, count), position=position)
        if less:
            raise _Misplaced(less[0].start_pos, "f stands behind a count of dice, and this compares a total")
        return tree.Comparison(_bare(left), _relation(relation), _bare(right), position=position)

    def sum(self, parts: list[Any]) -> tree.Node | _Group:
        if len(parts) == 1:
            return _first(parts)
        terms = zip(["+", *parts[1::2]], parts[::2], strict=True)
        return tree.Sum(tuple((str(sign), _bare(x)) for sign, x in terms), position=_position(parts[0]))

    def product(self, parts: list[Any]) -> tree.Node | _Group:
        if len(parts) == 1:
            return _first(parts)
        factors = zip(["*", *parts[1::2]], parts[::2], strict=True)
        return tree.Product(tuple((str(sign), _bare(x)) for sign, x in factors), position=_position(parts[0]))

    def signed(self, parts: list[Any]) -> tree.Node | _Group:
        *signs, operand = parts
        minus = [sign for sign in signs if sign == "-"]
        if not minus:
            return _first([operand])
        if (
            isinstance(operand, tree.Roll)
            and isinstance(operand.source, tree.Dice)
            and operand.source.count is not tree.ONE
        ):
            raise _Misplaced(
                minus[-1].start_pos,
                "a number of dice is not negative; for what is taken away write the dice in parentheses, "
                f"as in -({operand.source})",
            )
        bare = _bare(operand)
        return tree.Negative(bare, position=signs[0].start_pos) if len(minus) % 2 else bare

    def number(self, parts: list[Any]) -> tree.Number:
        return tree.Number(_decimal(parts[0]), position=parts[0].start_pos)

    def group(self, parts: list[Any]) -> _Group:
        return _Group(parts[1], parts[0].start_pos)

    def call(self, parts: list[Any]) -> tree.Call:
        name = parts[0].lower()
        arguments = tuple(map(_bare, parts[2::2]))
        if name in ("max", "min") and len(arguments) < 2:
            raise _Misplaced(
                parts[0].start_pos,
                f"{name} compares two totals or more; the best die of a roll is written 2d6kh1",
            )
        if name not in ("max", "min") and len(arguments) > 1:
            raise _Misplaced(parts[3].start_pos, f"{name} takes one argument, not {len(arguments)}")
        return tree.Call(name, arguments, position=parts[0].start_pos)

    def roll(self, parts: list[Any]) -> tree.Roll:
        source, *modifiers = parts
        merged: list[tree.Modifier] = []
        for modifier in modifiers:
            last = merged[-1] if merged else None
            if (
                isinstance(modifier, tree.Reroll)
                and isinstance(last, tree.Reroll)
                and last.limit == modifier.limit
            ):
                # d8r<3r>6 is one rule about both ends, not one after the other.
                both = last.conditions + modifier.conditions
                merged[-1] = tree.Reroll(last.limit, both, position=last.position)
                continue
            if isinstance(modifier, tree.Explode) and any(isinstance(m, tree.Explode) for m in merged):
                raise _Misplaced(modifier.position, "a roll explodes once: name the faces, as in !>=5")
            merged.append(modifier)
        dice, position = source
        return tree.Roll(dice, tuple(merged), position=position)

    def dice(self, parts: list[Any]) -> tuple[tree.Dice, int | None]:
        *count, _, sides = parts
        return tree.Dice(_bare(count[0]) if count else tree.ONE, sides), _position(parts[0])

    def braces(self, parts: list[Any]) -> tuple[tree.Braces, int | None]:
        return tree.Braces(tuple(parts[1::2])), parts[0].start_pos

    def sides(self, parts: list[Any]) -> tree.Node | tree.Faces:
        first = parts[0]
        if isinstance(first, tree.Node | _Group):
            return _bare(first)
        if first.type == "PERCENT":
            return tree.Number(100, position=first.start_pos)
        if first.type == "F":
            return tree.Faces(((-1, 1), (0, 1), (1, 1)))
        return tree.Faces(tuple(parts[1::2]))

    def face(self, parts: list[Any]) -> tuple[int | Fraction, int]:
        by_sign = {"": [], "/": [], ":": []}  # type: dict[str, list[Token]]
        kind = ""
        for token in parts:
            if token.type == "NUMBER":
                by_sign[kind].append(token)
            elif token.type != "MINUS":
                kind = str(token)
        value = Fraction(_decimal(by_sign[""][0])) * (-1 if parts[0] == "-" else 1)
        for token in by_sign["/"]:
            if not _decimal(token):
                raise _Misplaced(token.start_pos, "a face is a number, and nothing can be divided by 0")
            value /= _decimal(token)
        weight = _whole(by_sign[":"][0], "the weight of a face") if by_sign[":"] else 1
        return value.numerator if value.denominator == 1 else value, weight

    def select(self, parts: list[Any]) -> tree.Select:
        name = parts[0].lower()
        amount = _bare(parts[1]) if len(parts) > 1 else tree.ONE
        return tree.Select("kh" if name == "k" else name, amount, position=parts[0].start_pos)

    def explode(self, parts: list[Any]) -> tree.Explode:
        limit = next((x for x in parts if isinstance(x, int)), None)
        condition = next((x for x in parts if isinstance(x, tree.Condition)), None)
        return tree.Explode(parts[0] == "!!", limit, condition, position=parts[0].start_pos)

    def reroll(self, parts: list[Any]) -> tree.Reroll:
        limit = next((x for x in parts if isinstance(x, int)), None)
        if parts[0].lower() == "ro":
            if limit is not None:
                raise _Misplaced(parts[0].start_pos, "ro is r{1}: write r with another number")
            limit = 1
        return tree.Reroll(limit, (parts[-1],), position=parts[0].start_pos)

    def bound(self, parts: list[Any]) -> tree.Bound:
        return tree.Bound(
            "mi" if parts[0].lower().startswith("mi") else "ma", parts[1], position=parts[0].start_pos
        )

    def counting(self, parts: list[Any]) -> tree.Count:
        return tree.Count(parts[1], parts[3] if len(parts) > 2 else None, position=parts[0].start_pos)

    def limit(self, parts: list[Any]) -> int:
        limit = _whole(parts[1], "how often at most")
        if limit > 1000:
            raise _Misplaced(parts[1].start_pos, f"at most 1,000 times, not {limit:,}")
        return limit

    def condition(self, parts: list[Any]) -> tree.Condition:
        if len(parts) == 1:
            return tree.Condition("=", parts[0])
        return tree.Condition(_relation(parts[0]), parts[1])

    def signed_amount(self, parts: list[Any]) -> tree.Node:
        amount = _bare(parts[-1])
        return tree.Negative(amount, position=parts[0].start_pos) if len(parts) > 1 else amount


def _first(parts: list[Any]) -> tree.Node | _Group:
    part: tree.Node | _Group = parts[0]
    return part


def _bare(x: tree.Node | _Group) -> tree.Node:
    return x.inner if isinstance(x, _Group) else x


def _position(x: Any) -> int | None:
    position: int | None = x.start_pos if hasattr(x, "start_pos") else x.position
    return position


def _counts(roll: tree.Roll) -> bool:
    return bool(roll.modifiers) and isinstance(roll.modifiers[-1], tree.Count)


def _relation(token: Token) -> tree.Relation:
    return _RELATIONS.get(str(token), str(token))  # type: ignore[arg-type]


def _decimal(token: Token) -> int | Fraction:
    value = Fraction(str(token))
    return value.numerator if value.denominator == 1 else value


def _whole(token: Token, what: str) -> int:
    value = _decimal(token)
    if not isinstance(value, int) or value < 1:
        raise _Misplaced(token.start_pos, f"{what} is a whole number from 1 up, not {token}")
    return value
