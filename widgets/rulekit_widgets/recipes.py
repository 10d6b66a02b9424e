"""*Copy as Python*: a few lines that print the numbers that are on the screen."""

from __future__ import annotations

import sys
from pprint import pformat
from typing import Any

from rulekit.rules import Rule, Setup, plain_data
from rulekit_widgets.views import View

__all__ = ["as_python"]

_GAMES = "rulekit.games."


def as_python(view: View) -> str:
    """Python that prints the odds of every event, the mean of every number, and the measure shown.

    The stats that differ from the rule's own defaults are set by path. A rule of one's own is imported from
    its module; one of a notebook is said to be there.

    >>> from rulekit.games.bumps import attack
    >>> print(as_python(View(attack.setup().at({"attacker.melee": 5}), "damage")))
    from rulekit import E, P, dist, sd
    from rulekit.games.bumps import attack
    <BLANKLINE>
    setup = attack.setup().at({"attacker.melee": 5})
    outcome = setup()
    print("hit:", P(outcome.hit))
    ...
    """
    setup = view.setup
    rule: Rule[..., Any] = setup.rule
    lines: dict[str, str] = {}
    used = set()
    for info in setup.measures:
        place = _place(info.path, setup)
        question = {"event": "P", "number": "E"}.get(info.kind, "dist")
        used.add(question)
        lines[info.path] = f'print("{info.path}:", {question}({place}))'
    shown = _place(view.measure, setup)
    kind = next(info.kind for info in setup.measures if info.path == view.measure)
    if kind == "number":
        used.add("sd")
        lines["sd"] = f'print("{view.measure}, standard deviation:", sd({shown}))'
    if kind != "label":
        lines["dist"] = (
            f"odds = dist({shown})\nfor value in odds.outcomes:\n    print(value, odds.probability(value))"
        )
        used.add("dist")
    return "\n".join(
        [
            f"from rulekit import {', '.join(sorted(used, key=lambda name: (name.islower(), name)))}",
            *_import_of(rule),
            "",
            f"setup = {_setup_text(setup)}",
            "outcome = setup()",
            *lines.values(),
            "",
        ]
    )


def _place(path: str, setup: Setup[Any]) -> str:
    """Where a measure stands in the outcome: fields by name, items of a tuple by number."""
    if [info.path for info in setup.measures] == ["result"] and not hasattr(setup(), "result"):
        return "outcome"
    place = "outcome"
    for name in path.split("."):
        place += f"[{name}]" if name.isdecimal() else f".{name}"
    return place


def _import_of(rule: Rule[..., Any]) -> list[str]:
    module = rule.__module__
    if module.startswith(_GAMES):
        package = _GAMES + module.removeprefix(_GAMES).partition(".")[0]
        if getattr(sys.modules.get(package), rule.name, None) is rule:
            module = package
    if module == "__main__":
        return [f"# {rule.name}: the rule as this notebook has it"]
    return [f"from {module} import {rule.name}"]


def _setup_text(setup: Setup[Any]) -> str:
    rule = setup.rule
    if rule.default is not None:
        known = {info.path: info for info in rule.setup().stats}
        changes = {
            info.path: plain_data(info.value)
            for info in setup.stats
            if info.path in known
            and info.kind not in ("tuple", "part")
            and info.value != known[info.path].value
        }
        if rule.setup().at(changes) == setup:
            return f"{rule.name}.setup()" + (f".at({_literal(changes)})" if changes else "")
    return f"{rule.name}.setup_of({_literal(setup.to_dict()['stats'])})"


def _literal(data: Any) -> str:
    """Plain data as Python writes it, with the quotes that the rest of the code has."""
    text = pformat(data, width=100, sort_dicts=False)
    return text if '"' in text else text.replace("'", '"')
