from __future__ import annotations

import pytest

from toolsearch.plugins import PluginHost, PluginSelection, PluginState, files_digest, select
from toolsearch_hookspecs import PluginError

from .conftest import Site


def planned(site: Site, pin: str):
    selection = PluginSelection(enabled=("weather",), pins={"weather": pin})
    return select(site.discover(), selection)


def test_a_pinned_version_that_is_installed_is_loaded(site: Site):
    site.host()
    site.plugin("weather", distribution="Acme_Weather", version="1.4")
    assert planned(site, "acme-weather == 1.4").to_load


@pytest.mark.parametrize(
    ("pin", "reason"),
    [
        ("acme-weather==1.5", "version 1.4 is installed, but 1.5 is pinned"),
        ("other==1.4", "it comes from acme-weather, but is pinned to other"),
        ("1.4", "is neither a version, such as 'acme-weather==1.4', nor a digest"),
        ("acme-weather==", "is neither"),
    ],
)
def test_anything_but_what_is_pinned_stops_the_start(site: Site, pin: str, reason: str):
    site.host()
    site.plugin("weather", version="1.4")
    plan = planned(site, pin)
    (refused,) = plan.plugins
    assert refused.state is PluginState.PIN_MISMATCH
    assert reason in refused.reason
    with pytest.raises(PluginError, match=r"'weather' \(acme-weather 1\.4\)"):
        PluginHost.load(plan)


def test_a_battery_that_is_not_the_pinned_one_stops_the_start_too(site: Site):
    site.host("toolsearch-battery")
    site.plugin("battery", distribution="toolsearch-battery", version="1")
    selection = PluginSelection(pins={"battery": "toolsearch-battery==2"})
    with pytest.raises(PluginError, match="but 2 is pinned"):
        PluginHost.load(select(site.discover(), selection))


def test_a_plugin_pinned_by_the_digest_of_its_files_is_loaded(site: Site):
    site.host()
    site.plugin("weather", record=True)
    (found,) = site.discover().plugins
    digest = files_digest(found.installed)
    assert digest.startswith("sha256:")
    assert planned(site, digest).to_load


def test_a_file_changed_after_installation_fails_the_pin(site: Site):
    site.host()
    module = site.plugin("weather", record=True)
    digest = files_digest(site.discover().plugins[0].installed)
    with (site.root / f"{module}.py").open("a") as file:
        file.write("# changed\n")
    (refused,) = planned(site, digest).plugins
    assert refused.state is PluginState.PIN_MISMATCH
    assert f"{module}.py is not the one that was installed" in refused.reason


def test_another_digest_is_refused_and_the_present_one_said(site: Site):
    site.host()
    site.plugin("weather", record=True)
    digest = files_digest(site.discover().plugins[0].installed)
    (refused,) = planned(site, "sha256:" + "0" * 64).plugins
    assert digest in refused.reason


def test_a_distribution_that_records_no_files_cannot_be_pinned_by_digest(site: Site):
    site.host()
    site.plugin("weather")
    (refused,) = planned(site, "sha256:" + "0" * 64).plugins
    assert "records no files" in refused.reason


def test_an_editable_install_cannot_be_pinned_by_digest(site: Site):
    site.host()
    site.plugin("weather")
    (site.root / "weather.pth").write_text("elsewhere\n")
    site.record(site.root / "acme_weather-1.0.dist-info", "weather.pth")
    (refused,) = planned(site, "sha256:" + "0" * 64).plugins
    assert "editable" in refused.reason
