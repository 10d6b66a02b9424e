"""What one point of each stat is worth for a measure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rulekit.errors import NotAllowed, StatError
from rulekit.rules import Setup, StatInfo
from rulekit.rules.fields import nearest
from rulekit.studies.asking import Asked, asked_of
from rulekit.studies.results import Study, Table, difference_text, value_text
from rulekit.studies.sweeping import lines_together, sweep

__all__ = ["Effect", "Sensitivity", "sensitivity"]


@dataclass(frozen=True)
class Effect:
    """What a stat is worth where it stands.

    Attributes:
        path: The stat.
        value: Where it stands.
        step: How much "one more" is: 1, or what the field says.
        more: What the measure gains by one step more; None where the stat or the rule allows no more.
        less: What it gains by one step less; None likewise.
    """

    path: str
    value: Any
    step: Any
    more: Any
    less: Any

    @property
    def size(self) -> Any:
        """The larger of the two, without its sign."""
        return max((abs(gain) for gain in (self.more, self.less) if gain is not None), default=0)

    @property
    def slope(self) -> Any:
        """The gain by one step more; where no more is allowed, what one step less loses."""
        if self.more is not None:
            return self.more
        return None if self.less is None else -self.less


@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(Study):
    """What one point of each stat is worth for a measure, the greatest first.

    Attributes:
        setup: Where the stats stand.
        measure: Its name, kind and unit.
        value: The measure there.
        effects: From path to effect, ranked by size.
    """

    setup: Setup[Any]
    measure: Asked
    value: Any
    effects: Mapping[str, Effect]

    def exchange(self, this: str, that: str) -> Any:
        """How many points of `this` are worth one point of `that`, by what the next point of each gains.

        Returns:
            A fraction (a float where the study was made in floats); below 0 where the two work against each
            other; None where a point of `this` is worth nothing, so that no number of them would do.

        Raises:
            StatError: a stat that is not among the effects.

        >>> from rulekit import Roll, d, roll, rule
        >>> @rule()
        ... def smash(bonus: int = 5, dice_bonus: int = 0, ac: int = 15) -> Roll[bool]:
        ...     return roll(d(20)) + bonus + 2 * dice_bonus >= ac
        >>> sensitivity(smash.setup(), "result").exchange("bonus", "dice_bonus")
        Fraction(2, 1)
        """
        for path in (this, that):
            if path not in self.effects:
                raise StatError(
                    f"{path}: not among the stats whose worth is known{nearest(path, self.effects)}"
                )
        price, gain = self.effects[this].slope, self.effects[that].slope
        return gain / price if price and gain is not None else None

    @property
    def sentence(self) -> str:
        """The measure, and the stat whose point is worth most."""
        here = f"{self.measure.name} is {self._value(self.value)}"
        moving = [effect for effect in self.effects.values() if effect.size]
        if not moving:
            return f"{here}; one point of no stat changes it."
        first = moving[0]
        gains = [
            f"one {word} is worth {self._difference(gain)}"
            for word, gain in (("more", first.more), ("less", first.less))
            if gain is not None
        ]
        still = len(self.effects) - len(moving)
        rest = f" {still} of {len(self.effects)} stats change nothing here." if still else ""
        return f"{here}; {first.path} weighs most: {', '.join(gains)}.{rest}"

    def tables(self) -> tuple[Table, ...]:
        """A row a stat that changes anything: where it stands, one less, one more, and one more in points of
        the first.
        """
        first = next(iter(self.effects), "")
        rows = []
        for path, effect in self.effects.items():
            if not effect.size:
                continue
            worth = self.exchange(first, path)
            rows.append(
                (
                    path,
                    str(effect.value),
                    self._difference(effect.less),
                    self._difference(effect.more),
                    "" if worth is None else difference_text(worth, "number"),
                )
            )
        return (Table(("stat", "now", "one less", "one more", f"one more, in points of {first}"), rows),)

    def records(self) -> Iterator[dict[str, Any]]:
        """A row a stat."""
        for path, effect in self.effects.items():
            yield {
                "stat": path, "value": effect.value, "step": effect.step,
                "one_less": effect.less, "one_more": effect.more,
            }  # fmt: skip

    def _value(self, value: Any) -> str:
        return value_text(value, self.measure.kind, self.measure.unit)

    def _difference(self, value: Any) -> str:
        return "" if value is None else difference_text(value, self.measure.kind, self.measure.unit)


def sensitivity(setup: Setup[Any], measure: str | Callable[[Any], Any], *, exact: bool = True) -> Sensitivity:
    """What one point more and one point less of each stat is worth for a measure, ranked.

    Args:
        setup: Where the stats stand.
        measure: A measure's name, its spread (`"damage.sd"`), or a function of the outcome.
        exact: Fractions; False for floats.

    Returns:
        A Sensitivity with every stat that is a number, the one whose point weighs most first.

    Raises:
        StatError: a measure that is not there, or a label, which has no one value.
        NotAllowed: the rule does not apply where the stats stand.

    >>> from rulekit import Roll, clip, d, roll, rule, where
    >>> @rule()
    ... def smash(bonus: int = 5, ac: int = 15, damage: int = 4) -> Roll[int]:
    ...     return where(roll(d(20)) + bonus >= ac, damage, 0)
    >>> found = sensitivity(smash.setup(), "result")
    >>> [(effect.path, effect.more) for effect in found.effects.values()]
    [('damage', Fraction(11, 20)), ('bonus', Fraction(1, 5)), ('ac', Fraction(-1, 5))]
    >>> print(found.exchange("bonus", "damage"))
    11/4
    """
    asked, value = asked_of(setup, measure, exact=exact)
    steps, now, places = {}, {}, {}
    for info in setup.stats:
        if info.kind in ("whole", "decimal"):
            step = steps[info.path] = step_of(info)
            here = now[info.path] = info.value if info.kind == "whole" else Fraction(str(info.value))
            places[info.path] = [place for place in (here - step, here, here + step) if _within(info, place)]
    found: dict[str, dict[Any, Any]] = {}
    for some in lines_together(setup, [measure], places, exact=exact):
        for path, line in some.items():
            found[path] = dict(zip(places[path], line.grids[asked.name].flat, strict=True))
    effects = []
    for path, step in steps.items():
        if path not in found:
            found[path] = _values_at(setup, path, places[path], measure, asked.name, exact)
        gains = [_gain(found[path].get(place), value) for place in (now[path] + step, now[path] - step)]
        effects.append(Effect(path, setup.get(path), step, *gains))
    effects.sort(key=lambda effect: -effect.size)  # stable: of equal size in the order of the stats
    return Sensitivity(setup, asked, value, {effect.path: effect for effect in effects})


def _values_at(
    setup: Setup[Any],
    path: str,
    places: Sequence[Any],
    measure: str | Callable[[Any], Any],
    name: str,
    exact: bool,
) -> dict[Any, Any]:
    try:
        flat = sweep(setup, {path: places}, [measure], exact=exact).grids[name].flat
        return dict(zip(places, flat, strict=True))
    except StatError:  # a model that does not allow one of the values beside its other stats
        found = {}
        for place in places:
            try:
                found[place] = asked_of(setup.at({path: place}), measure, exact=exact)[1]
            except (NotAllowed, StatError):
                continue
        return found


def step_of(info: StatInfo) -> Any:
    """How much one point of a stat is: what the field says, else 1, of a decimal a twentieth of its range.

    >>> step_of(StatInfo("ac", "whole", "ac", "", "", None, None, None, (), 15, 15, False))
    1
    """
    if info.step is not None:
        return int(info.step) if info.kind == "whole" else Fraction(str(info.step))
    if info.kind == "decimal" and info.low is not None and info.high is not None:
        return (Fraction(str(info.high)) - Fraction(str(info.low))) / 20 or Fraction(1)
    return 1


def _within(info: StatInfo, value: Any) -> bool:
    low = info.low is None or value >= Fraction(str(info.low))
    return low and (info.high is None or value <= Fraction(str(info.high)))


def _gain(there: Any, here: Any) -> Any:
    if there is None or there != there:  # out of bounds, or NaN: the rule does not apply
        return None
    return there - here
