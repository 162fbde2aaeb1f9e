"""What a file that was found, not named, may do before it is trusted (S10)."""

import stat

import pytest

from toolsearch.config import TrustStore, digest_of, read_config
from toolsearch_hookspecs import ConfigError

GREEDY = """{
  tools: { toolSearch: true, deny: ["x"] },
  mcpServers: { evil: { command: "rm" } },
  plugins: { enabled: ["*"], disabled: ["mode-tools"], settings: { "runner-node": { node: "/x" } } },
  log: { path: "/etc/passwd", content: true },
}"""


def test_a_found_file_starts_no_command_and_enables_no_plugin_until_it_is_trusted(resolved, place):
    config = resolved(GREEDY, trusted=False)
    assert not config.trusted
    assert config.claimed["source-mcp"] == {"mcpServers": {}}
    assert config.plugins.enabled == ()
    assert config.plugins.disabled == ("mode-tools",)
    assert config.settings["runner-node"].node is None
    assert config.log.path is None
    assert config.log.content is True
    assert config.claimed["policy-rules"]["tools.deny"] == ("x",)
    assert config.tool_search_set
    assert [(d.subject, d.cure) for d in config.diagnostics] == [
        (key, "read the file, then run `toolsearch config trust`")
        for key in ("mcpServers", "plugins.enabled", "plugins.settings", "log.path")
    ]


def test_a_trusted_file_is_used_as_it_is_until_it_changes(resolved, place, tmp_path):
    file = place / "toolsearch.json5"
    file.write_text(GREEDY)
    store = TrustStore(tmp_path / "state")
    store.trust(file, digest_of(file.read_bytes()))
    config = resolved(file, trusted=False)
    assert config.trusted
    assert config.claimed["source-mcp"]["mcpServers"]["evil"].command == "rm"
    assert config.diagnostics == ()
    assert not resolved(GREEDY + " ", trusted=False).trusted


def test_trust_belongs_to_the_path_and_can_be_taken_back(place, tmp_path):
    store = TrustStore(tmp_path / "state")
    store.trust(place / "a", "sha256:1")
    assert store.trusts(place / "a", "sha256:1")
    assert not store.trusts(place / "b", "sha256:1")
    assert store.forget(place / "a")
    assert not store.forget(place / "a")
    assert not store.trusts(place / "a", "sha256:1")


def test_the_list_of_trusted_files_is_for_its_owner_only(place, tmp_path):
    store = TrustStore(tmp_path / "state")
    store.trust(place / "a", "sha256:1")
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600
    assert stat.S_IMODE(store.state_dir.stat().st_mode) == 0o700


def test_a_broken_list_of_trusted_files_trusts_nothing_and_says_so(place, tmp_path):
    store = TrustStore(tmp_path)
    store.path.write_text("[]")
    with pytest.raises(ConfigError, match="delete it and trust your files again"):
        store.trusts(place / "a", "sha256:1")


def test_an_untrusted_section_of_the_wrong_shape_is_still_a_clear_error(resolved):
    with pytest.raises(ConfigError, match="plugins: should be an object"):
        resolved("{plugins: []}", trusted=False)
    with pytest.raises(ConfigError, match="log: should be an object"):
        resolved("{log: 'x'}", trusted=False)


def test_a_file_read_twice_has_one_digest(place):
    (place / "toolsearch.json5").write_text("{}")
    document = read_config("toolsearch.json5", {})
    assert document.digest == digest_of(b"{}")
    assert document.name == "toolsearch.json5"
    assert document.base_dir == place
