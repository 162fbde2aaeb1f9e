"""The README does what it says."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_the_first_program_is_complete_short_and_runs(tmp_path):
    program = blocks("python")[0]
    assert len([line for line in program.splitlines() if line.strip()]) <= 25
    done = subprocess.run(
        [sys.executable, "-P", "-c", program],
        cwd=tmp_path,
        env=os.environ | {"TOOLSEARCH_STATE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    surface, answer = done.stdout.splitlines()
    assert surface == "['tool_search', 'tool_describe', 'tool_call']"
    assert '"result":22.0' in answer


def test_the_plugin_snippet_is_a_plugin_that_loads():
    from toolsearch.plugins import PluginHost, PluginSelection, discover, select

    names = {}
    exec(compile(blocks("python")[1], "README.md", "exec"), names)
    plan = select(discover(), PluginSelection(disabled=()))
    host = PluginHost.load(plan, extra=[("no-fridays", names["plugin"])])
    assert host.plugin("no-fridays") is not None


def test_the_configuration_in_the_readme_is_accepted(tmp_path):
    from toolsearch import Host

    (config,) = blocks("json5")
    path = tmp_path / "toolsearch.json5"
    path.write_text(config)
    host = Host.from_config(path, environ={"GITHUB_TOKEN": "x"}, state_dir=tmp_path)
    assert [d for d in host.diagnostics() if d.level == "error"] == []


def test_what_ci_runs_is_what_the_readme_tells_a_user_to_run():
    (command,) = (block.strip() for block in blocks("sh") if "nox" in block)
    assert command in (ROOT / ".ci/run").read_text()


def test_the_pages_that_the_readme_links_are_there():
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target
