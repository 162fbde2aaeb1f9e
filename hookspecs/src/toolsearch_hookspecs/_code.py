"""Running a body of code: its limits, how it ended, the bridge to the host, and the runner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol, runtime_checkable

from ._calls import CallFailure
from ._model import Record


class CodeLimits(Record):
    """What one body may use: milliseconds, bytes, megabytes and counts."""

    timeout_ms: int
    max_wait_ms: int
    max_script_bytes: int
    max_bridge_calls: int
    max_parallel_calls: int
    max_value_bytes: int
    max_body_value_bytes: int
    max_log_bytes: int
    memory_mb: int


class Attestation(Record):
    """What a runner found when it tried its own isolation.

    `available` is whether a body may be sent at all; `isolated` whether every promise of S6.1
    holds, network included. `scopes` maps what was tried (`fs.read`, `net`, `child`, ...) to
    `denied`, `open` or `untested`; `network` says who closes it. `missing` names what does not
    hold and `cure` what would mend it.
    """

    available: bool
    isolated: bool
    runtime: str
    version: str | None = None
    network: Literal["runtime", "os", "open", "unknown"] = "unknown"
    scopes: Mapping[str, Literal["denied", "open", "untested"]] = {}
    layers: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    cure: str | None = None


class LogLine(Record):
    """One line that a body logged."""

    level: Literal["log", "warn", "error"]
    text: str


class CodeError(Record):
    """The model's own error: name, message, and the place in its body where it is known."""

    name: str
    message: str
    line: int | None = None
    failure: CallFailure | None = None


CodeOutcomeKind = Literal[
    "ok",
    "exception",
    "syntax",
    "timeout",
    "deadlock",
    "memory",
    "result_too_large",
    "script_too_large",
    "too_many_calls",
    "protocol",
    "crashed",
    "unavailable",
]


class CodeOutcome(Record):
    """How a body ended: a value, or an error; logs survive either."""

    outcome: CodeOutcomeKind
    value: Any = None
    error: CodeError | None = None
    logs: tuple[LogLine, ...] = ()
    notes: tuple[str, ...] = ()
    telemetry: Mapping[str, Any] = {}

    @property
    def ok(self) -> bool:
        return self.outcome == "ok"


class Bridge(Protocol):
    """The three functions of a body, in the host. Arguments are what the body passed, as JSON.

    Each raises `CallError`; its failure becomes the rejection in the body. `calls` are started
    when they are made; the runner cancels those still open when the body cannot go on.
    """

    async def search(self, query: Any, options: Any = None) -> Any: ...

    async def describe(self, id: Any) -> Any: ...

    async def call(self, id: Any, arguments: Any = None) -> Any: ...

    def on_waiting(self, changed: Callable[[int], None]) -> None:
        """Have `changed` told the number of open calls that wait for a person, at each change."""
        ...


@runtime_checkable
class CodeRunner(Protocol):
    """Runs the body of an asynchronous JavaScript function in a short-lived isolated runtime."""

    name: str

    async def probe(self) -> Attestation:
        """Try the isolation, without running any code of a model; cached by the runner."""
        ...

    async def run(self, code: str, bridge: Bridge, limits: CodeLimits) -> CodeOutcome:
        """Run one body. Never raises for what the body does. When it returns, or is cancelled,
        the runtime is gone and no call of the body is open.
        """
        ...

    async def aclose(self) -> None:
        """Give up pooled runtimes."""
