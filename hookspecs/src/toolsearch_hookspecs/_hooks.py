"""Every hook, in the order in which a host meets them, each with its failure rule beside it.

Hooks that *register* (`def`) run once a host and yield objects with a name. Hooks that *decide*
(`async def`) run per run or per call; an implementation may be `async def`, or `def` (which runs
on a worker thread, so that its deadline holds).
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel

from ._calls import ApprovalRequest, ToolCall, ToolResult
from ._code import CodeRunner
from ._commands import Command
from ._decisions import (
    ApprovalDecision,
    BeforeDecision,
    PolicyAnswer,
    PolicyExplanation,
)
from ._events import Event
from ._markers import hookspec
from ._model import Record
from ._runs import ApprovalSettings, Limits, LogSettings, RunContext
from ._stages import ModeRenderer, RankedTool, SearchIndex, Surface, ToolSource
from ._tools import Tool

F = TypeVar("F", bound=Callable[..., Any])


class OnFailure(StrEnum):
    """What the host does when an implementation raises, times out or answers nonsense."""

    REFUSE_PLUGIN = "the plugin is refused"
    ABSENT = "what it would have yielded is absent and reported"
    FATAL_IF_CHOSEN = "fatal if a stage is chosen from it"
    DENY = "closed: denied"
    KEEP = "open: the answer before it stays"
    WITHHOLD = "closed: the result is withheld, said to be executed"
    ERROR_RESULT = "an error result; never a second execution"
    LOG = "open: logged"
    COLLECT = "collected; the others still run"


CLOSED = frozenset({OnFailure.DENY, OnFailure.WITHHOLD, OnFailure.ERROR_RESULT})


class HookRule(Record):
    """The rule of one hook: its arguments, how answers combine, when, and what a failure means."""

    name: str
    arguments: tuple[str, ...]
    asynchronous: bool
    combines: str
    when: str
    on_failure: OnFailure

    @property
    def closed(self) -> bool:
        return self.on_failure in CLOSED


def _rule(*, combines: str, when: str, on_failure: OnFailure) -> Callable[[F], F]:
    def mark(spec: F) -> F:
        spec.toolsearch_rule = HookRule(  # type: ignore[attr-defined]
            name=spec.__name__,
            arguments=tuple(name for name in inspect.signature(spec).parameters if name != "self"),
            asynchronous=inspect.iscoroutinefunction(spec),
            combines=combines,
            when=when,
            on_failure=on_failure,
        )
        return hookspec(spec)

    return mark


class SettingsSpec(Record):
    """The settings of one plugin.

    `model` reads `plugins.settings.<name>`. `claims` are the keys of the configuration that the
    plugin owns, with the type that reads each: top-level (`mcpServers`), or one level down in
    `tools` (`tools.deny`). A key claimed twice is an error.

    A model that keeps keys it does not know (`extra="allow"`) has each of them reported, with the
    nearest of its own; its class variable `FOREIGN` maps those that are known to be another
    program's to what is said of them.
    """

    model: type[BaseModel] | None = None
    claims: Mapping[str, Any] = {}


class PluginContext(Record):
    """What a plugin is handed when it registers.

    `settings` is an instance of its model (or None), `claimed` the parsed values of the claimed
    keys that the configuration has; `places` says where a dotted key stands in the file
    (`{"tools.deny.0": "toolsearch.json5:4:12"}`). `config_path` is the file in use, None where a
    program gave a mapping or there is no file. `base_dir` is where relative paths start.
    `state_dir` is the plugin's own folder for the files that it keeps: `plugins/<name>` in the
    host's state, there already where it can be written, readable by its owner only, and the same
    for every deployment of that user unless `TOOLSEARCH_STATE_DIR` says otherwise. (The batteries
    share the host's state itself.)
    """

    name: str
    settings: Any = None
    claimed: Mapping[str, Any] = {}
    places: Mapping[str, str] = {}
    limits: Limits = Limits()
    log: LogSettings = LogSettings()
    approvals: ApprovalSettings = ApprovalSettings()
    base_dir: Path
    state_dir: Path
    config_path: Path | None = None
    environ: Mapping[str, str] = {}


class Hooks:
    """The contract. A plugin is a module, or a class that is instantiated once for each host."""

    @_rule(combines="one each", when="load", on_failure=OnFailure.REFUSE_PLUGIN)
    def toolsearch_settings(self) -> SettingsSpec | None:
        """Say which settings the plugin reads and which keys of the configuration it claims."""

    @_rule(combines="all", when="load", on_failure=OnFailure.REFUSE_PLUGIN)
    def toolsearch_configure(self, plugin: PluginContext) -> None:
        """Take the settings, before any other hook of this plugin runs."""

    @_rule(combines="all, by name", when="host start", on_failure=OnFailure.ABSENT)
    def toolsearch_tool_sources(self, plugin: PluginContext) -> Iterable[ToolSource] | None:
        """Yield tool sources."""

    @_rule(combines="chosen by name", when="host start", on_failure=OnFailure.FATAL_IF_CHOSEN)
    def toolsearch_search_indexes(self, plugin: PluginContext) -> Iterable[SearchIndex] | None:
        """Yield search indexes; `stages.index` picks one."""

    @_rule(combines="by mode", when="host start", on_failure=OnFailure.FATAL_IF_CHOSEN)
    def toolsearch_mode_renderers(self, plugin: PluginContext) -> Iterable[ModeRenderer] | None:
        """Yield mode renderers; `stages.modes` picks one a mode where several offer it."""

    @_rule(combines="chosen by name", when="host start", on_failure=OnFailure.ABSENT)
    def toolsearch_code_runners(self, plugin: PluginContext) -> Iterable[CodeRunner] | None:
        """Yield code runners; `stages.runner` picks one. Without it `code` becomes `tools`."""

    @_rule(combines="chosen by name", when="host start", on_failure=OnFailure.FATAL_IF_CHOSEN)
    def toolsearch_surfaces(self, plugin: PluginContext) -> Iterable[Surface] | None:
        """Yield renderers of a provider's own form."""

    @_rule(combines="all", when="command line", on_failure=OnFailure.ABSENT)
    def toolsearch_commands(self, plugin: PluginContext) -> Iterable[Command] | None:
        """Yield commands. Import what is heavy inside the command, not beside it."""

    @_rule(
        combines="deny wins, then ask",
        when="planning; at each call; again when arguments changed",
        on_failure=OnFailure.DENY,
    )
    async def toolsearch_tool_policy(
        self, run: RunContext, tools: Sequence[Tool], arguments: Mapping[str, Any] | None
    ) -> PolicyAnswer | None:
        """Deny tools, or ask a person first. At a call `tools` is the one, with its arguments.

        A policy that gives no cache key is asked again before tools are searched or described, so
        that what it denies by then is not shown. While a source is down that never listed
        anything, the run may hear of it only if a stand-in for its tools, named `ANY_NAME`, is
        allowed: deny that where some tool of the source might be denied by its name.
        """

    @_rule(combines="all", when="policy explain", on_failure=OnFailure.LOG)
    async def toolsearch_policy_explain(
        self, run: RunContext, tool: Tool, arguments: Mapping[str, Any] | None
    ) -> PolicyExplanation | None:
        """Say to the operator which level and entry decides, and what the others say."""

    @_rule(combines="all", when="once a run", on_failure=OnFailure.LOG)
    async def toolsearch_catalog_built(self, run: RunContext, tools: Sequence[Tool]) -> None:
        """See the effective catalog of a run."""

    @_rule(combines="chain; never adds", when="each search", on_failure=OnFailure.KEEP)
    async def toolsearch_rank(
        self, run: RunContext, query: str, hits: Sequence[RankedTool]
    ) -> Sequence[RankedTool] | None:
        """Reorder or drop hits. One that was not given is ignored and reported."""

    @_rule(combines="chain, stops at deny", when="each call", on_failure=OnFailure.DENY)
    async def toolsearch_before_tool_call(self, call: ToolCall) -> BeforeDecision | None:
        """Let a call proceed (with other arguments), deny it, or have a person asked."""

    @_rule(
        combines="side by side; the first answer wins",
        when="when asked",
        on_failure=OnFailure.DENY,
    )
    async def toolsearch_approve(self, request: ApprovalRequest) -> ApprovalDecision | None:
        """Answer for a person: approve or reject. `None` leaves it to the others; when nobody
        answers it is rejected. Cancelled when another answered first.
        """

    @_rule(
        combines="first; the host's default asks the tool's source",
        when="once a call",
        on_failure=OnFailure.ERROR_RESULT,
    )
    async def toolsearch_execute(self, call: ToolCall) -> ToolResult | None:
        """Execute the call in place of its source (a cache, a remote worker)."""

    @_rule(combines="chain", when="after a call, also on errors", on_failure=OnFailure.WITHHOLD)
    async def toolsearch_after_tool_call(
        self, call: ToolCall, result: ToolResult
    ) -> ToolResult | None:
        """Replace or withhold a result."""

    @_rule(combines="all", when="every step", on_failure=OnFailure.LOG)
    def toolsearch_event(self, event: Event) -> None:
        """See what happened. Runs on the host's event queue; never delays a call."""

    @_rule(combines="all", when="close", on_failure=OnFailure.COLLECT)
    async def toolsearch_shutdown(self) -> None:
        """Close what the plugin opened."""


HOOK_RULES: Mapping[str, HookRule] = {
    name: spec.toolsearch_rule
    for name, spec in vars(Hooks).items()
    if hasattr(spec, "toolsearch_rule")
}
