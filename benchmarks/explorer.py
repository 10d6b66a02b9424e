"""The explorer of the attack with 15 stats against bare anywidgets, in headless Chromium in JupyterLab.

``python -m benchmarks.explorer`` prints, in one run: processor time and size of all sliders' frames; from a
key press to the changed chart, beside a widget that only replaces the data of an equal chart; from rest to
the kernel's answer and to the tables of all sliders, beside the round trip of a widget that sends as much.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import nbformat
from playwright.sync_api import Browser, Page, Playwright, sync_playwright

import rulekit
from benchmarks.attack15 import SETUP
from rulekit_widgets import View
from rulekit_widgets.frames import Tables

PRESSES = 20
ROOT = Path(__file__).parents[1]

EXPLORER = """
from benchmarks.attack15 import SETUP
from rulekit_widgets import explore

explorer = explore(SETUP)
explorer
"""

BARE = """
import json

import anywidget
import traitlets


class Bare(anywidget.AnyWidget):
    _esm = '''
    export default { render({ model, el }) {
      const bars = document.createElementNS("http://www.w3.org/2000/svg", "path");
      const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
      const range = document.createElement("input");
      Object.assign(range, { type: "range", min: 0, max: 30, value: 7 });
      range.dataset.lmSuppressShortcuts = "true";
      const box = [["viewBox", "0 0 640 280"], ["width", 640], ["height", 280]];
      for (const [k, v] of box) svg.setAttribute(k, v);
      svg.append(bars);
      el.classList.add("bare");
      el.append(range, svg);
      const n = model.get("bars"), rows = Array.from({ length: 31 }, (_, k) =>
        Array.from({ length: n }, (_, i) => ((i * 7 + k * 13) % 97) / 97));
      const draw = () => bars.setAttribute("d", rows[range.value].map((p, i) =>
        `M${(50 + i * 580 / n).toFixed(2)} 240V${(240 - 200 * p).toFixed(2)}` +
        `h${(560 / n).toFixed(2)}V240z`).join(""));
      draw();
      let timer = null;
      range.addEventListener("input", () => { draw(); clearTimeout(timer); timer = setTimeout(() => {
        performance.mark("rulekit:sent");
        model.set("request", { seq: performance.now(), changes: { attack_bonus: Number(range.value) } });
        model.save_changes();
      }, 150); });
      model.on("change:answer", () => performance.mark("rulekit:answer"));
    } };
    '''
    bars = traitlets.Int(30).tag(sync=True)
    request = traitlets.Dict().tag(sync=True)
    answer = traitlets.Dict().tag(sync=True)

    @traitlets.observe("request")
    def _asked(self, change):
        self.answer = {**explorer.frames, "seq": change["new"]["seq"]}


Bare(bars=BARS)
"""

WATCH = """
(path) => {
  window.drawn = [];
  window.pressed = null;
  if (!window.heard) {
    window.heard = true;
    window.addEventListener("keydown", () => { window.pressed = performance.now(); }, true);
  }
  new MutationObserver(() => {
    if (window.pressed !== null) window.drawn.push(performance.now() - window.pressed);
    window.pressed = null;
  }).observe(path, { attributes: true, attributeFilter: ["d"] });
  performance.clearMarks();
}
"""

MARKS = """
() => ["sent", "answer", "ahead"].map((kind) =>
  performance.getEntriesByName("rulekit:" + kind).map((entry) => entry.startTime))
"""


@dataclass(frozen=True)
class Timing:
    """Medians in milliseconds over the key presses."""

    key_to_chart: float
    rest_to_answer: float
    rest_to_tables: float


@contextlib.contextmanager
def running(command: Callable[[int], list[str]]) -> Iterator[int]:
    """A server of its own on a free port, by that port; it ends with the block."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "widgets")])}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    server = subprocess.Popen(
        [sys.executable, "-m", *command(port)], cwd=ROOT, env=environment, start_new_session=True, **quiet
    )
    try:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with contextlib.suppress(OSError):
                socket.create_connection(("127.0.0.1", port), 0.2).close()
                break
            time.sleep(0.1)
        yield port
    finally:
        os.killpg(server.pid, signal.SIGTERM)
        server.wait(20)


def chromium(playwright: Playwright) -> Browser:
    """The browser of this machine."""
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-quic"]
    return playwright.chromium.launch(executable_path=shutil.which("chromium"), args=quiet)


def jupyter(folder: Path) -> contextlib.AbstractContextManager[int]:
    """A JupyterLab on a folder, by its port."""
    options = ["--no-browser", "--allow-root", "--ip=127.0.0.1", "--IdentityProvider.token="]
    options += ["--ServerApp.password=", f"--ServerApp.root_dir={folder}"]
    return running(lambda port: ["jupyterlab", f"--port={port}", *options])


def presses(page: Page, widget: str, path: str, last: int) -> Timing:
    """Press arrow keys on the first slider, each after the `last` of the marks for the one before."""
    page.locator(f"{widget} {path}").evaluate(WATCH)
    page.locator(f"{widget} input[type=range]").first.focus()
    for i in range(PRESSES):
        page.keyboard.press("ArrowRight" if i % PRESSES < PRESSES // 2 else "ArrowLeft")
        page.wait_for_function(f"({MARKS})()[{last}].length > {i}", polling=10, timeout=20_000)
    sent, *heard = page.evaluate(MARKS)
    answer, tables = ([b - a for a, b in zip(sent, heard[k - 1], strict=True)] for k in (1, last))
    return Timing(median(page.evaluate("window.drawn")), median(answer), median(tables))


def in_the_browser(bars: int) -> tuple[Timing, Timing]:
    """The explorer and the bare widget, one after the other in the same page."""
    with tempfile.TemporaryDirectory() as name, jupyter(Path(name)) as port, sync_playwright() as playwright:
        sources = [EXPLORER, BARE.replace("BARS", str(bars))]
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
        notebook.metadata["kernelspec"] = {
            "name": "python3",
            "display_name": "Python 3",
            "language": "python",
        }
        nbformat.write(notebook, Path(name) / "bench.ipynb")
        browser = chromium(playwright)
        page = browser.new_page(viewport={"width": 1100, "height": 3000})
        page.goto(f"http://127.0.0.1:{port}/lab/tree/bench.ipynb?reset")
        page.wait_for_selector(
            '.jp-Notebook-ExecutionIndicator[data-status="idle"]', state="attached", timeout=90_000
        )
        page.get_by_text("Python 3 (ipykernel) | Idle").wait_for(timeout=90_000)
        page.get_by_role("menuitem", name="Run", exact=True).click()
        page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        page.locator(".bare svg").wait_for(timeout=90_000)
        page.locator(".rk-explorer[data-rest=true]").wait_for(timeout=90_000)
        ours, bare = presses(page, ".rk-explorer", ".rk-bars", 2), presses(page, ".bare", "path", 1)
        browser.close()
    return ours, bare


def frames_alone(repeats: int = 9) -> tuple[float, int, int]:
    """Milliseconds of processor time for all sliders' frames, their size in bytes as JSON, and the bars."""
    times = []
    for i in range(repeats + 1):
        rulekit.clear_caches()
        view = View(SETUP.at({"attacker.attack_bonus": i}))
        start = time.process_time()
        made = Tables(view)
        made.add_all()
        sent = made.sent()
        times.append((time.process_time() - start) * 1e3)
    size = len(json.dumps(sent, ensure_ascii=False, separators=(",", ":")).encode())
    return median(times[1:]), size, max(table["outcomes"]["count"] for table in sent["tables"].values())


def main() -> None:
    took, size, bars = frames_alone()
    ours, bare = in_the_browser(bars)
    rows = [
        ("frames of all sliders, ms of processor time", took, 100.0),
        ("frames of all sliders, kB", size / 1e3, 500.0),
        ("key to chart, ms", ours.key_to_chart, max(1.5 * bare.key_to_chart, bare.key_to_chart + 2)),
        ("rest to answer, ms", ours.rest_to_answer, took + 1.3 * bare.rest_to_answer),
        ("rest to all sliders' tables, ms", ours.rest_to_tables, took + 1.3 * bare.rest_to_answer),
    ]
    print(f"bare widget: key to chart {bare.key_to_chart:.1f} ms, round trip {bare.rest_to_answer:.1f} ms")
    print("| measured | explorer | at most | |\n|---|---|---|---|")
    for name, value, limit in rows:
        print(f"| {name} | {value:.1f} | {limit:.1f} | {'holds' if value <= limit else 'MISSED'} |")


if __name__ == "__main__":
    main()
