"""A Dist shows itself: the right figures, everything said in words, long supports abbreviated and said so."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from rulekit.distributions import Dist, d
from rulekit.distributions.display import HTML_ROWS, TEXT_ROWS, html, summary, text
from rulekit.errors import RulekitError


class Table(HTMLParser):
    """The cells of the rows, and a check that every tag that opens closes."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.feed(source)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in ("td", "th"):
            self.rows[-1][-1] += data


def test_each_row_says_exactly_at_least_at_most_and_one_in_n() -> None:
    rows = Table(html(d("2d6"))).rows
    assert rows[0] == ["outcome", "", "exactly", "at least", "at most", "1 in N"]
    assert rows[1] == ["2", "", "2.8 %", "100 %", "2.8 %", "1 in 36"]
    assert rows[6] == ["7", "", "16.7 %", "58.3 %", "58.3 %", "1 in 6"]
    assert rows[11] == ["12", "", "2.8 %", "2.8 %", "100 %", "1 in 36"]
    assert len(rows) == 12


def test_the_bars_are_as_long_as_the_odds() -> None:
    widths = [float(x) for x in re.findall(r"width:([\d.]+)%", html(d("2d6")).split("<tbody>")[1])]
    assert widths == pytest.approx([100 * w / 6 for w in (1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1)], abs=0.01)


def test_text_has_the_same_figures() -> None:
    lines = text(d("2d6"), "fraction").splitlines()
    assert lines[0] == "mean 7, sd 2.42, from 2 to 12"
    assert lines[2].split()[0] == "2"
    assert lines[2].split()[2:] == ["1/36", "1", "1/36", "1", "in", "36"]
    assert len({line.index("1 in") for line in lines[2:4]}) == 1


def test_labels_and_events_have_no_at_least() -> None:
    assert Table(html(d(20) >= 15)).rows == [
        ["outcome", "", "exactly", "1 in N"],
        ["no", "", "70 %", "1 in 1.43"],
        ["yes", "", "30 %", "1 in 3.33"],
    ]
    assert "<b>" not in html(Dist({"<b>": 1}))
    assert Table(html(Dist({"<b>": 1}))).rows[1][0] == "<b>"


def test_long_supports_are_abbreviated_and_say_so() -> None:
    for dist in (d("100d6"), d("d1000"), d("1000d6"), Dist({i**2: 1 for i in range(200)})):
        for rows, limit in (
            (Table(html(dist)).rows[1:], HTML_ROWS),
            (text(dist).splitlines()[2:-1], TEXT_ROWS),
        ):
            assert limit / 2 < len(rows) <= limit
        many = len(dist.outcomes)
        assert f"{many:,} outcomes in" in html(dist)
        assert f"{many:,} outcomes in" in text(dist).splitlines()[-1]


def test_rows_of_ranges_cover_everything_once() -> None:
    cells = [row[0].replace(",", "") for row in Table(html(d("100d6"))).rows[1:]]
    ends = [(int(x.split(" to ")[0]), int(x.split(" to ")[-1])) for x in cells]
    assert ends[0][0] == 100
    assert ends[-1][1] == 600
    assert all(a[1] + 1 == b[0] for a, b in pairwise(ends))


def test_many_labels_show_the_likeliest() -> None:
    dist = Dist({f"label {i:03}": i + 1 for i in range(120)})
    rows = Table(html(dist)).rows
    assert rows[-1][0] == "71 others"
    assert rows[-2][0] == "label 119"
    equal = Dist({f"label {i:03}": 1 for i in range(120)})
    assert len(Table(html(equal)).rows) == HTML_ROWS + 1


def test_what_was_cut_off_is_said() -> None:
    exploding = d("d6!")
    assert summary(exploding).endswith("+ up to 2.1e-17 % at 145 or more")
    assert "mean 4.2" in summary(exploding)
    sums = d("d6!") + d("d8!")
    assert "+ up to" in text(sums).splitlines()[-2]
    assert "mean and sd not known exactly" in summary(d("max(d6!,d8!)"))
    assert "or less" in summary(-exploding)
    assert summary(sums >= 300).endswith("yes")


def test_format_and_the_notebooks_hooks() -> None:
    dist = d("2d6")
    assert f"{dist:summary}" == "mean 7, sd 2.42, from 2 to 12"
    assert str(dist) == f"{dist}" == f"{dist:percent}" == text(dist)
    assert f"{dist:one_in}" == text(dist, "one_in")
    bundle = dist._repr_mimebundle_()
    assert bundle == {"text/plain": text(dist), "text/html": dist._repr_html_()}
    with pytest.raises(RulekitError, match="summary, percent"):
        format(dist, ".2f")


def test_odd_outcomes_fit_a_row() -> None:
    assert "1/4" in text(d(6) / 4)
    assert summary(Dist({"a" * 100: 1})).startswith("1 outcome, the likeliest aaa")
    assert "…" in text(Dist({"a" * 100: 1}))
    assert text(d("d6") * 10**2000).count("\n") == 7
    assert "(1, 2)" in text(Dist({(1, 2): 1}))


def test_html_needs_nothing_from_elsewhere() -> None:
    assert not re.search(r"https?:|<script|url\(|@import", html(d("100d6")))
