"""The state of a view as a value: what is looked at, and how."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import Any, ClassVar, Literal, Self, get_args

from rulekit.distributions.formatting import ProbabilityMode
from rulekit.errors import RulekitError
from rulekit.rules import MeasureInfo, Setup
from rulekit_widgets.cells import MODES

__all__ = ["SHAPES", "Shape", "View"]

Shape = Literal["exactly", "at_least", "at_most"]

SHAPES: tuple[Shape, ...] = get_args(Shape)


@dataclass(frozen=True)
class View:
    """What a view shows: frozen, with `==`, hash and JSON. Links, undo and presets are Views.

    Attributes:
        setup: The rule with its arguments.
        measure: The path of the measure whose distribution is shown; by default the first number, else
            the first event, else the first label.
        axes: The paths of the two stats of a map; none where there is no map.
        mode: How probabilities are written: "percent", "fraction" or "one_in".
        shape: Which odds the chart shows: "exactly", "at_least" or "at_most".
        pinned: The Setup whose curve stays as a ghost; None for none.

    Raises:
        RulekitError: the rule has no such measure or stat, or a word is none of those allowed.

    >>> from rulekit import Roll, d, roll, rule
    >>> @rule()
    ... def smash(bonus: int = 5, ac: int = 15) -> Roll[bool]:
    ...     return roll(d(20), "natural") + bonus >= ac
    >>> view = View(smash.setup(bonus=7), mode="one_in")
    >>> view.measure, View.from_json(view.to_json()) == view
    ('result', True)
    """

    version: ClassVar[int] = 1

    setup: Setup[Any]
    measure: str = ""
    axes: tuple[str, ...] = ()
    mode: ProbabilityMode = "percent"
    shape: Shape = "exactly"
    pinned: Setup[Any] | None = None

    def __post_init__(self) -> None:
        measures = self.setup.measures
        if not self.measure:
            object.__setattr__(self, "measure", _first(measures).path)
        _one_of("measure", self.measure, [m.path for m in measures])
        _one_of("mode", self.mode, MODES)
        _one_of("shape", self.shape, SHAPES)
        object.__setattr__(self, "axes", tuple(self.axes))
        for path in self.axes:
            _one_of("axes", path, [stat.path for stat in self.setup.stats])

    def at(self, changes: Mapping[str, Any]) -> Self:
        """The same view with other stats, as `Setup.at` takes them.

        Raises:
            StatError: names the path, the value and what is allowed.
        """
        return self.of(self.setup.at(changes))

    def of(self, setup: Setup[Any]) -> Self:
        """The same view of another Setup; the map goes with a stat of it that is not there any more."""
        paths = {stat.path for stat in setup.stats} if self.axes else set()
        return replace(self, setup=setup, axes=self.axes if paths >= set(self.axes) else ())

    def to_dict(self) -> dict[str, Any]:
        """The whole state as plain data, with a version."""
        return {
            "version": self.version,
            "setup": self.setup.to_dict(),
            "measure": self.measure,
            "axes": list(self.axes),
            "mode": self.mode,
            "shape": self.shape,
            "pinned": self.pinned and self.pinned.to_dict(),
        }

    def to_json(self) -> str:
        """The same as JSON text, equal for equal Views."""
        return json.dumps(self.to_dict(), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """A View from what `to_dict` gave; what is missing takes its default.

        Raises:
            RulekitError: another version, another form, or a rule that is not imported.
        """
        if not isinstance(data, Mapping) or "setup" not in data:
            raise RulekitError("a View is saved as an object with version, setup, measure, axes, mode, shape")
        if data.get("version") != cls.version:
            raise RulekitError(
                f"this View has version {data.get('version')!r}; versions up to {cls.version} open"
            )
        pinned, axes = data.get("pinned"), data.get("axes", ())
        if not isinstance(axes, (list, tuple)):
            raise RulekitError(f"axes is {axes!r}; it must be a list of paths")
        return cls(
            Setup.from_dict(data["setup"]),
            data.get("measure", ""),
            tuple(axes),
            data.get("mode", "percent"),
            data.get("shape", "exactly"),
            None if pinned is None else Setup.from_dict(pinned),
        )

    @classmethod
    def from_json(cls, text: str) -> Self:
        """A View from what `to_json` gave; see `from_dict`."""
        try:
            data = json.loads(text)
        except ValueError as fault:
            raise RulekitError(f"a View is saved as JSON: {fault}") from None
        return cls.from_dict(data)


def _first(measures: tuple[MeasureInfo, ...]) -> MeasureInfo:
    if not measures:
        raise RulekitError("the rule gives nothing to look at: its outcome has no fields")
    for kind in ("number", "event"):
        for measure in measures:
            if measure.kind == kind:
                return measure
    return measures[0]


def _one_of(name: str, value: Any, allowed: Any) -> None:
    if value not in allowed:
        close = get_close_matches(str(value), allowed, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise RulekitError(f"{name} is {value!r}; it must be one of {', '.join(allowed)}{hint}")
