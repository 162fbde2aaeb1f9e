"""Everything in order: the environment, the provider, the lanes, the proofs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import monotonic

from toolsearch_hookspecs import ToolsearchError

from ..provider import Planner, Provider, serving
from ._catalog import QaCatalog
from ._environment import environment
from ._lanes import Lane, Observed, Play, lanes, negative_lanes
from ._proofs import Proof, proofs
from ._report import Row

Say = Callable[[str], None]


async def played(
    folder: Path, size: int, modes: Sequence[str], aimock: str | None, say: Say
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
            began = monotonic()
            provider.script = Planner()
            try:
                observed = await play.lane(lane)
            except ToolsearchError as error:
                rows.append(Row(lane.name, proofs=(Proof("-", "can be played", str(error)),)))
                continue
            rows += _rows(lane, observed, direct, catalog)
            say(f"{lane.name}: {monotonic() - began:.1f} s")
    return rows


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
