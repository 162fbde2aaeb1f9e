"""`toolSearch` where it may stand: under `tools`, a provider and an agent (S10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from toolsearch_hookspecs import Diagnostic, ToolSearchSettings

from ._models import TOOL_SEARCH_LEVELS
from ._reading import Problem, read_own
from ._tree import Path, spoken

DIRECT = "direct"


@attrs.frozen
class Layers:
    """What each place says, as objects with `enabled` worked out; silent places are absent."""

    tools: Mapping[str, Any] | None = None
    providers: Mapping[str, Mapping[str, Any]] = attrs.field(factory=dict)
    agents: Mapping[str, Mapping[str, Any]] = attrs.field(factory=dict)
    on_unless_said: bool = False

    def settings(
        self, provider: str | None, agent: str | None, mode: str | None
    ) -> ToolSearchSettings:
        """Tools, then provider, then agent, then the argument: the later wins, key by key.

        The mode `direct`, wherever it was said last, is no Tool Search at all.
        """
        merged: Mapping[str, Any] = {"enabled": self.on_unless_said}
        for layer in (
            self.tools,
            self.providers.get(provider or ""),
            self.agents.get(agent or ""),
            _asked(mode),
        ):
            merged = _over(merged, layer or {})
        if merged.get("mode") == DIRECT:
            merged = {**merged, "enabled": False}
        settings = ToolSearchSettings.model_validate(merged)
        return settings.model_copy(update={"search_default_limit": settings.default_limit})


def layers_of(value: Mapping[str, Any]) -> tuple[Layers, list[Problem], list[tuple[Path, str]]]:
    """The layers of a configuration, what is wrong with them, and what was clamped where."""
    problems: list[Problem] = []
    clamped: list[tuple[Path, str]] = []

    def layer(holder: Any, path: Path) -> Mapping[str, Any] | None:
        if not isinstance(holder, Mapping) or "toolSearch" not in holder:
            return None
        return _layer(holder["toolSearch"], (*path, "toolSearch"), problems, clamped)

    def entries(level: str) -> dict[str, Mapping[str, Any]]:
        section = value.get(level)
        named = section.items() if isinstance(section, Mapping) else ()
        found = {name: layer(entry, (level, name)) for name, entry in named}
        return {name: said for name, said in found.items() if said is not None}

    tools = layer(value.get("tools"), ("tools",))
    providers, agents = (entries(level) for level in TOOL_SEARCH_LEVELS)
    return Layers(tools, providers, agents), problems, clamped


def written_modes(value: Mapping[str, Any]) -> Iterator[tuple[Path, str]]:
    """Every mode that a configuration names, with its place."""
    places: list[Path] = [("tools",)]
    for level in TOOL_SEARCH_LEVELS:
        section = value.get(level)
        places += [(level, name) for name in (section if isinstance(section, Mapping) else ())]
    for place in places:
        here: Any = value
        for step in (*place, "toolSearch", "mode"):
            here = here.get(step) if isinstance(here, Mapping) else None
        if isinstance(here, str):
            yield (*place, "toolSearch", "mode"), here


def _layer(
    raw: Any, path: Path, problems: list[Problem], clamped: list[tuple[Path, str]]
) -> Mapping[str, Any] | None:
    match raw:
        case bool():
            return {"enabled": raw}
        case Mapping() if not raw:
            return None
        case Mapping():
            _, wrong = read_own(
                ToolSearchSettings,
                raw,
                path,
                clamped=lambda told: clamped.append(((*path, *_key_of(told, raw)), told)),
            )
            problems.extend(wrong)
            _tell_default_limit(raw, path, clamped)
            return {"enabled": True, **raw}
        case _:
            problems.append(Problem(path, "should be true, false or an object"))
            return None


def _tell_default_limit(
    raw: Mapping[str, Any], path: Path, clamped: list[tuple[Path, str]]
) -> None:
    match raw:
        case {"searchDefaultLimit": int(default), "maxSearchLimit": int(most)} if default > most:
            told = f"searchDefaultLimit: {default} is above maxSearchLimit; {most} is used"
            clamped.append(((*path, "searchDefaultLimit"), told))


def _key_of(told: str, raw: Mapping[str, Any]) -> Path:
    """Where the clamped key stands: here, or in `likelySchemas`."""
    key = told.split(":", 1)[0]
    for outer, inner in raw.items():
        if isinstance(inner, Mapping) and key in inner:
            return (outer, key)
    return (key,) if key in raw else ()


def clamp_diagnostic(path: Path, told: str, place: str) -> Diagnostic:
    """A clamped value, said once."""
    sentence = told.split(": ", 1)[-1]
    return Diagnostic(
        level="warning",
        code="clamped",
        message=f"{spoken(path)}: {sentence}",
        subject=place,
        cure="write a value inside the range",
    )


def _asked(mode: str | None) -> Mapping[str, Any]:
    match mode:
        case None:
            return {}
        case mode if mode == DIRECT:
            return {"enabled": False}
        case _:
            return {"enabled": True, "mode": mode}


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> Mapping[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        under = merged.get(key)
        both = isinstance(under, Mapping) and isinstance(value, Mapping)
        merged[key] = _over(under, value) if both else value  # type: ignore[arg-type]
    return merged
