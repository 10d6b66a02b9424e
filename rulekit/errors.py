"""What rulekit raises: one family, so that a caller can catch all of it with one name."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = [
    "ImpossibleCondition",
    "NotAValue",
    "NotAllowed",
    "NotationError",
    "RulekitError",
    "StatError",
    "TooLarge",
]


class RulekitError(ValueError):
    """Anything that rulekit refuses, with what was given, what is allowed, and where.

    >>> issubclass(RulekitError, ValueError)
    True
    """


class NotationError(RulekitError):
    """Dice notation that could not be read or has no distribution.

    ``text`` is what was given, ``position`` the index of the character at fault (None where the
    fault is not at one place), ``expected`` what would have been understood there.
    """

    def __init__(
        self,
        message: str,
        *,
        text: str = "",
        position: int | None = None,
        expected: Sequence[str] = (),
    ) -> None:
        super().__init__(message)
        self.text = text
        self.position = position
        self.expected = tuple(expected)


class NotAValue(RulekitError, TypeError):
    """A Roll (or a Dist) was used where Python wants one plain value.

    ``stats`` names the axes and ``rolls`` the named rolls on which the expression depends: with
    ``rolls`` empty, running the code once for every value of ``stats`` would work.
    """

    def __init__(self, message: str, *, stats: Sequence[str] = (), rolls: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.stats = tuple(stats)
        self.rolls = tuple(rolls)


class ImpossibleCondition(RulekitError):
    """A question was asked ``given`` something that cannot happen."""


class NotAllowed(RulekitError):
    """A rule does not apply to what it was given; ``rule`` is the number that says so."""

    def __init__(self, rule: str, message: str) -> None:
        super().__init__(f"{rule}: {message}")
        self.rule = rule


class TooLarge(RulekitError):
    """The answer would need more than the budget: ``cells`` and ``seconds`` are the estimate,
    ``rolls`` names what multiplies."""

    def __init__(
        self,
        message: str,
        *,
        cells: int | None = None,
        seconds: float | None = None,
        rolls: Sequence[str] = (),
    ) -> None:
        super().__init__(message)
        self.cells = cells
        self.seconds = seconds
        self.rolls = tuple(rolls)


class StatError(RulekitError):
    """A stat's value, name or path is not one that is allowed; the message gives the range."""
