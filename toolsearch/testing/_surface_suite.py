"""What the host and every author may expect of a surface: one provider's form of tools."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from toolsearch.surfaces import Fitter
from toolsearch_hookspecs import (
    CallFailure,
    ErrorCode,
    ModelCall,
    ModelSurface,
    RenderedSurface,
    Surface,
    SurfaceLimits,
    ToolDefinition,
    ToolResult,
)

from ._case import Conformance, case, expect, outcome_of, scene, told
from ._samples import HOSTILE_TEXTS

CALLS = (
    ModelCall(id="call_1", name="tool_search", arguments={"query": "天気 👩‍👩‍👧‍👦"}),
    ModelCall(id="call_2", name="tool_call", arguments={"id": "plugin:echo:say", "args": {"a": 1}}),
)
NO_MESSAGES: tuple[Any, ...] = (None, 7, "text", [], {"unknown": 1})
VALUES: tuple[Any, ...] = (
    None, "", "text", 0, 1.5, True, [], {}, {"a": [None]}, "\x00 👩‍👩‍👧‍👦",
)  # fmt: skip
FAILED = ToolResult(error=CallFailure(code=ErrorCode.BLOCKED, message="not allowed here", by="p"))


class SurfaceConformance(Conformance):
    """`class TestMine(SurfaceConformance): plugin = mine.plugin`

    Override `message` with how the provider writes a model's tool calls, so that reading them is
    tried too, and `chunks` with the stream of the same. `name` picks one of several surfaces.
    """

    def message(self, calls: Sequence[ModelCall]) -> Any:
        """The provider's message in which the model makes these calls, as plain JSON."""
        pytest.skip("override `message` in the suite to have the reading of calls tried")

    def chunks(self, calls: Sequence[ModelCall]) -> Sequence[Any]:
        """The chunks of a stream in which the model makes these calls, as plain JSON."""
        pytest.skip("override `chunks` in the suite to have the joining of streams tried")

    async def subject(self, folder: Path) -> Surface:
        surface: Surface = self.yielded("toolsearch_surfaces", folder)
        return surface

    async def close(self, subject: Surface) -> None:
        """A surface holds nothing."""

    @case
    async def test_it_has_every_member_of_a_surface(self, surface: Surface) -> None:
        members = ("name", "provider", "limits", "render", "joined", "calls", "history", "results")
        missing = [name for name in members if getattr(surface, name, None) is None]
        expect(not missing, f"the surface lacks {missing}; see Surface in toolsearch_hookspecs")

    @case
    async def test_it_names_itself_and_its_provider(self, surface: Surface) -> None:
        expect(
            surface.name and surface.provider,
            "give `name`, what `run.rendered` is asked for, and `provider`",
        )

    @case
    async def test_its_limits_are_limits(self, surface: Surface) -> None:
        expect(
            isinstance(surface.limits, SurfaceLimits),
            "give `limits = SurfaceLimits(...)`: what the provider takes of a tool",
        )

    @case
    async def test_it_renders_plain_json(self, surface: Surface) -> None:
        rendered = surface.render(fitted(surface, everyday()))
        expect(
            isinstance(rendered, RenderedSurface),
            "`render` gives no RenderedSurface; give RenderedSurface(tools=[...])",
        )
        json.dumps(rendered.tools, allow_nan=False)

    @case
    async def test_every_tool_is_drawn_with_name_text_and_schema(self, surface: Surface) -> None:
        drawn = _text(surface.render(fitted(surface, everyday())).tools)
        for tool in everyday().tools:
            expect(
                json.dumps(tool.name) in drawn,
                f"{tool.name} is not drawn; the model is given every tool",
            )
            expect(
                tool.description in drawn,
                f"draw the description of {tool.name}: the model picks by it",
            )
        expect('"query"' in drawn, "draw `input_schema`: tool_search has lost its parameters")

    @case
    async def test_tools_keep_their_order(self, surface: Surface) -> None:
        drawn = _text(surface.render(fitted(surface, everyday())).tools)
        places = [drawn.index(json.dumps(tool.name)) for tool in everyday().tools]
        expect(places == sorted(places), "tools are drawn in another order; a cache would miss")

    @case
    async def test_the_prompt_is_passed_on(self, surface: Surface) -> None:
        given = ModelSurface(tools=everyday().tools, prompt="Directory:\n- say")
        expect(
            surface.render(fitted(surface, given)).prompt == given.prompt,
            "the prompt is lost; give RenderedSurface(prompt=surface.prompt)",
        )

    @case
    async def test_no_tools_are_rendered(self, surface: Surface) -> None:
        json.dumps(surface.render(ModelSurface()).tools)

    @case
    async def test_the_same_surface_gives_the_same_bytes(self, surface: Surface) -> None:
        texts = {_text(surface.render(fitted(surface, everyday())).tools) for _ in range(2)}
        expect(len(texts) == 1, "two renderings differ; a prompt cache would miss")

    @case
    async def test_rendering_leaves_the_definitions_as_they_are(self, surface: Surface) -> None:
        given = fitted(surface, everyday())
        before = given.model_dump_json()
        surface.render(given)
        expect(given.model_dump_json() == before, "render changed the definitions; copy them")

    @case
    async def test_hostile_texts_are_rendered(self, surface: Surface) -> None:
        tools = tuple(
            ToolDefinition(
                name=f"odd_{number}",
                description=text,
                input_schema={
                    "type": "object",
                    "properties": {text or "x": {"type": "string", "description": text}},
                },
            )
            for number, text in enumerate(HOSTILE_TEXTS)
        )
        given = fitted(surface, ModelSurface(tools=tools))
        try:
            json.dumps(surface.render(given).tools)
        except (TypeError, ValueError, LookupError) as failure:
            expect(False, f"hostile texts raised {told(failure)}")

    @case
    async def test_calls_of_a_message_are_read(self, surface: Surface) -> None:
        read = surface.calls(self.message(CALLS), self._rendered(surface))
        expect(_read(read) == _read(CALLS), f"the calls were read as {_read(read)}; see `message`")

    @case
    async def test_the_names_and_order_of_calls_are_kept(self, surface: Surface) -> None:
        backward = tuple(reversed(CALLS))
        read = surface.calls(self.message(backward), self._rendered(surface))
        expect(
            [c.name for c in read] == [c.name for c in backward],
            "calls changed their order; give them as they stand",
        )

    @case
    async def test_a_message_without_calls_has_none(self, surface: Surface) -> None:
        read = surface.calls(self.message(()), self._rendered(surface))
        expect(not read, f"a message without calls was read as {read}; give none")

    @case
    async def test_a_message_can_be_sent_back(self, surface: Surface) -> None:
        history = surface.history(self.message(CALLS))
        expect(
            isinstance(history, Sequence) and history,
            "`history` gives no messages; give the model's own, as it is sent back",
        )
        expect(
            "tool_search" in _text(history),
            "keep the model's calls in the history: results refer to them",
        )

    @case
    async def test_a_stream_is_joined_into_the_message(self, surface: Surface) -> None:
        joined = surface.joined(self.chunks(CALLS))
        read = surface.calls(joined, self._rendered(surface))
        expect(_read(read) == _read(CALLS), f"the calls of a stream were read as {_read(read)}")

    @case
    async def test_what_is_no_message_is_a_value_error(self, surface: Surface) -> None:
        for odd in NO_MESSAGES:
            failure = (await outcome_of(_reading(surface, odd, self._rendered(surface))))[1]
            expect(
                isinstance(failure, ValueError),
                f"the message {odd!r} raised {told(failure)}; raise ValueError with what it is not",
            )

    @case
    async def test_results_are_plain_json_with_their_values(self, surface: Surface) -> None:
        answers = [(CALLS[0], ToolResult(value={"hits": ["天気"]})), (CALLS[1], FAILED)]
        messages = surface.results(answers, self._rendered(surface))
        text = _text(list(messages))
        expect("天気" in text, "the value of a result is not in its message; put in `result.text`")
        expect(
            "not allowed here" in text and "blocked" in text,
            "the failure is not told; `result.text` has code and message",
        )

    @case
    async def test_results_go_to_their_calls(self, surface: Surface) -> None:
        answers = [(call, ToolResult(value=f"answer {call.id}")) for call in CALLS]
        text = _text(list(surface.results(answers, self._rendered(surface))))
        places = [text.index(f"answer {call.id}") for call in CALLS]
        expect(places == sorted(places), "give results in the order of their calls")
        named = all(call.id in text.replace(f"answer {call.id}", "") for call in CALLS)
        by_name = all(call.name in text for call in CALLS)
        expect(named or by_name, "let a result name its call, by id or by name")

    @case
    async def test_values_of_every_kind_are_results(self, surface: Surface) -> None:
        for value in VALUES:
            messages = surface.results(
                [(CALLS[0], ToolResult(value=value))], self._rendered(surface)
            )
            json.dumps(list(messages), allow_nan=False)

    @case
    async def test_a_note_is_told(self, surface: Surface) -> None:
        result = ToolResult(value="x", note="cut at 10 bytes")
        messages = surface.results([(CALLS[0], result)], self._rendered(surface))
        expect(
            "cut at 10 bytes" in _text(list(messages)),
            "the note of a result is lost; `result.text` has it",
        )

    @case
    async def test_rendering_in_threads_agrees(self, surface: Surface) -> None:
        given = fitted(surface, everyday())
        drawn = await asyncio.gather(*(asyncio.to_thread(surface.render, given) for _ in range(10)))
        expect(
            len({_text(each.tools) for each in drawn}) == 1,
            "renderings in threads differ; keep nothing between them",
        )

    @scene
    async def test_two_instances_draw_the_same(self, folder: Path) -> None:
        surfaces = [await self.subject(folder) for _ in range(2)]
        drawn = {_text(each.render(fitted(each, everyday())).tools) for each in surfaces}
        expect(
            len(drawn) == 1,
            "two instances draw one surface differently; go by the definitions alone",
        )

    def _rendered(self, surface: Surface) -> RenderedSurface:
        return surface.render(fitted(surface, everyday()))


def everyday() -> ModelSurface:
    """Two control tools."""
    return ModelSurface(
        tools=(
            ToolDefinition(
                name="tool_search",
                description="Find tools by what they do.",
                input_schema={
                    "type": "object",
                    "properties": {"query": {"type": "string"}},
                    "required": ["query"],
                },
            ),
            ToolDefinition(
                name="tool_call",
                description="Call one tool.",
                input_schema={
                    "type": "object",
                    "properties": {"id": {"type": "string"}, "args": {"type": "object"}},
                },
            ),
        )
    )


def fitted(surface: Surface, given: ModelSurface) -> ModelSurface:
    """The definitions as the host hands them over: fit to the surface's limits."""
    return Fitter(surface.name, surface.limits).fitted(given).surface


async def _reading(surface: Surface, message: Any, rendered: RenderedSurface) -> Any:
    return surface.calls(message, rendered)


def _read(calls: Sequence[ModelCall]) -> list[tuple[str, Any]]:
    def arguments(call: ModelCall) -> Any:
        return json.loads(call.arguments) if isinstance(call.arguments, str) else call.arguments

    return [(call.name, arguments(call)) for call in calls]


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)
