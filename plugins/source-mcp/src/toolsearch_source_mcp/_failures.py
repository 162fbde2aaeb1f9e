"""What went wrong with a server, in words for the person who must act."""

from __future__ import annotations

from collections.abc import Iterator

from toolsearch_hookspecs import SourceUnavailable


class ServerError(Exception):
    """A server could not be reached, or broke the protocol. The text is safe for the model;
    `clue` is more for the operator alone.
    """

    def __init__(self, text: str, clue: str = "") -> None:
        super().__init__(text)
        self.clue = clue

    def unavailable(self) -> SourceUnavailable:
        """The same for the host, with the clue as a note, which no model is shown."""
        error = SourceUnavailable(str(self))
        if self.clue:
            error.add_note(self.clue)
        return error


class LostCallError(Exception):
    """The connection ended while a request was under way: it may have been carried out."""


class NotSentError(Exception):
    """A request that certainly did not reach the server."""


def leaves(error: BaseException) -> Iterator[BaseException]:
    """The errors inside nested exception groups."""
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from leaves(inner)
    else:
        yield error


def cause(error: BaseException) -> BaseException:
    """The one that tells most of those inside: ours, else the first."""
    found = list(leaves(error))
    return next((each for each in found if isinstance(each, ServerError)), found[0])


def described(error: BaseException) -> str:
    """One sentence about why a connection failed, without paths, arguments or addresses."""
    first = cause(error)
    match first:
        case ServerError():
            return str(first)
        case FileNotFoundError():
            return "its command was not found"
        case PermissionError():
            return "its command may not be run"
        case TimeoutError():
            return "it did not answer in time"
        case OSError():
            return f"it could not be started ({type(first).__name__})"
    return f"the connection failed ({type(first).__name__})"
