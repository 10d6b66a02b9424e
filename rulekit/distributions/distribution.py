"""`Dist`: what could come up, as an exact and immutable finite distribution."""

from __future__ import annotations

import math
import operator
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from numbers import Integral
from typing import Any, Literal

from rulekit.distributions import arithmetic, kernels
from rulekit.distributions.exact import (
    Faces,
    Number,
    as_outcome,
    chooser,
    exact_number,
    is_label,
    tidy,
    whole_times,
    whole_weight,
)
from rulekit.distributions.exploding import thrown_on
from rulekit.distributions.leftovers import Rest, hull, moved
from rulekit.distributions.sampling import draws
from rulekit.errors import ImpossibleCondition, NotAValue, RulekitError, TooLarge

__all__ = ["MAX_FACES", "Dist", "d", "mixture"]

MAX_FACES = 1_000_000
"""No die made by ``d`` has more faces."""

Kind = Literal["event", "number", "label"]


class Dist:
    """An exact finite distribution: hashable outcomes with whole-number weights in lowest terms.

    ``Dist(data)`` takes a mapping from outcome to weight, or (outcome, weight) pairs. Weights are
    whole and not negative, one at least is positive, and those of 0 are dropped. Equal outcomes are
    one outcome: 1, 1.0, ``Fraction(1)`` and ``True`` are the number 1, ``True`` and ``False`` stay truth
    values where no other number is among the outcomes. A float is taken by its shortest decimal
    (0.1 is one tenth). Outcomes are sorted where they can be sorted, else kept in the order given.
    Raises ``RulekitError`` for anything else, with what was given.

    A Dist is a value: used twice it is two independent draws (``roll(dist)`` is one draw, used as
    often as you like). ``+ - * / // % **`` and the comparisons combine it with numbers and with
    other Dists, ``n @ die`` adds n of them up; ``&``, ``|`` and ``~`` join events, which are the Dists
    over truth values that comparisons give. ``==`` and ``!=`` between two Dists ask whether they are
    the same distribution; with a number or a label they are an event.

    A Dist that had to be cut off (an endless explosion) has a ``leftover``. What is asked below it is
    exact; beyond it ``probability``, ``cdf``, ``sf`` and ``at_least`` give what is certain, and a
    question that has no certain answer raises ``RulekitError``.

    >>> Dist({1: 2, 2: 4})
    Dist({1: 1, 2: 2})
    >>> (d(6) + d(6)).probability(7)
    Fraction(1, 6)
    >>> d(6) + d(6) == 2 @ d(6), d(6) > d(4)
    (True, Dist({False: 5, True: 7}))
    """

    __slots__ = (
        "__weakref__",
        "_denominator",
        "_index",
        "_kind",
        "_moments",
        "_outcomes",
        "_rest",
        "_weights",
    )
    __array_ufunc__ = None  # NumPy's operators leave the operation to ours

    _outcomes: tuple[Any, ...]
    _weights: tuple[int, ...]
    _denominator: int
    _kind: Kind
    _rest: Rest | None
    _moments: tuple[Fraction, Fraction] | None
    _index: dict[Any, int] | None

    def __init__(self, data: Mapping[Any, int] | Iterable[tuple[Any, int]]) -> None:
        if isinstance(data, Dist):
            self._fill(data._outcomes, data._weights, data._kind, data._rest, data._moments)
            return
        pairs: Any = data.items() if isinstance(data, Mapping) else data
        if isinstance(pairs, str) or not isinstance(pairs, Iterable):
            raise RulekitError(f"Dist takes a mapping or pairs of outcome and weight, not {data!r}")
        merged: dict[Any, int] = {}
        for pair in pairs:
            try:
                outcome, weight = pair
            except (TypeError, ValueError):
                raise RulekitError(f"Dist takes pairs of outcome and weight, not {pair!r}") from None
            outcome = as_outcome(outcome)
            merged[outcome] = merged.get(outcome, 0) + whole_weight(weight, f"the weight of {outcome!r}")
            if type(outcome) is int and outcome in (0, 1) and merged[outcome]:
                # The key that is already there may be a truth value: a number wins over it.
                merged[outcome] = merged.pop(outcome)
        self._set(merged)

    # -- building ---------------------------------------------------------------------------------

    def _fill(
        self,
        outcomes: tuple[Any, ...],
        weights: tuple[int, ...],
        kind: Kind,
        rest: Rest | None,
        moments: tuple[Fraction, Fraction] | None,
    ) -> None:
        common = math.gcd(*weights) if rest is None else math.gcd(rest.weight, *weights)
        if common > 1:
            weights = tuple(w // common for w in weights)
            rest = rest._replace(weight=rest.weight // common) if rest else None
        put = object.__setattr__
        put(self, "_outcomes", outcomes)
        put(self, "_weights", weights)
        put(self, "_denominator", sum(weights) + (rest.weight if rest else 0))
        put(self, "_kind", kind)
        put(self, "_rest", rest)
        put(self, "_moments", moments)
        put(self, "_index", None)

    def _set(
        self,
        merged: dict[Any, int],
        rest: Rest | None = None,
        moments: tuple[Fraction, Fraction] | None = None,
    ) -> None:
        if rest is not None and rest.low == rest.high and rest.weight:
            # It lies at one place: that is no uncertainty at all.
            merged[rest.low] = merged.get(rest.low, 0) + rest.weight
            rest, moments = None, None
        if rest is not None and not rest.weight:
            rest, moments = None, None
        merged = {x: w for x, w in merged.items() if w}
        if not merged and rest is None:
            raise RulekitError("a distribution needs at least one outcome with a positive weight")
        types = set(map(type, merged))
        if types <= {int, Fraction}:
            kind: Kind = "number"
        elif types == {bool}:
            kind = "event"
        elif all(issubclass(t, int | Fraction) for t in types):
            kind = "number"
            merged = {int(x) if type(x) is bool else x: w for x, w in merged.items()}
        else:
            kind = "label"
        if not merged:
            kind = "number"
        try:
            outcomes = tuple(sorted(merged))
        except TypeError:
            outcomes = tuple(merged)
        self._fill(outcomes, tuple(map(merged.__getitem__, outcomes)), kind, rest, moments)

    @classmethod
    def _from_sorted(
        cls,
        outcomes: tuple[Any, ...],
        weights: tuple[int, ...],
        *,
        kind: Kind = "number",
        rest: Rest | None = None,
        moments: tuple[Fraction, Fraction] | None = None,
    ) -> Dist:
        """A Dist of outcomes that are already exact, distinct, sorted and of positive weight."""
        new = cls.__new__(cls)
        new._fill(outcomes, weights, kind, rest, moments)
        return new

    @classmethod
    def _from_merged(
        cls,
        merged: dict[Any, int],
        rest: Rest | None = None,
        moments: tuple[Fraction, Fraction] | None = None,
    ) -> Dist:
        """A Dist of exact outcomes and weights not negative, in any order."""
        new = cls.__new__(cls)
        new._set(merged, rest, moments)
        return new

    @classmethod
    def _from_coefficients(
        cls,
        low: Number,
        step: Number,
        weights: Sequence[int],
        rest: Rest | None = None,
        moments: tuple[Fraction, Fraction] | None = None,
    ) -> Dist:
        """The outcomes low, low + step, ... with these weights, which may be 0 in places."""
        if type(low) is int and type(step) is int:
            outcomes: Iterable[Number] = range(low, low + step * len(weights), step)
        else:
            outcomes = [tidy(low + i * step) for i in range(len(weights))]
        if 0 in weights:
            pairs = [(x, w) for x, w in zip(outcomes, weights, strict=True) if w]
            return cls._from_merged(dict(pairs), rest, moments)
        return cls._from_sorted(tuple(outcomes), tuple(weights), rest=rest, moments=moments)

    @classmethod
    def _event(cls, yes: int, no: int, undecided: int = 0) -> Dist:
        pairs = [(x, w) for x, w in ((False, no), (True, yes)) if w]
        rest = Rest(undecided, False, True) if undecided else None
        return cls._from_sorted(
            tuple(x for x, _ in pairs), tuple(w for _, w in pairs), kind="event", rest=rest
        )

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a Dist does not change; make another")

    def __copy__(self) -> Dist:
        return self

    def __deepcopy__(self, memo: object) -> Dist:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self._outcomes, self._weights, self._kind, self._rest, self._moments)

    # -- other forms, each of which comes back ------------------------------------------------------

    def to_json(self) -> str:
        """This Dist as JSON, big weights as strings.

        >>> d(2).to_json()
        '{"outcomes": [1, 2], "weights": [1, 1]}'
        """
        from rulekit.distributions import conversions

        return conversions.to_json(self)

    @staticmethod
    def from_json(text: str) -> Dist:
        """The Dist that ``to_json`` wrote; ``RulekitError`` for anything else.

        >>> Dist.from_json(d("4d6kh3").to_json()) == d("4d6kh3")
        True
        """
        from rulekit.distributions import conversions

        return conversions.from_json(text)

    def to_pandas(self) -> Any:
        """The probabilities as a ``pandas.Series`` over the outcomes; its ``attrs`` hold the exact form.

        >>> d(4).to_pandas().loc[2]
        np.float64(0.25)
        """
        from rulekit.distributions import conversions

        return conversions.to_pandas(self)

    @staticmethod
    def from_pandas(data: Any) -> Dist:
        """A Dist of a Series, or of a table with the columns outcome and weight or probability.

        >>> Dist.from_pandas(d("2d6").to_pandas()) == d("2d6")
        True
        """
        from rulekit.distributions import conversions

        return conversions.from_pandas(data)

    def to_xarray(self) -> Any:
        """The probabilities as an ``xarray.DataArray`` along ``outcome``; its ``attrs`` hold the exact form.

        >>> d(4).to_xarray().sizes["outcome"]
        4
        """
        from rulekit.distributions import conversions

        return conversions.to_xarray(self)

    @staticmethod
    def from_xarray(data: Any) -> Dist:
        """A Dist of a DataArray with the one dimension ``outcome``.

        >>> Dist.from_xarray(d("2d6").to_xarray()) == d("2d6")
        True
        """
        from rulekit.distributions import conversions

        return conversions.from_xarray(data)

    def to_scipy(self) -> Any:
        """A frozen discrete distribution of ``scipy.stats``; ``RulekitError`` but for whole numbers.

        >>> round(float(d("3d6").to_scipy().mean()), 6)
        10.5
        """
        from rulekit.distributions import conversions

        return conversions.to_scipy(self)

    @staticmethod
    def from_scipy(distribution: Any) -> Dist:
        """A Dist of a discrete distribution of ``scipy.stats`` with a finite support.

        >>> Dist.from_scipy(d("2d6").to_scipy()) == d("2d6")
        True
        """
        from rulekit.distributions import conversions

        return conversions.from_scipy(distribution)

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from rulekit.distributions import conversions

        return conversions.core_schema()

    # -- what it holds ----------------------------------------------------------------------------

    @property
    def kind(self) -> Kind:
        """``"event"`` for truth values, ``"number"``, or ``"label"`` for all else.

        >>> d(6).kind, (d(6) > 3).kind, Dist({"hit": 1, "miss": 2}).kind
        ('number', 'event', 'label')
        """
        return self._kind

    @property
    def outcomes(self) -> tuple[Any, ...]:
        """The outcomes of positive weight, sorted where they can be.

        >>> d(4).outcomes
        (1, 2, 3, 4)
        """
        return self._outcomes

    @property
    def weights(self) -> tuple[int, ...]:
        """The weights of ``outcomes``, in their order, in lowest terms.

        >>> (2 @ d(2)).weights
        (1, 2, 1)
        """
        return self._weights

    @property
    def denominator(self) -> int:
        """The sum of all weights, a leftover's included.

        >>> (2 @ d(6)).denominator
        36
        """
        return self._denominator

    @property
    def leftover(self) -> Fraction:
        """The exact probability that was cut off: 0 but for endless explosions and what is made of them.

        >>> d(6).leftover, d(6).explode().leftover < Fraction(1, 10**18)
        (Fraction(0, 1), True)
        """
        return Fraction(self._rest.weight, self._denominator) if self._rest else Fraction(0)

    @property
    def leftover_range(self) -> tuple[Any, Any] | None:
        """Between which two values the leftover lies (an infinity is a float), None without one.

        >>> d(10).explode(times=None).leftover_range
        (191, inf)
        """
        return (self._rest.low, self._rest.high) if self._rest else None

    def items(self) -> tuple[tuple[Any, int], ...]:
        """(outcome, weight) pairs in the order of ``outcomes``.

        >>> d(2).items()
        ((1, 1), (2, 1))
        """
        return tuple(zip(self._outcomes, self._weights, strict=True))

    def __repr__(self) -> str:
        shown = ", ".join(f"{x!r}: {w}" for x, w in zip(self._outcomes[:40], self._weights, strict=False))
        more = f", ... {len(self._outcomes) - 40} more" if len(self._outcomes) > 40 else ""
        rest = f", leftover {self._rest.weight}" if self._rest else ""
        return f"Dist({{{shown}{more}}}{rest})"

    def __str__(self) -> str:
        from rulekit.distributions import display

        return display.text(self)

    def __format__(self, spec: str) -> str:
        from rulekit.distributions import display

        return display.format_dist(self, spec)

    def _repr_html_(self) -> str:
        from rulekit.distributions import display

        return display.html(self)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from rulekit.distributions import display

        return display.mimebundle(self)

    def __hash__(self) -> int:
        return hash(("Dist", frozenset(zip(self._outcomes, self._weights, strict=True)), self._rest))

    def __bool__(self) -> bool:
        if self._kind == "event":
            raise NotAValue(
                "an event of dice is neither true nor false before they are rolled: ask "
                "dist.probability(True), or write where(event, a, b) on a roll in place of an if"
            )
        raise NotAValue(
            "a Dist has no single value to test in if, and, or, not: compare it and ask for the "
            "probability, as in (d(6) > 3).probability(True), or roll(...) it and use where(event, a, b)"
        )

    def _whole(self, what: str) -> None:
        """Refuse what a leftover leaves open."""
        if self._rest:
            raise RulekitError(
                f"{what} is not known exactly: a probability of {float(self.leftover):.3g} was cut off, "
                f"somewhere in {self._rest.low} .. {self._rest.high}; with `times` an explosion has an end"
            )

    def _numbers(self, what: str) -> None:
        if self._kind == "label":
            raise RulekitError(
                f"{what} needs numbers, and {self._outcomes[0]!r} is a label: map it to a number first"
            )

    # -- questions --------------------------------------------------------------------------------

    def probability(self, outcome: object) -> Fraction:
        """The probability of one outcome, 0 for what cannot come up (probability mass function).

        >>> d(20).probability(20), d(20).probability(21)
        (Fraction(1, 20), Fraction(0, 1))
        """
        if self._index is None:
            object.__setattr__(self, "_index", dict(zip(self._outcomes, self._weights, strict=True)))
        assert self._index is not None
        return Fraction(self._index.get(as_outcome(outcome), 0), self._denominator)

    def cdf(self, x: object) -> Fraction:
        """The probability of ``x`` or less (cumulative distribution function).

        >>> (2 @ d(6)).cdf(4)
        Fraction(1, 6)
        """
        event: Dist = self <= x
        return event.probability(True)

    def sf(self, x: object) -> Fraction:
        """The probability of more than ``x`` (survival function).

        >>> (2 @ d(6)).sf(10)
        Fraction(1, 12)
        """
        event: Dist = self > x
        return event.probability(True)

    def at_least(self, x: object) -> Fraction:
        """The probability of ``x`` or more.

        >>> (2 @ d(6)).at_least(10), d(6).explode().at_least(12)
        (Fraction(1, 6), Fraction(1, 36))
        """
        event: Dist = self >= x
        return event.probability(True)

    @property
    def mean(self) -> Fraction:
        """The mean, exactly; truth values count 0 and 1. Labels have none.

        >>> (2 @ d(6)).mean, d(6).explode().mean
        (Fraction(7, 1), Fraction(21, 5))
        """
        if self._moments:
            return self._moments[0]
        self._numbers("a mean")
        self._whole("the mean")
        total = sum(map(operator.mul, self._outcomes, self._weights))
        return Fraction(total, self._denominator)

    def central_moment(self, order: int) -> Fraction:
        """The mean of (outcome - mean) ** order, exactly.

        >>> d(6).central_moment(2), d(6).central_moment(3)
        (Fraction(35, 12), Fraction(0, 1))
        """
        self._numbers("a moment")
        self._whole("a central moment")
        # Shifted by a common denominator all is whole numbers, so nothing cancels.
        mean = self.mean
        scale, shift = mean.denominator, mean.numerator
        total = sum((x * scale - shift) ** order * w for x, w in self.items())
        return Fraction(total, scale**order * self._denominator)

    @property
    def variance(self) -> Fraction:
        """The variance, exactly.

        >>> d(6).variance, (d(6) + 10**9).variance, d(6).explode().variance
        (Fraction(35, 12), Fraction(35, 12), Fraction(266, 25))
        """
        return self._moments[1] if self._moments else self.central_moment(2)

    @property
    def sd(self) -> float:
        """The standard deviation, as a float.

        >>> d(2).sd
        0.5
        """
        return math.sqrt(self.variance)

    @property
    def skewness(self) -> float:
        """The third central moment over the cube of the standard deviation; 0 for a constant.

        >>> d(6).skewness
        0.0
        """
        third = self.central_moment(3)
        return float(third) / self.sd**3 if third else 0.0

    def quantile(self, q: Fraction | float | int) -> Any:
        """The least outcome whose cumulative probability is at least ``q``, from 0 to 1.

        A float ``q`` means its shortest decimal. Raises ``RulekitError`` outside 0 .. 1, for labels
        that have no order, and where a leftover leaves the answer open.

        >>> d(20).quantile(0.25), d(20).quantile(0)
        (5, 1)
        """
        exact = exact_number(q)
        if exact is None or not 0 <= exact <= 1:
            raise RulekitError(f"a quantile is asked at a probability from 0 to 1, not {q!r}")
        self._ordered()
        # A leftover below all outcomes is known to be in the sum; any other must lie further on.
        below = self._rest.weight if self._rest and self._rest.high <= self._outcomes[0] else 0
        wanted = exact * self._denominator - below
        i = max(bisect_left(kernels.cumulative(self._weights), wanted), 1) - 1
        if self._rest and (
            wanted <= 0 if below else i == len(self._outcomes) or self._outcomes[i] > self._rest.low
        ):
            self._whole(f"the quantile at {q}")
        return self._outcomes[i]

    @property
    def median(self) -> Any:
        """The least outcome that is reached or stayed under half of the time: ``quantile(1/2)``.

        >>> d(6).median
        3
        """
        return self.quantile(Fraction(1, 2))

    @property
    def mode(self) -> Any:
        """The likeliest outcome; of several the first.

        >>> (2 @ d(6)).mode
        7
        """
        most = max(self._weights, default=0)
        mode = self._outcomes[self._weights.index(most)]
        if self._rest:
            low, high = self._rest.low, self._rest.high
            rival = max((w for x, w in self.items() if low <= x <= high and x != mode), default=0)
            if rival + self._rest.weight >= most:
                self._whole("the mode")
        return mode

    @property
    def entropy(self) -> float:
        """Shannon's entropy in bits.

        >>> d(8).entropy
        3.0
        """
        self._whole("the entropy")
        whole = math.log2(self._denominator)
        return math.fsum(w / self._denominator * (whole - math.log2(w)) for w in self._weights)

    def dominates(self, other: Dist, order: Literal[1, 2] = 1) -> bool:
        """Whether this Dist stochastically dominates ``other``, exactly.

        First order: every "at least" is as likely here, and one is likelier. Second order: the same of
        the cumulative function summed up once more, which is to be preferred by whoever shuns risk.
        A Dist does not dominate its equal.

        >>> d(8).dominates(d(6)), d(6).dominates(Dist({1: 1, 6: 1})), d(6).dominates(Dist({1: 1, 6: 1}), 2)
        (True, False, True)
        """
        if order not in (1, 2):
            raise RulekitError(f"dominance is of order 1 or 2, not {order!r}")
        if not isinstance(other, Dist):
            raise RulekitError(f"a Dist dominates another Dist or does not; {other!r} is none")
        for one in (self, other):
            one._numbers("dominance")
            one._whole("dominance")
        points = sorted({*self._outcomes, *other._outcomes})
        mine, theirs = (_cdf_weights(one, points) for one in (self, other))
        differences = [
            t * self._denominator - m * other._denominator for m, t in zip(mine, theirs, strict=True)
        ]
        if order == 2:
            area, areas = Fraction(0), []
            for (a, b), difference in zip(pairwise(points), differences, strict=False):
                area += difference * (b - a)
                areas.append(area)
            return all(x >= 0 for x in areas) and any(areas)
        return all(x >= 0 for x in differences) and any(differences)

    def sample(self, n: int = 1, rng: Any = None) -> Any:
        """``n`` independent draws, each with exactly its probability.

        ``rng`` is a ``numpy.random.Generator``, a ``random.Random``, or a whole number to seed one with;
        None takes fresh entropy. Returns a NumPy array, or a list where NumPy is not installed; whole
        numbers and truth values keep their dtype, all else is an array of objects. A draw that falls in
        a leftover raises ``RulekitError``.

        >>> d(1).sample(3, 7).tolist()
        [1, 1, 1]
        """
        if isinstance(n, bool) or not isinstance(n, Integral) or int(n) < 0:
            raise RulekitError(f"the number of draws is a whole number from 0 up, not {n!r}")
        sums = kernels.cumulative(self._weights)
        places = [bisect_right(sums, x) - 1 for x in draws(rng)(self._denominator, int(n))]
        if max(places, default=0) == len(self._outcomes):
            self._whole("one of the draws")
        drawn = [self._outcomes[i] for i in places]
        try:
            import numpy as np
        except ImportError:
            return drawn
        if self._kind != "label":
            array = np.array(drawn, dtype=bool if self._kind == "event" else None)
            if array.dtype.kind in "bi":
                return array
        array = np.empty(len(drawn), dtype=object)
        array[:] = drawn
        return array

    # -- other distributions ----------------------------------------------------------------------

    def map(self, function: Callable[[Any], Hashable]) -> Dist:
        """The distribution of ``function(outcome)``, a plain value for each outcome.

        >>> d(6).map(lambda face: "hit" if face >= 5 else "miss")
        Dist({'hit': 1, 'miss': 2})
        """
        self._whole("a function of it")
        merged: dict[Any, int] = {}
        for x, w in zip(self._outcomes, self._weights, strict=True):
            y = function(x)
            if isinstance(y, Dist):
                raise RulekitError("map takes a function to plain values; for what gives a Dist, write bind")
            y = as_outcome(y)
            merged[y] = merged.get(y, 0) + w
        return Dist._from_merged(merged)

    def bind(self, function: Callable[[Any], Dist | Hashable]) -> Dist:
        """Roll on by the result: ``function(outcome)`` is a Dist to draw from, or a plain value.

        >>> d(2).bind(lambda n: n @ d(2))
        Dist({1: 2, 2: 3, 3: 2, 4: 1})
        """
        self._whole("what follows from it")
        parts = []
        for x, w in zip(self._outcomes, self._weights, strict=True):
            y = function(x)
            parts.append((y if isinstance(y, Dist) else Dist([(y, 1)]), w))
        return mixture(parts)

    def given(self, condition: Faces) -> Dist:
        """The distribution once it is known that the outcome is one of ``condition``.

        ``condition`` is an outcome, a collection of them, or a function that says yes or no. Raises
        ``ImpossibleCondition`` where it cannot be.

        >>> d(6).given(lambda face: face >= 5), d(6).given({1, 2})
        (Dist({5: 1, 6: 1}), Dist({1: 1, 2: 1}))
        """
        self._whole("what follows from a condition")
        wanted = chooser(condition)
        kept = {x: w for x, w in zip(self._outcomes, self._weights, strict=True) if wanted(x)}
        if not kept:
            raise ImpossibleCondition(f"no outcome of {self!r} meets the condition {condition!r}")
        return Dist._from_merged(kept)

    def reroll(self, faces: Faces, times: int | None = None) -> Dist:
        """The die thrown again while it shows one of ``faces``, at most ``times``; None is until it does not.

        The last throw stands. Raises ``RulekitError`` for a die that would be thrown for ever.

        >>> d(6).reroll({1, 2}, times=1).mean, d(6).reroll(1)
        (Fraction(25, 6), Dist({2: 1, 3: 1, 4: 1, 5: 1, 6: 1}))
        """
        wanted = chooser(faces)
        self._whole("a reroll")
        if times is None:
            try:
                return self.given(lambda x: not wanted(x))
            except ImpossibleCondition:
                raise RulekitError(f"{self!r} rerolled on {faces!r} would never stop") from None
        n, on = whole_times(times), {x for x in self._outcomes if wanted(x)}
        again = sum(w for x, w in self.items() if x in on)
        # k throws in a row are thrown again with probability (again / total)**k, then one stands.
        stands = sum(again**k * self._denominator ** (n - k) for k in range(n + 1))
        arithmetic.check_cells(len(self._outcomes) * (1 + stands.bit_length() // 64), "a reroll")
        return Dist._from_merged({x: w * (again**n if x in on else stands) for x, w in self.items()})

    def explode(self, faces: Faces | None = None, times: int | None = None) -> Dist:
        """The die thrown again and added on while it shows one of ``faces``: None is its greatest.

        At most ``times``; None is to the end. Where the end has no finite distribution it is cut off
        once the ``leftover`` is below 1e-18, or after 200 throws; mean and variance stay those of the
        endless rule. Raises ``RulekitError`` for a die that would explode for ever.

        >>> d(2).explode(times=1)
        Dist({1: 2, 3: 1, 4: 1})
        >>> d(8).explode().at_least(20)
        Fraction(5, 512)
        """
        self._numbers("an explosion")
        self._whole("an explosion of it")
        wanted = chooser(self._outcomes[-1] if faces is None else faces)
        on = {x: w for x, w in zip(self._outcomes, self._weights, strict=True) if wanted(x)}
        off = {x: w for x, w in zip(self._outcomes, self._weights, strict=True) if x not in on}
        if not on:
            return self
        if times is None and not off:
            raise RulekitError(f"{self!r} exploding on {sorted(on)} would never stop")
        return Dist._from_merged(*thrown_on(on, off, times))

    def clip(self, low: Number | float | None = None, high: Number | float | None = None) -> Dist:
        """What is below ``low`` counts as ``low``, what is above ``high`` as ``high``.

        >>> d(6).clip(low=3), (d(4) - 1).clip(low=1).mean
        (Dist({3: 3, 4: 1, 5: 1, 6: 1}), Fraction(7, 4))
        """
        self._numbers("a floor or a cap")
        lowest, highest = (None if x is None else exact_number(x) for x in (low, high))
        if (lowest is None) != (low is None) or (highest is None) != (high is None):
            raise RulekitError(f"a floor and a cap are numbers, not {low!r} and {high!r}")
        if lowest is not None and highest is not None and lowest > highest:
            raise RulekitError(f"the floor {low} is above the cap {high}")

        def clipped(x: Any) -> Any:
            x = lowest if lowest is not None and x < lowest else x
            return highest if highest is not None and x > highest else x

        merged: dict[Any, int] = {}
        for x, w in zip(self._outcomes, self._weights, strict=True):
            y = clipped(x)
            merged[y] = merged.get(y, 0) + w
        return Dist._from_merged(merged, self._rest and moved(self._rest, clipped))

    # -- arithmetic -------------------------------------------------------------------------------

    def __add__(self, other: object) -> Dist:
        number = exact_number(other)
        if number is not None:
            self._numbers("+")
            moments = self._moments and (self._moments[0] + number, self._moments[1])
            return self._monotone(lambda x: tidy(x + number), moments)
        return arithmetic.add(self, other) if isinstance(other, Dist) else NotImplemented

    def __neg__(self) -> Dist:
        self._numbers("-")
        return self._monotone(lambda x: -x, self._moments and (-self._moments[0], self._moments[1]))

    def __pos__(self) -> Dist:
        return self + 0

    def __sub__(self, other: object) -> Dist:
        number = exact_number(other)
        if number is not None:
            return self + -number
        return arithmetic.add(self, -other) if isinstance(other, Dist) else NotImplemented

    def __rsub__(self, other: object) -> Dist:
        return (-self).__add__(other)

    def __mul__(self, other: object) -> Any:
        return self._operate(other, operator.mul, "*")

    def __truediv__(self, other: object) -> Any:
        return self._operate(other, arithmetic.divide, "/")

    def __rtruediv__(self, other: object) -> Any:
        return self._operate(other, arithmetic.divide, "/", reflected=True)

    def __floordiv__(self, other: object) -> Any:
        return self._operate(other, operator.floordiv, "//")

    def __rfloordiv__(self, other: object) -> Any:
        return self._operate(other, operator.floordiv, "//", reflected=True)

    def __mod__(self, other: object) -> Any:
        return self._operate(other, operator.mod, "%")

    def __rmod__(self, other: object) -> Any:
        return self._operate(other, operator.mod, "%", reflected=True)

    def __pow__(self, other: object) -> Any:
        return self._operate(other, arithmetic.power, "**")

    def __rpow__(self, other: object) -> Any:
        return self._operate(other, arithmetic.power, "**", reflected=True)

    __radd__ = __add__
    __rmul__ = __mul__

    def __abs__(self) -> Dist:
        self._numbers("abs")
        if self._rest and (self._rest.low >= 0 or self._rest.high <= 0):
            merged: dict[Any, int] = {}
            for x, w in zip(self._outcomes, self._weights, strict=True):
                merged[abs(x)] = merged.get(abs(x), 0) + w
            return Dist._from_merged(merged, moved(self._rest, abs))
        return self.map(abs)

    def _monotone(
        self, function: Callable[[Any], Any], moments: tuple[Fraction, Fraction] | None = None
    ) -> Dist:
        """The Dist of a strictly monotone function of its numbers, infinities included."""
        outcomes, weights = tuple(map(function, self._outcomes)), self._weights
        if len(outcomes) > 1 and outcomes[0] > outcomes[-1]:
            outcomes, weights = outcomes[::-1], weights[::-1]
        rest = self._rest and moved(self._rest, function)
        return Dist._from_sorted(outcomes, weights, rest=rest, moments=moments)

    def _operate(
        self, other: object, operation: Callable[[Any, Any], Any], sign: str, reflected: bool = False
    ) -> Any:
        number = exact_number(other)
        if number is None and not isinstance(other, Dist):
            return NotImplemented
        self._numbers(sign)
        if number is not None and not reflected:
            if sign in "*/" and number:
                factor = Fraction(number) if sign == "*" else 1 / Fraction(number)
                moments = self._moments and (self._moments[0] * factor, self._moments[1] * factor**2)
                return self._monotone(lambda x: tidy(operation(x, number)), moments)
            if sign == "*":
                return Dist._from_sorted((0,), (1,))
            if sign == "//" and number > 0 and self._rest:
                merged: dict[Any, int] = {}
                for x, w in zip(self._outcomes, self._weights, strict=True):
                    merged[x // number] = merged.get(x // number, 0) + w
                return Dist._from_merged(merged, moved(self._rest, lambda x: x // number))
        a, b = self, other if isinstance(other, Dist) else Dist._from_sorted((number,), (1,))
        b._numbers(sign)
        return (
            arithmetic.outer(b, a, operation, sign) if reflected else arithmetic.outer(a, b, operation, sign)
        )

    def __matmul__(self, die: object) -> Dist:
        if not isinstance(die, Dist):
            return NotImplemented
        self._whole("the number of dice")
        return mixture([(die.__rmatmul__(n), w) for n, w in self.items()])

    def __rmatmul__(self, n: object) -> Dist:
        count = exact_number(n)
        if count is None:
            return NotImplemented
        if type(count) is not int or count < 0:
            raise RulekitError(f"the number of dice is a whole number from 0 up, not {n!r}")
        self._numbers("a sum of dice")
        return arithmetic.sum_of(self, count)

    # -- events -----------------------------------------------------------------------------------

    def __eq__(self, other: object) -> Any:
        if isinstance(other, Dist):
            return (
                self._denominator == other._denominator
                and self._rest == other._rest
                and (
                    (self._outcomes == other._outcomes and self._weights == other._weights)
                    or dict(self.items()) == dict(other.items())
                )
            )
        if not is_label(other):
            return NotImplemented
        value = as_outcome(other)
        weight = sum(w for x, w in zip(self._outcomes, self._weights, strict=True) if x == value)
        undecided = 0
        if self._rest and exact_number(value) is not None and self._rest.low <= value <= self._rest.high:
            undecided = self._rest.weight
        return Dist._event(weight, self._denominator - weight - undecided, undecided)

    def __ne__(self, other: object) -> Any:
        equal = self == other
        return equal if equal is NotImplemented else (not equal if isinstance(equal, bool) else ~equal)

    def __lt__(self, other: object) -> Any:
        return self._compare(other, bisect_left, "<")

    def __le__(self, other: object) -> Any:
        return self._compare(other, bisect_right, "<=")

    def __gt__(self, other: object) -> Any:
        at_most = self._compare(other, bisect_right, ">")
        return at_most if at_most is NotImplemented else ~at_most

    def __ge__(self, other: object) -> Any:
        below = self._compare(other, bisect_left, ">=")
        return below if below is NotImplemented else ~below

    def _compare(self, other: object, bisect: Callable[..., int], sign: str) -> Any:
        """The event that this is below ``other`` (``bisect_right``: or equal)."""
        if isinstance(other, Dist):
            return arithmetic.below(self, other, bisect is bisect_right, sign)
        if not is_label(other):
            return NotImplemented
        value = as_outcome(other)
        self._ordered()
        if (exact_number(value) is None) != (self._kind == "label"):
            raise RulekitError(f"{sign} has no meaning between {self._outcomes[0]!r} and {value!r}")
        return arithmetic.below(self, Dist._from_merged({value: 1}), bisect is bisect_right, sign)

    def _ordered(self) -> None:
        if self._kind == "label":
            try:
                in_order = all(a < b for a, b in pairwise(self._outcomes))
            except TypeError:
                in_order = False
            if not in_order:
                raise RulekitError(f"{self!r} has outcomes without an order: they can only be equal or not")

    def __and__(self, other: object) -> Any:
        return arithmetic.join(self, other, operator.and_)

    def __or__(self, other: object) -> Any:
        return arithmetic.join(self, other, operator.or_)

    def __xor__(self, other: object) -> Any:
        return arithmetic.join(self, other, operator.xor)

    __rand__ = __and__
    __ror__ = __or__
    __rxor__ = __xor__

    def __invert__(self) -> Dist:
        if self._kind != "event":
            raise RulekitError("~ turns an event around: compare first, as in ~(d(6) > 3)")
        weights = dict(self.items())
        return Dist._event(
            weights.get(False, 0), weights.get(True, 0), self._rest.weight if self._rest else 0
        )


def d(x: Any) -> Dist:
    """A die: ``d(6)``, a list of faces, dice notation, or anything that says how to be a die.

    ``x`` is the number of faces, from 1 to 1,000,000; a list, tuple or range of equally likely
    faces; a text in dice notation (``"4d6kh3"``); a mapping from face to weight; or a Dist, which is
    returned. Raises ``NotationError`` for a text that is no notation, ``TooLarge`` for too many faces,
    else ``RulekitError``.

    >>> d(6).mean, d([2, 3, 3, 4, 4, 5]).mean, d("1d6+1").mean
    (Fraction(7, 2), Fraction(7, 2), Fraction(9, 2))
    """
    if isinstance(x, Dist):
        return x
    if hasattr(x, "__as_die__"):
        die: Dist = x.__as_die__()
        return die
    if isinstance(x, str):
        from rulekit.distributions import notation

        return notation.evaluate(x)
    if isinstance(x, Mapping):
        return Dist(x)
    if isinstance(x, list | tuple | range):
        if len(x) > MAX_FACES:
            raise TooLarge(f"a die has at most {MAX_FACES:,} faces, not {len(x):,}", cells=len(x))
        return Dist([(face, 1) for face in x])
    sides = None if isinstance(x, bool) else exact_number(x)
    if type(sides) is not int or sides < 1:
        raise RulekitError(f"a die has a whole number of faces from 1 up, not {x!r}")
    if sides > MAX_FACES:
        raise TooLarge(f"a die has at most {MAX_FACES:,} faces, not {sides:,}", cells=sides)
    return Dist._from_sorted(tuple(range(1, sides + 1)), (1,) * sides)


def mixture(parts: Mapping[Dist, int] | Iterable[tuple[Dist, int]]) -> Dist:
    """One of several Dists, drawn by their weights, then a draw from it.

    ``parts`` maps Dists to whole weights, or is pairs of the two. Raises ``RulekitError`` where no
    weight is positive.

    >>> mixture([(d(4), 1), (d(2), 1)])
    Dist({1: 3, 2: 3, 3: 1, 4: 1})
    """
    pairs = [
        (die, whole_weight(w, f"the weight of {die!r}"))
        for die, w in (parts.items() if isinstance(parts, Mapping) else parts)
    ]
    pairs = [(die, w) for die, w in pairs if w]
    if not pairs:
        raise RulekitError("a mixture needs at least one part with a positive weight")
    common = math.lcm(*(die._denominator for die, _ in pairs))
    total = sum(w for _, w in pairs)
    merged: dict[Any, int] = {}
    kinds = {die._kind for die, _ in pairs}
    as_numbers = kinds == {"event", "number"}
    rest: Rest | None = None
    for die, w in pairs:
        factor = w * (common // die._denominator)
        for x, v in zip(die._outcomes, die._weights, strict=True):
            if as_numbers and type(x) is bool:
                x = int(x)
            merged[x] = merged.get(x, 0) + v * factor
        if die._rest:
            rest = hull(rest, die._rest._replace(weight=die._rest.weight * factor))
    moments = None
    if rest and all(die._moments or die._rest is None for die, _ in pairs):
        mean = Fraction(sum(w * die.mean for die, w in pairs), total)
        square = Fraction(sum(w * (die.variance + die.mean**2) for die, w in pairs), total)
        moments = mean, square - mean**2
    return Dist._from_merged(merged, rest, moments)


def _restore(
    outcomes: tuple[Any, ...],
    weights: tuple[int, ...],
    kind: Kind,
    rest: Rest | None,
    moments: tuple[Fraction, Fraction] | None,
) -> Dist:
    return Dist._from_sorted(outcomes, weights, kind=kind, rest=rest, moments=moments)


def _cdf_weights(die: Dist, points: Sequence[Any]) -> list[int]:
    sums = kernels.cumulative(die._weights)
    return [sums[bisect_right(die._outcomes, x)] for x in points]
