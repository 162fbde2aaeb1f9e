"""Asks one request after the other."""

from __future__ import annotations

import asyncio
import getpass
from collections.abc import Mapping
from datetime import UTC, datetime

import attrs

from toolsearch_hookspecs import ApprovalDecision, ApprovalRequest, Approve, Reject

from ._editing import edited
from ._showing import arguments_text, plain, request_text
from ._terminal import Terminal

CHOICES = "[o]nce (or y), [s]ession, [a]lways, [e]dit arguments, [d]eny (or n): "


@attrs.define
class Console:
    """One person at one terminal, asked about one request at a time."""

    terminal: Terminal
    environ: Mapping[str, str]
    _turn: asyncio.Lock = attrs.field(factory=asyncio.Lock, init=False)

    async def decision(self, request: ApprovalRequest) -> ApprovalDecision | None:
        """The person's answer; None at the end of input, or when it comes too late."""
        async with self._turn:
            if datetime.now(UTC) >= request.expires:
                return None
            self.terminal.show(f"\n{request_text(request)}\n")
            try:
                return await self._decided(request)
            except asyncio.CancelledError:
                self.terminal.show("\nno answer is needed any more\n")
                raise

    async def _decided(self, request: ApprovalRequest) -> ApprovalDecision | None:
        by = _person()
        while (answer := await self.terminal.question(CHOICES)) is not None:
            match answer.strip().lower():
                case "o" | "once" | "y" | "yes":
                    return Approve(scope="once", by=by)
                case "s" | "session":
                    return Approve(scope="session", by=by)
                case "a" | "always":
                    return Approve(scope="always", by=by)
                case "d" | "deny" | "n" | "no":
                    return await self._denial(by)
                case "e" | "edit":
                    decision = await self._edited(request, by)
                    if decision is not None:
                        return decision
                case other:
                    self.terminal.show(f"{plain(other)!r} is none of these\n" if other else "")
        return None

    async def _denial(self, by: str) -> Reject:
        message = await self.terminal.question("what to tell the model (or nothing): ")
        return Reject(message=message, by=by) if message else Reject(by=by)

    async def _edited(self, request: ApprovalRequest, by: str) -> Approve | None:
        arguments = await edited(request.call.arguments, self.terminal, self.environ)
        if arguments is None:
            return None
        self.terminal.show(f"{arguments_text(arguments)}\n")
        answer = await self.terminal.question("approve these, once? [y]es, [n]o: ")
        if answer is not None and answer.strip().lower() in {"y", "yes"}:
            return Approve(scope="once", arguments=arguments, by=by)
        return None


def _person() -> str:
    try:
        return f"{getpass.getuser()} at the terminal"
    except (OSError, KeyError, ImportError):  # what it raises depends on version and platform
        return "the terminal"
