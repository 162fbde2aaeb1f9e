"""Plays the demonstration on a host, through nothing but what any embedding program has."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from typing import Any

from toolsearch_hookspecs import (
    ConfigError,
    PolicyExplanation,
    Tool,
    ToolDefinition,
    ToolResult,
)

from ..host import Host
from ..runs import Run
from ._choose import script_for
from ._guard import NAME, Guard
from ._scripts import Lookup, Script
from ._stage import Stage
from ._steps import (
    BlockedStep,
    CallSpan,
    CatalogStep,
    CodeStep,
    DeniedStep,
    Exchange,
    Exposure,
    ExposureStep,
    Isolation,
    LoggedRun,
    LogStep,
    SourceSize,
    Step,
    ToolsStep,
)

MODES = ("tools", "code", "directory")


async def play(stage: Stage) -> AsyncGenerator[Step, None]:
    """Every step, as soon as it is known."""
    guard = Guard()
    host = Host.from_config(
        stage.config, plugins=[(NAME, guard)], state_dir=stage.folder, turned_on=True
    )
    async with host:
        tools = await host.all_tools()
        script = script_for(tools, stage.repository)
        async with await host.plan(session="demo", mode="direct") as run:
            missing = [*stage.missing, *_unavailable(run)]
            yield _catalog(tools, missing)
            yield await _exposure(host, run)
        yield await _tools_turn(host, script)
        yield await _code_turn(host, script, guard)
        yield await _denied(host, script, tools, stage)
        yield await _blocked(host, script)
    yield _log(stage)


def _unavailable(run: Run) -> list[str]:
    return [said.message for said in run.diagnostics if said.level != "info"]


def _catalog(tools: Sequence[Tool], missing: Iterable[str]) -> CatalogStep:
    owned: dict[tuple[str, str], list[Tool]] = {}
    for tool in tools:
        owned.setdefault((tool.source, tool.owner), []).append(tool)
    sizes = [
        SourceSize(source=source, owner=owner, tools=len(group), bytes=sum(map(_tool_bytes, group)))
        for (source, owner), group in owned.items()
    ]
    return CatalogStep(
        tools=len(tools),
        bytes=sum(size.bytes for size in sizes),
        sources=tuple(sorted(sizes, key=lambda size: (size.source, -size.tools, size.owner))),
        missing=tuple(missing),
    )


def _tool_bytes(tool: Tool) -> int:
    return _bytes(tool.name, tool.description, tool.input_schema)


def _bytes(name: str, description: str, parameters: Mapping[str, Any]) -> int:
    shown = {"name": name, "description": description, "parameters": parameters}
    return len(json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode())


def _definition_bytes(tool: ToolDefinition) -> int:
    return _bytes(tool.name, tool.description, tool.input_schema)


async def _exposure(host: Host, direct: Run) -> ExposureStep:
    modes = []
    for mode in MODES:
        try:
            run = await host.plan(session="demo", mode=mode)
        except ConfigError:  # no plugin here renders this mode
            continue
        async with run:
            if run.mode == mode:
                modes.append(_exposed(run))
    return ExposureStep(direct=_exposed(direct), modes=tuple(modes))


def _exposed(run: Run) -> Exposure:
    size = sum(map(_definition_bytes, run.surface.tools)) + len((run.surface.prompt or "").encode())
    return Exposure(mode=run.mode, tools=len(run.surface.tools), bytes=size)


async def _tools_turn(host: Host, script: Script) -> ToolsStep:
    async with await host.plan(session="demo", mode="tools") as run:
        queries = [{"query": lookup.query, "limit": 3} for lookup in script.lookups]
        exchanges = [await _exchange(run, "tool_search", {"queries": queries})]
        for lookup in script.lookups:
            exchanges.append(await _exchange(run, "tool_describe", {"id": lookup.tool}))
            if lookup.arguments is not None:
                called = {"id": lookup.tool, "args": lookup.arguments}
                exchanges.append(await _exchange(run, "tool_call", called))
    return ToolsStep(asked=script.asked, exchanges=tuple(exchanges))


async def _exchange(run: Run, name: str, arguments: Any) -> Exchange:
    result = await run.handle(name, arguments)
    return Exchange(name=name, arguments=arguments, answer=_answer(result), error=result.is_error)


def _answer(result: ToolResult) -> Any:
    return result.value if result.error is None else result.error.model_dump(mode="json")


async def _code_turn(host: Host, script: Script, guard: Guard) -> CodeStep:
    async with await host.plan(session="demo", mode="code") as run:
        isolation = await _isolation(run)
        if run.mode != "code":
            said = next((said for said in run.diagnostics if said.level != "info"), None)
            return CodeStep(
                asked=script.asked_code,
                mode=run.mode,
                isolation=isolation,
                fallback=None if said is None else said.message,
                cure=None if said is None else said.cure,
            )
        result = await run.handle("tool_search_code", {"code": script.code})
        spans = guard.spans(run.context.run_id)
    began = spans[0].started if spans else 0.0
    return CodeStep(
        asked=script.asked_code,
        mode=run.mode,
        isolation=isolation,
        code=script.code,
        outcome=_answer(result),
        calls=tuple(
            CallSpan(
                tool=span.tool,
                source=span.source,
                started_ms=round((span.started - began) * 1_000, 1),
                ended_ms=round((span.ended - began) * 1_000, 1),
            )
            for span in spans
        ),
    )


async def _isolation(run: Run) -> Isolation | None:
    if run.runner is None:
        return None
    found = await run.runner.probe()
    return Isolation(
        runtime=found.runtime,
        version=found.version,
        isolated=found.isolated,
        missing=found.missing,
        cure=found.cure,
    )


async def _denied(host: Host, script: Script, tools: Sequence[Tool], stage: Stage) -> DeniedStep:
    denied = script.denied
    async with await host.plan(session="demo", agent=script.agent, mode="tools") as run:
        found = await run.handle("tool_search", {"query": denied.query, "limit": 5})
        answer = await _call(run, denied)
        (tool,) = [tool for tool in tools if tool.id == denied.tool]
        told = await host.explain(run, tool, None)
    decided = _deciding(each.value for each in told)
    asked = f"toolsearch --config {stage.file} policy explain {denied.tool}"
    return DeniedStep(
        tool=denied.tool,
        agent=script.agent,
        query=denied.query,
        hits=tuple(hit["id"] for hit in found.value["hits"]),
        answer=_answer(answer),
        level=decided.level if decided else None,
        entry=decided.entry if decided else None,
        reason=decided.reason if decided else "",
        command=asked if stage.file is not None else "",
    )


def _deciding(told: Iterable[PolicyExplanation]) -> Any:
    return next((each.decided_by for each in told if each.decided_by is not None), None)


async def _call(run: Run, lookup: Lookup) -> ToolResult:
    return await run.handle("tool_call", {"id": lookup.tool, "args": lookup.arguments or {}})


async def _blocked(host: Host, script: Script) -> BlockedStep:
    async with await host.plan(session="demo", mode="tools") as run:
        result = await _call(run, script.blocked)
    failure = result.error
    return BlockedStep(
        tool=script.blocked.tool,
        arguments=script.blocked.arguments,
        code=failure.code if failure else "ok",
        by=failure.by if failure else None,
        message=failure.message if failure else "it was not blocked",
    )


def _log(stage: Stage) -> LogStep:
    lines = stage.log.read_text("utf-8").splitlines() if stage.log.is_file() else []
    events = [json.loads(line) for line in lines]
    planned = {event["run"]: event for event in events if event["type"] == "run.planned"}
    ended = [event for event in events if event["type"] == "run.ended"]
    return LogStep(
        path=str(stage.log),
        events=dict(Counter(event["type"] for event in events)),
        runs=tuple(_logged(planned[event["run"]]["data"], event["data"]) for event in ended),
        folder=str(stage.folder),
    )


def _logged(planned: Mapping[str, Any], ended: Mapping[str, Any]) -> LoggedRun:
    return LoggedRun(
        mode=planned["mode"],
        schemas=planned["visibleTools"],
        searches=ended["searches"],
        describes=ended["describes"],
        calls=dict(Counter(tool["source"] for tool in ended["chosen"])),
    )
