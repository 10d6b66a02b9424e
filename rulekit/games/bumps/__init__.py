"""Bumps: a contest of Bumps decides whether an attack hits; damage meets Resistance and Vulnerability dice.

The chapter tells what Bumps do and not how they are rolled, so the Bump roll is a part that plugs in; every
result names the one that it used.

>>> from rulekit import E, P
>>> from rulekit.games import bumps
>>> blow = bumps.attack(bumps.Attacker(melee=4), bumps.Defender(defense=4))
>>> P(blow.hit), E(blow.damage)
(Fraction(93, 256), Fraction(1023, 512))
"""

from __future__ import annotations

from rulekit.games.bumps.attacks import Attack, attack
from rulekit.games.bumps.board import (
    LineOfSight,
    Obstacle,
    ObstacleKind,
    Scene,
    line_of_sight,
    share_showing,
    sight,
    situation,
)
from rulekit.games.bumps.bump_rolls import AnyDistribution, BonusAs, BumpRoll, Ladder, Pool, RollUnder
from rulekit.games.bumps.contests import Contest, contest
from rulekit.games.bumps.defeats import Defeat, defeat
from rulekit.games.bumps.defending import Reactions, reactions
from rulekit.games.bumps.readings import (
    AttackReadings,
    BothWays,
    BumpAdvantage,
    ContestReadings,
    DamageReadings,
    ExtraBumps,
    HalfShowing,
    InitiativeReadings,
    InitiativeTie,
    MajorShowing,
    MeleeCover,
    MinorObstacle,
    ReactionsReadings,
    ReactionTiming,
    SightReadings,
    Undefended,
)
from rulekit.games.bumps.stats import (
    Attacker,
    AttackKind,
    BonusDamage,
    BonusType,
    Combatant,
    Contender,
    DamagePart,
    DamageType,
    Defender,
    Pace,
    Sight,
    Situation,
    Target,
    Targets,
    Tool,
    Weapon,
)
from rulekit.games.bumps.turn_order import FullInitiative, Initiative, initiative, order_odds, place_odds
from rulekit.games.bumps.wounds import Damage, damage

__all__ = [
    "AnyDistribution",
    "Attack",
    "AttackKind",
    "AttackReadings",
    "Attacker",
    "BonusAs",
    "BonusDamage",
    "BonusType",
    "BothWays",
    "BumpAdvantage",
    "BumpRoll",
    "Combatant",
    "Contender",
    "Contest",
    "ContestReadings",
    "Damage",
    "DamagePart",
    "DamageReadings",
    "DamageType",
    "Defeat",
    "Defender",
    "ExtraBumps",
    "FullInitiative",
    "HalfShowing",
    "Initiative",
    "InitiativeReadings",
    "InitiativeTie",
    "Ladder",
    "LineOfSight",
    "MajorShowing",
    "MeleeCover",
    "MinorObstacle",
    "Obstacle",
    "ObstacleKind",
    "Pace",
    "Pool",
    "ReactionTiming",
    "Reactions",
    "ReactionsReadings",
    "RollUnder",
    "Scene",
    "Sight",
    "SightReadings",
    "Situation",
    "Target",
    "Targets",
    "Tool",
    "Undefended",
    "Weapon",
    "attack",
    "contest",
    "damage",
    "defeat",
    "initiative",
    "line_of_sight",
    "order_odds",
    "place_odds",
    "reactions",
    "share_showing",
    "sight",
    "situation",
]
