"""Keys of the configuration that plugins own, and rules that nobody owns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import attrs

from toolsearch_hookspecs import PluginError, SettingsSpec

from ._models import HOST_SECTIONS, LEVELS, RULE_KEYS, SERVERS, TOOL_SEARCH_LEVELS, TOOLS_KEYS
from ._reading import Problem

if TYPE_CHECKING:
    from ._tree import Path

_CURE = (
    "no loaded plugin claims this key, so the host refuses to start rather than ignore its rules; "
    'load a policy plugin ("policy-rules" is one: see `toolsearch plugins`), or remove the key'
)


@attrs.frozen
class Claim:
    """One key that a plugin owns: top-level, or one level down in `tools`."""

    plugin: str
    key: str
    type: Any

    @property
    def path(self) -> Path:
        return tuple(self.key.split(".", 1)) if self.key.startswith("tools.") else (self.key,)


def claims_of(specs: Mapping[str, SettingsSpec | None]) -> dict[Path, Claim]:
    """Every claim by its path. Raises `PluginError` for a key that cannot be claimed, or twice."""
    claims: dict[Path, Claim] = {}
    for plugin, spec in specs.items():
        for key, type_ in (spec.claims if spec else {}).items():
            claim = Claim(plugin, key, type_)
            _refuse_own(claim)
            other = claims.setdefault(claim.path, claim)
            if other is not claim:
                raise PluginError(
                    f'plugins "{other.plugin}" and "{plugin}" both claim the key "{key}" of the '
                    "configuration; disable one of them in plugins.disabled"
                )
    return claims


def _refuse_own(claim: Claim) -> None:
    match claim.path:
        case ("tools", key) if str(key) not in TOOLS_KEYS and "." not in str(key):
            return
        case (key,) if str(key) not in {*HOST_SECTIONS, "tools", "$schema"} and "." not in str(key):
            return
        case _:
            raise PluginError(
                f'plugin "{claim.plugin}" claims the key "{claim.key}", which is the host\'s own or '
                "too deep; a plugin may claim a top-level key, or one directly under tools"
            )


def without_tool_search(level: str, value: Any) -> Any:
    """A level's section as its plugin gets it: `toolSearch` in its entries is the host's."""
    if level not in TOOL_SEARCH_LEVELS or not isinstance(value, Mapping):
        return value
    return {
        name: {key: inner for key, inner in entry.items() if key != "toolSearch"}
        if isinstance(entry, Mapping)
        else entry
        for name, entry in value.items()
    }


def unclaimed_rules(value: Mapping[str, Any], claims: Mapping[Path, Claim]) -> Iterator[Problem]:
    """Rules that are there, with no loaded plugin that claims them (S7.2)."""
    tools = value.get("tools")
    for key in RULE_KEYS if isinstance(tools, Mapping) else ():
        assert isinstance(tools, Mapping)  # noqa: S101  (said above, for the type checker)
        if ("tools", key) not in claims and key in tools and (tools[key] or key == "allow"):
            yield Problem(("tools", key), _CURE, at_key=True)
    for level in LEVELS:
        if (level,) not in claims and _says_something(without_tool_search(level, value.get(level))):
            yield Problem((level,), _CURE, at_key=True)


def _says_something(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(
            key == "allow" or (inner is not None and _says_something(inner))
            for key, inner in value.items()
        )
    return bool(value) or value in (0, False)


def known_keys(claims: Mapping[Path, Claim]) -> tuple[set[str], set[str]]:
    """The keys that may stand at the top, and those under `tools`."""
    top = {*HOST_SECTIONS, "tools", "$schema", SERVERS, *LEVELS}
    top |= {str(path[0]) for path in claims if len(path) == 1}
    tools = {*TOOLS_KEYS, *RULE_KEYS} | {str(path[1]) for path in claims if len(path) == 2}
    return top, tools
