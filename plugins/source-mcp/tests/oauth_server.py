"""An SDK server that wants authorization, and the authorization server beside it.

A person who opens the address is taken for one who says yes. Access tokens hold for the seconds
given, so that a test sees them renewed.
"""

import asyncio
import secrets
import socket
import sys
import time
import warnings
from pathlib import Path

import uvicorn
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    RefreshToken,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.server.mcpserver import MCPServer
from mcp.shared.auth import OAuthToken

warnings.simplefilter("ignore")
notes, seconds = Path(sys.argv[1]), int(sys.argv[2])
listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen()
base = f"http://127.0.0.1:{listener.getsockname()[1]}"


def note(text: str) -> None:
    with notes.open("a") as file:
        file.write(text + "\n")


class Provider:
    def __init__(self):
        self.clients, self.codes, self.access, self.refresh = {}, {}, {}, {}

    async def get_client(self, client_id):
        return self.clients.get(client_id)

    async def register_client(self, client_info):
        note("registered")
        self.clients[client_info.client_id] = client_info

    async def authorize(self, client, params):
        code = secrets.token_urlsafe(32)
        self.codes[code] = AuthorizationCode(
            code=code,
            scopes=params.scopes or [],
            expires_at=time.time() + 60,
            client_id=client.client_id,
            code_challenge=params.code_challenge,
            redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=params.redirect_uri_provided_explicitly,
            resource=params.resource,
        )
        return construct_redirect_uri(str(params.redirect_uri), code=code, state=params.state)

    async def load_authorization_code(self, client, authorization_code):
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(self, client, authorization_code):
        note("granted")
        del self.codes[authorization_code.code]
        return self._tokens(client.client_id, authorization_code.scopes)

    async def load_refresh_token(self, client, refresh_token):
        return self.refresh.get(refresh_token)

    async def exchange_refresh_token(self, client, refresh_token, scopes):
        note("renewed")
        del self.refresh[refresh_token.token]
        return self._tokens(client.client_id, scopes)

    async def load_access_token(self, token):
        held = self.access.get(token)
        return held if held is not None and held.expires_at > time.time() else None

    async def revoke_token(self, token):
        self.access.pop(token.token, None)

    def _tokens(self, client_id, scopes):
        # Taken for longer than is told, so that on a slow machine none ends between two requests.
        until = int(time.time()) + seconds + 60
        access, refresh = f"access-{secrets.token_hex(16)}", f"refresh-{secrets.token_hex(16)}"
        self.access[access] = AccessToken(
            token=access, client_id=client_id, scopes=scopes, expires_at=until
        )
        self.refresh[refresh] = RefreshToken(token=refresh, client_id=client_id, scopes=scopes)
        return OAuthToken(
            access_token=access, refresh_token=refresh, expires_in=seconds, scope=" ".join(scopes)
        )


server = MCPServer(
    "guarded",
    auth_server_provider=Provider(),
    auth=AuthSettings(
        issuer_url=base,
        resource_server_url=f"{base}/mcp",
        validate_token_resource=False,
        client_registration_options=ClientRegistrationOptions(enabled=True),
    ),
)


@server.tool()
def secret() -> str:
    return "the secret"


print(f"{base}/mcp", flush=True)
config = uvicorn.Config(server.streamable_http_app(), log_level="error", lifespan="on")
asyncio.run(uvicorn.Server(config).serve(sockets=[listener]))
