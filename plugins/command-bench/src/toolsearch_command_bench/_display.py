"""The report as text, and as a picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from toolsearch_hookspecs import ToolsearchError

from ._report import MOST_LISTED, Report

WIDTH = 40


def text(report: Report) -> str:
    return "\n".join(_lines(report))


def _lines(report: Report) -> Iterator[str]:
    yield f"{report.tools} tools asked for"
    if report.absent:
        yield f"{len(report.absent)} more are not in the catalog of this run"
    yield ""
    yield f"{'asked by':16}{'asked':>7}{'first':>8}{'in five':>9}{'found':>8}"
    for kind, shares in report.kinds.items():
        if shares["asked"]:
            yield (
                f"{kind:16}{shares['asked']:7.0f}{shares['first']:8.0%}"
                f"{shares['five']:9.0%}{shares['found']:8.0%}"
            )
    yield ""
    yield "at which place"
    yield from _bars(report.places)
    yield from _listed("found by nothing but their name", report.unfound)
    yield from _listed(
        "twins: each stands before the other", (f"{a}  {b}" for a, b in report.twins)
    )
    yield from _listed(
        "descriptions that need work", (f"{work.id} {work.reason}" for work in report.work)
    )
    if report.milliseconds:
        times = report.milliseconds
        yield ""
        yield (
            f"a search took {times['p50']} ms (p50), {times['p95']} ms (p95); "
            f"the first, with the index, {times['first']} ms"
        )


def _bars(places: Mapping[str, int]) -> Iterator[str]:
    total = sum(places.values()) or 1
    for place in _in_order(places):
        share = places[place] / total
        yield f"{place:>6} {'█' * round(share * WIDTH):{WIDTH}} {share:.0%}"


def _in_order(places: Mapping[str, int]) -> list[str]:
    return sorted(
        places, key=lambda place: (place == "none", place if place == "none" else int(place))
    )


def _listed(title: str, entries: Iterable[str]) -> Iterator[str]:
    listed = list(entries)
    if not listed:
        return
    yield ""
    yield f"{title} ({len(listed)})"
    yield from (f"  {entry}" for entry in listed[:MOST_LISTED])
    if len(listed) > MOST_LISTED:
        yield f"  and {len(listed) - MOST_LISTED} more (--json lists all)"


def picture(report: Report, path: Path) -> None:
    """Draw how many questions found their tool at which place. Raises ToolsearchError."""
    if find_spec("matplotlib") is None:
        raise ToolsearchError(
            "--plot needs matplotlib: pip install 'toolsearch-command-bench[plot]'"
        )
    from matplotlib.figure import Figure

    order = _in_order(report.places)
    counts: Sequence[int] = [report.places[place] for place in order]
    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.subplots()
    axes.bar(order, counts)
    axes.set_xlabel("place of the tool that was asked for")
    axes.set_ylabel("questions")
    axes.set_title(f"{report.tools} tools")
    figure.savefig(path)
