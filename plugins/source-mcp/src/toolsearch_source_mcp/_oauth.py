"""The protocol's OAuth flow, with what it gave kept across processes."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import attrs
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.shared.auth import (
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
)
from pydantic import AnyUrl, SecretStr

from ._settings import OAuthSettings
from ._vault import Grant, Vault

CLIENT_NAME = "toolsearch"
_UNUSED_REDIRECT = "http://127.0.0.1/callback"


@attrs.frozen
class Interaction:
    """A person at hand: where the browser comes back to, and how both ways are taken."""

    redirect_uri: str
    open_url: Callable[[str], Awaitable[None]]
    came_back: Callable[[], Awaitable[AuthorizationCodeResult]]


class KeptTokens:
    """The SDK's token storage over a vault. Beside the tokens it keeps when they expire, and
    where they are renewed: without that a restart could not renew them.
    """

    def __init__(self, vault: Vault, origin: str, grant: Grant, oauth: OAuthSettings) -> None:
        self._vault = vault
        self._origin = origin
        self._grant = grant
        self._oauth = oauth
        self.provider: OAuthClientProvider | None = None

    async def get_tokens(self) -> OAuthToken | None:
        held = self._grant.tokens
        return None if held is None else OAuthToken.model_validate_json(held.get_secret_value())

    async def set_tokens(self, tokens: OAuthToken) -> None:
        endpoints = None if self.provider is None else self.provider.context.oauth_metadata
        await self._keep(
            tokens=SecretStr(tokens.model_dump_json()),
            endpoints=None if endpoints is None else endpoints.model_dump_json(),
            expires_at=None if tokens.expires_in is None else time.time() + tokens.expires_in,
        )

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        if self._oauth.client_id is not None:
            return registered(self._oauth)
        held = self._grant.client
        if held is None:
            return None
        return OAuthClientInformationFull.model_validate_json(held.get_secret_value())

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        await self._keep(client=SecretStr(client_info.model_dump_json()))

    async def _keep(self, **changed: object) -> None:
        self._grant = self._grant.model_copy(update=changed)
        await asyncio.to_thread(self._vault.write, self._origin, self._grant)


def provider(
    url: str,
    vault: Vault,
    origin: str,
    grant: Grant,
    oauth: OAuthSettings,
    interaction: Interaction | None = None,
) -> OAuthClientProvider:
    """Authorization for one server: with what was granted, renewed when it expires.

    Without a person at hand nothing new is asked for: the flow ends in an `OAuthFlowError`.
    """
    kept = KeptTokens(vault, origin, grant, oauth)
    redirect = _UNUSED_REDIRECT if interaction is None else interaction.redirect_uri
    made = OAuthClientProvider(
        url,
        OAuthClientMetadata(
            client_name=CLIENT_NAME, redirect_uris=[AnyUrl(redirect)], scope=oauth.scope
        ),
        kept,
        redirect_handler=None if interaction is None else interaction.open_url,
        callback_handler=None if interaction is None else interaction.came_back,
    )
    kept.provider = made
    made.context.token_expiry_time = grant.expires_at
    if grant.endpoints is not None:
        made.context.oauth_metadata = OAuthMetadata.model_validate_json(grant.endpoints)
    return made


def registered(oauth: OAuthSettings) -> OAuthClientInformationFull:
    """A client that the deployment registered itself."""
    return OAuthClientInformationFull(
        client_id=oauth.client_id or "",
        client_secret=oauth.client_secret,
        token_endpoint_auth_method="none" if oauth.client_secret is None else "client_secret_post",
    )
