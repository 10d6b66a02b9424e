"""The case files: figures that were computed apart from rulekit, as exact fractions.

``cases.json`` holds the rulebooks' own, ``field_cases.json`` what people reported of other tools.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent


def _read(name: str) -> list[dict[str, Any]]:
    cases: list[dict[str, Any]] = json.loads((_HERE / name).read_text(encoding="utf-8"))
    return cases


def game_cases(kind: str) -> list[dict[str, Any]]:
    """The cases whose id begins with ``kind`` ("AE", "AE-attack", "EL-overwhelm", ...), at least one."""
    cases = [case for case in _read("cases.json") if case["id"].startswith(kind + "-")]
    if not cases:
        raise LookupError(f"no case of kind {kind!r}")
    return cases


def field_case(name: str) -> dict[str, Any]:
    """The one case called ``name`` ("A1")."""
    return next(case for case in _read("field_cases.json") if case["id"] == name)
