import shutil
from pathlib import Path

import httpx
import pytest

from masis import Masis
from masis._version import __version__
from masis.access.keys import Keys
from masis.api.app import create_app
from masis.cli.serving import other_doors
from masis.settings import Settings
from tests.api.live import serving
from tests.support.servers import free_port


def test_a_service_in_order_says_so(client: httpx.Client) -> None:
    assert client.get("/health").json() == {"status": "ok", "version": __version__}
    assert client.get("/ready").status_code == 200
    findings = client.get("/masis/doctor").json()
    assert {"embedder", "index", "database"} <= {finding["part"] for finding in findings}
    assert "bad" not in {finding["state"] for finding in findings}


def test_requests_are_counted_by_route_never_by_address(client: httpx.Client) -> None:
    client.get("/masis/workspaces/secret-project")
    page = client.get("/metrics")
    assert page.headers["content-type"].startswith("text/plain")
    assert 'route="/masis/workspaces/{workspace_id}",status="404"' in page.text
    assert "secret-project" not in page.text
    client.request("NONSENSE", "/health")
    assert "NONSENSE" not in client.get("/metrics").text


def test_what_is_served_beside_the_api_is_counted_by_its_address(tmp_path: Path) -> None:
    service = serving(Settings(home=tmp_path), with_worker=False, beside=other_doors())
    with service as live, live.client() as client:
        client.get("/mcp")
        assert 'route="/mcp",status="405"' in client.get("/metrics").text


def test_a_service_whose_index_is_lost_is_not_ready(tmp_path: Path) -> None:
    settings = Settings(home=tmp_path)
    report = tmp_path / "report.md"
    report.write_text("# Report\n\nRevenue was $12 million in 2025.\n")
    with Masis(settings) as masis:
        masis.ingest([report], "acme")
    for part in tmp_path.glob("index*"):
        shutil.rmtree(part) if part.is_dir() else part.unlink()
    with serving(settings, with_worker=False) as service, service.client() as client:
        assert client.get("/health").status_code == 200
        for address in ("/ready", "/masis/workspaces/acme/search?q=revenue"):
            answer = client.get(address)
            assert (answer.status_code, answer.json()["code"]) == (503, "index_lost")


@pytest.mark.parametrize(
    ("broken", "code"),
    [
        ({"qdrant_url": "http://127.0.0.1:{port}", "qdrant_timeout_seconds": 1.0}, "store_unavailable"),
        ({"database_url": "postgresql://masis:secret@127.0.0.1:{port}/masis"}, "database_unavailable"),
    ],
)
def test_a_service_whose_stores_are_away_lives_and_is_not_ready(
    tmp_path: Path, broken: dict[str, object], code: str
) -> None:
    port = free_port()
    away = {name: str(value).format(port=port) for name, value in broken.items()}
    with serving(Settings(home=tmp_path, **away), with_worker=False) as service, service.client() as client:
        assert client.get("/health").status_code == 200
        answer = client.get("/ready")
        assert (answer.status_code, answer.json()["code"]) == (503, code)
        assert int(answer.headers["retry-after"]) > 0
        assert "secret" not in answer.text
        assert str(port) not in answer.text


@pytest.mark.parametrize(("is_public", "statuses"), [(False, [401, 403, 200]), (True, [200, 200, 200])])
async def test_where_there_are_keys_metrics_take_one(tmp_path: Path, is_public: bool, statuses: list[int]) -> None:
    settings = Settings(home=tmp_path, metrics_public=is_public)
    keys = Keys(settings)
    tokens = [None, keys.create("some", "admin", ["acme"])[1], keys.create("all", "admin", ["*"])[1]]
    transport = httpx.ASGITransport(create_app(settings, with_worker=False))
    async with httpx.AsyncClient(transport=transport, base_url="http://masis.example") as client:
        seen = [
            (await client.get("/metrics", headers={"Authorization": f"Bearer {token}"} if token else {})).status_code
            for token in tokens
        ]
    assert seen == statuses


async def test_an_address_that_others_reach_is_never_open(tmp_path: Path) -> None:
    app = create_app(Settings(home=tmp_path), with_worker=False, always_with_keys=True)
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://127.0.0.1:8000") as client:
        assert (await client.get("/masis/me")).status_code == 401
