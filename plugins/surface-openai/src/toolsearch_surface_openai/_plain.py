"""What a client's own objects hold, as JSON values."""

from __future__ import annotations

from typing import Any


def plain(value: Any) -> Any:
    """The JSON value of a client's object; of anything else, itself."""
    dump = getattr(value, "model_dump", None)
    return value if dump is None else dump(mode="json", exclude_none=True, warnings=False)
