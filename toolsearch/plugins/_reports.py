"""What went wrong with plugins: kept once each, logged, and told to whoever listens."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Hashable

from toolsearch_hookspecs import Diagnostic

logger = logging.getLogger(__name__)

Listener = Callable[[Diagnostic], None]


class Reports:
    """Diagnostics of one host, in the order of their first occurrence; safe from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[Hashable, Diagnostic] = {}
        self._listeners: list[Listener] = []

    @property
    def all(self) -> tuple[Diagnostic, ...]:
        with self._lock:
            return tuple(self._kept.values())

    def listen(self, listener: Listener) -> None:
        """Have `listener` told each new diagnostic, on the thread where it arose."""
        self._listeners.append(listener)

    def add(self, diagnostic: Diagnostic, *, once: Hashable = None) -> bool:
        """Keep and log the diagnostic; with `once`, only the first of its key. Gives whether it
        was kept.
        """
        key = once if once is not None else diagnostic
        with self._lock:
            if key in self._kept:
                return False
            self._kept[key] = diagnostic
        logger.log(_LEVELS[diagnostic.level], "%s", diagnostic.message)
        for listener in self._listeners:
            listener(diagnostic)
        return True


_LEVELS = {"info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}
