"""Functions of named modules: which ones, what the configuration adds, and real calls of them."""

import sys

import pytest
from pydantic import ValidationError

from toolsearch_hookspecs import SourceUnavailable, ToolError
from toolsearch_source_python._settings import PythonSettings


async def test_a_module_is_a_source_named_like_it(module):
    source = module("urllib.parse").source
    assert (source.name, source.kind, source.trusted) == ("urllib.parse", "plugin", True)
    assert source.origin == "python:urllib.parse"


async def test_a_module_is_not_imported_before_its_tools_are_asked_for(module, written):
    name = written("lazy_module", "def f() -> int: return 1\n")
    used = module(name)
    await used.source.start(lambda: None)
    assert name not in sys.modules
    assert list(await used.specs()) == ["f"]
    assert name in sys.modules


async def test_a_module_that_cannot_be_imported_makes_its_source_unavailable(module, written):
    used = module(written("broken_module", "raise RuntimeError('no licence')\n"))
    with pytest.raises(SourceUnavailable, match=r"broken_module.*RuntimeError: no licence"):
        await used.specs()


async def test_a_module_that_exits_does_not_end_the_program(module, written):
    used = module(written("exiting_module", "raise SystemExit(3)\n"))
    with pytest.raises(SourceUnavailable, match="SystemExit: 3"):
        await used.specs()


async def test_a_module_mended_since_is_imported_the_next_time(module, written):
    used = module(written("mended_module", "1 / 0\n"))
    with pytest.raises(SourceUnavailable):
        await used.specs()
    written("mended_module", "def f() -> int: return 1\n# longer than it was before\n")
    assert list(await used.specs()) == ["f"]


PUBLIC = """
from os.path import join
from math import sqrt

class Thing: pass
class Error(Exception): pass
value = 3
def shown() -> int: return 1
def _private() -> int: return 2
"""


async def test_without_a_list_the_functions_defined_in_the_module_are_public(module, written):
    assert list(await module(written("plain_module", PUBLIC)).specs()) == ["shown"]


async def test_with_a_list_its_functions_are_public_wherever_they_come_from(module, written):
    name = written("listed_module", PUBLIC + "__all__ = ['join', 'Thing', 'value', 'gone']\n")
    assert list(await module(name).specs()) == ["join"]


async def test_functions_may_be_picked_by_name_and_pattern_and_left_out(module):
    used = module("statistics", functions=["mean", "median*"], exclude=["median_l*"])
    assert list(await used.specs()) == ["mean", "median", "median_grouped", "median_high"]


async def test_a_function_named_in_full_need_not_be_public(module, written):
    name = written("named_module", PUBLIC)
    assert list(await module(name, functions=["_private", "sqrt"]).specs()) == ["_private", "sqrt"]


async def test_a_function_that_is_not_there_is_reported_with_the_nearest_one(module):
    used = module("statistics", functions=["mean", "medain"])
    assert list(await used.specs()) == ["mean"]
    assert await used.quarantined() == {
        "medain": "statistics has no function medain; did you mean median?"
    }


async def test_the_methods_of_an_object_are_offered_under_its_name(module, written):
    text = """
class Shop:
    def price(self, item: str) -> int: return len(item)
    def _hidden(self) -> None: ...
shop = Shop()
"""
    used = module(written("shop_module", text), objects=["shop"])
    assert list(await used.specs()) == ["shop.price"]
    assert await used.call("shop.price", item="book") == 4


async def test_a_class_offers_its_methods_with_the_instance_as_first_argument(module):
    used = module("datetime", functions=["date.*"], objects=["date"])
    specs = await used.specs()
    assert specs["date.weekday"].input_schema["properties"] == {
        "self": {"type": "string", "format": "date"}
    }
    assert await used.call("date.weekday", self="2026-12-01") == 1
    (given,) = specs["date.fromisoformat"].input_schema["properties"]
    assert await used.call("date.fromisoformat", **{given: "2026-12-01"}) == "2026-12-01"
    assert await used.call("date.replace", self="2026-12-01", day=24) == "2026-12-24"


async def test_a_class_with_parentheses_is_instantiated_once(module):
    used = module("calendar", functions=["TextCalendar.formatmonth"], objects=["TextCalendar()"])
    text = await used.call("TextCalendar.formatmonth", theyear=2026, themonth=12)
    assert text.splitlines()[0].strip() == "December 2026"


async def test_an_object_that_is_not_there_is_reported(module):
    used = module("calendar", functions=["isleap"], objects=["Nothing"])
    assert list(await used.specs()) == ["isleap"]
    assert "Nothing" in await used.quarantined()


async def test_annotations_and_approval_go_by_pattern_and_later_ones_add(module):
    used = module(
        "statistics",
        functions=["mean", "mode"],
        annotations={"*": {"readOnlyHint": True}, "mode": {"openWorldHint": False}},
        approval={"mode": "ask first"},
        sequential=["mean"],
        groups=["numbers"],
    )
    specs = await used.specs()
    assert specs["mean"].annotations.read_only is True
    assert specs["mean"].annotations.open_world is None
    assert specs["mode"].annotations.open_world is False
    assert (specs["mean"].approval, specs["mode"].approval) == (None, "ask first")
    assert (specs["mean"].sequential, specs["mode"].sequential) == (True, False)
    assert specs["mean"].groups == ("numbers",)


async def test_nothing_is_said_of_effects_that_nobody_stated(module):
    hints = (await module("statistics", functions=["mean"]).specs())["mean"].annotations
    assert hints.model_dump(exclude_none=True) == {}


def test_a_module_may_be_given_by_its_name_alone():
    settings = PythonSettings.model_validate({"modules": ["statistics", {"module": "html"}]})
    assert [module.owner for module in settings.modules] == ["statistics", "html"]


def test_an_owner_is_the_module_in_lower_case_unless_given():
    settings = PythonSettings.model_validate(
        {"modules": ["MyTools", {"module": "html", "owner": "markup"}]}
    )
    assert [module.owner for module in settings.modules] == ["mytools", "markup"]


@pytest.mark.parametrize(
    ("modules", "said"),
    [
        (["html", "html"], "two modules have the owner 'html'"),
        (["not a module"], "should match pattern"),
        ([{"module": "html", "owner": "Not good"}], "owner 'Not good'"),
        ([{"module": "html", "function": ["escape"]}], "function"),
    ],
)
def test_settings_that_cannot_work_are_refused(modules, said):
    with pytest.raises(ValidationError, match=said):
        PythonSettings.model_validate({"modules": modules})


CALLS = [
    ("statistics", "mean", {"data": [1, 2, 4.5]}, 2.5),
    ("statistics", "mean", {"data": ["1/3", "2/3"]}, "1/2"),
    ("statistics", "quantiles", {"data": [1, 2, 3, 4], "n": 2}, [2.5]),
    ("statistics", "linear_regression", {"x": [1, 2], "y": [2, 4]},
     {"slope": 2.0, "intercept": 0.0}),
    ("calendar", "monthrange", {"year": 2024, "month": 2}, [3, 29]),
    ("urllib.parse", "quote", {"string": "a b/ü"}, "a%20b/%C3%BC"),
    ("urllib.parse", "urlsplit", {"url": "https://a.b/c?d#e"},
     {"scheme": "https", "netloc": "a.b", "path": "/c", "query": "d", "fragment": "e"}),
    ("urllib.parse", "parse_qs", {"qs": "a=1&a=2"}, {"a": ["1", "2"]}),
    ("urllib.parse", "urlencode", {"query": {"a": [1, 2]}, "doseq": True}, "a=1&a=2"),
    ("difflib", "get_close_matches", {"word": "appel", "possibilities": ["ape", "apple"]},
     ["apple", "ape"]),
    ("difflib", "unified_diff", {"a": ["x"], "b": ["y"], "lineterm": ""},
     ["--- ", "+++ ", "@@ -1 +1 @@", "-x", "+y"]),
    ("textwrap", "wrap", {"text": "one two three", "width": 7}, ["one two", "three"]),
    ("textwrap", "shorten", {"text": "one two three", "width": 9, "placeholder": "…"}, "one two…"),
    ("colorsys", "rgb_to_hsv", {"r": 1, "g": 0, "b": 0}, [0.0, 1.0, 1]),
    ("html", "escape", {"s": "<a>", "quote": False}, "&lt;a&gt;"),
    ("shlex", "split", {"s": "a 'b c'"}, ["a", "b c"]),
    ("mimetypes", "guess_type", {"url": "x.html"}, ["text/html", None]),
    ("base64", "b64encode", {"s": "hi"}, "aGk="),
    ("base64", "b64decode", {"s": "/wA="}, {"base64": "/wA="}),
    ("math", "log", {"x": 8, "base": 2}, 3.0),
    ("math", "hypot", {"coordinates": [3, 4]}, 5.0),
    ("unicodedata", "name", {"chr": "é"}, "LATIN SMALL LETTER E WITH ACUTE"),
    ("bisect", "bisect_left", {"a": [1, 3, 5], "x": 4}, 2),
    ("email.utils", "parsedate_to_datetime", {"data": "Tue, 01 Dec 2026 10:00:00 +0000"},
     "2026-12-01T10:00:00Z"),
    ("ipaddress", "summarize_address_range", {"first": "10.0.0.0", "last": "10.0.0.3"},
     ["10.0.0.0/30"]),
    ("itertools", "accumulate", {"iterable": [1, 2, 3]}, [1, 3, 6]),
    ("builtins", "divmod", {"x": 7, "y": 2}, [3, 1]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "tool", "arguments", "value"), CALLS, ids=[f"{call[0]}.{call[1]}" for call in CALLS]
)
async def test_functions_of_the_standard_library_answer_json(module, name, tool, arguments, value):
    used = module(name, functions=[tool])
    assert await used.call(tool, **arguments) == value


async def test_stubs_type_what_a_signature_leaves_out(module):
    spec = (await module("textwrap", functions=["indent"]).specs())["indent"]
    assert spec.input_schema["properties"] == {
        "text": {"type": "string"},
        "prefix": {"type": "string"},
    }
    assert spec.output_schema == {"type": "string"}


async def test_a_function_in_c_without_a_signature_has_that_of_its_stub(module):
    schema = (await module("math", functions=["log"]).specs())["log"].input_schema
    assert schema["properties"] == {"x": {"type": "number"}, "base": {"type": "number"}}
    assert schema["required"] == ["x"]


async def test_an_exception_is_a_failure_with_type_and_message_and_no_traceback(module):
    used = module("statistics", functions=["mean"])
    with pytest.raises(ToolError) as failed:
        await used.call("mean", data=[])
    assert str(failed.value) == "StatisticsError: mean requires at least one data point"


async def test_a_function_that_was_never_offered_is_unavailable(module):
    used = module("statistics", functions=["mean"])
    with pytest.raises(SourceUnavailable, match="median is not offered"):
        await used.call("median", data=[1])
