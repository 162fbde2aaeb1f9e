"""Arguments as plain JSON of the call's own: what policy saw is what is executed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..arguments import ArgumentProblem


def plain(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """A copy that nobody else holds, of JSON values only.

    A digest, a seal and a validator must all mean the same by it, so nothing is replaced by
    something like it. Raises ArgumentProblem for what JSON in UTF-8 cannot hold.
    """
    try:
        text = json.dumps(dict(arguments), ensure_ascii=False, allow_nan=False).encode()
        copy: dict[str, Any] = json.loads(text)
    except UnicodeEncodeError as error:
        raise ArgumentProblem(
            "the arguments hold text that is no valid Unicode. Not executed."
        ) from error
    except (TypeError, ValueError, RecursionError) as error:
        raise ArgumentProblem(
            "the arguments hold something that JSON cannot (NaN, say), or are nested too deeply. "
            "Not executed."
        ) from error
    return copy
