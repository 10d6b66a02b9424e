"""Why: the tree of an expression with the odds at each named node."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from rulekit.distributions.formatting import format_number, format_probability
from rulekit.errors import ImpossibleCondition, RulekitError, TooLarge
from rulekit.rolls.expressions import Roll, _make, _text, _walk, axes_of, constant
from rulekit.rolls.questions import ask

__all__ = ["Explanation", "explain"]

#: Cells that the odds of one node of the tree may need; beyond that it is shown without.
_CELLS = 2_000_000
#: How deep an expression is written out.
_DEPTH = 6


#: By operation the constant beside which the other argument is the result.
_IDLE = {"add": 0, "sub": 0, "or": False, "and": True}


@dataclass(frozen=True)
class Explanation:
    """One node of the tree: `name` (or short expression), `kind`, `text` (its expression), `odds` (a line
    that says probability, mean and spread, or the likeliest labels), `children`. Shows itself as text and,
    in a notebook, as HTML.
    """

    name: str
    kind: str
    text: str
    odds: str
    value: Any = None  # the probability of an event, the mean of a number; None for a label or no odds
    children: tuple[Explanation, ...] = field(default=())

    def walk(self) -> Iterator[Explanation]:
        """This node and all beneath it."""
        yield self
        for child in self.children:
            yield from child.walk()

    def __str__(self) -> str:
        return "\n".join(self._lines("", ""))

    __repr__ = __str__

    def _lines(self, first: str, rest: str) -> list[str]:
        told = "" if self.text == self.name else f" = {self.text}"
        lines = [f"{first}{self.name}{told}: {self.odds}"]
        for index, child in enumerate(self.children):
            last = index == len(self.children) - 1
            lines += child._lines(rest + ("└─ " if last else "├─ "), rest + ("   " if last else "│  "))
        return lines

    def _repr_html_(self) -> str:
        return f'<ul class="rulekit-why" style="list-style:none;padding-left:0">{self._html()}</ul>'

    def _html(self) -> str:
        told = "" if self.text == self.name else f" <code>{html.escape(self.text)}</code>"
        inner = "".join(child._html() for child in self.children)
        children = f'<ul style="list-style:none;padding-left:1.2em">{inner}</ul>' if inner else ""
        return f"<li><b>{html.escape(self.name)}</b>: {html.escape(self.odds)}{told}{children}</li>"


def explain(x: Any, given: Any = None, depth: int = 6, parts: Iterable[Roll[Any]] = ()) -> Explanation:
    """Why x is as it is: the tree of its named parts and rolls, each with its odds.

    Args:
        x: A Roll.
        given: An event; all odds are then given it.
        depth: How many levels of named parts to show.
        parts: Results of the same run of a rule: what they stand for is shown by their names within x.

    >>> from rulekit import d, roll
    >>> natural = roll(d(20), "natural")
    >>> print(explain((natural == 20) | (natural + 7 >= 17)))
    (natural == 20) | (natural + 7 >= 17): 55 %
    └─ natural = roll(d20): mean 10.5, sd 5.77
    """
    node = constant(x)
    return _explained(_with_names(node, parts), given, depth, {})


def _with_names(x: Roll[Any], parts: Iterable[Roll[Any]]) -> Roll[Any]:
    """x with named results in the place of what they stand for, wherever that is beneath it, and without
    what changes nothing today: adding 0, or a case that never happens.
    """
    results = {id(part._args[0]): part for part in parts if part._op == "mark" and part._name}
    own = {id(x), id(x._args[0]) if x._op == "mark" else 0}
    fresh: dict[int, Roll[Any]] = {}
    for node in _walk(x):
        args = tuple([fresh[id(arg)] for arg in node._args])
        made = node
        if any(new is not old for new, old in zip(args, node._args, strict=True)):
            made = _make(
                node._op, args, node._kind, node._param, node._name, node._identity, node._scope, type(node)
            )
        idle = _IDLE.get(node._op)
        if idle is not None and node._name is None and node is not x:
            kept = [arg for arg in args if not (arg._op == "const" and arg._param == idle)]
            first_stays = node._op != "sub" or (kept and kept[0] is args[0])
            if len(kept) == 1 and kept[0]._kind == node._kind and first_stays:
                made = kept[0]
        result = results.get(id(node))
        if result is not None and node._name is None and args and id(node) not in own:
            made = _make("mark", (made,), result._kind, result._param, result._name)
        fresh[id(node)] = made
    return fresh[id(x)]


def _explained(node: Roll[Any], given: Any, depth: int, seen: dict[int, Explanation]) -> Explanation:
    known = seen.get(id(node))
    if known is not None:
        return known
    name = node._name or _text(node, 0, _DEPTH)
    odds, value = _odds(node, given)
    children = tuple(_explained(part, given, depth - 1, seen) for part in _parts(node)) if depth > 0 else ()
    result = Explanation(name, node._kind, _unnamed(node), odds, value, children)
    seen[id(node)] = result
    return result


def _unnamed(node: Roll[Any]) -> str:
    """A node's expression without its own name, in names of the parts."""
    inner = node._args[0] if node._op == "mark" else node
    if inner._name is not None and inner is not node and inner._op != "mark":
        return inner._name
    bare = _make(
        inner._op, inner._args, inner._kind, inner._param, None, inner._identity, inner._scope, type(inner)
    )
    return _text(bare, 0, _DEPTH)


def _parts(node: Roll[Any]) -> list[Roll[Any]]:
    """The nearest named nodes and rolls beneath a node."""
    found: dict[int, Roll[Any]] = {}
    seen: set[int] = set()
    stack = list(reversed(node._args))
    while stack:
        part = stack.pop()
        if id(part) in seen or part._op == "const":
            continue
        seen.add(id(part))
        if part._op == "throw":
            continue  # its views are shown
        if part._name is not None or part._identity or part._op == "view" or part._op == "stat":
            found[id(part)] = part
        else:
            stack.extend(reversed(part._args))
    return list(found.values())


def _odds(node: Roll[Any], given: Any) -> tuple[str, Any]:
    if node._op == "stat":
        return " … ".join(dict.fromkeys((str(node.values[0]), str(node.values[-1])))), None
    try:
        if axes_of(node) or (given is not None and axes_of(constant(given))):
            return _along_axes(node, given)
        return _plain_odds(node, given)
    except TooLarge as error:
        return f"too large to tell ({error.cells:,} cells)", None
    except ImpossibleCondition:
        raise
    except RulekitError as error:
        return str(error), None


def _plain_odds(node: Roll[Any], given: Any) -> tuple[str, Any]:
    if node._kind == "event":
        p = ask([("P", node)], given=given, budget=_CELLS)[0].item()
        return format_probability(p), p
    if node._kind == "number":
        mean, sd = [grid.item() for grid in ask([("E", node), ("sd", node)], given=given, budget=_CELLS)]
        if not sd:
            return format_number(mean), mean
        return f"mean {format_number(mean)}, sd {format_number(sd)}", mean
    grid = ask([("dist", node)], given=given, budget=_CELLS)[0]
    pairs = sorted(zip(grid.coords["outcome"], grid.flat, strict=True), key=lambda pair: -pair[1])
    told = ", ".join(f"{getattr(label, 'value', label)} {format_probability(p)}" for label, p in pairs[:5])
    return told + (f", {len(pairs) - 5} more" if len(pairs) > 5 else ""), None


def _along_axes(node: Roll[Any], given: Any) -> tuple[str, Any]:
    if node._kind == "label":
        return "a label along " + ", ".join(map(str, axes_of(node))), None
    grid = ask([("P" if node._kind == "event" else "E", node)], given=given, exact=True, budget=_CELLS)[0]
    values = [value for value in grid.flat if isinstance(value, (int, Fraction))]
    if not values:
        return "never possible", None
    show = format_probability if node._kind == "event" else format_number
    least, most = min(values), max(values)
    if least == most:
        return show(least), least
    return f"{show(least)} … {show(most)} along {', '.join(grid.dims)}", None
