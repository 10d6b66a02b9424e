"""Groups of rolls that share nothing but sums: each becomes one joint throw, and those are added up jointly.

Ten attackers who each add damage and armour piercing to a common pool share two sums and nothing else. Rolled
one after the other they need a table of all totals at every step; as ten tables of (damage, piercing) they
are one product of ten polynomials.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rulekit.rolls.graph import Graph

__all__ = ["join_groups"]

#: How many terms a linear form may have after sums inside sums are written out.
_MOST_TERMS = 200_000
#: Groups within groups within groups: each round joins one level.
_MOST_ROUNDS = 8
#: Sums that are carried jointly at the most: their ranges multiply.
_MOST_SUMS = 4

Form = dict[int, Any]  # coefficient by node; the constant under the key -1


@dataclass
class _Plan:
    """Sums that stay, each written out over what is no sum, and the groups that only they read.

    `parts` has for each group what it adds to which sum; `classes` the sums that several groups have in
    common, with these groups.
    """

    chosen: set[int]
    forms: dict[int, Form]
    parts: dict[int, dict[int, Form]]
    classes: list[tuple[list[int], list[int]]]
    cost: float


def join_groups(graph: Graph, least: int = 3) -> bool:
    """Rewrite each module of the graph where it is a matter of sums over groups, then each group's own;
    whether there was one. At least so many groups make it worth while: two are as well taken one after the
    other, unless they are so large that this does not fit.
    """
    graph.joined = False
    for _ in range(_MOST_ROUNDS):
        modules = [m for m, (inside, _) in graph.skeletons.items() if len(inside) > 2]
        plans = [plan for module in modules if (plan := _best(graph, module, least)) is not None]
        if not plans:
            break
        for plan in plans:
            _rewrite(graph, plan)
        graph.renew()
        graph.joined = True
    return graph.joined


def _best(graph: Graph, module: int, least: int) -> _Plan | None:
    """The cheapest plan that is found: of the longest sums, with ever shorter ones or without, and then with
    a sum less as long as that helps, for what it adds up may as well be a group's own business.
    """
    inside, inputs = graph.skeletons[module]
    terms: dict[int, int] = {}  # of a sum, its sums written out
    for n in inside:
        if graph.op[n] == "sum":
            terms[n] = min(sum(terms.get(arg, 1) for arg in graph.args[n]), _MOST_TERMS)
    sizes = sorted({size for size in terms.values() if size > 1})
    if not sizes or sizes[-1] < 3:
        return None
    if len(sizes) > 8:
        sizes = [*sizes[:4], *sizes[-4:]]
    nodes = (*inputs, *inside)
    choices = [{n for n, count in terms.items() if count >= size} for size in sizes]
    best: _Plan | None = None
    while choices:
        plans = [
            plan
            for chosen in choices
            if (plan := _split(graph, module, nodes, chosen, terms, least)) is not None
        ]
        cheapest = min(plans, key=lambda plan: plan.cost, default=None)
        if cheapest is None or (best is not None and cheapest.cost >= best.cost):
            break
        best = cheapest
        choices = [best.chosen - {c} for c in best.forms]
    return best if best is not None and all(len(sums) <= _MOST_SUMS for sums, _ in best.classes) else None


def _split(
    graph: Graph, module: int, nodes: Sequence[int], chosen: set[int], sums: Mapping[int, int], least: int
) -> _Plan | None:
    """What falls apart when the chosen ones of the module's sums are taken out; None where nothing does."""
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
    forms = _written_out(graph, [n for n in sorted(chosen) if n in read], chosen)
    if forms is None:
        return None
    parts: dict[int, dict[int, Form]] = {}
    for c, form in forms.items():
        for atom, coefficient in form.items():
            if group_of.get(atom) in groups:
                parts.setdefault(group_of[atom], {}).setdefault(c, {})[atom] = coefficient
    rolls = dict.fromkeys(parts, 0)
    joint = {group: len(forms_of) for group, forms_of in parts.items()}
    for n in nodes:
        group = group_of.get(n, -1)
        if group in parts:
            rolls[group] += n not in below
            joint[group] += sums.get(n, 0) > 1
    classes = [each for each in _classes(parts) if len(each[1]) >= least]
    # A rough guess, in outcomes: a group costs what it takes to join what is within it, about three rolls
    # to a part; sums that are carried jointly multiply.
    cost = sum(30.0 * rolls[group] + (1 + rolls[group] / 3) ** joint[group] for group in parts)
    for members, joined in classes:
        cost += prod(1 + sum(len(parts[group].get(c, ())) for group in joined) for c in members)
    alone = sum(len(forms_of) == 1 for forms_of in parts.values())
    return _Plan(chosen, forms, parts, classes, cost) if classes or alone > 2 else None


def _classes(parts: Mapping[int, Mapping[int, Form]]) -> list[tuple[list[int], list[int]]]:
    """Sums that hang together by groups that feed several of them, and these groups: two at least."""
    classes: list[tuple[list[int], list[int]]] = []
    for group in sorted(parts):
        if len(parts[group]) < 2:
            continue
        members, joined = list(parts[group]), [group]
        for other in [each for each in classes if not set(each[0]).isdisjoint(members)]:
            members, joined = [*other[0], *members], [*other[1], *joined]
            classes.remove(other)
        classes.append((sorted(set(members)), joined))
    return [each for each in classes if len(each[1]) > 1]


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
    left = {c: dict(form) for c, form in plan.forms.items()}

    def part(group: int, c: int) -> int:
        form = plan.parts[group].get(c)
        if form is None:
            return graph.add("const", (), 0)
        for atom in form:
            del left[c][atom]
        return graph.add_sum(form, 0)

    for members, joined in plan.classes:
        throws = [graph.add("pair", tuple([part(group, c) for c in members])) for group in joined]
        total = graph.add("vecsum", tuple(throws))
        for index, c in enumerate(members):
            left[c][graph.add("item", (total,), index)] = 1
    for group, forms in plan.parts.items():
        (c, *others), (form, *_) = forms, forms.values()
        if not others and len(form) > 1:  # of one sum alone, however much is in it: a term
            left[c][part(group, c)] = 1
    for c, form in left.items():
        graph.set_sum(c, form, form.pop(-1))
