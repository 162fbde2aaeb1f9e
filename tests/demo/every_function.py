"""Calls every function of the demo's list with arguments made from its schema, and watches.

Run as a program, since an audit hook stays for the life of a process. Prints one JSON object:
what each call did outside itself, what it left changed, and which answers broke their schema.
"""

from __future__ import annotations

import asyncio
import json
import mimetypes
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import toolsearch.demo._functions as demo_functions
from toolsearch import Host

QUIET = (
    "object.__getattr__",
    "object.__setattr__",
    "sys._getframe",
    "code.__new__",
    "builtins.id",
    "marshal.loads",
    "gc.",
    "cpython.",
    "ctypes.",
    "sys.unraisablehook",
    "_thread.start_new_thread",
    "threading.",
    "time.sleep",
)
"""What any Python code causes, and what the host's own threads do."""


def sample(schema: Mapping[str, Any], defs: Mapping[str, Any]) -> Any:
    """The smallest honest value of a schema."""
    if "$ref" in schema:
        return sample(defs[schema["$ref"].rpartition("/")[2]], defs)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return sample(schema["anyOf"][0], defs)
    kind = schema.get("type", "number")
    match kind if isinstance(kind, str) else kind[0]:
        case "integer":
            return max(schema.get("minimum", 1), 1)
        case "number":
            return 1
        case "boolean":
            return True
        case "null":
            return None
        case "array":
            if "prefixItems" in schema:
                return [sample(item, defs) for item in schema["prefixItems"]]
            return [sample(schema.get("items", {}), defs)] * max(schema.get("minItems", 1), 2)
        case "object":
            required = schema.get("required", ())
            properties = schema.get("properties", {})
            return {name: sample(properties[name], defs) for name in required}
        case _:
            return TEXTS.get(schema.get("format", ""), "a")


TEXTS = {
    "date": "2026-12-01",
    "date-time": "2026-12-01T10:00:00",
    "time": "10:00:00",
    "duration": "PT1H",
    "ipv4": "10.0.0.1",
    "ipv6": "fe80::1",
    "ipv4network": "10.0.0.0/30",
    "ipv6network": "fe80::/126",
    "uuid": "00000000-0000-0000-0000-000000000001",
}


def state() -> dict[str, Any]:
    """What a function of the process could change."""
    import calendar
    import decimal
    import gc
    import locale
    import random
    import signal
    import time
    import warnings

    return {
        "environment": dict(os.environ),
        "folder": str(Path.cwd()),
        "locale": locale.setlocale(locale.LC_ALL),
        "warnings": repr(warnings.filters),
        "random": repr(random.getstate()),
        "decimal": repr(decimal.getcontext()),
        "calendar": calendar.firstweekday(),
        "zone": time.tzname,
        "types": len(mimetypes.types_map),
        "signals": repr(signal.getsignal(signal.SIGTERM)),
        "collector": gc.get_threshold(),
        "path": list(sys.path),
    }


async def main() -> None:
    config = {
        "tools": {"toolSearch": {"mode": "tools"}},
        "plugins": {
            "disabled": ["telemetry-jsonl"],
            "settings": {"source-python": {"modules": demo_functions.module_settings()}},
        },
    }
    seen: list[str] = []
    watching = False

    def watch(event: str, arguments: tuple[Any, ...]) -> None:
        if watching and not event.startswith(QUIET):
            seen.append(f"{event} {arguments!r:.120}")

    sys.addaudithook(watch)
    effects: dict[str, list[str]] = {}
    codes: dict[str, str] = {}
    async with Host.from_config(config) as host, await host.plan(mode="tools") as run:
        tools = await host.all_tools()
        mimetypes.init()  # reads the system's own table, once a process
        await run.call("statistics.mean", {"data": [1]})  # the host's own first call
        before = state()
        for tool in tools:
            given = sample(tool.input_schema, tool.input_schema.get("$defs", {}))
            watching = True
            result = await run.call(tool.id, given)
            watching = False
            if seen:
                effects[tool.id] = list(seen)
                seen.clear()
            codes[tool.id] = result.error.code if result.error else "ok"
            if codes[tool.id] not in ("ok", "tool_error"):
                codes[tool.id] += f": {result.error.message}"  # type: ignore[union-attr]
        after = state()
    changed = [name for name in before if before[name] != after[name]]
    print(json.dumps({"effects": effects, "changed": changed, "codes": codes}))


if __name__ == "__main__":
    asyncio.run(main())
