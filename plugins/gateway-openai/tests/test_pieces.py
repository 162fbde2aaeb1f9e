"""The parts that need no server: events, usage, ids, items, names of sessions."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsearch_gateway_openai._asker import session_of
from toolsearch_gateway_openai._errors import ApiError
from toolsearch_gateway_openai._ids import app_id, model_id
from toolsearch_gateway_openai._responses_items import shown
from toolsearch_gateway_openai._sse import TooLongError, event_bytes, read_events
from toolsearch_gateway_openai._tools import HandedBack, OwnTools
from toolsearch_gateway_openai._usage import added
from toolsearch_gateway_openai.provider import Goal


async def events_of(chunks, limit=1_000):
    async def source():
        for chunk in chunks:
            yield chunk

    return [(event.name, event.data) async for event in read_events(source(), limit)]


@given(
    st.lists(st.text(min_size=1).filter(lambda text: "\r" not in text and "\n" not in text)),
    st.lists(st.integers(1, 7)),
    st.sampled_from([b"\n", b"\r\n"]),
)
def test_events_are_read_whole_however_the_stream_is_cut(texts, cuts, ending):
    import asyncio

    wire = b"".join(event_bytes(text, "named") for text in texts).replace(b"\n", ending)
    chunks = []
    for size in cuts:
        chunks.append(wire[:size])
        wire = wire[size:]
    read = asyncio.run(events_of([*chunks, wire]))
    assert read == [("named", text) for text in texts]


async def test_comments_are_left_out_and_data_of_several_lines_is_joined():
    wire = b": waiting\n\ndata: one\ndata: two\n\ndata: three"
    assert await events_of([wire]) == [("", "one\ntwo"), ("", "three")]


@pytest.mark.parametrize("chunks", [[b"data: " + b"x" * 2_000], [b"data: xx\n" * 1_000]])
async def test_an_event_without_end_is_given_up(chunks):
    with pytest.raises(TooLongError):
        await events_of(chunks)


def test_numbers_are_added_and_the_rest_is_the_latest():
    first = {"prompt_tokens": 1, "details": {"cached": 2, "audio": None}, "tier": "a"}
    then = {"prompt_tokens": 10, "details": {"cached": 20}, "tier": "b", "new": 1}
    assert added(added(None, first), then) == {
        "prompt_tokens": 11,
        "details": {"cached": 22, "audio": None},
        "tier": "b",
        "new": 1,
    }
    assert added(first, None) == first


@given(st.text(min_size=1, max_size=80))
def test_an_id_that_an_app_was_given_is_turned_back_without_memory(id):
    assert model_id(app_id(id)) == model_id(id)
    assert len(app_id(id)) <= max(64, len(id))


def test_ids_that_a_provider_repeats_are_told_apart():
    assert app_id("call_1") != app_id("call_1")


def reasoning(id):
    return {"type": "reasoning", "id": id}


def call(id):
    return {"type": "function_call", "call_id": id, "name": "x", "arguments": "{}"}


MESSAGE = {"type": "message", "id": "m"}


@pytest.mark.parametrize(
    ("items", "handed", "left"),
    [
        ([reasoning("r"), MESSAGE], (), ["r", "m"]),
        ([reasoning("r"), call("hidden")], (), []),
        ([reasoning("r"), MESSAGE, call("hidden"), reasoning("s")], (), ["r", "m"]),
        ([reasoning("r"), call("own")], ("own",), ["r", "own_app"]),
        ([reasoning("r"), call("hidden"), reasoning("s"), call("own")], ("own",), ["s", "own_app"]),
        ([MESSAGE, reasoning("r")], (), ["m", "r"]),
    ],
)
def test_a_hidden_call_takes_the_thoughts_with_it_that_led_to_it(items, handed, left):
    given = {id: HandedBack(f"{id}_app", id, "x", "{}", custom=False) for id in handed}
    assert [item.get("id") or item["call_id"] for item in shown(items, given)] == left


@pytest.mark.parametrize(
    ("tools", "wrong"),
    [
        ("x", "an array"),
        ([1], "must be an object"),
        ([{"type": "function", "function": {}}], "has no name"),
        ([{"type": "function", "name": "x", "parameters": []}], "no JSON Schema"),
    ],
)
def test_tools_that_are_none_are_refused(tools, wrong):
    with pytest.raises(ApiError, match=wrong):
        _ = OwnTools.of(tools).client_tools


def test_tools_that_the_provider_runs_itself_are_left_to_it():
    own = OwnTools.of([{"type": "web_search"}, {"type": "custom", "name": "sql", "format": {}}])
    assert own.others == ({"type": "web_search"},)
    (tool,) = own.client_tools
    assert tool.spec.input_schema["properties"] == {"input": {"type": "string"}}


def test_a_session_is_no_longer_than_a_name():
    assert len(session_of({"x-toolsearch-session": "s" * 9_999}, {})) == 256


def test_the_planner_reads_its_goal_from_the_users_words():
    goal = Goal.of("Please see to this: open the gate in Oslo, with ticket=QA-1 urgency=high")
    assert goal.what == "open the gate in Oslo"
    assert goal.arguments({"required": ["urgency", "other"]}) == {"urgency": "high", "other": ""}


def test_the_commands_are_listed_without_anything_heavy():
    import subprocess
    import sys

    listing = (
        "import sys, toolsearch_gateway_openai as t;"
        "names = [c.name for c in t.plugin().toolsearch_commands(None)];"
        "heavy = {'starlette', 'uvicorn', 'httpx2'} & set(sys.modules);"
        "print(names, sorted(heavy))"
    )
    done = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True)
    assert done.stdout.strip() == "['gateway', 'ask', 'qa'] []", done.stderr
