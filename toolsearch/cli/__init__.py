"""The command line. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import sys
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    from ._app import run

    sys.exit(run(sys.argv[1:]))


__all__ = ["main"]
