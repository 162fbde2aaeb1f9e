"""The reference, drawn from the code when the documentation is built.

A page says `<!-- generated: hooks -->` where the drawn part belongs. Used as a hook of mkdocs, and
by the tests, which fail for whatever the code does not say.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping
from importlib import resources
from typing import Any

MARK = re.compile(r"<!-- generated: (\w+) -->")
NUMBERS = re.compile(r" \(S\d+(?:\.\d+)?(?:, S\d+(?:\.\d+)?)*\)")  # of rules of the design


def on_page_markdown(markdown: str, **_: Any) -> str:
    """What mkdocs calls for each page."""
    return MARK.sub(lambda found: NUMBERS.sub("", PARTS[found[1]]()), markdown)


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
            f"## {name}\n\n```python\n{_signature(name, spec)}\n```\n\n{_text(spec)}\n\n"
            f"Gets {given}. Write it as {how}. Answers combine: {rule.combines}. Called: "
            f"{rule.when}. If it raises, is late or answers wrongly: {rule.on_failure.value}."
        )
    return "\n".join(rows) + "\n\n" + "\n\n".join(sections)


def configuration() -> str:
    """Every key of the host and of the batteries, with its type and default."""
    schema = configuration_schema()
    sections = []
    for name, section in schema["properties"].items():
        if name != "$schema":
            rows = list(_keys(name, section, schema["$defs"]))
            said = _resolved(section, schema["$defs"]).get("description", "")
            table = ["| key | type | default |", "|---|---|---|", *rows]
            sections.append(f"## {name}\n\n{said}\n\n" + "\n".join(table))
    return "\n\n".join(sections)


def configuration_schema() -> dict[str, Any]:
    """The JSON Schema of the configuration with all batteries."""
    from toolsearch.config import config_schema
    from toolsearch.plugins import PluginHost, PluginSelection, discover, select

    host = PluginHost.load(select(discover(), PluginSelection()))
    return config_schema({plugin.name: plugin.settings_spec for plugin in host.loaded})


def cli() -> str:
    """Every command with its help and its options."""
    return "\n\n".join(_command(names, command) for names, command in commands())


def commands() -> Iterator[tuple[str, Any]]:
    """Every command, those of the batteries too, by its whole name."""
    import click

    from toolsearch.cli._app import app
    from toolsearch.cli._session import Session

    context = click.Context(app, info_name="toolsearch", obj=Session(environ={}))

    def walk(command: click.Command, name: str) -> Iterator[tuple[str, click.Command]]:
        yield name, command
        if isinstance(command, click.Group):
            for word in command.list_commands(context):
                inner = command.get_command(context, word)
                if inner is not None and not inner.hidden:
                    yield from walk(inner, f"{name} {word}")

    yield from walk(app, "toolsearch")


def events() -> str:
    """Every type of event, from the schema of the session log."""
    sections = []
    for each in event_schema()["oneOf"]:
        data = each["properties"].get("data", {})
        needed = set(data.get("required", ()))
        rows = [
            f"| `{name}` | {_type(kind)} | {'always' if name in needed else 'where it applies'} |"
            for name, kind in data.get("properties", {}).items()
        ]
        table = ["| data | type | there |", "|---|---|---|", *rows] if rows else []
        sections.append(f"## {each['title']}\n\n{each['description']}\n\n" + "\n".join(table))
    return "\n\n".join(sections)


def event_schema() -> dict[str, Any]:
    """The schema that the session log is published with."""
    file = resources.files("toolsearch_telemetry_jsonl") / "event.schema.json"
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def contract() -> str:
    """Every public name of the contract: protocols with their members, records with their fields."""
    import toolsearch_hookspecs as contract

    named = {name: getattr(contract, name) for name in contract.__all__}
    classes = {name: value for name, value in named.items() if inspect.isclass(value)}
    protocols = {n: c for n, c in classes.items() if getattr(c, "_is_protocol", False)}
    records = {n: c for n, c in classes.items() if hasattr(c, "model_fields")}
    errors = {n: c for n, c in classes.items() if issubclass(c, Exception)}
    rest = [n for n in named if n not in {**protocols, **records, **errors}]
    parts = ["## Protocols", *(_protocol(name, cls) for name, cls in sorted(protocols.items()))]
    parts += ["## Records", *(_record(name, cls) for name, cls in sorted(records.items()))]
    parts += ["## Errors", *(f"### {name}\n\n{_text(c)}" for name, c in sorted(errors.items()))]
    parts += ["## Other names", *(_other(name, named[name]) for name in sorted(rest))]
    return "\n\n".join(parts)


def suites() -> str:
    """Every conformance suite, with its cases as sentences."""
    from toolsearch import testing

    sections = []
    for name in sorted(testing.__all__):
        value = getattr(testing, name)
        if inspect.isclass(value) and name.endswith("Conformance") and name != "Conformance":
            cases = [case for case in dir(value) if case.startswith("test_")]
            lines = "\n".join(f"- {case.removeprefix('test_').replace('_', ' ')}" for case in cases)
            sections.append(f"### {name}\n\n{_text(value)}\n\n{len(cases)} cases:\n\n{lines}")
    return "\n\n".join(sections)


PARTS: Mapping[str, Callable[[], str]] = {
    "hooks": hooks,
    "configuration": configuration,
    "cli": cli,
    "events": events,
    "contract": contract,
    "suites": suites,
}


def _text(value: Any) -> str:
    return inspect.cleandoc(value.__doc__ or "")


def _signature(name: str, function: Any) -> str:
    signature = inspect.signature(function)
    word = "async def" if inspect.iscoroutinefunction(function) else "def"
    text = f"{word} {name}{signature}".replace("'", "")
    return text if len(text) <= 96 else text.replace("(", "(\n    ", 1).replace(", ", ",\n    ")


def _protocol(name: str, cls: Any) -> str:
    fields = [f"- `{field}: {kind}`" for field, kind in inspect.get_annotations(cls).items()]
    members = [
        f"```python\n{_signature(member, value)}\n```\n\n{_text(value)}"
        for member, value in vars(cls).items()
        if inspect.isfunction(value) and not member.startswith("_")
    ]
    return "\n\n".join([f"### {name}", _text(cls), "\n".join(fields), *members])


def _record(name: str, cls: Any) -> str:
    rows = [
        f"| `{field}` | `{_annotation(info.annotation)}` | {_default(info)} |"
        for field, info in cls.model_fields.items()
    ]
    table = ["| field | type | default |", "|---|---|---|", *rows] if rows else []
    own = _text(cls) if "__doc__" in vars(cls) else ""
    return f"### {name}\n\n{own}\n\n" + "\n".join(table)


def _other(name: str, value: Any) -> str:
    match value:
        case type() if hasattr(value, "__members__"):
            words = ", ".join(f"`{member.value}`" for member in value)
            return f"### {name}\n\n{_text(value)}\n\nOne of {words}."
        case _ if inspect.isfunction(value) or inspect.isclass(value):
            return f"### {name}\n\n{_text(value)}"
        case str() | int():
            return f"### {name}\n\n`{value!r}`"
        case _ if name == "HOOK_RULES":
            return f"### {name}\n\nThe rule of every hook by its name; see [Hooks](hooks.md)."
        case _:
            return f"### {name}\n\n`{_annotation(value)}`"


def _annotation(kind: Any) -> str:
    text = kind.__name__ if inspect.isclass(kind) and not hasattr(kind, "__args__") else str(kind)
    text = re.sub(r"toolsearch_hookspecs\._\w+\.|typing\.|collections\.abc\.|datetime\.", "", text)
    return text.replace("|", "\\|")


def _default(info: Any) -> str:
    if info.is_required():
        return "required"
    if info.default_factory is not None:
        return "empty"
    return f"`{info.default!r}`".replace("|", "\\|")


def _command(names: str, command: Any) -> str:
    import click

    rows = []
    for parameter in command.params:
        if getattr(parameter, "hidden", False):
            continue
        if isinstance(parameter, click.Option):
            said = (parameter.help or "").replace("|", "\\|")
            rows.append(f"| `{', '.join(parameter.opts)}` | {said} |")
        else:
            rows.append(f"| `{(parameter.metavar or parameter.name or '').upper()}` | |")
    table = ["| parameter | |", "|---|---|", *rows] if rows else []
    said = inspect.cleandoc(command.help or "")
    return f"## {names}\n\n{said}\n\n" + "\n".join(table)


def _keys(path: str, schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Iterator[str]:
    schema = _resolved(schema, definitions)
    properties = schema.get("properties", {})
    entry = schema.get("additionalProperties")
    if isinstance(entry, Mapping) and _resolved(entry, definitions).get("properties"):
        yield from _keys(f"{path}.&lt;name&gt;", entry, definitions)
    if not properties and not entry:
        yield f"| `{path}` | {_type(schema)} | {_shown(schema)} |"
    for key, value in properties.items():
        inner = _resolved(value, definitions)
        if inner.get("properties") and len(path.split(".")) < 5:
            yield from _keys(f"{path}.{key}", inner, definitions)
        else:
            yield f"| `{path}.{key}` | {_type(inner)} | {_shown(value)} |"


def _resolved(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = schema.get("$ref")
    options = [each for each in schema.get("anyOf", ()) if "$ref" in each]
    if reference is None and len(options) == 1:
        reference = options[0]["$ref"]
    if reference is None:
        return schema
    found: Mapping[str, Any] = definitions[reference.removeprefix("#/$defs/")]
    return found


def _type(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(f"`{json.dumps(each)}`" for each in schema["enum"])
    if "const" in schema:
        return f"`{json.dumps(schema['const'])}`"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_type(each) for each in schema["anyOf"]))
    kind = schema.get("type", "object" if "$ref" in schema or "properties" in schema else "any")
    low, high = schema.get("minimum"), schema.get("maximum")
    bounds = f" {low}..{high}" if low is not None and high is not None else ""
    return f"{' or '.join(kind) if isinstance(kind, list) else kind}{bounds}"


def _shown(schema: Mapping[str, Any]) -> str:
    return f"`{json.dumps(schema['default'])}`" if "default" in schema else ""
