"""Prints the table of `docs/security.md`: what the main realm of a child reaches, layer by layer.

python plugins/runner-node/tests/assumed_breach.py NODE [NODE ...]
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

from toolsearch_runner_base._supervised import SupervisedSpawner
from toolsearch_runner_base.process import LAYERS, Channel, StartError
from toolsearch_runner_base.reading import first_line
from toolsearch_runner_base.runtime import Identity
from toolsearch_runner_node._node import Node

sys.path.insert(0, str(Path(__file__).parent))
import conftest

COLUMNS = {
    "no layer": ((), False),
    "Node's": ((), True),
    "the system's": (LAYERS, False),
    "both": (LAYERS, True),
}


async def reached(node: str, layers: tuple[str, ...], world: conftest.World, *, restricted: bool):
    names = []
    spawner = SupervisedSpawner()
    found = await Node.describe(Identity.of(node), spawner)
    script = (conftest.CORPUS / "_breach.js").read_text()
    for body in conftest.bodies("reach"):
        command = found.command(script, layers=layers, restricted=restricted)
        given = json.dumps({"code": body.code, "setup": world.setup()}).encode() + b"\n"
        try:
            line = await first_line(
                spawner,
                command,
                Channel(1 << 20, 1 << 20),
                lambda child, given=given: child.write(given),
            )
        except StartError:
            continue
        finally:
            world.restore()
        if b'"refused"' not in line:  # what replaced the program speaks for itself
            names.append(body.name)
    await spawner.aclose()
    return found.label, names


async def table(nodes: list[str], world: conftest.World) -> None:
    print("| Node |", " | ".join(COLUMNS), "|")
    print("|---|", "---|" * len(COLUMNS), sep="")
    for node in nodes:
        counts, left = [], {}
        for column, (layers, restricted) in COLUMNS.items():
            label, names = await reached(node, layers, world, restricted=restricted)
            counts.append(str(len(names)))
            left[column] = names
        print(f"| {label} |", " | ".join(counts), "|")
        for column in ("Node's", "the system's", "both"):
            print(f"  {column}: {', '.join(left[column]) or 'nothing'}", file=sys.stderr)


def main() -> None:
    generator = conftest.make_world()
    world = next(generator)
    try:
        asyncio.run(table(sys.argv[1:] or [conftest.NODES["path"] or "node"], world))
    finally:
        next(generator, None)


if __name__ == "__main__":
    main()
