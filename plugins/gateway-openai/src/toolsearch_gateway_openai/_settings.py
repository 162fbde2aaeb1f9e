"""`plugins.settings.gateway-openai`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from toolsearch_hookspecs import Settings

from ._sendable import checked_headers

Positive = Annotated[int, Field(gt=0)]
Count = Annotated[int, Field(ge=0)]
HIGHEST_PORT = 65_535
OPENAI = "https://api.openai.com/v1"


def checked_url(url: str) -> str:
    """A base URL that requests can be sent under. Raises ValueError, saying what would be one."""
    shown, example = (
        shown_url(url),
        "give the provider's base URL, such as https://api.openai.com/v1",
    )
    try:
        parts = urlsplit(url)
        named = parts.hostname and parts.port != 0
    except ValueError as error:
        raise ValueError(
            f"{shown!r} is no URL (its host or its port is none); {example}"
        ) from error
    if parts.scheme not in {"http", "https"} or not named or any(map(str.isspace, url)):
        raise ValueError(f"{shown!r} is no http or https URL; {example}")
    if parts.query or parts.fragment:
        raise ValueError(f"{shown!r} has more behind its path; {example}")
    return url


def shown_url(url: str) -> str:
    """A URL as a person is told of it: without a password, and what a query may hold."""
    return re.split(r"[?#]", re.sub(r"//.*@", "//", url))[0]


class UpstreamSettings(Settings):
    """The provider behind the gateway: anything that speaks the OpenAI API under `baseUrl`.

    Its key is the value of the variable `keyVariable`. With `passKey` the app's own
    `Authorization` is passed on instead, and the app sends the gateway's key, where one is
    needed, as `X-Toolsearch-Key`. `provider` is the name under which policy and modes know it.
    `readMs` is how long it may be silent; `retries` how often a request is sent again that the
    provider certainly did not take. `contextChars` is the size of the model's context, where it
    is known.
    """

    base_url: Annotated[str, AfterValidator(checked_url)] = OPENAI
    key_variable: str = "OPENAI_API_KEY"
    pass_key: bool = False
    provider: str = "openai"
    headers: Annotated[Mapping[str, str], AfterValidator(checked_headers)] = {}
    connect_ms: Positive = 10_000
    read_ms: Positive = 300_000
    retries: Count = 2
    max_answer_bytes: Positive = 67_108_864
    context_chars: Positive | None = None


class AppKey(Settings):
    """One app: its key is the value of the variable `variable`; the rest is who it asks as."""

    variable: str
    agent: str = "default"
    profile: str | None = None
    sandbox: str | None = None
    channel: str = "gateway"
    mode: str | None = None
    harness: str | None = None


class GatewaySettings(Settings):
    """How `toolsearch gateway` answers.

    `apps` are those that may ask, by a name of the deployment's choice. Without any there is
    one, whose key is the value of `keyVariable`, else one that is made once and kept in the state
    directory. Approvals and metrics need the key of the operator, `operatorVariable`, likewise.
    `maxTurns` bounds the model's turns within one request, `requestMs` all of it; a streamed
    request that is silent for `keepAliveMs` is sent a comment. Calls of the app's own tools are
    waited for `waitingSeconds`, by at most `maxWaiting` requests.
    """

    host: str = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=HIGHEST_PORT)] = 8_723
    upstream: UpstreamSettings = UpstreamSettings()
    apps: Mapping[str, AppKey] = {}
    key_variable: str = "TOOLSEARCH_GATEWAY_KEY"
    operator_variable: str = "TOOLSEARCH_GATEWAY_OPERATOR_KEY"
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    max_body_bytes: Positive = 33_554_432
    max_requests: Positive = 1_024
    max_turns: Positive = 32
    request_ms: Positive = 1_800_000
    keep_alive_ms: Positive = 10_000
    waiting_seconds: Positive = 900
    max_waiting: Positive = 2_048
