"""Who is let in, and how a refusal reads."""

from pathlib import Path

import pytest
from starlette.datastructures import Headers

from masis.access.api_key import LOCAL_ADMIN
from masis.access.keys import Keys
from masis.errors import DatabaseUnavailable, DataFolderError, Forbidden, RateLimited, Unauthorized
from masis.mcp.door import Door, refusal
from masis.settings import Settings

HERE = Headers({"host": "127.0.0.1:8001"})


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home", key_rate_calls=2)


async def test_without_keys_only_this_machine(settings: Settings) -> None:
    assert await Door(settings).let_in(HERE) is LOCAL_ADMIN
    assert await Door(settings).let_in(Headers({"host": "[::1]:1", "origin": "http://[::1]:1"})) is LOCAL_ADMIN
    for host, origin in [("127.0.0.1.evil.example", None), ("", None), ("localhost:1", "http://localhost:2")]:
        with pytest.raises(Forbidden, match="its own machine"):
            await Door(settings).let_in(Headers({"host": host} | ({"origin": origin} if origin else {})))


async def test_the_first_key_counts_at_once_and_the_last_one_revoked_opens_nothing_to_others(
    settings: Settings,
) -> None:
    keys, at_home = Keys(settings), Door(settings)
    abroad = Door(settings, always_with_keys=True)
    key, token = keys.create("agent", "read", ["acme"])
    for door in (at_home, abroad):
        with pytest.raises(Unauthorized):
            await door.let_in(HERE)
    known = await abroad.let_in(Headers({"host": "masis.example", "authorization": f"bearer {token}"}))
    assert known.key_id == key.key_id
    keys.revoke(key.key_id, may_open=True)
    assert await at_home.let_in(HERE) is LOCAL_ADMIN
    with pytest.raises(Unauthorized):
        await abroad.let_in(HERE)


async def test_a_key_may_ask_so_often(settings: Settings) -> None:
    _, token = Keys(settings).create("agent", "read", ["acme"])
    door, headers = Door(settings), Headers({"authorization": f"Bearer {token}"})
    await door.let_in(headers)
    await door.let_in(headers)
    with pytest.raises(RateLimited) as limited:
        await door.let_in(headers)
    answer = refusal(limited.value)
    assert answer.status_code == 429
    assert int(answer.headers["Retry-After"]) >= 1


def test_a_database_that_is_away_is_not_the_callers_fault() -> None:
    assert refusal(DatabaseUnavailable("PostgreSQL does not answer.")).status_code == 503


def test_a_refusal_tells_nothing_of_the_inside() -> None:
    answer = refusal(DataFolderError("/home/ada/.masis cannot be used", advice="Look at /home/ada."))
    assert answer.status_code == 503
    assert b"data_folder" in answer.body
    assert b"/home/ada" not in answer.body
