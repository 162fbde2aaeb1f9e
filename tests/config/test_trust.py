"""Finding a file, and what a found file may do before it is trusted (S10)."""

import os
import stat

import pytest

from toolsearch.config import TrustStore, digest_of, find_config, read_config, search_config
from toolsearch_hookspecs import ConfigError

GREEDY = """{
  tools: { toolSearch: true, deny: ["x"] },
  mcpServers: { evil: { command: "rm" } },
  plugins: { enabled: ["*"], disabled: ["index-fts5"], settings: { "runner-node": { node: "/x" } } },
  log: { path: "/etc/passwd", content: true },
}"""


def test_a_found_file_starts_no_command_and_enables_no_plugin_until_it_is_trusted(resolved, place):
    config = resolved(GREEDY, trusted=False)
    assert not config.trusted
    assert config.claimed["source-mcp"] == {"mcpServers": {}}
    assert config.plugins.enabled == ()
    assert config.plugins.disabled == ("index-fts5",)
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


@pytest.fixture
def repository(tmp_path):
    root = tmp_path / "repo"
    (root / ".git").mkdir(parents=True)
    (root / "a" / "b").mkdir(parents=True)
    return root


def env(tmp_path, **more):
    return {"TOOLSEARCH_CONFIG_DIR": str(tmp_path / "config"), **more}


def test_a_named_file_comes_first_then_the_variable_and_both_count_as_named(tmp_path, repository):
    (repository / "toolsearch.json5").write_text("{}")
    environ = env(tmp_path, TOOLSEARCH_CONFIG="/var.json5")
    by_option = find_config("/opt.json5", environ, repository)
    by_variable = find_config(None, environ, repository)
    assert (str(by_option.path), by_option.named) == ("/opt.json5", True)
    assert (str(by_variable.path), by_variable.named) == ("/var.json5", True)


def test_the_nearest_file_up_to_the_repository_root_is_found_and_none_above_it(
    tmp_path, repository
):
    (tmp_path / "toolsearch.json5").write_text("{}")
    assert find_config(None, env(tmp_path), repository / "a" / "b") is None
    (repository / "toolsearch.json5").write_text("{}")
    found = find_config(None, env(tmp_path), repository / "a" / "b")
    assert (found.path, found.named) == (repository / "toolsearch.json5", False)
    (repository / "a" / "toolsearch.json5").write_text("{}")
    nearer = find_config(None, env(tmp_path), repository / "a" / "b")
    assert nearer.path == repository / "a" / "toolsearch.json5"


def test_outside_a_repository_only_the_working_directory_is_looked_at(tmp_path):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "a" / "toolsearch.json5").write_text("{}")
    assert find_config(None, env(tmp_path), inner) is None
    assert find_config(None, env(tmp_path), tmp_path / "a").path.parent == tmp_path / "a"


def test_the_users_own_file_is_the_last_place_and_is_found_not_named(tmp_path):
    (tmp_path / "config").mkdir()
    own = tmp_path / "config" / "toolsearch.json5"
    own.write_text("{}")
    cwd = tmp_path / "cwd"
    cwd.mkdir()
    search = search_config(None, env(tmp_path), cwd)
    assert (search.found.path, search.found.named) == (own, False)
    assert search.looked == (cwd / "toolsearch.json5", own)


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="giving files away needs root")
@pytest.mark.parametrize("link", [False, True])
def test_a_file_of_another_user_is_passed_over_and_said(tmp_path, repository, link):
    file = repository / "toolsearch.json5"
    if link:
        target = tmp_path / "theirs"
        target.write_text("{}")
        os.chown(target, 12345, 12345)
        file.symlink_to(target)
    else:
        file.write_text("{}")
        os.chown(file, 12345, 12345)
    search = search_config(None, env(tmp_path), repository)
    assert search.found is None
    assert search.foreign == (file,)


def test_a_file_read_twice_has_one_digest(place):
    (place / "toolsearch.json5").write_text("{}")
    document = read_config("toolsearch.json5", {})
    assert document.digest == digest_of(b"{}")
    assert document.name == "toolsearch.json5"
    assert document.base_dir == place
