"""generateContent, through the client of Google."""

import base64

import pytest
from google import genai
from google.genai import types

from toolsearch import ConfigError

from .conftest import field

SIGNATURE = base64.b64encode(b"\xff\xfesealed").decode()


def content(*parts):
    candidate = {"content": {"role": "model", "parts": list(parts)}, "finishReason": "STOP"}
    return {"candidates": [candidate]}


def call(name, **arguments):
    return {"functionCall": {"name": name, "args": arguments}}


@pytest.fixture
async def client(provider):
    options = types.HttpOptions(base_url=provider.url)
    client = genai.Client(api_key="k", http_options=options)
    yield client.aio
    await client.aio.aclose()
    client.close()


def request(conversation, run):
    rendered = run.rendered("gemini")
    config = {"tools": rendered.tools, "system_instruction": rendered.prompt}
    return {"model": "m", "contents": conversation, "config": config}


async def ask(client, conversation, run):
    return await client.models.generate_content(**request(conversation, run))


def user(said):
    return {"role": "user", "parts": [{"text": said}]}


def responses(provider):
    parts = provider.requests[-1]["contents"][-1]["parts"]
    return [field(part, "functionResponse")["response"] for part in parts]


async def test_responses_answer_their_calls_in_order_errors_apart_from_outputs(
    host, provider, client, source
):
    run = await host.plan(provider="gemini")
    provider.answers = [
        content(
            {"text": "hm", "thought": True},
            call("tool_call", id="pay", args={"iban": "DE1"}) | {"thoughtSignature": SIGNATURE},
            call("tool_call", id="fail"),
        ),
        content({"text": "Done."}),
    ]
    conversation = [user("pay")]
    step = await run.respond(await ask(client, conversation, run))
    conversation += step.messages
    last = await run.respond(await ask(client, conversation, run))
    assert last.done
    sent = field(provider.requests[1]["contents"][1]["parts"][1], "thoughtSignature")
    assert base64.urlsafe_b64decode(sent + "==") == b"\xff\xfesealed"
    paid, failed = responses(provider)
    assert paid["output"]["result"] == {"did": "pay"}
    assert failed["error"]["code"] == "tool_error"
    assert "output" not in failed


async def test_a_streamed_answer_is_put_together_from_its_chunks(host, provider, client, source):
    run = await host.plan(provider="gemini")
    provider.answers = [
        [
            content({"text": "One mo"}),
            content({"text": "ment."}, call("tool_call", id="plant")),
            content(call("tool_call", id="9.lives")),
            {"candidates": [{"finishReason": "STOP"}], "usageMetadata": {}},
        ],
        content({"text": "Done."}),
    ]
    conversation = [user("plant")]
    stream = await client.models.generate_content_stream(**request(conversation, run))
    conversation += (await run.respond(stream)).messages
    await ask(client, conversation, run)
    assert {name for name, _ in source.called} == {"plant", "9.lives"}


async def test_arguments_that_come_in_pieces_are_put_in_their_places(host, source):
    run = await host.plan(provider="gemini")

    def piece(path, **value):
        return {"jsonPath": path, **value}

    def partial(*pieces, **more):
        return content({"functionCall": {"partialArgs": list(pieces), **more}})

    chunks = [
        content({"functionCall": {"name": "tool_call", "willContinue": True}}),
        partial(piece("$.id", stringValue="pl", willContinue=True), willContinue=True),
        partial(piece("$.id", stringValue="ant"), willContinue=True),
        partial(piece("$.args.tree['kind']", stringValue="oak"), willContinue=True),
        partial(
            piece("$..", stringValue="lost"), piece("$.args.tree.branch.kind", stringValue="b")
        ),
    ]
    await run.respond(chunks)
    assert source.called == [("plant", {"tree": {"kind": "oak", "branch": {"kind": "b"}}})]


async def test_awkward_tools_shown_directly_are_taken_by_the_provider_and_stay_callable(
    host, provider, client, source
):
    run = await host.plan(provider="gemini", mode="direct")
    provider.answers = [
        content(call("h_he_messen"), call("search", _top=3, kind="mail")),
        content({"text": "Done."}),
    ]
    conversation = [user("go")]
    conversation += (await run.respond(await ask(client, conversation, run))).messages
    await ask(client, conversation, run)
    assert ("höhe messen", {}) in source.called
    assert responses(provider)[1]["error"]["code"] == "invalid_arguments"


async def test_keywords_that_gemini_lacks_are_said_in_others_or_left_out(host):
    run = await host.plan(provider="gemini", mode="direct")
    rendered = run.rendered()
    (declared,) = rendered.tools
    search = next(d for d in declared["functionDeclarations"] if d["name"] == "search")
    assert search["parametersJsonSchema"] == {
        "type": "object",
        "properties": {
            "_top": {"type": "integer", "minimum": 0},
            "kind": {"enum": ["mail"]},
            "address": {"type": "string"},
            "tags": {"type": "array", "items": {}},
            "both": {"type": "object", "properties": {"a": {"type": "string"}}},
        },
        "required": ["_top"],
    }
    said = next(change for change in rendered.changes if change.startswith("search: "))
    assert "format email, pattern" in said
    assert "$top as _top" in said


async def test_more_declarations_than_gemini_takes_are_refused_before_anything_is_sent(
    host, source
):
    names = [f"tool_{n}" for n in range(513)]
    source.specs = {name: source.specs["fail"].model_copy(update={"name": name}) for name in names}
    run = await host.plan(provider="gemini", mode="direct")
    with pytest.raises(ConfigError, match="gemini takes at most 512"):
        run.rendered()


async def test_an_answer_without_content_ends_the_turn(host):
    run = await host.plan(provider="gemini")
    blocked = {"promptFeedback": {"blockReason": "SAFETY"}}
    unread = {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]}
    for nothing in (blocked, unread):
        step = await run.respond(nothing)
        assert step.done
        assert step.messages == ()


async def test_a_message_of_another_provider_is_refused(host):
    run = await host.plan(provider="gemini")
    with pytest.raises(ValueError, match="no answer of Gemini"):
        await run.respond({"choices": []})


async def test_what_is_sent_has_the_types_of_the_client(host):
    run = await host.plan(provider="gemini", mode="direct")
    step = await run.respond(content({"text": "So."}, call("fail"), call("plant")))
    for tool in run.rendered().tools:
        types.Tool.model_validate(tool)
    for message in step.messages:
        types.Content.model_validate(message)
