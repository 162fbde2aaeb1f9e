from __future__ import annotations

import sys

from toolsearch.plugins import PluginHost, PluginSelection, plugin_table, select

from .conftest import Site, contexts_for, plugin_with


def test_the_table_is_read_from_metadata_though_every_plugin_is_broken(site: Site):
    module = site.plugin("aaa-broken", "raise SystemExit('no')", version="0.3")
    other = site.plugin("aab-broken", "syntax error(")
    plan = select(site.discover(), PluginSelection(enabled=("aaa-broken",)))
    rows = {row["name"]: row for row in plugin_table(plan)}
    assert rows["aaa-broken"]["state"] == "loaded"
    assert rows["aaa-broken"]["reason"] == "named by plugins.enabled"
    assert (rows["aaa-broken"]["distribution"], rows["aaa-broken"]["version"]) == (
        "acme-aaa-broken",
        "0.3",
    )
    assert rows["aab-broken"]["state"] == "not enabled"
    assert "plugins.enabled" in rows["aab-broken"]["reason"]
    assert "hooks" not in rows["aaa-broken"]
    assert not {module, other} & set(sys.modules)


def test_rows_stand_in_the_total_order(site: Site):
    site.host()
    for name in ("b", "a", "c"):
        site.plugin(name)
    plan = select(site.discover(), PluginSelection(order=("c",)))
    assert [(row["order"], row["name"]) for row in plugin_table(plan)] == [
        (1, "c"),
        (2, "a"),
        (3, "b"),
    ]


def test_with_a_host_the_table_says_what_became_of_each(site: Site, tmp_path):
    site.host("acme-broken", "acme-sound", "acme-off")
    site.plugin("broken", "raise SystemExit('no')")
    site.plugin("sound")
    site.plugin("off")
    plan = select(site.discover(), PluginSelection(disabled=("off",)))
    own = plugin_with(toolsearch_event=lambda self, event: None)
    host = PluginHost.load(plan, [("own", own)])
    host.configure(contexts_for(host, tmp_path))
    rows = {row["name"]: row for row in plugin_table(plan, host)}
    assert {name: row["state"] for name, row in rows.items()} == {
        "broken": "failed",
        "off": "disabled",
        "own": "loaded",
        "sound": "loaded",
    }
    assert "SystemExit: no" in rows["broken"]["reason"]
    assert rows["sound"]["hooks"] == ["toolsearch_shutdown"]
    assert rows["own"]["hooks"] == ["toolsearch_event"]
    assert rows["own"]["distribution"] is None


def test_the_table_names_both_parties_of_a_duplicate(site: Site):
    site.host()
    site.plugin("weather", distribution="acme-weather")
    site.plugin("weather", distribution="zeta-weather")
    rows = plugin_table(select(site.discover(), PluginSelection()))
    assert [row["distribution"] for row in rows] == ["acme-weather", "zeta-weather"]
    assert {row["state"] for row in rows} == {"duplicate"}
