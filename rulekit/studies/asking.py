"""One measure of a Setup as one number: what most studies compare, seek and follow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rulekit.errors import StatError
from rulekit.rolls import ask
from rulekit.rules import Setup, measures_of
from rulekit.rules.outcomes import found_measures
from rulekit.studies.sweeping import question_of

__all__ = ["Asked", "asked_of"]


@dataclass(frozen=True)
class Asked:
    """A measure that is one number.

    Attributes:
        name: As it was asked for; of a function its name.
        kind: "event" (a probability) or "number".
        unit: Of a number.
    """

    name: str
    kind: str
    unit: str = ""


def asked_of(
    setup: Setup[Any], measure: str | Callable[[Any], Any], *, exact: bool = True
) -> tuple[Asked, Any]:
    """What a measure is, and its value where the Setup stands.

    Raises:
        StatError: there is no such measure, or it is a label or a distribution, which are no one number.
        NotAllowed: the rule does not apply.
    """
    outcome = setup()
    name, question, roll = question_of(measure, measures_of(outcome), outcome)
    if question == "dist":
        raise StatError(
            f"{name} is not one number: ask for an event, such as a function of the outcome that gives "
            "outcome.element == 'fire'"
        )
    (grid,) = ask([(question, roll)], exact=exact)
    infos = {info.path: info for info in found_measures(outcome)}
    info = infos.get(name.removesuffix(".sd"))
    asked = Asked(name, "event" if question == "P" else "number", info.unit if info else "")
    value = grid.item()
    return asked, value if exact else float(value)
