"""The stages that plugins yield: sources, indexes, modes and surfaces (runners: `_code`).

Each is a protocol with a `name`; a class may inherit it for the default bodies or merely fit it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from ._calls import ToolCall, ToolResult
from ._code import Bridge, CodeLimits, CodeRunner
from ._model import Record
from ._runs import RunContext, ToolSearchSettings
from ._tools import SourceKind, SourceListing, Tool


@runtime_checkable
class ToolSource(Protocol):
    """Where tools come from.

    `name` becomes the owner of its tools (`[a-z0-9_.-]+`, unique in its kind). `kind` is
    `plugin`, or `mcp` for servers; only the host itself is `openclaw`. `trusted` says whether its
    texts were written by the deployment or an installed plugin. `origin` identifies what
    executes the tools, without secrets; grants are bound to it.

    A source that lacks a member, or has a `def` where `async def` stands here, is left out and
    reported, and its siblings stay; so it is with everything that a plugin yields.
    """

    name: str
    kind: SourceKind
    trusted: bool
    origin: str

    async def start(self, changed: Callable[[], None]) -> None:
        """Called once, when the host starts; must return soon. Call `changed` (from any thread)
        when the list of tools has changed: runs ask for it again before their next step.
        """

    async def list_tools(self, run: RunContext) -> SourceListing:
        """The tools for this run. Raise `SourceUnavailable` when they cannot be had now: the run
        goes on without them and is told.
        """
        ...

    async def call(self, call: ToolCall) -> ToolResult | Any:
        """Execute the call, with `call.tool.name` and `call.arguments`, already validated.

        Give a JSON value, or a `ToolResult`. Raise `ToolError` for a failure of the tool and
        `SourceUnavailable` where it certainly did not run. Cancellation is the deadline.
        """
        ...

    async def aclose(self) -> None:
        """Called once, when the host closes, whatever state it is in."""


class Allowed(Record):
    """The tools that one run may use, by `Tool.key`; equal fingerprints mean equal keys."""

    fingerprint: str
    keys: frozenset[str]


class SearchQuery(Record):
    """Plain words to rank by, and the words that every hit must have (`+word`)."""

    text: str
    required: tuple[str, ...] = ()


class Hit(Record):
    """A key with its score (comparable within one answer) and confidence (0 to 1)."""

    key: str
    score: float
    confidence: float


@runtime_checkable
class SearchIndex(Protocol):
    """Ranks tools for a query. One index holds the tools of all runs; `allowed` masks it.

    The host keeps ids, names, filters and `select:` to itself (they work with every index); an
    index is asked for ranking only. `update` and `search` may overlap: a search sees the tools
    before or after, never half.
    """

    name: str

    async def update(self, added: Sequence[Tool], removed: frozenset[str]) -> None:
        """Add tools (keys not seen before) and remove keys; unknown keys are ignored."""
        ...

    async def search(self, query: SearchQuery, *, limit: int, allowed: Allowed) -> Sequence[Hit]:
        """At most `limit` hits among the allowed keys, best first; equal scores by key.

        No usable terms or no match gives none. Never raises for the text of a query.
        """
        ...

    async def aclose(self) -> None:
        """Give up whatever is held."""


class RankedTool(Record):
    """One hit as the rank hook sees it."""

    tool: Tool
    score: float
    confidence: float


class ToolDefinition(Record):
    """One tool as a model is given it, in the neutral form that surfaces render."""

    name: str
    description: str
    input_schema: Mapping[str, Any]
    output_schema: Mapping[str, Any] | None = None


class ModelSurface(Record):
    """What the model is given: tool definitions and an optional addition to the prompt.

    Where the provider's own tool search is executed by the host, `search` is its
    definition and `deferred` are the tools that it may load.
    """

    tools: tuple[ToolDefinition, ...] = ()
    prompt: str | None = None
    search: ToolDefinition | None = None
    deferred: tuple[ToolDefinition, ...] = ()


class PlannedCatalog(Record):
    """What a mode renderer may draw on: the same inputs must give the same bytes.

    `tools` are the compacted tools, sorted by id; `visible` the direct-only and always-visible
    ones; `controls` the definitions of the host's three structured control tools by name.
    `context_chars` is the model's context where known; `message` the user's message and `likely`
    the tools that the index picked from it, `required` those the run asked for. Equal
    `fingerprint`s, where there is one, mean equal `tools`: what was drawn of them may be kept.
    """

    context: RunContext
    settings: ToolSearchSettings
    tools: tuple[Tool, ...]
    visible: tuple[Tool, ...]
    controls: Mapping[str, ToolDefinition]
    context_chars: int | None = None
    message: str | None = None
    likely: tuple[Tool, ...] = ()
    required: tuple[Tool, ...] = ()
    fingerprint: str | None = None


@runtime_checkable
class RunApi(Protocol):
    """One planned run, as modes, ways in and commands hold it."""

    context: RunContext
    settings: ToolSearchSettings
    runner: CodeRunner | None

    @property
    def mode(self) -> str: ...

    @property
    def surface(self) -> ModelSurface: ...

    async def refresh(self) -> bool:
        """Bring the surface up to date with sources and policy; gives whether it is another.
        Calls under way go on. Raises ConfigError where the mode cannot be had any more.
        """

    async def handle(self, name: str, arguments: Any, *, call_id: str | None = None) -> ToolResult:
        """Answer one tool call of the model: a control tool, a visible tool, or the exact name of
        a hidden one. Never raises for what the model sent.
        """
        ...

    def rendered(self, surface: str | None = None) -> RenderedSurface:
        """The surface in a provider's own form, `openai-chat` say; without a name the run's
        provider decides. Raises ConfigError where no loaded plugin speaks it, or it takes fewer
        tools.
        """
        ...

    async def deliver(
        self, call_id: str, value: Any = None, *, error: str | None = None
    ) -> ToolResult:
        """Give the caller's result (or error) of a call that was handed back; gives what the
        model is told. Raises LookupError where no such call waits.
        """
        ...

    async def control(self, name: str, arguments: Any, *, call_id: str | None = None) -> ToolResult:
        """Answer `tool_search`, `tool_describe` or `tool_call`."""
        ...

    def bridge(self, call_id: str) -> Bridge:
        """A bridge for one body of code."""
        ...

    def code_limits(self) -> CodeLimits: ...

    async def aclose(self) -> None: ...


@runtime_checkable
class ModeRenderer(Protocol):
    """Shapes what the model sees. `mode` is the word in the configuration.

    `controls` are the names of the control tools it shows; calls of those come to `handle`.
    `needs_runner` says that it cannot work without an isolated code runner.

    Two attributes are optional, and False where a renderer lacks them: `shows_client_tools` keeps
    the caller's tools visible beside the control tools, `shows_schemas` has the host pick
    the required and the likely tools.
    """

    name: str
    mode: str
    controls: tuple[str, ...]
    needs_runner: bool

    def render(self, catalog: PlannedCatalog) -> ModelSurface:
        """The control tools and the prompt addition; the host adds the visible tools."""
        ...

    async def handle(self, run: RunApi, name: str, arguments: Any, call_id: str) -> ToolResult:
        """Answer a call of one of `controls`."""
        ...


class ModelCall(Record):
    """One tool call as a provider's message carried it: name and arguments as the model wrote
    them. `search` marks a call of the provider's own tool search.
    """

    id: str
    name: str
    arguments: Any
    search: bool = False


class SurfaceLimits(Record):
    """What a provider takes of a tool. The host fits every definition to it before `render`: one
    that does not fit would have the provider refuse the whole request.

    `name_chars` and `parameter_chars` are the insides of a character class (None: any); a name
    begins with a letter or `_`. `parameter_chars` and `max_parameter` hold for the properties at
    the root of a schema. `keywords` and `formats`, where given, are the only ones taken.
    `searches` says that the provider has a tool search which its client may execute.
    """

    max_tools: int | None = None
    name_chars: str = "A-Za-z0-9_-"
    max_name: int = 64
    max_description: int | None = None
    parameter_chars: str | None = None
    max_parameter: int = 64
    keywords: frozenset[str] | None = None
    formats: frozenset[str] | None = None
    searches: bool = False


class RenderedSurface(Record):
    """A surface in a provider's own form, and what had to be changed for it.

    The host fills `names` (the provider's name of a tool to the run's), `parameters` (by the
    provider's name of a tool, its properties' names to the tool's own) and `changes`. `search` is
    the name of the search tool and `deferred` what it may load, in the provider's form, by name.
    """

    tools: Any
    prompt: str | None = None
    names: Mapping[str, str] = {}
    parameters: Mapping[str, Mapping[str, str]] = {}
    changes: tuple[str, ...] = ()
    search: str | None = None
    deferred: Mapping[str, Any] = {}


@runtime_checkable
class Surface(Protocol):
    """Speaks one provider's form of tools, calls and results, in plain JSON values.

    What it is handed of a provider's may be JSON values or the objects of the provider's client.
    """

    name: str
    provider: str
    limits: SurfaceLimits

    def render(self, surface: ModelSurface) -> RenderedSurface:
        """Draw definitions that fit `limits`; `search` and `deferred` where they are given."""
        ...

    def joined(self, chunks: Sequence[Any]) -> Any:
        """The message of a streamed answer, from all of its chunks."""
        ...

    def calls(self, message: Any, rendered: RenderedSurface) -> Sequence[ModelCall]:
        """The tool calls in a provider's message, as they stand there."""
        ...

    def history(self, message: Any) -> Sequence[Any]:
        """The model's message as the next request's conversation carries it."""
        ...

    def results(
        self, results: Sequence[tuple[ModelCall, ToolResult]], rendered: RenderedSurface
    ) -> Sequence[Any]:
        """The messages that carry the results back, in order. The value of a search is the list of
        the names in `rendered.deferred` that it found.
        """
        ...
