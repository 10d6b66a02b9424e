"""What stands behind a view in Python: it takes the page's requests and gives frames and answers.

It knows neither a notebook nor a server: each face gives it a way to send, and hands requests on.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from rulekit.errors import RulekitError
from rulekit.rules import Setup
from rulekit_widgets.controls import Loadouts, changed, control_tree, edited
from rulekit_widgets.frames import Tables, ghost
from rulekit_widgets.throwing import throws
from rulekit_widgets.views import View

__all__ = ["PATIENCE", "Desk", "Face"]

PATIENCE = 0.3
_HAND_PATIENCE = 3.0
"""Seconds of processor time for the table of the slider under the hand."""


class Desk:
    """A View with what the page knows of it.

    Args:
        view: Where to begin.
        loadouts: The folder of a user's own loadouts; None for `./loadouts/<game>`.
        seed: For the throws.
        patience: Seconds of processor time spent on sliders' tables for one request; a table left out is
            made when a hand goes to its slider.
        ahead: Whether to begin with these tables, or leave them for `ahead()`.

    Attributes:
        view: What is looked at now.
        frames, answer: What the page is to hold: all tables around the point, and what the last request led
            to. They belong together when both carry the same `turn`.

    Raises:
        RulekitError: the rule refuses these stats.
    """

    _tables: Tables

    def __init__(
        self,
        view: View,
        loadouts: str | Path | None = None,
        seed: int | None = None,
        patience: float = PATIENCE,
        ahead: bool = True,
    ) -> None:
        self._loadouts = Loadouts(loadouts)
        self._random = random.Random(seed)
        self._patience = patience
        self._turn = 0
        self._seq = 0
        self._slow: dict[str, float] = {}
        self._is_ahead = False
        self._hand = ""
        self._controls: list[dict[str, Any]] = []
        self.view = view
        self.frames: dict[str, Any] = {}
        self.answer: dict[str, Any] = {}
        self.show(view, ahead)

    def show(self, view: View, ahead: bool = True) -> None:
        """Look at another View; `ahead`, with the tables of all its sliders.

        Raises:
            RulekitError: the rule refuses its stats; all stays as it was.
        """
        self._show(view, ())
        if ahead:
            self.ahead()

    def _show(self, view: View, hands: Iterable[str]) -> None:
        fresh = not self.frames or (view.setup, view.measure) != (self.view.setup, self.view.measure)
        made = Tables(view, self._slow) if fresh else self._tables
        pinned = view.pinned and ghost(replace(view, setup=view.pinned, pinned=None))
        hands = list(hands)
        self._hand = next((path for path in hands if made.can_slide(path)), self._hand)
        if fresh and not hands and self._patience >= 0:  # one table at least: the axes hold still by it
            first = next((info.path for info in made.sliding), "")
            hands = [self._hand if made.can_slide(self._hand) else first]
        more = [made.add(path, _HAND_PATIENCE) for path in hands]
        controls = control_tree(view.setup, self._loadouts) if fresh else self._controls
        self._tables = made
        self.view = view
        self._controls = controls
        if fresh:
            self._is_ahead = False
        self.answer = {
            "seq": self._seq,
            "turn": self._turn,
            "look": {"shape": view.shape, "mode": view.mode},
            "pinned": pinned,
            "trouble": None,
            "throws": None,
        }
        if fresh or any(more):
            self._frame()

    def _frame(self) -> None:
        """Frames anew from the tables that there are; the answer goes with them."""
        self._turn += 1
        self.frames = {**self._tables.sent(), "turn": self._turn, "controls": self._controls}
        self.answer = {**self.answer, "turn": self._turn}

    def ahead(self) -> bool:
        """Make the tables of the sliders that have none; whether there are new frames to tell of. `take`
        makes those of the moved sliders alone, so that its answer need not wait for all.
        """
        if self._is_ahead:
            return False
        self._is_ahead = True
        if not self._tables.add_all(self._patience):
            return False
        self._frame()
        return True

    def take(self, request: Mapping[str, Any]) -> None:
        """Do what the page asks: `seq`, `changes` by path (`@measure`, `@shape`, `@mode` for the look) and
        `edits`. What is refused changes nothing and is told in `answer["trouble"]`.
        """
        self._seq = int(request.get("seq", self._seq))
        changes = dict(request.get("changes", {}))
        look = {name[1:]: changes.pop(name) for name in list(changes) if name.startswith("@")}
        edits = [dict(edit) for edit in request.get("edits", [])]
        hands = [*changes, *(edit["path"] for edit in edits if edit["op"] == "ahead")]
        try:
            setup = changed(self.view.setup, changes)
            for edit in edits:
                if edit["op"] not in ("ahead", "pin", "roll"):
                    setup = edited(setup, edit, self._loadouts)
            view = replace(self.view.of(setup), **look)
            for edit in edits:
                if edit["op"] == "pin":
                    view = replace(view, pinned=setup if edit["value"] else None)
            self._show(view, hands)
            if any(edit["op"] == "roll" for edit in edits):
                self.answer["throws"] = throws(view, self._random)
        except Exception as fault:  # a user's own rule may raise anything: the last good answer stays
            message = str(fault).partition("\n")[0]
            if not isinstance(fault, RulekitError):
                message = f"the rule failed with {type(fault).__name__}: {message}"
            path = next((path for path in changes if message.startswith(f"{path}:")), next(iter(changes), ""))
            self.answer = {**self.answer, "seq": self._seq, "trouble": {"path": path, "message": message}}

    def state(self, patience: float = 60.0) -> dict[str, Any]:
        """What a page without a kernel is made of: tables of as many sliders as this many seconds allow."""
        self._tables.add_all(patience)
        frames = {**self.frames, **self._tables.sent()}
        return {"frames": frames, "answer": {**self.answer, "trouble": None}, "theme": ""}


class Face:
    """What Python says to a desk, the same in a cell and on a page.

    Attributes:
        view: What is looked at; setting it moves the controls as a hand does.
        setup: The Setup of the view; the same.
    """

    _desk: Desk

    def _look(self, view: View) -> None:
        """Look at another View and tell the page."""
        raise NotImplementedError

    @property
    def view(self) -> View:
        """What is looked at.

        Raises:
            RulekitError: when set: the rule refuses these stats; all stays as it was.
        """
        return self._desk.view

    @view.setter
    def view(self, view: View) -> None:
        self._look(view)

    @property
    def setup(self) -> Setup[Any]:
        """The rule with the arguments that the controls show; see `view`."""
        return self._desk.view.setup

    @setup.setter
    def setup(self, setup: Setup[Any]) -> None:
        self._look(self.view.of(setup))

    def set(self, changes: Mapping[str, Any]) -> None:
        """Set stats by path, as `Setup.at` does.

        Raises:
            StatError: names the path, the value and what is allowed.
        """
        self.setup = self.setup.at(changes)
