"""Log records that a person has to act on at once: said on the error stream, asked for or not."""

from __future__ import annotations

import logging
from collections.abc import Callable


class _ForAPerson(logging.Handler):
    def __init__(self, say: Callable[[str], None]) -> None:
        super().__init__()
        self.say = say

    def emit(self, record: logging.LogRecord) -> None:
        if getattr(record, "for_a_person", False):
            self.say(record.getMessage())


def to_a_person(say: Callable[[str], None]) -> None:
    """Have records marked `for_a_person` said, once each, and no others."""
    root = logging.getLogger()
    for handler in root.handlers:
        if isinstance(handler, _ForAPerson):
            handler.say = say
            return
    root.addHandler(_ForAPerson(say))
