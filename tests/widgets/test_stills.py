"""What a saved notebook shows of an explorer where nothing runs, and what showing one costs."""

from __future__ import annotations

import base64
import html
import itertools
import re
from typing import Any

import pytest
from IPython import display

from rulekit import Outcome, Roll, d, roll, rule, where
from rulekit_widgets import View, explore
from rulekit_widgets.desk import PATIENCE
from rulekit_widgets.frames import Tables
from rulekit_widgets.stills import still


class Jab(Outcome):
    effect: Roll[str]


@rule()
def jab(stuns_on: int = 4) -> Jab:
    """A blow that may stun."""
    effect = where(roll(d(4), "jab") >= stuns_on, "<b>stunned", "none")
    return Jab(effect=effect, notes=("Sample data: <none> of it is printed",))


@rule()
def swing(bonus: int = 0) -> Roll[int]:
    """A d3 about nothing."""
    return roll(d(3), "swing") + bonus - 2


def shown(view: View) -> str:
    explorer = explore(view)
    return still({"frames": explorer.frames, "answer": explorer.answer}, "rk-still-1")


def table(text: str) -> list[list[str]]:
    rows = re.findall("<tr>(.*?)</tr>", text)
    return [[html.unescape(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)] for row in rows]


def picture(text: str) -> str:
    (source,) = re.findall('src="data:image/svg[+]xml;base64,([^"]+)"', text)
    return base64.b64decode(source).decode()


def heights(svg: str) -> list[float]:
    return [float(base) - float(top) for base, top in re.findall(r"M[\d.]+ ([\d.]+)V([\d.]+)h", svg)]


def test_table_and_bars_follow_how_the_view_is_looked_at() -> None:
    text = shown(View(swing.setup(), mode="fraction", shape="at_least"))
    assert table(text) == [
        ["Outcome", "Exactly", "At least", "At most"],
        ["−1", "1/3", "1", "1/3"],
        ["0", "1/3", "2/3", "2/3"],
        ["1", "1/3", "1/3", "1"],
    ]
    svg = picture(text)
    most, middle, least = heights(svg)
    assert (middle / most, least / most) == pytest.approx((2 / 3, 1 / 3), abs=1e-3)
    assert re.findall("<text[^>]*>(.*?)</text>", svg) == ["−1", "0", "1", "Result: at least", "1", "0"]


def test_labels_have_their_odds_alone_and_are_text() -> None:
    text = shown(View(jab.setup(), shape="at_most"))
    assert table(text) == [["Outcome", "Exactly"], ["<b>stunned", "25 %"], ["none", "75 %"]]
    assert "<b>" not in text
    assert "<b>" not in picture(text)
    assert "<p>Sample data: &lt;none&gt; of it is printed</p>" in text
    assert "<li>Effect, likeliest: <strong>none 75 %</strong></li>" in text


def test_a_long_axis_has_labels_that_do_not_run_into_each_other() -> None:
    @rule()
    def many() -> Roll[int]:
        return roll(d(100))

    svg = picture(shown(View(many.setup())))
    assert len(heights(svg)) == 100
    places = [float(x) for x in re.findall(r'<text x="([\d.]+)" y="256"', svg)]
    assert min(b - a for a, b in itertools.pairwise(places)) > 7 * len("100")


@pytest.fixture
def published(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    told: list[dict[str, Any]] = []
    monkeypatch.setattr(display, "publish_display_data", lambda data, metadata=None: told.append(data))
    return told


def test_what_is_live_hides_what_is_still(published: list[dict[str, Any]]) -> None:
    explorer = explore(swing)
    explorer._ipython_display_()
    kept, live = published
    assert kept["text/plain"] == "Result 0 on average."
    assert f'class="rk-still {explorer.instead_of}"' in kept["text/html"]
    assert live["application/vnd.jupyter.widget-view+json"]["model_id"] == explorer.model_id
    assert live["text/html"].startswith(f"<style>.{explorer.instead_of} {{ display: none; }}</style><iframe ")
    assert "text/plain" not in live, "a terminal would say it twice"
    assert explorer.get_state()["instead_of"] == explorer.instead_of
    assert explore(swing).instead_of != explorer.instead_of


def test_showing_an_explorer_takes_no_more_time_than_making_it(
    published: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    spent: list[float] = []
    monkeypatch.setattr(Tables, "add_all", lambda self, seconds: spent.append(seconds))
    explorer = explore(swing)
    made = list(spent)
    explorer._ipython_display_()
    assert spent == made * 2 == [PATIENCE] * 2
    assert len(published) == 2
