"""The plugin `approval-store`: requests and standing grants that survive a restart."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import TYPE_CHECKING

from pydantic import Field

from toolsearch_hookspecs import (
    ApprovalDecision,
    ApprovalRequest,
    Approve,
    Ask,
    BeforeDecision,
    Command,
    Event,
    EventType,
    PluginContext,
    Reject,
    Settings,
    SettingsSpec,
    ToolCall,
    ToolsearchError,
    hookimpl,
)

from ._recent import Recent

if TYPE_CHECKING:
    from ._store import Store
    from ._waiting import Waiting

__all__ = ["StoreSettings", "plugin"]

logger = logging.getLogger(__name__)


class StoreSettings(Settings):
    """`plugins.settings.approval-store`.

    `path` is the database, relative to the configuration; left out, `approvals.sqlite3` in the
    state folder. Without `wait` only standing grants answer. `keepDays` is how long settled
    requests and revoked grants are kept.
    """

    path: str | None = None
    wait: bool = True
    keep_days: int = Field(default=30, gt=0)


class plugin:  # noqa: N801
    """Keeps approvals, and answers with what other processes write. One instance a host."""

    def __init__(self) -> None:
        self._store: Store | None = None
        self._waiting: Waiting | None = None
        self._recent = Recent()

    @hookimpl
    def toolsearch_settings(self) -> SettingsSpec:
        return SettingsSpec(model=StoreSettings)

    @hookimpl
    def toolsearch_configure(self, plugin: PluginContext) -> None:
        from ._waiting import Waiting

        self._store = store_of(plugin)
        settings = plugin.settings or StoreSettings()
        self._waiting = Waiting(self._store, settings.wait, settings.keep_days)

    @hookimpl
    def toolsearch_before_tool_call(self, call: ToolCall) -> BeforeDecision | None:
        """Have a person asked again about a granted tool that is not what it was."""
        self._recent.keep(call)
        changed = self._changed(call)
        if not changed:
            return None
        return Ask(reason="it has changed since it was approved: " + "; ".join(changed))

    @hookimpl
    async def toolsearch_approve(self, request: ApprovalRequest) -> ApprovalDecision | None:
        return None if self._waiting is None else await self._waiting.decision(request)

    @hookimpl
    def toolsearch_event(self, event: Event) -> None:
        """Take down the answers of other approvers, so that their grants are kept as well."""
        if event.type is not EventType.APPROVAL_ANSWERED or self._store is None:
            return
        match event.data:
            case {"request": str(id_), "decision": "approve", "scope": scope, "by": str(by)}:
                asked = self._recent.taken(event.run, event.data.get("call"))
                if (asked is not None and scope != "once") or self._store.database.exists:
                    self._store.learn(id_, Approve(scope=scope, by=by), asked)
            case {"request": str(id_), "by": str(by)} if self._store.database.exists:
                self._store.learn(id_, Reject(by=by), None)

    @hookimpl
    def toolsearch_commands(self, plugin: PluginContext) -> Iterable[Command]:
        from ._commands import commands

        return commands(store_of(plugin))

    @hookimpl
    async def toolsearch_shutdown(self) -> None:
        if self._waiting is not None:
            await self._waiting.aclose()
        if self._store is not None:
            self._store.database.close()

    def _changed(self, call: ToolCall) -> list[str]:
        import sqlite3

        if self._store is None or not self._store.database.exists:
            return []
        try:
            return self._store.changed(call)
        except (sqlite3.Error, OSError, ToolsearchError) as error:
            # No way around approval: without its database the store grants nothing.
            logger.warning("standing grants cannot be read: %s", error)
            return []


def store_of(plugin: PluginContext) -> Store:
    """The store of a deployment; nothing is opened yet."""
    from ._database import Database
    from ._store import Store

    settings = plugin.settings or StoreSettings()
    named = settings.path
    path = plugin.state_dir / "approvals.sqlite3" if named is None else plugin.base_dir / named
    return Store(Database(path))
