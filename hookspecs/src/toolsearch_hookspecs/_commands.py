"""Commands of the command line, as neutral records: no CLI library in the contract."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from socket import socket
from typing import Any, Literal, Protocol

from ._calls import ToolResult
from ._decisions import ApprovalDecision
from ._events import Diagnostic
from ._model import Record
from ._runs import RunContext
from ._stages import RunApi
from ._tools import ClientTool, Tool


class HostApi(Protocol):
    """What a way in needs from the host."""

    @property
    def state_dir(self) -> Path: ...

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
        parent: RunContext | None = None,
        mode: str | None = None,
        client_tools: Sequence[ClientTool] = (),
        client: str = "app",
        message: str | None = None,
        required: Sequence[str] = (),
        context_chars: int | None = None,
        approvals: Literal["wait", "return"] = "wait",
        timeout_ms: int | None = None,
    ) -> RunApi:
        """Plan a run. `client` is the owner of `client_tools`; `message`, `required` and
        `context_chars` are for modes that show more than control tools. With
        `approvals="return"` a call that needs a person comes back as `ToolResult.pending`.
        After `timeout_ms` no call of the run is begun, and none runs on.
        """
        ...

    async def resume(self, request_id: str, decision: ApprovalDecision) -> ToolResult:
        """Answer a pending approval and finish its call; policy and catalog are checked again."""
        ...

    def diagnostics(self) -> Sequence[Diagnostic]: ...

    async def all_tools(self) -> Sequence[Tool]:
        """Every tool of every source, before policy: for operators, never for a model."""
        ...


class Parameter(Record):
    """One parameter of a command. An `argument` is positional, a `flag` is true when given."""

    name: str
    kind: Literal["argument", "option", "flag"] = "option"
    type: Literal["text", "int", "float", "path"] = "text"
    help: str = ""
    default: Any = None
    required: bool = False
    multiple: bool = False


class CommandContext(Protocol):
    """What a command is handed: a host on demand, its parameters parsed, and a place to print."""

    json: bool

    def host(self) -> AbstractAsyncContextManager[HostApi]:
        """The host of this invocation, started on entry and closed on exit."""
        ...

    def show(self, data: Any, *, text: str | None = None) -> None:
        """Print `data` as JSON where `--json` was given, else `text` (or `data` laid out)."""
        ...

    def listening(self, host: str, port: int) -> socket:
        """A socket to serve on; port 0 takes any. Raises ConfigError where it cannot be had."""
        ...

    async def until_told(self, work: Coroutine[Any, Any, None]) -> None:
        """Run until it ends, or the process is asked to stop (SIGINT, SIGTERM): then `work` is
        cancelled once, and whatever it does to close is waited for.
        """
        ...


class Command(Record):
    """A command: `name` may have spaces (`approvals list`). `run` gives the exit code or None.

    `turns_on` starts its host with Tool Search on unless the configuration says anything of it.
    """

    name: str
    help: str
    run: Callable[[CommandContext, Mapping[str, Any]], Awaitable[int | None]]
    parameters: tuple[Parameter, ...] = ()
    turns_on: bool = False
