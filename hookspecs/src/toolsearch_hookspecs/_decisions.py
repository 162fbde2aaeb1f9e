"""What the deciding hooks answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from ._events import Diagnostic
from ._model import Record

Scope = Literal["once", "session", "always"]


class Ruling(Record):
    """Why policy denied or asked: `level` and `entry` as written in the configuration."""

    reason: str
    level: str | None = None
    entry: str | None = None


class PolicyAnswer(Record):
    """One policy's answer over many tools, by tool id; a tool named in neither is allowed.

    The ids are those of the tools that were asked about (`tool.id`): a tool's name, or a tool that
    was not asked about, makes the answer a wrong one, and a wrong answer denies them all.

    `cache_key`, where given, promises that the answer depends on nothing but the tools and the
    key, and the key on nothing but who the run is (its `run_id` apart): the host asks again only
    when one of them changed. A policy whose answer may change while a run lives gives none, and is
    asked again before tools are shown. At a call, with arguments, every policy is asked.
    `diagnostics` are for the operator, given at planning: a rule that matches nothing, a level
    that voids another.
    """

    denied: Mapping[str, Ruling] = {}
    asks: Mapping[str, Ruling] = {}
    cache_key: str | None = None
    diagnostics: tuple[Diagnostic, ...] = ()


class LevelVerdict(Record):
    """What one level said of a tool, for `policy explain`."""

    level: str
    verdict: Literal["allow", "ask", "deny", "silent"]
    entry: str | None = None
    reason: str = ""


class PolicyExplanation(Record):
    """The deciding level and entry, and what every level said.

    Of a policy that gives none, `policy explain` shows what it answers: the ruling and its reason.
    """

    verdict: Literal["allow", "ask", "deny"]
    decided_by: LevelVerdict | None = None
    levels: tuple[LevelVerdict, ...] = ()


class Proceed(Record):
    """Let the call go on, with other arguments where `arguments` is given."""

    arguments: Mapping[str, Any] | None = None


class Deny(Record):
    """Stop the call; the model is told the reason and who said so."""

    reason: str


class Ask(Record):
    """Let a person decide; the reason is shown to them."""

    reason: str


class Approve(Record):
    """A person's yes: once, for the session or always; with edited arguments where given."""

    scope: Scope = "once"
    arguments: Mapping[str, Any] | None = None
    by: str = "approver"


class Reject(Record):
    """A person's no, with what the model is told."""

    message: str = "the request was denied"
    by: str = "approver"


BeforeDecision = Proceed | Deny | Ask
ApprovalDecision = Approve | Reject
