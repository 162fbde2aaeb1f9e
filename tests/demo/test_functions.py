"""The demo's list: what is on it is there, can be called with JSON, and is harmless."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from toolsearch.demo._functions import listed
from toolsearch_source_python._module_tools import open_module
from toolsearch_source_python._settings import ModuleSettings
from toolsearch_source_python._stubs import Stubs

MODULES = frozenset(
    [
        "base64",
        "binascii",
        "bisect",
        "builtins",
        "calendar",
        "cmath",
        "colorsys",
        "datetime",
        "decimal",
        "difflib",
        "email.header",
        "email.utils",
        "fractions",
        "glob",
        "heapq",
        "hmac",
        "html",
        "inspect",
        "ipaddress",
        "itertools",
        "json",
        "keyword",
        "math",
        "mimetypes",
        "ntpath",
        "operator",
        "pathlib",
        "platform",
        "posixpath",
        "quopri",
        "re",
        "reprlib",
        "shlex",
        "stat",
        "statistics",
        "string",
        "struct",
        "textwrap",
        "time",
        "token",
        "unicodedata",
        "urllib.parse",
        "uuid",
        "wsgiref.handlers",
        "wsgiref.util",
        "xml.sax.saxutils",
        "zlib",
    ]
)
"""A module is added here by someone who read what its functions do."""

NEVER = {
    "files": "open read write load dump file walk mkdir unlink rename copyfile expanduser abspath",
    "running things": "exec eval compile import input print exit spawn popen fork kill reload",
    "the state of the process": "set seed random shuffle setlocale getlocale environ getenv putenv "
    "chdir getcwd umask tzset setcontext localcontext simplefilter setfirstweekday",
    "the world outside": "sleep wait lock node hostname fqdn socket connect fetch getpass getuser "
    "msgid uuid1",
    "numbers and texts without end": "factorial perm comb pow prod lcm mul imul lshift repeat "
    "product ljust rjust center zfill expandtabs formatmap quantiles shorten",
    "patterns and formats": "match search fullmatch finditer fnmatch translate strftime strptime",
}
"""Words that no name on the list may have."""


def names() -> list[tuple[str, str]]:
    return [(module, name) for module, entry in listed().items() for name in entry["functions"]]


def test_several_hundred_functions_are_listed_each_once():
    assert len(names()) > 400
    assert len(set(names())) == len(names())


def test_every_module_is_one_that_somebody_looked_at():
    assert set(listed()) == MODULES


def test_no_name_speaks_of_files_processes_state_or_endless_work():
    never = {word for words in NEVER.values() for word in words.split()}
    spoken = {
        f"{module}.{name}": never.intersection(re.findall(r"[A-Z]?[a-z0-9]+", name.lower()))
        for module, name in names()
    }
    assert {name: words for name, words in spoken.items() if words} == {}


@pytest.mark.parametrize("module", list(listed()))
def test_every_listed_function_is_there_and_has_a_schema(module):
    entry = listed()[module]
    toolbox = open_module(ModuleSettings(module=module, **entry), 1_000, Stubs())
    assert set(toolbox.functions) == set(entry["functions"])
    assert [item for item in toolbox.quarantined if item.name in entry["functions"]] == []
    for spec in toolbox.specs:
        assert spec.input_schema["type"] == "object"


def test_no_function_touches_anything_outside_itself_and_every_answer_keeps_its_schema():
    program = Path(__file__).with_name("every_function.py")
    done = subprocess.run(
        [sys.executable, str(program)], check=True, capture_output=True, timeout=300
    )
    seen = json.loads(done.stdout)
    assert seen["effects"] == {}
    assert seen["changed"] == []
    odd = {name: code for name, code in seen["codes"].items() if code not in ("ok", "tool_error")}
    assert odd == {}
    assert len(seen["codes"]) == len(names())
    assert sum(code == "ok" for code in seen["codes"].values()) > 400
