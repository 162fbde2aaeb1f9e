"""The surfaces of one host, each with what fits definitions to it, chosen by name or provider."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

import attrs

from toolsearch_hookspecs import ConfigError, ModelSurface, RenderedSurface, Surface

from ._fit import Fitter


@attrs.frozen
class FittedRenderer:
    """One provider's surface, given only what it can draw."""

    surface: Surface
    fitter: Fitter

    @classmethod
    def of(cls, surface: Surface) -> FittedRenderer:
        return cls(surface, Fitter(surface.name, surface.limits))

    def render(self, surface: ModelSurface) -> RenderedSurface:
        """The surface in the provider's form. Raises ConfigError where it takes fewer tools."""
        fitted = self.fitter.fitted(surface)
        told = {
            "names": fitted.names,
            "parameters": fitted.parameters,
            "changes": fitted.changes,
        }
        return self.surface.render(fitted.surface).model_copy(update=told)


class Surfaces:
    """The surfaces that the plugins of one host yield."""

    def __init__(self, surfaces: Iterable[Surface]) -> None:
        self._by_name = {surface.name: FittedRenderer.of(surface) for surface in surfaces}

    def chosen(self, asked: str | None, provider: str | None) -> FittedRenderer:
        """The one that is asked for by name, else the provider's.

        Raises ConfigError where there is none, or where a provider has several.
        """
        wanted = asked or provider
        if wanted is None:
            message = (
                f"say which provider's form is meant, by surface= or plan(provider=...): "
                f"{self._listed()}"
            )
            raise ConfigError(message)
        if wanted in self._by_name:
            return self._by_name[wanted]
        speaking = [each for each in self._by_name.values() if each.surface.provider == wanted]
        match speaking:
            case [only]:
                return only
            case []:
                near = difflib.get_close_matches(wanted, self._by_name, 1)
                meant = f"; did you mean {near[0]!r}?" if near else ""
                message = f"no loaded plugin speaks {wanted!r}{meant} (there are: {self._listed()})"
                raise ConfigError(message)
            case several:
                names = " or ".join(f"surface={each.surface.name!r}" for each in several)
                message = f"provider {wanted!r} is spoken to in several forms: say {names}"
                raise ConfigError(message)

    def most_tools(self, provider: str | None) -> int | None:
        """How many tools the provider takes in one request; None where that is not known."""
        known = [
            each.surface.limits.max_tools
            for each in self._by_name.values()
            if provider in {each.surface.name, each.surface.provider}
        ]
        bounds = [most for most in known if most is not None]
        return min(bounds) if bounds and len(bounds) == len(known) else None

    def _listed(self) -> str:
        return ", ".join(sorted(self._by_name)) or "none"
