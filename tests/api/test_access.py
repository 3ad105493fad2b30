"""What keys may do, on a service that has some."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from masis.access.audit_log import AuditLog
from masis.settings import Settings
from tests.api.live import Live, serving


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Live, str]]:
    with serving(Settings(home=tmp_path_factory.mktemp("keys"))) as service, service.client() as local:
        for name in ("acme", "other"):
            local.post("/masis/workspaces", json={"name": name}).raise_for_status()
        first = local.post("/masis/keys", json={"name": "Ada", "role": "admin", "workspaces": ["*"]})
        yield service, first.json()["token"]


@pytest.fixture
def admin(locked: tuple[Live, str]) -> Iterator[httpx.Client]:
    with locked[0].client(locked[1]) as client:
        yield client


def granted(admin: httpx.Client, role: str, *workspaces: str) -> dict[str, str]:
    made = admin.post("/masis/keys", json={"name": f"a {role}", "role": role, "workspaces": workspaces})
    assert made.status_code == 201
    return {"Authorization": f"Bearer {made.json()['token']}", "key_id": made.json()["key_id"]}


def test_from_the_first_key_on_a_key_is_needed(locked: tuple[Live, str]) -> None:
    with locked[0].client() as nobody:
        assert nobody.get("/masis/workspaces").status_code == 401
        assert nobody.get("/health").status_code == 200


def test_a_key_sees_its_workspaces_and_no_others(admin: httpx.Client) -> None:
    reader = granted(admin, "read", "acme")
    listed = admin.get("/masis/workspaces", headers=reader).json()["items"]
    assert [each["workspace_id"] for each in listed] == ["acme"]
    models = admin.get("/v1/models", headers=reader).json()["data"]
    assert [each["id"] for each in models] == ["acme"]


def test_an_admin_of_some_workspaces_gives_keys_for_those_only(admin: httpx.Client) -> None:
    of_acme = granted(admin, "admin", "acme")
    more = {"name": "more", "role": "read", "workspaces": ["other"]}
    assert admin.post("/masis/keys", json=more, headers=of_acme).status_code == 403
    assert admin.post("/masis/workspaces", json={"name": "third"}, headers=of_acme).status_code == 403
    fitting = {"name": "fitting", "role": "write", "workspaces": ["acme"]}
    assert admin.post("/masis/keys", json=fitting, headers=of_acme).status_code == 201
    names = {key["name"] for key in admin.get("/masis/keys", headers=of_acme).json()["items"]}
    assert "fitting" in names
    assert "Ada" not in names


def test_a_revoked_key_is_refused_at_once(admin: httpx.Client) -> None:
    reader = granted(admin, "read", "acme")
    assert admin.get("/masis/me", headers=reader).status_code == 200
    assert admin.delete(f"/masis/keys/{reader['key_id']}").json()["revoked_at"]
    assert admin.get("/masis/me", headers=reader).status_code == 401


def test_a_token_is_shown_once(admin: httpx.Client) -> None:
    token = granted(admin, "read", "acme")["Authorization"].removeprefix("Bearer ")
    assert token not in admin.get("/masis/keys").text
    assert token not in admin.get("/masis/audit-log").text


def test_what_is_done_is_in_the_audit_log_with_who_did_it(admin: httpx.Client) -> None:
    writer = granted(admin, "write", "acme")
    run = admin.post("/masis/workspaces/acme/runs", json={"query": "hello"}, headers=writer).json()
    log = admin.get("/masis/audit-log", params={"workspace": "acme"}).json()["items"]
    assert (log[0]["action"], log[0]["subject"], log[0]["key_id"]) == ("run.ask", run["run_id"], writer["key_id"])
    assert run["asked_by"] == "a write"
    page = admin.get("/masis/audit-log", params={"limit": 1}).json()
    following = admin.get("/masis/audit-log", params={"limit": 1, "cursor": page["next_cursor"]}).json()
    assert following["items"][0]["entry_id"] < page["items"][0]["entry_id"]


def test_a_key_is_held_to_its_rate(tmp_path: Path) -> None:
    with serving(Settings(home=tmp_path, key_rate_calls=3), with_worker=False) as service, service.client() as local:
        token = local.post("/masis/keys", json={"name": "Ada", "role": "read", "workspaces": ["*"]}).json()["token"]
        with service.client(token) as client:
            answers = [client.get("/masis/me") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert answers[-1].json()["code"] == "rate_limited"
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 60


def test_deleting_the_workspace_of_the_last_key_opens_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("masis.access.check._KEYS_SEEN_SECONDS", 0.0)
    with serving(Settings(home=tmp_path), with_worker=False) as service, service.client() as local:
        local.post("/masis/workspaces", json={"name": "acme"}).raise_for_status()
        token = local.post("/masis/keys", json={"name": "Ada", "role": "admin", "workspaces": ["acme"]}).json()["token"]
        with service.client(token) as client:
            assert client.delete("/masis/workspaces/acme").status_code == 200
            assert client.get("/masis/me").status_code == 401
        assert local.get("/masis/workspaces").status_code == 401
    entries = AuditLog(Settings(home=tmp_path)).entries("acme")
    assert [(entry.who, entry.action) for entry in entries][:2] == [("Ada", "workspace.delete"), ("Ada", "key.revoke")]
