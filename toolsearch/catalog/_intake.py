"""Intake: what a source lists becomes catalogued tools; one bad tool never harms its siblings."""

from __future__ import annotations

import asyncio
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache, partial
from time import monotonic
from typing import Any

import attrs
from pydantic import ValidationError

from toolsearch_hookspecs import (
    Quarantined,
    SourceKind,
    SourceListing,
    Tool,
    ToolAnnotations,
    ToolSpec,
)

from ..isolation import contained_now
from ..text import clean, one_line
from ._digest import canonical, digest, joined
from ._not_json import not_json

OWNER = re.compile(r"[a-z0-9_.-]+\Z")
MAX_NAME = 128  # MCP 2025-11-25 and later: names of 1 to 128 characters
MAX_ABOUT = 4_000  # characters of a source's text about itself that search reads
UNPRINTABLE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ud800-\udfff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
STRICT = json.JSONEncoder(allow_nan=False)
TURN_S = 0.005
EVERY_FIELD = set(Tool.model_fields)  # that a tool has them all need not be kept by each


@attrs.frozen
class Provenance:
    """Where the tools of one source come from."""

    kind: SourceKind
    owner: str
    plugin: str
    origin: str
    trusted: bool


@attrs.frozen
class Read:
    """What one given tool came to, with the object given; kept, so that its `id` stays its own."""

    given: object
    outcome: Tool | Quarantined
    fingerprint: str = ""


@attrs.frozen
class SourcePart:
    """The tools of one source at one generation, validated and digested."""

    provenance: Provenance
    generation: str
    tools: tuple[Tool, ...]
    quarantined: tuple[Quarantined, ...]
    digest: str
    about: str = attrs.field(default="", repr=False)
    read: Mapping[int, Read] = attrs.field(factory=dict, repr=False, eq=False)


class Intake:
    """Reads one listing tool by tool. A spec that is the same object as in the listing of `before`
    is not read again: specs are frozen.
    """

    def __init__(
        self, provenance: Provenance, listing: SourceListing, before: SourcePart | None
    ) -> None:
        self._provenance = provenance
        self._listing = listing
        self._given = tuple(listing.tools)
        self._about = listing.description[:MAX_ABOUT]
        same = before is not None and before.about == self._about
        self._known = before.read if before is not None and same else {}
        self._read: dict[int, Read] = {}

    def steps(self) -> Iterator[None]:
        """Read all tools, one a step."""
        for given in self._given:
            kept = self._known.get(id(given))
            if kept is None or kept.given is not given or not isinstance(given, ToolSpec):
                kept = _read(given, self._provenance, self._about)
            self._read[id(given)] = kept
            yield

    def part(self) -> SourcePart:
        """What was read, once all of it was."""
        read = [self._read[id(given)] for given in self._given]
        counts = Counter(kept.outcome.name for kept in read if isinstance(kept.outcome, Tool))
        taken: list[tuple[Tool, str]] = []
        quarantined = list(self._listing.quarantined)
        for kept in read:
            match kept.outcome:
                case Tool() as tool if counts[tool.name] == 1:
                    taken.append((tool, kept.fingerprint))
                case Quarantined() as left_out:
                    quarantined.append(left_out)
        twice = "the source lists this name twice"
        quarantined += [
            Quarantined(name=name, reason=twice)
            for name, times in counts.items()
            for _ in range(times)
            if times > 1
        ]
        taken.sort(key=lambda one: one[0].id)
        return SourcePart(
            provenance=self._provenance,
            generation=self._listing.generation,
            tools=tuple(tool for tool, _ in taken),
            quarantined=tuple(quarantined),
            digest=joined(fingerprint for _, fingerprint in taken),
            about=self._about,
            read=self._read,
        )


def source_part(
    provenance: Provenance, listing: SourceListing, before: SourcePart | None = None
) -> SourcePart:
    """Validate, copy and digest a listing. Raises nothing for what a single tool holds."""
    intake = Intake(provenance, listing, before)
    for _ in intake.steps():
        pass
    return intake.part()


async def source_part_in_turns(
    provenance: Provenance, listing: SourceListing, before: SourcePart | None = None
) -> SourcePart:
    """As `source_part`, and others on the loop have their turn every few milliseconds."""
    intake = Intake(provenance, listing, before)
    began = monotonic()
    for _ in intake.steps():
        if monotonic() - began > TURN_S:
            await asyncio.sleep(0)
            began = monotonic()
    return intake.part()


def _read(given: ToolSpec | Mapping[str, Any], provenance: Provenance, about: str) -> Read:
    outcome = _taken(given, provenance, about)
    fingerprint = _tool_fingerprint(outcome) if isinstance(outcome, Tool) else ""
    return Read(given, outcome, fingerprint)


def _taken(
    given: ToolSpec | Mapping[str, Any], provenance: Provenance, about: str
) -> Tool | Quarantined:
    name, read = "?", None
    try:
        spec = _spec(given)
        if isinstance(spec, Quarantined):
            return spec
        name, read = str(spec.name), spec
        return _tool(spec, provenance, about)
    except UnicodeEncodeError:
        return Quarantined(name=clean(name), reason="its text is no valid Unicode")
    except (TypeError, ValueError, AttributeError, LookupError, RecursionError) as error:
        return Quarantined(name=clean(name), reason=_unusable(read, error))


def _unusable(spec: ToolSpec | None, error: Exception) -> str:
    """What is wrong with the schemas of a tool that could not be copied."""
    if isinstance(error, RecursionError):
        return "a schema of it is nested too deeply"
    for which in ("input", "output") if spec is not None else ():
        fault = contained_now(partial(not_json, getattr(spec, f"{which}_schema"))).value
        if isinstance(fault, str):
            return one_line(f"its {which} schema is no JSON: it {fault}", 200)
    return f"a schema of it is no JSON that can be used: {type(error).__name__}"


def _spec(given: ToolSpec | Mapping[str, Any]) -> ToolSpec | Quarantined:
    if isinstance(given, ToolSpec):
        spec = given
    else:
        try:
            spec = ToolSpec.model_validate(given)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            name = given.get("name") if isinstance(given, Mapping) else None
            return Quarantined(name=str(name or "?"), reason=f"{place}: {first['msg']}")
    reason = _fault(spec)
    return spec if reason is None else Quarantined(name=spec.name, reason=reason)


def _fault(spec: ToolSpec) -> str | None:
    if not spec.name or spec.name != spec.name.strip():
        return "the name is empty or has outer spaces"
    if len(spec.name) > MAX_NAME:
        return f"the name has {len(spec.name)} characters; at most {MAX_NAME} are taken"
    if UNPRINTABLE.search(spec.name):
        return "the name has control, zero-width or direction characters"
    kind = spec.input_schema.get("type", "object")
    if kind != "object":
        return f"the input schema is of type {kind!r}, not an object"
    properties = spec.input_schema.get("properties", {})
    if not isinstance(properties, Mapping):
        return "the input schema's properties are not an object"
    return None


def _tool(spec: ToolSpec, provenance: Provenance, about: str) -> Tool:
    """The tool, with schemas of its own: copied through their JSON, which the digest needs."""
    schema, schema_text = _copied(spec.input_schema)
    output, output_text = (None, "") if spec.output_schema is None else _copied(spec.output_schema)
    parts = (spec.name, spec.label, spec.description)
    "".join((spec.name, spec.label or "", spec.description, *spec.aliases, *spec.groups)).encode()
    return Tool.model_construct(
        EVERY_FIELD,
        id=f"{provenance.kind}:{provenance.owner}:{spec.name}",
        source=provenance.kind,
        owner=provenance.owner,
        name=spec.name,
        label=spec.label,
        description=spec.description,
        input_schema=schema,
        output_schema=output,
        annotations=spec.annotations,
        aliases=spec.aliases,
        groups=spec.groups,
        catalog_mode=spec.catalog_mode,
        sequential=spec.sequential,
        approval=spec.approval,
        trusted=provenance.trusted if spec.trusted is None else spec.trusted,
        timeout_ms=spec.timeout_ms,
        owner_description=about,
        digest=joined(
            (canonical(parts), schema_text, output_text, _annotations_text(spec.annotations))
        ),
        plugin=provenance.plugin,
        origin=provenance.origin,
    )


@lru_cache(maxsize=256)
def _annotations_text(annotations: ToolAnnotations) -> str:
    return canonical(annotations.model_dump())


def _copied(schema: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
    copy: dict[str, Any] = json.loads(STRICT.encode(dict(schema)))
    text = canonical(copy)
    if SURROGATE.search(text):  # halves of a pair stand in JSON like this too: look closer
        json.dumps(copy, ensure_ascii=False).encode()
    return copy, text


def _tool_fingerprint(tool: Tool) -> str:
    return digest(
        tool.id,
        tool.digest,
        tool.aliases,
        tool.groups,
        tool.catalog_mode,
        tool.sequential,
        tool.approval,
        tool.trusted,
        tool.timeout_ms,
        tool.origin,
        tool.owner_description,
    )
