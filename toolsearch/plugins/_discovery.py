"""Which plugins are installed, by their metadata alone: nothing here imports a plugin."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from importlib import metadata

from attrs import field, frozen

from toolsearch_hookspecs import ENTRY_POINT_GROUP, Diagnostic

HOST = "toolsearch"

_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]*")
_VALUE = re.compile(r"[\w.]+\s*(:\s*[\w.]+\s*)?(\[.*\]\s*)?")
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
# What importlib.metadata raises for missing, unreadable or malformed files; it promises nothing.
_BROKEN = (OSError, ValueError, TypeError, AttributeError, LookupError, ImportError)


@frozen
class PluginIdentity:
    """Who a plugin is, as every report names it; no distribution: the program gave the object."""

    name: str
    distribution: str | None = None
    version: str | None = None

    def __str__(self) -> str:
        if self.distribution is None:
            return f"{self.name!r} (given by the program)"
        return f"{self.name!r} ({self.distribution} {self.version or 'of unknown version'})"


@frozen
class FoundPlugin:
    """One entry point of the group. `problem` says why it can never be loaded."""

    name: str
    distribution: str
    version: str | None
    value: str
    battery: bool
    entry_point: metadata.EntryPoint = field(eq=False, repr=False)
    installed: metadata.Distribution = field(eq=False, repr=False)
    problem: str | None = None

    @property
    def identity(self) -> PluginIdentity:
        return PluginIdentity(self.name, self.distribution, self.version)


@frozen
class Discovery:
    """Everything found, sorted by name then distribution, and what could not be read.

    A name that stands here more than once was offered more than once.
    """

    plugins: tuple[FoundPlugin, ...]
    problems: tuple[Diagnostic, ...] = ()

    def named(self, name: str) -> tuple[FoundPlugin, ...]:
        return tuple(plugin for plugin in self.plugins if plugin.name == name)


def discover(*, path: Sequence[str] | None = None) -> Discovery:
    """Read the entry points of the group `toolsearch.plugins` on `path` (`sys.path` if absent).

    Batteries are the plugins of the distributions that the host's own metadata requires. Broken
    metadata of one distribution is a problem of its own and hides no other.
    """
    where = list(sys.path if path is None else path)
    problems: list[Diagnostic] = []
    batteries = _batteries(where, problems)
    found: list[FoundPlugin] = []
    for name, installed in _offering(where):
        try:
            entries = installed.entry_points.select(group=ENTRY_POINT_GROUP)
        except _BROKEN as error:
            problems.append(_unreadable(name, error))
            continue
        version = _header(installed, "Version")
        found.extend(
            FoundPlugin(
                name=entry.name,
                distribution=name,
                version=version or None,
                value=entry.value,
                battery=normalized(name) in batteries,
                entry_point=entry,
                installed=installed,
                problem=_malformed(entry),
            )
            for entry in entries
        )
    found.sort(key=lambda plugin: (plugin.name, plugin.distribution, plugin.value))
    return Discovery(tuple(found), tuple(problems))


def normalized(distribution: str) -> str:
    """The name of a distribution as packaging compares it (`Acme_Tools` is `acme-tools`)."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def _batteries(where: list[str], problems: list[Diagnostic]) -> frozenset[str]:
    host = next(iter(metadata.distributions(name=HOST, path=where)), None)
    if host is None:
        problems.append(
            Diagnostic(
                level="warning",
                code="plugins.host-not-installed",
                message="toolsearch itself is not installed, so no plugin counts as a battery",
                cure="install it (`pip install -e .` in a checkout), or name the plugins "
                "in plugins.enabled",
            )
        )
        return frozenset()
    try:
        lines = host.requires or []
    except _BROKEN as error:
        problems.append(_unreadable(HOST, error))
        return frozenset()
    names = (match.group(1) for line in lines if (match := _REQUIREMENT.match(line)))
    return frozenset(normalized(name) for name in names)


def _offering(where: list[str]) -> Iterator[tuple[str, metadata.Distribution]]:
    """Distributions that may have entry points of ours, the one that an import would take first."""
    seen: set[str] = set()
    for installed in metadata.distributions(path=where):
        try:
            text = installed.read_text("entry_points.txt")
        except _BROKEN:
            continue
        if not text or ENTRY_POINT_GROUP not in text:
            continue
        name = _name(installed)
        key = normalized(name)
        if key not in seen and not _shadowed(name, installed, where):
            seen.add(key)
            yield name, installed


def _name(installed: metadata.Distribution) -> str:
    """The name in the metadata, else the one in the folder's name."""
    folder = getattr(getattr(installed, "_path", None), "name", "unnamed")
    return _header(installed, "Name") or folder.removesuffix(".dist-info").partition("-")[0]


def _header(installed: metadata.Distribution, key: str) -> str | None:
    """One header of METADATA; None where the file or the header is missing."""
    try:
        headers = installed.metadata
        return headers[key] if key in headers else None  # noqa: SIM401 - it has no typed `get`
    except _BROKEN:
        return None


def _shadowed(name: str, installed: metadata.Distribution, where: list[str]) -> bool:
    """Whether another version of the distribution comes earlier on the path."""
    first = next(iter(metadata.distributions(name=name, path=where)), installed)
    return first.locate_file("") != installed.locate_file("")


def _malformed(entry: metadata.EntryPoint) -> str | None:
    if not _NAME.fullmatch(entry.name):
        return f"its name {entry.name!r} is not made of a-z, 0-9, '_', '.' and '-'"
    if not _VALUE.fullmatch(entry.value):
        return f"its entry point {entry.value!r} is not of the form 'module:object'"
    return None


def _unreadable(name: str, error: BaseException) -> Diagnostic:
    return Diagnostic(
        level="error",
        code="plugins.metadata",
        message=f"the metadata of the distribution {name} cannot be read "
        f"({type(error).__name__}); its plugins are left out",
        subject=name,
        cure=f"reinstall it: pip install --force-reinstall {name}",
    )
