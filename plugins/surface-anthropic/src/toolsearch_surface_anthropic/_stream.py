"""A streamed message put together from its events."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any


def message_of(events: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The message that the events tell; events that are not of the protocol are passed over.

    The input of a call arrives as pieces of JSON. Where they make no JSON, the input is the text
    itself.
    """
    message: dict[str, Any] = {"type": "message", "role": "assistant"}
    blocks: dict[int, dict[str, Any]] = {}
    inputs: dict[int, str] = {}
    for event in events:
        match event:
            case {"type": "message_start", "message": Mapping() as begun}:
                message |= begun
            case {"type": "content_block_start", "index": int(index), "content_block": block}:
                blocks[index] = dict(block)
            case {"type": "content_block_delta", "index": int(index), "delta": delta} if (
                index in blocks
            ):
                inputs[index] = inputs.get(index, "") + _grown(blocks[index], delta)
            case {"type": "message_delta", "delta": Mapping() as delta}:
                message |= delta
    for index, text in inputs.items():
        if text:
            blocks[index]["input"] = _read(text)
    return message | {"content": [blocks[index] for index in sorted(blocks)]}


def _grown(block: dict[str, Any], delta: Mapping[str, Any]) -> str:
    """Add a delta to its block; gives the piece of an input's JSON that it was."""
    match delta:
        case {"type": "input_json_delta", "partial_json": str(piece)}:
            return piece
        case {"type": "text_delta", "text": str(piece)}:
            block["text"] = block.get("text", "") + piece
        case {"type": "thinking_delta", "thinking": str(piece)}:
            block["thinking"] = block.get("thinking", "") + piece
        case {"type": "signature_delta", "signature": str(piece)}:
            block["signature"] = block.get("signature", "") + piece
        case {"type": "citations_delta", "citation": citation}:
            block["citations"] = [*(block.get("citations") or ()), citation]
    return ""


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
