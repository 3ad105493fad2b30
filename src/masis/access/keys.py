"""API keys: created, checked, listed and revoked. Only a digest of each token is stored.

A service that has had keys keeps requiring them even if its database is lost: a marker file in the data folder says so
too, and only a command on the machine itself removes it.
"""

import hmac
import json
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, Literal

from masis.access.api_key import (
    EVERY_WORKSPACE,
    ROLES,
    ApiKey,
    Role,
    caller_of,
    digest,
    end_of_validity,
    iso,
    key_id_of,
    may_grant,
    new_token,
    prefix_of,
    require_grant,
    require_role,
    utc_now,
)
from masis.access.audit_log import AuditLog, access_database, secret_for
from masis.data_folder import folder_error, make_folder
from masis.database import Connection
from masis.errors import InvalidInput, MASISError, Unauthorized, UnknownKey
from masis.settings import Settings
from masis.types import WORKSPACE_NAME, WORKSPACE_NAME_RULE, Caller

_NAME_CHARS = 100
_LOCK = "workspaces of keys"
_USE_NOTED_EVERY = timedelta(minutes=1)
_COLUMNS = "key_id, name, role, workspaces, created_at, expires_at, revoked_at, last_used_at"


class Keys:
    def __init__(self, settings: Settings, *, clock: Callable[[], datetime] = utc_now) -> None:
        self._settings = settings
        self._database = access_database(settings)
        self._clock = clock
        self._mark = settings.home / "keys-needed"
        self._were_needed = False

    def create(
        self, name: str, role: Role, workspaces: Iterable[str], expires_at: str | None = None
    ) -> tuple[ApiKey, str]:
        """Returns the key and its token, which cannot be shown again."""
        now, token = self._clock(), new_token()
        expires_at = end_of_validity(expires_at, now) if expires_at else None
        names = _checked_workspaces(workspaces)
        row = (str(key_id_of(token)), _checked_name(name), checked_role(role), json.dumps(names), iso(now), expires_at)
        kept = digest(token, self._secret)
        self._leave_mark("yes")
        with self._database.writing() as db:
            db.execute(
                "INSERT INTO api_keys (key_id, name, role, workspaces, created_at, expires_at, digest)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (*row, kept),
            )
        return _key((*row, None, None)), token

    def verify(self, token: str) -> ApiKey:
        """Raises Unauthorized. Only the holder of the real token learns that it was revoked or has expired."""
        key = self._holder(token)
        if key is None:
            raise Unauthorized("The request carries no valid key.")
        return self._admitted(key)

    def admit(self, key_id: str) -> ApiKey:
        """For a session of this key. Raises Unauthorized if the key is no longer valid."""
        return self._admitted(self.get(key_id))

    def _admitted(self, key: ApiKey) -> ApiKey:
        now = self._clock()
        if key.revoked_at:
            raise Unauthorized(f"The key {key.key_id} was revoked on {key.revoked_at[:10]}.")
        if key.expires_at and key.expires_at <= iso(now):
            raise Unauthorized(f"The key {key.key_id} expired on {key.expires_at[:10]}.")
        self._note_use(key, now)
        return key

    def get(self, key_id: str) -> ApiKey:
        with self._database.reading() as db:
            row = db.execute(f"SELECT {_COLUMNS} FROM api_keys WHERE key_id = ?", (key_id,)).fetchone()
        if row is None:
            raise UnknownKey(f"There is no key {key_id[:40]}.")
        return _key(row)

    def list(self) -> list[ApiKey]:
        """Newest first, including revoked keys."""
        with self._database.reading() as db:
            rows = db.execute(f"SELECT {_COLUMNS} FROM api_keys ORDER BY created_at DESC, key_id").fetchall()
        return [_key(row) for row in rows]

    def revoke(self, key_id: str) -> ApiKey:
        """Takes effect at once; revoking twice changes nothing."""
        with self._database.writing(_LOCK) as db:
            self._revoke(db, key_id)
        return self.get(key_id)

    def stop_asking(self) -> None:
        """Lets the person at this machine in without a key again. Only for a command on the machine itself; refused
        while a key is valid."""
        with self._database.writing(_LOCK) as db:
            if db.execute("SELECT 1 FROM api_keys WHERE revoked_at IS NULL LIMIT 1").fetchone():
                raise InvalidInput("Some keys are not revoked.", advice="Revoke them first.")
            db.execute("UPDATE api_keys SET keeps_closed = 0")
        self._leave_mark("no")

    def forget_workspace(self, workspace: str) -> Sequence[ApiKey]:
        """For a deleted workspace, so that old keys do not open a new one of the same name. Returns the keys that
        opened no other workspace and are now revoked."""
        with self._database.writing(_LOCK) as db:
            rows = db.execute(f"SELECT {_COLUMNS} FROM api_keys WHERE revoked_at IS NULL").fetchall()
            touched = [key for key in map(_key, rows) if workspace in key.workspaces]
            for key in touched:
                rest = [name for name in key.workspaces if name != workspace]
                if rest:
                    db.execute("UPDATE api_keys SET workspaces = ? WHERE key_id = ?", (json.dumps(rest), key.key_id))
                else:
                    self._revoke(db, key.key_id)
        return [key for key in touched if key.workspaces == (workspace,)]

    def needed(self) -> bool:
        """Whether a caller needs a key. Only `stop_asking` changes that, not time, a deleted workspace, or a lost
        database or folder."""
        with self._database.reading() as db:
            has_keys = "SELECT 1 FROM api_keys WHERE revoked_at IS NULL OR keeps_closed = 1 LIMIT 1"
            if db.execute(has_keys).fetchone() is not None:
                with suppress(MASISError):  # recorded in the database as well
                    self._leave_mark("yes")
                self._were_needed = True
                return True
        self._were_needed = {"yes": True, "no": False}.get(self._read_mark(), self._were_needed)
        return self._were_needed

    def _read_mark(self) -> str:
        try:
            return self._mark.read_text(encoding="ascii").strip()
        except FileNotFoundError:
            return ""
        except (OSError, ValueError):
            return "yes"  # fails closed

    def _leave_mark(self, needed: Literal["yes", "no"]) -> None:
        if self._read_mark() == needed:
            return
        make_folder(self._mark.parent)
        try:
            self._mark.write_text(f"{needed}\n", encoding="ascii")
        except OSError as error:
            raise folder_error(self._mark, error) from error

    def _revoke(self, db: Connection, key_id: str) -> None:
        db.execute(
            "UPDATE api_keys SET revoked_at = ?, keeps_closed = 1 WHERE key_id = ? AND revoked_at IS NULL",
            (iso(self._clock()), key_id),
        )

    @cached_property
    def _secret(self) -> bytes:
        return secret_for("api keys", self._settings, self._database)

    def _holder(self, token: str) -> ApiKey | None:
        key_id = key_id_of(token)
        if key_id is None:
            return None
        with self._database.reading() as db:
            row = db.execute(f"SELECT {_COLUMNS}, digest FROM api_keys WHERE key_id = ?", (key_id,)).fetchone()
        if row is None or not hmac.compare_digest(digest(token, self._secret), row[-1]):
            return None
        return _key(row[:-1])

    def _note_use(self, key: ApiKey, now: datetime) -> None:
        recent = iso(now - _USE_NOTED_EVERY)
        if key.last_used_at and key.last_used_at > recent:
            return
        # Best effort: a read-only database must not lock out readers.
        with suppress(MASISError), self._database.writing() as db:
            db.execute(
                "UPDATE api_keys SET last_used_at = ? WHERE key_id = ? AND (last_used_at IS NULL OR last_used_at <= ?)",
                (iso(now), key.key_id, recent),
            )


def _key(row: Sequence[Any]) -> ApiKey:
    key_id, name, role, workspaces, created_at, expires_at, revoked_at, last_used_at = row
    names = tuple(json.loads(workspaces))
    return ApiKey(key_id, name, role, names, created_at, expires_at, revoked_at, last_used_at, prefix_of(key_id))


def _checked_name(name: str) -> str:
    name = name.strip()
    if not name or len(name) > _NAME_CHARS or not name.isprintable():
        raise InvalidInput(f"A key needs a name of 1 to {_NAME_CHARS} printable characters: its owner or purpose.")
    return name


def checked_role(role: str) -> Role:
    for known in ROLES:
        if role == known:
            return known
    raise InvalidInput(f"“{role[:40]}” is not a role: use {', '.join(ROLES[:-1])} or {ROLES[-1]}.")


def _checked_workspaces(workspaces: Iterable[str]) -> list[str]:
    names = sorted(set(workspaces))
    if not names:
        raise InvalidInput("A key needs at least one workspace, or `*` for all.")
    if EVERY_WORKSPACE in names:
        return [EVERY_WORKSPACE]
    for name in names:
        if not re.fullmatch(WORKSPACE_NAME, name):
            raise InvalidInput(f"“{name[:80]}” cannot be the name of a workspace: {WORKSPACE_NAME_RULE}.")
    return names


def grant_key(
    keys: Keys,
    log: AuditLog,
    by: ApiKey,
    name: str,
    role: Role,
    workspaces: Iterable[str],
    expires_at: str | None = None,
) -> tuple[ApiKey, str]:
    """Returns the key and its token, which cannot be shown again."""
    workspaces = tuple(workspaces)
    require_grant(by, role, workspaces)
    key, token = keys.create(name, role, workspaces, expires_at)
    _record(log, caller_of(by), "key.create", key)
    return key, token


def revoke_key(keys: Keys, log: AuditLog, by: ApiKey, key_id: str) -> ApiKey:
    """A key outside the caller's rights is reported as unknown."""
    require_role(by, "admin")
    key = keys.get(key_id)
    if not may_grant(by, key.role, key.workspaces):
        raise UnknownKey(f"There is no key {key_id[:40]}.")
    if key.revoked_at is None:
        key = keys.revoke(key_id)
        _record(log, caller_of(by), "key.revoke", key)
    return key


def revoke_keys_of(keys: Keys, log: AuditLog, by: Caller, workspace: str) -> None:
    """For a deleted workspace. A key that also opens others only loses this one."""
    for key in keys.forget_workspace(workspace):
        _record(log, by, "key.revoke", key, ": its workspace was deleted")


def grantable_keys(keys: Keys, by: ApiKey) -> list[ApiKey]:
    """The keys that the caller could have created, newest first."""
    require_role(by, "admin")
    return [key for key in keys.list() if may_grant(by, key.role, key.workspaces)]


def _record(log: AuditLog, by: Caller, action: str, key: ApiKey, why: str = "") -> None:
    ends = f", until {key.expires_at}" if key.expires_at else ""
    detail = f"“{key.name}”, {key.role} in {', '.join(key.workspaces)}{ends}{why}"
    # One entry per workspace, because its admins read only their own entries.
    for workspace in key.workspaces:
        workspace_id = None if workspace == EVERY_WORKSPACE else workspace
        log.record(by, action, workspace_id, key.key_id, detail)
