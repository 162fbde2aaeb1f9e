"""What of a tool is encoded."""

from __future__ import annotations

import re
from itertools import islice

from toolsearch_hookspecs import Tool

MAX_DESCRIPTION = 400
MAX_PARAMETERS = 12
MAX_PARAMETER_NAME = 40
UNNAMED_OWNER = "core"

_SPLIT = re.compile(r"(?<=[a-z\d])(?=[A-Z])|[_\-.]+")


def text_of(tool: Tool) -> str:
    """Owner, name, the beginning of the description, and the names of the first parameters."""
    parameters = tool.input_schema.get("properties")
    names = [
        _words(str(name)[:MAX_PARAMETER_NAME])
        for name in islice(parameters if isinstance(parameters, dict) else (), MAX_PARAMETERS)
    ]
    owner = f"{_words(tool.owner)}: " if tool.owner != UNNAMED_OWNER else ""
    label = f"{tool.label}. " if tool.label else ""
    listed = f" ({', '.join(names)})" if names else ""
    said = tool.description[:MAX_DESCRIPTION]
    return encodable(f"{owner}{_words(tool.name)}. {label}{said}{listed}")


def encodable(text: str) -> str:
    """The text without lone surrogates, which no tokenizer takes."""
    return text.encode(errors="replace").decode()


def _words(name: str) -> str:
    return _SPLIT.sub(" ", name)
