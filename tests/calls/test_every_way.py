"""One path (S7.1): every kind of source, by every way in, in every mode of the surface."""

import json

import pytest

from toolsearch import CallError, ClientTool
from toolsearch_hookspecs import Approve, Deny, PolicyAnswer, Ruling, ToolSpec, hookimpl

from ..conftest import ListSource

MODES = ("direct", "tools", "directory", "code")
KINDS = ("openclaw", "plugin", "mcp", "client", "handed back")
SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
    "required": ["a", "b"],
}
GIVEN = {"a": 1, "b": 2}


class Watch:
    """Counts every hook, and denies, vetoes and asks as it is told."""

    def __init__(self, *, denies=False, vetoes=False):
        self.denies, self.vetoes = denies, vetoes
        self.seen = []

    @hookimpl(inline=True)
    def toolsearch_tool_policy(self, run, tools, arguments):
        if arguments is not None:
            self.seen.append("policy")
        denied = {t.id: Ruling(reason="no") for t in tools if self.denies and t.name == "add"}
        return PolicyAnswer(denied=denied)

    @hookimpl(inline=True)
    def toolsearch_before_tool_call(self, call):
        self.seen.append(("before", call.id, call.tool.name, dict(call.arguments)))
        return Deny(reason="vetoed") if self.vetoes else None

    @hookimpl(inline=True)
    def toolsearch_approve(self, request):
        self.seen.append(("approve", request.call.id, request.tool.name))
        return Approve()

    @hookimpl(inline=True)
    def toolsearch_after_tool_call(self, call, result):
        self.seen.append(("after", call.id, call.tool.name, dict(call.arguments)))

    def of(self, step):
        return [seen for seen in self.seen if seen[0] == step]


class World:
    """One host and run with the tool `add` of one kind."""

    def __init__(self, kind, mode, watch, *, approval=None):
        self.kind, self.mode, self.watch = kind, mode, watch
        self.executed = 0
        self.spec = ToolSpec(
            name="add", description="Add two numbers.", input_schema=SCHEMA, approval=approval
        )

    async def planned(self, started):
        more = {}
        sources = []
        if self.kind in {"openclaw", "plugin", "mcp"}:
            source = ListSource("math", {"add": lambda a, b: self.add({"a": a, "b": b})})
            source.specs["add"] = self.spec
            source.kind = self.kind
            if self.kind == "openclaw":
                more["sources"] = [source]
            else:
                sources = [source]
        on = False if self.mode == "direct" else {"mode": self.mode, "strict": True}
        config = {
            "tools": {"toolSearch": on, "limits": {"loopGuard": 100}},
            "plugins": {"disabled": ["approval-store"]},
        }
        self.host = await started(config, *sources, plugins=[("watch", self.watch)], **more)
        execute = self.add if self.kind == "client" else None
        client = [ClientTool(spec=self.spec, execute=execute)] if not sources and not more else []
        self.run = await self.host.plan(client_tools=client, provider="openai-chat")
        return self

    def add(self, given):
        self.executed += 1
        return given["a"] + given["b"]

    @property
    def ways(self):
        """The ways to this tool in this mode."""
        if self.kind == "handed back":
            return ("by its name", "message", "program")
        ways = ["by its name", "message", "program", "tool_call", "bridge"]
        return (*ways, "body") if self.mode == "code" else tuple(ways)

    @property
    def id(self):
        kind = "client" if self.kind == "handed back" else self.kind
        return f"{kind}:{'app' if kind == 'client' else 'math'}:add"

    async def by(self, way):
        """The result as the model has it, or the failure."""
        match way:
            case "by its name":
                return await self.finished(await self.run.handle("add", GIVEN))
            case "program":
                return await self.run.call(self.id, GIVEN)
            case "tool_call":
                return await self.run.control("tool_call", {"id": self.id, "args": GIVEN})
            case "bridge":
                try:
                    return await self.run.bridge("body").call(self.id, GIVEN)
                except CallError as error:
                    return error.failure
            case "message":
                return await self.by_message()
            case "body":
                code = f"return await openclaw.tools.call({self.id!r}, {json.dumps(GIVEN)})"
                return await self.run.handle("tool_search_code", {"code": code})

    async def by_message(self):
        call = {"id": "c", "function": {"name": "add", "arguments": json.dumps(GIVEN)}}
        step = await self.run.respond({"role": "assistant", "content": None, "tool_calls": [call]})
        return await self.finished(step.answers[0].result)

    async def finished(self, result):
        """The final result, of a call that was handed back too."""
        if result.handed_back is None:
            return result
        call = result.handed_back
        return await self.run.deliver(call.id, self.add(call.arguments))

    async def ended(self):
        await self.host.plugins.hooks.drain()
        return self.host.events.of("call.ended")


every = pytest.mark.parametrize(
    ("kind", "mode"), [(kind, mode) for kind in KINDS for mode in MODES]
)


def executable(world):
    """Ways on which the tool can be executed: a program takes no call back that it makes."""
    return [way for way in world.ways if (world.kind, way) != ("handed back", "program")]


@every
async def test_each_hook_and_each_record_once_a_call(started, kind, mode):
    world = await World(kind, mode, watch := Watch()).planned(started)
    for number, way in enumerate(executable(world), 1):
        watch.seen.clear()
        result = await world.by(way)
        assert "3" in getattr(result, "text", str(result)), way
        assert world.executed == number, way
        (before,), (after,) = watch.of("before"), watch.of("after")
        assert before[1:] == after[1:], way
        assert before[2:] == ("add", GIVEN), way
        assert watch.seen.count("policy") == 1, way
        assert len(await world.ended()) == number, way
    started_events = world.host.events.of("call.started")
    assert len(started_events) == len(executable(world))
    assert {event.data["tool"] for event in await world.ended()} == {world.id}
    assert all(event.data["executed"] for event in await world.ended())


@every
async def test_a_veto_is_never_passed_and_recorded_once_a_call(started, kind, mode):
    world = await World(kind, mode, watch := Watch(vetoes=True)).planned(started)
    for way in world.ways:
        result = await world.by(way)
        assert "blocked" in getattr(result, "text", str(result)), way
        assert "vetoed" in getattr(result, "text", str(result)), way
    assert world.executed == 0
    assert len(watch.of("before")) == len(world.ways)
    assert watch.of("after") == []
    ended = await world.ended()
    assert [event.data["code"] for event in ended] == ["blocked"] * len(world.ways)
    assert not any(event.data["executed"] for event in ended)


@every
async def test_a_person_is_asked_once_a_call_about_the_real_tool(started, kind, mode):
    world = await World(kind, mode, watch := Watch(), approval="costs money").planned(started)
    for number, way in enumerate(executable(world), 1):
        watch.seen.clear()
        result = await world.by(way)
        assert "3" in getattr(result, "text", str(result)), way
        ((_, _, asked_about),) = watch.of("approve")
        assert asked_about == "add"
        assert world.executed == number, way


@every
async def test_a_denied_tool_looks_absent(started, kind, mode):
    world = await World(kind, mode, watch := Watch(denies=True)).planned(started)
    assert "add" not in [tool.name for tool in world.run.surface.tools]
    assert "Add two" not in world.run.surface.model_dump_json()
    for way in world.ways:
        result = await world.by(way)
        text = getattr(result, "text", str(result))
        assert "unknown_tool" in text, way
        assert "denied" not in text, way
        assert "policy" not in text, way
    assert world.executed == 0
    assert watch.of("before") == []
