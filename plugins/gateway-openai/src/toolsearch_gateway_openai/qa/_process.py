"""The gateway as a process of its own, in the temporary environment."""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
from collections import deque
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import attrs

from toolsearch_hookspecs import ToolsearchError

_SERVING = re.compile(r"serving at (http://\S+)/v1")
_PASSED_ON = ("PATH", "HOME", "LANG", "SYSTEMROOT", "TMPDIR", "TEMP", "PYTHONPATH")
_STARTS_WITHIN_S = 120
_ENDS_WITHIN_S = 20


@attrs.frozen
class GatewayProcess:
    """A gateway under test: its address, the keys of its apps and its operator, and its log."""

    url: str
    keys: Mapping[str, str] = attrs.field(repr=False)
    operator_key: str = attrs.field(repr=False)
    folder: Path
    pid: int

    @property
    def log(self) -> Path:
        return self.folder / "session.jsonl"

    @property
    def state(self) -> Path:
        return self.folder / "state"


@asynccontextmanager
async def gateway_process(
    python: Path, folder: Path, config: Mapping[str, Any], apps: Mapping[str, str]
) -> AsyncIterator[GatewayProcess]:
    """Start it in a folder of its own; `apps` are the modes of its apps. Ended in order.

    Raises ToolsearchError where it does not start.
    """
    keys = {name: secrets.token_urlsafe(24) for name in apps}
    operator = secrets.token_urlsafe(24)
    file = _written(folder, _whole(config, folder, apps))
    environ = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    environ |= {_variable(name): key for name, key in keys.items()}
    environ |= {
        "TOOLSEARCH_STATE_DIR": str(folder / "state"),
        "TOOLSEARCH_GATEWAY_OPERATOR_KEY": operator,
        "OPENAI_API_KEY": "no-key-is-needed-here",
    }
    command = ("-P", "-m", "toolsearch", "--config", str(file), "gateway", "--port", "0")
    process = await asyncio.create_subprocess_exec(
        str(python), *command, env=environ, cwd=folder, stderr=asyncio.subprocess.PIPE
    )
    said: deque[str] = deque(maxlen=40)
    try:
        url = await _started(process, said)
        reading = asyncio.ensure_future(_read(process, said))
        try:
            yield GatewayProcess(url, keys, operator, folder, process.pid)
        finally:
            await _ended(process)
            await reading
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


def _written(folder: Path, config: Mapping[str, Any]) -> Path:
    folder.mkdir(parents=True)
    file = folder / "toolsearch.json5"
    file.write_text(json.dumps(config, indent=1), encoding="utf-8")
    return file


def _whole(config: Mapping[str, Any], folder: Path, apps: Mapping[str, str]) -> Mapping[str, Any]:
    """A lane's configuration with the apps and the log."""
    plugins = config["plugins"]
    named = {name: {"variable": _variable(name), "mode": mode} for name, mode in apps.items()}
    own = {**plugins["settings"].get("gateway-openai", {}), "apps": named}
    settings = {**plugins["settings"], "gateway-openai": own}
    return {
        **config,
        "plugins": {**plugins, "settings": settings},
        "log": {"path": str(folder / "session.jsonl")},
    }


def _variable(app: str) -> str:
    return f"TOOLSEARCH_QA_KEY_{app.upper()}"


async def _started(process: asyncio.subprocess.Process, said: deque[str]) -> str:
    assert process.stderr is not None  # noqa: S101 - it is a pipe
    try:
        async with asyncio.timeout(_STARTS_WITHIN_S):
            while line := await process.stderr.readline():
                text = line.decode(errors="replace").rstrip()
                said.append(text)
                if (match := _SERVING.search(text)) is not None:
                    return match[1]
    except TimeoutError:
        pass
    raise ToolsearchError("the gateway did not start; it said:\n" + "\n".join(said))


async def _read(process: asyncio.subprocess.Process, said: deque[str]) -> None:
    assert process.stderr is not None  # noqa: S101 - it is a pipe
    while line := await process.stderr.readline():
        said.append(line.decode(errors="replace").rstrip())


async def _ended(process: asyncio.subprocess.Process) -> None:
    with suppress(ProcessLookupError):
        process.terminate()
    with suppress(TimeoutError):
        async with asyncio.timeout(_ENDS_WITHIN_S):
            await process.wait()
