"""What every level says of one tool, for `policy explain`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import attrs

from toolsearch_hookspecs import LevelVerdict, PolicyExplanation, Tool

from ._compiled import Arguments, Judgement, Verdict, combined
from ._hints import why_hinted
from ._layers import LEVELS

ONE = 0
"""The place of the tool that is explained, in a census of that tool alone."""


@attrs.frozen
class Explainer:
    """Puts what the levels say into words, with the place in the file where it is known."""

    places: Mapping[str, str]

    def explanation(
        self, judgements: Sequence[Judgement], arguments: Arguments, tool: Tool
    ) -> PolicyExplanation:
        said = [self._level(judgement, arguments, tool) for judgement in judgements]
        present = {verdict.level for verdict in said}
        said += [
            LevelVerdict(level=level, verdict="silent", reason="no rules hold for this run")
            for level in LEVELS
            if level not in present
        ]
        decides = combined(judgements).get(ONE)
        return PolicyExplanation(
            verdict="allow" if decides is None else decides.word,
            decided_by=None if decides is None else self._told(decides, tool),
            levels=tuple(sorted(said, key=_rank)),
        )

    def _level(self, judgement: Judgement, arguments: Arguments, tool: Tool) -> LevelVerdict:
        verdict = judgement.verdicts.get(ONE)
        depends = "; ".join(_depending(judgement)) if arguments is None else ""
        if verdict is not None:
            return self._told(verdict, tool, depends)
        silence = "no entry names it" if judgement.layer.speaks else "no rules"
        level = judgement.layer.layer.level
        return LevelVerdict(level=level, verdict="silent", reason=depends or silence)

    def _told(self, verdict: Verdict, tool: Tool, depends: str = "") -> LevelVerdict:
        place = self.places.get(verdict.path)
        at = f"at {verdict.path}" if place is None else f"at {verdict.path}, {place}"
        return LevelVerdict(
            level=verdict.layer.level,
            verdict=verdict.word,
            entry=None if verdict.rule is None else str(verdict.rule),
            reason="; ".join(
                filter(None, (verdict.reason, why_hinted(tool, verdict), at, depends))
            ),
        )


def _depending(judgement: Judgement) -> Iterator[str]:
    """What the level would say of a call, by its rules with conditions."""
    for name, rules in judgement.layer.lists.items():
        for rule, places in zip(rules.rules, judgement.named[name], strict=True):
            if places and rule.when:
                yield f"at a call: {name} {rule}"


def _rank(verdict: LevelVerdict) -> tuple[int, int]:
    """Inherited levels stand last, nearest parent first."""
    _, _, level = verdict.level.rpartition("/")
    return verdict.level.count("/"), LEVELS.index(level)
