"""The proofs of S13, from what the provider received and from the session log alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import attrs

from ._catalog import DIRECT_ONLY, QaCatalog
from ._lanes import Observed
from ._wires import OWN_TOOL

CONTROLS: Mapping[str, tuple[str, ...]] = {
    "tools": ("tool_search", "tool_describe", "tool_call"),
    "directory": ("tool_search", "tool_describe", "tool_call"),
    "code": ("tool_search_code",),
}
_KEPT_VISIBLE = frozenset({DIRECT_ONLY, OWN_TOOL})
_SHOWN = 300


@attrs.frozen
class Proof:
    """One thing that was to be shown. `wrong` says what was seen instead."""

    number: str
    title: str
    wrong: str | None = None

    @property
    def holds(self) -> bool:
        return self.wrong is None


def proofs(seen: Observed, direct: Observed | None, catalog: QaCatalog) -> list[Proof]:
    """All that one request of a lane must show; `direct` is the same request, exposed directly."""
    checks: Iterator[tuple[str, str, str | None]]
    if seen.lane.negative:
        checks = NEGATIVE[seen.lane.name.partition(" in ")[0]](seen, catalog)
    elif seen.lane.mode == "direct":
        checks = _direct(seen, catalog)
    else:
        checks = _compact(seen, direct, catalog)
    return [Proof(*check) for check in checks]


def _direct(seen: Observed, catalog: QaCatalog) -> Iterator[tuple[str, str, str | None]]:
    yield "1", "direct can call the plugin's tool", _called(seen, catalog, "direct")
    yield "3", "direct shows the plugin's schemas", _shows_every_schema(seen, catalog)
    yield "6", "the log has the calls", _counts(seen, (0, 0, 1))


def _compact(
    seen: Observed, direct: Observed | None, catalog: QaCatalog
) -> Iterator[tuple[str, str, str | None]]:
    mode = seen.lane.mode
    via = "bridge" if mode == "code" else "tool_call"
    yield "2", "Tool Search can call the same tool", _called(seen, catalog, via)
    yield "4", "only the compact surface and direct-only tools", _shows_only(seen, mode, catalog)
    if direct is not None:
        yield "5", "its request is smaller", _smaller(seen, direct)
    yield "6", "the log has the calls and the bridge's telemetry", _accounted(seen)


def _called(seen: Observed, catalog: QaCatalog, via: str) -> str | None:
    """The app got what only the target can answer, and the log has its one execution."""
    if catalog.receipt not in seen.text:
        return f"the app was answered without the receipt: {seen.text[:_SHOWN]}"
    final = {name: seen.run.final.get(name) for name in ("tool", "source", "via", "ok")}
    wanted = {"tool": catalog.target_id, "source": "plugin", "via": via, "ok": True}
    return None if final == wanted else f"the log's last call is {final}, not {wanted}"


def _shows_every_schema(seen: Observed, catalog: QaCatalog) -> str | None:
    shown = {tool.get("name"): tool.get("parameters") or {} for tool in seen.first.tools}
    absent = [name for name in catalog.schemas if name not in shown]
    if absent:
        return f"{len(absent)} of the plugin's tools are not declared, {absent[0]} for one"
    other = [
        name
        for name, schema in catalog.schemas.items()
        if shown[name].get("properties", {}).keys() != schema["properties"].keys()
    ]
    return f"the schema of {other[0]} is another" if other else None


def _shows_only(seen: Observed, mode: str, catalog: QaCatalog) -> str | None:
    wanted = {*CONTROLS[mode], *_KEPT_VISIBLE}
    for request in seen.received:
        if set(request.declared) != wanted:
            return f"{sorted(request.declared)} were declared, not {sorted(wanted)}"
        told = str(request.body.get("tools"))
        leaked = [name for name in catalog.schemas if name in told and name != DIRECT_ONLY]
        if leaked:
            return f"{leaked[0]} stands among the declarations"
    visible = seen.run.planned.get("visibleTools")
    return None if visible == len(wanted) else f"the log says that {visible} tools were visible"


def _smaller(seen: Observed, direct: Observed) -> str | None:
    largest, exposed = max(seen.sizes), direct.first.size
    if largest >= exposed:
        return f"{largest:,} bytes, where direct exposure takes {exposed:,}"
    planned = seen.run.planned
    shown = planned.get("surfaceBytes", 0) + planned.get("promptBytes", 0)
    spared = planned.get("directBytes", 0)
    return None if shown < spared else f"the log says {shown:,} bytes against {spared:,}"


def _accounted(seen: Observed) -> str | None:
    """The log counts what the model did, by the provider's own answers."""
    if seen.lane.mode != "code":
        did = [seen.wanted(name) for name in CONTROLS["tools"]]
        if did[2] != 1:
            return f"the model called tool_call {did[2]} times"
        return _counts(seen, (did[0], did[1], 1))
    bodies = seen.wanted("tool_search_code")
    if len(seen.run.bodies) != bodies or bodies != 1:
        return f"{bodies} bodies were sent, and the log has {len(seen.run.bodies)}"
    names = ("ok", "bridgeCalls", "searches", "describes", "calls")
    bridge = [seen.run.bodies[0].get(name) for name in names]
    if bridge != [True, 3, 1, 1, 1]:
        return f"the bridge's telemetry is {dict(zip(names, bridge, strict=True))}"
    return _counts(seen, (1, 1, 1))


def _counts(seen: Observed, wanted: tuple[int, int, int]) -> str | None:
    """Searches, describes and calls, by the events and by the run's own numbers."""
    run = seen.run
    by_event = (run.searches, run.describes, len(run.calls))
    numbers = tuple(run.ended.get(name) for name in ("searches", "describes", "calls"))
    if by_event == numbers == wanted:
        return None
    return f"events say {by_event} and the run {numbers}, of searches, describes, calls: {wanted}"


def _denied(seen: Observed, catalog: QaCatalog) -> Iterator[tuple[str, str, str | None]]:
    """Not declared, not found, not described: its name is in no request to the provider."""
    name = str(catalog.target["name"])
    places = [
        number for number, request in enumerate(seen.received, 1) if name in str(request.body)
    ]
    yield "-", "absent everywhere", f"{name} is in request {places}" if places else None
    executed = [call for call in seen.run.calls if call.get("executed")]
    yield "-", "nothing was executed", f"the log has {executed}" if executed else None


def _approval_denied(seen: Observed, catalog: QaCatalog) -> Iterator[tuple[str, str, str | None]]:
    yield "-", "a blocked result", _ended_with(seen, "blocked", "not while QA looks")
    decisions = [answer.get("decision") for answer in seen.run.approvals]
    yield "-", "the log has the denial", None if decisions == ["reject"] else f"{decisions}"


def _source_died(seen: Observed, catalog: QaCatalog) -> Iterator[tuple[str, str, str | None]]:
    yield "-", "an error", _ended_with(seen, "unavailable", "does not answer any more")


def _no_node(seen: Observed, catalog: QaCatalog) -> Iterator[tuple[str, str, str | None]]:
    yield "-", "the same call, in tools mode", _called(seen, catalog, "tool_call")
    yield "-", "the surface of tools mode", _shows_only(seen, "tools", catalog)
    planned = {name: seen.run.planned.get(name) for name in ("mode", "requestedMode", "fallback")}
    wanted = {"mode": "tools", "requestedMode": "code", "fallback": "code_unavailable"}
    yield "-", "and says so", None if planned == wanted else f"the log says {planned}"


def _ended_with(seen: Observed, code: str, told: str) -> str | None:
    final = seen.run.final
    if (final.get("code"), final.get("executed")) != (code, False):
        return f"the log's last call is {final}"
    return None if told in seen.text else f"the model was not told: {seen.text[:_SHOWN]}"


Negative = Callable[[Observed, QaCatalog], Iterator[tuple[str, str, str | None]]]
NEGATIVE: Mapping[str, Negative] = {
    "denied": _denied,
    "approval denied": _approval_denied,
    "source dies": _source_died,
    "no Node": _no_node,
}
