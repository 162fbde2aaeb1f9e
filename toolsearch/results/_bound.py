"""Results held to what a model should see of one."""

from __future__ import annotations

import json
from typing import Any

from toolsearch_hookspecs import ToolResult

from ._store import Piece, ResultStore, fitting, json_bytes, reading_on, reserved

_LONGEST_NOTE = 4096


def bound(result: ToolResult, max_bytes: int, store: ResultStore) -> ToolResult:
    """The result with a value of at most `max_bytes` as JSON.

    A larger one becomes the beginning of its text (a structured value: of its JSON), `note` says
    so, and the whole is kept in `store` to be read on. The message of an error is held to half
    of `max_bytes` in the same way.
    """
    if result.note is not None and len(result.note) > _LONGEST_NOTE:
        result = result.model_copy(update={"note": result.note[: _LONGEST_NOTE - 1] + "…"})
    if result.error is not None:
        result = _with_bounded_message(result, max_bytes, store)
    if json_bytes(result.value) <= max_bytes:
        return result
    text = result.value if isinstance(result.value, str) else _text(result.value)
    shown, note = _beginning(text, reserved(max_bytes), store)
    return result.model_copy(update={"value": shown, "note": _joined(result.note, note)})


def _with_bounded_message(result: ToolResult, max_bytes: int, store: ResultStore) -> ToolResult:
    error = result.error
    if error is None or json_bytes(error.message) <= max(max_bytes // 2, 1024):
        return result
    shown, note = _beginning(error.message, max(max_bytes // 2, 1024), store)
    shorter = error.model_copy(update={"message": f"{shown}…"})
    return result.model_copy(update={"error": shorter, "note": _joined(result.note, note)})


def _beginning(text: str, room: int, store: ResultStore) -> tuple[str, str]:
    shown = fitting(text, 0, len(text), room)
    handle, kept = store.keep(text)
    note = reading_on(handle, Piece(shown, 0, len(shown), len(text)))
    if kept < len(text):
        note += f"; only the first {kept} characters are kept"
    return shown, note


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _joined(before: str | None, note: str) -> str:
    return note if before is None else f"{before}\n{note}"
