"""The sources of a host, the program's own and those of plugins, as entries of its inventory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial

from toolsearch_hookspecs import ConfigError, Diagnostic, ToolSource

from .catalog import SourceEntry, provenance_of
from .isolation import contained_now, text_of
from .plugins import Yielded, faults_of


def source_entries(
    own: Sequence[ToolSource], yielded: Iterable[Yielded[ToolSource]]
) -> tuple[list[SourceEntry], list[Diagnostic]]:
    """An entry for each source, and what is said of those that have none.

    The program's own are of kind `openclaw`, whatever they say. Raises ConfigError for one of them
    that is no source, or that has the name of another.
    """
    entries: dict[str, SourceEntry] = {}
    for source in own:
        entry = _own_entry(source)
        if entries.setdefault(entry.provenance.owner, entry) is not entry:
            message = f"the program gives two sources of the name {entry.provenance.owner!r}"
            raise ConfigError(message)
    kept, said = list(entries.values()), []
    for each in yielded:
        outcome = contained_now(partial(_entry, each))
        if outcome.failure is None:
            kept.append(outcome.value)
        else:
            said.append(_lost(each.plugin, outcome.failure))
    return kept, said


def _own_entry(source: ToolSource) -> SourceEntry:
    faults = faults_of(source, ToolSource)
    if faults:
        message = (
            f"a source that the program gives ({type(source).__name__}) is no ToolSource: "
            f"{'; '.join(faults)}"
        )
        raise ConfigError(message)
    try:
        return SourceEntry(source, provenance_of(source, "host", kind="openclaw"))
    except ValueError as error:
        raise ConfigError(str(error)) from error


def _entry(yielded: Yielded[ToolSource]) -> SourceEntry:
    return SourceEntry(yielded.value, provenance_of(yielded.value, yielded.plugin))


def _lost(plugin: str, failure: BaseException) -> Diagnostic:
    """A source that was as it should be when it was yielded, and no longer is."""
    return Diagnostic(
        level="error",
        code="source_unfit",
        message=f"a source of the plugin {plugin} is left out: reading its members raised "
        f"{type(failure).__name__}: {text_of(failure)}",
        subject=plugin,
        cure="let `name`, `kind`, `trusted` and `origin` stay as they are while it lives",
    )
