"""What was seen, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from ._lanes import Observed
from ._proofs import Proof

TITLES = ("lane", "wire", "bytes a turn", "tools", "searches", "describes", "calls", "final tool", "source", "verdict")  # fmt: skip


@attrs.frozen
class Row:
    """One request of one lane, and what it showed. `skipped` says why there was none."""

    lane: str
    wire: str = ""
    seen: Observed | None = None
    proofs: tuple[Proof, ...] = ()
    skipped: str | None = None

    @property
    def holds(self) -> bool:
        return all(proof.holds for proof in self.proofs)

    @property
    def verdict(self) -> str:
        if self.skipped is not None:
            return "skipped"
        if self.holds:
            numbers = ",".join(proof.number for proof in self.proofs if proof.number != "-")
            return f"proven {numbers}".rstrip()
        return "FAILED " + ",".join(
            proof.number if proof.number != "-" else proof.title
            for proof in self.proofs
            if not proof.holds
        )

    @property
    def json(self) -> Mapping[str, Any]:
        about: dict[str, Any] = {"lane": self.lane, "wire": self.wire or None}
        if self.skipped is not None:
            return about | {"skipped": self.skipped}
        about |= {"holds": self.holds, "proofs": [attrs.asdict(proof) for proof in self.proofs]}
        seen = self.seen
        if seen is None:
            return about
        run = seen.run
        return about | {
            "mode": run.mode,
            "requestBytes": seen.sizes,
            "declarationBytes": seen.first.tool_bytes,
            "toolsDeclared": seen.first.declared,
            "searches": run.searches,
            "describes": run.describes,
            "calls": len(run.calls),
            "bodies": [dict(body) for body in run.bodies],
            "finalTool": run.final.get("tool"),
            "finalSource": run.final.get("source"),
            "finalOutcome": "ok" if run.final.get("ok") else run.final.get("code"),
        }


def table(rows: Sequence[Row]) -> str:
    """The rows under titles, then what is wrong, in words."""
    cells = [TITLES, *map(_cells, rows)]
    widths = [max(len(row[place]) for row in cells) for place in range(len(TITLES))]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in cells]
    return "\n".join([*lines, *_smaller(rows), *_words(rows)])


def _cells(row: Row) -> tuple[str, ...]:
    seen = row.seen
    if seen is None:
        return (row.lane, row.wire, *[""] * (len(TITLES) - 3), row.verdict)
    run = seen.run
    sizes = " ".join(f"{size:,}" for size in seen.sizes)
    return (
        row.lane,
        row.wire,
        sizes,
        str(len(seen.first.declared)),
        str(run.searches),
        str(run.describes),
        str(len(run.calls)),
        str(run.final.get("tool", "-")).rpartition(":")[2],
        str(run.final.get("source", "-")),
        row.verdict,
    )


def _smaller(rows: Sequence[Row]) -> Iterator[str]:
    """How much smaller the first request of a lane is than the same one, exposed directly."""
    direct = {row.wire: row.seen.first.size for row in rows if row.lane == "direct" and row.seen}
    for row in rows:
        seen = row.seen
        if seen is None or seen.lane.negative or row.wire not in direct or row.lane == "direct":
            continue
        if row.wire == next(iter(direct)):
            spared = 100 * (1 - seen.first.size / direct[row.wire])
            yield (
                f"{row.lane}: the first request has {seen.first.size:,} bytes, "
                f"{spared:.2f} % less than direct exposure"
            )


def _words(rows: Sequence[Row]) -> Iterator[str]:
    for row in rows:
        if row.skipped is not None:
            yield f"{row.lane}: skipped, {row.skipped}"
        for proof in row.proofs:
            if not proof.holds:
                yield f"{row.lane} ({row.wire}): {proof.title}: {proof.wrong}"
