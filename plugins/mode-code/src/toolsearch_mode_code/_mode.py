"""The mode `code`: one tool, whose code finds and calls the others (S6)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolsearch_hookspecs import CallFailure, CodeError, ErrorCode, ModelSurface, ToolResult

from ._code import NoCodeError, code_of
from ._definition import NAME, definition
from ._hints import hint, remarks

if TYPE_CHECKING:
    from toolsearch_hookspecs import CodeOutcome, PlannedCatalog, RunApi

_SHOWN = 400
_KEPT = 16
_GO_ON = (
    "Send the same code once more; if that fails too, go on with the tools that you see, and say "
    "that the others could not be reached."
)


class CodeMode:
    """Renders the surface of `code` mode, and runs bodies with the run's code runner."""

    name = "mode-code"
    mode = "code"
    controls: tuple[str, ...] = (NAME,)
    needs_runner = True

    def __init__(self) -> None:
        self._drawn: dict[str, ModelSurface] = {}

    def render(self, catalog: PlannedCatalog) -> ModelSurface:
        """The surface of a catalog; the last few are kept, since repeated plans ask for them."""
        known = self._drawn.get(catalog.fingerprint or "")
        if known is not None:
            return known
        surface = ModelSurface(tools=(definition(catalog),))
        if catalog.fingerprint is not None:
            while len(self._drawn) >= _KEPT:
                del self._drawn[next(iter(self._drawn))]
            self._drawn[catalog.fingerprint] = surface
        return surface

    async def handle(self, run: RunApi, name: str, arguments: Any, call_id: str) -> ToolResult:
        """Run the code. The object of S6.8 is the value, in success and in failure."""
        try:
            code = code_of(arguments)
        except NoCodeError as error:
            return _refused(ErrorCode.INVALID_ARGUMENTS, str(error))
        if run.runner is None:
            return _refused(ErrorCode.UNAVAILABLE, f"code cannot be run now. {_GO_ON}")
        outcome = await run.runner.run(code, run.bridge(call_id), run.code_limits())
        return result_of(code, outcome)


def result_of(code: str, outcome: CodeOutcome) -> ToolResult:
    """The outcome as the model sees it: `{ok, outcome, value | error, logs, telemetry, notes?}`."""
    shown: dict[str, Any] = {"ok": outcome.ok, "outcome": outcome.outcome}
    error = outcome.error
    if outcome.ok:
        shown["value"] = outcome.value
    elif error is not None:
        shown["error"] = _shown(error, _hint(code, outcome))
    shown["logs"] = [line.model_dump() for line in outcome.logs]
    shown["telemetry"] = dict(outcome.telemetry)
    notes = (*outcome.notes, *remarks(code, outcome))
    if notes:
        shown["notes"] = list(notes)
    failure = None if outcome.ok else _failure(outcome, error)
    return ToolResult(value=shown, error=failure)


def _hint(code: str, outcome: CodeOutcome) -> str | None:
    return _GO_ON if outcome.outcome == "unavailable" else hint(code, outcome)


def _shown(error: CodeError, advice: str | None) -> dict[str, Any]:
    shown: dict[str, Any] = {"name": error.name, "message": error.message}
    if error.line is not None:
        shown["line"] = error.line
    if error.failure is not None:
        failure = error.failure.model_dump(mode="json", exclude_none=True)
        shown.update({key: failure[key] for key in failure if key != "message"})
    if advice is not None:
        shown["hint"] = advice
    return shown


def _failure(outcome: CodeOutcome, error: CodeError | None) -> CallFailure:
    text = "the code failed" if error is None else f"{error.name}: {error.message}"
    unavailable = outcome.outcome == "unavailable"
    return CallFailure(
        code=ErrorCode.UNAVAILABLE if unavailable else ErrorCode.CODE_FAILED,
        message=text if len(text) <= _SHOWN else text[:_SHOWN] + "…",
        retryable=unavailable,
        by=error.failure.by if error is not None and error.failure is not None else None,
        executed=outcome.telemetry.get("calls", 0) > 0,
    )


def _refused(code: ErrorCode, message: str) -> ToolResult:
    retryable = code == ErrorCode.UNAVAILABLE
    return ToolResult(error=CallFailure(code=code, message=message, retryable=retryable))
