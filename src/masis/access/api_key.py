"""An API key as everybody may see it: whose it is and what it may do, never its secret."""

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
