"""A third party's plugin: approval over a webhook with signed answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from toolsearch_hookspecs import (
    ApprovalDecision,
    ApprovalRequest,
    ConfigError,
    PluginContext,
    Settings,
    SettingsSpec,
    hookimpl,
)

if TYPE_CHECKING:
    from ._webhook import Webhook

__all__ = ["WebhookSettings", "plugin"]


class WebhookSettings(Settings):
    """`plugins.settings.webhook-approver`.

    `secretVariable` names the environment variable that holds the shared secret; `pauseMs` is how
    long to wait before asking again.
    """

    url: Annotated[str, Field(pattern=r"^https?://")]
    secret_variable: str = "WEBHOOK_APPROVER_SECRET"  # noqa: S105  a name, no secret
    pause_ms: Annotated[int, Field(ge=1, le=60_000)] = 1_000


class WebhookApprover:
    """What the entry point names: one object for each host."""

    def __init__(self) -> None:
        self._webhook: Webhook | None = None

    @hookimpl
    def toolsearch_settings(self) -> SettingsSpec:
        return SettingsSpec(model=WebhookSettings)

    @hookimpl
    def toolsearch_configure(self, plugin: PluginContext) -> None:
        from ._webhook import Webhook

        settings: WebhookSettings = plugin.settings
        secret = plugin.environ.get(settings.secret_variable, "")
        if not secret:
            raise ConfigError(f"set the environment variable {settings.secret_variable}")
        self._webhook = Webhook(settings.url, secret.encode(), settings.pause_ms / 1000)

    @hookimpl
    async def toolsearch_approve(self, request: ApprovalRequest) -> ApprovalDecision | None:
        return None if self._webhook is None else await self._webhook.decision(request)


plugin = WebhookApprover
