"""Functions of the embedding program."""

import asyncio
import contextvars
import decimal
import threading

import pytest

from toolsearch_hookspecs import ConfigError, SourceUnavailable, ToolError, ToolSource
from toolsearch_source_python import PythonTools


def test_it_is_a_tool_source():
    tools = PythonTools("core")
    assert isinstance(tools, ToolSource)
    assert tools.name == "core"


async def test_a_decorated_function_is_a_tool_and_stays_a_function(use):
    tools = PythonTools("core")

    @tools.tool
    def double(n: int) -> int:
        """Twice as much."""
        return n * 2

    assert double(2) == 4
    used = use(tools)
    assert (await used.specs())["double"].description == "Twice as much."
    assert await used.call("double", n=3) == 6


async def test_the_decorator_states_what_the_function_cannot_say(use):
    tools = PythonTools("core")

    @tools.tool(
        name="send",
        label="Send a message",
        description="Send it.",
        approval="it leaves the house",
        sequential=True,
        destructive=True,
        open_world=True,
        aliases=["post"],
        groups=["mail"],
        catalog_mode="direct-only",
        timeout_ms=500,
    )
    def f(text: str) -> None:
        """Not shown."""

    spec = (await use(tools).specs())["send"]
    assert (spec.label, spec.description) == ("Send a message", "Send it.")
    assert (spec.approval, spec.sequential) == ("it leaves the house", True)
    assert spec.annotations.model_dump(exclude_none=True) == {
        "destructive": True,
        "open_world": True,
    }
    assert (spec.aliases, spec.groups) == (("post",), ("mail",))
    assert (spec.catalog_mode, spec.timeout_ms) == ("direct-only", 500)


async def test_an_object_gives_its_public_methods(use):
    class Lamp:
        def __init__(self) -> None:
            self.lit = False

        def switch(self, on: bool) -> bool:
            """Switch it.

            :param on: whether it shall shine
            """
            self.lit = on
            return self.lit

        async def glow(self) -> str:
            return "glowing" if self.lit else "dark"

        @staticmethod
        def watts() -> int:
            return 5

    tools = PythonTools("home")
    tools.add(Lamp(), read_only=False)
    used = use(tools)
    specs = await used.specs()
    assert set(specs) == {"lamp.glow", "lamp.switch", "lamp.watts"}
    assert specs["lamp.switch"].input_schema["properties"]["on"] == {
        "type": "boolean",
        "description": "whether it shall shine",
    }
    assert await used.call("lamp.switch", on=True) is True
    assert await used.call("lamp.glow") == "glowing"


async def test_two_tools_of_one_name_are_refused(use):
    tools = PythonTools("core")
    tools.add(len, name="size")
    with pytest.raises(ConfigError, match="core already has a tool 'size'"):
        tools.add(len, name="size")


async def test_a_tool_added_later_is_told_and_changes_the_generation(use):
    tools = PythonTools("core")
    used = use(tools)
    told = []
    await tools.start(lambda: told.append(True))
    before = (await tools.list_tools(None)).generation
    assert (await tools.list_tools(None)).generation == before

    @tools.tool
    def f() -> int:
        return 1

    assert told == [True]
    assert (await tools.list_tools(None)).generation != before
    assert await used.call("f") == 1


async def test_a_tool_taken_away_is_unavailable(use):
    tools = PythonTools("core")
    tools.add(lambda: 1, name="f")
    used = use(tools)
    assert await used.call("f") == 1
    tools.remove("f")
    assert await used.specs() == {}
    with pytest.raises(SourceUnavailable, match="f is not offered any more"):
        await used.call("f")


async def test_an_asynchronous_function_runs_on_the_event_loop(function):
    async def f() -> bool:
        await asyncio.sleep(0)
        return threading.current_thread() is threading.main_thread()

    assert await function(f).call("f") is True


async def test_a_plain_function_runs_on_a_daemon_thread_with_the_context_of_its_caller(function):
    who = contextvars.ContextVar("who", default="nobody")

    def f() -> list[object]:
        thread = threading.current_thread()
        return [thread is threading.main_thread(), thread.daemon, who.get()]

    who.set("ada")
    assert await function(f).call("f") == [False, True, "ada"]


async def test_what_a_function_does_to_its_decimal_context_stays_its_own(function):
    def f() -> None:
        decimal.getcontext().prec = 5

    before = decimal.getcontext().prec
    await function(f).call("f")
    assert decimal.getcontext().prec == before


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (ValueError("bad"), "ValueError: bad"),
        (KeyError("k"), "KeyError: 'k'"),
        (StopIteration(), "StopIteration"),
        (SystemExit(2), "SystemExit: 2"),
        (RuntimeError(), "RuntimeError"),
        (asyncio.CancelledError(), "CancelledError"),
    ],
)
@pytest.mark.parametrize("asynchronous", [False, True])
async def test_whatever_a_function_raises_is_a_failure_of_the_tool(
    function, raised, said, asynchronous
):
    def plain() -> None:
        raise raised

    async def awaited() -> None:
        raise raised

    if asynchronous and isinstance(raised, StopIteration):
        said = "RuntimeError: coroutine raised StopIteration"
    with pytest.raises(ToolError) as failed:
        await function(awaited if asynchronous else plain).call("f")
    assert str(failed.value) == said


async def test_a_function_that_gives_a_coroutine_without_saying_so_is_told(function):
    async def inner() -> int:
        return 1

    with pytest.raises(ToolError, match="must be `async def`"):
        await function(lambda: inner()).call("f")


async def test_a_tool_error_of_the_function_keeps_what_it_says(function):
    def f() -> None:
        raise ToolError("try later", retryable=True)

    with pytest.raises(ToolError, match=r"^try later$") as failed:
        await function(f).call("f")
    assert failed.value.retryable


async def test_a_cancelled_asynchronous_function_is_cancelled(function):
    started, stopped = asyncio.Event(), asyncio.Event()

    async def f() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    task = asyncio.create_task(function(f).call("f"))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert stopped.is_set()


async def test_calls_run_side_by_side_up_to_the_number_of_threads(use):
    tools = PythonTools("core", threads=2)
    together = threading.Barrier(2, timeout=30)

    @tools.tool
    def meet() -> int:
        return together.wait()

    used = use(tools)
    assert sorted(await asyncio.gather(used.call("meet"), used.call("meet"))) == [0, 1]


async def test_threads_held_by_calls_that_never_end_are_reported_before_anything_runs(use):
    tools = PythonTools("core", threads=1)
    entered, leave = threading.Event(), threading.Event()

    @tools.tool
    def hang() -> None:
        entered.set()
        leave.wait(60)

    @tools.tool
    def quick() -> int:
        return 1

    used = use(tools)
    task = asyncio.create_task(used.call("hang"))
    await asyncio.to_thread(entered.wait)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(SourceUnavailable, match="all 1 threads of core are held"):
        await used.call("quick")
    leave.set()
    while True:
        try:
            assert await used.call("quick") == 1
        except SourceUnavailable:
            await asyncio.sleep(0.005)
        else:
            break


async def test_a_call_that_waits_for_a_thread_can_be_cancelled(use):
    tools = PythonTools("core", threads=1)
    entered, leave = threading.Event(), threading.Event()
    ran = []

    @tools.tool
    def hold() -> int:
        entered.set()
        leave.wait(60)
        return 1

    @tools.tool
    def second() -> None:
        ran.append(True)

    used = use(tools)
    first = asyncio.create_task(used.call("hold"))
    await asyncio.to_thread(entered.wait)
    waiting = asyncio.create_task(used.call("second"))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    leave.set()
    assert await first == 1
    assert ran == []


async def test_a_tool_without_a_description_is_warned_of_once(use, caplog):
    tools = PythonTools("core")

    @tools.tool
    def bare(n: int) -> int:
        return n

    tools.add(lambda n: n, name="told", description="Give back n.")
    used = use(tools)
    assert (await used.specs())["bare"].description == ""
    tools.add(len, name="length")
    await used.specs()
    said = [each.message for each in caplog.records if "no description" in each.message]
    assert len(said) == 1
    assert "core: the tool 'bare' has no description" in said[0]
    assert "docstring" in said[0]
