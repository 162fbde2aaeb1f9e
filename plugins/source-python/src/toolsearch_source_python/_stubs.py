"""Types that a signature leaves out, from the stub files of typeshed and of installed packages."""

from __future__ import annotations

import ast
import functools
import sys
from inspect import Parameter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from ._stub_types import StubTypes

if TYPE_CHECKING:
    from collections.abc import Callable

Definition = ast.FunctionDef | ast.AsyncFunctionDef


@attrs.frozen
class StubParameter:
    name: str
    kind: Any
    annotation: Any
    optional: bool
    default: Any = Parameter.empty


@attrs.frozen
class StubSignature:
    """One overload of a function, as its stub writes it."""

    parameters: tuple[StubParameter, ...]
    returns: Any


@attrs.frozen
class Place:
    """Where a callable is found: a function `name` of a module, or a method `name` of a class.

    `takes_self` is a plain method taken from its class: its first argument is the instance.
    """

    module: str
    name: str
    owner: type | None = None
    takes_self: bool = False


class Stubs:
    """Reads stub files, each once; made when the first function without types is met. One thread
    at a time, see `python_function`.
    """

    def signatures(self, place: Place) -> tuple[StubSignature, ...]:
        """The overloads of a function, those of a class that is called, or none if unknown."""
        if place.owner is None:
            return self._found(place.module, [place.name], None)
        for base in place.owner.__mro__:
            names = [*base.__qualname__.split("."), place.name]
            found = self._found(base.__module__, names, place.owner)
            if found:
                return found
        return ()

    def _found(
        self, module: str, names: list[str], self_type: type | None
    ) -> tuple[StubSignature, ...]:
        info = self._info(tuple(module.split(".")), names)
        if info is None:
            return ()
        where, found = info
        types = StubTypes(self._resolver, where, self_type)
        is_class = isinstance(found.ast, ast.ClassDef)
        return tuple(
            _signature(definition, types, method=len(names) > 1 or is_class)
            for definition in _definitions(_constructor(found) if is_class else found.ast)
        )

    @functools.cached_property
    def _resolver(self) -> Any:
        import typeshed_client

        paths = [Path(entry) for entry in sys.path if entry]
        return typeshed_client.Resolver(typeshed_client.get_search_context(search_path=paths))

    def _info(self, module: tuple[str, ...], names: list[str]) -> Any:
        found = self._resolver.get_name(module, names[0])
        if hasattr(found, "source_module"):
            module, found = tuple(found.source_module), found.info
        if not hasattr(found, "ast"):
            return None
        for name in names[1:]:
            found = (found.child_nodes or {}).get(name)
            if found is None:
                return None
        if isinstance(found.ast, ast.Assign) and isinstance(found.ast.value, ast.Name):
            return self._info(module, [*names[:-1], found.ast.value.id])
        return module, found


def _constructor(found: Any) -> Any:
    """What a class is called with."""
    children = found.child_nodes or {}
    made = children.get("__new__") or children.get("__init__")
    return None if made is None else made.ast


def _definitions(node: Any) -> list[Definition]:
    found = getattr(node, "definitions", [node])
    return [item for item in found if isinstance(item, ast.FunctionDef | ast.AsyncFunctionDef)]


def _signature(definition: Definition, types: StubTypes, *, method: bool) -> StubSignature:
    parameters = list(_parameters(definition.args, types))
    if method and not _is_static(definition):
        parameters = parameters[1:]
    returns = attrs.evolve(types, for_result=True).evaluate(definition.returns)
    return StubSignature(tuple(parameters), returns)


def _is_static(definition: Definition) -> bool:
    return any(ast.unparse(mark) == "staticmethod" for mark in definition.decorator_list)


def _parameters(given: ast.arguments, types: StubTypes) -> list[StubParameter]:
    positional = [*given.posonlyargs, *given.args]
    required = len(positional) - len(given.defaults)
    defaults = [None] * required + list(given.defaults)
    made = _maker(types)
    found = []
    for at, (argument, default) in enumerate(zip(positional, defaults, strict=True)):
        only = at < len(given.posonlyargs) or argument.arg.startswith("__")
        kind = Parameter.POSITIONAL_ONLY if only else Parameter.POSITIONAL_OR_KEYWORD
        found.append(made(argument, kind, default))
    if given.vararg is not None:
        found.append(made(given.vararg, Parameter.VAR_POSITIONAL, None))
    for argument, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        found.append(made(argument, Parameter.KEYWORD_ONLY, default))
    if given.kwarg is not None:
        found.append(made(given.kwarg, Parameter.VAR_KEYWORD, None))
    return found


def _maker(types: StubTypes) -> Callable[[ast.arg, Any, ast.expr | None], StubParameter]:
    def made(argument: ast.arg, kind: Any, default: ast.expr | None) -> StubParameter:
        variable = kind in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
        return StubParameter(
            name=argument.arg.lstrip("_") or argument.arg,
            kind=kind,
            annotation=types.evaluate(argument.annotation),
            optional=variable or default is not None,
            default=_literal(default),
        )

    return made


def _literal(default: ast.expr | None) -> Any:
    if default is None:
        return Parameter.empty
    try:
        value = ast.literal_eval(default)
    except ValueError:
        return Parameter.empty
    return Parameter.empty if value is ... else value
