"""Loadouts: entries of fighters, weapons, armour, situations in TOML and JSON files."""

from __future__ import annotations

import functools
import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, Generic, TypeVar

import tomli_w

from rulekit import _caches
from rulekit.errors import RulekitError, StatError
from rulekit.rules.fields import fields_of, nearest
from rulekit.rules.models import Entry, Stats, plain_data, validated

__all__ = ["Loadout", "available", "load", "save", "shipped"]

S = TypeVar("S", bound=Stats)


@dataclass(frozen=True)
class Loadout(Generic[S]):
    """A named entry of a loadout file.

    Attributes:
        name: Its name in the file.
        model: The stats.
        source: The rulebook that prints it, "" for none.
        sample: Whether it stands for something that the rulebook leaves to be filled.
        file: Where it was read.
    """

    name: str
    model: S
    source: str
    sample: bool
    file: str


def load(cls: type[S], path: str | Path) -> dict[str, Loadout[S]]:
    """The entries of a TOML or JSON file: a table (or object) each, its name the key.

    An entry holds the fields of `cls`, and perhaps `source = "..."` for a printed one or `sample = true`. A
    model within may be written out or named by an entry of its own kind.

    Raises:
        StatError: file, path, value and what is allowed.
    """
    file = Path(path)
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as fault:
        raise StatError(f"{file}: {fault.strerror or fault}") from None
    return _read(cls, text, file.name, str(file), file.parent)


def save(path: str | Path, models: Mapping[str, Stats]) -> None:
    """Write models as the entries of a TOML or JSON file, whichever the name ends in.

    Raises:
        StatError: the name ends in neither, or a model holds an axis.
    """
    file = Path(path)
    data = {name: plain_data(model) for name, model in models.items()}
    if file.suffix == ".toml":
        text = tomli_w.dumps(data)
    elif file.suffix == ".json":
        text = json.dumps(data, ensure_ascii=False, indent=2) + "\n"
    else:
        raise StatError(f"{file}: a loadout file ends in .toml or .json")
    file.write_text(text, encoding="utf-8")


def shipped(cls: type[S]) -> dict[str, Loadout[S]]:
    """The entries that the game of `cls` ships: those its rulebook prints and its sample set.

    Raises:
        RulekitError: an entry says neither `source` nor `sample`.
    """
    return dict(_shipped(cls))


@functools.lru_cache(maxsize=256)
def _shipped(cls: type[S]) -> dict[str, Loadout[S]]:
    name, package = _file_of(cls), cls.__module__.rpartition(".")[0]
    if not name or not package.startswith("rulekit.games"):
        return {}
    file = resources.files(package) / "data" / name
    found = _read(cls, file.read_text(encoding="utf-8"), name, f"{package}/data/{name}", None)
    for entry in found.values():
        if bool(entry.source) == entry.sample:
            raise RulekitError(
                f"{entry.file}: {entry.name}: a shipped entry has a source or is a sample, not both"
            )
    return found


_caches.register(_shipped.cache_clear)


def available(cls: type[S], folder: str | Path | None = None) -> dict[str, Loadout[S]]:
    """The shipped entries and a user's own, which win where a name is taken.

    Args:
        cls: The kind of entry.
        folder: Where the user's files are; `./loadouts/<game>` by default.
    """
    found = shipped(cls)
    name = _file_of(cls)
    if folder is None:
        folder = Path("loadouts") / game_of(cls)
    file = Path(folder) / name
    if name and file.is_file():
        found.update(load(cls, file))
    return found


def game_of(cls: type[Stats]) -> str:
    """The name of the game (or of the user's module) that a model belongs to."""
    module = cls.__module__.removeprefix("rulekit.games.")
    return module.partition(".")[0]


def _file_of(cls: type[Stats]) -> str:
    return cls.loadout_file if issubclass(cls, Entry) else ""


def _read(cls: type[S], text: str, name: str, where: str, folder: Path | None) -> dict[str, Loadout[S]]:
    try:
        data = json.loads(text) if name.endswith(".json") else tomllib.loads(text)
    except ValueError as fault:
        raise StatError(f"{where}: {fault}") from None
    if not isinstance(data, dict):
        raise StatError(f"{where}: a loadout file is a table of entries")
    return {key: _entry(cls, key, entry, where, folder) for key, entry in data.items()}


def _entry(cls: type[S], name: str, data: Any, where: str, folder: Path | None) -> Loadout[S]:
    if not isinstance(data, dict):
        raise StatError(f"{where}: {name}: {data!r} is not a table of stats")
    stats = dict(data)
    source, sample = stats.pop("source", ""), stats.pop("sample", False)
    if not isinstance(source, str) or not isinstance(sample, bool):
        raise StatError(f"{where}: {name}: source is text and sample is true or false")
    if sample and issubclass(cls, Entry):
        stats["sample"] = True
    for key, field in fields_of(cls).items():
        if field.kind == "model" and isinstance(stats.get(key), str):
            stats[key] = _named(field.type, stats[key], f"{where}: {name}.{key}", folder)
    model = validated(cls, stats, f"{where}: {name}")
    return Loadout(name, model, source, sample, where)


def _named(cls: type[Stats], name: str, where: str, folder: Path | None) -> Stats:
    known = available(cls, folder)
    if name not in known:
        raise StatError(f"{where}: there is no entry {name!r}{nearest(name, known)}")
    return known[name].model
