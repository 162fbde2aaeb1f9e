"""The bases of everything that crosses the boundary."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic.alias_generators import to_camel
from pydantic_core import core_schema


class Record(BaseModel):
    """A frozen value. Unknown fields are refused, so that a misspelt answer is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class Settings(BaseModel):
    """A group of settings: camelCase in the file, snake_case in Python, unknown keys refused."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True
    )


class Clamp:
    """Pulls a whole number into a range: `limit: Annotated[int, Clamp(1, 50)] = 20`.

    Where the validation context has a callable `clamped`, it is told of each value that was
    pulled in, as one sentence.
    """

    def __init__(self, low: int, high: int) -> None:
        self.low = low
        self.high = high

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        inner = core_schema.int_schema(ge=self.low, le=self.high)
        return core_schema.with_info_before_validator_function(self._pulled, inner)

    def _pulled(self, value: Any, info: core_schema.ValidationInfo[Any]) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value
        pulled = min(max(value, self.low), self.high)
        report: Callable[[str], None] | None = (info.context or {}).get("clamped")
        if pulled != value and report is not None:
            name = to_camel(info.field_name or "value")
            report(f"{name}: {value} is outside {self.low}..{self.high}; {pulled} is used")
        return pulled
