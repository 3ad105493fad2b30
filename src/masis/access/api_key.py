"""An API key as everybody may see it: whose it is and what it may do; and its token, of which only a digest is kept."""

import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from typing import Literal

from masis.types import LOCAL, Caller

Role = Literal["read", "write", "admin"]
ROLES: tuple[Role, ...] = ("read", "write", "admin")
"""Each may do what those before it may. read: look; write: also ask, answer, upload and delete documents and runs;
admin: also workspaces, keys and the audit log."""

EVERY_WORKSPACE = "*"


@dataclass(frozen=True, slots=True)
class ApiKey:
    key_id: str
    name: str
    role: Role
    workspaces: tuple[str, ...]
    """Their names; `*` alone is all there are and will be."""
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None
    """To the minute."""
    prefix: str
    """How its token begins, so that a person can tell which one they hold."""


LOCAL_ADMIN = ApiKey("local", LOCAL.name, "admin", (EVERY_WORKSPACE,), "", None, None, None, "")
"""Whoever sits at the machine, while there are no keys."""


def caller_of(key: ApiKey) -> Caller:
    return LOCAL if key is LOCAL_ADMIN else Caller(key.name, key.key_id)


TOKEN = re.compile(r"masis_([0-9a-f]{12})_[0-9a-f]{64}")
"""`masis_<key_id>_<secret>`: 256 random bits. A fixed form, so that tools that look for leaked secrets know it."""


def new_token() -> str:
    return f"masis_{secrets.token_hex(6)}_{secrets.token_hex(32)}"


def key_id_of(token: str) -> str | None:
    """None for what cannot be a token."""
    match = TOKEN.fullmatch(token)
    return match[1] if match else None


def prefix_of(key_id: str) -> str:
    return f"masis_{key_id}"


def digest(token: str, secret: bytes) -> str:
    # Random bits need no slow hash, and without the secret a stolen table proves nothing about a guess.
    return hmac.new(secret, token.encode(), hashlib.sha256).hexdigest()


def without_tokens(text: str) -> str:
    """For whatever is written down: a token that got into it is cut to its id."""
    return TOKEN.sub(lambda match: f"{prefix_of(match[1])}_…", text)
