from __future__ import annotations

import asyncio
import logging

import pytest

from toolsearch_hookspecs import EMPTY_SCHEMA, ErrorCode, SourceUnavailable, ToolError


def last_pid(starts) -> int:
    return int(starts.read_text().split()[-1])


async def test_a_server_is_started_by_the_first_that_asks_and_its_tools_are_listed(servers):
    starts = servers.folder / "starts"
    source = await servers.rogue("--starts", starts)
    assert not starts.exists()
    assert "echo" in await servers.names(source)
    result = await servers.call(source, "echo", a=None)
    assert result.value == 'echo {"a": null}'
    assert len(starts.read_text().split()) == 1


async def test_malformed_tools_are_quarantined_with_their_reasons_and_the_others_stay(servers):
    source = await servers.rogue("--bad-tools", "--banner")
    listing = await servers.listing(source)
    tools = {tool.name: tool for tool in listing.tools}
    assert {"echo", "null_schema", "no_schema", "empty_schema", "int_inside"} <= set(tools)
    assert {"root_one_of", "same", "odd_hints", "odd_description", "hidden"} <= set(tools)
    assert tools["null_schema"].input_schema == EMPTY_SCHEMA
    assert tools["empty_schema"].input_schema == EMPTY_SCHEMA
    assert tools["int_inside"].input_schema["properties"]["n"] == {"type": "integer"}
    assert tools["root_one_of"].input_schema["type"] == "object"
    assert tools["odd_hints"].annotations.read_only is None
    assert tools["odd_hints"].annotations.destructive is False
    assert tools["hidden"].description == "abc"
    assert tools["hidden"].label == "T"
    reasons = {left_out.name: left_out.reason for left_out in listing.quarantined}
    assert sum("no name" in reason for reason in reasons.values()) == 3
    assert "empty" in reasons[""]
    assert "300 characters" in next(reason for name, reason in reasons.items() if "nnn" in name)
    assert "invisible or control" in reasons["bell"]
    assert "invisible or control" in reasons["bidi"]
    assert '"int"' in reasons["root_int"]
    assert "a string" in reasons["root_string"]
    assert "nested deeper" in reasons["deep"]
    assert "2 times" in reasons["twice"]
    assert "task" in reasons["task_only"]
    assert (await servers.call(source, "echo")).value == "echo {}"


@pytest.mark.parametrize(("pages", "reason"), [("endless", "pages"), ("loop", "came back")])
async def test_a_listing_that_never_ends_makes_the_server_unavailable(servers, pages, reason):
    source = await servers.rogue("--pages", pages)
    with pytest.raises(SourceUnavailable, match=reason):
        await servers.listing(source)


async def test_pages_are_joined_and_a_tool_that_comes_again_the_same_counts_once(servers):
    two = await servers.rogue("--pages", "two", name="two")
    twice = await servers.rogue("--pages", "duplicates", name="twice")
    plain = await servers.rogue(name="plain")
    assert await servers.names(two) == await servers.names(plain)
    assert len((await servers.listing(twice)).tools) == len((await servers.listing(plain)).tools)


@pytest.mark.parametrize(
    ("tool", "value"),
    [
        ("json_text", {"answer": [1, 2]}),
        ("structured", {"n": 1}),
        ("violate", {"m": 1}),
        ("no_content", None),
        ("odd_content", {"type": "hologram", "rays": 3}),
        ("listify", "just text"),
        ("bad_utf8", "a\ufffd\ufffdb"),
        ("surrogate", "a\ufffdb"),
        ("banner", "after the banner"),
        ("stderr", "still here"),
    ],
)
async def test_whatever_shape_an_answer_has_its_value_comes_through(servers, tool, value):
    source = await servers.rogue()
    assert (await servers.call(source, tool)).value == value
    assert (await servers.call(source, "echo")).value == "echo {}"


async def test_images_become_stand_ins_and_links_are_not_followed(servers):
    source = await servers.rogue()
    result = await servers.call(source, "blocks")
    assert result.value == [
        "one",
        {"type": "image", "mimeType": "image/png", "bytes": 3000, "omitted": True},
        {"type": "resource_link", "uri": "file:///etc/passwd", "name": "p"},
        {"type": "resource", "uri": "x:1", "text": "inside"},
    ]


async def test_a_direct_only_tool_gives_its_content_whole(servers):
    source = await servers.rogue(server={"directOnly": ["blocks"]})
    listing = await servers.listing(source)
    modes = {tool.name: tool.catalog_mode for tool in listing.tools}
    assert (modes["blocks"], modes["echo"]) == ("direct-only", "catalog")
    result = await source.call(servers.tool_call(source, "blocks", {}, catalog_mode="direct-only"))
    assert result.value["content"][1]["data"] == "A" * 4000


async def test_a_note_says_what_stood_beside_structured_content(servers):
    source = await servers.rogue()
    assert "image" in (await servers.call(source, "structured")).note


async def test_a_tool_that_fails_gives_its_own_words_cleaned(servers):
    source = await servers.rogue()
    result = await servers.call(source, "fail")
    assert result.error.code is ErrorCode.TOOL_ERROR
    assert result.error.message == "no such thing"
    assert result.error.executed


async def test_an_answer_that_is_not_json_fails_its_own_call_at_once_and_no_other(servers):
    source = await servers.rogue()
    with pytest.raises(ToolError, match="not readable JSON"):
        await servers.call(source, "not_json")
    assert (await servers.call(source, "echo")).value == "echo {}"


async def test_a_line_over_the_bound_fails_its_own_call_and_no_other(servers):
    source = await servers.rogue(settings={"maxMessageBytes": 100_000})
    with pytest.raises(ToolError, match="over 100000"):
        await servers.call(source, "big", bytes=1_000_000)
    assert (await servers.call(source, "big", bytes=50_000)).value == "x" * 50_000


@pytest.mark.parametrize("tool", ["crash", "half_line"])
async def test_a_server_that_dies_in_a_call_says_so_and_serves_the_next(servers, tool):
    effects = servers.folder / "effects"
    source = await servers.rogue("--effects", effects)
    with pytest.raises(ToolError, match="may have taken effect"):
        await servers.call(source, tool)
    assert (await servers.call(source, "echo")).value == "echo {}"
    assert effects.read_text().splitlines() == [f"{tool} {{}}", "echo {}"]


async def test_a_call_that_hangs_ends_at_its_deadline_and_is_cancelled_on_the_server(servers):
    log = servers.folder / "log"
    source = await servers.rogue("--log", log)
    result = await source.call(servers.tool_call(source, "hang", {}, timeout_ms=100))
    assert result.error.code is ErrorCode.TIMEOUT
    assert result.error.executed
    await servers.until(lambda: "notifications/cancelled" in log.read_text())
    assert (await servers.call(source, "echo")).value == "echo {}"


async def test_a_cancelled_call_is_cancelled_on_the_server(servers):
    log, effects = servers.folder / "log", servers.folder / "effects"
    source = await servers.rogue("--log", log, "--effects", effects)
    await servers.listing(source)
    task = asyncio.create_task(servers.call(source, "hang"))
    await servers.until(effects.exists)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await servers.until(lambda: "notifications/cancelled" in log.read_text())


async def test_a_request_for_input_is_refused_and_the_tool_goes_on(servers):
    source = await servers.rogue()
    assert (await servers.call(source, "ask")).value == "refused"


async def test_a_result_that_waits_for_input_is_an_error_that_says_so(servers):
    source = await servers.rogue()
    result = await servers.call(source, "unfinished")
    assert "asks for input" in result.error.message


async def test_a_server_that_refuses_a_call_is_asked_for_its_tools_again(servers):
    log = servers.folder / "log"
    source = await servers.rogue("--log", log)
    await servers.listing(source)
    with pytest.raises(ToolError, match="refused refuse: no"):
        await servers.call(source, "refuse")
    await servers.until(lambda: log.read_text().count("tools/list") == 2)


async def test_a_server_that_exits_at_start_is_named_without_its_command_or_its_words(servers):
    source = await servers.rogue("--exit", "--secret", "hunter2")
    with pytest.raises(SourceUnavailable) as raised:
        await servers.listing(source)
    assert str(raised.value) == "it stopped before it answered"


async def test_a_command_that_does_not_exist_is_said_without_its_path(servers):
    (source,) = await servers.open({"ghost": {"command": "/no/such/command"}})
    with pytest.raises(SourceUnavailable, match="its command was not found"):
        await servers.listing(source)


async def test_a_server_that_says_nothing_is_given_up_at_its_own_deadline(servers):
    source = await servers.rogue("--mute", server={"startTimeoutMs": 200})
    with pytest.raises(SourceUnavailable):
        await servers.listing(source)


async def test_a_slow_start_does_not_hold_up_the_others_and_is_announced_when_it_is_there(servers):
    slow = await servers.rogue("--sleep", "0.6", name="slow", server={"startTimeoutMs": 10_000})
    quick = await servers.rogue(name="quick")
    impatient = asyncio.create_task(servers.listing(slow))
    assert "echo" in await servers.names(quick)
    impatient.cancel()
    async with asyncio.timeout(20):
        assert await servers.changes.get() == "slow"
    assert "echo" in await servers.names(slow)


async def test_a_server_without_tools_has_none(servers):
    source = await servers.rogue("--no-tools")
    assert await servers.names(source) == set()


async def test_a_server_of_an_unknown_revision_is_reported(servers):
    source = await servers.rogue("--version", "1999-01-01")
    with pytest.raises(SourceUnavailable, match="no revision of the protocol known"):
        await servers.listing(source)


async def test_a_server_down_at_start_comes_back_by_itself_and_is_announced(servers):
    down = servers.folder / "down"
    down.touch()
    source = await servers.rogue("--unless", down)
    with pytest.raises(SourceUnavailable):
        await servers.listing(source)
    down.unlink()
    async with asyncio.timeout(20):
        assert await servers.changes.get() == "rogue"
    assert "echo" in await servers.names(source)


async def test_closing_leaves_no_process_whatever_the_server_does(servers, alive):
    starts = servers.folder / "starts"
    source = await servers.rogue("--starts", starts, "--stay", settings={"shutdownMs": 50})
    result = await servers.call(source, "spawn")
    _, server, child = result.value.split()
    assert alive(int(server))
    assert alive(int(child))
    await source.aclose()
    assert not alive(int(server))
    await servers.until(lambda: not alive(int(child)))


async def test_a_cancelled_host_leaves_no_process(servers, alive):
    starts = servers.folder / "starts"
    source = await servers.rogue("--starts", starts, "--stay", settings={"shutdownMs": 5_000})
    await servers.listing(source)
    closing = asyncio.create_task(source.aclose())
    await asyncio.sleep(0)
    for task in asyncio.all_tasks():
        if task.get_name() == "rogue":
            task.cancel()
            await asyncio.sleep(0.05)
            task.cancel()
    await closing
    await servers.until(lambda: not alive(last_pid(starts)))


async def test_a_closed_source_starts_nothing_again(servers):
    source = await servers.rogue()
    await servers.listing(source)
    await source.aclose()
    await source.aclose()
    with pytest.raises(SourceUnavailable, match="closed"):
        await servers.listing(source)


async def test_what_a_server_says_of_itself_goes_to_search_cleaned(servers):
    source = await servers.rogue()
    assert (await servers.listing(source)).description == "Rogue tools for tests."


async def test_a_call_of_a_server_that_is_down_names_it_and_why(servers):
    source = await servers.rogue("--exit")
    with pytest.raises(SourceUnavailable) as raised:
        await servers.call(source, "echo")
    assert str(raised.value) == "server rogue is unavailable: it stopped before it answered"


async def test_closing_ends_the_wait_of_those_who_asked(servers):
    source = await servers.rogue("--mute")
    asking = asyncio.create_task(servers.listing(source))
    await asyncio.sleep(0)
    await source.aclose()
    with pytest.raises(SourceUnavailable, match="closed"):
        await asking


async def test_every_start_is_noted_by_program_and_process_without_its_arguments(servers, caplog):
    caplog.set_level(logging.INFO)
    source = await servers.rogue("--secret", "hunter2")
    await servers.listing(source)
    (line,) = [r.getMessage() for r in caplog.records if r.getMessage().startswith("started ")]
    assert "as process" in line
    assert "hunter2" not in caplog.text


async def test_the_last_words_of_a_server_are_for_the_operator_without_its_secrets(servers, caplog):
    caplog.set_level(logging.INFO)
    source = await servers.rogue(
        "--exit", "--secret", "${TOKEN}", environ={"TOKEN": "hunter2-hunter2"}
    )
    with pytest.raises(SourceUnavailable):
        await servers.listing(source)
    await source.aclose()
    assert "cannot start: ***" in caplog.text
    assert "hunter2" not in caplog.text
