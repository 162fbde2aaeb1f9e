"""The shape of `mcpServers`, as MCP clients share it, and of `plugins.settings.source-mcp`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from toolsearch_hookspecs import Settings

Positive = Annotated[int, Field(gt=0)]

AUTO_APPROVAL_KEYS = frozenset(
    {"autoApprove", "auto_approve", "alwaysAllow", "always_allow", "trust", "approvalMode"}
)
"""What other clients call "run it without asking". Read by nobody here."""

SILENT_KEYS = frozenset({"name", "description", "icon", "gallery", "version"})
"""What other clients keep beside a server for themselves."""

_SAID = {
    **dict.fromkeys(SILENT_KEYS, "another client's key, which has no effect here"),
    **dict.fromkeys(
        AUTO_APPROVAL_KEYS,
        "another client's auto-approval, which is never honoured; tools.allow is for that",
    ),
}

SMALLEST_MILLISECONDS = 1_000
"""A `timeout` below this was written for a client that counts in seconds."""


def _milliseconds(value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return round(value * 1_000) if 0 < value < SMALLEST_MILLISECONDS else round(value)
    return value


def _milliseconds_from_seconds(value: Any) -> Any:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return round(value * 1_000)
    return value


class OAuthSettings(Settings):
    """How to authorize with one server, where its own registration of clients does not do."""

    client_id: str | None = None
    client_secret: str | None = Field(default=None, repr=False)
    scope: str | None = None
    callback_port: Annotated[int, Field(ge=0, le=65_535)] = 0


class ServerSettings(BaseModel):
    """One server of `mcpServers`: a `command` (stdio) or a `url` (streamable HTTP).

    `timeout` is what other clients write for the longest call: milliseconds, or seconds when it
    is below 1000. `include_tools` and `exclude_tools` only narrow what the server offers. Keys
    that are none of ours are kept and reported by the host, never acted on; values may hold
    `${VAR}`, `${VAR:-default}` and `${env:VAR}`.
    """

    FOREIGN: ClassVar[Mapping[str, str]] = _SAID

    model_config = ConfigDict(frozen=True, extra="allow", populate_by_name=True)

    command: str | None = None
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = {}
    cwd: str | None = None
    url: str | None = Field(
        default=None, validation_alias=AliasChoices("url", "httpUrl", "serverUrl")
    )
    type: str | None = Field(default=None, validation_alias=AliasChoices("type", "transport"))
    headers: Mapping[str, str] = Field(
        default={}, validation_alias=AliasChoices("headers", "http_headers")
    )
    bearer_token_env_var: str | None = Field(
        default=None, validation_alias=AliasChoices("bearerTokenEnvVar", "bearer_token_env_var")
    )
    oauth: OAuthSettings = OAuthSettings()
    disabled: bool = False
    enabled: bool = True
    trusted: bool = False
    protocol: Literal["auto", "legacy", "modern"] = "auto"
    timeout: Annotated[Positive | None, BeforeValidator(_milliseconds)] = None
    tool_timeout_sec: Annotated[Positive | None, BeforeValidator(_milliseconds_from_seconds)] = None
    startup_timeout_sec: Annotated[Positive | None, BeforeValidator(_milliseconds_from_seconds)] = (
        None
    )
    start_timeout_ms: Positive | None = Field(
        default=None, validation_alias=AliasChoices("startTimeoutMs", "startup_timeout_ms")
    )
    include_tools: tuple[str, ...] | None = Field(
        default=None, validation_alias=AliasChoices("includeTools", "enabledTools", "enabled_tools")
    )
    exclude_tools: tuple[str, ...] = Field(
        default=(), validation_alias=AliasChoices("excludeTools", "disabledTools", "disabled_tools")
    )
    direct_only: tuple[str, ...] = Field(
        default=(), validation_alias=AliasChoices("directOnly", "direct_only")
    )

    @model_validator(mode="after")
    def _one_way_to_reach_it(self) -> ServerSettings:
        if self.command is None and self.url is None:
            raise ValueError(
                "a server needs a `command` (stdio) or a `url` (streamable HTTP)"
                + _instead(self.model_extra or {})
            )
        if self.command is not None and self.url is not None:
            raise ValueError("a server has a `command` or a `url`, not both")
        if self.type is not None and self.type.lower() == "sse":
            raise ValueError(
                "the HTTP+SSE transport was withdrawn from the protocol; "
                'most servers that had it answer at a `url` with `type: "http"` now'
            )
        return self

    @property
    def on(self) -> bool:
        return self.enabled and not self.disabled

    @property
    def sends_credentials(self) -> bool:
        """Whether its settings say how it is authorized."""
        named = any(name.lower() == "authorization" for name in self.headers)
        return named or self.bearer_token_env_var is not None

    @property
    def call_timeout_ms(self) -> int | None:
        """The longest call that the deployment wrote down for this server, if any."""
        return self.timeout or self.tool_timeout_sec

    @property
    def start_ms(self) -> int | None:
        return self.start_timeout_ms or self.startup_timeout_sec


def _instead(unknown: Iterable[str]) -> str:
    """The key that was to be `command` or `url`."""
    for key in unknown:
        for meant in get_close_matches(key, ("command", "url"), 1):
            return f"; `{key}` is neither: did you mean `{meant}`?"
    return ""


class McpSettings(Settings):
    """`plugins.settings.source-mcp`: bounds that hold for every server.

    `max_message_bytes` bounds one message of a server, `max_pages` and `max_tools` one listing,
    `start_timeout_ms` the start of one whose own settings do not say.
    `shutdown_ms` is how long a server may take to leave after its input closed, and again after
    it was asked to terminate. `debounce_ms` gathers announcements of changed tools.
    """

    max_message_bytes: Positive = 67_108_864
    max_pages: Positive = 200
    max_tools: Positive = 20_000
    stderr_bytes: Positive = 65_536
    start_timeout_ms: Positive = 120_000
    shutdown_ms: Positive = 2_000
    debounce_ms: Positive = 200
    first_backoff_ms: Positive = 500
    max_backoff_ms: Positive = 60_000
