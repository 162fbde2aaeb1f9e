"""The rules as the configuration writes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator

from toolsearch_hookspecs import Settings

from ._conditions import Condition, check_expected
from ._names import folded

HINTS: Mapping[str, str] = {folded(hint): hint for hint in ("readOnly", "destructive", "openWorld")}


def _checked_entry(text: str) -> str:
    entry = text.strip()
    if not entry:
        msg = "an entry is a name, an id, a glob, or `group:`, `plugin:`, `hint:` and a name"
        raise ValueError(msg)
    kind, _, name = folded(entry).partition(":")
    if kind == "hint" and name not in HINTS:
        close = get_close_matches(name, HINTS, n=1) or ["readonly"]
        msg = f"unknown hint {entry!r}; did you mean 'hint:{HINTS[close[0]]}'?"
        raise ValueError(msg)
    return entry


def _checked_when(when: Mapping[str, Any]) -> Mapping[str, Any]:
    for pointer, expected in when.items():
        if pointer and not pointer.startswith("/"):
            msg = f"{pointer!r} is no JSON pointer; did you mean '/{pointer}'?"
            raise ValueError(msg)
        check_expected(expected)
    return when


EntryText = Annotated[str, AfterValidator(_checked_entry)]


class Rule(Settings):
    """One entry: the tools it names and, where given, what their arguments must be.

    `when` maps JSON pointers to conditions that must all hold. `reason` is what the model is told.
    """

    tool: EntryText
    when: Annotated[Mapping[str, Any], AfterValidator(_checked_when)] = {}
    reason: str | None = None

    @property
    def conditions(self) -> tuple[Condition, ...]:
        return tuple(Condition(pointer, expected) for pointer, expected in self.when.items())

    def holds(self, arguments: Mapping[str, Any], *, admits: bool) -> bool:
        return all(condition.holds(arguments, admits=admits) for condition in self.conditions)

    def __str__(self) -> str:
        if not self.when:
            return self.tool
        return f"{self.tool} when {' and '.join(map(str, self.conditions))}"


def _as_rule(entry: Any) -> Any:
    return {"tool": entry} if isinstance(entry, str) else entry


Entry = Annotated[Rule, BeforeValidator(_as_rule)]


class LevelRules(Settings):
    """What one level says. Without `allow` all that is not denied; with `allow: []` nothing."""

    allow: tuple[Entry, ...] | None = None
    deny: tuple[Entry, ...] = ()
    ask: tuple[Entry, ...] = ()


class SandboxRules(LevelRules):
    """`sandbox`: rules of every sandboxed run, and under `names` those of one sandbox."""

    names: Mapping[str, LevelRules] = {}


class SubagentRules(LevelRules):
    """`subagents`: rules of every sub-agent, and under `agents` those of one."""

    agents: Mapping[str, LevelRules] = {}


Named = Mapping[str, LevelRules]
Groups = Mapping[str, tuple[EntryText, ...]]

CLAIMS: Mapping[str, Any] = {
    "managed": LevelRules,
    "tools.allow": tuple[Entry, ...] | None,
    "tools.deny": tuple[Entry, ...],
    "tools.ask": tuple[Entry, ...],
    "tools.groups": Groups,
    "profiles": Named,
    "providers": Named,
    "agents": Named,
    "channels": Named,
    "sessions": Named,
    "sandbox": SandboxRules,
    "subagents": SubagentRules,
}


class RuleSet(Settings):
    """Everything that the deployment wrote, level by level."""

    managed: LevelRules = LevelRules()
    tools: LevelRules = LevelRules()
    groups: Mapping[str, tuple[EntryText, ...]] = {}
    profiles: Mapping[str, LevelRules] = {}
    providers: Mapping[str, LevelRules] = {}
    agents: Mapping[str, LevelRules] = {}
    channels: Mapping[str, LevelRules] = {}
    sessions: Mapping[str, LevelRules] = {}
    sandbox: SandboxRules = SandboxRules()
    subagents: SubagentRules = SubagentRules()

    @classmethod
    def from_claims(cls, claimed: Mapping[str, Any]) -> RuleSet:
        """The rule set of a host's claimed keys, parsed by the host with the types of `CLAIMS`."""
        own = {key.partition(".")[2]: value for key, value in claimed.items() if "." in key}
        levels = {key: value for key, value in claimed.items() if "." not in key}
        groups = own.pop("groups", {})
        return cls(tools=LevelRules(**own), groups=groups, **levels)


def written_entries(rules: RuleSet) -> Iterator[tuple[str, str]]:
    """Every entry of every level and group, with its path."""
    named = {
        "profiles": rules.profiles,
        "providers": rules.providers,
        "agents": rules.agents,
        "channels": rules.channels,
        "sessions": rules.sessions,
        "sandbox.names": rules.sandbox.names,
        "subagents.agents": rules.subagents.agents,
    }
    levels: dict[str, LevelRules] = {
        "managed": rules.managed,
        "tools": rules.tools,
        "sandbox": rules.sandbox,
        "subagents": rules.subagents,
    }
    levels |= {
        f"{path}.{name}": each for path, held in named.items() for name, each in held.items()
    }
    for path, level in levels.items():
        for word in ("allow", "deny", "ask"):
            for index, rule in enumerate(getattr(level, word) or ()):
                yield f"{path}.{word}.{index}", rule.tool
    for group, texts in rules.groups.items():
        for index, text in enumerate(texts):
            yield f"tools.groups.{group}.{index}", text
