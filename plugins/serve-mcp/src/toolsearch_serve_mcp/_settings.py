"""`plugins.settings.serve-mcp`."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, Field

from toolsearch_hookspecs import Settings

Positive = Annotated[int, Field(gt=0)]
HIGHEST_PORT = 65_535


def checked_path(path: str) -> str:
    """A path that a URL can have as it is. Raises ValueError."""
    if not re.fullmatch(r"/[A-Za-z0-9._~/-]*", path):
        raise ValueError(f"{path!r} is no path of a URL; begin it with a slash, such as /mcp")
    return path


class ServeSettings(Settings):
    """How `toolsearch serve` answers.

    Over HTTP it listens on `host` and `port`, at `path`, for those who send the bearer token: the
    value of the variable `tokenVariable`, else one that is made once and kept in the state
    directory. `allowedHosts` and `allowedOrigins` add to the loopback names that a request may
    carry. `splitCalls` shows `tool_call` as three tools, by what the called tool may do.
    """

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=HIGHEST_PORT)] = 8_722
    path: Annotated[str, AfterValidator(checked_path)] = "/mcp"
    token_variable: str = "TOOLSEARCH_SERVE_TOKEN"  # noqa: S105  (the variable's name)
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    split_calls: bool = False
    max_clients: Positive = 256
    idle_seconds: Positive = 1_800
    max_message_bytes: Positive = 4_194_304
