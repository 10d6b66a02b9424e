"""What every study's result has in common: a sentence, a table, a table file, a chart."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from importlib.metadata import entry_points
from numbers import Rational
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rulekit.distributions.formatting import ProbabilityMode, format_number, format_probability
from rulekit.errors import RulekitError

if TYPE_CHECKING:
    import pandas

__all__ = ["Study", "Table", "difference_text", "value_text"]

ROWS_SHOWN = 40
"""A longer table is cut there on the screen; `to_dataframe` and `to_csv` have all of it."""

CHARTS = "rulekit.charts"
"""The group of entry points in which a package says that it draws studies."""


@dataclass(frozen=True)
class Table:
    """A table for people: its columns, rows of text whose first cell names the row, a caption."""

    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    caption: str = ""

    @property
    def notes(self) -> list[str]:
        """What the screen leaves out."""
        more = len(self.rows) - ROWS_SHOWN
        return [f"... and {more:,} more rows: to_dataframe() has all of them"] if more > 0 else []

    def lines(self) -> str:
        """Every row as text, in columns.

        >>> print(Table(("stat", "now"), [("ac", "15")]).lines())
        stat  now
        ac     15
        """
        return "\n".join(_columns([self.head, *self.rows]))

    def text(self) -> str:
        """The caption and at most `ROWS_SHOWN` rows as text."""
        shown = _columns([self.head, *self.rows[:ROWS_SHOWN]])
        return "\n".join([*([self.caption] if self.caption else []), *shown, *self.notes])

    def html(self) -> str:
        """The same as an HTML table."""
        caption = f"<caption>{escape(self.caption)}</caption>" if self.caption else ""
        head = "".join(f'<th scope="col">{escape(name)}</th>' for name in self.head)
        parts = [f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>"]
        for first, *others in self.rows[:ROWS_SHOWN]:
            cells = "".join(f"<td>{escape(cell)}</td>" for cell in others)
            parts.append(f'<tr><th scope="row">{escape(first)}</th>{cells}</tr>')
        return "".join([*parts, "</tbody></table>", *(f"<p>{escape(note)}</p>" for note in self.notes)])


def _columns(cells: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = []
    for first, *others in cells:
        rest = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
        lines.append("  ".join([first.ljust(widths[0]), *rest]).rstrip())
    return lines


class Study(ABC):
    """The result of a study. It is a value, and shows itself: in a notebook as a sentence and a table, by
    `print` as the same in text, by `plot()` as a chart.
    """

    @property
    @abstractmethod
    def sentence(self) -> str:
        """The answer in one sentence."""

    @abstractmethod
    def tables(self) -> Sequence[Table]:
        """The figures behind the sentence, as text."""

    @abstractmethod
    def records(self) -> Iterator[dict[str, Any]]:
        """The figures as they are, a dictionary a row: what `to_dataframe` and `to_csv` are made of."""

    def to_dataframe(self) -> pandas.DataFrame:
        """The figures as a pandas DataFrame, a row as in `records`."""
        import pandas

        return pandas.DataFrame.from_records(list(self.records()))

    def to_csv(self, path: str | Path | None = None) -> str:
        """The figures as comma-separated values, to 12 significant digits; in a file where one is named.

        Args:
            path: The file; it is replaced.

        Returns:
            The text.
        """
        import csv
        import io

        rows = list(self.records())
        text = io.StringIO()
        writer = csv.DictWriter(
            text, list(dict.fromkeys(key for row in rows for key in row)), lineterminator="\n"
        )
        writer.writeheader()
        writer.writerows({key: _plain(value) for key, value in row.items()} for row in rows)
        if path is not None:
            Path(path).write_text(text.getvalue(), encoding="utf-8", newline="")
        return text.getvalue()

    def plot(self, **options: Any) -> Any:
        """The chart, a HoloViews object.

        Args:
            options: What the chart of this study takes; see `rulekit_widgets.charts`.

        Raises:
            RulekitError: nothing that draws is installed.
        """
        fault: ImportError | None = None
        for point in entry_points(group=CHARTS):
            try:
                draw = point.load()
            except ImportError as missing:
                fault = missing
                continue
            return draw(self, **options)
        raise RulekitError(
            "charts are drawn by HoloViews, which comes with the extra: pip install 'rulekit-ttrpg[widgets]'"
        ) from fault

    def __str__(self) -> str:
        return "\n".join([self.sentence, *(table.text() for table in self.tables() if table.rows)])

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.sentence}>"

    def _repr_html_(self) -> str:
        tables = "".join(table.html() for table in self.tables() if table.rows)
        return f'<div class="rulekit-study"><style>{_CSS}</style><p>{escape(self.sentence)}</p>{tables}</div>'


def value_text(value: Any, kind: str, unit: str = "", mode: ProbabilityMode = "percent") -> str:
    """A measure's value as text: of an event its probability in this mode, else a number with its unit.

    >>> from fractions import Fraction
    >>> value_text(Fraction(11, 20), "event"), value_text(Fraction(39, 10), "number", "HP")
    ('55 %', '3.9 HP')
    """
    if kind in ("event", "label"):
        return format_probability(value, mode)
    return f"{format_number(value)} {unit}".rstrip()


def difference_text(value: Any, kind: str, unit: str = "") -> str:
    """A difference between two values of a measure; between probabilities in percentage points (pp).

    >>> from fractions import Fraction
    >>> difference_text(Fraction(1, 20), "event"), difference_text(Fraction(-1, 2), "number", "HP")
    ('+5 pp', '-0.5 HP')
    """
    if kind in ("event", "label"):
        return f"{format_number(value * 100, signed=True)} pp"
    return f"{format_number(value, signed=True)} {unit}".rstrip()


def _plain(value: Any) -> Any:
    """A cell: a number that is not whole to 12 digits, so that a float shows no rounding of its own."""
    if isinstance(value, (float, Rational)) and not isinstance(value, int):
        return f"{float(value):.12g}"
    return value


_CSS = (
    ".rulekit-study{overflow-x:auto;font-size:13px;line-height:1.4}"
    ".rulekit-study table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:0 0 8px}"
    ".rulekit-study caption{text-align:left;padding:2px 6px}"
    ".rulekit-study :is(td,th){text-align:right;padding:1px 10px;white-space:nowrap;"
    "border:0;background:none;color:inherit}"
    ".rulekit-study th:first-child{text-align:left}"
    ".rulekit-study thead th{border-bottom:1px solid currentColor}"
    ".rulekit-study p{margin:4px 6px;font-weight:600}"
    ".rulekit-study table~p{font-weight:400}"
)
