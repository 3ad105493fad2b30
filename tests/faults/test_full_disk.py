"""A service on a disk that is really full: what it acknowledged goes on by itself when there is room again."""

import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from tests.support.deployment import until
from tests.support.disk import small_disk
from tests.support.service import Service

UPLOADS, DOCUMENTS = "/masis/workspaces/acme/ingestions", "/masis/workspaces/acme/documents"
MANY, FULL_SECONDS = 12, 5.0


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    with small_disk(tmp_path / "disk", megabytes=300) as folder:
        yield folder


@pytest.fixture
def service(disk: Path) -> Iterator[Service]:
    made = Service(disk, {"MASIS_POLL_SECONDS": "0.1"})
    made.start()
    yield made
    made.close()


def test_acknowledged_uploads_go_on_by_themselves_when_space_is_freed(disk: Path, service: Service) -> None:
    with service.client() as client:
        client.post("/masis/workspaces", json={"name": "acme"}).raise_for_status()
        service.upload("acme", {"before.md": b"# Before\n\nThere was room."})
        taken = [each for number in range(MANY) if (each := acknowledged(client, f"{number}.md"))]
        assert len(taken) == MANY
        fill(disk / "filler")
        time.sleep(FULL_SECONDS)
        assert client.get("/health").status_code == 200
        assert acknowledged(client, "refused.md") is None
        waiting = [each for each in taken if status(client, each) != "done"]
        assert len(waiting) > 1
        assert {status(client, each) for each in waiting} <= {"queued", "running"}
        (disk / "filler").unlink()
        until(lambda: all(status(client, each) == "done" for each in taken), seconds=120)
        service.upload("acme", {"after.md": b"# After\n\nThere is room again."})
        documents = client.get(DOCUMENTS).raise_for_status().json()["items"]
    names = [each["file_name"] for each in documents if each["status"] == "READY"]
    assert len(names) == len(set(names)) == len(documents) == len(taken) + 2


def fill(file: Path) -> None:
    """To the last byte."""
    with suppress(OSError), file.open("wb", buffering=0) as filler:
        while True:
            filler.write(bytes(1 << 16))


def acknowledged(client: httpx.Client, name: str) -> str | None:
    """The upload's id, or nothing if the service refused it."""
    answer = client.post(DOCUMENTS, files={"files": (name, text(name))})
    assert answer.status_code in (202, 503, 507), answer.text
    upload: str | None = answer.json()["ingestion_id"] if answer.status_code == 202 else None
    return upload


def text(name: str) -> bytes:
    """Long enough to be read when the disk is full."""
    lines = [f"The crane of harbour {number} in {name} lifts {number} tonnes." for number in range(400)]
    return "\n\n".join([f"# {name}", *lines]).encode()


def status(client: httpx.Client, upload: str) -> str:
    found: str = client.get(f"{UPLOADS}/{upload}").raise_for_status().json()["status"]
    return found
