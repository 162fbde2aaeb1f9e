"""Prints the table of `docs/security.md`: what the main realm of a child reaches, layer by layer.

python plugins/runner-base/tests/assumed_breach.py [node=PROGRAM | deno=PROGRAM ...]
"""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

from toolsearch_runner_base._probe import answer
from toolsearch_runner_base._supervised import SupervisedSpawner
from toolsearch_runner_base.process import LAYERS, Channel, StartError
from toolsearch_runner_base.runtime import Identity, Runtime

sys.path.insert(0, str(Path(__file__).parent))
import conftest

COLUMNS = {
    "no layer": ((), False),
    "the runtime's": ((), True),
    "the system's": (LAYERS, False),
    "both": (LAYERS, True),
}


async def reached(
    tested: conftest.Tested,
    found: Runtime,
    spawner: SupervisedSpawner,
    world: conftest.World,
    layers: tuple[str, ...],
    *,
    restricted: bool,
) -> list[str]:
    names = []
    script = (conftest.CORPUS / "_breach.js").read_text()
    for body in conftest.reach(tested):
        command = found.command(script, layers=layers, restricted=restricted)
        given = {"code": body.code, "setup": world.setup()}
        try:
            line = await answer(spawner, command, Channel(1 << 20, 1 << 20), given)
        except StartError:
            continue
        finally:
            world.restore()
        if b'"refused"' not in line:  # what replaced the program speaks for itself
            names.append(body.name)
    return names


async def table(runtimes: list[conftest.Tested], world: conftest.World) -> None:
    print("| runtime | probes |", " | ".join(COLUMNS), "|")
    print("|---|", "---|" * (len(COLUMNS) + 1), sep="")
    for tested in runtimes:
        spawner = SupervisedSpawner()
        found = await tested.kind.describe(Identity.of(tested.path), spawner)
        left = {}
        for column, (layers, restricted) in COLUMNS.items():
            left[column] = await reached(
                tested, found, spawner, world, layers, restricted=restricted
            )
        await spawner.aclose()
        counts = " | ".join(str(len(names)) for names in left.values())
        total = len(conftest.reach(tested))
        print(f"| {tested.kind.title} {found.label} | {total} |", counts, "|")
        for column, names in left.items():
            print(f"  {column}: {', '.join(names) or 'nothing'}", file=sys.stderr)


def wanted(arguments: list[str]) -> list[conftest.Tested]:
    """The runtimes that are named, as `node=PROGRAM` or `deno=PROGRAM`; else those of the tests."""
    kinds = {tested.kind.name: tested for tested in conftest.ENGINES}
    given = [argument.partition("=") for argument in arguments]
    named = [replace(kinds[kind], name=kind, path=path) for kind, _, path in given]
    return named or conftest.RUNTIMES


def main() -> None:
    generator = conftest.make_world()
    world = next(generator)
    try:
        asyncio.run(table(wanted(sys.argv[1:]), world))
    finally:
        next(generator, None)


if __name__ == "__main__":
    main()
