"""Who a server is: the owner of its tools, and what a grant is bound to."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection
from itertools import count
from pathlib import PurePath
from urllib.parse import urlsplit

from ._settings import ServerSettings

_NOT_AN_OWNER = re.compile(r"[^a-z0-9_.-]+")
_DIGEST_LENGTH = 16
_END_OF_HOST = re.compile(r"[/?#]")
_HOST = re.compile(r"(?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::\d*)?")


def owner_name(alias: str) -> str:
    """The alias in the alphabet of owners: `My Server` becomes `my-server`."""
    return _NOT_AN_OWNER.sub("-", alias.strip().lower()).strip("-") or "server"


def free_name(owner: str, taken: Collection[str]) -> str:
    """The owner's name with the first number that makes it another."""
    numbered = (f"{owner}-{number}" for number in count(2))
    return next(name for name in numbered if name not in taken)


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


def address(url: str) -> str:
    """Scheme and host of an address: what else there is may be secret, its path among it."""
    before, mark, after = url.partition("://")
    scheme, rest = (before, after) if mark else ("", before)
    host = _END_OF_HOST.split(rest)[0]
    if not _HOST.fullmatch(host):  # a name and a password before it, with whatever is in them
        host = _END_OF_HOST.split(rest.rpartition("@")[2])[0]
    return f"{scheme}{mark}{host}"


def _digest(parts: list[str]) -> str:
    text = json.dumps(parts, ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_LENGTH]
