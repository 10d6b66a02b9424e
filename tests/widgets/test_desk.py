"""The kernel's side of an explorer: what it does with a rule that fails."""

from __future__ import annotations

from rulekit import Roll, d, roll, rule
from rulekit_widgets.desk import Desk
from rulekit_widgets.views import View


@rule()
def stumbles(bonus: int = 5) -> Roll[bool]:
    """A house rule that fails where it was not thought through."""
    if bonus > 8:
        raise ZeroDivisionError("nobody is that strong")
    return roll(d(20)) + bonus >= 15


def test_a_rule_that_fails_at_another_value_is_told_and_stops_nothing() -> None:
    desk = Desk(View(stumbles.setup()))
    before = desk.frames
    desk.take({"seq": 1, "changes": {"bonus": 9}})
    trouble = desk.answer["trouble"]
    assert trouble == {
        "path": "bonus",
        "message": "the rule failed with ZeroDivisionError: nobody is that strong",
    }
    assert desk.frames is before
    desk.take({"seq": 2, "changes": {"bonus": 7}})
    assert desk.answer["trouble"] is None
    assert desk.view.setup.get("bonus") == 7
