"""Two turns with the same catalog give byte-identical tools and prompt, so that a provider's prompt
cache holds.
"""

import asyncio
import itertools
import json
import os
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from toolsearch import Host
from toolsearch_hookspecs import ToolAnnotations

from ..conftest import ListSource, Yields

MODES = ("code", "tools", "directory", "direct")
OWNERS = ("billing", "calendar", "mail", "weather")
VERBS = ("create", "delete", "find", "list", "send", "update")


def config(mode, **tool_search):
    said = {"mode": mode, "enabled": mode != "direct", **tool_search}
    weak = {"runner-node": {"allowWeakIsolation": True}}
    enabled = ["surface-openai", "surface-anthropic", "surface-gemini"]
    return {"tools": {"toolSearch": said}, "plugins": {"settings": weak, "enabled": enabled}}


def source(owner, verbs=VERBS):
    made = ListSource(owner, {f"{verb}_{owner}": lambda **given: given for verb in verbs})
    for name, spec in made.specs.items():
        schema = {
            "type": "object",
            "properties": {"id": {"type": "string"}, owner: {"type": "integer"}},
            "required": ["id"],
        }
        read_only = ToolAnnotations(read_only=name.startswith("find"))
        made.specs[name] = spec.model_copy(
            update={"input_schema": schema, "annotations": read_only, "groups": (owner, "all")}
        )
    return made


def as_sent(run):
    """What a provider's request would carry, byte for byte."""
    forms = [run.rendered(name) for name in ("openai-chat", "openai-responses", "gemini")]
    given = {"surface": run.surface.model_dump(), "forms": [form.model_dump() for form in forms]}
    return json.dumps(given)


async def planned(mode, order, tools, state_dir):
    sources = []
    for owner in order:
        made = source(owner)
        names = sorted(made.specs, key=lambda name: tools.index(name.split("_")[0]))
        made.specs = {name: made.specs[name] for name in names}
        sources.append(Yields(made))
    plugins = [(f"plugin-{place}", each) for place, each in enumerate(sources)]
    host = Host.from_config(config(mode), plugins=plugins, environ={}, state_dir=state_dir)
    async with host:
        run = await host.plan(session="s", message="send a mail about the weather")
        return as_sent(run)


@pytest.mark.parametrize("mode", MODES[1:])
@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(order=st.permutations(OWNERS), tools=st.permutations(VERBS))
def test_neither_the_order_of_sources_nor_that_of_their_tools_changes_a_byte(
    tmp_path, mode, order, tools
):
    first = asyncio.run(planned(mode, OWNERS, VERBS, tmp_path))
    assert asyncio.run(planned(mode, order, tools, tmp_path)) == first


@pytest.mark.parametrize("likely", [{"count": 0}, {"count": 4, "from": "session"}])
@pytest.mark.parametrize("mode", ["tools", "directory"])
async def test_whatever_was_searched_and_called_the_next_turn_has_the_same_bytes(
    started, mode, likely
):
    host = await started(config(mode, likelySchemas=likely), *map(source, OWNERS))
    sent = []
    for message in ("send mail", "what is the weather", "pay the bill", None):
        run = await host.plan(session="s", message=message)
        sent.append(as_sent(run))
        await run.handle("tool_search", {"query": message or "calendar"})
        await run.handle("tool_describe", {"id": "plugin:mail:send_mail"})
        await run.handle("tool_call", {"id": "find_weather", "args": {"id": "1"}})
    assert len(set(sent)) == 1


async def test_the_surface_stays_when_the_catalog_changes_and_a_later_run_has_the_new_one(started):
    changing = source("mail")
    host = await started(config("directory"), changing, source("weather"))
    run = await host.plan(session="s")
    before = as_sent(run)
    del changing.specs["delete_mail"]
    changing.generation += 1
    changing.changed()
    await asyncio.sleep(0)
    await run.handle("tool_search", {"query": "mail"})
    assert len(run.catalog.tools) == 11
    assert as_sent(run) == before
    assert "delete_mail" not in (await host.plan(session="s")).surface.prompt


SCRIPT = """
import asyncio, json, sys
from pathlib import Path
from toolsearch import Host

async def main(state, *modes):
    config = json.loads(sys.stdin.read())
    async with Host.from_config(config, environ={}, state_dir=Path(state)) as host:
        for mode in modes:
            run = await host.plan(mode=mode, session="s", message="the median of some numbers")
            forms = [run.rendered(name) for name in ("openai-chat", "openai-responses", "gemini")]
            given = [run.surface.model_dump(), *(form.model_dump() for form in forms)]
            print(len(run.surface.tools), json.dumps(given))

asyncio.run(main(*sys.argv[1:]))
"""


def test_two_processes_with_other_hash_seeds_send_the_same_bytes(tmp_path):
    read = config("tools")
    read["plugins"]["settings"]["source-python"] = {"modules": ["statistics", "textwrap", "json"]}
    outputs = []
    for seed in ("0", "1", "4711"):
        done = subprocess.run(
            [sys.executable, "-P", "-c", SCRIPT, str(tmp_path / seed), *MODES],
            env=dict(os.environ, PYTHONHASHSEED=seed),
            input=json.dumps(read),
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.append(done.stdout)
    shown = [int(line.split()[0]) for line in outputs[0].splitlines()]
    assert shown[:2] == [1, 3]
    assert shown[3] > 20
    assert all(one == other for one, other in itertools.pairwise(outputs))
