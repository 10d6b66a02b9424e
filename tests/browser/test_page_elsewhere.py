"""The page where nothing is served: in JupyterLab, and in a file without a kernel."""

from __future__ import annotations

import shutil
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Page, expect

from rulekit_widgets import View, explore, frame
from tests.browser.conftest import Lab
from tests.browser.house_rules import strike
from tests.browser.screen import MAP_COLORS, MAPS, THEMES, check, read

VIEW = View(strike.setup())


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("saved") / "page.html"
    explore(strike, page=True).save(file)
    return file


def test_a_saved_page_lives_and_keeps_the_map_as_it_stands(page: Page, saved: Path) -> None:
    assert len(saved.read_bytes()) < 3_000_000
    page.set_viewport_size({"width": 1500, "height": 1100})
    page.goto(saved.as_uri())
    explorer = page.locator(".rk-explorer")
    check(read(explorer), VIEW)
    expect(page.locator(".rk-picture canvas").first).to_be_visible()
    cards = {name: page.locator(f".rk-card-{name}") for name in ("map", "worth", "why")}
    assert "Damage over attack (−2 to 14) and defense (5 to 25): 2.5 HP here" in cards["map"].inner_text()
    assert "Hit: 55 %" in cards["why"].inner_text()
    for card in cards.values():
        expect(card).to_have_attribute("aria-busy", "false")
    explorer.locator("input[type=range][data-path='attacker.attack']").press("ArrowRight")
    screen = read(explorer)
    assert (screen.state, screen.values["attacker.attack"]) == ("right", 8)
    check(screen, VIEW)
    for card in cards.values():
        expect(card).to_have_attribute("aria-busy", "true")
    expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    expect(page.get_by_label("Across")).to_have_attribute("title", "Needs a running kernel")


def test_the_map_of_a_saved_page_follows_the_theme(page: Page, saved: Path) -> None:
    page.emulate_media(**THEMES["contrast-dark"])
    page.goto(saved.as_uri())
    page.wait_for_function(MAP_COLORS, arg=MAPS["contrast-dark"])
    for theme in THEMES:
        page.get_by_label("Theme").select_option(theme)
        page.wait_for_function(MAP_COLORS, arg=MAPS[theme])


def test_tables_and_code_are_in_a_saved_page(page: Page, saved: Path) -> None:
    page.goto(saved.as_uri())
    with page.expect_download() as started:
        page.locator(".rk-card-map").get_by_text("CSV").click()
    assert Path(started.value.path()).read_text().startswith("attacker.attack,target.defense,Damage\n-2,5,")
    page.get_by_role("button", name="Copy as Python").click()
    assert "setup = strike.setup()" in page.get_by_label("To copy").input_value()


def test_the_page_in_jupyterlab(page: Page, lab: Lab) -> None:
    shutil.copy(Path(__file__).parent / "house_rules.py", lab.folder)
    cells = [
        "from house_rules import strike\nfrom rulekit_widgets import explore\n\n"
        "board = explore(strike, page=True)\nboard",
        "board.set({'attacker.attack': 12, 'target.prone': True})",
        "board.setup.get('target.defense')",
    ]
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(made, lab.folder / "page.ipynb")
    lab.open(page, "page.ipynb")
    page.locator(".jp-CodeCell").first.click()
    page.keyboard.press("Shift+Enter")
    settled = page.locator(".rk-page[data-rest='true']")
    expect(settled).to_be_visible(timeout=60_000)
    explorer = page.locator(".rk-explorer")
    check(read(explorer), VIEW)
    expect(page.locator(".rk-picture canvas").first).to_be_visible()
    explorer.locator("[data-path='target.defense']").first.press("ArrowRight")
    expect(settled).to_be_visible()
    check(read(explorer), VIEW)
    damage = frame(VIEW.at({"target.defense": 18})).tiles[2].texts["percent"]
    assert f"(5 to 25): {damage} here" in page.locator(".rk-card-map").inner_text()
    page.get_by_role("button", name="Undo").click()
    expect(settled).to_be_visible()
    assert read(explorer).values["target.defense"] == 17
    page.get_by_role("button", name="Redo").click()
    page.locator(".jp-CodeCell").nth(1).locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    expect(explorer.locator("input[type=number][data-path='attacker.attack']")).to_have_value("12")
    expect(settled).to_be_visible()
    screen = read(explorer)
    assert (screen.values["target.prone"], screen.values["target.defense"]) == (True, 18)
    check(screen, VIEW)
    page.keyboard.press("Shift+Enter")
    expect(page.locator(".jp-CodeCell").nth(2).locator(".jp-OutputArea-output")).to_contain_text("18")
