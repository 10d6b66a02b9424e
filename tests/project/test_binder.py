"""The published demo is built from what was tested; `make binder-check` rehearses the building itself."""

from __future__ import annotations

import os
import sys

import pytest

from scripts import binder
from tests.project.tree import ROOT


def test_requirements_are_those_that_the_tests_run_with() -> None:
    if "{}.{}".format(*sys.version_info) != binder.wanted_python():
        pytest.skip(f"the demo's versions are for Python {binder.wanted_python()}")
    held = (ROOT / "binder/requirements.txt").read_text(encoding="utf-8")
    assert held == binder.requirements(), "`make binder` writes it anew"


def test_every_requirement_is_pinned() -> None:
    lines = (ROOT / "binder/requirements.txt").read_text(encoding="utf-8").splitlines()
    named = [line for line in lines if not line.startswith("#")]
    assert named[-1] == binder.INSTALL
    assert all(line.count("==") == 1 for line in named[:-1])
    assert {"pydantic", "numpy", "anywidget", "panel"} <= {line.partition("==")[0] for line in named}


def test_post_build_stops_at_the_first_fault() -> None:
    script = ROOT / "binder/postBuild"
    assert os.access(script, os.X_OK)
    assert "set -e" in script.read_text(encoding="utf-8").splitlines()


def test_the_badge_opens_a_notebook_that_is_there() -> None:
    path = binder.launch_path()
    assert path.startswith("lab/tree/")
    assert (ROOT / path.removeprefix("lab/tree/")).is_file()
