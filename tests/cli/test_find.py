"""Looking for the configuration file (S10): in which order, how far up, and never another's."""

import os

import pytest

from toolsearch.cli._find import search_config


def found_config(named, environ, cwd):
    return search_config(named, environ, cwd).found


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
    by_option = found_config("/opt.json5", environ, repository)
    by_variable = found_config(None, environ, repository)
    assert (str(by_option.path), by_option.named) == ("/opt.json5", True)
    assert (str(by_variable.path), by_variable.named) == ("/var.json5", True)


def test_the_nearest_file_up_to_the_repository_root_is_found_and_none_above_it(
    tmp_path, repository
):
    (tmp_path / "toolsearch.json5").write_text("{}")
    assert found_config(None, env(tmp_path), repository / "a" / "b") is None
    (repository / "toolsearch.json5").write_text("{}")
    found = found_config(None, env(tmp_path), repository / "a" / "b")
    assert (found.path, found.named) == (repository / "toolsearch.json5", False)
    (repository / "a" / "toolsearch.json5").write_text("{}")
    nearer = found_config(None, env(tmp_path), repository / "a" / "b")
    assert nearer.path == repository / "a" / "toolsearch.json5"


def test_outside_a_repository_only_the_working_directory_is_looked_at(tmp_path):
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "a" / "toolsearch.json5").write_text("{}")
    assert found_config(None, env(tmp_path), inner) is None
    assert found_config(None, env(tmp_path), tmp_path / "a").path.parent == tmp_path / "a"


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
