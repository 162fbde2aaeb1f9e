"""What is said of a tool in a hit: safe to put back in a prompt, bounded (S5.1)."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import attrs

from toolsearch_hookspecs import Tool

from ..schemas import signature
from ..text import fold, one_line

DESCRIPTION_CHARS = 240
LABEL_CHARS = 80
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
    if label and fold(label) != fold(tool.name):
        hit["label"] = label
    hit["description"] = one_line(tool.description, DESCRIPTION_CHARS)
    hit["input"] = signature(tool.input_schema, trusted=tool.trusted)
    if tool.trusted and tool.output_schema is not None:
        hit["output"] = signature(tool.output_schema, trusted=True)
    return hit


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
