"""The explorer in JupyterLab, with a kernel of its own: what the notebook's reader sees and does."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Locator, Page, expect

from rulekit.games.adventures_edge import attack
from rulekit_widgets import View
from tests.browser.conftest import ROOT, Lab
from tests.browser.house_rules import strike
from tests.browser.screen import check, read


def settle(page: Page, explorer: Locator) -> None:
    """Until the kernel has answered all that was asked."""
    page.wait_for_function(
        "(e) => e.dataset.state === 'right' && e.dataset.rest === 'true'", arg=explorer.element_handle()
    )


def test_the_first_notebook_runs_and_its_explorers_answer(new_page: Callable[..., Page], lab: Lab) -> None:
    page = new_page(viewport={"width": 1100, "height": 3500})  # JupyterLab draws only what is in view
    shutil.copy(ROOT / "notebooks" / "00-start-here.ipynb", lab.folder / "start.ipynb")
    lab.open(page, "start.ipynb")
    lab.run_all(page)
    expect(page.locator(".jp-RenderedText[data-mime-type='application/vnd.jupyter.stderr']")).to_have_count(0)
    explorer = page.locator(".rk-explorer").first
    expect(explorer).to_be_visible()
    check(read(explorer), View(attack.setup()))
    slider = explorer.locator("input[type=range]").first
    slider.press("ArrowRight")
    settle(page, explorer)
    screen = read(explorer)
    assert screen.values["attacker.attack_bonus"] == attack.setup().get("attacker.attack_bonus") + 1
    check(screen, View(attack.setup()))
    house = page.locator(".rk-explorer").last
    before = read(house).sentence
    house.locator("input[type=range]").first.press("ArrowRight")
    settle(page, house)
    assert read(house).sentence != before


@pytest.fixture
def notebook(page: Page, lab: Lab) -> Locator:
    """A notebook with the rule that has a stat of every kind, run."""
    shutil.copy(Path(__file__).parent / "house_rules.py", lab.folder)
    cells = [
        "from house_rules import strike\nfrom rulekit_widgets import explore\n\nexplorer = explore(strike)\n"
        "explorer",
        "explorer.set({'attacker.attack': 12, 'target.prone': True})",
        "explorer.setup.get('target.defense')",
    ]
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(made, lab.folder / "kinds.ipynb")
    lab.open(page, "kinds.ipynb")
    page.locator(".jp-CodeCell").first.click()
    page.keyboard.press("Shift+Enter")
    explorer = page.locator(".rk-explorer")
    expect(explorer).to_be_visible()
    return explorer


VIEW = View(strike.setup())


def test_every_kind_of_control_answers_to_the_keyboard(page: Page, notebook: Locator) -> None:
    check(read(notebook), VIEW)
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
        before = read(notebook)
        notebook.locator(f"[data-path='{path}']").first.press(key)
        assert read(notebook).values[path] != before.values[path], path
        settle(page, notebook)
        check(read(notebook), VIEW)
    notebook.get_by_label("Size").select_option("Large")
    settle(page, notebook)
    check(read(notebook), VIEW)
    dice = notebook.locator("[data-path='attacker.weapon.extra']")
    dice.fill("2d4")
    dice.press("Enter")
    settle(page, notebook)
    assert read(notebook).values["attacker.weapon.extra"] == "2d4"
    notebook.get_by_label("Soak kind").select_option("Rolled")
    expect(notebook.locator("[data-path='target.soak.die']")).to_be_visible()
    notebook.get_by_role("button", name="Add to armour").click()
    expect(notebook.locator("[data-path='target.armour.1.dr']").first).to_be_visible()
    settle(page, notebook)
    rolled = VIEW.at({"target.soak": "Rolled", "target.armour.1": {}})
    check(read(notebook), rolled)
    assert read(notebook).values["attacker.attack"] == 8, "what was set before is kept"


def test_values_set_from_python_and_back(page: Page, notebook: Locator) -> None:
    page.locator(".jp-CodeCell").nth(1).locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    expect(notebook.locator("input[type=number][data-path='attacker.attack']")).to_have_value("12")
    screen = read(notebook)
    assert screen.values["target.prone"] is True
    check(screen, VIEW)
    notebook.locator("[data-path='target.defense']").first.press("ArrowRight")
    settle(page, notebook)
    page.locator(".jp-CodeCell").nth(2).locator(".cm-content").click()
    page.keyboard.press("Shift+Enter")
    expect(page.locator(".jp-CodeCell").nth(2).locator(".jp-OutputArea-output")).to_contain_text("18")


def test_roll_it_in_a_notebook(page: Page, notebook: Locator) -> None:
    notebook.get_by_role("button", name="Roll it").click()
    expect(notebook.locator(".rk-thrown")).to_be_visible()
    assert sum(int(row[4].replace(",", "")) for row in read(notebook).rows) == 1000
