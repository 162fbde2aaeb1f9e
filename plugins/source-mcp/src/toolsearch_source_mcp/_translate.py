"""Another client's server in our words."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import attrs
from pydantic import ValidationError

from ._settings import AUTO_APPROVAL_KEYS, SILENT_KEYS, ServerSettings

_INPUT = re.compile(r"\$\{input:([^}]+)\}")
_OURS = {
    "command": "command",
    "args": "args",
    "env": "env",
    "cwd": "cwd",
    "url": "url",
    "httpUrl": "url",
    "serverUrl": "url",
    "headers": "headers",
    "http_headers": "headers",
    "disabled": "disabled",
    "timeout": "timeout",
    "includeTools": "includeTools",
    "enabled_tools": "includeTools",
    "excludeTools": "excludeTools",
    "disabled_tools": "excludeTools",
    "disabledTools": "excludeTools",
    "bearer_token_env_var": "bearerTokenEnvVar",
    "type": "type",
}


@attrs.frozen
class Translated:
    """A server for our file, and what a person should know of the translation."""

    alias: str
    server: Mapping[str, Any]
    remarks: tuple[str, ...]
    refused: str | None = None


def translated(alias: str, raw: Mapping[str, Any]) -> Translated:
    """The server with the keys that have a meaning here; what is left out is said."""
    remarks: list[str] = []
    server: dict[str, Any] = {}
    for key, value in raw.items():
        match key:
            case "enabled":
                server |= {} if value else {"disabled": True}
            case "env_vars":
                named = [name for name in value if isinstance(name, str)]
                server["env"] = {name: f"${{{name}}}" for name in named} | server.get("env", {})
            case "env_http_headers":
                filled = {header: f"${{{name}}}" for header, name in dict(value).items()}
                server["headers"] = server.get("headers", {}) | filled
            case "startup_timeout_sec":
                server["startTimeoutMs"] = round(value * 1_000)
            case "tool_timeout_sec":
                server["timeout"] = round(value * 1_000)
            case _ if key in AUTO_APPROVAL_KEYS:
                remarks.append(f"`{key}` approves calls in another client and is left out")
            case _ if key in _OURS:
                server[_OURS[key]] = _merged(server.get(_OURS[key]), value)
            case _ if key not in SILENT_KEYS:
                remarks.append(f"`{key}` has no meaning here and is left out")
    server = _with_variables(server, remarks)
    return Translated(alias, server, tuple(remarks), _refusal(server))


def _merged(before: Any, value: Any) -> Any:
    if isinstance(before, dict) and isinstance(value, dict):
        return before | value
    return value


def _with_variables(value: Any, remarks: list[str]) -> Any:
    """The same with `${input:token}`, which asks a person, as `${env:TOKEN}`."""
    match value:
        case dict():
            return {key: _with_variables(item, remarks) for key, item in value.items()}
        case list():
            return [_with_variables(item, remarks) for item in value]
        case str():
            return _INPUT.sub(lambda found: _variable(found[1], remarks), value)
    return value


def _variable(identity: str, remarks: list[str]) -> str:
    name = re.sub(r"[^A-Za-z0-9]+", "_", identity).upper()
    remarks.append(f"`${{input:{identity}}}` became `${{env:{name}}}`; set that variable")
    return f"${{env:{name}}}"


def _refusal(server: Mapping[str, Any]) -> str | None:
    try:
        ServerSettings.model_validate(server)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        return str(first["msg"]).removeprefix("Value error, ")
    return None
