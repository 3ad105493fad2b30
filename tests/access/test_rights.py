import pytest
from hypothesis import given
from hypothesis import strategies as st

from masis.access import api_key
from masis.access.api_key import LOCAL_ADMIN, ROLES, ApiKey, Role, caller_of
from masis.errors import Forbidden
from masis.types import LOCAL, Caller


def key(role: Role, *workspaces: str) -> ApiKey:
    return ApiKey("a1", "somebody", role, workspaces, "2026-01-01", None, None, None, "masis_a1")


names = st.sampled_from(["acme", "zenith", "*"])
keys = st.builds(lambda role, workspaces: key(role, *workspaces), st.sampled_from(ROLES), st.sets(names, min_size=1))


@pytest.mark.parametrize(
    ("role", "allowed"),
    [("read", {"read"}), ("write", {"read", "write"}), ("admin", {"read", "write", "admin"})],
)
def test_a_role_holds_those_below_it(role: Role, allowed: set[str]) -> None:
    assert {needed for needed in ROLES if api_key.may(key(role, "acme"), needed, "acme")} == allowed


@given(keys, st.sampled_from(ROLES))
def test_no_role_reaches_beyond_its_workspaces(holder: ApiKey, needed: Role) -> None:
    if "*" not in holder.workspaces:
        assert not api_key.may(holder, needed, "elsewhere")
        assert not api_key.may_everywhere(holder, needed)
        with pytest.raises(Forbidden):
            api_key.require(holder, needed, "elsewhere")
        with pytest.raises(Forbidden):
            api_key.require_everywhere(holder, needed)


@given(keys, st.sampled_from(ROLES), st.sets(names, min_size=1))
def test_nobody_grants_what_they_have_not_got(holder: ApiKey, role: Role, workspaces: set[str]) -> None:
    if api_key.may_grant(holder, role, workspaces):
        made = key(role, *workspaces)
        assert holder.role == "admin"
        for workspace in ("acme", "zenith", "elsewhere"):
            assert not api_key.may(made, role, workspace) or api_key.may(holder, role, workspace)


def test_an_admin_of_some_workspaces_grants_for_those_only() -> None:
    admin = key("admin", "acme", "zenith")
    api_key.require_grant(admin, "admin", ["acme"])
    for workspaces in (["other"], ["acme", "other"], ["*"]):
        with pytest.raises(Forbidden, match="only for those"):
            api_key.require_grant(admin, "read", workspaces)
    with pytest.raises(Forbidden, match="role admin"):
        api_key.require_grant(key("write", "*"), "read", ["acme"])


def test_the_refusal_does_not_name_the_workspace() -> None:
    with pytest.raises(Forbidden) as refused:
        api_key.require(key("admin", "acme"), "read", "zenith")
    assert "zenith" not in str(refused.value)


def test_a_role_too_low_is_said_plainly() -> None:
    with pytest.raises(Forbidden, match="role write; the role of this one is read"):
        api_key.require(key("read", "acme"), "write", "acme")


def test_only_what_may_be_seen_is_listed() -> None:
    assert api_key.visible(key("read", "b", "x"), ["a", "b", "c"]) == ["b"]
    assert api_key.visible(key("read", "*"), ["a", "b"]) == ["a", "b"]


def test_whoever_sits_at_the_machine_may_everything() -> None:
    api_key.require_everywhere(LOCAL_ADMIN, "admin")
    assert caller_of(LOCAL_ADMIN) is LOCAL
    assert caller_of(key("read", "acme")) == Caller("somebody", "a1")
