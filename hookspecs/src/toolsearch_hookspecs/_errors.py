"""Errors that are ours, written for the person who must act."""

from __future__ import annotations

from ._calls import CallFailure


class ToolsearchError(Exception):
    """Any error of ours. On the command line it is one message and no traceback."""


class ConfigError(ToolsearchError):
    """The configuration cannot be used; the text names the place and the cure."""


class PluginError(ToolsearchError):
    """A plugin cannot be used; the text names plugin, distribution, version and cure."""


class CallError(ToolsearchError):
    """A call, search or describe that failed, with what the model may know of it."""

    def __init__(self, failure: CallFailure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class ToolError(ToolsearchError):
    """Raised by a source: the tool ran and failed. The message is shown to the model."""

    def __init__(self, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.retryable = retryable


class SourceUnavailable(ToolsearchError):
    """Raised by a source that cannot be asked now. The message is shown to the model.

    Raise it only when the tool certainly did not run; otherwise raise `ToolError`.
    """
