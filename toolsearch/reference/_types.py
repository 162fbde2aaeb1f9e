"""The type that a JSON Schema allows, in words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def type_of(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(each)}`" for each in schema["enum"])
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(type_of(each) for each in schema["anyOf"]))
    kind = schema.get("type", "object" if "$ref" in schema or "properties" in schema else "any")
    low, high = schema.get("minimum"), schema.get("maximum")
    bounds = f" {low}..{high}" if low is not None and high is not None else ""
    return f"{' or '.join(kind) if isinstance(kind, list) else kind}{bounds}"
