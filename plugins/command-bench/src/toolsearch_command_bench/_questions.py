"""How one would ask for a tool: made by rule from what it says of itself."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attrs import frozen

from toolsearch_hookspecs import Tool

LONGEST_CLAUSE = 25
TELLING_WORDS = 6

KINDS = ("name", "name in words", "first clause", "other verbs", "telling words")

_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
_CLAUSE = re.compile(r"[.;:!?\n。！？；]|\s[-–—(]")
_WORD = re.compile(r"[^\W_]+")

OTHER_VERBS = {
    "get": "fetch",
    "fetch": "get",
    "retrieve": "get",
    "list": "show all",
    "show": "display",
    "create": "make",
    "make": "create",
    "add": "create",
    "delete": "remove",
    "remove": "delete",
    "update": "change",
    "edit": "modify",
    "modify": "edit",
    "search": "look up",
    "find": "search for",
    "send": "deliver",
    "read": "view",
    "write": "save",
    "run": "execute",
    "execute": "run",
    "start": "launch",
    "stop": "end",
    "check": "verify",
    "convert": "turn",
    "calculate": "work out",
    "upload": "put up",
    "download": "fetch",
}
PLAIN = frozenset(
    """a about all also an and any are as at be by can for from has have if in into is it its of on
    one or other should that the their them then these this those to use used using via want was we
    when where which will with you your given returns return tool function api""".split()
)


@frozen
class Question:
    """One way to ask for a tool; `kind` is one of `KINDS`."""

    kind: str
    text: str


def questions(tool: Tool) -> Iterator[Question]:
    """The questions for a tool; those that its texts give nothing for are left out."""
    yield Question("name", tool.name)
    spelled = " ".join(part.lower() for part in _PARTS.findall(tool.name))
    if spelled and spelled != tool.name:
        yield Question("name in words", spelled)
    clause = first_clause(tool)
    words = _WORD.findall(clause)
    if not words:
        return
    yield Question("first clause", clause)
    turned = " ".join(OTHER_VERBS.get(_stem(word), word) for word in words)
    if turned.lower() != " ".join(words).lower():
        yield Question("other verbs", turned)
    telling = [word for word in dict.fromkeys(words) if word.lower() not in PLAIN]
    if len(telling) > 1:
        yield Question("telling words", " ".join(reversed(telling[:TELLING_WORDS])))


def first_clause(tool: Tool) -> str:
    """The beginning of the description, to the end of its first clause."""
    clause = next((part for part in _CLAUSE.split(tool.description) if part.strip()), "")
    return " ".join(clause.split()[:LONGEST_CLAUSE])


def _stem(word: str) -> str:
    """A verb as it stands in the table: `Creates` and `create` are one."""
    low = word.lower()
    candidates = (low, low.removesuffix("s"), low.removesuffix("es"))
    return next((verb for verb in candidates if verb in OTHER_VERBS), low)
