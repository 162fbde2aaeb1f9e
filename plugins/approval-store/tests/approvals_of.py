"""Calls, requests, and the plugin with a database in a folder of the test."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from toolsearch_approval_store import StoreSettings, plugin, store_of
from toolsearch_hookspecs import (
    ApprovalRequest,
    AskReason,
    Event,
    EventType,
    PluginContext,
    RunContext,
    Tool,
    ToolAnnotations,
    ToolCall,
)

_ids = itertools.count()

SCHEMA = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}


def tool(**changed: Any) -> Tool:
    values: dict[str, Any] = {
        "id": "mcp:github:create_issue",
        "source": "mcp",
        "owner": "github",
        "name": "create_issue",
        "description": "Create an issue",
        "input_schema": SCHEMA,
        "annotations": ToolAnnotations(destructiveHint=False),
        "digest": "digest-1",
        "plugin": "source-mcp",
        "origin": "npx github-server",
    }
    return Tool(**values | changed)


def call(
    one: Tool | None = None, arguments: Mapping[str, Any] | None = None, **who: Any
) -> ToolCall:
    return ToolCall(
        id=f"call-{next(_ids)}",
        tool=one or tool(),
        arguments={"title": "Crash"} if arguments is None else arguments,
        run=RunContext(**{"run_id": "run-1", "session": "s1"} | who),
        via="tool_call",
    )


def request(of: ToolCall | None = None, *, wait_s: float = 120) -> ApprovalRequest:
    now = datetime.now(UTC)
    return ApprovalRequest(
        id=f"req{next(_ids)}x{now.timestamp():.6f}",
        call=of or call(),
        reasons=(AskReason(by="policy-rules", reason="level global asks a person first"),),
        digest="d",
        created=now,
        expires=now + timedelta(seconds=wait_s),
    )


def context_in(folder: Path, **settings: Any) -> PluginContext:
    return PluginContext(
        name="approval-store",
        settings=StoreSettings(**settings),
        base_dir=folder,
        state_dir=folder / "state",
    )


class Desk:
    """The plugin as a host has it, and a second hand on its database, as a command line has."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.context = context_in(folder, **settings)
        self.plugin = plugin()
        self.plugin.toolsearch_configure(self.context)
        self.store = store_of(self.context)

    def ask(self, asked: ApprovalRequest) -> asyncio.Task[Any]:
        return asyncio.create_task(self.plugin.toolsearch_approve(asked))

    async def pending(self, count: int = 1) -> list[Any]:
        """Wait until so many requests can be answered."""
        async with asyncio.timeout(20):
            while len(found := self.store.requests(pending=True)) < count:
                await asyncio.sleep(0.01)
        return found

    def told(self, asked: ApprovalRequest, **data: Any) -> None:
        self.plugin.toolsearch_event(
            Event(
                type=EventType.APPROVAL_ANSWERED,
                at=datetime.now(UTC),
                seq=1,
                run=asked.call.run.run_id,
                data={"call": asked.call.id, "request": asked.id} | data,
            )
        )

    async def close(self) -> None:
        self.store.database.close()
        await self.plugin.toolsearch_shutdown()


class Shown:
    """A command's context that keeps what was shown."""

    json = False

    def __init__(self) -> None:
        self.data: list[Any] = []
        self.texts: list[str] = []
        self.arrived: asyncio.Queue[str] = asyncio.Queue()

    def host(self) -> Any:
        raise AssertionError("the commands of approvals need no host")

    def show(self, data: Any, *, text: str | None = None) -> None:
        self.data.append(data)
        self.texts.append(text if text is not None else str(data))
        self.arrived.put_nowait(self.texts[-1])


def command(context: PluginContext, name: str) -> Any:
    (found,) = [one for one in plugin().toolsearch_commands(context) if one.name == name]
    return found


async def ran(context: PluginContext, name: str, **given: Any) -> tuple[int | None, Shown]:
    found = command(context, name)
    shown = Shown()
    defaults = {one.name: one.default for one in found.parameters}
    return await found.run(shown, defaults | given), shown
