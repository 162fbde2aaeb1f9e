"""Results are held to what a model should see, and the rest can be read on."""

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolsearch.results import READ_RESULT, ResultStore, bound
from toolsearch_hookspecs import CallError, CallFailure, ErrorCode, ToolResult


def asked_by(note):
    """The arguments that a note gives for reading on, or None at the end."""
    found = re.search(rf"{READ_RESULT} with (\{{.*?\}})", note)
    return json.loads(found[1]) if found else None


def read_through(result, store, limit):
    text = result.value
    while (asked := asked_by(result.note)) is not None:
        result = store.answer(asked, limit)
        assert len(result.text.encode()) <= limit
        text += result.value
    return text


def test_a_result_that_fits_is_untouched():
    result = ToolResult(value={"a": "x" * 900})
    assert bound(result, 1000, ResultStore()) is result


def test_a_long_text_is_cut_said_and_read_on_to_its_end():
    text = 'line "quoted"\n' * 10_000
    store = ResultStore()
    result = bound(ToolResult(value=text), 4000, store)
    assert len(result.text.encode()) <= 4000
    assert f"of {len(text)}" in result.note
    assert read_through(result, store, 4000) == text


def test_a_structured_value_is_cut_as_its_json_text():
    value = {"rows": [{"id": number} for number in range(5000)]}
    store = ResultStore()
    result = bound(ToolResult(value=value), 4000, store)
    assert isinstance(result.value, str)
    assert json.loads(read_through(result, store, 4000)) == value


def test_a_cut_falls_between_what_a_reader_sees_as_characters():
    family = "👨\u200d👩\u200d👧"
    store = ResultStore()
    result = bound(ToolResult(value=family * 1000), 2000, store)
    assert len(result.value) % len(family) == 0
    assert read_through(result, store, 2000) == family * 1000


def test_a_note_of_a_hook_is_kept_beside_the_note_of_the_cut():
    result = bound(ToolResult(value="x" * 5000, note="redacted by a hook"), 2000, ResultStore())
    assert result.note.startswith("redacted by a hook\ncut: ")


def test_the_message_of_an_error_is_bounded_and_read_on_too():
    failure = CallFailure(code=ErrorCode.TOOL_ERROR, message="trace " * 5000, executed=True)
    store = ResultStore()
    result = bound(ToolResult(error=failure), 4000, store)
    assert len(result.text.encode()) <= 4000
    assert result.error.code is ErrorCode.TOOL_ERROR
    piece = store.answer(asked_by(result.note), 40_000)
    assert result.error.message.removesuffix("…") + piece.value == failure.message


def test_an_error_that_carries_a_large_result_is_bounded_in_both():
    failure = CallFailure(code=ErrorCode.INVALID_RESULT, message="m" * 9000, executed=True)
    result = bound(ToolResult(error=failure, value=["x" * 9000]), 4000, ResultStore())
    assert len(result.value) + len(result.error.message) < 8000


def test_a_piece_can_be_asked_for_by_offset_and_length():
    store = ResultStore()
    handle, kept = store.keep("0123456789")
    assert kept == 10
    assert store.answer({"handle": handle, "offset": 3, "length": 4}, 1000).value == "3456"
    assert store.answer({"handle": handle, "offset": 8}, 1000).value == "89"
    end = store.answer({"handle": handle, "offset": 10}, 1000)
    assert (end.value, end.note) == ("", "characters 10 to 10 of 10: the end")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({}, "give `handle`"),
        ({"handle": 5}, "give `handle`"),
        ({"handle": "guess"}, "nothing is kept under this handle"),
        ({"handle": None, "offset": 0}, "give `handle`"),
        ({"offset": -1}, "whole numbers"),
        ({"offset": True}, "whole numbers"),
        ({"offset": "0"}, "whole numbers"),
        ({"length": 0}, "whole numbers"),
        ({"offset": 99}, "`offset` must be from 0 to 3"),
    ],
)
def test_what_cannot_be_read_is_refused_in_words(asked, said):
    store = ResultStore()
    handle, _ = store.keep("abc")
    if "handle" not in asked and asked:
        asked = {"handle": handle} | asked
    with pytest.raises(CallError) as refused:
        store.answer(asked, 1000)
    assert said in str(refused.value)


def test_a_handle_belongs_to_its_run():
    handle, _ = ResultStore().keep("abc")
    with pytest.raises(CallError, match="another run"):
        ResultStore().read(handle, 0, 1000)


def test_handles_of_the_same_text_differ_and_are_long():
    store = ResultStore()
    handles = {store.keep("abc")[0] for _ in range(50)}
    assert len(handles) == 50
    assert min(map(len, handles)) >= 22


def test_a_handle_expires_some_time_after_it_was_last_read():
    now = 0.0
    store = ResultStore(ttl_s=10, clock=lambda: now)
    handle, _ = store.keep("abc")
    now = 9.0
    store.read(handle, 0, 1000)
    now = 18.0
    assert store.read(handle, 0, 1000).text == "abc"
    now = 28.0
    with pytest.raises(CallError, match="expired"):
        store.read(handle, 0, 1000)
    assert store._bytes == 0


def test_what_is_kept_is_bounded_and_the_least_recently_read_goes_first():
    store = ResultStore(max_bytes=100)
    first, _ = store.keep("a" * 40)
    second, _ = store.keep("b" * 40)
    store.read(first, 0, 1000)
    third, _ = store.keep("c" * 40)
    assert {store.read(each, 0, 1000).total for each in (first, third)} == {40}
    with pytest.raises(CallError):
        store.read(second, 0, 1000)
    assert store._bytes == 80


def test_of_a_text_larger_than_the_store_the_beginning_is_kept_and_said():
    store = ResultStore(max_bytes=3000)
    result = bound(ToolResult(value="é" * 5000), 1000, store)
    assert "only the first 1500 characters are kept" in result.note
    assert read_through(result, store, 1000) == "é" * 1500


def test_a_run_that_ended_keeps_nothing():
    store = ResultStore()
    handle, _ = store.keep("abc")
    store.clear()
    with pytest.raises(CallError):
        store.read(handle, 0, 1000)


@settings(deadline=None, max_examples=60)
@given(
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=80).map(lambda t: t * 60),
    st.integers(1200, 3000),
)
def test_reading_on_gives_the_whole_text_whatever_it_is(text, limit):
    store = ResultStore()
    result = bound(ToolResult(value=text), limit, store)
    assert len(json.dumps(result.value, ensure_ascii=False).encode()) <= limit
    assert (read_through(result, store, limit) if result.note else result.value) == text
