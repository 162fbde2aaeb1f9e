"""Streamed calls as providers really send them."""

import json

import pytest

from toolsearch_gateway_openai._chat import ChatConversation
from toolsearch_gateway_openai._errors import ApiError
from toolsearch_gateway_openai._sse import ServerEvent


async def read(*deltas, reason="tool_calls"):
    """The calls of one streamed turn, and what the app was sent meanwhile."""
    sent = []

    async def sink(event, name=None):
        sent.append(event)

    conversation = ChatConversation({"model": "m", "messages": []})
    turn = conversation.streaming(sink)
    for delta in deltas:
        choice = {"index": 0, "delta": delta, "finish_reason": None}
        await turn.take(ServerEvent("", json.dumps({"id": "c", "choices": [choice]})))
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    await turn.take(ServerEvent("", json.dumps(end)))
    return [(call.id, call.name, call.arguments) for call in turn.calls()], sent


def piece(index, arguments, **more):
    name = {"name": more.pop("name")} if "name" in more else {}
    return {"tool_calls": [{"index": index, "function": {"arguments": arguments, **name}, **more}]}


async def test_arguments_come_in_pieces_of_calls_side_by_side():
    calls, sent = await read(
        piece(0, "", id="a", name="x"),
        piece(1, "", id="b", name="y"),
        piece(0, '{"n"'),
        piece(1, "{}"),
        piece(0, ": 1}"),
    )
    assert calls == [("a", "x", '{"n": 1}'), ("b", "y", "{}")]
    assert sent == []


@pytest.mark.parametrize("index", [0, None])
async def test_calls_that_all_have_the_same_number_are_told_apart_by_their_ids(index):
    calls, _ = await read(
        piece(index, "{}", id="a", name="x"), piece(index, "[]", id="b", name="y")
    )
    assert calls == [("a", "x", "{}"), ("b", "y", "[]")]


async def test_a_call_without_an_id_is_given_one():
    calls, _ = await read(piece(0, "{}", name="x", id=""))
    assert calls[0][0].startswith("call_")


async def test_what_else_a_provider_says_is_passed_on_and_kept_for_the_next_turn():
    _, sent = await read({"reasoning_content": "hm"}, {"reasoning_content": "m"}, reason="stop")
    deltas = [event["choices"][0]["delta"] for event in sent]
    assert [delta["reasoning_content"] for delta in deltas] == ["hm", "m"]


@pytest.mark.parametrize(
    "data", ["{", "[]", '{"error": {"message": "overloaded"}}', '{"error": 1}']
)
async def test_what_is_no_chunk_ends_the_stream(data):
    async def sink(event, name=None):
        raise AssertionError(event)

    turn = ChatConversation({"messages": []}).streaming(sink)
    with pytest.raises(ApiError):
        await turn.take(ServerEvent("", data))
