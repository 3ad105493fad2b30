"""A file of the data folder: made when needed, kept open cheaply, and what can go wrong with it."""

import gc
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from masis.database import Schema
from masis.database.sqlite import SqliteDatabase
from masis.errors import DataFolderError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "home" / "masis.db"


@pytest.fixture
def database(path: Path, notes: Schema) -> Iterator[SqliteDatabase]:
    database = SqliteDatabase(path, notes)
    add(database, "first")
    yield database
    database.close()


def names(database: SqliteDatabase) -> list[str]:
    with database.reading() as db:
        return [row[0] for row in db.execute("SELECT name FROM notes ORDER BY name")]


def add(database: SqliteDatabase, name: str) -> None:
    with database.writing() as db:
        db.execute("INSERT INTO notes (name, number) VALUES (?, 1)", (name,))


def test_looking_makes_no_folder(path: Path, notes: Schema) -> None:
    assert names(SqliteDatabase(path, notes)) == []
    SqliteDatabase(path, notes).forget_deleted()
    assert not path.parent.exists()


def test_what_was_deleted_is_not_on_the_disk_any_more(database: SqliteDatabase, path: Path) -> None:
    secret = "the merger with Quillfeather is off"
    add(database, secret)
    assert on_disk(path, secret)
    with database.writing() as db:
        db.execute("DELETE FROM notes WHERE name = ?", (secret,))
    database.forget_deleted()
    assert not on_disk(path, secret)


def on_disk(path: Path, words: str) -> bool:
    """In another process: one that reads a database file by itself loses SQLite's locks on it."""
    script = "import pathlib, sys; w = sys.argv[2].encode(); "
    script += "sys.exit(any(w in file.read_bytes() for file in pathlib.Path(sys.argv[1]).iterdir()))"
    return subprocess.run([sys.executable, "-c", script, path.parent, words], check=False).returncode == 1


def test_a_file_that_was_deleted_is_made_anew(database: SqliteDatabase, path: Path) -> None:
    shutil.rmtree(path.parent)
    assert names(database) == []
    add(database, "second")
    assert names(database) == ["second"]


def test_a_file_that_was_replaced_is_read_instead(database: SqliteDatabase, path: Path, notes: Schema) -> None:
    other = SqliteDatabase(path.parent / "other.db", notes)
    add(other, "of the other")
    other.close()
    database.close()
    assert names(database) == ["first"]
    for file in path.parent.glob("masis.db-*"):
        file.unlink()
    (path.parent / "other.db").replace(path)
    assert names(database) == ["of the other"]
    add(database, "more")
    assert names(database) == ["more", "of the other"]


def test_a_database_that_nobody_closed_leaves_no_open_file(path: Path, notes: Schema) -> None:
    database = SqliteDatabase(path, notes)
    add(database, "a")
    assert names(database) == ["a"]
    assert open_files(path)
    del database
    gc.collect()
    assert not open_files(path)


def open_files(path: Path) -> list[Path]:
    links = [link for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
    return [link for link in links if str(link.readlink()).startswith(str(path))]


def test_waiting_writers_all_get_their_turn(database: SqliteDatabase) -> None:
    errors: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for n in range(5):
                add(database, f"{number}-{n}")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(names(database)) == 1 + 32 * 5


# Folders of earlier versions


def earlier(path: Path, version: int) -> None:
    path.parent.mkdir()
    db = sqlite3.connect(path)
    with db:
        db.execute("CREATE TABLE catalog_version (version INTEGER NOT NULL)")
        db.execute("INSERT INTO catalog_version VALUES (?)", (version,))
        db.execute("CREATE TABLE kept (name TEXT)")
        db.execute("INSERT INTO kept VALUES ('of before')")
    db.close()


CATALOG = Schema("catalog", ("CREATE TABLE IF NOT EXISTS kept (name TEXT);",))


def test_an_earlier_folder_goes_on_working(path: Path, notes: Schema) -> None:
    earlier(path, 2)
    with SqliteDatabase(path, CATALOG).reading() as db:
        assert db.execute("SELECT name FROM kept").fetchall() == [("of before",)]
    add(SqliteDatabase(path, notes), "beside it")


def test_a_folder_of_an_unknown_format_is_refused(path: Path) -> None:
    earlier(path, 1)
    database = SqliteDatabase(path, CATALOG)
    with pytest.raises(DataFolderError, match="format 1 of its catalog, not 2"):
        database.writing().__enter__()


# Faults


@pytest.mark.parametrize("content", [b"my diary" * 200, b"\x00" * 5000, b"SQLite format 3\x00" + b"\xff" * 5000])
def test_a_file_that_is_no_database_is_refused_and_left_alone(path: Path, notes: Schema, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    with pytest.raises(DataFolderError, match="damaged or not a database of MASIS") as error:
        add(SqliteDatabase(path, notes), "a")
    assert "move it away" in error.value.advice
    assert path.read_bytes() == content


def test_a_damaged_database(database: SqliteDatabase, path: Path) -> None:
    for number in range(50):
        add(database, str(number))
    database.close()
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(DataFolderError, match="damaged"):
        names(database)


def test_the_folder_is_a_file(tmp_path: Path, notes: Schema) -> None:
    (tmp_path / "file").write_text("")
    database = SqliteDatabase(tmp_path / "file" / "masis.db", notes)
    with pytest.raises(DataFolderError) as error:
        add(database, "a")
    assert "MASIS_HOME" in error.value.advice


@pytest.mark.parametrize("act", [names, lambda database: add(database, "a")])
def test_the_database_is_a_folder(path: Path, notes: Schema, act: Callable[[SqliteDatabase], object]) -> None:
    path.mkdir(parents=True)
    database = SqliteDatabase(path, notes)
    with pytest.raises(DataFolderError):
        act(database)


def test_a_full_disk(database: SqliteDatabase, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite's own limit on pages fails exactly as a full disk does."""
    database.close()
    original = sqlite3.connect

    def limited(*args: Any, **kwargs: Any) -> Any:
        connection = original(*args, **kwargs)
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
        return connection

    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", limited)
        with pytest.raises(DataFolderError, match="no space left") as error:
            add(database, "x" * 10_000_000)
    assert "Free some space" in error.value.advice
    add(database, "second")
    assert names(database) == ["first", "second"]


def test_a_database_that_another_process_keeps_locked(
    database: SqliteDatabase, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.close()
    monkeypatch.setattr("masis.database.sqlite._BUSY_SECONDS", 0.01)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("BEGIN EXCLUSIVE")
    with pytest.raises(DataFolderError, match="another process"):
        add(database, "a")
    assert names(database) == ["first"], "reading goes on"
    db.execute("ROLLBACK")
    db.close()
    add(database, "a")


def test_a_writer_in_this_process_that_takes_too_long(
    database: SqliteDatabase, path: Path, notes: Schema, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("masis.database.sqlite._BUSY_SECONDS", 0.01)
    with database.writing(), pytest.raises(DataFolderError, match="another process"):
        add(SqliteDatabase(path, notes), "a")
    add(database, "b")
