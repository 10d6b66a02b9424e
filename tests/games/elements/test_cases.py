"""Every Elements case of the case files, by the rules."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tests.cases import game_cases
from tests.games.elements.cases import answers


def exactly(want: dict[str, Any]) -> dict[str, Any]:
    return {
        key: {int(outcome): Fraction(p) for outcome, p in value.items()}
        if isinstance(value, dict)
        else Fraction(value)
        for key, value in want.items()
    }


@pytest.mark.parametrize("case", [pytest.param(case, id=case["id"]) for case in game_cases("EL")])
def test_case(case: dict[str, Any]) -> None:
    assert answers(case) == exactly(case["want"])
