"""`toolsearch plugins check`, and `plugins --loaded`."""

import sys

import pytest

WRONG = """
from toolsearch_hookspecs import hookimpl

class plugin:
    @hookimpl
    def toolsearch_evnt(self, event):
        pass
"""

RIGHT = """
from toolsearch_hookspecs import Settings, SettingsSpec, hookimpl

class Quiet(Settings):
    level: int = 3

class plugin:
    @hookimpl
    def toolsearch_settings(self):
        return SettingsSpec(model=Quiet)

    @hookimpl
    def toolsearch_event(self, event):
        pass
"""


SOURCE = """
import asyncio
import time

from toolsearch_hookspecs import SourceListing, ToolSource, ToolSpec, hookimpl

SCHEMA = {"type": "object", "properties": {"value": {"type": "number"}}, "required": ["value"]}
SECOND = {"type": "object"}


class Oops(ToolSource):
    name = "oops"
    kind = "plugin"
    trusted = True
    origin = "oops 1.2"

    async def start(self, changed):
        pass

    async def list_tools(self, run):
        tools = [
            ToolSpec(name="boil", description="Boil", input_schema=SCHEMA),
            ToolSpec(name="clean", description="Clean", input_schema=SECOND),
        ]
        return SourceListing(generation="1", tools=tools)

    async def call(self, call):
        return 212.0

    async def aclose(self):
        pass


class plugin:
    @hookimpl
    def toolsearch_tool_sources(self, plugin):
        yield Oops()
"""
LISTS = 'return SourceListing(generation="1", tools=tools)'

MISTAKES = {
    "no origin": ('    origin = "oops 1.2"\n', "", "the Oops 'oops' that it yields is no ToolSource"),
    "no trusted": ("    trusted = True\n", "", "it lacks `trusted`"),
    "an unknown kind": ('"plugin"\n', '"plugn"\n', "its `kind` is 'plugn'; it may be 'plugin' or"),
    "the class": ("yield Oops()", "yield Oops", "the class itself was given; give an instance"),
    "no yield": ("yield Oops()", "Oops()", "toolsearch_tool_sources returned None: `yield` what"),
    "one, not a list": ("yield Oops()", "return Oops()", "yielded or in a list, was expected"),
    "a plain call": ("async def call", "def call", "its `call` is a plain `def`; write `async def"),
    "a plain start": ("async def start", "def start", "its `start` is a plain `def`; write"),
    "a plain list_tools": ("async def list_tools", "def list_tools", "its `list_tools` is a plain"),
    "no call": ("async def call", "async def cal", "it does not define `call`"),
    "list_tools raises": (LISTS, "return tools[7]", "its list_tools raised IndexError: list index"),
    "list_tools answers a tuple": (LISTS, "return (tools,)", "answered tuple, not a SourceListing"),
    "list_tools waits": (LISTS, "await asyncio.sleep(600)", "list_tools did not return within 1 s"),
    "list_tools blocks": (LISTS, "time.sleep(60)", "it holds the event loop and does not give it"),
    "start raises": ("changed):\n        pass", "changed):\n        1 / 0", "its start raised ZeroDiv"),
    "aclose raises": ("aclose(self):\n        pass", "aclose(self):\n        1 / 0", "aclose: it raised"),
    "two of one name": ('"clean"', '"boil"', "the tool 'boil' is left out: the source lists this"),
    "an array": ('{"type": "object"}', '{"type": "array"}', "'clean' is left out: the input schema"),
    "a set": ('{"type": "object"}', '{"enum": {1, 2}}', "no JSON: it holds a set at /enum"),
    "no such type": ('"number"', '"numbr"', "/properties/value/type is 'numbr', left out"),
    "required is a text": ('["value"]', '"value"', "boil: its input schema is no JSON Schema: /req"),
    "a reference": ('{"type": "object"}', '{"$ref": "#/x"}', "cannot be used, so that no call is"),
    "no self": ("(self, plugin):\n", "(plugin):\n", "is a method without `self`. Write def"),
    "a syntax error": ("class plugin:", "class plugin(:", "raised SyntaxError: invalid syntax"),
    "no such object": ("class plugin:", "class plugs:", "names plugin, which the module checked_oops"),
    "fails when imported": ("SECOND = ", "SECOND = 1 / 0\nX = ", "raised ZeroDivisionError: division"),
}  # fmt: skip


@pytest.fixture
def installed(place, monkeypatch):
    """Lays a distribution down by hand, and puts it on the path."""
    site = place.parent / "site"
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))

    def install(name, code, *requires):
        module = f"checked_{name}"
        (site / f"{module}.py").write_text(code)
        info = site / f"{name}-1.2.dist-info"
        info.mkdir(exist_ok=True)
        lines = ["Metadata-Version: 2.1", f"Name: {name}", "Version: 1.2"]
        lines += [f"Requires-Dist: {line}" for line in requires]
        monkeypatch.delitem(sys.modules, module, raising=False)
        (info / "METADATA").write_text("\n".join(lines) + "\n")
        (info / "entry_points.txt").write_text(f"[toolsearch.plugins]\n{name} = {module}:plugin\n")

    return install


def test_a_battery_is_said_to_be_as_it_should_be(cli):
    done = cli("plugins", "check", "mode-tools")
    assert done.code == 0
    assert "toolsearch_mode_renderers yields mode-tools." in done.out
    assert "Nothing is wrong with it." in done.out


def test_a_distribution_can_be_named_instead_of_a_plugin(cli):
    (report,) = cli("plugins", "check", "toolsearch_policy_rules", "--json").json["plugins"]
    assert report["name"] == "policy-rules"
    assert "tools.deny" in report["claims"]
    rules = {rule["name"]: rule["on_failure"] for rule in report["hooks"]}
    assert rules["toolsearch_tool_policy"] == "closed: denied"


def test_a_third_party_plugin_is_loaded_though_nobody_enabled_it(cli, installed):
    installed("quiet", RIGHT, "toolsearch-hookspecs>=0.1,<0.2")
    (report,) = cli("plugins", "check", "quiet", "--json").json["plugins"]
    assert report["problems"] == []
    assert report["version"] == "1.2"
    assert report["settings"]["properties"]["level"]["default"] == 3


def test_what_is_wrong_is_said_with_what_would_be_right(cli, installed):
    installed("wrong", WRONG, "toolsearch")
    done = cli("plugins", "check", "wrong")
    assert done.code == 1
    assert "toolsearch_event" in done.err
    assert "requires the host" in done.err
    assert "does not require toolsearch-hookspecs" in done.err


def test_settings_that_the_plugin_does_not_take_are_named(cli, installed, place):
    installed("quiet", RIGHT, "toolsearch-hookspecs>=0.1,<0.2")
    (place / "toolsearch.json5").write_text('{plugins: {settings: {quiet: {level: "loud"}}}}')
    done = cli("--config", "toolsearch.json5", "plugins", "check", "quiet")
    assert done.code == 1
    assert "plugins.settings.quiet.level" in done.err


CONTRACT = "toolsearch-hookspecs>=0.1,<0.2"


@pytest.fixture
def checked(cli, installed, place):
    """`plugins check` of a source plugin of this code, whose steps have a second each."""

    def checked(code, *more, requires=CONTRACT):
        installed("oops", code, requires)
        (place / "c.json5").write_text("{ tools: { limits: { sourceTimeoutMs: 1000 } } }")
        return cli("--config", "c.json5", "plugins", "check", "oops", *more)

    return checked


def test_a_source_is_started_and_its_tools_are_counted(checked):
    done = checked(SOURCE)
    assert done.code == 0, done.err
    assert "plugin:oops: 2 tools" in done.out
    assert done.out.endswith("Nothing is wrong with it.\n")
    (report,) = checked(SOURCE, "--json").json["plugins"]
    assert report["sources"] == [
        {"kind": "plugin", "name": "oops", "tools": 2, "left_out": [], "down": None}
    ]


@pytest.mark.parametrize("mistake", MISTAKES)
def test_what_cannot_work_is_said_and_the_check_fails(checked, mistake):
    right, wrong, said = MISTAKES[mistake]
    assert SOURCE.count(right) >= 1
    done = checked(SOURCE.replace(right, wrong, 1))
    assert done.code == 1
    assert said in done.err
    assert "Nothing is wrong" not in done.out
    errors = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert len(errors) == len(set(errors))
    assert ("HOOK" in done.out) == ("toolsearch_" in done.out)


@pytest.mark.parametrize(
    ("mistake", "line"),
    [
        ("list_tools raises", "return tools[7]"),
        ("start raises", "1 / 0"),
        ("aclose raises", "1 / 0"),
        ("list_tools blocks", "time.sleep(60)"),
        ("a syntax error", "class plugin(:"),
        ("fails when imported", "SECOND = 1 / 0"),
    ],
)
def test_the_authors_own_line_is_shown(checked, mistake, line):
    right, wrong, _ = MISTAKES[mistake]
    done = checked(SOURCE.replace(right, wrong, 1))
    assert line in done.err
    assert "checked_oops.py" in done.err


def test_one_fault_of_many_tools_is_said_once(checked):
    many = SOURCE.replace('"number"', '"numbr"').replace("SECOND),", "SCHEMA),")
    more = (
        "tools += [ToolSpec(name=f't{n}', input_schema=SCHEMA) for n in range(9)]\n        return"
    )
    done = checked(many.replace("return SourceListing", f"{more} SourceListing"))
    said = "error: oops: boil, clean, t0 and 8 more: its input schema is no JSON Schema: "
    assert said in done.err
    assert done.err.count("is 'numbr'") == 1


def test_what_is_wrong_stands_in_one_document_with_its_tracebacks(checked):
    right, wrong, _ = MISTAKES["list_tools raises"]
    done = checked(SOURCE.replace(right, wrong, 1), "--json")
    assert done.code == 1
    (report,) = done.json["plugins"]
    assert report["problems"] == [
        "source oops: its list_tools raised IndexError: list index out of range"
    ]
    assert "return tools[7]" in report["tracebacks"][0]
    assert report["sources"][0]["down"].startswith("its list_tools raised")


KEEPING = SOURCE.replace(
    "        yield Oops()",
    "        (plugin.state_dir / 'kept.txt').write_text('x')\n        yield Oops()",
)


def test_a_plugin_is_checked_with_a_state_of_its_own_that_is_thrown_away(checked, place):
    assert checked(KEEPING).code == 0
    state = place.parent / "state"
    assert not list(state.rglob("kept.txt")) if state.exists() else True


NEEDING = """
from toolsearch_hookspecs import Settings, SettingsSpec, hookimpl

class Needing(Settings):
    folder: str

class plugin:
    @hookimpl
    def toolsearch_settings(self):
        return SettingsSpec(model=Needing)

    @hookimpl
    def toolsearch_configure(self, plugin):
        assert plugin.settings.folder == "notes"
"""


def test_a_setting_that_is_needed_is_asked_for_with_the_way_to_give_it(cli, installed, place):
    installed("notes", NEEDING, CONTRACT)
    done = cli("plugins", "check", "notes")
    assert done.code == 1
    assert "plugins.settings.notes.folder: is needed, and is not there" in done.err
    assert "name one with --config FILE, or write toolsearch.json5" in done.err
    (place / "toolsearch.json5").write_text("{plugins: {settings: {notes: {folder: 'notes'}}}}")
    found = cli("plugins", "check", "notes")
    assert found.code == 1
    assert "toolsearch.json5 is not trusted, so its plugins.settings.notes is not used" in found.err
    assert "`toolsearch config trust`, or --config toolsearch.json5" in found.err
    assert cli("--config", "toolsearch.json5", "plugins", "check", "notes").code == 0
    cli("config", "trust")
    assert cli("plugins", "check", "notes").code == 0


CLAIMING = """
from toolsearch_hookspecs import SettingsSpec, hookimpl

class plugin:
    @hookimpl
    def toolsearch_settings(self):
        return SettingsSpec(claims={"kitchens": dict[str, int], "tools.pots": int})

    @hookimpl
    def toolsearch_configure(self, plugin):
        assert plugin.claimed == {"kitchens": {"one": 1}, "tools.pots": 3}
"""


def test_the_keys_that_a_plugin_claims_reach_it_and_those_of_others_are_left_alone(
    cli, installed, place
):
    installed("claims", CLAIMING, CONTRACT)
    text = "{kitchens: {one: 1}, tools: {pots: 3, deny: ['x']}, mcpServers: {}, agents: {a: {}}}"
    (place / "c.json5").write_text(text)
    done = cli("--config", "c.json5", "plugins", "check", "claims")
    assert done.code == 0, done.err


def test_a_configuration_that_cannot_be_read_is_said_and_keeps_no_plugin_from_being_checked(
    cli, installed, place
):
    installed("oops", SOURCE, CONTRACT)
    (place / "broken.json5").write_text("{")
    done = cli("--config", "broken.json5", "plugins", "check", "oops")
    assert "The plugin is checked without the configuration." in done.err
    assert "plugin:oops: 2 tools" in done.out


def test_a_source_that_lists_nothing_and_a_hook_that_yields_nothing_are_no_fault(checked):
    assert checked(SOURCE.replace("tools=tools", "tools=[]")).code == 0


def test_a_hook_that_yields_nothing_is_no_fault(checked):
    done = checked(SOURCE.replace("yield Oops()", "return []"))
    assert done.code == 0
    assert "toolsearch_tool_sources yields nothing with these settings." in done.out
    assert done.out.endswith("Nothing is wrong with what could be tried of it.\n")


def test_a_server_that_cannot_be_started_is_a_problem_of_the_battery_that_has_it(cli, place):
    (place / "c.json5").write_text("{mcpServers: {calendar: {command: 'no-such-command-here'}}}")
    done = cli("--config", "c.json5", "plugins", "check", "source-mcp")
    assert done.code == 1
    assert "server calendar: " in done.err
    assert "mcp:calendar: it could not be asked for its tools" in done.out


def test_an_unknown_name_is_met_with_the_nearest(cli):
    done = cli("plugins", "check", "mode-tols")
    assert done.code == 1
    assert "did you mean 'mode-tools'?" in done.err


def test_loaded_plugins_are_listed_with_hooks_and_settings(cli):
    rows = {row["name"]: row for row in cli("plugins", "--loaded", "--json").json["plugins"]}
    assert "toolsearch_search_indexes" in rows["index-whoosh"]["hooks"]
    assert rows["runner-node"]["settings"]["properties"]["pool"]
    assert rows["mode-tools"]["settings"] is None
