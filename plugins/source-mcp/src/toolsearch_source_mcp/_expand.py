"""`${VAR}`, `${VAR:-default}` and `${env:VAR}` in the texts of a server's settings."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from ._failures import ServerError

_REFERENCE = re.compile(r"\$\{(?P<env>env:)?(?P<name>[^}:]+)(?::-(?P<default>[^}]*))?\}")
SHORTEST_SECRET = 6
"""Shorter values are words like `true`, which would black out half of a log."""

_OTHER = re.compile(r"\$\{(?P<kind>[A-Za-z]+):(?!-)[^}]*\}")


class Expansion:
    """Replaces references by values of the environment, and remembers them as secrets.

    A bare `$VAR` is left alone, as in the clients that share the format. An unset variable
    raises `ServerError` naming it; so does `${input:...}`, since nobody is there to ask.
    """

    def __init__(
        self, environ: Mapping[str, str], base_dir: Path, secrets: set[str] | None = None
    ) -> None:
        self._environ = environ
        self._known = {"workspaceFolder": str(base_dir), "userHome": environ.get("HOME", "")}
        self.secrets = set() if secrets is None else secrets

    def text(self, text: str) -> str:
        for other in _OTHER.finditer(text):
            if other["kind"] != "env":
                raise ServerError(
                    f"`${{{other['kind']}:...}}` in its settings cannot be answered here; "
                    "put the value into the environment and write `${env:NAME}`"
                )
        return _REFERENCE.sub(self._value, text)

    def hidden_texts(self, mapping: Mapping[str, str]) -> dict[str, str]:
        """The values of an environment or of headers: all of them are taken for secrets."""
        texts = {key: self.text(value) for key, value in mapping.items()}
        self.secrets |= {value for value in texts.values() if len(value) >= SHORTEST_SECRET}
        return texts

    def variable(self, name: str) -> str:
        """The value of a variable that a setting names directly."""
        value = self._environ.get(name)
        if value is None:
            raise ServerError(f"the environment variable {name} is not set")
        if len(value) >= SHORTEST_SECRET:
            self.secrets.add(value)
        return value

    def _value(self, reference: re.Match[str]) -> str:
        name, default = reference["name"], reference["default"]
        if reference["env"] is None and name in self._known:
            return self._known[name]
        if default is not None and not self._environ.get(name):
            return default
        return self.variable(name)
