"""One distribution's plugins, loaded alone, tried and looked at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from toolsearch_hookspecs import HOOK_RULES, ConfigError

from ..config import ConfigDocument, read_config
from ..plugins import FoundPlugin, PluginSelection, discover, select
from ._failures import Failed
from ._output import Output
from ._session import Session
from ._trial import SHOWN, Trial, TriedSource, tried


@attrs.frozen
class Report:
    """What one plugin does, where it stands, and what is wrong with it."""

    name: str
    distribution: str
    version: str | None
    order: int
    of: int
    trial: Trial
    problems: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        told = {**attrs.asdict(self), **attrs.asdict(self.trial)}
        del told["trial"]
        rules = [HOOK_RULES[name].model_dump(mode="json") for name in self.trial.hooks]
        return {**told, "hooks": rules, "problems": list(self.problems)}

    def show(self, out: Output) -> None:
        out.text(f"{self.name} ({self.distribution} {self.version or 'of unknown version'})")
        out.text(f"It stands at {self.order} of {self.of} in the order of plugins.\n")
        trial = self.trial
        rules = [HOOK_RULES[name] for name in trial.hooks]
        if rules:
            out.table(
                ("hook", "when", "answers combine", "if it fails"),
                [(rule.name, rule.when, rule.combines, rule.on_failure.value) for rule in rules],
            )
        for hook, names in trial.yields.items():
            out.text(f"\n{hook} yields {', '.join(names) or 'nothing with these settings'}.")
        for source in trial.sources:
            _show_source(source, out)
        for name, state in trial.runners.items():
            out.text(f"  {name}: {state}")
        if trial.claims:
            out.text(f"\nIt claims {', '.join(trial.claims)}.")
        properties = (trial.settings or {}).get("properties", {})
        if properties:
            out.text(f"\nplugins.settings.{self.name} takes {', '.join(properties)}.")
        for text in trial.tracebacks:
            out.note(f"\n{text}")
        for problem in self.problems:
            out.failure(problem)
        if not self.problems:
            untried = not all(trial.yields.values())
            tried = "what could be tried of it" if untried else "it"
            out.text(f"\nNothing is wrong with {tried}.")


def _show_source(source: TriedSource, out: Output) -> None:
    if source.down is not None:
        out.text(f"  {source.kind}:{source.name}: it could not be asked for its tools")
        return
    left_out = f", {len(source.left_out)} left out" if source.left_out else ""
    count = "1 tool" if source.tools == 1 else f"{source.tools:,} tools"
    out.text(f"  {source.kind}:{source.name}: {count}{left_out}")
    for name, reason in source.left_out[:SHOWN]:
        out.text(f"    {name!r}: {reason}")


def checked(asked: str, session: Session) -> list[Report]:
    """A report for each plugin of the distribution (or plugin) of that name."""
    from ..plugins._discovery import normalized

    everything = discover().plugins
    found = [
        each
        for each in everything
        if asked == each.name or normalized(asked) == normalized(each.distribution)
    ]
    if not found:
        from difflib import get_close_matches

        names = {name for each in everything for name in (each.name, each.distribution)}
        close = get_close_matches(asked, names, 1)
        meant = f"; did you mean {close[0]!r}?" if close else "; is it installed in this Python?"
        raise Failed(f"no installed plugin or distribution is called {asked!r}{meant}")
    document = _document(session)
    order = _order(document, session)
    return [_report(each, order, everything, document) for each in found]


def _document(session: Session) -> ConfigDocument:
    """The configuration, with what keeps it from being used said; an empty one where it cannot be
    read, so that a plugin can be looked at all the same.
    """
    try:
        document = session.document()
    except ConfigError as error:
        session.out.warning(f"{error}\n  The plugin is checked without the configuration.")
        return read_config(None, session.environ)
    session.tell(document.diagnostics)
    return document


def _order(document: ConfigDocument, session: Session) -> Sequence[str]:
    """Every plugin's name in the order of this deployment."""
    try:
        section = document.plugins_section()
    except ConfigError:
        section = {}
    wanted = PluginSelection.resolve(section, session.environ, session.selection)
    return [planned.name for planned in select(discover(), wanted).plugins]


def _report(
    found: FoundPlugin,
    order: Sequence[str],
    everything: Sequence[FoundPlugin],
    document: ConfigDocument,
) -> Report:
    trial = tried(found, everything, document)
    return Report(
        name=found.name,
        distribution=found.distribution,
        version=found.version,
        order=order.index(found.name) + 1,
        of=len(order),
        trial=trial,
        problems=(*_depends(found), *trial.problems, *_unset(found.name, trial, document)),
    )


def _unset(name: str, trial: Trial, document: ConfigDocument) -> Iterator[str]:
    """Where the settings would come from that a plugin needs and was not given."""
    key = f"plugins.settings.{name}"
    if not any(problem.startswith(key) or f": {key}" in problem for problem in trial.problems):
        return
    if document.path is None:
        yield (
            f"there is no configuration here to take {key} from: name one with --config FILE, or "
            "write toolsearch.json5"
        )
    elif not document.trusted:
        yield (
            f"{document.name} is not trusted, so its {key} is not used: `toolsearch config trust`, "
            f"or --config {document.name}"
        )


def _depends(found: FoundPlugin) -> tuple[str, ...]:
    """What is wrong with what the distribution requires."""
    from ..plugins._discovery import normalized

    required = [line.partition(";")[0].strip() for line in found.installed.requires or ()]
    names = {normalized(_distribution_of(line)): line for line in required}
    wrong = []
    if not found.battery and "toolsearch-hookspecs" not in names:
        wrong.append(
            "it does not require toolsearch-hookspecs; add a range of the contract's versions, "
            "such as toolsearch-hookspecs>=0.1,<0.2"
        )
    if "toolsearch" in names:
        wrong.append("it requires the host, toolsearch; a plugin needs toolsearch-hookspecs alone")
    return tuple(wrong)


def _distribution_of(requirement: str) -> str:
    import re

    return re.split(r"[^A-Za-z0-9._-]", requirement, maxsplit=1)[0]
