"""`toolsearch code`: one JavaScript body, as a model in code mode would send it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from ._call import read_text
from ._failures import FAILURE
from ._options import SessionCommand, pass_session, run_options
from ._runs import planned
from ._session import Session

CODE = "tool_search_code"


@click.command(cls=SessionCommand)
@click.argument("file")
@run_options
@pass_session
def code(session: Session, file: str, who: Any) -> int:
    """Run the JavaScript body in FILE (- for the input stream) in an isolated runtime.

    It is the body of an async function that sees openclaw.tools.search, .describe, .call and
    console. Prints what it returns. With --json one object: ok, outcome, value or error, logs,
    telemetry. Exits with 1 where the body failed, or where there is no isolated runtime.
    """
    text = read_text(file)

    async def run_body() -> Mapping[str, Any]:
        async with planned(session, who, mode="code") as run:
            if run.mode != "code":
                return _unavailable(run.diagnostics)
            result = await run.handle(CODE, {"code": text})
        if isinstance(result.value, Mapping):
            return result.value
        message = result.error.message if result.error else "it gave no result"
        return _failed("protocol", message)

    outcome = session.wait(run_body())
    if session.json:
        session.out.data(outcome)
    else:
        _show(session, outcome, file)
    return 0 if outcome["ok"] else FAILURE


def _unavailable(diagnostics: Any) -> dict[str, Any]:
    said = [each for each in diagnostics if each.level != "info"]
    message = said[0].message if said else "this run has no code mode"
    cure = f" {said[0].cure}" if said and said[0].cure else ""
    return _failed("unavailable", f"{message}.{cure} `toolsearch doctor` says more.")


def _failed(outcome: str, message: str) -> dict[str, Any]:
    error = {"name": "Error", "message": message, "line": None}
    return {"ok": False, "outcome": outcome, "error": error, "logs": [], "telemetry": {}}


def _show(session: Session, outcome: Mapping[str, Any], file: str) -> None:
    out = session.out
    for line in outcome["logs"]:
        out.note(f"{line['level']}: {line['text']}")
    for note in outcome.get("notes", ()):
        out.note(str(note))
    if outcome["ok"]:
        value = outcome.get("value")
        if isinstance(value, str):
            out.text(value)
        elif value is not None:
            out.data(value)
        return
    error = outcome["error"]
    place = f"{file}:{error['line']}: " if error.get("line") else ""
    out.failure(f"{place}{error['name']}: {error['message']}")
