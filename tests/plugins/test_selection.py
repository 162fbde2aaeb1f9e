from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolsearch.plugins import PluginSelection, PluginState, select
from toolsearch_hookspecs import ConfigError

from .conftest import Site

NAMES = st.sampled_from(["a", "b", "c", "index-whoosh"])
LAYER = st.fixed_dictionaries(
    {}, optional={"enabled": st.lists(NAMES), "disabled": st.lists(NAMES)}
)


def states(site: Site, selection: PluginSelection) -> dict[str, PluginState]:
    return {each.name: each.state for each in select(site.discover(), selection).plugins}


def environment(layer: dict[str, list[str]]) -> dict[str, str]:
    return {f"TOOLSEARCH_PLUGINS_{key.upper()}": ",".join(names) for key, names in layer.items()}


def test_the_command_line_is_over_the_environment_and_that_over_the_file():
    selection = PluginSelection.resolve(
        {"enabled": ["file"], "disabled": ["file-off"], "order": ["file"], "pins": {"a": "b==1"}},
        {"TOOLSEARCH_PLUGINS_ENABLED": "env", "TOOLSEARCH_PLUGINS_DISABLED": " one, two ,"},
        {"enabled": ("line",), "disabled": None},
    )
    assert selection.enabled == ("line",)
    assert selection.disabled == ("one", "two")
    assert selection.order == ("file",)
    assert selection.pins == {"a": "b==1"}
    assert selection.who("enabled") == "the command line"
    assert selection.who("disabled") == "TOOLSEARCH_PLUGINS_DISABLED"
    assert selection.who("order") == "the configuration file"


def test_enabling_on_the_command_line_overrules_disabling_in_the_file():
    selection = PluginSelection.resolve({"disabled": ["a"]}, {}, {"enabled": ["a"]})
    assert (selection.enabled, selection.disabled) == (("a",), ())


def test_disabling_in_the_environment_overrules_enabling_in_the_file():
    variables = {"TOOLSEARCH_PLUGINS_DISABLED": "a"}
    selection = PluginSelection.resolve({"enabled": ["a"]}, variables, {})
    assert (selection.enabled, selection.disabled) == ((), ("a",))


def test_enabled_and_disabled_in_one_place_is_disabled():
    selection = PluginSelection.resolve({"enabled": ["a", "b"], "disabled": ["a"]}, {}, {})
    assert (selection.enabled, selection.disabled) == (("b",), ("a",))


@given(file=LAYER, environ=LAYER, line=LAYER)
def test_a_name_is_what_the_highest_place_that_has_the_last_word_says(file, environ, line):
    selection = PluginSelection.resolve(file, environment(environ), line)
    layers = [line, environ, file]

    def place(key: str) -> int:
        return next((n for n, layer in enumerate(layers) if key in layer), 3)

    def names(key: str) -> set[str]:
        return set(layers[place(key)][key]) if place(key) < 3 else set()

    both = names("enabled") & names("disabled")
    assert not set(selection.enabled) & set(selection.disabled)
    enabled_wins = place("enabled") < place("disabled")
    assert set(selection.enabled) == names("enabled") - (set() if enabled_wins else both)
    assert set(selection.disabled) == names("disabled") - (both if enabled_wins else set())


def test_a_value_of_the_wrong_type_is_an_error_that_says_where_it_stands():
    with pytest.raises(ConfigError, match=r"plugins\.enabled in the configuration file"):
        PluginSelection.resolve({"enabled": 5}, {}, {})


def test_batteries_are_on_and_third_parties_off_until_named(site: Site):
    site.host("toolsearch-battery")
    site.plugin("battery", distribution="toolsearch-battery")
    site.plugin("weather")
    assert states(site, PluginSelection()) == {
        "battery": PluginState.LOADED,
        "weather": PluginState.NOT_ENABLED,
    }
    for enabled in (("weather",), ("*",)):
        assert set(states(site, PluginSelection(enabled=enabled)).values()) == {PluginState.LOADED}


def test_a_disabled_battery_is_not_loaded(site: Site):
    site.host("toolsearch-battery")
    site.plugin("battery", distribution="toolsearch-battery")
    selection = PluginSelection.resolve({"disabled": ["battery"]}, {}, {})
    (planned,) = select(site.discover(), selection).plugins
    assert planned.state is PluginState.DISABLED
    assert planned.reason == "disabled by the configuration file"


def test_one_name_from_two_distributions_is_loaded_from_neither(site: Site):
    site.host()
    site.plugin("weather", distribution="acme-weather", version="1.0")
    site.plugin("weather", distribution="zeta-weather", version="2.0")
    site.plugin("calendar")
    plan = select(site.discover(), PluginSelection(enabled=("*",)))
    assert [each.name for each in plan.to_load] == ["calendar"]
    for planned in plan.unusable:
        assert planned.state is PluginState.DUPLICATE
        assert "acme-weather 1.0 and zeta-weather 2.0" in planned.reason


def test_disabling_the_name_settles_a_duplicate(site: Site):
    site.host()
    site.plugin("weather", distribution="acme-weather")
    site.plugin("weather", distribution="zeta-weather")
    plan = select(site.discover(), PluginSelection(disabled=("weather",)))
    assert plan.unusable == ()


@pytest.mark.parametrize("key", ["enabled", "disabled", "order", "pins"])
def test_an_unknown_name_is_a_problem_with_the_nearest_name(site: Site, key: str):
    site.host()
    site.plugin("weather")
    value = {"wether": "acme==1"} if key == "pins" else ["wether"]
    selection = PluginSelection.resolve({key: value}, {}, {})
    (problem,) = select(site.discover(), selection).problems
    assert problem.level == "error"
    assert f"plugins.{key}" in problem.message
    assert "did you mean 'weather'?" in problem.message


def test_the_order_is_the_deployments_then_by_name(site: Site):
    site.host()
    for name in ("delta", "alpha", "charlie", "bravo"):
        site.plugin(name)
    selection = PluginSelection(enabled=("*",), order=("charlie", "delta"))
    names = [each.name for each in select(site.discover(), selection).to_load]
    assert names == ["charlie", "delta", "alpha", "bravo"]


@given(order=st.lists(NAMES), installed=st.lists(NAMES, unique=True))
def test_the_order_is_total_and_independent_of_installation(order, installed):
    from toolsearch.plugins import Plan

    plan = Plan(selection=PluginSelection(order=tuple(order)))
    sequence = sorted(installed, key=plan.position)
    backwards = installed[::-1]
    assert sequence == sorted(backwards, key=plan.position)
    ordered = [name for name in dict.fromkeys(order) if name in installed]
    assert sequence == [*ordered, *sorted(set(installed) - set(ordered))]
