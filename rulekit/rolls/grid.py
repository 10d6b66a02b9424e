"""Grid: an answer along stat axes as plain Python, which xarray's DataArray stands on where it is there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING, Any

from rulekit.errors import RulekitError, StatError
from rulekit.rolls.expressions import _few

if TYPE_CHECKING:
    import xarray

__all__ = ["Grid"]


class Grid:
    """Values by labelled coordinates.

    Args:
        dims: The dimensions' names, in order.
        coords: For each dimension its coordinates, in order.
        values: Nested sequences or an array in the order of `dims`; for no dimensions the value itself.
        attrs: Whatever else is known: unit, help, sources.

    >>> grid = Grid(("attack",), {"attack": (0, 1)}, [0.5, 0.75])
    >>> grid.shape, grid.at(attack=1)
    ((2,), 0.75)
    """

    __slots__ = ("_flat", "attrs", "coords", "dims", "name")

    def __init__(
        self,
        dims: Sequence[str],
        coords: Mapping[str, Sequence[Any]],
        values: Any,
        attrs: Mapping[str, Any] | None = None,
        name: str | None = None,
    ) -> None:
        self.dims = tuple(dims)
        if set(coords) != set(self.dims):
            raise RulekitError(
                f"a Grid has coordinates for each of its dims {self.dims}, not for {tuple(coords)}"
            )
        self.coords = {dim: tuple(coords[dim]) for dim in self.dims}
        self.attrs = dict(attrs or {})
        self.name = name
        if hasattr(values, "reshape"):
            flat: Any = values.reshape(-1)
        else:
            flat = [values]
            for _ in self.dims:
                flat = [value for part in flat for value in part]
        if len(flat) != prod(self.shape):
            raise RulekitError(
                f"a Grid of shape {self.shape} holds {prod(self.shape)} values, not {len(flat)}"
            )
        self._flat = flat

    @classmethod
    def from_flat(
        cls,
        dims: Sequence[str],
        coords: Mapping[str, Sequence[Any]],
        flat: Sequence[Any],
        attrs: Mapping[str, Any] | None = None,
        name: str | None = None,
    ) -> Grid:
        """A Grid from its values in one row, the last dimension running fastest."""
        grid = cls.__new__(cls)
        grid.dims = tuple(dims)
        grid.coords = {dim: tuple(coords[dim]) for dim in grid.dims}
        grid.attrs = dict(attrs or {})
        grid.name = name
        grid._flat = flat
        return grid

    @property
    def shape(self) -> tuple[int, ...]:
        """How many coordinates each dimension has."""
        return tuple([len(self.coords[dim]) for dim in self.dims])

    @property
    def flat(self) -> Sequence[Any]:
        """The values in one row, the last dimension running fastest: a list, or a one-dimensional array."""
        flat: Sequence[Any] = self._flat
        return flat

    @property
    def values(self) -> Any:
        """The values as nested lists in the order of `dims`; for no dimensions the value itself."""
        nested: list[Any] = [value.item() if hasattr(value, "item") else value for value in self._flat]
        for size in reversed(self.shape):
            nested = [nested[i : i + size] for i in range(0, len(nested), size)]
        return nested[0]

    def item(self) -> Any:
        """The one value of a Grid without dimensions."""
        if self.dims:
            raise RulekitError(
                f"item() is for a Grid without dimensions; this one has {self.dims}: use at(...)"
            )
        return self._flat[0]

    def at(self, **coords: Any) -> Any:
        """The value at these coordinates, or a smaller Grid where some dimensions stay open.

        Raises:
            StatError: a dimension or coordinate that is not there.
        """
        for dim in coords:
            if dim not in self.coords:
                raise StatError(f"no dimension {dim!r}; there are {', '.join(self.dims) or 'none'}")
        index: dict[str, int] = {}
        for dim, coordinate in coords.items():
            try:
                index[dim] = self.coords[dim].index(coordinate)
            except ValueError:
                raise StatError(f"{dim}: {coordinate!r} is none of {_few(self.coords[dim])}") from None
        picked = [0]
        open_dims = []
        shape = self.shape
        for place, (dim, size) in enumerate(zip(self.dims, shape, strict=True)):
            stride = prod(shape[place + 1 :])
            if dim in index:
                picked = [base + index[dim] * stride for base in picked]
            else:
                open_dims.append(dim)
                picked = [base + i * stride for base in picked for i in range(size)]
        if not open_dims:
            return self._flat[picked[0]]
        rest = {dim: self.coords[dim] for dim in open_dims}
        return Grid.from_flat(open_dims, rest, [self._flat[i] for i in picked], self.attrs, self.name)

    def map(self, function: Any) -> Grid:
        """The same Grid with `function` of each value."""
        return Grid.from_flat(
            self.dims, self.coords, [function(v) for v in self._flat], self.attrs, self.name
        )

    def to_xarray(self) -> xarray.DataArray:
        """The same values as an xarray DataArray; Fractions stay Fractions (dtype object)."""
        import numpy as np
        import xarray

        flat = self._flat
        if not isinstance(flat, np.ndarray):
            exact = any(isinstance(value, Fraction) for value in flat)
            array = np.empty(len(flat), dtype=object if exact else None)
            array[:] = flat
            if not exact:
                array = np.asarray(flat)
            flat = array
        return xarray.DataArray(
            flat.reshape(self.shape),
            dims=self.dims,
            coords={dim: _coordinate(self.coords[dim]) for dim in self.dims},
            attrs=self.attrs,
            name=self.name,
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Grid):
            return NotImplemented
        return (
            self.dims == other.dims and self.coords == other.coords and list(self._flat) == list(other._flat)
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        inside = ", ".join(f"{dim}: {len(self.coords[dim])}" for dim in self.dims)
        return f"Grid({inside})" if self.dims else f"Grid({self._flat[0]!r})"


def _coordinate(values: tuple[Any, ...]) -> Any:
    import numpy as np

    if all(isinstance(value, bool) for value in values) or all(type(value) is int for value in values):
        return np.array(values)
    if all(isinstance(value, (int, float, Fraction)) and not isinstance(value, bool) for value in values):
        return np.array([float(value) for value in values])
    return np.array([str(getattr(value, "value", value)) for value in values])
