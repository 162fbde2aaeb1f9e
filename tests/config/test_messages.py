"""The messages for bad input, word for word: what a person reads on one screen."""

import pytest

from toolsearch_hookspecs import ConfigError


def message(resolved, written):
    with pytest.raises(ConfigError) as caught:
        resolved(written)
    return str(caught.value)


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (
            "{\n  tools: {\n    toolSearch: true\n    deny: [],\n  },\n}",
            "toolsearch.json5:4:5: expected ',' or '}' (opened at 2:10), found 'd'",
        ),
        ("[]", "toolsearch.json5:1:1: should be an object"),
        (
            "{\n  tools: { toolSerch: true },\n}",
            'toolsearch.json5:2:12: tools.toolSerch: unknown key; did you mean "toolSearch"?',
        ),
        (
            "{tools: {tool_search: true}}",
            'toolsearch.json5:1:10: tools.tool_search: unknown key; did you mean "toolSearch"?',
        ),
        (
            "{tools: {toolSearch: {code_timeout_ms: 1}}}",
            (
                "toolsearch.json5:1:23: tools.toolSearch.code_timeout_ms: unknown key; "
                'did you mean "codeTimeoutMs"?'
            ),
        ),
        (
            "{tools: {toolSearch: {maxSearchLimit: 'many'}}}",
            "toolsearch.json5:1:39: tools.toolSearch.maxSearchLimit: should be a whole number",
        ),
        (
            "{tools: {toolSearch: 'code'}}",
            "toolsearch.json5:1:22: tools.toolSearch: should be true, false or an object",
        ),
        (
            "{tools: {toolSearch: {enabled: 'false'}}}",
            "toolsearch.json5:1:32: tools.toolSearch.enabled: should be true or false",
        ),
        (
            "{tools: {toolSearch: {likelySchemas: {from: 'always'}}}}",
            (
                "toolsearch.json5:1:45: tools.toolSearch.likelySchemas.from: "
                "should be 'session' or 'turn'"
            ),
        ),
        ("{tools: []}", "toolsearch.json5:1:9: tools: should be an object"),
        (
            "{tools: {limits: {loopGuard: 0}}}",
            "toolsearch.json5:1:30: tools.limits.loopGuard: should be greater than 0",
        ),
        (
            "{tools: {limits: {loopGuard: 1.5}}}",
            "toolsearch.json5:1:30: tools.limits.loopGuard: should be a whole number",
        ),
        (
            "{tools: {alwaysVisible: 'x'}}",
            "toolsearch.json5:1:25: tools.alwaysVisible: should be a list",
        ),
        (
            "{mcpServers: {git: {comand: 'x'}}}",
            'toolsearch.json5:1:21: mcpServers.git.comand: unknown key; did you mean "command"?',
        ),
        (
            "{mcpServers: {'a.b': {args: ['-y', 5]}}}",
            'toolsearch.json5:1:36: mcpServers["a.b"].args[1]: should be a text',
        ),
        (
            "{stages: {index: 'index-whosh'}}",
            (
                'toolsearch.json5:1:18: stages.index: unknown plugin "index-whosh"; '
                'did you mean "index-whoosh"?'
            ),
        ),
        (
            "{stages: {indx: 'index-whoosh'}}",
            'toolsearch.json5:1:11: stages.indx: unknown key; did you mean "index"?',
        ),
        (
            "{plugins: {settings: {'runner-nod': {}}}}",
            (
                'toolsearch.json5:1:23: plugins.settings.runner-nod: unknown plugin "runner-nod"; '
                'did you mean "runner-node"?'
            ),
        ),
        (
            "{plugins: {settings: {'runner-node': {pol: 1}}}}",
            (
                "toolsearch.json5:1:39: plugins.settings.runner-node.pol: unknown key; "
                'did you mean "pool"?'
            ),
        ),
        (
            "{plugins: {settings: {'source-mcp': {a: 1}}}}",
            "toolsearch.json5:1:23: plugins.settings.source-mcp: this plugin has no settings",
        ),
        (
            "{log: {zzz: 1}}",
            "toolsearch.json5:1:8: log.zzz: unknown key; there is content, keepDays, path",
        ),
    ],
)
def test_one_mistake_gives_one_clear_line(resolved, written, said):
    assert message(resolved, written) == said


def test_several_mistakes_are_said_together_in_the_order_of_the_file(resolved):
    said = message(
        resolved, "{log: {keepDays: 0},\n tols: {},\n tools: {limits: {loopGuard: 'x'}}}"
    )
    assert said.splitlines() == [
        "toolsearch.json5:1:18: log.keepDays: should be greater than 0",
        'toolsearch.json5:2:2: tols: unknown key; did you mean "tools"?',
        "toolsearch.json5:3:30: tools.limits.loopGuard: should be a whole number",
    ]


def test_a_file_that_is_not_utf8_says_where(place, resolved):
    (place / "toolsearch.json5").write_bytes(b"{\n  log: {path: 'caf\xe9'}\n}")
    with pytest.raises(ConfigError, match=r"^toolsearch\.json5:2:19: not UTF-8 text"):
        resolved(place / "toolsearch.json5")


def test_a_file_that_is_not_there_a_directory_and_a_giant_say_so(place, resolved):
    with pytest.raises(ConfigError, match="there is no such file; `toolsearch config path`"):
        resolved(place / "missing.json5")
    with pytest.raises(ConfigError, match="this is a directory"):
        resolved(place)
    (place / "toolsearch.json5").write_bytes(b"{}" + b" " * 1_048_576)
    with pytest.raises(ConfigError, match="larger than 1048576 bytes"):
        resolved(place / "toolsearch.json5")


@pytest.mark.parametrize(
    "written",
    [
        "{mcpServers: {a: {env: {TOKEN: 'hunter2secret'}, hunter2secret: 1}}}",
        "{mcpServers: {a: {env: 'hunter2secret'}}}",
        "{mcpServers: {a: {command: 5, args: ['--token', 'hunter2secret']}}}",
        "{mcpServers: {a: {env: {TOKEN: 'hunter2secret}}}",
    ],
)
def test_no_message_shows_a_secret_of_the_file(resolved, written):
    assert "hunter2secret" not in message(resolved, written)
