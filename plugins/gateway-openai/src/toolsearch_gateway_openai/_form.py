"""What the loop needs of an API: chat completions and Responses fit it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import attrs

from toolsearch_hookspecs import ModelCall, RunApi

from ._sse import ServerEvent
from ._tools import Declared, HandedBack, OwnTools

SEPARATOR = "\n\n"
"""Between what the model said in one turn and in the next."""


@attrs.frozen
class Answered:
    """A tool call of the model and the text that it is answered with; a call of the provider's own
    tool search is answered with the tools that were `found`.
    """

    call: ModelCall
    text: str
    found: tuple[Mapping[str, Any], ...] = ()


@attrs.frozen
class Kept:
    """What a conversation hands to the one that goes on with it: see each form."""

    items: tuple[Mapping[str, Any], ...]
    anchors: frozenset[str]
    last: tuple[Mapping[str, Any], ...] = ()


@attrs.frozen
class OwnResult:
    """The app's result of a call that was handed back, or what the host made of its text."""

    id: str
    text: str


class Sink(Protocol):
    """Takes the events of a streamed answer, as fast as the app reads them."""

    async def __call__(self, event: Mapping[str, Any] | str, name: str | None = None) -> None: ...


class Streaming(Protocol):
    """One streamed turn: passes on what the app may see as it comes, and keeps the rest."""

    async def take(self, event: ServerEvent) -> None: ...

    def calls(self) -> Sequence[ModelCall]:
        """At its end: the calls of the model. Raises ApiError where the turn is not whole."""
        ...


class Conversation(Protocol):
    """One request of the app, on its way through the turns of the model."""

    path: str
    own: OwnTools
    usage: Mapping[str, Any] | None

    def declared(self, run: RunApi) -> Declared: ...

    def request(self, declared: Declared, *, last: bool) -> Mapping[str, Any]:
        """The body of the next turn; in the `last` one the model may call nothing."""
        ...

    def take(self, answer: Mapping[str, Any]) -> Sequence[ModelCall]:
        """Take a whole answer; gives its calls. Raises ApiError for what is none."""
        ...

    def streaming(self, sink: Sink) -> Streaming: ...

    def go_on(self, answered: Sequence[Answered]) -> None:
        """Append the turn and the answers to its calls; without those that are handed back."""
        ...

    def answer(self, handed: Sequence[HandedBack]) -> Mapping[str, Any]:
        """What the app is answered."""
        ...

    async def end(self, sink: Sink, handed: Sequence[HandedBack]) -> None:
        """The last events of a streamed answer."""
        ...

    async def fail(self, sink: Sink, error: Mapping[str, Any]) -> None:
        """The last event of a streamed answer that broke."""
        ...

    def own_results(self) -> Sequence[OwnResult]:
        """The results of the app's own calls that the request brings."""
        ...

    def resume(self, kept: Kept, results: Sequence[OwnResult]) -> None:
        """Put what was kept in place of what the app saw of it."""
        ...

    def keep(self, handed: Sequence[HandedBack]) -> Kept:
        """What the conversation that brings the results needs of this one."""
        ...
