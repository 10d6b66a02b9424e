"""`rulekit serve`: the gallery as a command."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from rulekit.errors import RulekitError

__all__ = ["command"]

_HELP = """\
examples:
  rulekit serve
  rulekit serve my_rules.py --port 5010 --no-show
"""


def command(arguments: Sequence[str]) -> int:
    """Serve the gallery of all rules, and of one's own, until it is stopped.

    Args:
        arguments: After the command's name.

    Returns:
        The exit code: 0 when it was stopped, 2 for arguments that were not understood.

    Raises:
        RulekitError: a file cannot be imported, the port is taken, or Panel is not installed.
    """
    parser = argparse.ArgumentParser(
        "rulekit serve",
        description="Serve all rules as pages: sliders, map, what a point is worth.",
        epilog=_HELP,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="*", help="Python files with rules of your own")
    parser.add_argument("--port", type=int, default=5006, help="the port (5006)")
    parser.add_argument("--address", default="127.0.0.1", help="where to listen (this machine alone)")
    parser.add_argument("--no-show", action="store_true", help="do not open a browser")
    try:
        read = parser.parse_args(list(arguments))
    except SystemExit as end:  # argparse has said why
        return end.code if isinstance(end.code, int) else 2
    try:
        from rulekit_widgets.gallery import serve
    except ModuleNotFoundError as fault:
        if fault.name not in ("panel", "holoviews", "bokeh", "anywidget"):
            raise
        raise RulekitError("serving needs Panel: pip install 'rulekit-ttrpg[widgets]'") from fault
    try:
        serve(read.files, port=read.port, address=read.address, show=not read.no_show)
    except OSError as fault:
        raise RulekitError(f"{read.address}:{read.port} cannot be served: {fault.strerror}") from fault
    except KeyboardInterrupt:
        pass
    return 0
