"""The conversation with the service."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import httpx2

from toolsearch_hookspecs import ApprovalDecision, ApprovalRequest, Approve, Reject
from toolsearch_hookspecs.text import clean

log = logging.getLogger(__name__)

LARGEST_ANSWER = 65_536
NAME = "webhook-approver"


class Webhook:
    """One service. A service that cannot be reached is asked again until the request expires."""

    def __init__(self, url: str, secret: bytes, pause_s: float) -> None:
        self._url = url
        self._secret = secret
        self._pause_s = pause_s

    async def decision(self, request: ApprovalRequest) -> ApprovalDecision | None:
        """What the service decided; None where it did not before the request expired."""
        body = json.dumps(shown(request)).encode()
        headers = {"Content-Type": "application/json", "X-Signature": signature(self._secret, body)}
        left = (request.expires - datetime.now(UTC)).total_seconds()
        if left <= 0:
            return None
        try:
            async with asyncio.timeout(left), httpx2.AsyncClient(timeout=None) as client:
                while True:
                    answer = await self._asked(client, body, headers)
                    decided = None if answer is None else decision_of(answer, request)
                    if decided is not None:
                        return decided
                    await asyncio.sleep(self._pause_s)
        except TimeoutError:
            return None

    async def _asked(
        self, client: httpx2.AsyncClient, body: bytes, headers: Mapping[str, str]
    ) -> Any:
        """The answer's JSON, if it is there and signed."""
        try:
            async with client.stream(
                "POST", self._url, content=body, headers=dict(headers)
            ) as response:
                if response.status_code != httpx2.codes.OK:
                    return None
                text = b""
                async for chunk in response.aiter_bytes():
                    text += chunk
                    if len(text) > LARGEST_ANSWER:
                        return None
        except httpx2.HTTPError as error:
            log.warning("the approval service cannot be asked: %s", type(error).__name__)
            return None
        given = response.headers.get("X-Signature", "")
        if not hmac.compare_digest(given.encode(), signature(self._secret, text).encode()):
            log.warning("an answer of the approval service is not signed with the shared secret")
            return None
        try:
            return json.loads(text)
        except ValueError:
            return None


def signature(secret: bytes, body: bytes) -> str:
    """What `X-Signature` says of a body."""
    return "sha256=" + hmac.new(secret, body, hashlib.sha256).hexdigest()


def shown(request: ApprovalRequest) -> dict[str, Any]:
    """What the service is told: texts cleaned, so that none can hide another."""
    return {
        "id": request.id,
        "digest": request.digest,
        "tool": clean(request.tool.id),
        "arguments": clean(json.dumps(dict(request.call.arguments), default=repr)),
        "agent": clean(request.call.run.agent),
        "asked": [{"by": reason.by, "why": clean(reason.reason)} for reason in request.reasons],
        "expires": request.expires.isoformat(),
    }


def decision_of(answer: Any, request: ApprovalRequest) -> ApprovalDecision | None:
    """The decision, if the answer is to this very request."""
    match answer:
        case {"id": request.id, "digest": request.digest, "decision": "approve"}:
            scope = answer.get("scope", "once")
            if scope in {"once", "session", "always"}:
                return Approve(scope=scope, by=by(answer))
        case {"id": request.id, "digest": request.digest, "decision": "reject"}:
            return Reject(message=clean(str(answer.get("message") or "denied")), by=by(answer))
    log.warning("an answer of the approval service is not to the request that was asked")
    return None


def by(answer: Mapping[str, Any]) -> str:
    said = answer.get("by")
    return f"{NAME}: {clean(said)[:80]}" if isinstance(said, str) and said else NAME
