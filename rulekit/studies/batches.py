"""Many values per stat as text: `attacker.attack_bonus=4..8 target.defense=15,17`."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from rulekit.errors import StatError
from rulekit.rules import Setup, StatInfo, available
from rulekit.rules.fields import nearest

__all__ = ["ranges_of"]

MOST_VALUES = 10_000
"""How many values one stat may be given."""

_NUMBER = r"[-+]?\d{1,30}(?:\.\d{1,30}|/\d{1,30})?"
_RANGE = re.compile(rf"(?P<low>{_NUMBER})?\.\.(?P<high>{_NUMBER})?(?:\.\.(?P<step>{_NUMBER}))?")
_SWITCH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def ranges_of(setup: Setup[Any], text: str | Sequence[str]) -> dict[str, Any]:
    """The values of each stat that a text names, as `sweep` takes them.

    Args:
        setup: Whose stats they are: its paths, bounds and loadouts.
        text: `path=values`, several of them with spaces between. Values stand with commas between: a number;
            `4..8` (both ends count), `0..60..5` in steps, `..` the stat's whole range and `10..` from there
            up; `true` or `false`; a choice or a part's kind; dice in notation; where a model stands the name
            of a loadout. What holds spaces stands in quotes. Or the parts one by one, as a command line has
            them.

    Returns:
        From path to a list of values in rising order, or for models a mapping from name to model.

    Raises:
        StatError: what was written, where, and what is allowed.

    >>> from rulekit import Roll, d, roll, rule
    >>> @rule()
    ... def smash(bonus: int = 5, ac: int = 15, aimed: bool = False) -> Roll[bool]:
    ...     return roll(d(20)) + bonus >= ac
    >>> ranges_of(smash.setup(), "bonus=4..6,9 ac=10..20..5 aimed=true")
    {'bonus': [4, 5, 6, 9], 'ac': [10, 15, 20], 'aimed': [True]}
    """
    stats = {info.path: info for info in setup.stats}
    found: dict[str, Any] = {}
    for word in _words(text):
        path, sign, values = word.partition("=")
        if not sign or not path or not values:
            raise StatError(f"{word!r}: write path=values, such as bonus=4..8 or bonus=4,6")
        if path in found:
            raise StatError(f"{path} is given twice; write its values with commas between")
        parts = values.split(",")
        if path in stats:
            found[path] = _values(stats[path], parts)
        elif path in setup.models:
            known = available(setup.models[path])
            for name in parts:
                if name not in known:
                    raise StatError(f"{path}: there is no loadout {name!r}{nearest(name, known)}")
            found[path] = {name: known[name].model for name in parts}
        else:
            raise StatError(f"{path}: there is no such stat{nearest(path, [*stats, *setup.models])}")
    return found


def _words(text: str | Sequence[str]) -> Sequence[str]:
    if not isinstance(text, str):
        return text
    try:
        return shlex.split(text)
    except ValueError:
        raise StatError(f"{text!r}: a quotation mark is missing") from None


def _values(info: StatInfo, parts: Sequence[str]) -> list[Any]:
    if info.kind in ("whole", "decimal"):
        numbers = {number for part in parts for number in _numbers(info, part)}
        return [int(number) if number.denominator == 1 else number for number in sorted(numbers)]
    if info.kind == "switch":
        return [_chosen(info, part, _SWITCH) for part in parts]
    if info.kind in ("choice", "part"):
        if list(parts) == [".."]:
            return list(info.choices)
        return [_chosen(info, part, {str(choice): choice for choice in info.choices}) for part in parts]
    if info.kind == "dice":
        return list(parts)
    raise StatError(f"{info.path}: a list of models is not written as text")


def _chosen(info: StatInfo, part: str, choices: Mapping[str, Any]) -> Any:
    if part not in choices:
        raise StatError(f"{info.path}: {part!r} is not one of {', '.join(choices)}")
    return choices[part]


def _numbers(info: StatInfo, part: str) -> list[Fraction]:
    if re.fullmatch(_NUMBER, part):
        return [_number(info, part)]
    found = _RANGE.fullmatch(part)
    if not found:
        raise StatError(f"{info.path}: {part!r} is neither a number nor a range such as 4..8 or 0..60..5")
    span = info.span()
    low = _number(info, found["low"]) if found["low"] else Fraction(str(span[0]))
    high = _number(info, found["high"]) if found["high"] else Fraction(str(span[-1]))
    if found["step"]:
        step = _number(info, found["step"])
    elif info.kind == "decimal" and len(span) > 1:
        step = Fraction(str(span[1])) - Fraction(str(span[0]))
    else:
        step = Fraction(str(info.step or 1))
    if step <= 0:
        raise StatError(f"{info.path}: {part!r} goes in steps of {step}; a step is above 0")
    if high < low:
        raise StatError(f"{info.path}: {part!r} ends before it begins")
    count = (high - low) // step + 1
    if count > MOST_VALUES:
        raise StatError(f"{info.path}: {part!r} is {count:,} values, more than {MOST_VALUES:,}")
    return [low + step * i for i in range(count)]


def _number(info: StatInfo, text: str) -> Fraction:
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise StatError(f"{info.path}: {text} divides by 0") from None
