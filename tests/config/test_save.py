"""Writing an edited file: only when it is valid, as a whole, and with its permissions."""

import json
import stat

import pytest

from toolsearch.config import (
    TrustStore,
    config_problems,
    config_schema,
    digest_of,
    masked,
    path_of,
    read_config,
    resolve_config,
    save_config,
    with_value,
)
from toolsearch_hookspecs import ConfigError


@pytest.fixture
def edit(place, tmp_path, specs, installed):
    file = place / "toolsearch.json5"

    def edit(path, value, *, trusted=True, meanwhile=None):
        document = read_config(file, {}, trusted=trusted, state_dir=tmp_path / "state")
        text = with_value(document.tree.text, path_of(path), value)
        if meanwhile is not None:
            file.write_text(meanwhile)
        return save_config(
            document, text, lambda each: config_problems(each, specs, known_plugins=installed)
        )

    edit.file = file
    return edit


def test_a_valid_edit_is_written_with_the_permissions_of_the_file(edit):
    edit.file.write_bytes(b"{\r\n  // mine\r\n}\r\n")
    edit.file.chmod(0o640)
    edit("tools.toolSearch", True)
    assert edit.file.read_bytes() == (b"{\r\n  // mine\r\n  tools: { toolSearch: true },\r\n}\r\n")
    assert stat.S_IMODE(edit.file.stat().st_mode) == 0o640
    assert [path.name for path in edit.file.parent.iterdir()] == ["toolsearch.json5"]


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        ("tools.toolSerch", True, 'unknown key; did you mean "toolSearch"'),
        ("tools.toolSearch", "yes", "should be true, false or an object"),
        ("stages.index", "index-whosh", 'did you mean "index-whoosh"'),
        ("mcpServers.a.args", "x", "should be a list"),
    ],
)
def test_an_edit_that_would_not_validate_leaves_the_file_as_it_was(edit, path, value, said):
    edit.file.write_text("{}")
    with pytest.raises(ConfigError) as caught:
        edit(path, value)
    assert said in str(caught.value)
    assert str(caught.value).endswith("toolsearch.json5 was left as it was")
    assert edit.file.read_text() == "{}"


def test_a_file_with_mistakes_can_be_mended_one_at_a_time(edit):
    edit.file.write_text("{log: {keepDays: 'x'}, approvals: {waitMs: 'y'}}")
    edit("log.keepDays", 3)
    edit("approvals.waitMs", 4)
    assert edit.file.read_text() == "{log: {keepDays: 3}, approvals: {waitMs: 4}}"


def test_an_edit_over_someone_elses_change_is_refused(edit):
    edit.file.write_text("{}")
    with pytest.raises(ConfigError, match="was changed meanwhile; nothing was written"):
        edit("tools.toolSearch", True, meanwhile="{log: {}}")
    assert edit.file.read_text() == "{log: {}}"


def test_a_link_stays_a_link(edit, tmp_path):
    target = tmp_path / "real.json5"
    target.write_text("{}")
    edit.file.symlink_to(target)
    edit("tools.toolSearch", True)
    assert edit.file.is_symlink()
    assert "toolSearch: true" in target.read_text()


def test_a_trusted_file_stays_trusted_and_an_untrusted_one_does_not_become_so(edit, tmp_path):
    store = TrustStore(tmp_path / "state")
    edit.file.write_text("{}")
    edit("tools.toolSearch", True, trusted=False)
    assert not store.trusts(edit.file, digest_of(edit.file.read_bytes()))
    store.trust(edit.file, digest_of(edit.file.read_bytes()))
    edit("tools.toolSearch", False, trusted=False)
    assert store.trusts(edit.file, digest_of(edit.file.read_bytes()))


def test_secrets_are_masked_and_references_are_not():
    shown = masked(
        {
            "mcpServers": {
                "a": {
                    "command": "npx",
                    "args": ["-y", "--api-key", "k1", "--token=k2", "--port", "80"],
                    "env": {"TOKEN": "k3", "OTHER": "${OTHER}", "D": "${D:-k4}"},
                    "url": "https://user:k5@host/x?api_key=k6&page=2",
                    "headers": {"Authorization": "Bearer ${TOKEN}", "X": "Bearer k7"},
                },
            },
            "plugins": {"settings": {"x": {"clientSecret": "k8", "author": "me", "tokens": [1]}}},
        }
    )
    text = json.dumps(shown)
    assert not [key for key in ("k1", "k2", "k3", "k4", "k5", "k6", "k7", "k8") if key in text]
    server = shown["mcpServers"]["a"]
    assert server["args"] == ["-y", "--api-key", "***", "--token=***", "--port", "80"]
    assert server["env"] == {"TOKEN": "***", "OTHER": "${OTHER}", "D": "***"}
    assert server["url"] == "https://***@host/x?api_key=***&page=2"
    assert server["headers"] == {"Authorization": "Bearer ${TOKEN}", "X": "***"}
    assert shown["plugins"]["settings"]["x"] == {
        "clientSecret": "***",
        "author": "me",
        "tokens": [1],
    }


def test_no_representation_shows_a_secret(place, resolved, specs):
    (place / "toolsearch.json5").write_text(
        "{mcpServers: {a: {env: {TOKEN: 'hunter2'}}}, plugins: {settings: {x: {key: 'hunter2'}}}}"
    )
    document = read_config("toolsearch.json5", {"TOKEN": "hunter2"})
    config = resolve_config(document, specs)
    assert "hunter2" not in repr(document) + str(document) + repr(config)


@pytest.mark.parametrize(
    ("value", "valid"),
    [
        ({"tools": {"toolSearch": True, "deny": ["x"]}, "stages": {"index": "i"}}, True),
        ({"tools": {"toolSearch": {"mode": "tools", "likelySchemas": {"count": 2}}}}, True),
        ({"agents": {"a": {"toolSearch": False, "deny": ["x"]}}}, True),
        ({"providers": {"p": {"toolSearch": {"mode": "tools"}}}}, True),
        ({"mcpServers": {"a": {"command": "x"}}}, True),
        ({"plugins": {"settings": {"runner-node": {"pool": 2}}}}, True),
        ({"tools": {"toolSerch": True}}, False),
        ({"tols": {}}, False),
        ({"agents": {"a": {"denied": []}}}, False),
        ({"mcpServers": {"a": {"comand": "x"}}}, False),
        ({"plugins": {"settings": {"runner-node": {"pol": 2}}}}, False),
        ({"tools": {"limits": {"loopGuard": 0}}}, False),
    ],
)
def test_the_schema_accepts_what_the_host_accepts(specs, value, valid):
    from jsonschema import Draft202012Validator

    schema = config_schema(specs)
    Draft202012Validator.check_schema(schema)
    assert Draft202012Validator(schema).is_valid(value) is valid
