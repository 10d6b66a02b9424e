"""A view as one page that needs no kernel and no network."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["ESM", "CSS", "framed", "page"]

ESM = Path(__file__).parent / "explorer.js"
CSS = Path(__file__).parent / "explorer.css"

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>:root {{ color-scheme: light dark; }} body {{ margin: 0; }}
{css}</style>
</head>
<body>
<main id="explorer"></main>
<script type="module">
{module}
const state = {state};
const still = {{ get: (name) => state[name], set() {{}}, save_changes() {{}}, on() {{}}, off() {{}} }};
render({{ model: still, el: document.getElementById("explorer") }});
</script>
</body>
</html>
"""


def page(state: Mapping[str, Any]) -> str:
    """One self-contained page that shows a state of the explorer, its sliders alive one at a time.

    Args:
        state: `frames`, `answer` and `theme`, as the explorer holds them.
    """
    data = json.dumps({**state, "live": False}, ensure_ascii=False, separators=(",", ":"))
    return _PAGE.format(
        title=html.escape(state["frames"]["rule"]["title"]),
        css=CSS.read_text(encoding="utf-8"),
        module=_module(),
        # Neither may end the script element, nor can a line separator end a line in it.
        state=data.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029"),
    )


def framed(state: Mapping[str, Any], instead_of: str, height: int = 900) -> str:
    """The same page as an iframe, for the output of a notebook; where it lives, what has the class
    `instead_of` is hidden.
    """
    source = html.escape(page(state), quote=True)
    title = html.escape(state["frames"]["rule"]["title"], quote=True)
    return (
        f"<style>.{instead_of} {{ display: none; }}</style>"
        f'<iframe title="{title}" style="width:100%;height:{height}px;border:0" '
        f'sandbox="allow-scripts" srcdoc="{source}"></iframe>'
    )


@cache
def _module() -> str:
    """The front end without the comments that are lines of their own: a reader of a file needs none."""
    return re.sub(r"^\s*//.*\n", "", ESM.read_text(encoding="utf-8"), flags=re.MULTILINE)
