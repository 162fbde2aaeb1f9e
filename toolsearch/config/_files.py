"""Files of the configuration: read whole and bounded, written whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from toolsearch_hookspecs import ConfigError

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_BYTES = 1_048_576
OWNER_ONLY_FILE = 0o600
OWNER_ONLY_DIR = 0o700


def state_dir_of(environ: Mapping[str, str]) -> Path:
    """Where the host keeps its state: `TOOLSEARCH_STATE_DIR`, or the platform's place for it."""
    named = environ.get("TOOLSEARCH_STATE_DIR")
    if named:
        return Path(named).expanduser()
    import platformdirs

    return platformdirs.user_state_path("toolsearch", appauthor=False)


def read_bytes(path: Path) -> bytes:
    """The content of a configuration file. Raises `ConfigError` that says why it cannot be had."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise ConfigError(
            f"{path}: there is no such file; `toolsearch config path` says where one is looked for"
        ) from None
    except IsADirectoryError:
        raise ConfigError(f"{path}: this is a directory; name the file in it") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    if len(content) > MAX_BYTES:
        raise ConfigError(f"{path}: larger than {MAX_BYTES} bytes, which no configuration is")
    return content


def decoded(content: bytes, name: str) -> str:
    """The text of the file, line ends as they are."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        column = error.start - (content.rfind(b"\n", 0, error.start) + 1) + 1
        raise ConfigError(
            f"{name}:{line}:{column}: not UTF-8 text (byte 0x{content[error.start]:02x}); "
            "save the file as UTF-8"
        ) from None


def write_whole(path: Path, content: bytes, *, mode: int | None = None) -> None:
    """Replace the file in one step; it keeps its permissions (a new one gets `mode`, or 0600).

    A symbolic link stays one: the file it names is replaced.
    """
    path = Path(os.path.realpath(path))
    try:
        kept = stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        kept = OWNER_ONLY_FILE if mode is None else mode
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written ({error.strerror})") from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(kept)
        Path(name).replace(path)
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        raise ConfigError(f"{path}: cannot be written ({error.strerror})") from None
