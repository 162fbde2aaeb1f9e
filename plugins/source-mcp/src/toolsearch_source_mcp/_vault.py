"""Where tokens are kept: the system's keyring where there is one, else a file of its owner alone."""

from __future__ import annotations

import json
import logging
import os
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, SecretStr, ValidationError

log = logging.getLogger(__name__)

_FILE = "mcp-tokens.json"
_SERVICE = "toolsearch mcp"


class Grant(BaseModel):
    """What one server granted: its tokens, our registration with its issuer, and its endpoints.

    Held as the JSON of the SDK's records; `expires_at` is in seconds since the epoch.
    """

    model_config = ConfigDict(frozen=True)

    tokens: SecretStr | None = None
    client: SecretStr | None = None
    endpoints: str | None = None
    expires_at: float | None = None

    def to_json(self) -> str:
        held = {
            "tokens": None if self.tokens is None else self.tokens.get_secret_value(),
            "client": None if self.client is None else self.client.get_secret_value(),
            "endpoints": self.endpoints,
            "expires_at": self.expires_at,
        }
        return json.dumps(held)


class Vault(Protocol):
    """Grants by the identity of a server. Blocking: call it from a thread."""

    def read(self, origin: str) -> Grant | None: ...

    def write(self, origin: str, grant: Grant) -> None: ...

    def delete(self, origin: str) -> None: ...


def vault(state_dir: Path) -> Vault:
    """The keyring where one works, else the file."""
    try:
        keyring: Any = import_module("keyring")
        fail: Any = import_module("keyring.backends.fail")
    except ImportError:
        return FileVault(state_dir)
    backend = keyring.get_keyring()
    if isinstance(backend, fail.Keyring):
        return FileVault(state_dir)
    return KeyringVault(backend)


class KeyringVault:
    """Grants in the system's keyring."""

    def __init__(self, backend: Any) -> None:
        self._backend = backend

    def read(self, origin: str) -> Grant | None:
        return _grant(self._backend.get_password(_SERVICE, origin))

    def write(self, origin: str, grant: Grant) -> None:
        self._backend.set_password(_SERVICE, origin, grant.to_json())

    def delete(self, origin: str) -> None:
        if self._backend.get_password(_SERVICE, origin) is not None:
            self._backend.delete_password(_SERVICE, origin)


class FileVault:
    """Grants in one file, made for its owner alone and replaced whole."""

    def __init__(self, state_dir: Path) -> None:
        self._path = state_dir / _FILE

    def read(self, origin: str) -> Grant | None:
        return _grant(self._all().get(origin))

    def write(self, origin: str, grant: Grant) -> None:
        self._save(self._all() | {origin: grant.to_json()})

    def delete(self, origin: str) -> None:
        held = self._all()
        if held.pop(origin, None) is not None:
            self._save(held)

    def _all(self) -> dict[str, Any]:
        try:
            held = json.loads(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, ValueError) as error:
            log.warning("kept tokens cannot be read (%s)", type(error).__name__)
            return {}
        return held if isinstance(held, dict) else {}

    def _save(self, held: dict[str, Any]) -> None:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial = self._path.with_name(f".{_FILE}.{os.getpid()}")
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(held, file)
        partial.replace(self._path)


def _grant(held: Any) -> Grant | None:
    if not isinstance(held, str):
        return None
    try:
        return Grant.model_validate_json(held)
    except ValidationError:
        return None
