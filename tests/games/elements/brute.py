"""The Elements chapter by plain enumeration: every die face by face, every answer a sum of Fractions.

Written against the rule page, and deliberately ignorant of rulekit: it is what the rules are tested with.
The inputs are those of the case files and a few more of the same kind:

attacker   mod, roll (or adv, dis), ap, two_handed, element, element_mod (or elements and element_mods by
           name), manipulation, ranged, charged, improvised, crit_from, damage_adv, damage_dis
target     defense, dr, er_armour, er_other (numbers in the attack's element, or by name), shield_dr,
           shield_er, bare (prone or immobilised), save (Earth modifier) against save_dc
readings   under their names on the page
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

Odds = dict[Any, Fraction]


def tally(pairs: Iterable[tuple[Any, Fraction]]) -> Odds:
    """Add up the probability of equal outcomes and drop what cannot happen."""
    odds: defaultdict[Any, Fraction] = defaultdict(Fraction)
    for outcome, p in pairs:
        odds[outcome] += p
    return {outcome: p for outcome, p in odds.items() if p}


def mean(odds: Odds) -> Fraction:
    return sum((outcome * p for outcome, p in odds.items()), Fraction(0))


def chance(odds: Odds, f: Any) -> Fraction:
    return sum((p for outcome, p in odds.items() if f(outcome)), Fraction(0))


def balance(adv: int, dis: int, adv_mix: str = "any_pair_straight") -> int:
    """1, 0 or -1: the higher of two rolls, one roll, the lower of two."""
    if adv_mix == "net":
        return (adv > dis) - (adv < dis)
    return 0 if adv and dis else 1 if adv else -1 if dis else 0


def kept(way: int) -> Odds:
    """The kept d20."""
    if way == 0:
        return {face: Fraction(1, 20) for face in range(1, 21)}
    pick = max if way > 0 else min
    return tally((pick(pair), Fraction(1, 400)) for pair in product(range(1, 21), repeat=2))


def one_throw(dice: Sequence[tuple[str, int, int]], drop: int = 0) -> Odds:
    """Totals by label of (label, number, sides); drop 1: one die more of each and its lowest away;
    -1: its highest away."""
    throws: Odds = {(): Fraction(1)}
    for label, number, sides in dice:
        n = number + (1 if drop and number else 0)
        totals = tally(
            (
                sum(faces) - ((min(faces) if drop > 0 else max(faces)) if drop and faces else 0),
                Fraction(1, sides**n),
            )
            for faces in product(range(1, sides + 1), repeat=n)
        )
        throws = tally(((*t, (label, x)), p * q) for t, p in throws.items() for x, q in totals.items())
    return throws


def damage_roll(dice: Sequence[tuple[str, int, int]], way: int, damage_advantage: str) -> Odds:
    """What the damage dice show, ((label, total), ...)."""
    if way == 0:
        return one_throw(dice)
    if damage_advantage == "extra_die":
        return one_throw(dice, way)
    once = one_throw(dice)

    def total(throw: Any) -> int:
        return sum(x for _, x in throw)

    def better(a: Any, b: Any) -> Any:
        return a if total(a) * way >= total(b) * way else b

    return tally((better(a, b), p * q) for a, p in once.items() for b, q in once.items())


def by_name(x: Any, names: Iterable[str]) -> dict[str, int]:
    return dict(x) if isinstance(x, Mapping) else dict.fromkeys(names, x or 0)


def strike(i: Mapping[str, Any]) -> dict[str, Any]:
    """What the attack brings, before any armour: its elements, AP, and its odds of
    (result, ((label, total), ...)) with result "miss", "hit" or "critical"."""
    get = i.get
    elements: dict[str, int] = dict(get("elements", {"fire": 2} if get("element") else {}))
    mods = by_name(get("element_mods", get("element_mod", 0)), elements)
    if get("improvised"):
        elements = {}
    adv, dis = get("adv", 0) + (get("roll", 0) > 0), get("dis", 0) + (get("roll", 0) < 0)
    way = balance(adv, dis, get("adv_mix", "any_pair_straight"))

    rises = [mods.get(e, 0) for e in elements]
    rise = 0
    if rises:
        rise = max(rises) if get("element_ap") == "highest" else sum(rises)
    ap = get("ap", 0) + rise

    normal_sides, normal_number = (4, 1) if get("improvised") else (3, 2)
    dice = [("normal", normal_number, normal_sides)]
    if elements and not (get("imbued_dice") == "adds" and not get("manipulation")):
        dice = []
    dice += [(e, number, 4) for e, number in elements.items()]
    floor = sum(number * sides for _, number, sides in dice)
    critical = [("normal", 2, 6)]
    if elements:
        three = not (get("manipulation") and get("manipulation_critical") == "as_normal")
        critical = [("+".join(sorted(elements)), 3 if three else 2, 6)]
    if get("charged"):
        dice, floor = [("pure", 2, 6)], 12
        critical = [("pure", 2 if get("charged_critical") == "normal" else 3, 6)]
    if get("critical_floor") == "normal_dice":
        floor = 6

    both = get("two_handed") and not get("ranged") and not get("manipulation") and not get("improvised")
    damage_way = balance(
        get("damage_adv", 0) + bool(both or get("charged")),
        get("damage_dis", 0),
        get("adv_mix", "any_pair_straight"),
    )
    how = get("damage_advantage", "whole_roll")
    hits = damage_roll(dice, damage_way, how)
    criticals = tally(
        (((label, max(floor, x)),), p) for ((label, x),), p in damage_roll(critical, damage_way, how).items()
    )

    def odds() -> Iterable[tuple[Any, Fraction]]:
        for face, p in kept(way).items():
            reaches = face + i["mod"] >= i["defense"]
            is_critical = face >= get("crit_from", 20)
            if is_critical and face < 20 and not reaches and get("low_critical") == "must_reach_defense":
                is_critical = False
            if is_critical:
                yield from ((("critical", parts), p * q) for parts, q in criticals.items())
            elif reaches:
                yield from ((("hit", parts), p * q) for parts, q in hits.items())
            else:
                yield ("miss", ()), p

    return {"elements": elements, "ap": ap, "odds": tally(odds())}


def protection(i: Mapping[str, Any], elements: Iterable[str], critical: bool) -> tuple[int, dict[str, int]]:
    """DR, and ER by element."""
    bare = bool(i.get("bare"))
    no_shield = critical or (bare and i.get("prone_shield") == "lost")
    no_armour = critical or bare
    dr = (0 if no_armour else i.get("dr", 0)) + (0 if no_shield else i.get("shield_dr", 0))
    er = {e: by_name(i.get("er_other", 0), elements).get(e, 0) for e in elements}
    for e in elements:
        if not no_armour:
            er[e] += by_name(i.get("er_armour", 0), elements).get(e, 0)
        if not no_shield:
            er[e] += by_name(i.get("shield_er", 0), elements).get(e, 0)
    return dr, er


def after_armour(s: int, dr: int, ap: int, excess_ap: str | None) -> int:
    return max(0, s - (dr - ap)) if excess_ap == "adds" else max(0, s - max(0, dr - ap))


def critical_part(i: Mapping[str, Any], label: str, x: int) -> int:
    """A critical's own dice: only what protects beside armour and shield still counts, in the element
    where there is least of it."""
    if label in ("normal", "pure"):
        return x
    names = label.split("+")
    return max(0, x - min(by_name(i.get("er_other", 0), names).get(e, 0) for e in names))


def attack(**i: Any) -> Odds:
    """Odds of (hit, critical, injury, damage)."""
    blow = strike(i)

    def odds() -> Iterable[tuple[Any, Fraction]]:
        for (result, parts), p in blow["odds"].items():
            if result == "miss":
                yield (False, False, False, 0), p
            elif result == "critical":
                ((label, x),) = parts
                damage = critical_part(i, label, x)
                unsaved = Fraction(0)
                if "save" in i:
                    unsaved = Fraction(sum(f + i["save"] < i["save_dc"] for f in range(1, 21)), 20)
                yield (True, True, True, damage), p * unsaved
                yield (True, True, False, damage), p * (1 - unsaved)
            elif i.get("charged"):
                yield (True, False, False, parts[0][1]), p
            else:
                dr, er = protection(i, blow["elements"], critical=False)
                s = sum(max(0, x - er.get(label, 0)) for label, x in parts)
                yield (True, False, False, after_armour(s, dr, blow["ap"], i.get("excess_ap"))), p

    return tally(odds())


def damage(**i: Any) -> Odds:
    return tally((outcome[3], p) for outcome, p in attack(**i).items())


def overwhelm(participants: Sequence[Mapping[str, Any]], **target: Any) -> Odds:
    """Odds of (how many hit, the combined damage)."""
    blows = [{**target, **one} for one in participants]
    strikes = [strike(one) for one in blows]
    everyone = sum(one["ap"] for one in strikes)
    elements = {e for one in strikes for e in one["elements"]}
    readings = target

    def settle(results: Sequence[Any]) -> tuple[int, int]:
        ap, free, sums, ordinary, any_critical = 0, 0, defaultdict(int), False, False
        for one, blow, (result, parts) in zip(blows, strikes, results, strict=True):
            if result == "miss":
                continue
            ap += blow["ap"]
            any_critical |= result == "critical"
            for label, x in parts:
                if label == "pure":
                    free += x
                elif result == "critical":
                    free += critical_part({**target, **one}, label, x)
                else:
                    ordinary = True
                    sums[label] += x
        hitters = sum(result != "miss" for result, _ in results)
        if readings.get("overwhelm_ap") == "everyone":
            ap = everyone
        freed = readings.get("overwhelm_critical") == "all" and any_critical
        dr, er = protection(target, elements, critical=freed)
        s = sum(max(0, x - er.get(label, 0)) for label, x in sums.items())
        rest = 0
        if ordinary:
            rest = s if freed else after_armour(s, dr, ap, readings.get("excess_ap"))
        return hitters, rest + free

    def odds() -> Iterable[tuple[Any, Fraction]]:
        for results in product(*(one["odds"].items() for one in strikes)):
            p = Fraction(1)
            for _, q in results:
                p *= q
            yield settle([result for result, _ in results]), p

    return tally(odds())


def contest(a: int, b: int, a_way: int = 0, b_way: int = 0) -> Odds:
    """Odds of (a's kept die, a's lead over b) in an opposed check of these modifiers."""
    return tally(((x, x + a - y - b), p * q) for x, p in kept(a_way).items() for y, q in kept(b_way).items())


def grapple(mover: int, held: int, mover_roll: int = 0, held_roll: int = 0, **readings: str) -> Odds:
    """Odds of "lose", "tie" and the farthest distance: 5, 10, 15 (0: won nothing, moved nothing)."""

    def result(face: int, lead: int) -> Any:
        if face == 20 and readings.get("natural_20_move") == "always":
            return 15
        if lead < 0:
            return "lose"
        if lead == 0:
            return "tie"
        return 15 if face == 20 else 10 if lead >= 10 else 5

    return tally((result(*x), p) for x, p in contest(mover, held, mover_roll, held_roll).items())


def into_grapple(other: Mapping[str, Any], **i: Any) -> Odds:
    """Odds of (damage to the one aimed at, damage to the other) where neither holds the other: what
    misses the one hits the other, whose armour and shield then count."""
    aimed = attack(**i)
    # Whoever misses hits the other for certain, with ordinary dice: an attack that cannot miss, less its
    # criticals.
    sure = attack(**{**i, **other, "defense": -100, "crit_from": 21})
    instead = tally((outcome[3], p) for outcome, p in sure.items())

    def odds() -> Iterable[tuple[Any, Fraction]]:
        for (hit, _, _, x), p in aimed.items():
            if hit:
                yield (x, 0), p
            else:
                yield from (((0, y), p * q) for y, q in instead.items())

    return tally(odds())
