"""The bases of everything that crosses the boundary."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationInfo
from pydantic.alias_generators import to_camel

if TYPE_CHECKING:
    from typing import TypeAlias


class Record(BaseModel):
    """A frozen value. Unknown fields are refused, so that a misspelt answer is an error."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)


class Settings(BaseModel):
    """A group of settings: camelCase in the file, snake_case in Python, unknown keys refused."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", alias_generator=to_camel, populate_by_name=True
    )


class Clamp:
    """Pulls a whole number into a range; `Clamped[1, 50]` is the annotation that uses it.

    Where the validation context has a callable `clamped`, it is told of each value that was
    pulled in, as one sentence.
    """

    def __init__(self, low: int, high: int) -> None:
        self.low = low
        self.high = high

    def __call__(self, value: Any, info: ValidationInfo) -> Any:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value
        pulled = min(max(value, self.low), self.high)
        report: Callable[[str], None] | None = (info.context or {}).get("clamped")
        if pulled != value and report is not None:
            name = to_camel(info.field_name or "value")
            report(f"{name}: {value} is outside {self.low}..{self.high}; {pulled} is used")
        return pulled


if TYPE_CHECKING:
    Clamped: TypeAlias = Annotated  # `Clamped[1, 50]` is an `int` at run time
else:

    class Clamped:
        """`Clamped[low, high]`: an `int` that is pulled into `low..high`, and said once."""

        def __class_getitem__(cls, bounds: tuple[int, int]) -> Any:
            low, high = bounds
            return Annotated[int, BeforeValidator(Clamp(low, high)), Field(ge=low, le=high)]
