"""From a tree of dice notation to its distribution: each roll becomes a Pool, the rest is arithmetic."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from functools import partial, reduce
from typing import TYPE_CHECKING, Any, Literal

from rulekit.distributions import notation_tree as tree
from rulekit.distributions import sweeps
from rulekit.distributions.distribution import Dist, d, mixture
from rulekit.distributions.exact import Number, tidy
from rulekit.distributions.notation import point_at
from rulekit.distributions.pools import Pool
from rulekit.errors import NotationError, RulekitError

if TYPE_CHECKING:
    from rulekit.distributions.notation import Expression

__all__ = ["MAX_CELLS", "evaluate_expression"]

MAX_SIDES = 10_000
"""A die of the notation has at most this many sides; ``d(n)`` takes more."""

MAX_DICE = 10_000
"""A roll has at most this many dice; ``n @ die`` takes more."""

MAX_CHOICES = 100
"""Where the number of dice or sides is rolled itself, so many values of it at most."""

MAX_ENTRIES = 50
"""A pool of unlike dice has at most this many."""

MAX_CELLS = 4_000_000
"""The steps of one evaluation look at no more cells than this together, as estimated before each."""

MAX_BITS = 4_000_000_000
"""The distributions of one evaluation take no more bits than this together."""

Value = int | Fraction | Dist

_RELATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "=": operator.eq,
    "<>": operator.ne,
}
_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    **_RELATIONS,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
}
_ROUNDINGS: dict[str, Callable[[Any], Any]] = {
    "floor": lambda x: x // 1,
    "ceil": lambda x: -((-x) // 1),
    "abs": abs,
}


def evaluate_expression(expression: Expression) -> Dist:
    """The distribution of dice notation that has been read; see `notation.evaluate`.

    >>> from rulekit.distributions.notation import parse
    >>> evaluate_expression(parse("2d6")).mean
    Fraction(7, 1)
    """
    return _dist(_Evaluation(expression.text or str(expression)).value(expression.root))


class _Evaluation:
    """One walk over a tree, with what it may still cost."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.cells: float = MAX_CELLS
        self.bits: float = MAX_BITS

    # -- errors and bounds ------------------------------------------------------------------------

    def fail(self, position: int | None, problem: str) -> NotationError:
        return point_at(self.text, position, problem)

    def attempt(self, position: int | None, step: Callable[[], Any]) -> Any:
        """The result of ``step``; what it refuses is refused at this place of the text."""
        try:
            return step()
        except NotationError:
            raise
        except RulekitError as error:
            raise self.fail(position, str(error)) from error

    def spend(self, position: int | None, cells: float, bits: float = 0) -> None:
        """Take the cost of a step, before it is done, from what the evaluation may cost."""
        self.cells -= cells
        self.bits -= bits
        if self.cells < 0 or self.bits < 0:
            raise self.fail(
                position,
                f"this is too large: the steps up to here would look at {MAX_CELLS - self.cells:.3g} cells "
                f"(the bound is {MAX_CELLS:.3g}) or take {MAX_BITS - self.bits:.3g} bits ({MAX_BITS:.3g})",
            )

    # -- nodes ------------------------------------------------------------------------------------

    def value(self, node: tree.Node) -> Value:
        """A number where nothing is rolled, else a Dist."""
        if isinstance(node, tree.Number):
            return node.value
        if isinstance(node, tree.Negative):
            return self.arithmetic(node.position, "*", self.value(node.operand), -1)
        if isinstance(node, tree.Sum):
            return self.chain(node.terms)
        if isinstance(node, tree.Product):
            return self.chain(node.factors)
        if isinstance(node, tree.Call):
            return self.call(node)
        if isinstance(node, tree.Comparison):
            return self.arithmetic(
                node.position, node.relation, self.value(node.left), self.value(node.right)
            )
        assert isinstance(node, tree.Roll)
        return self.roll(node)

    def arithmetic(self, position: int | None, sign: str, a: Value, b: Value) -> Value:
        """One operation, paid for; the dice on its two sides are independent."""
        operation = _OPERATIONS[sign]
        if not isinstance(a, Dist) and not isinstance(b, Dist):
            try:
                return tidy(operation(Fraction(a), b)) if sign == "/" else operation(a, b)
            except ZeroDivisionError:
                raise self.fail(position, f"{_short(a)} {sign} {_short(b)} has no value") from None
        if isinstance(a, Dist) and isinstance(b, Dist) and sign in ("=", "<>"):
            # Between two Dists == asks whether they are the same distribution.
            return self.arithmetic(position, sign, self.arithmetic(position, "-", a, b), 0)
        # Fractions are slow, and so are convolutions of weights of many digits.
        cells, each = _outcomes(a) * _outcomes(b) * (4 if sign == "/" else 1), _bits(a) + _bits(b)
        if sign in "+-":  # convolved where they are dense
            cells = min(cells, _span(a) + _span(b))
        elif sign in _RELATIONS:  # by cumulative sums
            cells = min(cells, _outcomes(a) + _outcomes(b))
        self.spend(position, cells, cells * each * (10 if each > 1000 else 1))
        result: Value = self.attempt(position, lambda: operation(a, b))
        return result

    def chain(self, parts: Sequence[tuple[str, tree.Node]]) -> Value:
        """A sum or a product, from the left."""
        total = self.value(parts[0][1])
        for sign, part in parts[1:]:
            total = self.arithmetic(part.position, sign, total, self.value(part))
        return total

    def call(self, node: tree.Call) -> Value:
        values = [self.value(argument) for argument in node.arguments]
        if node.name in ("max", "min"):
            return reduce(lambda a, b: self.extreme(node, a, b), values)
        (x,) = values
        self.spend(node.position, _outcomes(x))
        result: Value = self.attempt(node.position, lambda: _ROUNDINGS[node.name](x))
        return result

    def extreme(self, node: tree.Call, a: Value, b: Value) -> Value:
        if not isinstance(a, Dist) and not isinstance(b, Dist):
            return max(a, b) if node.name == "max" else min(a, b)
        self.spend(node.position, _outcomes(a) + _outcomes(b))
        if isinstance(b, Dist) and not isinstance(a, Dist):
            a, b = b, a
        if isinstance(a, Dist) and not isinstance(b, Dist):
            low, high = (b, None) if node.name == "max" else (None, b)
            return self.dist(node.position, lambda: a.clip(low, high))
        pool = Pool([a, b])
        return self.dist(node.position, lambda: pool.highest() if node.name == "max" else pool.lowest())

    def dist(self, position: int | None, step: Callable[[], Dist]) -> Dist:
        result: Dist = self.attempt(position, step)
        return result

    # -- rolls ------------------------------------------------------------------------------------

    def whole(self, node: tree.Node, what: str) -> int:
        """A number that a modifier wants: nothing rolled, whole, not negative."""
        value = self.value(node)
        if isinstance(value, int) and value >= 0:
            return int(value)
        given = "dice" if isinstance(value, Dist) else _short(value)
        raise self.fail(node.position, f"{what} is a whole number from 0 up, not {given}")

    def number(self, node: tree.Node, what: str) -> Number:
        value = self.value(node)
        if isinstance(value, Dist):
            raise self.fail(node.position, f"{what} is a number, not dice")
        return value

    def roll(self, node: tree.Roll) -> Dist:
        source = node.source
        if isinstance(source, tree.Braces):
            if len(source.entries) > MAX_ENTRIES:
                raise self.fail(
                    node.position, f"braces hold at most {MAX_ENTRIES} dice, not {len(source.entries)}"
                )
            entries = [_dist(self.value(entry)) for entry in source.entries]
            return self.modified(node, self.attempt(node.position, lambda: Pool(entries)))
        counts = self.choices(source.count)
        if isinstance(source.sides, tree.Faces):
            faces = source.sides.items
            dice = [(self.dist(node.position, lambda: Dist(faces)), 1)]
        else:
            dice = [(self.die(source.sides, x), w) for x, w in self.choices(source.sides)]
        parts = [
            (self.modified(node, self.pool(source, count, die)), w * v)
            for count, w in counts
            for die, v in dice
        ]
        return parts[0][0] if len(parts) == 1 else self.dist(node.position, lambda: mixture(parts))

    def choices(self, node: tree.Node) -> Sequence[tuple[Any, int]]:
        """A computed number of dice or sides, which may itself be rolled: values with weights."""
        value = self.value(node)
        if not isinstance(value, Dist):
            return [(value, 1)]
        if value.leftover:
            raise self.fail(node.position, "how many dice or sides there are must not be open-ended")
        if len(value.outcomes) > MAX_CHOICES:
            raise self.fail(
                node.position,
                f"the number of dice or sides takes one of {MAX_CHOICES} values at most when rolled",
            )
        return value.items()

    def die(self, node: tree.Node, sides: Number) -> Dist:
        if not isinstance(sides, int) or not 1 <= sides <= MAX_SIDES:
            problem = f"a die has a whole number of sides from 1 to {MAX_SIDES:,}, not {_short(sides)}"
            raise self.fail(node.position, problem)
        self.spend(node.position, sides)
        return self.dist(node.position, lambda: d(int(sides)))

    def pool(self, source: tree.Dice, count: Number, die: Dist) -> Pool:
        position = source.count.position
        if not isinstance(count, int) or not 0 <= count <= MAX_DICE:
            raise self.fail(
                position, f"the number of dice is a whole number from 0 to {MAX_DICE:,}, not {_short(count)}"
            )
        pool: Pool = self.attempt(position, lambda: Pool({die: int(count)}))
        return pool

    def modified(self, node: tree.Roll, pool: Pool) -> Dist:
        """The total, or the count, of a pool after the modifiers of a roll, in the order written."""
        throw = _Throw(self, node, pool)
        for modifier in node.modifiers:
            if isinstance(modifier, tree.Count):
                return throw.count(modifier)
            throw.modify(modifier)
        return throw.total()


class _Throw:
    """A pool on its way through the modifiers of one roll."""

    def __init__(self, evaluation: _Evaluation, node: tree.Roll, pool: Pool) -> None:
        self.evaluation = evaluation
        self.position = node.position
        self.pool = pool
        self.kept = list(range(len(pool)))
        """The ranks still in, 0 the highest."""
        self.selected = False
        self.joined = False
        """Whether extra dice join the pool, so that how many there are is not known before the throw."""
        self.fate: Callable[[Any], Dist] | None = None
        """What becomes of a face that was kept, where kept dice are thrown on or anew."""
        self.adds_dice = False
        """Whether those that are thrown on bring dice of their own."""

    def fail(self, modifier: tree.Modifier, problem: str) -> NotationError:
        return self.evaluation.fail(modifier.position, problem)

    def change(self, modifier: tree.Modifier, step: Callable[[], Pool]) -> None:
        self.pool = self.evaluation.attempt(modifier.position, step)

    def modify(self, modifier: tree.Modifier) -> None:
        if isinstance(modifier, tree.Select):
            self.select(modifier)
        elif isinstance(modifier, tree.Bound):
            self.bound(modifier)
        elif isinstance(modifier, tree.Explode):
            self.explode(modifier)
        else:
            assert isinstance(modifier, tree.Reroll)
            self.reroll(modifier)

    def chooser(self, conditions: Iterable[tree.Condition]) -> Callable[[Any], bool]:
        """Whether a face meets any of the conditions."""
        tests = [(_RELATIONS[condition.relation], self.compared(condition)) for condition in conditions]
        return lambda face: any(relation(face, number) for relation, number in tests)

    def compared(self, condition: tree.Condition) -> Number:
        return self.evaluation.number(condition.value, "what a face is compared with")

    # -- selections -------------------------------------------------------------------------------

    def select(self, modifier: tree.Select) -> None:
        """A keep is of the dice still in; a drop is of the whole throw, and drops no die twice."""
        kept, n = self.kept, len(self.pool)
        if self.fate:
            raise self.fail(
                modifier, "a selection stands before dice that are thrown on or anew behind another"
            )
        k = self.evaluation.whole(modifier.amount, "how many dice")
        drops = modifier.name in ("dh", "dl")
        available = n if drops else len(kept)
        if k > available:
            verb = "dropped" if drops else "kept"
            raise self.fail(modifier, f"{_short(k)} of {available:,} dice cannot be {verb}")
        if modifier.name == "km" and (len(kept) - k) % 2:
            raise self.fail(
                modifier, f"{len(kept):,} dice have no middle {k:,}: one side would lose a die more"
            )
        if self.joined:
            self.select_of_growing(modifier, k)
        if modifier.name == "kh":
            kept = kept[:k]
        elif modifier.name == "kl":
            kept = kept[len(kept) - k :]
        elif modifier.name == "km":
            kept = kept[(len(kept) - k) // 2 :][:k]
        elif modifier.name == "dh":
            kept = [rank for rank in kept if rank >= k]
        else:
            kept = [rank for rank in kept if rank < n - k]
        if not kept:
            raise self.fail(modifier, "no dice are left")
        self.kept, self.selected = kept, True

    def select_of_growing(self, modifier: tree.Select, k: int) -> None:
        """The same where extra dice join: the pool itself keeps, one selection after the other."""
        if modifier.name in ("dh", "dl", "km") and self.selected:
            raise self.fail(
                modifier, "behind dice that explode into extra dice a drop or a middle comes first"
            )
        end = {"kh": "highest", "kl": "lowest", "km": "middle", "dh": "highest", "dl": "lowest"}[
            modifier.name
        ]
        change = self.pool.drop if modifier.name in ("dh", "dl") else self.pool.keep
        self.change(modifier, lambda: change(**{end: k}))

    # -- dice -------------------------------------------------------------------------------------

    def bound(self, modifier: tree.Bound) -> None:
        value = self.evaluation.number(modifier.value, "a floor or a cap")
        low, high = (value, None) if modifier.name == "mi" else (None, value)
        fate = self.fate
        if fate:
            self.fate = lambda face: fate(face).clip(low, high)
        else:
            # It keeps the dice in their order, so before or behind a selection is the same.
            self.change(modifier, lambda: self.pool.clip(low, high))

    def reroll(self, modifier: tree.Reroll) -> None:
        wanted, limit = self.chooser(modifier.conditions), modifier.limit
        self.must_stop(modifier, wanted, limit, "is rerolled")
        if not self.selected:
            self.pay_for_throws(modifier, wanted, limit or 1)
            self.change(modifier, lambda: self.pool.reroll(wanted, limit))
            return
        die = self.die_thrown_again(modifier)
        again: Dist = self.evaluation.attempt(
            modifier.position, lambda: die.reroll(wanted, limit and limit - 1)
        )
        self.fate = lambda face: again if wanted(face) else Dist({face: 1})

    def explode(self, modifier: tree.Explode) -> None:
        limit = modifier.limit
        wanted = self.chooser([modifier.condition]) if modifier.condition else None
        self.must_stop(modifier, wanted, limit, "explodes")
        self.pay_for_throws(modifier, wanted, limit)
        if not self.selected:
            kind: Literal["compound", "extra_die"] = "compound" if modifier.compound else "extra_die"
            self.change(modifier, lambda: self.pool.explode(kind, wanted, limit))
            self.joined = not modifier.compound
            return
        die = self.die_thrown_again(modifier)
        on = wanted or (lambda face: face == die.outcomes[-1])
        more: Dist = self.evaluation.attempt(modifier.position, lambda: die.explode(on, limit and limit - 1))
        self.fate = lambda face: more + face if on(face) else Dist({face: 1})
        self.adds_dice = not modifier.compound

    def must_stop(
        self, modifier: tree.Modifier, wanted: Callable[[Any], bool] | None, limit: int | None, happens: str
    ) -> None:
        for die, _ in self.pool.dice:
            if limit is None and all(map(wanted or partial(operator.eq, die.outcomes[-1]), die.outcomes)):
                raise self.fail(modifier, f"every face {happens}, so this would never stop")

    def die_thrown_again(self, modifier: tree.Modifier) -> Dist:
        """The die that a kept die is thrown as once more."""
        if self.fate or self.joined:
            raise self.fail(
                modifier, "dice are thrown on or anew once, and not behind extra dice: write it before them"
            )
        if len(self.pool.dice) > 1:
            raise self.fail(
                modifier, "of unlike dice it is not known which were kept: write this before the selection"
            )
        return self.pool.dice[0][0]

    def pay_for_throws(
        self, modifier: tree.Modifier, wanted: Callable[[Any], bool] | None, limit: int | None
    ) -> None:
        """What it costs to follow a die through its further throws."""
        for die, _ in self.pool.dice:
            test = wanted or partial(operator.eq, die.outcomes[-1])
            on = sum(w for x, w in die.items() if test(x))
            many = sum(map(test, die.outcomes))
            # Endless, it is followed until 1e-18 is left, but no deeper than 200 throws.
            share = on / die.denominator
            decay = -math.log(share) if share else math.inf
            deep = limit or math.ceil(min(200, 42 / decay if decay else 200))
            sums = deep * _span(die) if many > 1 else 1
            cells = deep * (len(die.outcomes) + many * sums)
            self.evaluation.spend(modifier.position, cells, cells * deep * _bits(die))

    # -- results ----------------------------------------------------------------------------------

    def total(self) -> Dist:
        if self.fate:
            return self.total_of_fates(self.fate)
        return self.evaluation.dist(self.position, self.chosen().total)

    def count(self, modifier: tree.Count) -> Dist:
        condition, less = modifier.condition, modifier.less
        meets = self.chooser([condition])
        cancels = self.chooser([less]) if less else (lambda face: False)

        def worth(face: Any) -> int:
            return int(meets(face)) - int(cancels(face))

        if self.fate:
            fate, adds = self.fate, self.adds_dice
            if adds:
                raise self.fail(
                    modifier, "extra dice behind a selection are not counted: write ! before it, or !!"
                )
            if less:
                return self.total_of_fates(lambda face: fate(face).map(worth))
            # As an event, which also holds for what was cut off.
            relation, number = _RELATIONS[condition.relation], self.compared(condition)
            return self.total_of_fates(lambda face: relation(fate(face), number))
        if not self.selected and not self.joined and not less:
            # As an event of each die, which also holds for a die that was cut off.
            relation, number = _RELATIONS[condition.relation], self.compared(condition)
            events = [(relation(die, number), n) for die, n in self.pool.dice]
            self.evaluation.spend(
                modifier.position, len(self.pool) + 1, len(self.pool) * sum(_bits(e) * n for e, n in events)
            )
            counts = [
                self.evaluation.dist(modifier.position, partial(event.__rmatmul__, n)) for event, n in events
            ]
            return reduce(operator.add, counts) if counts else Dist({0: 1})
        pool = self.chosen()
        faces = {face: worth(face) for die, _ in pool.dice for face in die.outcomes}
        return self.evaluation.dist(modifier.position, lambda: pool.count(faces))

    def chosen(self) -> Pool:
        """The pool with the dice that were kept, its total or count paid for."""
        pool, spend = self.pool, self.evaluation.spend
        if self.joined:
            # Some hundred pools, one for each number of extra dice.
            n = len(self.pool)
            spend(self.position, 2_000 * n * n if self.selected else 1_000 * n)
            return pool
        if not self.selected or len(self.kept) == len(pool):
            for die, n in pool.dice:
                spend(self.position, len(die.outcomes) + _span(die) * n, _span(die) * n * n * _bits(die))
            return pool
        spend(self.position, _cost_of_ranks(pool, self.kept))
        return pool.keep(ranks=[rank + 1 for rank in self.kept])

    def total_of_fates(self, fate: Callable[[Any], Dist]) -> Dist:
        """The sum of the kept dice, each of which became a Dist of its own by the face that it showed.

        The sweep over the ranks adds plain numbers. So each face is a number, and above all numbers,
        as the digits of one more, how often each kind of further throw is made.
        """
        faces = self.pool.dice[0][0].outcomes
        fates = {face: self.evaluation.dist(self.position, partial(fate, face)) for face in faces}
        firsts: dict[Any, Number] = {face: one.outcomes[0] + 0 for face, one in fates.items()}
        further = {face: one - firsts[face] for face, one in fates.items()}
        kinds = list(dict.fromkeys(one for one in further.values() if len(one.outcomes) > 1 or one.leftover))
        k = len(self.kept)
        unit = 2 * k * max(math.ceil(abs(Fraction(first))) for first in firsts.values()) + 1
        place = {kind: unit * (k + 1) ** i for i, kind in enumerate(kinds)}
        pool = Pool({self.pool.dice[0][0]: len(self.pool)}).keep(ranks=[rank + 1 for rank in self.kept])
        self.evaluation.spend(self.position, _cost_of_ranks(self.pool, self.kept) * len(kinds))
        codes = self.evaluation.dist(
            self.position, lambda: pool.map(lambda face: firsts[face] + place.get(further[face], 0)).total()
        )
        by_throws: dict[tuple[int, ...], list[tuple[Number, int]]] = {}
        for code, weight in codes.items():
            digits = math.floor(Fraction(code, unit) + Fraction(1, 2))
            throws = tuple(digits // (k + 1) ** i % (k + 1) for i in range(len(kinds)))
            by_throws.setdefault(throws, []).append((code - digits * unit, weight))
        parts = []
        for throws, sums in by_throws.items():
            total: Value = Dist(sums)
            for kind, n in zip(kinds, throws, strict=True):
                more = self.evaluation.dist(self.position, partial(kind.__rmatmul__, n))
                total = self.evaluation.arithmetic(self.position, "+", total, more)
            parts.append((_dist(total), sum(weight for _, weight in sums)))
        return self.evaluation.dist(self.position, lambda: mixture(parts))


def _dist(value: Value) -> Dist:
    return value if isinstance(value, Dist) else Dist({value: 1})


def _outcomes(value: Value) -> int:
    return len(value.outcomes) if isinstance(value, Dist) else 1


def _span(value: Value) -> int:
    """How many places there are from the least outcome to the greatest, in steps of the outcomes' unit."""
    if not isinstance(value, Dist) or not value.outcomes:
        return 1
    first, last = value.outcomes[0], value.outcomes[-1]
    unit = (
        1
        if isinstance(first, int) and isinstance(last, int)
        else math.lcm(*(x.denominator for x in value.outcomes))
    )
    return int((last - first) * unit) + 1


def _bits(value: Value) -> int:
    return value.denominator.bit_length() if isinstance(value, Dist) else 1


def _short(value: Value) -> str:
    text = str(value)
    return text if len(text) <= 40 else f"{text[:20]}... ({len(text)} characters)"


def _cost_of_ranks(pool: Pool, kept: Sequence[int]) -> int:
    """The steps of the cheaper of the two sweeps for these ranks, as estimated for the pool."""
    order = sorted({face for die, _ in pool.dice for face in die.outcomes}, reverse=True)
    weights = [(dict(die.items()), n) for die, n in pool.dice]
    costs = []
    for levels, last in ((order, max(kept)), (order[::-1], len(pool) - 1 - min(kept))):
        group = sweeps.families([([shown.get(face, 0) for face in levels], n) for shown, n in weights])
        costs.append(sweeps.sweep_cost(group, last + 1, len(kept) * len(order)))
    # The estimate is one of single steps, of which ten are about as dear as a cell here.
    return min(costs) // 10 + len(order) * len(weights)
