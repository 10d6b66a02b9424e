"""Groups of rolls that share nothing but sums: each becomes one joint throw, and those are added up jointly.

Ten attackers who each add damage and armour piercing to a common pool share two sums and nothing else. Rolled
one after the other they need a table of all totals at every step; as ten tables of (damage, piercing) they
are one product of ten polynomials.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rulekit.rolls.graph import Graph

__all__ = ["join_groups"]

#: How many terms a linear form may have after sums inside sums are written out.
_MOST_TERMS = 200_000
#: Sums that are carried jointly at the most: their ranges multiply.
_MOST_SUMS = 4

_EVENTS = frozenset({"lt", "le", "gt", "ge", "eq", "ne", "and", "or", "not", "isin"})

Form = dict[int, Any]  # coefficient by node; the constant under the key -1


@dataclass
class _Plan:
    """Sums that stay, each written out over what is no sum, and the groups that only they read."""

    needed: list[int]
    forms: dict[int, Form]
    group_of: dict[int, int]
    groups: set[int]


def join_groups(graph: Graph) -> bool:
    """Rewrite each module of the graph where it is a matter of sums over groups; whether there was one."""
    plans = [_best(graph, module) for module, (inside, _) in graph.skeletons.items() if len(inside) > 2]
    for plan in plans:
        if plan is not None:
            _rewrite(graph, plan)
    graph.joined = any(plan is not None for plan in plans)
    if graph.joined:
        graph.renew()
    return graph.joined


def _best(graph: Graph, module: int) -> _Plan | None:
    """The plan whose joint totals take the least room, over several choices of which sums count as common
    ones: the smaller sums are as often one group's own business.
    """
    inside, inputs = graph.skeletons[module]
    terms: dict[int, int] = {}  # of a sum, its sums written out
    for n in inside:
        if graph.op[n] == "sum":
            terms[n] = min(sum(terms.get(arg, 1) for arg in graph.args[n]), _MOST_TERMS)
    sizes = sorted(set(terms.values()))
    if not sizes or sizes[-1] < 3:
        return None
    if len(sizes) > 8:
        sizes = [*sizes[:4], *sizes[-4:]]
    found = []
    for size in reversed(sizes):
        chosen = {n for n, count in terms.items() if count >= size}
        plan = _split(graph, module, (*inputs, *inside), chosen)
        if plan is not None:
            found.append(plan)
    if len(found) < 2:
        return found[0] if found else None
    spans = _spans(graph)
    return min(found, key=lambda plan: (_room(plan, spans), -len(plan.groups)))


def _room(plan: _Plan, spans: Sequence[float]) -> float:
    """How many joint totals there can be at the most."""
    room = 1.0
    for c in plan.needed:
        form = plan.forms[c].items()
        room *= 1 + sum(abs(k) * spans[atom] for atom, k in form if plan.group_of.get(atom) in plan.groups)
    return room


#: How far apart the values of a node may lie of which nothing is known.
_UNKNOWN = 100.0


def _spans(graph: Graph) -> list[float]:
    """How far apart the least and the greatest value of each node can lie, roughly."""
    bounds: list[tuple[float, float]] = []
    for op, args, param in zip(graph.op, graph.args, graph.param, strict=True):
        bounds.append(_bounds(graph, op, param, [bounds[arg] for arg in args]))
    return [high - low for low, high in bounds]


def _bounds(graph: Graph, op: str, param: Any, args: list[tuple[float, float]]) -> tuple[float, float]:
    values: Any = None
    if op == "const":
        values = (param,)
    elif op == "stat":
        values = graph.stat_values[param]
    elif op == "draw" and not args:
        values = param.outcomes
    elif op == "table":
        values = param.results
    if values is not None:
        numbers = [float(value) for value in values if isinstance(value, (int, Fraction))]
        return (min(numbers), max(numbers)) if numbers else (0.0, 0.0)
    if op == "sum":
        coefficients, constant = param
        ends = [sorted((k * low, k * high)) for k, (low, high) in zip(coefficients, args, strict=True)]
        return float(constant + sum(e[0] for e in ends)), float(constant + sum(e[1] for e in ends))
    if op in ("min", "max"):
        pick = min if op == "min" else max
        return pick(low for low, _ in args), pick(high for _, high in args)
    if op == "where":
        return min(args[1][0], args[2][0]), max(args[1][1], args[2][1])
    if op == "times":
        return param * args[0][0], param * args[0][1]
    if op == "identity" or op.startswith("halve"):
        return args[0]
    if op in _EVENTS:
        return 0.0, 1.0
    return 0.0, _UNKNOWN


def _split(graph: Graph, module: int, nodes: Sequence[int], chosen: set[int]) -> _Plan | None:
    """What falls apart when the chosen sums are taken out."""
    component = {n: n for n in nodes if n not in chosen}

    def find(n: int) -> int:
        while component[n] != n:
            component[n] = component[component[n]]
            n = component[n]
        return n

    readers: set[int] = set()  # nodes that read a chosen sum: their components lie above
    read: set[int] = {module}
    below = set(graph.skeletons[module][0])
    for n in component:
        if n not in below:
            continue  # an input: what lies beneath it is its own
        for arg in graph.args[n]:
            if arg in chosen:
                readers.add(n)
                read.add(arg)
            elif arg in component:
                component[find(arg)] = find(n)
    group_of = {n: find(n) for n in component}
    above = {group_of[n] for n in readers}
    # What is one node is found by itself already, and simply added.
    groups = {group for group, size in Counter(group_of.values()).items() if size > 1} - above
    if module in group_of and group_of[module] not in above:
        return None
    needed = [n for n in sorted(chosen) if n in read]
    forms = _written_out(graph, needed, chosen)
    if forms is None:
        return None
    needed = [c for c in needed if any(group_of.get(atom) in groups for atom in forms[c])]
    groups &= {group_of[atom] for c in needed for atom in forms[c] if atom in group_of}
    if len(needed) > 1:  # what only one of the sums reads is added to that one afterwards
        reads = {
            group: sum(any(group_of.get(a) == group for a in forms[c]) for c in needed) for group in groups
        }
        groups = {group for group, count in reads.items() if count > 1}
        needed = [c for c in needed if any(group_of.get(atom) in groups for atom in forms[c])]
    if len(groups) < 3 or not 0 < len(needed) <= _MOST_SUMS:
        return None
    return _Plan(needed, forms, group_of, groups)


def _written_out(graph: Graph, needed: Sequence[int], chosen: set[int]) -> dict[int, Form] | None:
    """Each needed sum over what is no chosen sum; None where that is too long."""
    wanted = set(needed)
    stack = list(needed)
    while stack:  # chosen sums beneath needed ones
        for arg in graph.args[stack.pop()]:
            if arg in chosen and arg not in wanted:
                wanted.add(arg)
                stack.append(arg)
    forms: dict[int, Form] = {}
    size = 0
    for c in sorted(wanted):
        coefficients, constant = graph.param[c]
        form: Form = {-1: constant}
        for arg, coefficient in zip(graph.args[c], coefficients, strict=True):
            for atom, k in (forms[arg] if arg in chosen else {arg: 1}).items():
                form[atom] = form.get(atom, 0) + coefficient * k
        size += len(form)
        if size > _MOST_TERMS:
            return None
        forms[c] = form
    return forms


def _rewrite(graph: Graph, plan: _Plan) -> None:
    """Each group's part of each sum as one throw, those added up jointly, and the sums as places in that."""
    parts: dict[int, dict[int, Form]] = {}
    for c in plan.needed:
        for atom, coefficient in plan.forms[c].items():
            group = plan.group_of.get(atom)
            if group in plan.groups:
                parts.setdefault(group, {}).setdefault(c, {})[atom] = coefficient
    alone = len(plan.needed) == 1
    throws = []
    for group in sorted(parts):
        entries = [
            graph.add_sum(parts[group][c], 0) if c in parts[group] else graph.add("const", (), 0)
            for c in plan.needed
        ]
        throws.append(entries[0] if alone else graph.add("pair", tuple(entries)))
    total = graph.add_sum(dict.fromkeys(throws, 1), 0) if alone else graph.add("vecsum", tuple(throws))
    for index, c in enumerate(plan.needed):
        form = {
            atom: coefficient
            for atom, coefficient in plan.forms[c].items()
            if atom != -1 and plan.group_of.get(atom) not in plan.groups
        }
        form[total if alone else graph.add("item", (total,), index)] = 1
        graph.set_sum(c, form, plan.forms[c][-1])
