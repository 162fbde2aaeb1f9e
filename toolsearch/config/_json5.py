"""A JSON5 reader that keeps where every key and value stands."""

from __future__ import annotations

import re
from typing import Any

from toolsearch_hookspecs import ConfigError

from ._tree import Entry, Lines, Node, Tree

MAX_DEPTH = 100
MAX_NUMBER_CHARS = 400

_BLANK = " \t\v\f\n\r\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
_TRIVIA = re.compile(rf"(?:[{_BLANK}]+|//[^\n\r\u2028\u2029]*|/\*.*?\*/)*+", re.DOTALL)
_NAME = re.compile(r"(?:[$\w\u200c\u200d]|\\u[0-9a-fA-F]{4})+")
_REST = re.compile(r"([^\s:,{}\[\]\"'/]+)[ \t]*:")  # of a key that is no plain word, and its colon
_NUMBER = re.compile(
    r"[+-]?(?:Infinity|NaN|0[xX][0-9a-fA-F]+"
    r"|(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
)
_PLAIN = {'"': re.compile(r'[^"\\\n\r]*'), "'": re.compile(r"[^'\\\n\r]*")}
_HEX = {"x": re.compile("[0-9a-fA-F]{2}"), "u": re.compile("[0-9a-fA-F]{4}")}
_PAIR = re.compile(r"\\u([dD][c-fC-F][0-9a-fA-F]{2})")
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}
_FOREIGN_WORDS = {"True": "true", "False": "false", "None": "null", "undefined": "null"}


def parse(text: str, name: str = "text") -> Tree:
    """Read one JSON5 value. Raises `ConfigError` that says `name:line:column` and what is wrong.

    Beyond JSON5's own rules, a key given twice is refused, and so is nesting deeper than
    `MAX_DEPTH`. No message holds text of the file, except keys: it may hold secrets.
    """
    lines = Lines.of(text)
    return Tree(lines, _Reader(lines, name).document())


class _Reader:
    def __init__(self, lines: Lines, name: str) -> None:
        self.text = lines.text
        self.name = name
        self.position = lines.position
        self.at = 0

    def error(self, what: str, at: int | None = None) -> ConfigError:
        place = self.position(self.at if at is None else at)
        return ConfigError(f"{self.name}:{place}: {what}")

    def found(self) -> str:
        if self.at >= len(self.text):
            return "the end of the file"
        return repr(self.text[self.at])

    def skip(self) -> str:
        """Pass blanks and comments; give the character after them, or nothing at the end."""
        match = _TRIVIA.match(self.text, self.at)
        assert match is not None  # noqa: S101  (it matches nothing at all, if need be)
        self.at = match.end()
        if self.text.startswith("/*", self.at):
            raise self.error("this comment is never closed with '*/'")
        return self.text[self.at : self.at + 1]

    def document(self) -> Node:
        if not self.skip():
            raise self.error("the file is empty; the least it can say is {}")
        root = self.value(0)
        if self.skip():
            raise self.error(f"expected nothing after the end of the value, found {self.found()}")
        return root

    def value(self, depth: int) -> Node:
        start = self.at
        match self.text[start : start + 1]:
            case "{":
                return self.object(depth + 1)
            case "[":
                return self.array(depth + 1)
            case '"' | "'":
                string = self.string()
                return Node(start, self.at, string)
            case _:
                scalar = self.scalar()
                return Node(start, self.at, scalar)

    def object(self, depth: int) -> Node:
        start = self.open(depth)
        entries: list[Entry] = []
        members: dict[str, Any] = {}
        seen: dict[str, int] = {}
        while (char := self.skip()) != "}":
            at = self.at
            key = self.string() if char in _PLAIN else self.name_of_key(start)
            if key in members:
                first = self.position(seen[key])
                raise self.error(f"the key {key!r} stands here twice, first at {first}", at)
            end = self.at
            if self.skip() != ":":
                if char not in _PLAIN and self.at == end and (rest := _REST.match(self.text, end)):
                    raise self.error(f'quote this key: "{key}{rest.group(1)}"', at)
                raise self.error(f"expected ':' after the key {key!r}, found {self.found()}")
            self.at += 1
            self.skip()
            node = self.value(depth)
            seen[key], members[key] = at, node.value
            entries.append(Entry(key, at, node, self.comma("}", start)))
        self.at += 1
        return Node(start, self.at, members, tuple(entries))

    def array(self, depth: int) -> Node:
        start = self.open(depth)
        entries: list[Entry] = []
        while self.skip() != "]":
            at = self.at
            node = self.value(depth)
            entries.append(Entry(None, at, node, self.comma("]", start)))
        self.at += 1
        return Node(start, self.at, [entry.node.value for entry in entries], tuple(entries))

    def open(self, depth: int) -> int:
        if depth > MAX_DEPTH:
            raise self.error(f"nested deeper than {MAX_DEPTH} levels")
        start, self.at = self.at, self.at + 1
        return start

    def comma(self, close: str, opened: int) -> int | None:
        match self.skip():
            case ",":
                self.at += 1
                return self.at - 1
            case char if char == close:
                return None
            case _:
                end = f"expected ',' or '{close}' (opened at {self.position(opened)})"
                raise self.error(f"{end}, found {self.found()}")

    def name_of_key(self, opened: int) -> str:
        match = _NAME.match(self.text, self.at)
        raw = match.group() if match else ""
        key = re.sub(r"\\u(....)", lambda found: chr(int(found[1], 16)), raw)
        plain = key.replace("$", "_").replace("\u200c", "").replace("\u200d", "")
        if not plain.isidentifier():
            end = f"expected a key or '}}' (opened at {self.position(opened)})"
            hint = "; quote a key that is not a plain word" if raw else ""
            raise self.error(f"{end}, found {self.found()}{hint}")
        self.at += len(raw)
        return key

    def scalar(self) -> Any:
        start = self.at
        number = _NUMBER.match(self.text, start)
        if number:
            self.at = number.end()
            if re.match(r"[$\w.\\]", self.text[self.at : self.at + 1]):
                raise self.error("not a number that JSON5 knows", start)
            return self.number(number.group(), start)
        match = _NAME.match(self.text, start)
        word = match.group() if match else ""
        if word in _WORDS:
            self.at += len(word)
            return _WORDS[word]
        if word in _FOREIGN_WORDS:
            raise self.error(f"{word} is not a JSON5 word; did you mean {_FOREIGN_WORDS[word]}?")
        if word:
            raise self.error("expected a value, found a bare word; text needs quotes")
        raise self.error(f"expected a value, found {self.found()}")

    def number(self, raw: str, start: int) -> int | float:
        if len(raw) > MAX_NUMBER_CHARS:
            raise self.error(f"a number of more than {MAX_NUMBER_CHARS} characters", start)
        digits = raw.lstrip("+-")
        if digits[:2] in {"0x", "0X"}:
            whole = int(digits, 16)
            return -whole if raw[0] == "-" else whole
        if digits.isdigit():
            return int(raw)
        return float(raw)

    def string(self) -> str:
        start, quote = self.at, self.text[self.at]
        plain = _PLAIN[quote]
        parts: list[str] = []
        self.at += 1
        while True:
            match = plain.match(self.text, self.at)
            assert match is not None  # noqa: S101  (it matches nothing at all, if need be)
            parts.append(match.group())
            self.at = match.end()
            match self.text[self.at : self.at + 1]:
                case "\\":
                    parts.append(self.escape())
                case char if char == quote:
                    self.at += 1
                    return "".join(parts)
                case _:
                    raise self.error(f"this text is never closed with {quote}", start)

    def escape(self) -> str:
        start, self.at = self.at, self.at + 2
        match self.text[start + 1 : self.at]:
            case "x" | "u" as kind:
                return self.hexadecimal(kind, start)
            case "\r":
                self.at += self.text.startswith("\n", self.at)
                return ""
            case "\n" | "\u2028" | "\u2029":
                return ""
            case "0" if self.text[self.at : self.at + 1].isdigit():
                raise self.error("\\0 may not be followed by a digit", start)
            case char if char.isascii() and char.isdigit() and char != "0":
                raise self.error(f"\\{char} is not an escape that JSON5 knows", start)
            case char:
                return _ESCAPES.get(char, char)

    def hexadecimal(self, kind: str, start: int) -> str:
        match = _HEX[kind].match(self.text, self.at)
        if match is None:
            raise self.error(f"\\{kind} needs {2 if kind == 'x' else 4} hexadecimal digits", start)
        self.at = match.end()
        code = int(match.group(), 16)
        pair = _PAIR.match(self.text, self.at)
        if 0xD800 <= code < 0xDC00 and pair:
            self.at = pair.end()
            return chr(0x10000 + ((code - 0xD800) << 10) + int(pair.group(1), 16) - 0xDC00)
        if 0xD800 <= code < 0xE000:
            raise self.error("half of a surrogate pair is not text", start)
        return chr(code)
