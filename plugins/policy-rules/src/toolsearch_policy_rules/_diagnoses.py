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
from ._nearest import Nearest
from ._rules import RuleSet

SUGGESTED = 25
"""How many entries that match nothing get a suggestion; looking for one takes 0.2 ms."""


@attrs.define
class Diagnoses:
    """Finds entries that match nothing, and levels that void another."""

    census: Census
    decided: Verdicts
    groups: Sequence[str]
    places: Mapping[str, str]
    _nearest: dict[str, Nearest] = attrs.field(factory=dict, init=False)
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
                if by is not None and name != "deny":
                    yield self._voided(level, rules.path, by)

    def _voiding(self, named: set[int]) -> Verdict | None:
        """A verdict that denies one of some tools, where every one of them is denied."""
        verdicts = [self.decided.get(place) for place in sorted(named)]
        if all(verdict is not None and verdict.word == "deny" for verdict in verdicts):
            return next(iter(verdicts), None)
        return None

    def _unmatched(self, level: str, rules: Rules, index: int) -> Diagnostic:
        entry = rules.rules[index].tool
        close = self._closest(entry)
        cure = f"did you mean {close!r}?" if close else "remove it, or correct the name"
        return Diagnostic(
            level="warning",
            code="policy.unmatched",
            message=f"{self._at(rules.verdicts[index].path)}: {entry!r} at level {level}"
            f" matches no tool of this run; {cure}",
            subject=entry,
            cure=cure,
        )

    def _voided(self, level: str, path: str, by: Verdict) -> Diagnostic:
        entry = "which does not list it" if by.rule is None else f"entry {str(by.rule)!r}"
        return Diagnostic(
            level="warning",
            code="policy.voided",
            message=f"{self._at(path)} at level {level} has no effect: every tool that it names is"
            f" denied, as by level {by.layer.level} at {self._at(by.path)}, {entry}",
            subject=path,
            cure=f"remove one of the two: no level can widen what level {by.layer.level} narrows",
        )

    def _at(self, path: str) -> str:
        place = self.places.get(path)
        return path if place is None else f"{path} ({place})"

    def _closest(self, written: str) -> str | None:
        self._suggested += 1
        if self._suggested > SUGGESTED:
            return None
        entry = parsed(folded(written))
        vocabulary = "group" if entry.text.startswith("group:") else entry.kind
        if vocabulary not in self._nearest:
            self._nearest[vocabulary] = Nearest(self._words(vocabulary))
        return self._nearest[vocabulary].to(entry.text)

    def _words(self, vocabulary: str) -> Iterator[str]:
        tools = [seen.tool for seen in self.census.tools]
        match vocabulary:
            case "name":
                return (name for tool in tools for name in (tool.name, *tool.aliases))
            case "id":
                return (tool.id for tool in tools)
            case "group":
                told = (f"group:{group}" for tool in tools for group in tool.groups)
                return iter((*self.groups, *(f"group:{group}" for group in BUILT_IN), *told))
            case _:
                return (label for seen in self.census.tools for label in seen.restricting)


def unknown_profile(rules: RuleSet, run: RunContext) -> Iterator[Diagnostic]:
    """A run whose profile has no rules, though other profiles have."""
    if run.profile is None or not rules.profiles:
        return
    name = folded(run.profile)
    if any(Glob.of(folded(key)).fits(name) for key in rules.profiles):
        return
    close = Nearest(rules.profiles).to(name)
    cure = f"did you mean {close!r}?" if close else f"there is {', '.join(sorted(rules.profiles))}"
    yield Diagnostic(
        level="warning",
        code="policy.unknown_profile",
        message=f"profile {run.profile!r} has no rules under profiles, so none hold; {cure}",
        subject=run.profile,
        cure=cure,
    )
