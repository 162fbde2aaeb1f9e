"""The fixture, the scripted model, and what pytest loads where toolsearch is installed."""

import subprocess
import sys

import pytest

from toolsearch.testing import ListSource, PolicyConformance, ScriptedModel


async def test_the_fixture_gives_a_real_host_with_its_events(toolsearch_host):
    source = ListSource("echo", {"say": lambda text: text})
    async with toolsearch_host(None, source, only=("index-whoosh", "mode-tools")) as host:
        run = await host.plan()
        called = await run.handle("tool_call", {"id": "plugin:echo:say", "args": {"text": "hello"}})
        assert called.value["result"] == "hello"
    assert [event.data["tool"] for event in host.events.of("call.ended")] == ["plugin:echo:say"]
    assert source.calls[0].arguments == {"text": "hello"}


async def test_two_hosts_of_one_test_share_no_state(toolsearch_host):
    async with toolsearch_host() as first, toolsearch_host() as second:
        assert first.state_dir != second.state_dir


async def test_a_scripted_model_may_go_by_what_it_was_told(toolsearch_host):
    source = ListSource("echo", {"say": lambda: "hello"})
    model = ScriptedModel(
        ("tool_search", {"query": "say"}),
        lambda results: ("tool_call", {"id": results[0].value["hits"][0]["id"], "args": {}}),
        lambda results: None,
    )
    async with toolsearch_host(None, source, only=("index-whoosh", "mode-tools")) as host:
        results = await model.play(await host.plan())
    assert results[-1].value["result"] == "hello"
    assert len(model.seen) == 2


LEFT_OPEN = """
import asyncio
from toolsearch.testing.pytest_plugin import toolsearch_host

def test_left_open(toolsearch_host):
    asyncio.run(toolsearch_host(only=("index-whoosh", "mode-tools")).start())
"""


def test_a_host_that_a_test_leaves_open_fails_it(tmp_path):
    (tmp_path / "test_it.py").write_text(LEFT_OPEN)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "test_it.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "left a host open; use `async with" in done.stdout
    assert "1 passed, 1 error" in done.stdout


def test_where_it_is_not_used_nothing_of_the_host_is_loaded():
    heavy = ("toolsearch.host", "toolsearch.testing._case", "pydantic")
    code = (
        "import sys, pytest, toolsearch.testing, toolsearch.testing.pytest_plugin;"
        f"print([name for name in {heavy} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_suite_without_a_plugin_says_what_to_set(tmp_path):
    class Suite(PolicyConformance):
        pass

    with pytest.raises(pytest.fail.Exception, match=r"set `plugin = your_package\.plugin`"):
        Suite().test_it_implements_the_hook(tmp_path)
