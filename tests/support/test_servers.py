"""The servers that tests stand on are real ones: they end, crash, and come back with what they held."""

import tempfile
import urllib.request
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from psycopg.errors import DuplicateDatabase

from tests.support import servers
from tests.support.servers import PostgresServer, QdrantServer, free_port


@pytest.mark.parametrize("end", [PostgresServer.stop, PostgresServer.kill])
def test_postgres_keeps_its_data(own_postgres_server: PostgresServer, end: Callable[[PostgresServer], None]) -> None:
    url = own_postgres_server.database("kept")
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE notes AS SELECT 'still here' AS text")
    end(own_postgres_server)
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(url)
    own_postgres_server.start()
    with psycopg.connect(url) as connection:
        assert connection.execute("SELECT text FROM notes").fetchall() == [("still here",)]


def test_postgres_restarts_at_the_same_address(own_postgres_server: PostgresServer) -> None:
    before = own_postgres_server.url
    own_postgres_server.restart()
    assert own_postgres_server.url == before
    psycopg.connect(before).close()


def test_each_database_is_empty_and_its_own(postgres_server: PostgresServer, postgres_url: str) -> None:
    other = postgres_server.database("other")
    with psycopg.connect(postgres_url) as connection:
        connection.execute("CREATE TABLE mine (id int)")
    with psycopg.connect(other) as connection:
        assert connection.execute("SELECT to_regclass('mine')").fetchone() == (None,)
    with pytest.raises(DuplicateDatabase):
        postgres_server.database("other")
    postgres_server.drop("other")


def test_the_programs_can_dump_a_database(postgres_server: PostgresServer) -> None:
    assert {"pg_dump", "pg_restore", "psql"} <= {path.name for path in postgres_server.programs.iterdir()}


def test_closing_postgres_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    make = tempfile.mkdtemp
    monkeypatch.setattr(tempfile, "mkdtemp", lambda **given: made.append(make(**given)) or made[-1])
    server = PostgresServer()
    server.start()
    server.close()
    assert len(made) == 1
    assert not Path(made[0]).exists()


def test_postgres_starts_from_a_folder_that_only_its_owner_may_enter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = PostgresServer()
    install = server.programs.parent
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    (closed / "packages").symlink_to(install.parents[1])
    monkeypatch.setattr(
        servers, "_postgres_programs", lambda: closed / "packages" / install.parent.name / install.name / "bin"
    )
    other = PostgresServer()
    try:
        other.start()
        psycopg.connect(other.url).close()
    finally:
        other.close()
        server.close()


def test_qdrant_ends_crashes_and_comes_back(tmp_path: Path) -> None:
    server = QdrantServer(tmp_path)
    server.start()
    try:
        server.kill()
        with pytest.raises(OSError, match="refused"):
            urllib.request.urlopen(f"{server.url}/readyz", timeout=2)
        server.start()
        server.restart()
        assert urllib.request.urlopen(f"{server.url}/readyz", timeout=30).status == 200
    finally:
        server.stop()


def test_a_free_port_is_none_the_system_gives_to_clients() -> None:
    assert all(15_000 <= free_port() < 30_000 for _ in range(20))
