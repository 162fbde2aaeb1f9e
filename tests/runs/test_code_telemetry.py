"""What is told of a body of code, whoever runs it."""

from toolsearch_hookspecs import Attestation, CodeOutcome, CodeRunner, hookimpl

from ..conftest import ListSource

CODE = {"tools": {"toolSearch": {"mode": "code"}}, "stages": {"runner": "by-heart"}}


class ByHeart(CodeRunner):
    """A runner that does over the bridge what every body would do."""

    name = "by-heart"

    async def probe(self):
        return Attestation(available=True, isolated=True, runtime="none")

    async def run(self, code, bridge, limits):
        if code == "fail":
            raise RuntimeError("lost its runtime")
        (hit,) = await bridge.search("add")
        await bridge.describe(hit["id"])
        answer = await bridge.call(hit["id"], {"a": 1, "b": 2})
        return CodeOutcome(outcome="ok", value=answer["result"])


class Yields:
    @hookimpl
    def toolsearch_code_runners(self, plugin):
        return (ByHeart(),)


async def test_how_a_body_ended_and_what_it_did_is_told_once(started):
    source = ListSource("s", {"add": lambda a, b: a + b})
    host = await started(CODE, source, plugins=[("by-heart", Yields())])
    async with await host.plan() as run:
        await run.handle("tool_search_code", {"code": "whatever"}, call_id="body")
    await host.plugins.hooks.drain()
    (ended,) = host.events.of("code.ended")
    told = {name: ended.data[name] for name in ("call", "outcome", "ok", "codeBytes")}
    assert told == {"call": "body", "outcome": "ok", "ok": True, "codeBytes": 8}
    counts = [ended.data[name] for name in ("bridgeCalls", "searches", "describes", "calls")]
    assert counts == [3, 1, 1, 1]
    assert ended.content == {"code": "whatever"}
    (call,) = host.events.of("call.ended")
    assert (call.data["via"], call.data["body"]) == ("bridge", "body")
    (run_ended,) = host.events.of("run.ended")
    assert run_ended.data["codeRuns"] == 1


async def test_a_runner_that_fails_is_told_of_too(started):
    host = await started(CODE, ListSource("s", {}), plugins=[("by-heart", Yields())])
    async with await host.plan() as run:
        assert (await run.handle("tool_search_code", {"code": "fail"})).is_error
    await host.plugins.hooks.drain()
    (ended,) = host.events.of("code.ended")
    assert (ended.data["ok"], ended.data["bridgeCalls"]) == (False, 0)
