"""One schema, ready to judge values."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from typing import Any, Literal

from attrs import frozen

from toolsearch_hookspecs import Limits

from ._cost import evaluations, is_endless
from ._dialects import Dialect, dialect_of
from ._engine import TOO_DEEP, Engine, OverBudget
from ._problems import SchemaProblem
from ._scan import scan
from ._usable import Usable
from ._veil import is_small, size, veiled
from ._violations import MOST_VIOLATIONS, UNLIKE, Violation, violations

BRIEF = 5_000  # keyword evaluations on the event loop: at most some hundredths of a second
ORDINARY = 20_000  # some tenths of a second
PATIENT = 500_000  # keyword evaluations on a worker thread: some seconds
_OFFLINE_SINCE = (0, 52)
_NATIVE_EVALUATIONS = 20_000
_NATIVE_WORK = 20_000_000  # evaluations times values: at most some tenths of a second


def fast_engine() -> Engine:
    """An engine that uses `jsonschema-rs` where it is installed, and able to stay offline."""
    try:
        major, minor, *_ = version("jsonschema-rs").split(".")
    except PackageNotFoundError:
        return Engine(fast=False)
    return Engine(fast=(int(major), int(minor)) >= _OFFLINE_SINCE)


@frozen
class Validator:
    """Judges values against one schema.

    The draft is the schema's own (`$schema`; 2020-12 without), formats are not checked, nothing
    is fetched. `notes` say which keywords are not applied, and why. Where `jsonschema-rs` is
    installed and the schema's work can be counted beforehand, its verdict decides and jsonschema
    only finds the words; elsewhere jsonschema decides, within a budget.
    """

    schema: Mapping[str, Any]
    notes: tuple[str, ...]
    _python: Any
    _engine: Engine
    _native: Any
    _evaluations: int

    @classmethod
    def compile(
        cls,
        schema: Any,
        limits: Limits,
        *,
        root: Literal["object", "any"] = "object",
        engine: Engine | None = None,
    ) -> Validator:
        """Raises `SchemaProblem` with what `scan` finds."""
        if problems := scan(schema, limits, root=root):
            raise SchemaProblem(*problems)
        engine = fast_engine() if engine is None else engine
        dialect = dialect_of(schema.get("$schema"))
        assert dialect is not None  # noqa: S101  # the scan saw to it
        usable = Usable(dialect, engine.pattern)
        copy = usable.copy(schema)
        if is_endless(copy):
            raise SchemaProblem("the schema refers to itself without an end")
        count = evaluations(copy, _NATIVE_EVALUATIONS)
        native = _native(dialect, copy) if engine.fast and count is not None else None
        python = engine.validator(dialect, copy)
        return cls(copy, tuple(usable.notes), python, engine, native, count or 0)

    @property
    def is_native(self) -> bool:
        """Whether `jsonschema-rs` gives the verdict."""
        return self._native is not None

    def validate(self, value: Any, *, budget: int = ORDINARY) -> list[Violation]:
        """What is wrong with a JSON value, at most ten violations, none where it fits.

        Takes bounded time whatever schema and value are. Raises `SchemaProblem` where they need
        more than `budget` keyword evaluations, or the value is too large or too deep.
        """
        parts = size(value)
        if self._native is not None and self._evaluations * parts <= _NATIVE_WORK:
            if self._native.is_valid(value):
                return []
            return self._words(value, budget)
        return self._explain(value, budget)

    async def check(self, value: Any) -> list[Violation]:
        """As `validate`; what is too much for the event loop goes on in a thread, with more time.

        Raises `SchemaProblem` where that is not enough, either.
        """
        if is_small(value):
            try:
                return self.validate(value, budget=BRIEF)
            except OverBudget:
                pass
        return await asyncio.to_thread(self.validate, value, budget=PATIENT)

    def _words(self, value: Any, budget: int) -> list[Violation]:
        try:
            return self._explain(value, budget) or [UNLIKE]
        except OverBudget:
            if budget <= BRIEF:
                raise
            return [UNLIKE]
        except SchemaProblem:
            return [UNLIKE]

    def _explain(self, value: Any, budget: int) -> list[Violation]:
        from jsonschema.exceptions import UnknownType
        from referencing.exceptions import Unresolvable

        self._engine.fund(budget)
        try:
            errors = list(islice(self._python.iter_errors(veiled(value)), 2 * MOST_VIOLATIONS))
            return violations(errors)
        except RecursionError as error:
            raise SchemaProblem(TOO_DEEP) from error
        except (Unresolvable, UnknownType, ArithmeticError, ValueError, TypeError) as error:
            raise SchemaProblem("the schema cannot be applied to this value") from error


def _native(dialect: Dialect, schema: dict[str, Any]) -> Any:
    """The Rust validator, or None where it refuses the schema: it is stricter about some."""
    import jsonschema_rs as rs

    try:
        return getattr(rs, dialect.value)(
            schema,
            offline=True,
            validate_formats=False,
            mask="the value",
            pattern_options=rs.RegexOptions(),
        )
    except (rs.ValidationError, rs.ReferencingError, ValueError):
        return None
