"""What a client's own objects hold, as the JSON values of the REST form."""

from __future__ import annotations

from typing import Any


def plain(value: Any) -> Any:
    """The JSON value of a client's object; of anything else, itself."""
    dump = getattr(value, "model_dump", None)
    if dump is None:
        return value
    return dump(mode="json", by_alias=True, exclude_none=True, warnings=False)
