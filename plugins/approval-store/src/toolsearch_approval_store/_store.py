"""Requests and grants in the database: each step one transaction."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Mapping
from typing import Any

import attrs

from toolsearch_hookspecs import ApprovalDecision, ApprovalRequest, Approve, Reject, ToolCall

from ._changes import changes
from ._database import Database
from ._records import Binding, Grant, State, StoredRequest, Subject, snapshot, storable

DAY_S = 86_400.0


@attrs.frozen
class Answered:
    """What came of an answer: whether it counts, and the request as it stands."""

    counts: bool
    state: State
    request: StoredRequest


@attrs.frozen
class Store:
    """Everything that is remembered of approvals. Safe with several threads and processes."""

    database: Database
    clock: Callable[[], float] = time.time

    def open(self, request: ApprovalRequest) -> None:
        """Keep a request as pending, so that another process can answer it."""
        now = self.clock()
        with self.database.writing() as connection:
            connection.execute(
                "INSERT OR IGNORE INTO requests (id, state, created, expires, seen, body)"
                " VALUES (?, 'pending', ?, ?, ?, ?)",
                (
                    request.id,
                    request.created.timestamp(),
                    request.expires.timestamp(),
                    now,
                    storable(json.dumps(request.model_dump(), ensure_ascii=False, default=str)),
                ),
            )

    def beat(self, id_: str) -> None:
        """Say that the run which asked still waits."""
        with self.database.writing() as connection:
            connection.execute("UPDATE requests SET seen = ? WHERE id = ?", (self.clock(), id_))

    def request(self, id_: str) -> StoredRequest | None:
        """A request by its id, or by the beginning of it where that is unique."""
        with self.database.reading() as connection:
            rows = connection.execute(
                "SELECT * FROM requests WHERE id = ?1 OR substr(id, 1, length(?1)) = ?1"
                " ORDER BY id = ?1 DESC LIMIT 2",
                (id_,),
            ).fetchall()
        if not rows or (len(rows) > 1 and rows[0]["id"] != id_):
            return None
        return _request(rows[0])

    def requests(self, *, pending: bool) -> list[StoredRequest]:
        """All requests, the oldest first; with `pending` those that can be answered."""
        now = self.clock()
        with self.database.reading() as connection:
            rows = connection.execute("SELECT * FROM requests ORDER BY created, id").fetchall()
        found = map(_request, rows)
        return [one for one in found if not pending or one.state_at(now) is State.PENDING]

    def answer(self, id_: str, decision: ApprovalDecision) -> Answered | None:
        """Answer a request. The first answer counts; None where there is no such request.

        A request that expired, or whose run is gone, takes no answer: nothing would come of it.
        """
        with self.database.writing() as connection:
            row = connection.execute("SELECT * FROM requests WHERE id = ?", (id_,)).fetchone()
            if row is None:
                return None
            request = _request(row)
            state = request.state_at(self.clock())
            if state is not State.PENDING:
                return Answered(counts=False, state=state, request=request)
            answered = self._settle(connection, request, decision)
        return Answered(counts=True, state=answered.state, request=answered)

    def learn(self, id_: str, decision: ApprovalDecision, asked: Subject | None) -> None:
        """Take down what another approver answered; what was answered here stays.

        Another may answer before the request is kept here: then `asked` tells what it was about.
        """
        with self.database.writing() as connection:
            row = connection.execute("SELECT * FROM requests WHERE id = ?", (id_,)).fetchone()
            if row is None and asked is not None:
                self._grant(connection, asked, decision)
            elif row is not None and row["state"] in {State.PENDING, State.WITHDRAWN}:
                self._settle(connection, _request(row), decision)

    def withdraw(self, id_: str) -> None:
        """The run does not wait any longer, and nobody answered here."""
        now = self.clock()
        with self.database.writing() as connection:
            connection.execute(
                "UPDATE requests SET state = iif(? >= expires - 1, 'expired', 'withdrawn')"
                " WHERE id = ? AND state = 'pending'",
                (now, id_),
            )

    def forget(self, keep_days: int) -> None:
        """Drop what is settled, and grants that were revoked, once they are old."""
        oldest = self.clock() - keep_days * DAY_S
        with self.database.writing() as connection:
            connection.execute("DELETE FROM requests WHERE expires < ?", (oldest,))
            connection.execute("DELETE FROM grants WHERE revoked < ?", (oldest,))

    def granting(self, call: ToolCall) -> Grant | None:
        """The standing grant that approves a call."""
        binding = Binding.of(call)
        fitting = (grant for grant in self._of(binding) if grant.fits(binding))
        return next(fitting, None)

    def changed(self, call: ToolCall) -> list[str]:
        """What has changed of a tool that was granted before, and is not granted as it is now."""
        binding = Binding.of(call)
        granted = self._of(binding)
        if not granted or any(grant.fits(binding) for grant in granted):
            return []
        return changes(granted[0].snapshot, snapshot(call.tool)) or ["its digest"]

    def grants(self, *, revoked: bool = False) -> list[Grant]:
        with self.database.reading() as connection:
            rows = connection.execute("SELECT * FROM grants ORDER BY id").fetchall()
        return [grant for grant in map(_grant, rows) if revoked or grant.revoked is None]

    def revoke(self, id_: int) -> bool:
        with self.database.writing() as connection:
            done = connection.execute(
                "UPDATE grants SET revoked = ? WHERE id = ? AND revoked IS NULL",
                (self.clock(), id_),
            )
        return done.rowcount == 1

    def _of(self, binding: Binding) -> list[Grant]:
        """The grants to this asker for this tool, whatever it was like; the latest first."""
        with self.database.reading() as connection:
            rows = connection.execute(
                "SELECT * FROM grants WHERE tool = ? AND agent = ? AND principal IS ?"
                " AND (session IS NULL OR session = ?) AND revoked IS NULL ORDER BY id DESC",
                (binding.tool, binding.agent, binding.principal, binding.session),
            ).fetchall()
        return list(map(_grant, rows))

    def _settle(
        self, connection: sqlite3.Connection, request: StoredRequest, decision: ApprovalDecision
    ) -> StoredRequest:
        now = self.clock()
        match decision:
            case Approve(scope=scope, arguments=arguments, by=by):
                settled = attrs.evolve(
                    request, state=State.APPROVED, scope=scope, arguments=arguments, by=by
                )
            case Reject(message=message, by=by):
                settled = attrs.evolve(request, state=State.REJECTED, message=message, by=by)
        connection.execute(
            "UPDATE requests SET state = ?, scope = ?, arguments = ?, message = ?, by = ?,"
            " answered = ? WHERE id = ?",
            (
                settled.state.value,
                settled.scope,
                None if settled.arguments is None else json.dumps(settled.arguments),
                settled.message,
                settled.by,
                now,
                settled.id,
            ),
        )
        self._grant(connection, settled.subject, decision)
        return settled

    def _grant(
        self, connection: sqlite3.Connection, asked: Subject, decision: ApprovalDecision
    ) -> None:
        """Grant what was approved for more than once, in place of what was granted before."""
        match decision:
            case Approve(scope="session" | "always" as scope, by=by):
                binding = asked.binding
                session = binding.session if scope == "session" else None
            case _:
                return
        now = self.clock()
        key = (binding.tool, binding.agent, binding.principal)
        connection.execute(
            "UPDATE grants SET revoked = ? WHERE tool = ? AND agent = ? AND principal IS ?"
            " AND revoked IS NULL AND (session IS ? OR digest <> ? OR origin <> ?)",
            (now, *key, session, binding.digest, binding.origin),
        )
        connection.execute(
            "INSERT INTO grants"
            " (tool, agent, principal, session, origin, digest, snapshot, by, created)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *key,
                session,
                binding.origin,
                binding.digest,
                json.dumps(snapshot(asked.tool)),
                by,
                now,
            ),
        )


def _request(row: sqlite3.Row) -> StoredRequest:
    kept: Mapping[str, Any] = dict(row)
    arguments = kept["arguments"]
    return StoredRequest(
        **{
            **kept,
            "state": State(kept["state"]),
            "body": json.loads(kept["body"]),
            "arguments": None if arguments is None else json.loads(arguments),
        }
    )


def _grant(row: sqlite3.Row) -> Grant:
    return Grant(**{**dict(row), "snapshot": json.loads(row["snapshot"])})
