"""The explorer as a page: a whole screen in a notebook, or served; the same View, Frame and front end."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import html
import importlib
import json
import sys
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import panel as pn
import param
from panel.custom import AnyWidgetComponent, Child

from rulekit.errors import RulekitError
from rulekit_widgets.beside import (
    MapData,
    key_for,
    map_axes,
    map_of,
    map_options,
    readings_of,
    why_of,
    worth_of,
)
from rulekit_widgets.beside import label_of as stat_label
from rulekit_widgets.desk import Desk, Face
from rulekit_widgets.frames import frame
from rulekit_widgets.links import link_of
from rulekit_widgets.recipes import as_python
from rulekit_widgets.saved import CSS, ESM
from rulekit_widgets.views import View

__all__ = ["Page", "module", "shown_in_notebook", "styles"]

HERE = Path(__file__).parent

_WORKERS = ThreadPoolExecutor(2, "rulekit-page")
"""Where maps and worth are computed: never where requests are answered."""

_AFTER = 0.005
"""Seconds until they are begun: the answer is on its way by then, and a thread beside would slow it."""

_QUICK = 0.05
"""A map that takes no longer comes before the tables of the sliders that the hand is not on."""

_UNSEEN = 2.0
"""Seconds to wait for the page to tell its theme; it may be shown later, or nowhere."""

_LOST = 10.0
"""Seconds after which nobody waits any more for something to be laid on the page."""

_STEPS = 200
"""How many Views can be undone."""


def module(name: str, render: str) -> str:
    """The explorer's own module, beneath it another that uses its functions, and what that one renders."""
    explorer = ESM.read_text(encoding="utf-8").replace("export default { render };", "")
    around = (HERE / name).read_text(encoding="utf-8")
    return f"{explorer}\n{around}\nexport default {{ render: {render} }};\n"


@functools.cache
def styles() -> str:
    """The explorer's style sheet, said of the page around it too, and the page's own."""
    explorer = CSS.read_text(encoding="utf-8").replace(".rk-explorer", ":is(.rk-explorer,.rk-page)")
    return explorer + (HERE / "page.css").read_text(encoding="utf-8")


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>:root {{ color-scheme: light dark; }} body {{ margin: 0; }}
{css}</style>
{scripts}
</head>
<body>
<main id="page"></main>
<div id="picture">{figure}</div>
<script type="module">
{module}
const state = {state};
const text = ([name, value]) => [name, typeof value === "object" ? JSON.stringify(value) : value];
const texts = Object.fromEntries(Object.entries(state).map(text));
const still = {{
  get: (name) => texts[name], set() {{}}, save_changes() {{}}, on() {{}}, off() {{}},
  get_child: () => document.getElementById("picture"),
}};
renderPage({{ model: still, el: document.getElementById("page") }});
</script>
</body>
</html>
"""


def saved_page(state: Mapping[str, Any], made: MapData | None, shade: str) -> str:
    """One self-contained page: its sliders live one at a time, the map and the rest as they stand."""
    scripts = figure = ""
    if made is not None:
        from rulekit_widgets.maps import embedded

        scripts, figure = embedded(made, shade)
    data = _json({**state, "live": False, "address": False})
    return _PAGE.format(
        title=html.escape(state["frames"]["rule"]["title"]),
        css=styles(),
        scripts=scripts,
        figure=figure,
        module=module("page.js", "renderPage").replace("export default", "const front ="),
        # Neither may end the script element, nor can a line separator end a line in it.
        state=data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"),
    )


class Dashboard(AnyWidgetComponent):
    """The page's front end; what each parameter carries is said in page.js."""

    frames = param.String()
    answer = param.String()
    request = param.Dict({})
    deed = param.Dict({})
    shade = param.String()
    bar = param.String()
    map = param.String()
    worth = param.String()
    readings = param.String()
    why = param.String()
    file = param.String()
    theme = param.String()
    home = param.String()
    address = param.Boolean(False)
    live = param.Boolean(True)
    picture = Child()

    _esm = module("page.js", "renderPage")
    _stylesheets: ClassVar[list[str]] = [styles()]


class Page(Face, pn.viewable.Viewer):
    """A View on a whole screen. Made by `explore(rule, page=True)`.

    Args:
        view: Where to begin.
        loadouts: The folder of a user's own loadouts; None for `./loadouts/<game>`.
        theme: "light", "dark", "contrast" or "contrast-dark"; by default as the system is.
        seed: Makes *Roll it* throw the same dice again.
        address: Whether the address of the browser's window is the page's, and so holds the View.
        home: Where all rules are; no link where it is empty.
    """

    def __init__(
        self,
        view: View,
        *,
        loadouts: str | Path | None = None,
        theme: str = "",
        seed: int | None = None,
        address: bool = False,
        home: str = "",
    ) -> None:
        super().__init__()
        self._desk = Desk(view, loadouts, seed, ahead=False)
        self._choose_axes()
        self._past = [self._desk.view]
        self._at = 0
        self._round = 0
        self._files = 0
        self._laid = 0
        self._working = False
        self._deeds = 0
        self._trouble = ""
        self._matters: tuple[str, ...] = ()
        self._map: MapData | None = None
        self._drawn: Any = None
        self._document = pn.state.curdoc
        self._slot = pn.Column(sizing_mode="stretch_width", min_height=340)
        self._front = Dashboard(
            theme=theme,
            address=address,
            home=home,
            picture=self._slot,
            sizing_mode="stretch_width",
            **self._presented(),
        )
        self._front.param.watch(self._asked, "request")
        self._front.param.watch(self._done, "deed")
        self._front.param.watch(self._shaded, "shade")
        if self._document is not None and self._document.session_context is not None:
            pn.state.onload(self._follow)  # the cheap things are on the screen first
            pn.state.on_session_destroyed(self._left)
        else:
            self._follow()

    def __panel__(self) -> Any:
        return self._front

    def __repr__(self) -> str:
        return f"Page({self.view.setup!r})"

    # -- from Python

    def _look(self, view: View) -> None:
        self._desk.show(view, ahead=False)
        self._remember()
        self._present()

    def save(self, path: str | Path) -> None:
        """Write one self-contained page: live sliders, one at a time, the map and the rest as they stand; no
        kernel, no network.
        """
        Path(path).write_text(saved_page(self._saved(), self._map, self._shade), encoding="utf-8")

    def undo(self) -> None:
        """Back to the View before; nothing where there is none."""
        self._go(-1)

    def redo(self) -> None:
        """Forth again."""
        self._go(1)

    def _go(self, steps: int) -> None:
        if 0 <= self._at + steps < len(self._past):
            self._desk.show(self._past[self._at + steps], ahead=False)
            self._at += steps
            self._present()

    # -- from the page

    def _asked(self, event: Any) -> None:
        self._desk.take(event.new)
        self._remember()
        self._present()

    def _done(self, event: Any) -> None:
        deed, trouble = event.new, ""
        try:
            self._do(deed)
        except RulekitError as fault:
            trouble = str(fault).partition("\n")[0]
        self._trouble = trouble
        self._deeds = deed.get("seq", 0)
        self._front.bar = self._bar()

    def _do(self, deed: Mapping[str, Any]) -> None:
        what = deed.get("op")
        if what == "undo":
            self.undo()
        elif what == "redo":
            self.redo()
        elif what == "set":
            self.set(dict(deed["changes"]))
        elif what == "go" and self._map is not None:
            from rulekit_widgets.maps import nearest

            paths = [info.path for info in self._map.axes]
            self.set(dict(zip(paths, nearest(self._map, deed["at"]), strict=True)))
        elif what == "again" and not self._working:
            self._follow()
        elif what == "axes":
            self.view = replace(self.view, axes=tuple(deed["value"]))
        elif what == "csv":
            made = self._file(str(deed["what"]))
            if made is not None:
                self._files += 1
                self._front.file = _json({**made, "seq": self._files})

    @property
    def _shade(self) -> str:
        """The theme that the page shows, as it has told it."""
        return self._front.shade or "light"

    def _shaded(self, event: Any) -> None:
        if self._drawn is not None and self._map is not None:
            self._drawn.show(self._map, event.new)

    # -- to the page

    def _choose_axes(self) -> None:
        """A view without a map of its own gets one, so that its link holds it."""
        view = self._desk.view
        axes = map_axes(view)
        if axes != view.axes:  # which stats tell much is seen in their tables
            self._desk.ahead()
            axes = map_axes(view, self._desk.frames)
            self._desk.view = replace(view, axes=axes)  # no frame depends on them

    def _remember(self) -> None:
        self._choose_axes()
        if self._desk.view != self._past[self._at]:
            self._past = [*self._past[: self._at + 1], self._desk.view][-_STEPS:]
            self._at = len(self._past) - 1

    def _presented(self) -> dict[str, str]:
        return {"frames": _json(self._desk.frames), "answer": _json(self._desk.answer), "bar": self._bar()}

    def _present(self) -> None:
        self._front.param.update(**self._presented())
        self._follow()

    def _bar(self) -> str:
        view = self._desk.view
        return _json(
            {
                "undo": self._at > 0,
                "redo": self._at + 1 < len(self._past),
                "link": link_of(view),
                "python": as_python(view),
                "name": view.setup.rule.name,
                "key": key_for(view),
                "trouble": self._trouble,
                "deed": self._deeds,
            }
        )

    def _file(self, what: str) -> dict[str, str] | None:
        view = self._desk.view
        name = f"{view.setup.rule.name}-{view.measure}"
        if what == "table":
            return {"name": f"{name}.csv", "text": frame(view).to_csv()}
        if what == "worth":
            return {"name": f"{name}-worth.csv", "text": worth_of(view)[1].to_csv()}
        made = self._map if self._map is not None and self._map.key == key_for(view) else map_of(view)
        return None if made is None else {"name": f"{name}-map.csv", "text": made.to_csv()}

    def _saved(self) -> dict[str, Any]:
        """What a page without a kernel holds."""
        view = self._desk.view
        state = self._desk.state()
        parts: dict[str, Any] = {}
        for name, job in self._jobs(view):
            made = _tried(job)
            if name == "map" and isinstance(made, MapData):
                self._map = made
            parts[name] = self._told(name, made)
        files = {what: self._file(what) for what in ("table", "worth", "map")}
        return {**state, **parts, "files": files, "bar": json.loads(self._bar()), "theme": self._front.theme}

    # -- what comes after the cheap things

    def _jobs(self, view: View) -> list[tuple[str, Callable[[], Any]]]:
        """What is to be made, in this order."""
        return [
            ("map", lambda: _mapped(view)),
            ("worth", lambda: worth_of(view)[0]),
            ("readings", lambda: readings_of(view)),
            ("why", lambda: why_of(view, self._matters)),
        ]

    def _follow(self) -> None:
        """Have map, worth, readings and why made for the present View; what is older is dropped."""
        self._round += 1
        view, document = self._desk.view, self._document
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:  # a plain script: there is nobody to wait for
            self._ahead(self._round)
            for name, job in self._jobs(view):
                self._lay(self._round, name, _tried(job))
            return
        self._working = True
        _kept(loop, self._work(self._round, view, document))

    async def _work(self, round_: int, view: View, document: Any) -> None:
        await asyncio.sleep(_AFTER)
        waited = 0.0
        while not self._front.shade and waited < _UNSEEN:  # a figure takes no other theme while it is built
            await asyncio.sleep(0.02)
            waited += 0.02
        try:
            for name, job in self._jobs(view):
                if round_ != self._round:
                    return
                await self._make(round_, name, job, document)
        finally:
            if round_ == self._round:
                self._working = False

    async def _make(self, round_: int, name: str, job: Callable[[], Any], document: Any) -> None:
        """Have one thing made beside the loop and lay it on the page; around the map come the tables of the
        other sliders: after it where it is quick, else before.
        """
        ahead = functools.partial(self._ahead, round_)
        making = asyncio.get_running_loop().run_in_executor(_WORKERS, _tried, job)
        if name == "map":
            quick, _ = await asyncio.wait({making}, timeout=_QUICK)
            if not quick:
                await _on_page(document, ahead)
        lay = functools.partial(self._lay, round_, name, await making)
        await _on_page(document, lay)  # a thread beside it would slow it
        if name == "map":
            await _on_page(document, ahead)

    def _ahead(self, round_: int) -> None:
        """The tables of the other sliders, unless the hand has gone on meanwhile."""
        if round_ == self._round and self._desk.ahead():
            self._front.param.update(**self._presented())

    def _lay(self, round_: int, name: str, made: Any) -> None:
        if round_ == self._round:
            if isinstance(made, MapData):
                self._draw(made)
            self._laid += 1  # no two are equal, so that each is sent
            setattr(self._front, name, _json({**self._told(name, made), "turn": self._laid}))

    def _told(self, name: str, made: Any) -> dict[str, Any]:
        """What was made, or why it was not, as the page gets it."""
        view, key = self._desk.view, key_for(self._desk.view)
        if name == "worth":
            self._matters = (
                () if isinstance(made, RulekitError) else tuple(row["path"] for row in made["rows"])
            )
        if name == "map" and isinstance(made, MapData):
            labels = [(info.path, stat_label(info, view.setup)) for info in map_options(view.setup)]
            options = [{"value": path, "label": label} for path, label in labels]
            axes = [info.path for info in made.axes]
            return {"key": key, "axes": axes, "options": options, "text": made.text, "trouble": ""}
        if made is None or isinstance(made, RulekitError):
            trouble = str(made).partition("\n")[0] if made else ""
            return {
                "key": key,
                "text": "",
                "trouble": trouble,
                "axes": [],
                "options": [],
                "rows": [],
                "groups": [],
                "trees": [],
            }
        told: dict[str, Any] = made
        return told

    def _draw(self, made: MapData) -> None:
        from rulekit_widgets.maps import LiveMap

        self._map = made
        if self._drawn is None:
            self._drawn = LiveMap(made, self._shade)
            self._slot[:] = [self._drawn.pane]
        else:
            self._drawn.show(made, self._shade)

    def _left(self, context: Any) -> None:
        self._round += 1


def shown_in_notebook(view: View, **options: Any) -> Page:
    """The page for a notebook's cell, its scripts within: a notebook may stand where there is no network."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None and hasattr(shell, "kernel") and not pn.extension._loaded:
        pn.extension(inline=True)
    return Page(view, **options)


def _mapped(view: View) -> MapData | None:
    importlib.import_module(
        "rulekit_widgets.maps"
    )  # HoloViews takes seconds to import: not where answers are made
    return map_of(view)


def _tried(job: Callable[[], Any]) -> Any:
    """What a job gives, or why nothing: a rule that fails beside the point does not stop the page."""
    try:
        return job()
    except RulekitError as fault:
        return fault
    except Exception as fault:
        return RulekitError(f"the rule failed with {type(fault).__name__}: {fault}")


async def _on_page(document: Any, call: Callable[[], None]) -> None:
    """Have something done that changes a page, and wait until it is done."""
    if document is None or document.session_context is None:
        call()
        return
    loop = asyncio.get_running_loop()
    done = asyncio.Event()

    def run() -> None:
        try:
            call()
        finally:
            loop.call_soon_threadsafe(done.set)

    document.add_next_tick_callback(run)
    with contextlib.suppress(TimeoutError):  # the visitor has left
        await asyncio.wait_for(done.wait(), _LOST)


_running: set[asyncio.Task[None]] = set()


def _kept(loop: asyncio.AbstractEventLoop, work: Coroutine[Any, Any, None]) -> None:
    """Run it, and hold it till it ends: a loop itself holds its tasks weakly."""
    task = loop.create_task(work)
    _running.add(task)
    task.add_done_callback(_running.discard)
