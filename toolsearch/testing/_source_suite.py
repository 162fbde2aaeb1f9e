"""What the host and every author may expect of a tool source."""

from __future__ import annotations

import asyncio
import copy
import json
import re
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest

from toolsearch.results import json_value
from toolsearch.schemas import scan
from toolsearch_hookspecs import (
    Limits,
    SourceListing,
    SourceUnavailable,
    ToolCall,
    ToolError,
    ToolResult,
    ToolsearchError,
    ToolSource,
)

from ._case import Conformance, all_survived, cancelled, case, expect, outcome_of, scene, told
from ._hosts import STRUCTURED, Yields, observed_host
from ._listings import faults_of, fingerprint, is_error, listed, name_of, source_part_of, taken_in
from ._samples import HOSTILE_TEXTS, make_call, make_run, make_tool

OWNER = re.compile(r"[a-z0-9_.-]+")


class ToolSourceConformance(Conformance):
    """`class TestMine(ToolSourceConformance): plugin = mine.plugin`

    `example` is the name of a tool and arguments with which it succeeds, without side effects
    that matter: with it, calls are tried too.
    """

    example: ClassVar[tuple[str, Mapping[str, Any]] | None] = None

    async def subject(self, folder: Path) -> ToolSource:
        source: ToolSource = self.yielded("toolsearch_tool_sources", folder)
        return source

    @case
    async def test_it_has_every_member_of_a_tool_source(self, source: ToolSource) -> None:
        missing = [
            name
            for name in (
                "name", "kind", "trusted", "origin", "start", "list_tools", "call", "aclose",
            )
            if not hasattr(source, name)
        ]  # fmt: skip
        expect(not missing, f"the source lacks {missing}; see ToolSource in toolsearch_hookspecs")

    @case
    async def test_its_name_can_be_an_owner(self, source: ToolSource) -> None:
        expect(
            OWNER.fullmatch(str(source.name)),
            f"its name {source.name!r} cannot be an owner; use a-z, 0-9, '_', '.' and '-' only",
        )

    @case
    async def test_its_kind_is_one_that_a_plugin_may_have(self, source: ToolSource) -> None:
        expect(
            source.kind in {"plugin", "mcp"},
            f"its kind is {source.kind!r}; a plugin's source is of kind 'plugin' ('mcp' is for "
            "servers, 'openclaw' and 'client' are the host's)",
        )

    @case
    async def test_it_says_whether_its_texts_are_trusted(self, source: ToolSource) -> None:
        expect(
            isinstance(source.trusted, bool),
            "`trusted` is no bool; it is False where anybody else wrote the texts",
        )

    @case
    async def test_its_origin_identifies_it_without_secrets(self, source: ToolSource) -> None:
        expect(
            isinstance(source.origin, str) and source.origin,
            "`origin` is empty; grants are bound to it, so name what executes the tools (a "
            "distribution, an address)",
        )
        secrets = [value for value in self.environ.values() if value and value in source.origin]
        expect(not secrets, "`origin` holds a value of the environment; leave secrets out of it")

    @case
    async def test_starting_returns_soon(self, source: ToolSource) -> None:
        await source.start(lambda: None)

    @case
    async def test_it_lists_a_source_listing(self, source: ToolSource) -> None:
        listing = await listed(source)
        expect(
            isinstance(listing, SourceListing),
            f"list_tools gives {type(listing).__name__}; give SourceListing(generation=…, tools=…)",
        )
        expect(
            isinstance(listing.generation, str) and listing.generation,
            "`generation` is empty; give a text that changes whenever the tools do",
        )

    @case
    async def test_it_has_at_least_one_tool(self, source: ToolSource) -> None:
        listing = await listed(source)
        expect(listing.tools, "it lists no tool; give the suite settings with which it has some")

    @case
    async def test_the_host_quarantines_none_of_its_tools(self, source: ToolSource) -> None:
        part = await taken_in(source)
        faults = [f"{each.name}: {each.reason}" for each in part.quarantined]
        expect(not faults, f"the host leaves tools out; mend them: {faults}")

    @case
    async def test_names_are_unique_within_it(self, source: ToolSource) -> None:
        names = [name_of(tool) for tool in (await listed(source)).tools]
        twice = sorted({name for name in names if names.count(name) > 1})
        expect(not twice, f"it lists {twice} more than once; the host would quarantine all of them")

    @case
    async def test_every_tool_says_what_it_does(self, source: ToolSource) -> None:
        silent = [tool.name for tool in (await taken_in(source)).tools if not tool.description]
        expect(not silent, f"{silent} have no description, so that no search finds them")

    @case
    async def test_every_schema_is_plain_json(self, source: ToolSource) -> None:
        for tool in (await taken_in(source)).tools:
            json.dumps([tool.input_schema, tool.output_schema], allow_nan=False)

    @case
    async def test_every_schema_can_be_checked_against(self, source: ToolSource) -> None:
        for tool in (await taken_in(source)).tools:
            problems = scan(tool.input_schema, Limits())
            if tool.output_schema is not None:
                problems += scan(tool.output_schema, Limits(), root="any")
            expect(not problems, f"a schema of {tool.name} cannot be used: {problems}")
            faults = [*faults_of(tool.input_schema), *faults_of(tool.output_schema or {})]
            expect(not faults, f"a schema of {tool.name} is no JSON Schema: {'; '.join(faults)}")

    @case
    async def test_an_unchanged_generation_has_unchanged_tools(self, source: ToolSource) -> None:
        await source.start(lambda: None)
        first, second = [await source.list_tools(make_run()) for _ in range(2)]
        same = fingerprint(source, first) == fingerprint(source, second)
        expect(
            same or first.generation != second.generation,
            f"two listings of generation {first.generation!r} differ; change `generation` whenever "
            "the tools change, since the host reuses what it has",
        )

    @case
    async def test_nothing_changes_by_itself(self, source: ToolSource) -> None:
        await source.start(lambda: None)
        first, second = [await source.list_tools(make_run()) for _ in range(2)]
        expect(
            first.generation == second.generation,
            "`generation` differs between two listings in a row; a new one each time makes the "
            "host validate and index everything again",
        )

    @case
    async def test_listings_side_by_side_agree(self, source: ToolSource) -> None:
        await source.start(lambda: None)
        listings = await asyncio.gather(*(source.list_tools(make_run()) for _ in range(20)))
        prints = {fingerprint(source, listing) for listing in listings}
        expect(len(prints) == 1, "listings that were asked side by side differ")

    @case
    async def test_it_answers_whoever_asks(self, source: ToolSource) -> None:
        await source.start(lambda: None)
        parent = make_run(run_id="parent")
        for run in (
            make_run(agent="日本語 \u202e", session="s" * 1000),
            make_run(profile="p", sandbox="b", channel="c", provider="o", model="m", principal="k"),
            make_run(run_id="child", parent=parent),
        ):
            _, failure = await outcome_of(source.list_tools(run))
            expect(
                failure is None or isinstance(failure, SourceUnavailable),
                f"listing for {run.agent!r} raised {told(failure)}; only SourceUnavailable may be "
                "raised there",
            )

    @case
    async def test_a_cancelled_listing_leaves_it_usable(self, source: ToolSource) -> None:
        await source.start(lambda: None)
        await cancelled(source.list_tools(make_run()))
        expect((await source.list_tools(make_run())).tools, "after a cancelled listing it has none")

    @scene
    async def test_two_instances_list_the_same(self, folder: Path) -> None:
        first, second = await self.subject(folder), await self.subject(folder)
        try:
            prints = {fingerprint(each, await listed(each)) for each in (first, second)}
            expect(len(prints) == 1, "two instances list different tools, or in another form")
            await self.close(first)
            again, failure = await outcome_of(second.list_tools(make_run()))
            expect(
                failure is None and again.tools,
                f"closing one instance broke another ({told(failure)}); share no state between "
                "instances, two hosts may live in one process",
            )
        finally:
            await self.close(first)
            await self.close(second)

    @case
    async def test_an_unknown_tool_is_an_error_of_ours(self, source: ToolSource) -> None:
        await source.start(lambda: None)
        call = make_call(make_tool("no_such_tool_of_yours"), arguments={})
        value, failure = await outcome_of(source.call(call))
        expect(
            isinstance(failure, ToolError | SourceUnavailable) or is_error(value),
            f"calling a tool that it does not have gave {value!r} or raised {told(failure)}; raise "
            "ToolError: a tool may depart between the listing and the call",
        )

    @case
    async def test_a_call_succeeds(self, source: ToolSource) -> None:
        call = await self._example_call(source)
        value = await source.call(call)
        expect(not is_error(value), f"the example gave an error: {value!r}")
        shown = json_value(value.value if isinstance(value, ToolResult) else value)
        json.dumps(shown, allow_nan=False)

    @case
    async def test_a_call_leaves_its_arguments_as_they_are(self, source: ToolSource) -> None:
        call = await self._example_call(source)
        before = copy.deepcopy(dict(call.arguments))
        await source.call(call)
        expect(dict(call.arguments) == before, "the call changed the arguments that it was given")

    @case
    async def test_calls_side_by_side_all_succeed(self, source: ToolSource) -> None:
        call = await self._example_call(source)
        many = [call.model_copy(update={"id": f"c{number}"}) for number in range(10)]
        answers = await asyncio.gather(*(outcome_of(source.call(each)) for each in many))
        failed = [told(failure) for value, failure in answers if failure or is_error(value)]
        expect(not failed, f"{len(failed)} of 10 calls side by side failed: {failed[:1]}")

    @case
    async def test_a_cancelled_call_ends_and_leaves_it_usable(self, source: ToolSource) -> None:
        call = await self._example_call(source)
        task = await cancelled(source.call(call), turns=1)
        expect(task.done(), "a cancelled call goes on; let CancelledError pass")
        value, failure = await outcome_of(source.call(call.model_copy(update={"id": "again"})))
        expect(
            failure is None and not is_error(value),
            f"after a cancelled call the next one failed: {told(failure)}",
        )

    @case
    async def test_hostile_texts_raise_nothing_but_errors_of_ours(self, source: ToolSource) -> None:
        call = await self._example_call(source)
        texts = [name for name, value in call.arguments.items() if isinstance(value, str)]
        failures: dict[str, BaseException | None] = {}
        for name in texts:
            for text in HOSTILE_TEXTS:
                arguments = {**call.arguments, name: text}
                step = source.call(call.model_copy(update={"arguments": arguments}))
                _, failure = await outcome_of(step)
                ours = isinstance(failure, ToolError | SourceUnavailable)
                failures[f"{name}={text}"] = None if ours else failure
        all_survived(failures, "Raise ToolError with what is wrong: its message reaches the model")

    @case
    async def test_closing_without_starting_is_fine(self, source: ToolSource) -> None:
        await self.close(source)

    @case
    async def test_closing_during_a_call_ends_the_call(self, source: ToolSource) -> None:
        call = await self._example_call(source)
        task = asyncio.ensure_future(outcome_of(source.call(call)))
        await asyncio.sleep(0)
        await self.close(source)
        _, failure = await task
        expect(
            failure is None or isinstance(failure, ToolsearchError | asyncio.CancelledError),
            f"a call that was open when it was closed raised {told(failure)}; raise ToolError, or "
            "SourceUnavailable where it certainly did not run",
        )

    @case
    async def test_a_call_after_closing_does_not_hang(self, source: ToolSource) -> None:
        call = await self._example_call(source)
        await self.close(source)
        _, failure = await outcome_of(source.call(call))
        expect(
            failure is None or isinstance(failure, ToolsearchError),
            f"a call after closing raised {told(failure)}; raise SourceUnavailable",
        )

    @case
    async def test_closing_leaves_no_thread_that_keeps_the_process(
        self, source: ToolSource
    ) -> None:
        before = set(threading.enumerate())
        await listed(source)
        await self.close(source)
        left = [
            thread.name
            for thread in set(threading.enumerate()) - before
            if not thread.daemon and not thread.name.startswith("asyncio_")
        ]
        expect(not left, f"threads {left} outlive it and are no daemons; join them when closed")

    @scene
    async def test_a_run_finds_describes_and_calls_its_tools(self, folder: Path) -> None:
        source = await self.subject(folder)
        needs = ("index-whoosh", "mode-tools")
        host = observed_host(
            folder / "host", STRUCTURED, plugins=[("under-test", Yields(source))], only=needs
        )
        async with host:
            tools = await host.all_tools()
            self.closed.append(source)
            expect(tools, "a host that loads the plugin has no tools of it")
            run = await host.plan()
            asked = next((t for t in tools if self.example and t.name == self.example[0]), tools[0])
            found = await run.handle("tool_search", {"query": f"select:{asked.id}"})
            ids = [hit["id"] for hit in found.value["hits"]]
            expect(asked.id in ids, f"{asked.id} is not found by its own id: {found.text[:200]}")
            described = await run.handle("tool_describe", {"id": asked.id})
            expect(not described.is_error, f"{asked.id} cannot be described: {described.text}")
            if self.example:
                called = await run.handle(
                    "tool_call", {"id": asked.id, "args": dict(self.example[1])}
                )
                expect(not called.is_error, f"the example fails in a run: {called.text[:300]}")

    async def _example_call(self, source: ToolSource) -> ToolCall:
        if self.example is None:
            pytest.skip("set `example = (tool name, arguments)` in the suite to have calls tried")
        await source.start(lambda: None)
        name, arguments = self.example
        tools = {
            tool.name: tool
            for tool in source_part_of(source, await source.list_tools(make_run())).tools
        }
        expect(name in tools, f"`example` names {name!r}, which is not among {sorted(tools)[:20]}")
        return make_call(tools[name], arguments=dict(arguments))
