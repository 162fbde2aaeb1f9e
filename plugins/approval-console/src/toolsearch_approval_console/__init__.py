"""The plugin `approval-console`: asks the person at the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from toolsearch_hookspecs import ApprovalDecision, ApprovalRequest, PluginContext, hookimpl

if TYPE_CHECKING:
    from ._console import Console

__all__ = ["plugin"]


class plugin:  # noqa: N801
    """Asks at the terminal of the process, where there is one. One instance a host."""

    def __init__(self) -> None:
        self._environ: Mapping[str, str] = {}
        self._console: Console | None = None

    @hookimpl
    def toolsearch_configure(self, plugin: PluginContext) -> None:
        self._environ = plugin.environ

    @hookimpl
    async def toolsearch_approve(self, request: ApprovalRequest) -> ApprovalDecision | None:
        console = self._at_terminal()
        return None if console is None else await console.decision(request)

    def _at_terminal(self) -> Console | None:
        from ._console import Console
        from ._terminal import Terminal

        if self._console is None:
            terminal = Terminal.of_process()
            self._console = None if terminal is None else Console(terminal, self._environ)
        return self._console
