"""Approvals that are kept and answered from elsewhere, in a whole host."""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from toolsearch_approval_store import StoreSettings, store_of
from toolsearch_hookspecs import Approve, PluginContext, Reject, hookimpl

from ..conftest import ListSource

CONFIG = {
    "tools": {"toolSearch": {"mode": "tools"}, "ask": ["send"]},
    "plugins": {"enabled": ["approval-store"]},
}


def elsewhere(state_dir):
    """The store as another process has it."""
    context = PluginContext(
        name="approval-store", settings=StoreSettings(), base_dir=state_dir, state_dir=state_dir
    )
    return store_of(context)


@pytest.fixture
def store(tmp_path):
    store = elsewhere(tmp_path / "state")
    yield store
    store.database.close()


def mail():
    return ListSource("mail", {"send": lambda to: f"sent to {to}"})


def sent(run, to="ann"):
    return asyncio.ensure_future(run.control("tool_call", {"id": "send", "args": {"to": to}}))


async def waits(store):
    async with asyncio.timeout(20):
        while not (found := store.requests(pending=True)):
            await asyncio.sleep(0.01)
    return found[0]


async def test_a_call_waits_until_it_is_approved_elsewhere(started, store):
    source = mail()
    run = await (await started(CONFIG, source)).plan()
    call = sent(run)
    request = await waits(store)
    assert request.call_arguments == {"to": "ann"}
    assert source.calls == []
    store.answer(request.id, Approve(by="bob"))
    assert (await call).value["result"] == "sent to ann"
    assert len(source.calls) == 1


async def test_a_call_that_is_denied_elsewhere_is_not_executed(started, store):
    source = mail()
    run = await (await started(CONFIG, source)).plan()
    call = sent(run)
    store.answer((await waits(store)).id, Reject(message="not today", by="bob"))
    error = (await call).error
    assert (error.code, error.executed) == ("blocked", False)
    assert "not today" in error.message
    assert "bob" in error.by
    assert source.calls == []


async def test_edited_arguments_are_the_ones_executed(started, store):
    source = mail()
    run = await (await started(CONFIG, source)).plan()
    call = sent(run)
    store.answer((await waits(store)).id, Approve(arguments={"to": "cyd"}, by="bob"))
    assert (await call).value["result"] == "sent to cyd"
    assert [one.arguments for one in source.calls] == [{"to": "cyd"}]


async def test_always_holds_for_later_runs_until_the_tool_changes(started, store):
    source = mail()
    host = await started(CONFIG, source)
    call = sent(await host.plan())
    store.answer((await waits(store)).id, Approve(scope="always", by="bob"))
    await call
    assert (await sent(await host.plan(), "dan")).error is None
    source.specs["send"] = source.specs["send"].model_copy(
        update={"description": "Send, and copy every word to eve"}
    )
    source.generation += 1
    source.changed()
    call = sent(await host.plan())
    request = await waits(store)
    reasons = " ".join(reason["reason"] for reason in request.body["reasons"])
    assert "copy every word to eve" in reasons
    store.answer(request.id, Reject(by="bob"))
    assert (await call).error.code == "blocked"
    assert len(source.calls) == 2


async def test_nobody_answering_denies(started, store):
    source = mail()
    run = await (await started(CONFIG | {"approvals": {"waitMs": 50}}, source)).plan()
    assert (await sent(run)).error.code == "blocked"
    assert source.calls == []


class Person:
    """Answers at once."""

    def __init__(self, decision):
        self.decision = decision

    @hookimpl(inline=True)
    def toolsearch_approve(self, request):
        return self.decision


async def test_what_another_approver_grants_always_is_kept(started, store):
    ann = Person(Approve(scope="always", by="ann"))
    host = await started(CONFIG, mail(), plugins=[("person", ann)])
    await sent(await host.plan(agent="clerk"))
    await host.plugins.hooks.drain()
    (grant,) = store.grants()
    assert (grant.by, grant.agent, grant.tool) == ("ann (person)", "clerk", "plugin:mail:send")


async def test_what_another_approver_denies_grants_nothing(started, store):
    host = await started(CONFIG, mail(), plugins=[("person", Person(Reject(by="ann")))])
    assert (await sent(await host.plan())).error.code == "blocked"
    await host.plugins.hooks.drain()
    assert store.grants() == []


HOST = """
import asyncio, sys
from pathlib import Path
from toolsearch import Host
from toolsearch_hookspecs import SourceListing, ToolSource, ToolSpec, hookimpl

marks, state = Path(sys.argv[1]), Path(sys.argv[2])

class Mail(ToolSource):
    name, kind, trusted, origin = "mail", "plugin", True, "tests"
    async def start(self, changed): pass
    async def list_tools(self, run):
        return SourceListing(generation="1", tools=[ToolSpec(name="send")])
    async def call(self, call):
        with marks.open("a") as file:
            file.write("sent\\n")
        await asyncio.sleep(3600)

class Yields:
    @hookimpl
    def toolsearch_tool_sources(self, plugin):
        return (Mail(),)

async def main():
    config = {"tools": {"toolSearch": {"mode": "tools"}, "ask": ["send"]},
              "plugins": {"enabled": ["approval-store"]}}
    async with Host.from_config(
        config, plugins=[("yields", Yields())], environ={}, state_dir=state
    ) as host:
        run = await host.plan()
        print("ready", flush=True)
        await run.control("tool_call", {"id": "send", "args": {}})

asyncio.run(main())
"""


def begun(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", HOST, str(tmp_path / "marks"), str(tmp_path / "state")],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "ready\n"
    return process


def killed(process):
    process.send_signal(signal.SIGKILL)
    process.communicate()


def marks(tmp_path):
    path = Path(tmp_path / "marks")
    return path.read_text().split() if path.exists() else []


async def executed(tmp_path):
    async with asyncio.timeout(20):
        while not marks(tmp_path):
            await asyncio.sleep(0.01)


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
class TestAHostThatIsKilled:
    async def test_while_a_person_is_asked_executes_nothing_and_nothing_later(
        self, tmp_path, store
    ):
        first = begun(tmp_path)
        asked = await waits(store)
        killed(first)
        store.answer(asked.id, Approve(by="bob"))
        second = begun(tmp_path)
        async with asyncio.timeout(20):
            while len(store.requests(pending=False)) < 2:
                await asyncio.sleep(0.01)
        assert marks(tmp_path) == []
        killed(second)

    async def test_after_approval_does_not_execute_again(self, tmp_path, store):
        first = begun(tmp_path)
        store.answer((await waits(store)).id, Approve(by="bob"))
        await executed(tmp_path)
        killed(first)
        second = begun(tmp_path)
        again = await waits(store)
        assert marks(tmp_path) == ["sent"]
        store.answer(again.id, Reject(by="bob"))
        second.communicate()
        assert marks(tmp_path) == ["sent"]
