"""The gallery for `panel serve`: this file is the app."""

from __future__ import annotations

from rulekit_widgets.gallery import visit

visit().servable()
