"""The plugin `policy-rules`: which tools a run may use, and which need a person's yes.

Rules stand in the configuration, level by level; each level can only narrow.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from toolsearch_hookspecs import (
    PluginContext,
    PolicyAnswer,
    PolicyExplanation,
    RunContext,
    SettingsSpec,
    Tool,
    hookimpl,
)

if TYPE_CHECKING:
    from ._policy import Policy

__all__ = ["plugin"]


class plugin:  # noqa: N801
    """Answers policy from the rules of the configuration. One instance a host."""

    def __init__(self) -> None:
        self._policy: Policy | None = None

    @hookimpl
    def toolsearch_settings(self) -> SettingsSpec:
        from ._rules import CLAIMS

        return SettingsSpec(claims=CLAIMS)

    @hookimpl
    def toolsearch_configure(self, plugin: PluginContext) -> None:
        from ._policy import Policy
        from ._rules import RuleSet

        self._policy = Policy(RuleSet.from_claims(plugin.claimed), plugin.places)

    @hookimpl
    async def toolsearch_tool_policy(
        self, run: RunContext, tools: Sequence[Tool], arguments: Mapping[str, Any] | None
    ) -> PolicyAnswer:
        """Beside the loop, but for one tool under rules that look at no arguments: judging it
        takes less than the way to another thread.
        """
        policy = self._configured
        if len(tools) <= 1 and not policy.effective(run).conditional:
            return policy.answer(run, tools, arguments)
        return await asyncio.to_thread(policy.answer, run, tools, arguments)

    @hookimpl
    def toolsearch_policy_explain(
        self, run: RunContext, tool: Tool, arguments: Mapping[str, Any] | None
    ) -> PolicyExplanation:
        return self._configured.explanation(run, tool, arguments)

    @property
    def _configured(self) -> Policy:
        if self._policy is None:
            msg = "policy-rules was asked before it was configured"
            raise RuntimeError(msg)
        return self._policy
