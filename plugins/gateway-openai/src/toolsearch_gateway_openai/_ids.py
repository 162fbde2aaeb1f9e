"""Ids of calls that are handed back to the app: the provider's, made unique, and turned back."""

from __future__ import annotations

import re
import secrets

_MARK = re.compile(r"_ts[0-9a-f]{12}$")
_LONGEST = 48  # providers take ids of up to 64 characters


def app_id(model_id: str) -> str:
    """The id that the app is given: some providers number the calls of every answer anew.

    A long id is unique by itself, and stays as it is.
    """
    return model_id if len(model_id) > _LONGEST else f"{model_id}_ts{secrets.token_hex(6)}"


def model_id(id: str) -> str:
    """The provider's id again, whoever remembers it or not."""
    return _MARK.sub("", id)
