"""Draw the pictures of docs/benchmarks.md: `python benchmarks/plots.py`.

Reads what the other scripts printed with `--json` (kept in `benchmarks/results`) and writes SVG
into `docs/benchmarks`. Needs matplotlib.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

HERE = Path(__file__).parent
RESULTS = HERE / "results"
PICTURES = HERE.parent / "docs" / "benchmarks"

OURS = "#3f51b5"
OTHERS = "#9e9e9e"
COLOURS = ("#3f51b5", "#00838f", "#757575", "#e65100", "#8e24aa", "#2e7d32")

# The same bytes for the same numbers, and letters that a browser can search.
STYLE = {
    "svg.hashsalt": "toolsearch",
    "svg.fonttype": "none",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
NAMES = {
    "default": "index-whoosh",
    "default-plain": "index-whoosh without numpy",
    'index-semantic:{"encoder": ["wordllama", "minilm"]}': "index-semantic, both encoders",
    "index-semantic": "index-semantic, wordllama",
    "fts5": "SQLite FTS5, four fields",
    "tantivy": "tantivy, one weighted field",
    "whoosh-one-field": "Whoosh's searcher, one field",
    "whoosh-naive": "Whoosh as its tutorial has it",
    "rank-bm25": "rank_bm25",
    "fastmcp": "FastMCP",
    "lexical-plus": "baseline (lexical-plus)",
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--into", type=Path, default=PICTURES)
    options = parser.parse_args()
    options.into.mkdir(parents=True, exist_ok=True)
    for name, draw in (("quality", quality), ("speed", speed), ("reliability", reliability)):
        found = json.loads((options.results / f"{name}.json").read_text(encoding="utf-8"))
        with mpl.rc_context(STYLE):
            figure = draw(found)
            figure.savefig(options.into / f"{name}.svg", metadata={"Date": None})


def named(engine: str) -> str:
    return NAMES.get(engine, engine)


def is_ours(engine: str) -> bool:
    return named(engine).startswith("index-")


def quality(reports: Mapping[str, Any]) -> Figure:
    """Macro nDCG@10 of each engine, with the interval that the sample of requests leaves."""
    order = sorted(reports, key=lambda name: reports[name]["macro"]["ndcg10"])
    values = [reports[name]["macro"]["ndcg10"] for name in order]
    edges = [reports[name]["interval"] for name in order]
    figure, axes = _figure(7.5, 0.34 * len(order) + 1)
    axes.barh(
        [named(name) for name in order],
        values,
        xerr=[
            [value - low for value, (low, _) in zip(values, edges, strict=True)],
            [high - value for value, (_, high) in zip(values, edges, strict=True)],
        ],
        color=[OURS if is_ours(name) else OTHERS for name in order],
        error_kw={"elinewidth": 1, "capsize": 2},
    )
    for row, (value, (_, high)) in enumerate(zip(values, edges, strict=True)):
        axes.text(high + 0.008, row, f"{value:.3f}", va="center", fontsize=9)
    axes.set_xlim(0, max(high for _, high in edges) + 0.08)
    axes.set_xlabel("nDCG@10 over seven sets, with 95 % intervals")
    return figure


def speed(rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Processor time of a search by the size of the catalog, short and long requests."""
    figure = Figure(figsize=(9, 3.8), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    engines = list(dict.fromkeys(row["engine"] for row in rows))
    for axes, kind in zip(panels, ("short", "long"), strict=True):
        for engine, colour in zip(engines, cycle(COLOURS), strict=False):
            those = [row for row in rows if row["engine"] == engine]
            sizes = [row["tools"] for row in those]
            axes.plot(
                sizes,
                [row[f"{kind} p50"] for row in those],
                "o-",
                color=colour,
                label=named(engine),
            )
            axes.plot(sizes, [row[f"{kind} p95"] for row in those], ":", color=colour)
        axes.set(xscale="log", yscale="log", xlabel="tools", title=f"{kind} requests")
        axes.grid(visible=True, which="major", alpha=0.3)
    panels[0].set_ylabel("processor milliseconds\n(solid p50, dotted p95)")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def reliability(found: Mapping[str, Sequence[Mapping[str, float]]]) -> Figure:
    """How often a best hit is right, by how sure the index said to be."""
    figure, axes = _figure(5, 3.8)
    axes.plot([0, 1], [0, 1], color=OTHERS, linewidth=1, label="as sure as right")
    for (engine, bins), colour in zip(found.items(), cycle(COLOURS), strict=False):
        axes.plot(
            [each["confidence"] for each in bins],
            [each["right"] for each in bins],
            "o-",
            color=colour,
            label=named(engine),
        )
    axes.set(xlabel="confidence of the best hit", ylabel="share that is right", xlim=(0, 1))
    axes.set_ylim(0, 1)
    axes.grid(visible=True, alpha=0.3)
    axes.legend(frameon=False)
    return figure


def _figure(width: float, height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots()


if __name__ == "__main__":
    main()
