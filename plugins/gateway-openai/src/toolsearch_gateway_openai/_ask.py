"""`toolsearch ask`: the gateway's loop for one prompt, in the terminal."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from toolsearch_hookspecs import (
    Command,
    CommandContext,
    Event,
    EventType,
    Parameter,
    PluginContext,
    ToolsearchError,
)
from toolsearch_hookspecs.text import one_line

from ._settings import AppKey, GatewaySettings, shown_url
from ._watch import Watch

HELP = """Ask a model one thing, with all tools behind it.

The prompt goes to any provider of the OpenAI API, whose key is read from OPENAI_API_KEY (or what
upstream.keyVariable names). Searches and calls are shown on the error stream as they happen; the
answer, once it is there, on the output stream."""

PARAMETERS = (
    Parameter(name="prompt", kind="argument", required=True, help="What to ask."),
    Parameter(name="base_url", help="The provider's base URL, up to and with /v1."),
    Parameter(name="model", required=True, help="The model to ask."),
    Parameter(name="mode", help="What the model sees: tools, directory, code or direct."),
    Parameter(name="agent", default="default", help="The agent whose policy holds."),
    Parameter(name="profile", help="The profile whose policy holds."),
    Parameter(name="session", help="The session that this belongs to."),
    Parameter(name="responses", kind="flag", help="Ask over the Responses API."),
)


def ask_command(plugin: PluginContext, watch: Watch) -> Command:
    async def run(context: CommandContext, given: Mapping[str, Any]) -> int | None:
        from ._command import chosen

        settings = chosen(plugin.settings or GatewaySettings(), given)
        answer = await _asked(context, settings, given, plugin, watch)
        context.show(answer, text=_text(answer))
        return None

    return Command(name="ask", help=HELP, run=run, parameters=PARAMETERS, turns_on=True)


async def _asked(
    context: CommandContext,
    settings: GatewaySettings,
    given: Mapping[str, Any],
    plugin: PluginContext,
    watch: Watch,
) -> Mapping[str, Any]:
    from ._asker import App, Asker
    from ._chat import ChatConversation
    from ._errors import ApiError
    from ._exchange import Exchange
    from ._metrics import Metrics
    from ._opening import opened
    from ._responses import ResponsesConversation

    names = ("agent", "profile", "mode")
    who = {name: given[name] for name in names if given.get(name) is not None}
    app = App("ask", None, AppKey(variable="-", channel="terminal", **who))
    prompt, model = given["prompt"], given["model"]
    conversation = (
        ResponsesConversation({"model": model, "input": prompt}, {})
        if given.get("responses")
        else ChatConversation({"model": model, "messages": [{"role": "user", "content": prompt}]})
    )
    key = plugin.environ.get(settings.upstream.key_variable)
    passed = {} if key is None else {"authorization": f"Bearer {key}"}
    asker = Asker(app, given.get("session"), None, passed)
    async with (
        watch.by(None, progress),
        context.host() as host,
        opened(host, settings, plugin.environ, Metrics()) as gateway,
    ):
        try:
            return await Exchange(gateway, asker, conversation, model, prompt).answer()
        except ApiError as error:
            asked = shown_url(settings.upstream.base_url)
            raise ToolsearchError(f"{asked}: {_said(error.error)}") from error


def progress(event: Event) -> None:
    """One line on the error stream for each step of the run: what it is, never its content."""
    line = _line(event)
    if line is not None:
        sys.stderr.write(f"{one_line(line, 200)}\n")
        sys.stderr.flush()


def _line(event: Event) -> str | None:
    data = event.data
    match event.type:
        case EventType.RUN_PLANNED:
            return f"· {data.get('mode')}: {_seen(data)}"
        case EventType.SOURCE_FAILED:
            return f"! {data.get('owner')} is unavailable: {data.get('reason')}"
        case EventType.SEARCH:
            return f"· searched: {data.get('hits')} hits in {data.get('ms')} ms"
        case EventType.DESCRIBE:
            return f"· looked at {data.get('tool')}"
        case EventType.CALL_STARTED:
            return f"→ {data.get('tool')}"
        case EventType.CALL_ENDED:
            outcome = "done" if data.get("ok") else data.get("code")
            return f"← {data.get('tool', 'no tool')}: {outcome} in {data.get('ms')} ms"
        case EventType.APPROVAL_REQUESTED:
            return f"? {data.get('tool')} needs approval: {data.get('request')}"
        case EventType.APPROVAL_ANSWERED:
            return f"? {data.get('decision')} by {data.get('by')}"
        case EventType.CODE_ENDED:
            return f"· code: {data.get('outcome')} after {data.get('bridgeCalls')} calls"
        case _:
            return None


def _seen(data: Mapping[str, Any]) -> str:
    shown, size = data.get("visibleTools"), data.get("catalogSize")
    noun = "tool" if shown == 1 else "tools"
    behind = "" if data.get("mode") == "direct" else f", with {size} behind"
    return f"the model sees {shown} {noun}{behind}"


def _text(answer: Mapping[str, Any]) -> str:
    """The words of an answer, in either form."""
    match answer:
        case {"choices": [{"message": {"content": content}}, *_]}:
            return content or ""
        case {"output": [*items]}:
            parts = [part for item in items for part in item.get("content") or ()]
            return "".join(part.get("text", "") for part in parts)
    return ""


def _said(error: Mapping[str, Any]) -> str:
    return str(error.get("message") or error)
