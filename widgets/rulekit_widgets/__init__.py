"""Live views of rules, for a notebook cell and for a page."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rulekit._version import __version__

if TYPE_CHECKING:
    from rulekit_widgets.explorer import explore
    from rulekit_widgets.frames import Frame, frame
    from rulekit_widgets.views import View

__all__ = ["Frame", "View", "__version__", "explore", "frame"]

_HOMES = {"explore": "explorer", "Frame": "frames", "frame": "frames", "View": "views"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    except ModuleNotFoundError as fault:
        if fault.name != "anywidget":
            raise
        raise ModuleNotFoundError(
            "the explorer needs anywidget: pip install 'rulekit-ttrpg[widgets]'", name=fault.name
        ) from fault
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
