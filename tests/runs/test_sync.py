"""The synchronous front: what a program with an event loop can do, one without can do as well."""

import asyncio
import inspect

import pytest

from toolsearch import CallError, ClientTool, Host, Run, SyncHost, SyncRun
from toolsearch_hookspecs import Approve, Reject, ToolSpec

from ..conftest import ListSource

FOR_OPERATORS = {"explain", "all_tools", "sources_down"}
FOR_MODES = {"control", "walk", "bridge", "waits_for", "asked_by", "go_on", "resumed"}
"""What of a run is for modes, ways in and the host."""


@pytest.fixture
def host(tmp_path):
    shop = ListSource("shop", {"order": lambda amount: {"ordered": amount}})
    config = {"tools": {"toolSearch": {"mode": "tools"}, "ask": ["order"]}}
    with SyncHost(config, sources=[shop], environ={}, state_dir=tmp_path) as host:
        yield host


def ordered(run):
    return run.handle("tool_call", {"id": "order", "args": {"amount": 3}})


def test_it_has_what_the_asynchronous_ones_have():
    def public(kind):
        methods = inspect.getmembers(kind, inspect.isfunction)
        return {name for name, _ in methods if not name.startswith("_")}

    assert public(Host) - public(SyncHost) <= FOR_OPERATORS | {"start", "aclose"}
    assert public(Run) - public(SyncRun) <= FOR_MODES | {"aclose", "cost", "code_limits"}
    for kind in (SyncHost, SyncRun):
        assert all(inspect.getdoc(getattr(kind, name)) for name in public(kind))


def test_a_pending_approval_is_answered_and_its_call_finished(host):
    with host.plan(approvals="return") as run:
        asked = ordered(run)
        done = host.resume(asked.pending.id, Approve(by="me"))
        assert done.value["result"] == {"ordered": 3}
        denied = host.resume(ordered(run).pending, Reject(message="not today"))
        assert "not today" in denied.error.message
        with pytest.raises(LookupError):
            host.resume("apr_none", Approve(by="me"))


def test_a_call_of_the_callers_own_tool_is_handed_back_and_delivered(host):
    tool = ClientTool(spec=ToolSpec(name="pick", input_schema={"type": "object"}))
    with host.plan(client_tools=[tool]) as run:
        back = run.handle("pick", {}, call_id="c1")
        assert back.handed_back is not None
        assert run.deliver("c1", {"picked": 1}).value == {"picked": 1}
        with pytest.raises(LookupError):
            run.deliver("c1", 2)


def test_tools_are_found_described_and_called(host):
    with host.plan(approvals="return") as run:
        (hit,) = run.search("order").hits
        assert run.describe(hit["id"])["name"] == "order"
        assert run.call("nothing", {}).error.code == "unknown_tool"
        with pytest.raises(CallError):
            run.describe("nothing")
    assert run.handle("tool_search", {"query": "order"}).error.message.startswith(
        "this run has ended"
    )
    assert not [each for each in host.diagnostics() if each.level == "error"]


def test_any_coroutine_runs_on_its_loop(host):
    assert host.wait(asyncio.sleep(0, "slept")) == "slept"
