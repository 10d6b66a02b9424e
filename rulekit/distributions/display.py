"""How a `Dist` shows itself: a bar table in a notebook, the same table as text in a terminal.

Each row says exactly, at least, at most and "1 in N", so nothing has to be read off a bar or a colour.
A long support is shown in ranges, and the caption says so.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from rulekit.distributions.formatting import ProbabilityMode, format_number, format_probability
from rulekit.errors import RulekitError

if TYPE_CHECKING:
    from rulekit.distributions.distribution import Dist

__all__ = ["format_dist", "html", "mimebundle", "summary", "text"]

HTML_ROWS = 50
TEXT_ROWS = 30
BAR_WIDTH = 24
TAIL = Fraction(1, 2000)
"""Of a long support, the outcomes beyond this probability at either end are one row each."""


def summary(dist: Dist) -> str:
    """One line: mean, standard deviation and range, or for an event its probability.

    >>> from rulekit import d
    >>> print(summary(d("2d6")))
    mean 7, sd 2.42, from 2 to 12
    >>> print(summary(d(20) >= 15))
    30 % yes
    """
    if dist.kind == "event":
        certain = format_probability(dist.probability(True))
        return f"{certain}{_up_to(dist.leftover)} yes"
    if dist.kind == "label":
        likeliest = max(dist.items(), key=lambda item: item[1])
        many = len(dist.outcomes)
        odds = format_probability(Fraction(likeliest[1], dist.denominator))
        return f"{many} outcome{'s' * (many != 1)}, the likeliest {_label(likeliest[0])} ({odds})"
    try:
        parts = [f"mean {format_number(dist.mean)}", f"sd {format_number(dist.sd)}"]
    except (RulekitError, OverflowError):
        parts = ["mean and sd not known exactly"]
    if dist.outcomes:
        parts.append(f"from {_label(dist.outcomes[0])} to {_label(dist.outcomes[-1])}")
    if dist.leftover_range is not None:
        low, high = dist.leftover_range
        where = " or more" if high == float("inf") else f" to {_label(high)}"
        where = f"{_label(low)}{where}" if low != float("-inf") else f"{_label(high)} or less"
        parts.append(f"+ up to {format_probability(dist.leftover)} at {where}")
    return ", ".join(parts)


def text(dist: Dist, mode: ProbabilityMode = "percent") -> str:
    """The table as text, a line an outcome, at most ``TEXT_ROWS`` of them.

    >>> from rulekit import d
    >>> print(text(d("2d2")))
    mean 3, sd 0.71, from 2 to 4
    outcome                            exactly  at least  at most  1 in N
          2  ████████████                 25 %     100 %     25 %  1 in 4
          3  ████████████████████████     50 %      75 %     75 %  1 in 2
          4  ████████████                 25 %      25 %    100 %  1 in 4
    """
    head, rows = _table(dist, mode, TEXT_ROWS)
    most = max(row.bar for row in rows)
    bars = [_text_bar(row.bar / most) for row in rows]
    cells = [head, *(row.cells for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [summary(dist)]
    for (first, *others), bar in zip(cells, ["", *bars], strict=True):
        padded = [x.rjust(w) for x, w in zip(others, widths[1:], strict=True)]
        lines.append(f"{first.rjust(widths[0])}  {bar.ljust(BAR_WIDTH)}  {'  '.join(padded)}".rstrip())
    return "\n".join([*lines, *_notes(dist, rows)])


def html(dist: Dist, mode: ProbabilityMode = "percent") -> str:
    """The table as HTML that stands alone: no script, nothing from elsewhere, light and dark.

    >>> from rulekit import d
    >>> "mean 7, sd 2.42" in html(d("2d6"))
    True
    """
    head, rows = _table(dist, mode, HTML_ROWS)
    most = max(row.bar for row in rows)
    first, *others = head
    parts = [
        f'<div class="rulekit-dist"><style>{_CSS}</style><table>',
        f"<caption>{escape(summary(dist))}</caption><thead><tr>",
        f'<th scope="col">{first}</th><td></td>',
        *(f'<th scope="col">{title}</th>' for title in others),
        "</tr></thead><tbody>",
    ]
    for row in rows:
        label, *values = map(escape, row.cells)
        width = f"{float(row.bar / most) * 100:.4g}"
        parts.append(
            f'<tr><th scope="row">{label}</th><td><div class="rulekit-bar" style="width:{width}%"></div></td>'
            + "".join(f"<td>{_broken(value)}</td>" for value in values)
            + "</tr>"
        )
    parts.append("</tbody></table>")
    parts += [f"<p>{escape(note)}</p>" for note in _notes(dist, rows)]
    return "".join(parts) + "</div>"


def mimebundle(dist: Dist) -> dict[str, str]:
    """Both tables, for whichever front end asks.

    >>> from rulekit import d
    >>> sorted(mimebundle(d(6)))
    ['text/html', 'text/plain']
    """
    return {"text/plain": text(dist), "text/html": html(dist)}


def format_dist(dist: Dist, spec: str) -> str:
    """What ``format(dist, spec)`` gives: the table in a mode, or ``summary`` for one line.

    >>> from rulekit import d
    >>> f"{d(6):summary}"
    'mean 3.5, sd 1.71, from 1 to 6'
    >>> print(f"{d(2):fraction}")
    mean 1.5, sd 0.5, from 1 to 2
    outcome                            exactly  at least  at most  1 in N
          1  ████████████████████████      1/2         1      1/2  1 in 2
          2  ████████████████████████      1/2       1/2        1  1 in 2
    """
    if spec == "summary":
        return summary(dist)
    if spec in ("", "percent"):
        return text(dist)
    if spec == "fraction":
        return text(dist, "fraction")
    if spec == "one_in":
        return text(dist, "one_in")
    raise RulekitError(f"a Dist is formatted as summary, percent, fraction or one_in, not as {spec!r}")


# -- rows ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Row:
    cells: tuple[str, ...]
    bar: Fraction
    """The probability per outcome, so that a row of many outcomes does not stand out for that alone."""


def _table(dist: Dist, mode: ProbabilityMode, limit: int) -> tuple[tuple[str, ...], list[_Row]]:
    if dist.kind == "number":
        return ("outcome", "exactly", "at least", "at most", "1 in N"), list(_number_rows(dist, mode, limit))
    return ("outcome", "exactly", "1 in N"), list(_label_rows(dist, mode, limit))


def _number_rows(dist: Dist, mode: ProbabilityMode, limit: int) -> Iterator[_Row]:
    outcomes, total = dist.outcomes, dist.denominator
    below = list(accumulate(dist.weights, initial=0))
    certain = below[-1]
    rest = total - certain
    low, high = dist.leftover_range or (0, 0)

    def shown(weight: int, undecided: bool) -> str:
        plus = _up_to(Fraction(rest, total), mode) if rest and undecided else ""
        return format_probability(Fraction(weight, total), mode) + plus

    for start, stop in _ranges(dist, below, limit):
        first, last = outcomes[start], outcomes[stop - 1]
        exactly = Fraction(below[stop] - below[start], total)
        at_least = certain - below[start] + (rest if low >= first else 0)
        at_most = below[stop] + (rest if high <= last else 0)
        cells = (
            _label(first) if start + 1 == stop else f"{_label(first)} to {_label(last)}",
            shown(below[stop] - below[start], bool(rest) and low <= last and first <= high),
            shown(at_least, low < first <= high),
            shown(at_most, low <= last < high),
            format_probability(exactly, "one_in"),
        )
        yield _Row(cells, exactly / (stop - start))
    if not outcomes:
        yield _Row(("?", shown(0, True), "", "", ""), Fraction(1))


def _ranges(dist: Dist, below: list[int], limit: int) -> list[tuple[int, int]]:
    """Which outcomes share a row: one each where there is room, else ranges of as many each."""
    count = len(dist.outcomes)
    if count <= limit:
        return [(i, i + 1) for i in range(count)]
    tail = dist.denominator * TAIL
    start = max(bisect_left(below, tail) - 1, 0)
    stop = min(bisect_left(below, below[-1] - tail), count)
    each = -(-(stop - start) // (limit - 2))
    inner = [(i, min(i + each, stop)) for i in range(start, stop, each)]
    return [*([(0, start)] if start else []), *inner, *([(stop, count)] if stop < count else [])]


def _label_rows(dist: Dist, mode: ProbabilityMode, limit: int) -> Iterator[_Row]:
    items, total = dist.items(), dist.denominator
    shown = items
    if len(items) > limit:
        least = sorted(dist.weights, reverse=True)[limit - 2]
        shown = tuple(item for item in items if item[1] >= least)[: limit - 1]
    plus = _up_to(dist.leftover, mode)
    for outcome, weight in shown:
        p = Fraction(weight, total)
        cells = _label(outcome), format_probability(p, mode) + plus, format_probability(p, "one_in")
        yield _Row(cells, p)
    if len(shown) < len(items):
        p = Fraction(total - sum(w for _, w in shown), total)
        others = len(items) - len(shown)
        cells = f"{others:,} others", format_probability(p, mode), format_probability(p, "one_in")
        yield _Row(cells, p / others)


def _notes(dist: Dist, rows: list[_Row]) -> list[str]:
    if len(rows) >= len(dist.outcomes):
        return []
    return [
        f"{len(dist.outcomes):,} outcomes in {len(rows)} rows; a bar shows the odds of one outcome of its row"
    ]


def _up_to(leftover: Fraction, mode: ProbabilityMode = "percent") -> str:
    return f" + up to {format_probability(leftover, mode)}" if leftover else ""


def _broken(value: str) -> str:
    """A cell whose "+ up to" stands on a line of its own, so that it does not stretch the column."""
    certain, plus, rest = value.partition(" + ")
    return f"{certain}<div>+ {rest}</div>" if plus else certain


def _label(outcome: Any) -> str:
    if isinstance(outcome, bool):
        return "yes" if outcome else "no"
    if isinstance(outcome, int):
        return f"{outcome:,}" if abs(outcome) < 10**15 else format_number(outcome)
    if isinstance(outcome, Fraction):
        return str(outcome) if outcome.denominator < 10**6 else format_number(outcome)
    label = outcome if isinstance(outcome, str) else repr(outcome)
    return label if len(label) <= 40 else label[:39] + "…"


def _text_bar(share: Fraction) -> str:
    eighths = int(share * BAR_WIDTH * 8)
    return ("█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8]).rstrip() or "▏"


# Okabe and Ito's blue, its light sister on dark: told apart in every kind of colour blindness, and the
# length of the bar and the figures beside it say the same without any colour.
_CSS = (
    ".rulekit-dist{overflow-x:auto;font-size:13px;line-height:1.3}"
    ".rulekit-dist table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:0}"
    ".rulekit-dist caption{text-align:left;font-weight:600;padding:2px 6px 6px;white-space:nowrap}"
    ".rulekit-dist :is(td,th){text-align:right;padding:1px 10px;white-space:nowrap;"
    "border:0;background:none;color:inherit}"
    ".rulekit-dist thead th{font-weight:600;border-bottom:1px solid currentColor}"
    ".rulekit-dist thead td{border-bottom:1px solid currentColor}"
    ".rulekit-dist tbody th{font-weight:600}"
    ".rulekit-dist tbody td:nth-child(2){width:220px;min-width:220px;padding:1px 4px}"
    ".rulekit-dist .rulekit-bar{height:.95em;min-width:1px;background:#0072b2}"
    ".rulekit-dist p{margin:4px 6px}"
    "@media(prefers-color-scheme:dark){.rulekit-dist .rulekit-bar{background:#56b4e9}}"
    '[data-jp-theme-light="true"] .rulekit-dist .rulekit-bar{background:#0072b2}'
    '[data-jp-theme-light="false"] .rulekit-dist .rulekit-bar{background:#56b4e9}'
    "@media(forced-colors:active){.rulekit-dist .rulekit-bar{background:CanvasText;forced-color-adjust:none}}"
)
