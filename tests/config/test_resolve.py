"""From a file to the settings of a host: layers, clamps, claims and refusals."""

import pytest
from pydantic import ValidationError

from toolsearch.config import read_config, resolve_config
from toolsearch_hookspecs import (
    ConfigError,
    Limits,
    PluginError,
    RunContext,
    SettingsSpec,
)

RUN = RunContext(run_id="r", agent="writer", provider="openai")


def codes(config):
    return [diagnostic.code for diagnostic in config.diagnostics]


@pytest.mark.parametrize(
    ("written", "enabled", "said"),
    [
        ("{}", False, False),
        ("{tools: {toolSearch: true}}", True, True),
        ("{tools: {toolSearch: false}}", False, True),
        ("{tools: {toolSearch: {}}}", False, False),
        ("{tools: {toolSearch: {mode: 'tools'}}}", True, True),
        ("{tools: {toolSearch: {mode: 'tools', enabled: false}}}", False, True),
        ("{tools: {toolSearch: {enabled: true}}}", True, True),
    ],
)
def test_tool_search_is_on_when_said_so(resolved, written, enabled, said):
    config = resolved(written)
    assert config.tool_search(RUN).enabled is enabled
    assert config.tool_search_set is said


@pytest.mark.parametrize(
    ("written", "enabled"),
    [("{}", True), ("{tools: {toolSearch: false}}", False)],
)
def test_what_needs_it_turns_it_on_unless_the_file_says_no(resolved, written, enabled):
    assert resolved(written).turned_on().tool_search(RUN).enabled is enabled


def test_true_means_code_mode_with_the_defaults_of_the_specification(resolved):
    settings = resolved("{tools: {toolSearch: true}}").tool_search(RUN)
    assert settings.model_dump(by_alias=True) == {
        "enabled": True,
        "mode": "code",
        "codeTimeoutMs": 10_000,
        "searchDefaultLimit": 8,
        "maxSearchLimit": 20,
        "strict": False,
        "auto": None,
        "directory": False,
        "likelySchemas": {"count": 4, "from": "session"},
    }


def test_provider_is_laid_over_tools_and_agent_over_provider_and_the_argument_over_all(resolved):
    config = resolved("""{
      tools: { toolSearch: { mode: "code", codeTimeoutMs: 2000, likelySchemas: { count: 7 } } },
      providers: { openai: { toolSearch: { mode: "tools", likelySchemas: { from: "turn" } } } },
      agents: { writer: { toolSearch: { strict: true } }, silent: { toolSearch: false } },
    }""")
    settings = config.tool_search(RUN)
    assert (settings.mode, settings.strict, settings.code_timeout_ms) == ("tools", True, 2000)
    assert (settings.likely_schemas.count, settings.likely_schemas.from_) == (7, "turn")
    assert config.tool_search(RUN, "directory").mode == "directory"
    assert not config.tool_search(RUN, "direct").enabled
    assert config.tool_search(RunContext(run_id="r")).mode == "code"
    silent = RunContext(run_id="r", agent="silent")
    assert not config.tool_search(silent).enabled
    assert config.tool_search(silent, "tools").enabled


def test_a_clamped_value_is_said_once_with_its_place(resolved):
    config = resolved("""{
      tools: { toolSearch: { codeTimeoutMs: 90000, maxSearchLimit: 99 } },
      agents: { writer: { toolSearch: { likelySchemas: { count: 40 } } } },
      approvals: { waitMs: 700000 },
    }""")
    settings = config.tool_search(RUN)
    assert settings.code_timeout_ms == 60_000
    assert settings.max_search_limit == 50
    assert settings.likely_schemas.count == 12
    assert config.approvals.wait_ms == 600_000
    config.tool_search(RUN)
    assert [(d.code, d.subject, d.message) for d in config.diagnostics] == [
        (
            "clamped",
            "toolsearch.json5:2:45",
            "tools.toolSearch.codeTimeoutMs: 90000 is outside 1000..60000; 60000 is used",
        ),
        (
            "clamped",
            "toolsearch.json5:2:68",
            "tools.toolSearch.maxSearchLimit: 99 is outside 1..50; 50 is used",
        ),
        (
            "clamped",
            "toolsearch.json5:3:65",
            "agents.writer.toolSearch.likelySchemas.count: 40 is outside 0..12; 12 is used",
        ),
        (
            "clamped",
            "toolsearch.json5:4:28",
            "approvals.waitMs: 700000 is outside 1..600000; 600000 is used",
        ),
    ]


def test_the_default_limit_never_exceeds_the_greatest(resolved):
    config = resolved("{tools: {toolSearch: {maxSearchLimit: 5, searchDefaultLimit: 9}}}")
    assert config.tool_search(RUN).search_default_limit == 5
    assert codes(config) == ["clamped"]
    quiet = resolved("{tools: {toolSearch: {maxSearchLimit: 5}}}")
    assert quiet.tool_search(RUN).search_default_limit == 5
    assert codes(quiet) == []


def test_limits_log_approvals_and_always_visible_are_read(resolved):
    config = resolved("""{
      tools: { limits: { loopGuard: 5 }, alwaysVisible: ["message", "mcp:git:*"] },
      log: { content: true }, approvals: { waitMs: 5 },
    }""")
    assert config.limits == Limits(loop_guard=5)
    assert config.always_visible == ("message", "mcp:git:*")
    assert config.log.content is True
    assert config.approvals.wait_ms == 5


def test_a_plugin_gets_the_keys_it_claims_parsed_and_its_settings(resolved):
    config = resolved("""{
      tools: { deny: ["git_reset"] },
      mcpServers: { git: { command: "git-server" } },
      agents: { writer: { toolSearch: true, deny: ["x"] }, other: { toolSearch: true } },
      plugins: { settings: { "runner-node": { pool: 3 } } },
    }""")
    assert config.claimed["policy-rules"]["tools.deny"] == ("git_reset",)
    assert config.claimed["source-mcp"]["mcpServers"]["git"].command == "git-server"
    agents = config.claimed["policy-rules"]["agents"]
    assert agents["writer"].deny == ("x",)
    assert agents["other"].deny == ()
    assert "profiles" not in config.claimed["policy-rules"]
    assert config.settings["runner-node"].pool == 3
    assert config.settings["source-mcp"] is None
    assert config.places["tools.deny.0"] == "toolsearch.json5:2:23"


def test_a_mapping_is_read_as_a_file_is_and_its_places_are_paths(resolved):
    config = resolved({"tools": {"deny": ["a", "b"], "toolSearch": {"mode": "tools"}}})
    assert config.places["tools.deny.1"] == "tools.deny[1]"
    assert config.tool_search(RUN).mode == "tools"
    assert config.path is None
    with pytest.raises(ConfigError) as caught:
        resolved({"tools": {"limits": {"loopGuard": "three"}, "deny": ["a", 5]}})
    assert str(caught.value).splitlines() == [
        "tools.limits.loopGuard: should be a whole number",
        "tools.deny[1]: should be a text",
    ]


def test_nothing_at_all_is_a_configuration(resolved):
    config = resolved(None)
    assert config.stages.index == "index-whoosh"
    assert config.stages.runner == "runner-node"
    assert config.stages.modes["code"] == "mode-code"
    assert config.trusted


@pytest.mark.parametrize(
    ("written", "key", "at"),
    [
        ("{tools: {deny: ['x']}}", "tools.deny", "1:10"),
        ("{tools: {ask: ['x']}}", "tools.ask", "1:10"),
        ("{tools: {allow: []}}", "tools.allow", "1:10"),
        ("{tools: {groups: {fs: ['x']}}}", "tools.groups", "1:10"),
        ("{managed: {deny: ['x']}}", "managed", "1:2"),
        ("{profiles: {p: {ask: ['x']}}}", "profiles", "1:2"),
        ("{channels: {c: {allow: []}}}", "channels", "1:2"),
        ("{providers: {p: {toolSearch: true, deny: ['x']}}}", "providers", "1:2"),
        ("{agents: {a: {deny: ['x']}}}", "agents", "1:2"),
        ("{sandbox: {deny: ['x']}}", "sandbox", "1:2"),
        ("{subagents: {deny: ['x']}}", "subagents", "1:2"),
    ],
)
def test_rules_that_no_loaded_plugin_claims_stop_the_start(resolved, written, key, at):
    with pytest.raises(ConfigError) as caught:
        resolved(written, specs={})
    assert str(caught.value) == (
        f"toolsearch.json5:{at}: {key}: no loaded plugin claims this key, so the host refuses "
        'to start rather than ignore its rules; load a policy plugin ("policy-rules" is one: see '
        "`toolsearch plugins`), or remove the key"
    )


def test_empty_levels_and_tool_search_of_ours_are_no_rules(resolved):
    config = resolved(
        """{
          tools: { deny: [], ask: [], groups: {} }, managed: {}, profiles: {}, sandbox: {},
          agents: { a: { toolSearch: true, deny: [] } }, providers: { p: { toolSearch: false } },
        }""",
        specs={},
    )
    assert config.tool_search(RunContext(run_id="r", agent="a")).enabled


def test_servers_that_no_plugin_claims_are_a_warning(resolved):
    config = resolved("{mcpServers: {a: {command: 'x'}}}", specs={})
    assert codes(config) == ["config-key"]
    assert "its servers are not started" in config.diagnostics[0].message


def test_the_file_of_another_mcp_client_can_be_used_as_it_is(resolved):
    config = resolved('{"mcpServers": {"a": {"command": "x"}}, "globalShortcut": "", "theme": 1}')
    assert config.claimed["source-mcp"]["mcpServers"]["a"].command == "x"
    assert codes(config) == ["config-key", "config-key"]


def test_a_misspelt_key_of_ours_is_an_error_even_beside_servers(resolved):
    with pytest.raises(ConfigError, match='tols: unknown key; did you mean "tools"'):
        resolved('{"mcpServers": {}, "tols": {"deny": ["x"]}}')


def test_one_key_claimed_by_two_plugins_is_an_error_that_names_both(resolved):
    specs = {name: SettingsSpec(claims={"mcpServers": dict}) for name in ("one", "two")}
    with pytest.raises(PluginError, match='"one" and "two" both claim the key "mcpServers"'):
        resolved("{}", specs=specs)


@pytest.mark.parametrize("key", ["plugins", "tools", "tools.toolSearch", "a.b", "tools.a.b"])
def test_a_plugin_cannot_claim_what_is_the_hosts_or_too_deep(resolved, key):
    with pytest.raises(PluginError, match="a plugin may claim a top-level key"):
        resolved("{}", specs={"greedy": SettingsSpec(claims={key: dict})})


def test_a_plugin_may_bring_a_key_of_its_own(resolved):
    config = resolved(
        "{openapi: {pets: 'file'}}", specs={"o": SettingsSpec(claims={"openapi": dict[str, str]})}
    )
    assert config.claimed["o"] == {"openapi": {"pets": "file"}}


def test_the_environment_chooses_stages_over_the_file(place, tmp_path):
    document = read_config(
        {"stages": {"index": "index-a", "modes": {"code": "code-a"}}},
        {"TOOLSEARCH_STAGES_INDEX": "index-b", "TOOLSEARCH_STAGES_MODES_CODE": "code-b"},
    )
    stages = resolve_config(document, {}).stages
    assert stages.index == "index-b"
    assert stages.modes == {"code": "code-b", "tools": "mode-tools"}
    with pytest.raises(ConfigError, match="TOOLSEARCH_STAGES_INDX names no stage"):
        resolve_config(read_config({}, {"TOOLSEARCH_STAGES_INDX": "x"}), {})


def test_the_state_directory_is_the_variables_or_the_platforms(place, tmp_path):
    named = read_config({}, {"TOOLSEARCH_STATE_DIR": str(tmp_path / "mine")})
    assert named.state_dir == tmp_path / "mine"
    assert read_config({}, {}).state_dir.name == "toolsearch"


def test_a_resolved_configuration_cannot_be_changed(resolved):
    config = resolved("{}")
    with pytest.raises(AttributeError):
        config.trusted = False
    with pytest.raises(ValidationError):
        config.limits.loop_guard = 1
