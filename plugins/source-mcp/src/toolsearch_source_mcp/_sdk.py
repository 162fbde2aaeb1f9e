"""The SDK of the protocol, imported as a whole while the host is put together.

Only then does no thread of the host parse Python yet. CPython 3.11 makes one syntax tree at a time
in a whole process: where a second thread begins one half-way, either fails with SystemError, and
importing the SDK makes some.
"""

from __future__ import annotations

import importlib

SPEAKING = (
    "anyio",
    "mcp.client",
    "mcp.client.session",
    "mcp.client.subscriptions",
    "mcp.shared.inbound",
    "mcp.shared.message",
    "mcp_types",
    "mcp_types.version",
)
OVER_HTTP = ("mcp.client.auth", "mcp.client.streamable_http", "mcp.shared.auth")


def load(*, http: bool) -> None:
    """Import all that speaking to servers needs, and what doing so over HTTP needs besides."""
    for name in (*SPEAKING, *(OVER_HTTP if http else ())):
        importlib.import_module(name)
