"""Live views of rules, for a notebook cell and for a page."""

from __future__ import annotations

from rulekit._version import __version__

__all__ = ["__version__"]
