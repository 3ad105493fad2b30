"""Keys on every route, from the table of routes: a route that is added without asking for rights fails here."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import httpx
import pytest
from fastapi.routing import APIRoute

from masis.access.api_key import ROLES, Role
from masis.access.keys import Keys
from masis.api.access import Needs
from masis.api.app import create_app
from masis.settings import Settings

PUBLIC = {"/health", "/ready", "/docs"}
CHECKED_WITHIN = {"/metrics", "/masis/session"}
"""Public or not by a setting, and signing in and out: their own tests are in test_system.py and test_sessions.py."""
VALUES = {"document_id": "0" * 64, "model": "acme"}


@dataclass(frozen=True)
class Route:
    method: str
    path: str
    needs: Needs

    @property
    def address(self) -> str:
        return re.sub(r"\{(\w+)\}", lambda name: VALUES.get(name[1], "acme"), self.path)

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


def all_routes() -> list[APIRoute]:
    app = create_app(Settings())
    found = [route for router in (each for each in app.routes) for route in _within(router)]
    return [route for route in found if isinstance(route, APIRoute)]


def _within(route: object) -> list[object]:
    router = getattr(route, "original_router", None)
    return [inner for each in router.routes for inner in _within(each)] if router else [route]


def needs_of(route: APIRoute) -> list[Needs]:
    waiting, found = list(route.dependant.dependencies), []
    while waiting:
        dependant = waiting.pop()
        waiting += dependant.dependencies
        if isinstance(dependant.call, Needs):
            found.append(dependant.call)
    return found


def strictest(needs: list[Needs]) -> Needs:
    return max(needs, key=lambda each: (each.everywhere, ROLES.index(each.role)))


ROUTES = [
    Route(method, route.path, strictest(needs_of(route)))
    for route in all_routes()
    if needs_of(route)
    for method in sorted(route.methods or ())
]
IN_A_WORKSPACE = [route for route in ROUTES if "{workspace_id}" in route.path or "{model}" in route.path]
NOT_FOR_READERS = [route for route in ROUTES if route.needs.role != "read"]
NOT_FOR_WRITERS = [route for route in ROUTES if route.needs.role == "admin"]
FOR_ALL = [route for route in ROUTES if route.needs.everywhere]
"""What belongs to no workspace alone needs a key for all of them."""


@dataclass(frozen=True)
class Locked:
    client: httpx.AsyncClient
    tokens: dict[str, str]

    async def call(self, route: Route, token: str | None, **more: str) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.tokens.get(token, token)}"} if token else {}
        return await self.client.request(route.method, route.address, headers={**headers, **more}, json={})


@pytest.fixture(scope="module")
def tokens_and_settings(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], Settings]:
    settings = Settings(home=tmp_path_factory.mktemp("locked"), key_rate_calls=10_000)
    keys = Keys(settings)

    def made(role: Role, *workspaces: str) -> str:
        return keys.create(f"{role} of {workspaces}", role, workspaces)[1]

    long_ago = Keys(settings, clock=lambda: datetime.now(UTC) - timedelta(days=10))
    key, revoked = keys.create("revoked", "admin", ["*"])
    keys.revoke(key.key_id)
    return {
        "everything": made("admin", "*"),
        "read": made("read", "acme"),
        "write": made("write", "acme"),
        "admin": made("admin", "acme"),
        "foreign": made("admin", "elsewhere"),
        "expired": long_ago.create("expired", "admin", ["*"], "1d")[1],
        "revoked": revoked,
        "wrong": "masis_000000000000_" + "0" * 64,
        "nonsense": "let me in",
    }, settings


@pytest.fixture
async def locked(tokens_and_settings: tuple[dict[str, str], Settings]) -> Iterator[Locked]:
    tokens, settings = tokens_and_settings
    transport = httpx.ASGITransport(create_app(settings, with_worker=False))
    async with httpx.AsyncClient(transport=transport, base_url="http://masis.example") as client:
        yield Locked(client, tokens)


def test_every_route_asks_for_rights_or_is_public_on_purpose() -> None:
    open_ones = {route.path for route in all_routes() if not needs_of(route)}
    assert open_ones == PUBLIC | CHECKED_WITHIN
    assert len(ROUTES) > 30


@pytest.mark.parametrize("token", [None, "wrong", "nonsense", "expired", "revoked"])
async def test_without_a_valid_key_nothing_opens(locked: Locked, token: str | None) -> None:
    for route in ROUTES:
        refused = await locked.call(route, token)
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer"), route
        assert "unauthorized" in refused.text, route


@pytest.mark.parametrize(
    ("token", "closed"),
    [("foreign", IN_A_WORKSPACE), ("read", NOT_FOR_READERS), ("write", NOT_FOR_WRITERS), ("admin", FOR_ALL)],
)
async def test_a_key_opens_nothing_beyond_its_rights(locked: Locked, token: str, closed: list[Route]) -> None:
    for route in closed:
        refused = await locked.call(route, token)
        assert refused.status_code == 403, route
        assert "forbidden" in refused.text, route


async def test_the_right_key_is_let_in(locked: Locked) -> None:
    """What it asks for may not be there; that it may ask is what counts."""
    for route in ROUTES:
        answer = await locked.call(route, "everything")
        assert answer.status_code not in (401, 403, 405, 500), route


def test_what_changes_something_is_not_for_readers() -> None:
    assert [route for route in ROUTES if route.method != "GET" and route.needs.role == "read"] == []


async def test_the_key_may_come_in_a_header_of_its_own(locked: Locked) -> None:
    answer = await locked.client.get("/masis/me", headers={"X-API-Key": locked.tokens["write"]})
    assert answer.json()["role"] == "write"
    assert answer.json()["workspaces"] == ["acme"]


async def test_a_foreign_workspace_is_refused_alike_whether_or_not_it_exists(locked: Locked) -> None:
    admin = {"Authorization": f"Bearer {locked.tokens['everything']}"}
    await locked.client.post("/masis/workspaces", json={"name": "secret"}, headers=admin)
    reader = {"Authorization": f"Bearer {locked.tokens['read']}"}
    there, nowhere = [
        await locked.client.get(f"/masis/workspaces/{name}", headers=reader) for name in ("secret", "nowhere")
    ]
    assert there.status_code == nowhere.status_code == 403
    assert there.json()["detail"] == nowhere.json()["detail"]
