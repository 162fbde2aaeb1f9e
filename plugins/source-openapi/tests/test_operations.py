"""Operations against a real server on this machine."""

import asyncio
import base64
import json
import threading
from email import message_from_bytes
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

import pytest
import yaml
from jsonschema import Draft202012Validator
from pydantic import TypeAdapter

from toolsearch.testing import ToolSourceConformance, make_call, make_run, make_tool
from toolsearch_hookspecs import SourceUnavailable, ToolError
from toolsearch_source_openapi import plugin
from toolsearch_source_openapi._settings import DocumentSettings
from toolsearch_source_openapi._source import OpenapiSource

DOCUMENT = {
    "openapi": "3.0.3",
    "info": {"title": "Shop", "version": "1"},
    "servers": [{"url": "http://127.0.0.1:1/{base}", "variables": {"base": {"default": "v1"}}}],
    "paths": {
        "/orders/{id}": {
            "parameters": [{"$ref": "#/components/parameters/Id"}],
            "get": {
                "operationId": "getOrder",
                "summary": "Get one order.",
                "tags": ["orders"],
                "parameters": [
                    {"name": "fields", "in": "query", "schema": {"type": "array", "items": {}}},
                    {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
                ],
            },
            "delete": {"summary": "Cancel an order.", "security": [{"key": []}]},
        },
        "/orders": {
            "post": {
                "operationId": "create order",
                "requestBody": {
                    "required": True,
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Order"}}
                    },
                },
            }
        },
        "/login": {
            "post": {
                "operationId": "login",
                "security": [{"basic": []}],
                "requestBody": {
                    "content": {
                        "application/x-www-form-urlencoded": {
                            "schema": {"type": "object"},
                            "encoding": {"scopes": {"explode": False}},
                        }
                    }
                },
            }
        },
        "/find": {
            "get": {
                "operationId": "find",
                "parameters": [
                    {"name": "filter", "in": "query", "style": "deepObject", "schema": {}},
                    {"name": "tags", "in": "query", "style": "pipeDelimited", "schema": {}},
                    {"name": "ids", "in": "query", "explode": False, "schema": {}},
                    {"name": "where", "in": "query", "content": {"application/json": {}}},
                ],
            }
        },
        "/files": {
            "post": {
                "operationId": "upload",
                "requestBody": {
                    "content": {
                        "application/json": {"schema": {"$ref": "#/components/schemas/Upload"}},
                        "multipart/form-data": {
                            "schema": {"$ref": "#/components/schemas/Upload"},
                            "encoding": {"note": {"contentType": "text/markdown"}},
                        },
                    }
                },
            }
        },
        "/elsewhere": {"get": {"operationId": "elsewhere"}},
        "/large": {"get": {"operationId": "large"}},
        "/broken": {"get": {"operationId": "broken", "security": [{}, {"key": []}]}},
    },
    "components": {
        "parameters": {
            "Id": {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
        },
        "schemas": {
            "Order": {
                "type": "object",
                "required": ["article"],
                "properties": {
                    "article": {"type": "string", "nullable": True, "example": "A-100"},
                    "pieces": {"type": "integer", "minimum": 0, "exclusiveMinimum": True},
                    "parent": {"$ref": "#/components/schemas/Order"},
                },
            },
            "Unused": {"type": "string"},
            "Serial": {"type": "integer", "readOnly": True},
            "Upload": {
                "type": "object",
                "required": ["id", "file"],
                "properties": {
                    "id": {"type": "string", "readOnly": True},
                    "serial": {"$ref": "#/components/schemas/Serial"},
                    "file": {"type": "string", "format": "binary", "description": "The picture."},
                    "more": {"type": "array", "items": {"type": "string", "format": "binary"}},
                    "note": {"type": "string"},
                    "size": {"type": "object", "properties": {"filename": {"type": "string"}}},
                },
            },
        },
        "securitySchemes": {
            "key": {"type": "apiKey", "in": "query", "name": "api_key"},
            "basic": {"type": "http", "scheme": "basic"},
        },
    },
}


class Echo(BaseHTTPRequestHandler):
    """Answers what it was asked, as JSON."""

    def answer(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        status, extra = 200, {}
        said = {"method": self.command, "path": self.path, "headers": {}}
        said |= {"body": raw.decode(errors="replace"), "raw": base64.b64encode(raw).decode()}
        said["headers"] = {key.lower(): value for key, value in self.headers.items()}
        if self.path.startswith("/v1/elsewhere"):
            status, extra = 302, {"Location": "http://127.0.0.1:1/secret"}
        if self.path.startswith("/v1/broken"):
            status = 503
        text = json.dumps(said if "large" not in self.path else ["x" * 9_000]).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **extra}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_DELETE = answer  # noqa: N815

    def log_message(self, *given):
        pass


@pytest.fixture(scope="module")
def server():
    made = ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    made.daemon_threads = True
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield f"http://127.0.0.1:{made.server_port}/v1"
    made.shutdown()
    made.server_close()
    thread.join()


class TestShop(ToolSourceConformance):
    plugin = plugin
    example = ("getOrder", {"id": "7"})

    @pytest.fixture(autouse=True)
    def with_a_server(self, server):
        shop = {"document": "shop.yaml", "server": server}
        self.settings = {"documents": {"shop": shop}}

    def loaded(self, folder):
        (folder / "shop.yaml").write_text(yaml.safe_dump(DOCUMENT))
        return super().loaded(folder)


@pytest.fixture
async def shop(server, tmp_path):
    (tmp_path / "shop.json").write_text(json.dumps(DOCUMENT))
    made = []

    def make(environ=None, **settings):
        given = {"document": "shop.json", "server": server} | settings
        read = TypeAdapter(DocumentSettings).validate_python(given)
        made.append(OpenapiSource("shop", read, tmp_path, environ or {}))
        return made[-1]

    yield make
    for source in made:
        await source.aclose()


async def called(source, name, **arguments):
    return await source.call(make_call(make_tool(name), arguments=arguments))


async def test_tools_are_named_after_operations_or_their_paths(shop):
    listing = await shop(exclude=["login", "broken"]).list_tools(make_run())
    names = {tool.name for tool in listing.tools}
    assert names == {
        "getOrder",
        "delete_orders_id",
        "create_order",
        "find",
        "upload",
        "elsewhere",
        "large",
    }


async def test_a_method_says_what_it_may_do(shop):
    tools = {tool.name: tool for tool in (await shop().list_tools(make_run())).tools}
    assert tools["getOrder"].annotations.read_only is True
    assert tools["delete_orders_id"].annotations.destructive is True
    assert tools["create_order"].annotations.destructive is None
    assert tools["getOrder"].groups == ("orders",)


async def test_schemas_are_bundled_with_what_they_refer_to_alone(shop):
    tools = {tool.name: tool for tool in (await shop().list_tools(make_run())).tools}
    schema = tools["create_order"].input_schema
    assert schema["required"] == ["body"]
    assert list(schema["$defs"]) == ["Order"]
    order = schema["$defs"]["Order"]["properties"]
    assert order["article"] == {"type": ["string", "null"]}
    assert order["pieces"] == {"type": "integer", "exclusiveMinimum": 0}
    assert order["parent"] == {"$ref": "#/$defs/Order"}


async def test_parameters_go_where_they_belong(shop):
    arguments = {"id": "a/b?c", "fields": ["x", "y"], "X-Trace": "t1"}
    said = await called(shop(), "getOrder", **arguments)
    assert said["path"] == "/v1/orders/a%2Fb%3Fc?fields=x&fields=y"
    assert said["headers"]["x-trace"] == "t1"


@pytest.mark.parametrize("id_", ["..", ".", ""])
async def test_a_segment_cannot_lead_to_another_path(shop, id_):
    with pytest.raises(ToolError):
        await called(shop(), "getOrder", id=id_)


async def test_a_header_cannot_carry_another(shop):
    with pytest.raises(ToolError, match="printable ASCII"):
        await called(shop(), "getOrder", **{"id": "1", "X-Trace": "a\r\nAuthorization: b"})


async def test_a_body_is_sent_in_the_documents_form(shop):
    said = await called(shop(), "create_order", body={"article": "A-100"})
    assert json.loads(said["body"]) == {"article": "A-100"}
    source = shop({"LOGIN": "ada:secret-word"}, auth={"basic": "LOGIN"})
    said = await called(source, "login", body={"user": "a b", "keep": True})
    assert said["body"] == "user=a+b&keep=true"


async def test_the_items_of_a_list_in_a_form_are_fields_unless_the_document_joins_them(shop):
    source = shop({"LOGIN": "ada:secret-word"}, auth={"basic": "LOGIN"})
    said = await called(source, "login", body={"users": ["a", "b"], "scopes": ["r", "w"]})
    assert said["body"] == "users=a&users=b&scopes=r%2Cw"


async def test_values_in_a_query_are_written_in_the_documents_style(shop):
    where = {"a": [1, "ä"]}
    said = await called(
        shop(), "find", filter={"kind": "x", "n": 2}, tags=["a", "b"], ids=[1, 2], where=where
    )
    asked = parse_qs(said["path"].partition("?")[2])
    assert json.loads(asked.pop("where")[0]) == where
    assert asked == {"filter[kind]": ["x"], "filter[n]": ["2"], "tags": ["a|b"], "ids": ["1,2"]}


async def test_what_only_answers_have_is_not_asked_for(shop):
    tools = {tool.name: tool for tool in (await shop().list_tools(make_run())).tools}
    body = tools["upload"].input_schema["properties"]["body"]
    assert body["required"] == ["file"]
    assert set(body["properties"]) == {"file", "more", "note", "size"}


async def test_files_are_sent_as_parts_of_their_own(shop):
    body = {
        "file": {"filename": 'a"\r\nb.txt', "text": "Grüße"},
        "more": [{"filename": "raw", "base64": "AP8="}, {"filename": "b", "text": ""}],
        "note": "# Hi",
        "size": {"filename": "no file"},
    }
    tools = {tool.name: tool for tool in (await shop().list_tools(make_run())).tools}
    Draft202012Validator(tools["upload"].input_schema).validate({"body": body})
    said = await called(shop(), "upload", body=body)
    message = message_from_bytes(
        f"Content-Type: {said['headers']['content-type']}\r\n\r\n".encode()
        + base64.b64decode(said["raw"])
    )
    parts = [
        (part.get_param("name", header="content-disposition"), part.get_filename(),
         part.get_content_type(), part.get_payload(decode=True))
        for part in message.get_payload()
    ]  # fmt: skip
    assert parts == [
        ("file", "a%22%0D%0Ab.txt", "text/plain", "Grüße".encode()),
        ("more", "raw", "application/octet-stream", b"\x00\xff"),
        ("more", "b", "application/octet-stream", b""),
        ("note", None, "text/markdown", b"# Hi"),
        ("size", None, "application/json", b'{"filename": "no file"}'),
    ]


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ({"filename": "a"}, "either text or base64"),
        ({"filename": "a", "text": "x", "base64": "AA=="}, "either text or base64"),
        ({"filename": "a", "base64": "no base64!"}, "no base64"),
    ],
)
async def test_a_file_without_one_content_is_not_sent(shop, file, said):
    with pytest.raises(ToolError, match=said):
        await called(shop(), "upload", body={"file": file})


async def test_credentials_come_from_the_environment_and_never_come_back(shop):
    source = shop({"KEY": "kwyjibo-77"}, auth={"key": "KEY"})
    said = await called(source, "delete_orders_id", id="7")
    assert "api_key=[secret]" in said["path"]
    assert "kwyjibo" not in source.origin


async def test_an_operation_whose_credentials_are_missing_is_not_called(shop):
    with pytest.raises(ToolError, match="needs key"):
        await called(shop(), "delete_orders_id", id="7")


async def test_a_redirection_is_not_followed(shop):
    with pytest.raises(ToolError, match="not followed"):
        await called(shop(), "elsewhere")


async def test_an_error_of_the_server_is_told_and_may_be_tried_again(shop):
    with pytest.raises(ToolError, match="503") as told:
        await called(shop(), "broken")
    assert told.value.retryable


async def test_an_answer_that_is_too_large_is_an_error(shop):
    with pytest.raises(ToolError, match="maxResponseBytes"):
        await called(shop(maxResponseBytes=1_000), "large")


async def test_a_server_that_is_down_makes_the_source_unavailable(shop):
    with pytest.raises(SourceUnavailable, match="cannot be reached"):
        await called(shop(server=None), "getOrder", id="7")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{}", "no OpenAPI 3"),
        ('{"swagger": "2.0"}', "no OpenAPI 3"),
        ("[1]", "no object"),
        ("{]", "neither JSON nor YAML"),
        ('{"openapi": "3.1.0", "paths": {}}', "names no server"),
        ("!!python/object/apply:os.getpid []", "neither JSON nor YAML"),
    ],
)
async def test_what_is_no_document_is_said(shop, tmp_path, text, said):
    (tmp_path / "odd.yaml").write_text(text)
    with pytest.raises(SourceUnavailable, match=said):
        await shop(document="odd.yaml", server=None).list_tools(make_run())


async def test_a_document_that_grows_by_its_aliases_is_refused(shop, tmp_path):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    (tmp_path / "bomb.yaml").write_text("\n".join(lines))
    with pytest.raises(SourceUnavailable, match="too large"):
        await shop(document="bomb.yaml").list_tools(make_run())


async def test_a_fetched_document_may_not_send_calls_elsewhere(shop, server):
    documents = ThreadingHTTPServer(("127.0.0.1", 0), Documents)
    documents.daemon_threads = True
    thread = threading.Thread(target=documents.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    address = f"http://127.0.0.1:{documents.server_port}/shop.json"
    try:
        with pytest.raises(SourceUnavailable, match="elsewhere"):
            await shop(document=address, server=None).list_tools(make_run())
        allowed = await shop(document=address).list_tools(make_run())
        assert len(allowed.tools) == 9
    finally:
        await asyncio.to_thread(documents.shutdown)
        documents.server_close()
        thread.join()


class Documents(BaseHTTPRequestHandler):
    def do_GET(self):
        text = json.dumps(DOCUMENT).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *given):
        pass
