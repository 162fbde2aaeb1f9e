"""Who is asking, with which limits and which settings of the compact surface."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from ._model import Clamp, Record, Settings

Milliseconds = Annotated[int, Field(gt=0)]
Bytes = Annotated[int, Field(gt=0)]


class RunContext(Record):
    """One agent run: who is asking. Policy, hooks and telemetry see it on every call.

    `principal` names the credential behind the run (an API key's fingerprint, never the key);
    `parent` is the run that started this one as a sub-agent.
    """

    run_id: str
    agent: str = "default"
    profile: str | None = None
    sandbox: str | None = None
    session: str | None = None
    channel: str | None = None
    provider: str | None = None
    model: str | None = None
    harness: str | None = None
    principal: str | None = None
    parent: RunContext | None = None


class Limits(Settings):
    """The limits of S14, under `tools.limits`; milliseconds and bytes by their names."""

    source_timeout_ms: Milliseconds = 15_000
    hook_timeout_ms: Milliseconds = 5_000
    tool_timeout_ms: Milliseconds = 60_000
    max_result_bytes: Bytes = 65_536
    max_body_value_bytes: Bytes = 5_242_880
    max_queries: Annotated[int, Field(gt=0)] = 16
    max_query_bytes: Bytes = 2_048
    max_schema_bytes: Bytes = 262_144
    max_schema_depth: Annotated[int, Field(gt=0)] = 64
    max_subschemas: Annotated[int, Field(gt=0)] = 10_000
    max_script_bytes: Bytes = 262_144
    max_bridge_calls: Annotated[int, Field(gt=0)] = 200
    max_parallel_calls: Annotated[int, Field(gt=0)] = 8
    max_value_bytes: Bytes = 262_144
    max_log_bytes: Bytes = 65_536
    child_memory_mb: Annotated[int, Field(ge=64)] = 256
    loop_guard: Annotated[int, Field(gt=0)] = 3


class AutoExposure(Settings):
    """S4.8: a catalog below both numbers is exposed directly."""

    min_tools: Annotated[int, Field(ge=0)] = 20
    min_schema_bytes: Annotated[int, Field(ge=0)] = 20_000


class LikelySchemas(Settings):
    """S4.5: how many schemas `directory` picks from the user's message, and when."""

    count: Annotated[int, Clamp(0, 12)] = 4
    from_: Literal["session", "turn"] = Field(default="session", alias="from")


class ToolSearchSettings(Settings):
    """`tools.toolSearch`, resolved for one run.

    `directory` adds the directory of S4.4 to the prompt of other modes.
    """

    enabled: bool = True
    mode: str = "code"
    code_timeout_ms: Annotated[int, Clamp(1_000, 60_000)] = 10_000
    search_default_limit: Annotated[int, Clamp(1, 50)] = 8
    max_search_limit: Annotated[int, Clamp(1, 50)] = 20
    strict: bool = False
    auto: AutoExposure | None = None
    directory: bool = False
    likely_schemas: LikelySchemas = LikelySchemas()

    @property
    def default_limit(self) -> int:
        """`searchDefaultLimit` clamped to `maxSearchLimit`."""
        return min(self.search_default_limit, self.max_search_limit)


class LogSettings(Settings):
    """`log`: where the session log goes, how long it stays, whether content is kept."""

    path: str | None = None
    keep_days: Annotated[int, Field(gt=0)] = 30
    content: bool = False


class ApprovalSettings(Settings):
    """`approvals`: how long one answer is waited for, and all answers of one body."""

    wait_ms: Annotated[int, Clamp(1, 600_000)] = 120_000
    max_wait_ms: Annotated[int, Clamp(1, 600_000)] = 600_000
