"""How an app asks: either API, whole or streamed, over plain HTTP."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

import attrs
import httpx2

from toolsearch_hookspecs import ToolsearchError

from .._asker import SESSION_HEADER
from .._sse import DONE, read_events

OWN_TOOL = "qa_note"
_SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
_ABOUT = {"name": OWN_TOOL, "description": "Leave a note in the app.", "parameters": _SCHEMA}
_LIMIT = 8_388_608


@attrs.frozen
class Wire:
    """One way to ask."""

    api: Literal["chat", "responses"]
    streamed: bool

    @property
    def name(self) -> str:
        return f"{self.api}{' streamed' if self.streamed else ''}"

    @property
    def path(self) -> str:
        return "/v1/chat/completions" if self.api == "chat" else "/v1/responses"

    def body(self, words: str) -> Mapping[str, Any]:
        """A request of an app with one tool of its own."""
        body: dict[str, Any] = {"model": "scripted"}
        if self.streamed:
            body["stream"] = True
        if self.api == "chat":
            tools = [{"type": "function", "function": _ABOUT}]
            return body | {"messages": [{"role": "user", "content": words}], "tools": tools}
        return body | {"input": words, "tools": [{"type": "function", **_ABOUT}]}


WIRES = tuple(Wire(api, streamed) for api in ("chat", "responses") for streamed in (False, True))


async def asked(
    client: httpx2.AsyncClient, wire: Wire, url: str, key: str, session: str, words: str
) -> str:
    """The words that the app is answered. Raises ToolsearchError for anything but an answer."""
    headers = {"authorization": f"Bearer {key}", SESSION_HEADER: session}
    request = client.build_request("POST", url + wire.path, json=wire.body(words), headers=headers)
    response = await client.send(request, stream=True)
    try:
        if response.status_code != 200:
            text = (await response.aread()).decode(errors="replace")[:500]
            raise ToolsearchError(f"the gateway answered {response.status_code}: {text}")
        if wire.streamed:
            return await _streamed(wire, response)
        answer = json.loads(await response.aread())
    finally:
        await response.aclose()
    if wire.api == "chat":
        return str(answer["choices"][0]["message"]["content"])
    return _output_text(answer)


async def _streamed(wire: Wire, response: httpx2.Response) -> str:
    said: list[str] = []
    ended = False
    async for event in read_events(response.aiter_bytes(), _LIMIT):
        if event.data == DONE:
            ended = True
            continue
        data = json.loads(event.data)
        match data:
            case {"error": error} | {"type": "error", **error}:
                raise ToolsearchError(f"the stream failed: {error}")
            case {"choices": [{"delta": {"content": str(piece)}}]}:
                said.append(piece)
            case {"type": "response.output_text.delta", "delta": str(piece)}:
                said.append(piece)
            case {"type": "response.completed", "response": whole}:
                ended = _output_text(whole) == "".join(said)
    if not ended:
        raise ToolsearchError("the stream ended before its end")
    return "".join(said)


def _output_text(response: Mapping[str, Any]) -> str:
    parts = (item.get("content", ()) for item in response["output"])
    return "".join(part["text"] for content in parts for part in content)
