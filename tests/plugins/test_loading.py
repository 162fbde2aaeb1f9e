from __future__ import annotations

import sys
from pathlib import Path

import pytest

from toolsearch.plugins import Plan, PluginHost, PluginSelection, select
from toolsearch_hookspecs import PluginError, SettingsSpec

from .conftest import Hosted, Site, contexts_for, plugin_with, run, tool

POLICY = """
    from toolsearch_hookspecs import PolicyAnswer, Ruling, hookimpl

    class plugin:
        @hookimpl
        async def toolsearch_tool_policy(self, tools):
            return PolicyAnswer(denied={tool.id: Ruling(reason="no") for tool in tools})
"""


def load(site: Site, **selection) -> PluginHost:
    return PluginHost.load(select(site.discover(), PluginSelection(**selection)))


def test_a_third_party_plugin_is_not_imported_until_named(site: Site):
    site.host()
    module = site.plugin("weather")
    assert load(site).loaded == ()
    assert module not in sys.modules
    assert [each.name for each in load(site, enabled=("weather",)).loaded] == ["weather"]
    assert module in sys.modules


def test_a_disabled_battery_is_not_imported(site: Site):
    site.host("toolsearch-battery")
    module = site.plugin("battery", distribution="toolsearch-battery")
    assert load(site, disabled=("battery",)).loaded == ()
    assert module not in sys.modules


def test_neither_of_two_plugins_of_one_name_is_imported(site: Site):
    site.host("toolsearch-one", "toolsearch-two")
    first = site.plugin("weather", distribution="toolsearch-one")
    second = site.plugin("weather", distribution="toolsearch-two")
    host = load(site)
    assert host.loaded == ()
    assert first not in sys.modules
    assert second not in sys.modules
    (message,) = {each.message.partition(": ")[2] for each in host.diagnostics}
    assert "toolsearch-one 1.0 and toolsearch-two 1.0" in message


def test_a_loaded_plugin_says_where_it_came_from(site: Site):
    site.host("toolsearch-battery")
    site.plugin("battery", distribution="toolsearch-battery", version="3.1")
    (loaded,) = load(site).loaded
    assert (loaded.distribution, loaded.version) == ("toolsearch-battery", "3.1")
    assert loaded.battery
    assert not loaded.named


BROKEN = {
    "missing module": "import module_that_is_not_there",
    "syntax error": "def plugin(:",
    "SystemExit": "raise SystemExit('leaving')",
    "GeneratorExit": "raise GeneratorExit",
    "cancellation": "import asyncio\nraise asyncio.CancelledError",
    "no such object": "something = 1",
    "fails to instantiate": "class plugin:\n    def __init__(self):\n        raise SystemExit(3)",
    "an instance": "class Shared: ...\nplugin = Shared()",
    "no hooks": "class plugin: ...",
    "hostile to reading": (
        "class plugin:\n    def __dir__(self):\n        raise RuntimeError('no looking')"
    ),
    "raises an unprintable error": (
        "class Odd(Exception):\n    def __str__(self):\n        raise ValueError\nraise Odd"
    ),
}


@pytest.mark.parametrize("source", BROKEN.values(), ids=BROKEN)
def test_a_plugin_that_cannot_be_loaded_is_reported_and_the_others_load(site: Site, source: str):
    site.host("toolsearch-broken", "toolsearch-sound")
    site.plugin("broken", source, distribution="toolsearch-broken", version="0.9")
    site.plugin("sound", distribution="toolsearch-sound")
    host = load(site)
    assert [each.name for each in host.loaded] == ["sound"]
    (problem,) = host.diagnostics
    assert problem.level == "error"
    assert "'broken' (toolsearch-broken 0.9)" in problem.message
    assert problem.cure


@pytest.mark.parametrize("source", BROKEN.values(), ids=BROKEN)
def test_a_named_plugin_that_cannot_be_loaded_stops_the_start(site: Site, source: str):
    site.host()
    site.plugin("broken", source, version="0.9")
    with pytest.raises(PluginError, match=r"'broken' \(acme-broken 0\.9\) is refused: "):
        load(site, enabled=("broken",))


SAID = {
    "missing module": ("No module named 'module_that_is_not_there' (", ".py:1). Install what it"),
    "syntax error": ("raised SyntaxError: invalid syntax (", ".py:1). Mend or disable"),
    "no such object": ("names plugin, which the module ", " does not have. Correct the entry"),
    "fails to instantiate": ("instantiating plugin raised SystemExit: 3 (", ".py:3). Mend"),
}


@pytest.mark.parametrize("broken", SAID)
def test_what_is_wrong_with_an_import_is_said_with_its_place_and_the_right_cure(site: Site, broken):
    site.host()
    module = site.plugin("broken", BROKEN[broken])
    with pytest.raises(PluginError) as caught:
        load(site, enabled=("broken",))
    text = str(caught.value)
    assert module in text
    for part in SAID[broken]:
        assert part in text
    assert "\n" not in text


def test_an_entry_point_that_names_no_module_is_not_taken_for_a_need_of_the_plugin(site: Site):
    site.host()
    site.plugin("broken", value="nowhere.at_all:plugin")
    with pytest.raises(
        PluginError, match=r"names the module nowhere, which is not there\. Correct"
    ):
        load(site, enabled=("broken",))


def test_with_every_plugin_enabled_by_a_star_none_is_needed(site: Site):
    site.host()
    site.plugin("broken", "raise SystemExit")
    site.plugin("sound")
    assert [each.name for each in load(site, enabled=("*",)).loaded] == ["sound"]


def test_an_interrupt_by_the_user_during_an_import_passes(site: Site):
    site.host()
    site.plugin("slow", "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        load(site, enabled=("*",))


def test_an_unknown_name_stops_the_start_before_anything_is_imported(site: Site):
    site.host("toolsearch-battery")
    module = site.plugin("battery", distribution="toolsearch-battery")
    with pytest.raises(PluginError, match="unknown plugin 'batery'; did you mean 'battery'"):
        load(site, order=("batery",))
    assert module not in sys.modules


def test_a_module_can_be_a_plugin(site: Site):
    site.host()
    module = "a_module_of_its_own"
    source = """
        import toolsearch_hookspecs
        from toolsearch_hookspecs import hookimpl

        @hookimpl
        def toolsearch_shutdown():
            pass
    """
    module = site.plugin("weather", source)
    entry = site.root / "acme_weather-1.0.dist-info" / "entry_points.txt"
    entry.write_text(f"[toolsearch.plugins]\nweather = {module}\n")
    (loaded,) = load(site, enabled=("weather",)).loaded
    assert loaded.object is sys.modules[module]


async def test_two_hosts_share_nothing(site: Site, tmp_path: Path):
    site.host()
    site.plugin("strict", POLICY)
    with_policy, without = load(site, enabled=("strict",)), load(site)
    again = load(site, enabled=("strict",))
    assert set((await with_policy.hooks.policy(run(), [tool()], None)).denied) == {tool().id}
    assert (await without.hooks.policy(run(), [tool()], None)).denied == {}
    assert with_policy.loaded[0].object is not again.loaded[0].object
    assert without.diagnostics == ()


def test_plugins_of_the_program_take_their_place_in_the_order(site: Site):
    site.host()
    site.plugin("bravo")
    shut = plugin_with(toolsearch_shutdown=lambda self: None)
    selection = PluginSelection(enabled=("bravo",), order=("zulu",))
    host = PluginHost.load(
        select(site.discover(), selection), [("alpha", shut), ("zulu", shut), ("charlie", shut())]
    )
    assert [each.name for each in host.loaded] == ["zulu", "alpha", "bravo", "charlie"]
    assert host.plugin("zulu").named
    assert host.plugin("zulu").distribution is None


def test_a_plugin_of_the_program_may_be_disabled_by_name():
    shut = plugin_with(toolsearch_shutdown=lambda self: None)
    plan = select(Site(Path("nowhere")).discover(), PluginSelection(disabled=("alpha",)))
    assert PluginHost.load(plan, [("alpha", shut)]).loaded == ()


def test_a_name_that_the_program_gives_twice_is_an_error(site: Site):
    shut = plugin_with(toolsearch_shutdown=lambda self: None)
    site.host()
    site.plugin("alpha")
    with pytest.raises(PluginError, match="'alpha', a name that is offered already"):
        PluginHost.load(Plan(), [("alpha", shut), ("alpha", shut)])
    plan = select(site.discover(), PluginSelection(enabled=("alpha",)))
    with pytest.raises(PluginError, match="'alpha', a name that is offered already"):
        PluginHost.load(plan, [("alpha", shut)])


def claiming(*keys: str) -> type:
    return plugin_with(
        toolsearch_settings=lambda self: SettingsSpec(claims=dict.fromkeys(keys, dict))
    )


def test_settings_are_read_at_load():
    host = PluginHost.load(Plan(), [("claimer", claiming("mcpServers"))])
    assert set(host.loaded[0].settings_spec.claims) == {"mcpServers"}


def test_a_key_claimed_twice_is_an_error_naming_both():
    with pytest.raises(PluginError, match=r"'mcpServers' claimed by 'one' .* and 'two' "):
        PluginHost.load(Plan(), [("one", claiming("mcpServers")), ("two", claiming("mcpServers"))])


def test_of_two_plugins_that_nobody_named_and_that_claim_one_key_neither_is_loaded(site: Site):
    source = """
        from toolsearch_hookspecs import SettingsSpec, hookimpl

        class plugin:
            @hookimpl
            def toolsearch_settings(self):
                return SettingsSpec(claims={"mcpServers": dict})
    """
    site.host("toolsearch-one", "toolsearch-two")
    site.plugin("one", source, distribution="toolsearch-one")
    site.plugin("two", source, distribution="toolsearch-two")
    host = load(site)
    assert host.loaded == ()
    assert [each.subject for each in host.diagnostics] == ["one", "two"]


def test_plugins_that_share_many_keys_are_refused_once_each(site: Site):
    source = """
        from toolsearch_hookspecs import SettingsSpec, hookimpl

        class plugin:
            @hookimpl
            def toolsearch_settings(self):
                return SettingsSpec(claims={"managed": dict, "agents": dict, "profiles": dict})
    """
    site.host("toolsearch-one", "toolsearch-two")
    site.plugin("one", source, distribution="toolsearch-one")
    site.plugin("two", source, distribution="toolsearch-two")
    host = load(site)
    assert len(host.diagnostics) == 2
    assert "'managed', 'agents', 'profiles' claimed by 'one'" in host.diagnostics[0].message


def test_why_nothing_of_a_plugin_is_there_can_be_asked(site: Site, tmp_path: Path):
    def broken(self, plugin):
        raise RuntimeError("no vectors here")

    site.host("toolsearch-broken", "toolsearch-sound")
    site.plugin("broken", "raise SystemExit", distribution="toolsearch-broken")
    site.plugin("sound", distribution="toolsearch-sound")
    site.plugin("weather")
    plan = select(site.discover(), PluginSelection())
    host = PluginHost.load(plan, [("index-own", plugin_with(toolsearch_search_indexes=broken))])
    host.configure(contexts_for(host, tmp_path))
    assert host.hooks.search_indexes() == ()
    assert "it is refused: importing" in host.why_absent("broken")
    assert "it is not enabled: no battery" in host.why_absent("weather")
    assert "RuntimeError: no vectors here" in host.why_absent("index-own")
    assert host.why_absent("sound") is None
    assert host.why_absent("unheard-of") is None


def test_settings_of_the_wrong_type_refuse_the_plugin():
    wrong = plugin_with(toolsearch_settings=lambda self: {"model": None})
    with pytest.raises(PluginError, match="gave a wrong answer: dict where SettingsSpec"):
        PluginHost.load(Plan(), [("wrong", wrong)])


async def test_a_plugin_that_does_not_take_its_settings_is_unregistered(site: Site, tmp_path):
    source = """
        from toolsearch_hookspecs import PolicyAnswer, hookimpl

        class plugin:
            @hookimpl
            def toolsearch_configure(self, plugin):
                raise ValueError("port 99999 does not exist")

            @hookimpl
            async def toolsearch_tool_policy(self, tools):
                raise RuntimeError
    """
    site.host("toolsearch-picky")
    site.plugin("picky", source, distribution="toolsearch-picky")
    host = load(site)
    host.configure(contexts_for(host, tmp_path))
    assert host.loaded == ()
    (problem,) = host.diagnostics
    assert "ValueError: port 99999 does not exist" in problem.message
    assert "plugins.settings.picky" in (problem.cure or "")
    assert (await host.hooks.policy(run(), [tool()], None)).denied == {}


def test_a_plugin_is_configured_with_its_own_context(hosted: Hosted):
    names = {}

    def configure(self, plugin):
        names[self] = plugin.name

    configured = plugin_with(toolsearch_configure=configure)
    host = hosted(one=configured, two=configured)
    assert {each.name: names[each.object] for each in host.loaded} == {"one": "one", "two": "two"}
