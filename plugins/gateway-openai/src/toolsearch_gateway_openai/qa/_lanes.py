"""The lanes: what is configured, what happens on the way, and what was seen."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import attrs
import httpx2

from toolsearch_hookspecs import ToolsearchError

from ..provider import Call, Provider, Received, Seen, Step
from ._catalog import QaCatalog
from ._log import LoggedRun, logged_runs
from ._process import GatewayProcess, gateway_process
from ._wires import WIRES, Wire, asked

MOST_IN_CHAT = 128
"""How many tools a request for a chat completion may declare."""

Meanwhile = Callable[[GatewayProcess, httpx2.AsyncClient], Awaitable[None]]


@attrs.frozen
class Lane:
    """One way to expose the catalog, or one thing that goes wrong."""

    name: str
    mode: str
    more: Mapping[str, Any] = attrs.field(factory=dict)
    settings: Mapping[str, Any] = attrs.field(factory=dict)
    negative: bool = False
    meanwhile: Meanwhile | None = None
    before_the_call: Callable[[GatewayProcess], None] | None = None

    def config(self, provider: str) -> Mapping[str, Any]:
        search: Any = {"mode": self.mode, "likelySchemas": {"count": 0}}
        tools = {"toolSearch": False if self.mode == "direct" else search}
        upstream = {"upstream": {"baseUrl": provider, "retries": 0}}
        return {
            **self.more,
            "tools": {**tools, **self.more.get("tools", {})},
            "plugins": {
                "enabled": ["qa-catalog", "gateway-openai", "surface-openai"],
                "settings": {"gateway-openai": upstream, **self.settings},
            },
        }

    def wires(self, tools: int) -> Sequence[Wire]:
        """Both APIs, whole and streamed; a lane in which something goes wrong takes one."""
        wires = [
            w for w in WIRES if self.mode != "direct" or w.api != "chat" or tools < MOST_IN_CHAT
        ]
        return wires[:1] if self.negative else wires


@attrs.frozen
class Observed:
    """What one request of the app led to: what the provider received, what it answered, what the
    app was answered, and what the log says.
    """

    lane: Lane
    wire: Wire
    received: tuple[Received, ...]
    answered: tuple[Mapping[str, Any], ...] = attrs.field(repr=False)
    text: str
    run: LoggedRun

    @property
    def first(self) -> Received:
        return self.received[0]

    @property
    def sizes(self) -> list[int]:
        """Bytes of each request to the provider."""
        return [request.size for request in self.received]

    def wanted(self, name: str) -> int:
        """How often the model called a tool, by the provider's own answers."""
        return sum(called == name for answer in self.answered for called in _called(answer))


class Witness(Protocol):
    """A provider that says what it received and what it answered, in order."""

    url: str
    received: list[Received]
    answered: list[Mapping[str, Any]]

    async def catch_up(self) -> None:
        """Have the lists up to date."""


@attrs.frozen
class Play:
    """Plays lanes against one provider."""

    python: Path
    folder: Path
    catalog: QaCatalog
    provider: Witness

    async def lane(self, lane: Lane) -> list[Observed]:
        """Start the gateway, ask on every wire, stop it, and read its log."""
        seen: list[tuple[Wire, slice, str]] = []
        folder = self.folder / lane.name.replace(" ", "-")
        config = lane.config(self.provider.url)
        async with (
            gateway_process(self.python, folder, config, {"qa": lane.mode}) as gateway,
            httpx2.AsyncClient(timeout=120, trust_env=False) as client,
        ):
            self._arm(lane, gateway)
            for wire in lane.wires(len(self.catalog.tools)):
                begin = len(self.provider.received)
                text = await self._asked(lane, wire, gateway, client)
                await self.provider.catch_up()
                seen.append((wire, slice(begin, len(self.provider.received)), text))
        runs = logged_runs(gateway.log)
        return [
            Observed(
                lane=lane,
                wire=wire,
                received=tuple(self.provider.received[part]),
                answered=tuple(self.provider.answered[part]),
                text=text,
                run=runs.get(wire.name, LoggedRun()),
            )
            for wire, part, text in seen
        ]

    async def _asked(
        self, lane: Lane, wire: Wire, gateway: GatewayProcess, client: httpx2.AsyncClient
    ) -> str:
        meanwhile = None
        if lane.meanwhile is not None:
            meanwhile = asyncio.ensure_future(lane.meanwhile(gateway, client))
        try:
            return await asked(
                client, wire, gateway.url, gateway.keys["qa"], wire.name, self.catalog.words
            )
        finally:
            if meanwhile is not None:
                meanwhile.cancel()
                with suppress(asyncio.CancelledError):
                    await meanwhile

    def _arm(self, lane: Lane, gateway: GatewayProcess) -> None:
        """Have something happen when the model decides to call the target."""
        happens, provider = lane.before_the_call, self.provider
        if happens is None or not isinstance(provider, Provider):
            return
        planner = provider.script

        async def script(seen: Seen) -> Step:
            step = await planner(seen)
            if isinstance(step, Call) and any(name == "tool_call" for name, _ in step.calls):
                happens(gateway)
            return step

        provider.script = script


def lanes(modes: Sequence[str]) -> list[Lane]:
    """The lanes that show that it works."""
    return [Lane(mode, mode) for mode in modes]


def negative_lanes(catalog: QaCatalog) -> list[Lane]:
    """The lanes that show what happens when it does not."""
    name = str(catalog.target["name"])
    denied = {"tools": {"deny": [name]}}
    return [
        *(
            Lane(f"denied in {mode}", mode, more=denied, negative=True)
            for mode in ("tools", "directory", "code")
        ),
        Lane(
            "approval denied",
            "tools",
            more={"tools": {"ask": [name]}},
            negative=True,
            meanwhile=deny_approvals,
        ),
        Lane("source dies", "tools", negative=True, before_the_call=kill_source),
        Lane(
            "no Node",
            "code",
            settings={"runner-node": {"node": "/nowhere/node"}},
            negative=True,
        ),
    ]


async def deny_approvals(gateway: GatewayProcess, client: httpx2.AsyncClient) -> None:
    """Deny whatever is asked, as the operator would over HTTP."""
    headers = {"authorization": f"Bearer {gateway.operator_key}"}
    while True:
        answer = await client.get(f"{gateway.url}/approvals", headers=headers)
        if answer.status_code != 200:
            raise ToolsearchError(f"the approvals cannot be read: {answer.status_code}")
        for request in answer.json()["data"]:
            denied = {"decision": "deny", "message": "not while QA looks"}
            await client.post(
                f"{gateway.url}/approvals/{request['id']}", headers=headers, json=denied
            )
        await asyncio.sleep(0.05)


def kill_source(gateway: GatewayProcess) -> None:
    """Have the backend of the catalog gone."""
    own = gateway.state / "plugins" / "qa-catalog"  # as the host gives it to the plugin
    own.mkdir(mode=0o700, parents=True, exist_ok=True)
    (own / "qa-catalog.dead").touch()


def _called(answer: Mapping[str, Any]) -> list[str]:
    if "choices" in answer:
        calls = answer["choices"][0]["message"].get("tool_calls", ())
        return [call["function"]["name"] for call in calls]
    return [item["name"] for item in answer["output"] if item["type"] == "function_call"]
