"""How Bumps are rolled: the part that plugs in, for the chapter tells what Bumps do and not how they fall.

A Bump roll is the table's own: both sides use the same one, each with its rating and its bonus. One more is
a subclass of `BumpRoll` with `once`.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Literal

from pydantic import Field, field_validator

from rulekit.distributions import Dist, d
from rulekit.errors import NotAllowed, StatError
from rulekit.games.bumps.readings import BumpAdvantage
from rulekit.rolls import Roll, clip, dice, maximum, minimum, roll, where
from rulekit.rules import Part, source

__all__ = [
    "AnyDistribution",
    "BonusAs",
    "BumpRoll",
    "Ladder",
    "Pool",
    "RollUnder",
    "Side",
    "TableRoll",
    "sway",
]

Side = Literal["attack", "defense"]


class BonusAs(Enum):
    """What a bonus adds to a pool."""

    DICE = "dice"
    BUMPS = "bumps"


@source("BU-12")
def sway(advantage: bool, disadvantage: bool) -> int:
    """Which way a roll leans: 1 with Advantage, -1 with Disadvantage, 0 with neither or both: they cancel.

    >>> sway(True, False), sway(True, True)
    (1, 0)
    """
    return int(advantage) - int(disadvantage)


@source("BU-04", "BU-12")
class BumpRoll(Part):
    """A way to roll Bumps. A subclass gives `once`, and `leaning` for the readings of Advantage it knows."""

    def once(self, rating: int, bonus: int, side: Side) -> Roll[int]:
        """The Bumps of one plain roll.

        Args:
            rating: How good the roller is at it: Melee, Ranged, Spellcraft, Defense or Save.
            bonus: What is added for this roll.
            side: "attack" or "defense", for a Bump roll that is not the same for both.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say how it is rolled: give it `once`")

    def leaning(self, rating: int, bonus: int, side: Side, sway: int, reading: BumpAdvantage) -> Roll[int]:
        """The Bumps of a roll with Advantage (`sway` 1) or Disadvantage (-1) where it changes the dice.

        Raises:
            NotAllowed: BU-12, this Bump roll knows nothing like that.
        """
        raise NotAllowed("BU-12", f"Advantage as {reading.value!r} does nothing to the Bump roll {self.kind}")

    def bumps(self, rating: int, bonus: int, side: Side, sway: int, reading: BumpAdvantage) -> Roll[int]:
        """A side's Bumps, 0 or more.

        Args:
            rating, bonus, side: As in `once`.
            sway: 1 with Advantage, -1 with Disadvantage, 0 with neither or both.
            reading: What Advantage does.

        Raises:
            NotAllowed: BU-12, the reading means nothing to this Bump roll.
        """
        if sway == 0:
            rolled = self.once(rating, bonus, side)
        elif reading is BumpAdvantage.TWICE:
            better = maximum if sway > 0 else minimum
            rolled = better(self.once(rating, bonus, side), self.once(rating, bonus, side))
        elif reading is BumpAdvantage.FLAT:
            rolled = self.once(rating, bonus, side) + sway
        else:
            rolled = self.leaning(rating, bonus, side, sway, reading)
        return maximum(rolled, 0)

    def told(self) -> str:
        """What a view says about it."""
        return self.kind


TableRoll = Annotated[BumpRoll, Field(description="How Bumps are rolled at this table")]
"""A Bump roll as the stat of a rule."""


class Pool(BumpRoll):
    """As many dice as the rating; each that shows the number or more is a Bump.

    >>> from rulekit import P
    >>> P(Pool().once(4, 0, "attack") >= 1)
    Fraction(15, 16)
    """

    die: Annotated[int, Field(ge=2, le=20, description="Faces of each die")] = 6
    bump_on: Annotated[int, Field(ge=1, le=21, description="The least face that is a Bump")] = 4
    top_counts_double: Annotated[bool, Field(description="The highest face is 2 Bumps")] = False
    bonus_as: Annotated[BonusAs, Field(description="What a bonus adds")] = BonusAs.DICE

    def once(self, rating: int, bonus: int, side: Side) -> Roll[int]:
        """Throw rating dice, a bonus as dice or as Bumps."""
        return self._thrown(rating, bonus, self.bump_on)

    def leaning(self, rating: int, bonus: int, side: Side, sway: int, reading: BumpAdvantage) -> Roll[int]:
        """One die more or less, one taken away, or an easier or harder number."""
        match reading:
            case BumpAdvantage.DICE:
                return self._thrown(rating, bonus, self.bump_on, more=sway)
            case BumpAdvantage.DROP:
                return self._thrown(
                    rating, bonus, self.bump_on, more=1, dropped="lowest" if sway > 0 else "highest"
                )
            case BumpAdvantage.THRESHOLD:
                return self._thrown(rating, bonus, clip(self.bump_on - sway, 1, self.die + 1))
        return super().leaning(rating, bonus, side, sway, reading)

    def _thrown(
        self, rating: int, bonus: int, bump_on: int | Roll[int], *, more: int = 0, dropped: str = ""
    ) -> Roll[int]:
        face = roll(d(self.die))
        top = where(self.top_counts_double, 2, 1)
        die = where(face >= bump_on, where(face == self.die, top, 1), 0)
        as_dice = self.bonus_as is BonusAs.DICE
        count = maximum(rating + bonus if as_dice else rating, 0)
        thrown = dice(maximum(count + more, 0), die)
        flat = 0 if as_dice else bonus
        if dropped == "lowest":
            return thrown - thrown.lowest(1) + flat
        if dropped == "highest":
            return thrown - thrown.highest(1) + flat
        return thrown + flat

    def told(self) -> str:
        """The dice, and that they are no rule of the chapter."""
        double = f", {self.die} counts double" if self.top_counts_double is True else ""
        return (
            f"Pool of d{self.die}, a Bump on {self.bump_on} or more{double} "
            "(a convenience: the chapter does not say how Bumps are rolled)"
        )


class Ladder(BumpRoll):
    """d20 and the rating: a Bump at the base, one more for each step above it.

    >>> from rulekit import P
    >>> P(Ladder(base=10, step=5).once(4, 0, "attack") >= 2)
    Fraction(1, 2)
    """

    base: Annotated[int, Field(ge=1, le=60, description="The least total that is a Bump")] = 10
    step: Annotated[int, Field(ge=1, le=20, description="What one more Bump takes")] = 5

    def once(self, rating: int, bonus: int, side: Side) -> Roll[int]:
        """Throw a d20, add rating and bonus, count the rungs."""
        return self._climbed(rating + bonus, self.base, side)

    def leaning(self, rating: int, bonus: int, side: Side, sway: int, reading: BumpAdvantage) -> Roll[int]:
        """A base that is 1 lower or higher."""
        if reading is BumpAdvantage.THRESHOLD:
            return self._climbed(rating + bonus, self.base - sway, side)
        return super().leaning(rating, bonus, side, sway, reading)

    def _climbed(self, modifier: int, base: int, side: Side) -> Roll[int]:
        total = roll(d(20), f"{side} d20") + modifier
        bumps: Roll[int] = where(total >= base, 1 + (total - base) // self.step, 0)
        return bumps

    def told(self) -> str:
        """Base and step."""
        return f"Ladder: d20 and rating, a Bump at {self.base} and one more for each {self.step} above"


class RollUnder(BumpRoll):
    """d20 against the target number: below it 1 Bump, equal 2, above 0; a bonus is flat Bumps.

    >>> from rulekit import dist
    >>> dist(RollUnder(base=0).once(4, 0, "attack")) == d({0: 16, 1: 3, 2: 1})
    True
    """

    base: Annotated[int, Field(ge=0, le=20, description="The target number is this and the rating")] = 8

    def once(self, rating: int, bonus: int, side: Side) -> Roll[int]:
        """Throw a d20 against base and rating."""
        return self._under(self.base + rating, bonus, side)

    def leaning(self, rating: int, bonus: int, side: Side, sway: int, reading: BumpAdvantage) -> Roll[int]:
        """A target number that is 1 higher or lower."""
        if reading is BumpAdvantage.THRESHOLD:
            return self._under(self.base + rating + sway, bonus, side)
        return super().leaning(rating, bonus, side, sway, reading)

    def _under(self, target: int, bonus: int, side: Side) -> Roll[int]:
        face = roll(d(20), f"{side} d20")
        bumps: Roll[int] = where(face < target, 1, where(face == target, 2, 0))
        return bumps + bonus

    def told(self) -> str:
        """The target number."""
        return f"Roll under: d20 against {self.base} and rating, below it 1 Bump, equal 2"


class AnyDistribution(BumpRoll):
    """Any distribution of Bumps, one a side; ratings change nothing, a bonus is flat Bumps.

    >>> from rulekit import E
    >>> E(AnyDistribution(attack=d(3)).once(4, 1, "attack"))
    Fraction(3, 1)
    """

    attack: Annotated[Dist, Field(description="Bumps of the attack")] = d({0: 1, 1: 2, 2: 1})
    defense: Annotated[Dist, Field(description="Bumps of the defense")] = d({0: 1, 1: 1})

    @field_validator("attack", "defense", mode="after")
    @classmethod
    def _whole(cls, bumps: Dist) -> Dist:
        for outcome in bumps.outcomes:
            if isinstance(outcome, bool) or not isinstance(outcome, int):
                raise StatError(f"{outcome!r} is no number of Bumps; outcomes are whole numbers")
        return bumps

    def once(self, rating: int, bonus: int, side: Side) -> Roll[int]:
        """Draw from the side's own distribution."""
        return roll(self.attack if side == "attack" else self.defense) + bonus

    def told(self) -> str:
        """Both distributions' means."""
        means = f"{self.attack.mean} for the attack, {self.defense.mean} for the defense"
        return f"Bumps by distribution, on average {means}"
