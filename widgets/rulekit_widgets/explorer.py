"""The explorer in a notebook cell."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import anywidget
import traitlets

from rulekit.errors import RulekitError
from rulekit.rules import Rule, Setup
from rulekit_widgets.desk import PATIENCE, Desk, Face
from rulekit_widgets.saved import CSS, ESM, framed
from rulekit_widgets.saved import page as saved_page
from rulekit_widgets.stills import sentence, still
from rulekit_widgets.views import View

if TYPE_CHECKING:
    from rulekit_widgets.page import Page

__all__ = ["Explorer", "explore"]

_AFTER = 0.02
"""Seconds from an answer to the tables of the other sliders: it is on its way by then, and what the hand did
meanwhile comes first.
"""


class Explorer(Face, anywidget.AnyWidget):
    """A View in a cell, with controls for every stat of its rule. Made by `explore`."""

    _esm = ESM
    _css = CSS

    frames = traitlets.Dict().tag(sync=True)
    answer = traitlets.Dict().tag(sync=True)
    request = traitlets.Dict().tag(sync=True)
    live = traitlets.Bool(True).tag(sync=True)
    theme = traitlets.Unicode("").tag(sync=True)
    instead_of = traitlets.Unicode("").tag(sync=True)

    def __init__(
        self, view: View, *, loadouts: str | Path | None = None, theme: str = "", seed: int | None = None
    ) -> None:
        self._desk = Desk(view, loadouts, seed)
        super().__init__(
            frames=self._desk.frames,
            answer=self._desk.answer,
            theme=theme,
            instead_of=f"rk-still-{uuid4().hex}",
        )

    def _look(self, view: View) -> None:
        self._desk.show(view)
        self._present()

    def save(self, path: str | Path) -> None:
        """Write one self-contained page: live sliders, one at a time, no kernel, no network."""
        Path(path).write_text(saved_page({**self._desk.state(), "theme": self.theme}), encoding="utf-8")

    @traitlets.observe("request")
    def _asked(self, change: Any) -> None:
        self._desk.take(change["new"])
        self._present()
        seq = self._desk.answer["seq"]
        try:
            asyncio.get_running_loop().call_later(_AFTER, self._ahead, seq)
        except RuntimeError:  # no loop runs: nobody waits for the answer either
            self._ahead(seq)

    def _ahead(self, seq: int) -> None:
        """The tables of the other sliders, unless the hand has gone on meanwhile."""
        if seq == self._desk.answer["seq"] and self._desk.ahead():
            self._present()

    def _present(self) -> None:
        with self.hold_sync():  # one message: the page never sees half of it
            self.frames = self._desk.frames
            self.answer = self._desk.answer

    def __repr__(self) -> str:
        return f"Explorer({self.view.setup!r})"

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is None:
            return None
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        # An exported notebook gets the page in a frame, with the sliders that have a table by then.
        state = {**self._desk.state(PATIENCE), "theme": self.theme}
        return {**data, "text/html": framed(state, self.instead_of), "text/plain": sentence(state)}, metadata

    def _ipython_display_(self) -> None:
        """Two outputs: a still picture, and the explorer, which hides it. JupyterLab shows nothing in the
        place of a widget that no kernel knows, whatever else is in the same output.
        """
        from IPython.display import publish_display_data

        data, metadata = self._repr_mimebundle_()
        told = data.pop("text/plain")
        kept = still({"frames": self.frames, "answer": self.answer}, self.instead_of)
        publish_display_data({"text/html": kept, "text/plain": told})
        publish_display_data(data, metadata)


def explore(
    rule: Rule[..., Any] | Setup[Any] | View,
    *,
    measure: str = "",
    loadouts: str | Path | None = None,
    theme: str = "",
    seed: int | None = None,
    page: bool = False,
) -> Explorer | Page:
    """A rule under sliders, in a notebook cell.

    Args:
        rule: A rule (with its default stats), a Setup, or a whole View.
        measure: The measure whose distribution is shown; by default the first number, else the first event.
        loadouts: The folder of your own loadout files; `./loadouts/<game>` by default.
        theme: "light", "dark", "contrast" or "contrast-dark"; by default as the notebook is.
        seed: Makes *Roll it* throw the same dice again.
        page: The whole screen: map, what a point is worth, readings and why beside it; needs Panel and
            HoloViews.

    Raises:
        RulekitError: what is given is none of these, a stat has no default, or the rule refuses its stats.

    >>> from rulekit import Roll, d, roll, rule
    >>> @rule()
    ... def smash(bonus: int = 5, ac: int = 15) -> Roll[bool]:
    ...     return roll(d(20), "natural") + bonus >= ac
    >>> explorer = explore(smash)
    >>> explorer.set({"bonus": 7})
    >>> explorer.setup.get("bonus")
    7
    """
    if isinstance(rule, View):
        view = replace(rule, measure=measure) if measure else rule
    elif isinstance(rule, Rule):
        view = View(rule.setup(), measure)
    elif isinstance(rule, Setup):
        view = View(rule, measure)
    else:
        raise RulekitError(
            f"explore takes a rule, a Setup or a View, not {rule!r}; put @rule() on the function"
        )
    if page:
        try:
            from rulekit_widgets.page import shown_in_notebook
        except ModuleNotFoundError as fault:
            if fault.name not in ("panel", "param", "bokeh"):
                raise
            told = "the page needs Panel: pip install 'rulekit-ttrpg[widgets]'"
            raise ModuleNotFoundError(told, name=fault.name) from fault

        return shown_in_notebook(view, loadouts=loadouts, theme=theme, seed=seed)
    return Explorer(view, loadouts=loadouts, theme=theme, seed=seed)
