"""The error for a schema that cannot be used."""

from __future__ import annotations

from toolsearch_hookspecs import ToolsearchError


class SchemaProblem(ToolsearchError):
    """A schema that cannot be used, or cannot be checked within bounds; the call must not go on.

    `problems` are sentences without any text of the schema but bounded names.
    """

    def __init__(self, *problems: str) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems
