# ruff: noqa: INP001 - this becomes a distribution of its own
"""The throw-away plugin: a catalog from a file, whose tools give receipts."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from toolsearch_hookspecs import (
    PluginContext,
    RunContext,
    SourceListing,
    SourceUnavailable,
    ToolCall,
    ToolSource,
    hookimpl,
)

HERE = Path(__file__).parent


class Catalog(ToolSource):
    """Answers each call with a receipt that nobody else can make."""

    name = "qa-catalog"
    kind = "plugin"
    trusted = True
    origin = "toolsearch-qa-catalog"

    def __init__(self, state_dir: Path) -> None:
        given = json.loads((HERE / "catalog.json").read_text("utf-8"))
        self._tools: list[dict[str, Any]] = given["tools"]
        self._secret: str = given["secret"]
        self._dead = state_dir / "qa-catalog.dead"

    async def start(self, changed: Callable[[], None]) -> None:
        """Nothing to start."""

    async def list_tools(self, run: RunContext) -> SourceListing:
        return SourceListing(generation="1", tools=self._tools)

    async def call(self, call: ToolCall) -> Any:
        if self._dead.exists():
            raise SourceUnavailable("the backend of qa-catalog does not answer any more")
        said = json.dumps([call.tool.name, dict(call.arguments)], sort_keys=True)
        receipt = hmac.new(self._secret.encode(), said.encode(), hashlib.sha256).hexdigest()
        return {"receipt": receipt}

    async def aclose(self) -> None:
        """Nothing to close."""


class Plugin:
    @hookimpl
    def toolsearch_tool_sources(self, plugin: PluginContext) -> Iterable[ToolSource]:
        return (Catalog(plugin.state_dir),)


plugin = Plugin
