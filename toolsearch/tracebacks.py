"""Tracebacks of plugins' code, for its author: in no answer, no event and no diagnostic.

They are logged at DEBUG by the logger `toolsearch.tracebacks`, and so nowhere unless somebody asks
for them; `toolsearch -v` does, and `toolsearch plugins check`.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from toolsearch_hookspecs import ToolsearchError

from .isolation import contained_now, text_of
from .text import clean

logger = logging.getLogger(__name__)

_OURS = (
    f"{Path(__file__).parent}{os.sep}",
    f"{Path(importlib.__file__).parent}{os.sep}",
    "<frozen importlib",
)
_MOST_CHARS = 20_000


def note(what: str, failure: BaseException | None) -> None:
    """Log the traceback of something that a plugin raised, unless it was raised on purpose."""
    on_purpose = isinstance(failure, ToolsearchError | asyncio.CancelledError)
    if failure is not None and not on_purpose:
        logger.debug("%s\n%s", what, _Shown(failure))


def shown(failure: BaseException) -> str:
    """The traceback as text, from where it leaves the host on, safe to print."""
    told = traceback.TracebackException(
        type(failure), failure, _foreign(failure.__traceback__), compact=True
    )
    text = contained_now(lambda: "".join(told.format())).value
    if not isinstance(text, str):
        text = f"{type(failure).__name__}: {text_of(failure)}"
    return clean(text[-_MOST_CHARS:]).rstrip()


def place_of(failure: BaseException) -> str | None:
    """Where a plugin's code raised it, `file:line`; None where it was not raised there."""
    if isinstance(failure, SyntaxError) and failure.filename:
        return f"{failure.filename}:{failure.lineno}"
    inner = [frame for frame in _frames(failure.__traceback__) if not _is_ours(_file(frame))]
    return f"{_file(inner[-1])}:{inner[-1].tb_lineno}" if inner else None


def tell(say: Callable[[str], None] | None) -> None:
    """Have each traceback said from now on, in place of whoever had them said before."""
    for handler in [each for each in logger.handlers if isinstance(each, _Teller)]:
        logger.removeHandler(handler)
    if say is not None:
        logger.addHandler(_Teller(lambda record: say(record.getMessage()), alone=True))
    _settle()


@contextmanager
def collected() -> Iterator[list[str]]:
    """The tracebacks that are noted meanwhile, in a list that grows."""
    texts: list[str] = []
    with _listening(_Listener(lambda record: texts.append(record.getMessage()), alone=True)):
        yield texts


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """How many tracebacks are noted meanwhile, under "noted"; none is made into text for it."""
    count: Counter[str] = Counter()
    with _listening(_Listener(lambda _: count.update(("noted",)), alone=False)):
        yield count


class _Listener(logging.Handler):
    """Hears what is noted; `alone`: the handlers of the root logger do not hear it then."""

    def __init__(self, take: Callable[[logging.LogRecord], None], *, alone: bool) -> None:
        super().__init__(logging.DEBUG)
        self.take = take
        self.alone = alone

    def emit(self, record: logging.LogRecord) -> None:
        self.take(record)


class _Teller(_Listener):
    """The one that `tell` made."""


@contextmanager
def _listening(listener: _Listener) -> Iterator[None]:
    logger.addHandler(listener)
    _settle()
    try:
        yield
    finally:
        logger.removeHandler(listener)
        _settle()


def _settle() -> None:
    """Nothing is logged where nobody listens, but to who turned the logger on himself."""
    listeners = [each for each in logger.handlers if isinstance(each, _Listener)]
    logger.setLevel(logging.DEBUG if listeners else logging.NOTSET)
    logger.propagate = not any(each.alone for each in listeners)


class _Shown:
    """A traceback that is made into text where somebody reads it."""

    def __init__(self, failure: BaseException) -> None:
        self._failure = failure

    def __str__(self) -> str:
        return shown(self._failure)


def _foreign(frames: TracebackType | None) -> TracebackType | None:
    """The frames without those of the host, and of what imports modules, at their beginning."""
    return next((frame for frame in _frames(frames) if not _is_ours(_file(frame))), None)


def _frames(frames: TracebackType | None) -> Iterator[TracebackType]:
    while frames is not None:
        yield frames
        frames = frames.tb_next


def _file(frame: TracebackType) -> str:
    return frame.tb_frame.f_code.co_filename


def _is_ours(file: str) -> bool:
    return file.startswith(_OURS)
