"""The odds of an expression by brute force: every combination of faces, every operation written anew.

Nothing of the engine is used: only the structure of the expression (`_op`, `_args`, `_param`).
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

UNDEFINED = object()


def _nodes(*roots):
    order, seen = [], set()

    def visit(node):
        if id(node) in seen:
            return
        seen.add(id(node))
        for arg in node._args:
            visit(arg)
        order.append(node)

    for root in roots:
        visit(root)
    return order


def _apply(node, values, point):
    op, param = node._op, node._param
    if op == "const":
        return param
    if op == "stat":
        return point[node._name]
    if op == "where":
        event, a, b = values
        return UNDEFINED if event is UNDEFINED else (a if event else b)
    if op == "and":
        if values[0] is False or values[1] is False:
            return False
        return UNDEFINED if UNDEFINED in values else True
    if op == "or":
        if values[0] is True or values[1] is True:
            return True
        return UNDEFINED if UNDEFINED in values else False
    if op == "pair":
        return UNDEFINED if any(v is UNDEFINED for v in values) else tuple(values)
    if any(v is UNDEFINED for v in values):
        return UNDEFINED
    a = values[0] if values else None
    b = values[1] if len(values) > 1 else None
    if op in ("mark", "identity"):
        return a
    if op == "add":
        return a + b
    if op == "sub":
        return a - b
    if op == "mul":
        return a * b
    if op == "neg":
        return -a
    if op == "abs":
        return abs(a)
    if op == "truediv":
        return UNDEFINED if b == 0 else Fraction(a) / b
    if op == "floordiv":
        return UNDEFINED if b == 0 else a // b
    if op == "mod":
        return UNDEFINED if b == 0 else a % b
    if op == "min":
        return a if a < b else b
    if op == "max":
        return a if a > b else b
    if op == "not":
        return not a
    if op == "eq":
        return a == b
    if op == "ne":
        return a != b
    if op == "lt":
        return a < b
    if op == "le":
        return a <= b
    if op == "gt":
        return a > b
    if op == "ge":
        return a >= b
    if op == "halve_down":
        return a // 2
    if op == "halve_up":
        return math.ceil(Fraction(a) / 2)
    if op == "halve_zero":
        return int(Fraction(a) / 2)
    if op == "isin":
        return a in param
    if op == "table":
        for (low, high), result in zip(param.rows.keys, param.results, strict=True):
            if (low is None or a >= low) and (high is None or a <= high):
                return result
        return UNDEFINED
    if op == "apply":
        return param(*values)
    if op == "view":
        return _view(param, a)
    raise AssertionError(op)


def _view(view, faces):
    ordered = sorted(faces, reverse=True)
    n = len(ordered)
    kind = view[0]
    if kind == "total":
        return sum(faces)
    if kind == "count":
        return sum(1 for face in faces if (view[1](face) if callable(view[1]) else face in view[1]))
    if n == 0:
        return UNDEFINED
    if kind == "highest":
        return sum(ordered[: view[1]])
    if kind == "lowest":
        return sum(ordered[-view[1] :])
    if any(abs(rank) > n for rank in view[1]):
        return UNDEFINED
    return sum(ordered[rank - 1] if rank > 0 else ordered[rank] for rank in view[1])


def rows(node, given=None, point=None):
    """outcome -> probability over all combinations of faces; UNDEFINED stands for itself.

    With `given` only what happens then, and the probability of the condition as second result.
    """
    point = point or {}
    roots = (node,) if given is None else (node, given)
    order = _nodes(*roots)
    result = {}
    mass = Fraction(0)

    def run(index, values, drawn, weight):
        nonlocal mass
        while index < len(order):
            current = order[index]
            if current._identity and current._identity in drawn:
                values[id(current)] = drawn[current._identity]
            elif current._identity:
                args = [values[id(arg)] for arg in current._args]
                for face, w in _faces(current, args, point):
                    run(
                        index + 1,
                        {**values, id(current): face},
                        {**drawn, current._identity: face},
                        weight * w,
                    )
                return
            else:
                values[id(current)] = _apply(current, [values[id(arg)] for arg in current._args], point)
            index += 1
        if given is not None and values[id(given)] is not True:
            if values[id(given)] is UNDEFINED:
                mass += weight
                result[UNDEFINED] = result.get(UNDEFINED, 0) + weight
            return
        mass += weight
        value = values[id(node)]
        result[value] = result.get(value, 0) + weight

    run(0, {}, {}, Fraction(1))
    if given is None:
        return result
    return ({value: weight / mass for value, weight in result.items()} if mass else {}), mass


def _faces(node, args, point):
    if any(arg is UNDEFINED for arg in args):
        return [(UNDEFINED, Fraction(1))]
    if node._op == "draw":
        die = node._param(*args) if args else node._param
        if not hasattr(die, "items"):
            return [(UNDEFINED, Fraction(1))]
        total = sum(weight for _, weight in die.items())
        return [(face, Fraction(weight, total)) for face, weight in die.items()]
    number = args[0]
    if not isinstance(number, int) or number < 0:
        return [(UNDEFINED, Fraction(1))]
    source = node._param
    assert not source.outer, "brute force knows no shared outer rolls"
    die = list(rows(source.die, point=point).items())
    combos = {}
    for faces in itertools.product(die, repeat=number):
        key = tuple(sorted((face for face, _ in faces), key=repr))
        weight = Fraction(1)
        for _, w in faces:
            weight *= w
        combos[key] = combos.get(key, 0) + weight
    return list(combos.items())
