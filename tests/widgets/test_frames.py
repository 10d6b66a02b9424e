"""Views and Frames: one computation behind sentence, tiles, chart and table, held against the library."""

from __future__ import annotations

import base64
import json
import random
import struct
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction
from typing import Annotated, Any

import pytest
from pydantic import Field

from rulekit import E, Outcome, P, Roll, d, dist, halve, roll, rule, sd, where
from rulekit.distributions.formatting import format_number, format_probability
from rulekit.errors import NotAllowed, RulekitError, StatError
from rulekit.rules import Entry
from rulekit.rules import rule as make_rule
from rulekit_widgets import View, frame
from rulekit_widgets.controls import Loadouts, changed, control_tree, edited
from rulekit_widgets.desk import Desk
from rulekit_widgets.frames import Tables
from rulekit_widgets.throwing import throws
from tests.browser.house_rules import Size, Soak, smash, soaked, strike

MODES = ("percent", "fraction", "one_in")


# -- View --------------------------------------------------------------------------------------------------


def test_a_view_is_a_value_and_comes_back_from_json() -> None:
    view = View(
        strike.setup().at({"target.soak": "Rolled", "attacker.weapon.extra": "2d6", "target.size": "large"}),
        "hit",
        axes=("attacker.attack", "target.defense"),
        mode="one_in",
        shape="at_least",
        pinned=strike.setup(),
    )
    back = View.from_json(view.to_json())
    assert back == view
    assert hash(back) == hash(view)
    assert json.loads(view.to_json())["version"] == 1
    with pytest.raises(FrozenInstanceError):
        view.mode = "percent"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"measure": "damge"}, "did you mean 'damage'"),
        ({"mode": "odds"}, "percent, fraction, one_in"),
        ({"shape": "at"}, "exactly, at_least, at_most"),
        ({"axes": ("attacker.atack", "target.defense")}, "did you mean 'attacker.attack'"),
    ],
)
def test_a_view_refuses_what_is_not_there(change: dict[str, Any], line: str) -> None:
    with pytest.raises(RulekitError, match=line):
        replace(View(strike.setup()), **change)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 1}', '{"version": 9, "setup": {}}', "\x00"])
def test_a_broken_view_gives_one_clear_line(text: str) -> None:
    with pytest.raises(RulekitError) as told:
        View.from_json(text)
    assert "\n" not in str(told.value)


def test_the_first_number_is_shown_unless_something_else_is_asked() -> None:
    assert View(strike.setup()).measure == "damage"
    assert View(smash.setup()).measure == "result"


# -- Frame -------------------------------------------------------------------------------------------------


def test_a_frame_says_what_the_library_computes() -> None:
    setup = strike.setup()
    outcome, shown = setup(), frame(View(setup))
    tiles = {tile.name: tile for tile in shown.tiles}
    assert tiles["hit"].value == P(outcome.hit)
    assert tiles["damage"].value == E(outcome.damage)
    assert tiles["damage.sd"].value == pytest.approx(sd(outcome.damage))
    expected = dist(outcome.damage)
    assert dict(zip(map(int, shown.outcomes), shown.odds["exactly"], strict=True)) == {
        x: expected.probability(x) for x in expected.outcomes
    }
    for i, x in enumerate(map(int, shown.outcomes)):
        assert shown.odds["at_least"][i] == (expected >= x).probability(True)
        assert shown.odds["at_most"][i] == (expected <= x).probability(True)


@pytest.mark.parametrize("mode", MODES)
def test_headline_tile_and_table_are_the_same_text(mode: Any) -> None:
    shown = frame(View(strike.setup(), "hit", mode=mode))
    told = format_probability(P(strike.setup()().hit), mode)
    assert told in shown.sentence[mode]
    assert next(tile for tile in shown.tiles if tile.name == "hit").texts[mode] == told
    assert {row[0]: row[1] for row in shown.table()}["Yes"] == told


@pytest.mark.parametrize(
    ("bonus", "ac", "said"),
    [
        (7, 17, "Result on a natural 10 or more, 55 %."),
        (30, 17, "Result on any natural, 100 %."),
        (0, 30, "Result on no natural, 0 %."),
    ],
)
def test_the_sentence_says_what_to_roll(bonus: int, ac: int, said: str) -> None:
    @make_rule()
    def test_roll(bonus: int = 0, ac: int = 0) -> Roll[bool]:
        return roll(d(20), "natural") + bonus >= ac

    assert frame(View(test_roll.setup(bonus, ac))).sentence["percent"] == said


def test_rolling_low_is_said_too_and_two_dice_are_not() -> None:
    @make_rule()
    def roll_under(skill: int = 8) -> Roll[bool]:
        return roll(d(20), "check") <= skill

    @make_rule()
    def two_dice(ac: int = 12) -> Roll[bool]:
        return roll(d(6), "one") + roll(d(6), "other") >= ac

    assert frame(View(roll_under.setup())).sentence["percent"] == "Result on a check 8 or less, 40 %."
    assert frame(View(two_dice.setup())).sentence["percent"] == "Result, 2.8 %."


def test_an_outcome_says_its_own_sentence() -> None:
    class Stroke(Outcome):
        sentence = "Lands {lands} of the time, on {lands:roll}, and takes {cost}."

        lands: Roll[bool]
        cost: Roll[int]

    @rule()
    def stroke(skill: int = 11) -> Stroke:
        lands = roll(d(20), "natural") <= skill
        return Stroke(lands=lands, cost=where(lands, 1, 2))

    told = frame(View(stroke.setup())).sentence["percent"]
    assert told == "Lands 55 % of the time, on a natural 11 or less, and takes 1.45."


def test_notes_stand_in_every_frame() -> None:
    class Noted(Outcome):
        hit: Roll[bool]

    @rule()
    def noted(ac: int = 10) -> Noted:
        return Noted(hit=roll(d(20)) >= ac, notes=("The Bump roll used: d6",))

    assert frame(View(noted.setup())).notes == ("The Bump roll used: d6",)
    assert Tables(View(noted.setup())).sent()["notes"] == ["The Bump roll used: d6"]


def test_outcomes_that_are_fractions_keep_their_order() -> None:
    @rule()
    def share(parts: int = 4) -> Roll[Any]:
        return roll(d(6)) / parts

    shown = frame(View(share.setup()))
    assert shown.outcomes == ("1/4", "1/2", "3/4", "1", "5/4", "3/2")


def test_a_table_as_csv_holds_exact_odds() -> None:
    lines = frame(View(smash.setup(bonus=7, ac=17))).to_csv().splitlines()
    assert lines[0] == "outcome,exactly,exactly_decimal,at_least,at_least_decimal,at_most,at_most_decimal"
    assert lines[2].startswith("Yes,11/20,0.55,11/20,0.55,1,1.0")


# -- the tables of the sliders -----------------------------------------------------------------------------


def rows_of(table: Mapping[str, Any]) -> list[list[list[float]]]:
    """For every place of a table the odds exactly, at least, at most."""
    raw = base64.b64decode(table["rows"])
    numbers = struct.unpack(f"<{len(raw) // 4}f", raw)
    outcomes = table["outcomes"]
    n = outcomes["count"] if "count" in outcomes else len(outcomes["keys"])
    columns = [list(numbers[i : i + n]) for i in range(0, len(numbers), n)]
    return [columns[i : i + 3] for i in range(0, len(columns), 3)]


def keys_of(table: Mapping[str, Any]) -> list[str]:
    outcomes = table["outcomes"]
    return outcomes.get("keys") or [str(outcomes["start"] + i) for i in range(outcomes["count"])]


@pytest.mark.parametrize("measure", ["damage", "hit", "effect"])
def test_every_place_of_every_table_is_the_frame_of_that_setup(measure: str) -> None:
    view = View(strike.setup(), measure)
    made = Tables(view)
    made.add_all()
    sent = made.sent()
    assert {
        "attacker.attack",
        "attacker.luck",
        "target.prone",
        "target.size",
        "target.resistance.fire",
    } <= set(sent["tables"])
    chance = random.Random(5)
    for path, table in sent["tables"].items():
        assert len(rows_of(table)) == len(table["values"])
        for i in chance.sample(range(len(table["values"])), min(4, len(table["values"]))):
            if i in table["blocked"]:
                continue
            expected = frame(replace(view, setup=changed(view.setup, {path: table["values"][i]})))
            stride = 3 * (1 + len(sent["tiles"]))
            texts = [sent["texts"][place] for place in table["text"][i * stride : (i + 1) * stride]]
            # What is computed along an axis is floats: fractions are near, all else is the same text.
            assert texts[0] == expected.sentence["percent"], (path, i)
            assert texts[2] == expected.sentence["one_in"]
            assert texts[3::3] == [tile.texts["percent"] for tile in expected.tiles]
            found = {
                key: odds
                for key, *odds in zip(keys_of(table), *rows_of(table)[i], strict=True)
                if odds[0] > 0
            }
            assert list(found) == list(expected.outcomes)
            for k, shape in enumerate(("exactly", "at_least", "at_most")):
                wanted = [float(p) for p in expected.odds[shape]]  # type: ignore[index]
                assert [odds[k] for odds in found.values()] == pytest.approx(wanted, rel=6e-6)
                for p, odds in zip(expected.odds[shape], found.values(), strict=True):  # type: ignore[index]
                    assert (p == 1) == (odds[k] == 1)


def test_a_place_where_the_rule_does_not_apply_carries_the_reason() -> None:
    made = Tables(View(strike.setup()))
    made.add("target.distance")
    table = made.sent()["tables"]["target.distance"]
    place = table["values"].index(10)
    assert table["blocked"][place] == "HR-2: the target is out of range"
    with pytest.raises(NotAllowed):
        Tables(View(strike.setup().at({"target.distance": 10})))


def test_the_point_carries_exact_fractions() -> None:
    sent = Tables(View(strike.setup(), "hit", mode="fraction")).sent()
    assert sent["point"]["cells"]["exactly"] == ["9/20", "11/20"]
    assert "≈" not in sent["texts"][sent["point"]["text"][1]]


def test_a_fraction_is_told_as_one_after_the_equal_float_was_told() -> None:
    @rule()
    def leap(bonus: Annotated[int, Field(ge=0, le=2)] = 0) -> Roll[bool]:
        return roll(d(4)) + bonus >= 4

    made = Tables(View(leap.setup()))
    made.add("bonus")  # floats
    made.sent()
    for bonus, told in enumerate(("1/4", "1/2", "3/4")):
        assert frame(View(leap.setup(bonus))).tiles[0].texts["fraction"] == told


def test_long_distributions_leave_out_rare_ends_and_windows_keep_tables_small() -> None:
    @rule()
    def flood(bonus: int = 0) -> Roll[int]:
        return roll(300 @ d(6)) + bonus

    made = Tables(View(flood.setup()))
    made.add_all()
    sent = made.sent()
    assert sent["point"]["outcomes"]["count"] < 1_001 < 300 * 5 + 1
    assert len(sent["tables"]["bonus"]["values"]) == 21
    assert len(json.dumps(sent)) < 1_000_000
    assert sent["notes"] == [
        "Chart and table leave out the ends beyond which lies less than 1 in 10^12; the CSV file has all"
    ]
    assert len(made.frame.outcomes) == 300 * 5 + 1
    assert made.frame.to_csv().count("\n") == 300 * 5 + 2


def test_what_must_be_rolled_is_told_wherever_a_roll_decides() -> None:
    view = View(strike.setup().at({"attacker.luck": 0.45}))
    assert frame(view).sentence["percent"].startswith("Hit, ")
    made = Tables(view)
    assert made.add("attacker.luck")
    sent = made.sent()
    table = sent["tables"]["attacker.luck"]
    assert table["values"][0] == 0
    width = len(table["text"]) // len(table["values"])
    assert width == 3 * (1 + len(sent["tiles"]))
    alone = frame(View(strike.setup().at({"attacker.luck": 0})))
    assert sent["texts"][table["text"][0]] == alone.sentence["percent"]
    assert alone.sentence["percent"].startswith("Hit on a natural ")


def test_sample_data_is_told_where_a_rule_gives_one_roll() -> None:
    class Blade(Entry):
        damage: int = 3

    @rule()
    def cut(blade: Blade) -> Roll[int]:
        return roll(d(6)) + blade.damage

    assert Tables(View(cut.setup(blade=Blade()))).sent()["notes"] == []
    told = ["Sample data, not from a rulebook: blade"]
    assert Tables(View(cut.setup(blade=Blade(sample=True)))).sent()["notes"] == told


def test_what_took_too_long_is_left_out_the_next_time() -> None:
    slow = {"target.defense": 10.0, "target.size": 10.0}
    made = Tables(View(strike.setup()), slow)
    made.add_all(seconds=40)
    assert "target.size" not in made.sent()["tables"], "a choice, which goes by itself"
    assert "target.defense" in made.sent()["tables"], "a number, which goes together with others"
    assert made.add("target.size"), "a hand asks for it nevertheless"
    assert not Tables(View(strike.setup())).add("target.size", seconds=0)
    made = Tables(View(strike.setup()), slow)
    made.add_all(seconds=41)
    assert "target.size" in made.sent()["tables"], "there is more time now, as for a page that is saved"


def test_a_stat_that_no_sweep_takes_by_its_name_has_no_table_and_the_others_have() -> None:
    @make_rule()
    def told(outcome: int = 3, bonus: int = 0) -> Roll[int]:
        return roll(d(6)) + 2 * outcome + bonus

    tables = Tables(View(told.setup()))
    assert tables.add_all()
    assert list(tables.sent()["tables"]) == ["bonus"]


class Spread(Outcome):
    damage: Roll[int]
    sd: Roll[int]
    pmf: Roll[int]


def test_a_measure_may_be_called_as_a_question_is() -> None:
    @make_rule()
    def spread() -> Spread:
        return Spread(damage=roll(d(20)), sd=roll(d(6)), pmf=roll(d(4)))

    tiles = {tile.name: tile.value for tile in frame(View(spread.setup(), "damage")).tiles}
    means = {"damage": Fraction(21, 2), "sd": Fraction(7, 2), "pmf": Fraction(5, 2)}
    assert tiles == {**means, "damage.sd": sd(d(20))}


def test_a_number_that_can_be_only_one_has_a_table_of_one_place() -> None:
    @make_rule()
    def fixed(size: Annotated[int, Field(ge=3, le=3)] = 3, bonus: int = 0) -> Roll[int]:
        return roll(d(6)) + size + bonus

    tables = Tables(View(fixed.setup()))
    assert tables.add_all()
    sent = tables.sent()
    assert set(sent["tables"]) == {"size", "bonus"}
    assert sent["tables"]["size"]["text"] == sent["point"]["text"]


# -- controls and edits ------------------------------------------------------------------------------------


def leaves(tree: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    found = {}
    for node in tree:
        found.update(leaves(node["children"]) if "children" in node else {node["path"]: node})
    return found


def test_a_control_for_every_kind_of_stat() -> None:
    found = leaves(control_tree(strike.setup(), Loadouts()))
    assert found["attacker.attack"] == {
        "kind": "whole",
        "path": "attacker.attack",
        "label": "Attack",
        "help": "Added to the d20",
        "unit": "",
        "min": -2,
        "max": 14,
        "step": None,
    }
    assert found["attacker.luck"]["step"] == 0.05
    assert found["target.defense"]["unit"] == "DB"
    assert [option["value"] for option in found["target.size"]["options"]] == ["small", "large"]
    assert found["target.resistance.fire"]["label"] == "Fire"
    assert {node["kind"] for node in found.values()} == {"whole", "decimal", "switch", "choice", "dice"}
    tree = {node["path"]: node for node in control_tree(strike.setup(), Loadouts())[1]["children"]}
    assert tree["target.soak"]["kind"] == "part"
    assert [option["value"] for option in tree["target.soak"]["options"]] == list(Soak.kinds())
    assert tree["target.armour"]["kind"] == "list"
    assert tree["target.armour"]["children"][0]["label"] == "Armour 1"


def test_a_part_in_a_tuple_has_a_choice_of_kinds() -> None:
    setup, none = soaked.setup().at({"layers.1": "Rolled"}), Loadouts()
    layers = control_tree(setup, none)[1]
    kinds = [{"value": "Flat", "label": "Flat"}, {"value": "Rolled", "label": "Rolled"}]
    assert (layers["kind"], layers["options"], layers["value"]) == ("list", kinds, "Rolled")
    for item in layers["children"]:
        assert (item["kind"], item["removable"], item["options"]) == ("part", True, kinds)
    assert [(item["path"], item["label"], item["value"]) for item in layers["children"]] == [
        ("layers.0", "Layers 1", "Flat"),
        ("layers.1", "Layers 2", "Rolled"),
    ]
    assert [leaf["path"] for leaf in layers["children"][1]["children"]] == ["layers.1.die"]
    empty = control_tree(setup.at({"layers": ()}), none)[1]
    assert (empty["options"], empty["value"]) == (kinds, "Flat")


def test_edits_change_the_kind_of_a_part_in_a_tuple() -> None:
    setup, none = soaked.setup(), Loadouts()
    rolled = edited(setup, {"op": "part", "path": "layers.0", "value": "Rolled"}, none)
    assert rolled == changed(setup, {"layers.0.kind": "Rolled"}) == setup.at({"layers.0": "Rolled"})
    like = edited(setup, {"op": "add", "path": "layers", "value": "Flat"}, none)
    assert like.get("layers.2.points") == 1, "like the last one"
    other = edited(setup, {"op": "add", "path": "layers", "value": "Rolled"}, none)
    assert [part.kind for part in other.get("layers")] == ["Flat", "Flat", "Rolled"]
    first = edited(setup.at({"layers": ()}), {"op": "add", "path": "layers", "value": "Flat"}, none)
    assert first.get("layers.0.points") == 2, "the default of a Flat"
    with pytest.raises(StatError, match=r"layers\.0: 'os' is not one of Flat, Rolled"):
        edited(setup, {"op": "part", "path": "layers.0", "value": "os"}, none)


def test_edits_change_which_stats_there_are() -> None:
    setup, none = strike.setup(), Loadouts()
    rolled = edited(setup, {"op": "part", "path": "target.soak", "value": "Rolled"}, none)
    assert rolled.get("target.soak.die") == d(4)
    two = edited(setup, {"op": "add", "path": "target.armour"}, none)
    assert len(two.get("target.armour")) == 2
    assert edited(two, {"op": "remove", "path": "target.armour.0"}, none) == setup
    with pytest.raises(StatError, match="no edit"):
        edited(setup, {"op": "eval", "path": "x"}, none)
    with pytest.raises(StatError, match="no entry"):
        edited(setup, {"op": "load", "path": "attacker", "value": "x"}, none)


def test_loadouts_of_a_game_can_be_put_where_a_model_stands() -> None:
    from rulekit.games.adventures_edge import attack

    setup, loadouts = attack.setup(), Loadouts()
    name, entry = next(iter(loadouts.of(setup.models["attacker.weapon"]).items()))
    loaded = edited(setup, {"op": "load", "path": "attacker.weapon", "value": name}, loadouts)
    assert loaded.get("attacker.weapon") == entry.model
    attacker = control_tree(loaded, loadouts)[0]
    weapon = next(node for node in attacker["children"] if node["path"] == "attacker.weapon")
    assert weapon["loaded"] == name


def test_numbers_from_the_page_arrive_in_the_kind_that_stands_there() -> None:
    from decimal import Decimal

    from rulekit.rules import Stats

    class Kinds(Stats):
        exact: Fraction = Fraction(1, 2)
        price: Decimal = Decimal("0.5")
        near: float = 0.5

    @rule()
    def kinds(stats: Kinds) -> Roll[int]:
        return roll(d(6)) + halve(roll(d(4)))

    setup = changed(kinds.setup(), {"stats.exact": 0.1, "stats.price": 0.1, "stats.near": 1})
    assert setup.get("stats.exact") == Fraction(1, 10)
    assert setup.get("stats.price") == Decimal("0.1")
    assert isinstance(setup.get("stats.near"), float)
    assert setup.get("stats.near") == 1.0


# -- the desk ----------------------------------------------------------------------------------------------


def test_the_desk_answers_requests_and_keeps_what_it_had_on_a_refusal() -> None:
    desk = Desk(View(strike.setup()))
    desk.take({"seq": 1, "changes": {"attacker.attack": 9, "@mode": "one_in"}, "edits": []})
    assert (desk.answer["seq"], desk.answer["trouble"]) == (1, None)
    assert (desk.view.setup.get("attacker.attack"), desk.view.mode) == (9, "one_in")
    turn = desk.frames["turn"]
    desk.take({"seq": 2, "changes": {"attacker.attack": 99}, "edits": []})
    assert desk.answer["seq"] == 2
    assert desk.answer["trouble"] == {"path": "attacker.attack", "message": "attacker.attack: 99 is above 14"}
    assert (desk.frames["turn"], desk.view.setup.get("attacker.attack")) == (turn, 9)
    desk.take({"seq": 3, "changes": {"@shape": "at_least"}, "edits": []})
    assert desk.frames["turn"] == turn, "no new tables for another look"


@pytest.mark.parametrize(
    "request_",
    [
        {"seq": 1, "changes": {"nothing.here": 1}},
        {"seq": 1, "changes": {"attacker": {"attack": "x"}}},
        {"seq": 1, "changes": {"@mode": "x"}},
        {"seq": 1, "changes": {"@measure": "x"}},
        {"seq": 1, "edits": [{"op": "load", "path": "attacker", "value": "../x"}]},
        {"seq": 1, "edits": [{"op": "part", "path": "target.soak", "value": "os"}]},
    ],
)
def test_what_a_page_cannot_ask_is_told_in_one_line(request_: dict[str, Any]) -> None:
    desk = Desk(View(smash.setup() if "@mode" in request_ else strike.setup()))
    before = desk.view
    desk.take(request_)
    assert desk.view == before
    assert desk.answer["trouble"]["message"]
    assert "\n" not in desk.answer["trouble"]["message"]


def test_a_table_left_out_is_made_when_a_hand_goes_to_it() -> None:
    desk = Desk(View(strike.setup()), patience=-1)
    assert desk.frames["tables"] == {}
    desk.take({"seq": 1, "changes": {}, "edits": [{"op": "ahead", "path": "target.defense"}]})
    assert list(desk.frames["tables"]) == ["target.defense"]
    desk.take({"seq": 2, "changes": {"attacker.attack": 9}, "edits": []})
    assert list(desk.frames["tables"]) == ["attacker.attack"], "the slider that moved comes first"


def test_the_answer_comes_first_and_the_tables_of_the_other_sliders_after() -> None:
    desk = Desk(View(strike.setup()))
    every = set(desk.frames["tables"])
    assert every > {"attacker.attack", "target.defense"}
    desk.take({"seq": 1, "changes": {"attacker.attack": 9}, "edits": []})
    assert list(desk.frames["tables"]) == ["attacker.attack"]
    assert (desk.answer["turn"], desk.frames["values"]["attacker.attack"]) == (desk.frames["turn"], 9)
    turn = desk.frames["turn"]
    assert desk.ahead()
    assert set(desk.frames["tables"]) == every
    assert (desk.answer["seq"], desk.answer["turn"], desk.frames["turn"]) == (1, turn + 1, turn + 1)
    assert not desk.ahead(), "all that there are"
    desk.take({"seq": 2, "changes": {"@measure": "hit"}, "edits": []})
    assert list(desk.frames["tables"]) == ["attacker.attack"], "by the last slider moved the axes hold still"


def test_what_was_sent_stays_as_it_is_when_more_tables_are_made() -> None:
    desk = Desk(View(strike.setup()), patience=-1)
    kept = desk.state()["frames"]
    assert kept["tables"]
    assert not desk.frames["tables"]
    assert len(kept["texts"]) > len(desk.frames["texts"])


def test_a_view_whose_controls_cannot_be_told_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise StatError("weapons.toml: not TOML")

    desk = Desk(View(strike.setup()))
    before = desk.view
    monkeypatch.setattr("rulekit_widgets.desk.control_tree", broken)
    desk.take({"seq": 1, "changes": {"target.defense": 12}, "edits": []})
    assert desk.answer["trouble"]["message"] == "weapons.toml: not TOML"
    assert desk.view == before


def test_throws_are_of_the_rule_and_the_same_for_a_seed() -> None:
    view = View(strike.setup())
    made = throws(view, random.Random(3))
    assert made == throws(view, random.Random(3))
    assert sum(made["counts"]) == made["n"] == 1000
    one = {name: value for name, value, _ in made["one"]}
    given = strike.setup()().given(
        natural=int(one["natural"]), extra=int(one["extra"]), luck=int(one["luck"])
    )
    assert str(given.damage) == one["damage"].removesuffix(" HP")
    exact = frame(view)
    mean = sum(x * n for x, n in zip(map(int, keys_of(made)), made["counts"], strict=True)) / 1000
    expected = float(next(tile for tile in exact.tiles if tile.name == "damage").value)
    spread = float(next(tile for tile in exact.tiles if tile.name == "damage.sd").value)
    assert abs(mean - expected) < 5 * spread / 1000**0.5
    assert format_number(mean)


def test_size_is_an_enum_that_travels_by_its_value() -> None:
    assert changed(strike.setup(), {"target.size": "large"}).get("target.size") is Size.LARGE
