"""The hooks, with their rules."""

from __future__ import annotations

from ._words import signature, text_of


def hooks() -> str:
    """Every hook in the order in which a host meets them, with its rule."""
    from toolsearch_hookspecs import HOOK_RULES, Hooks

    rows = ["| hook | when | answers combine | if it fails |", "|---|---|---|---|"]
    sections = []
    for name, rule in HOOK_RULES.items():
        rows.append(
            f"| [`{name}`](#{name}) | {rule.when} | {rule.combines} | {rule.on_failure.value} |"
        )
        spec = getattr(Hooks, name)
        given = ", ".join(f"`{argument}`" for argument in rule.arguments) or "nothing"
        how = "`async def` or `def`" if rule.asynchronous else "`def`"
        sections.append(
            f"## {name}\n\n```python\n{signature(name, spec)}\n```\n\n{text_of(spec)}\n\n"
            f"Gets {given}. Write it as {how}. Answers combine: {rule.combines}. Called: "
            f"{rule.when}. If it raises, is late or answers wrongly: {rule.on_failure.value}."
        )
    return "\n".join(rows) + "\n\n" + "\n\n".join(sections)
