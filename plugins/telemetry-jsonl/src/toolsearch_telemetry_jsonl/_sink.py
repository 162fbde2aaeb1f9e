"""Writes events to the log; what cannot be written is lost, said once, and stops nothing."""

from __future__ import annotations

import contextlib
import os
from datetime import date
from pathlib import Path

import attrs

from toolsearch_hookspecs import Event, ToolsearchError
from toolsearch_hookspecs.text import Redactor

from ._appending import Appending
from ._lines import line
from ._place import Place, day_of_change


@attrs.define
class Sink:
    """The log of one host. Other processes may write the same files."""

    place: Place
    redactor: Redactor
    keep_days: int
    content: bool
    _file: Appending | None = attrs.field(default=None, init=False)
    _day: date | None = attrs.field(default=None, init=False)
    _broken: bool = attrs.field(default=False, init=False)

    def write(self, event: Event) -> None:
        """Append the event. Raises `ToolsearchError` at the first of several failures."""
        told = line(event, self.redactor, content=self.content)
        try:
            self._current(event.at.date()).append(told)
        except OSError as error:
            self.close()
            if self._broken:
                return
            self._broken = True
            raise ToolsearchError(
                f"the session log in {self.place.folder} cannot be written ({error.strerror});"
                " events are lost until it can. Make room, or set log.path"
            ) from error
        self._broken = False

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _current(self, day: date) -> Appending:
        if day != self._day:
            self._turn_to(day)
        if self._file is not None and self._file.stands:
            return self._file
        self.close()
        self._file = Appending.to(self.place.current(day))
        return self._file

    def _turn_to(self, day: date) -> None:
        """Put aside the one file of a day that is over, and forget what is too old."""
        self.close()
        current = self.place.current(day)
        before = day_of_change(current)
        if self.place.name is not None and before is not None and before < day:
            _put_aside(current, self.place.aside(before))
        for path in self.place.expired(day, self.keep_days):
            path.unlink(missing_ok=True)
        self._day = day


def _put_aside(path: Path, aside: Path) -> None:
    """Rename, unless another process did. By a link, so that nothing is ever overwritten."""
    with contextlib.suppress(FileNotFoundError, FileExistsError):
        os.link(path, aside)
        path.unlink()
