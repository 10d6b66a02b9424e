"""The chapter's tables, as they stand in `data/`: a TOML file a kind, a table an entry.

An entry says where it comes from: `source = "AE"` is printed in the chapter, `sample = true` is not.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from rulekit.errors import RulekitError

__all__ = ["entries", "column", "by_rows", "faces_of", "sample_note"]


@cache
def entries(kind: str) -> Mapping[str, Mapping[str, Any]]:
    """The entries of `data/<kind>.toml` by name, in the order of the file; an unknown kind is an error.

    >>> entries("reactions")["uncertain"]["diplomacy_dl"]
    15
    >>> list(entries("morale"))
    ['flee', 'retreat', 'continue', 'fight to the death']
    """
    home = files(__package__) / "data"
    file = home / f"{kind}.toml"
    if not file.is_file():
        names = [entry.name for entry in home.iterdir() if entry.name.endswith(".toml")]
        kinds = ", ".join(sorted(name.removesuffix(".toml") for name in names))
        raise RulekitError(f"no table {kind!r}; there are {kinds}")
    return MappingProxyType(tomllib.loads(file.read_text(encoding="utf-8")))


def column(kind: str, name: str) -> dict[str, Any]:
    """One column of a table: entry -> its value.

    >>> column("reactions", "diplomacy_dl")["likely hostile"]
    20
    """
    return {entry: row[name] for entry, row in entries(kind).items()}


def by_rows(kind: str, rows: str, value: str | None = None) -> dict[str, Any]:
    """A table as `rulekit.table` takes it: the book's own ranges -> the entry's name, or one of its columns.

    >>> by_rows("reactions", "faces")["2-7"]
    'likely hostile'
    >>> by_rows("reactions", "faces", "diplomacy_dl")["2-7"]
    20
    """
    return {row[rows]: entry if value is None else row[value] for entry, row in entries(kind).items()}


def faces_of(rows: str) -> range:
    """The faces of a range as the book prints it, "7" or "2-7".

    >>> list(faces_of("2-4")), list(faces_of("16"))
    ([2, 3, 4], [16])
    """
    first, _, last = rows.partition("-")
    return range(int(first), int(last or first) + 1)


def sample_note(kind: str) -> str | None:
    """The line that a view must show where a rule reads sample data, None for a table printed whole.

    >>> sample_note("hit_locations")
    'hit locations: sample data, not printed in the chapter'
    >>> sample_note("reactions")
    """
    if any(row.get("sample") for row in entries(kind).values()):
        return f"{kind.replace('_', ' ')}: sample data, not printed in the chapter"
    return None
