"""What is PostgreSQL's own: servers that go away, passwords, addresses."""

import gc
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from masis.database import Schema, open_database
from masis.database import postgres as pools
from masis.database.postgres import PostgresDatabase
from masis.errors import DatabaseUnavailable, InvalidInput
from masis.runs.tables import RUNS
from masis.settings import Settings
from tests.support.deployment import until
from tests.support.servers import PostgresServer, free_port


def add(database: PostgresDatabase, name: str) -> None:
    with database.writing() as db:
        db.execute("INSERT INTO notes (name, number) VALUES (?, 1)", (name,))


def names(database: PostgresDatabase) -> list[str]:
    with database.reading() as db:
        return [row[0] for row in db.execute("SELECT name FROM notes ORDER BY name")]


def test_a_server_that_was_away_is_found_again(
    own_postgres_server: PostgresServer, notes: Schema, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pools, "_WAIT_SECONDS", 0.5)
    database = PostgresDatabase(own_postgres_server.url, notes)
    add(database, "before")
    own_postgres_server.restart()
    add(database, "restarted")
    own_postgres_server.kill()
    with pytest.raises(DatabaseUnavailable, match="refused") as error:
        names(database)
    assert "MASIS_DATABASE_URL" in error.value.advice
    own_postgres_server.start()
    assert names(database) == ["before", "restarted"]
    database.close()


def test_a_server_that_goes_in_the_middle_of_a_transaction(own_postgres_server: PostgresServer, notes: Schema) -> None:
    database = PostgresDatabase(own_postgres_server.url, notes)
    add(database, "whole")

    def write_half() -> None:
        with database.writing() as db:
            db.execute("INSERT INTO notes (name, number) VALUES ('half', 1)")
            own_postgres_server.kill()
            db.execute("INSERT INTO notes (name, number) VALUES ('other half', 1)")

    with pytest.raises(DatabaseUnavailable):
        write_half()
    own_postgres_server.start()
    assert names(database) == ["whole"]
    database.close()


def test_text_that_postgres_cannot_hold_keeps_its_places(postgres_url: str, notes: Schema) -> None:
    database = PostgresDatabase(postgres_url, notes)
    add(database, "a\x00b\ud800c\udfff\U0001f9ca")
    assert names(database) == ["a\ufffdb\ufffdc\ufffd\U0001f9ca"]
    with database.writing() as db:
        db.execute("UPDATE notes SET number = :yes, name = :name", {"yes": True, "name": "\x00"})
    assert names(database) == ["\ufffd"]
    database.close()


def test_when_all_connections_are_taken(postgres_url: str, notes: Schema, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "_CONNECTIONS", 1)
    # Long enough for the first connection to be made on a busy machine.
    monkeypatch.setattr(pools, "_WAIT_SECONDS", 1.5)
    database = PostgresDatabase(postgres_url, notes)
    with database.reading(), pytest.raises(DatabaseUnavailable, match="all are in use"):
        names(database)
    assert names(database) == []
    database.close()


def test_a_pool_may_be_given_back_by_one_of_its_own_threads(postgres_url: str) -> None:
    """Garbage is collected by whichever thread is at hand."""
    pool = pools.lease_pool(postgres_url)
    with pool.connection() as connection:
        pass
    went_wrong: list[BaseException] = []
    is_over = threading.Event()

    class Collected:
        def run(self) -> None:
            try:
                pools.release_pool(postgres_url)
            except BaseException as error:
                went_wrong.append(error)
            is_over.set()

    pool.run_task(Collected())  # type: ignore[arg-type]
    assert is_over.wait(10)
    until(lambda: connection.closed)
    assert went_wrong == []


def test_the_password_is_in_no_message(
    notes: Schema, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(pools, "_WAIT_SECONDS", 0.1)
    database = PostgresDatabase(f"postgresql://masis:s3cr3t@127.0.0.1:{free_port()}/masis", notes)
    with pytest.raises(DatabaseUnavailable) as error:
        names(database)
    database.close()
    with pytest.raises(InvalidInput) as unreadable:
        PostgresDatabase("postgresql://masis:s3cr3t%zz@127.0.0.1/masis", notes)
    said = [str(error.value), error.value.advice, str(unreadable.value), unreadable.value.advice, caplog.text]
    assert not any("s3cr3t" in words for words in said)


@pytest.mark.parametrize("url", ["mysql://localhost/masis", "localhost:5432", "sqlite:///masis.db"])
def test_an_address_that_is_not_of_postgres(url: str, notes: Schema) -> None:
    with pytest.raises(InvalidInput, match="not the address of a PostgreSQL") as error:
        open_database(Settings(database_url=url), notes)
    assert "postgresql://" in error.value.advice


def test_the_other_way_to_write_the_address(postgres_url: str, notes: Schema) -> None:
    database = PostgresDatabase(urlsplit(postgres_url)._replace(scheme="postgres").geturl(), notes)
    add(database, "a")
    assert names(database) == ["a"]
    database.close()


def test_what_it_needs_is_not_installed(notes: Schema, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(InvalidInput, match="not installed") as error:
        open_database(Settings(database_url="postgresql://localhost/masis"), notes)
    assert "masis[server]" in error.value.advice


def test_a_user_who_may_not_make_tables(postgres_url: str, notes: Schema) -> None:
    with psycopg.connect(postgres_url, autocommit=True) as db:
        db.execute("CREATE ROLE reader LOGIN")
        db.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    database = PostgresDatabase(postgres_url.replace("//masis@", "//reader@"), notes)
    with pytest.raises(DatabaseUnavailable, match="permission denied") as error:
        names(database)
    assert "may make and change tables" in error.value.advice
    database.close()
    with psycopg.connect(postgres_url, autocommit=True) as db:
        db.execute("DROP ROLE reader")


def test_one_pool_for_all_that_use_an_address(postgres_url: str, notes: Schema) -> None:
    first, second = PostgresDatabase(postgres_url, notes), PostgresDatabase(postgres_url, Schema("other", ("",)))
    assert (postgres_url, True) not in pools._shared, "nothing is opened before it is needed"
    assert names(first) == []
    with second.reading():
        assert pools._shared[postgres_url, True].users == 2
    first.close()
    assert names_of_threads()
    del second
    gc.collect()
    assert (postgres_url, True) not in pools._shared
    assert not names_of_threads()


def names_of_threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("pool-")]


def test_nothing_of_postgres_is_imported_for_the_data_folder() -> None:
    script = "import sys; from masis.knowledge.library import open_library; from masis.settings import Settings; "
    script += "open_library(Settings()); sys.exit('psycopg' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_a_server_that_is_away_is_told_of_once() -> None:
    script = f"""
import sys
from masis.database import Schema
from masis.database import postgres
from masis.database.postgres import PostgresDatabase
from masis.errors import DatabaseUnavailable
postgres._WAIT_SECONDS = 0.2
try:
    PostgresDatabase("postgresql://127.0.0.1:{free_port()}/masis", Schema("notes", ("",))).reading().__enter__()
except DatabaseUnavailable as error:
    sys.exit(error.code)
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert ended.stderr == "database_unavailable\n"


def test_busy_tables_are_cleaned_up_often(postgres_url: str, tmp_path: Path) -> None:
    settings = Settings(home=tmp_path, database_url=postgres_url)
    for schema in (RUNS, replace(RUNS, steps=RUNS.steps[:-1])):
        with psycopg.connect(postgres_url, autocommit=True) as connection:
            connection.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        before = open_database(settings, schema)
        with before.writing() as db:
            db.execute("INSERT INTO deleted_runs VALUES ('r1')")
        before.close()
        now = open_database(settings, RUNS)  # as made anew, and as brought up to date with what it held
        with now.reading() as db:
            rows = db.execute("SELECT relname, reloptions FROM pg_class WHERE reloptions IS NOT NULL").fetchall()
            kept = db.execute("SELECT run_id FROM deleted_runs").fetchall()
        now.close()
        options = dict(rows)
        assert {"autovacuum_vacuum_scale_factor=0", "fillfactor=50"} <= set(options["jobs"])
        assert "autovacuum_vacuum_scale_factor=0.02" in options["run_events"]
        assert [row[0] for row in kept] == ["r1"]
