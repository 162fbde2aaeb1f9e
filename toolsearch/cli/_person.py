"""Log records that a person has to act on at once: said on the error stream, asked for or not."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable

CONSOLE = "approval-console"
"""The plugin that asks at the terminal: what it shows needs no second line in the midst of it."""

Say = Callable[[str], None]


class _ForAPerson(logging.Handler):
    say: Say | None = None

    def emit(self, record: logging.LogRecord) -> None:
        if self.say is not None and getattr(record, "for_a_person", False):
            self.say(record.getMessage())


def to_a_person(say: Say | None) -> None:
    """Have records marked `for_a_person` said, once each, and no others; None: not even these."""
    root = logging.getLogger()
    ours = next((each for each in root.handlers if isinstance(each, _ForAPerson)), None)
    if ours is None:
        ours = _ForAPerson()
        root.addHandler(ours)
    ours.say = say


def at_a_terminal() -> bool:
    """Whether a person sits at input and error stream, so that a question can be asked there."""
    return all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))
