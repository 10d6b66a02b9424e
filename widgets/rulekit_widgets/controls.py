"""The controls of a Setup as data, a tree of groups with a leaf for every stat; and the changes they make."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from rulekit.errors import StatError
from rulekit.rules import Entry, Part, Setup, StatInfo, Stats
from rulekit.rules.loadouts import Loadout, available

__all__ = ["Loadouts", "changed", "control_tree", "edited"]


class Loadouts:
    """The named entries that can be put where a model stands: shipped ones and a user's own.

    Args:
        folder: Where the user's files are; None for `./loadouts/<game>`.
    """

    def __init__(self, folder: str | Path | None = None) -> None:
        self._folder = folder
        self._found: dict[type[Stats], dict[str, Loadout[Any]]] = {}

    def of(self, cls: type[Stats]) -> dict[str, Loadout[Any]]:
        """The entries for a class by name.

        Raises:
            StatError: a file holds something that is not allowed.
        """
        if not issubclass(cls, Entry):
            return {}
        if cls not in self._found:
            self._found[cls] = available(cls, self._folder)
        return self._found[cls]


def control_tree(setup: Setup[Any], loadouts: Loadouts) -> list[dict[str, Any]]:
    """What the page builds its form from: groups with `children`, and leaves without their values.

    A group has `kind` "group", "list" (a tuple of models: its items can be added and removed) or "part" (its
    `options` are kinds). A list of parts has `options` too: what an item that is added can be. Every control
    has `path`, `kind`, `label`, `help`; a leaf also `unit`, `min`, `max`, `step`, `options`.
    """
    roots: list[dict[str, Any]] = []
    groups: dict[str, dict[str, Any]] = {}
    models = setup.models

    def group(path: str) -> list[dict[str, Any]]:
        """The children of the group at a path, which is made where it is not there yet."""
        if not path:
            return roots
        if path not in groups:
            parent, _, name = path.rpartition(".")
            siblings = group(parent)
            number = (
                f"{groups[parent]['label']} {int(name) + 1}" if name.isdecimal() and parent in groups else ""
            )
            groups[path] = {
                "kind": "group",
                "path": path,
                "label": number or _label(name),
                "help": _help(models.get(path)),
                "children": [],
                "removable": bool(number),
                **_choices(setup, path, models.get(path), loadouts),
            }
            siblings.append(groups[path])
        children: list[dict[str, Any]] = groups[path]["children"]
        return children

    for info in setup.stats:
        parent = info.path.rpartition(".")[0]
        if info.kind == "tuple":
            group(info.path)
            groups[info.path].update(kind="list", label=_label(info.label), help=info.help)
            if info.choices:
                items = setup.get(info.path)
                groups[info.path].update(
                    options=_options(info), value=items[-1].kind if items else info.choices[0]
                )
        elif info.kind == "part":
            group(info.path)
            told = {"label": _label(info.label), "help": info.help, "value": info.value}
            groups[info.path].update(kind="part", options=_options(info), **told)
        else:
            group(parent).append(
                _leaf(info, within=_label(info.label.partition(": ")[0]) == _name_of(groups, parent))
            )
    return roots


def _name_of(groups: Mapping[str, dict[str, Any]], path: str) -> str:
    return str(groups[path]["label"]) if path in groups else ""


def _options(info: StatInfo) -> list[dict[str, Any]]:
    return [{"value": choice, "label": _label(str(choice))} for choice in info.choices]


def _leaf(info: StatInfo, within: bool) -> dict[str, Any]:
    leaf: dict[str, Any] = {
        "kind": info.kind,
        "path": info.path,
        # A mapping's level is named after its key: the group says the rest.
        "label": _label(info.label.partition(": ")[2] or info.label if within else info.label),
        "help": info.help,
        "unit": info.unit,
    }
    if info.kind in ("whole", "decimal"):
        leaf.update(min=_number(info.low), max=_number(info.high), step=_number(info.step))
        span = info.span()
        if (
            info.kind == "decimal"
            and info.step is None
            and len(span) > 1
            and None not in (info.low, info.high)
        ):
            leaf["slide"] = _number(span[1] - span[0])
    if info.kind == "choice":
        leaf["options"] = _options(info)
    return leaf


def _number(x: Any) -> int | float | None:
    return x if x is None or isinstance(x, int) else float(x)


def _label(name: str) -> str:
    text = name.replace("_", " ")
    return text[:1].upper() + text[1:]


def _help(cls: type[Stats] | None) -> str:
    own = inspect.cleandoc(cls.__doc__) if cls is not None and cls.__doc__ else ""
    return own.partition("\n")[0]


def _choices(setup: Setup[Any], path: str, cls: type[Stats] | None, loadouts: Loadouts) -> dict[str, Any]:
    entries = loadouts.of(cls) if cls is not None else {}
    if not entries:
        return {}
    here = setup.get(path)
    return {
        "loadouts": [
            {"value": name, "label": f"{name} (sample)" if entry.sample else name}
            for name, entry in entries.items()
        ],
        "loaded": next((name for name, entry in entries.items() if entry.model == here), ""),
    }


# -- changes -----------------------------------------------------------------------------------------------


def changed(setup: Setup[Any], changes: Mapping[str, Any]) -> Setup[Any]:
    """The Setup with the values that the page sends.

    Raises:
        StatError: names the path, the value and what is allowed.
    """
    return setup.at({path: _as_held(setup.get(path), value) for path, value in changes.items()})


def _as_held(held: Any, value: Any) -> Any:
    """A number from the page in the exact kind that stands there: the page knows floats only."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        if isinstance(held, (Fraction, Decimal)):
            return type(held)(str(value))
        if isinstance(held, float):
            return float(value)
    return value


def edited(setup: Setup[Any], edit: Mapping[str, Any], loadouts: Loadouts) -> Setup[Any]:
    """The Setup after an edit that changes which stats there are.

    Args:
        setup: Before.
        edit: `op` and `path`: "part" and "load" with a `value` (a kind, the name of an entry), "add" and
            "remove" for the items of a tuple. What is added is like the last item; with a `value` that is
            another kind, one of that kind.
        loadouts: The entries that can be loaded.

    Raises:
        StatError: there is no such edit, path or entry, or the result is not allowed.
    """
    op, path, value = edit.get("op"), str(edit.get("path", "")), edit.get("value")
    if op == "part":
        return setup.at({path: {"kind": value}})
    if op == "load":
        entries = loadouts.of(setup.models.get(path, Part))
        if value not in entries:
            raise StatError(f"{path}: there is no entry {value!r}; there are {', '.join(entries) or 'none'}")
        return setup.at({path: entries[value].model})
    if op == "add":
        items = setup.get(path)
        last = items[-1] if items else None
        if value is not None and value != getattr(last, "kind", None):
            return setup.at({f"{path}.{len(items)}": {"kind": value}})
        return setup.at({f"{path}.{len(items)}": {} if last is None else last})
    if op == "remove":
        parent, _, index = path.rpartition(".")
        items = setup.get(parent)
        return setup.at({parent: tuple(item for i, item in enumerate(items) if str(i) != index)})
    raise StatError(f"{op!r} is no edit; there are part, load, add, remove")
