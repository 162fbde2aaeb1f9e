"""Validators compiled when first needed, once for each distinct schema."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from attrs import define, field

from toolsearch_hookspecs import Diagnostic, Limits

from ..text import one_line
from ._engine import Engine
from ._problems import SchemaProblem
from ._validator import Validator, fast_engine
from ._violations import Violation

MOST_NOTED = 100


@define
class Validators:
    """The validators of one host; the least recently used go when there are more than `most`.

    A schema that cannot be used is remembered as such, and refused again without work.
    `diagnostics` say of which tools something in the schema is not applied.
    """

    limits: Limits
    most: int = 2048
    _engine: Engine = field(factory=fast_engine)
    _kept: OrderedDict[str, Validator | SchemaProblem] = field(factory=OrderedDict)
    _noted: OrderedDict[str, Diagnostic] = field(factory=OrderedDict)

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return tuple(self._noted.values())

    def violations(self, digest: str, schema: Mapping[str, Any], value: Any) -> list[Violation]:
        """What is wrong with a value; `digest` must identify the schema.

        Raises `SchemaProblem`. Takes some tenths of a second at most, whatever is given.
        """
        return self.compiled(digest, schema).validate(value)

    async def check(
        self, digest: str, schema: Mapping[str, Any], value: Any, *, of: str
    ) -> list[Violation]:
        """As `violations`; what may keep the event loop waiting goes on in a thread.

        That is the first use of a schema, and what needs more than `violations` has time for.
        `of` is the id of the tool.
        """
        validator = await self.prepared(digest, schema)
        if validator.notes and digest not in self._noted:
            self._note(digest, of, validator.notes)
        return await validator.check(value)

    def _note(self, digest: str, tool: str, notes: tuple[str, ...]) -> None:
        self._noted[digest] = Diagnostic(
            level="info",
            code="schema_not_applied",
            message=f"{one_line(tool, 200)}: not all of a schema is applied: "
            f"{one_line('; '.join(notes), 1_000)}",
            subject=tool,
            cure="correct the schema where the tool is defined",
        )
        if len(self._noted) > MOST_NOTED:
            self._noted.popitem(last=False)

    async def prepared(self, digest: str, schema: Mapping[str, Any]) -> Validator:
        """As `compiled`; the first use of a schema goes on in a thread."""
        if digest not in self._kept:
            await asyncio.to_thread(self._keep, digest, schema)
        return self.compiled(digest, schema)

    def compiled(self, digest: str, schema: Mapping[str, Any]) -> Validator:
        """The schema's validator. Raises `SchemaProblem` where it cannot be used."""
        found = self._kept.get(digest)
        if found is None:
            found = self._keep(digest, schema)
        else:
            self._kept.move_to_end(digest)
        if isinstance(found, SchemaProblem):
            raise SchemaProblem(*found.problems)
        return found

    def _keep(self, digest: str, schema: Mapping[str, Any]) -> Validator | SchemaProblem:
        found = self._compiled(schema)
        self._kept[digest] = found
        if len(self._kept) > self.most:
            self._kept.popitem(last=False)
        return found

    def _compiled(self, schema: Mapping[str, Any]) -> Validator | SchemaProblem:
        try:
            return Validator.compile(schema, self.limits, root="any", engine=self._engine)
        except SchemaProblem as problem:
            return problem
