"""Nothing of the code is missing in the reference, and nothing in it is without words."""

from __future__ import annotations

import importlib.util
import inspect
from pathlib import Path

import click
import pytest

import toolsearch_hookspecs
from toolsearch import testing
from toolsearch_hookspecs import HOOK_RULES, EventType, Hooks

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def generated():
    """The module that draws the reference."""
    spec = importlib.util.spec_from_file_location("generated", ROOT / "docs/generated.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_hook_is_documented_with_its_arguments_and_its_rule(generated):
    page = generated.hooks()
    for name, rule in HOOK_RULES.items():
        section = page.split(f"\n## {name}\n")[1].split("\n## ")[0]
        assert inspect.getdoc(getattr(Hooks, name)).split("\n")[0] in section
        assert all(f"`{argument}`" in section for argument in rule.arguments)
        assert rule.on_failure.value in section
        assert rule.combines in section


def test_every_setting_is_documented_with_its_default(generated):
    page = generated.configuration()
    for key in (
        "tools.toolSearch.codeTimeoutMs", "tools.limits.maxResultBytes", "tools.deny",
        "approvals.waitMs", "log.keepDays", "plugins.pins", "stages.index",
        "plugins.settings.runner-node.pool", "mcpServers.&lt;name&gt;.command",
    ):  # fmt: skip
        assert f"`{key}`" in page
    schema = generated.configuration_schema()
    for section in schema["properties"]:
        assert section == "$schema" or f"## {section}" in page


def test_every_limit_is_documented_with_its_number(generated):
    page = generated.configuration()
    for name, field in toolsearch_hookspecs.Limits.model_fields.items():
        alias = field.alias or name
        assert f"| `tools.limits.{alias}` | integer | `{field.default}` |" in page


def test_every_command_is_documented_with_help_for_each_option(generated):
    page = generated.cli()
    silent = []
    for name, command in generated.commands():
        assert f"## {name}\n" in page
        silent += [] if command.help else [name]
        silent += [
            f"{name} {option.opts[0]}"
            for option in command.params
            if isinstance(option, click.Option) and not (option.help or option.hidden)
        ]
    assert silent == []


def test_every_event_is_documented(generated):
    page = generated.events()
    for type_ in EventType:
        section = page.split(f"## {type_.value}\n")[1].split("\n## ")[0]
        assert section.strip()


def test_every_name_of_the_contract_is_documented(generated):
    page = generated.contract()
    missing = [name for name in toolsearch_hookspecs.__all__ if f"### {name}\n" not in page]
    assert missing == []


def test_every_protocol_and_error_of_the_contract_says_what_it_is():
    named = {name: getattr(toolsearch_hookspecs, name) for name in toolsearch_hookspecs.__all__}
    silent = [
        name
        for name, value in named.items()
        if inspect.isclass(value) and not (value.__doc__ or "").strip()
    ]
    assert silent == []


def test_every_suite_is_documented(generated):
    page = generated.suites()
    for name in testing.__all__:
        if name.endswith("Conformance") and name != "Conformance":
            assert f"### {name}\n" in page


def test_every_mark_in_a_page_has_a_part(generated):
    for path in (ROOT / "docs").rglob("*.md"):
        drawn = generated.on_page_markdown(path.read_text())
        assert "<!-- generated" not in drawn, path
