"""What a program that embeds the host uses, and the adapters."""

from __future__ import annotations

from importlib import import_module

from ._words import members

CLASSES = ("Host", "Run", "Step", "SyncHost", "SyncRun")
ADAPTERS = ("anthropic", "langchain", "llama_index", "openai", "openai_agents", "pydantic_ai")
IN_AN_ADAPTER = ("tools_of", "source_of", "client_tools_of", "conversation")


def embedding() -> str:
    """The host, its runs and their steps."""
    import toolsearch

    return "\n\n".join(
        f"## {name}\n\n{members(name, getattr(toolsearch, name))}" for name in CLASSES
    )


def adapters() -> str:
    """What each adapter has."""
    from toolsearch.adapters._loop import Conversation

    parts = []
    for name in ADAPTERS:
        module = import_module(f"toolsearch.adapters.{name}")
        parts.append(f"### toolsearch.adapters.{name}\n\n{module.__doc__}")
        there = (each for each in IN_AN_ADAPTER if hasattr(module, each))
        parts += [members(each, getattr(module, each)) for each in there]
    return "\n\n".join([*parts, f"### Conversation\n\n{members('Conversation', Conversation)}"])
