"""The SDK's server around a front."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from mcp.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged

from ._front import Front

NAME = "toolsearch"


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


def server_for(front: Front, instructions: str | None) -> FrontServer:
    """The server that answers for `front`, in both eras of the protocol."""
    bus = InMemorySubscriptionBus()

    async def announce() -> None:
        await bus.publish(ToolsListChanged())

    front.announce = announce
    return FrontServer(
        NAME,
        version=version("toolsearch-serve-mcp"),
        instructions=instructions,
        on_list_tools=front.list_tools,
        on_call_tool=front.call_tool,
        on_subscriptions_listen=ListenHandler(bus),
    )
