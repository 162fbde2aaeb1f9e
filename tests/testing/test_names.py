"""What an author sees of `toolsearch.testing`, and that no kind of stage is without a wrong one."""

from pathlib import Path

import pytest

from toolsearch import testing
from toolsearch.testing import sample_tools

from .test_wrong_hooks import Policy, policy_suite

SUITES = [
    name for name in testing.__all__ if name.endswith("Conformance") and name != "Conformance"
]


def test_every_name_can_be_had_and_is_completed():
    assert dir(testing) == sorted(testing.__all__)
    assert all(getattr(testing, name) is not None for name in testing.__all__)


@pytest.mark.parametrize("suite", SUITES)
def test_each_suite_is_held_against_wrong_implementations(suite):
    texts = [path.read_text() for path in Path(__file__).parent.glob("test_wrong_*.py")]
    assert any(f"({suite})" in text or f"({suite}," in text for text in texts)


def test_the_sample_tools_are_named_where_their_names_are_needed():
    said = testing.PolicyConformance.__doc__
    assert all(f"`{tool.name}`" in said for tool in sample_tools())


@pytest.mark.parametrize("member", ["denies", "asks", "allows"])
def test_a_policy_that_rules_otherwise_than_its_suite_says_is_told(tmp_path, member):
    suite = type("Suite", (policy_suite(Policy),), {"denies": None, "allows": None})
    setattr(suite, member, "delete_file" if member == "allows" else "read_file")
    case = {
        "denies": "test_what_it_should_deny_it_denies",
        "asks": "test_what_it_should_ask_about_it_asks",
        "allows": "test_what_it_should_allow_it_allows",
    }[member]
    with pytest.raises(pytest.fail.Exception, match=r"(read|delete)_file is"):
        getattr(suite(), case)(tmp_path)


def test_a_suite_that_expects_something_of_no_sample_tool_is_told_their_names(tmp_path):
    suite = type("Suite", (policy_suite(Policy),), {"denies": "remove_file"})
    with pytest.raises(pytest.fail.Exception, match="the sample tools are read_file"):
        suite().test_what_it_should_deny_it_denies(tmp_path)
