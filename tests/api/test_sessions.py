"""Signing in to the page: a session has exactly the rights of its key, and ends with it."""

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta

import httpx
import pytest

from masis.access.api_key import Role
from masis.access.keys import Keys
from masis.access.sessions import SESSION_SECONDS, SIGN_IN_SECONDS, SIGN_INS, Sessions, SignInLimit
from masis.api.app import create_app
from masis.errors import RateLimited, Unauthorized
from masis.settings import Settings
from tests.api.test_every_route import FOR_ALL, IN_A_WORKSPACE, NOT_FOR_READERS, NOT_FOR_WRITERS, ROUTES, Route

CHANGING = [route for route in ROUTES if route.method != "GET"]


class Page:
    """A browser's view of the service: it keeps cookies, and sends the token that it was given."""

    def __init__(self, client: httpx.AsyncClient, keys: Keys) -> None:
        self.client = client
        self.keys = keys
        self.csrf: dict[str, str] = {}

    async def sign_in(self, role: Role, *workspaces: str) -> str:
        key, token = self.keys.create(f"a {role}", role, workspaces)
        answer = await self.client.post("/masis/session", json={"key": token})
        assert answer.status_code == 200
        self.csrf = {"X-CSRF-Token": answer.json()["csrf"]}
        return key.key_id

    async def call(self, route: Route) -> httpx.Response:
        return await self.client.request(route.method, route.address, headers=self.csrf, json={})


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    made = Settings(home=tmp_path_factory.mktemp("sessions"), key_rate_calls=10_000)
    Keys(made).create("the first", "admin", ["*"])
    return made


@pytest.fixture
def opened(settings: Settings) -> Callable[[str], httpx.AsyncClient]:
    app = create_app(settings, with_worker=False)
    return lambda address: httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=address)


@pytest.fixture
async def page(settings: Settings, opened: Callable[[str], httpx.AsyncClient]) -> AsyncIterator[Page]:
    async with opened("http://masis.example") as client:
        yield Page(client, Keys(settings))


async def test_a_session_says_who_is_signed_in(page: Page) -> None:
    await page.sign_in("write", "acme")
    seen = (await page.client.get("/masis/session")).json()
    assert seen == {"name": "a write", "role": "write", "workspaces": ["acme"], "csrf": page.csrf["X-CSRF-Token"]}
    assert (await page.client.get("/masis/me")).json()["role"] == "write"


@pytest.mark.parametrize(("address", "is_secure"), [("http://masis.example", False), ("https://masis.example", True)])
async def test_scripts_cannot_read_the_cookie_and_other_sites_cannot_send_it(
    settings: Settings, opened: Callable[[str], httpx.AsyncClient], address: str, is_secure: bool
) -> None:
    token = Keys(settings).create("Ada", "read", ["acme"])[1]
    async with opened(address) as client:
        cookie = (await client.post("/masis/session", json={"key": token})).headers["set-cookie"].lower()
    assert cookie.startswith("masis_session=")
    assert {"httponly", "samesite=strict", "path=/", f"max-age={SESSION_SECONDS}"} <= set(cookie.split("; "))
    assert ("secure" in cookie.split("; ")) is is_secure
    assert token not in cookie


async def test_another_site_signs_nobody_in(page: Page) -> None:
    _, token = page.keys.create("an attacker", "write", ["acme"])
    answer = await page.client.post("/masis/session", json={"key": token}, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403
    assert not page.client.cookies


async def test_what_changes_something_must_show_the_token_of_its_session(page: Page) -> None:
    await page.sign_in("admin", "*")
    for route in CHANGING:
        for shown in ({}, {"X-CSRF-Token": "0" * 64}, {"X-CSRF-Token": "é"}):
            headers = [(k.encode(), v.encode()) for k, v in shown.items()]
            refused = await page.client.request(route.method, route.address, headers=headers, json={})
            assert (refused.status_code, "CSRF token" in refused.text) == (403, True), route


async def test_the_session_of_an_admin_is_let_in(page: Page) -> None:
    await page.sign_in("admin", "*")
    for route in ROUTES:
        assert (await page.call(route)).status_code not in (401, 403, 405, 500), route


@pytest.mark.parametrize(
    ("role", "workspace", "closed"),
    [
        ("admin", "elsewhere", IN_A_WORKSPACE),
        ("read", "acme", NOT_FOR_READERS),
        ("write", "acme", NOT_FOR_WRITERS),
        ("admin", "acme", FOR_ALL),
    ],
)
async def test_a_session_opens_nothing_beyond_its_rights(
    page: Page, role: Role, workspace: str, closed: list[Route]
) -> None:
    await page.sign_in(role, workspace)
    for route in closed:
        assert (await page.call(route)).status_code == 403, route


async def test_a_revoked_key_ends_its_sessions_at_once(page: Page) -> None:
    page.keys.revoke(await page.sign_in("admin", "*"))
    for route in ROUTES:
        refused = await page.call(route)
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer"), route


async def test_a_key_that_expires_ends_its_sessions(settings: Settings, page: Page) -> None:
    yesterday = Keys(settings, clock=lambda: datetime.now(UTC) - timedelta(days=2))
    key, _ = yesterday.create("short", "admin", ["*"], "1d")
    page.client.cookies.set("masis_session", Sessions(settings).opened_for(key.key_id)[1])
    assert (await page.client.get("/masis/session")).status_code == 401


async def test_signing_out_ends_the_session_wherever_its_cookie_is(page: Page) -> None:
    await page.sign_in("read", "acme")
    copied = page.client.cookies["masis_session"]
    gone = await page.client.delete("/masis/session")
    assert (gone.status_code, "masis_session" in page.client.cookies) == (204, False)
    page.client.cookies.set("masis_session", copied)
    assert (await page.client.get("/masis/me")).status_code == 401
    assert (await page.client.delete("/masis/session")).status_code == 204


@pytest.mark.parametrize("ticket", ["", ".", "x", "é", "e30=.0", "W10=." + "0" * 64, "a.b.c", "." * 3000])
async def test_a_forged_ticket_opens_nothing(page: Page, ticket: str) -> None:
    refused = await page.client.get("/masis/me", headers=[(b"cookie", f"masis_session={ticket}".encode())])
    assert refused.status_code == 401


def test_a_ticket_is_good_for_its_hours_and_its_installation_only(settings: Settings) -> None:
    now = 1_000_000.0
    sessions = Sessions(settings, clock=lambda: now)
    session, ticket = sessions.opened_for("0" * 12)
    assert sessions.of(ticket) == session
    body, mark = ticket.split(".")
    for forged in (f"{body[:-4]}AAAA.{mark}", f"{body}.{mark[:-1]}{'0' if mark[-1] != '0' else '1'}"):
        with pytest.raises(Unauthorized):
            sessions.of(forged)
    elsewhere = Settings(home=settings.home, secret_key="another installation's secret " * 2)
    with pytest.raises(Unauthorized):
        Sessions(elsewhere, clock=lambda: now).of(ticket)
    now += SESSION_SECONDS
    with pytest.raises(Unauthorized):
        sessions.of(ticket)


def test_an_ended_session_is_ended_for_every_process(service_settings: Settings) -> None:
    one, another = Sessions(service_settings), Sessions(service_settings)
    session, ticket = one.opened_for("0" * 12)
    assert another.of(ticket) == session
    for _ in range(2):
        one.end(session)
    with pytest.raises(Unauthorized):
        another.of(ticket)


async def test_a_key_in_the_header_needs_no_token_and_goes_before_the_cookie(page: Page) -> None:
    await page.sign_in("read", "acme")
    key = {"Authorization": f"Bearer {page.keys.create('script', 'admin', ['*'])[1]}"}
    made = await page.client.post("/masis/workspaces", json={"name": "by-key"}, headers=key)
    assert made.status_code == 201


async def test_attempts_from_one_address_are_limited_and_written_down(page: Page) -> None:
    tries = [await page.client.post("/masis/session", json={"key": f"masis_{n}"}) for n in range(SIGN_INS + 1)]
    assert [each.status_code for each in tries] == [401] * SIGN_INS + [429]
    assert int(tries[-1].headers["retry-after"]) >= 1
    admin = {"Authorization": f"Bearer {page.keys.create('auditor', 'admin', ['*'])[1]}"}
    log = (await page.client.get("/masis/audit-log", headers=admin)).json()["items"]
    assert [entry["action"] for entry in log[:SIGN_INS]] == ["session.refused"] * SIGN_INS
    assert "masis_1" not in str(log)


async def test_signing_in_and_out_is_in_the_audit_log(page: Page) -> None:
    key_id = await page.sign_in("admin", "*")
    await page.client.delete("/masis/session")
    admin = {"Authorization": f"Bearer {page.keys.create('auditor', 'admin', ['*'])[1]}"}
    log = (await page.client.get("/masis/audit-log", headers=admin)).json()["items"]
    assert [(entry["action"], entry["key_id"]) for entry in log[:2]] == [
        ("session.end", key_id),
        ("session.open", key_id),
    ]


def test_the_limit_lets_go_with_time_and_forgets_old_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("masis.access.sessions._MOST_ADDRESSES", 3)
    limit = SignInLimit(clock=lambda: now)
    for _ in range(SIGN_INS):
        limit.count("a")
    for address in ("b", "c", "d", "e"):
        limit.count(address)
    assert len(limit._attempts) <= 3
    with pytest.raises(RateLimited):
        limit.count("a")
    now += SIGN_IN_SECONDS
    limit.count("a")
    limit.count("f")
    assert "b" not in limit._attempts


async def test_without_keys_nobody_needs_to_sign_in(tmp_path_factory: pytest.TempPathFactory) -> None:
    app = create_app(Settings(home=tmp_path_factory.mktemp("open")), with_worker=False)
    transport = httpx.ASGITransport(app)
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
        seen = await client.get("/masis/session")
        assert seen.json() == {"name": "local", "role": "admin", "workspaces": ["*"], "csrf": None}
        signed_in = await client.post("/masis/session", json={"key": "anything"})
        assert (signed_in.json(), "set-cookie" in signed_in.headers) == (seen.json(), False)
        assert (await client.delete("/masis/session")).status_code == 204
