"""A runtime that was found on this machine, and what a runner must know of it."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from . import _sources

if TYPE_CHECKING:
    from .process import Command, Spawner


class RuntimeMissingError(Exception):
    """No usable runtime; the text says what was looked at and what would help."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A file as it is now: another one under the same name is another identity."""

    path: str
    device: int
    inode: int
    size: int
    modified_ns: int

    @classmethod
    def of(cls, path: str) -> Identity:
        real = os.path.realpath(path)
        stat = Path(real).stat()
        return cls(real, stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns)

    def unchanged(self) -> bool:
        """Whether the file is still there, and the same."""
        try:
            return Identity.of(self.path) == self
        except OSError:
            return False


@dataclass(frozen=True, slots=True)
class Runtime(ABC):
    """A runtime that was found: its file, its version, and the files it consists of.

    `name` stands in attestations, `title` in sentences; `runner` is the plugin that uses it, and
    `closing` says which versions close what others leave open, where there are such.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    runner: ClassVar[str]
    closing: ClassVar[str | None] = None

    identity: Identity
    version: tuple[int, int, int]
    files: tuple[str, ...]

    @property
    def label(self) -> str:
        return ".".join(map(str, self.version))

    @classmethod
    @abstractmethod
    def locate(cls, wanted: str | None) -> Identity:
        """The file of the runtime to use; raises `RuntimeMissingError`."""

    @classmethod
    @abstractmethod
    async def describe(cls, identity: Identity, spawner: Spawner) -> Self:
        """Ask the program what it is. Raises `RuntimeMissingError` where it cannot be used."""

    @abstractmethod
    def command(
        self,
        script: str,
        *,
        layers: tuple[str, ...],
        restricted: bool = True,
        memory_mb: int = 256,
    ) -> Command:
        """The command that runs `script`, given as text: no file of ours need be readable.

        `restricted` applies the runtime's own layer, `layers` are those of the operating system.
        """

    @abstractmethod
    def host(self) -> str:
        """What a child has of the runtime, as an expression of JavaScript; see `js/child.js`."""

    @abstractmethod
    def tries(self) -> str:
        """The roads that a body must find closed, as an expression; see `js/probe.js`."""

    def child(self) -> str:
        """The script that serves one body."""
        return _sources.child(self.host())

    def probe(self) -> str:
        """The script that tries what a body must not be able to do."""
        return _sources.probe(self.host(), self.tries())
