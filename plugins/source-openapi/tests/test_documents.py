"""Three large documents that their providers publish: taken in whole, every operation called.

The server holds each request against the document with openapi-core.
"""

from __future__ import annotations

from time import perf_counter

import jsonschema
import pytest

from toolsearch.testing import make_call, make_run, make_tool, observed_host
from toolsearch_hookspecs import ToolError
from toolsearch_source_openapi._settings import DocumentSettings
from toolsearch_source_openapi._source import OpenapiSource

from .examples import example

pytestmark = pytest.mark.slow

OPERATIONS = {"github": 1223, "twilio": 197, "openai": 271}
SCHEMES = {
    "github": (),
    "twilio": ("accountSid_authToken",),
    "openai": ("ApiKeyAuth", "AdminApiKeyAuth"),
}
TYPED_IN_PARTS = {
    "openai": {
        "CreateSkillVersion",
        "create-realtime-call",
        "createImageVariation",
        "createTranscription",
        "createTranslation",
    }
}
"""Bodies of several parts with numbers or texts of their own kind, which openapi-core leaves untyped."""
WANTED = {
    "github": ("create an issue in a repository", "issues_create", {"title": "Crash"}),
    "twilio": (
        "send a text message",
        "CreateMessage",
        {"To": "+15550100", "From": "+15550101", "Body": "Hi"},
    ),
    "openai": ("embedding vector of a text", "createEmbedding", {"model": "m", "input": "hello"}),
}


def settings_of(name, document, server):
    auth = dict.fromkeys(SCHEMES[name], "KEY")
    return {"document": str(document), "server": server, "auth": auth}


@pytest.fixture
async def taken(published, judge):
    """A document's name, its source, and the server that judges."""
    name, document = published
    judging, server = judge(document)
    settings = DocumentSettings.model_validate(settings_of(name, document, server))
    source = OpenapiSource(name, settings, document.parent, {"KEY": "ada:secret"})
    await source.start(lambda: None)
    yield name, source, judging
    await source.aclose()


async def test_every_operation_is_called_as_its_document_says(taken):
    name, source, judging = taken
    refused = {}
    for tool in (await source.list_tools(make_run())).tools:
        schema = tool.input_schema
        arguments = example(schema, schema.get("$defs", {}))
        jsonschema.Draft202012Validator(schema).validate(arguments)
        try:
            await source.call(make_call(make_tool(tool.name), arguments=arguments))
        except ToolError as error:
            refused[tool.name] = str(error)
    assert set(refused) == TYPED_IN_PARTS.get(name, set()), refused
    assert all(
        "is not of type" in said or "not valid under any" in said for said in refused.values()
    )
    assert len(judging.requests) == OPERATIONS[name]
    with_credentials = [headers for *_, headers, _ in judging.requests if headers["Authorization"]]
    assert bool(with_credentials) is bool(SCHEMES[name])


async def test_a_host_takes_in_every_operation_and_calls_the_one_that_is_searched(
    published, judge, tmp_path
):
    name, document = published
    judging, server = judge(document)
    asked, wanted, body = WANTED[name]
    documents = {name: settings_of(name, document, server)}
    config = {
        # three megabytes of YAML take a busy machine longer than a host's patience
        "tools": {"toolSearch": {"mode": "tools"}, "limits": {"sourceTimeoutMs": 120_000}},
        "plugins": {"settings": {"source-openapi": {"documents": documents}}},
    }
    only = ("source-openapi", "index-whoosh", "mode-tools")
    begun = perf_counter()
    async with observed_host(tmp_path, config, only=only, environ={"KEY": "ada:secret"}) as host:
        run = await host.plan()
        taken_in = perf_counter() - begun
        assert len(await host.all_tools()) == OPERATIONS[name]
        assert [said for said in run.diagnostics if said.level != "info"] == []
        found = await run.handle("tool_search", {"query": asked, "limit": 5})
        hits = {hit["name"]: hit["id"] for hit in found.value["hits"]}
        described = await run.handle("tool_describe", {"id": hits[wanted]})
        schema = described.value["inputSchema"]
        others = [n for n in schema.get("required", ()) if n != "body"]
        arguments = {n: example(schema["properties"][n], {}) for n in others} | {"body": body}
        done = await run.handle("tool_call", {"id": hits[wanted], "args": arguments})
    assert done.error is None, done.text
    assert len(judging.requests) == 1
    assert taken_in < 120, f"{name} took {taken_in:.1f} s"
