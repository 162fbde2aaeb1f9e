"""Editing a file in place: what was meant is changed, and nothing else."""

import copy
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsearch.config import parse, path_of, with_value, without_value
from toolsearch_hookspecs import ConfigError

FILE = """\
// ours
{
  tools: { // inner
    toolSearch: { mode: "code" }, // why
    deny: [], ask: [], /* b */  // and allow
  },
  mcpServers: {
    a: { command: "x", args: ["-y"] }
    // end
  }
}
"""


def lines_changed(before, after):
    old, new = before.splitlines(), after.splitlines()
    return [line for line in new if line not in old], [line for line in old if line not in new]


def test_setting_a_value_that_is_there_replaces_it_alone():
    assert with_value(FILE, path_of("tools.toolSearch.mode"), "tools") == FILE.replace(
        '"code"', '"tools"'
    )


@pytest.mark.parametrize(
    ("path", "value", "added", "gone"),
    [
        (
            "tools.toolSearch.strict",
            True,
            ['    toolSearch: { mode: "code", strict: true }, // why'],
            ['    toolSearch: { mode: "code" }, // why'],
        ),
        ("tools.allow", ["x"], ['    allow: ["x"],'], []),
        (
            "mcpServers.b.command",
            "y",
            ['    a: { command: "x", args: ["-y"] },', '    b: { command: "y" }'],
            ['    a: { command: "x", args: ["-y"] }'],
        ),
        (
            "mcpServers.a.args[1]",
            "z",
            ['    a: { command: "x", args: ["-y", "z"] }'],
            ['    a: { command: "x", args: ["-y"] }'],
        ),
        ("log.content", True, ["  log: { content: true }"], ["  }"]),
    ],
)
def test_a_new_key_follows_the_manner_of_its_siblings(path, value, added, gone):
    after = with_value(FILE, path_of(path), value)
    assert lines_changed(FILE, after) == (added, gone)


@pytest.mark.parametrize(
    ("text", "path", "value", "after"),
    [
        ("{}", "tools.toolSearch", True, "{\n  tools: { toolSearch: true },\n}"),
        ("{ }\n", "a", 1, "{\n  a: 1,\n}\n"),
        ("{\n  // only this\n}", "a", 1, "{\n  // only this\n  a: 1,\n}"),
        ("{ t: { /* c */ } }", "t.a", 1, "{ t: { /* c */ a: 1 } }"),
        ("{ t: {} }", "t.a.b", 1, "{ t: { a: { b: 1 } } }"),
        ("{ t: null }", "t.a", 1, "{ t: { a: 1 } }"),
        ("{ t: [] }", "t[0]", "x", '{ t: ["x"] }'),
        ("{ a: 1, }", "b", 2, "{ a: 1, b: 2, }"),
        ("{ a: 1 /* x */ }", "b", 2, "{ a: 1, /* x */ b: 2 }"),
        ("{ a: 1 // x\n}", "b", 2, "{ a: 1, // x\n  b: 2\n}"),
        ('{"a": 1}', "b.c", 2, '{"a": 1, "b": { "c": 2 }}'),
        ('{\r\n\t"a": 1\r\n}', "b", 2, '{\r\n\t"a": 1,\r\n\t"b": 2\r\n}'),
        ("\ufeff{ a: 1 }", "a", 2, "\ufeff{ a: 2 }"),
        ("{ a: 1 }", '"x.y"', 2, '{ a: 1, "x.y": 2 }'),
    ],
)
def test_objects_on_the_way_are_made(text, path, value, after):
    assert with_value(text, path_of(path), value) == after


def test_a_long_value_is_laid_out_over_lines():
    server = {"command": "npx", "args": ["-y", "x" * 60], "env": {"TOKEN": "${TOKEN}"}}
    after = with_value("{\n  a: 1,\n}\n", ("mcpServers", "g"), server)
    assert after == (
        "{\n  a: 1,\n  mcpServers: {\n    g: {\n"
        f'      command: "npx",\n      args: ["-y", "{"x" * 60}"],\n'
        '      env: { TOKEN: "${TOKEN}" },\n    },\n  },\n}\n'
    )


@pytest.mark.parametrize(
    ("text", "path", "after"),
    [
        ("{ a: 1 }", "a", "{}"),
        ("{\n  a: 1,\n}\n", "a", "{}\n"),
        ("{ a: 1, b: 2 }", "a", "{ b: 2 }"),
        ("{ a: 1, b: 2 }", "b", "{ a: 1 }"),
        ("{ a: 1, b: 2, }", "b", "{ a: 1, }"),
        ("{\n  a: 1,\n  b: 2\n}", "b", "{\n  a: 1\n}"),
        ("{\n  a: 1, // one\n  b: 2,\n}", "a", "{\n  // one\n  b: 2,\n}"),
        ("{\r\n  a: 1,\r\n  b: 2,\r\n}", "a", "{\r\n  b: 2,\r\n}"),
        ("{ t: [1, 2, 3] }", "t[1]", "{ t: [1, 3] }"),
        ("{ t: [1, 2, 3] }", "t.2", "{ t: [1, 2] }"),
        ("{a:1/*x*/,/*y*/b:2}", "a", "{/*x*//*y*/b:2}"),
        ("{\n  a: {\n    b: 1,\n  },\n  c: 2,\n}", "a", "{\n  c: 2,\n}"),
    ],
)
def test_unset_takes_the_key_its_comma_and_an_empty_line(text, path, after):
    assert without_value(text, path_of(path)) == after


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("tools.toolSearch.mode.x", "tools.toolSearch.mode holds a plain value"),
        ("tools.deny.x", "tools.deny is a list; name an item, as tools.deny[0]"),
        ("tools.deny[3]", "tools.deny has 0 items; the next is number [0]"),
    ],
)
def test_a_path_through_something_else_is_refused(path, message):
    with pytest.raises(ConfigError, match=re.escape(message)):
        with_value(FILE, path_of(path), 1)


@pytest.mark.parametrize("path", ["tools.nothing", "nothing.at.all", "tools.deny[0]"])
def test_unsetting_what_is_not_there_says_so(path):
    with pytest.raises(ConfigError, match=re.escape(f"{path} is not set")):
        without_value(FILE, path_of(path))


@pytest.mark.parametrize("path", ["", "a..b", "a[", "a.", ".a", "a[x]", 'a"b"', "a]"])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(ConfigError, match="is not a path of keys"):
        path_of(path)


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("tools.deny[0]", ("tools", "deny", 0)),
        ("tools.deny.0", ("tools", "deny", "0")),
        ('mcpServers["a.b"].env', ("mcpServers", "a.b", "env")),
        ("plugins.settings.runner-node.pool", ("plugins", "settings", "runner-node", "pool")),
        ("'a b'.c", ("a b", "c")),
        (r'["a\"b"]', ('a"b',)),
    ],
)
def test_paths_are_read_as_people_write_them(text, path):
    assert path_of(text) == path


# Texts whose every blank and comment is random, to see that edits leave them alone.

BLANK = st.sampled_from(["", " ", "\n", "\n  ", "\t", "// c\n", "/* c */", " /* a\nb */ ", "\r\n"])
KEY = st.sampled_from(["a", "b", "'c'", '"d e"', "$f"])
SCALAR = st.sampled_from(["1", "-.5", "true", "null", "'x'", '"// no comment"', "0xF", "[ ]", "{}"])


@st.composite
def texts(draw, depth=0):
    if depth == 3 or draw(st.integers(0, 2)) == 0:
        return draw(SCALAR)
    is_object = draw(st.booleans()) or depth == 0
    keys = draw(st.lists(KEY, max_size=4, unique=True))
    parts = []
    for key in keys:
        blanks = [draw(BLANK) for _ in range(4)]
        label = f"{key}{blanks[1]}:{blanks[2]}" if is_object else ""
        parts.append(f"{blanks[0]}{label}{draw(texts(depth + 1))}{blanks[3]}")
    last = "," + draw(BLANK) if parts and draw(st.booleans()) else ""
    body = ",".join(parts) + last if parts else draw(BLANK)
    return f"{{{body}}}" if is_object else f"[{body}]"


@st.composite
def documents(draw):
    body = draw(texts())
    while not body.startswith("{"):
        body = f"{{ a: {body} }}"
    return draw(BLANK) + body + draw(BLANK)


def comments(text):
    return re.findall(r"//[^\n\r]*|/\*.*?\*/", re.sub(r'"// no comment"', "", text), re.DOTALL)


@given(documents(), st.data())
def test_a_set_changes_that_value_and_keeps_every_comment_and_all_other_text(text, data):
    tree = parse(text)
    found = list(tree.walk())
    if not found:
        return
    path, entry = data.draw(st.sampled_from(found))
    after = with_value(text, path, "new")
    assert after == text[: entry.node.start] + '"new"' + text[entry.node.end :]


@given(documents(), st.data())
def test_setting_a_new_key_and_unsetting_it_keeps_every_comment_in_order(text, data):
    tree = parse(text)
    objects = [()] + [p for p, e in tree.walk() if isinstance(e.node.value, dict)]
    path = (*data.draw(st.sampled_from(objects)), "fresh")
    added = with_value(text, path, {"x": [1]})
    assert comments(added) == comments(text)
    assert "".join(added.split()).replace(",", "").replace("fresh:{x:[1]}", "").replace(
        '"fresh":{"x":[1]}', ""
    ) == "".join(text.split()).replace(",", "")
    removed = without_value(added, path)
    assert comments(removed) == comments(text)
    assert parse(removed).root.value == tree.root.value


@given(documents(), st.data())
def test_an_unset_takes_that_entry_alone_and_keeps_the_comments_around_it(text, data):
    tree = parse(text)
    found = list(tree.walk())
    if not found:
        return
    path, entry = data.draw(st.sampled_from(found))
    after = without_value(text, path)
    expected = copy.deepcopy(tree.root.value)
    holder = expected
    for step in path[:-1]:
        holder = holder[step]
    del holder[path[-1]]
    assert parse(after).root.value == expected
    outside = comments(text[: entry.start]) + comments(text[entry.node.end :])
    assert comments(after) == outside
