"""`plugins.settings.serve-mcp`."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from toolsearch_hookspecs import Settings

Positive = Annotated[int, Field(gt=0)]


class ServeSettings(Settings):
    """How `toolsearch serve` answers.

    Over HTTP it listens on `host` and `port`, at `path`, for those who send the bearer token: the
    value of the variable `tokenVariable`, else one that is made once and kept in the state
    directory. `allowedHosts` and `allowedOrigins` add to the loopback names that a request may
    carry. `splitCalls` shows `tool_call` as three tools, by what the called tool may do.
    """

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65_535)] = 8_722
    path: str = "/mcp"
    token_variable: str = "TOOLSEARCH_SERVE_TOKEN"  # noqa: S105  (the variable's name)
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    split_calls: bool = False
    max_clients: Positive = 256
    idle_seconds: Positive = 1_800
    max_message_bytes: Positive = 4_194_304
