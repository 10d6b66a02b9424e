"""Rules by their id, and everything that says which rule of a rulebook it follows."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from rulekit.errors import RulekitError
from rulekit.rules.fields import nearest

if TYPE_CHECKING:
    from rulekit.rules.ruling import Rule

__all__ = ["Sourced", "find_rule", "registered", "rules_of", "source", "sourced"]

F = TypeVar("F", bound=Callable[..., Any])

_GAMES = "rulekit.games."
_rules: dict[str, Rule[..., Any]] = {}
_sourced: dict[tuple[str, str], Sourced] = {}


@dataclass(frozen=True)
class Sourced:
    """A function or rule that follows rules of a rulebook: their numbers, and where it stands."""

    sources: tuple[str, ...]
    module: str
    name: str


def source(*sources: str) -> Callable[[F], F]:
    """Say which rules of the rulebook a plain function follows.

    The function stays as it is; the coverage of a rulebook is read off these marks and those of `rule`.

    >>> @source("AE-22")
    ... def range_edge(distance: int, base: int) -> int:
    ...     return 1 - -(-distance // base)
    >>> range_edge(8, 4)
    -1
    """

    def mark(function: F) -> F:
        note_sources(sources, function.__module__, function.__qualname__)
        return function

    return mark


def note_sources(sources: tuple[str, ...], module: str, name: str) -> None:
    """Take down that something follows these rules."""
    if sources:
        _sourced[module, name] = Sourced(sources, module, name)


def sourced(package: str) -> tuple[Sourced, ...]:
    """All that follows rules of a rulebook in a package that is imported, in the order of definition."""
    return tuple(each for each in _sourced.values() if f"{each.module}.".startswith(f"{package}."))


def rule_id(module: str, name: str) -> str:
    """The id of a rule: `<package below rulekit.games>.<function>`, else `<module>.<function>`.

    >>> rule_id("rulekit.games.adventures_edge.attacks", "attack"), rule_id("my_rules", "smash")
    ('adventures_edge.attack', 'my_rules.smash')
    """
    if module.startswith(_GAMES):
        module = module.removeprefix(_GAMES).partition(".")[0]
    return f"{module}.{name}"


def register(rule: Rule[..., Any]) -> None:
    """Take a rule in; a rule defined again in the same module (a cell run twice) takes its own place."""
    known = _rules.get(rule.id)
    if known is not None and known.__module__ != rule.__module__:
        raise RulekitError(f"two rules have the id {rule.id}: in {known.__module__} and in {rule.__module__}")
    _rules[rule.id] = rule


def find_rule(id: str) -> Rule[..., Any]:
    """The rule with this id, among those that are imported: an id never imports anything.

    Raises:
        RulekitError: there is none; the nearest known id is given.
    """
    if not isinstance(id, str) or id not in _rules:
        raise RulekitError(f"no imported rule has the id {id!r}{nearest(str(id), _rules)}")
    return _rules[id]


def registered() -> tuple[Rule[..., Any], ...]:
    """Every rule that is imported, by id."""
    return tuple(_rules[id] for id in sorted(_rules))


def rules_of(package: str) -> tuple[Rule[..., Any], ...]:
    """The rules that an imported package offers in its `__all__`, in that order."""
    from rulekit.rules.ruling import Rule

    module = sys.modules[package]
    members = (getattr(module, name) for name in module.__all__)
    return tuple(member for member in members if isinstance(member, Rule))
