"""The page, served: what a visitor sees and does, held against the library."""

from __future__ import annotations

import csv
import io
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from playwright.sync_api import Download, Locator, Page, expect

import rulekit_widgets
from rulekit import sweep
from rulekit.games import adventures_edge, elements
from rulekit.studies import sensitivity
from rulekit.studies.results import difference_text
from rulekit_widgets import View, frame
from rulekit_widgets.links import link_of, view_of
from tests.browser.conftest import ROOT, free_port
from tests.browser.screen import MAP_COLORS, MAPS, THEMES, axe_faults, check, read

HOUSE = Path(__file__).parent / "house_rules.py"


@pytest.fixture(scope="module")
def served(serve: Callable[..., None], tmp_path_factory: pytest.TempPathFactory) -> str:
    """The gallery with the house rules in it: the address."""
    folder, port = tmp_path_factory.mktemp("served"), free_port()
    (folder / "house_rules.py").write_text(HOUSE.read_text(encoding="utf-8"), encoding="utf-8")
    start = "import sys; from rulekit.cli import main; sys.exit(main(sys.argv[1:]))"
    own = ["serve", "house_rules.py", "--port", str(port), "--no-show"]
    serve([sys.executable, "-c", start, *own], port, folder)
    return f"http://127.0.0.1:{port}/"


@pytest.fixture(scope="module")
def strike() -> View:
    """The same rule in this process, under the id that it has there."""
    folder = str(HOUSE.parent)
    sys.path.insert(0, folder)
    try:
        import house_rules
    finally:
        sys.path.remove(folder)
    return View(house_rules.strike.setup())


class Dash:
    """A page in a browser."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        page.goto(address)
        self.explorer = page.locator(".rk-explorer")
        self.settle()

    def settle(self) -> None:
        """Until the kernel has answered, and map, worth, readings and why are of the point that is shown."""
        expect(self.page.locator(".rk-page[data-rest='true']")).to_be_visible(timeout=60_000)

    def field(self, path: str) -> Locator:
        return self.explorer.locator(f"[data-path='{path}']").first

    def press(self, path: str, key: str) -> None:
        self.field(path).press(key)
        self.settle()

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    def say(self, name: str) -> str:
        """What a click on a copying button puts into the box."""
        self.button(name).click()
        return self.page.get_by_label("To copy").input_value()

    def view(self) -> View:
        """What the address holds."""
        return view_of(self.page.url.partition("?view=")[2])

    def save(self, button: Locator) -> str:
        with self.page.expect_download() as started:
            button.click()
        return _text(started.value)

    def text(self, card: str) -> str:
        return self.page.locator(f".rk-card-{card}").inner_text()


def _text(download: Download) -> str:
    return Path(download.path()).read_text(encoding="utf-8")


@pytest.fixture
def dash(page: Page, served: str, strike: View) -> Dash:
    page.set_viewport_size({"width": 1500, "height": 1100})
    return Dash(page, f"{served}?rule=house_rules.strike")


def test_the_gallery_has_every_game_and_searches(page: Page, served: str) -> None:
    page.goto(served)
    for title in ("Adventure's Edge", "Bumps", "Elements", "house_rules"):
        expect(page.get_by_role("heading", name=title)).to_be_visible()
    page.get_by_label("Search").fill("strike")
    expect(page.get_by_role("link", name="Strike")).to_be_visible()
    expect(page.get_by_role("heading", name="Elements")).to_be_hidden()
    page.get_by_role("link", name="Strike").press("Enter")
    expect(page.locator(".rk-sentence")).to_have_text(re.compile("Hit on a natural 10"))
    page.get_by_role("link", name="All rules").click()
    expect(page.get_by_label("Search")).to_be_visible()


def test_every_control_answers_to_the_keyboard(dash: Dash, strike: View) -> None:
    check(read(dash.explorer), strike)
    keys = {
        "attacker.attack": "ArrowRight",
        "attacker.luck": "ArrowRight",
        "target.defense": "ArrowLeft",
        "target.prone": "Space",
        "target.resistance.fire": "ArrowRight",
        "target.soak.points": "ArrowUp",
        "target.distance": "ArrowUp",
    }
    for path, key in keys.items():
        before = read(dash.explorer).values[path]
        dash.field(path).press(key)
        screen = read(dash.explorer)
        assert screen.values[path] != before, path
        if screen.state == "right":
            check(screen, strike)
        dash.settle()
        check(read(dash.explorer), strike)
    dash.explorer.get_by_label("Soak kind").select_option("Rolled")
    dash.settle()
    check(read(dash.explorer), strike.at({"target.soak": "Rolled"}))


def test_worth_is_what_the_library_says(dash: Dash, strike: View) -> None:
    dash.press("attacker.attack", "ArrowRight")
    study = sensitivity(dash.view().setup, "damage")
    ranked = [path for path, effect in study.effects.items() if effect.size]
    rows = dash.page.locator("[data-worth]")
    assert rows.evaluate_all("(all) => all.map((e) => e.dataset.worth)") == ranked
    first = study.effects[ranked[0]]
    cells = rows.first.locator("td").all_inner_texts()
    for cell, gain in zip(cells[1:], (first.less, first.more), strict=True):
        assert cell == difference_text(gain, "number", "HP")
    told = dash.explorer.locator(f"[data-control='{ranked[0]}'] .rk-worth").inner_text()
    assert cells[1] in told
    assert cells[2] in told
    rows.first.get_by_role("button").click()
    assert (
        dash.page.evaluate("""() => {
        let e = document.activeElement;
        while (e?.shadowRoot) e = e.shadowRoot.activeElement;
        return e.dataset.path;
    }""")
        == ranked[0]
    )


def test_worth_of_a_probability_is_in_points(dash: Dash) -> None:
    dash.explorer.get_by_label("Measure", exact=True).select_option("hit")
    dash.settle()
    row = dash.page.locator("[data-worth='target.defense']")
    assert row.locator("td").all_inner_texts() == ["17", "+5 points", "-5 points"]


def test_why_has_the_rule_and_todays_values(dash: Dash) -> None:
    why = dash.text("why")
    assert "By HR-1." in why
    assert "Hit: 55 %" in why
    assert "Attack: 7" in why
    assert "Defense: 17" in why
    assert "Natural: mean 10.5, sd 5.77" in why


def test_readings_are_switches_with_the_difference_each_makes(page: Page, served: str) -> None:
    setup = adventures_edge.attack.setup().at({"target.armour": 3, "target.helpless": True})
    dash = Dash(page, f"{served}?view={link_of(View(setup, 'damage'))}")
    group = page.locator("[data-reading='readings.helpless_armour']")
    other = setup.at({"readings.helpless_armour": "location"})
    by = frame(View(other, "damage")).tiles[1].value - frame(View(setup, "damage")).tiles[1].value
    assert by != 0
    told = group.locator(".rk-change").all_inner_texts()
    assert told[0] == ""
    assert abs(float(told[1].split()[0]) - by) < 0.005
    group.get_by_label("Location").press("Space")
    expect(group.get_by_label("Location")).to_be_checked()
    dash.settle()
    assert dash.view().setup == other
    check(read(dash.explorer), View(other, "damage"))


def test_the_map_shows_the_measure_and_a_click_goes_there(dash: Dash) -> None:
    view = dash.view()
    found = sweep(view.setup, {"attacker.attack": range(-2, 15), "target.defense": range(5, 26)}, ["damage"])
    most = max(found.grids["damage"].flat)
    text = dash.text("map")
    assert "Damage over attack (−2 to 14) and defense (5 to 25)" in text
    told = re.search(r"most ([\d.]+) HP", text)
    assert told is not None
    assert abs(float(told[1]) - most) < 0.00501
    rows = list(csv.reader(io.StringIO(dash.save(dash.page.locator(".rk-card-map").get_by_text("CSV")))))
    assert rows[0] == ["attacker.attack", "target.defense", "Damage"]
    assert len(rows) == 1 + 17 * 21
    for attack, defense, value in rows[1:]:
        at = found.grids["damage"].at(**{"attacker.attack": int(attack), "target.defense": int(defense)})
        assert abs(float(value) - at) < 1e-12
    box = dash.page.locator(".rk-picture .bk-events, .rk-picture canvas").first.bounding_box()
    assert box is not None
    dash.page.mouse.click(box["x"] + box["width"] * 0.5, box["y"] + box["height"] * 0.4)
    expect(dash.page).not_to_have_url(re.compile(re.escape(link_of(view))))
    dash.settle()
    screen = read(dash.explorer)
    assert (screen.values["attacker.attack"], screen.values["target.defense"]) != (7, 17)
    assert abs(screen.values["attacker.attack"] - 6) <= 4
    check(screen, view)
    assert dash.view().setup.get("target.defense") == screen.values["target.defense"]


def test_the_map_goes_over_any_two_stats(dash: Dash) -> None:
    dash.page.get_by_label("Across").select_option("target.prone")
    dash.settle()
    assert dash.view().axes == ("target.prone", "target.defense")
    assert "Damage over prone (No to Yes) and defense (5 to 25)" in dash.text("map")
    dash.page.get_by_label("Up", exact=True).select_option("target.prone")
    dash.settle()
    assert dash.view().axes == ("target.defense", "target.prone")
    dash.explorer.get_by_label("Measure", exact=True).select_option("effect")
    dash.settle()
    assert "Effect: none over defense" in dash.text("map")


def test_the_figure_of_the_map_stays_while_its_data_changes(dash: Dash) -> None:
    before = dash.page.evaluate(FIGURES)
    for key in ("ArrowRight", "ArrowRight", "Home"):
        dash.press("attacker.weapon.high", key)
    dash.explorer.get_by_label("Measure", exact=True).select_option("hit")
    dash.settle()
    assert dash.page.evaluate(FIGURES) == before
    assert len(before) == 1


FIGURES = (
    "() => [...Bokeh.documents[0]._all_models.values()].filter((m) => m.type === 'Figure').map((m) => m.id)"
)


def test_a_link_opens_the_same_numbers_elsewhere(
    dash: Dash, new_page: Callable[..., Page], strike: View
) -> None:
    dash.press("attacker.attack", "ArrowRight")
    dash.explorer.get_by_label("1 in N").check()
    dash.explorer.get_by_label("At least").check()
    dash.explorer.get_by_role("button", name="Pin").click()
    dash.settle()
    dash.press("target.defense", "End")
    link = dash.say("Copy link")
    assert link == dash.page.url
    other = Dash(new_page(), link)
    here, there = read(dash.explorer), read(other.explorer)
    same = ("values", "measure", "shape", "mode", "sentence", "tiles", "differences", "rows")
    assert {name: getattr(there, name) for name in same} == {name: getattr(here, name) for name in same}
    assert there.ghost.startswith("M")
    check(there, strike)
    view = other.view()
    assert (view.mode, view.shape, view.pinned) == (
        "one_in",
        "at_least",
        strike.setup.at({"attacker.attack": 8}),
    )


@pytest.mark.parametrize(
    ("query", "line"),
    [
        ("?view=1.eJwDAAAAAAE", "a View is saved as JSON"),
        ("?view=1.%00%01", "this link is broken"),
        ("?view=99.abc", "this link has version 99"),
        ("?view=<script>alert(1)</script>", "this is no link to a view"),
        ("?rule=os.system", "no imported rule has the id 'os.system'"),
        ("?view=1." + "A" * 21_000, "a link has at most 20,000"),
    ],
)
def test_a_broken_or_hostile_link_gives_one_line(page: Page, served: str, query: str, line: str) -> None:
    page.goto(served + query)
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text(line)
    assert "\n" not in alert.inner_text()
    expect(page.get_by_label("Search")).to_be_visible()


def test_undo_and_redo(dash: Dash, strike: View) -> None:
    expect(dash.button("Undo")).to_be_disabled()
    dash.press("attacker.attack", "End")
    dash.explorer.get_by_label("Fraction").check()
    dash.settle()
    dash.explorer.get_by_role("button", name="Add to armour").click()
    dash.settle()
    seen = [read(dash.explorer)]
    for _ in range(3):
        dash.button("Undo").click()
        dash.settle()
        seen.append(read(dash.explorer))
    assert [(s.values["attacker.attack"], s.mode, "target.armour.1.dr" in s.values) for s in seen] == [
        (14, "fraction", True), (14, "fraction", False), (14, "percent", False), (7, "percent", False),
    ]  # fmt: skip
    check(seen[-1], strike)
    expect(dash.button("Undo")).to_be_disabled()
    for screen in reversed(seen[:-1]):
        dash.page.keyboard.press("Control+Shift+Z")
        dash.settle()
        again = read(dash.explorer)
        assert (again.sentence, again.rows, again.values) == (screen.sentence, screen.rows, screen.values)
    expect(dash.button("Redo")).to_be_disabled()


def test_copied_python_prints_the_numbers_of_the_screen(page: Page, served: str) -> None:
    dash = Dash(page, f"{served}?rule={elements.attack.id}")
    dash.press("attacker.mod", "ArrowRight")
    code = dash.say("Copy as Python")
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    said = dict(line.split(": ", 1) for line in done.stdout.splitlines() if ": " in line)
    shown = frame(dash.view())
    for tile in shown.tiles:
        if isinstance(tile.value, Fraction) and "likeliest" not in tile.label:
            assert Fraction(said[tile.name]) == tile.value, tile.name
    odds = [line.split() for line in done.stdout.splitlines() if re.fullmatch(r"-?\d+ \S+", line)]
    assert [Fraction(p) for _, p in odds] == list(shown.odds["exactly"])
    screen = read(dash.explorer)
    assert screen.tiles["hit"] == next(tile for tile in shown.tiles if tile.name == "hit").texts["percent"]


def test_tables_are_saved_as_they_are(dash: Dash) -> None:
    view = dash.view()
    table = dash.save(dash.page.get_by_label("Save the chart and its table").get_by_text("CSV"))
    assert table == frame(view).to_csv()
    worth = dash.save(dash.page.locator(".rk-card-worth").get_by_text("CSV"))
    assert worth == sensitivity(view.setup, "damage").to_csv()


@pytest.mark.parametrize("name", ["chart", "map"])
def test_charts_are_saved_as_pictures(dash: Dash, name: str) -> None:
    svg = dash.save(dash.button(f"{name}, SVG"))
    assert svg.startswith("<svg")
    assert 'xmlns="http://www.w3.org/2000/svg"' in svg
    assert len(svg) > 2_000
    with dash.page.expect_download() as started:
        dash.button(f"{name}, PNG").click()
    png = Path(started.value.path()).read_bytes()
    assert png.startswith(b"\x89PNG")
    assert len(png) > 5_000
    drawn = dash.page.evaluate(
        """async (svg) => { const i = new Image(); i.src = "data:image/svg+xml;charset=utf-8,"
           + encodeURIComponent(svg); await i.decode(); return [i.width, i.height]; }""",
        svg,
    )
    assert min(drawn) > 200


def test_two_visitors_never_see_each_others_numbers(
    new_page: Callable[..., Page], served: str, strike: View
) -> None:
    address = f"{served}?rule=house_rules.strike"
    one, other = Dash(new_page(), address), Dash(new_page(), address)
    for key in ("ArrowRight", "ArrowRight", "End", "ArrowLeft"):
        one.field("attacker.attack").press(key)
        other.field("target.defense").press(key)
        for dash in (one, other):
            dash.settle()
            check(read(dash.explorer), strike)
    assert read(one.explorer).values["target.defense"] == 17
    assert read(other.explorer).values["attacker.attack"] == 7
    assert one.view().setup == strike.setup.at({"attacker.attack": 13})
    assert other.view().setup == strike.setup.at({"target.defense": 24})


def test_themes(dash: Dash) -> None:
    seen = set()
    figures = dash.page.evaluate(FIGURES)
    for theme in THEMES:
        dash.page.get_by_label("Theme").select_option(theme)
        dash.settle()
        expect(dash.explorer).to_have_attribute("data-theme", theme)
        dash.page.wait_for_function(MAP_COLORS, arg=MAPS[theme])
        seen.add(dash.page.evaluate("getComputedStyle(document.body).backgroundColor") + theme)
    assert len(seen) == 4
    assert dash.page.evaluate(FIGURES) == figures


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("query", ["", "?rule=os.system"], ids=["gallery", "broken link"])
def test_axe_finds_nothing_serious_in_the_gallery(page: Page, served: str, theme: str, query: str) -> None:
    page.emulate_media(**THEMES[theme])
    page.goto(served + query)
    expect(page.get_by_label("Search")).to_be_visible()
    expect(page.locator(".rk-gallery")).to_have_attribute("data-theme", theme)
    assert axe_faults(page) == []


@pytest.mark.parametrize("theme", THEMES)
def test_axe_finds_nothing_serious_on_the_page(page: Page, served: str, theme: str) -> None:
    page.emulate_media(**THEMES[theme])
    dash = Dash(page, f"{served}?rule={adventures_edge.attack.id}")
    expect(page.locator(".rk-page")).to_have_attribute("data-theme", theme)
    dash.explorer.get_by_role("button", name="Pin").click()
    dash.explorer.get_by_role("button", name="Roll it").click()
    dash.say("Copy link")
    dash.settle()
    for closed in page.locator("details:not([open]) > summary").all():
        closed.click()
    assert axe_faults(page) == []
    dash.explorer.locator("input[type=number][data-path='attacker.attack_bonus']").fill("99")
    expect(page.locator(".rk-card-worth")).to_have_attribute("aria-busy", "true")
    assert axe_faults(page) == []


def test_360_pixels_are_enough(dash: Dash) -> None:
    dash.page.set_viewport_size({"width": 360, "height": 740})
    expect(dash.page.locator(".rk-bar")).to_be_visible()
    assert dash.page.evaluate("document.documentElement.scrollWidth") <= 360
    for card in ("map", "worth", "why"):
        box = dash.page.locator(f".rk-card-{card}").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 360


def test_every_control_of_the_page_is_labelled(dash: Dash) -> None:
    unnamed = (
        dash.page.locator(".rk-page")
        .locator("input, select, button, textarea")
        .evaluate_all(
            "(all) => all.filter((e) => !(e.labels?.length || e.ariaLabel || e.textContent)).length"
        )
    )
    assert unnamed == 0


def test_a_refused_place_of_the_map_says_why(page: Page, served: str, strike: View) -> None:
    view = replace(strike, axes=("target.distance", "target.defense"))
    page.set_viewport_size({"width": 1500, "height": 1100})
    dash = Dash(page, f"{served}?view={link_of(view)}")
    box = page.locator(".rk-picture .bk-events, .rk-picture canvas").first.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] * 0.78, box["y"] + box["height"] * 0.4)
    expect(page.locator(".rk-page > .rk-trouble")).to_have_text("HR-2: the target is out of range")
    assert dash.view().setup == strike.setup


def test_panel_serve_shows_the_gallery(
    page: Page, serve: Callable[..., None], tmp_path_factory: pytest.TempPathFactory
) -> None:
    port = free_port()
    app = Path(rulekit_widgets.__file__).parent / "app.py"
    where = ["--address", "127.0.0.1", "--port", str(port), "--allow-websocket-origin", f"127.0.0.1:{port}"]
    serve([sys.executable, "-m", "panel", "serve", str(app), *where], port, tmp_path_factory.mktemp("panel"))
    page.goto(f"http://127.0.0.1:{port}/app")
    page.get_by_label("Search").fill("contest")
    page.get_by_role("link", name="Contest", exact=True).click()
    expect(page.locator(".rk-sentence")).not_to_be_empty()


def test_two_hundred_changes_leave_no_models_and_no_memory_behind(dash: Dash) -> None:
    def change(times: int) -> None:
        for i in range(times):
            dash.field("target.prone").press("Space")
            if i % 10 == 9:
                dash.settle()

    count = "() => Bokeh.documents[0]._all_models.size"
    heap = "() => performance.memory.usedJSHeapSize"
    change(20)
    models = dash.page.evaluate(count)
    dash.page.request_gc()
    used = dash.page.evaluate(heap)
    change(200)
    assert dash.page.evaluate(count) == models
    dash.page.request_gc()
    assert dash.page.evaluate(heap) < used + 3_000_000
