"""The commands `approvals …`: an operator's answers from another process."""

from __future__ import annotations

import asyncio
import getpass
import json
from collections.abc import Iterable, Mapping
from contextlib import closing
from typing import Any, get_args

import attrs

from toolsearch_hookspecs import (
    ApprovalDecision,
    Approve,
    Command,
    CommandContext,
    ConfigError,
    Parameter,
    Reject,
    Scope,
)
from toolsearch_hookspecs.text import one_line

from ._database import Database
from ._records import State, StoredRequest
from ._showing import grants_text, plain, request_text, requests_text
from ._store import Answered, Store

POLL_S = 0.3
SHOWN = 5
LONGEST_REASON = 500

ID = Parameter(
    name="id", kind="argument", required=True, help="The id of a request, or its beginning."
)
ALL = Parameter(name="all", kind="flag", help="Also those that are settled.")
BY = Parameter(name="by", help="Who answers; else the user of this terminal.")


def commands(store: Store) -> Iterable[Command]:
    desk = Desk(store)
    return (
        Command(
            name="approvals list",
            help="List the approval requests that wait for an answer.",
            run=desk.list,
            parameters=(ALL,),
        ),
        Command(
            name="approvals show",
            help="Show a request with its arguments and reasons.",
            run=desk.show,
            parameters=(ID,),
        ),
        Command(
            name="approvals approve",
            help="Approve a request.",
            run=desk.approve,
            parameters=(
                ID,
                Parameter(name="scope", default="once", help="`once`, `session` or `always`."),
                Parameter(name="arguments", help="Other arguments, as a JSON object."),
                BY,
            ),
        ),
        Command(
            name="approvals deny",
            help="Deny a request.",
            run=desk.deny,
            parameters=(
                ID,
                Parameter(name="reason", help="Why; the model is told so."),
                Parameter(name="message", help="The same."),
                BY,
            ),
        ),
        Command(
            name="approvals grants",
            help="List the standing grants.",
            run=desk.grants,
            parameters=(ALL,),
        ),
        Command(
            name="approvals revoke",
            help="Revoke a standing grant.",
            run=desk.revoke,
            parameters=(
                Parameter(name="id", kind="argument", type="int", help="The id of a grant."),
                Parameter(name="all", kind="flag", help="Every grant."),
            ),
        ),
        Command(
            name="approvals watch",
            help="Show requests as they come, until interrupted.",
            run=desk.watch,
        ),
    )


@attrs.frozen
class Desk:
    """Where an operator reads and answers; nothing of it needs a host."""

    store: Store

    async def list(self, context: CommandContext, given: Mapping[str, Any]) -> int:
        with self._open():
            found = self.store.requests(pending=not given.get("all"))
        now = self.store.clock()
        text = requests_text(found, now) if found else "no request waits for an answer"
        context.show([self._data(one) for one in found], text=text)
        return 0

    async def show(self, context: CommandContext, given: Mapping[str, Any]) -> int:
        with self._open():
            request = self._request(given)
        context.show(self._data(request), text=request_text(request, self.store.clock()))
        return 0

    async def approve(self, context: CommandContext, given: Mapping[str, Any]) -> int:
        decision = Approve(
            scope=_scope(given.get("scope") or "once"),
            arguments=_arguments(given.get("arguments")),
            by=_who(given),
        )
        return self._answer(context, given, decision)

    async def deny(self, context: CommandContext, given: Mapping[str, Any]) -> int:
        reason = _reason(given)
        decision = (
            Reject(by=_who(given)) if reason is None else Reject(message=reason, by=_who(given))
        )
        return self._answer(context, given, decision)

    async def grants(self, context: CommandContext, given: Mapping[str, Any]) -> int:
        with self._open():
            found = self.store.grants(revoked=bool(given.get("all")))
        text = grants_text(found) if found else "no standing grants"
        context.show([attrs.asdict(one) for one in found], text=text)
        return 0

    async def revoke(self, context: CommandContext, given: Mapping[str, Any]) -> int:
        with self._open():
            held = [grant.id for grant in self.store.grants()]
            wanted = held if given.get("all") else [given.get("id")]
            if wanted == [None]:
                raise ConfigError("name a grant by its id (see `approvals grants`), or give --all")
            if given.get("all") and given.get("id") is not None:
                raise ConfigError("give the id of one grant, or --all; not both")
            revoked = [id_ for id_ in wanted if id_ in held and self.store.revoke(id_)]
        if not revoked and not given.get("all"):
            raise ConfigError(f"no grant {wanted[0]} holds; see `approvals grants`")
        context.show(
            {"revoked": revoked}, text=f"revoked: {', '.join(map(str, revoked)) or 'none'}"
        )
        return 0

    async def watch(self, context: CommandContext, given: Mapping[str, Any]) -> int:
        told: set[str] = set()
        if not context.json:
            context.show(None, text="Requests are shown here as they come; Ctrl-C ends it.\n")
        with self._open():
            while True:
                for request in self.store.requests(pending=True):
                    if request.id not in told:
                        told.add(request.id)
                        self._tell(context, request)
                await asyncio.sleep(POLL_S)

    def _open(self) -> closing[Database]:
        return closing(self.store.database)

    def _tell(self, context: CommandContext, request: StoredRequest) -> None:
        hint = f"toolsearch approvals approve {request.id}   (or deny)"
        context.show(
            self._data(request), text=f"{request_text(request, self.store.clock())}\n{hint}\n"
        )

    def _request(self, given: Mapping[str, Any]) -> StoredRequest:
        """The request that is named, by its id or a beginning that is its alone."""
        id_ = str(given["id"])
        request = self.store.request(id_)
        if request is not None:
            return request
        requests = self.store.requests(pending=False)
        alike = [one.id for one in requests if one.id.startswith(id_)]
        if alike:
            begun = f"{len(alike)} requests begin with {plain(id_)!r}: {', '.join(alike[-SHOWN:])}"
            raise ConfigError(f"{begun}; write more of the id")
        now = self.store.clock()
        waiting = [one.id for one in requests if one.state_at(now) is State.PENDING]
        instead = f"there waits {', '.join(waiting[:SHOWN])}" if waiting else "none waits"
        raise ConfigError(
            f"no request begins with {plain(id_)!r}; {instead} (see `approvals list --all`)"
        )

    def _answer(
        self, context: CommandContext, given: Mapping[str, Any], decision: ApprovalDecision
    ) -> int:
        with self._open():
            answered = self.store.answer(self._request(given).id, decision)
        if answered is None:
            raise ConfigError(f"the request {plain(str(given['id']))} is no longer kept")
        context.show(
            {"counts": answered.counts, **self._data(answered.request)}, text=_outcome(answered)
        )
        return 0 if answered.counts else 1

    def _data(self, request: StoredRequest) -> dict[str, Any]:
        state = request.state_at(self.store.clock())
        return attrs.asdict(request) | {"state": state.value}


def _outcome(answered: Answered) -> str:
    request = answered.request
    match answered:
        case Answered(counts=True, state=State.APPROVED):
            return f"approved {request.id} ({request.scope})"
        case Answered(counts=True):
            return f"denied {request.id}"
        case Answered(state=State.GONE | State.WITHDRAWN | State.EXPIRED):
            return f"{request.id} expired: the run that asked does not wait any more; nothing is executed"
        case _:
            return f"{request.id} was answered before: {answered.state.value} by {request.by}"


def _scope(text: str) -> Scope:
    for scope in get_args(Scope):
        if text == scope:
            known: Scope = scope
            return known
    raise ConfigError(f"--scope {text!r} is not known; it is one of {', '.join(get_args(Scope))}")


def _arguments(text: str | None) -> Mapping[str, Any] | None:
    if text is None:
        return None
    try:
        value = json.loads(text)
    except ValueError as error:
        raise ConfigError(f"--arguments is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise ConfigError("--arguments is not a JSON object")
    return value


def _reason(given: Mapping[str, Any]) -> str | None:
    """Why it is denied, as long as a model may be told. Raises ConfigError for two reasons."""
    said = [text for name in ("reason", "message") if (text := given.get(name)) is not None]
    if len(said) > 1:
        raise ConfigError("--reason and --message are the same; give one of them")
    return one_line(said[0], LONGEST_REASON) if said else None


def _who(given: Mapping[str, Any]) -> str:
    named = given.get("by")
    if named:
        return str(named)
    try:
        return f"{getpass.getuser()} on the command line"
    except OSError:
        return "the command line"
