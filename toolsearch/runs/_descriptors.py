"""What is said of a tool in a hit: safe to put back in a prompt, bounded (S5.1)."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import attrs

from toolsearch_hookspecs import Tool

from ..schemas import signature
from ..text import clean, cut, one_line, opening, spelling

# Five hits are read with every search, one description where a tool is asked about: on the tools of
# 34 published MCP servers five hits take 1.5 KB so, 2.2 KB with twice the room.
DESCRIPTION_CHARS = 120
SIGNATURE_CHARS = 160
LABEL_CHARS = 80
DESCRIBED_CHARS = 4_096
KEPT = 4_096


def compact(tool: Tool) -> dict[str, Any]:
    """The compact descriptor of a tool."""
    hit: dict[str, Any] = {
        "id": tool.id,
        "source": tool.source,
        "owner": tool.owner,
        "name": tool.name,
    }
    label = one_line(tool.label or "", LABEL_CHARS)
    if label and spelling(label) != spelling(tool.name):
        hit["label"] = label
    hit["description"] = opening(tool.description, DESCRIPTION_CHARS)
    hit["input"] = signature(tool.input_schema, trusted=tool.trusted, limit=SIGNATURE_CHARS)
    if tool.trusted and tool.output_schema is not None:
        hit["output"] = signature(tool.output_schema, trusted=True, limit=SIGNATURE_CHARS)
    return hit


def described(tool: Tool) -> str:
    """All that a tool says of itself, bounded, with its paragraphs."""
    said = clean(tool.description)
    if len(said) <= DESCRIBED_CHARS:
        return said
    return said[: cut(said, DESCRIBED_CHARS - 1)].rstrip() + "…"


@attrs.define
class Descriptors:
    """The compact descriptors of one host, the last 4,096 of which are kept: the same tools are
    found again and again, and a signature takes longer than the rest of a hit.
    """

    _kept: OrderedDict[tuple[str, bool], dict[str, Any]] = attrs.Factory(OrderedDict)

    def of(self, tool: Tool) -> dict[str, Any]:
        """The descriptor of a tool; the caller may change it."""
        key = tool.key, tool.trusted
        hit = self._kept.get(key)
        if hit is None:
            hit = self._kept[key] = compact(tool)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(key)
        return dict(hit)
