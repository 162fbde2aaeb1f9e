"""A third party's plugin: a source, a policy and a hook in one small package."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from toolsearch_hookspecs import (
    Deny,
    PluginContext,
    PolicyAnswer,
    Ruling,
    RunContext,
    Settings,
    SettingsSpec,
    SourceKind,
    SourceListing,
    Tool,
    ToolAnnotations,
    ToolCall,
    ToolError,
    ToolSource,
    ToolSpec,
    hookimpl,
)

KEEPER = "stock-keeper"
PIECE = {"type": "string", "description": "The article number, such as A-100."}


class WarehouseSettings(Settings):
    """`plugins.settings.warehouse`."""

    max_order: int = 100


class Warehouse(ToolSource):
    """A stock list that lives as long as the host."""

    name = "warehouse"
    kind: SourceKind = "plugin"
    trusted = True
    origin = "warehouse-tools"

    def __init__(self) -> None:
        self._stock = {"A-100": 12, "B-200": 0, "C-300": 77}
        self._tools: Mapping[str, Callable[..., Any]] = {
            "stock_level": self.stock_level,
            "order_articles": self.order_articles,
            "clear_stock": self.clear_stock,
        }

    async def list_tools(self, run: RunContext) -> SourceListing:
        return SourceListing(generation="1", tools=TOOLS)

    async def call(self, call: ToolCall) -> Any:
        return self._tools[call.tool.name](**call.arguments)

    def stock_level(self, article: str) -> dict[str, Any]:
        if article not in self._stock:
            message = f"there is no article {article}; there are {', '.join(self._stock)}"
            raise ToolError(message)
        return {"article": article, "pieces": self._stock[article]}

    def order_articles(self, article: str, pieces: int) -> dict[str, Any]:
        self._stock[article] = self._stock.get(article, 0) + pieces
        return self.stock_level(article)

    def clear_stock(self) -> dict[str, Any]:
        gone = sum(self._stock.values())
        self._stock = dict.fromkeys(self._stock, 0)
        return {"removed": gone}


TOOLS = (
    ToolSpec(
        name="stock_level",
        description="How many pieces of an article lie in the warehouse.",
        input_schema={
            "type": "object",
            "properties": {"article": PIECE},
            "required": ["article"],
            "additionalProperties": False,
        },
        annotations=ToolAnnotations(read_only=True),
    ),
    ToolSpec(
        name="order_articles",
        description="Order pieces of an article into the warehouse.",
        input_schema={
            "type": "object",
            "properties": {"article": PIECE, "pieces": {"type": "integer", "minimum": 1}},
            "required": ["article", "pieces"],
            "additionalProperties": False,
        },
        annotations=ToolAnnotations(read_only=False, destructive=False),
    ),
    ToolSpec(
        name="clear_stock",
        description="Write the whole stock off.",
        annotations=ToolAnnotations(read_only=False, destructive=True),
        sequential=True,
    ),
)


class WarehousePlugin:
    """What the entry point names: one object for each host."""

    @hookimpl
    def toolsearch_settings(self) -> SettingsSpec:
        return SettingsSpec(model=WarehouseSettings)

    @hookimpl
    def toolsearch_configure(self, plugin: PluginContext) -> None:
        self._max_order: int = plugin.settings.max_order

    @hookimpl
    def toolsearch_tool_sources(self, plugin: PluginContext) -> Iterable[ToolSource]:
        return (Warehouse(),)

    @hookimpl(inline=True)
    def toolsearch_tool_policy(
        self, run: RunContext, tools: Sequence[Tool], arguments: Mapping[str, Any] | None
    ) -> PolicyAnswer | None:
        if run.agent == KEEPER:
            return PolicyAnswer(cache_key="keeper")
        ruling = Ruling(reason=f"only the agent {KEEPER} may write stock off")
        denied = {tool.id: ruling for tool in tools if _clears(tool)}
        return PolicyAnswer(denied=denied, cache_key="others")

    @hookimpl
    async def toolsearch_before_tool_call(self, call: ToolCall) -> Deny | None:
        pieces = call.arguments.get("pieces", 0)
        if call.tool.owner == "warehouse" and isinstance(pieces, int) and pieces > self._max_order:
            return Deny(reason=f"{pieces} pieces are more than one order may have")
        return None


def _clears(tool: Tool) -> bool:
    return tool.owner == "warehouse" and tool.annotations.destructive is True


plugin = WarehousePlugin
