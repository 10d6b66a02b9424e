"""From the short inputs of a `BU-` case to the Setup that it asks about, and to the figures it wants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rulekit import E, P, dist
from rulekit.distributions import Dist, d
from rulekit.games.bumps import Attack, attack
from rulekit.rules import Setup

READINGS = ("undefended", "extra_bumps", "both", "melee_cover", "advantage")


def thrown(sides: list[int]) -> Dist:
    """The sum of one die of each of these sides."""
    total: Dist = d({0: 1})
    for each in sides:
        total = total + d(each)
    return total


def setup(case: Mapping[str, Any]) -> Setup[Attack]:
    """The Setup of an attack, from a case or from its inputs alone.

    Inputs: `attack_pool`, `defense_pool` dice of `die` faces, a Bump on `bump_on`; `damage_dice` (the sides
    of each) and `bonus`; `resistance` and `vulnerability` in points; `cover`; readings by their names.
    """
    rest = dict(case.get("inputs", case))
    damage = {
        "dice": thrown(rest.pop("damage_dice", [6])),
        "bonus": rest.pop("bonus", 0),
    }
    sight = "cover" if rest.pop("cover", False) else "clear"
    arguments = {
        "attacker": {"melee": rest.pop("attack_pool"), "weapon": {"damage": [damage]}},
        "defender": {
            "defense": rest.pop("defense_pool"),
            "resistance": {"physical": rest.pop("resistance", 0)},
            "vulnerability": {"physical": rest.pop("vulnerability", 0)},
        },
        "situation": {"sight": sight},
        "bump_roll": {"kind": "Pool", "die": rest.pop("die", 6), "bump_on": rest.pop("bump_on", 4)},
        "readings": {name: rest.pop(name) for name in READINGS if name in rest},
    }
    if rest:
        raise KeyError(f"inputs that no adapter knows: {', '.join(rest)}")
    return attack.setup_of(arguments)


def answers(case: Mapping[str, Any]) -> dict[str, Any]:
    """What rulekit says to a case, under the names of its `want`, as fractions."""
    outcome = setup(case)()
    damage = dist(outcome.damage)
    return {
        "hit": P(outcome.hit),
        "mean_damage": E(outcome.damage),
        "damage": {outcome: damage.probability(outcome) for outcome in damage.outcomes},
    }
