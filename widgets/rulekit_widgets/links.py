"""A whole View in a link: `1.` for the version, then what it holds, packed for an address."""

from __future__ import annotations

import base64
import binascii
import zlib

from rulekit.errors import RulekitError
from rulekit_widgets.views import View

__all__ = ["link_of", "view_of"]

LONGEST = 20_000
"""Characters that a link may have."""

LARGEST = 500_000
"""Bytes that a link may unpack to."""


def link_of(view: View) -> str:
    """The text that stands for a View in an address: letters, digits, `.`, `-` and `_` only.

    Equal Views have equal links. Nothing in it is code; it names the rule by its id.

    >>> from rulekit import Roll, d, roll, rule
    >>> @rule()
    ... def smash(bonus: int = 5, ac: int = 15) -> Roll[bool]:
    ...     return roll(d(20), "natural") + bonus >= ac
    >>> view = View(smash.setup(bonus=7), mode="one_in")
    >>> view_of(link_of(view)) == view
    True
    """
    packed = zlib.compress(view.to_json().encode(), 9)
    return f"{view.version}.{base64.urlsafe_b64encode(packed).decode().rstrip('=')}"


def view_of(link: str) -> View:
    """The View of a link.

    Args:
        link: What `link_of` gave, of this or an older version; at most 20,000 characters.

    Raises:
        RulekitError: in one line, what is wrong: the form, the version, the rule (only imported ones are
            found), a stat.
    """
    if len(link) > LONGEST:
        raise RulekitError(f"this link has {len(link):,} characters; a link has at most {LONGEST:,}")
    version, dot, body = link.partition(".")
    if not dot or not version.isdecimal() or not version.isascii():
        raise RulekitError(
            f"this is no link to a view: it begins {link[:12]!r}, not with a version and a dot"
        )
    if int(version) > View.version:
        raise RulekitError(
            f"this link has version {version[:6]}; versions up to {View.version} open here: update rulekit"
        )
    try:
        packed = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
        unpack = zlib.decompressobj()
        data = unpack.decompress(packed, LARGEST)
        text = data.decode() if unpack.eof else None
    except (binascii.Error, zlib.error, ValueError):
        text = None
    if text is None:
        raise RulekitError("this link is broken: a part of it is missing or was changed")
    try:
        return View.from_json(text)
    except RecursionError:
        raise RulekitError("this link is broken: it is nested too deep") from None
    except RulekitError as fault:
        raise RulekitError(str(fault).partition("\n")[0]) from None
