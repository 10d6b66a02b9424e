"""The explorer in a real browser, its kernel played by the test: never a wrong number, not for a moment."""

from __future__ import annotations

import random

import pytest
from playwright.sync_api import Page, expect

from rulekit import E
from rulekit.games.adventures_edge import attack
from rulekit_widgets import View
from tests.browser.house_rules import smash, soaked, strike
from tests.browser.screen import THEMES, Bench, axe_faults, check, read, told


@pytest.fixture
def bench(page: Page) -> Bench:
    return Bench(page, View(strike.setup()))


def test_first_sight_is_right(bench: Bench) -> None:
    screen = bench.read()
    assert screen.state == "right"
    assert screen.sentence == "Hit on a natural 10 or more, 55 %; damage 2.5 HP on average."
    check(screen, bench.view)


KEYS = {
    "attacker.attack": "ArrowRight",
    "attacker.weapon.low": "ArrowUp",
    "attacker.weapon.high": "End",
    "attacker.luck": "ArrowRight",
    "target.defense": "ArrowLeft",
    "target.prone": "Space",
    "target.size": "ArrowDown",
    "target.resistance.fire": "ArrowRight",
    "target.soak.points": "Home",
    "target.armour.0.dr": "ArrowRight",
    "target.distance": "ArrowUp",
}


@pytest.mark.parametrize("path", KEYS)
def test_a_key_changes_sentence_chart_and_table_at_once(bench: Bench, path: str) -> None:
    before = bench.read()
    bench.field(path).focus()
    bench.page.keyboard.press(KEYS[path])
    screen = bench.read()
    assert screen.values[path] != before.values[path]
    assert screen.state == "right"
    check(screen, bench.view)
    bench.settle()
    assert bench.view.setup.get(path) == (
        screen.values[path] if path != "target.size" else bench.view.setup.get(path)
    )
    check(bench.read(), bench.view)
    assert bench.read().spoken == bench.read().sentence


def test_an_answer_does_not_touch_what_is_half_typed(bench: Bench) -> None:
    field = bench.field("attacker.weapon.extra")
    field.press("End")
    field.press("+")
    bench.desk.show(bench.view.at({"attacker.attack": 9}))
    bench.present()
    assert (bench.read().values["attacker.attack"], field.input_value()) == (9, "d4+")
    field.press("1")
    field.press("Enter")
    bench.settle()
    assert bench.read().values["attacker.weapon.extra"] == "d4+1"
    check(bench.read(), bench.view)


def test_dice_are_typed_as_notation(bench: Bench) -> None:
    bench.field("attacker.weapon.extra").fill("2d6")
    bench.page.keyboard.press("Enter")
    assert bench.read().state == "dim"
    bench.settle()
    screen = bench.read()
    assert (screen.state, screen.values["attacker.weapon.extra"]) == ("right", "2d6")
    check(screen, bench.view)


def test_bad_notation_shows_one_line_and_keeps_the_last_answer(bench: Bench) -> None:
    before = bench.read()
    field = bench.field("attacker.weapon.extra")
    field.fill("2q6")
    field.press("Enter")
    bench.settle()
    screen = bench.read()
    assert screen.state == "dim"
    assert screen.trouble.startswith("attacker.weapon.extra")
    assert "\n" not in screen.trouble
    assert (screen.sentence, screen.rows, screen.bars) == (before.sentence, before.rows, before.bars)
    expect(field).to_have_attribute("aria-invalid", "true")
    field.fill("d6")
    field.press("Enter")
    bench.settle()
    assert (bench.read().state, bench.read().trouble) == ("right", "")
    check(bench.read(), bench.view)


@pytest.mark.parametrize(
    ("typed", "line"), [("99", "is above 14"), ("-9", "is below"), ("1.5", "not whole"), ("", "nothing")]
)
def test_a_bad_number_shows_one_line_until_it_is_right(bench: Bench, typed: str, line: str) -> None:
    before = bench.read()
    box = bench.field("attacker.attack", "typed")
    box.fill(typed)
    bench.settle()
    screen = bench.read()
    assert screen.state == "dim"
    assert line in screen.trouble
    assert (screen.sentence, screen.rows) == (before.sentence, before.rows)
    assert bench.view.setup.get("attacker.attack") == 7
    box.fill("9")
    assert (bench.read().state, bench.read().trouble) == ("right", "")
    check(bench.read(), bench.view)


def test_a_place_where_the_rule_does_not_apply_says_why(bench: Bench) -> None:
    box = bench.field("target.distance")
    for _ in range(7):
        box.press("ArrowUp")
    screen = bench.read()
    assert (screen.state, screen.trouble) == ("dim", "HR-2: the target is out of range")
    bench.settle()
    assert bench.read().trouble == "HR-2: the target is out of range"
    box.press("ArrowDown")
    assert bench.read().state == "right"
    check(bench.read(), bench.view)


def test_a_second_slider_right_after_dims_until_the_kernel_answers(bench: Bench) -> None:
    bench.field("attacker.attack").press("ArrowRight")
    check(bench.read(), bench.view)
    bench.field("target.defense").press("ArrowLeft")
    stale = bench.read()
    assert stale.state == "dim"
    assert bench.answer()  # the first slider's point: asked when the hand left it
    assert bench.read().state == "dim"  # the second slider's table comes after
    assert bench.answer()  # its own point was asked at once
    assert bench.read().state == "right"
    check(bench.read(), bench.view)
    bench.settle()
    check(bench.read(), bench.view)
    assert bench.view.setup.get("target.defense") == 16


def test_tables_that_come_after_the_answer_hold_what_the_hand_did_meanwhile(bench: Bench) -> None:
    bench.field("attacker.attack").press("ArrowRight")
    bench.rest()
    assert bench.answer()
    check(bench.read(), bench.view)
    bench.field("attacker.attack").press("ArrowRight")
    bench.ahead()  # made for the point before
    assert bench.read().values["attacker.attack"] == 9
    check(bench.read(), bench.view)
    bench.settle()
    assert not bench.requests()
    bench.field("target.defense").press("ArrowLeft")
    assert (bench.read().state, bench.requests()) == ("right", [])
    check(bench.read(), bench.view)


def test_middle_positions_may_be_skipped_and_the_last_never(bench: Bench) -> None:
    slider = bench.field("attacker.attack")
    slider.press("ArrowRight")
    bench.rest()
    for _ in range(5):
        slider.press("ArrowLeft")
        bench.rest()
    assert len(bench.requests()) == 1, "one request is under way, the newest waits in the page"
    bench.settle()
    assert bench.view.setup.get("attacker.attack") == 3
    assert bench.read().values["attacker.attack"] == 3
    check(bench.read(), bench.view)


def test_a_value_set_from_python_moves_the_view_as_a_hand_does(bench: Bench) -> None:
    bench.desk.show(bench.view.at({"attacker.attack": 12, "target.prone": True}))
    bench.present()
    screen = bench.read()
    assert (screen.values["attacker.attack"], screen.values["target.prone"], screen.state) == (
        12,
        True,
        "right",
    )
    assert screen.typed["attacker.attack"] == "12"
    check(screen, bench.view)


def test_python_never_writes_to_the_control_that_the_hand_is_on(bench: Bench) -> None:
    slider = bench.field("attacker.attack")
    slider.press("ArrowRight")
    bench.desk.show(bench.view.at({"target.defense": 12, "attacker.attack": 0}))
    bench.present()
    screen = bench.read()
    assert (screen.values["attacker.attack"], screen.values["target.defense"]) == (8, 12)
    check(screen, bench.view)
    bench.settle()
    assert (bench.view.setup.get("attacker.attack"), bench.view.setup.get("target.defense")) == (8, 12)


def test_a_part_brings_its_own_controls(bench: Bench) -> None:
    bench.explorer.get_by_label("Soak kind").select_option("Rolled")
    assert bench.read().state == "dim"
    bench.settle()
    screen = bench.read()
    assert screen.state == "right"
    assert "target.soak.points" not in screen.values
    assert screen.values["target.soak.die"] == "d4"
    check(screen, bench.view)


def test_a_loadout_is_put_where_a_model_stands(page: Page) -> None:
    bench = Bench(page, View(attack.setup()), patience=0.2)
    bench.explorer.get_by_label("Weapon from the list").select_option("spear")
    assert bench.read().state == "dim"
    bench.settle()
    screen = bench.read()
    assert screen.state == "right"
    assert (screen.values["attacker.weapon.low"], screen.values["attacker.weapon.high"]) == (1, 6)
    assert screen.values["attacker.weapon.damage_type"] == "pierce"
    check(screen, bench.view)
    bench.field("attacker.weapon.high", "typed").fill("9")
    bench.settle()
    assert bench.explorer.get_by_label("Weapon from the list").input_value() == ""


def test_items_of_a_tuple_are_added_and_removed(bench: Bench) -> None:
    bench.explorer.get_by_role("button", name="Add to armour").click()
    bench.settle()
    screen = bench.read()
    assert screen.values["target.armour.1.dr"] == 1
    check(screen, bench.view)
    bench.explorer.get_by_role("button", name="Remove armour 1").click()
    bench.settle()
    assert "target.armour.1.dr" not in bench.read().values
    check(bench.read(), bench.view)


def test_the_kind_of_a_part_in_a_tuple_is_chosen_with_the_keyboard(page: Page) -> None:
    bench = Bench(page, View(soaked.setup()))
    assert bench.read().tiles["result"] == "1.5", "4.5 of a d8, less 2, less 1"
    kind = bench.explorer.get_by_label("Layers 1 kind")
    kind.focus()
    page.keyboard.press("ArrowDown")
    assert bench.read().state == "dim"
    bench.settle()
    screen = bench.read()
    assert screen.state == "right"
    assert (screen.values["layers.0"], screen.values["layers.0.die"]) == ("Rolled", "d4")
    assert "layers.0.points" not in screen.values
    assert screen.tiles["result"] == "1", "4.5 of a d8, less 2.5 of a d4, less 1"
    changed = soaked.setup().at({"layers.0.kind": "Rolled"})
    assert (bench.view.setup, E(changed())) == (changed, 1)
    check(screen, bench.view)
    expect(kind).to_be_focused()


def test_a_part_is_added_to_a_tuple_in_the_kind_that_is_chosen(page: Page) -> None:
    bench = Bench(page, View(soaked.setup()))
    kind = bench.explorer.get_by_label("Kind to add to layers")
    assert kind.input_value() == "Flat", "as the last one is"
    kind.focus()
    for key in ("ArrowDown", "Tab", "Enter"):
        page.keyboard.press(key)
    bench.settle()
    screen = bench.read()
    assert (screen.values["layers.2"], screen.values["layers.2.die"]) == ("Rolled", "d4")
    assert screen.tiles["result"] == "-1"
    check(screen, bench.view)
    for _ in range(3):
        bench.explorer.get_by_role("button", name="Remove layers 1").click()
        bench.settle()
    assert bench.read().tiles["result"] == "4.5"
    bench.explorer.get_by_role("button", name="Add to layers").click()
    bench.settle()
    screen = bench.read()
    assert (screen.values["layers.0"], screen.tiles["result"]) == ("Flat", "2.5")
    check(screen, bench.view)


@pytest.mark.parametrize("mode", ["percent", "fraction", "one_in"])
@pytest.mark.parametrize("shape", ["exactly", "at_least", "at_most"])
def test_numbers_and_shapes_are_switched_for_the_whole_view(bench: Bench, mode: str, shape: str) -> None:
    names = {"percent": "Percent", "fraction": "Fraction", "one_in": "1 in N"}
    bench.explorer.get_by_label(names[mode], exact=True).check()
    bench.explorer.get_by_label(
        {"exactly": "Exactly", "at_least": "At least", "at_most": "At most"}[shape]
    ).check()
    screen = bench.read()
    assert (screen.state, screen.mode, screen.shape) == ("right", mode, shape)
    check(screen, bench.view)
    bench.settle()
    assert (bench.view.mode, bench.view.shape) == (mode, shape)
    bench.field("target.defense").press("ArrowRight")
    if mode == "fraction":
        assert "≈" in bench.read().sentence, "marked as near while dragged"
    else:
        check(bench.read(), bench.view)
    bench.settle()
    assert "≈" not in bench.read().sentence
    check(bench.read(), bench.view)


@pytest.mark.parametrize("measure", ["hit", "critical", "effect"])
def test_another_measure(bench: Bench, measure: str) -> None:
    bench.explorer.get_by_label("Measure", exact=True).select_option(measure)
    assert bench.read().state == "dim"
    bench.settle()
    screen = bench.read()
    assert (screen.state, screen.measure, bench.view.measure) == ("right", measure, measure)
    check(screen, bench.view)


def test_the_axes_hold_still_while_a_stat_moves_and_can_be_freed(bench: Bench) -> None:
    slider = bench.field("attacker.attack")
    slider.press("Home")
    axes = {(tuple(bench.read().axis), bench.read().top)}
    for _ in range(16):
        slider.press("ArrowRight")
        axes.add((tuple(bench.read().axis), bench.read().top))
    bench.settle()
    axes.add((tuple(bench.read().axis), bench.read().top))
    assert len(axes) == 1
    bench.explorer.get_by_label("Hold the axes").uncheck()
    free = bench.read()
    assert (tuple(free.axis), free.top) not in axes
    check(free, bench.view)


def test_pin_keeps_a_ghost_and_tells_every_difference(bench: Bench) -> None:
    before = bench.read()
    pin = bench.explorer.get_by_role("button", name="Pin")
    pin.click()
    bench.settle()
    bench.field("attacker.attack").press("ArrowRight")
    screen = bench.read()
    assert before.ghost == ""
    assert screen.ghost.startswith("M")
    assert screen.differences["hit"] == "+5 points"
    assert screen.differences["critical"] == "no change"
    ghost = screen.ghost
    bench.settle()
    assert bench.read().ghost == ghost
    assert bench.view.pinned is not None
    assert bench.view.pinned.get("attacker.attack") == 7
    expect(bench.explorer.locator(".rk-legend")).to_contain_text("pinned")
    bench.explorer.get_by_role("button", name="Unpin").click()
    bench.settle()
    assert (bench.read().ghost, bench.view.pinned) == ("", None)


def test_roll_it_shows_one_throw_and_a_thousand_over_the_bars(bench: Bench) -> None:
    bench.explorer.get_by_role("button", name="Roll it").click()
    bench.settle()
    thrown = bench.explorer.locator(".rk-thrown")
    shown = dict(
        zip(thrown.locator("dt").all_inner_texts(), thrown.locator("dd").all_inner_texts(), strict=True)
    )
    assert {"natural", "extra", "damage", "hit"} <= {name.lower() for name in shown}
    screen = bench.read()
    assert screen.throws.startswith("M")
    assert sum(int(row[4].replace(",", "")) for row in screen.rows) == 1000
    outcome = strike(bench.view.setup.arguments.attacker, bench.view.setup.arguments.target)
    given = outcome.given(natural=int(shown["natural"]), extra=int(shown["extra"]), luck=int(shown["luck"]))
    assert str(given.damage) == shown["damage"].removesuffix(" HP")
    bench.field("attacker.attack").press("ArrowRight")
    assert bench.read().throws == "", "throws belong to the point at which they were made"


def test_two_hundred_random_moves_never_show_a_wrong_number(bench: Bench) -> None:
    chance = random.Random(20)
    paths = [path for path in KEYS if path != "target.distance"]
    dimmed = 0
    for _ in range(200):
        path = chance.choice(paths)
        key = "Space" if path == "target.prone" else chance.choice(["ArrowLeft", "ArrowRight", "Home", "End"])
        bench.field(path).press(key)
        for _ in range(chance.choice([0, 1, 1, 2])):
            screen = bench.read()
            dimmed += screen.state == "dim"
            if screen.state == "right":
                check(screen, bench.view)
            if chance.random() < 0.6:
                bench.rest(chance.choice([20, 90, 200]))
            if chance.random() < 0.5:
                bench.answer()
            if chance.random() < 0.5:
                bench.ahead()  # also while a request is under way
    assert 0 < dimmed < 200
    bench.settle()
    screen = bench.read()
    assert screen.state == "right"
    assert bench.view.setup == told(screen, bench.view).view.setup
    check(screen, bench.view)


def test_a_missing_answer_is_said_after_a_while(bench: Bench) -> None:
    bench.field("attacker.attack").press("ArrowRight")
    bench.rest(160)
    waiting = bench.explorer.locator(".rk-waiting")
    expect(waiting).to_be_hidden()
    bench.rest(2100)
    expect(waiting).to_be_visible()
    bench.settle()
    expect(waiting).to_be_hidden()


def test_two_views_of_one_explorer_follow_each_other(bench: Bench) -> None:
    bench.page.evaluate(
        "() => { document.body.append(document.createElement('aside')); window.show('aside'); }"
    )
    second = bench.page.locator("aside .rk-explorer")
    bench.field("attacker.attack").press("ArrowRight")
    bench.settle()
    assert read(second).values["attacker.attack"] == 8
    check(read(second), bench.view)
    second.locator("[data-path='target.defense']").first.press("ArrowLeft")
    check(read(second), bench.view)
    bench.settle()
    assert (bench.read().values["target.defense"], bench.read().values["attacker.attack"]) == (16, 8)
    check(bench.read(), bench.view)


def test_a_rule_with_plain_parameters(page: Page) -> None:
    bench = Bench(page, View(smash.setup()))
    bench.field("ac").press("ArrowUp")
    screen = bench.read()
    assert screen.sentence == "Result on a natural 11 or more, 50 %."
    check(screen, bench.view)


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_serious(bench: Bench, theme: str) -> None:
    bench.page.emulate_media(**THEMES[theme])
    expect(bench.explorer).to_have_attribute("data-theme", theme)
    bench.explorer.get_by_role("button", name="Pin").click()
    bench.explorer.get_by_role("button", name="Roll it").click()
    bench.settle()
    bench.page.clock.resume()  # axe has timers of its own
    assert axe_faults(bench.page) == []
    bench.field("attacker.attack", "typed").fill("99")
    assert bench.read().state == "dim"
    assert axe_faults(bench.page) == []


def test_360_pixels_are_enough(bench: Bench) -> None:
    bench.page.set_viewport_size({"width": 360, "height": 740})
    assert bench.page.evaluate("document.documentElement.scrollWidth") <= 360
    expect(bench.field("attacker.attack")).to_be_visible()


def test_everything_is_labelled_and_reached_by_tab(bench: Bench) -> None:
    reached = set()
    bench.explorer.locator("select, input, button").first.focus()
    for _ in range(60):
        reached.add(bench.page.evaluate("() => document.activeElement.dataset.hand ?? ''"))
        bench.page.keyboard.press("Tab")
    wanted = {
        "attacker.attack",
        "attacker.attack?typed",
        "target.prone",
        "target.soak",
        "attacker.weapon.extra",
    }
    assert wanted <= reached
    unnamed = bench.explorer.locator("input, select, button").evaluate_all(
        "(all) => all.filter((e) => !(e.labels?.length || e.ariaLabel || e.textContent)).length"
    )
    assert unnamed == 0
