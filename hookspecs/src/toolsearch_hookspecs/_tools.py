"""Tools: as a source declares them, and as the host catalogues them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from ._model import Record

SourceKind = Literal["openclaw", "plugin", "mcp", "client"]
CatalogMode = Literal["catalog", "direct-only"]

ANY_NAME = "*"
"""The name of the tool that stands in for all those of a source which has not listed any yet."""

EMPTY_SCHEMA: Mapping[str, Any] = {"type": "object", "properties": {}}


class ToolAnnotations(Record):
    """What a tool says of its own effects, in MCP's words (`readOnlyHint`, ...).

    `None` is "not said": policy takes an absent `destructive` as true.
    """

    model_config = ConfigDict(
        frozen=True, extra="ignore", populate_by_name=True, alias_generator=to_camel
    )

    read_only: bool | None = Field(default=None, alias="readOnlyHint")
    destructive: bool | None = Field(default=None, alias="destructiveHint")
    idempotent: bool | None = Field(default=None, alias="idempotentHint")
    open_world: bool | None = Field(default=None, alias="openWorldHint")


class ToolSpec(Record):
    """One tool as its source declares it.

    `name` is free text here; the host quarantines the names that cannot make an id. `trusted`,
    left out, is the source's. `approval` is the tool's own mark: the reason why a person should
    be asked before each call. `sequential` tools run one at a time across a run. `groups` are the
    policy groups that the tool says it belongs to (`fs` for `group:fs`).
    """

    name: str
    description: str = ""
    label: str | None = None
    input_schema: Mapping[str, Any] = EMPTY_SCHEMA
    output_schema: Mapping[str, Any] | None = None
    annotations: ToolAnnotations = ToolAnnotations()
    aliases: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    catalog_mode: CatalogMode = "catalog"
    sequential: bool = False
    approval: str | None = None
    trusted: bool | None = None
    timeout_ms: int | None = Field(default=None, gt=0)


class ClientTool(Record):
    """One tool that the caller supplies for one run: a spec, and the function that executes it.

    The function gets the arguments as one mapping, and may be async; a plain one runs on a
    thread of the run. Without a function the tool
    is direct-only, and its calls are handed back to the caller (`ToolResult.handed_back`, then
    `run.deliver`). Client texts are untrusted.
    """

    spec: ToolSpec
    execute: Callable[[Mapping[str, Any]], Any] | None = None


class Quarantined(Record):
    """A tool that was left out, with the reason; its siblings stay."""

    name: str
    reason: str


class SourceListing(Record):
    """What a source has now.

    `generation` changes whenever the tools do: the host reuses what it already validated and
    digested while it stays the same, and knows a `ToolSpec` object again: never change one in
    place. A tool may be given as a mapping with the fields of
    `ToolSpec`; one that does not fit is quarantined by the host. `quarantined` are those that the
    source itself had to leave out. `description` is what the source says of itself (a server's
    instructions, say): search reads it beside each tool's own text, and nobody shows it.
    """

    generation: str
    tools: Sequence[ToolSpec | Mapping[str, Any]]
    quarantined: Sequence[Quarantined] = ()
    description: str = ""


class Tool(Record):
    """One tool as the host catalogues it: `ToolSpec` with its identity and provenance.

    `id` is `source:owner:name`. `digest` covers name, description, schemas and annotations:
    a grant is bound to it. `origin` is the identity of what executes the tool (a server's
    command or address, a plugin's distribution), `plugin` the entry point that brought it.
    `owner_description` is its listing's `description`, for search only.
    """

    id: str
    source: SourceKind
    owner: str
    name: str
    label: str | None = None
    description: str = ""
    input_schema: Mapping[str, Any] = EMPTY_SCHEMA
    output_schema: Mapping[str, Any] | None = None
    annotations: ToolAnnotations = ToolAnnotations()
    aliases: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    catalog_mode: CatalogMode = "catalog"
    sequential: bool = False
    approval: str | None = None
    trusted: bool = False
    timeout_ms: int | None = None
    owner_description: str = ""
    digest: str
    plugin: str
    origin: str

    @property
    def key(self) -> str:
        """What an index files the tool under: the id and the digest, so that two runs whose
        client tools share an id but differ do not meet.
        """
        return f"{self.id}@{self.digest}"
