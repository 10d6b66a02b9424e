"""How a Roll shows itself in a notebook: its distribution where that is cheap, else its expression."""

from __future__ import annotations

import html
from fractions import Fraction
from typing import Any

from rulekit.errors import RulekitError
from rulekit.rolls.expressions import _INFIX, Roll, axes_of
from rulekit.rolls.questions import dist

__all__ = ["latex", "mimebundle"]

#: Cells that may be spent on showing a distribution.
_CELLS = 200_000


def mimebundle(x: Roll[Any]) -> dict[str, str]:
    """Text, HTML and LaTeX of a Roll; never raises."""
    text = repr(x)
    bundle = {"text/plain": text, "text/latex": latex(x)}
    axes = axes_of_or_none(x)
    if axes:
        along = "; ".join(f"{axis.name} {axis.values[0]} … {axis.values[-1]}" for axis in axes)
        bundle["text/html"] = f"<code>{html.escape(text)}</code> along {html.escape(along)}"
        return bundle
    try:
        shown = dist(x, budget=_CELLS)._repr_html_()
    except RulekitError as error:
        shown = html.escape(str(error))
    bundle["text/html"] = f"<div><code>{html.escape(text)}</code>{shown}</div>"
    return bundle


def axes_of_or_none(x: Roll[Any]) -> tuple[Roll[Any], ...]:
    """The axes; none where two of one name contradict each other, which only a question has to settle."""
    try:
        return axes_of(x)
    except RulekitError:
        return ()


_SYMBOLS = {
    "eq": "=", "ne": r"\ne", "lt": "<", "le": r"\le", "gt": ">", "ge": r"\ge",
    "and": r"\wedge", "or": r"\vee",
    "add": "+", "sub": "-", "mul": r"\cdot", "mod": r"\bmod",
}  # fmt: skip


def latex(x: Roll[Any]) -> str:
    r"""A Roll's expression as LaTeX, between dollar signs.

    >>> from rulekit import d, roll
    >>> latex(roll(d(20), "natural") + 7 >= 17)
    '$\\mathrm{natural} + 7 \\ge 17$'
    """
    return f"${_tex(x, 0, 12)}$"


def _named(text: str) -> str:
    escaped = "".join("\\" + c if c in "_&%#{}$" else c for c in text.replace("\\", ""))
    return rf"\mathrm{{{escaped}}}".replace(" ", r"\ ")


def _tex(x: Roll[Any], above: int, depth: int) -> str:
    op, args = x._op, x._args
    if x._name is not None:
        return _named(x._name)
    if op == "const":
        if isinstance(x._param, Fraction):
            return rf"\tfrac{{{x._param.numerator}}}{{{x._param.denominator}}}"
        return (
            str(x._param)
            if isinstance(x._param, int) and not isinstance(x._param, bool)
            else _named(str(x._param))
        )
    if depth <= 0:
        return r"\dots"
    inside = [_tex(arg, 0, depth - 1) for arg in args]
    if op in _SYMBOLS:
        level = _INFIX[op][1]
        left, right = _tex(args[0], level + (level == 1), depth - 1), _tex(args[1], level + 1, depth - 1)
        text = f"{left} {_SYMBOLS[op]} {right}"
        return rf"\left({text}\right)" if level < above else text
    if op == "truediv":
        return rf"\frac{{{inside[0]}}}{{{inside[1]}}}"
    if op == "floordiv":
        return rf"\left\lfloor\frac{{{inside[0]}}}{{{inside[1]}}}\right\rfloor"
    if op == "neg":
        return "-" + _tex(args[0], 6, depth - 1)
    if op == "not":
        return r"\neg " + _tex(args[0], 6, depth - 1)
    if op == "abs":
        return rf"\left|{inside[0]}\right|"
    if op in ("min", "max"):
        return rf"\{op}\left({', '.join(inside)}\right)"
    if op == "where":
        event, a, b = inside
        return rf"\begin{{cases}}{a} & \text{{if }} {event}\\{b} & \text{{else}}\end{{cases}}"
    if op.startswith("halve_"):
        left, right = {"down": ("lfloor", "rfloor"), "up": ("lceil", "rceil")}.get(
            op[6:], ("langle", "rangle")
        )
        return rf"\left\{left}\tfrac{{1}}{{2}}\,{inside[0]}\right\{right}"
    if op == "isin":
        members = ", ".join(str(value) for value in sorted(x._param, key=str))
        return rf"{_tex(args[0], 2, depth - 1)} \in \{{{members}\}}"
    if op == "mark":
        return inside[0]
    return _named(repr(x))
