"""What is kept: requests, grants, and what a grant is bound to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import attrs

from toolsearch_hookspecs import ApprovalRequest, Scope, Tool, ToolCall

GONE_AFTER_S = 15.0
"""After how long without a sign of life the run that waits for a request counts as gone."""


class State(StrEnum):
    """`gone` is told, never kept: pending, but the run that asked has shown no life."""

    PENDING = "pending"
    APPROVED = "approved"
    REJECTED = "rejected"
    EXPIRED = "expired"
    WITHDRAWN = "withdrawn"
    GONE = "gone"


@attrs.frozen
class StoredRequest:
    """A request as it is kept; times in seconds since the epoch, `body` the whole request."""

    id: str
    state: State
    created: float
    expires: float
    seen: float
    body: Mapping[str, Any]
    scope: Scope | None = None
    arguments: Mapping[str, Any] | None = None
    message: str | None = None
    by: str | None = None
    answered: float | None = None

    def state_at(self, now: float) -> State:
        """The state now: a pending request may have expired, or lost the run that asked."""
        if self.state is not State.PENDING:
            return self.state
        if now >= self.expires:
            return State.EXPIRED
        return State.GONE if now - self.seen > GONE_AFTER_S else State.PENDING

    @property
    def subject(self) -> Subject:
        return Subject.of(ApprovalRequest.model_validate(self.body).call)

    @property
    def call_arguments(self) -> Mapping[str, Any]:
        arguments: Mapping[str, Any] = self.body["call"]["arguments"]
        return arguments


def storable(text: str) -> str:
    """Text that UTF-8 can hold: a lone surrogate becomes a question mark."""
    return text.encode(errors="replace").decode()


@attrs.frozen
class Binding:
    """What a grant holds for: who asks, and the tool with its identity and digest."""

    agent: str
    principal: str | None
    session: str
    tool: str
    origin: str
    digest: str

    @classmethod
    def of(cls, call: ToolCall) -> Binding:
        """A run without a session is a session of its own."""
        run, tool = call.run, call.tool
        return cls(
            agent=run.agent,
            principal=run.principal,
            session=run.session or f"run:{run.run_id}",
            tool=storable(tool.id),
            origin=storable(identity(tool)),
            digest=tool.digest,
        )


@attrs.frozen
class Subject:
    """What a decision is about: who asks for which tool."""

    binding: Binding
    tool: Tool

    @classmethod
    def of(cls, call: ToolCall) -> Subject:
        return cls(Binding.of(call), call.tool)


@attrs.frozen
class Grant:
    """A standing approval; without a session it holds always. `snapshot` is the tool as it was."""

    id: int
    agent: str
    principal: str | None
    session: str | None
    tool: str
    origin: str
    digest: str
    snapshot: Mapping[str, Any]
    by: str
    created: float
    revoked: float | None

    def fits(self, binding: Binding) -> bool:
        return (self.origin, self.digest) == (binding.origin, binding.digest)


def identity(tool: Tool) -> str:
    """What executes a tool: the plugin that brings it, and the server or module behind it."""
    return f"{tool.plugin} {tool.origin}"


def snapshot(tool: Tool) -> dict[str, Any]:
    """What a person approved of a tool, for telling later what has changed."""
    return {
        "origin": identity(tool),
        "description": tool.description,
        "input": json.loads(json.dumps(tool.input_schema, default=str)),
        "output": json.loads(json.dumps(tool.output_schema, default=str)),
        "annotations": tool.annotations.model_dump(exclude_none=True, by_alias=True),
    }
