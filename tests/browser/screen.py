"""What is on the screen, read in one go, and what the library says that it must be."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page

import rulekit_widgets
from rulekit_widgets import View, frame
from rulekit_widgets.controls import changed
from rulekit_widgets.desk import Desk
from rulekit_widgets.frames import Frame

HERE = Path(rulekit_widgets.__file__).parent

READ = """
(root) => {
  const text = (e) => e.textContent, shown = (e) => !e.hidden;
  const values = {};
  for (const e of root.querySelectorAll("[data-path]")) {
    const path = e.dataset.path;
    if (e.type === "range" || (e.type === "number" && !(path in values))) values[path] = Number(e.value);
    else if (e.type === "checkbox") values[path] = e.checked;
    else if (e.tagName === "SELECT") values[path] = e.value;
    else if (e.type === "text") values[path] = e.value;
  }
  const typed = {};
  for (const e of root.querySelectorAll("input[type=number]")) typed[e.dataset.path] = e.value;
  const one = (selector) => root.querySelector(selector);
  const all = (selector) => [...root.querySelectorAll(selector)];
  const radio = (name) => all("input[type=radio]").find((e) => e.checked && e.name.endsWith(name)).value;
  const told = (e, part) => [e.dataset.tile, text(e.querySelector(part))];
  const tile = (part) => Object.fromEntries(all("[data-tile]").map((e) => told(e, part)));
  const path = (name) => one(name).getAttribute("d");
  return {
    state: root.dataset.state, values, typed,
    measure: root.querySelector(".rk-tools select").value, shape: radio("shape"), mode: radio("mode"),
    sentence: text(root.querySelector(".rk-sentence")), spoken: text(root.querySelector(".rk-spoken")),
    trouble: [...root.querySelectorAll(".rk-trouble")].filter(shown).map(text).join(""),
    tiles: tile("strong"), differences: tile(".rk-difference"),
    rows: all("tbody tr").filter(shown).map((r) => [...r.children].filter(shown).map(text)),
    bars: path(".rk-bars"), ghost: path(".rk-ghost"), throws: path(".rk-throws"),
    top: all(".rk-ticks text[text-anchor=end]").map(text).pop(),
    axis: all(".rk-ticks text[text-anchor=middle]").map(text),
  };
}
"""


@dataclass
class Screen:
    """One reading of an explorer."""

    state: str
    values: dict[str, Any]
    typed: dict[str, str]
    measure: str
    shape: str
    mode: str
    sentence: str
    spoken: str
    trouble: str
    tiles: dict[str, str]
    differences: dict[str, str]
    rows: list[list[str]]
    bars: str
    ghost: str
    throws: str
    top: str
    axis: list[str]

    @property
    def heights(self) -> list[float]:
        """The heights of the bars, as shares of the y axis."""
        base = [float(y) for y in re.findall(r"M[\d.-]+ ([\d.]+)V", self.bars)]
        top = [float(y) for y in re.findall(r"V([\d.]+)h", self.bars)]
        return [(b - t) / (b - 10) for b, t in zip(base, top, strict=True)]


THEMES: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "contrast": {"color_scheme": "light", "contrast": "more"},
    "contrast-dark": {"color_scheme": "dark", "contrast": "more"},
}
"""For each theme what the system is to say that it wants."""


MAPS = {
    "light": ["#ffffff", "#00204C", "#FFE945"],
    "dark": ["#16191d", "#00204C", "#FFE945"],
    "contrast": ["#ffffff", "#ffffff", "#000000"],
    "contrast-dark": ["#000000", "#000000", "#ffffff"],
}
"""For each theme the ground of a map and the colours of its least and its greatest value."""

MAP_COLORS = """
(wanted) => {
  const models = [...Bokeh.documents[0]._all_models.values()];
  const of = (type) => models.find((m) => m.type === type);
  const colors = of("LinearColorMapper").palette.map((c) => (typeof c === "string" ? c : c.toString()));
  return [of("Figure").background_fill_color, colors[0], colors.at(-1)].join() === wanted.join();
}
"""


def axe_faults(page: Page) -> list[tuple[str, str]]:
    """What axe-core finds that is serious, and where first; in a theme of high contrast letters are to have
    7 : 1 with their ground, else 4.5 : 1.
    """
    strict = page.evaluate("matchMedia('(prefers-contrast: more)').matches")
    found = Axe().run(page, options={"rules": {"color-contrast-enhanced": {"enabled": strict}}})
    serious = [v for v in found.response["violations"] if v["impact"] in ("serious", "critical")]
    return [(v["id"], v["nodes"][0]["html"]) for v in serious]


def read(explorer: Locator) -> Screen:
    return Screen(**explorer.evaluate(READ))


def told(screen: Screen, view: View) -> Frame:
    """What the library says for the controls as they stand."""
    stats = {info.path: info for info in view.setup.stats}
    values = {
        path: value for path, value in screen.values.items() if path in stats and stats[path].kind != "part"
    }
    return _frame(replace(view, setup=changed(view.setup, values), measure=screen.measure, mode=screen.mode))


_frame = cache(frame)


def check(screen: Screen, view: View) -> None:
    """Sentence, tiles, table and chart are what the library says for the controls as they stand.

    While a slider moves fractions are near, and marked so; all else is the same to the last digit.
    """
    expected = told(screen, view)
    near = screen.mode == "fraction" and "≈" in screen.sentence + "".join(map(str, screen.rows))
    mode = "percent" if near else screen.mode
    assert not near or screen.mode == "fraction"
    if not near:
        assert screen.sentence == expected.sentence[mode]
        assert screen.tiles == {tile.name: tile.texts[mode] for tile in expected.tiles}
        rows = [tuple(row[:4]) for row in screen.rows]
        ordered = len(rows[0]) == 4
        wanted = [row if ordered else row[:2] for row in expected.table(mode)]
        # The page also shows outcomes in between that cannot occur.
        found = [row for row in rows if row[1] not in ("0 %", "never", "0")]
        assert found == wanted
    odds = expected.odds[screen.shape] if len(screen.rows[0]) >= 4 else expected.odds["exactly"]
    top = float(screen.top.rstrip(" %")) / 100 if screen.mode == "percent" else None
    if top is not None and screen.shape == "exactly":
        assert len(screen.heights) == len(odds)
        for height, p in zip(screen.heights, odds, strict=True):
            assert abs(height * top - float(p)) < 0.002 * top


class Bench:
    """An explorer in a page whose kernel is this very test: requests wait until they are answered.

    Time in the page stands still until `rest` lets it run, so nothing depends on how fast a machine is.
    """

    def __init__(self, page: Page, view: View, **options: Any) -> None:
        self.page = page
        self.desk = Desk(view, seed=1, **{"patience": math.inf, **options})
        page.clock.install()
        page.set_content(
            "<html lang=en><title>bench</title><style>"
            + (HERE / "explorer.css").read_text()
            + "</style><main></main></html>"
        )
        page.add_script_tag(
            type="module",
            content=(HERE / "explorer.js").read_text()
            + """
            window.requests = [];
            const state = {live: true, theme: ""}, heard = {}, set = {};
            window.model = {
              get: (k) => state[k], set: (k, v) => { set[k] = v; },
              save_changes: () => {
                Object.assign(state, set);
                if (set.request) window.requests.push(set.request);
                delete set.request;
              },
              on: (e, f) => (heard[e] ??= new Set()).add(f), off: (e, f) => heard[e].delete(f),
            };
            window.deliver = (frames, answer) => {
              if (frames) state.frames = frames;
              state.answer = answer;
              for (const e of ["change:frames", "change:answer"]) for (const f of heard[e] ?? []) f();
            };
            window.begin = (frames, answer) => {
              window.deliver(frames, answer);
              window.show("main");
            };
            window.show = (place) => render({model: window.model, el: document.querySelector(place)});
            """,
        )
        page.wait_for_function("() => !!window.begin")
        page.evaluate("([f, a]) => window.begin(f, a)", [self.desk.frames, self.desk.answer])
        self.sent_turn = self.desk.frames["turn"]
        self.explorer = page.locator("main .rk-explorer")
        self.explorer.wait_for()
        page.clock.pause_at(page.evaluate("Date.now()") + 1000)

    @property
    def view(self) -> View:
        return self.desk.view

    def requests(self) -> list[dict[str, Any]]:
        """The requests that wait for an answer."""
        found: list[dict[str, Any]] = self.page.evaluate("() => window.requests")
        return found

    def answer(self) -> bool:
        """Answer the oldest request; False where there is none."""
        request = self.page.evaluate("() => window.requests.shift() ?? null")
        if request is None:
            return False
        self.desk.take(request)
        self.present()
        return True

    def present(self) -> None:
        """Send what Python holds."""
        fresh = self.desk.frames["turn"] != self.sent_turn
        self.sent_turn = self.desk.frames["turn"]
        self.page.evaluate(
            "([f, a]) => window.deliver(f, a)", [self.desk.frames if fresh else None, self.desk.answer]
        )

    def rest(self, ms: int = 160) -> None:
        """Let time pass in the page."""
        self.page.clock.run_for(ms)

    def ahead(self) -> None:
        """Send the tables of the sliders that the last answer left out."""
        if self.desk.ahead():
            self.present()

    def settle(self) -> None:
        """Rest, and answer until nothing more is asked; then send what is left."""
        self.rest()
        while self.answer():
            self.rest()
        self.ahead()

    def read(self) -> Screen:
        return read(self.explorer)

    def field(self, path: str, kind: str = "") -> Locator:
        """The control at a path: its slider where it has one, "typed" for the box beside it."""
        if kind == "typed":
            return self.explorer.locator(f"input[type=number][data-path='{path}']")
        return self.explorer.locator(f"[data-path='{path}']").first
