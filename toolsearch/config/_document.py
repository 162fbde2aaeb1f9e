"""A configuration as it was written: before any plugin is loaded, and before it is resolved."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import attrs

from toolsearch_hookspecs import ConfigError, Diagnostic

from ._files import decoded, read_bytes, state_dir_of
from ._json5 import parse
from ._models import SERVERS, PluginsSettings, StagesSettings
from ._reading import Problem, read_own, said
from ._secrets import redacted, secrets_in
from ._tree import Path as KeyPath
from ._tree import Tree, dotted, spoken
from ._trust import TrustStore, digest_of

WITHHELD: Mapping[KeyPath, str] = {
    (SERVERS,): "its servers are not started",
    ("plugins", "enabled"): "no third-party plugin is enabled from it",
    ("plugins", "settings"): "its settings of plugins (paths of programs, modules) are not used",
    ("log", "path"): "the session log stays where it is by default",
}
"""What a file that nobody has trusted may not decide, with what is said instead."""

_STAGES = "TOOLSEARCH_STAGES_"


@attrs.frozen
class ConfigDocument:
    """What a file or a mapping says.

    `value` is all of it; `effective` is what may be used: all, or, in a file that was found and
    not yet trusted, all but `WITHHELD`. `name` is how messages call the file (none: a mapping).
    """

    value: Mapping[str, Any] = attrs.field(repr=False)
    effective: Mapping[str, Any] = attrs.field(repr=False)
    name: str | None
    path: Path | None
    base_dir: Path
    state_dir: Path
    trusted: bool
    digest: str | None
    tree: Tree | None = attrs.field(repr=False)
    environ: Mapping[str, str] = attrs.field(repr=False)
    diagnostics: tuple[Diagnostic, ...] = ()
    offsets: Mapping[KeyPath, tuple[int, int]] = attrs.field(factory=dict, repr=False)

    def place(self, path: KeyPath, *, key: bool = False) -> str:
        """Where a value (or its key) stands: `file:line:column`, or its path in a mapping.

        A path that is not there is said to stand at the nearest object around it.
        """
        if self.tree is None:
            return spoken(path) or "the configuration"
        return f"{self.name}:{self.tree.lines.position(self._offset(path, key=key))}"

    def _offset(self, path: KeyPath, *, key: bool) -> int:
        for length in range(len(path), 0, -1):
            if path[:length] in self.offsets:
                return self.offsets[path[:length]][0 if key else 1]
        return self.tree.root.start if self.tree else 0

    def places(self) -> dict[str, str]:
        """The place of every value by its dotted path."""
        if self.tree is None:
            return {dotted(path): spoken(path) for path in _paths((), self.value)}
        return {dotted(path): self.place(path) for path in self.offsets}

    def error(self, problems: Iterable[Problem]) -> ConfigError:
        """All problems in one error, a line each in the order of the file, without its secrets."""
        return ConfigError("\n".join(self.lines(problems)))

    def lines(self, problems: Iterable[Problem]) -> list[str]:
        secrets = secrets_in(self.value)
        in_order = sorted(problems, key=lambda wrong: self._offset(wrong.path, key=wrong.at_key))
        return [
            redacted(said(problem, self.place(problem.path, key=problem.at_key)), secrets)
            for problem in in_order
        ]

    def plugins_section(self) -> Mapping[str, Any]:
        """The `plugins` section as far as it may be used, checked. Raises `ConfigError`."""
        section = self.effective.get("plugins", {})
        _, problems = read_own(PluginsSettings, section, ("plugins",))
        if problems:
            raise self.error(problems)
        return dict(section)

    @property
    def stages(self) -> StagesSettings:
        """The chosen stages; `TOOLSEARCH_STAGES_INDEX`, `_RUNNER` and `_MODES_<MODE>` win over
        the file. Raises `ConfigError`.
        """
        section = self.effective.get("stages", {})
        stages, problems = read_own(StagesSettings, section, ("stages",))
        if problems:
            raise self.error(problems)
        changes: dict[str, Any] = {}
        modes = dict(stages.modes)
        for name, value in self.environ.items():
            match name.removeprefix(_STAGES) if name.startswith(_STAGES) and value else "":
                case "INDEX":
                    changes["index"] = value
                case "RUNNER":
                    changes["runner"] = value
                case mode if mode.startswith("MODES_"):
                    modes[mode.removeprefix("MODES_").lower()] = value
                case "":
                    pass
                case other:
                    raise ConfigError(
                        f"the environment variable {_STAGES}{other} names no stage; "
                        f"there is {_STAGES}INDEX, {_STAGES}RUNNER and {_STAGES}MODES_<MODE>"
                    )
        return stages.model_copy(update={**changes, "modes": modes})  # type: ignore[no-any-return]


def read_config(
    source: Path | str | Mapping[str, Any] | None,
    environ: Mapping[str, str],
    *,
    trusted: bool = True,
    state_dir: Path | None = None,
) -> ConfigDocument:
    """Read a configuration file (a `str` is its path) or mapping, before plugins are loaded.

    `trusted=False` is for a file that was found, not named: it is trusted where the trust store
    of the state directory knows it with this very content. Raises `ConfigError` with line and column.
    """
    state_dir = state_dir_of(environ) if state_dir is None else state_dir
    if source is None or isinstance(source, Mapping):
        value = dict(source or {})
        return ConfigDocument(
            value=value,
            effective=value,
            name=None,
            path=None,
            base_dir=Path.cwd(),
            state_dir=state_dir,
            trusted=True,
            digest=None,
            tree=None,
            environ=environ,
        )
    path = Path(source).expanduser()
    return document_of(path, read_bytes(path), environ, trusted=trusted, state_dir=state_dir)


def document_of(
    path: Path, content: bytes, environ: Mapping[str, str], *, trusted: bool, state_dir: Path
) -> ConfigDocument:
    """The document that a file with this content is."""
    name = _shown(path)
    tree = parse(decoded(content, name), name)
    value = tree.root.value
    if not isinstance(value, dict):
        raise ConfigError(f"{name}:{tree.lines.position(tree.root.start)}: should be an object")
    digest = digest_of(content)
    store = TrustStore(state_dir)
    trusted = trusted or store.trusts(path, digest)
    effective, diagnostics = (value, ()) if trusted else _withheld(value, name, store.knows(path))
    return ConfigDocument(
        value=value,
        effective=effective,
        name=name,
        path=path,
        base_dir=path.absolute().parent,
        state_dir=state_dir,
        trusted=trusted,
        digest=digest,
        tree=tree,
        environ=environ,
        diagnostics=tuple(diagnostics),
        offsets={steps: (entry.start, entry.node.start) for steps, entry in tree.walk()},
    )


def _withheld(
    value: Mapping[str, Any], name: str, changed: bool
) -> tuple[dict[str, Any], list[Diagnostic]]:
    effective = dict(value)
    why = "has changed since it was trusted" if changed else "is not trusted"
    diagnostics: list[Diagnostic] = []
    for (first, *rest), instead in WITHHELD.items():
        section = effective.get(str(first))
        inside = section.get(rest[0]) if rest and isinstance(section, dict) else section
        if not inside or (rest and not isinstance(section, dict)):
            continue
        if rest and isinstance(section, dict):
            effective[str(first)] = {key: kept for key, kept in section.items() if key != rest[0]}
        else:
            effective[str(first)] = {}
        diagnostics.append(
            Diagnostic(
                level="warning",
                code="untrusted-config",
                message=f"{name} was found, not named, and {why}: {instead}",
                subject=dotted((first, *rest)),
                cure=f"read {'what changed' if changed else 'the file'}, then run "
                "`toolsearch config trust`",
            )
        )
    return effective, diagnostics


def _paths(path: KeyPath, value: Any) -> Iterable[KeyPath]:
    match value:
        case Mapping():
            steps: Iterable[tuple[str | int, Any]] = value.items()
        case list() | tuple():
            steps = enumerate(value)
        case _:
            return
    for step, inner in steps:
        yield (*path, step)
        yield from _paths((*path, step), inner)


def _shown(path: Path) -> str:
    """The file's name for messages: relative to the working directory where it stands under it."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_relative_to(here) else str(path)
