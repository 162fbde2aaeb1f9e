"""The loop of a program that asks a model and answers its calls until it is done."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping, MutableSequence, Sequence
from typing import Any, Literal, Protocol

import attrs

from ..runs import Run, Step

MAX_STEPS = 32

End = Literal["answered", "cut", "waits", "steps"]
Heard = Callable[[Any], Awaitable[None] | None]
Settle = Callable[[Step], Awaitable[Step]]


@attrs.frozen
class Conversation:
    """What a loop came to; the conversation itself is in the list that it was given.

    `ended` says why it came to an end:

    - `answered`: the model called nothing any more; `text` is what it said.
    - `cut`: the provider broke its last answer off, for its length, a filter or a failure. Nothing
      of that answer was carried out, and it is not in the list.
    - `waits`: some call of `step` waits for a person, or for the caller. Give the results
      (`step.answered`), put `step.messages` at the end of the list, and go on.
    - `steps`: the model would have gone on. What it called last was answered.

    `answers` are the provider's answers in order, each as its client gave it; of a streamed one,
    the list of its chunks.
    """

    ended: End
    answers: tuple[Any, ...]
    step: Step | None
    text: str

    @property
    def answer(self) -> Any:
        """The provider's last answer."""
        return self.answers[-1]


class Wire(Protocol):
    """One kind of request of a provider's client."""

    @property
    def surface(self) -> str: ...

    async def ask(self, messages: Sequence[Any], request: Mapping[str, Any]) -> Any:
        """The client's answer, or its stream."""
        ...

    def ending(self, answer: Any) -> Literal["done", "cut", "paused"]:
        """How an answer, or the list of its chunks, ended. One that is `paused` is to be sent
        back as it is, for the provider to go on.
        """
        ...

    def text(self, history: Sequence[Any]) -> str:
        """What the model said, in the messages that its answer became."""
        ...


async def conversed(
    wire: Wire,
    run: Run,
    messages: MutableSequence[Any],
    request: Mapping[str, Any],
    *,
    max_steps: int,
    on_chunk: Heard | None,
    settle: Settle | None,
) -> Conversation:
    """Ask and answer until something ends it; see the adapters' `conversation`."""
    if max_steps < 1:
        raise ValueError("max_steps is 1 or more")
    if "stream" in request:
        raise TypeError("give `on_chunk`, and the answers are streamed to it")
    streamed = {} if on_chunk is None else {"stream": True}
    answers: list[Any] = []
    step: Step | None = None
    text = ""
    for _ in range(max_steps):
        given = await wire.ask(list(messages), {**request, **streamed})
        answers.append(given if on_chunk is None else await _chunks(given, on_chunk))
        ending = wire.ending(answers[-1])
        if ending == "cut":
            return Conversation("cut", tuple(answers), None, "")
        step = await run.respond(answers[-1], surface=wire.surface)
        if step.waits and settle is not None:
            step = await settle(step)
        text = wire.text(step.history)
        if step.waits:
            return Conversation("waits", tuple(answers), step, text)
        messages.extend(step.messages)
        if step.done and ending == "done":
            return Conversation("answered", tuple(answers), step, text)
    return Conversation("steps", tuple(answers), step, text)


async def _chunks(stream: Any, on_chunk: Heard) -> list[Any]:
    """Every chunk of a stream, each told as it comes. The stream is closed whatever happens."""
    chunks = []
    async with stream:
        async for chunk in stream:
            chunks.append(chunk)
            told = on_chunk(chunk)
            if inspect.isawaitable(told):
                await told
    return chunks


def asynchronous(client: Any, name: str) -> None:
    """Raises TypeError for a client that would hold up the loop."""
    if not hasattr(type(client), "__aenter__"):
        raise TypeError(f"this loop needs the asynchronous client, {name}")


def plain(value: Any) -> Any:
    """The JSON value of a client's object; of anything else, itself."""
    dump = getattr(value, "model_dump", None)
    return value if dump is None else dump(mode="json", exclude_none=True, warnings=False)


def joined(*texts: str | None) -> str | None:
    """The texts as paragraphs; None where there are none."""
    return "\n\n".join(text for text in texts if text) or None
