"""``python -m rulekit``: the command line, where the program itself is not on the path."""

from __future__ import annotations

import sys

from rulekit.cli import main

if __name__ == "__main__":
    sys.exit(main())
