"""Sweeps too large for memory: in parts, perhaps on a Dask cluster, into a Zarr store that outlives them."""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import math
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from rulekit.errors import RulekitError, StatError
from rulekit.rolls import Grid
from rulekit.rules import Setup, plain_data
from rulekit.studies.results import Table
from rulekit.studies.sweeping import Range, Sweep, Wanted, blocks_of, sweep_ranges

if TYPE_CHECKING:
    import xarray

__all__ = ["StoredSweep", "sweep_into"]

POINTS_A_TASK = 65_536
"""How many points a task takes and a chunk of the store holds: half a megabyte a measure."""

POINTS_ALONE = 500_000
"""Fewer points than that are worth no cluster."""

_FORM = 1


@dataclass(frozen=True, eq=False, repr=False)
class StoredSweep(Sweep):
    """A Sweep that lies in a Zarr store; what is asked for is read from there.

    Attributes:
        store: Where it lies.
    """

    store: Path

    @functools.cached_property
    def data(self) -> xarray.Dataset:
        """The measures as an `xarray.Dataset` that reads from the store what is used; in Dask arrays, so that
        a mean or maximum over it all goes chunk by chunk too.
        """
        import xarray

        stored: xarray.Dataset = xarray.open_zarr(self.store, consolidated=False, chunks={})
        return stored.assign_coords(
            {path: list(map(_coordinate, coords)) for path, coords in self.over.items()}
        )

    @property
    def sentence(self) -> str:
        """How many combinations there are, of what, and where they lie."""
        count = math.prod(map(len, self.over.values()))
        return f"{self.setup.rule.id}: {', '.join(self.grids)} at {count:,} combinations, in {self.store}."

    def tables(self, mode: Any = "percent") -> tuple[Table, ...]:
        """A row a stat: how many values, and which."""
        rows = [
            (path, f"{len(coords):,}", str(coords[0]), str(coords[-1])) for path, coords in self.over.items()
        ]
        return (Table(("stat", "values", "first", "last"), rows),)


class _StoredGrids(Mapping[str, Grid]):
    """The measures of a store as Grids, each read whole when it is asked for."""

    def __init__(self, store: Path, names: Sequence[str], over: Mapping[str, tuple[Any, ...]]) -> None:
        self._store, self._names, self._over = store, tuple(names), over

    def __getitem__(self, name: str) -> Grid:
        import zarr

        if name not in self._names:
            raise KeyError(name)
        values = zarr.open_array(self._store, path=name, mode="r")[...]
        return Grid(tuple(self._over), self._over, values)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def sweep_into(
    setup: Setup[Any],
    ranges: Mapping[str, Range],
    measures: Sequence[Wanted],
    *,
    store: str | Path | None,
    client: Any = None,
    progress: bool | None = None,
) -> StoredSweep:
    """Sweep in parts into a Zarr store; parts that are there already are not done again.

    Args:
        setup, ranges, measures: What to sweep over what.
        store: A folder; a new one below the temporary folder where None.
        client: A Dask client; by default one on this machine's processors where the grid is worth it.
        progress: Whether to show a bar on the standard error stream; by default where that is a terminal.

    Raises:
        StatError: the store holds another sweep, or a measure is not one number.
        RulekitError: Zarr or Dask is not installed.
    """
    over = {path: each.coords for path, each in ranges.items()}
    sizes = {path: len(coords) for path, coords in over.items()}
    blocks = list(blocks_of(sizes, POINTS_A_TASK))
    first = _block(setup, _part(ranges, {path: range(1) for path in ranges}), measures)
    for name, question in first.questions.items():
        if question == "dist":
            raise StatError(
                f"{name} is not one number, and a store holds those: name measures, such as 'hit'"
            )
    names = tuple(first.grids)
    path = Path(tempfile.mkdtemp(prefix="rulekit-sweep-")) if store is None else Path(store)
    group = _opened(path, _identity(setup, ranges, measures, names), over, names, blocks)
    waiting = [i for i in range(len(blocks)) if not _is_finished(group, i)]
    with _bar(progress, len(blocks), len(blocks) - len(waiting)) as tick:
        for i, values in _worked(setup, ranges, measures, blocks, waiting, client):
            where = tuple(slice(part.start, part.stop) for part in blocks[i].values())
            for name, array in values.items():
                group[name][where] = array
            group["finished"][i] = 1  # after its values: a part that a kill cut short is done again
            tick()
    grids = _StoredGrids(path, names, over)
    return StoredSweep(setup, over, grids, {}, first.infos, first.questions, path)


# -- working -----------------------------------------------------------------------------------------------


def _part(ranges: Mapping[str, Range], block: Mapping[str, range]) -> dict[str, Range]:
    return {path: each.part(block[path]) for path, each in ranges.items()}


def _block(setup: Setup[Any], ranges: Mapping[str, Range], measures: Sequence[Wanted]) -> Sweep:
    return sweep_ranges(setup, ranges, measures, exact=False)


def _values(setup: Setup[Any], ranges: Mapping[str, Range], measures: Sequence[Wanted]) -> dict[str, Any]:
    """What a task gives back: the values of every measure in a part, as arrays."""
    import numpy as np

    shape = [len(each.coords) for each in ranges.values()]
    found = _block(setup, ranges, measures)
    return {name: np.array(grid.flat, dtype=float).reshape(shape) for name, grid in found.grids.items()}


def _worked(
    setup: Setup[Any],
    ranges: Mapping[str, Range],
    measures: Sequence[Wanted],
    blocks: Sequence[Mapping[str, range]],
    waiting: Sequence[int],
    client: Any,
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The values of the parts that wait, in whatever order they are ready; few at once, so that memory stays
    flat.
    """
    points = sum(math.prod(map(len, blocks[i].values())) for i in waiting)
    if client is None and points < POINTS_ALONE:
        for i in waiting:
            yield i, _values(setup, _part(ranges, blocks[i]), measures)
        return
    with _client(client, setup) as workers:
        from distributed import as_completed

        most = 2 * max(1, sum(workers.nthreads().values()))
        rest = iter(waiting)

        def submitted(i: int) -> Any:
            future = workers.submit(_values, setup, _part(ranges, blocks[i]), measures, pure=False)
            numbers[future.key] = i
            return future

        numbers: dict[str, int] = {}
        begun = [submitted(i) for i in itertools.islice(rest, most)]
        running: Any = as_completed(begun)  # type: ignore[no-untyped-call]
        for future in running:
            yield numbers.pop(future.key), future.result()
            future.release()
            for i in itertools.islice(rest, 1):
                running.add(submitted(i))


@contextmanager
def _client(client: Any, setup: Setup[Any]) -> Iterator[Any]:
    # Other processes cannot import a rule that was written in a notebook; threads share it.
    apart = setup.rule.__module__ != "__main__"
    if client is not None:
        if not apart and os.getpid() not in client.run(os.getpid).values():
            raise StatError(
                f"{setup.rule.id} was written here, where the workers cannot import it: put it into a "
                "module, or give Client(processes=False)"
            )
        yield client
        return
    try:
        from distributed import Client
    except ImportError:
        raise RulekitError(
            "a sweep this large works on a Dask cluster: pip install 'rulekit-ttrpg[dask]'"
        ) from None
    count = os.cpu_count() or 1
    with Client(  # type: ignore[no-untyped-call]
        n_workers=count if apart else 1, threads_per_worker=1 if apart else count, processes=apart,
        dashboard_address=None,
    ) as own:  # fmt: skip
        yield own


# -- the store ---------------------------------------------------------------------------------------------


def _identity(
    setup: Setup[Any],
    ranges: Mapping[str, Range],
    measures: Sequence[Wanted],
    names: Sequence[str],
) -> dict[str, Any]:
    """What a store must have been made for to go on with it."""
    over = {path: list(map(str, each.coords)) for path, each in ranges.items()}
    # A name stands for what it was given for.
    choices = {path: plain_data(each.values) for path, each in ranges.items() if not each.is_axis}
    functions = [_meaning(each) for each in measures if callable(each)]
    stats = json.dumps([setup.to_dict(), over, choices, functions])
    return {
        "form": _FORM,
        "rule": setup.rule.id,
        "measures": list(names),
        "stats": list(over),
        "key": hashlib.sha256(stats.encode()).hexdigest(),
    }


def _meaning(part: Any) -> Any:
    """What a function does, for a key: its instructions with their names and constants, and what it was given
    from outside.
    """
    if isinstance(part, CodeType):
        return [part.co_code.hex(), part.co_names, *map(_meaning, part.co_consts)]
    if isinstance(part, FunctionType):
        held = [
            getattr(cell.cell_contents, "__code__", cell.cell_contents) for cell in part.__closure__ or ()
        ]
        return [
            _meaning(part.__code__),
            repr(part.__defaults__),
            repr(part.__kwdefaults__),
            *map(_meaning, held),
        ]
    return sorted(map(repr, part)) if isinstance(part, frozenset) else repr(part)


def _opened(
    path: Path,
    identity: Mapping[str, Any],
    over: Mapping[str, tuple[Any, ...]],
    names: Sequence[str],
    blocks: Sequence[Mapping[str, range]],
) -> Any:
    try:
        import zarr
    except ImportError:
        raise RulekitError("a sweep is stored by Zarr: pip install 'rulekit-ttrpg[dask]'") from None
    if path.exists() and any(path.iterdir()):
        try:
            group = zarr.open_group(path, mode="r+")
            known = dict(group.attrs).get("rulekit")
        except (OSError, ValueError) as fault:
            raise StatError(f"{path} holds something else than a sweep: {fault}") from None
        if known != dict(identity):
            raise StatError(f"{path} holds another sweep, or one that was never begun; name another folder")
        return group
    group = zarr.open_group(path, mode="w")
    shape = tuple(len(coords) for coords in over.values())
    chunks = tuple(len(part) for part in blocks[0].values())
    for name in names:
        group.create_array(
            name, shape=shape, chunks=chunks, dtype="float64", fill_value=float("nan"),
            dimension_names=tuple(over),
        )  # fmt: skip
    group.create_array(
        "finished", shape=(len(blocks),), chunks=(1,), dtype="uint8", fill_value=0, compressors=None,
        dimension_names=("part",),
    )  # fmt: skip
    group.attrs["rulekit"] = dict(identity)  # last: only a store that is whole can be gone on with
    return group


def _is_finished(group: Any, i: int) -> bool:
    try:
        return bool(group["finished"][i])
    except (OSError, ValueError):  # a kill left the mark itself half written
        return False


def _coordinate(value: Any) -> Any:
    return value if isinstance(value, (bool, int, str)) else float(value)


@contextmanager
def _bar(progress: bool | None, total: int, done: int) -> Iterator[Any]:
    shown = sys.stderr.isatty() if progress is None else progress
    count = done

    def draw() -> None:
        if shown:
            full = 30 * count // total
            sys.stderr.write(f"\r[{'#' * full}{'.' * (30 - full)}] {count:,} of {total:,} parts")
            sys.stderr.flush()

    def tick() -> None:
        nonlocal count
        count += 1
        draw()

    draw()
    try:
        yield tick
    finally:
        if shown:
            sys.stderr.write("\n")
