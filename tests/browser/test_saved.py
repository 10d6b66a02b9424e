"""The explorer where no kernel runs: a page in a file, a notebook that nbconvert made a page of."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from rulekit_widgets import View, explore
from tests.browser.house_rules import strike
from tests.browser.screen import check, read


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("saved") / "strike.html"
    explore(strike).save(file)
    return file


VIEW = View(strike.setup())


def test_a_saved_page_is_its_frames_and_little_more(saved: Path) -> None:
    explorer = explore(strike)
    explorer.save(saved)
    frames = json.dumps(explorer.frames, ensure_ascii=False, separators=(",", ":"))
    assert len(saved.read_bytes()) - len(frames.encode()) < 60_000


def test_sliders_of_a_saved_page_live_one_at_a_time(page: Page, saved: Path) -> None:
    page.goto(saved.as_uri())
    explorer = page.locator(".rk-explorer")
    check(read(explorer), VIEW)
    first, second = (
        page.locator(f"input[type=range][data-path='{p}']") for p in ("attacker.attack", "target.defense")
    )
    first.press("ArrowRight")
    first.press("ArrowRight")
    screen = read(explorer)
    assert (screen.state, screen.values["attacker.attack"]) == ("right", 9)
    check(screen, VIEW)
    second.press("ArrowLeft")
    screen = read(explorer)
    assert (screen.values["attacker.attack"], screen.values["target.defense"]) == (7, 16), (
        "the first is put back"
    )
    check(screen, VIEW)
    page.get_by_label("Prone").press("Space")
    page.get_by_label("Size").select_option("Large")
    check(read(explorer), VIEW)


def test_what_needs_a_kernel_is_disabled_and_says_so(page: Page, saved: Path) -> None:
    page.goto(saved.as_uri())
    for control in (page.get_by_label("Measure", exact=True), page.get_by_role("button", name="Roll it")):
        expect(control).to_be_disabled()
        expect(control).to_have_attribute("title", "Needs a running kernel")
    expect(page.get_by_label("Extra")).to_be_disabled()
    expect(page.get_by_role("button", name="Add to armour")).to_be_disabled()
    expect(page.get_by_text("A saved page", exact=False)).to_be_visible()


def test_pin_and_numbers_work_in_a_saved_page(page: Page, saved: Path) -> None:
    page.goto(saved.as_uri())
    page.get_by_role("button", name="Pin").click()
    page.locator("input[type=range][data-path='attacker.attack']").press("ArrowRight")
    page.get_by_label("1 in N").check()
    screen = read(page.locator(".rk-explorer"))
    assert screen.differences["hit"] == "+5 points"
    check(screen, VIEW)


def test_a_pinned_view_is_saved_with_its_ghost(page: Page, tmp_path: Path) -> None:
    pinned = View(strike.setup(), pinned=strike.setup().at({"attacker.attack": 2}))
    explore(pinned).save(tmp_path / "pinned.html")
    page.goto((tmp_path / "pinned.html").as_uri())
    screen = read(page.locator(".rk-explorer"))
    assert screen.ghost.startswith("M")
    assert screen.differences["hit"] == "+25 points"


def test_a_bad_value_in_a_saved_page(page: Page, saved: Path) -> None:
    page.goto(saved.as_uri())
    explorer, box = (
        page.locator(".rk-explorer"),
        page.locator("input[type=number][data-path='attacker.attack']"),
    )
    box.fill("99")
    assert read(explorer).trouble.startswith("Attack: 99 is above 14")
    box.fill("8")
    assert read(explorer).state == "right"
    check(read(explorer), VIEW)


def test_a_notebook_exported_by_nbconvert_holds_it(
    new_page: Callable[..., Page], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import nbformat
    from IPython import display
    from nbconvert import HTMLExporter

    outputs: list[nbformat.NotebookNode] = []
    monkeypatch.setattr(
        display,
        "publish_display_data",
        lambda data, metadata=None: outputs.append(
            nbformat.v4.new_output("display_data", data=data, metadata=metadata or {})
        ),
    )
    explorer = explore(strike)
    # However slow the machine is, this slider has its table.
    explorer.request = {"seq": 1, "edits": [{"op": "ahead", "path": "target.defense"}]}
    explorer._ipython_display_()
    assert outputs[0].data["text/plain"] == "Hit on a natural 10 or more, 55 %; damage 2.5 HP on average."
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("explore(strike)", outputs=outputs)])
    html, _ = HTMLExporter(config=EXPORT).from_notebook_node(notebook)
    (tmp_path / "exported.html").write_text(html, encoding="utf-8")
    page = new_page(viewport={"width": 1100, "height": 1200})
    page.goto((tmp_path / "exported.html").as_uri())
    frame = page.frame_locator("iframe[title=Strike]")
    shown = frame.locator(".rk-explorer")
    expect(shown).to_be_visible()
    expect(page.locator(".rk-still")).to_be_hidden()
    frame.locator("input[type=range][data-path='target.defense']").press("ArrowRight")
    screen = read(shown)
    assert screen.values["target.defense"] == 18
    check(screen, VIEW)


# Without these the exporter would load scripts from elsewhere.
EXPORT = {
    "HTMLExporter": {
        "template_name": "basic",
        "require_js_url": "",
        "mathjax_url": "",
        "jquery_url": "",
        "mermaid_js_url": "",
    },
    "NbConvertBase": {"display_data_priority": ["text/html", "image/svg+xml", "text/plain"]},
}
