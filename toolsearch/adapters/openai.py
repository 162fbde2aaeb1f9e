"""A bare loop over OpenAI's client: `conversation(AsyncOpenAI(), run, messages, model=...)`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableSequence, Sequence
from typing import Any, Literal

import attrs

from toolsearch_hookspecs import EMPTY_SCHEMA, ClientTool, ToolSource, ToolSpec

from ..runs import Run
from ._foreign import ForeignSource, client_tools, foreign_function, paired
from ._loop import (
    MAX_STEPS,
    Conversation,
    Heard,
    Settle,
    Wire,
    asynchronous,
    conversed,
    joined,
    plain,
)

__all__ = ["Conversation", "client_tools_of", "conversation", "source_of", "tools_of"]

Form = Literal["openai-chat", "openai-responses"]
BROKEN_OFF = frozenset({"length", "content_filter"})
KEPT_ELSEWHERE = ("conversation", "previous_response_id")
ENDINGS = {"response.completed": "completed", "response.incomplete": "incomplete"}


def tools_of(run: Run, surface: Form = "openai-chat") -> list[Any]:
    """The surface as the `tools` of a request; answer what is called with `run.respond`."""
    return list(run.rendered(surface).tools)


def source_of(
    tools: Iterable[Mapping[str, Any]],
    name: str = "openai",
    *,
    functions: Mapping[str, Callable[..., Any]],
) -> ToolSource:
    """A source of function tools, as a request has them, and of the functions behind them.

    `tools` are of chat completions or of Responses (`openai.pydantic_function_tool` makes them
    too). `functions` executes them, by name: each takes its arguments by keyword; plain ones run
    on threads. Raises ValueError for a tool that is no function, has no name or no function, and
    for a function without a tool.
    """
    specs = {spec.name: spec for spec in map(_spec, tools)}
    pairs = paired(specs, functions)
    return ForeignSource(name, "openai", [foreign_function(specs[n], f) for n, f in pairs.items()])


def client_tools_of(
    tools: Iterable[Mapping[str, Any]], functions: Mapping[str, Callable[..., Any]] | None = None
) -> list[ClientTool]:
    """Function tools as the caller's own for one run: `host.plan(client_tools=...)`.

    One without a function is shown as it is, and its calls are handed back to the caller
    (`Step.handed_back`). Raises ValueError as `source_of` does.
    """
    return client_tools(map(_spec, tools), functions)


async def conversation(
    client: Any,
    run: Run,
    messages: MutableSequence[Any],
    *,
    surface: Form = "openai-chat",
    max_steps: int = MAX_STEPS,
    on_chunk: Heard | None = None,
    settle: Settle | None = None,
    **request: Any,
) -> Conversation:
    """Ask the model, answer what it calls, and ask again, until it calls nothing.

    `client` is an `openai.AsyncOpenAI` (or one that speaks the same), `request` whatever else its
    `create` takes: `model`, and `tools` of the provider's own to stand beside the run's.
    `surface` says which API is asked: chat completions, or Responses, which is sent the whole
    conversation each time. `messages` grows by each step that is complete, so that whatever ends
    the loop, an error of the client or a cancellation too, it can be sent again. At most
    `max_steps` requests are made. With `on_chunk` the answers are streamed and every chunk is
    handed to it. `settle` gives a step whose calls wait with their results (`Step.answered`);
    without it the loop ends there.

    Raises what the client raises.
    """
    asynchronous(client, "openai.AsyncOpenAI")
    prompt = run.rendered(surface).prompt
    request = _with_tools(request, tools_of(run, surface))
    wire: Wire = _Chat(client, prompt)
    if surface == "openai-responses":
        kept = [key for key in KEPT_ELSEWHERE if key in request]
        if kept:
            raise TypeError(f"the loop sends the whole conversation itself; leave out {kept[0]}")
        instructions = joined(request.pop("instructions", None), prompt)
        request |= {} if instructions is None else {"instructions": instructions}
        wire = _Responses(client)
    return await conversed(
        wire, run, messages, request, max_steps=max_steps, on_chunk=on_chunk, settle=settle
    )


@attrs.frozen
class _Chat:
    client: Any
    prompt: str | None
    surface: str = "openai-chat"

    async def ask(self, messages: Sequence[Any], request: Mapping[str, Any]) -> Any:
        told = _told(messages, self.prompt)
        return await self.client.chat.completions.create(messages=told, **request)

    def ending(self, answer: Any) -> Literal["done", "cut", "paused"]:
        if isinstance(answer, list):
            reasons = [r for chunk in answer if (r := _reason(chunk)) is not None]
            return "cut" if not reasons or reasons[-1] in BROKEN_OFF else "done"
        return "cut" if _reason(answer) in BROKEN_OFF else "done"

    def text(self, history: Sequence[Any]) -> str:
        return history[0].get("content") or history[0].get("refusal") or ""


@attrs.frozen
class _Responses:
    client: Any
    surface: str = "openai-responses"

    async def ask(self, messages: Sequence[Any], request: Mapping[str, Any]) -> Any:
        return await self.client.responses.create(input=messages, **request)

    def ending(self, answer: Any) -> Literal["done", "cut", "paused"]:
        if isinstance(answer, list):
            last = plain(answer[-1]) if answer else {}
            status = ENDINGS.get(str(last.get("type")), "failed")
        else:
            status = plain(answer).get("status", "completed")
        return "done" if status == "completed" else "cut"

    def text(self, history: Sequence[Any]) -> str:
        said = [item for item in history if item.get("type") == "message"]
        parts = [part for item in said for part in item.get("content") or ()]
        return "".join(part.get("text") or part.get("refusal") or "" for part in parts)


def _with_tools(request: Mapping[str, Any], tools: Sequence[Any]) -> dict[str, Any]:
    """No empty list of tools: it is refused."""
    shown = [*tools, *request.get("tools", ())]
    rest = {key: value for key, value in request.items() if key != "tools"}
    return {**rest, "tools": shown} if shown else rest


def _told(messages: Sequence[Any], prompt: str | None) -> Sequence[Any]:
    """The messages with the run's prompt in the one of the system, which some take only once."""
    if prompt is None:
        return messages
    match messages:
        case [{"role": ("system" | "developer"), "content": str(said), **more}, *rest]:
            role = messages[0]["role"]
            return [{**more, "role": role, "content": joined(said, prompt)}, *rest]
        case _:
            return [{"role": "system", "content": prompt}, *messages]


def _reason(answer: Any) -> str | None:
    match plain(answer):
        case {"choices": [{"finish_reason": str(reason)}, *_]}:
            return reason
        case _:
            return None


def _spec(tool: Mapping[str, Any]) -> ToolSpec:
    if tool.get("type", "function") != "function":
        raise ValueError(f"a tool of the type {tool['type']!r} is the provider's; it executes it")
    function = tool.get("function", tool)
    if not isinstance(function.get("name"), str):
        raise ValueError("a tool has no name; give {type: 'function', function: {name: ...}}")
    return ToolSpec(
        name=function["name"],
        description=function.get("description") or "",
        input_schema=function.get("parameters") or EMPTY_SCHEMA,
    )
