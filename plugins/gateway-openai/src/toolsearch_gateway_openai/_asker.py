"""Who asks: the app behind a key, and the session that its request names."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from typing import Any

import attrs

from ._settings import AppKey

SESSION_HEADER = "x-toolsearch-session"
HARNESS_HEADER = "x-toolsearch-harness"
KEY_HEADER = "x-toolsearch-key"
NOBODY = "open"

_LONGEST_SESSION = 256
_ACCOUNT = ("authorization", "openai-organization", "openai-project", "openai-beta")
_NAMED_IN_METADATA = ("session", "session_id", "conversation_id", "thread_id")
_NAMED_IN_BODY = ("prompt_cache_key", "safety_identifier", "user")


@attrs.frozen
class App:
    """An app that may ask: its name in the deployment, its key, and who it asks as."""

    name: str
    secret: bytes | None = attrs.field(repr=False)
    who: AppKey

    @property
    def principal(self) -> str:
        """Tells the key from others, and tells nothing of it."""
        if self.secret is None:
            return NOBODY
        return f"{self.name}-{hashlib.sha256(self.secret).hexdigest()[:12]}"


@attrs.frozen
class Apps:
    """The apps of a deployment. `open` lets in who sends no key, as one app."""

    apps: tuple[App, ...]
    open: App | None = None

    @property
    def all(self) -> tuple[App, ...]:
        return self.apps if self.open is None else (*self.apps, self.open)

    def of_key(self, key: str | None) -> App | None:
        """The app of a key; each known key is looked at, so that time tells nothing."""
        given = (key or "").encode()
        found = [app for app in self.apps if app.secret and hmac.compare_digest(app.secret, given)]
        return found[0] if found else self.open


@attrs.frozen
class Asker:
    """Who one request is from. `passed` are headers for the provider, where that is wanted."""

    app: App
    session: str | None
    harness: str | None
    passed: Mapping[str, str] = attrs.field(factory=dict, repr=False)

    @property
    def principal(self) -> str:
        return self.app.principal

    @property
    def context(self) -> Mapping[str, Any]:
        """The fields of the run's context; a session belongs to the key that named it."""
        who = self.app.who
        session = None if self.session is None else f"{self.principal}/{self.session}"
        return {
            "agent": who.agent,
            "profile": who.profile,
            "sandbox": who.sandbox,
            "channel": who.channel,
            "mode": who.mode,
            "harness": who.harness or self.harness,
            "session": session,
            "principal": self.principal,
        }


def asker_of(app: App, headers: Mapping[str, str], body: Mapping[str, Any]) -> Asker:
    """Who asks, by the headers and by the API's own fields."""
    harness = headers.get(HARNESS_HEADER)
    if harness is None and headers.get("originator", "").startswith("codex"):
        harness = "codex"
    return Asker(app, session_of(headers, body), harness, passed_on(headers))


def passed_on(headers: Mapping[str, str]) -> Mapping[str, str]:
    """What a provider is told of an app that has an account of its own there."""
    return {name: headers[name] for name in _ACCOUNT if name in headers}


def bearer_of(headers: Mapping[str, str]) -> str | None:
    scheme, _, key = headers.get("authorization", "").partition(" ")
    return key.strip() if scheme.lower() == "bearer" and key.strip() else None


def session_of(headers: Mapping[str, str], body: Mapping[str, Any]) -> str | None:
    """What the request says of its session: our header, metadata, then fields that come near."""
    metadata = body.get("metadata")
    said = metadata if isinstance(metadata, Mapping) else {}
    candidates = [headers.get(SESSION_HEADER), *(said.get(name) for name in _NAMED_IN_METADATA)]
    conversation = body.get("conversation")
    candidates.append(conversation.get("id") if isinstance(conversation, Mapping) else conversation)
    candidates += [body.get(name) for name in _NAMED_IN_BODY]
    named = (each for each in candidates if isinstance(each, str) and each)
    return next((each[:_LONGEST_SESSION] for each in named), None)
