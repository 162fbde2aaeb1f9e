"""The host: plugins, configuration and sources of one deployment. Several may live in one process."""

from __future__ import annotations

import itertools
import os
import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from toolsearch_hookspecs import (
    ApprovalDecision,
    ApprovalRequest,
    ClientTool,
    Diagnostic,
    Event,
    EventType,
    PluginContext,
    PolicyExplanation,
    RunContext,
    Tool,
    ToolResult,
    ToolSource,
)

from .assembling import Parts, assembled
from .calls import checked
from .catalog import SourceDown
from .config import HostConfig, read_config, resolve_config, state_dir_of
from .plugins import PluginHost, PluginSelection, Stamped, discover, own_state_dir, select
from .runs import ClientSource, Run, RunRequest


class Host:
    """An embedding program's host. Use it as an async context manager, or `start` and `aclose`.

    Build one with `Host.from_config`. A host belongs to the event loop that started it.
    """

    def __init__(
        self, config: HostConfig, plugins: PluginHost, sources: Sequence[ToolSource] = ()
    ) -> None:
        self.config = config
        self.plugins = plugins
        self._own_sources = tuple(sources)
        self._parts: Parts | None = None
        self._closed = False
        self._seq = itertools.count(1)

    @classmethod
    def from_config(
        cls,
        config: Mapping[str, Any] | str | Path | None = None,
        *,
        sources: Sequence[ToolSource] = (),
        plugins: Sequence[tuple[str, object]] = (),
        environ: Mapping[str, str] | None = None,
        state_dir: Path | None = None,
        selection: Mapping[str, Any] | None = None,
        trusted: bool = True,
        turned_on: bool = False,
    ) -> Host:
        """Read a configuration, choose and load plugins, and resolve every setting.

        `config` is a mapping or the path of a JSON5 file; no file is looked for. `sources` are
        the embedding program's own tools (kind `openclaw`), `plugins` its own plugin objects by
        name. `selection` overrides `plugins` and `stages` as the command line does. `turned_on`
        turns Tool Search on unless the configuration says otherwise.

        Raises ConfigError for what the configuration cannot mean and PluginError for a named
        plugin that cannot be loaded; nothing is started yet.
        """
        environ = dict(os.environ if environ is None else environ)
        state_dir = state_dir or state_dir_of(environ)
        document = read_config(config, environ, trusted=trusted, state_dir=state_dir)
        wanted = PluginSelection.resolve(document.plugins_section(), environ, selection or {})
        given = [name for name, _ in plugins]
        plan = select(discover(), wanted)
        loaded = PluginHost.load(plan, extra=plugins)
        specs = {p.name: p.settings_spec for p in loaded.loaded if p.settings_spec is not None}
        known = [*(planned.name for planned in plan.plugins), *given]
        resolved = resolve_config(document, specs, known_plugins=known)
        loaded.set_limits(resolved.limits)
        loaded.configure(contexts_of(resolved, loaded, environ))
        return cls(resolved.turned_on() if turned_on else resolved, loaded, sources)

    @property
    def state_dir(self) -> Path:
        """Where the host and the batteries keep their files; other plugins have a folder of their
        own there, `plugins/<name>`.
        """
        return self.config.state_dir

    async def start(self, *, only: tuple[str, str] | None = None) -> Host:
        """Start sources and stages. Raises ConfigError where a chosen stage is not there.

        `only`, kind and owner of a source, leaves out all others: for one who needs a tool of
        this source, and nothing that goes by the rest of the catalog.
        """
        if self._parts is None and not self._closed:
            self.plugins.listen(self._tell_failure)
            self._parts = await assembled(self.config, self.plugins, self._own_sources, only)
        return self

    async def plan(
        self,
        *,
        agent: str = "default",
        profile: str | None = None,
        sandbox: str | None = None,
        session: str | None = None,
        channel: str | None = None,
        provider: str | None = None,
        model: str | None = None,
        harness: str | None = None,
        principal: str | None = None,
        parent: Run | RunContext | None = None,
        mode: str | None = None,
        client_tools: Sequence[ClientTool] = (),
        client: str = "app",
        message: str | None = None,
        required: Sequence[str] = (),
        context_chars: int | None = None,
        approvals: Literal["wait", "return"] = "wait",
        timeout_ms: int | None = None,
    ) -> Run:
        """Plan one agent run.

        `mode` overrides the configuration. `client_tools` are the caller's own for this run,
        under the owner `client`. `message`, `required` and `context_chars` are for modes that
        show more than control tools. With `approvals="return"` a call that needs a
        person comes back as `ToolResult.pending` instead of waiting; go on with `resume`.
        After `timeout_ms` no call of the run is begun, and none runs on.
        """
        parts = await self._started()
        context = RunContext(
            run_id=f"run_{secrets.token_hex(8)}",
            agent=agent,
            profile=profile,
            sandbox=sandbox,
            session=session,
            channel=channel,
            provider=provider,
            model=model,
            harness=harness,
            principal=principal,
            parent=parent.context if isinstance(parent, Run) else parent,
        )
        request = RunRequest(
            client=ClientSource(client, client_tools) if client_tools else None,
            message=message,
            required=required,
            context_chars=context_chars,
            hands_over=approvals == "return",
            timeout_ms=timeout_ms,
        )
        settings = self.config.tool_search(context, mode)
        run = await parts.assembly.run(context, settings, request)
        parts.runs.add(run)
        return run

    async def resume(
        self, request: str | ApprovalRequest, decision: ApprovalDecision
    ) -> ToolResult:
        """Answer a pending approval and finish its call.

        `request` is the id of a request that waits in this process, or a whole request
        (`ToolResult.pending`, also read back from JSON) that an earlier process left: then its
        seal is checked, it is carried out once at most, and catalog and policy are asked anew.
        Raises LookupError for an id that waits nowhere here, and ValueError for a request that
        this deployment did not make, that has expired, or that was carried out before.
        """
        parts = await self._started()
        asked = request if isinstance(request, str) else request.id
        checked(decision)
        for run in list(parts.runs):
            call_id = run.asked_by(asked)
            if call_id is not None:
                # Where somebody else answered first, theirs holds, and its result is given.
                return await run.go_on(
                    call_id, lambda: parts.approvals.answer(asked, decision) or True
                )
        if isinstance(request, str):
            message = f"no approval request {asked} waits here"
            raise LookupError(message)
        _check_resumable(parts, request)
        context = request.call.run
        run = await parts.assembly.run(context, self.config.tool_search(context), RunRequest())
        async with run:
            return await run.resumed(request, decision)

    async def explain(
        self, run: Run, tool: Tool, arguments: Mapping[str, Any] | None = None
    ) -> Sequence[Stamped[PolicyExplanation]]:
        """What each policy says of a tool for a run, for operators; never for a model."""
        return await self.plugins.hooks.explain(run.context, tool, arguments)

    def diagnostics(self) -> Sequence[Diagnostic]:
        """What a person should know: of plugins, configuration and stages."""
        mine = [*self.plugins.diagnostics, *self.config.diagnostics]
        return [*mine, *(self._parts.diagnostics if self._parts else ())]

    async def all_tools(self) -> Sequence[Tool]:
        """Every tool of every source, before policy: for operators, never for a model."""
        parts = await self._started()
        context = RunContext(run_id="operator")
        snapshot = await parts.assembly.inventory.snapshot(context)
        return [tool for part in snapshot.parts for tool in part.tools]

    async def sources_down(self) -> Sequence[SourceDown]:
        """The sources that could not be asked when they were asked last, allowed or not: for
        operators, never for a model.
        """
        parts = await self._started()
        return [each.down for each in parts.assembly.inventory.entries if each.down is not None]

    async def aclose(self) -> None:
        """End every run, close sources, stages and plugins. Safe in any state, and twice."""
        if self._closed:
            return
        self._closed = True
        if self._parts is not None:
            await self._parts.aclose()
        await self.plugins.shutdown()

    async def __aenter__(self) -> Host:
        try:
            return await self.start()
        except BaseException:
            await self.aclose()
            raise

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    def _tell_failure(self, said: Diagnostic) -> None:
        """A plugin failed: an event of the host, of no run."""
        data = {"plugin": said.subject, "code": said.code, "level": said.level}
        event = Event(
            type=EventType.PLUGIN_FAILED, at=datetime.now(UTC), seq=next(self._seq), data=data
        )
        self.plugins.hooks.emit(event)

    async def _started(self) -> Parts:
        if self._parts is None:
            await self.start()
        if self._parts is None or self._closed:
            message = "this host is closed"
            raise RuntimeError(message)
        return self._parts


def _check_resumable(parts: Parts, request: ApprovalRequest) -> None:
    if not parts.approvals.seals.knows(request):
        message = "this approval request was not made by this deployment, or was changed"
        raise ValueError(message)
    if request.expires <= datetime.now(UTC):
        message = "this approval request has expired"
        raise ValueError(message)
    if not parts.approvals.seals.claim(request):
        message = "this approval request was carried out before"
        raise ValueError(message)


def contexts_of(
    config: HostConfig, plugins: PluginHost, environ: Mapping[str, str]
) -> dict[str, PluginContext]:
    """What each loaded plugin is handed when it registers, by its name."""
    return {
        plugin.name: PluginContext(
            name=plugin.name,
            settings=config.settings.get(plugin.name),
            claimed=config.claimed.get(plugin.name, {}),
            places=config.places,
            limits=config.limits,
            log=config.log,
            approvals=config.approvals,
            base_dir=config.base_dir,
            config_path=config.path,
            state_dir=own_state_dir(config.state_dir, plugin),
            environ=environ,
        )
        for plugin in plugins.loaded
    }
