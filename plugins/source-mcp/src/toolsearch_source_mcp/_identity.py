"""Who a server is: the owner of its tools, and what a grant is bound to."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import PurePath
from urllib.parse import urlsplit

from ._settings import ServerSettings

_NOT_AN_OWNER = re.compile(r"[^a-z0-9_.-]+")
_DIGEST_LENGTH = 16


def owner_name(alias: str) -> str:
    """The alias in the alphabet of owners: `My Server` becomes `my-server`."""
    return _NOT_AN_OWNER.sub("-", alias.strip().lower()).strip("-") or "server"


def origin(settings: ServerSettings) -> str:
    """What executes the tools, without secrets.

    Command line and address enter as written, references unexpanded, so that a rotated token is
    the same server and another command is not; of arguments and queries only a digest is shown.
    """
    if settings.url is not None:
        parts = urlsplit(settings.url)
        host = parts.netloc.rpartition("@")[2]
        shown = f"{parts.scheme}://{host}{parts.path}"
        return f"{shown}#{_digest([settings.url])}" if parts.query else shown
    command = settings.command or ""
    shown = PurePath(command.replace("\\", "/")).name or command
    return f"stdio:{shown}#{_digest([command, *settings.args])}"


def _digest(parts: list[str]) -> str:
    text = json.dumps(parts, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_LENGTH]
