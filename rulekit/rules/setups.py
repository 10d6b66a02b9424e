"""Setup: a rule with its arguments, as a value."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rulekit.errors import RulekitError
from rulekit.rules.models import Stats, plain_data
from rulekit.rules.outcomes import MeasureInfo
from rulekit.rules.paths import StatInfo, describe, look_up, models_held, put
from rulekit.rules.registry import find_rule

if TYPE_CHECKING:
    from rulekit.rules.ruling import Rule

__all__ = ["Setup"]

R_co = TypeVar("R_co", covariant=True)


class Setup(Generic[R_co]):
    """A rule with its arguments: frozen, with `==`, hash and JSON. Made by `a_rule.setup(...)`.

    Attributes:
        rule: The rule.
        arguments: What it is called with, as one model: `arguments.attacker.attack_bonus`.

    >>> from rulekit import P, Roll, d, roll, rule
    >>> @rule()
    ... def smash(bonus: int = 5, ac: int = 15) -> Roll[bool]:
    ...     return roll(d(20), "natural") + bonus >= ac
    >>> setup = smash.setup(bonus=7).at({"ac": 17})
    >>> P(setup()), setup.get("ac"), setup == smash.setup(7, 17)
    (Fraction(11, 20), 17, True)
    """

    __slots__ = ("_stats", "arguments", "rule")

    rule: Rule[..., R_co]
    arguments: Stats
    _stats: tuple[StatInfo, ...] | None

    def __init__(self, rule: Rule[..., R_co], arguments: Stats) -> None:
        object.__setattr__(self, "rule", rule)
        object.__setattr__(self, "arguments", arguments)
        object.__setattr__(self, "_stats", None)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a Setup cannot be changed; setup.at({path: value}) gives another one")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a Setup cannot be changed")

    def __call__(self) -> R_co:
        """Run the rule: one call, its dice thrown anew."""
        return self.rule.run(self.arguments)

    def at(self, changes: Mapping[str, Any]) -> Setup[R_co]:
        """Another Setup with these values at these paths.

        Args:
            changes: From path to value: plain, a stat axis, a model, a part's kind, dice notation.

        Raises:
            StatError: names the path, the value and what is allowed.
        """
        return Setup(self.rule, put(self.arguments, changes))

    def get(self, path: str) -> Any:
        """What stands at a path.

        Raises:
            StatError: there is no such path.
        """
        return look_up(self.arguments, path)

    @property
    def stats(self) -> tuple[StatInfo, ...]:
        """Every stat with its value here: path, kind, bounds, default, unit, help, choices."""
        if self._stats is None:
            stats = tuple(describe(type(self.arguments), self.arguments, self.rule.default))
            object.__setattr__(self, "_stats", stats)
            return stats
        return self._stats

    @property
    def models(self) -> dict[str, type[Stats]]:
        """The class of every model within, by path: the places for a loadout."""
        return dict(models_held(type(self.arguments), self.arguments))

    @property
    def measures(self) -> tuple[MeasureInfo, ...]:
        """What the rule gives here: path, kind, unit, help."""
        return self.rule.measures_at(self.arguments)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Setup):
            return NotImplemented
        return self.rule.id == other.rule.id and self.arguments == other.arguments

    def __hash__(self) -> int:
        return hash((self.rule.id, self.arguments))

    def __repr__(self) -> str:
        inner = ", ".join(f"{name}={value!r}" for name, value in self.arguments.__dict__.items())
        return f"{self.rule.name}.setup({inner})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self.rule, dict(self.arguments.__dict__))

    def to_dict(self) -> dict[str, Any]:
        """The rule's id and every stat, as plain data.

        Raises:
            StatError: a stat is an axis or a Roll.
        """
        return {"rule": self.rule.id, "stats": plain_data(self.arguments)}

    def to_json(self) -> str:
        """The same as JSON text, equal for equal Setups."""
        return json.dumps(self.to_dict(), ensure_ascii=False, separators=(",", ":"))

    @property
    def key(self) -> str:
        """A short text that is the same for equal Setups, in every process."""
        return hashlib.sha256(self.to_json().encode()).hexdigest()[:16]

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Setup[Any]:
        """A Setup from what `to_dict` gave; its rule must be imported already.

        Raises:
            StatError: a stat is refused.
            RulekitError: the data has another form, or no imported rule has that id.
        """
        if not isinstance(data, Mapping) or set(data) != {"rule", "stats"}:
            raise RulekitError('a Setup is saved as {"rule": id, "stats": {...}}')
        return find_rule(data["rule"]).setup_of(data["stats"])

    @staticmethod
    def from_json(text: str) -> Setup[Any]:
        """A Setup from what `to_json` gave; see `from_dict`."""
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as fault:
            raise RulekitError(f"a Setup is saved as JSON: {fault}") from None
        if not isinstance(data, dict):
            raise RulekitError(f"a Setup is saved as a JSON object, not {text[:40]!r}")
        return Setup.from_dict(data)


def _restored(rule: Rule[..., Any], stats: dict[str, Any]) -> Setup[Any]:
    return rule.setup_of(stats)
