"""The graph of one question: an expression with equal parts merged, sums flattened, and cut into modules.

A *module* is a node that every reader of the rolls beneath it goes through: its distribution can be found
by itself, once, and stand for all of it. What lies between a module and the modules beneath it is its
*skeleton*, the part where the same roll is read more than once.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from rulekit.errors import StatError
from rulekit.rolls.expressions import Roll, ThrowOf, _few, _text, _walk
from rulekit.rolls.groups import join_groups

__all__ = ["ACCUMULATORS", "EXCLUDED", "Graph", "Same", "ThrowViews", "hashable_view"]

#: Operations of any number of arguments whose order is ours to choose.
ACCUMULATORS = frozenset({"sum", "min", "max", "and", "or"})
_LINEAR = frozenset({"add", "sub", "neg", "mul"})
_NUMBERS = (int, Fraction, bool)


class Excluded:
    """What a condition leaves out: the one value that stands for "did not happen"."""

    def __repr__(self) -> str:
        return "excluded"


EXCLUDED = Excluded()


class Graph:
    """One question's expression in arrays by node number, arguments before their readers.

    `op`, `args`, `param` say what a node is; `masks` holds a bit for each base roll beneath it, `axes` a
    bit for each stat axis; `modules` is the set of modules, `skeletons` what lies between each and the
    modules beneath it.
    """

    def __init__(self, root: Roll[Any], given: Roll[bool] | None = None, jointly: bool = True) -> None:
        self.op: list[str] = []
        self.args: list[tuple[int, ...]] = []
        self.param: list[Any] = []
        self.label: list[str | None] = []
        self.stat_values: dict[str, tuple[Any, ...]] = {}
        self.stat_names: list[str] = []
        self.structures: dict[int, int] | None = None  # found when first asked for
        self.joined = False  # whether `join_groups` has rewritten it
        self._merged: dict[Any, int] = {}
        self._texts: dict[int, Roll[Any]] = {}
        if given is None:
            (top,) = self._read(root)
        else:
            top, condition = self._read(root, given)
            top = self.add("where", (condition, top, self.add("const", (), EXCLUDED)))
        self.root = self._flatten(top)
        self._order()
        self._find_modules()
        if jointly:
            join_groups(self)

    # -- reading an expression ---------------------------------------------------------------------

    def add(self, op: str, args: tuple[int, ...], param: Any = None, key: Any = None) -> int:
        """The node with this operation on these arguments: an equal one that is there, or a new one."""
        if key is None:
            key = (op, type(param), param, args) if op == "const" else (op, param, args)
        number = self._merged.get(key)
        if number is None:
            number = self._merged[key] = len(self.op)
            self.op.append(op)
            self.args.append(args)
            self.param.append(param)
            self.label.append(None)
        return number

    def _read(self, *roots: Roll[Any], owner: Any = None) -> list[int]:
        """The numbers of `roots`; what is rolled in a throw's own die belongs to that throw, its `owner`."""
        nodes = [node for root in roots for node in _walk(root)]
        views: dict[int, dict[Any, Any]] = {}
        for node in nodes:
            if node._op == "view":
                views.setdefault(node._args[0]._identity, {}).setdefault(
                    hashable_view(node._param), node._param
                )
        at: dict[int, int] = {}
        for node in nodes:
            if id(node) in at:
                continue
            op, param = node._op, node._param
            args = tuple([at[id(arg)] for arg in node._args])
            if op == "mark":
                number = args[0]
            elif op == "stat":
                known = self.stat_values.setdefault(node._name or "", param)
                if known != param:
                    raise StatError(
                        f"two axes are named {node._name!r}, with values {_few(known)} and {_few(param)}"
                    )
                number = self.add("stat", (), node._name)
                if node._name not in self.stat_names:
                    self.stat_names.append(node._name or "")
            elif op == "throw":
                number = self._throw(node, args, tuple(views[node._identity].values()), owner)
            elif op == "draw":
                number = self.add(op, args, param, key=(owner, node._identity))
                self._texts.setdefault(number, node)
            elif op == "view":
                shown = views[node._args[0]._identity]
                number = (
                    args[0]
                    if len(shown) == 1
                    else self.add("item", args, list(shown).index(hashable_view(param)))
                )
            elif op in ("apply", "table"):
                number = self.add(op, args, param, key=(op, Same(param), args))
            else:
                number = self.add(op, args, param)
            if node._name and op != "stat":
                self.label[number] = self.label[number] or node._name
            at[id(node)] = number
        return [at[id(root)] for root in roots]

    def _throw(self, node: Roll[Any], args: tuple[int, ...], views: tuple[Any, ...], owner: Any) -> int:
        """A throw of which only the total is read is its die so many times; else a draw of all its views."""
        source: ThrowOf = node._param
        key = (owner, node._identity)
        number = self._merged.get(key)
        if number is None:
            plain = source.die._kind != "label" and self.op[args[0]] == "const"
            if views == (("total",),) and plain and len(args) == 1 + source.n_axes:
                (die,) = self._read(source.die, owner=key)
                number = self.add("times", (die,), self.param[args[0]], key=key)
            else:
                number = self.add("throw", args, ThrowViews(source, views), key=key)
            self._texts[number] = node
        return number

    # -- flattening sums ---------------------------------------------------------------------------

    def _readers(self, top: int) -> list[int]:
        """How many times each node beneath `top` is read (by node and place); 0 for what is not beneath."""
        counts = [0] * len(self.op)
        reached = bytearray(len(self.op))
        reached[top] = 1
        for number in range(top, -1, -1):
            if reached[number]:
                for arg in self.args[number]:
                    counts[arg] += 1
                    reached[arg] = 1
        counts[top] += 1
        return counts

    def _flatten(self, top: int) -> int:
        """Sums, differences and multiples become one sum with coefficients, `min`, `max`, `&`, `|` of the
        same become one of many, wherever the inner one has no other reader.
        """
        counts = self._readers(top)
        forms: dict[int, dict[int, Any]] = {}  # sums not yet written down: node -> coefficient
        constants: dict[int, Any] = {}
        many: dict[int, list[int]] = {}
        new: dict[int, int] = {}

        def written(number: int) -> int:
            if number in forms:
                form = forms.pop(number)
                new[number] = self.add_sum(form, constants.pop(number))
            elif number in many:
                new[number] = self.add(self.op[number], tuple(dict.fromkeys(many.pop(number))))
            return new[number]

        for number in range(top + 1):
            if not counts[number]:
                continue
            op, args = self.op[number], self.args[number]
            if op in _LINEAR:
                form, constant = self._linear(number, forms, constants, counts, written)
                if form is not None:
                    forms[number], constants[number] = form, constant
                    continue
            elif op in ("min", "max", "and", "or"):
                parts: list[int] = []
                for arg in args:
                    if arg in many and counts[arg] == 1 and self.op[arg] == op:
                        inner = many.pop(arg)
                        if len(inner) > len(parts):
                            inner, parts = parts, inner
                        parts += inner
                    else:
                        parts.append(written(arg))
                many[number] = parts
                continue
            mapped = tuple([written(arg) for arg in args])
            if mapped == args:
                new[number] = number
            elif op in ("draw", "throw"):
                self.args[number] = mapped
                new[number] = number
            else:
                key = (op, Same(self.param[number]), mapped) if op in ("apply", "table") else None
                new[number] = self.add(op, mapped, self.param[number], key)
                self.label[new[number]] = self.label[new[number]] or self.label[number]
        return written(top)

    def _linear(
        self,
        number: int,
        forms: dict[int, dict[int, Any]],
        constants: dict[int, Any],
        counts: list[int],
        written: Callable[[int], int],
    ) -> tuple[dict[int, Any] | None, Any]:
        op, args = self.op[number], self.args[number]
        if op == "mul":
            factors = [a for a in args if self.op[a] == "const"]
            if not factors:
                return None, None
            factor = self.param[factors[0]]
            if type(factor) not in _NUMBERS:
                return None, None
            rest = args[1] if args[0] == factors[0] else args[0]
            signed = [(rest, int(factor) if isinstance(factor, bool) else factor)]
        elif op == "neg":
            signed = [(args[0], -1)]
        else:
            signed = [(args[0], 1), (args[1], 1 if op == "add" else -1)]
        form: dict[int, Any] | None = None
        constant: Any = 0
        for arg, sign in signed:
            if self.op[arg] == "const" and type(self.param[arg]) in _NUMBERS:
                constant += sign * self.param[arg]
                continue
            if arg in forms and counts[arg] == 1:
                inner, inner_constant = forms.pop(arg), constants.pop(arg)
                constant += sign * inner_constant
                if sign != 1:
                    inner = {atom: coefficient * sign for atom, coefficient in inner.items()}
            else:
                inner = {written(arg): sign}
            if form is None:
                form = inner
                continue
            if len(inner) > len(form):
                form, inner = inner, form
            for atom, coefficient in inner.items():
                form[atom] = form.get(atom, 0) + coefficient
        return form if form is not None else {}, constant

    def add_sum(self, form: dict[int, Any], constant: Any) -> int:
        """The node for a sum: coefficient by node, and a constant."""
        coefficients = tuple([_whole(k) for k in form.values()])
        return self.add("sum", tuple(form), (coefficients, _whole(constant)))

    # -- order and masks ---------------------------------------------------------------------------

    def _order(self) -> None:
        """Keep what the root needs, renumbered so that arguments come before their readers, depth first
        and the deeper argument first: what a running total has grown from comes before what is added to it.
        """
        height: dict[int, int] = {}
        for number in self._depth_first({}):
            height[number] = 1 + max([height[arg] for arg in self.args[number]], default=0)
        order = self._depth_first(height)
        place = {number: index for index, number in enumerate(order)}
        self.op = [self.op[n] for n in order]
        self.param = [self.param[n] for n in order]
        self.label = [self.label[n] for n in order]
        self.args = [tuple([place[a] for a in self.args[n]]) for n in order]
        self._texts = {place[n]: text for n, text in self._texts.items() if n in place}
        self.root = place[self.root]
        self._merged = {}
        self._measure()

    def _depth_first(self, height: dict[int, int]) -> list[int]:
        """What the root needs, arguments before readers, of several arguments the higher first."""
        order: list[int] = []
        done: set[int] = set()
        stack = [self.root]
        while stack:
            number = stack[-1]
            if number in done:
                stack.pop()
                continue
            waiting = [arg for arg in self.args[number] if arg not in done]
            if waiting:
                if height and len(waiting) > 1:
                    waiting.sort(key=height.__getitem__, reverse=True)
                stack.extend(reversed(waiting))
                continue
            stack.pop()
            done.add(number)
            order.append(number)
        return order

    def _measure(self) -> None:
        masks: list[int] = []
        axes: list[int] = []
        bit = 1
        stat_bit = {name: 1 << i for i, name in enumerate(self.stat_names)}
        for op, args, param in zip(self.op, self.args, self.param, strict=True):
            mask = axis = 0
            for arg in args:
                mask |= masks[arg]
                axis |= axes[arg]
            if op == "draw" or op == "throw":
                mask |= bit
                bit <<= 1
            elif op == "stat":
                axis = stat_bit[param]
            masks.append(mask)
            axes.append(axis)
        self.masks, self.axes = masks, axes

    def set_sum(self, number: int, form: dict[int, Any], constant: Any) -> None:
        """Make a node the sum of these terms; `renew` has to follow."""
        self.args[number] = tuple(form)
        self.param[number] = tuple([_whole(k) for k in form.values()]), _whole(constant)

    def renew(self) -> None:
        """Put everything in order again after nodes were added and changed."""
        self._order()
        self._find_modules()
        self.structures = None

    # -- modules -----------------------------------------------------------------------------------

    def _find_modules(self) -> None:
        size = len(self.op)
        masks, args = self.masks, self.args
        dominator = [-1] * size
        depth = [0] * size
        owned = [0] * size
        dominator[self.root] = self.root
        for number in range(self.root, -1, -1):
            above = dominator[number]
            if above < 0 or not masks[number]:
                continue
            if number != self.root:
                depth[number] = depth[above] + 1
            for arg in args[number]:
                if not masks[arg]:
                    continue
                other = dominator[arg]
                if other < 0:
                    dominator[arg] = number
                elif other != number:
                    a, b = other, number
                    # Both have their final dominators: every reader of a node has a higher number.
                    while a != b:
                        if depth[a] >= depth[b]:
                            a = dominator[a]
                        else:
                            b = dominator[b]
                    dominator[arg] = a
        modules = set()
        for number in range(size):
            if not masks[number] or dominator[number] < 0:
                continue
            if self.op[number] in ("draw", "throw"):
                owned[number] += 1
            if owned[number] == masks[number].bit_count() or number == self.root:
                modules.add(number)
            if number != self.root:
                owned[dominator[number]] += owned[number]
        self.modules = modules
        self.skeletons = {module: self._skeleton(module) for module in sorted(modules)}

    def _skeleton(self, module: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """The nodes of a module between itself and the modules beneath it, in order, and those modules."""
        inside: list[int] = [module]
        inputs: list[int] = []
        seen = {module}
        for number in inside:
            for arg in self.args[number]:
                if arg in seen or not self.masks[arg]:
                    continue
                seen.add(arg)
                (inputs if arg in self.modules else inside).append(arg)
        return tuple(sorted(inside)), tuple(sorted(inputs))

    def text(self, number: int) -> str:
        """A node's name or short text, for errors."""
        if self.label[number]:
            return str(self.label[number])
        node = self._texts.get(number)
        return _text(node, 0, 3) if node is not None else self.op[number]


def _whole(value: Any) -> Any:
    return value.numerator if type(value) is Fraction and value.denominator == 1 else value


class Same:
    """A callable as part of a key: equal to itself alone, and kept alive as long as the key is."""

    __slots__ = ("thing",)

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.thing is other.thing

    def __hash__(self) -> int:
        return id(self.thing)


def hashable_view(view: Any) -> Any:
    """A view of a throw as part of a key."""
    return tuple([Same(part) if callable(part) else part for part in view])


class ThrowViews:
    """A throw's die together with the views of it that a question reads."""

    __slots__ = ("source", "views")

    def __init__(self, source: ThrowOf, views: tuple[Any, ...]) -> None:
        self.source = source
        self.views = views

    def __call__(self, number: Any, *given: Any) -> Any:
        """The distribution of the views, for this number of dice and these values of axes and outer rolls."""
        from rulekit.rolls.throws import throw_row

        return throw_row(self.source, self.views, number, given)
