"""Keys of a server that nobody reads: said with their place and what was meant."""

from toolsearch.host import Host

WRITTEN = """{
  mcpServers: {
    a: { command: "x", disabled: true, arg: ["-m", "y"], enviroment: {} },
    b: { command: "x", disabled: true, trust: true, autoApprove: ["*"], icon: "i" },
  },
}
"""


def test_a_misspelt_key_of_a_server_is_a_warning_with_its_place_and_the_nearest(tmp_path):
    file = tmp_path / "toolsearch.json5"
    file.write_text(WRITTEN)
    told = Host.from_config(file, state_dir=tmp_path / "state", environ={}).diagnostics()
    said = {each.message.split(":")[0]: each for each in told if each.code == "config-key"}
    assert {key: each.level for key, each in said.items()} == {
        "mcpServers.a.arg": "warning",
        "mcpServers.a.enviroment": "warning",
        "mcpServers.b.trust": "info",
        "mcpServers.b.autoApprove": "info",
        "mcpServers.b.icon": "info",
    }
    assert 'did you mean "args"?' in said["mcpServers.a.arg"].cure
    assert said["mcpServers.a.arg"].subject.endswith("toolsearch.json5:3:40")
    assert "did you mean" not in said["mcpServers.a.enviroment"].cure
    assert "never honoured" in said["mcpServers.b.trust"].message
    assert "trusted" not in str(said["mcpServers.b.trust"])
