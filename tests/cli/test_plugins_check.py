"""`toolsearch plugins check`, and `plugins --loaded`."""

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
        info.mkdir()
        lines = ["Metadata-Version: 2.1", f"Name: {name}", "Version: 1.2"]
        lines += [f"Requires-Dist: {line}" for line in requires]
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


def test_an_unknown_name_is_met_with_the_nearest(cli):
    done = cli("plugins", "check", "mode-tols")
    assert done.code == 1
    assert "did you mean 'mode-tools'?" in done.err


def test_loaded_plugins_are_listed_with_hooks_and_settings(cli):
    rows = {row["name"]: row for row in cli("plugins", "--loaded", "--json").json["plugins"]}
    assert "toolsearch_search_indexes" in rows["index-whoosh"]["hooks"]
    assert rows["runner-node"]["settings"]["properties"]["pool"]
    assert rows["mode-tools"]["settings"] is None
