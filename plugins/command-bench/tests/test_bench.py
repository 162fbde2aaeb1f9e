"""`toolsearch bench` on a small catalog with faults that it should tell of."""

from __future__ import annotations

import importlib.util
import json
from typing import Any

import pytest

from toolsearch.testing import ListSource, observed_host
from toolsearch_command_bench import plugin
from toolsearch_command_bench._memory import resident
from toolsearch_command_bench._questions import first_clause, questions
from toolsearch_hookspecs import Tool, ToolsearchError

SPECS = {
    "send_email": {"description": "Sends an email to a recipient. Needs an account."},
    "convertCurrency": {"description": "Converts an amount between two currencies"},
    "blank": {"description": ""},
    "find_files": {"description": "Finds the files that match a pattern"},
    "search_files": {"description": "Finds the files that match a pattern"},
}


class Context:
    """A command's context over a real host."""

    json = False

    def __init__(self, state_dir, config=None, specs=SPECS) -> None:
        source = ListSource("desk", dict.fromkeys(specs, lambda: None), **specs)
        self._host = observed_host(state_dir, config, source)
        self.data: Any = None
        self.text = ""

    def host(self):
        return self._host

    def show(self, data: Any, *, text: str | None = None) -> None:
        self.data, self.text = data, text or ""


async def bench(context: Context, **given: Any) -> Context:
    (command,) = plugin().toolsearch_commands(None)
    defaults = {one.name: one.default for one in command.parameters}
    assert await command.run(context, defaults | given) is None
    return context


async def test_a_catalog_is_told_what_is_found_and_what_is_not(tmp_path):
    told = await bench(Context(tmp_path))
    assert told.data["tools"] == len(SPECS)
    assert told.data["found"]["name"]["first"] == 1.0
    assert told.data["found"]["name in words"]["asked"] == 4
    assert told.data["twins"] == [["plugin:desk:find_files", "plugin:desk:search_files"]]
    assert told.data["unfound"] == ["plugin:desk:blank"]
    same = "begins as another description does"
    find, search = "plugin:desk:find_files", "plugin:desk:search_files"
    assert told.data["descriptions"] == [
        {"tool": "plugin:desk:blank", "reason": "no description"},
        {"tool": find, "reason": same, "other": search},
        {"tool": search, "reason": same, "other": find},
    ]
    json.dumps(told.data)
    assert "Asked for all 5 tools" in told.text
    assert "Twins, each of which stands before the other (1)" in told.text
    assert "Descriptions that need work (3)" in told.text
    assert "still found by nothing" not in told.text  # the one that is not has no description
    assert "█" in told.text


async def test_what_the_index_costs_is_told(tmp_path):
    told = await bench(Context(tmp_path))
    cost = told.data["index"]
    assert cost["milliseconds"] > 0
    assert 0 <= cost["megabytes"] < cost["process megabytes"]
    assert told.data["milliseconds"]["p50"] <= told.data["milliseconds"]["p95"]
    assert "to build" in told.text
    assert "MB more with the index" in told.text


async def test_where_the_system_does_not_tell_of_memory_nothing_is_made_up(tmp_path, monkeypatch):
    monkeypatch.setattr("toolsearch_command_bench._memory.STATM", tmp_path / "nowhere")
    monkeypatch.setenv("PATH", str(tmp_path))
    told = await bench(Context(tmp_path))
    assert "megabytes" not in told.data["index"]
    assert "Memory" not in told.text


def test_the_memory_of_a_process_grows_with_what_it_holds():
    before = resident()
    held = bytearray(b"x" * 50_000_000)
    grown = resident() - before
    del held
    assert 45e6 < grown < 70e6
    assert resident() - before < 20e6


async def test_two_ids_stand_on_two_lines_where_they_would_not_fit_on_one(tmp_path):
    long = "a_name_that_goes_on_for_as_long_as_some_generators_like"
    specs = {f"{long}_{n}": {"description": "Finds the files"} for n in range(12)}
    told = await bench(Context(tmp_path, specs=specs))
    assert max(map(len, told.text.splitlines())) <= 80
    assert "and 4 more (--json lists all)" in told.text


async def test_tools_outside_the_policy_of_the_agent_are_counted_and_left_out(tmp_path):
    config = {"tools": {"toolSearch": {"mode": "tools"}, "deny": ["send_email"]}}
    told = await bench(Context(tmp_path, config))
    assert told.data["absent"] == ["plugin:desk:send_email"]
    assert told.data["tools"] == len(SPECS) - 1


async def test_a_large_catalog_is_sampled_the_same_way_each_time(tmp_path):
    specs = {f"tool_{n}": {"description": f"Handles case {n}"} for n in range(30)}
    one = await bench(Context(tmp_path / "a", specs=specs), tools=7)
    other = await bench(Context(tmp_path / "b", specs=specs), tools=7)
    assert one.data["tools"] == 7
    assert one.data["found"] == other.data["found"]


async def test_without_tools_it_says_so(tmp_path):
    with pytest.raises(ToolsearchError, match="no tool"):
        await bench(Context(tmp_path, specs={}))


async def test_a_picture_is_drawn_or_what_it_needs_is_said(tmp_path):
    path = tmp_path / "places.png"
    if importlib.util.find_spec("matplotlib") is None:
        with pytest.raises(ToolsearchError, match=r"command-bench\[plot\]"):
            await bench(Context(tmp_path), plot=path)
    else:
        await bench(Context(tmp_path), plot=path)
        assert path.read_bytes().startswith(b"\x89PNG")
        with pytest.raises(ToolsearchError, match="--plot"):
            await bench(Context(tmp_path), plot=tmp_path / "places.nonsense")


def make_tool(name: str, description: str) -> Tool:
    return Tool(
        id=f"plugin:desk:{name}",
        source="plugin",
        owner="desk",
        name=name,
        description=description,
        digest="d",
        plugin="p",
        origin="o",
    )


def test_questions_are_made_by_rule():
    tool = make_tool("getUserByEmail", "Gets the user with an email address. Slow!")
    assert [(one.kind, one.text) for one in questions(tool)] == [
        ("name", "getUserByEmail"),
        ("name in words", "get user by email"),
        ("first clause", "Gets the user with an email address"),
        ("other verbs", "fetch the user with an email address"),
        ("telling words", "address email user Gets"),
    ]


@pytest.mark.parametrize(
    ("description", "clause"),
    [("", ""), ("...", ""), ("\n\nReads.\nMore", "Reads"), ("查找文件。返回列表", "查找文件")],
)
def test_the_first_clause_ends_where_its_sentence_does(description, clause):
    assert first_clause(make_tool("x", description)) == clause
