"""Making and revoking keys on somebody's behalf: within their rights, and written down."""

from collections.abc import Iterable

from masis.access.api_key import EVERY_WORKSPACE, ApiKey, Role, caller_of
from masis.access.audit_log import AuditLog
from masis.access.keys import Keys
from masis.access.rights import may_grant, require_grant, require_role
from masis.errors import UnknownKey
from masis.types import Caller


def grant_key(
    keys: Keys,
    log: AuditLog,
    by: ApiKey,
    name: str,
    role: Role,
    workspaces: Iterable[str],
    expires_at: str | None = None,
) -> tuple[ApiKey, str]:
    """The key and its token, which nobody can show again."""
    workspaces = tuple(workspaces)
    require_grant(by, role, workspaces)
    key, token = keys.create(name, role, workspaces, expires_at)
    _record(log, caller_of(by), "key.create", key)
    return key, token


def revoke_key(keys: Keys, log: AuditLog, by: ApiKey, key_id: str) -> ApiKey:
    """A key outside the caller's rights is as unknown as one that was never made."""
    require_role(by, "admin")
    key = keys.get(key_id)
    if not may_grant(by, key.role, key.workspaces):
        raise UnknownKey(f"There is no key {key_id[:40]}.")
    if key.revoked_at is None:
        key = keys.revoke(key_id)
        _record(log, caller_of(by), "key.revoke", key)
    return key


def revoke_keys_of(keys: Keys, log: AuditLog, by: Caller, workspace: str) -> None:
    """Of a workspace that is deleted: a key for others too only loses this one."""
    for key in keys.forget_workspace(workspace):
        _record(log, by, "key.revoke", key, ": its workspace was deleted")


def grantable_keys(keys: Keys, by: ApiKey) -> list[ApiKey]:
    """Those the caller could have made, newest first."""
    require_role(by, "admin")
    return [key for key in keys.list() if may_grant(by, key.role, key.workspaces)]


def _record(log: AuditLog, by: Caller, action: str, key: ApiKey, why: str = "") -> None:
    ends = f", until {key.expires_at}" if key.expires_at else ""
    detail = f"“{key.name}”, {key.role} in {', '.join(key.workspaces)}{ends}{why}"
    # One entry for each workspace: its admins read only what concerns it.
    for workspace in key.workspaces:
        workspace_id = None if workspace == EVERY_WORKSPACE else workspace
        log.record(by, action, workspace_id, key.key_id, detail)
