"""A model that plans from what it is shown, and so can only call what the surface offers.

It knows the user's words and nothing of the catalog. It looks for a tool that says it does what
the user wants: among those it is shown, in the directory of its instructions, or by searching.
Arguments are the fields that the tool's schema asks for, with the values that the user gave.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import attrs

from ._script import Call, Say, Seen, Step, Told

_GIVEN = re.compile(r"(\w+)=(\S+)")
_DIRECTORY_LINE = re.compile(r"^- ([\w.-]+): (.*)$")

CODE = """\
const given = %(given)s;
const what = %(query)s;
const hit = (await openclaw.tools.search(what)).find((each) => each.description.includes(what));
if (hit === undefined) return { found: false };
const tool = await openclaw.tools.describe(hit.id);
const args = {};
for (const name of tool.inputSchema.required ?? []) args[name] = given[name];
return await openclaw.tools.call(tool.id, args);
"""


@attrs.frozen
class Goal:
    """What the user wants, taken from the user's words: `… : what, with a=1 b=2`."""

    what: str
    given: Mapping[str, str]

    @classmethod
    def of(cls, words: str) -> Goal:
        what, _, rest = words.partition(", with ")
        return cls(what.rpartition(": ")[2].strip(), dict(_GIVEN.findall(rest)))

    def arguments(self, schema: Any) -> dict[str, Any]:
        """The fields that a schema demands, with what the user gave for them."""
        required = schema.get("required", []) if isinstance(schema, Mapping) else []
        return {name: self.given.get(name, "") for name in required}


class Planner:
    """The script."""

    async def __call__(self, seen: Seen) -> Step:
        goal = Goal.of(seen.user)
        if not seen.may_call:
            return Say("I may call nothing more.")
        own = _shown(seen, goal)
        if own is not None:
            return _ended(seen.told) or Call(((own, goal.arguments(seen.tools[own])),))
        if "tool_search_code" in seen.tools:
            return _ended(seen.told) or _code(goal)
        if "tool_search" in seen.tools:
            return _structured(seen, goal)
        return Say("No tool here does that.")


def _shown(seen: Seen, goal: Goal) -> str | None:
    """A tool that the model was given outright and that says it does this."""
    fitting = (name for name, about in seen.about.items() if goal.what in about)
    return next(fitting, None)


def _code(goal: Goal) -> Call:
    code = CODE % {"given": json.dumps(dict(goal.given)), "query": json.dumps(goal.what)}
    return Call((("tool_search_code", {"code": code}),))


def _structured(seen: Seen, goal: Goal) -> Step:
    """Look the tool up in the directory, else search; then describe it, then call it."""
    if not seen.told:
        named = _in_directory(seen.instructions, goal)
        if named is not None:
            return Call((("tool_describe", {"id": named}),))
        return Call((("tool_search", {"query": goal.what}),))
    last = seen.told[-1]
    answer = _loads(last.text)
    match last.name, answer:
        case "tool_search", {"hits": [*hits]}:
            fitting = [hit["id"] for hit in hits if goal.what in hit["description"]]
            if not fitting:
                return Say("I found no tool that does that.")
            return Call((("tool_describe", {"id": fitting[0]}),))
        case "tool_describe", {"id": str(id), "inputSchema": schema}:
            return Call((("tool_call", {"id": id, "args": goal.arguments(schema)}),))
    return Say(f"Done: {last.text}")


def _in_directory(instructions: str, goal: Goal) -> str | None:
    for line in instructions.splitlines():
        match = _DIRECTORY_LINE.match(line)
        if match is not None and goal.what in match[2]:
            return match[1]
    return None


def _ended(told: tuple[Told, ...]) -> Say | None:
    return Say(f"Done: {told[-1].text}") if told else None


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None
