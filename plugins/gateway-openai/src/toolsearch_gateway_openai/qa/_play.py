"""Everything in order: the environment, the provider, the lanes, the proofs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import monotonic

from toolsearch_hookspecs import ToolsearchError

from ..provider import Planner, Provider, serving
from ._aimock import ABSENT, aimock, command_of
from ._catalog import QaCatalog
from ._environment import environment
from ._lanes import Lane, Observed, Play, lanes, negative_lanes
from ._proofs import Proof, proofs
from ._report import Row

Say = Callable[[str], None]


async def played(
    folder: Path, size: int, modes: Sequence[str], aimock_command: str | None, say: Say
) -> list[Row]:
    """Play every lane and give its rows. Raises ToolsearchError where the throw-away plugin cannot
    be built and installed.
    """
    catalog = QaCatalog.of(size)
    say(f"a throw-away plugin with {size} tools is built and installed")
    made = await environment(folder, catalog)
    rows: list[Row] = []
    direct: dict[str, Observed] = {}
    async with serving(Provider(Planner())) as provider:
        play = Play(made.python, folder / "lanes", catalog, provider)
        for lane in [*lanes(modes), *negative_lanes(catalog)]:
            provider.script = Planner()
            rows += await _played(play, lane, direct, catalog, say)
    rows += await _second_opinion(made.python, folder, catalog, direct, aimock_command, say)
    return rows


async def _played(
    play: Play, lane: Lane, direct: dict[str, Observed], catalog: QaCatalog, say: Say
) -> list[Row]:
    began = monotonic()
    try:
        observed = await play.lane(lane)
    except ToolsearchError as error:
        return [Row(lane.name, proofs=(Proof("-", "can be played", str(error)),))]
    say(f"{lane.name}: {monotonic() - began:.1f} s")
    return _rows(lane, observed, direct, catalog)


async def _second_opinion(
    python: Path,
    folder: Path,
    catalog: QaCatalog,
    direct: dict[str, Observed],
    command: str | None,
    say: Say,
) -> list[Row]:
    """The lane of mode tools once more, with a provider of somebody else."""
    found = command_of(command)
    if found is None:
        return [Row("aimock", skipped=ABSENT)]
    async with aimock(found, folder / "aimock", catalog) as other:
        play = Play(python, folder / "lanes", catalog, other)
        return await _played(play, Lane("aimock", "tools"), direct, catalog, say)


def _rows(
    lane: Lane, observed: Sequence[Observed], direct: dict[str, Observed], catalog: QaCatalog
) -> list[Row]:
    fallen = next((seen for seen in observed if _fell_back(lane, seen)), None)
    if fallen is not None:
        why = "no code runner here is isolated (toolsearch doctor says why)"
        return [Row(lane.name, skipped=why)]
    if lane.mode == "direct" and not lane.negative:
        direct.update({seen.wire.name: seen for seen in observed})
    return [
        Row(
            lane.name,
            seen.wire.name,
            seen,
            tuple(proofs(seen, _exposed(seen, direct), catalog)),
        )
        for seen in observed
    ]


def _exposed(seen: Observed, direct: Mapping[str, Observed]) -> Observed | None:
    """The same request, exposed directly; of the other API where this one could not take it."""
    same = direct.get(seen.wire.name)
    return same or next(iter(direct.values()), None)


def _fell_back(lane: Lane, seen: Observed) -> bool:
    """Whether a lane of code mode could not be played here; one lane is about just that."""
    return lane.mode == "code" and lane.name != "no Node" and seen.run.mode == "tools"
