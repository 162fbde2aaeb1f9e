from toolsearch.testing import PolicyConformance
from toolsearch_policy_rules import plugin


class TestRules(PolicyConformance):
    plugin = plugin
    claimed = {"tools.deny": ["delete_*"], "tools.ask": ["hint:destructive"]}  # noqa: RUF012
    denies = "delete_file"
    asks = "write_file"
    allows = "read_file"
