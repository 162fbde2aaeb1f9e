"""The code in what the model sent."""

from __future__ import annotations

import json
import re
from typing import Any

_OPENED = re.compile(r"(`{3,}|~{3,})[^\n`]*\n")
_NAMES = ("code", "script", "javascript", "js")
_MOST_WRAPPERS = 8
_WRAPPERS = ("arguments", "parameters", "input", "args")


class NoCodeError(Exception):
    """There is no code to run; the text says what to send."""


def code_of(arguments: Any) -> str:
    """The body to run. Raises `NoCodeError`.

    Taken as they come: the object with `code`, that object as a JSON string or inside a single
    wrapper, the code alone, and code fenced in Markdown.
    """
    code = unfenced(_find(arguments))
    if not code.strip():
        raise NoCodeError(
            "the code is empty; send the body of an async JavaScript function, such as: "
            'return await openclaw.tools.search("what you need");'
        )
    return code


def unfenced(text: str) -> str:
    """The text without the Markdown fence around it, where it has one."""
    fenced = text.strip()
    opened = _OPENED.match(fenced)
    if opened is None or not fenced.endswith(opened[1], opened.end()):
        return text
    # No pattern for the end: one that looks for it from every blank takes minutes over many blanks.
    code = fenced[opened.end() : len(fenced) - len(opened[1])]
    return code.rstrip(" \t").removesuffix("\n")


def _find(arguments: Any, room: int = _MOST_WRAPPERS) -> str:
    match arguments:
        case str():
            return _from_text(arguments, room)
        case {**given} if room:
            named = {given[name] for name in _NAMES if isinstance(given.get(name), str)}
            if len(named) == 1:
                return str(named.pop())
            if len(named) > 1:
                raise NoCodeError("the code was given twice, differently; send it once, as code")
            for wrapper in _WRAPPERS:
                if isinstance(given.get(wrapper), str | dict) and len(given) == 1:
                    return _find(given[wrapper], room - 1)
    raise NoCodeError('there is no code; send {"code": "…"} with the body of a function')


def _from_text(text: str, room: int) -> str:
    """A string is JSON that holds the code, or the code itself."""
    try:
        held = json.loads(text)
    except (ValueError, RecursionError):
        return text
    match held:
        case str():
            return held
        case {**given} if any(name in given for name in (*_NAMES, *_WRAPPERS)):
            return _find(held, room)
        case _:
            return text
