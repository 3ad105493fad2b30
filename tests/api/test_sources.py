"""Sources over the API: added, synced by the worker, listed; and what the service does not read for anybody."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from masis.access.keys import Keys
from masis.settings import Settings
from tests.support.deployment import until
from tests.support.service import Service, ServiceHere


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sources") / "reports"
    folder.mkdir()
    (folder / "fleet.md").write_text("# Fleet\n\nThe ferry Halvorsen carried 4100 cars.\n")
    return folder


@pytest.fixture(scope="module")
def service(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    service = ServiceHere(tmp_path_factory.mktemp("service"), {"MASIS_SYNC_ALLOWED": str(folder)})
    service.start()
    yield service
    service.close()


@pytest.fixture
def client(service: Service) -> Iterator[httpx.Client]:
    with service.client() as client:
        client.base_url = httpx.URL(f"{service.url}/masis/workspaces/acme")
        yield client


def synced(client: httpx.Client, source_id: str) -> dict[str, Any]:
    def look() -> dict[str, Any]:
        found: dict[str, Any] = client.get(f"/sources/{source_id}").raise_for_status().json()
        return found

    until(lambda: not look()["is_syncing"])
    return look()


def test_a_source_is_added_synced_listed_and_removed(client: httpx.Client, folder: Path) -> None:
    added = client.post("/sources", json={"address": str(folder), "every": "15m"})
    assert added.status_code == 202, added.text
    source_id = added.json()["source_id"]
    done = synced(client, source_id)
    assert (done["status"], done["summary"]["counts"]["new"], done["every_seconds"]) == ("synced", 1, 900)
    assert [each["source_id"] for each in client.get("/sources").json()] == [source_id]
    (file,) = client.get(f"/sources/{source_id}/files").json()
    assert (file["name"], file["address"]) == ("fleet.md", str(folder / "fleet.md"))
    text = (folder / "fleet.md").read_text()
    (folder / "fleet.md").unlink()
    client.post(f"/sources/{source_id}/sync", json={}).raise_for_status()
    empty = synced(client, source_id)
    assert empty["status"] == "failed"
    assert "is empty" in empty["error"]
    (folder / "fleet.md").write_text(text)
    client.post(f"/sources/{source_id}/sync", json={}).raise_for_status()
    assert synced(client, source_id)["status"] == "synced"
    assert client.delete(f"/sources/{source_id}").status_code == 200
    assert client.get(f"/sources/{source_id}").status_code == 404
    assert len(client.get("/documents").json()["items"]) == 1


@pytest.mark.parametrize("address", ["/etc", "s3://acme/x", "sftp://host/x", "file:///etc", "zip::/etc/x.zip"])
def test_what_only_the_administrator_may_add_is_refused(client: httpx.Client, address: str) -> None:
    refused = client.post("/sources", json={"address": address})
    assert refused.status_code == 403
    assert "may not be read" in refused.json()["detail"]


def test_a_private_address_is_never_reached(client: httpx.Client, service: Service) -> None:
    added = client.post("/sources", json={"address": f"{service.url}/ready"}).raise_for_status().json()
    failed = synced(client, added["source_id"])
    assert failed["status"] == "failed"
    assert "not a public address" in failed["error"]
    client.delete(f"/sources/{added['source_id']}").raise_for_status()


def test_a_schedule_that_makes_no_sense_is_refused(client: httpx.Client, folder: Path) -> None:
    assert client.post("/sources", json={"address": str(folder), "every": "soon"}).status_code == 422
    assert client.post("/sources", json={"address": "https://a:b@example.com/"}).status_code == 422


def test_where_a_folder_lies_is_only_for_admins(folder: Path, tmp_path: Path) -> None:
    service = ServiceHere(tmp_path, {"MASIS_SYNC_ALLOWED": str(folder)})
    keys = Keys(Settings(home=service.home))
    admin = keys.create("boss", "admin", ["acme"])[1]
    reader = keys.create("reader", "read", ["acme"])[1]
    service.start()
    try:
        with service.client(admin) as boss, service.client(reader) as other:
            sources = "/masis/workspaces/acme/sources"
            boss.post(sources, json={"address": str(folder)}).raise_for_status()
            assert boss.get(sources).json()[0]["address"] == str(folder)
            assert other.get(sources).json()[0]["address"] == "reports"
            assert other.post(sources, json={"address": str(folder)}).status_code == 403
            until(lambda: not boss.get(sources).json()[0]["is_syncing"])
    finally:
        service.close()
