"""Questions to Cedar, and its answers as rulings."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

import cedarpy

from toolsearch_hookspecs import PolicyAnswer, Ruling, RunContext, Tool
from toolsearch_hookspecs.text import clean

LONG = range(-(2**63), 2**63)
ESCAPES = ("__entity", "__extn", "__expr")  # they would make an entity of what a model wrote
DEEPEST = 32


class Cedar:
    """The policies of one file. Raises ValueError for a file that is no Cedar."""

    def __init__(self, policies: str) -> None:
        self._policies = cedarpy.PolicySet.from_str(policies)

    def answer(
        self, run: RunContext, tools: Sequence[Tool], arguments: Mapping[str, Any] | None
    ) -> PolicyAnswer:
        if not tools:
            return PolicyAnswer()
        who = _who(run)
        denied = self._denied("see", run, who, tools, {})
        if arguments is not None:
            context = _context(arguments)
            if context is None:
                ruling = Ruling(reason="the arguments cannot be judged by the policies")
                return PolicyAnswer(denied={tool.id: ruling for tool in tools})
            denied = self._denied("call", run, who, tools, context) | denied
            return PolicyAnswer(denied=denied)
        key = hashlib.sha256(json.dumps([clean(run.agent), who], sort_keys=True).encode())
        return PolicyAnswer(denied=denied, cache_key=key.hexdigest()[:24])

    def _denied(
        self,
        action: str,
        run: RunContext,
        who: Mapping[str, Any],
        tools: Sequence[Tool],
        context: Mapping[str, Any],
    ) -> dict[str, Ruling]:
        principal = {"type": "Agent", "id": clean(run.agent)}
        ids = [{"type": "Tool", "id": clean(tool.id)} for tool in tools]
        entities = {str(uid): _entity(uid, tool) for uid, tool in zip(ids, tools, strict=True)}
        known = cedarpy.Entities.from_json_str(
            json.dumps([{"uid": principal, "attrs": who, "parents": []}, *entities.values()])
        )
        asked = [
            {
                "principal": principal,
                "action": {"type": "Action", "id": action},
                "resource": uid,
                "context": context,
            }
            for uid in ids
        ]
        answers = cedarpy.is_authorized_batch(asked, self._policies, known)
        rulings = {
            tool.id: _ruling(answer, action) for tool, answer in zip(tools, answers, strict=True)
        }
        return {id_: ruling for id_, ruling in rulings.items() if ruling is not None}


def _ruling(answer: cedarpy.AuthzResult, action: str) -> Ruling | None:
    failed = list(answer.diagnostics.errors)
    decided = ", ".join(sorted(answer.diagnostics.reasons))
    match answer.allowed, failed, decided:
        case True, [], _:
            return None
        case _, [_, *_], _:
            return Ruling(reason=f"a policy could not be evaluated for {action}")
        case _, _, "":
            return Ruling(reason=f"no policy permits to {action} it")
        case _:
            return Ruling(reason=f"forbidden by {decided}", entry=decided)


def _who(run: RunContext) -> dict[str, Any]:
    known = {
        "profile": run.profile,
        "channel": run.channel,
        "sandbox": run.sandbox,
        "provider": run.provider,
        "key": run.principal,
    }
    return {name: clean(value) for name, value in known.items() if value is not None}


def _entity(uid: Mapping[str, str], tool: Tool) -> dict[str, Any]:
    said = tool.annotations
    return {
        "uid": uid,
        "attrs": {
            "name": clean(tool.name),
            "owner": clean(tool.owner),
            "source": tool.source,
            "trusted": tool.trusted,
            "readOnly": bool(said.read_only) and tool.trusted,
            "destructive": said.destructive is not False or not tool.trusted,
            "openWorld": said.open_world is not False or not tool.trusted,
        },
        "parents": [
            {"type": "Owner", "id": clean(tool.owner)},
            *({"type": "Group", "id": clean(group)} for group in tool.groups),
        ],
    }


def _context(arguments: Mapping[str, Any]) -> dict[str, Any] | None:
    """The arguments in Cedar's JSON; None for what must not or cannot be said in it."""
    try:
        return {"arguments": _value(dict(arguments), DEEPEST)}
    except ValueError:
        return None


def _value(value: Any, depth: int) -> Any:
    if depth == 0:
        raise ValueError("too deep")
    match value:
        case bool():
            return value
        case int() if value in LONG:
            return value
        case str():
            return clean(value)
        case Mapping():
            if any(key in ESCAPES for key in value):
                raise ValueError("an escape of Cedar")
            kept = {clean(key): _value(v, depth - 1) for key, v in value.items() if v is not None}
            if len(kept) < sum(v is not None for v in value.values()):
                raise ValueError("two keys that look alike")
            return kept
        case list() | tuple():
            return [_value(item, depth - 1) for item in value if item is not None]
        case _:
            return str(value)
