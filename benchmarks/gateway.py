"""Many sessions through the gateway at once, and a gateway that is killed in the middle of them.

    python benchmarks/gateway.py [--sessions 50,200,500] [--requests 2] [--streamed]
    python benchmarks/gateway.py --kill

Three processes on this machine: a scripted provider, the gateway, and the apps. Each session has
the model search, describe and call twice, so five turns of the model a request. The calls enter a
line each into a ledger; a line that is missing, or there twice, is told. The latency that the
gateway adds is what a request takes above the same five turns asked of the provider directly, by
as many sessions at once.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import attrs
import httpx2

from toolsearch_gateway_openai.provider import Call, Provider, Say, Seen, Step, serving
from toolsearch_gateway_openai.qa._process import GatewayProcess, gateway_process

LEDGER = '''
"""A ledger: what was entered cannot be taken back."""
import os

FILE = os.open(os.path.join(os.path.dirname(__file__), "ledger.txt"),
               os.O_WRONLY | os.O_APPEND | os.O_CREAT)


def enter(session: str, line: int) -> str:
    """Enter a line into the ledger of a session."""
    os.write(FILE, f"{session} {line}\\n".encode())
    return f"{session} {line}"


def strike(session: str, line: int) -> str:
    """Strike a line out of the ledger of a session."""
    return f"{session} -{line}"
'''
TURNS = 5
SHARING = 20  # sessions a client: its pool looks at all of its connections each time
TLS = httpx2.create_ssl_context()
ENTER = "plugin:bench_ledger:enter"


async def model(seen: Seen) -> Step:
    """Search, describe, two calls, one answer; `user` is the name of the session."""
    match len(seen.told):
        case 0:
            return Call((("tool_search", {"query": "enter a line into the ledger"}),))
        case 1:
            return Call((("tool_describe", {"id": ENTER}),))
        case 2 | 3 as done:
            arguments = {"session": seen.user, "line": done - 1}
            return Call((("tool_call", {"id": ENTER, "args": arguments}),))
        case _:
            lines = [json.loads(told.text)["result"] for told in seen.told[2:]]
            return Say(f"{seen.user}: {', '.join(lines)}")


async def provide() -> None:
    """Be the provider until the end of the standard input."""
    async with serving(Provider(model, keep=False)) as provider:
        sys.stdout.write(f"{provider.url}\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.read)


@contextlib.asynccontextmanager
async def provider_process() -> AsyncIterator[str]:
    command = (sys.executable, __file__, "--provide")
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
    assert process.stdout is not None
    assert process.stdin is not None
    try:
        yield (await process.stdout.readline()).decode().strip()
    finally:
        process.stdin.close()
        await process.wait()


@contextlib.contextmanager
def folder_with_ledger() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="toolsearch-gateway-") as name:
        folder = Path(name)
        (folder / "bench_ledger.py").write_text(LEDGER)
        before = os.environ.get("PYTHONPATH")
        os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (name, before)))
        try:
            yield folder
        finally:
            os.environ["PYTHONPATH"] = before or ""


def config(provider: str) -> dict[str, Any]:
    upstream = {"baseUrl": provider, "retries": 0}
    return {
        "tools": {"toolSearch": {"mode": "tools"}},
        "plugins": {
            "enabled": ["gateway-openai", "surface-openai"],
            "settings": {
                "gateway-openai": {"upstream": upstream},
                "source-python": {"modules": ["bench_ledger", "statistics", "math", "textwrap"]},
            },
        },
    }


def gateway(folder: Path, name: str, provider: str):
    python = Path(sys.executable)
    return gateway_process(python, folder / name, config(provider), {"app": "tools"})


@attrs.define
class Outcome:
    """What the apps were answered: seconds of each request, and what went wrong."""

    seconds: list[float] = attrs.field(factory=list)
    wrong: Counter[str] = attrs.field(factory=Counter)


async def ask(client: httpx2.AsyncClient, session: str, streamed: bool) -> str:
    """One request of one session; gives the words of the answer."""
    body = {"model": "m", "messages": [{"role": "user", "content": session}], "stream": streamed}
    headers = {"x-toolsearch-session": session}
    if not streamed:
        answer = await client.post("/v1/chat/completions", json=body, headers=headers)
        answer.raise_for_status()
        return answer.json()["choices"][0]["message"]["content"]
    said = []
    async with client.stream("POST", "/v1/chat/completions", json=body, headers=headers) as answer:
        answer.raise_for_status()
        async for line in answer.aiter_lines():
            match line.removeprefix("data: "):
                case "" | "[DONE]":
                    continue
                case data:
                    chunk = json.loads(data)
                    if "error" in chunk:
                        raise httpx2.RemoteProtocolError(chunk["error"]["message"])
                    said += [c["delta"].get("content") or "" for c in chunk["choices"]]
    return "".join(said)


async def turns_directly(client: httpx2.AsyncClient, session: str) -> None:
    """The five turns of a session, asked of the provider itself."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": session}]
    function = {"name": "tool_call", "parameters": {"type": "object", "properties": {}}}
    tools = [{"type": "function", "function": {**function, "description": "x" * 600}}] * 3
    for _ in range(TURNS):
        body = {"model": "m", "messages": messages, "tools": tools}
        answer = (await client.post("/v1/chat/completions", json=body)).json()
        message = answer["choices"][0]["message"]
        messages.append(message)
        for call in message.get("tool_calls", ()):
            text = json.dumps({"result": f"{session} 1"})
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})


@contextlib.asynccontextmanager
async def clients(
    count: int, url: str, key: str = "none"
) -> AsyncIterator[Sequence[httpx2.AsyncClient]]:
    """A client for each session; a few share their connections."""
    headers = {"authorization": f"Bearer {key}"}
    made = [
        httpx2.AsyncClient(base_url=url, headers=headers, timeout=600, trust_env=False, verify=TLS)
        for _ in range(0, count, SHARING)
    ]
    try:
        yield [made[number // SHARING] for number in range(count)]
    finally:
        for client in made:
            await client.aclose()


async def load(running: GatewayProcess, sessions: int, requests: int, streamed: bool) -> Outcome:
    """Every session at once, one request after the other."""
    seen = Outcome()
    async with clients(sessions, running.url, running.keys["app"]) as client:

        async def session(number: int) -> None:
            for request in range(requests):
                name = f"{sessions}.{number}.{request}"
                began = time.perf_counter()
                try:
                    text = await ask(client[number], name, streamed)
                except httpx2.HTTPError as error:
                    seen.wrong[type(error).__name__] += 1
                    continue
                seen.seconds.append(time.perf_counter() - began)
                if text != f"{name}: {name} 1, {name} 2":
                    seen.wrong["another answer"] += 1

        await asyncio.gather(*map(session, range(sessions)))
    return seen


async def baseline(provider: str, sessions: int, requests: int) -> list[float]:
    """Seconds that the same turns take without the gateway."""
    seconds: list[float] = []
    async with clients(sessions, provider.removesuffix("/v1")) as client:

        async def session(number: int) -> None:
            for request in range(requests):
                began = time.perf_counter()
                await turns_directly(client[number], f"{sessions}.{number}.{request}")
                seconds.append(time.perf_counter() - began)

        await asyncio.gather(*map(session, range(sessions)))
    return seconds


def resident_mb(pid: int) -> float:
    pages = Path(f"/proc/{pid}/statm").read_text().split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6


def entered(folder: Path) -> Counter[str]:
    file = folder / "ledger.txt"
    return Counter(file.read_text().splitlines()) if file.exists() else Counter()


async def under_load(counts: list[int], requests: int, streamed: bool) -> None:
    print(f"{'sessions':>8} {'requests':>8} {'lost':>5} {'twice':>5} {'p50 s':>7} {'p95 s':>7} "
          f"{'direct':>7} {'added ms/turn':>13} {'turns/s':>8} {'MB':>6} {'KB/session':>10}")  # fmt: skip
    with folder_with_ledger() as folder:
        async with provider_process() as provider, gateway(folder, "g", provider) as running:
            await load(running, 8, 2, streamed)
            for sessions in counts:
                direct = await baseline(provider, sessions, requests)
                before, lines = resident_mb(running.pid), entered(folder)
                peak = asyncio.ensure_future(_peak(running.pid))
                began = time.perf_counter()
                seen = await load(running, sessions, requests, streamed)
                took = time.perf_counter() - began
                peak.cancel()
                more = entered(folder) - lines
                wanted = sessions * requests
                row = (
                    sessions,
                    wanted,
                    wanted * 2 - len(more),
                    sum(count > 1 for count in more.values()),
                    median(seen.seconds),
                    quantiles(seen.seconds, n=20)[-1],
                    median(direct),
                    (median(seen.seconds) - median(direct)) / TURNS * 1000,
                    wanted * TURNS / took,
                    _PEAKS[-1],
                    (_PEAKS[-1] - before) * 1000 / sessions,
                )
                print("{:8} {:8} {:5} {:5} {:7.2f} {:7.2f} {:7.2f} {:13.1f} {:8.0f} {:6.0f} {:10.0f}"
                      .format(*row))  # fmt: skip
                if seen.wrong:
                    print(f"  wrong: {dict(seen.wrong)}")
        events = Counter(json.loads(line)["type"] for line in running.log.open())
        print(f"log: {dict(events)}")


_PEAKS: list[float] = []


async def _peak(pid: int) -> None:
    """The most memory, looked at ten times a second."""
    _PEAKS.append(0.0)
    while True:
        _PEAKS[-1] = max(_PEAKS[-1], resident_mb(pid))
        await asyncio.sleep(0.1)


async def killed(sessions: int, streamed: bool) -> None:
    """Kill the gateway while every session is under way, start it again, and go on."""
    with folder_with_ledger() as folder:
        async with provider_process() as provider:
            async with gateway(folder, "first", provider) as running:
                work = asyncio.ensure_future(load(running, sessions, 1, streamed))
                await half_way(folder, sessions)
                os.kill(running.pid, 9)
                seen = await work
            first = running
            lines = entered(folder)
            print(f"killed: {len(seen.seconds)} answered, {dict(seen.wrong)}")
            print(f"  ledger: {len(lines)} lines, {_twice(lines)} of them twice")
            async with gateway(folder, "second", provider) as running:
                again = await load(running, sessions, 2, streamed)
            print(f"restarted: {len(again.seconds)} answered, {dict(again.wrong)}")
        events = [json.loads(line) for line in first.log.open()]
        runs = {event["run"] for event in events if event["type"] == "run.planned"}
        ended = {event["run"] for event in events if event["type"] == "run.ended"}
        calls = Counter(event["type"] for event in events if event["type"].startswith("call."))
        print(
            f"log of the first: {len(runs)} runs, {len(runs - ended)} without an end; {dict(calls)}"
        )
        done = sum(e["type"] == "call.ended" and e["data"]["executed"] for e in events)
        print(f"  executed by the log: {done}; begun, and cut off: {calls['call.started'] - done}")


async def half_way(folder: Path, sessions: int) -> None:
    """Until a quarter of all lines is entered."""
    while sum(entered(folder).values()) < sessions // 2:  # noqa: ASYNC110 - a file tells nobody
        await asyncio.sleep(0.01)


def _twice(lines: Counter[str]) -> int:
    return sum(count > 1 for count in lines.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sessions", default="50,200,500")
    parser.add_argument("--requests", type=int, default=2)
    parser.add_argument("--streamed", action="store_true")
    parser.add_argument("--kill", action="store_true")
    parser.add_argument("--provide", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    counts = [int(count) for count in given.sessions.split(",")]
    if given.provide:
        asyncio.run(provide())
    elif given.kill:
        asyncio.run(killed(counts[0], given.streamed))
    else:
        asyncio.run(under_load(counts, given.requests, given.streamed))


if __name__ == "__main__":
    main()
