"""A notebook saved with an explorer in it, opened in JupyterLab where no kernel knows the explorer."""

from __future__ import annotations

import base64
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat.sign import NotebookNotary
from playwright.sync_api import Browser, Locator, Page, expect

from rulekit_widgets import View, frame
from tests.browser.conftest import PATIENCE, Lab
from tests.browser.house_rules import strike
from tests.browser.screen import check, read

VIEW = View(strike.setup().at({"attacker.attack": 9}))
CELL = (
    "from house_rules import strike\nfrom rulekit_widgets import explore\n\n"
    "explore(strike.setup().at({'attacker.attack': 9}))"
)


@pytest.fixture(scope="module")
def saved(browser: Browser, lab: Lab) -> Path:
    """What JupyterLab writes when the notebook is run and saved."""
    shutil.copy(Path(__file__).parent / "house_rules.py", lab.folder)
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CELL)])
    made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nbformat.write(made, lab.folder / "saved.ipynb")
    page = browser.new_page(viewport={"width": 1100, "height": 2500})
    lab.open(page, "saved.ipynb")
    lab.run_all(page)
    explorer = page.locator(".rk-explorer")
    expect(explorer).to_be_visible()
    expect(page.locator(".rk-still")).to_be_hidden()  # what is live is shown, and nothing twice
    check(read(explorer), VIEW)
    with page.expect_response(lambda got: got.request.method == "PUT" and "saved.ipynb" in got.url):
        page.keyboard.press("Control+s")
    page.close()
    return lab.folder / "saved.ipynb"


def no_kernel(saved: Path, name: str) -> nbformat.NotebookNode:
    """The notebook as one gets it from somebody whose kernel is not here."""
    notebook = nbformat.read(saved, as_version=4)
    notebook.metadata["kernelspec"] = {"name": "elsewhere", "display_name": name, "language": "python"}
    del notebook.metadata["language_info"]
    nbformat.write(notebook, saved.with_name(name))
    return notebook


def open_without_kernel(page: Page, lab: Lab, name: str) -> Locator:
    page.goto(f"http://127.0.0.1:{lab.port}/lab/tree/{name}?reset")
    page.get_by_role("dialog").get_by_role("button", name="No Kernel").click(timeout=PATIENCE * 1000)
    return page.locator(".jp-CodeCell .jp-OutputArea")


def check_still(output: Locator) -> None:
    """Sentence, table and bars are what the library says; nothing else is seen."""
    expected = frame(VIEW)
    still = output.locator(".rk-still")
    expect(still.get_by_text(expected.sentence["percent"], exact=True)).to_be_visible()
    expect(still.get_by_role("table")).to_be_visible()
    rows = still.locator("tbody tr").evaluate_all(
        "all => all.map((r) => [...r.cells].map((c) => c.innerText))"
    )
    assert [tuple(row) for row in rows if row[1] != "0 %"] == expected.table("percent")
    picture = still.get_by_role("img")
    expect(picture).to_be_visible()
    assert picture.evaluate("async (e) => { await e.decode(); return e.naturalWidth; }") == 640
    drawn = base64.b64decode((picture.get_attribute("src") or "").partition(",")[2]).decode()
    ends = re.findall(r"M[\d.]+ ([\d.]+)V([\d.]+)h", drawn)
    heights = [float(base) - float(top) for base, top in ends]
    odds = [float(p) for p in expected.odds["exactly"]]
    assert [h / max(heights) for h in heights] == pytest.approx([p / max(odds) for p in odds], abs=1e-3)
    expect(output.get_by_text("widget", exact=False).filter(visible=True)).to_have_count(0)
    expect(output.page.locator("iframe, .rk-explorer")).to_have_count(0)


def test_a_reader_without_a_kernel_sees_sentence_picture_and_table(page: Page, lab: Lab, saved: Path) -> None:
    NotebookNotary().sign(no_kernel(saved, "trusted.ipynb"))
    output = open_without_kernel(page, lab, "trusted.ipynb")
    expect(output.locator(".jp-mod-trusted").first).to_be_visible()
    check_still(output)


def test_so_does_a_reader_who_does_not_trust_the_notebook(page: Page, lab: Lab, saved: Path) -> None:
    no_kernel(saved, "untrusted.ipynb")
    output = open_without_kernel(page, lab, "untrusted.ipynb")
    expect(output.locator(".rk-still")).to_be_visible()
    expect(output.locator(".jp-mod-trusted")).to_have_count(0)
    check_still(output)


def test_and_one_whose_new_kernel_has_not_run_the_cell(
    new_page: Callable[..., Page], lab: Lab, saved: Path
) -> None:
    page = new_page(expected="widget model not found")  # JupyterLab itself writes that to the console
    shutil.copy(saved, lab.folder / "again.ipynb")
    with page.expect_console_message(lambda m: "widget model not found" in m.text, timeout=PATIENCE * 1000):
        lab.open(page, "again.ipynb")
    output = page.locator(".jp-CodeCell .jp-OutputArea")
    check_still(output)
    lab.run_all(page)
    explorer = page.locator(".rk-explorer")
    expect(explorer).to_be_visible()
    expect(page.locator(".rk-still")).to_be_hidden()
    check(read(explorer), VIEW)
