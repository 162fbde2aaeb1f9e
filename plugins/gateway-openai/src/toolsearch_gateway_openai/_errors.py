"""Errors as the API says them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs


@attrs.frozen
class ApiError(Exception):
    """What an app is answered in place of a completion.

    `body` is what the provider itself answered, passed on as it is where there is one.
    """

    status: int
    message: str
    type: str = "invalid_request_error"
    code: str | None = None
    param: str | None = None
    headers: Mapping[str, str] = attrs.field(factory=dict)
    body: Mapping[str, Any] | None = None

    def __str__(self) -> str:
        return self.message

    @property
    def json(self) -> Mapping[str, Any]:
        """The body of the answer."""
        if self.body is not None:
            return self.body
        return {
            "error": {
                "message": self.message,
                "type": self.type,
                "param": self.param,
                "code": self.code,
            }
        }

    @property
    def error(self) -> Mapping[str, Any]:
        """The error object alone, for a stream that has begun."""
        error = self.json.get("error")
        return error if isinstance(error, Mapping) else {"message": self.message, "type": self.type}


def bad_request(message: str, *, param: str | None = None, code: str | None = None) -> ApiError:
    return ApiError(400, message, param=param, code=code)


def upstream_error(status: int, message: str, code: str) -> ApiError:
    """The provider could not be asked, or did not answer as the API has it."""
    return ApiError(status, message, type="upstream_error", code=code)


def stopping() -> ApiError:
    """The gateway is told to stop while it answers."""
    return ApiError(503, "the gateway is stopping", type="server_error", code="stopping")
