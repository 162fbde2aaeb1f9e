"""The report as a picture."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from toolsearch_hookspecs import ToolsearchError

from ._display import places_in_order
from ._report import Report

DEPTHS = (("first", "first"), ("five", "among the first five"), ("found", "at all"))


def require() -> None:
    """Say what drawing needs, before anything is measured. Raises ToolsearchError."""
    if find_spec("matplotlib") is None:
        raise ToolsearchError(
            "--plot needs matplotlib: pip install 'toolsearch-command-bench[plot]'"
        )


def draw(report: Report, path: Path) -> None:
    """Draw at which places tools were found, and how often by each way of asking.

    The ending of the path says the form: `.png`, `.svg`, `.pdf`. Raises ToolsearchError.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), dpi=120, layout="constrained")
    left, right = figure.subplots(1, 2)
    order = places_in_order(report.places)
    left.bar(order, [report.places[place] for place in order])
    left.set(xlabel="place of the tool among the hits", ylabel="questions")
    kinds = [kind for kind, shares in report.kinds.items() if shares["asked"]]
    for number, (depth, label) in enumerate(DEPTHS):
        shares = [100 * report.kinds[kind][depth] for kind in kinds]
        right.barh(
            [row + 0.27 * (number - 1) for row in range(len(kinds))], shares, 0.25, label=label
        )
    right.set_yticks(range(len(kinds)), kinds)
    right.invert_yaxis()
    right.set(xlabel="found, % of the questions", xlim=(0, 100))
    figure.legend(*right.get_legend_handles_labels(), loc="outside lower right", ncols=len(DEPTHS))
    figure.suptitle(f"{report.tools} of {report.catalog} tools asked for")
    try:
        figure.savefig(path)
    except (OSError, ValueError) as error:
        raise ToolsearchError(f"--plot {path}: {error}") from error
