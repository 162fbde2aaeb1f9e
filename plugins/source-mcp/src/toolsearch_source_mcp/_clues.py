"""What tells a person why a server is not there: never for a model, and without its secrets."""

from __future__ import annotations

import re
import signal
from collections.abc import Iterator, Mapping

import attrs

from toolsearch_hookspecs.text import Redactor, one_line

from ._failures import cause
from ._identity import address
from ._settings import ServerSettings
from ._stdio import StdioLog, Tail

_LINE_SHOWN = 200
_TELLING_SECRET = 6  # characters of a line of a secret that are no word anybody may write
_SHOWN_STDERR = 2_000
_TELLS_NOTHING = re.compile(r"\W*$|\s*at |Node\.js v|npm (error|ERR!) A complete log")
_NPM = re.compile(r"npm (?:error|ERR!)(?: \w*\d\w*)?")
_TELLS = re.compile(
    r"error|exception|fatal|denied|refused|missing|fail|invalid|usage|unknown|required"
    r"|\b(?:not|no|cannot)\b|n't\b",
    re.IGNORECASE,
)


@attrs.define
class Clues:
    """What one start of a server left behind so far."""

    settings: ServerSettings
    environ: Mapping[str, str] = attrs.field(repr=False)
    stderr_bytes: int
    secrets: set[str] = attrs.field(factory=set, repr=False)
    said: StdioLog = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Another start: what the one before left behind says nothing about it."""
        self.said = StdioLog(Tail(self.stderr_bytes))

    def of(self, error: BaseException) -> str:
        """Why a start or a connection failed, as far as can be told."""
        return "; ".join((*self._named(cause(error)), *self._left_behind()))

    def so_far(self) -> str:
        """What a start that goes on left behind."""
        return "; ".join(self._left_behind())

    def last_words(self) -> str:
        """The end of what it wrote to its standard error."""
        return self._hidden(self.said.stderr.text)[-_SHOWN_STDERR:]

    def _named(self, error: BaseException) -> Iterator[str]:
        """What was to be started or reached."""
        if self.settings.url is not None:
            yield f"its url is {address(self.settings.url)}"
        match error:
            case FileNotFoundError() | NotADirectoryError() | PermissionError() if (
                name := error.filename or self.settings.command
            ):
                found = "" if "/" in str(name) else " on the PATH"
                yield f"{self._line(str(name))}{found}: {error.strerror or type(error).__name__}"

    def _left_behind(self) -> Iterator[str]:
        said = self.said
        if said.fell and said.returncode is not None:
            yield exited(said.returncode)
        if line := telling_line(self._hidden(said.stderr.text)):
            yield f"its last words: {one_line(line, _LINE_SHOWN)}"
        if said.noise:
            lines = "a line" if said.noise == 1 else f"{said.noise:,} lines"
            yield (
                f"it wrote {lines} to its standard output that no message of the protocol is, and "
                f"a log belongs on standard error: {self._line(said.first_noise)}"
            )

    def _line(self, text: str) -> str:
        return one_line(self._hidden(text), _LINE_SHOWN)

    def _hidden(self, text: str) -> str:
        lines = {line for secret in self.secrets for line in secret.splitlines()}
        parts = {line for line in lines if len(line) >= _TELLING_SECRET}
        for secret in sorted(self.secrets | parts, key=len, reverse=True):
            text = text.replace(secret, "***") if secret else text
        return Redactor.from_environ(self.environ).text(text)


def exited(returncode: int) -> str:
    """How a process ended."""
    if returncode >= 0:
        return f"exit code {returncode}"
    try:
        return f"ended by {signal.Signals(-returncode).name}"
    except ValueError:
        return f"ended by signal {-returncode}"


def telling_line(text: str) -> str:
    """The last line that says what is wrong, else the last that says anything."""
    lines = [line for line in text.splitlines() if not _TELLS_NOTHING.match(line)]
    telling = (line for line in reversed(lines) if _TELLS.search(_NPM.sub("", line)))
    return next(telling, lines[-1] if lines else "")
