from warehouse_tools import WarehousePlugin, WarehouseSettings

from toolsearch_hookspecs import Deny, PluginContext, RunContext, Tool, ToolCall


def loaded(tmp_path):
    context = PluginContext(
        name="warehouse",
        settings=WarehouseSettings(max_order=5),
        base_dir=tmp_path,
        state_dir=tmp_path,
    )
    plugin = WarehousePlugin()
    plugin.toolsearch_configure(context)
    return plugin, context


async def test_an_order_over_the_limit_is_denied(tmp_path):
    plugin, _ = loaded(tmp_path)
    tool = Tool(
        id="plugin:warehouse:order_articles",
        source="plugin",
        owner="warehouse",
        name="order_articles",
        digest="d",
        plugin="warehouse",
        origin="warehouse-tools",
    )
    call = ToolCall(
        id="c", tool=tool, arguments={"pieces": 6}, run=RunContext(run_id="r"), via="direct"
    )
    assert isinstance(await plugin.toolsearch_before_tool_call(call), Deny)


async def test_the_source_lists_three_tools(tmp_path):
    plugin, context = loaded(tmp_path)
    (source,) = plugin.toolsearch_tool_sources(context)
    listing = await source.list_tools(RunContext(run_id="r"))
    assert [tool.name for tool in listing.tools] == ["stock_level", "order_articles", "clear_stock"]
