"""What a key may do: plain functions of the key, no database."""

from collections.abc import Iterable

from masis.access.api_key import EVERY_WORKSPACE, ROLES, ApiKey, Role
from masis.errors import Forbidden


def has_role(key: ApiKey, needed: Role) -> bool:
    """In some workspace at least."""
    return ROLES.index(key.role) >= ROLES.index(needed)


def may(key: ApiKey, needed: Role, workspace: str) -> bool:
    return has_role(key, needed) and _covers(key, workspace)


def may_everywhere(key: ApiKey, needed: Role) -> bool:
    """For what belongs to no workspace alone."""
    return has_role(key, needed) and EVERY_WORKSPACE in key.workspaces


def may_grant(key: ApiKey, role: Role, workspaces: Iterable[str]) -> bool:
    """Whether it may make a key with these rights, or take one back: an admin, and nothing that it has not itself."""
    return has_role(key, "admin") and has_role(key, role) and all(_covers(key, each) for each in workspaces)


def visible(key: ApiKey, workspaces: Iterable[str]) -> list[str]:
    """Those of the workspaces that the key may look at."""
    return [each for each in workspaces if may(key, "read", each)]


def require(key: ApiKey, needed: Role, workspace: str) -> None:
    """The refusal is the same whether or not there is such a workspace."""
    if not _covers(key, workspace):
        raise Forbidden("This key has no rights in that workspace.")
    require_role(key, needed)


def require_role(key: ApiKey, needed: Role) -> None:
    if not has_role(key, needed):
        raise Forbidden(f"This needs a key with the role {needed}; the role of this one is {key.role}.")


def require_everywhere(key: ApiKey, needed: Role) -> None:
    require_role(key, needed)
    if not may_everywhere(key, needed):
        raise Forbidden("This needs a key for all workspaces; this one is for some of them.")


def require_grant(key: ApiKey, role: Role, workspaces: Iterable[str]) -> None:
    require_role(key, "admin")
    if not may_grant(key, role, workspaces):
        raise Forbidden("An admin of some workspaces makes and revokes keys for those only.")


def _covers(key: ApiKey, workspace: str) -> bool:
    # A workspace cannot be called `*`: granting all of them needs a key that has them all.
    return EVERY_WORKSPACE in key.workspaces or workspace in key.workspaces
