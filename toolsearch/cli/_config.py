"""`toolsearch config`: find, show, check and describe the configuration."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import click

from toolsearch_hookspecs import ConfigError

from ..config import (
    ConfigDocument,
    TrustStore,
    config_schema,
    masked,
    path_of,
    resolve_config,
    value_at,
)
from ._config_edit import set_value, unset_value
from ._failures import USAGE, Failed
from ._options import SessionCommand, SessionGroup, pass_session
from ._session import Session


@click.group(cls=SessionGroup)
def config() -> None:
    """Show, check and edit the configuration."""


config.add_command(set_value)
config.add_command(unset_value)


@config.command(cls=SessionCommand)
@pass_session
def path(session: Session) -> None:
    """Print the path of the configuration file in use."""
    search = session.search()
    found = search.found
    if found is not None and not found.path.exists():
        raise ConfigError(f"{found.path}: there is no such file; `config set KEY VALUE` makes it")
    if session.json:
        session.out.data(
            {
                "path": None if found is None else str(found.path),
                "named": found is not None and found.named,
                "looked": [str(each) for each in search.looked],
                "foreign": [str(each) for each in search.foreign],
            }
        )
    for foreign in search.foreign:
        session.out.warning(f"{foreign} belongs to another user and is passed over")
    if found is None and not session.json:
        looked = "".join(f"\n  {each}" for each in search.looked)
        raise Failed(
            f"there is no configuration file. Looked for:{looked}\n"
            "`toolsearch config set tools.toolSearch true` makes one here"
        )
    if found is not None and not session.json:
        session.out.text(str(found.path))


@config.command(cls=SessionCommand)
@click.option("--all", "everything", is_flag=True, help="Show the defaults as well.")
@pass_session
def show(session: Session, everything: bool) -> None:
    """Show what is configured, and where; secrets are masked."""
    document = session.document()
    written = masked(document.value)
    shown = _over(_defaults(session, document), written) if everything else written
    if session.json:
        session.out.data(
            {
                "path": None if document.path is None else str(document.path),
                "trusted": document.trusted,
                "config": shown,
            }
        )
        return
    session.out.diagnostics(document.diagnostics)
    rows = list(_rows(document, shown))
    if rows:
        session.out.table(("key", "value", "from"), rows)
    elif document.path is None:
        session.out.text("No configuration file: everything is at its default (--all shows it).")
    else:
        session.out.text(f"{document.name} says nothing: everything is at its default.")


@config.command(cls=SessionCommand)
@click.argument("key")
@pass_session
def get(session: Session, key: str) -> None:
    """Print the value of KEY, or its default; secrets are masked.

    KEY is a path such as tools.toolSearch, tools.deny[0] or mcpServers["a.b"].command.
    """
    document = session.document()
    steps = path_of(key)
    try:
        value, written = value_at(masked(document.value), steps), True
    except KeyError:
        try:
            value, written = value_at(_defaults(session, document), steps), False
        except KeyError:
            raise Failed(f"{key} is not set, and has no default", type="not_set") from None
    if session.json:
        place = document.place(steps) if written else None
        session.out.data({"key": key, "value": value, "from": place})
    elif isinstance(value, str):
        session.out.text(value)
    else:
        session.out.text(json.dumps(value, ensure_ascii=False, indent=2))


@config.command(cls=SessionCommand)
@pass_session
def check(session: Session) -> int:
    """Check the configuration against what the host and its plugins read."""
    from ._declared import declared, mistakes, said_of_rules

    document = session.document()
    wrong = document.lines(mistakes(session, document))
    said: list[Any] = list(document.diagnostics)
    if not wrong:
        known = declared(session, document)
        said = list(
            resolve_config(document, known.specs, known_plugins=known.installed).diagnostics
        )
        said += session.wait(said_of_rules(known, document))
    if session.json:
        session.out.data(
            {
                "path": None if document.path is None else str(document.path),
                "ok": not wrong,
                "trusted": document.trusted,
                "problems": wrong,
                "warnings": [each.message for each in said],
            }
        )
        return USAGE if wrong else 0
    session.out.diagnostics(said, everything=True)
    for line in wrong:
        session.out.note(line)
    if wrong:
        count = "1 problem" if len(wrong) == 1 else f"{len(wrong)} problems"
        raise click.exceptions.Exit(_told(session, f"{document.name or 'configuration'}: {count}"))
    if document.name is None:
        session.out.text("no configuration file: the defaults are valid")
    elif not any(each.code == "untrusted-config" for each in document.diagnostics):
        session.out.text(f"{document.name} is valid")
    else:
        session.out.text(
            f"{document.name} is valid, but not trusted: not all of it is used until "
            "`toolsearch config trust`, or --config names it"
        )
    return 0


@config.command(cls=SessionCommand)
@pass_session
def schema(session: Session) -> None:
    """Print the JSON Schema of the configuration, for editors."""
    from ._declared import declared

    session.out.data(config_schema(declared(session, session.document()).specs))


@config.command(cls=SessionCommand)
@click.option("--forget", is_flag=True, help="Take the trust back.")
@pass_session
def trust(session: Session, forget: bool) -> None:
    """Trust the configuration file that is found here, as it is now.

    Until then a file that was found, not named, starts no command and enables no third-party
    plugin. A change of the file asks for trust again.
    """
    found = session.search().found
    if found is None:
        raise Failed("there is no configuration file to trust; `toolsearch config path` says more")
    document = session.document()
    assert document.digest is not None  # noqa: S101  (it is a file)
    store = TrustStore(document.state_dir)
    if forget:
        was = store.forget(found.path)
        if session.json:
            session.out.data({"path": str(found.path), "trusted": False})
        else:
            session.out.text(f"{document.name} is {'no longer' if was else 'not'} trusted")
        return
    store.trust(found.path, document.digest)
    if session.json:
        session.out.data({"path": str(found.path), "digest": document.digest, "trusted": True})
        return
    session.out.text(f"{document.name} is trusted as it is now; it may")
    for line in _powers(document):
        session.out.text(f"  {line}")
    session.out.text("until it changes, or `toolsearch config trust --forget` takes that back.")


def _powers(document: ConfigDocument) -> Iterator[str]:
    servers = masked(document.value).get("mcpServers")
    for name, server in servers.items() if isinstance(servers, Mapping) else ():
        entry = server if isinstance(server, Mapping) else {}
        words = [entry.get("command"), *(entry.get("args") or ())]
        line = " ".join(str(word) for word in words if word is not None)
        yield f"start the server {name}: {line}" if line else f"use the server {name}"
    section = document.value.get("plugins")
    plugins = section if isinstance(section, Mapping) else {}
    for name in plugins.get("enabled") or ():
        yield "load every installed plugin" if name == "*" else f"load the plugin {name}"
    for name in plugins.get("settings") or ():
        yield f"set up the plugin {name}"
    yield "choose how tools are shown, found and allowed"


def _told(session: Session, text: str) -> int:
    session.out.note(text)
    return USAGE


def _defaults(session: Session, document: ConfigDocument) -> dict[str, Any]:
    """The defaults of the host's own keys, and of the settings of the loaded plugins."""
    from ..config import read_config
    from ._declared import declared

    specs = declared(session, document).specs
    empty = read_config(None, document.environ, state_dir=document.state_dir)
    resolved = resolve_config(
        empty, {name: spec for name, spec in specs.items() if not _needs(spec)}
    )
    tools = {
        "toolSearch": resolved.layers.settings(None, None, None).model_dump(
            mode="json", by_alias=True
        ),
        "alwaysVisible": [],
        "limits": resolved.limits.model_dump(mode="json", by_alias=True),
    }
    sections = {
        name: getattr(resolved, name).model_dump(mode="json", by_alias=True)
        for name in ("approvals", "log", "plugins", "stages")
    }
    sections["plugins"]["settings"] = {
        name: settings.model_dump(mode="json", by_alias=True)
        for name, settings in resolved.settings.items()
        if settings is not None
    }
    return {"tools": tools, **sections}


def _needs(spec: Any) -> bool:
    model = spec.model
    return model is not None and any(field.is_required() for field in model.model_fields.values())


def _over(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        under = merged.get(key)
        both = isinstance(under, Mapping) and isinstance(value, Mapping)
        merged[key] = _over(under, value) if both else value  # type: ignore[arg-type]
    return merged


def _rows(document: ConfigDocument, shown: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    from ..config import spoken

    for steps, value in _leaves((), shown):
        written = steps in document.offsets or document.tree is None
        yield (
            spoken(steps),
            json.dumps(value, ensure_ascii=False),
            (document.place(steps) if written else "default"),
        )


def _leaves(steps: tuple[str, ...], value: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    if isinstance(value, Mapping) and value:
        for key, inner in value.items():
            yield from _leaves((*steps, key), inner)
    elif steps:
        yield steps, value
