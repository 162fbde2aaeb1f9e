"""How a JSON5 text is written: line ends, indent, quoted keys; new values follow it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from ._tree import Tree

WIDTH = 80

_WORD = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)
_INDENTED = re.compile(r"[\n\r]([ \t]+)(?=[^\s/*])")


@attrs.frozen
class Style:
    """The manner of one text. `quoted`: every key is quoted, as in plain JSON."""

    text: str
    newline: str
    unit: str
    quoted: bool

    @classmethod
    def of(cls, tree: Tree) -> Style:
        indented = _INDENTED.search(tree.text)
        starts = [tree.text[entry.start] for _, entry in tree.walk() if entry.key is not None]
        return cls(
            text=tree.text,
            newline="\r\n" if "\r\n" in tree.text else "\n",
            unit=indented.group(1) if indented else "  ",
            quoted=bool(starts) and all(start == '"' for start in starts),
        )

    def indent_at(self, offset: int) -> str:
        """The indent of the line on which an offset stands."""
        start = max(self.text.rfind("\n", 0, offset), self.text.rfind("\r", 0, offset)) + 1
        line = self.text[start:offset]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def indent_in(self, holder: int, offset: int) -> str:
        """The indent of an entry of an object or list that begins at `holder`."""
        start = max(self.text.rfind("\n", 0, offset), self.text.rfind("\r", 0, offset)) + 1
        return self.indent_at(offset) if start > holder else self.indent_at(holder) + self.unit

    def key(self, key: str) -> str:
        return key if not self.quoted and _WORD.fullmatch(key) else self.scalar(key)

    def scalar(self, value: Any) -> str:
        text = json.dumps(value, ensure_ascii=False)
        return text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")

    def padding(self, value: Any) -> str:
        return " " if isinstance(value, dict) else ""

    def render(self, value: Any, indent: str) -> str:
        """A value on one line where it is short, else over several, the first without indent."""
        line = self.line(value)
        if len(line) <= WIDTH or not isinstance(value, dict | list) or not value:
            return line
        deeper = indent + self.unit
        match value:
            case dict():
                inner = [f"{self.key(key)}: {self.render(v, deeper)}" for key, v in value.items()]
            case _:
                inner = [self.render(item, deeper) for item in value]
        open_, close = "{}" if isinstance(value, dict) else "[]"
        rows = (f",{self.newline}{deeper}").join(inner)
        last = "" if self.quoted else ","
        return f"{open_}{self.newline}{deeper}{rows}{last}{self.newline}{indent}{close}"

    def line(self, value: Any) -> str:
        match value:
            case dict() if value:
                inner = ", ".join(f"{self.key(key)}: {self.line(v)}" for key, v in value.items())
                return f"{{ {inner} }}"
            case list():
                return f"[{', '.join(map(self.line, value))}]"
            case _:
                return self.scalar(value)
