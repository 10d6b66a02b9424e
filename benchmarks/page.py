"""The served page of the attack with 15 stats beside a bare Panel page, in headless Chromium.

``python -m benchmarks.page`` prints, in one run, for both: first sight; from a key press to the changed
chart; from rest to the kernel's answer, to the image of the map, and to the tables of all sliders, which
come after a map that is quick. The bare page is one `AnyWidgetComponent` that replaces the data of an equal
chart, answers with as many bytes, and sets an image of 40 x 40.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from statistics import median
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from benchmarks.explorer import MARKS, WATCH, chromium, frames_alone, running

PRESSES = 20
LOADS = 15
SIDE = 40

BARE = """
const SVG = "http://www.w3.org/2000/svg";
function render({ model, el }) {
  const bars = document.createElementNS(SVG, "path"), svg = document.createElementNS(SVG, "svg");
  const range = document.createElement("input"), n = model.get("bars");
  Object.assign(range, { type: "range", min: 0, max: 30, value: 7 });
  for (const [k, v] of [["viewBox", "0 0 640 280"], ["width", 640], ["height", 280]]) svg.setAttribute(k, v);
  svg.append(bars);
  const root = document.createElement("div");
  root.className = "bare";
  root.append(range, svg);
  el.append(root);
  const row = (k) => Array.from({ length: n }, (_, i) => ((i * 7 + k * 13) % 97) / 97);
  const rows = Array.from({ length: 31 }, (_, k) => row(k));
  const draw = () => bars.setAttribute("d", rows[range.value].map((p, i) =>
    `M${(50 + i * 580 / n).toFixed(2)} 240V${(240 - 200 * p).toFixed(2)}` +
    `h${(560 / n).toFixed(2)}V240z`).join(""));
  draw();
  let timer = null;
  range.addEventListener("input", () => {
    draw();
    clearTimeout(timer);
    timer = setTimeout(() => {
      performance.mark("rulekit:sent");
      model.set("request", { seq: performance.now() });
      model.save_changes();
    }, 150);
  });
  model.on("change:answer", () => performance.mark("rulekit:answer"));
}
export default { render };
"""

HEAR_IMAGES = """
() => {
  const models = [...Bokeh.documents[0]._all_models.values()];
  const glyph = models.find((m) => m.type === "GlyphRenderer" && m.glyph.type === "Image");
  glyph.data_source.properties.data.change.connect(() => performance.mark("rulekit:image"));
}
"""

IMAGES = '() => performance.getEntriesByName("rulekit:image").map((e) => e.startTime)'


@dataclass(frozen=True)
class Timing:
    """Medians in milliseconds."""

    first_sight: float
    key_to_chart: float
    rest_to_answer: float
    rest_to_tables: float
    rest_to_image: float


def apps() -> dict[str, Any]:
    """Both pages, by their path."""
    import numpy as np
    import panel as pn
    import param
    from bokeh.plotting import figure
    from panel.custom import AnyWidgetComponent

    from benchmarks.attack15 import SETUP
    from rulekit_widgets import View
    from rulekit_widgets.desk import Desk
    from rulekit_widgets.page import Page, _json

    view = View(SETUP, axes=("attacker.attack_bonus", "defender.defense"))
    sent = _json(Desk(view).frames)

    class Widget(AnyWidgetComponent):
        bars = param.Integer(30)
        request = param.Dict({})
        answer = param.String(sent)
        _esm = BARE

    def ours() -> Any:
        return Page(view, seed=1)

    def bare() -> Any:
        widget, plot = Widget(), figure(width=400, height=340)
        image = plot.image(image=[np.zeros((SIDE, SIDE))], x=[0], y=[0], dw=[1], dh=[1])

        def answer(event: Any) -> None:
            seq = event.new["seq"]
            widget.answer = f"{sent}{seq}"
            image.data_source.data = {**image.data_source.data, "image": [np.full((SIDE, SIDE), seq)]}

        widget.param.watch(answer, "request")
        return pn.Column(widget, pn.pane.Bokeh(plot))

    return {"ours": ours, "bare": bare}


def first_sight(browser: Browser, address: str, shown: str) -> float:
    """Milliseconds from the address to the chart, in a window of its own."""
    page = browser.new_page(viewport={"width": 1500, "height": 2000})
    start = time.perf_counter()
    page.goto(address, wait_until="commit")
    page.locator(shown).wait_for(timeout=60_000)
    took = (time.perf_counter() - start) * 1000
    page.close()
    return took


def timing(browser: Browser, address: str, widget: str, chart: str, ready: str) -> Timing:
    """Load some times, then press keys, each after the image that answers the one before."""
    loads = [first_sight(browser, address, f"{widget} {chart}") for _ in range(LOADS + 1)][1:]
    page = browser.new_page(viewport={"width": 1500, "height": 2000})
    page.goto(address)
    page.locator(ready).wait_for(timeout=60_000)
    page.wait_for_function(
        "() => [...Bokeh.documents[0]._all_models.values()].some((m) => m.type === 'Image')"
    )
    page.evaluate(HEAR_IMAGES)
    page.locator(f"{widget} {chart}").evaluate(WATCH)
    page.locator(f"{widget} input[type=range]").first.focus()
    images = []
    for i in range(PRESSES):
        page.keyboard.press("ArrowRight" if i < PRESSES // 2 else "ArrowLeft")
        page.wait_for_function(f"({IMAGES})().length > {i}", polling=10, timeout=20_000)
        page.locator(ready).wait_for(timeout=20_000)
        images.append(page.evaluate(IMAGES)[-1])
    sent, answered, ahead = page.evaluate(MARKS)
    drawn = page.evaluate("window.drawn")
    page.close()
    rests, tables, maps = (
        [b - a for a, b in zip(sent, heard, strict=True)]
        for heard in (answered, ahead[-len(sent) :] or answered, images)
    )
    return Timing(median(loads), median(drawn), median(rests), median(tables), median(maps))


def main() -> None:
    """Measure both pages and print them side by side."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--serve", type=int, metavar="PORT", help="only serve both pages")
    port = parser.parse_args().serve
    if port:
        import panel as pn

        import rulekit_widgets.maps  # noqa: F401  - as `rulekit serve` does before the first visitor

        pn.serve(apps(), port=port, address="127.0.0.1", show=False, websocket_origin=[f"127.0.0.1:{port}"])
        return
    with (
        running(lambda port: ["benchmarks.page", "--serve", str(port)]) as at,
        sync_playwright() as playwright,
    ):
        browser = chromium(playwright)
        address = f"http://127.0.0.1:{at}/"
        bare = timing(browser, address + "bare", ".bare", "path", ".bare")
        ours = timing(browser, address + "ours", ".rk-explorer", ".rk-bars", ".rk-page[data-rest=true]")
        browser.close()
    took, _, _ = frames_alone()
    print(f"frames of all sliders: {took:.1f} ms of processor time")
    print(f"{'ms, medians':<28}{'page':>9}{'bare':>9}{'aim':>9}")
    aims = {
        "first sight": (ours.first_sight, bare.first_sight, 1.3 * bare.first_sight),
        "key to chart": (ours.key_to_chart, bare.key_to_chart, bare.key_to_chart + 2),
        "rest to answer": (ours.rest_to_answer, bare.rest_to_answer, took + 1.3 * bare.rest_to_answer),
        "rest to map": (ours.rest_to_image, bare.rest_to_image, bare.rest_to_image + 100),
    }
    for name, (own, other, aim) in aims.items():
        print(f"{name:<28}{own:>9.1f}{other:>9.1f}{aim:>9.1f}  {'holds' if own <= aim else 'MISSED'}")
    print(f"{'rest to all tables':<28}{ours.rest_to_tables:>9.1f}{bare.rest_to_answer:>9.1f}")


if __name__ == "__main__":
    main()
