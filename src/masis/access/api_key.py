"""An API key: its name, rights and expiry, and its token, of which only a digest is stored."""

import hashlib
import hmac
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal

from masis.errors import Forbidden, InvalidInput
from masis.types import LOCAL, Caller

EXPIRY_RULE = "use a span like 12h, 30d or 8w, a date (2027-01-31) or a date and time, in UTC unless it says otherwise"
_SPAN = re.compile(r"(\d{1,6})\s*([hdw])", re.ASCII | re.IGNORECASE)
_HOURS = {"h": 1, "d": 24, "w": 24 * 7}


def iso(moment: datetime) -> str:
    """One format for all stored timestamps, so that they sort as strings."""
    return moment.astimezone(UTC).isoformat(timespec="seconds")


def utc_now() -> datetime:
    return datetime.now(UTC)


def end_of_validity(text: str, now: datetime) -> str:
    try:
        moment = _moment(text.strip(), now)
        written = iso(moment)
    except (ValueError, OverflowError):
        raise InvalidInput(f"“{text[:40]}” cannot be an expiry: {EXPIRY_RULE}.") from None
    if moment <= now:
        raise InvalidInput(f"The expiry {written} is in the past.")
    return written


def _moment(text: str, now: datetime) -> datetime:
    if span := _SPAN.fullmatch(text):
        return now + timedelta(hours=int(span[1]) * _HOURS[span[2].lower()])
    if len(text) <= len("2027-01-31"):
        # A key that expires on a date is valid on that date.
        return datetime.combine(date.fromisoformat(text) + timedelta(days=1), time(), UTC)
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


Role = Literal["read", "write", "admin"]
ROLES: tuple[Role, ...] = ("read", "write", "admin")
"""Each role includes the rights of those before it. read: view and search; write: also ask, answer, upload, and delete
documents and runs; admin: also workspaces, keys and the audit log."""

EVERY_WORKSPACE = "*"


@dataclass(frozen=True, slots=True)
class ApiKey:
    key_id: str
    name: str
    role: Role
    workspaces: tuple[str, ...]
    """Workspace names; `*` alone means all, including future ones."""
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None
    """Accurate to the minute."""
    prefix: str
    """The start of the token, to tell keys apart."""


LOCAL_ADMIN = ApiKey("local", LOCAL.name, "admin", (EVERY_WORKSPACE,), "", None, None, None, "")
"""The person at this machine, as long as there are no keys."""


def caller_of(key: ApiKey) -> Caller:
    return LOCAL if key is LOCAL_ADMIN else Caller(key.name, key.key_id)


TOKEN = re.compile(r"masis_([0-9a-f]{12})_[0-9a-f]{64}")
"""`masis_<key_id>_<secret>` with 256 random bits. The fixed format lets secret scanners recognise it."""


def new_token() -> str:
    return f"masis_{secrets.token_hex(6)}_{secrets.token_hex(32)}"


def key_id_of(token: str) -> str | None:
    """None if the text cannot be a token."""
    match = TOKEN.fullmatch(token)
    return match[1] if match else None


def prefix_of(key_id: str) -> str:
    return f"masis_{key_id}"


def digest(token: str, secret: bytes) -> str:
    # Random bits need no slow hash, and without the secret a stolen table does not help to check a guess.
    return hmac.new(secret, token.encode(), hashlib.sha256).hexdigest()


def without_tokens(text: str) -> str:
    """Shortens tokens in logs and records to their id."""
    return TOKEN.sub(lambda match: f"{prefix_of(match[1])}_…", text)


def has_role(key: ApiKey, needed: Role) -> bool:
    """In at least one workspace."""
    return ROLES.index(key.role) >= ROLES.index(needed)


def may(key: ApiKey, needed: Role, workspace: str) -> bool:
    return has_role(key, needed) and _covers(key, workspace)


def may_everywhere(key: ApiKey, needed: Role) -> bool:
    """For actions that do not belong to a single workspace."""
    return has_role(key, needed) and EVERY_WORKSPACE in key.workspaces


def may_grant(key: ApiKey, role: Role, workspaces: Iterable[str]) -> bool:
    """Whether the key may create or revoke a key with these rights: only an admin may, and only within its own
    rights."""
    return has_role(key, "admin") and has_role(key, role) and all(_covers(key, each) for each in workspaces)


def visible(key: ApiKey, workspaces: Iterable[str]) -> list[str]:
    """The workspaces that the key may read."""
    return [each for each in workspaces if may(key, "read", each)]


def require(key: ApiKey, needed: Role, workspace: str) -> None:
    """Refuses in the same words whether or not the workspace exists."""
    if not _covers(key, workspace):
        raise Forbidden("This key has no rights in that workspace.")
    require_role(key, needed)


def require_role(key: ApiKey, needed: Role) -> None:
    if not has_role(key, needed):
        raise Forbidden(f"This needs a key with the role {needed}; the role of this one is {key.role}.")


def require_everywhere(key: ApiKey, needed: Role) -> None:
    require_role(key, needed)
    if not may_everywhere(key, needed):
        raise Forbidden("This needs a key for all workspaces; this one covers only some.")


def require_grant(key: ApiKey, role: Role, workspaces: Iterable[str]) -> None:
    require_role(key, "admin")
    if not may_grant(key, role, workspaces):
        raise Forbidden("An admin of some workspaces can create and revoke keys only for those.")


def _covers(key: ApiKey, workspace: str) -> bool:
    # No workspace can be named `*`: only a key for all of them may grant all of them.
    return EVERY_WORKSPACE in key.workspaces or workspace in key.workspaces
