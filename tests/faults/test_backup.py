"""The commands of docs/deploy.md, run as they stand there: what is restored answers as before."""

import os
import re
import secrets
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from masis import Masis, Settings
from masis.access.keys import Keys
from tests.support.deployment import MASIS
from tests.support.servers import PostgresServer, QdrantServer

PAGE = Path(__file__).parents[2] / "docs" / "deploy.md"
QUESTION = "What was revenue in 2025?"
Place = dict[str, str]


def commands(mark: str) -> str:
    [found] = re.findall(rf"<!-- {mark} -->\n```sh\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return str(found)


def follow_the_page(mark: str, place: Place, folder: Path, *programs: Path) -> None:
    path = ":".join([*map(str, programs), str(MASIS.parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands(mark)],
        env={**os.environ, **place, "PATH": path},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr


@contextmanager
def opened(place: Place, monkeypatch: pytest.MonkeyPatch) -> Iterator[Masis]:
    with monkeypatch.context() as patch:
        for name, value in place.items():
            patch.setenv(name, value)
        masis = Masis(Settings())
    yield masis
    masis.close()


def fill(masis: Masis, folder: Path) -> None:
    (folder / "report.md").write_text("# Report\n\nRevenue was $12 million in 2025.\n")
    masis.ingest([folder / "report.md"], "acme")
    Keys(masis.settings).create("Ada", "write", ["acme"])


def ask(masis: Masis) -> tuple[Any, ...]:
    found = masis.ask(QUESTION, "acme")
    return found.answer, found.confidence, [chunk["chunk_id"] for chunk in found.evidence]


def contents(masis: Masis) -> tuple[Any, ...]:
    runs = [(asdict(run), masis.result(run.run_id), masis.events(run.run_id)) for run in masis.runs()]
    return runs, Keys(masis.settings).list(), masis.documents("acme")


def assert_restored(
    old: Place,
    new: Place,
    kind: str,
    folder: Path,
    patch: pytest.MonkeyPatch,
    *programs: Path,
    backup: Sequence[str] = (),
) -> None:
    with opened(old, patch) as masis:
        fill(masis, folder)
        answer, kept = ask(masis), contents(masis)
    assert "$12 million" in answer[0]
    for mark in backup or [f"backup: {kind}"]:
        follow_the_page(mark, old, folder, *programs)
    follow_the_page(f"restore: {kind}", new, folder, *programs)
    with opened(new, patch) as masis:
        assert contents(masis) == kept
        assert ask(masis) == answer


def test_a_data_folder_comes_back_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = ({"MASIS_HOME": str(tmp_path / name)} for name in ("old", "new"))
    assert_restored(old, new, "folder", tmp_path, monkeypatch)


@pytest.fixture
def servers(
    tmp_path: Path, postgres_server: PostgresServer, postgres_url: str, qdrant_server: QdrantServer
) -> Iterator[tuple[Place, Place]]:
    """In use, and empty."""
    fresh_url = postgres_server.database("restored")
    fresh_index = QdrantServer(tmp_path)
    fresh_index.start()
    name = {"MASIS_QDRANT_COLLECTION": f"before-the-fire-{secrets.token_hex(4)}"}
    old = {"MASIS_HOME": str(tmp_path / "old"), "MASIS_DATABASE_URL": postgres_url, "QDRANT_URL": qdrant_server.url}
    new = {"MASIS_HOME": str(tmp_path / "new"), "MASIS_DATABASE_URL": fresh_url, "QDRANT_URL": fresh_index.url}
    yield old | name, new | name
    fresh_index.stop()
    postgres_server.drop("restored")


@pytest.mark.parametrize("kind", ["servers", "index"])
def test_the_servers_come_back_elsewhere(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    postgres_server: PostgresServer,
    servers: tuple[Place, Place],
    kind: str,
) -> None:
    backup = ["backup: servers", f"backup: {kind}"] if kind == "index" else []
    assert_restored(*servers, kind, tmp_path, monkeypatch, postgres_server.programs, backup=backup)


def test_a_data_folder_moves_to_servers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, servers: tuple[Place, Place]
) -> None:
    old, new = {"MASIS_HOME": servers[0]["MASIS_HOME"]}, servers[1] | {"MASIS_HOME": servers[0]["MASIS_HOME"]}
    with opened(old, monkeypatch) as masis:
        fill(masis, tmp_path)
        answer, kept = ask(masis), contents(masis)
    follow_the_page("migrate", new, tmp_path)
    with opened(new, monkeypatch) as masis:
        assert contents(masis) == kept
        assert ask(masis) == answer
