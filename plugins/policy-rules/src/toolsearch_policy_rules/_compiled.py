"""The layers of a run, compiled: what they say of tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import attrs

from toolsearch_hookspecs import Ruling

from ._census import Census, Places
from ._entries import Entry, Groups, entries
from ._layers import Layer
from ._rules import Rule

Arguments = Mapping[str, Any] | None
ListName = Literal["allow", "ask", "deny"]

SAYS: Mapping[ListName, str] = {
    "allow": "allows it",
    "ask": "asks a person first",
    "deny": "denies it",
}


@attrs.frozen(slots=False)
class Verdict:
    """What one layer says of a tool; `path` is the place of the rule, or that of its list."""

    layer: Layer
    word: ListName
    rule: Rule | None
    path: str
    reason: str

    @cached_property
    def ruling(self) -> Ruling:
        return Ruling(
            reason=self.reason,
            level=self.layer.level,
            entry=None if self.rule is None else str(self.rule),
        )


Verdicts = dict[int, Verdict]
"""Of places in a census, what was said; nothing was said of the others."""

Named = Mapping[ListName, Sequence[Places]]
"""Of each rule of each list, the places of the tools that it names."""


@attrs.frozen
class Rules:
    """One list of rules of a layer, compiled.

    A rule with conditions restricts at a call alone, so that planning does not hide the tool; it
    admits at planning and is held to its conditions at the call.
    """

    name: ListName
    path: str
    rules: Sequence[Rule]
    entries: Sequence[Sequence[Entry]]
    verdicts: Sequence[Verdict]

    @classmethod
    def of(cls, name: ListName, layer: Layer, rules: Sequence[Rule], groups: Groups) -> Rules:
        path, reason = f"{layer.path}.{name}", f"level {layer.level} {SAYS[name]}"
        return cls(
            name=name,
            path=path,
            rules=rules,
            entries=[entries(rule.tool, groups) for rule in rules],
            verdicts=[
                Verdict(layer, name, rule, f"{path}.{index}", rule.reason or reason)
                for index, rule in enumerate(rules)
            ],
        )

    @property
    def admits(self) -> bool:
        return self.name == "allow"

    def named(self, census: Census) -> Sequence[Places]:
        """Of each rule, the tools that it names, whatever its conditions."""
        return [census.matching(one, admits=self.admits) for one in self.entries]

    def said(self, named: Sequence[Places], arguments: Arguments) -> Verdicts:
        """Of each tool, the first rule that holds; conditions are asked where a tool is named."""
        said: Verdicts = {}
        for rule, verdict, places in reversed(
            list(zip(self.rules, self.verdicts, named, strict=True))
        ):
            if places and self._holds(rule, arguments):
                said |= dict.fromkeys(places, verdict)
        return said

    def _holds(self, rule: Rule, arguments: Arguments) -> bool:
        if not rule.when:
            return True
        return self.admits if arguments is None else rule.holds(arguments, admits=self.admits)


@attrs.frozen
class Judgement:
    """What a layer says of the tools of a census, and which tools each of its rules names."""

    layer: CompiledLayer
    named: Named
    verdicts: Verdicts


@attrs.frozen
class CompiledLayer:
    """One layer, ready to judge tools. Without a list `allow` whatever is not denied."""

    layer: Layer
    lists: Mapping[ListName, Rules]

    @classmethod
    def of(cls, layer: Layer, groups: Groups) -> CompiledLayer:
        written: dict[ListName, Sequence[Rule] | None] = {
            "allow": layer.rules.allow,
            "ask": layer.rules.ask or None,
            "deny": layer.rules.deny or None,
        }
        lists: dict[ListName, Rules] = {
            name: Rules.of(name, layer, rules, groups)
            for name, rules in written.items()
            if rules is not None
        }
        return cls(layer, lists)

    @property
    def speaks(self) -> bool:
        return bool(self.lists)

    @property
    def conditional(self) -> bool:
        """Whether some rule looks at arguments."""
        return any(rule.when for rules in self.lists.values() for rule in rules.rules)

    def named(self, census: Census) -> Named:
        """Of each rule of each list, the tools that it names."""
        return {name: rules.named(census) for name, rules in self.lists.items()}

    def judgement(self, named: Named, count: int, arguments: Arguments) -> Judgement:
        """Deny over ask over allow; what `allow` does not name is denied. `count` is of tools."""
        said = {name: self.lists[name].said(named[name], arguments) for name in self.lists}
        verdicts = said.get("allow", {}) | said.get("ask", {})
        if "allow" in said:
            admitted, listed = said["allow"].keys(), set[int]().union(*named["allow"])
            verdicts |= self._denied(set(range(count)).difference(admitted), listed)
        return Judgement(self, named, verdicts | said.get("deny", {}))

    def _denied(self, places: set[int], listed: set[int]) -> Verdicts:
        """The verdicts on tools that `allow` does not admit; those listed lack the arguments."""
        level, path = self.layer.level, self.lists["allow"].path
        unlisted = Verdict(self.layer, "deny", None, path, f"not among what level {level} allows")
        otherwise = attrs.evolve(
            unlisted, reason=f"level {level} allows it only with other arguments"
        )
        return {place: otherwise if place in listed else unlisted for place in places}


def combined(judgements: Sequence[Judgement]) -> Verdicts:
    """Of each tool the verdict that decides: the first deny, else the first ask, else an allow."""
    decided: Verdicts = {}
    for word in ("allow", "ask", "deny"):
        for judgement in reversed(judgements):
            decided |= {
                place: verdict
                for place, verdict in judgement.verdicts.items()
                if verdict.word == word
            }
    return decided
