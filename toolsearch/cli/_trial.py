"""One plugin, loaded alone with a throw-away state: what it yields is started and asked."""

from __future__ import annotations

import asyncio
import sys
import tempfile
import threading
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from toolsearch_hookspecs import (
    HOOK_RULES,
    CodeRunner,
    ConfigError,
    Limits,
    PluginError,
    RunContext,
    Tool,
    ToolsearchError,
)

from ..catalog import Inventory, SourceDown, SourceEntry, SourcePart
from ..config import ConfigDocument, HostConfig, resolve_config
from ..host import contexts_of
from ..isolation import text_of, within
from ..plugins import FoundPlugin, PluginHost, PluginSelection, discover, select
from ..schemas import SchemaProblem, Validator, mended
from ..source_entries import source_entries
from ..tracebacks import collected, note

YIELDS = {
    "toolsearch_tool_sources": "tool_sources",
    "toolsearch_search_indexes": "search_indexes",
    "toolsearch_mode_renderers": "mode_renderers",
    "toolsearch_code_runners": "code_runners",
    "toolsearch_surfaces": "surfaces",
    "toolsearch_commands": "commands",
}
STEPS = 4  # start, list, probe and close each have the deadline of sources
SHOWN = 20


@attrs.frozen
class TriedSource:
    """What a source listed: how many of its tools the host takes, and why not the others."""

    kind: str
    name: str
    tools: int = 0
    left_out: tuple[tuple[str, str], ...] = ()
    down: str | None = None


@attrs.define
class Trial:
    """What came of loading one plugin alone."""

    hooks: tuple[str, ...] = ()
    yields: Mapping[str, tuple[str, ...]] = attrs.Factory(dict)
    sources: list[TriedSource] = attrs.Factory(list)
    runners: dict[str, str] = attrs.Factory(dict)
    claims: tuple[str, ...] = ()
    settings: Mapping[str, Any] | None = None
    problems: list[str] = attrs.Factory(list)
    tracebacks: list[str] = attrs.Factory(list)


def tried(found: FoundPlugin, everything: Sequence[FoundPlugin], document: ConfigDocument) -> Trial:
    """Load the plugin and try what it yields. What is wrong is among the problems; raises nothing
    for it, whatever the plugin does.
    """
    trial = Trial()
    with (
        tempfile.TemporaryDirectory(
            prefix="toolsearch-check-", ignore_cleanup_errors=True
        ) as state,
        collected() as trial.tracebacks,
    ):
        try:
            others = {each.name for each in everything} - {found.name}
            alone = PluginSelection(enabled=(found.name,), disabled=tuple(sorted(others)))
            host = PluginHost.load(select(discover(), alone))
            _describe(trial, host, found.name)
            config = _configured(host, found.name, document, Path(state))
            _try(trial, host, found.name, config)
        except (PluginError, ConfigError) as error:
            trial.problems.append(str(error))
    trial.problems = list(dict.fromkeys(trial.problems))
    return trial


def _describe(trial: Trial, host: PluginHost, name: str) -> None:
    plugin = host.plugin(name)
    spec = plugin.settings_spec if plugin else None
    trial.hooks = tuple(hook for hook in HOOK_RULES if hook in host.hooks_of(name))
    trial.claims = tuple(spec.claims) if spec else ()
    trial.settings = spec.model.model_json_schema(by_alias=True) if spec and spec.model else None


def _configured(
    host: PluginHost, name: str, document: ConfigDocument, state_dir: Path
) -> HostConfig:
    """Hand the plugin what the configuration says to it, and nothing else. Raises ConfigError for
    settings that it does not take, and PluginError where it refuses them.
    """
    plugin = host.plugin(name)
    specs = {name: plugin.settings_spec} if plugin and plugin.settings_spec else {}
    claims = [key for spec in specs.values() for key in spec.claims]
    own = attrs.evolve(document, effective=_its_own(document.effective, name, claims))
    config = resolve_config(own, specs, state_dir=state_dir)
    host.set_limits(config.limits)
    host.configure(contexts_of(config, host, document.environ))
    return config


def _its_own(value: Mapping[str, Any], name: str, claims: Sequence[str]) -> dict[str, Any]:
    """The part of a configuration that one plugin reads: what it claims, its settings, limits."""
    kept = {key: value[key] for key in ("log", "approvals", *claims) if key in value}
    tools = value.get("tools")
    if isinstance(tools, Mapping):
        names = {"limits", *(key.removeprefix("tools.") for key in claims)}
        kept["tools"] = {key: inner for key, inner in tools.items() if key in names}
    plugins = value.get("plugins")
    settings = plugins.get("settings") if isinstance(plugins, Mapping) else None
    if isinstance(settings, Mapping) and name in settings:
        kept["plugins"] = {"settings": {name: settings[name]}}
    return kept


def _try(trial: Trial, host: PluginHost, name: str, config: HostConfig) -> None:
    """Everything that may run the plugin's code for long, on a thread that can be given up."""
    seconds = config.limits.source_timeout_ms / 1000
    work = threading.Thread(
        target=lambda: asyncio.run(_trying(trial, host, name, config.limits)), daemon=True
    )
    work.start()
    work.join(STEPS * seconds + config.limits.hook_timeout_ms / 1000 + 5)
    if work.is_alive():
        trial.problems.append(
            "it holds the event loop and does not give it back: await what it waits for, and put "
            "what cannot be awaited on a thread (asyncio.to_thread)"
        )
        frames = traceback.format_stack(sys._current_frames()[work.ident or 0])  # noqa: SLF001
        trial.tracebacks.append("where it stands\n" + "".join(frames[-4:]).rstrip())


async def _trying(trial: Trial, host: PluginHost, name: str, limits: Limits) -> None:
    seconds = limits.source_timeout_ms / 1000
    objects: dict[str, list[Any]] = {}
    for hook, method in YIELDS.items():
        if hook not in trial.hooks:
            continue
        objects[hook] = [item.value for item in getattr(host.hooks, method)()]
        trial.yields = {**trial.yields, hook: tuple(sorted(each.name for each in objects[hook]))}
        if host.hooks.is_silent(name, hook):
            trial.problems.append(
                f"{hook} returned None: `yield` what it offers, or return a list of it (an empty "
                "one where there is nothing)"
            )
    await _try_sources(trial, host, limits)
    for runner in objects.get("toolsearch_code_runners", ()):
        trial.runners[runner.name] = await _probed(trial, runner, seconds)
    for hook in ("toolsearch_search_indexes", "toolsearch_code_runners"):
        for each in objects.get(hook, ()):
            await _closed(trial, f"{each.name}: aclose", each.aclose, seconds)
    trial.problems += [each.message for each in host.diagnostics if each.level != "info"]
    trial.problems += [each.message for each in await host.shutdown()]


async def _try_sources(trial: Trial, host: PluginHost, limits: Limits) -> None:
    """Start each source, have it list its tools for a run, take them in, and close it."""
    seconds = limits.source_timeout_ms / 1000
    entries, unfit = source_entries((), host.hooks.tool_sources())
    inventory = Inventory(entries, seconds)
    said = [*unfit, *await inventory.start()]
    trial.problems += [each.message for each in said]
    snapshot = await inventory.snapshot(RunContext(run_id="check"))
    for entry in inventory.entries:
        match snapshot.answers[entry]:
            case SourcePart() as part:
                trial.sources.append(_listed(entry, part))
                trial.problems += _wrong_tools(part, limits)
            case SourceDown() as down:
                where = entry.provenance
                why = down.detail or down.reason
                trial.sources.append(TriedSource(where.kind, where.owner, down=why))
                trial.problems.append(f"{down.title}: {why}")
    for entry in entries:
        name = f"source {entry.provenance.owner}: aclose"
        await _closed(trial, name, entry.source.aclose, seconds)


def _listed(entry: SourceEntry, part: SourcePart) -> TriedSource:
    where = entry.provenance
    left_out = tuple((each.name[:80], each.reason) for each in part.quarantined)
    return TriedSource(where.kind, where.owner, len(part.tools), left_out)


def _wrong_tools(part: SourcePart, limits: Limits) -> Iterator[str]:
    owner = part.provenance.owner
    for left_out in part.quarantined[:SHOWN]:
        yield f"{owner}: the tool {left_out.name[:80]!r} is left out: {left_out.reason}"
    if len(part.quarantined) > SHOWN:
        yield f"{owner}: {len(part.quarantined) - SHOWN} more tools are left out"
    wrong: dict[str, list[str]] = {}
    for tool in part.tools:
        for fault in _wrong_schemas(tool, limits):
            wrong.setdefault(fault, []).append(tool.name)
    for fault, names in list(wrong.items())[:SHOWN]:
        others = f" and {len(names) - 3} more" if len(names) > 3 else ""
        yield f"{owner}: {', '.join(names[:3])}{others}: {fault}"
    if len(wrong) > SHOWN:
        yield f"{owner}: {len(wrong) - SHOWN} more faults of schemas"


def _wrong_schemas(tool: Tool, limits: Limits) -> Iterator[str]:
    """What a provider would refuse in the schemas of a tool, and what no call can be checked by."""
    schemas = {"input": tool.input_schema, "output": tool.output_schema}
    for which, schema in schemas.items():
        if schema is None:
            continue
        for fault in mended(schema).notes:
            yield f"its {which} schema is no JSON Schema: {fault}"
        try:
            Validator.compile(schema, limits, root="any")
        except SchemaProblem as problem:
            yield f"its {which} schema cannot be used, so that no call is executed: {problem}"


async def _probed(trial: Trial, runner: CodeRunner, seconds: float) -> str:
    outcome = await within(seconds, runner.probe)
    if outcome.failure is None:
        found = outcome.value
        state = "isolated" if found.isolated else "not isolated" if found.available else None
        return state or f"unavailable: {'; '.join(found.missing) or 'it does not say why'}"
    return _failed(trial, f"{runner.name}: probe", outcome.failure)


async def _closed(trial: Trial, what: str, aclose: Any, seconds: float) -> None:
    outcome = await within(seconds, aclose)
    if outcome.failure is not None:
        _failed(trial, what, outcome.failure)


def _failed(trial: Trial, what: str, failure: BaseException) -> str:
    if isinstance(failure, ToolsearchError):
        said = text_of(failure)
    else:
        said = f"it raised {type(failure).__name__}: {text_of(failure)}"
    note(f"{what} failed", failure)
    trial.problems.append(f"{what}: {said}")
    return said
