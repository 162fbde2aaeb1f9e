"""A tool whose schema is no JSON Schema spoils no request: what a model is given is mended, and the
operator is told.
"""

import json

import jsonschema
import pytest

from toolsearch_hookspecs import ToolSpec

from ..conftest import ListSource

ODD = {
    "type": "object",
    "properties": {"celsius": {"type": "numbr", "minimum": "0"}, "pot": {"type": "int"}},
    "required": "celsius",
}
SOUND = {"type": "object", "properties": {"pot": {"type": "string"}}, "required": ["pot"]}
DRAFT = jsonschema.Draft202012Validator


class Kitchen(ListSource):
    """Two tools, one of them with a schema that is none."""

    def __init__(self):
        super().__init__("kitchen", {"boil": lambda **given: given, "clean": lambda pot: pot})
        self.specs["boil"] = ToolSpec(name="boil", description="Boil water", input_schema=ODD)
        self.specs["clean"] = ToolSpec(name="clean", description="Clean a pot", input_schema=SOUND)


def is_json_schema(schema):
    return list(DRAFT(DRAFT.META_SCHEMA).iter_errors(schema)) == []


def mended_of(run):
    return [each for each in run.diagnostics if each.code == "schema_mended"]


MODES = {
    "direct": {},
    "always visible": {"toolSearch": {"mode": "tools"}, "alwaysVisible": ["boil", "clean"]},
}


@pytest.mark.parametrize("tools", MODES.values(), ids=MODES)
async def test_every_schema_that_a_model_is_given_is_json_schema_and_the_operator_is_told(
    started, tools
):
    host = await started({"tools": tools}, Kitchen())
    run = await host.plan()
    shown = {tool.name: tool.input_schema for tool in run.surface.tools}
    assert {"boil", "clean"} <= set(shown)
    assert all(map(is_json_schema, shown.values()))
    assert shown["boil"]["properties"] == {"celsius": {}, "pot": {"type": "integer"}}
    (told,) = mended_of(run)
    assert told.level == "warning"
    assert told.subject == "plugin:kitchen:boil"
    assert "/required is 'celsius', left out" in told.message
    assert "/properties/celsius/type is 'numbr', left out" in told.message


async def test_a_sound_schema_is_shown_as_it_is_and_is_looked_at_once_a_catalog(started):
    host = await started({}, Kitchen())
    one, two = await host.plan(), await host.plan()
    (clean,) = [tool for tool in one.surface.tools if tool.name == "clean"]
    assert clean.input_schema == SOUND
    fits = [one.catalog.sent(tool) for tool in one.catalog.tools]
    assert all(two.catalog.sent(t) is fit for t, fit in zip(two.catalog.tools, fits, strict=True))
    assert one.catalog is two.catalog


@pytest.mark.parametrize("surface", ["openai-chat", "openai-responses", "anthropic", "gemini"])
async def test_a_providers_form_of_it_is_json_schema_too(started, surface):
    run = await (await started({}, Kitchen())).plan()
    text = json.dumps(run.rendered(surface).tools)
    assert "boil" in text
    for lost in ("numbr", '"required": "celsius"', '"int"', '"minimum": "0"'):
        assert lost not in text


async def test_schemas_that_a_mode_shows_beside_its_control_tools_are_mended_too(started):
    config = {"tools": {"toolSearch": {"mode": "directory"}}}
    run = await (await started(config, Kitchen())).plan(required=["boil"])
    shown = {tool.name: tool.input_schema for tool in run.surface.tools}
    assert is_json_schema(shown["boil"])
    assert [each.code for each in mended_of(run)] == ["schema_mended"]


async def test_the_tool_is_described_as_it_was_written_and_called_without_what_cannot_be_applied(
    started,
):
    host = await started({"tools": {"toolSearch": {"mode": "tools"}}}, Kitchen())
    run = await host.plan()
    assert mended_of(run) == []
    described = await run.handle("tool_describe", {"id": "boil"})
    assert described.value["inputSchema"] == ODD
    assert (await run.call("boil", {"celsius": "hot"})).value == {"celsius": "hot"}
    await run.call("boil", {"celsius": "hotter"})
    (told,) = [each for each in host.diagnostics() if each.code == "schema_not_applied"]
    assert told.subject == "plugin:kitchen:boil"
    assert told.level == "info"
    assert "type at /properties/celsius" in told.message
