"""A synchronous front: the same host, on an event loop of its own in a daemon thread."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from toolsearch_hookspecs import (
    ApprovalDecision,
    ApprovalRequest,
    Diagnostic,
    ModelSurface,
    RenderedSurface,
    ToolResult,
)

from .host import Host
from .runs import Found, Run, Step

T = TypeVar("T")


class SyncHost:
    """A host for programs without an event loop. Use it as a context manager.

    The arguments are those of `Host.from_config`. It may be used from several threads, but not
    from inside a running event loop's thread that must not block.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_forever, name="toolsearch-host", daemon=True
        )
        self._thread.start()
        try:
            self.host = Host.from_config(*args, **kwargs)
            self.wait(self.host.start())
        except BaseException:
            self.close()
            raise

    def plan(self, **who: Any) -> SyncRun:
        """Plan a run; the keywords are those of `Host.plan`."""
        return SyncRun(self, self.wait(self.host.plan(**who)))

    def resume(self, request: str | ApprovalRequest, decision: ApprovalDecision) -> ToolResult:
        """Answer a pending approval and finish its call, see `Host.resume`."""
        return self.wait(self.host.resume(request, decision))

    def diagnostics(self) -> Sequence[Diagnostic]:
        """What a person should know of the host, see `Host.diagnostics`."""
        return self.host.diagnostics()

    def close(self) -> None:
        """Close the host and its loop; safe twice."""
        if self._loop.is_closed():
            return
        host = getattr(self, "host", None)
        if host is not None:
            self.wait(host.aclose())
        self.wait(self._loop.shutdown_asyncgens())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def __enter__(self) -> SyncHost:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """What a coroutine gives, run on the host's loop: of the host, of a run (`SyncRun.run`),
        or of an adapter.
        """
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


class SyncRun:
    """A run of a `SyncHost`."""

    def __init__(self, host: SyncHost, run: Run) -> None:
        self._host = host
        self.run = run

    @property
    def surface(self) -> ModelSurface:
        """What the model is given, see `Run.surface`."""
        return self.run.surface

    @property
    def mode(self) -> str:
        """How tools are shown, see `Run.mode`."""
        return self.run.mode

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What a person should know of the run."""
        return self.run.diagnostics

    def refresh(self) -> bool:
        """Bring the surface up to date with sources and policy, see `Run.refresh`."""
        return self._host.wait(self.run.refresh())

    def handle(self, name: str, arguments: Any, *, call_id: str | None = None) -> ToolResult:
        """Answer one tool call of the model."""
        return self._host.wait(self.run.handle(name, arguments, call_id=call_id))

    def rendered(self, surface: str | None = None) -> RenderedSurface:
        """The surface in a provider's own form, see `Run.rendered`."""
        return self.run.rendered(surface)

    def respond(self, message: Any, *, surface: str | None = None) -> Step:
        """Answer every call in a provider's message, see `Run.respond`; of a stream the list of
        its chunks.
        """
        return self._host.wait(self.run.respond(message, surface=surface))

    def deliver(self, call_id: str, value: Any = None, *, error: str | None = None) -> ToolResult:
        """Give the caller's result of a call that was handed back, see `Run.deliver`."""
        return self._host.wait(self.run.deliver(call_id, value, error=error))

    def search(self, query: str, *, limit: int | None = None) -> Found:
        """Search the tools of this run, see `Run.search`."""
        return self._host.wait(self.run.search(query, limit=limit))

    def describe(self, id: str) -> dict[str, Any]:
        """Describe one tool, see `Run.describe`."""
        return self._host.wait(self.run.describe(id))

    def call(self, id: str, arguments: Any = None) -> ToolResult:
        """Call one tool, see `Run.call`."""
        return self._host.wait(self.run.call(id, arguments))

    def close(self) -> None:
        """End the run."""
        self._host.wait(self.run.aclose())

    def __enter__(self) -> SyncRun:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()
