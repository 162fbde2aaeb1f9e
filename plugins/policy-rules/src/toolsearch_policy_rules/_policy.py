"""The policy of a deployment: judges the tools of any run."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence

import attrs

from toolsearch_hookspecs import PolicyAnswer, PolicyExplanation, Ruling, RunContext, Tool

from ._census import Census
from ._compiled import (
    Arguments,
    CompiledLayer,
    Judgement,
    ListName,
    Named,
    Verdict,
    Verdicts,
    combined,
)
from ._diagnoses import Diagnoses, undefined_groups, unknown_profile
from ._entries import Groups, check_groups
from ._explain import Explainer
from ._hints import why_hinted
from ._layers import Layer, layers
from ._names import folded
from ._rules import RuleSet

KEPT = 256
"""How many sets of layers stay compiled; sessions may bring any number of them."""

TOOLS_KEPT = 4096
"""Of how many tools a set of layers remembers which rules name them."""


@attrs.define
class Effective:
    """The compiled layers of one kind of run, and a digest of all that their answers rest on;
    `conditional` says whether some rule looks at arguments.
    """

    layers: Sequence[CompiledLayer]
    digest: str
    conditional: bool
    _named: OrderedDict[object, Sequence[Named]] = attrs.field(factory=OrderedDict, init=False)

    @classmethod
    def of(cls, wanted: Sequence[Layer], groups: Groups) -> Effective:
        compiled = tuple(CompiledLayer.of(layer, groups) for layer in wanted)
        conditional = any(layer.conditional for layer in compiled)
        return cls(compiled, _digest(compiled, groups), conditional)

    @property
    def silent(self) -> bool:
        return not any(layer.speaks for layer in self.layers)

    def judgements(self, census: Census, arguments: Arguments) -> Sequence[Judgement]:
        named = [layer.named(census) for layer in self.layers]
        return self._judged(named, len(census.tools), arguments)

    def judgements_of(self, tool: Tool, arguments: Arguments) -> Sequence[Judgement]:
        """What the layers say of one tool; which rules name it is remembered for its next call."""
        key = (tool.key, tool.trusted, tool.plugin, tool.aliases, tool.groups)
        named = self._named.get(key)
        if named is None:
            census = Census([tool])
            named = self._named[key] = [layer.named(census) for layer in self.layers]
            while len(self._named) > TOOLS_KEPT:
                self._named.popitem(last=False)
        return self._judged(named, 1, arguments)

    def _judged(
        self, named: Sequence[Named], count: int, arguments: Arguments
    ) -> Sequence[Judgement]:
        return [
            layer.judgement(one, count, arguments)
            for layer, one in zip(self.layers, named, strict=True)
        ]


class Policy:
    """Judges tools by a rule set. Safe to share between threads."""

    def __init__(self, rules: RuleSet, places: Mapping[str, str] | None = None) -> None:
        self.rules = rules
        self.places = places or {}
        self.groups: Groups = {
            f"group:{folded(name)}": entries for name, entries in rules.groups.items()
        }
        check_groups(self.groups)
        self._kept: OrderedDict[tuple[Layer, ...], Effective] = OrderedDict()
        self._latest: tuple[RunContext, Effective] | None = None
        self._lock = threading.Lock()

    def effective(self, run: RunContext) -> Effective:
        """The compiled layers of a run, reused while runs have the same ones."""
        latest = self._latest
        if latest is not None and latest[0] is run:
            return latest[1]
        effective = self._effective(layers(self.rules, run))
        self._latest = run, effective
        return effective

    def _effective(self, wanted: tuple[Layer, ...]) -> Effective:
        with self._lock:
            if wanted in self._kept:
                self._kept.move_to_end(wanted)
                return self._kept[wanted]
        built = Effective.of(wanted, self.groups)
        with self._lock:
            self._kept[wanted] = built
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return built

    def answer(self, run: RunContext, tools: Sequence[Tool], arguments: Arguments) -> PolicyAnswer:
        """Judge tools; with arguments, at a call, conditions count as well.

        Asked about no tools, it gives the cache key, and says what is wrong with rules of any
        level that can be seen without tools.
        """
        effective = self.effective(run)
        told = list(unknown_profile(self.rules, run))
        key = effective.digest if not told else f"{effective.digest}:{run.profile}"
        if not tools:
            told += undefined_groups(self.rules, tuple(self.groups), self.places)
        if effective.silent or not tools:
            return PolicyAnswer(cache_key=key, diagnostics=tuple(told))
        if arguments is not None and len(tools) == 1:
            decided = combined(effective.judgements_of(tools[0], arguments))
            told = []
        else:
            census = Census(tools)
            judgements = effective.judgements(census, arguments)
            decided = combined(judgements)
            told += Diagnoses(census, decided, tuple(self.groups), self.places).of(judgements)
        return PolicyAnswer(
            denied=_rulings(decided, tools, "deny"),
            asks=_rulings(decided, tools, "ask"),
            cache_key=key,
            diagnostics=tuple(told),
        )

    def explanation(self, run: RunContext, tool: Tool, arguments: Arguments) -> PolicyExplanation:
        """What every level says of one tool, and which of them decides."""
        judgements = self.effective(run).judgements_of(tool, arguments)
        return Explainer(self.places).explanation(judgements, arguments, tool)


def _rulings(decided: Verdicts, tools: Sequence[Tool], word: ListName) -> dict[str, Ruling]:
    ruling = _asking() if word == "ask" else _ruling
    return {
        tools[place].id: ruling(verdict, tools[place])
        for place, verdict in sorted(decided.items())
        if verdict.word == word
    }


def _ruling(verdict: Verdict, _tool: Tool) -> Ruling:
    return verdict.ruling


def _asking() -> Callable[[Verdict, Tool], Ruling]:
    """The ruling that a person reads: with what has to be known of a tool's hints. Many tools
    share one.
    """
    made: dict[tuple[int, str], Ruling] = {}

    def ruling(verdict: Verdict, tool: Tool) -> Ruling:
        why = why_hinted(tool, verdict)
        if why is None:
            return verdict.ruling
        key = id(verdict), why
        if key not in made:
            said = f"{verdict.reason}; {why}"
            made[key] = verdict.ruling.model_copy(update={"reason": said})
        return made[key]

    return ruling


def _digest(layers: Sequence[CompiledLayer], groups: Groups) -> str:
    told = hashlib.sha256()
    for layer in layers:
        if not layer.speaks:
            continue
        rules = layer.layer.rules.model_dump_json(by_alias=True)
        told.update(f"{layer.layer.level}\0{layer.layer.path}\0{rules}\0".encode())
    for group in sorted(groups):
        told.update(f"{group}\0{list(groups[group])!r}\0".encode())
    return told.hexdigest()[:32]
