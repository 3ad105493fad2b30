"""Who is let in: the same check for the API, its page and the MCP server."""

import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Scope

from masis.access import check
from masis.access.api_key import LOCAL_ADMIN
from masis.access.check import AccessCheck, require_keys_for
from masis.access.keys import Keys
from masis.errors import Forbidden, InvalidInput, RateLimited, Unauthorized
from masis.settings import Settings, is_loopback

NOBODY = 65_534


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home", key_rate_calls=2)


def call(host: str = "127.0.0.1:8001", http_version: str = "1.1", **headers: str) -> Scope:
    named = {"host": host} | {name.replace("_", "-"): value for name, value in headers.items()}
    raw = [(name.encode(), value.encode()) for name, value in named.items()]
    return {"type": "http", "method": "POST", "http_version": http_version, "headers": raw}


async def test_without_keys_only_this_machine(settings: Settings) -> None:
    check = AccessCheck(settings)
    assert (await check.admit(call())).key is LOCAL_ADMIN
    assert (await check.admit(call("[::1]:1", origin="http://[::1]:1"))).key is LOCAL_ADMIN
    elsewhere = [call("127.0.0.1.evil.example"), call(""), call("localhost:1", origin="http://localhost:2")]
    for scope in elsewhere:
        with pytest.raises(Forbidden, match="its own machine"):
            await check.admit(scope)


async def test_without_keys_nobody_comes_through_a_proxy(settings: Settings) -> None:
    check = AccessCheck(settings)
    headers = ("forwarded", "x_forwarded_for", "x_forwarded_host", "x_forwarded_proto", "x_real_ip", "via")
    proxied: list[Any] = [call(**{name: "203.0.113.7"}) for name in headers]
    for scope in [*proxied, call(http_version="1.0")]:
        with pytest.raises(Forbidden, match="proxy"):
            await check.admit(scope)


@pytest.mark.parametrize("way", [check._owner, check._asked_of_kernel, check._found_in_tables])
@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_the_owner_of_a_connection_is_known(way: Callable[..., int | None], host: str) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with (
        socket.create_server((host, 0), family=family) as server,
        socket.create_connection(server.getsockname()[:2]) as client,
    ):
        ends = client.getsockname()[:2], server.getsockname()[:2]
        assert way(*ends) == os.getuid()
        assert not check.is_another_users(*ends)
        if os.geteuid() == 0:
            os.fchown(client.fileno(), NOBODY, -1)
            assert way(*ends) == NOBODY
            assert check.is_another_users(*ends)
    assert way(("127.0.0.1", 1), ("127.0.0.1", 2)) is None, "nothing is known of a connection that is not"


def test_who_calls_an_address_of_both_families_is_known() -> None:
    with (
        socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True) as server,
        socket.create_connection(("127.0.0.1", server.getsockname()[1])),
    ):
        accepted, client = server.accept()
        with accepted:
            assert check._asked_of_kernel(client[:2], accepted.getsockname()[:2]) == os.getuid()


def test_of_nobody_in_particular_nothing_is_known() -> None:
    assert not check.is_another_users(None, None)
    assert not check.is_another_users(("testclient", 50_000), ("127.0.0.1", 2))


async def test_a_connection_of_another_user_is_not_the_owners(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("masis.access.check.is_another_users", lambda *_: True)
    with pytest.raises(Forbidden, match="another user"):
        await AccessCheck(settings).admit(call())


async def test_the_first_key_counts_at_once_and_revoking_the_last_one_opens_nothing(settings: Settings) -> None:
    keys, at_home = Keys(settings), AccessCheck(settings)
    abroad = AccessCheck(settings, always_with_keys=True)
    key, token = keys.create("agent", "read", ["acme"])
    for door in (at_home, abroad):
        with pytest.raises(Unauthorized):
            await door.admit(call())
    known = await abroad.admit(call("masis.example", authorization=f"bearer {token}"))
    assert known.key.key_id == key.key_id
    keys.revoke(key.key_id)
    with pytest.raises(Unauthorized):
        await at_home.admit(call())
    keys.stop_asking()
    at_home.keys_changed()
    assert (await at_home.admit(call())).key is LOCAL_ADMIN
    with pytest.raises(Unauthorized):
        await abroad.admit(call())


async def test_a_key_is_held_to_its_rate(settings: Settings) -> None:
    _, token = Keys(settings).create("agent", "read", ["acme"])
    check, scope = AccessCheck(settings), call(authorization=f"Bearer {token}")
    await check.admit(scope)
    await check.admit(scope)
    with pytest.raises(RateLimited):
        await check.admit(scope)


def test_an_address_that_others_reach_needs_a_key_first(settings: Settings) -> None:
    assert not require_keys_for("127.0.0.1", settings)
    with pytest.raises(InvalidInput, match="no keys"):
        require_keys_for("0.0.0.0", settings)
    Keys(settings).create("agent", "read", ["acme"])
    assert require_keys_for("0.0.0.0", settings)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.8.8.8"])
def test_loopback_is_known(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.7", "localhost.example", ""])
def test_all_else_is_open(host: str) -> None:
    assert not is_loopback(host)
