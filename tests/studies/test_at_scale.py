"""Sweeps in a store: the same numbers as in memory, with Dask and without, and after a kill."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.attack15 import SETUP
from rulekit import Dist, NotAllowed, Roll, StatError, TooLarge, roll, rule, sweep
from rulekit.distributions import d
from rulekit.studies import at_scale, sweeping
from rulekit.studies.at_scale import StoredSweep

OVER: dict[str, Any] = {
    "attacker.attack_bonus": range(12),
    "defender.defense": range(12, 20),
    "attacker.bonus": range(9),
}
MEASURES = ["hit", "damage", "damage.sd", "damage >= 10"]


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(at_scale, "POINTS_A_TASK", 100)


@pytest.fixture
def client() -> Iterator[Any]:
    from distributed import Client

    with Client(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as workers:
        yield workers


def _same(stored: Any, held: Any) -> None:
    for name in held.grids:
        assert stored.data[name].dims == tuple(held.over)
        np.testing.assert_allclose(stored.data[name].values, held.data[name].values, rtol=1e-14, atol=1e-300)
        np.testing.assert_array_equal(stored.data[name].coords[name_of(held)], held.data[name_of(held)])


def name_of(held: Any) -> str:
    return str(next(iter(held.over)))


def test_a_store_holds_what_memory_holds(tmp_path: Path) -> None:
    stored = sweep(SETUP, OVER, MEASURES, store=tmp_path / "store")
    assert isinstance(stored, StoredSweep)
    _same(stored, sweep(SETUP, OVER, MEASURES))
    assert stored.grids["hit"].at(
        **{"attacker.attack_bonus": 3, "defender.defense": 17, "attacker.bonus": 2}
    ) == (pytest.approx(float(sweep(SETUP, {"attacker.attack_bonus": [3]}, ["hit"]).grids["hit"].flat[0])))
    assert "864 combinations" in stored.sentence
    assert stored.tables()[0].rows[0][:2] == ("attacker.attack_bonus", "12")


def test_with_dask_as_without(tmp_path: Path, client: Any) -> None:
    with_dask = sweep(SETUP, OVER, MEASURES, store=tmp_path / "one", client=client)
    without = sweep(SETUP, OVER, MEASURES, store=tmp_path / "two")
    for name in MEASURES:
        one, two = with_dask.data[name].values, without.data[name].values
        assert not np.isnan(one).any()
        np.testing.assert_array_equal(one, two)


def test_a_rule_of_a_notebook_cannot_go_to_other_processes(tmp_path: Path) -> None:
    class Elsewhere:
        def run(self, _: Any) -> dict[str, int]:
            return {"tcp://worker": -1}

    @rule()
    def own(x: int = 0) -> Roll[int]:
        return roll(d(6)) + x

    own.__module__ = "__main__"  # as it is in a notebook
    with pytest.raises(StatError, match="put it into a module"):
        sweep(own.setup(), {"x": range(5)}, store=tmp_path / "store", client=Elsewhere())


def test_choices_and_places_where_a_rule_does_not_apply(tmp_path: Path) -> None:
    @rule()
    def odd(x: int = 0, aimed: bool = False, y: int = 0) -> Roll[int]:
        if x == 3:
            raise NotAllowed("YY-1", "not at 3")
        return roll(d(6)) + x * y + (100 if aimed else 0)

    over = {"x": range(6), "aimed": [False, True], "y": range(40)}
    stored = sweep(odd.setup(), over, store=tmp_path / "store")
    held = sweep(odd.setup(), over)
    np.testing.assert_array_equal(stored.data["result"].values, held.data["result"].values)
    assert np.isnan(stored.data["result"].sel(x=3).values).all()


def test_a_finished_store_is_not_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sweep(SETUP, OVER, ["hit"], store=tmp_path / "store")
    monkeypatch.setattr(at_scale, "_values", lambda *_: pytest.fail("a part was done again"))
    again = sweep(SETUP, OVER, ["hit"], store=tmp_path / "store")
    assert float(again.data["hit"].max()) <= 1


_LONG = """
import sys
from benchmarks.attack15 import SETUP
from rulekit import sweep
from rulekit.studies import at_scale
from tests.studies.test_at_scale import MEASURES, OVER
at_scale.POINTS_A_TASK = 100
work = at_scale._values
def slowly(*given):
    sys.stdin.readline()  # a line for every part that may be done
    return work(*given)
at_scale._values = slowly
sweep(SETUP, OVER, MEASURES, store=sys.argv[1])
"""


def test_a_sweep_that_was_killed_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = tmp_path / "store"
    running = subprocess.Popen(
        [sys.executable, "-c", _LONG, str(store)], stdin=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, "."])},
    )  # fmt: skip
    assert running.stdin is not None
    running.stdin.write("\n" * 4)
    running.stdin.flush()
    marks = store / "finished" / "c"
    deadline = time.monotonic() + 60
    while len(list(marks.glob("*")) if marks.exists() else []) < 4:
        assert running.poll() is None
        assert time.monotonic() < deadline
    running.send_signal(signal.SIGKILL)
    running.wait()
    running.stdin.close()

    done: list[int] = []
    work = at_scale._values
    monkeypatch.setattr(at_scale, "_values", lambda *given: done.append(1) or work(*given))
    stored = sweep(SETUP, OVER, MEASURES, store=store)
    parts = math.prod(map(len, OVER.values())) // 72  # a part is a bonus of the first stat
    assert len(done) == parts - 4
    _same(stored, sweep(SETUP, OVER, MEASURES))


@pytest.mark.parametrize("chunk", ["0/0/0", "0/1/0", "11/1/0"])  # the last two at the edge of the grid
def test_a_part_that_was_cut_short_is_done_again(
    tmp_path: Path, chunk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(at_scale, "POINTS_A_TASK", 50)
    store = tmp_path / "store"
    sweep(SETUP, OVER, ["hit"], store=store)
    part = int(chunk.split("/")[0]) * 2 + int(chunk.split("/")[1])
    (store / "hit" / "c" / chunk).write_bytes(b"cut")
    (store / "finished" / "c" / str(part)).write_bytes(b"")
    _same(sweep(SETUP, OVER, ["hit"], store=store), sweep(SETUP, OVER, ["hit"]))


def test_another_sweep_does_not_go_into_a_store(tmp_path: Path) -> None:
    sweep(SETUP, OVER, ["hit"], store=tmp_path / "store")
    for setup, over, measures in (
        (SETUP, OVER, ["damage"]),
        (SETUP, {**OVER, "attacker.bonus": range(8)}, ["hit"]),
        (SETUP.at({"distance": 20}), OVER, ["hit"]),
    ):
        with pytest.raises(StatError, match="holds another sweep"):
            sweep(setup, over, measures, store=tmp_path / "store")
    (tmp_path / "file").mkdir()
    (tmp_path / "file" / "notes.txt").write_text("mine")
    with pytest.raises(StatError, match="something else than a sweep"):
        sweep(SETUP, OVER, ["hit"], store=tmp_path / "file")
    assert (tmp_path / "file" / "notes.txt").read_text() == "mine"


def test_a_store_knows_a_function_by_what_it_does_and_a_name_by_what_it_stands_for(tmp_path: Path) -> None:
    @rule()
    def swing(bonus: int = 0, weapon: Dist = d(6)) -> Roll[int]:
        return roll(weapon) + bonus

    def least(n: int) -> Any:
        return lambda result: result >= n

    setup, over = swing.setup(), {"bonus": range(3)}
    sweep(setup, over, [lambda result: result >= 3], store=tmp_path / "constant")
    with pytest.raises(StatError, match="holds another sweep"):
        sweep(setup, over, [lambda result: result >= 6], store=tmp_path / "constant")
    sweep(setup, over, [least(3)], store=tmp_path / "held")
    with pytest.raises(StatError, match="holds another sweep"):
        sweep(setup, over, [least(6)], store=tmp_path / "held")
    stored = sweep(setup, over, [least(3)], store=tmp_path / "held")
    assert list(stored.grids["<lambda>"].flat) == pytest.approx([4 / 6, 5 / 6, 1])
    sweep(setup, {"weapon": {"axe": d(8), "club": d(4)}}, store=tmp_path / "name")
    with pytest.raises(StatError, match="holds another sweep"):
        sweep(setup, {"weapon": {"axe": d(12), "club": d(4)}}, store=tmp_path / "name")


def test_what_a_store_cannot_hold(tmp_path: Path) -> None:
    with pytest.raises(StatError, match=r"damage\.pmf is not one number"):
        sweep(SETUP, OVER, ["damage.pmf"], store=tmp_path / "store")
    with pytest.raises(TooLarge, match="a store holds floats"):
        sweep(SETUP, OVER, ["hit"], store=tmp_path / "store", exact=True)


def test_a_grid_too_large_for_memory_gets_a_store_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sweeping, "MOST_IN_MEMORY", 500)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    stored = sweep(SETUP, OVER, ["hit"], progress=True)
    assert isinstance(stored, StoredSweep)
    assert stored.store.parent == tmp_path
    assert capsys.readouterr().err.endswith("12 of 12 parts\n")


def test_a_large_grid_starts_workers_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(at_scale, "POINTS_ALONE", 1)
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    stored = sweep(SETUP, OVER, ["hit"], store=tmp_path / "store")
    np.testing.assert_array_equal(
        stored.data["hit"].values,
        sweep(SETUP, OVER, ["hit"], store=tmp_path / "other", client=None).data["hit"],
    )
