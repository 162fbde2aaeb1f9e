"""The report as text for a terminal of eighty columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby

from ._report import NO_DESCRIPTION, NOT_FOUND, Report, Work

BAR = 40
COLUMNS = 78
MOST_LISTED = 8


def text(report: Report) -> str:
    return "\n".join(_lines(report))


def _lines(report: Report) -> Iterator[str]:
    some = "all" if report.tools == report.catalog else f"{report.tools} of"
    yield f"Asked for {some} {report.catalog} tools, each in up to five ways."
    if report.absent:
        yield f"The run may not use {len(report.absent)} more, which were left out."
    yield ""
    yield f"{'asked by':16}{'asked':>7}{'first':>8}{'top 5':>8}{'found':>8}"
    for kind, shares in report.kinds.items():
        if shares["asked"]:
            yield (
                f"{kind:16}{shares['asked']:7.0f}{shares['first']:8.0%}"
                f"{shares['five']:8.0%}{shares['found']:8.0%}"
            )
    yield ""
    yield "Place of the tool among the hits"
    yield from _bars(report.places)
    yield ""
    yield from _costs(report)
    yield from _listed("Twins, each of which stands before the other", map(_pair, report.twins))
    yield from _unfound(report)
    yield from _work(report)


def places_in_order(places: Mapping[str, int]) -> list[str]:
    return sorted(
        places, key=lambda place: (place == "none", place if place == "none" else int(place))
    )


def _bars(places: Mapping[str, int]) -> Iterator[str]:
    total = sum(places.values()) or 1
    for place in places_in_order(places):
        share = places[place] / total
        percent = f"{share:.0%}" if share >= 0.005 else "<1%"
        yield f"{place:>6} {'█' * round(share * BAR):{BAR}} {percent:>4}"


def _costs(report: Report) -> Iterator[str]:
    index = report.filing
    yield f"Index   {_seconds(index['milliseconds'])} to build, libraries loaded included"
    if "megabytes" in index:
        yield (
            f"Memory  {index['megabytes']:.0f} MB more with the index and its libraries, "
            f"{index['process megabytes']:.0f} MB in all (resident)"
        )
    if report.milliseconds:
        times = report.milliseconds
        yield f"Search  {times['p50']} ms (p50), {times['p95']} ms (p95), through the whole host"


def _seconds(milliseconds: float) -> str:
    return f"{milliseconds / 1_000:.1f} s" if milliseconds >= 1_000 else f"{milliseconds:.0f} ms"


def _pair(pair: tuple[str, str]) -> str:
    one, other = pair
    joined = f"{one}  {other}"
    return joined if len(joined) + 2 <= COLUMNS else f"{one}\n    {other}"


def _unfound(report: Report) -> Iterator[str]:
    wordless = {work.id for work in report.work if work.reason == NO_DESCRIPTION}
    yield from _listed(
        "Described, and still found by nothing but their name",
        (id_ for id_ in report.unfound if id_ not in wordless),
    )


def _work(report: Report) -> Iterator[str]:
    faulty = [work for work in report.work if work.reason != NOT_FOUND]  # those are listed above
    if not faulty:
        return
    yield ""
    yield f"Descriptions that need work ({len(faulty)})"

    def reason(work: Work) -> str:
        return work.reason

    for why, those in groupby(sorted(faulty, key=reason), key=reason):
        yield from _entries(why, [_told(work) for work in those], indent=2)


def _told(work: Work) -> str:
    if work.other is None:
        return work.id
    joined = f"{work.id}, as {work.other}"
    return joined if len(joined) + 4 <= COLUMNS else f"{work.id},\n      as {work.other}"


def _listed(title: str, entries: Iterable[str]) -> Iterator[str]:
    listed = list(entries)
    if listed:
        yield ""
        yield from _entries(title, listed, indent=0)


def _entries(title: str, listed: list[str], *, indent: int) -> Iterator[str]:
    yield f"{' ' * indent}{title} ({len(listed)})"
    yield from (f"{' ' * indent}  {entry}" for entry in listed[:MOST_LISTED])
    if len(listed) > MOST_LISTED:
        yield f"{' ' * indent}  and {len(listed) - MOST_LISTED} more (--json lists all)"
