"""Nothing of the code is missing in the reference, and nothing in it is without words."""

from __future__ import annotations

import importlib.util
import inspect
import re
from pathlib import Path

import click
import pytest

import toolsearch
import toolsearch_hookspecs
from toolsearch import testing
from toolsearch.cli._app import run
from toolsearch.reference import PARTS, commands, configuration_schema, drawn
from toolsearch.reference._embedding import ADAPTERS, CLASSES
from toolsearch.reference._meanings import meanings
from toolsearch_hookspecs import HOOK_RULES, EventType, Hooks

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def pages():
    """What mkdocs calls for each page of the documentation."""
    spec = importlib.util.spec_from_file_location("generated", ROOT / "docs/generated.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_hook_is_documented_with_its_arguments_and_its_rule():
    page = drawn("hooks")
    for name, rule in HOOK_RULES.items():
        section = page.split(f"\n## {name}\n")[1].split("\n## ")[0]
        assert inspect.getdoc(getattr(Hooks, name)).split("\n")[0] in section
        assert all(f"`{argument}`" in section for argument in rule.arguments)
        assert rule.on_failure.value in section
        assert rule.combines in section


def test_every_setting_is_documented_with_its_default():
    page = drawn("configuration")
    for key in (
        "tools.toolSearch.codeTimeoutMs", "tools.limits.maxResultBytes", "tools.deny",
        "approvals.waitMs", "log.keepDays", "plugins.pins", "stages.index",
        "plugins.settings.runner-node.pool", "mcpServers.<name>.command",
    ):  # fmt: skip
        assert f"`{key}`" in page
    schema = configuration_schema()
    for section in schema["properties"]:
        assert section == "$schema" or f"## {section}" in page


def test_every_setting_has_a_sentence_and_every_section_a_text():
    page = drawn("configuration")
    silent = [row for row in page.splitlines() if row.startswith("| `") and row.endswith("|  |")]
    assert silent == []
    for section in page.split("\n## ")[1:]:
        assert section.split("\n\n")[1].strip("| -")
    assert "&lt;" not in page


def test_every_sentence_is_of_a_setting_that_is_there():
    page = drawn("configuration")
    there = set(re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE))
    there |= set(re.findall(r"^## (.+)$", page, re.MULTILINE))
    assert [key for key in meanings() if key not in there and not key.startswith("<level>")] == []


def test_no_part_and_no_page_names_a_rule_of_the_design_by_its_number():
    texts = {part: drawn(part) for part in PARTS}
    texts |= {str(path): path.read_text() for path in (ROOT / "docs").rglob("*.md")}
    texts["README"] = (ROOT / "README.md").read_text()
    found = {name: re.findall(r"\bS\d+(?:\.\d+)?\b", text) for name, text in texts.items()}
    assert {name: numbers for name, numbers in found.items() if numbers} == {}


def test_every_limit_is_documented_with_its_number():
    page = drawn("configuration")
    for name, field in toolsearch_hookspecs.Limits.model_fields.items():
        alias = field.alias or name
        assert f"| `tools.limits.{alias}` | integer | `{field.default}` |" in page


def test_every_command_is_documented_with_help_for_each_option():
    page = drawn("cli")
    silent = []
    for name, command in commands():
        assert f"## {name}\n" in page
        silent += [] if command.help else [name]
        silent += [
            f"{name} {option.opts[0]}"
            for option in command.params
            if isinstance(option, click.Option) and not (option.help or option.hidden)
        ]
    assert silent == []


def test_every_event_is_documented():
    page = drawn("events")
    for type_ in EventType:
        section = page.split(f"## {type_.value}\n")[1].split("\n## ")[0]
        assert section.strip()


def test_every_name_of_the_contract_is_documented():
    page = drawn("contract")
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


def test_every_suite_is_documented():
    page = drawn("suites")
    for name in testing.__all__:
        if name.endswith("Conformance") and name != "Conformance":
            assert f"### {name}\n" in page


def test_every_name_for_tests_is_documented_with_words():
    names = {name for name in testing.__all__ if name not in drawn("suites")}
    page = drawn("testing")
    silent = [
        name
        for name in names
        if not page.partition(f"### {name}\n")[2].split("\n### ")[0].strip("`\n ")
        or (callable(getattr(testing, name)) and not inspect.getdoc(getattr(testing, name)))
    ]
    assert silent == []


def test_whatever_an_author_sets_in_a_suite_is_documented():
    page = drawn("suites")
    for name in testing.__all__:
        if name.endswith("Conformance") and name != "Conformance":
            section = page.split(f"### {name}\n")[1].split("\n### ")[0]
            suite = getattr(testing, name)
            given = {each for owner in suite.__mro__ for each in inspect.get_annotations(owner)}
            assert all(f"| `{each}` |" in section for each in given)


def test_whatever_an_embedding_program_calls_is_documented_with_words():
    page = drawn("embedding")
    silent = []
    for name in CLASSES:
        assert name in toolsearch.__all__
        section = page.split(f"## {name}\n")[1].split("\n## ")[0]
        for member, value in vars(getattr(toolsearch, name)).items():
            if member.startswith("_") or not (callable(value) or isinstance(value, property)):
                continue
            assert f"{member}(" in section or f"{member}:" in section
            silent += [] if inspect.getdoc(value) else [f"{name}.{member}"]
    assert silent == []


def test_what_a_program_imports_can_be_completed():
    assert set(toolsearch.__all__) <= set(dir(toolsearch))


def test_every_adapter_is_documented():
    page = drawn("adapters")
    there = {p.stem for p in (ROOT / "toolsearch/adapters").glob("[a-z]*.py")}
    assert set(ADAPTERS) == there
    for name in ADAPTERS:
        section = page.split(f"### toolsearch.adapters.{name}\n")[1].split("\n### ")[0]
        assert "def tools_of(" in section
        assert "def source_of(" in section


def test_every_mark_in_a_page_has_a_part_and_every_part_a_page(pages):
    texts = {path: path.read_text() for path in (ROOT / "docs").rglob("*.md")}
    marked = [mark for text in texts.values() for mark in pages.MARK.findall(text)]
    assert sorted(marked) == sorted(PARTS)
    for path, text in texts.items():
        assert "<!-- generated" not in pages.on_page_markdown(text), path


@pytest.mark.parametrize("part", PARTS)
def test_each_part_is_printed_in_the_terminal(capsys, part):
    assert run(["docs", part]) == 0
    assert drawn(part)[:200].strip() in capsys.readouterr().out


def test_the_parts_are_listed_and_another_word_is_refused(capsys):
    assert run(["docs"]) == 0
    assert all(part in capsys.readouterr().out for part in ["hooks"])
    assert run(["docs", "hoks"]) == 2
    assert "there are adapters, cli" in capsys.readouterr().err
