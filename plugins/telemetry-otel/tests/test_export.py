"""Spans and metrics, as a collector receives them."""

import json
import socket
from datetime import UTC, datetime, timedelta

import pytest
from opentelemetry.sdk.trace import TracerProvider

from toolsearch.testing import ListSource
from toolsearch_hookspecs import Approve, Ask, Event, EventType, PluginError, ToolError, hookimpl
from toolsearch_telemetry_otel import OtelSettings, plugin
from toolsearch_telemetry_otel._export import Providers
from toolsearch_telemetry_otel._telling import Telling

from .conftest import attributes

NOON = datetime(2026, 12, 1, 12, tzinfo=UTC)
TOKEN = "ghp_" + "a1B2" * 9


def shop():
    def pay(amount, note=""):
        if amount < 0:
            raise ToolError("no such amount")
        return {"paid": amount}

    return ListSource("shop", {"pay": pay})


def server():
    source = ListSource("github", {"create_issue": lambda: {"number": 1}})
    source.kind, source.trusted = "mcp", False
    return source


class Asks:
    @hookimpl
    def toolsearch_before_tool_call(self, call):
        return Ask(reason="it costs money")

    @hookimpl
    async def toolsearch_approve(self, request):
        return Approve(by="me")


async def test_a_call_is_a_span_by_the_genai_convention_within_its_run(started, collector):
    host = await started({"endpoint": collector.url, "serviceName": "my-agent"}, shop())
    async with await host.plan(agent="main", session="s1") as run:
        await run.handle("tool_call", {"id": "pay", "args": {"amount": 3}}, call_id="c1")
    await host.aclose()
    assert collector.resource["service.name"] == "my-agent"
    span, run_span = collector.span("execute_tool pay"), collector.span("toolsearch.run")
    told = attributes(span)
    assert told["gen_ai.operation.name"] == "execute_tool"
    assert told["gen_ai.tool.name"] == "pay"
    assert told["gen_ai.tool.type"] == "function"
    assert told["gen_ai.tool.call.id"] == "c1"
    assert told["gen_ai.agent.name"] == "main"
    assert told["gen_ai.conversation.id"] == "s1"
    assert told["toolsearch.call.tool"] == "plugin:shop:pay"
    assert "mcp.method.name" not in told
    assert span.parent_span_id == run_span.span_id
    assert span.end_time_unix_nano >= span.start_time_unix_nano
    about = attributes(run_span)
    assert about["toolsearch.run.mode"] == "tools"
    assert about["toolsearch.run.direct_bytes"] > 0
    assert about["toolsearch.run.calls"] == 1


async def test_a_call_of_an_mcp_server_carries_the_mcp_convention_in_the_same_span(
    started, collector
):
    host = await started({"endpoint": collector.url}, server())
    async with await host.plan() as run:
        await run.handle("tool_call", {"id": "create_issue", "args": {}})
    await host.aclose()
    told = attributes(collector.span("execute_tool create_issue"))
    assert told["mcp.method.name"] == "tools/call"
    assert told["gen_ai.tool.type"] == "extension"
    (point,) = collector.points("mcp.client.operation.duration")
    assert attributes(point)["gen_ai.tool.name"] == "create_issue"
    assert point.count == 1


async def test_a_failure_has_its_type_and_an_error_status(started, collector):
    host = await started({"endpoint": collector.url}, shop())
    async with await host.plan() as run:
        await run.handle("tool_call", {"id": "pay", "args": {"amount": -1}})
        await run.handle("tool_call", {"id": "no_such_tool", "args": {}})
    await host.aclose()
    failed = collector.span("execute_tool pay")
    assert attributes(failed)["error.type"] == "tool_error"
    assert failed.status.code == failed.status.STATUS_CODE_ERROR
    unknown = collector.span("execute_tool unknown")
    assert attributes(unknown)["error.type"] == "unknown_tool"


async def test_metrics_tell_durations_sizes_and_counts(started, collector):
    host = await started({"endpoint": collector.url}, shop())
    async with await host.plan() as run:
        await run.handle("tool_search", {"query": "pay"})
        await run.handle("tool_describe", {"id": "pay"})
        await run.handle("tool_call", {"id": "pay", "args": {"amount": 1}})
        await run.handle("tool_call", {"id": "pay", "args": {"amount": 2}})
    await host.aclose()
    durations = {
        attributes(point)["gen_ai.tool.name"]: point
        for point in collector.points("gen_ai.execute_tool.duration")
    }
    assert {name: point.count for name, point in durations.items()} == {
        "tool_search": 1,
        "tool_describe": 1,
        "pay": 2,
    }
    assert 0 < durations["pay"].sum < 60
    (surface,) = collector.points("toolsearch.surface.size")
    assert attributes(surface) == {"toolsearch.mode": "tools"}
    assert surface.sum > 0
    (catalog,) = collector.points("toolsearch.catalog.size")
    assert catalog.sum == 1
    (searches,) = collector.points("toolsearch.searches")
    assert searches.as_int == 1


async def test_nothing_of_the_content_leaves_unless_it_is_wanted(started, collector):
    host = await started({"endpoint": collector.url}, shop())
    async with await host.plan() as run:
        await run.handle("tool_search", {"query": "kwyjibo"})
        await run.handle("tool_call", {"id": "pay", "args": {"amount": 1, "note": "kwyjibo"}})
    await host.aclose()
    assert len(collector.spans) == 3
    assert not any(b"kwyjibo" in request.SerializeToString() for request in collector.traces)
    assert not any(b"kwyjibo" in request.SerializeToString() for request in collector.metrics)


async def test_content_that_is_wanted_is_redacted(started, collector):
    settings = {"endpoint": collector.url, "content": True}
    host = await started(settings, shop(), environ={"SHOP_TOKEN": "open-sesame-1"})
    note = f"by {TOKEN} and open-sesame-1"
    async with await host.plan() as run:
        await run.handle("tool_search", {"query": "pay an invoice"})
        await run.handle("tool_call", {"id": "pay", "args": {"amount": 1, "note": note}})
    await host.aclose()
    told = attributes(collector.span("execute_tool pay"))
    arguments = json.loads(told["gen_ai.tool.call.arguments"])
    assert arguments == {"amount": 1, "note": "by [redacted] and [redacted]"}
    assert json.loads(told["gen_ai.tool.call.result"]) == {"paid": 1}
    searched = attributes(collector.span("execute_tool tool_search"))
    assert searched["toolsearch.search.query"] == "pay an invoice"


async def test_spans_join_the_trace_of_the_embedding_program(started, collector):
    host = await started({"endpoint": collector.url}, shop())
    async with await host.plan() as run:
        with TracerProvider().get_tracer("program").start_as_current_span("turn") as turn:
            await run.handle("tool_call", {"id": "pay", "args": {"amount": 1}})
    await host.aclose()
    span, mine = collector.span("execute_tool pay"), turn.get_span_context()
    assert int.from_bytes(span.trace_id, "big") == mine.trace_id
    assert int.from_bytes(span.parent_span_id, "big") == mine.span_id


async def test_an_approval_is_told_on_the_call_that_waited(started, collector):
    host = await started({"endpoint": collector.url}, shop(), plugins=[("asks", Asks())])
    async with await host.plan() as run:
        assert (await run.handle("tool_call", {"id": "pay", "args": {"amount": 1}})).error is None
    await host.aclose()
    events = collector.span("execute_tool pay").events
    assert [event.name for event in events] == ["approval.requested", "approval.answered"]
    assert attributes(events[1])["toolsearch.approval.decision"] == "approve"
    (answered,) = collector.points("toolsearch.approvals")
    assert attributes(answered) == {"toolsearch.approval.decision": "approve"}


def telling(collector):
    providers = Providers.of(OtelSettings(endpoint=collector.url))
    return providers, Telling(providers.tracer(), providers.meter(), None)


def event(type_, seconds, **data):
    at = NOON + timedelta(seconds=seconds)
    return Event(type=type_, at=at, seq=1, run="r", data=data)


def test_calls_of_a_body_are_children_of_the_bodys_span(collector):
    providers, told = telling(collector)
    told.tell(event(EventType.RUN_PLANNED, 0, mode="code"))
    told.tell(event(EventType.SEARCH, 2, call="c1.1", hits=3, ms=500))
    told.tell(
        event(EventType.CALL_ENDED, 3, call="c1.2", body="c1", tool="mcp:a:b", ok=True, ms=250)
    )
    told.tell(event(EventType.CODE_ENDED, 4, call="c1", outcome="ok", ok=True, ms=3_000))
    told.tell(event(EventType.RUN_ENDED, 5))
    providers.close()
    body, run = collector.span("execute_tool tool_search_code"), collector.span("toolsearch.run")
    search, call = collector.span("execute_tool tool_search"), collector.span("execute_tool b")
    assert body.parent_span_id == run.span_id
    assert {search.parent_span_id, call.parent_span_id} == {body.span_id}
    assert body.start_time_unix_nano <= search.start_time_unix_nano
    assert call.end_time_unix_nano <= body.end_time_unix_nano
    assert call.end_time_unix_nano - call.start_time_unix_nano == 250_000_000


def test_a_run_that_never_ended_is_told_when_the_host_closes(collector):
    providers, told = telling(collector)
    told.tell(event(EventType.RUN_PLANNED, 0, mode="code"))
    told.tell(event(EventType.SOURCE_FAILED, 1, source="mcp", owner="calendar", reason="down"))
    told.tell(event(EventType.SEARCH, 2, call="c1.1", ms=1))
    told.close()
    providers.close()
    run = collector.span("toolsearch.run")
    assert [each.name for each in run.events] == ["source.failed"]
    assert collector.span("execute_tool tool_search").parent_span_id == run.span_id


async def test_a_collector_that_is_down_disturbs_no_call(started):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        nowhere = f"http://127.0.0.1:{taken.getsockname()[1]}"
        host = await started({"endpoint": nowhere}, shop())
        async with await host.plan() as run:
            result = await run.handle("tool_call", {"id": "pay", "args": {"amount": 1}})
        assert result.error is None
        await host.aclose()


def test_an_endpoint_without_the_sdk_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "opentelemetry.sdk.trace.export", None)
    with pytest.raises(PluginError, match=r"install toolsearch-telemetry-otel\[export\]"):
        Providers.of(OtelSettings(endpoint="http://127.0.0.1:1"))


def test_without_an_endpoint_the_programs_own_providers_are_used():
    assert not Providers.of(OtelSettings()).own
    assert plugin is not None
