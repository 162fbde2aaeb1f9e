"""Tools, runs and policies for the tests, written as a configuration writes them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from toolsearch_hookspecs import PluginContext, PolicyAnswer, RunContext, Tool, ToolAnnotations
from toolsearch_policy_rules import plugin


def tool(
    id_: str, *, trusted: bool = True, hints: dict[str, bool] | None = None, **more: Any
) -> Tool:
    source, owner, name = id_.split(":", 2)
    return Tool(
        id=id_,
        source=source,
        owner=owner,
        name=name,
        annotations=ToolAnnotations(**(hints or {})),
        trusted=trusted,
        digest=hashlib.sha256(id_.encode()).hexdigest(),
        plugin=more.pop("plugin", "source-python"),
        origin="tests",
        **more,
    )


def run(**who: Any) -> RunContext:
    return RunContext(run_id="r1", **who)


class Rules:
    """The plugin, configured from the keys that a file would hold, as the host does it."""

    def __init__(self, config: dict[str, Any], places: dict[str, str] | None = None) -> None:
        self.plugin = plugin()
        spec = self.plugin.toolsearch_settings()
        claimed = {
            key: TypeAdapter(spec.claims[key]).validate_python(value)
            for key, value in _flat(config).items()
        }
        here = Path()
        context = PluginContext(
            name="policy-rules",
            claimed=claimed,
            places=places or {},
            base_dir=here,
            state_dir=here,
        )
        self.plugin.toolsearch_configure(context)

    def answer(self, tools: list[Tool], arguments: Any = None, **who: Any) -> PolicyAnswer:
        return self.plugin._configured.answer(run(**who), tools, arguments)

    def word(self, one: Tool, arguments: Any = None, **who: Any) -> str:
        answer = self.answer([one], arguments, **who)
        if one.id in answer.denied:
            return "deny"
        return "ask" if one.id in answer.asks else "allow"

    def words(self, tools: list[Tool], arguments: Any = None, **who: Any) -> dict[str, str]:
        return {one.name: self.word(one, arguments, **who) for one in tools}

    def told(self, tools: list[Tool], **who: Any) -> list[str]:
        """What is said, each with its level in front and its cure behind."""
        return [
            f"{each.level}: {each.message}" + (f"; {each.cure}" if each.cure else "")
            for each in self.answer(tools, **who).diagnostics
        ]


def _flat(config: dict[str, Any]) -> dict[str, Any]:
    flat = {key: value for key, value in config.items() if key != "tools"}
    return flat | {f"tools.{key}": value for key, value in config.get("tools", {}).items()}
