"""Calls that the caller performs itself, beside approvals and beside many of them."""

import asyncio

from toolsearch import ClientTool
from toolsearch_hookspecs import Approve, ToolSpec, hookimpl

from ..conftest import ListSource

PICK = ClientTool(spec=ToolSpec(name="pick", input_schema={"type": "object"}))


class Approver:
    def __init__(self):
        self.asked = asyncio.Event()
        self.answer = asyncio.Event()

    @hookimpl
    async def toolsearch_approve(self, request):
        self.asked.set()
        await self.answer.wait()
        return Approve(by="person")


async def test_a_run_with_client_tools_still_waits_for_its_approvals(started):
    approver = Approver()
    source = ListSource("s", {"add": lambda a, b: a + b}, add={"approval": "always asked"})
    host = await started(None, source, plugins=[("approver", approver)])
    run = await host.plan(client_tools=[PICK])
    call = asyncio.ensure_future(run.handle("tool_call", {"id": "add", "args": {"a": 1, "b": 2}}))
    await approver.asked.wait()
    await asyncio.wait({call}, timeout=0.5)
    assert not call.done()
    approver.answer.set()
    assert (await call).value["result"] == 3


async def test_any_number_of_calls_can_be_handed_back_at_once(started):
    source = ListSource("s", {"add": lambda a, b: a + b})
    host = await started({"tools": {"toolSearch": True, "limits": {"maxParallelCalls": 1}}}, source)
    run = await host.plan(client_tools=[PICK], mode="tools")
    ids = [f"c{number}" for number in range(4)]
    handed = await asyncio.gather(*(run.handle("pick", {}, call_id=id) for id in ids))
    assert [result.handed_back.id for result in handed] == ids
    meanwhile = await run.handle("tool_call", {"id": "add", "args": {"a": 1, "b": 2}})
    assert meanwhile.value["result"] == 3
    done = [await run.deliver(id, id) for id in reversed(ids)]
    assert [result.value for result in done] == ids[::-1]
