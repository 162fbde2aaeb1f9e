"""`toolsearch doctor`: everything that is wrong or missing, and how to mend it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from toolsearch_hookspecs import Attestation, Diagnostic, RunContext, Tool, ToolsearchError

from ..text import fold
from ._code import CODE
from ._declared import refuse_unknown_modes
from ._failures import FAILURE
from ._hints import why_empty
from ._options import SessionCommand, pass_session
from ._session import Session

if TYPE_CHECKING:
    from ..catalog import SourceDown
    from ..host import Host
    from ..runs import Run


@click.command(cls=SessionCommand)
@pass_session
def doctor(session: Session) -> int:
    """Look at configuration, plugins, sources and the code runner; say what is wrong.

    Exits with 1 where something does not work.
    """
    try:
        data = session.wait(_examined(session))
    except ToolsearchError as error:
        data = {"configuration": _configuration(session), "started": False, "problem": str(error)}
    if session.json:
        session.out.data(data)
    else:
        _show(session, data)
    return FAILURE if _is_ill(data) else 0


def _configuration(session: Session) -> dict[str, Any]:
    found = session.search().found
    return {
        "path": None if found is None else str(found.path),
        "named": found is not None and found.named,
    }


async def _examined(session: Session) -> dict[str, Any]:
    made = session.new_host(turned_on=True)
    refuse_unknown_modes(session, made)
    async with made as host:
        async with await host.plan() as run:
            tools, down = await host.all_tools(), await host.sources_down()
            await run.refresh()  # what came up since the plan is in both, and no denial
            sources = _sources(run, tools, down)
            mode = run.mode
            why = await why_empty(host, run)
            planned = run.diagnostics
        runner = await _tried(host)
        await host.plugins.hooks.drain()  # a plugin that fails at events is known by then
        told = [*host.diagnostics(), *planned, *await _of_other_levels(host, planned, tools)]
        configuration = {**_configuration(session), "trusted": host.config.trusted}
        return {
            "configuration": configuration,
            "started": True,
            "plugins": [plugin.name for plugin in host.plugins.loaded],
            "mode": mode,
            "sources": sources,
            "whyEmpty": why,
            "runner": runner,
            "stateDir": str(host.state_dir),
            "findings": [_finding(each) for each in _each_once(told)],
        }


async def _of_other_levels(
    host: Host, told: Sequence[Diagnostic], tools: Sequence[Tool]
) -> list[Diagnostic]:
    """What policies say of rules that do not hold for the run that was planned, but for groups
    that were told of already or that a tool brings.
    """
    known = {fold(each.subject or "") for each in told}
    known |= {fold(f"group:{group}") for tool in tools for group in tool.groups}
    verdict = await host.plugins.hooks.policy(RunContext(run_id="doctor"), (), None)
    return [
        each
        for each in verdict.diagnostics
        if fold(each.subject or "") not in known and each.code != "policy.failed"
    ]


async def _tried(host: Host) -> dict[str, Any] | None:
    """What the runner found of its isolation, and whether it then ran a body of ours."""
    async with await host.plan(mode="code") as run:
        if run.runner is None:
            return None
        attestation = await run.runner.probe()
        data = attestation.model_dump(mode="json")
        if run.mode != "code":
            return {**data, "ran": None, "failure": None}
        result = await run.handle(CODE, {"code": "return 6 * 7"})
    ran = isinstance(result.value, Mapping) and result.value.get("value") == 42
    failure = None if ran else result.error.message if result.error else "it gave no answer"
    return {**data, "ran": ran, "failure": failure}


def _sources(
    run: Run, tools: Sequence[Tool], unavailable: Sequence[SourceDown]
) -> list[dict[str, Any]]:
    """The sources with the tools that the default agent may use, and those that are down."""
    listed = Counter((tool.source, tool.owner) for tool in tools)
    allowed = Counter((tool.source, tool.owner) for tool in run.catalog.tools)
    up = [
        {
            "source": source,
            "owner": owner,
            "tools": allowed[source, owner],
            "state": "up",
            "reason": _denied(number - allowed[source, owner], number),
        }
        for (source, owner), number in sorted(listed.items())
    ]
    down = [
        {
            "source": each.provenance.kind,
            "owner": each.provenance.owner,
            "tools": 0,
            "state": "down",
            "reason": each.detail or each.reason,
        }
        for each in unavailable
    ]
    return [*up, *down]


def _denied(denied: int, listed: int) -> str | None:
    return f"policy denies {denied:,} of {listed:,}" if denied > 0 else None


def _each_once(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    return list({each.message: each for each in diagnostics}.values())


def _finding(each: Diagnostic) -> dict[str, Any]:
    return each.model_dump(mode="json")


def _is_ill(data: dict[str, Any]) -> bool:
    if not data["started"]:
        return True
    down = any(source["state"] == "down" for source in data["sources"])
    runner = data["runner"]
    if runner is not None and runner["ran"] is False:
        return True
    return down or any(each["level"] == "error" for each in data["findings"])


def _show(session: Session, data: dict[str, Any]) -> None:
    out = session.out
    configuration = data["configuration"]
    where = configuration["path"] or "no file; everything is at its default"
    out.text(f"Configuration  {where}")
    if not data["started"]:
        out.text("Host           does not start")
        out.failure(data["problem"])
        return
    if not configuration["trusted"]:
        out.text("               found, not trusted: `toolsearch config trust`", fg="yellow")
    out.text(f"State          {data['stateDir']}")
    out.text(f"Plugins        {', '.join(data['plugins']) or 'none'}")
    out.text(f"Mode           {data['mode']}")
    _show_runner(session, data["runner"])
    out.text()
    if data["sources"]:
        out.table(
            ("source", "owner", "state", "tools", "reason"),
            [
                (each["source"], each["owner"], each["state"], each["tools"], each["reason"])
                for each in data["sources"]
            ],
        )
    if data["whyEmpty"]:
        out.text(data["whyEmpty"], fg="yellow")
    findings = data["findings"]
    out.text()
    if not _is_ill(data) and all(each["level"] == "info" for each in findings):
        out.text("Nothing is wrong.", fg="green")
    for each in findings:
        colour = {"error": "red", "warning": "yellow", "info": "blue"}[each["level"]]
        out.text(f"{each['level']}: {each['message']}", fg=colour)
        for line in (each["subject"], each["cure"]):
            if line and line not in each["message"]:
                out.text(f"  {line}")


def _show_runner(session: Session, runner: dict[str, Any] | None) -> None:
    out = session.out
    if runner is None:
        out.text("Code runner    none: code mode becomes tools mode")
        return
    found = Attestation.model_validate(
        {key: value for key, value in runner.items() if key not in {"ran", "failure"}}
    )
    version = f" {found.version}" if found.version else ""
    state = "isolated" if found.isolated else "not isolated" if found.available else "unavailable"
    out.text(
        f"Code runner    {found.runtime}{version}: {state}; network closed by {_closer(found)}"
    )
    scopes = ", ".join(f"{scope} {what}" for scope, what in sorted(found.scopes.items()))
    for title, line in (
        ("tried", scopes),
        ("layers", ", ".join(found.layers)),
        ("missing", "; ".join(found.missing)),
        ("cure", found.cure),
        ("trial", "a body ran" if runner["ran"] else runner["failure"]),
    ):
        if line:
            out.text(f"               {title}: {line}")


def _closer(found: Attestation) -> str:
    return {
        "runtime": "the runtime",
        "os": "the operating system",
        "open": "nothing",
        "unknown": "nothing that is known",
    }[found.network]
