"""Keys, callers and the state of the service as the routes take and give them."""

from typing import Literal

from pydantic import Field

from masis.api.models import Described, Given


class NewKey(Given):
    name: str = Field(min_length=1, max_length=100, examples=["Ada's notebook"])
    role: Literal["read", "write", "admin"]
    """read: look; write: also ask, answer, upload and delete; admin: also workspaces, keys and the audit log."""
    workspaces: list[str] = Field(min_length=1, max_length=1000, examples=[["acme"]])
    """Their names, or `*` for all."""
    expires: str | None = Field(None, max_length=40, examples=["90d"])
    """A span (12h, 30d, 8w), a date, or a date and time."""


class KeyOut(Described):
    key_id: str
    name: str
    role: str
    workspaces: list[str]
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None
    prefix: str


class CreatedKey(KeyOut):
    token: str
    """Shown this once: nobody can read it again."""


class AuditEntryOut(Described):
    entry_id: str
    at: str
    who: str
    key_id: str | None
    action: str = Field(examples=["document.delete"])
    workspace_id: str | None
    subject: str | None
    detail: str | None


class Me(Described):
    """Who the service takes you for."""

    name: str
    key_id: str | None
    role: str
    workspaces: list[str]
    """`*` is all of them."""
    keys_needed: bool
    """False: there are no keys, and whoever is at this machine may do everything."""


class FindingOut(Described):
    part: str = Field(examples=["embedder"])
    state: Literal["ok", "note", "bad"]
    found: str
    advice: str | None


class Alive(Described):
    status: Literal["ok"] = "ok"
    version: str
