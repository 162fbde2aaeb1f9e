"""The reference, drawn from the code: each part is a function that gives Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ._commands import cli, commands
from ._configuration import configuration, configuration_schema
from ._contract import contract
from ._embedding import adapters, embedding
from ._events import events
from ._hooks import hooks
from ._testing import suites, testing

__all__ = ["PARTS", "commands", "configuration_schema", "drawn"]

NUMBER = r"S\d+(?:\.\d+)?"
NUMBERS = re.compile(
    rf" \({NUMBER}(?:, {NUMBER})*\)|^{NUMBER}: | (?:of|as in) {NUMBER}\b", re.MULTILINE
)
"""Of rules of the design, which a reader of the reference does not have."""

PARTS: Mapping[str, Callable[[], str]] = {
    "hooks": hooks,
    "contract": contract,
    "testing": testing,
    "suites": suites,
    "events": events,
    "configuration": configuration,
    "cli": cli,
    "embedding": embedding,
    "adapters": adapters,
}


def drawn(part: str) -> str:
    """One part as Markdown. Raises KeyError for a name that is not in `PARTS`."""
    return NUMBERS.sub("", PARTS[part]())
