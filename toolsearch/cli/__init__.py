"""The command line. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import gc
import sys
from typing import NoReturn

# Objects made before the collector looks at the young ones, and how rarely at the rest. A catalog is
# large and lives as long as the process: of the first plan over 10,000 tools a sixth was spent on
# looking at it again, and the loop was held for 200 ms at a time.
COLLECTED = 100_000, 20, 10


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    from ._app import run

    gc.set_threshold(*COLLECTED)
    sys.exit(run(sys.argv[1:]))


__all__ = ["main"]
