"""The index that is blended with: another plugin's, found by its entry point."""

from __future__ import annotations

from importlib.metadata import entry_points

from pydantic import ValidationError

from toolsearch_hookspecs import (
    ENTRY_POINT_GROUP,
    PluginContext,
    PluginError,
    SearchIndex,
)

from ._settings import SemanticSettings

# This index decides itself when to abstain, on better grounds.
NEVER_ABSTAIN = {"min_confidence": 0}


def lexical_index(settings: SemanticSettings, context: PluginContext) -> SearchIndex:
    """The index that the plugin named by `lexical` yields. Raises PluginError."""
    name = settings.lexical
    found = next(iter(entry_points(group=ENTRY_POINT_GROUP, name=name)), None)
    if found is None or name == context.name:
        raise PluginError(f"index-semantic: there is no plugin {name!r} to blend with")
    plugin = found.load()()
    model = plugin.toolsearch_settings().model if hasattr(plugin, "toolsearch_settings") else None
    inner = None
    if model is not None:
        defaults = {key: value for key, value in NEVER_ABSTAIN.items() if key in model.model_fields}
        try:
            inner = model.model_validate(defaults | dict(settings.lexical_settings))
        except ValidationError as error:
            raise PluginError(f"index-semantic: lexicalSettings of {name}: {error}") from error
    inside = context.model_copy(update={"name": name, "settings": inner, "claimed": {}})
    if hasattr(plugin, "toolsearch_configure"):
        plugin.toolsearch_configure(inside)
    indexes = [*(plugin.toolsearch_search_indexes(inside) or ())]
    if len(indexes) != 1:
        raise PluginError(f"index-semantic: {name} yields {len(indexes)} indexes, not one")
    index: SearchIndex = indexes[0]
    return index
