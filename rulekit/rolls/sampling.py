"""Throws at random: every roll beneath an expression thrown once a sample, for all that share it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

from rulekit.distributions import Dist
from rulekit.errors import RulekitError, StatError
from rulekit.rolls.engine import die_row
from rulekit.rolls.expressions import Roll, _make, _walk, axes_of, constant
from rulekit.rolls.integer_tables import _function
from rulekit.rolls.operations import SCALAR, Undefined, Value, is_whole
from rulekit.rolls.throws import views_of

__all__ = ["sample"]


def sample(x: Any, n: int, rng: Any = None) -> Any:
    """Throw `n` times.

    Args:
        x: A Roll or Dist, or a tuple or list of them: what shares a roll shares its draw.
        n: How many throws, 0 or more.
        rng: A NumPy Generator, a `random.Random`, or a seed; None for a new one each time.

    Returns:
        An array of n results (a list where NumPy is not installed); for several Rolls a tuple of them.

    Raises:
        StatError: an expression over axes: there is no one value to throw at.
        RulekitError: an operation without a value came up.

    >>> from rulekit import d, roll
    >>> die = roll(d(6))
    >>> a, b = sample((die, die * 2), 5, rng=1)
    >>> (b == a * 2).all()
    np.True_
    """
    if not is_whole(n, 0):
        raise RulekitError(f"sample takes a whole number of throws, 0 or more, not {n!r}")
    if isinstance(x, Dist):
        return x.sample(n, rng)
    several = isinstance(x, (tuple, list))
    nodes = tuple(constant(node) for node in (x if several else (x,)))
    if not nodes:
        raise RulekitError("sample takes at least one Roll")
    top = _make("pair", nodes, "label")
    axes = axes_of(top)
    if axes:
        raise StatError(f"sample throws at one value of each stat; {', '.join(map(str, axes))} has many")
    columns = _columns(_walk(top)[:-1], n, _generator(rng))
    results = tuple(_result(columns[id(node)]) for node in nodes)
    return results if several else results[0]


def _generator(rng: Any) -> Any:
    if isinstance(rng, random.Random) or hasattr(rng, "integers"):
        return rng
    if rng is not None and (isinstance(rng, bool) or not isinstance(rng, int)):
        raise RulekitError(
            f"rng is a NumPy Generator, a random.Random or a whole number as seed, not {rng!r}"
        )
    if find_spec("numpy") is None:
        return random.Random(rng)
    import numpy as np

    return np.random.default_rng(rng)


def _columns(order: Sequence[Roll[Any]], n: int, rng: Any) -> dict[int, list[Value]]:
    columns: dict[int, list[Value]] = {}
    drawn: dict[int, list[Any]] = {}
    for node in order:
        op, param = node._op, node._param
        args = [columns[id(arg)] for arg in node._args]
        if op == "const":
            columns[id(node)] = [param] * n
        elif node._identity:
            if node._identity not in drawn:
                drawn[node._identity] = _throws(node, args, n, rng)
            columns[id(node)] = drawn[node._identity]
        elif op == "mark":
            columns[id(node)] = args[0]
        elif op == "view":
            columns[id(node)] = [
                faces if isinstance(faces, Undefined) else views_of((param,), faces)[0] for faces in args[0]
            ]
        else:
            function = _function(op, None if op in SCALAR else param)
            columns[id(node)] = list(map(function, *args))
    return columns


def _throws(node: Roll[Any], args: list[list[Value]], n: int, rng: Any) -> list[Any]:
    if node._op == "draw" and not args:
        return _listed(node._param.sample(n, rng))
    # One die for each combination of values that it depends on, thrown as often as that came up.
    places: dict[tuple[Value, ...], list[int]] = {}
    for index, key in enumerate(zip(*args, strict=True)):
        places.setdefault(key, []).append(index)
    result: list[Any] = [None] * n
    for key, indexes in places.items():
        for index, value in zip(indexes, _one_kind(node, key, len(indexes), rng), strict=True):
            result[index] = value
    return result


def _one_kind(node: Roll[Any], key: tuple[Value, ...], n: int, rng: Any) -> list[Any]:
    bad = next((value for value in key if isinstance(value, Undefined)), None)
    if bad is not None:
        return [bad] * n
    if node._op == "throw":
        number = key[0]
        if not isinstance(number, int) or number < 0:
            return [Undefined("a throw of dice in number", (number,))] * n
        row, _ = die_row(node._param, key[1:])
        faces = _listed(Dist(row).sample(n * number, rng)) if number else []
        return [faces[i * number : (i + 1) * number] for i in range(n)]
    die = node._param(*key)
    return _listed(die.sample(n, rng)) if isinstance(die, Dist) else [die] * n


def _listed(values: Any) -> list[Any]:
    return values.tolist() if hasattr(values, "tolist") else list(values)


def _result(values: list[Value]) -> Any:
    bad = next((value for value in values if isinstance(value, Undefined)), None)
    if bad is not None:
        raise RulekitError(
            f"{bad}, in {sum(isinstance(v, Undefined) for v in values)} of {len(values)} throws"
        )
    if find_spec("numpy") is None:
        return values
    import numpy as np

    if all(isinstance(value, (bool, int, str)) for value in values):
        array = np.asarray(values)
        if array.dtype != object:
            return array
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
