"""Without keys nobody is let in through a real nginx, however it is set up; with one everybody who has it is."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
import uvicorn

from masis import Masis, Settings
from masis.access.keys import Keys
from masis.mcp.server import standalone_app
from tests.api.live import START_SECONDS, serving
from tests.support.nginx import proxies
from tests.support.waiting import SOON

BARE = ""
DEBIANS = (
    "proxy_set_header Host $http_host; proxy_set_header X-Real-IP $remote_addr; "
    "proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; proxy_set_header X-Forwarded-Proto $scheme;"
)
"""What Debian's /etc/nginx/proxy_params says."""
MODERN = 'proxy_http_version 1.1; proxy_set_header Connection "";'
"""Nothing in such a request tells of the proxy; only its user does."""
KINDS = {"bare": BARE, "debians": DEBIANS, "modern": MODERN}
HELLO = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
ACCEPTED = {"Accept": "application/json, text/event-stream"}


@contextmanager
def speaking_mcp(settings: Settings) -> Iterator[str]:
    with Masis(settings) as masis:
        config = uvicorn.Config(standalone_app(masis), port=0, log_config=None)
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run)
        thread.start()
        try:
            deadline = time.monotonic() + START_SECONDS
            while not server.started and time.monotonic() < deadline:
                time.sleep(0.01)
            yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(START_SECONDS)


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Settings]:
    return {name: Settings(home=tmp_path_factory.mktemp(name)) for name in ("api", "mcp")}


@pytest.fixture(scope="module")
def addresses(homes: dict[str, Settings], tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Direct ones, and through nginx: `mcp modern` and so on."""
    folder = tmp_path_factory.mktemp("nginx")
    with serving(homes["api"], with_worker=False) as api, speaking_mcp(homes["mcp"]) as mcp:
        direct = {"api": api.address, "mcp": mcp}
        targets = {f"{door} {kind}": (direct[door], KINDS[kind]) for door in direct for kind in KINDS}
        with proxies(folder, targets) as proxied:
            yield direct | proxied


def called(door: str, address: str, token: str | None = None) -> httpx.Response:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    if door == "api":
        return httpx.get(f"{address}/masis/workspaces", headers=headers, timeout=30)
    return httpx.post(f"{address}/mcp", json=HELLO, headers=headers | ACCEPTED, timeout=30)


@pytest.mark.parametrize("door", ["api", "mcp"])
def test_only_keys_open_a_service_behind_nginx(
    door: str, addresses: dict[str, str], homes: dict[str, Settings]
) -> None:
    kinds = [kind for kind in KINDS if kind != "modern" or os.geteuid() == 0]
    assert called(door, addresses[door]).status_code == 200
    for kind in kinds:
        refused = called(door, addresses[f"{door} {kind}"])
        assert (kind, refused.status_code, refused.json()["code"]) == (kind, 403, "forbidden")
    _, token = Keys(homes[door]).create("agent", "read", ["*"])
    time.sleep(1.1)  # the service looks once a second
    for kind in KINDS:
        assert called(door, addresses[f"{door} {kind}"]).status_code == 401
        assert called(door, addresses[f"{door} {kind}"], token).status_code == 200


def test_a_service_that_loses_its_database_stays_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("masis.access.check._KEYS_SEEN_SECONDS", 0.0)
    settings = Settings(home=tmp_path)
    with serving(settings, with_worker=False) as service:
        Keys(settings).create("agent", "admin", ["*"])
        assert called("api", service.address).status_code == 401
        for file in tmp_path.glob("masis.db*"):
            file.unlink()
        assert called("api", service.address).status_code == 401
    with serving(settings, with_worker=False) as service:
        assert called("api", service.address).status_code == 401
        made = httpx.post(
            f"{service.address}/masis/keys", json={"name": "Eve", "role": "admin", "workspaces": ["*"]}, timeout=SOON
        )
        assert made.status_code == 401
        Keys(settings).stop_asking()
        assert called("api", service.address).status_code == 200
