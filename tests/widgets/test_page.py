"""The page without a browser: links, undo, what stands beside the explorer, and what is taken along."""

from __future__ import annotations

import base64
import contextlib
import gc
import io
import json
import re
import zlib
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field

from rulekit import E, P, Roll, cli, d, roll, rule
from rulekit.errors import RulekitError, StatError
from rulekit.games import adventures_edge, bumps, elements
from rulekit.rules.registry import rules_of
from rulekit_widgets import View, explore, frame
from rulekit_widgets.beside import MapData, map_axes, map_of, readings_of, why_of, worth_of
from rulekit_widgets.desk import Desk
from rulekit_widgets.links import link_of, view_of
from rulekit_widgets.page import HERE, module
from rulekit_widgets.recipes import as_python
from tests.browser.house_rules import strike

SHIPPED = [
    shipped
    for package in (adventures_edge, bumps, elements)
    for shipped in rules_of(package.__name__)
    if shipped.default is not None
]


@rule()
def smash(bonus: Annotated[int, Field(ge=0, le=20)] = 5, ac: int = 15) -> Roll[bool]:
    """A d20 against armour."""
    return roll(d(20), "natural") + bonus >= ac


# -- links


@pytest.mark.parametrize("shipped", SHIPPED, ids=lambda shipped: shipped.id)
def test_a_link_brings_the_whole_view_back(shipped: Any) -> None:
    setup = shipped.setup()
    view = View(setup, mode="fraction", shape="at_least", pinned=setup)
    link = link_of(view)
    assert view_of(link) == view
    assert len(link) < 4_000, "longer addresses are cut by some programs"
    assert set(link) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.")


def test_a_link_of_the_first_version_still_opens() -> None:
    """Written down when version 1 was made: it must open for ever."""
    view = view_of(FIRST)
    assert view.setup == strike.setup().at(
        {"attacker.attack": 9, "target.soak": {"kind": "Rolled", "die": "d6"}}
    )
    assert (view.measure, view.mode, view.shape) == ("damage", "one_in", "at_most")
    assert view.axes == ("attacker.attack", "target.defense")
    assert view.pinned == strike.setup()


FIRST = (
    "1.eNrNkEFOxDAMRe_idVVNATHQA3AAtqNRZSaeNmqaVLFLR1S9O3ZFYcuCBatYjr__-17gnTL7FKGuCmCSaYR6gTwF"
    "ghqEWLh8y2lmymWXJqbGvrhkyb4nUImgsElQBC895Z8a6ucCZsLRti8Q0ryZdL7toH4qgG6SUV3cA6wFhMkUh_KgtW"
    "BuSUzk6EqRlaU6FjDmFLW8YmBSZ_9hjDxgCAqSib3CxIs2F93BCXvb0PvodOw1hUBO55w3lXs0T8xDmpT4pEb6VOvZ"
    "_vct9-uqMwMhT3nT4ICtZcYbaeTTd-TyK-8OXu7Uum5IzrQK3vho9-pwtAZKMyQW7Yw-RiX7u6sf_8_VXwJuEZOPxn"
    "v3q5uvnyVC254"
)


def packed(data: Any) -> str:
    text = data if isinstance(data, bytes) else json.dumps(data).encode()
    return "1." + base64.urlsafe_b64encode(zlib.compress(text)).decode().rstrip("=")


GOOD = View(strike.setup()).to_dict()


@pytest.mark.parametrize(
    ("link", "line"),
    [
        ("", "this is no link to a view"),
        ("1", "this is no link to a view"),
        ("1.", "this link is broken"),
        ("x.abc", "this is no link to a view"),
        ("2.abc", "versions up to 1 open here"),
        ("999999999999999.abc", "versions up to 1 open here"),
        ("1.!!!!", "this link is broken"),
        ("1.AAAA", "this link is broken"),
        (link_of(View(strike.setup()))[:-9], "this link is broken"),
        (packed(b"\xff\xfe"), "this link is broken"),
        (packed(b"0" * 3_000_000), "this link is broken"),
        (packed(b"[" * 100_000), "this link is broken"),
        (packed([]), "a View is saved as an object"),
        (packed({**GOOD, "version": 7}), "this View has version 7"),
        (packed({**GOOD, "measure": "nothing"}), "measure is 'nothing'"),
        (packed({**GOOD, "measure": ["hit"]}), "measure is ['hit']"),
        (packed({**GOOD, "mode": {"a": 1}}), "mode is {'a': 1}"),
        (packed({**GOOD, "axes": "ab"}), "axes is 'ab'"),
        (
            packed({**GOOD, "setup": {"rule": "os.system", "stats": {}}}),
            "no imported rule has the id 'os.system'",
        ),
        (packed({**GOOD, "setup": {"rule": ["a"], "stats": {}}}), ""),
        (packed({**GOOD, "setup": 5}), ""),
        (
            packed({**GOOD, "setup": {**GOOD["setup"], "stats": {"attacker": {"attack": 99}}}}),
            "99 is above 14",
        ),
        ("1." + "A" * 30_000, "a link has at most 20,000"),
    ],
)
def test_a_bad_link_says_in_one_line_what_is_wrong(link: str, line: str) -> None:
    with pytest.raises(RulekitError) as caught:
        view_of(link)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 2_000


# -- copy as Python


@pytest.mark.parametrize("shipped", SHIPPED, ids=lambda shipped: shipped.id)
def test_copied_code_makes_the_same_setup(shipped: Any) -> None:
    code = as_python(View(shipped.setup()))
    names: dict[str, Any] = {}
    exec(code.partition("outcome = ")[0], names)
    assert names["setup"] == shipped.setup()


def test_copied_code_prints_the_frame() -> None:
    setup = adventures_edge.attack.setup().at(
        {"attacker.attack_bonus": 9, "target.location_armour.head": 2, "situation.high_ground": "attacker"}
    )
    code = as_python(View(setup, "damage"))
    assert '"attacker.attack_bonus": 9' in code
    assert "from rulekit.games.adventures_edge import attack\n" in code
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(code, {})
    shown = frame(View(setup, "damage"))
    lines = said.getvalue().splitlines()
    for tile in shown.tiles:
        if isinstance(tile.value, Fraction) and "likeliest" not in tile.label:
            assert f"{tile.name}: {tile.value}" in lines
    for outcome, p in zip(shown.outcomes, shown.odds["exactly"], strict=True):
        assert f"{outcome} {p}" in lines


def test_copied_code_of_a_changed_structure_holds_all_of_it() -> None:
    setup = strike.setup().at({"target.armour.1": {"dr": 3}, "target.soak": {"kind": "Rolled", "die": "2d4"}})
    names: dict[str, Any] = {"strike": strike}
    code = as_python(View(setup))
    exec("setup = " + code.partition("setup = ")[2].partition("outcome = ")[0], names)
    assert names["setup"] == setup


def test_a_rule_with_one_result_is_asked_as_it_is() -> None:
    assert 'print("result:", P(outcome))' in as_python(View(smash.setup()))


# -- beside


def test_worth_is_the_study_in_words() -> None:
    told, study = worth_of(View(smash.setup(), "result"))
    assert study.effects["ac"].more == P(smash(ac=16)) - P(smash()) == Fraction(-1, 20)
    assert told["rows"] == [
        {"path": "bonus", "label": "Bonus", "now": "5", "less": "-5 points", "more": "+5 points"},
        {"path": "ac", "label": "Ac", "now": "15", "less": "+5 points", "more": "-5 points"},
    ]
    assert told["text"] == "Result is 55 % now."


def test_worth_of_a_label_is_that_of_what_is_likeliest() -> None:
    told, _ = worth_of(View(strike.setup(), "effect"))
    assert told["text"].startswith("Effect: none is 72.5 % now")
    more = strike.setup().at({"attacker.attack": 8})
    by = 100 * (P(more().effect == "none") - P(strike.setup()().effect == "none"))
    row = next(row for row in told["rows"] if row["path"] == "attacker.attack")
    assert row["more"] == f"{float(by):+.3g} points"


def test_readings_tell_what_each_would_change() -> None:
    setup = adventures_edge.attack.setup().at({"target.armour": 3, "target.helpless": True})
    groups = {group["path"]: group for group in readings_of(View(setup, "damage"))["groups"]}
    choices = {choice["value"]: choice for choice in groups["readings.helpless_armour"]["choices"]}
    assert [choice["on"] for choice in choices.values()].count(True) == 1
    other = setup.at({"readings.helpless_armour": "location"})
    by = E(other().damage) - E(setup().damage)
    assert choices["location"]["difference"] == f"{float(by):+.3g} HP"
    assert groups.keys() == {info.path for info in setup.stats if info.path.startswith("readings.")}


def test_why_names_todays_values_and_the_rules() -> None:
    told = why_of(View(smash.setup(bonus=7)), ["bonus", "ac"])
    (tree,) = told["trees"]
    assert (tree["name"], tree["odds"], tree["text"]) == ("Result", "65 %", "natural + bonus >= ac")
    assert [(child["name"], child["odds"]) for child in tree["children"]] == [
        ("Natural", "mean 10.5, sd 5.77"), ("Bonus", "7"), ("Ac", "15"),
    ]  # fmt: skip
    assert why_of(View(strike.setup()), [])["text"] == "By HR-1."


def test_a_map_is_the_measure_at_every_place() -> None:
    made = map_of(View(smash.setup()))
    assert made is not None
    assert (made.axes[0].path, made.axes[1].path) == ("bonus", "ac")
    for ac, row in zip(made.values[1], made.cells, strict=True):
        for bonus, cell in zip(made.values[0], row, strict=True):
            assert abs(cell - float(P(smash(bonus=bonus, ac=ac)))) < 1e-12
    assert made.here == (5, 10)
    assert made.text == (
        "Result over bonus (0 to 20) and ac (5 to 25): 55 % here, least 0 % at bonus 0, ac 21, "
        "most 100 % at bonus 20, ac 21."
    )


def test_the_axes_of_a_map_are_the_views_or_the_first_numbers() -> None:
    assert map_axes(View(strike.setup())) == ("attacker.attack", "target.defense")
    chosen = ("target.size", "attacker.luck")
    assert map_axes(View(strike.setup(), axes=chosen)) == chosen
    made = map_of(View(strike.setup(), axes=chosen))
    assert made is not None
    assert made.values[0] == ("small", "large")

    @rule()
    def alone(bonus: int = 0) -> Roll[int]:
        return roll(d(6)) + bonus

    assert map_axes(View(alone.setup())) == ()
    assert map_of(View(alone.setup())) is None


def test_the_figure_holds_the_same_after_new_data_as_when_drawn_anew() -> None:
    import holoviews as hv
    import numpy as np

    from rulekit_widgets.maps import LiveMap, _Drawing, _picture

    views = [View(strike.setup()), View(strike.setup(), "hit", axes=("target.prone", "target.defense"))]
    for view in [*views, View(strike.setup().at({"target.armour.0.dr": 0}))]:
        made = map_of(view)
        assert made is not None
        figures: list[Any] = []
        drawn = hv.render(_picture(_Drawing(made), figures.append), backend="bokeh")
        live = LiveMap(map_of(views[0]), "light")  # type: ignore[arg-type]
        root = live.pane.get_root()
        live.show(made, "dark")
        (kept,) = live._figures
        assert root is not None
        for one, other in zip(drawn.renderers, kept.renderers, strict=True):
            columns, others = one.data_source.data, other.data_source.data
            assert set(others) <= set(columns)
            for name in others:
                for a, b in zip(columns[name], others[name], strict=True):
                    if isinstance(a, str):
                        assert a == b
                    else:
                        np.testing.assert_allclose(np.asarray(a, float), np.asarray(b, float))
        for side in ("x_range", "y_range"):
            assert getattr(drawn, side).start == pytest.approx(getattr(kept, side).start)
            assert getattr(drawn, side).end == pytest.approx(getattr(kept, side).end)


def contrast(one: str, other: str) -> float:
    """The ratio of WCAG 2 between two colours, from 1 to 21."""

    def luminance(color: str) -> float:
        parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    dark, pale = sorted((luminance(one), luminance(other)))
    return (pale + 0.05) / (dark + 0.05)


@pytest.fixture
def drawn() -> tuple[Any, Any, MapData]:
    """A map, the figure that draws it, and its data: damage from 0.04 to 7.5, so lines at 2, 4 and 6."""
    from rulekit_widgets.maps import LiveMap

    made = map_of(View(strike.setup()))
    assert made is not None
    live = LiveMap(made, "light")
    live.pane.get_root()
    (figure,) = live._figures
    return live, figure, made


@pytest.mark.parametrize("theme", ["light", "dark", "contrast", "contrast-dark"])
def test_what_a_map_draws_is_seen_in_every_theme(drawn: tuple[Any, Any, MapData], theme: str) -> None:
    live, figure, made = drawn
    live.show(made, theme)
    (bar,) = figure.right
    cells, line_around, line, labels, point_around, point = (each.glyph for each in figure.renderers)
    least = 21 if theme.startswith("contrast") else 13
    for part in (figure.xaxis[0], figure.yaxis[0], bar):
        assert contrast(part.major_label_text_color, figure.border_fill_color) >= least
    for axis in (figure.xaxis[0], figure.yaxis[0]):
        assert contrast(axis.axis_label_text_color, figure.border_fill_color) >= least
        assert contrast(axis.axis_line_color, figure.border_fill_color) >= least
    assert contrast(labels.text_color, labels.background_fill_color) == 21
    for narrow, wide in ((line, line_around), (point, point_around)):
        assert narrow.line_width + 1 < wide.line_width
        pair = narrow.line_color, wide.line_color
        for cell in cells.color_mapper.palette:
            assert max(contrast(color, cell) for color in pair) > 4.5


def test_a_map_in_high_contrast_is_a_few_greys_between_round_values(
    drawn: tuple[Any, Any, MapData],
) -> None:
    from bokeh.models import BoxAnnotation
    from bokeh.palettes import Cividis256

    live, figure, made = drawn
    (bar,) = figure.right
    mapper = figure.renderers[0].glyph.color_mapper
    greys = ["#ffffff", "#aaaaaa", "#555555", "#000000"]
    models, ends = figure.references(), (min(map(min, made.cells)), max(map(max, made.cells)))
    for theme, palette in (("contrast", greys), ("contrast-dark", greys[::-1])):
        live.show(made, theme)
        assert (mapper.palette, mapper.low, mapper.high) == (palette, 0, 8)
        assert bar.ticker.ticks == [0, 2, 4, 6, 8]
        hatch = figure.select_one(BoxAnnotation)
        assert (figure.background_fill_color, hatch.visible, hatch.hatch_pattern) == (palette[0], True, "/")
    live.show(made, "light")
    assert (mapper.palette, mapper.low, mapper.high) == (list(Cividis256), *ends)
    assert (bar.ticker.ticks, figure.select_one(BoxAnnotation).visible) == ([2, 4, 6], False)
    assert figure.references() == models, "the theme changes in place"
    live.show(map_of(View(strike.setup(), "critical")), "contrast")  # 5 % everywhere
    assert (mapper.palette, bar.ticker.ticks) == (["#808080"], [0.05])


# -- the page


def test_views_are_undone_and_done_again() -> None:
    page: Any = explore(strike, page=True)
    first = page.view
    page.set({"attacker.attack": 9})
    page.view = replace(page.view, mode="one_in")
    page.undo()
    assert (page.view.mode, page.setup.get("attacker.attack")) == ("percent", 9)
    page.undo()
    page.undo()
    assert page.view == first
    page.redo()
    assert page.setup.get("attacker.attack") == 9
    page.set({"target.defense": 10})
    page.redo()
    assert page.setup == strike.setup().at({"attacker.attack": 9, "target.defense": 10}), (
        "nothing to redo any more"
    )


def test_a_stat_that_goes_takes_the_map_over_it_along() -> None:
    setup = strike.setup().at({"target.armour.1": {"dr": 2}})
    page: Any = explore(View(setup, axes=("target.armour.1.dr", "target.defense")), page=True)
    page._front.request = {"seq": 1, "edits": [{"op": "remove", "path": "target.armour.1"}]}
    assert page.setup == strike.setup()
    assert page.view.axes == ("attacker.attack", "target.defense")


def test_a_map_goes_over_stats_that_change_the_measure() -> None:
    desk = Desk(View(bumps.attack.setup(), "damage"))
    assert map_axes(desk.view) == ("attacker.melee", "defender.hp")
    assert map_axes(desk.view, desk.frames)[0] == "attacker.melee"
    assert map_axes(desk.view, desk.frames)[1] != "defender.hp", "hit points change no damage"


def test_what_is_refused_changes_nothing() -> None:
    page: Any = explore(strike, page=True)
    before = page.view
    with pytest.raises(StatError, match=r"attacker\.attack: 99 is above 14"):
        page.set({"attacker.attack": 99})
    page._front.deed = {"seq": 1, "op": "set", "changes": {"target.distance": 12}}
    told = json.loads(page._front.bar)
    assert told["trouble"] == "HR-2: the target is out of range"
    assert page.view == before
    page._front.deed = {"seq": 2, "op": "undo"}
    assert json.loads(page._front.bar)["trouble"] == ""


def test_a_saved_page_holds_all_and_asks_for_nothing(tmp_path: Path) -> None:
    page: Any = explore(strike, page=True)
    page.save(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert len(text) < 3_000_000
    asked = re.findall(r"<(?:script|img|link|iframe)[^>]*(?:src|href)=[\"']?([^\"'> ]*)", text)
    assert set(asked) == {"data:,"}
    assert map_of(page.view).text in text  # type: ignore[union-attr]


def test_the_command_says_what_it_does_not_understand(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["serve", "--port", "many"]) == 2
    assert "invalid int value" in capsys.readouterr().err
    assert cli.main(["serve", "no_such_file.py"]) == 2
    assert capsys.readouterr().err == "rulekit: no_such_file.py: there is no such Python file\n"
    assert cli.main(["serve", "--help"]) == 0


def test_a_rule_that_fails_beside_the_point_does_not_stop_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(view: View) -> Any:
        raise KeyError("six")

    monkeypatch.setattr("rulekit_widgets.page.worth_of", fails)
    page: Any = explore(smash, page=True)
    assert json.loads(page._front.worth)["trouble"] == "the rule failed with KeyError: 'six'"
    assert json.loads(page._front.why)["trees"]


def test_going_back_and_forth_leaves_nothing_behind() -> None:
    page: Any = explore(smash, page=True)
    page.set({"bonus": 9})

    def flip(times: int) -> int:
        for _ in range(times):
            page.undo()
            page.redo()
        gc.collect()
        return len(gc.get_objects())

    flip(10)
    before = flip(5)
    assert flip(40) - before < 200


def test_the_front_is_the_explorers_module_and_no_copy_of_it() -> None:
    explorer = (HERE / "explorer.js").read_text(encoding="utf-8")
    body = explorer.replace("export default { render };", "")
    for name, render in (("page.js", "renderPage"), ("gallery.js", "renderGallery")):
        made = module(name, render)
        assert made.startswith(body)
        assert made.count("export default") == 1
