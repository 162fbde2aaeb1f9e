"""What to do instead, for the mistakes that models make in code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolsearch_hookspecs import CodeError, CodeOutcome

# Every repetition is bounded: the code is the model's, and a pattern must not take longer than it is.
_TYPESCRIPT = re.compile(
    r"""
    \b(?:const|let|var)\s{1,20}[\w$]{1,80}\s{0,20}:\s{0,20}[\w$<{\[]          # let x: string
    | [(,]\s{0,80}[\w$]{1,80}\??\s{0,20}:\s{0,20}
      (?:string|number|boolean|any|unknown|void|object|[A-Z][\w$]{0,80})[\s,)=<\[|]
    | \)\s{0,9}:\s{0,9}[\w$<>\[\]|\s]{1,80}(?:=>|\{)                         # (…): T =>
    | ^[ \t]{0,80}(?:export[ \t]{1,9})?(?:interface|type|enum|declare|namespace)[ \t]{1,9}[A-Z_a-z]
    | \bas\s{1,20}(?:const|any|unknown|string|number|[A-Z][\w$]*)
    | [\w$)\]]!\s{0,20}[.\[]                                                  # x!.y
    | \b(?:Array|Promise|Record|Map|Set)<
    """,
    re.VERBOSE | re.MULTILINE,
)
_UNDEFINED = re.compile(r"^(?P<name>[\w$]+) is not defined$")
_FUNCTION = re.compile(r"^\[Function: .*\]$")
_ONLY_DEFINES = re.compile(r"\A\s*(?:async\s+)?(?:function\b|\([^)]*\)\s*=>|[\w$]+\s*=>)")
_NO_MODULES = (
    "There are no modules here. Everything outside is reached through tools: find one with "
    "openclaw.tools.search."
)
_ABSENT = {
    **dict.fromkeys(("require", "module", "exports", "process", "Buffer", "global"), _NO_MODULES),
    **dict.fromkeys(
        ("fetch", "XMLHttpRequest", "WebSocket", "axios", "URL"),
        "There is no network here. Find a tool that does it with openclaw.tools.search.",
    ),
    **dict.fromkeys(
        ("setTimeout", "setInterval", "setImmediate", "queueMicrotask", "performance"),
        "There are no timers here: await the calls themselves.",
    ),
    **dict.fromkeys(
        ("window", "document", "localStorage", "navigator"), "There is no browser here."
    ),
    **dict.fromkeys(
        ("search", "describe", "call", "tools", "tool_search", "tool_call", "tool_describe"),
        "The functions are openclaw.tools.search, openclaw.tools.describe and openclaw.tools.call.",
    ),
}


def hint(code: str, outcome: CodeOutcome) -> str | None:
    """What to do about an error, where it is one that models make."""
    error = outcome.error
    if error is None:
        return None
    if outcome.outcome == "syntax":
        return _syntax(code, error)
    undefined = _UNDEFINED.match(error.message)
    if undefined:
        return _ABSENT.get(undefined["name"])
    if "is not a function" in error.message:
        if error.message.startswith("console."):
            return "There are console.log, console.warn and console.error."
        if error.message.startswith("openclaw."):
            return _ABSENT["tools"]
    return None


def _syntax(code: str, error: CodeError) -> str | None:
    if "import" in error.message or "export" in error.message:
        return _NO_MODULES
    if _TYPESCRIPT.search(code):
        return "This looks like TypeScript. Send plain JavaScript, without types."
    if "```" in code:
        return "Send the code alone, without text or Markdown around it."
    return None


def remarks(code: str, outcome: CodeOutcome) -> tuple[str, ...]:
    """What to say beside a value that is hardly the one that was meant."""
    if not outcome.ok:
        return ()
    calls = sum(outcome.telemetry.get(name, 0) for name in ("searches", "describes", "calls"))
    match outcome.value:
        case str(value) if _FUNCTION.match(value):
            return ("The body returned a function, which was not called: return its result.",)
        case None if not calls and _ONLY_DEFINES.match(code):
            return (
                (
                    "The body only defines a function, which was not called. Send the body itself, "
                    "or call the function and return its result."
                ),
            )
        case None if not re.search(r"\breturn\b", code):
            return ("The body returned nothing: end it with return.",)
        case value if "[Promise: not awaited]" in str(value):
            return ("The value holds a promise: await it before it is returned.",)
        case _:
            return ()
