"""The worker process: imports one module and calls its functions, one at a time.

Only JSON crosses. What the functions print goes to standard error, and they read an empty
standard input, so that neither can touch the messages.
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING, Any, BinaryIO

from toolsearch_hookspecs import SourceUnavailable, ToolError, ToolResult

from ._frames import TooLarge, packed, read
from ._module_tools import open_module
from ._settings import ModuleSettings
from ._stubs import Stubs

if TYPE_CHECKING:
    from ._toolbox import Toolbox


def main() -> None:
    requests, answers = _own_streams()
    opening = read(requests)
    if opening is None:
        return
    sys.path[:] = opening["path"]
    settings = ModuleSettings.model_validate(opening["settings"])
    try:
        toolbox = open_module(settings, opening["max_items"], Stubs())
    except SourceUnavailable as error:
        _answer(answers, {"unavailable": str(error)})
        return
    _answer(answers, _listing(toolbox))
    with asyncio.Runner() as runner:
        while (request := read(requests)) is not None:
            _answer(answers, _called(runner, toolbox, request))


def _own_streams() -> tuple[BinaryIO, BinaryIO]:
    """Keep the two pipes for the messages; give the functions nothing to read or to garble."""
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return requests, answers


def _answer(answers: BinaryIO, message: Any) -> None:
    try:
        frame = packed(message)
    except TooLarge as error:
        frame = packed({"tool_error": f"the result is too large: {error}"})
    answers.write(frame)
    answers.flush()


def _listing(toolbox: Toolbox) -> dict[str, Any]:
    return {
        "tools": [spec.model_dump(mode="json", by_alias=True) for spec in toolbox.specs],
        "quarantined": [item.model_dump() for item in toolbox.quarantined],
    }


def _called(runner: asyncio.Runner, toolbox: Toolbox, request: Any) -> dict[str, Any]:
    try:
        result = _result(runner, toolbox, request)
    except ToolError as error:
        return {"tool_error": str(error), "retryable": error.retryable}
    except SourceUnavailable as error:
        return {"unavailable": str(error)}
    return {"result": result.model_dump(mode="json")}


def _result(runner: asyncio.Runner, toolbox: Toolbox, request: Any) -> ToolResult:
    function = toolbox.function(request["name"])
    if function.asynchronous:
        return runner.run(toolbox.await_call(function, request["arguments"]))
    return toolbox.call(function, request["arguments"])


if __name__ == "__main__":
    main()
