"""Events, kept in the order in which a host told them."""

from __future__ import annotations

from toolsearch_hookspecs import Event, hookimpl


class CapturedEvents:
    """A plugin that keeps every event. Events arrive through the host's queue: those of a step
    are complete when the host is closed.
    """

    def __init__(self) -> None:
        self.all: list[Event] = []

    @hookimpl
    def toolsearch_event(self, event: Event) -> None:
        self.all.append(event)

    def of(self, type: str) -> list[Event]:
        """The events of one type, such as `call.ended`."""
        return [event for event in self.all if event.type == type]
