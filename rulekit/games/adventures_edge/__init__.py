"""Adventure's Edge: attacks by margin, Edge dice, mishaps and criticals, and all that happens around them."""

from __future__ import annotations

from rulekit.games.adventures_edge.after_the_hit import Effects, effects
from rulekit.games.adventures_edge.attacks import Attack, attack
from rulekit.games.adventures_edge.checks import Encounter, Talker, diplomacy, parley, reaction
from rulekit.games.adventures_edge.contests import closing, grapple, hold, tackle
from rulekit.games.adventures_edge.mounted import Rider, ride
from rulekit.games.adventures_edge.nerve import Events, Leader, Npc, morale
from rulekit.games.adventures_edge.readings import Readings
from rulekit.games.adventures_edge.stats import Fighter, Location, Situation, Target, Weapon
from rulekit.games.adventures_edge.turns import Adventurer, Combatant, GameMaster, Party, actions, initiative

__all__ = [
    "Adventurer",
    "Attack",
    "Combatant",
    "Effects",
    "Encounter",
    "Events",
    "Fighter",
    "GameMaster",
    "Leader",
    "Location",
    "Npc",
    "Party",
    "Readings",
    "Rider",
    "Situation",
    "Talker",
    "Target",
    "Weapon",
    "actions",
    "attack",
    "closing",
    "diplomacy",
    "effects",
    "grapple",
    "hold",
    "initiative",
    "morale",
    "parley",
    "reaction",
    "ride",
    "tackle",
]
