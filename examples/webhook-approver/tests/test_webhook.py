import asyncio
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from webhook_approver import plugin
from webhook_approver._webhook import Webhook, signature

from toolsearch.testing import ApproverConformance, make_request
from toolsearch_hookspecs import Approve, ConfigError, PluginContext, Reject

SECRET = b"a shared secret"


class Service:
    """Answers what was decided, and 202 for what was not."""

    def __init__(self):
        self.asked = {}
        self.answers = {}
        self.secret = SECRET
        service = self

        class Asked(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                assert self.headers["X-Signature"] == signature(SECRET, body)
                request = json.loads(body)
                service.asked[request["id"]] = request
                answer = service.answers.get(request["id"])
                text = json.dumps(answer).encode()
                self.send_response(200 if answer else 202)
                self.send_header("Content-Length", str(len(text)))
                self.send_header("X-Signature", signature(service.secret, text))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *given):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Asked)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/ask"
        self.thread = threading.Thread(
            target=self.server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        )
        self.thread.start()

    def decide(self, request, decision):
        self.answers[request.id] = {"id": request.id, "digest": request.digest, "by": "Ada"} | (
            {"decision": "reject", "message": decision.message}
            if isinstance(decision, Reject)
            else {"decision": "approve", "scope": decision.scope}
        )

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


@pytest.fixture
def service():
    made = Service()
    yield made
    made.close()


class TestWebhook(ApproverConformance):
    plugin = plugin
    environ = {"WEBHOOK_APPROVER_SECRET": SECRET.decode()}  # noqa: RUF012

    @pytest.fixture(autouse=True)
    def with_a_service(self, service):
        self.service = service
        self.settings = {"url": service.url, "pauseMs": 10}

    async def answer(self, approver, request, decision):
        while request.id not in self.service.asked:
            await asyncio.sleep(0.01)
        self.service.decide(request, decision)


def decided(service, request, seconds=5.0):
    async def asked():
        async with asyncio.timeout(seconds):
            return await Webhook(service.url, SECRET, 0.01).decision(request)

    try:
        return asyncio.run(asked())
    except TimeoutError:
        return "nothing"


def test_an_answer_says_who_approved(service):
    request = make_request()
    service.decide(request, Approve(scope="session"))
    assert decided(service, request) == Approve(scope="session", by="webhook-approver: Ada")


def test_an_answer_with_another_secret_is_no_answer(service):
    request = make_request()
    service.secret = b"another secret"
    service.decide(request, Approve())
    assert decided(service, request, 0.5) == "nothing"


@pytest.mark.parametrize("wrong", [{"digest": "other"}, {"id": "other"}, {"decision": "maybe"}])
def test_an_answer_to_something_else_is_no_answer(service, wrong):
    request = make_request()
    service.decide(request, Approve())
    service.answers[request.id] |= wrong
    assert decided(service, request, 0.5) == "nothing"


def test_a_service_that_is_down_approves_nothing():
    service = Service()
    service.close()
    assert decided(service, make_request(seconds=0.5)) is None


def test_without_a_secret_the_plugin_is_refused(tmp_path):
    loaded = plugin()
    settings = loaded.toolsearch_settings().model(url="http://127.0.0.1/ask")
    context = PluginContext(
        name="webhook-approver", settings=settings, base_dir=tmp_path, state_dir=tmp_path
    )
    with pytest.raises(ConfigError, match="WEBHOOK_APPROVER_SECRET"):
        loaded.toolsearch_configure(context)
