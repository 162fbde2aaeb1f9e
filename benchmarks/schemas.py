"""What reading, checking and showing schemas costs, on the schemas of real tools.

    python benchmarks/schemas.py --data DIR

`DIR/mcp_live/*.json.gz` are answers of MCP servers: `{server, tools: [{name, inputSchema}]}`.
Prints one JSON object: times in milliseconds, sizes in bytes, and how often the two validators
give the same verdict on generated arguments.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import time
import warnings
from pathlib import Path
from typing import Any

import jsonschema
import referencing

from toolsearch.arguments import ArgumentProblem, repair
from toolsearch.schemas import SchemaProblem, Validator, scan, signature
from toolsearch.schemas._engine import Engine
from toolsearch_hookspecs import Limits

ROUNDS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--instances", type=int, default=6, help="generated for each schema")
    asked = parser.parse_args()
    schemas = [tool["inputSchema"] for tool in tools_of(asked.data)]
    chance = random.Random(7)
    values = [
        (number, instance(schema, schema, chance, 0))
        for number, schema in enumerate(schemas)
        for _ in range(asked.instances)
    ]
    warnings.simplefilter("ignore", DeprecationWarning)
    report = {"tools": len(schemas), "values": len(values)}
    report |= shown(schemas) | costs(schemas, values) | agreement(schemas, values)
    print(json.dumps(report, indent=2))


def tools_of(data: Path) -> list[dict[str, Any]]:
    return [
        tool
        for path in sorted((data / "mcp_live").glob("*.json.gz"))
        for tool in json.loads(gzip.decompress(path.read_bytes()))["tools"]
    ]


def shown(schemas: list[dict[str, Any]]) -> dict[str, Any]:
    lines, milliseconds = timed(lambda: [signature(each, trusted=False) for each in schemas])
    whole = sum(len(json.dumps(each)) for each in schemas)
    lengths = sorted(map(len, lines))
    return {
        "schema_bytes": whole,
        "signature_bytes": sum(lengths),
        "signature_ratio": round(sum(lengths) / whole, 4),
        "signature_median": lengths[len(lengths) // 2],
        "signature_longest": lengths[-1],
        "signature_ms": milliseconds,
    }


def costs(schemas: list[dict[str, Any]], values: list[tuple[int, Any]]) -> dict[str, Any]:
    limits = Limits()
    report: dict[str, Any] = {
        "scan_ms": timed(lambda: [scan(each, limits) for each in schemas])[1],
        "repair_ms": timed(lambda: [repaired(schemas[n], value) for n, value in values])[1],
    }
    plain, report["jsonschema_compile_ms"] = timed(lambda: [checked(each) for each in schemas])
    report["jsonschema_validate_ms"] = timed(
        lambda: [plain[number].is_valid(value) for number, value in values]
    )[1]
    for name, fast in (("with_rs", True), ("without_rs", False)):
        ours, compiling = timed(lambda fast=fast: compiled(schemas, fast=fast))
        judging = timed(lambda ours=ours: [ours[n].validate(value) for n, value in values])[1]
        report |= {
            f"{name}_compile_ms": compiling,
            f"{name}_validate_ms": judging,
            f"{name}_compile_ratio": round(compiling / report["jsonschema_compile_ms"], 3),
            f"{name}_validate_ratio": round(judging / report["jsonschema_validate_ms"], 3),
            f"{name}_native": sum(each.is_native for each in ours),
            f"{name}_with_notes": sum(bool(each.notes) for each in ours),
        }
    return report


def agreement(schemas: list[dict[str, Any]], values: list[tuple[int, Any]]) -> dict[str, Any]:
    fast, slow = compiled(schemas, fast=True), compiled(schemas, fast=False)
    differ: list[str] = []
    valid = 0
    for number, value in values:
        verdicts = {
            "jsonschema": checked(schemas[number], check=False).is_valid(value),
            "with_rs": fast[number].validate(value) == [],
            "without_rs": slow[number].validate(value) == [],
        }
        valid += verdicts["jsonschema"]
        if len(set(verdicts.values())) > 1:
            differ.append(f"{number}: {verdicts}")
    return {"valid": valid, "verdicts_that_differ": len(differ), "examples": differ[:10]}


def compiled(schemas: list[dict[str, Any]], *, fast: bool) -> list[Validator]:
    engine = Engine(fast=fast)
    return [Validator.compile(each, Limits(), engine=engine) for each in schemas]


def checked(schema: dict[str, Any], *, check: bool = True) -> Any:
    kind = jsonschema.validators.validator_for(schema, default=jsonschema.Draft202012Validator)
    if check:
        kind.check_schema(schema)
    return kind(schema, registry=referencing.Registry())


def repaired(schema: dict[str, Any], value: Any) -> Any:
    try:
        return repair(schema, value)
    except (ArgumentProblem, SchemaProblem):
        return None


def timed(work: Any) -> tuple[Any, float]:
    """The result and the best of some rounds, in milliseconds."""
    best = float("inf")
    for _ in range(ROUNDS):
        began = time.perf_counter()
        result = work()
        best = min(best, (time.perf_counter() - began) * 1000)
    return result, round(best, 1)


def instance(schema: Any, root: Any, chance: random.Random, depth: int) -> Any:
    """A value that mostly fits the schema, and sometimes does not."""
    if not isinstance(schema, dict) or depth > 6 or chance.random() < 0.04:
        return chance.choice([None, True, 0, 1.5, "text", [], {}, "2026-01-02"])
    if "$ref" in schema:
        return instance(pointed(root, schema["$ref"]), root, chance, depth + 1)
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            return instance(chance.choice(schema[keyword]), root, chance, depth + 1)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return chance.choice(schema["enum"])
    kind = schema.get("type", "object" if "properties" in schema else "string")
    return of_kind(
        chance.choice(kind) if isinstance(kind, list) else kind, schema, root, chance, depth
    )


def of_kind(kind: str, schema: dict[str, Any], root: Any, chance: random.Random, depth: int) -> Any:
    match kind:
        case "object":
            needed = set(schema.get("required", []))
            made = {
                name: instance(each, root, chance, depth + 1)
                for name, each in schema.get("properties", {}).items()
                if chance.random() < (0.98 if name in needed else 0.4)
            }
            return made | ({"unheard_of": 1} if chance.random() < 0.05 else {})
        case "array":
            return [
                instance(schema.get("items"), root, chance, depth + 1)
                for _ in range(chance.randint(0, 3))
            ]
        case "integer":
            return chance.choice([schema.get("minimum", 1), schema.get("maximum", 7), 3, -1])
        case "number":
            return chance.choice([schema.get("minimum", 0.5), schema.get("maximum", 7.25), 2])
        case "boolean":
            return chance.random() < 0.5
        case "null":
            return None
        case _:
            return chance.choice(["", "a", "some text", "2026-01-02T03:04:05Z", "a-1", "ABC-12"])


def pointed(root: Any, reference: str) -> Any:
    value = root
    for step in reference.removeprefix("#").split("/")[1:]:
        value = value[step.replace("~1", "/").replace("~0", "~")] if isinstance(value, dict) else {}
    return value


if __name__ == "__main__":
    main()
