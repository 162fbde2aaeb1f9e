"""What a policy is expected to rule, and what becomes of it in a run."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar

import pytest

from toolsearch.runs import Run
from toolsearch_hookspecs import (
    ModelSurface,
    PluginContext,
    PolicyAnswer,
    RunContext,
    Tool,
    hookimpl,
)

from ._case import UNDER_TEST, HookConformance, case, expect, hook_answer, scene
from ._hosts import STRUCTURED, ObservedHost, observed_host
from ._list_source import ListSource
from ._samples import CATALOG, make_run, sample_tools

NOTHING = PolicyAnswer()
NAMES = ", ".join(name for _, name, _, _ in CATALOG)


class ExpectedPolicy(HookConformance):
    """Cases of `PolicyConformance`."""

    HOOK = "toolsearch_tool_policy"

    denies: ClassVar[str | None] = None
    asks: ClassVar[str | None] = None
    allows: ClassVar[str | None] = None
    agent: ClassVar[str] = "main"

    @case
    async def test_what_it_should_deny_it_denies(self, policy: Any) -> None:
        answer, ids = await self._ask(policy), self._ids("denies")
        expect(ids <= set(answer.denied), f"{self.denies} is not denied: {sorted(answer.denied)}")

    @case
    async def test_what_it_should_allow_it_allows(self, policy: Any) -> None:
        answer, ids = await self._ask(policy), self._ids("allows")
        expect(not ids & set(answer.denied), f"{self.allows} is denied")
        expect(not ids & set(answer.asks), f"{self.allows} is asked about")

    @case
    async def test_what_it_should_ask_about_it_asks(self, policy: Any) -> None:
        answer, ids = await self._ask(policy), self._ids("asks")
        expect(ids <= set(answer.asks), f"{self.asks} is not asked about: {sorted(answer.asks)}")

    @scene
    async def test_in_a_run_a_denied_tool_does_not_exist(self, folder: Path) -> None:
        sources = _sources()
        for denied in self._ids("denies"):
            async with self._in_a_host(folder, sources) as host:
                run = await host.plan(agent=self.agent)
                expect(denied not in _seen(run.surface), f"{denied} stands in the surface")
                await _unreachable(run, denied)
            called = [call.tool.id for source in sources for call in source.calls]
            expect(denied not in called, f"{denied} was executed")

    @scene
    async def test_in_a_run_a_tool_that_it_asks_about_waits_for_a_person(
        self, folder: Path
    ) -> None:
        sources = _sources()
        for asked in self._ids("asks"):
            async with self._in_a_host(folder, sources) as host:
                run = await host.plan(agent=self.agent, approvals="return")
                answer = await run.handle("tool_call", {"id": asked, "args": {}})
                expect(answer.pending is not None, f"a call of {asked} waits for nobody")
            called = [call.tool.id for source in sources for call in source.calls]
            expect(asked not in called, f"{asked} was executed before anybody was asked")

    @asynccontextmanager
    async def _in_a_host(
        self, folder: Path, sources: Sequence[ListSource]
    ) -> AsyncIterator[ObservedHost]:
        policy = await self.subject(folder)
        host = observed_host(
            folder / "host",
            STRUCTURED,
            *sources,
            plugins=[(UNDER_TEST, _Rules(policy))],
            only=("index-whoosh", "mode-tools"),
        )
        try:
            async with host:
                yield host
        finally:
            await self.close(policy)

    def _run(self, **fields: Any) -> RunContext:
        return make_run(**({"agent": self.agent} | fields))

    async def _ask(
        self,
        policy: Any,
        tools: Sequence[Tool] | None = None,
        arguments: Mapping[str, Any] | None = None,
    ) -> PolicyAnswer:
        asked = sample_tools() if tools is None else tools
        return await self._answer(policy, self._run(), asked, arguments) or NOTHING

    async def _answer(
        self,
        policy: Any,
        run: RunContext,
        tools: Sequence[Tool],
        arguments: Mapping[str, Any] | None,
    ) -> Any:
        return await hook_answer(
            policy.toolsearch_tool_policy, run=run, tools=tools, arguments=arguments
        )

    def _ids(self, member: str) -> set[str]:
        """The tools that `denies`, `asks` or `allows` names; skips where none of them is set."""
        if not (self.denies or self.asks or self.allows):
            pytest.skip("set `denies`, `asks` or `allows` in the suite to a sample tool's name")
        name = getattr(self, member)
        ids = {tool.id for tool in sample_tools() if tool.name == name}
        expect(name is None or ids, f"`{member}` is {name!r}; the sample tools are {NAMES}")
        return ids


class _Rules:
    """The policy, already configured, as a plugin of the suite's host."""

    def __init__(self, policy: Any) -> None:
        self.policy = policy

    @hookimpl
    async def toolsearch_tool_policy(
        self, run: RunContext, tools: Sequence[Tool], arguments: Mapping[str, Any] | None
    ) -> PolicyAnswer | None:
        answer: PolicyAnswer | None = await hook_answer(
            self.policy.toolsearch_tool_policy, run=run, tools=tools, arguments=arguments
        )
        return answer

    @hookimpl
    def toolsearch_configure(self, plugin: PluginContext) -> None:
        """It is configured already."""


def _sources() -> list[ListSource]:
    by_owner: dict[str, dict[str, Any]] = {}
    specs: dict[str, dict[str, Any]] = {}
    for tool in sample_tools():
        by_owner.setdefault(tool.owner, {})[tool.name] = lambda **given: given
        specs[tool.name] = {
            "description": tool.description,
            "input_schema": tool.input_schema,
            "annotations": tool.annotations,
        }
    return [
        ListSource(owner, tools, **{name: specs[name] for name in tools})
        for owner, tools in by_owner.items()
    ]


async def _unreachable(run: Run, denied: str) -> None:
    for name, arguments in (
        ("tool_search", {"query": denied.rpartition(":")[2].replace("_", " ")}),
        ("tool_search", {"query": f"select:{denied}"}),
        ("tool_describe", {"id": denied}),
        ("tool_call", {"id": denied, "args": {}}),
    ):
        answer = await run.handle(name, arguments)
        found = [hit["id"] for hit in (answer.value or {}).get("hits", [])]
        expect(denied not in found, f"{name} finds {denied}")
        expect(answer.is_error or name == "tool_search", f"{name} answers for {denied}")


def _seen(surface: ModelSurface) -> str:
    return surface.model_dump_json()
