"""A person at a real pseudo-terminal."""

from __future__ import annotations

import asyncio
import os
import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta

import pytest

from toolsearch_hookspecs import ApprovalRequest, AskReason, RunContext, Tool, ToolCall


def request(arguments=None, *, wait_s=60, **tool):
    now = datetime.now(UTC)
    values = {
        "id": "mcp:github:create_issue",
        "source": "mcp",
        "owner": "github",
        "name": "create_issue",
        "digest": "d",
        "plugin": "source-mcp",
        "origin": "npx github-server",
    }
    call = ToolCall(
        id="c1",
        tool=Tool(**values | tool),
        arguments=arguments or {"title": "Crash"},
        run=RunContext(run_id="r1", session="s1"),
        via="tool_call",
    )
    return ApprovalRequest(
        id="req",
        call=call,
        reasons=(AskReason(by="policy-rules", reason="level global asks a person first"),),
        digest="d",
        created=now,
        expires=now + timedelta(seconds=wait_s),
    )


class Person:
    """Sits at the other end of a pseudo-terminal, reads what is shown and types.

    What is shown is read all the time, so that nobody who shows something waits for room.
    """

    def __init__(self):
        import pty

        self.hand, self.end = pty.openpty()
        self.seen = ""
        self.lock = threading.Lock()
        self.stdin = os.fdopen(os.dup(self.end), encoding="utf-8")
        self.stderr = os.fdopen(os.dup(self.end), "w", encoding="utf-8")
        self.reading = threading.Thread(target=self._read, daemon=True)
        self.reading.start()

    def _read(self):
        with suppress(OSError):  # nobody holds the other end any more
            while shown := os.read(self.hand, 65536):
                with self.lock:
                    self.seen += shown.decode(errors="replace")

    async def sees(self, text):
        """Wait until the text is shown, and forget all up to it; gives what stood before it."""
        async with asyncio.timeout(20):
            while text not in self.seen:
                await asyncio.sleep(0.005)
        with self.lock:
            before, _, self.seen = self.seen.partition(text)
        return before

    def types(self, text):
        os.write(self.hand, text.encode())

    def leaves(self):
        self.stdin.close()
        self.stderr.close()
        os.close(self.end)
        self.reading.join()
        os.close(self.hand)


@pytest.fixture
def person():
    pytest.importorskip("pty", reason="pseudo-terminals of POSIX")
    person = Person()
    yield person
    person.leaves()
