"""What went wrong with a server, in words for the person who must act."""

from __future__ import annotations

from collections.abc import Iterator


class ServerError(Exception):
    """A server could not be reached, or broke the protocol. The text is safe for the model."""


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


def described(error: BaseException) -> str:
    """One sentence about why a connection failed, without paths, arguments or addresses."""
    first = next(leaves(error), error)
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
