"""The provider on loopback that surfaces are tested with."""

import threading

import httpx2
import pytest

from toolsearch.testing import LoopbackProvider, awkward_source
from toolsearch_hookspecs import ToolSpec


@pytest.fixture
def provider():
    def refusal(request):
        return "no tools, please" if request.get("tools") else None

    with LoopbackProvider(refusal, lambda message: {"said": message}) as provider:
        yield provider


def posted(provider, request):
    return httpx2.post(f"{provider.url}/v1/anything", json=request, trust_env=False)


def test_answers_come_in_their_order_and_requests_are_kept(provider):
    provider.answers = [{"n": 1}, lambda request: {"asked": request["n"]}]
    assert [posted(provider, {"n": n}).json() for n in (1, 2)] == [{"n": 1}, {"asked": 2}]
    assert provider.requests == [{"n": 1}, {"n": 2}]


def test_a_list_is_the_events_of_a_stream(provider):
    provider.answers = [[{"type": "begun"}, {"n": 1}]]
    answer = posted(provider, {})
    assert answer.headers["content-type"] == "text/event-stream"
    assert answer.text == 'event: begun\ndata: {"type": "begun"}\n\ndata: {"n": 1}\n\n'


def test_what_the_provider_refuses_takes_no_answer(provider):
    provider.answers = ["kept"]
    refused = posted(provider, {"tools": [1]})
    assert (refused.status_code, refused.json()) == (400, {"said": "no tools, please"})
    assert provider.answers == ["kept"]


def test_a_request_without_an_answer_is_told_so(provider):
    missing = posted(provider, {})
    assert missing.status_code == 500
    assert "no answer is left for request 1" in missing.json()["said"]


def test_a_client_that_does_not_wait_leaves_the_server_in_order(provider):
    release = threading.Event()
    provider.answers = [lambda request: release.wait() and {"late": True}, {"n": 2}]
    with pytest.raises(httpx2.TimeoutException):
        httpx2.post(provider.url, json={}, timeout=0.2, trust_env=False)
    release.set()
    assert posted(provider, {}).json() == {"n": 2}


async def test_awkward_tools_answer_with_their_names_and_one_fails(toolsearch_host):
    source = awkward_source(ToolSpec(name="mine", description="My own."))
    async with toolsearch_host(None, source) as host:
        run = await host.plan()
        done = [await run.handle(name, {}) for name in ("mine", "höhe messen", "fail")]
    assert [result.value for result in done[:2]] == [{"did": "mine"}, {"did": "höhe messen"}]
    assert done[2].error.message == "the printer is on fire"
    assert source.called == [("mine", {}), ("höhe messen", {}), ("fail", {})]
