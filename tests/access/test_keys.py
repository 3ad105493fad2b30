import re
import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from masis.access.api_key import Role
from masis.access.audit_log import access_database
from masis.access.keys import Keys
from masis.errors import InvalidInput, Unauthorized, UnknownKey
from masis.settings import Settings


class Clock:
    def __init__(self) -> None:
        self.now = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_(self, **span: float) -> None:
        self.now += timedelta(**span)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def keys(settings: Settings, clock: Clock) -> Keys:
    return Keys(settings, clock=clock)


def test_a_token_opens_what_its_key_may(keys: Keys) -> None:
    made, token = keys.create("  Ada's laptop ", "write", ["zenith", "acme", "acme"], "30d")
    assert re.fullmatch(r"masis_[0-9a-f]{12}_[0-9a-f]{64}", token)
    assert made.name == "Ada's laptop"
    assert made.workspaces == ("acme", "zenith")
    assert made.expires_at == "2026-03-31T12:00:00+00:00"
    assert token.startswith(made.prefix)
    assert keys.verify(token) == made
    assert keys.get(made.key_id).role == "write"


def test_looking_makes_nothing(keys: Keys, settings: Settings) -> None:
    assert keys.list() == []
    assert not keys.needed()
    with pytest.raises(Unauthorized):
        keys.verify("masis_" + "a" * 12 + "_" + "b" * 64)
    assert not settings.home.exists()


def test_whatever_is_wrong_with_a_token_the_message_is_one(keys: Keys) -> None:
    made, token = keys.create("one", "read", ["acme"])
    keys.revoke(keys.create("two", "read", ["acme"])[0].key_id)
    wrong = token[:-1] + ("0" if token[-1] != "0" else "1")
    stranger = token.replace(made.key_id, "0" * 12)
    messages = set()
    for bad in ("", "x", "masis_é", wrong, stranger, token.upper(), token + "\n"):
        with pytest.raises(Unauthorized) as refused:
            keys.verify(bad)
        messages.add(str(refused.value))
    assert len(messages) == 1


def test_who_guesses_learns_nothing_of_a_revoked_key(keys: Keys) -> None:
    made, token = keys.create("one", "read", ["acme"])
    keys.revoke(made.key_id)
    with pytest.raises(Unauthorized, match="no valid key"):
        keys.verify(token[:-64] + "0" * 64)
    with pytest.raises(Unauthorized, match="revoked on 2026-03-01"):
        keys.verify(token)


def test_a_key_ends_when_it_should(keys: Keys, clock: Clock) -> None:
    _, token = keys.create("one", "read", ["acme"], "2h")
    clock.pass_(hours=2, seconds=-1)
    keys.verify(token)
    clock.pass_(seconds=1)
    with pytest.raises(Unauthorized, match="expired on 2026-03-01"):
        keys.verify(token)
    assert keys.needed(), "a door does not open because its only key has expired"


def test_revoking_twice_keeps_the_first_time(keys: Keys, clock: Clock) -> None:
    made, _ = keys.create("one", "admin", ["*"])
    first = keys.revoke(made.key_id)
    clock.pass_(days=1)
    assert keys.revoke(made.key_id) == first
    assert first.revoked_at == "2026-03-01T12:00:00+00:00"
    with pytest.raises(UnknownKey):
        keys.revoke("nobody")


def test_the_last_use_is_written_once_a_minute(keys: Keys, clock: Clock) -> None:
    made, token = keys.create("one", "read", ["acme"])
    assert made.last_used_at is None
    seen = []
    for _ in range(5):
        keys.verify(token)
        seen.append(keys.get(made.key_id).last_used_at)
        clock.pass_(seconds=25)
    assert [at and at[14:19] for at in seen] == ["00:00", "00:00", "00:00", "01:15", "01:15"]


def test_a_deleted_workspace_leaves_the_keys(keys: Keys) -> None:
    _, alone = keys.create("alone", "read", ["acme"])
    _, both = keys.create("both", "write", ["acme", "zenith"])
    _, all_ = keys.create("all", "admin", ["*"])
    other, _ = keys.create("other", "read", ["zenith"])
    assert [key.name for key in keys.forget_workspace("acme")] == ["alone"]
    with pytest.raises(Unauthorized, match="revoked"):
        keys.verify(alone)
    assert keys.verify(both).workspaces == ("zenith",)
    assert keys.verify(all_).workspaces == ("*",)
    assert keys.get(other.key_id) == other
    assert keys.forget_workspace("acme") == keys.forget_workspace("*x") == []


def test_a_deleted_workspace_does_not_open_the_door(keys: Keys) -> None:
    keys.create("alone", "admin", ["acme"])
    keys.forget_workspace("acme")
    assert all(key.revoked_at for key in keys.list())
    assert keys.needed(), "who could do nothing before could do everything now"


def test_only_a_command_on_the_machine_stops_asking_for_keys(keys: Keys) -> None:
    made, _ = keys.create("last", "admin", ["*"])
    with pytest.raises(InvalidInput, match="not revoked"):
        keys.stop_asking()
    keys.revoke(made.key_id)
    assert keys.needed()
    keys.stop_asking()
    assert not keys.needed()
    keys.create("first", "read", ["acme"])
    assert keys.needed()


def test_a_lost_database_opens_nothing(keys: Keys, settings: Settings) -> None:
    keys.create("one", "admin", ["*"])
    with access_database(settings).writing() as db:
        db.execute("DELETE FROM api_keys")
    assert keys.list() == []
    assert keys.needed()
    assert Keys(settings).needed()
    keys.stop_asking()
    assert not Keys(settings).needed()


def test_keys_that_were_made_before_the_mark_leave_it(keys: Keys, settings: Settings) -> None:
    keys.create("one", "admin", ["*"])
    (settings.home / "keys-needed").unlink()
    assert keys.needed()
    assert (settings.home / "keys-needed").read_text() == "yes\n"


def test_whoever_has_seen_keys_does_not_open_when_the_whole_folder_goes(keys: Keys, settings: Settings) -> None:
    keys.create("one", "admin", ["*"])
    assert keys.needed()
    with access_database(settings).writing() as db:
        db.execute("DELETE FROM api_keys")
    shutil.rmtree(settings.home)
    assert keys.needed()


def test_a_mark_that_cannot_be_read_opens_nothing(keys: Keys, settings: Settings) -> None:
    (settings.home / "keys-needed").mkdir(parents=True)
    assert keys.needed()


def test_newest_first(keys: Keys, clock: Clock) -> None:
    for name in ("a", "b", "c"):
        keys.create(name, "read", ["acme"])
        clock.pass_(seconds=1)
    assert [key.name for key in keys.list()] == ["c", "b", "a"]


def test_all_workspaces_swallow_the_others(keys: Keys) -> None:
    assert keys.create("one", "read", ["acme", "*"])[0].workspaces == ("*",)


@pytest.mark.parametrize(
    ("name", "role", "workspaces", "expires"),
    [
        ("", "read", ["acme"], None),
        ("x" * 101, "read", ["acme"], None),
        ("line\nbreak", "read", ["acme"], None),
        ("a", "owner", ["acme"], None),
        ("a", "read", [], None),
        ("a", "read", ["../etc"], None),
        ("a", "read", ["acme\n"], None),
        ("a", "read", ["acme", ""], None),
        ("a", "read", ["acme"], "yesterday"),
        ("a", "read", ["acme"], "2020-01-01"),
    ],
)
def test_what_cannot_be_a_key_is_refused(
    keys: Keys, name: str, role: Role, workspaces: list[str], expires: str | None
) -> None:
    with pytest.raises(InvalidInput):
        keys.create(name, role, workspaces, expires)
    assert keys.list() == []


def test_the_token_is_kept_nowhere(keys: Keys, settings: Settings) -> None:
    made, token = keys.create("one", "read", ["acme"])
    keys.verify(token)
    secret = token.rpartition("_")[2]
    with access_database(settings).reading() as db:
        assert secret not in str(db.execute("SELECT * FROM api_keys").fetchall())
    assert secret not in repr(made) + repr(keys.list()) + repr(keys)
    if not settings.database_url:
        with closing(sqlite3.connect(settings.home / "masis.db")) as raw:
            assert secret not in "".join(raw.iterdump())


def test_who_verifies_elsewhere_has_the_same_secret(keys: Keys, settings: Settings, clock: Clock) -> None:
    with ThreadPoolExecutor(4) as pool:
        tokens = list(pool.map(lambda n: Keys(settings, clock=clock).create(f"k{n}", "read", ["acme"])[1], range(8)))
    assert {keys.verify(token).name for token in tokens} == {f"k{n}" for n in range(8)}


def test_a_changed_secret_makes_every_key_invalid(settings: Settings, clock: Clock) -> None:
    mine = Settings(home=settings.home, database_url=settings.database_url, secret_key="s" * 32)
    other = Settings(home=settings.home, database_url=settings.database_url, secret_key="t" * 32)
    _, token = Keys(mine, clock=clock).create("one", "read", ["acme"])
    Keys(mine, clock=clock).verify(token)
    for changed in (other, settings):
        with pytest.raises(Unauthorized):
            Keys(changed, clock=clock).verify(token)
