"""Functions of client tools: off the loop where they are plain, bounded, and given up in time."""

import asyncio
import threading

import pytest

from toolsearch import ClientTool, ConfigError
from toolsearch_hookspecs import ToolSpec


def client(name, execute, **spec):
    return ClientTool(
        spec=ToolSpec(name=name, input_schema={"type": "object"}, **spec), execute=execute
    )


async def planned(started, *tools, **limits):
    config = {"tools": {"toolSearch": {"mode": "tools"}, "limits": limits}}
    return await (await started(config)).plan(client_tools=tools)


async def test_a_plain_function_that_blocks_keeps_no_other_call_waiting(started):
    begun, release = threading.Event(), threading.Event()

    def blocks(arguments):
        begun.set()
        release.wait(30)
        return "late"

    async def quick(arguments):
        return threading.current_thread() is threading.main_thread()

    run = await planned(started, client("blocks", blocks), client("quick", quick))
    slow = asyncio.ensure_future(run.call("blocks", {}))
    async with asyncio.timeout(20):
        while not begun.is_set():
            await asyncio.sleep(0.005)
        assert (await run.call("quick", {})).value is True
    release.set()
    assert (await slow).value == "late"


async def test_functions_that_hang_are_given_up_and_when_all_threads_hang_the_call_says_so(started):
    release = threading.Event()
    run = await planned(
        started, client("hangs", lambda arguments: release.wait(30)), toolTimeoutMs=40
    )
    codes = [(await run.call("hangs", {"n": n})).error.code for n in range(9)]
    assert codes == ["timeout"] * 8 + ["unavailable"]
    release.set()


@pytest.mark.parametrize(
    "raised", [RuntimeError("/srv/secret"), SystemExit(1), KeyboardInterrupt(), StopIteration()]
)
async def test_whatever_a_plain_function_raises_is_a_result(started, raised):
    def raises(arguments):
        raise raised

    run = await planned(started, client("raises", raises))
    result = await run.call("raises", {})
    assert (result.error.code, result.error.executed) == ("tool_error", True)
    assert "secret" not in result.text


async def test_a_plain_function_may_give_something_to_await(started):
    async def later():
        return threading.current_thread() is threading.main_thread()

    run = await planned(started, client("later", lambda arguments: later()))
    assert (await run.call("later", {})).value is True


async def test_the_threads_of_a_run_end_with_it(started):
    run = await planned(started, client("name", lambda _: threading.current_thread().name))
    name = (await run.call("name", {})).value
    thread = next(thread for thread in threading.enumerate() if thread.name == name)
    assert thread.daemon
    await run.aclose()
    await asyncio.to_thread(thread.join, 20)
    assert not thread.is_alive()


async def test_two_client_tools_of_one_name_are_refused_and_named(started):
    with pytest.raises(ConfigError, match="two client tools have the name 'pick'"):
        await planned(started, client("pick", lambda _: 1), client("pick", lambda _: 2))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"type": "function", "function": {"name": "pick", "parameters": {}}},
            r"toolsearch\.adapters\.openai\.client_tools_of",
        ),
        ({"name": "pick", "input_schema": {}}, r"toolsearch\.adapters\.anthropic\.client_tools_of"),
        (print, "as `execute`"),
        ("pick", "which is no ClientTool; give ClientTool"),
    ],
)
async def test_what_is_no_client_tool_is_refused_with_what_makes_one_of_it(started, given, said):
    with pytest.raises(TypeError, match=said):
        await planned(started, given)
