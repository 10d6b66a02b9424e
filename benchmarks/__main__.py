"""Runs the tables that are named on the command line, or all of them."""

from __future__ import annotations

import argparse
import importlib
import pkgutil
from pathlib import Path


def tables() -> dict[str, str]:
    """The name of each module here that has a ``main``, with what it measures."""
    found = {}
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if not module.name.startswith("_"):
            loaded = importlib.import_module(f"benchmarks.{module.name}")
            if hasattr(loaded, "main"):
                found[module.name] = (loaded.__doc__ or "").splitlines()[0]
    return found


known = tables()
parser = argparse.ArgumentParser(
    prog="python -m benchmarks",
    description="Ratios, all sides in one run.",
    epilog="; ".join(f"{name}: {about}" for name, about in known.items()),
)
parser.add_argument("tables", nargs="*", metavar="table", help=f"{', '.join(known)}; none named: all")
chosen = parser.parse_args().tables or list(known)
unknown = [name for name in chosen if name not in known]
if unknown:
    parser.error(f"no table {', '.join(unknown)}; there are {', '.join(known)}")
for name in chosen:
    print(f"\n## {name}: {known[name]}\n")
    importlib.import_module(f"benchmarks.{name}").main()
