"""What the scripted agent does: the part of the model is played by these few lines."""

from __future__ import annotations

import json
from typing import Any

import attrs


@attrs.frozen
class Lookup:
    """One thing the agent looks for: a query, the tool it would pick, and how it would call it.

    Without `arguments` it only looks.
    """

    query: str
    tool: str
    arguments: dict[str, Any] | None = None


@attrs.frozen
class Script:
    """One demonstration: a structured turn, a body of code, and two calls that must not happen.

    `denied` is taken away from `agent` by policy; `blocked` is stopped by the hook.
    """

    asked: str
    lookups: tuple[Lookup, ...]
    asked_code: str
    code: str
    denied: Lookup
    agent: str
    blocked: Lookup


TIMES = [120, 95, 430, 88, 101, 97]
MEDIAN = Lookup("median of numbers", "plugin:statistics:median", {"data": TIMES})
ESCAPE = Lookup("escape text for HTML", "plugin:html:escape", {"s": "<b>tide & wind</b>"})
CLOCK = Lookup(
    "convert a time to another time zone",
    "mcp:time:convert_time",
    {"source_timezone": "Europe/Berlin", "time": "14:30", "target_timezone": "Asia/Tokyo"},
)
RESET = Lookup("reset the staged changes of a git repository", "mcp:git:git_reset", {})
BRANCH = Lookup("create a git branch", "mcp:git:git_create_branch", {"branch_name": "new"})
MACHINE = Lookup("release of the operating system", "plugin:platform:release", {})
NOW = Lookup("current time in a time zone", "mcp:time:get_current_time", {"timezone": "UTC"})

OVER_HISTORY = """\
const find = async (words, id) =>
  (await openclaw.tools.search(words)).find((hit) => hit.id === id);

const [history, median, clock] = await Promise.all([
  find("log of git commits", "mcp:git:git_log"),
  find("median of numbers", "plugin:statistics:median"),
  find("convert a time to another time zone", "mcp:time:convert_time"),
]);
console.log(history.id, "takes", (await openclaw.tools.describe(history.id)).input);

const [log, tokyo] = await Promise.all([
  openclaw.tools.call(history.id, {
    repo_path: %(repository)s,
  }),
  openclaw.tools.call(clock.id, {
    source_timezone: "Europe/Berlin", time: "14:30", target_timezone: "Asia/Tokyo",
  }),
]);
const subjects = [...log.result.matchAll(/^Message: (.*)$/gm)].map((found) => found[1]);

const length = await openclaw.tools.call(median.id, {
  data: subjects.map((line) => line.length),
});
return {
  commits: subjects.length,
  medianLength: length.result,
  inTokyo: tokyo.result.target.datetime,
};
"""

OVER_NUMBERS = """\
const find = async (words, id) =>
  (await openclaw.tools.search(words)).find((hit) => hit.id === id);

const [median, spread, other] = await Promise.all([
  find("median of numbers", "plugin:statistics:median"),
  find("standard deviation of a sample", "plugin:statistics:stdev"),
  find(%(query)s, %(id)s),
]);
console.log(median.id, "takes", (await openclaw.tools.describe(median.id)).input);

const data = %(data)s;
const typical = await openclaw.tools.call(median.id, { data });
const [around, answer] = await Promise.all([
  openclaw.tools.call(spread.id, { data }),
  openclaw.tools.call(other.id, %(arguments)s).catch((error) => ({ result: error.message })),
]);
return {
  typical: typical.result,
  around: around.result,
  answer: answer.result,
};
"""


def code_over_history(repository: str) -> str:
    """Three real calls, the first two side by side, over both kinds of source."""
    return OVER_HISTORY % {"repository": json.dumps(repository)}


def code_over_numbers(other: Lookup) -> str:
    """Two functions and whatever `other` is; the last two side by side."""
    return OVER_NUMBERS % {
        "query": json.dumps(other.query),
        "id": json.dumps(other.tool),
        "data": json.dumps(TIMES),
        "arguments": json.dumps(other.arguments or {}),
    }
