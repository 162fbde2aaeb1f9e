"""The several hundred functions of the standard library that the demo offers."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from typing import Any

HARMLESS = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}


def listed() -> dict[str, dict[str, list[str]]]:
    """The list as it is written: `functions` and `objects` by module."""
    return tomllib.loads(files(__package__).joinpath("stdlib.toml").read_text("utf-8"))


def module_settings() -> list[dict[str, Any]]:
    """The list as `plugins.settings.source-python.modules`."""
    return [
        {"module": module, "annotations": {"*": HARMLESS}, **entry}
        for module, entry in listed().items()
    ]
