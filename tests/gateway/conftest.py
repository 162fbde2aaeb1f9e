"""A gateway over a real host, on loopback, between the real client and a scripted provider."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import attrs
import pytest
from openai import AsyncOpenAI

from toolsearch.cli._serving import listening
from toolsearch_gateway_openai import GatewayOpenai, GatewaySettings
from toolsearch_gateway_openai._app import application
from toolsearch_gateway_openai._approvals import ApprovalDesk
from toolsearch_gateway_openai._metrics import Metrics
from toolsearch_gateway_openai._opening import opened
from toolsearch_gateway_openai._serving import apps_of, serve
from toolsearch_gateway_openai.provider import Provider, serving

from ..conftest import ListSource

APP_KEY = "an-app-key-of-the-tests"
ADD = (("tool_call", {"id": "add", "args": {"a": 1, "b": 2}}),)
OPERATOR_KEY = "the-operators-key-of-the-tests"
MODE_TOOLS = {"tools": {"toolSearch": {"mode": "tools"}}}
ENVIRON = {
    "TOOLSEARCH_GATEWAY_KEY": APP_KEY,
    "TOOLSEARCH_GATEWAY_OPERATOR_KEY": OPERATOR_KEY,
    "OPENAI_API_KEY": "the-providers-key-of-the-tests",
}


def adder():
    schema = {
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
        "required": ["a", "b"],
    }
    return ListSource("sums", {"add": lambda a, b: a + b}, add={"input_schema": schema})


@attrs.define
class Served:
    """A gateway under test: where it is, its clients, its provider and its host."""

    url: str
    client: AsyncOpenAI
    provider: Provider
    host: object
    gateway: object
    desk: ApprovalDesk


@pytest.fixture
async def served(started, tmp_path):
    """`await served(script, *sources, config=..., settings={...})`."""
    async with AsyncExitStack() as stack:

        async def serve_it(
            script,
            *sources,
            config=None,
            settings=(),
            environ=ENVIRON,
            who=(),
            auth=True,
            plugins=(),
        ):
            provider = await stack.enter_async_context(serving(Provider(script)))
            plugin = GatewayOpenai()
            config = {"plugins": {"enabled": ["surface-openai"]}} | (config or MODE_TOOLS)
            host = await started(config, *sources, plugins=[("gateway", plugin), *plugins])
            given = {
                "port": 0,
                "upstream": {"baseUrl": provider.url, "retries": 0},
                **dict(settings),
            }
            settings = GatewaySettings.model_validate(given)
            metrics, desk = Metrics(), ApprovalDesk()
            gateway = await stack.enter_async_context(opened(host, settings, environ, metrics))
            await stack.enter_async_context(plugin._watch.by(desk.decision, metrics.happened))
            apps = apps_of(settings, environ, tmp_path, dict(who), needs_key=auth)
            listener = stack.enter_context(listening(settings.host, settings.port))
            operator = environ["TOOLSEARCH_GATEWAY_OPERATOR_KEY"].encode()
            work = asyncio.ensure_future(
                serve(application(gateway, apps, operator, desk), listener)
            )
            stack.push_async_callback(ended, work)
            url = f"http://127.0.0.1:{listener.getsockname()[1]}"
            client = AsyncOpenAI(base_url=f"{url}/v1", api_key=APP_KEY, max_retries=0)
            await stack.enter_async_context(client)
            return Served(url, client, provider, host, gateway, desk)

        yield serve_it


async def ended(work):
    work.cancel()
    await asyncio.wait({work})


@pytest.fixture
def scripted():
    """A script of fixed steps, one a turn; what each turn saw is in `.seen`."""

    def make(*steps):
        async def script(seen):
            script.seen.append(seen)
            step = script.steps[min(len(script.seen), len(script.steps)) - 1]
            return step(seen) if callable(step) else step

        script.steps, script.seen = steps, []
        return script

    return make
