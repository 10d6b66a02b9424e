"""Studies work on every rule that ships: what a point is worth, against the plain runs."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import pytest

import rulekit.games
from rulekit import E, Setup, sensitivity
from rulekit.rules import Rule, measures_of, rules_of


def _rules() -> list[Rule[..., Any]]:
    found: list[Rule[..., Any]] = []
    for module in pkgutil.iter_modules(rulekit.games.__path__):
        importlib.import_module(f"rulekit.games.{module.name}")
        found += rules_of(f"rulekit.games.{module.name}")
    return found


def _value(setup: Setup[Any], measure: str) -> Any:
    return E(measures_of(setup())[measure])


@pytest.mark.parametrize("rule", _rules(), ids=lambda rule: rule.id)
def test_the_worth_of_a_point_in_every_rule(rule: Rule[..., Any]) -> None:
    setup = rule.setup()
    measure = next((info.path for info in setup.measures if info.kind != "label"), None)
    if measure is None:
        assert setup.measures
        return
    found = sensitivity(setup, measure)
    assert found.value == _value(setup, measure)
    numbers = {info.path for info in setup.stats if info.kind in ("whole", "decimal")}
    assert set(found.effects) == numbers
    for effect in list(found.effects.values())[:3]:
        for gain, value in (
            (effect.more, effect.value + effect.step),
            (effect.less, effect.value - effect.step),
        ):
            if gain is not None:
                assert gain == _value(setup.at({effect.path: value}), measure) - found.value
