"""The command itself, as a process."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
from pathlib import Path

import pytest


def tell(process, **message) -> None:
    process.stdin.write(json.dumps({"jsonrpc": "2.0"} | message).encode() + b"\n")
    process.stdin.flush()


def greet(process) -> None:
    about = {"name": "c", "version": "1"}
    params = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about}
    tell(process, id=1, method="initialize", params=params)
    tell(process, method="notifications/initialized")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_it_and_what_it_started(serving, until, number):
    process = serving.start(
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    greet(process)
    tell(process, id=2, method="tools/call", params={"name": "wait", "arguments": {}})
    await until(lambda: any(line.startswith("waiting") for line in serving.log()))
    pid = next(line.split()[1] for line in serving.log() if line.startswith("waiting"))
    process.send_signal(number)
    await asyncio.to_thread(process.wait, 20)
    await until(lambda: not Path(f"/proc/{pid}").exists())


async def test_the_end_of_its_input_ends_it(serving):
    process = serving.start(
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    greet(process)
    process.stdin.write(b"not json\n" + b"x" * 5_000_000 + b"\n")
    tell(process, id=3, method="tools/call", params={"name": "test_simple_text", "arguments": {}})
    answers = {}
    while 3 not in answers:
        line = await asyncio.to_thread(process.stdout.readline)
        answer = json.loads(line)
        answers[answer.get("id")] = answer
    assert answers[1]["result"]["serverInfo"]["name"] == "toolsearch"
    assert "simple text" in answers[3]["result"]["content"][0]["text"]
    process.stdin.close()
    assert await asyncio.to_thread(process.wait, 20) == 0


@pytest.mark.parametrize("flags", [["--port", "0"], ["--host", "127.0.0.1"], ["--no-auth"]])
def test_an_option_for_http_without_http_is_an_error(serving, flags):
    process = serving.start(*flags, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 2
    assert f"{flags[0]} is for --http" in said


async def test_a_client_is_told_that_the_file_is_not_trusted(serving):
    process = serving.start_found(
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    greet(process)
    answer = json.loads(await asyncio.to_thread(process.stdout.readline))
    assert "toolsearch config trust" in answer["result"]["instructions"]
    process.stdin.close()
    assert await asyncio.to_thread(process.wait, 20) == 0


async def test_a_client_is_told_that_there_is_nothing_behind(serving):
    serving.config = {"tools": {"toolSearch": {"mode": "tools"}}}
    process = serving.start(
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    greet(process)
    answer = json.loads(await asyncio.to_thread(process.stdout.readline))
    assert "There are no tools behind this server now" in answer["result"]["instructions"]
    process.stdin.close()
    assert await asyncio.to_thread(process.wait, 20) == 0
