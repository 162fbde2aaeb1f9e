"""Editing the arguments of a call, in the person's editor or as one line of JSON."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ._terminal import Terminal


async def edited(
    arguments: Mapping[str, Any], terminal: Terminal, environ: Mapping[str, str]
) -> Mapping[str, Any] | None:
    """The arguments as edited; None where that did not give a JSON object, which is said."""
    editor = environ.get("VISUAL") or environ.get("EDITOR")
    text = json.dumps(dict(arguments), ensure_ascii=False, indent=2)
    if editor:
        text = await _in_editor(shlex.split(editor), text, terminal)
    else:
        text = await terminal.question("the arguments as JSON: ") or ""
    try:
        value = json.loads(text)
    except ValueError as error:
        terminal.show(f"not JSON: {error}\n")
        return None
    if not isinstance(value, dict):
        terminal.show("the arguments are a JSON object\n")
        return None
    return value


async def _in_editor(editor: list[str], text: str, terminal: Terminal) -> str:
    name = _temporary(text)
    try:
        await _run([*editor, name], terminal)
        return _content(name)
    finally:
        _remove(name)


def _temporary(text: str) -> str:
    """The name of a new file for the owner alone."""
    descriptor, name = tempfile.mkstemp(prefix="toolsearch-", suffix=".json")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    return name


def _content(name: str) -> str:
    return Path(name).read_text(encoding="utf-8", errors="replace")


def _remove(name: str) -> None:
    Path(name).unlink(missing_ok=True)


async def _run(command: list[str], terminal: Terminal) -> None:
    try:
        process = await asyncio.create_subprocess_exec(
            *command, stdin=terminal.stdin, stdout=terminal.stderr, stderr=terminal.stderr
        )
    except OSError as error:
        terminal.show(f"{command[0]} cannot be started: {error.strerror}\n")
        return
    try:
        await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
