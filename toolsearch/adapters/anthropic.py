"""A bare loop over Anthropic's client, and its tool runner: `tool_runner(tools=tools_of(run))`."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, MutableSequence, Sequence
from typing import Any, Literal

import attrs

from toolsearch_hookspecs import EMPTY_SCHEMA, ClientTool, ToolSource, ToolSpec

from ..runs import Run
from ._foreign import ForeignSource, ForeignTool, client_tools, foreign_function, needed, paired
from ._loop import MAX_STEPS, Conversation, Heard, Settle, asynchronous, conversed, joined, plain

__all__ = ["Conversation", "client_tools_of", "conversation", "source_of", "tools_of"]

DISTRIBUTION = "anthropic"
SURFACE = "anthropic"
BROKEN_OFF = frozenset({"max_tokens", "model_context_window_exceeded", "refusal"})
PAUSED = "pause_turn"


def tools_of(run: Run) -> list[Any]:
    """The surface as tools for `client.beta.messages.tool_runner`.

    A failure is a result that is marked as one. Plan the run with approvals that are waited for:
    the runner has no place for a call that is answered later.
    """
    tool = needed("anthropic.lib.tools", DISTRIBUTION).BetaAsyncFunctionTool
    return [
        tool(
            _answering(run, drawn["name"]),
            name=drawn["name"],
            description=drawn.get("description", ""),
            input_schema=drawn["input_schema"],
        )
        for drawn in run.rendered(SURFACE).tools
    ]


def source_of(
    tools: Iterable[Any],
    name: str = "anthropic",
    *,
    functions: Mapping[str, Callable[..., Any]] | None = None,
) -> ToolSource:
    """A source of tools made with `beta_tool` or `beta_async_tool`, or of definitions.

    A definition, as a request has it, is executed by the function of its name in `functions`,
    which takes the arguments by keyword; plain ones run on threads. Raises ValueError for a tool
    of the provider's own, one without a name or a function, and a function without a definition.
    """
    given = list(tools)
    specs = {spec.name: spec for spec in (_spec(t) for t in given if isinstance(t, Mapping))}
    pairs = paired(specs, functions or {})
    return ForeignSource(
        name,
        DISTRIBUTION,
        [
            *(foreign_function(specs[name], function) for name, function in pairs.items()),
            *(_foreign(tool) for tool in given if not isinstance(tool, Mapping)),
        ],
    )


def client_tools_of(
    tools: Iterable[Mapping[str, Any]], functions: Mapping[str, Callable[..., Any]] | None = None
) -> list[ClientTool]:
    """Definitions as the caller's own tools for one run: `host.plan(client_tools=...)`.

    One without a function is shown as it is, and its calls are handed back to the caller
    (`Step.handed_back`). Raises ValueError as `source_of` does.
    """
    return client_tools(map(_spec, tools), functions)


async def conversation(
    client: Any,
    run: Run,
    messages: MutableSequence[Any],
    *,
    max_steps: int = MAX_STEPS,
    on_chunk: Heard | None = None,
    settle: Settle | None = None,
    **request: Any,
) -> Conversation:
    """Ask the model, answer what it calls, and ask again, until it calls nothing.

    `client` is an `anthropic.AsyncAnthropic`, `request` whatever else its `messages.create` takes:
    `model`, `max_tokens`, `system`, and `tools` of the provider's own to stand beside the run's.
    `messages` grows by each step that is complete, so that whatever ends the loop, an error of the
    client or a cancellation too, it can be sent again. At most `max_steps` requests are made; a
    turn that the provider paused counts too, and is gone on with. With `on_chunk` the answers are
    streamed and every event is handed to it. `settle` gives a step whose calls wait with their
    results (`Step.answered`); without it the loop ends there.

    Raises what the client raises.
    """
    asynchronous(client, "anthropic.AsyncAnthropic")
    rendered = run.rendered(SURFACE)
    tools = [*rendered.tools, *request.pop("tools", ())]
    system = _system(request.pop("system", None), rendered.prompt)
    whole = {**request, **({"tools": tools} if tools else {}), **system}
    return await conversed(
        _Messages(client),
        run,
        messages,
        whole,
        max_steps=max_steps,
        on_chunk=on_chunk,
        settle=settle,
    )


@attrs.frozen
class _Messages:
    client: Any
    surface: str = SURFACE

    async def ask(self, messages: Sequence[Any], request: Mapping[str, Any]) -> Any:
        return await self.client.messages.create(messages=messages, **request)

    def ending(self, answer: Any) -> Literal["done", "cut", "paused"]:
        match _stop_reason(answer):
            case None:
                return "cut"
            case reason if reason in BROKEN_OFF:
                return "cut"
            case reason:
                return "paused" if reason == PAUSED else "done"

    def text(self, history: Sequence[Any]) -> str:
        blocks = history[0]["content"]
        return "".join(block["text"] for block in blocks if block.get("type") == "text")


def _stop_reason(answer: Any) -> str | None:
    """Why the model stopped; None where a stream did not come to that."""
    if not isinstance(answer, list):
        reason: str | None = plain(answer).get("stop_reason")
        return reason
    for event in map(plain, reversed(answer)):
        match event:
            case {"type": "message_delta", "delta": {"stop_reason": str(reason)}}:
                return reason
    return None


def _system(given: Any, prompt: str | None) -> dict[str, Any]:
    """The caller's system prompt, a text or blocks, with the run's after it."""
    match given, prompt:
        case None, None:
            return {}
        case _, None:
            return {"system": given}
        case ((None | str()), _):
            return {"system": joined(given, prompt)}
        case _:
            return {"system": [*given, {"type": "text", "text": prompt}]}


def _answering(run: Run, name: str) -> Callable[..., Any]:
    """A function that answers one tool under the name that the provider has of it."""

    async def answer(**arguments: Any) -> str:
        use = {
            "type": "tool_use",
            "id": f"call_{secrets.token_hex(8)}",
            "name": name,
            "input": arguments,
        }
        step = await run.respond({"role": "assistant", "content": [use]}, surface=SURFACE)
        result = step.answers[0].result
        if result.is_error:
            raise needed("anthropic.lib.tools", DISTRIBUTION).ToolError(result.text)
        return result.text

    return answer


def _spec(tool: Mapping[str, Any]) -> ToolSpec:
    if tool.get("type", "custom") != "custom":
        raise ValueError(f"a tool of the type {tool['type']!r} is the provider's own")
    if not isinstance(tool.get("name"), str):
        raise ValueError("a tool has no name; give {name: ..., input_schema: ...}")
    return ToolSpec(
        name=tool["name"],
        description=tool.get("description") or "",
        input_schema=tool.get("input_schema") or EMPTY_SCHEMA,
    )


def _foreign(tool: Any) -> ForeignTool:
    asynchronous_ = needed("anthropic.lib.tools", DISTRIBUTION).BetaAsyncFunctionTool

    async def call(arguments: Mapping[str, Any]) -> Any:
        return _value(await tool.call(dict(arguments)))

    def blocking(arguments: Mapping[str, Any]) -> Any:
        return _value(tool.call(dict(arguments)))

    spec = _spec(tool.to_dict())
    if isinstance(tool, asynchronous_):
        return ForeignTool(spec, call)
    return ForeignTool(spec, blocking, blocks=True)


def _value(content: Any) -> Any:
    """A text; of blocks, their texts as one where they are nothing else, and else the blocks."""
    if isinstance(content, str):
        return content
    blocks = list(content)
    if all(block.get("type") == "text" for block in blocks):
        return "\n".join(block["text"] for block in blocks)
    return blocks
