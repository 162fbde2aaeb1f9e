"""Where the log stands: one file a day, or one named file that is put aside each day."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import attrs

from toolsearch_hookspecs import PluginContext

SUFFIX = ".jsonl"
PREFIX = "toolsearch-"
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


@attrs.frozen
class Place:
    """A folder of files `toolsearch-<day>.jsonl`, or one file (a `log.path` that ends `.jsonl`).

    The one file is renamed to `name.<day>.jsonl` when its day is over.
    """

    folder: Path
    name: str | None = None

    @classmethod
    def of(cls, plugin: PluginContext) -> Place:
        if plugin.log.path is None:
            return cls(plugin.state_dir / "log")
        path = plugin.base_dir / Path(plugin.log.path).expanduser()
        return cls(path.parent, path.stem) if path.suffix == SUFFIX else cls(path)

    def current(self, day: date) -> Path:
        """The file that the events of a day are appended to."""
        return self.folder / (f"{self.name}{SUFFIX}" if self.name else f"{PREFIX}{day}{SUFFIX}")

    def aside(self, day: date) -> Path:
        """Where the one file goes when its day is over."""
        return self.folder / f"{self.name}.{day}{SUFFIX}"

    def files(self) -> list[Path]:
        """Every file of the log that is there, oldest first."""
        return [path for _, path in sorted(self._dated())]

    def expired(self, today: date, keep_days: int) -> list[Path]:
        """The files of days that are not kept any longer."""
        oldest = today - timedelta(days=keep_days - 1)
        return [path for day, path in self._dated() if day < oldest]

    def _dated(self) -> Iterator[tuple[date, Path]]:
        if not self.folder.is_dir():
            return
        for path in self.folder.glob(f"*{SUFFIX}"):
            day = self._day(path)
            if day is not None:
                yield day, path

    def _day(self, path: Path) -> date | None:
        if self.name is not None and path.name == f"{self.name}{SUFFIX}":
            return date.max
        prefix = PREFIX if self.name is None else f"{self.name}."
        day = path.name.removeprefix(prefix).removesuffix(SUFFIX)
        if path.name != f"{prefix}{day}{SUFFIX}" or not DAY.fullmatch(day):
            return None
        try:
            return date.fromisoformat(day)
        except ValueError:
            return None


def day_of_change(path: Path) -> date | None:
    """The day (UTC) on which a file last changed; None where there is none."""
    try:
        changed = path.stat().st_mtime
    except FileNotFoundError:
        return None
    return datetime.fromtimestamp(changed, UTC).date()
