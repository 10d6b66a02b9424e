"""`Pool`: dice thrown together, of which a rule looks at some, in their order."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from fractions import Fraction
from numbers import Integral
from typing import Any, Literal, NamedTuple

from rulekit.distributions import sweeps
from rulekit.distributions.arithmetic import check_cells, ends
from rulekit.distributions.distribution import Dist, d, mixture
from rulekit.distributions.exact import Faces, Number, as_outcome, chooser, whole_weight
from rulekit.distributions.exploding import EXPLOSION_DEPTH, EXPLOSION_LEFTOVER, thrown_on
from rulekit.distributions.leftovers import Rest
from rulekit.errors import RulekitError, TooLarge

__all__ = ["MAX_DICE", "MAX_POOL_FACES", "Pool"]

MAX_DICE = 100_000
"""A pool holds no more dice."""

MAX_POOL_FACES = 2_000_000
"""The unlike dice of a pool have no more faces together."""


class _Keep(NamedTuple):
    """One selection: of the dice still kept, in rank order."""

    what: Literal["highest", "lowest", "middle", "ranks", "drop_highest", "drop_lowest"]
    numbers: tuple[int, ...]

    def of(self, kept: list[int]) -> list[int]:
        """The ranks that stay of these."""
        n, k = len(kept), self.numbers[0] if self.numbers else 0
        if self.what == "highest":
            return kept[:k]
        if self.what == "lowest":
            return kept[max(0, n - k) :]
        if self.what == "drop_highest":
            return kept[k:]
        if self.what == "drop_lowest":
            return kept[: max(0, n - k)]
        if self.what == "middle":
            if k >= n:
                return kept
            if (n - k) % 2:
                raise RulekitError(f"{n} dice have no middle {k}: one side would lose a die more")
            return kept[(n - k) // 2 : (n + k) // 2]
        places = [r - 1 if r > 0 else n + r for r in self.numbers]
        for r, place in zip(self.numbers, places, strict=True):
            if r == 0 or not 0 <= place < n:
                raise RulekitError(
                    f"rank {r} of {n} dice: ranks are 1 (the highest) to {n}, or -1 (the lowest)"
                )
        return [kept[place] for place in sorted(set(places))]


class _ExtraDice(NamedTuple):
    """Faces that put another die into the pool, at most ``times`` for each first die."""

    faces: Faces | None
    times: int | None


class Pool:
    """Dice thrown together: equal or unlike, an iterable of what ``d`` takes, or a mapping die -> how many.

    Modifiers give another Pool and apply in the order written: ``reroll``, ``explode``, ``clip`` and
    ``map`` to each die, ``ranked_by``, ``keep`` and ``drop`` to their order. Questions give a Dist:
    ``total``, ``highest``, ``lowest``, ``middle``, ``ranks``, ``count``, ``sorted``, ``pairs``.

    A pool has at most 100,000 dice, the unlike ones with at most 2,000,000 faces together. A question
    that would take more than some ten seconds raises ``TooLarge`` before it begins. Of no dice the total
    is 0 and none succeeds; the highest of none has no value and raises ``RulekitError``.

    >>> Pool([d(6)] * 4).highest(3).mean
    Fraction(15869, 1296)
    >>> Pool([6, 6, 8, 12]).highest(2).at_least(12)
    Fraction(535, 864)
    >>> Pool([20] * 3).drop(lowest=1).lowest().mean
    Fraction(21, 2)
    """

    __slots__ = ("_dice", "_extra", "_keeps", "_key", "_value")

    _dice: tuple[tuple[Dist, int], ...]
    _keeps: tuple[_Keep, ...]
    _key: Callable[[Any], Any] | None
    _value: Callable[[Any], Any] | None
    _extra: _ExtraDice | None

    def __init__(self, dice: Iterable[Any] | Mapping[Any, int]) -> None:
        if isinstance(dice, str | Dist) or not isinstance(dice, Iterable):
            raise RulekitError(f"Pool takes its dice one by one, as in Pool([d(6)] * 4), not {dice!r}")
        if isinstance(dice, Mapping):
            counted = ((x, whole_weight(n, f"the number of {x!r}")) for x, n in dice.items())
        else:
            counted = ((x, 1) for x in dice)
        # Equal dice are known by what was written, or by the very Dist: quicker than comparing them, and
        # its id stays its own while it is held here.
        written: dict[Any, Dist] = {}
        gathered: dict[int, tuple[Dist, int]] = {}
        faces = number = 0
        for x, n in counted:
            if type(x) in (int, str):
                if x not in written:
                    written[x] = d(x)
                x = written[x]
            die = d(x)
            before = gathered.get(id(die))
            if before is None:
                faces += len(die.outcomes)
            gathered[id(die)] = die, n + (before[1] if before else 0)
            number += n
            if number > MAX_DICE or faces > MAX_POOL_FACES:
                raise TooLarge(
                    f"a pool has at most {MAX_DICE:,} dice and {MAX_POOL_FACES:,} faces of unlike dice; this "
                    f"has {number:,} dice and {faces:,} faces, or more"
                )
        self._fill(_gathered(gathered.values()), (), None, None, None)

    def _fill(
        self,
        dice: tuple[tuple[Dist, int], ...],
        keeps: tuple[_Keep, ...],
        key: Callable[[Any], Any] | None,
        value: Callable[[Any], Any] | None,
        extra: _ExtraDice | None,
    ) -> None:
        for name, x in zip(
            ("_dice", "_keeps", "_key", "_value", "_extra"), (dice, keeps, key, value, extra), strict=True
        ):
            object.__setattr__(self, name, x)

    def _with(self, **changes: Any) -> Pool:
        state = {
            name: changes.get(name, getattr(self, "_" + name))
            for name in ("dice", "keeps", "key", "value", "extra")
        }
        new = Pool.__new__(Pool)
        new._fill(**state)
        return new

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Pool does not change; its methods make another")

    def __copy__(self) -> Pool:
        return self

    def __deepcopy__(self, memo: object) -> Pool:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._dice, self._keeps, self._key, self._value, self._extra)

    def __len__(self) -> int:
        return sum(n for _, n in self._dice)

    def __repr__(self) -> str:
        dice = ", ".join(f"{n} x {die!r}" for die, n in self._dice)
        return f"<Pool of {dice or 'no dice'}>"

    @property
    def dice(self) -> tuple[tuple[Dist, int], ...]:
        """The dice as they stand, (die, how many) pairs.

        >>> Pool([d(4), d(4), d(2)]).dice
        ((Dist({1: 1, 2: 1, 3: 1, 4: 1}), 2), (Dist({1: 1, 2: 1}), 1))
        """
        return self._dice

    # -- modifiers --------------------------------------------------------------------------------

    def _each(self, change: Callable[[Dist], Dist]) -> Pool:
        return self._with(dice=_gathered((change(die), n) for die, n in self._dice))

    def _before_ranking(self, what: str) -> None:
        if self._keeps or self._key or self._extra:
            raise RulekitError(
                f"{what} dice comes before they are ranked, kept, dropped or joined by extra dice"
            )

    def reroll(self, faces: Faces, times: int | None = None) -> Pool:
        """Each die thrown again while it shows one of ``faces``, as `Dist.reroll` does.

        >>> Pool([6, 6]).reroll({1, 2}, times=1).total().mean
        Fraction(25, 3)
        """
        self._before_ranking("rerolling")
        return self._each(lambda die: die.reroll(faces, times))

    def explode(
        self,
        explode: Literal["compound", "extra_die"] = "compound",
        faces: Faces | None = None,
        times: int | None = None,
    ) -> Pool:
        """Each die thrown again while it shows one of ``faces`` (None: its greatest), at most ``times``.

        ``"compound"``: the further throws add to their die, as `Dist.explode` does. ``"extra_die"``: each is
        a die of its own in the pool, to be kept, dropped and counted like any. Raises ``RulekitError``
        for a die that would never stop.

        >>> Pool([6, 6]).explode("compound").highest().at_least(12)
        Fraction(71, 1296)
        >>> Pool([6, 6]).explode("extra_die").count({5, 6}).mean
        Fraction(4, 5)
        """
        if explode not in ("compound", "extra_die"):
            raise RulekitError(f"dice explode as 'compound' or 'extra_die', not {explode!r}")
        self._before_ranking("exploding")
        exploded = self._each(lambda die: die.explode(faces, times))
        return exploded if explode == "compound" else self._with(extra=_ExtraDice(faces, times))

    def clip(self, low: Number | float | None = None, high: Number | float | None = None) -> Pool:
        """Each die with a floor and a cap, as `Dist.clip` does.

        >>> Pool([20, 20]).highest().clip(low=10) == Pool([20, 20]).clip(low=10).highest()
        True
        """
        if not self._shown():
            return self._each(lambda die: die.clip(low, high))
        Dist({0: 1}).clip(low, high)  # what is no floor or cap is refused here
        return self._valued(lambda x: Dist({x: 1}).clip(low, high).outcomes[0])

    def map(self, function: Callable[[Any], Hashable]) -> Pool:
        """Each die counting ``function(face)``; dice already ranked or kept stay ranked as they were.

        >>> Pool([6, 6, 6]).map(lambda face: face if face % 2 else 0).highest().mean
        Fraction(25, 8)
        """
        return self._valued(function) if self._shown() else self._each(lambda die: die.map(function))

    def _shown(self) -> bool:
        """Whether the dice are already on the table, so that only what they count can still change."""
        return bool(self._keeps or self._key or self._extra)

    def _valued(self, function: Callable[[Any], Any]) -> Pool:
        before = self._value or (lambda x: x)
        return self._with(value=lambda x: as_outcome(function(before(x))))

    def ranked_by(self, key: Callable[[Any], Any]) -> Pool:
        """The same dice ranked by ``key(face)`` in place of the number shown; equal keys by the number.

        >>> nearest = Pool([6, 6]).ranked_by(lambda face: -abs(face - 3))
        >>> nearest.highest().probability(3)
        Fraction(11, 36)
        """
        self._before_ranking("ranking")
        return self._with(key=key)

    def keep(
        self,
        *,
        highest: int | None = None,
        lowest: int | None = None,
        middle: int | None = None,
        ranks: Iterable[int] | None = None,
    ) -> Pool:
        """Only some of the dice still kept, to go on with: exactly one of the four.

        ``ranks`` count from 1, the highest, or from -1, the lowest. Of fewer dice than asked for, all
        are kept; a rank that is not there raises ``RulekitError``.

        >>> Pool([20] * 3).keep(highest=2).lowest() == Pool([20] * 3).ranks(2)
        True
        """
        given = {"highest": highest, "lowest": lowest, "middle": middle, "ranks": ranks}
        asked = {what: x for what, x in given.items() if x is not None}
        if len(asked) != 1:
            raise RulekitError(
                f"keep takes one of highest, lowest, middle and ranks, not {sorted(asked) or 'none'}"
            )
        ((what, x),) = asked.items()
        if isinstance(x, Iterable):
            numbers = tuple(_whole(r, "a rank") for r in x)
        else:
            numbers = (_whole(x, f"the number of dice to keep ({what})", least=0),)
        return self._kept(_Keep(what, numbers))  # type: ignore[arg-type]

    def drop(self, *, highest: int = 0, lowest: int = 0) -> Pool:
        """All but the ``highest`` and the ``lowest`` of the dice still kept.

        >>> Pool([6] * 4).drop(lowest=1).total() == Pool([6] * 4).highest(3)
        True
        """
        up = _Keep("drop_highest", (_whole(highest, "the number of dice to drop", least=0),))
        down = _Keep("drop_lowest", (_whole(lowest, "the number of dice to drop", least=0),))
        return self._kept(up)._kept(down)

    def _kept(self, keep: _Keep) -> Pool:
        new = self._with(keeps=(*self._keeps, keep))
        if not self._extra:
            new._ranks(len(self))  # what cannot be kept is refused here
        return new

    # -- questions --------------------------------------------------------------------------------

    def highest(self, k: int = 1) -> Dist:
        """The sum of the ``k`` highest dice kept; all of them where there are fewer.

        >>> Pool([20, 20]).highest().mean
        Fraction(553, 40)
        """
        return self.keep(highest=k)._some()

    def lowest(self, k: int = 1) -> Dist:
        """The sum of the ``k`` lowest dice kept; all of them where there are fewer.

        >>> Pool([6, 6]).lowest().probability(6)
        Fraction(1, 36)
        """
        return self.keep(lowest=k)._some()

    def middle(self, k: int = 1) -> Dist:
        """The sum of the ``k`` middle dice kept; as many must lie above as below.

        >>> Pool([20] * 3).middle().probability(10)
        Fraction(299, 4000)
        """
        return self.keep(middle=k)._some()

    def ranks(self, *ranks: int) -> Dist:
        """The sum of the dice at these ranks, 1 the highest, -1 the lowest.

        >>> Pool([6] * 3).ranks(1, 3).mean
        Fraction(7, 1)
        """
        if not ranks:
            raise RulekitError("ranks takes one rank at least: 1 is the highest, -1 the lowest")
        return self.keep(ranks=ranks)._some()

    def _some(self) -> Dist:
        if not len(self) and self._keeps[-1].numbers != (0,):
            raise RulekitError(f"a pool of no dice has no {self._keeps[-1].what} die")
        return self.total()

    def total(self) -> Dist:
        """The sum of the dice kept; 0 of none. Where a single die is kept, what it shows, a label too.

        >>> Pool([d(6), d(8)]).total().mean, Pool([]).total()
        (Fraction(8, 1), Dist({0: 1}))
        """
        if self._extra:
            return self._total_with_extra_dice()
        ranks = self._ranks(len(self))
        if len(ranks) < len(self):
            return _sum_of_ranks(self._dice, ranks, self._key, self._value)
        if len(ranks) == 1:
            (die,) = (die for die, n in self._dice if n)
            return die if self._value is None else die.map(self._value)
        dice = [(die if self._value is None else die.map(self._value), n) for die, n in self._dice]
        total = Dist._from_sorted((0,), (1,))
        for die, n in sorted(dice, key=lambda item: len(item[0].outcomes) * item[1]):
            total = total + die.__rmatmul__(n)
        return total

    def count(self, faces: Faces | Mapping[Any, int]) -> Dist:
        """How many of the dice kept show one of ``faces``.

        ``faces`` is a face, a collection of them, a function that says yes or no, or a mapping from a
        face to what it counts: ``{6: 2, 5: 1, 1: -1}`` counts sixes double and lets ones cancel. Dice that
        explode without an end are counted by comparing, ``4 @ (d(6).explode() >= 9)``.

        >>> Pool([6] * 6).count({5, 6}).mean, Pool([10] * 3).count({10: 2, 9: 1, 8: 1, 1: -1}).mean
        (Fraction(2, 1), Fraction(9, 10))
        """
        if isinstance(faces, Mapping):
            worth = {as_outcome(x): _whole(n, f"what {x!r} counts") for x, n in faces.items()}
            return self._valued(lambda x: worth.get(x, 0)).total()
        wanted = chooser(faces)
        return self._valued(lambda x: int(wanted(x))).total()

    def sorted(self) -> Dist:
        """The dice kept as a tuple, the highest first: for a rule that looks at the whole throw.

        Raises ``TooLarge`` beyond 5,000,000 looks at a die.

        >>> doubles = Pool([6, 6]).sorted().map(lambda throw: throw[0] == throw[1])
        >>> doubles.probability(True)
        Fraction(1, 6)
        """
        if self._extra and self._extra.times is None:
            raise RulekitError("a pool with endless extra dice has no finite list of throws; give `times`")
        if self._extra:
            return mixture([(self._plain(dice).sorted(), w) for dice, w in self._parts()[0]])
        throws: dict[tuple[Any, ...], int] = {(): 1}
        order = _levels(self._dice, self._key)
        place = {x: i for i, x in enumerate(order)}
        for die, n in self._dice:
            die._whole("a throw")
            # The last die alone meets every throw of its equals.
            faces = len(die.outcomes)
            check_cells(math.comb(n + faces - 2, n - 1) * faces, "the throws of a pool")
        for die, n in self._dice:
            for _ in range(n):
                check_cells(len(throws) * len(die.outcomes), "the throws of a pool")
                grown: dict[tuple[Any, ...], int] = {}
                for throw, w in throws.items():
                    for x, v in die.items():
                        key = tuple(sorted((*throw, place[x])))
                        grown[key] = grown.get(key, 0) + w * v
                throws = grown
        ranks = self._ranks(len(self))
        value = self._value or (lambda x: x)
        shown: dict[tuple[Any, ...], int] = {}
        for throw, w in throws.items():
            kept = tuple(value(order[throw[r]]) for r in ranks)
            shown[kept] = shown.get(kept, 0) + w
        return Dist._from_merged(shown)

    def pairs(self, other: Pool, *, win: int = 1, tie: int = 0, lose: int = 0) -> Dist:
        """Both pools' dice ranked and paired off, highest against highest: our points over all pairs.

        Each pair counts ``win``, ``tie`` or ``lose``, a die without a partner nothing; by default it is how
        many pairs we win. Raises ``RulekitError`` where dice were kept, dropped, revalued or joined.

        >>> Pool([6] * 3).pairs(Pool([6] * 2))  # RISK: the attacker's wins, ties are the defender's
        Dist({0: 2275, 1: 2611, 2: 2890})
        """
        for pool in (self, other):
            if pool._keeps or pool._extra or pool._value or pool._key is not self._key:
                raise RulekitError("pairs compares whole pools of plain dice, both ranked alike")
            for die, _ in pool._dice:
                die._whole("a comparison die by die")
        points = [_whole(x, "what a pair counts") for x in (win, tie, lose)]
        pairs = min(len(self), len(other))
        if not pairs:
            return Dist._from_sorted((0,), (1,))
        order = _levels((*self._dice, *other._dice), self._key)
        ours, theirs = (_families(pool._dice, order) for pool in (self, other))
        win, tie, lose = points
        merged: dict[Any, int] = {}
        if tie == lose:
            results = enumerate(sweeps.outranked(ours, theirs, pairs))
            merged = _weighed((won * win + (pairs - won) * lose, w) for won, w in results)
        elif tie == win:
            results = enumerate(sweeps.outranked(theirs, ours, pairs))
            merged = _weighed((lost * lose + (pairs - lost) * win, w) for lost, w in results)
        else:
            both = sweeps.ranked_pairs(ours, theirs, pairs).items()
            merged = _weighed(
                (won * win + lost * lose + (pairs - won - lost) * tie, w) for (won, lost), w in both
            )
        return Dist._from_merged(merged)

    # -- the parts --------------------------------------------------------------------------------

    def _ranks(self, n: int) -> list[int]:
        kept = list(range(n))
        for keep in self._keeps:
            kept = keep.of(kept)
        return kept

    def _plain(self, dice: tuple[tuple[Dist, int], ...]) -> Pool:
        return self._with(dice=dice, extra=None)

    def _split(self, die: Dist) -> tuple[dict[Any, int], dict[Any, int]]:
        """What of a die brings an extra die, and what does not."""
        assert self._extra
        faces = self._extra.faces
        wanted = chooser(die.outcomes[-1] if faces is None else faces)
        on = {x: w for x, w in die.items() if wanted(x)}
        return on, {x: w for x, w in die.items() if x not in on}

    def _total_with_extra_dice(self) -> Dist:
        assert self._extra
        if not self._keeps:
            # Nobody is left out, so a die and its extra dice are one sum.
            value = self._value or (lambda x: x)
            total = Dist._from_sorted((0,), (1,))
            for die, n in self._dice:
                on, off = (_weighed((value(x), w) for x, w in part.items()) for part in self._split(die))
                chain = Dist._from_merged(*thrown_on(on, off, self._extra.times))
                total = total + chain.__rmatmul__(n)
            return total
        parts, cut, fewest = self._parts()
        steps = 0
        for dice, _ in parts:
            if ranks := self._ranks(sum(n for _, n in dice)):
                order = _levels(dice, self._key)
                steps += _sweep(dice, ranks, order, len(ranks) * len(order)).steps
        _check_steps(steps, f"{len(parts):,} pools with extra dice")
        answers = [(self._plain(dice).total(), w) for dice, w in parts]
        if cut:
            answers.append((Dist._from_merged({}, Rest(1, *self._limits(fewest))), cut))
        return mixture(answers)

    def _parts(self) -> tuple[list[tuple[tuple[tuple[Dist, int], ...], int]], int, int]:
        """The pools that extra dice can make of this, with weights; the weight that was cut off, and the
        fewest extra dice that a throw brings which was cut off."""
        assert self._extra
        fewest = MAX_DICE
        parts: list[tuple[tuple[tuple[Dist, int], ...], int]] = [((), 1)]
        whole = 1
        for die, n in self._dice:
            on, off = self._split(die)
            if not on:
                parts = [((*dice, (die, n)), w) for dice, w in parts]
                continue
            more, denominator = _extra_dice(sum(on.values()), sum(off.values()), n, self._extra.times)
            check_cells(len(parts) * len(more), "a pool with extra dice")
            bursting = Dist._from_merged(on)
            ending = Dist._from_merged(off) if off else bursting
            parts = [
                ((*dice, (bursting, extra), (ending, ends_off)), w * v)
                for dice, w in parts
                for (extra, ends_off), v in more.items()
            ]
            whole *= denominator
            fewest = min(fewest, 1 + max(extra for extra, _ in more))
        return [(_gathered(dice), w) for dice, w in parts], whole - sum(w for _, w in parts), fewest

    def _limits(self, fewest: int) -> tuple[Any, Any]:
        """Between which values a throw lies that brought ``fewest`` extra dice or more."""
        kept = self._ranks(len(self) + fewest)
        sides = [(x, x in self._split(die)[0]) for die, _ in self._dice for x in die.outcomes]
        value = self._value or (lambda x: x)
        values = [value(x) for x, _ in sides]
        low, high = len(kept) * min(values), len(kept) * max(values)
        first, *others = self._keeps
        if first.what not in ("highest", "lowest") or others or first.numbers != (len(kept),):
            return -math.inf, math.inf
        if first.what == "highest" and self._value is None and self._key is None and len(kept) <= fewest:
            # So many exploding faces lie there: the highest dice are no lower than those.
            low = len(kept) * min(x for x, explodes in sides if explodes)
        return low, high


def _restore(
    dice: tuple[tuple[Dist, int], ...],
    keeps: tuple[_Keep, ...],
    key: Callable[[Any], Any] | None,
    value: Callable[[Any], Any] | None,
    extra: _ExtraDice | None,
) -> Pool:
    pool = Pool.__new__(Pool)
    pool._fill(dice, keeps, key, value, extra)
    return pool


def _whole(x: object, what: str, least: int | None = None) -> int:
    if isinstance(x, bool) or not isinstance(x, Integral) or (least is not None and int(x) < least):
        bound = "" if least is None else f" from {least} up"
        raise RulekitError(f"{what} is a whole number{bound}, not {x!r}")
    return int(x)


def _gathered(dice: Iterable[tuple[Dist, int]]) -> tuple[tuple[Dist, int], ...]:
    found: dict[Dist, int] = {}
    for die, n in dice:
        if n:
            found[die] = found.get(die, 0) + n
    return tuple(found.items())


def _weighed(pairs: Iterable[tuple[Any, int]]) -> dict[Any, int]:
    merged: dict[Any, int] = {}
    for x, w in pairs:
        merged[x] = merged.get(x, 0) + w
    return merged


def _levels(dice: Iterable[tuple[Dist, int]], key: Callable[[Any], Any] | None) -> list[Any]:
    """All faces of these dice, the highest first; of equal keys without an order, the one given first."""
    faces = list(dict.fromkeys(x for die, _ in dice for x in die.outcomes))
    try:
        if key is None:
            return sorted(faces, reverse=True)
        try:
            return sorted(faces, key=lambda x: (key(x), x), reverse=True)
        except TypeError:
            return sorted(faces, key=key, reverse=True)
    except TypeError:
        raise RulekitError("these faces have no order: rank them with ranked_by(key)") from None


def _families(dice: Iterable[tuple[Dist, int]], order: list[Any]) -> list[sweeps.Family]:
    shown = [(dict(die.items()), n) for die, n in dice]
    return sweeps.families([([weights.get(x, 0) for x in order], n) for weights, n in shown])


class _Sweep(NamedTuple):
    """How to sum these ranks: from whichever end is cheaper."""

    steps: int
    group: list[sweeps.Family]
    ranks: list[int]
    flipped: bool


def _sweep(dice: tuple[tuple[Dist, int], ...], ranks: list[int], order: list[Any], spread: int) -> _Sweep:
    n = sum(count for _, count in dice)
    found = []
    for flipped in (False, True):
        group = _families(dice, order[::-1] if flipped else order)
        asked = [n - 1 - r for r in ranks] if flipped else ranks
        found.append(_Sweep(sweeps.sweep_cost(group, max(asked), spread), group, asked, flipped))
    return min(found, key=lambda sweep: sweep.steps)


def _check_steps(steps: int, what: str) -> None:
    if steps > sweeps.MAX_STEPS:
        raise TooLarge(
            f"{what} would take about {steps:,} steps; the bound is {sweeps.MAX_STEPS:,}", cells=steps
        )


def _sum_of_ranks(
    dice: tuple[tuple[Dist, int], ...],
    ranks: list[int],
    key: Callable[[Any], Any] | None,
    value: Callable[[Any], Any] | None,
) -> Dist:
    if not ranks:
        return Dist._from_sorted((0,), (1,))
    order = _levels(dice, key)
    values = order if value is None else [value(x) for x in order]
    single = len(ranks) == 1
    if not single and value is None:
        for die, _ in dice:
            die._numbers("a sum of dice")
    # One die is no sum, so it may show a label: carry its place in the order.
    counted = list(range(len(order))) if single else values
    sweep = _sweep(dice, ranks, order, len(ranks) * len(set(counted)))
    _check_steps(sweep.steps, f"ranking {sum(n for _, n in dice):,} dice of {len(order):,} faces")
    sums = sweeps.sum_of_ranks(sweep.group, sweep.ranks, counted[::-1] if sweep.flipped else counted)
    if single:
        sums = _weighed((values[i], w) for i, w in sums.items())
    cut = [die for die, _ in dice if die.leftover]
    if not cut:
        return Dist._from_merged(sums)
    if key is not None or value is not None:
        cut[0]._whole("another ranking or worth")
    certain = Fraction(1)
    for die, count in dice:
        certain *= (1 - die.leftover) ** count
    weight = sum(sums.values()) * (1 / certain - 1)
    sums = {x: w * weight.denominator for x, w in sums.items()}
    return Dist._from_merged(sums, Rest(weight.numerator, *_ends_of_ranks(dice, ranks)))


def _ends_of_ranks(dice: tuple[tuple[Dist, int], ...], ranks: list[int]) -> tuple[Any, Any]:
    """Between which values the sum of these ranks lies where one of the dice at least was cut off."""

    def sum_at(side: int, cut: Dist) -> Any:
        # The sum grows with each die, so it ends where every die ends, one of them in its leftover.
        assert cut.leftover_range
        values = [ends(die)[side] for die, n in dice for _ in range(n)]
        values[values.index(ends(cut)[side])] = cut.leftover_range[side]
        values.sort(reverse=True)
        return sum(values[r] for r in ranks)

    cut = [die for die, _ in dice if die.leftover]
    return min(sum_at(0, die) for die in cut), max(sum_at(1, die) for die in cut)


def _extra_dice(on: int, off: int, n: int, times: int | None) -> tuple[dict[tuple[int, int], int], int]:
    """How many exploding faces n dice and their extra dice show, and how many other faces: with weights.

    The weights are out of the second value; what is missing was cut off.
    """
    total = on + off
    if times is None:
        # Negative binomial: n dice end, each with a face that does not explode.
        p, certain, counts, extra = Fraction(on, total), Fraction(0), [], 0
        while extra <= EXPLOSION_DEPTH + 20 * n and 1 - certain >= EXPLOSION_LEFTOVER:
            counts.append(math.comb(n + extra - 1, extra))
            certain += counts[-1] * p**extra * (1 - p) ** n
            extra += 1
        deep = len(counts) - 1
        weights = {(k, n): count * on**k * off**n * total ** (deep - k) for k, count in enumerate(counts)}
        return weights, total ** (n + deep)
    one = {(k, 1): on**k * off * total ** (times - k) for k in range(times + 1)}
    one[times + 1, 0] = on ** (times + 1)
    several = {(0, 0): 1}
    for _ in range(n):
        check_cells(len(several) * len(one), "a pool with extra dice")
        several = _weighed(
            ((a + c, b + e), v * w) for (a, b), v in several.items() for (c, e), w in one.items()
        )
    return {key: w for key, w in several.items() if w}, total ** (n * (times + 1))
