"""Adventure's Edge: attacks by margin, Edge dice, mishaps and criticals, and all that happens around them.

A rule is a function of stats; what it follows is in its `sources`. `board` holds what needs no dice.

>>> from rulekit import E, P
>>> from rulekit.rules import shipped
>>> brawn, goblin = shipped(Fighter)["Brawn"].model, shipped(Target)["goblin"].model
>>> blow = attack(brawn, goblin, Situation(defends="parry")).given(natural=15)
>>> E(blow.damage), E(blow.bleeding)
(Fraction(7, 1), Fraction(1, 1))
"""

from __future__ import annotations

from rulekit.games.adventures_edge.after_the_hit import Decline, Effects, Sufferer, decline, effects
from rulekit.games.adventures_edge.attacks import Attack, attack
from rulekit.games.adventures_edge.board import Figure, Ground, Obstacle, PlacedAttack, attack_from
from rulekit.games.adventures_edge.characters import (
    Character,
    Crowd,
    Defenses,
    defenses,
    fighter_of,
    target_of,
    wielded,
)
from rulekit.games.adventures_edge.checks import (
    Diplomacy,
    Encounter,
    Parley,
    Reaction,
    Talker,
    diplomacy,
    parley,
    reaction,
)
from rulekit.games.adventures_edge.contests import (
    Closer,
    Closing,
    Defender,
    Grapple,
    Grappler,
    Hold,
    Tackle,
    Tackler,
    closing,
    grapple,
    hold,
    tackle,
)
from rulekit.games.adventures_edge.exchanges import (
    AimedExchange,
    Ambush,
    Press,
    Pressing,
    Surprise,
    Watcher,
    aimed_exchange,
    press,
    surprise,
)
from rulekit.games.adventures_edge.mishaps import (
    Ally,
    Around,
    Breakage,
    Mishap,
    Scatter,
    breakage,
    mishap,
    off_target_grid,
    scatter,
    wear,
)
from rulekit.games.adventures_edge.mounted import Ride, Rider, ride
from rulekit.games.adventures_edge.nerve import (
    Events,
    Leader,
    Morale,
    MoraleOfAFight,
    Npc,
    morale,
    morale_of_a_fight,
)
from rulekit.games.adventures_edge.readings import Readings
from rulekit.games.adventures_edge.rounds import (
    CloseQuarters,
    Execution,
    Plan,
    Round,
    into_close_combat,
    killing_blow,
    round_of_attacks,
)
from rulekit.games.adventures_edge.stats import Fighter, Location, Situation, Target, Weapon
from rulekit.games.adventures_edge.turns import (
    Actions,
    Adventurer,
    Combatant,
    GameMaster,
    Initiative,
    Party,
    actions,
    initiative,
)

__all__ = [
    "reaction",
    "diplomacy",
    "parley",
    "initiative",
    "actions",
    "surprise",
    "morale",
    "morale_of_a_fight",
    "defenses",
    "attack",
    "attack_from",
    "mishap",
    "scatter",
    "breakage",
    "effects",
    "decline",
    "aimed_exchange",
    "press",
    "round_of_attacks",
    "closing",
    "into_close_combat",
    "grapple",
    "hold",
    "tackle",
    "killing_blow",
    "ride",
    "fighter_of",
    "off_target_grid",
    "target_of",
    "wear",
    "wielded",
    "Actions",
    "Adventurer",
    "AimedExchange",
    "Ally",
    "Ambush",
    "Around",
    "Attack",
    "Breakage",
    "Character",
    "CloseQuarters",
    "Closer",
    "Closing",
    "Combatant",
    "Crowd",
    "Decline",
    "Defender",
    "Defenses",
    "Diplomacy",
    "Effects",
    "Encounter",
    "Events",
    "Execution",
    "Fighter",
    "Figure",
    "GameMaster",
    "Grapple",
    "Grappler",
    "Ground",
    "Hold",
    "Initiative",
    "Leader",
    "Location",
    "Mishap",
    "Morale",
    "MoraleOfAFight",
    "Npc",
    "Obstacle",
    "Parley",
    "Party",
    "PlacedAttack",
    "Plan",
    "Press",
    "Pressing",
    "Reaction",
    "Readings",
    "Ride",
    "Rider",
    "Round",
    "Scatter",
    "Situation",
    "Sufferer",
    "Surprise",
    "Tackle",
    "Tackler",
    "Talker",
    "Target",
    "Watcher",
    "Weapon",
]
