"""The plugin `telemetry-jsonl`: the session log, one JSON object an event."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from toolsearch_hookspecs import Command, Event, PluginContext, hookimpl

if TYPE_CHECKING:
    from ._sink import Sink

__all__ = ["event_schema", "plugin"]


def event_schema() -> dict[str, Any]:
    """The JSON Schema of one line of the log."""
    import json
    from importlib.resources import files

    text = files(__name__).joinpath("event.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


class plugin:  # noqa: N801
    """Writes events to the log, and reads it for the commands. One instance a host."""

    def __init__(self) -> None:
        self._sink: Sink | None = None

    @hookimpl
    def toolsearch_configure(self, plugin: PluginContext) -> None:
        from toolsearch_hookspecs.text import Redactor

        from ._place import Place
        from ._sink import Sink

        self._sink = Sink(
            place=Place.of(plugin),
            redactor=Redactor.from_environ(plugin.environ),
            keep_days=plugin.log.keep_days,
            content=plugin.log.content,
        )

    @hookimpl
    def toolsearch_event(self, event: Event) -> None:
        if self._sink is not None:
            self._sink.write(event)

    @hookimpl
    def toolsearch_commands(self, plugin: PluginContext) -> Iterable[Command]:
        from ._commands import commands

        return commands(plugin)

    @hookimpl
    async def toolsearch_shutdown(self) -> None:
        if self._sink is not None:
            self._sink.close()
