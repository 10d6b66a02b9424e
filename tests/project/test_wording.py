"""Nothing in the project is copied from the rulebooks' own sentences."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.project.tree import ROOT, texts

SEEDS = ROOT.parent / "shared" / "seeds"
RUN = 8


def words(text: str) -> list[str]:
    return [word for word in re.findall(r"[^\W\d_]+", text.lower()) if len(word) >= 3]


def runs(text: str) -> Iterator[tuple[str, ...]]:
    found = words(text)
    return (tuple(found[start : start + RUN]) for start in range(len(found) - RUN + 1))


def prose(path: Path, text: str) -> str:
    """What a reader sees of a file: a notebook's cells, not its JSON with its escapes."""
    if path.suffix == ".ipynb":
        return "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    return text


def is_game_data(path: Path) -> bool:
    return path.parts[:2] == ("rulekit", "games") and "data" in path.parts


def test_a_copied_run_is_found() -> None:
    sentence = "The attacker rolls all of the dice and then adds every bonus together, once"
    copied = "# the attacker rolls: ALL of the dice (and then adds\n# every bonus"
    assert set(runs(sentence)) & set(runs(copied))
    assert not set(runs(sentence)) & set(runs(copied.replace("dice", "coins")))


def test_no_eight_words_in_a_row_come_from_the_rulebooks() -> None:
    if not SEEDS.is_dir():
        pytest.skip("the rulebook chapters are not beside this checkout (../shared/seeds)")
    chapters = {run for seed in SEEDS.glob("*.txt") for run in runs(seed.read_text(encoding="utf-8"))}
    assert chapters, "../shared/seeds holds no text"
    copied = {
        f"{path}: {' '.join(run)}"
        for path, text in texts().items()
        if not is_game_data(path)
        for run in runs(prose(path, text))
        if run in chapters
    }
    assert not copied, "\n".join(sorted(copied))
