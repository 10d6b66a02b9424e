"""A view as a picture with its sentence and table: what a notebook shows where nothing runs."""

from __future__ import annotations

import base64
import html
import sys
from array import array
from collections.abc import Mapping, Sequence
from typing import Any

from rulekit_widgets.cells import MODES, written
from rulekit_widgets.views import SHAPES

__all__ = ["sentence", "still"]

_WIDTH, _HEIGHT, _LEFT, _FOOT = 640, 280, 54, 40

_STYLE = (
    ".jp-OutputArea-child:has(.rk-still) + .jp-OutputArea-child:not(:has(.jp-OutputArea-output > *))"
    " { display: none; }"
)
"""In the output below, JupyterLab says of a widget that no kernel knows that it is loading or not found: text
and nothing else. In the still's own words that is said better."""


def sentence(state: Mapping[str, Any]) -> str:
    """The sentence at the point of a state of the explorer."""
    return _told(state, 0)


def still(state: Mapping[str, Any], name: str) -> str:
    """Sentence, figures, picture and table at the point, as HTML of which a host that trusts nobody takes
    out the style and nothing else.

    Args:
        state: `frames` and `answer`, as the explorer holds them.
        name: A class for it, by which what is live beside it hides it.
    """
    frames, look = state["frames"], state["answer"]["look"]
    point, mode = frames["point"], look["mode"]
    shown = next(each for each in frames["measures"] if each["name"] == frames["measure"])
    about = _text(shown["label"] + (f", {shown['unit']}" if shown["unit"] else ""))
    keys = _keys(point["outcomes"])
    odds = _unpacked(point["rows"], len(keys))
    shapes = SHAPES if shown["kind"] == "number" else SHAPES[:1]
    shape = look["shape"] if look["shape"] in shapes else shapes[0]
    columns = [
        point["cells"][each] if mode == "fraction" else [written(p, mode) for p in odds[each]]
        for each in shapes
    ]
    figures = [
        f"<li>{_text(tile['label'])}: <strong>{_text(_told(state, k))}</strong></li>"
        for k, tile in enumerate(frames["tiles"], 1)
    ]
    rows = [
        f'<tr><th scope="row">{_text(key)}</th>{"".join(f"<td>{_text(cell)}</td>" for cell in cells)}</tr>'
        for key, *cells in zip(keys, *columns, strict=True)
    ]
    heads = [f'<th scope="col">{head}</th>' for head in ("Outcome", *map(_named, shapes))]
    top = max(odds[shape])
    axis = f"{about}: {_named(shape).lower()}"
    picture = base64.b64encode(_picture(keys, odds[shape], top, written(top, mode), axis).encode()).decode()
    return (
        f'<div class="rk-still {name}"><style>{_STYLE}</style>'
        f"<p><strong>{_text(sentence(state))}</strong></p><ul>{''.join(figures)}</ul>"
        f'<img width="{_WIDTH}" alt="Bars of {axis}; the table has their figures" '
        f'src="data:image/svg+xml;base64,{picture}">'
        '<div style="max-height:360px;overflow:auto">'
        f"<table><caption>Chance of each outcome: {about}</caption><thead><tr>{''.join(heads)}"
        f"</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
        f"{''.join(f'<p>{_text(note)}</p>' for note in frames['notes'])}"
        "<p>As it stood when the cell ran; run the cell for sliders.</p></div>"
    )


def _picture(keys: Sequence[str], odds: Sequence[float], top: float, most: str, axis: str) -> str:
    """The bars as SVG, on white, so that it is seen on a dark page too."""
    base, right, step = _HEIGHT - _FOOT, _WIDTH - 8, (_WIDTH - 8 - _LEFT) / len(keys)
    bars = "".join(
        f"M{_LEFT + (i + 0.1) * step:.2f} {base}V{base - (base - 10) * p / top:.2f}h{0.8 * step:.2f}V{base}z"
        for i, p in enumerate(odds)
        if p
    )
    every = max(1, -(-len(keys) * (10 + 7 * min(max(map(len, keys)), 16)) // (right - _LEFT)))
    labels = [
        f'<text x="{_LEFT + (i + 0.5) * step:.1f}" y="{base + 16}">{_text(keys[i][:16])}</text>'
        for i in range(0, len(keys), every)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" fill="#505a64" '
        'font-family="sans-serif" font-size="12" text-anchor="middle">'
        '<rect width="100%" height="100%" fill="#fff"/>'
        f'<path stroke="#c3cad1" d="M{_LEFT} 10H{right}M{_LEFT} {base}H{right}"/>'
        f'<path fill="#0072b2" d="{bars}"/>{"".join(labels)}'
        f'<text x="{(_LEFT + right) / 2}" y="{_HEIGHT - 6}">{axis}</text><g text-anchor="end">'
        f'<text x="{_LEFT - 6}" y="14">{_text(most)}</text>'
        f'<text x="{_LEFT - 6}" y="{base + 4}">0</text></g></svg>'
    )


def _told(state: Mapping[str, Any], k: int) -> str:
    """The sentence (0) or one of the figures (from 1) at the point."""
    frames = state["frames"]
    place = k * len(MODES) + MODES.index(state["answer"]["look"]["mode"])
    told: str = frames["texts"][frames["point"]["text"][place]]
    return told


def _keys(outcomes: Mapping[str, Any]) -> list[str]:
    if "keys" in outcomes:
        return list(outcomes["keys"])
    start = outcomes["start"]
    return [str(x).replace("-", "\N{MINUS SIGN}") for x in range(start, start + outcomes["count"])]


def _unpacked(rows: str, size: int) -> dict[str, array[float]]:
    """By shape the odds of the outcomes at the first place of a table."""
    cells = array("f", base64.b64decode(rows))
    if sys.byteorder == "big":
        cells.byteswap()
    return {shape: cells[k * size : (k + 1) * size] for k, shape in enumerate(SHAPES)}


def _named(shape: str) -> str:
    return shape.replace("_", " ").capitalize()


def _text(text: str) -> str:
    return html.escape(text, quote=True)
