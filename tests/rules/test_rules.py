"""`@rule`: what a rule can say of itself, how it runs with axes, and where it must run value by value."""

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from typing import Annotated, Any

import pytest
from pydantic import Field

from rulekit import (
    Dist,
    E,
    Measure,
    NotAllowed,
    NotAValue,
    Outcome,
    P,
    Part,
    Roll,
    RulekitError,
    StatError,
    Stats,
    TooLarge,
    d,
    dice,
    dist,
    roll,
    rule,
    stat,
    where,
)
from rulekit.rules import Entry, Unit, find_rule, registered, registry, rules_of, source, sourced


class Element(Enum):
    FIRE = "fire"
    COLD = "cold"


class Fighter(Stats):
    attack: Annotated[int, Field(ge=-5, le=30, description="Added to the d20"), Unit("points")] = 5
    element: Element = Element.FIRE


class Target(Stats):
    defense: Annotated[int, Field(ge=0, le=60)]


class Blow(Outcome):
    hit: Annotated[Roll[bool], Measure(help="The blow lands")]
    damage: Annotated[Roll[int], Measure(unit="HP")]


@rule("XX-1", "XX-2")
def strike(attacker: Fighter, target: Target, bonus: int = 0) -> Blow:
    """A blow with a sword."""
    natural = roll(d(20), "natural")
    hit = natural + attacker.attack + bonus >= target.defense
    return Blow(hit=hit, damage=where(hit, roll(d(8), "damage die"), 0))


@rule()
def smash(bonus: Annotated[int, Field(ge=0, le=20)] = 5, ac: int = 15) -> Roll[bool]:
    return roll(d(20), "natural") + bonus >= ac


def test_what_a_rule_says_of_itself() -> None:
    assert (strike.sources, strike.doc, strike.__name__) == (
        ("XX-1", "XX-2"),
        "A blow with a sword.",
        "strike",
    )
    assert strike.id.endswith("test_rules.strike")
    assert find_rule(strike.id) is strike
    assert [(info.path, info.kind, info.low, info.high, info.default) for info in strike.stats] == [
        ("attacker.attack", "whole", -5, 30, 5),
        ("attacker.element", "choice", None, None, "fire"),
        ("target.defense", "whole", 0, 60, None),
        ("bonus", "whole", None, None, 0),
    ]
    attack = strike.stats[0]
    assert (attack.unit, attack.help, attack.label, attack.required) == (
        "points",
        "Added to the d20",
        "attack",
        False,
    )
    assert strike.stats[2].required
    assert strike.stats[1].choices == ("fire", "cold")
    assert [(info.path, info.kind, info.unit, info.help) for info in strike.measures] == [
        ("hit", "event", "", "The blow lands"),
        ("damage", "number", "HP", ""),
    ]
    assert [(info.path, info.kind) for info in smash.measures] == [("result", "event")]


def test_measures_of_a_rule_without_annotation_are_found_by_running() -> None:
    @rule()
    def bare(bonus: int = 5):
        return roll(d(20)) + bonus

    assert [(info.path, info.kind) for info in bare.measures] == [("result", "number")]


def test_the_json_schema_has_bounds_units_help_and_defaults() -> None:
    schema = strike.schema()
    fighter = schema["$defs"]["Fighter"]["properties"]["attack"]
    assert (fighter["minimum"], fighter["maximum"], fighter["default"]) == (-5, 30, 5)
    assert (fighter["unit"], fighter["description"]) == ("points", "Added to the d20")
    assert schema["$defs"]["Fighter"]["additionalProperties"] is False


def test_a_rule_is_called_like_its_function() -> None:
    assert P(strike(Fighter(attack=7), Target(defense=17)).hit) == Fraction(11, 20)
    assert P(strike(Fighter(attack=7), target=Target(defense=17), bonus=2).hit) == Fraction(13, 20)
    assert P(smash(7, ac=17)) == Fraction(11, 20)
    with pytest.raises(StatError, match="bonus: 30 is above 20"):
        smash(bonus=30)
    with pytest.raises(TypeError, match="target"):
        strike(Fighter())


def test_each_call_throws_anew_and_dice_throw_what_was_rolled_inside() -> None:
    fighter, target = Fighter(attack=7), Target(defense=17)
    one = dist(strike(fighter, target).damage)
    assert dist(strike(fighter, target).damage + strike(fighter, target).damage) == one + one
    assert dist(dice(2, strike(fighter, target).damage)) == one + one
    single = strike(fighter, target).damage
    assert dist(single + single) == one * 2


def test_what_is_rolled_outside_is_shared_by_the_calls() -> None:
    wind = roll(d(6), "wind")
    first = strike(Fighter(), Target(defense=10 + wind))
    second = strike(Fighter(), Target(defense=10 + wind))
    alone = [Fraction(20 - (10 + w - 5) + 1, 20) for w in range(1, 7)]
    assert P(first.hit & second.hit) == sum(p * p for p in alone) / 6


def test_a_house_rule_may_roll_dice_that_are_a_stat() -> None:
    @rule()
    def throw(die: Dist = d(6)) -> Roll[int]:
        return roll(die)

    assert E(throw(die=d(8))) == Fraction(9, 2)
    assert E(throw.setup().at({"die": "2d4"})()) == 5


# -- running value by value -------------------------------------------------------------------------------


@rule()
def plain(
    attack: Annotated[int, Field(ge=0, le=40)] = 5, ac: Annotated[int, Field(ge=1, le=40)] = 15
) -> Blow:
    """A rule that knows nothing of axes."""
    if ac < 3:
        raise NotAllowed("XX-9", "nobody is that easy to hit")
    need = max(2, min(20, ac - attack))
    hit = roll(d(20), "natural") >= need
    return Blow(hit=hit, damage=where(hit, sum(roll(d(6)) for _ in range(1 + attack // 10)), 0))


@pytest.mark.parametrize(
    "axes", [{"ac": range(3, 9)}, {"attack": range(8, 12)}, {"ac": [5, 9], "attack": [0, 12]}]
)
def test_a_plain_rule_answers_along_axes_as_value_by_value(axes: dict[str, Any]) -> None:
    swept = plain.setup().at({path: stat(path, values) for path, values in axes.items()})()
    hit, damage = P(swept.hit, exact=True), E(swept.damage, exact=True)
    paths = list(axes)
    for first in axes[paths[0]]:
        for second in axes[paths[-1]]:
            here = plain.setup().at({paths[0]: first, paths[-1]: second})()
            at = {paths[0]: first, paths[-1]: second}
            if len(paths) == 1 and first != second:
                continue
            assert hit.sel(at).item() == P(here.hit)
            assert damage.sel(at).item() == E(here.damage)


def test_only_the_stats_at_fault_are_made_plain() -> None:
    @rule()
    def half_plain(attack: int = 5, ac: int = 15) -> Roll[bool]:
        return roll(d(20)) + attack >= (ac if ac > 10 else 10)

    setup = half_plain.setup().at({"attack": stat("attack", range(3)), "ac": stat("ac", [9, 12])})
    runs = list(half_plain.runs(setup.arguments))
    assert [dict(run.fixed) for run in runs] == [{"ac": 9}, {"ac": 12}]


def test_a_plain_use_of_a_roll_is_the_writers_error() -> None:
    @rule()
    def wrong(ac: int = 15) -> Roll[int]:
        natural = roll(d(20), "natural")
        return natural if natural > ac else natural + 1  # the Roll is used in an if

    for setup in (wrong.setup(), wrong.setup().at({"ac": stat("ac", range(10, 20))})):
        with pytest.raises(NotAValue, match="where"):
            setup()


def test_a_rule_that_does_not_apply_says_by_which_number() -> None:
    with pytest.raises(NotAllowed, match="XX-9: nobody is that easy to hit") as fault:
        plain(ac=2)
    assert fault.value.rule == "XX-9"


def test_a_million_runs_are_refused_at_once() -> None:
    setup = plain.setup().at({"attack": stat("attack", range(41)), "ac": stat("ac", range(1, 41))})
    # Where the rule does not apply it is run but once; elsewhere for each of 41 attack bonuses.
    assert len(list(plain.runs(setup.arguments))) == 2 + 38 * 41

    @rule()
    def wide(a: int = 0, b: int = 0, c: int = 0) -> Roll[int]:
        return roll(d(6)) + max(a, b, c)

    axes = {name: stat(name, range(100)) for name in "abc"}
    with pytest.raises(TooLarge, match=r"wide uses .* as plain values"):
        list(wide.runs(wide.setup().at(axes).arguments))


# -- what is no rule --------------------------------------------------------------------------------------


def test_a_rule_must_name_and_type_its_stats() -> None:
    with pytest.raises(StatError, match="bonus needs a type"):

        @rule()
        def untyped(bonus=3) -> Roll[int]:
            return roll(d(20)) + bonus

    with pytest.raises(StatError, match="a rule's stats go by name; 'bonuses' does not"):

        @rule()
        def many(*bonuses: int) -> Roll[int]:
            return roll(d(20))

    with pytest.raises(StatError, match="a stat is a whole number"):

        @rule()
        def named(name: str = "x") -> Roll[int]:
            return roll(d(20))

    with pytest.raises(TypeError, match=r"@rule\(\) with brackets"):

        @rule
        def bare(bonus: int = 3) -> Roll[int]:
            return roll(d(20))


def test_a_rule_gives_rolls() -> None:
    @rule()
    def dist_given(bonus: int = 3):
        return d(20) + bonus

    @rule()
    def nothing_given(bonus: int = 3):
        return None

    with pytest.raises(NotAValue, match=r"write roll\(\.\.\.\)"):
        dist_given()
    with pytest.raises(RulekitError, match="a rule gives an Outcome or one Roll"):
        nothing_given()


def test_an_id_that_nobody_imported_is_refused_and_imports_nothing() -> None:
    with pytest.raises(RulekitError, match=r"no imported rule has the id 'antigravity\.fly'"):
        find_rule("antigravity.fly")
    assert strike in registered()


def test_a_plain_function_can_carry_its_sources() -> None:
    @source("XX-7")
    def move(speed: int) -> int:
        return 2 * speed

    assert move(3) == 6
    assert [each.sources for each in sourced(__name__) if each.name.endswith("move")] == [("XX-7",)]


def test_sample_entries_are_told_in_the_notes() -> None:
    class Sword(Entry):
        edge: int = 1

    class Knight(Stats):
        sword: Sword = Sword()

    @rule()
    def cut(knight: Knight) -> Blow:
        return Blow(hit=roll(d(20)) >= 10, damage=knight.sword.edge)

    assert cut(Knight()).notes == ()
    assert cut(Knight(sword=Sword(sample=True))).notes == ("Sample data, not from a rulebook: knight.sword",)


def test_sample_entries_are_told_inside_tuples_and_inside_parts_too() -> None:
    class Rune(Entry):
        power: int = 1

    class Charm(Part):
        pass

    class Carved(Charm):
        runes: tuple[Rune, ...] = (Rune(), Rune(sample=True))

    class Relic(Charm, Entry):
        rune: Rune = Rune()

    class Cloak(Stats):
        charm: Charm = Carved()

    @rule()
    def ward(cloak: Cloak = Cloak(), charms: tuple[Charm, ...] = (), runes: tuple[Rune, ...] = ()) -> Blow:
        return Blow(hit=roll(d(20)) >= 10, damage=len(charms) + len(runes))

    def told(**given: Any) -> tuple[str, ...]:
        return ward.setup(**{"cloak": Cloak(charm=Relic()), **given})().notes

    said = "Sample data, not from a rulebook: "
    assert told() == told(charms=[Relic()], runes=[Rune()]) == ()
    assert told(runes=[Rune(), Rune(sample=True)]) == (f"{said}runes.1",)
    assert told(cloak=Cloak()) == (f"{said}cloak.charm.runes.1",)
    assert told(charms=[Relic(), Carved()]) == (f"{said}charms.1.runes.1",)
    kinds = [{"kind": "Relic", "sample": True}, {"kind": "Relic", "rune": {"sample": True}}]
    assert told(charms=kinds) == (f"{said}charms.0, charms.1.rune",)
    assert ward.setup(cloak=Cloak(charm=Relic())).at({"charms.0": "Carved"})().notes == (
        f"{said}charms.0.runes.1",
    )


def test_the_schema_takes_dice_as_notation_and_a_part_as_any_of_its_kinds() -> None:
    class Ward(Part):
        pass

    class Flat(Ward):
        points: int = 2

    class Rolled(Ward):
        die: Dist = 2 @ d(4)

    @rule()
    def warded(ward: Ward = Flat()) -> Roll[int]:
        return roll(d(20))

    schema = warded.schema()
    kinds = [schema["$defs"][way["$ref"].rpartition("/")[2]] for way in schema["$defs"]["Ward"]["anyOf"]]
    assert [kind["properties"]["kind"] for kind in kinds] == [{"const": "Flat"}, {"const": "Rolled"}]
    die = kinds[1]["properties"]["die"]
    assert {"type": "string"} in die["anyOf"]
    assert die["default"] == "2d4"


def test_a_setup_is_refused_with_the_argument_that_is_at_fault() -> None:
    with pytest.raises(StatError, match=r"target\.defense: is missing"):
        strike.setup()
    with pytest.raises(StatError, match="got an unexpected keyword argument 'foe'; it takes attacker, ta"):
        strike.setup(foe=Target(defense=3))
    with pytest.raises(StatError, match=r"attacker: Target\(defense=3\) is not a Fighter"):
        strike.setup(Target(defense=3), Fighter())
    with pytest.raises(StatError, match="the stats are a mapping"):
        strike.setup_of([1, 2])
    assert strike.default is None


def test_a_game_offers_its_rules_in_its_all() -> None:
    import rulekit.games.adventures_edge as game

    found = rules_of(game.__name__)
    assert game.attack in found
    assert {each.id for each in found} == {f"adventures_edge.{each.name}" for each in found}
    assert all(each in registered() for each in found)
    assert repr(game.attack) == "<rule adventures_edge.attack>"


def test_two_modules_cannot_share_an_id(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_rules", {})

    def twin() -> Roll[int]:
        return roll(d(20))

    twin.__module__ = "rulekit.games.twins.left"
    rule()(twin)
    twin.__module__ = "rulekit.games.twins.right"
    with pytest.raises(RulekitError, match=r"two rules have the id twins\.twin"):
        rule()(twin)
    twin.__module__ = "rulekit.games.twins.left"
    anew = rule()(twin)  # as when a notebook's cell is run again
    assert find_rule("twins.twin") is anew


def test_parts_that_differ_value_by_value_cannot_stand_side_by_side() -> None:
    class Volley(Outcome):
        hits: tuple[Roll[bool], ...]

    @rule()
    def volley(arrows: Annotated[int, Field(ge=0, le=5)] = 2) -> Volley:
        return Volley(hits=tuple(roll(d(20)) >= 11 for _ in range(arrows)))

    assert len(volley.measures) == 2
    assert volley.setup(arrows=3).measures[2].path == "hits.2"
    with pytest.raises(RulekitError, match=r"hits\.1"):
        volley.setup().at({"arrows": stat("arrows", [1, 2])})()
