"""How one call of one implementation ended: an answer, or a failure."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from attrs import frozen

from ..text import one_line

MOST_CHARS = 500

T = TypeVar("T")

Accept = Callable[[Any], T]
"""Gives an answer in the form that the host works with, or raises `WrongAnswer`."""


class WrongAnswer(TypeError):
    """What an implementation answered is not what its hook answers."""


@frozen
class Answer(Generic[T]):
    """What an implementation answered, in time and in form."""

    value: T


@frozen
class Failure:
    """Why there is no answer. `cause` is for the operator; `said` may be shown to a model."""

    cause: str
    said: str
    error: BaseException | None = None

    @classmethod
    def raised(cls, error: BaseException) -> Failure:
        if isinstance(error, WrongAnswer):
            return cls(f"gave a wrong answer: {error}", "gave a wrong answer")
        text = one_line(traceback.format_exception_only(error)[-1], MOST_CHARS)
        return cls(f"raised {text}", f"raised {type(error).__name__}", error)

    @classmethod
    def late(cls, deadline_s: float) -> Failure:
        text = f"did not answer within {deadline_s * 1000:.0f} ms"
        return cls(text, text)


def one_of(*types: type[T]) -> Accept[T | None]:
    """Accept an instance of one of the types, or None for no opinion."""

    def accept(value: Any) -> T | None:
        if value is None or isinstance(value, types):
            return value
        raise wrong(value, " or ".join(each.__name__ for each in types))

    return accept


def nothing(value: Any) -> None:
    """Accept whatever a hook that answers nothing returns, but for what should be awaited."""
    if inspect.isawaitable(value):
        raise WrongAnswer("an awaitable that nobody awaits; declare the hook `async def`")


def wrong(value: Any, expected: str) -> WrongAnswer:
    """The error for an answer of the wrong type; names the type only, for values are content."""
    return WrongAnswer(f"{type(value).__name__} where {expected} was expected")
