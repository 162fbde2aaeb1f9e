"""What the demo found, step by step: the screens draw it, and `--json` prints it."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel


class Shown(BaseModel):
    """A frozen value that is printed in camelCase."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True)

    title: ClassVar[str] = ""

    @property
    def as_promised(self) -> bool:
        """Whether it went as the screen says it does."""
        return True


class SourceSize(Shown):
    source: str
    owner: str
    tools: int
    bytes: int


class CatalogStep(Shown):
    """How many tools there are, where from, and what their definitions weigh."""

    title: ClassVar[str] = "catalog"
    tools: int
    bytes: int
    sources: tuple[SourceSize, ...]
    missing: tuple[str, ...]


class Exposure(Shown):
    """One way to show the same catalog: what the model is sent with every request."""

    mode: str
    tools: int
    bytes: int


class ExposureStep(Shown):
    title: ClassVar[str] = "exposure"
    direct: Exposure
    modes: tuple[Exposure, ...]


class Exchange(Shown):
    """One tool call of the scripted agent, and the answer."""

    name: str
    arguments: Any
    answer: Any
    error: bool = False


class ToolsStep(Shown):
    title: ClassVar[str] = "tools"
    asked: str
    exchanges: tuple[Exchange, ...]

    @property
    def as_promised(self) -> bool:
        return not any(each.error for each in self.exchanges if each.name != "tool_call")


class CallSpan(Shown):
    """One call of the body: milliseconds since the first one started."""

    tool: str
    source: str
    started_ms: float
    ended_ms: float


class Isolation(Shown):
    """What the code runner found of its own isolation."""

    runtime: str
    version: str | None
    isolated: bool
    missing: tuple[str, ...]
    cure: str | None


class CodeStep(Shown):
    """The turn in `code` mode; where there is none, `mode` is what the run fell back to."""

    title: ClassVar[str] = "code"
    asked: str
    mode: str
    isolation: Isolation | None
    fallback: str | None = None
    cure: str | None = None
    code: str | None = None
    outcome: Any = None
    calls: tuple[CallSpan, ...] = ()

    @property
    def as_promised(self) -> bool:
        ran = isinstance(self.outcome, dict) and self.outcome.get("ok") is True
        return self.mode != "code" or ran


class DeniedStep(Shown):
    """A tool that policy takes away: what the agent sees of it, and what the operator is told."""

    title: ClassVar[str] = "denied"
    tool: str
    agent: str
    query: str
    hits: tuple[str, ...]
    answer: Any
    level: str | None
    entry: str | None
    reason: str
    command: str

    @property
    def as_promised(self) -> bool:
        unknown = isinstance(self.answer, dict) and self.answer.get("code") == "unknown_tool"
        return unknown and self.tool not in self.hits


class BlockedStep(Shown):
    """A call that a hook stops."""

    title: ClassVar[str] = "blocked"
    tool: str
    arguments: Any
    code: str
    by: str | None
    message: str

    @property
    def as_promised(self) -> bool:
        return self.code == "blocked" and self.by is not None


class LoggedRun(Shown):
    """What the session log says of one run: schemas sent up front, and what the model did."""

    mode: str
    schemas: int
    searches: int
    describes: int
    calls: dict[str, int]


class LogStep(Shown):
    """The session log: where it is and what it says."""

    title: ClassVar[str] = "log"
    path: str
    events: dict[str, int]
    runs: tuple[LoggedRun, ...]
    folder: str

    @property
    def as_promised(self) -> bool:
        return bool(self.events)


Step = CatalogStep | ExposureStep | ToolsStep | CodeStep | DeniedStep | BlockedStep | LogStep
