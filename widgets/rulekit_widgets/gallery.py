"""The gallery of all games and their rules, and what a visitor of a served page gets."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import json
import pkgutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import panel as pn
import param
from panel.custom import AnyWidgetComponent

from rulekit.errors import RulekitError
from rulekit.rules import Rule
from rulekit.rules.registry import find_rule, registered, rules_of
from rulekit_widgets.links import view_of
from rulekit_widgets.page import Page, module, styles
from rulekit_widgets.views import View

__all__ = ["load", "serve", "visit"]

_GAMES = "rulekit.games"
"""Named here and never imported by name: widgets know no game, and a new one is found as it is put there."""

_PAGE = """
{% extends base %}
{% block postamble %}
<meta name="viewport" content="width=device-width, initial-scale=1">
{% endblock %}
{% block contents %}<main>{{ embed(roots.page) }}</main>{% endblock %}
"""


@functools.cache
def _games() -> tuple[str, ...]:
    """The packages of all games, imported."""
    home = importlib.import_module(_GAMES)
    names = [f"{_GAMES}.{found.name}" for found in pkgutil.iter_modules(home.__path__) if found.ispkg]
    for name in names:
        importlib.import_module(name)
    return tuple(names)


def load(path: str | Path) -> None:
    """Import a file of one's own rules, so that the gallery has them.

    Raises:
        RulekitError: there is no such file, or another module has its name.
    """
    file = Path(path).resolve()
    name = file.stem
    if file.suffix != ".py" or not file.is_file():
        raise RulekitError(f"{path}: there is no such Python file")
    if not name.isidentifier():
        raise RulekitError(f"{path}: {name!r} is no name for a module; give the file another")
    spec = importlib.util.find_spec(name)
    if spec is None:
        sys.path.insert(0, str(file.parent))
    elif spec.origin != str(file):
        raise RulekitError(f"{path}: there is another module named {name!r}; give the file another name")
    importlib.import_module(name)


def _groups() -> Iterator[tuple[str, str, tuple[Rule[..., Any], ...]]]:
    """Title, line and rules of every game, and of every module with rules of one's own."""
    shown = set()
    for package in _games():
        line = (sys.modules[package].__doc__ or "").partition("\n")[0]
        title, _, about = line.partition(": ")
        rules = rules_of(package)
        shown.update(rule.id for rule in rules)
        yield title, about, rules
    own: dict[str, list[Rule[..., Any]]] = {}
    for rule in registered():
        if rule.id not in shown and not rule.__module__.startswith(_GAMES):
            own.setdefault(rule.__module__, []).append(rule)
    for name, rules_ in own.items():
        line = (sys.modules[name].__doc__ or "").partition("\n")[0] if name in sys.modules else ""
        yield name, line, tuple(rules_)


def entries() -> list[dict[str, Any]]:
    """The gallery as data: groups with `title`, `doc` and `rules`, each `title`, `doc`, `sources`, `link` and
    the `words` by which it is found.
    """
    return [
        {"title": title, "doc": about, "rules": [_entry(rule) for rule in rules]}
        for title, about, rules in _groups()
        if rules
    ]


def _entry(rule: Rule[..., Any]) -> dict[str, str]:
    title = rule.name.replace("_", " ")
    doc, link = rule.doc.partition("\n")[0], f"?rule={rule.id}"
    if rule.default is None:
        doc, link = f"{doc} (some of its stats have no default: open it from Python)".strip(), ""
    return {
        "title": title[:1].upper() + title[1:],
        "doc": doc,
        "sources": ", ".join(rule.sources),
        "link": link,
        "words": " ".join([rule.id, *(info.label for info in rule.stats)]) if rule.default else rule.id,
    }


class Gallery(AnyWidgetComponent):
    """The gallery's front end; what each parameter carries is said in gallery.js."""

    entries = param.String()
    trouble = param.String()

    _esm = module("gallery.js", "renderGallery")
    _stylesheets: ClassVar[list[str]] = [styles()]


def visit() -> pn.Template:
    """What a visitor sees, by the address: `?view=` a link's View, `?rule=` a rule as it stands, else the
    gallery. What does not open says why in one line, above the gallery.

    A file of two lines is an app for `panel serve`: `from rulekit_widgets.gallery import visit` and
    `visit().servable()`.
    """
    _games()
    asked = {name: values[-1].decode(errors="replace") for name, values in pn.state.session_args.items()}
    shown: Any = None
    title, trouble = "Rules", ""
    try:
        view = None
        if "view" in asked:
            view = view_of(asked["view"])
        elif "rule" in asked:
            view = View(find_rule(asked["rule"][:200]).setup())
        if view is not None:
            shown = Page(view, address=True, home="?")
            title = view.setup.rule.name.replace("_", " ").capitalize()
    except RulekitError as fault:
        trouble = str(fault).partition("\n")[0]
    if shown is None:
        shown = Gallery(entries=json.dumps(entries()), trouble=trouble, sizing_mode="stretch_width")
    if pn.state.curdoc is not None:
        pn.state.curdoc.title = title
    page = pn.Template(_PAGE)
    page.add_panel("page", shown)
    return page


def serve(
    files: Iterable[str | Path] = (), *, port: int = 5006, address: str = "127.0.0.1", show: bool = True
) -> None:
    """Serve the gallery until it is stopped.

    Args:
        files: Python files with rules of one's own.
        port, address: Where; by default for this machine alone.
        show: Whether to open a browser.

    Raises:
        RulekitError: a file cannot be imported as a module.
    """
    for file in files:
        load(file)
    _games()
    importlib.import_module("rulekit_widgets.maps")  # seconds that the first visitor need not wait
    pn.serve(
        visit,
        port=port,
        address=address,
        show=show,
        title="rulekit",
        websocket_origin=[f"{address}:{port}", f"localhost:{port}", f"127.0.0.1:{port}"],
    )
