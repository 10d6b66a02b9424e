"""What protects: armour in layers, shields, and what they leave of a blow (EL-04 to EL-07, EL-09, EL-12)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, ClassVar

from pydantic import Field, field_validator

from rulekit.errors import NotAllowed
from rulekit.games.elements.blows import NORMAL, WEAPON_DICE, Blow
from rulekit.games.elements.readings import ExcessAp, LayerScope, PlateOverMid, ProneShield
from rulekit.games.elements.stats import (
    ELEMENTS,
    Resistance,
    Shield,
    ShieldSkill,
    Target,
    with_known_elements,
)
from rulekit.rolls import Roll, constant, dice, maximum, minimum, where
from rulekit.rules import Entry, Levels, Measure, Outcome, Readings, Unit, rule

__all__ = [
    "Armour",
    "ArmourReadings",
    "BodyPart",
    "Layer",
    "Material",
    "Protection",
    "Resistances",
    "Rig",
    "RigReadings",
    "Wearer",
    "after_armour",
    "capacity",
    "critical_damage",
    "dressed",
    "protection",
    "rig",
]


# -- what armour leaves of a blow ------------------------------------------------------------------------


class ArmourReadings(Readings):
    """The readings that touch what armour does."""

    prone_shield: ProneShield = ProneShield.KEPT
    excess_ap: ExcessAp = ExcessAp.WASTED


@dataclass(frozen=True, eq=False)
class Protection:
    """DR, and ER by element, as they stand against one attack."""

    dr: Any
    er: Mapping[str, Any]


def protection(
    target: Target, elements: Iterable[str], readings: ArmourReadings, *, ignored: Any = False
) -> Protection:
    """What the target has against an attack in these elements (EL-04, EL-06, EL-07).

    `ignored`: the event that armour and shield count for nothing (EL-14, EL-16); what else resists, stays.
    """
    bare = target.prone | target.immobilised
    no_armour = ignored | bare
    no_shield = ignored | bare if readings.prone_shield is ProneShield.LOST else ignored
    shield = target.shield if target.shield_skill is not ShieldSkill.NONE else Shield()
    return Protection(
        dr=where(no_armour, 0, target.dr) + where(no_shield, 0, shield.dr),
        er={
            element: target.er_other[element]
            + where(no_armour, 0, target.er_armour[element])
            + where(no_shield, 0, shield.er[element])
            for element in elements
        },
    )


def after_armour(
    parts: Mapping[str, Any], against: Protection, ap: Any, readings: ArmourReadings
) -> Roll[int]:
    """Damage done: each element's part less its ER, then the sum less what AP leaves of DR (EL-09, EL-12)."""
    total = sum(
        part if kind == NORMAL else maximum(0, part - against.er[kind]) for kind, part in parts.items()
    )
    left = against.dr - ap
    if readings.excess_ap is ExcessAp.WASTED:
        left = maximum(0, left)
    return maximum(0, total - left)


def critical_damage(blow: Blow, target: Target) -> Roll[int]:
    """What a critical does: armour and shield count for nothing, other ER does (EL-14).

    The chapter does not say in which of several elements a critical's dice are: they count in the one of
    which the target has the least ER.
    """
    if blow.pure or not blow.elements:
        return blow.critical_dice
    return maximum(0, blow.critical_dice - minimum(*(target.er_other[element] for element in blow.elements)))


# -- what may be worn ------------------------------------------------------------------------------------


class Layer(Enum):
    """The three types of armour (EL-05)."""

    BASE = "base"
    MID = "mid"
    PLATED = "plated"


class Material(Enum):
    """What a piece is made of; the rules ask only for chain."""

    CLOTH = "cloth"
    LEATHER = "leather"
    CHAIN = "chain"
    SCALE = "scale"
    PLATE = "plate"


class BodyPart(Enum):
    """Where a piece is worn."""

    WHOLE = "whole body"
    HEAD = "head"
    TORSO = "torso"
    ARMS = "arms"
    LEGS = "legs"


class Armour(Entry):
    """One piece of armour."""

    loadout_file: ClassVar[str] = "armour.toml"

    layer: Annotated[Layer, Field(description="Base, mid-layer or plated")] = Layer.BASE
    material: Annotated[Material, Field(description="What it is made of")] = Material.CLOTH
    part: Annotated[BodyPart, Field(description="Where it is worn")] = BodyPart.WHOLE
    dr: Annotated[Resistance, Field(description="Damage Resistance")] = 0
    er: Annotated[Mapping[str, Resistance], Field(description="Element Resistance, where imbued")] = Levels(
        {}
    )
    weight: Annotated[int, Field(ge=0, le=200, description="Weight"), Unit("lb")] = 0

    _known = field_validator("er", mode="after")(with_known_elements)


class Wearer(Entry):
    """One who wears armour and carries a shield."""

    loadout_file: ClassVar[str] = "wearers.toml"

    armour: Annotated[tuple[Armour, ...], Field(description="The pieces worn")] = ()
    shield: Annotated[Shield, Field(description="The shield in hand")] = Shield()
    shield_skill: Annotated[ShieldSkill, Field(description="Proficient: DR; trained: Defense as well")] = (
        ShieldSkill.NONE
    )
    mid_training: Annotated[bool, Field(description="Trained to wear mid-layer armour")] = False
    plated_training: Annotated[bool, Field(description="Trained to wear plated armour")] = False
    forbidden: Annotated[
        Mapping[str, Annotated[int, Field(ge=0, le=1)]],
        Field(description="1 for each layer or material that the wearer's Path forbids"),
    ] = Levels({})
    capacity: Annotated[int, Field(ge=0, le=500, description="What can be carried"), Unit("lb")] = 50
    carried: Annotated[
        int, Field(ge=0, le=500, description="Weight of all else that is carried"), Unit("lb")
    ] = 0


class RigReadings(Readings):
    """The readings that touch what may be worn."""

    plate_over_mid: PlateOverMid = PlateOverMid.CHAIN_ONLY
    layer_scope: LayerScope = LayerScope.WHOLE_BODY


class Resistances(Outcome):
    """ER in each of the known elements."""

    fire: Annotated[Roll[int], Measure(help="ER against fire")]
    water: Annotated[Roll[int], Measure(help="ER against water")]
    earth: Annotated[Roll[int], Measure(help="ER against earth")]
    air: Annotated[Roll[int], Measure(help="ER against air")]


class Rig(Outcome):
    """What a rig gives and weighs."""

    sentence = "DR {dr}: of an ordinary hit {through} comes through on average; it weighs {weight}."

    through: Annotated[Roll[int], Measure(unit="HP", help="What an ordinary hit of 2d3 still does")]
    dr: Annotated[Roll[int], Measure(help="DR of armour and shield")]
    defense: Annotated[Roll[int], Measure(help="What the shield adds to Defense")]
    er: Resistances
    weight: Annotated[Roll[int], Measure(unit="lb", help="Weight of armour and shield")]
    spare: Annotated[Roll[int], Measure(unit="lb", help="What more could be carried")]


@rule("EL-04", "EL-05", "EL-07")
def rig(
    wearer: Wearer = Wearer(),
    ap: Annotated[int, Field(ge=0, le=40, description="AP of the hit that tries the rig")] = 0,
    readings: RigReadings = RigReadings(),
) -> Rig:
    """What a rig of armour and shield is worth; a rig that may not be worn is refused."""
    _check_layers(wearer, readings)
    _check_weight(wearer)
    target = dressed(wearer)
    against = protection(target, ELEMENTS, ArmourReadings())
    return Rig(
        through=after_armour({NORMAL: dice(*WEAPON_DICE)}, against, ap, ArmourReadings()),
        dr=against.dr,
        defense=constant(target.shield.defense if target.shield_skill is ShieldSkill.TRAINED else 0),
        er=Resistances(**{element: against.er[element] for element in ELEMENTS}),
        weight=_weight(wearer),
        spare=wearer.capacity - wearer.carried - _weight(wearer),
    )


def dressed(wearer: Wearer, target: Target = Target()) -> Target:
    """`target` in the wearer's armour and shield: the sum over the pieces (EL-04).

    Whether the rig may be worn is not asked here; `rig` does.

    >>> mail = Armour(layer="mid", material="chain", dr=4, er={"fire": 1})
    >>> knight = dressed(Wearer(armour=(Armour(dr=1), mail)))
    >>> knight.dr, knight.er_armour["fire"]
    (5, 1)
    """
    elements = {element for piece in wearer.armour for element in piece.er}
    return Target(
        **{
            **dict(target),
            "dr": sum(piece.dr for piece in wearer.armour),
            "er_armour": {element: sum(piece.er[element] for piece in wearer.armour) for element in elements},
            "shield": wearer.shield,
            "shield_skill": wearer.shield_skill,
        }
    )


def capacity(earth: int) -> int:
    """What one can carry, in lb, by the Earth modifier: 50 and 10 for each point (EL-05).

    >>> capacity(3)
    80
    """
    return 50 + 10 * earth


def _weight(wearer: Wearer) -> Any:
    return sum(piece.weight for piece in wearer.armour) + wearer.shield.weight


def _check_weight(wearer: Wearer) -> None:
    load = _weight(wearer) + wearer.carried
    if load > wearer.capacity:
        raise NotAllowed("EL-05", f"{load} lb are more than the {wearer.capacity} lb that can be carried")


def _check_layers(wearer: Wearer, readings: RigReadings) -> None:
    """Training, what lies under what, and what the Path forbids (EL-05)."""
    training = {Layer.BASE: True, Layer.MID: wearer.mid_training, Layer.PLATED: wearer.plated_training}
    for i, piece in enumerate(wearer.armour):
        for kind in (piece.layer.value, piece.material.value):
            if wearer.forbidden[kind]:
                raise NotAllowed("EL-05", f"the wearer's Path forbids {kind} armour")
        if not training[piece.layer]:
            raise NotAllowed("EL-05", f"{piece.layer.value} armour takes training")
        others = wearer.armour[:i] + wearer.armour[i + 1 :]
        for other in others:
            if other.layer is piece.layer and _overlap(piece, other):
                raise NotAllowed(
                    "EL-05", f"two pieces of {piece.layer.value} armour on the same part ({piece.part.value})"
                )
        beneath = [other for other in others if _counts_beneath(piece, other, readings)]
        if piece.layer is not Layer.BASE and not any(other.layer is Layer.BASE for other in beneath):
            raise NotAllowed("EL-05", f"{piece.layer.value} armour needs a base layer under it")
        if piece.layer is Layer.PLATED and readings.plate_over_mid is PlateOverMid.CHAIN_ONLY:
            for other in beneath:
                if other.layer is Layer.MID and other.material is not Material.CHAIN:
                    raise NotAllowed(
                        "EL-05", f"plate goes over a mid-layer of chain only, not of {other.material.value}"
                    )


def _overlap(a: Armour, b: Armour) -> bool:
    return a.part is b.part or BodyPart.WHOLE in (a.part, b.part)


def _counts_beneath(piece: Armour, other: Armour, readings: RigReadings) -> bool:
    """Whether the other piece lies where one asks for what is beneath this piece."""
    return readings.layer_scope is LayerScope.WHOLE_BODY or _overlap(piece, other)
