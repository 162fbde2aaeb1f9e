"""The plugins of one host: imported one at a time, checked, configured, or refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from attrs import evolve, field, frozen

from toolsearch_hookspecs import Diagnostic, Limits, PluginContext, PluginError, SettingsSpec

from ._contract import Violation, declarations
from ._discovery import PluginIdentity
from ._dispatch import Dispatcher, contained
from ._hook_calls import HookCalls
from ._implementations import Implementations
from ._importing import MEND, Candidate, plugin_object
from ._nearest import sentences
from ._outcome import Answer, Failure, nothing, one_of
from ._plan import UNKNOWN_NAME, Plan, PluginState
from ._reports import Listener, Reports


@frozen(eq=False)
class LoadedPlugin:
    """A plugin that was taken. `named` ones are needed: their failure stops the start."""

    name: str
    distribution: str | None
    version: str | None
    battery: bool
    named: bool
    object: Any = field(repr=False)
    settings_spec: SettingsSpec | None = None

    @property
    def identity(self) -> PluginIdentity:
        return PluginIdentity(self.name, self.distribution, self.version)


class PluginHost:
    """Loads plugins into a registry of its own, and calls their hooks.

    `load` and `configure` raise `PluginError` when a plugin that somebody named cannot be used;
    any other plugin that cannot be used is left out and stands in `diagnostics`.
    """

    def __init__(self, plan: Plan, limits: Limits) -> None:
        self.plan = plan
        self.loaded: tuple[LoadedPlugin, ...] = ()
        self._refused: dict[str, str] = {}
        self._reports = Reports()
        self._implementations = Implementations()
        self._dispatcher = Dispatcher(self._implementations, self._reports)
        self._dispatcher.limits = limits
        self.hooks = HookCalls(self._dispatcher)

    @classmethod
    def load(
        cls,
        plan: Plan,
        extra: Sequence[tuple[str, Any]] = (),
        *,
        limits: Limits | None = None,
    ) -> PluginHost:
        """Import what the plan says, in its order, one at a time.

        `extra` are plugins that the program gives, modules, objects or classes (instantiated
        here); they count as named, and the selection may order or disable them by name.
        """
        host = cls(plan, limits or Limits())
        host._check_plan([name for name, _ in extra])
        disabled = plan.selection.disabled
        candidates = [
            *(
                Candidate(
                    planned.found.identity,
                    planned.named,
                    planned.found.battery,
                    planned.found.entry_point,
                )
                for planned in plan.to_load
            ),
            *(
                Candidate(PluginIdentity(name), named=True, given=given)
                for name, given in extra
                if name not in disabled
            ),
        ]
        for candidate in sorted(candidates, key=lambda each: plan.position(each.identity.name)):
            host._take(candidate)
        host._check_claims()
        return host

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """Everything reported so far, the problems of the plan included, each once."""
        return self._reports.all

    def listen(self, listener: Listener) -> None:
        """Have `listener` told each new diagnostic, on the thread where it arose."""
        self._reports.listen(listener)

    def set_limits(self, limits: Limits) -> None:
        """The limits in force from now on (`hookTimeoutMs`)."""
        self._dispatcher.limits = limits

    def plugin(self, name: str) -> LoadedPlugin | None:
        """The loaded plugin of that name."""
        return next((plugin for plugin in self.loaded if plugin.name == name), None)

    def hooks_of(self, name: str) -> tuple[str, ...]:
        """The hooks that a loaded plugin implements."""
        return self._implementations.hooks_of(name)

    def refusal(self, name: str) -> str | None:
        """Why a plugin that was to be loaded was refused."""
        return self._refused.get(name)

    def why_absent(self, name: str) -> str | None:
        """Why nothing of the plugin is there, for a message about a stage chosen from it.

        None where the name is unknown, or the plugin is loaded and nothing is wrong with it.
        """
        if (cause := self.refusal(name)) is not None:
            return f"it is refused: {cause}"
        for planned in self.plan.plugins:
            if planned.name == name and planned.state is not PluginState.LOADED:
                return f"it is {planned.state}: {planned.reason}"
        failures = (each for each in self.diagnostics if each.subject == name)
        return next((each.message for each in failures if each.level != "info"), None)

    def configure(self, contexts: Mapping[str, PluginContext]) -> None:
        """Hand every loaded plugin its settings; one that does not take them is refused.

        `contexts` has one for each loaded plugin, by name (`KeyError` otherwise).
        """
        for plugin in self.loaded:
            context = contexts[plugin.name]
            each = self._implementations.by(plugin.name, "toolsearch_configure")
            if each is None:
                continue
            outcome = self._dispatcher.call(each, {"plugin": context}, nothing)
            if isinstance(outcome, Failure):
                self._refuse(
                    plugin.identity,
                    Violation(
                        f"toolsearch_configure {outcome.cause}",
                        f"correct plugins.settings.{plugin.name}, or mend the plugin",
                    ),
                    named=plugin.named,
                )
        self.hooks.set_contexts(contexts)

    async def shutdown(self) -> tuple[Diagnostic, ...]:
        """Close the plugins and end the host's threads; safe in any state, and twice."""
        return await self.hooks.shutdown()

    def _check_plan(self, extra: Sequence[str]) -> None:
        for problem in self.plan.problems:
            if problem.code != UNKNOWN_NAME:
                self._reports.add(problem)
            elif problem.subject not in extra:
                raise PluginError(sentences(problem.message, problem.cure))
        offered = [planned.name for planned in self.plan.to_load]
        for name in extra:
            if (*offered, *extra).count(name) > 1:
                raise PluginError(
                    f"the program gives a plugin {name!r}, a name that is offered already; "
                    "give it another name, or disable the installed one"
                )
        for planned in self.plan.unusable:
            cure = _CURES[planned.state]
            self._refuse(
                planned.found.identity, Violation(planned.reason, cure), named=planned.named
            )

    def _take(self, candidate: Candidate) -> None:
        """Import, instantiate, check, register and ask for its settings; or refuse."""
        obj = plugin_object(candidate)
        if isinstance(obj, Violation):
            self._refuse(candidate.identity, obj, named=candidate.named)
            return
        plugin = LoadedPlugin(
            name=candidate.identity.name,
            distribution=candidate.identity.distribution,
            version=candidate.identity.version,
            battery=candidate.battery,
            named=candidate.named,
            object=obj,
        )
        violation = self._register(plugin)
        if violation is not None:
            self._refuse(plugin.identity, violation, named=plugin.named)
            return
        self.loaded = (*self.loaded, plugin)
        self._read_settings(plugin)

    def _register(self, plugin: LoadedPlugin) -> Violation | None:
        match contained(declarations, plugin.object):
            case Failure(cause=cause):
                return Violation(f"reading its hooks {cause}", MEND)
            case Answer(value=Violation() as violation):
                return violation
            case Answer(value=dict() as declared):
                registered = contained(
                    self._implementations.register, plugin.identity, plugin.object, declared
                )
                if isinstance(registered, Failure):
                    return Violation(f"registering it {registered.cause}", MEND)
        return None

    def _read_settings(self, plugin: LoadedPlugin) -> None:
        hook = self._implementations.by(plugin.name, "toolsearch_settings")
        if hook is None:
            return
        match self._dispatcher.call(hook, {}, one_of(SettingsSpec)):
            case Answer(value=SettingsSpec() as spec):
                self.loaded = tuple(
                    evolve(each, settings_spec=spec) if each is plugin else each
                    for each in self.loaded
                )
            case Failure(cause=cause):
                self._refuse(
                    plugin.identity,
                    Violation(f"toolsearch_settings {cause}", MEND),
                    named=plugin.named,
                )

    def _check_claims(self) -> None:
        """Refuse plugins that claim the same keys; those that nobody named first, so that all
        are reported.
        """
        claimants: dict[str, list[str]] = {}
        for plugin in self.loaded:
            for key in plugin.settings_spec.claims if plugin.settings_spec else ():
                claimants.setdefault(key, []).append(plugin.name)
        shared: dict[tuple[str, ...], list[str]] = {}
        for key, names in claimants.items():
            if len(names) > 1:
                shared.setdefault(tuple(names), []).append(repr(key))
        for sharing, keys in shared.items():
            parties = [plugin for plugin in self.loaded if plugin.name in sharing]
            by = " and ".join(str(party.identity) for party in parties)
            violation = Violation(f"{', '.join(keys)} claimed by {by}", "disable one of them")
            for party in sorted(parties, key=lambda each: each.named):
                self._refuse(party.identity, violation, named=party.named)

    def _refuse(self, identity: PluginIdentity, violation: Violation, *, named: bool) -> None:
        self._implementations.unregister(identity.name)
        self.loaded = tuple(plugin for plugin in self.loaded if plugin.name != identity.name)
        self._refused[identity.name] = violation.cause
        message = f"the plugin {identity} is refused: {violation.cause}"
        self._reports.add(
            Diagnostic(
                level="error",
                code="plugins.refused",
                message=message,
                subject=identity.name,
                cure=violation.cure,
            )
        )
        if named:
            raise PluginError(sentences(message, violation.cure))


_CURES = {
    PluginState.DUPLICATE: "uninstall one of the distributions, or disable the name",
    PluginState.PIN_MISMATCH: "install what is pinned, or review what is installed and pin that",
    PluginState.BROKEN: "reinstall the distribution, or disable the plugin",
}
