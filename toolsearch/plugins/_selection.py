"""Which plugins a deployment wants: command line over environment over file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field, ValidationError

from toolsearch_hookspecs import ConfigError, Settings

EVERY = "*"
FILE = "the configuration file"
COMMAND_LINE = "the command line"
PREFIX = "TOOLSEARCH_PLUGINS_"
VARIABLES: Mapping[str, str] = {
    "enabled": "TOOLSEARCH_PLUGINS_ENABLED",
    "disabled": "TOOLSEARCH_PLUGINS_DISABLED",
    "order": "TOOLSEARCH_PLUGINS_ORDER",
}


class PluginSelection(Settings):
    """`plugins` of the configuration, without the plugins' own settings.

    All names are entry-point names. `enabled` loads third parties (`"*"`: all of them);
    `disabled` keeps a plugin out, batteries included; `order` puts plugins first, the rest follow
    by name. `pins` holds a plugin to what was reviewed: `"dist==version"`, or `"sha256:..."`, the
    digest of its installed files. `named` says for each key who set it, for messages.
    """

    enabled: tuple[str, ...] = ()
    disabled: tuple[str, ...] = ()
    order: tuple[str, ...] = ()
    pins: Mapping[str, str] = {}
    named: Mapping[str, str] = Field(default={}, exclude=True)

    @classmethod
    def resolve(
        cls,
        file: Mapping[str, Any],
        environ: Mapping[str, str],
        command_line: Mapping[str, Any],
    ) -> PluginSelection:
        """The selection in force; each key is taken from the highest place that sets it.

        `file` is the mapping under `plugins` (other keys in it are left alone), `command_line`
        has the same keys, `None` or absent where no option was given. A name both enabled and
        disabled is what the higher place says; in the same place it is disabled. Raises
        `ConfigError` for values of the wrong type.
        """
        layers: tuple[tuple[Mapping[str, Any], Mapping[str, str]], ...] = (
            (command_line, dict.fromkeys(KEYS, COMMAND_LINE)),
            (_from_environment(environ), VARIABLES),
            (file, dict.fromkeys(KEYS, FILE)),
        )
        values: dict[str, Any] = {}
        named: dict[str, str] = {}
        rank: dict[str, int] = {}
        for place, (layer, label) in enumerate(layers):
            for key in KEYS:
                if key not in values and layer.get(key) is not None:
                    values[key], named[key], rank[key] = layer[key], label[key], place
        selection = _validated(cls, {**values, "named": named})
        return selection.settled(
            enabled_wins=rank.get("enabled", len(layers)) < rank.get("disabled", 0)
        )

    def settled(self, *, enabled_wins: bool) -> PluginSelection:
        """The selection with each name in one of `enabled` and `disabled` only."""
        loser, winner = ("disabled", "enabled") if enabled_wins else ("enabled", "disabled")
        won: frozenset[str] = frozenset(getattr(self, winner))
        kept = tuple(name for name in getattr(self, loser) if name not in won)
        return self.model_copy(update={loser: kept})

    def who(self, key: str) -> str:
        """Who set the key, as a message says it."""
        return self.named.get(key, f"plugins.{key}")


KEYS = ("enabled", "disabled", "order", "pins")


def _from_environment(environ: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """What variables say. Raises `ConfigError` for one that would be dropped."""
    for variable in environ:
        if variable.startswith(PREFIX) and variable not in VARIABLES.values():
            raise ConfigError(
                f"the environment variable {variable} says nothing; "
                f"there is {', '.join(VARIABLES.values())}"
            )
    return {
        key: tuple(name for part in environ[variable].split(",") if (name := part.strip()))
        for key, variable in VARIABLES.items()
        if variable in environ
    }


def _validated(model: type[PluginSelection], values: Mapping[str, Any]) -> PluginSelection:
    try:
        return model.model_validate(values)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        who = values["named"].get(str(first["loc"][0]), FILE)
        raise ConfigError(f"plugins.{key} in {who}: {first['msg']}") from None
