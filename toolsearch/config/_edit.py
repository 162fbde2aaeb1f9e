"""Editing a JSON5 text in place: comments, order and everything else stay as they are."""

from __future__ import annotations

import copy
import json
import re
from typing import Any

import attrs

from toolsearch_hookspecs import ConfigError

from ._json5 import parse
from ._style import Style
from ._tree import Node, Path, Tree, spoken

_BEHIND = re.compile(r"(?:[ \t]*/\*.*?\*/)*(?:[ \t]*//[^\n\r\u2028\u2029]*)?", re.DOTALL)
_BLANKS = " \t"
_BREAK = re.compile(r"[\n\r]")


def with_value(text: str, path: Path, value: Any, name: str = "text") -> str:
    """The text with a value set; objects that are missing on the way to it are made.

    Raises `ConfigError` where the path leads through a value that holds no keys.
    """
    tree = parse(text, name)
    path = _fitted(tree.root, path)
    node = tree.root
    for depth, step in enumerate(path):
        _expect_room(node, path, depth)
        entry = node.entry(step)
        if entry is None and node.value is not None:
            new = _insert(tree, node, step, _nested(path[depth + 1 :], value))
            return _checked(new, tree, path, value, name)
        if entry is None:
            value_here = _nested(path[depth:], value)
            new = _replace(tree, node, value_here)
            return _checked(new, tree, path[:depth], value_here, name)
        node = entry.node
    return _checked(_replace(tree, node, value), tree, path, value, name)


def without_value(text: str, path: Path, name: str = "text") -> str:
    """The text without a key or item. Raises `ConfigError` where it is not there."""
    tree = parse(text, name)
    path = _fitted(tree.root, path)
    holder = tree.root
    for step in path[:-1]:
        entry = holder.entry(step)
        if entry is None:
            raise ConfigError(f"{name}: {spoken(path)} is not set")
        holder = entry.node
    found = holder.entry(path[-1])
    if found is None:
        raise ConfigError(f"{name}: {spoken(path)} is not set")
    new = _remove(tree, holder, holder.entries.index(found))
    expected = copy.deepcopy(tree.root.value)
    del _at(expected, path[:-1])[path[-1]]
    return _same_or_refuse(new, expected, name)


def value_at(value: Any, path: Path) -> Any:
    """The value at a path. Raises `KeyError` where there is none."""
    for step in path:
        match value, step:
            case dict(), (str() | int()) if str(step) in value:
                value = value[str(step)]
            case list(), (str() | int()) if str(step).isdecimal() and int(step) < len(value):
                value = value[int(step)]
            case _:
                raise KeyError(spoken(path))
    return value


def _fitted(node: Node | None, path: Path) -> Path:
    """`tools.deny.0` names an item where `deny` is a list, and a key where it is an object."""
    steps: list[str | int] = []
    for written in path:
        step: str | int = written
        if node is not None and isinstance(node.value, list) and str(written).isdecimal():
            step = int(written)
        elif node is not None and isinstance(node.value, dict):
            step = str(written)
        steps.append(step)
        entry = node.entry(step) if node is not None else None
        node = entry.node if entry is not None else None
    return tuple(steps)


def _expect_room(node: Node, path: Path, depth: int) -> None:
    here = spoken(path[:depth]) or "the configuration"
    match node.value, path[depth]:
        case dict(), str():
            return
        case None, _ if depth:
            return
        case list(), int(number) if number <= len(node.entries):
            return
        case list(), int():
            raise ConfigError(
                f"{here} has {len(node.entries)} items; the next is number [{len(node.entries)}]"
            )
        case list(), _:
            raise ConfigError(f"{here} is a list; name an item, as {here}[0]")
        case _:
            raise ConfigError(
                f"{here} holds a plain value, which has no keys of its own; "
                f"set {here} to an object first"
            )


def _nested(path: Path, value: Any) -> Any:
    for step in reversed(path):
        value = [value] if step == 0 and isinstance(step, int) else {str(step): value}
    return value


def _replace(tree: Tree, node: Node, value: Any) -> str:
    style = Style.of(tree)
    rendered = style.render(value, style.indent_at(node.start))
    return tree.text[: node.start] + rendered + tree.text[node.end :]


def _insert(tree: Tree, holder: Node, step: str | int, value: Any) -> str:
    style = Style.of(tree)
    label = f"{style.key(step)}: " if isinstance(step, str) else ""
    if not holder.entries:
        return _insert_first(tree, style, holder, label, value)
    text, last = tree.text, holder.entries[-1]
    anchor = last.node.end if last.comma is None else last.comma + 1
    behind = _BEHIND.match(text, anchor)
    at = behind.end() if behind else anchor
    own_line = bool(_BREAK.search(text, at, holder.end - 1))
    indent = style.indent_in(holder.start, last.start)
    lead = style.newline + indent if own_line else " "
    member = lead + label + style.render(value, indent) + ("," if last.comma is not None else "")
    missing = "," if last.comma is None else ""
    return text[: last.node.end] + missing + text[last.node.end : at] + member + text[at:]


def _insert_first(tree: Tree, style: Style, holder: Node, label: str, value: Any) -> str:
    text, close = tree.text, holder.end - 1
    inside = text[holder.start + 1 : close]
    outer = style.indent_at(holder.start)
    own_line = holder is tree.root or bool(_BREAK.search(inside))
    if not own_line:
        kept = f" {inside.strip()} " if inside.strip() else style.padding(holder.value)
        member = label + style.render(value, outer)
        after = style.padding(holder.value)
        return text[: holder.start + 1] + kept + member + after + text[close:]
    indent = outer + style.unit
    member = label + style.render(value, indent) + ("" if style.quoted else ",")
    kept = text[: holder.start + 1] + inside.rstrip()
    return kept + style.newline + indent + member + style.newline + outer + text[close:]


@attrs.frozen
class _Cut:
    start: int
    end: int


def _remove(tree: Tree, holder: Node, number: int) -> str:
    text, entry = tree.text, holder.entries[number]
    cuts = [_Cut(entry.start, entry.node.end)]
    if entry.comma is not None:
        glued = not text[entry.node.end : entry.comma].strip(_BLANKS)
        comma = _Cut(entry.comma, entry.comma + 1)
        cuts = [_Cut(entry.start, comma.end)] if glued else [*cuts, comma]
    cuts[0] = _with_blanks(text, cuts[0], holder)
    if entry.comma is None and number:
        before = holder.entries[number - 1].comma
        assert before is not None  # noqa: S101  (a comma stands between any two entries)
        cuts.insert(0, _Cut(before, before + 1))
    for cut in reversed(cuts):
        text = text[: cut.start] + text[cut.end :]
    removed = sum(cut.end - cut.start for cut in cuts)
    inside = text[holder.start + 1 : holder.end - 1 - removed]
    if len(holder.entries) == 1 and not inside.strip():
        text = text[: holder.start + 1] + text[holder.end - 1 - removed :]
    return text


def _with_blanks(text: str, cut: _Cut, holder: Node) -> _Cut:
    """The cut with the whole line where nothing else stands on it, else with the blanks beside."""
    left, right = cut.start, cut.end
    while left > holder.start + 1 and text[left - 1] in _BLANKS:
        left -= 1
    while text[right] in _BLANKS:
        right += 1
    begins_line = text[left - 1] in "\n\r"
    ends_line = text[right] in "\n\r"
    match begins_line, ends_line:
        case True, True:
            return _Cut(left, right + (2 if text.startswith("\r\n", right) else 1))
        case True, False:
            return _Cut(cut.start, right)
        case _:
            return _Cut(left, cut.end)


def _at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


def _checked(text: str, tree: Tree, path: Path, value: Any, name: str) -> str:
    expected = copy.deepcopy(tree.root.value)
    here = expected
    for depth, step in enumerate(path[:-1]):
        match here:
            case dict() if step not in here:
                here[step] = _nested(path[depth + 1 :], value)
            case list() if step == len(here):
                here.append(_nested(path[depth + 1 :], value))
        here = here[step]
    if isinstance(here, list) and path[-1] == len(here):
        here.append(value)
    else:
        here[path[-1]] = value
    return _same_or_refuse(text, expected, name)


def _same_or_refuse(text: str, expected: Any, name: str) -> str:
    """What was written is read again: it must say what was meant, and nothing else."""
    if json.dumps(parse(text, name).root.value) != json.dumps(expected):
        raise ConfigError(f"{name}: this change cannot be made in place; edit the file by hand")
    return text
