"""The first start in a fresh interpreter, where several threads read Python at once.

CPython 3.11 makes one syntax tree at a time in a whole process; whoever begins a second one makes
the first fail with SystemError. The script makes that likely: collections of garbage, which let
other threads go on, come in the middle of most trees.
"""

import asyncio
import json
import sys
from pathlib import Path

ROGUE = Path(__file__).parents[2] / "plugins" / "source-mcp" / "tests" / "rogue.py"
STARTS = 2
SCRIPT = """
import asyncio, gc, json, sys, time
from pathlib import Path

gc.set_threshold(20)
gc.callbacks.append(lambda phase, info: time.sleep(0))
sys.setswitchinterval(1e-5)

from toolsearch import Host

async def main():
    async with Host.from_config(json.loads(sys.argv[1]), state_dir=Path(sys.argv[2])) as host:
        run = await host.plan()
        down = [said.message for said in run.diagnostics if said.code == "source_unavailable"]
        print(json.dumps([down, run.catalog.by_source]))

asyncio.run(main())
"""
MODULES = ["math", "statistics", "textwrap", "base64", "cmath", "binascii"]


async def started(folder):
    config = {
        "tools": {"toolSearch": {"mode": "tools"}, "limits": {"sourceTimeoutMs": 60_000}},
        "mcpServers": {"rogue": {"command": sys.executable, "args": [str(ROGUE)]}},
        "plugins": {"settings": {"source-python": {"modules": MODULES}}},
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        SCRIPT,
        json.dumps(config),
        str(folder),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert process.returncode == 0, err.decode()
    return json.loads(out)


async def test_no_source_is_lost_where_many_read_python_at_once_in_a_fresh_interpreter(tmp_path):
    for number in range(STARTS):
        down, by_source = await started(tmp_path / str(number))
        assert down == []
        assert by_source["mcp"] > 0
        assert by_source["plugin"] > 0
