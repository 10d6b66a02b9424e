"""The files of the project, as the tests about the tree itself see them."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

BINARY = {".png", ".jpg", ".ico", ".woff2"}


@cache
def tracked() -> tuple[Path, ...]:
    """Every file that git holds or would take in (so not what .gitignore names)."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    paths = (ROOT / name for name in listed.stdout.decode().split("\0") if name)
    return tuple(sorted(path for path in paths if path.is_file()))


@cache
def texts() -> dict[Path, str]:
    """The text files, by their path from the root."""
    return {
        path.relative_to(ROOT): path.read_text(encoding="utf-8")
        for path in tracked()
        if path.suffix not in BINARY
    }
