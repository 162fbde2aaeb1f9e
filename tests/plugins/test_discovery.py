from __future__ import annotations

import sys

import pytest

from .conftest import Site


def test_a_plugin_is_found_with_its_distribution_and_is_not_imported(site: Site):
    module = site.plugin("weather", distribution="acme-weather", version="1.4")
    (found,) = site.discover().plugins
    assert (found.name, found.distribution, found.version) == ("weather", "acme-weather", "1.4")
    assert found.value == f"{module}:plugin"
    assert module not in sys.modules


def test_batteries_are_the_distributions_that_the_host_requires(site: Site):
    site.host(
        "toolsearch-index-whoosh==0.1.0",
        "Toolsearch_Mode.Code[extra] (>=1) ; python_version > '3'",
        "attrs",
    )
    site.plugin("index-whoosh", distribution="toolsearch-index-whoosh")
    site.plugin("mode-code", distribution="toolsearch-mode-code")
    site.plugin("index-other", distribution="toolsearch-index-other")
    batteries = {found.name: found.battery for found in site.discover().plugins}
    assert batteries == {"index-whoosh": True, "mode-code": True, "index-other": False}


def test_without_metadata_of_the_host_nothing_is_a_battery_and_it_is_said(site: Site):
    site.plugin("index-whoosh", distribution="toolsearch-index-whoosh")
    discovery = site.discover()
    assert not discovery.plugins[0].battery
    (problem,) = discovery.problems
    assert problem.code == "plugins.host-not-installed"


def test_a_distribution_without_a_version_is_still_found(site: Site):
    site.host()
    site.plugin("weather", version=None)
    (found,) = site.discover().plugins
    assert found.version is None
    assert str(found.identity) == "'weather' (acme-weather of unknown version)"


def test_a_distribution_without_metadata_is_named_after_its_folder(site: Site):
    site.host()
    site.plugin("weather", distribution="acme_weather")
    (site.root / "acme_weather-1.0.dist-info" / "METADATA").unlink()
    (found,) = site.discover().plugins
    assert (found.distribution, found.version) == ("acme_weather", None)


@pytest.mark.parametrize(
    "broken", [b"[toolsearch.plugins]\nweather\n", b"[toolsearch.plugins]\n\xff\xfe = a:b\n"]
)
def test_unreadable_metadata_hides_no_other_plugin(site: Site, broken: bytes):
    site.host()
    site.plugin("weather")
    site.plugin("calendar")
    (site.root / "acme_weather-1.0.dist-info" / "entry_points.txt").write_bytes(broken)
    discovery = site.discover()
    assert [found.name for found in discovery.plugins] == ["calendar"]


def test_a_malformed_entry_point_is_found_with_its_problem(site: Site):
    site.host()
    site.plugin("weather", value="not a module")
    site.plugin("Über")
    problems = {found.name: found.problem for found in site.discover().plugins}
    assert "module:object" in (problems["weather"] or "")
    assert "a-z" in (problems["Über"] or "")


def test_an_older_version_further_down_the_path_is_not_a_second_plugin(site: Site, tmp_path):
    from toolsearch.plugins import discover

    site.host()
    below = Site(tmp_path / "below")
    below.root.mkdir()
    below.plugin("weather", version="0.9")
    site.plugin("weather", version="1.0")
    found = discover(path=[str(site.root), str(below.root)]).plugins
    assert [each.version for each in found] == ["1.0"]


def test_a_newer_version_without_the_entry_point_hides_the_older_one(site: Site, tmp_path):
    from toolsearch.plugins import discover

    site.host()
    below = Site(tmp_path / "below")
    below.root.mkdir()
    below.plugin("weather", version="0.9")
    site.metadata("acme-weather", "2.0")
    assert discover(path=[str(site.root), str(below.root)]).plugins == ()
