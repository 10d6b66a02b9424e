"""Edge: how many d20s are thrown for an attack or a check, and which of them counts."""

from __future__ import annotations

from typing import NamedTuple

from rulekit.games.adventures_edge.readings import (
    EdgeDice,
)
from rulekit.rolls import Roll, count, dice, roll, where

__all__ = ["Throw", "throw_d20"]


class Throw(NamedTuple):
    """A d20 thrown with Edge: the die that counts, how many dice show 1, and the highest of them."""

    natural: Roll[int]
    ones: Roll[int]
    highest: Roll[int]


def throw_d20(edge: int, edge_dice: EdgeDice = EdgeDice.ONE_PER_EDGE, name: str | None = None) -> Throw:
    """A d20 at `edge`: edge + 1 dice of which the highest counts, or the lowest where edge is negative.

    Without any Edge it is one die, which bears the name.

    >>> from rulekit import E, P
    >>> P(throw_d20(1).natural == 20), P(throw_d20(-1).ones == 2)
    (Fraction(39, 400), Fraction(1, 400))
    >>> E(throw_d20(3, EdgeDice.TWO_DICE).natural) == E(throw_d20(1).natural)
    True
    """
    if isinstance(edge, int) and edge == 0:
        die = roll(20, name)
        return Throw(die, count(die == 1), die)
    more = abs(edge) if edge_dice == EdgeDice.ONE_PER_EDGE else where(edge == 0, 0, 1)
    thrown = dice(1 + more, 20)
    return Throw(where(edge >= 0, thrown.highest(), thrown.lowest()), thrown.count(1), thrown.highest())
