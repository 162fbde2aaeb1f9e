"""Pins: a plugin is what was reviewed, or it is not loaded."""

from __future__ import annotations

import base64
import hashlib
import hmac
from importlib import metadata

from ._discovery import FoundPlugin, normalized

SHA256 = "sha256:"


def pin_violation(found: FoundPlugin, pin: str) -> str | None:
    """Why the installed plugin is not the pinned one, or None.

    `dist==version` compares the distribution's name and its exact version; `sha256:<hex>` is
    `files_digest` of the distribution.
    """
    if pin.startswith(SHA256):
        return _digest_violation(found, pin)
    distribution, separator, version = (part.strip() for part in pin.partition("=="))
    if not separator or not distribution or not version:
        installed = f"{found.distribution}=={found.version}"
        return (
            f"the pin {pin!r} is neither a version, such as {installed!r}, nor a digest of the "
            "installed files, 'sha256:...'"
        )
    if normalized(distribution) != normalized(found.distribution):
        return f"it comes from {found.distribution}, but is pinned to {distribution}"
    if version != found.version:
        return f"version {found.version or 'unknown'} is installed, but {version} is pinned"
    return None


def files_digest(installed: metadata.Distribution) -> str:
    """`sha256:<hex>` over the paths and contents of a distribution's own files.

    Over the files that RECORD hashes and that lie beside the code: neither the metadata folder
    nor scripts count, so the same wheel has the same digest on every machine. Raises `ValueError`
    where there is nothing to hash (an editable install), or a file is not what RECORD says.
    """
    digest = hashlib.sha256()
    counted = 0
    for file in sorted(installed.files or (), key=str):
        recorded = file.hash
        if recorded is None or file.parts[0] == ".." or file.parts[0].endswith(".dist-info"):
            continue
        if file.suffix == ".pth":
            raise ValueError("it is an editable install, whose files no record lists")
        content = file.read_binary()
        if recorded.mode != "sha256" or _encoded(content) != recorded.value:
            raise ValueError(f"its file {file} is not the one that was installed")
        digest.update(f"{file}\0{recorded.value}\n".encode())
        counted += 1
    if not counted:
        raise ValueError("its metadata records no files")
    return SHA256 + digest.hexdigest()


def _digest_violation(found: FoundPlugin, pin: str) -> str | None:
    try:
        actual = files_digest(found.installed)
    except (OSError, ValueError) as error:
        reason = error if isinstance(error, ValueError) else "its files cannot be read"
        return f"it is pinned by digest, but {reason}"
    if hmac.compare_digest(actual, pin.lower()):
        return None
    return f"its files have the digest {actual}, but {pin} is pinned"


def _encoded(content: bytes) -> str:
    """A hash as RECORD writes it."""
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
