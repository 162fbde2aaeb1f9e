"""One catalog drawn in one mode: which tools stay visible, and the whole surface."""

from __future__ import annotations

from collections.abc import Sequence

from toolsearch_hookspecs import (
    ModelSurface,
    ModeRenderer,
    PlannedCatalog,
    RunContext,
    Tool,
    ToolSearchSettings,
)

from ..catalog import Catalog
from ._control import definitions
from ._surface import PlannedSurface, composed


def visible_in(catalog: Catalog, renderer: ModeRenderer | None) -> tuple[Tool, ...]:
    """The tools that the model is given themselves; all of them where there is no renderer."""
    if renderer is None:
        return catalog.tools
    shows_client_tools = getattr(renderer, "shows_client_tools", False)
    if not shows_client_tools or "client" not in catalog.by_source:
        return catalog.visible
    client = tuple(tool for tool in catalog.compacted if tool.source == "client")
    return tuple(sorted((*catalog.visible, *client), key=lambda tool: tool.id))


def drawn(
    catalog: Catalog,
    renderer: ModeRenderer | None,
    context: RunContext,
    settings: ToolSearchSettings,
    *,
    direct_bytes: int,
    directory: ModeRenderer | None = None,
    context_chars: int | None = None,
    message: str | None = None,
    required: Sequence[Tool] = (),
    likely: Sequence[Tool] = (),
) -> PlannedSurface:
    """The surface of a mode; of direct exposure without a renderer.

    `directory` is the renderer whose prompt is added, where another mode carries it.
    """
    visible = visible_in(catalog, renderer)
    if renderer is None:
        return composed(ModelSurface(), (), visible, direct_bytes, catalog.sent)
    shown = {tool.id for tool in visible}
    planned = PlannedCatalog.model_construct(
        context=context,
        settings=settings,
        tools=_behind(catalog, visible),
        visible=visible,
        controls=definitions(catalog, settings),
        context_chars=context_chars,
        message=message,
        fingerprint=catalog.fingerprint,
        required=tuple(tool for tool in required if tool.id not in shown),
        likely=tuple(tool for tool in likely if tool.id not in shown),
    )
    rendered = renderer.render(planned)
    if directory is not None and directory is not renderer:
        prompts = (rendered.prompt, directory.render(planned).prompt)
        prompt = "\n\n".join(each for each in prompts if each) or None
        rendered = rendered.model_copy(update={"prompt": prompt})
    return composed(rendered, renderer.controls, visible, direct_bytes, catalog.sent)


def _behind(catalog: Catalog, visible: Sequence[Tool]) -> tuple[Tool, ...]:
    """The tools that stay behind the compact surface."""
    if visible is catalog.visible:
        return catalog.compacted
    shown = {tool.id for tool in visible}
    return tuple(tool for tool in catalog.compacted if tool.id not in shown)
