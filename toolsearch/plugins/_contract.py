"""Whether a plugin's implementations fit the contract. pluggy itself takes most of these gladly."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

import pluggy
from attrs import frozen

from toolsearch_hookspecs import HOOK_RULES, INLINE_ATTRIBUTE, PROJECT, HookRule, Hooks

from ._nearest import did_you_mean, sentences

_ORDERING = ("hookwrapper", "wrapper", "tryfirst", "trylast")
_PREFIX = f"{PROJECT}_"
_POSITIONAL = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.POSITIONAL_ONLY)


@frozen
class Violation:
    """What a plugin got wrong, and what would be right."""

    cause: str
    cure: str

    def __str__(self) -> str:
        return sentences(self.cause, self.cure)


@frozen
class Declared:
    """How one implementation is declared."""

    arguments: tuple[str, ...]
    coroutine: bool
    inline: bool


def declarations(plugin: object) -> dict[str, Declared] | Violation:
    """The implementations of a plugin by hook, or the first thing that does not fit."""
    manager = pluggy.PluginManager(PROJECT)
    declared: dict[str, Declared] = {}
    for attribute in dir(plugin):
        options = manager.parse_hookimpl_opts(plugin, attribute)
        if options is None:
            if (violation := _unmarked(plugin, attribute)) is not None:
                return violation
            continue
        hook = options.get("specname") or attribute
        found = _declaration(plugin, attribute, hook, options)
        if isinstance(found, Violation):
            return found
        if hook in declared:
            return Violation(f"it implements {hook} twice", "keep one implementation of each hook")
        declared[hook] = found
    return declared or Violation(
        "it implements no hook",
        "mark its hooks with `@hookimpl` of toolsearch_hookspecs, and have the entry point name "
        "the class (or module) that has them",
    )


def violation_of(plugin: object) -> Violation | None:
    """The first thing that keeps a host from taking a plugin, None where nothing does."""
    found = declarations(plugin)
    return found if isinstance(found, Violation) else None


def _declaration(
    plugin: object, attribute: str, hook: str, options: Mapping[str, Any]
) -> Declared | Violation:
    rule = HOOK_RULES.get(hook)
    if rule is None:
        return _unknown(hook)
    if any(options.get(option) for option in _ORDERING):
        return Violation(
            f"{hook} is declared as a wrapper, or with tryfirst or trylast",
            "use a plain `@hookimpl`: order is the deployment's (plugins.order, then name)",
        )
    function = getattr(plugin, attribute)
    inline = _is_inline(plugin, attribute, function)
    for violation in chain(
        _without_self(plugin, attribute, rule),
        _wrong_kind(rule, function, inline=inline),
        _wrong_arguments(rule, function),
    ):
        return violation
    arguments = tuple(inspect.signature(function).parameters)
    return Declared(arguments, inspect.iscoroutinefunction(function), inline)


def _unmarked(plugin: object, attribute: str) -> Violation | None:
    """A function that is named like a hook and would never be called."""
    if not attribute.startswith(_PREFIX):
        return None
    static = inspect.getattr_static(plugin, attribute, None)
    if isinstance(static, staticmethod | classmethod):
        static = static.__func__
    if not inspect.isfunction(static) or static is vars(Hooks).get(attribute):
        return None
    if attribute not in HOOK_RULES:
        return _unknown(attribute)
    return Violation(f"{attribute} is not marked as a hook", "put `@hookimpl` on it")


def _unknown(hook: str) -> Violation:
    meant = did_you_mean(hook, HOOK_RULES, prefix=_PREFIX)
    if hook.startswith(_PREFIX):
        return Violation(
            f"unknown hook {hook!r}{meant}",
            "rename it: names that begin with `toolsearch_` are the contract's",
        )
    known = ", ".join(name.removeprefix(_PREFIX) for name in HOOK_RULES)
    return Violation(
        f"{hook!r} is marked with `@hookimpl`, and the contract has no such hook{meant}",
        "give it that name, or take the mark off"
        if meant
        else f"take the mark off, or give it the name of a hook, {_PREFIX} and one of: {known}",
    )


def _is_inline(plugin: object, attribute: str, function: Callable[..., Any]) -> bool:
    static = inspect.getattr_static(plugin, attribute, None)
    return bool(getattr(static, INLINE_ATTRIBUTE, getattr(function, INLINE_ATTRIBUTE, False)))


def _without_self(plugin: object, attribute: str, rule: HookRule) -> Iterator[Violation]:
    """A method whose first argument is one of the hook's, or that has none: it would get itself."""
    static = inspect.getattr_static(type(plugin), attribute, None)
    if not inspect.isfunction(static):
        return
    first = next(iter(inspect.signature(static).parameters.values()), None)
    if first is None or (first.name in rule.arguments and first.kind in _POSITIONAL):
        yield Violation(
            f"{rule.name} is a method without `self`",
            f"write {'async ' if inspect.iscoroutinefunction(static) else ''}def {attribute}(self"
            f"{''.join(f', {name}' for name in inspect.signature(static).parameters)})",
        )


def _wrong_kind(
    rule: HookRule, function: Callable[..., Any], *, inline: bool
) -> Iterator[Violation]:
    coroutine = inspect.iscoroutinefunction(function)
    if not rule.asynchronous and (coroutine or inspect.isasyncgenfunction(function)):
        yield Violation(f"{rule.name} is a synchronous hook, but is `async def`", "write `def`")
    if rule.asynchronous and (
        inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function)
    ):
        yield Violation(f"{rule.name} is a generator", "return the answer, do not yield it")
    if inline and (coroutine or not rule.asynchronous):
        yield Violation(
            f"{rule.name} is declared inline=True, which is for a plain `def` of an asynchronous "
            "hook",
            "leave `inline` out",
        )


def _wrong_arguments(rule: HookRule, function: Callable[..., Any]) -> Iterator[Violation]:
    known = ", ".join(rule.arguments) or "none"
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind not in _POSITIONAL:
            yield Violation(
                f"{rule.name} takes {parameter}, which is never filled",
                f"name the arguments it needs, each as a plain parameter ({known})",
            )
        elif name not in rule.arguments:
            yield Violation(
                f"{rule.name} has no argument {name!r}{did_you_mean(name, rule.arguments)}",
                f"its arguments are: {known}; leave out those you do not need",
            )
        elif parameter.default is not inspect.Parameter.empty:
            yield Violation(
                f"the argument {name!r} of {rule.name} has a default, which would hide it",
                "take the default away: the host always gives every argument",
            )
