"""From an annotation in a stub file to a type at run time, as far as one exists.

Nothing but the standard library's own type modules is imported for it: a name whose class cannot
be had becomes `Any`, which is a weaker truth and not a wrong one.
"""

from __future__ import annotations

import ast
import collections
import collections.abc
import functools
import importlib
import sys
import typing
from typing import Any

import attrs
import typing_extensions

from ._forms import LISTS, Number

UNKNOWN: Any = Any
IMPORTABLE = frozenset(
    {"datetime", "decimal", "fractions", "numbers", "uuid", "ipaddress", "enum", "re", "time"}
)
PROTOCOLS = {
    "SupportsComplex": complex,
    "PathLike": str,
    "Buffer": bytes,
    "SupportsLenAndGetItem": list,
    "SupportsKeysAndGetItem": dict,
    "SupportsItems": dict,
    "SupportsIter": list,
}
JSON_TYPES = (str, int, float, list, dict)
TYPING = ("typing", "typing_extensions", "collections.abc", "_collections_abc")


@attrs.frozen
class StubTypes:
    """Evaluates annotations as they are written in the stub of one module."""

    resolver: Any
    module: tuple[str, ...]
    self_type: type | None = None
    for_result: bool = False
    seen: tuple[str, ...] = ()

    def evaluate(self, node: ast.AST | None) -> Any:
        match node:
            case None:
                return UNKNOWN
            case ast.Constant(value=None):
                return None
            case ast.Constant(value=str(text)):
                return self.evaluate(_parsed(text))
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return united([self.evaluate(left), self.evaluate(right)])
            case ast.Name(id=name):
                return self._named(name)
            case ast.Attribute():
                return self._dotted(ast.unparse(node))
            case ast.Subscript(value=value, slice=inner):
                return self._generic(value, inner)
            case _:
                return UNKNOWN

    def _named(self, name: str) -> Any:
        if name in self.seen:
            return UNKNOWN
        if name == "Self":
            return self.self_type or UNKNOWN
        found = self.resolver.get_name(self.module, name)
        if found is None:
            return _plain(getattr(sys.modules["builtins"], name, UNKNOWN))
        return self._resolved(self.module, found, name)

    def _dotted(self, dotted: str) -> Any:
        *path, name = dotted.split(".")
        head = self.resolver.get_name(self.module, path[0])
        module = (*head, *path[1:]) if type(head) is tuple else tuple(path)
        found = self.resolver.get_name(module, name)
        return UNKNOWN if found is None else self._resolved(module, found, name)

    def _resolved(self, module: tuple[str, ...], found: Any, name: str) -> Any:
        info = found
        if hasattr(found, "source_module"):
            module, info = found.source_module, found.info
        if not hasattr(info, "ast"):  # a module
            return UNKNOWN
        inner = attrs.evolve(self, module=tuple(module), seen=(*self.seen, name))
        match info.ast:
            case ast.ClassDef() as definition:
                return self._class(".".join(module), info.name, definition)
            case ast.AnnAssign(value=ast.expr() as value):
                return _special(module, info.name) or inner.evaluate(value)
            case ast.Assign(value=ast.Call() as call):
                return inner.variable(call)
            case ast.Assign(value=value) | ast.AnnAssign(value=value):
                return _special(module, info.name) or inner.evaluate(value)
            case _:
                return _special(module, info.name) or UNKNOWN

    def _class(self, module: str, name: str, definition: ast.ClassDef) -> Any:
        if name in PROTOCOLS:
            return PROTOCOLS[name]
        generic = getattr(collections.abc, name, None) if module in TYPING else None
        if generic in LISTS:
            return generic
        if any("Protocol" in ast.unparse(base) for base in definition.bases):
            return UNKNOWN if self.for_result else _protocol(name, definition)
        if module == "builtins":
            return _plain(getattr(sys.modules["builtins"], name, UNKNOWN))
        if module in TYPING:
            return generic or _special((module,), name) or UNKNOWN
        if module in sys.modules or module in IMPORTABLE:
            return getattr(importlib.import_module(module), name, UNKNOWN)
        return UNKNOWN

    def variable(self, call: ast.Call) -> Any:
        """A TypeVar's constraints, or its bound; a NewType's type."""
        named = ast.unparse(call.func).rpartition(".")[2]
        if named == "NewType":
            return self.evaluate(call.args[1])
        if named != "TypeVar":
            return UNKNOWN
        if len(call.args) > 1:
            return united([self.evaluate(arg) for arg in call.args[1:]])
        bound = [word.value for word in call.keywords if word.arg == "bound"]
        return self.evaluate(bound[0]) if bound else UNKNOWN

    def _generic(self, value: ast.expr, inner: ast.expr) -> Any:
        base = self.evaluate(value)
        if base is typing.Literal:
            return typing.Literal[ast.literal_eval(inner)]
        nodes = inner.elts if isinstance(inner, ast.Tuple) else [inner]
        if base is typing.Annotated:
            return self.evaluate(nodes[0])
        if base is typing.Union:
            return united([self.evaluate(node) for node in nodes])
        if base is typing.Optional:
            return united([self.evaluate(nodes[0]), None])
        if base in (list, dict) and ast.unparse(value).startswith("Supports"):
            return base
        if base in (UNKNOWN, collections.abc.Callable, bytes, str, Number):
            return base
        args = tuple(... if _is_ellipsis(node) else self.evaluate(node) for node in nodes)
        try:
            return base[args if len(args) > 1 else args[0]]
        except TypeError:
            return base


def _parsed(text: str) -> ast.AST | None:
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        return None


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is ...


def _plain(kind: Any) -> Any:
    """`float` in a stub takes an `int` too, and gives it back as one."""
    return Number if kind is float else kind


def united(members: list[Any]) -> Any:
    """A union; where text will do, the buffers beside it are left out."""
    if UNKNOWN in members:
        return UNKNOWN
    flat = [part for member in members for part in _parts(member)]
    if str in flat:
        flat = [part for part in flat if part not in (bytes, bytearray, memoryview)]
    return functools.reduce(_or, dict.fromkeys(flat))


def _parts(member: Any) -> tuple[Any, ...]:
    is_union = typing.get_origin(member) is typing.Union
    return typing.get_args(member) if is_union else (member,)


def _or(left: Any, right: Any) -> Any:
    return typing.Union[left, right]  # noqa: UP007 - built at run time


def _special(module: tuple[str, ...], name: str) -> Any:
    """The special forms of `typing`, which a stub declares as plain objects."""
    if ".".join(module) not in TYPING:
        return None
    return getattr(typing, name, None) or getattr(typing_extensions, name, None)


def _protocol(name: str, definition: ast.ClassDef) -> Any:
    """The types of JSON that have all methods of a protocol; a class of its name if none has."""
    methods = [item.name for item in definition.body if isinstance(item, ast.FunctionDef)]
    fitting: list[Any] = [
        kind for kind in JSON_TYPES if all(hasattr(kind(), method) for method in methods)
    ]
    if len(fitting) == len(JSON_TYPES):
        return UNKNOWN
    if float in fitting:
        fitting = [Number if kind is float else kind for kind in fitting if kind is not int]
    return functools.reduce(_or, fitting) if fitting else type(name, (), {})
