"""`toolsearch code`: one JavaScript body, as a model in code mode would send it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ._call import read_text
from ._failures import FAILURE
from ._options import SessionCommand, pass_session, run_options
from ._runs import planned
from ._session import Session

if TYPE_CHECKING:
    from toolsearch_hookspecs import Diagnostic

CODE = "tool_search_code"
INPUT = "text is run from the input stream: echo '...' | toolsearch code -"
NOT_THE_BODYS = frozenset({"unavailable", "protocol"})
"""Outcomes that are ours to explain: no error was thrown in the body."""


@click.command(cls=SessionCommand)
@click.argument("file", metavar="FILE", required=False)
@run_options
@pass_session
def code(session: Session, file: str | None, who: Any) -> int:
    """Run the JavaScript body in FILE (- for the input stream) in an isolated runtime.

    It is the body of an async function that sees openclaw.tools.search, .describe, .call and
    console. Prints what it returns. With --json one object: ok, outcome, value or error, logs,
    telemetry. Exits with 1 where the body failed, or where there is no isolated runtime.
    """
    if file is None:
        raise click.UsageError(f"name the FILE with the body; {INPUT}")
    text = _body(file)

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


def _body(file: str) -> str:
    if file != "-" and not Path(file).exists():
        raise click.UsageError(f"{file}: there is no such file; {INPUT}")
    return read_text(file)


def _unavailable(diagnostics: Iterable[Diagnostic]) -> dict[str, Any]:
    said = [each.cure or each.message for each in diagnostics if each.code == "code_unavailable"]
    why = said[0] if said else "this run has no code mode"
    return _failed("unavailable", f"no body can be run here: {why}; `toolsearch doctor` says more")


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
    where = "line " if file == "-" else f"{file}:"
    place = f"{where}{error['line']}: " if error.get("line") else ""
    name = f"{error['name']}: " if outcome["outcome"] not in NOT_THE_BODYS else ""
    out.failure(f"{place}{name}{error['message']}")
