"""The SDK's server around a front."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from importlib.metadata import version
from typing import Any

from mcp.server import NotificationOptions, Server
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.models import InitializationOptions
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged

from toolsearch_hookspecs import ConfigError

from ._front import Front

NAME = "toolsearch"
GREETINGS = ("initialize", "server/discover")
GATHERED_S = 0.2


class FrontServer(Server[dict[str, Any]]):
    """A low-level server that says that its list of tools may change."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> InitializationOptions:
        return super().create_initialization_options(
            notification_options or NotificationOptions(tools_changed=True),
            experimental_capabilities,
            {key: dict(value) for key, value in (extensions or {}).items()},
        )


def server_for(front: Front) -> FrontServer:
    """The server that answers for `front`, in both eras of the protocol."""
    bus = InMemorySubscriptionBus()
    gathering: asyncio.Task[None] | None = None
    publishing: set[asyncio.Task[None]] = set()

    async def announce() -> None:
        """Tell all who listen, once for all the clients that found the same change at a time."""
        nonlocal gathering
        if gathering is None:
            gathering = asyncio.create_task(publish())
            publishing.add(gathering)
            gathering.add_done_callback(publishing.discard)

    async def publish() -> None:
        nonlocal gathering
        await asyncio.sleep(GATHERED_S)
        gathering = None
        await bus.publish(ToolsListChanged())

    async def instructed(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        """Tell each client what holds when it comes, and nothing where that cannot be had."""
        result = await call_next(ctx)
        if ctx.method in GREETINGS and isinstance(result, dict):
            result.pop("instructions", None)
            with suppress(ConfigError):
                if (now := await front.instructions()) is not None:
                    result["instructions"] = now
        return result

    front.announce = announce
    server = FrontServer(
        NAME,
        version=version("toolsearch-serve-mcp"),
        on_list_tools=front.list_tools,
        on_call_tool=front.call_tool,
        on_subscriptions_listen=ListenHandler(bus),
    )
    server.middleware.append(instructed)
    return server
