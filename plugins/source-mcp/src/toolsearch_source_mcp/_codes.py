"""The JSON-RPC codes that we read, and those of our own HTTP layer."""

from __future__ import annotations

METHOD_NOT_FOUND = -32_601
INVALID_PARAMS = -32_602
PARSE_ERROR = -32_700
HEADER_MISMATCH = -32_020
"""What the 2026 revision answers over HTTP when the schema that we know is not the server's."""

UNREACHABLE = -32_090
"""The request did not leave: nothing answers at the address."""
NO_SESSION = -32_091
"""The request was turned away: the server does not know its session any more."""
UNAUTHORIZED = -32_092
"""The request was turned away: its credentials are missing or not enough."""
