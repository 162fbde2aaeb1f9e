from __future__ import annotations

from typing import Any

import pytest

from toolsearch_hookspecs import (
    CallError,
    CallFailure,
    CodeLimits,
    ErrorCode,
    RunContext,
    ToolSearchSettings,
)
from toolsearch_runner_node._runner import NodeRunner
from toolsearch_runner_node._settings import RunnerSettings

LIMITS = CodeLimits(
    timeout_ms=10_000,
    max_wait_ms=60_000,
    max_script_bytes=262_144,
    max_bridge_calls=50,
    max_parallel_calls=8,
    max_value_bytes=65_536,
    max_body_value_bytes=262_144,
    max_log_bytes=8_192,
    memory_mb=256,
)


class TwoTools:
    """A bridge to two tools: one that answers with its arguments, one that is blocked."""

    def on_waiting(self, changed: Any) -> None:
        changed(0)

    async def search(self, query: Any, options: Any = None) -> Any:
        return [{"id": "openclaw:core:create_issue", "query": query, "options": options}]

    async def describe(self, id: Any) -> Any:
        return {"id": id, "inputSchema": {"type": "object"}}

    async def call(self, id: Any, arguments: Any = None) -> Any:
        if id == "openclaw:core:blocked":
            raise CallError(
                CallFailure(
                    code=ErrorCode.BLOCKED, message="not allowed here", tool=id, by="policy-rules"
                )
            )
        return {"tool": {"id": id}, "result": arguments}


class OneRun:
    """As much of a run as the mode needs."""

    context = RunContext(run_id="r1")
    settings = ToolSearchSettings()

    def __init__(self, runner: Any) -> None:
        self.runner = runner

    def bridge(self, call_id: str) -> TwoTools:
        return TwoTools()

    def code_limits(self) -> CodeLimits:
        return LIMITS


@pytest.fixture
async def run():
    runner = NodeRunner(RunnerSettings())
    yield OneRun(runner)
    await runner.aclose()


@pytest.fixture
def run_with():
    return OneRun
