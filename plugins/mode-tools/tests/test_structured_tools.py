from toolsearch_hookspecs import (
    PlannedCatalog,
    RunContext,
    Tool,
    ToolDefinition,
    ToolSearchSettings,
)
from toolsearch_mode_tools import StructuredTools


def catalog(tools=()):
    controls = {
        name: ToolDefinition(name=name, description=f"the host's {name}", input_schema={})
        for name in ("tool_call", "tool_search", "tool_describe")
    }
    return PlannedCatalog(
        context=RunContext(run_id="r"),
        settings=ToolSearchSettings(),
        tools=tools,
        visible=(),
        controls=controls,
    )


def test_the_model_sees_exactly_the_three_control_tools_in_one_order():
    surface = StructuredTools().render(catalog())
    assert [tool.name for tool in surface.tools] == ["tool_search", "tool_describe", "tool_call"]
    assert surface.prompt is None


def test_a_larger_catalog_does_not_grow_the_surface():
    tools = tuple(
        Tool(
            id=f"plugin:p:t{n}",
            source="plugin",
            owner="p",
            name=f"t{n}",
            digest="d",
            plugin="p",
            origin="o",
        )
        for n in range(500)
    )
    assert StructuredTools().render(catalog(tools)) == StructuredTools().render(catalog())


async def test_every_call_of_a_control_tool_goes_to_the_host_with_its_call_id():
    class Run:
        async def control(self, name, arguments, *, call_id=None):
            return name, arguments, call_id

    answer = await StructuredTools().handle(Run(), "tool_search", {"query": "x"}, "c1")
    assert answer == ("tool_search", {"query": "x"}, "c1")
