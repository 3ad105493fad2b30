"""The commands of docs/deploy.md, run as they stand there: what is restored answers as before."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.deployment import MASIS, Deployment
from tests.support.servers import PostgresServer, QdrantServer

PAGE = Path(__file__).parents[2] / "docs" / "deploy.md"
QUESTION = "What was revenue in 2025?"


def commands(mark: str) -> str:
    [found] = re.findall(rf"<!-- {mark} -->\n```sh\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return str(found)


def follow_the_page(mark: str, deployment: Deployment, folder: Path, *programs: Path) -> None:
    path = ":".join([*map(str, programs), str(MASIS.parent), deployment.environment["PATH"]])
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", commands(mark)],
        env={**deployment.environment, "PATH": path},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr


def fill(deployment: Deployment, folder: Path) -> None:
    (folder / "report.md").write_text("# Report\n\nRevenue was $12 million in 2025.\n")
    deployment.run("ingest", str(folder / "report.md"), "--workspace", "acme")
    deployment.run("keys", "create", "Ada", "--role", "write", "--workspace", "acme")


def ask(deployment: Deployment) -> tuple[Any, ...]:
    found = json.loads(deployment.run("ask", QUESTION, "--workspace", "acme", "--json"))
    return found["answer"], found["confidence"], [chunk["chunk_id"] for chunk in found["evidence"]]


def contents(deployment: Deployment) -> tuple[Any, ...]:
    runs = json.loads(deployment.run("runs", "list", "--json"))
    keys = json.loads(deployment.run("keys", "list", "--json"))
    return runs, keys


def test_a_data_folder_comes_back_elsewhere(tmp_path: Path) -> None:
    old = Deployment(tmp_path, {"MASIS_HOME": str(tmp_path / "old")})
    fill(old, tmp_path)
    answer, kept = ask(old), contents(old)
    follow_the_page("backup: folder", old, tmp_path)
    new = Deployment(tmp_path, {"MASIS_HOME": str(tmp_path / "new")})
    follow_the_page("restore: folder", new, tmp_path)
    assert contents(new) == kept
    assert ask(new) == answer
    assert "$12 million" in answer[0]


def test_the_servers_come_back_elsewhere(
    tmp_path: Path, postgres_server: PostgresServer, postgres_url: str, qdrant_server: QdrantServer
) -> None:
    fresh_url = postgres_server.database("restored")
    fresh_index = QdrantServer(tmp_path)
    fresh_index.start()
    try:
        settings = {"MASIS_HOME": str(tmp_path / "old"), "QDRANT_URL": qdrant_server.url}
        settings |= {"MASIS_DATABASE_URL": postgres_url, "MASIS_QDRANT_COLLECTION": "before"}
        old = Deployment(tmp_path, settings)
        fill(old, tmp_path)
        answer, kept = ask(old), contents(old)
        follow_the_page("backup: servers", old, tmp_path, postgres_server.programs)
        settings |= {"MASIS_HOME": str(tmp_path / "new"), "QDRANT_URL": fresh_index.url}
        new = Deployment(tmp_path, settings | {"MASIS_DATABASE_URL": fresh_url})
        follow_the_page("restore: servers", new, tmp_path, postgres_server.programs)
        assert contents(new) == kept
        assert ask(new) == answer
        assert "$12 million" in answer[0]
    finally:
        fresh_index.stop()
        postgres_server.drop("restored")


@pytest.mark.parametrize("kind", ["folder", "servers"])
def test_the_page_names_both_ways(kind: str) -> None:
    assert commands(f"backup: {kind}")
    assert commands(f"restore: {kind}")
