import pytest

from masis.access.api_key import LOCAL_ADMIN
from masis.access.audit_log import AuditLog
from masis.access.keys import Keys, grant_key, grantable_keys, revoke_key, revoke_keys_of
from masis.errors import Forbidden, UnknownKey
from masis.settings import Settings
from masis.types import Caller


@pytest.fixture
def keys(settings: Settings) -> Keys:
    return Keys(settings)


@pytest.fixture
def log(settings: Settings) -> AuditLog:
    return AuditLog(settings)


def test_making_and_revoking_are_written_down(keys: Keys, log: AuditLog) -> None:
    admin, _ = grant_key(keys, log, LOCAL_ADMIN, "boss", "admin", ["acme", "zenith"])
    made, token = grant_key(keys, log, admin, "bot", "read", ["acme"], "30d")
    assert keys.verify(token).key_id == made.key_id
    assert revoke_key(keys, log, admin, made.key_id).revoked_at
    revoke_key(keys, log, admin, made.key_id)
    entries = log.entries("acme")
    assert [(e.who, e.key_id, e.action, e.subject) for e in entries] == [
        ("boss", admin.key_id, "key.revoke", made.key_id),
        ("boss", admin.key_id, "key.create", made.key_id),
        ("local", None, "key.create", admin.key_id),
    ]
    assert "“bot”, read in acme, until" in (entries[1].detail or "")
    assert token not in repr(log.entries())
    assert [entry.subject for entry in log.entries("zenith")] == [admin.key_id]


def test_nobody_gives_or_takes_beyond_their_rights(keys: Keys, log: AuditLog) -> None:
    everywhere, _ = grant_key(keys, log, LOCAL_ADMIN, "root", "admin", ["*"])
    admin, _ = grant_key(keys, log, LOCAL_ADMIN, "boss", "admin", ["acme"])
    writer, _ = grant_key(keys, log, LOCAL_ADMIN, "pen", "write", ["acme"])
    for workspaces in (["zenith"], ["*"]):
        with pytest.raises(Forbidden):
            grant_key(keys, log, admin, "x", "read", workspaces)
    for by in (admin, writer):
        with pytest.raises((UnknownKey, Forbidden)):
            revoke_key(keys, log, by, everywhere.key_id)
    with pytest.raises(Forbidden):
        grantable_keys(keys, writer)
    assert keys.get(everywhere.key_id).revoked_at is None
    assert {key.name for key in grantable_keys(keys, admin)} == {"boss", "pen"}
    assert len(grantable_keys(keys, everywhere)) == 3


def test_a_key_out_of_reach_is_as_unknown_as_none(keys: Keys, log: AuditLog) -> None:
    admin, _ = grant_key(keys, log, LOCAL_ADMIN, "boss", "admin", ["acme"])
    foreign, _ = grant_key(keys, log, LOCAL_ADMIN, "x", "read", ["zenith"])
    messages = []
    for key_id in (foreign.key_id, "0" * 12):
        with pytest.raises(UnknownKey) as refused:
            revoke_key(keys, log, admin, key_id)
        messages.append(str(refused.value).replace(key_id, "ID"))
    assert messages[0] == messages[1]


def test_revoking_the_last_key_opens_nothing(keys: Keys, log: AuditLog) -> None:
    admin, _ = grant_key(keys, log, LOCAL_ADMIN, "boss", "admin", ["acme"])
    revoke_key(keys, log, admin, admin.key_id)
    root, _ = grant_key(keys, log, LOCAL_ADMIN, "root", "admin", ["*"])
    revoke_key(keys, log, root, root.key_id)
    assert keys.needed()


def test_keys_that_go_with_a_workspace_are_written_down(keys: Keys, log: AuditLog) -> None:
    alone, _ = grant_key(keys, log, LOCAL_ADMIN, "alone", "read", ["acme"])
    grant_key(keys, log, LOCAL_ADMIN, "both", "read", ["acme", "zenith"])
    revoke_keys_of(keys, log, Caller("boss", "k1"), "acme")
    told = log.entries("acme")[0]
    assert (told.who, told.key_id, told.action, told.subject) == ("boss", "k1", "key.revoke", alone.key_id)
    assert "workspace was deleted" in (told.detail or "")
    assert [entry.action for entry in log.entries()].count("key.revoke") == 1
