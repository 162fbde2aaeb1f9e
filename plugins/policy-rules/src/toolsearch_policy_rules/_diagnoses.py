"""What is wrong with rules, seen from the tools of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import attrs

from toolsearch_hookspecs import Diagnostic, RunContext

from ._census import Census
from ._compiled import Judgement, Rules, Verdict, Verdicts
from ._entries import parsed
from ._globs import Glob
from ._groups import BUILT_IN
from ._names import folded
from ._nearest import misspelt, nearest
from ._rules import RuleSet, written_entries

BUILT_IN_GROUPS = frozenset(
    f"group:{group}" for group in (*BUILT_IN, "plugins", "openclaw", "mcp", "client")
)
"""The groups that names belong to, and those of whole kinds of sources."""

WRITTEN = 'write what is in it: tools.groups: { NAME: ["tool", …] }'

SUGGESTED = 25
"""For how many entries that match nothing a misspelt name is looked for; it takes 0.2 ms."""


@attrs.define
class Diagnoses:
    """Finds entries that match nothing, and levels that void another."""

    census: Census
    decided: Verdicts
    groups: Sequence[str]
    places: Mapping[str, str]
    _suggested: int = attrs.field(default=0, init=False)

    def of(self, judgements: Sequence[Judgement]) -> Iterator[Diagnostic]:
        for judgement in judgements:
            level = judgement.layer.layer.level
            for name, rules in judgement.layer.lists.items():
                named = judgement.named[name]
                for index, places in enumerate(named):
                    if not places:
                        yield self._unmatched(level, rules, index)
                by = self._voiding(set().union(*named))
                # An `ask` for what is denied by name asks for nothing; left out of an `allow` list,
                # it was perhaps to be let through.
                if by is not None and (name == "allow" or (name == "ask" and by.rule is None)):
                    yield self._voided(level, rules.path, by)

    def _voiding(self, named: set[int]) -> Verdict | None:
        """A verdict that denies one of some tools, where every one of them is denied."""
        verdicts = [self.decided.get(place) for place in sorted(named)]
        if all(verdict is not None and verdict.word == "deny" for verdict in verdicts):
            return next(iter(verdicts), None)
        return None

    def _unmatched(self, level: str, rules: Rules, index: int) -> Diagnostic:
        """A guard may well match nothing today; a slip of the pen never will match anything."""
        entry = rules.rules[index].tool
        close = self._meant(entry)
        group = folded(entry)
        if group.startswith("group:") and group not in self._known_groups:
            return undefined(self._at(rules.verdicts[index].path), entry, close)
        return Diagnostic(
            level="info" if close is None else "warning",
            code="policy.unmatched",
            message=f"{self._at(rules.verdicts[index].path)}: {entry!r} at level {level}"
            " matches no tool of this run",
            subject=entry,
            cure=None if close is None else f"did you mean {close!r}?",
        )

    def _voided(self, level: str, path: str, by: Verdict) -> Diagnostic:
        entry = "which does not list it" if by.rule is None else f"entry {str(by.rule)!r}"
        return Diagnostic(
            level="warning",
            code="policy.voided",
            message=f"{self._at(path)} at level {level} has no effect: every tool that it names is"
            f" denied, as by level {by.layer.level} at {self._at(by.path)}, {entry}",
            subject=path,
            cure=f"no level can widen what level {by.layer.level} narrows",
        )

    @property
    def _known_groups(self) -> frozenset[str]:
        """Those of the deployment, the built-in ones, and those that tools of this run bring."""
        return frozenset((*self.groups, *BUILT_IN_GROUPS, *self._labels("group:")))

    def _at(self, path: str) -> str:
        return placed(path, self.places)

    def _meant(self, written: str) -> str | None:
        """What a misspelt entry was to name; None for a pattern, and for what is no slip."""
        entry = parsed(folded(written))
        if entry.glob is not None or entry.text.startswith("hint:"):
            return None
        self._suggested += 1
        if self._suggested > SUGGESTED:
            return None
        match "group" if entry.text.startswith("group:") else entry.kind:
            case "name":
                names = self.census.names
                close = misspelt(entry.text, names.words.words)
                return None if close is None else self._spelt(close, names.places[close][0])
            case "id":
                ids = self.census.ids
                close = misspelt(entry.text, ids.words.words)
                return None if close is None else self.census.tools[ids.places[close][0]].tool.id
            case "group":
                groups = self._known_groups
                return None if entry.text in groups else misspelt(entry.text, sorted(groups))
            case _:
                return misspelt(entry.text, self._labels(""))

    def _spelt(self, name: str, place: int) -> str:
        """A folded name as its tool writes it."""
        tool = self.census.tools[place].tool
        written = (tool.name, *tool.aliases)
        return next(spelling for spelling in written if folded(spelling) == name)

    def _labels(self, start: str) -> Sequence[str]:
        known = set[str]().union(*self.census.restricting.places)
        return sorted(label for label in known if label.startswith(start))


def undefined_groups(
    rules: RuleSet, groups: Sequence[str], places: Mapping[str, str]
) -> Iterator[Diagnostic]:
    """The groups that rules of any level name and that nobody defines, as far as that can be said
    without tools, which may bring groups of their own.
    """
    known = {*groups, *BUILT_IN_GROUPS}
    for path, entry in written_entries(rules):
        group = folded(entry)
        if group.startswith("group:") and group not in known:
            close = misspelt(group, sorted(known))
            yield undefined(placed(path, places), entry, close, unless=", unless a tool brings it")


def undefined(at: str, entry: str, close: str | None, *, unless: str = "") -> Diagnostic:
    return Diagnostic(
        level="warning",
        code="policy.undefined_group",
        message=f"{at}: no group {entry!r} is defined, so the entry names nothing{unless}",
        subject=entry,
        cure=f"did you mean {close!r}?" if close else WRITTEN,
    )


def placed(path: str, places: Mapping[str, str]) -> str:
    place = places.get(path)
    return path if place is None else f"{path} ({place})"


def unknown_profile(rules: RuleSet, run: RunContext) -> Iterator[Diagnostic]:
    """A run whose profile has no rules, though other profiles have."""
    if run.profile is None or not rules.profiles:
        return
    name = folded(run.profile)
    if any(Glob.of(folded(key)).fits(name) for key in rules.profiles):
        return
    close = nearest(name, sorted(map(folded, rules.profiles)))
    cure = f"did you mean {close!r}?" if close else f"there is {', '.join(sorted(rules.profiles))}"
    yield Diagnostic(
        level="warning",
        code="policy.unknown_profile",
        message=f"profile {run.profile!r} has no rules under profiles, so none hold; {cure}",
        subject=run.profile,
        cure=cure,
    )
