"""A runtime that was found on this machine, and what a runner must know of it."""

from __future__ import annotations

import json
import os
import re
import shutil
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from . import _sources
from .process import Channel, StartError, SupervisorError
from .reading import first_line

if TYPE_CHECKING:
    from .process import Command, Spawner


class RuntimeMissingError(Exception):
    """No usable runtime; the text says what was looked at and what would help."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A file as it is now: another one under the same name is another identity.

    `name` is what led to it, which may be a link to it.
    """

    path: str
    device: int
    inode: int
    size: int
    modified_ns: int
    name: str = field(default="", compare=False)

    @classmethod
    def of(cls, path: str) -> Identity:
        real = os.path.realpath(path)
        return cls(real, *_marks(real), name=path)

    def unchanged(self) -> bool:
        """Whether its name still leads to the same file, and the file still lies where it did."""
        marks = (self.device, self.inode, self.size, self.modified_ns)
        try:
            return all(_marks(path) == marks for path in {self.path, self.name or self.path})
        except OSError:
            return False


def _marks(path: str) -> tuple[int, int, int, int]:
    """What tells one file from another, without reading it; a `Path` would take longer than this."""
    stat = os.stat(path)  # noqa: PTH116
    return stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns


@dataclass(frozen=True, slots=True)
class Runtime(ABC):
    """A runtime that was found: its file, its version, and the files it consists of.

    `name` stands in attestations, is the program on the path and the setting that names another;
    `title` stands in sentences; `runner` is the plugin that uses it, and `package` what brings the
    program from a package registry. `oldest` says in words what `knows` decides, and `closing` which
    versions close what others leave open, where there are such. `also_read` are files that it reads
    while it starts, where they are there.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    runner: ClassVar[str]
    package: ClassVar[str]
    oldest: ClassVar[str]
    closing: ClassVar[str | None] = None
    also_read: ClassVar[tuple[str, ...]] = ("/etc/ld.so.cache",)

    identity: Identity
    version: tuple[int, int, int]
    files: tuple[str, ...]

    @property
    def label(self) -> str:
        return ".".join(map(str, self.version))

    @classmethod
    def locate(cls, wanted: str | None) -> Identity:
        """The file of the runtime to use; raises `RuntimeMissingError`."""
        if wanted is not None:
            found = shutil.which(str(Path(wanted).expanduser()))
            if found is None:
                raise RuntimeMissingError(
                    f"the setting {cls.name} ({wanted}) names no program that can be run; "
                    f"correct {cls._setting()} or remove it"
                )
            return Identity.of(found)
        found = shutil.which(cls.name) or cls.packaged()
        if found is None:
            raise RuntimeMissingError(
                f"no {cls.title} on the path; install {cls.oldest} or newer, or the package "
                f"{cls.package}, or set {cls._setting()}"
            )
        return Identity.of(found)

    @classmethod
    async def describe(cls, identity: Identity, spawner: Spawner) -> Self:
        """Ask the program what it is, and which program it starts where it only chooses one.

        Raises `RuntimeMissingError` where it cannot be used, and `SupervisorError` where nothing
        can be started.
        """
        channel = Channel(max_line=1 << 20, max_total=1 << 20)
        try:
            answer = json.loads(await first_line(spawner, cls.question(identity), channel))
            major, minor, patch = map(int, re.split(r"[-+]", answer["version"])[0].split("."))
            files = tuple(answer["files"])
            program = Identity.of(answer["program"])
        except SupervisorError:
            raise
        except (StartError, OSError, ValueError, KeyError, TypeError) as error:
            raise RuntimeMissingError(
                f"{identity.path} does not run as {cls.title} ({error}); where it is a script that "
                f"chooses a {cls.title}, set {cls._setting()} to the program itself"
            ) from error
        if not cls.knows((major, minor, patch)):
            raise RuntimeMissingError(
                f"{cls.title} {answer['version']} at {identity.path} is too old; {cls.oldest} or "
                "newer is needed"
            )
        return cls(program, (major, minor, patch), (*files, *cls.also_read))

    @classmethod
    def _setting(cls) -> str:
        return f"plugins.settings.{cls.runner}.{cls.name}"

    @classmethod
    @abstractmethod
    def packaged(cls) -> str | None:
        """The program that `package` brought, if it is installed."""

    @classmethod
    @abstractmethod
    def knows(cls, version: tuple[int, int, int]) -> bool:
        """Whether a version has what a child needs."""

    @classmethod
    @abstractmethod
    def question(cls, identity: Identity) -> Command:
        """The command that prints `{version, program, files}` as a line of JSON.

        `files` are those that the loader mapped: what Landlock must leave, whatever the
        distribution.
        """

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
