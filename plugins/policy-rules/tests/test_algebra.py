"""The algebra of rules, over generated rules and tools."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from .rules_of import Rules, run, tool

NAMES = ("read", "write", "exec", "fetch")
OWNERS = ("mcp:a", "mcp:b", "plugin:a")
TOOLS = [
    tool(f"{owner}:{name}", trusted=owner != "mcp:b", hints={"readOnlyHint": name == "read"})
    for owner in OWNERS
    for name in NAMES
]
STRICT = {"allow": 0, "ask": 1, "deny": 2}
LEVELS = ("managed", "agents", "channels", "sandbox")

plain = st.sampled_from(
    [
        *NAMES,
        *OWNERS,
        *(one.id for one in TOOLS),
        "*",
        "r*",
        "*e*",
        "mcp:*",
        "*:a:*",
        "group:fs",
        "group:web",
        "hint:readOnly",
        "hint:destructive",
        "nothing",
    ]
)
conditional = st.builds(
    lambda name, glob: {"tool": name, "when": {"/x": glob}}, plain, st.sampled_from(["a*", "b"])
)
entries = st.lists(st.one_of(plain, conditional), max_size=4)
level = st.fixed_dictionaries({}, optional={"allow": entries, "deny": entries, "ask": entries})
configs = st.fixed_dictionaries({}, optional=dict.fromkeys(LEVELS, level))
arguments = st.sampled_from([None, {}, {"x": "b"}, {"x": "ab"}])


def words(config, args):
    """What holds for one run to which every level applies, asked as at planning or at a call."""
    named = {
        key: {"one": value} if key in {"agents", "channels"} else value
        for key, value in config.items()
    }
    rules = Rules(named)
    who = {"agent": "one", "channel": "one", "sandbox": "one"}
    if args is None:
        answer = rules.answer(TOOLS, None, **who)
        return {
            one.id: "deny"
            if one.id in answer.denied
            else "ask"
            if one.id in answer.asks
            else "allow"
            for one in TOOLS
        }
    return {one.id: rules.word(one, args, **who) for one in TOOLS}


def with_level(config, name, **changes):
    return config | {name: config.get(name, {}) | changes}


@given(configs, st.sampled_from(LEVELS), level, arguments)
def test_another_level_only_narrows(config, name, more, args):
    before = words({key: value for key, value in config.items() if key != name}, args)
    after = words(config | {name: more}, args)
    assert all(STRICT[after[id_]] >= STRICT[before[id_]] for id_ in before)


@given(configs, st.sampled_from(LEVELS), st.sampled_from(["deny", "ask"]), plain, arguments)
def test_another_deny_or_ask_entry_only_narrows(config, name, effect, entry, args):
    listed = config.get(name, {}).get(effect, [])
    before = words(config, args)
    after = words(with_level(config, name, **{effect: [*listed, entry]}), args)
    assert all(STRICT[after[id_]] >= STRICT[before[id_]] for id_ in before)


@given(configs, st.sampled_from(LEVELS), st.sampled_from(TOOLS), arguments)
def test_deny_wins_over_anything_else(config, name, one, args):
    listed = config.get(name, {}).get("deny", [])
    assert words(with_level(config, name, deny=[*listed, one.id]), args)[one.id] == "deny"


@given(configs, st.randoms(use_true_random=False), arguments)
def test_the_order_of_entries_and_of_levels_does_not_matter(config, random, args):
    def shuffled(items):
        return random.sample(list(items), k=len(items))

    other = {
        name: {effect: shuffled(listed) for effect, listed in shuffled(rules.items())}
        for name, rules in shuffled(config.items())
    }
    assert words(config, args) == words(other, args)


@given(configs, arguments)
def test_many_tools_at_once_are_judged_as_one_by_one(config, args):
    rules = Rules({"tools": config.get("managed", {})})
    answer = rules.answer(TOOLS, args)
    for one in TOOLS:
        alone = rules.answer([one], args)
        assert (one.id in answer.denied, one.id in answer.asks) == (
            one.id in alone.denied,
            one.id in alone.asks,
        )


@given(configs, arguments)
def test_what_is_explained_is_what_is_enforced(config, args):
    rules = Rules({"tools": config.get("managed", {}), "agents": {"*": config.get("agents", {})}})
    for one in TOOLS:
        told = rules.plugin.toolsearch_policy_explain(run(), one, args)
        assert told.verdict == rules.word(one, args)


@given(st.text("ab?*", max_size=8), st.text("ab", max_size=10))
def test_a_glob_fits_what_its_regular_expression_fits(pattern, text):
    import re

    from toolsearch_policy_rules._globs import Glob, Words, is_glob

    expected = re.fullmatch(
        "".join({"*": ".*", "?": "."}.get(char, char) for char in pattern), text
    )
    assert Glob.of(pattern).fits(text) == (expected is not None)
    if is_glob(pattern):
        assert (text in Words([text, "zz"]).fitting(Glob.of(pattern))) == (expected is not None)
