"""Groups of rolls that share nothing but sums: each becomes one joint throw, and those are added up jointly.

Ten attackers who each add damage and armour piercing to a common pool share two sums and nothing else. Rolled
one after the other they need a table of all totals at every step; as ten tables of (damage, piercing) they
are one product of ten polynomials.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rulekit.rolls.graph import Graph

__all__ = ["join_groups"]

#: How many terms a linear form may have after sums inside sums are written out.
_MOST_TERMS = 200_000
#: Sums that are carried jointly at the most: their ranges multiply.
_MOST_SUMS = 4

Form = dict[int, Any]  # coefficient by node; the constant under the key -1


@dataclass
class _Plan:
    """Sums that stay, each written out over what is no sum, and the groups that only they read."""

    needed: list[int]
    forms: dict[int, Form]
    group_of: dict[int, int]
    groups: set[int]


def join_groups(graph: Graph) -> None:
    """Rewrite each module of the graph where it is a matter of sums over groups."""
    plans = [_best(graph, module) for module, (inside, _) in graph.skeletons.items() if len(inside) > 2]
    for plan in plans:
        if plan is not None:
            _rewrite(graph, plan)
    if any(plan is not None for plan in plans):
        graph.renew()


def _best(graph: Graph, module: int) -> _Plan | None:
    """The plan with the most groups, over several choices of which sums count as common ones: the smaller
    sums are as often one group's own business.
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
    best: _Plan | None = None
    for size in reversed(sizes):
        chosen = {n for n, count in terms.items() if count >= size}
        plan = _split(graph, module, (*inputs, *inside), chosen)
        if plan is not None and (
            best is None or (len(plan.groups), -len(plan.needed)) > (len(best.groups), -len(best.needed))
        ):
            best = plan
    return best


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
    groups = set(group_of.values()) - above
    if module in group_of and group_of[module] in groups:
        return None
    needed = [n for n in sorted(chosen) if n in read]
    forms = _written_out(graph, needed, chosen)
    if forms is None:
        return None
    needed = [c for c in needed if any(group_of.get(atom) in groups for atom in forms[c])]
    groups &= {group_of[atom] for c in needed for atom in forms[c] if atom in group_of}
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
