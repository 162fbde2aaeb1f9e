"""Reading JSON5: what it accepts, where it says things stand, and what it says of mistakes."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsearch.config import parse
from toolsearch_hookspecs import ConfigError


def value(text):
    return parse(text).root.value


def mistake(text):
    with pytest.raises(ConfigError) as caught:
        parse(text, "f.json5")
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("{a: 1, 'b': 2, \"c\": 3,}", {"a": 1, "b": 2, "c": 3}),
        ("[1, 2,]", [1, 2]),
        ("// one\n/* two\n */ {} // three", {}),
        ("{$a_1: 1, é: 2, \\u0061b: 3}", {"$a_1": 1, "é": 2, "ab": 3}),
        ("[0x1F, +1, -2, .5, 5., -1.5e3, 0XaB]", [31, 1, -2, 0.5, 5.0, -1500.0, 171]),
        ("[Infinity, -Infinity]", [math.inf, -math.inf]),
        (r"'\x41\u0042\n\'\"\q\0'", "AB\n'\"q\0"),
        (r"'\uD83D\uDE00'", "\N{GRINNING FACE}"),
        ("'one \\\ntwo \\\r\nthree'", "one two three"),
        ("'a\u2028b'", "a\u2028b"),
        ("\ufeff{a: true, b: false, c: null}", {"a": True, "b": False, "c": None}),
        ("\u00a0\u2003{}\v\f", {}),
    ],
)
def test_everything_json5_allows_is_read(text, meant):
    assert value(text) == meant


def test_nan_is_read():
    assert math.isnan(value("NaN"))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
        max_leaves=20,
    )
)
def test_every_json_text_means_in_json5_what_it_means_in_json(data):
    text = json.dumps(data, ensure_ascii=False)
    assert value(text) == data


@given(st.text(alphabet="{}[]:,'\"/*\\ \n\tab0x1.+-eu", max_size=40))
def test_no_text_gives_anything_but_a_value_or_a_message_with_line_and_column(text):
    try:
        parse(text, "f.json5")
    except ConfigError as error:
        name, line, column, message = str(error).split(":", 3)
        assert name == "f.json5"
        assert int(line) >= 1
        assert int(column) >= 1
        assert message.strip()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1:1: the file is empty; the least it can say is {}"),
        ("{a: 1\n b: 2}", "2:2: expected ',' or '}' (opened at 1:1), found 'b'"),
        ("{\n  a: [1, 2\n}", "3:1: expected ',' or ']' (opened at 2:6), found '}'"),
        ("{a: 1", "1:6: expected ',' or '}' (opened at 1:1), found the end of the file"),
        ("{a 1}", "1:4: expected ':' after the key 'a', found '1'"),
        ("{my-key: 1}", '1:2: quote this key: "my-key"'),
        ("{ok: {},\n  sequential-thinking : {}}", '2:3: quote this key: "sequential-thinking"'),
        ("{a.b.c: 1}", '1:2: quote this key: "a.b.c"'),
        ("{my - key: 1}", "1:5: expected ':' after the key 'my', found '-'"),
        ("{my-key}", "1:4: expected ':' after the key 'my', found '-'"),
        ("{'my'-key: 1}", "1:6: expected ':' after the key 'my', found '-'"),
        (
            "{1: 2}",
            (
                "1:2: expected a key or '}' (opened at 1:1), found '1'; "
                "quote a key that is not a plain word"
            ),
        ),
        ("{a: 1,\n a: 2}", "2:2: the key 'a' stands here twice, first at 1:2"),
        ("{a: True}", "1:5: True is not a JSON5 word; did you mean true?"),
        ("{a: None}", "1:5: None is not a JSON5 word; did you mean null?"),
        ("{a: code}", "1:5: expected a value, found a bare word; text needs quotes"),
        ("{a: 'x\n'}", "1:5: this text is never closed with '"),
        ("{a: 1 /* x", "1:7: this comment is never closed with '*/'"),
        ("{a: 012}", "1:5: not a number that JSON5 knows"),
        ("{a: 1x}", "1:5: not a number that JSON5 knows"),
        ("{a: '\\u12'}", "1:6: \\u needs 4 hexadecimal digits"),
        ("{a: '\\x1'}", "1:6: \\x needs 2 hexadecimal digits"),
        ("{a: '\\7'}", "1:6: \\7 is not an escape that JSON5 knows"),
        ("{a: '\\01'}", "1:6: \\0 may not be followed by a digit"),
        ("{a: '\\ud800'}", "1:6: half of a surrogate pair is not text"),
        ("{} {}", "1:4: expected nothing after the end of the value, found '{'"),
        ("[1,,2]", "1:4: expected a value, found ','"),
        ("\ufeff{a: }", "1:5: expected a value, found '}'"),
        ("{a: 1,\r\n b: ]}", "2:5: expected a value, found ']'"),
    ],
)
def test_a_mistake_is_said_with_line_column_and_what_would_be_right(text, message):
    assert mistake(text) == f"f.json5:{message}"


def test_nesting_is_bounded_long_before_the_interpreter_gives_up():
    assert mistake("[" * 100_000) == "f.json5:1:101: nested deeper than 100 levels"
    assert value("[" * 100 + "]" * 100)


def test_a_number_of_absurd_length_is_refused_instead_of_computed():
    assert "more than 400 characters" in mistake("{a: " + "9" * 5000 + "}")


def test_every_key_and_value_knows_where_it_stands():
    text = "{\n  a: [10, 'x'], // c\n  'b c': {d: null},\n}"
    tree = parse(text)
    spans = {
        path: (text[entry.start : entry.node.end], tree.lines.position(entry.node.start))
        for path, entry in tree.walk()
    }
    assert spans == {
        ("a",): ("a: [10, 'x']", "2:6"),
        ("a", 0): ("10", "2:7"),
        ("a", 1): ("'x'", "2:11"),
        ("b c",): ("'b c': {d: null}", "3:10"),
        ("b c", "d"): ("d: null", "3:14"),
    }
