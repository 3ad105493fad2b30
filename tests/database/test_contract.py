"""What both databases do alike."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from masis.database import Connection, Database, Schema, open_database
from masis.errors import MASISError
from masis.settings import Settings

START = """
import sys
from pathlib import Path
from masis.database import Schema, open_database
from masis.settings import Settings
step = "CREATE TABLE counts (name TEXT PRIMARY KEY, n INTEGER); INSERT INTO counts VALUES ('a', 0);"
schema = Schema("counts", (step,))
sys.stdin.read()
database = open_database(Settings(), schema)
for _ in range(20):
    with database.writing(lock="a") as db:
        n = db.execute("SELECT n FROM counts").fetchone()[0]
        db.execute("UPDATE counts SET n = ?", (n + 1,))
database.close()
"""


def names(database: Database) -> list[str]:
    with database.reading() as db:
        return [row[0] for row in db.execute("SELECT name FROM notes ORDER BY name")]


def add(database: Database, name: str) -> None:
    with database.writing() as db:
        db.execute("INSERT INTO notes (name, number) VALUES (?, 1)", (name,))


def add_half(database: Database, then: Callable[[Connection], object]) -> None:
    with database.writing(lock="half") as db:
        db.execute("INSERT INTO notes (name, number) VALUES ('half', 1)")
        then(db)


def test_every_kind_of_value_comes_back_as_it_went_in(database: Database) -> None:
    rows = [
        {"name": "Ünïcode '100 %' ? :x \U0001f9ca", "number": 2**53, "share": 0.1, "data": b"\x00\xff%s"},
        {"name": "", "number": -1, "share": None, "data": None},
    ]
    with database.writing() as db:
        db.executemany("INSERT INTO notes VALUES (:name, :number, :share, :data)", rows)
        db.executemany("INSERT INTO notes VALUES (?, ?, ?, ?)", [])
    with database.reading() as db:
        found = db.execute("SELECT name, number, share, data FROM notes ORDER BY number DESC").fetchall()
        total, mean = db.execute("SELECT SUM(number), AVG(share) FROM notes").fetchone()
    assert [tuple(row) for row in found] == [tuple(row.values()) for row in rows]
    assert (total, type(total), mean, type(mean)) == (2**53 - 1, int, 0.1, float)


def test_marks_within_quotes_are_text(database: Database) -> None:
    with database.reading() as db:
        row = db.execute("SELECT '? :name 100%', 'it''s ?', ?, 7 % 4 WHERE 'a%' LIKE '%'", ("x",)).fetchone()
    assert tuple(row) == ("? :name 100%", "it's ?", "x", 3)


def test_texts_are_ordered_by_their_characters(database: Database) -> None:
    for name in ["b", "a", "B", "_", "é", "Z", "a b"]:
        add(database, name)
    assert names(database) == sorted(["b", "a", "B", "_", "é", "Z", "a b"])


def test_numbers_are_given_out(database: Database) -> None:
    with database.writing() as db:
        given = [
            db.execute("INSERT INTO lines (text) VALUES (?) RETURNING line_id", (text,)).fetchone()[0] for text in "ab"
        ]
    assert given == [1, 2]


def test_how_many_rows_were_changed(database: Database) -> None:
    add(database, "a")
    with database.writing() as db:
        assert db.execute("UPDATE notes SET number = 2 WHERE name = ?", ("a",)).rowcount == 1
        assert db.execute("DELETE FROM notes WHERE name = ?", ("b",)).rowcount == 0
        again = db.execute("INSERT INTO notes (name, number) VALUES ('a', 1) ON CONFLICT (name) DO NOTHING")
        assert again.rowcount == 0


def test_a_transaction_is_done_whole_or_not_at_all(database: Database) -> None:
    add(database, "before")
    with pytest.raises(ZeroDivisionError):
        add_half(database, lambda db: 1 // 0)
    with pytest.raises(MASISError):
        add_half(database, lambda db: db.execute("INSERT INTO notes (name, number) VALUES ('before', 1)"))
    assert names(database) == ["before"]
    add(database, "after")
    assert names(database) == ["after", "before"]


def test_it_can_be_used_again_after_it_was_closed(database: Database) -> None:
    add(database, "a")
    database.close()
    database.close()
    assert names(database) == ["a"]


def test_several_schemas_share_a_database(database: Database, settings: Settings) -> None:
    add(database, "a")
    other = open_database(settings, Schema("other", ("CREATE TABLE others (name TEXT);",)))
    with other.writing() as db:
        db.execute("INSERT INTO others SELECT name FROM notes")
        assert db.execute("SELECT COUNT(*) FROM others").fetchone()[0] == 1
    other.close()


def test_a_new_version_of_masis_adds_its_steps_once(database: Database, settings: Settings, notes: Schema) -> None:
    add(database, "a")
    newer = replace(notes, steps=(*notes.steps, "ALTER TABLE notes ADD COLUMN extra INTEGER NOT NULL DEFAULT 5;"))
    for _ in range(2):
        upgraded = open_database(settings, newer)
        with upgraded.reading() as db:
            assert tuple(db.execute("SELECT name, extra FROM notes").fetchone()) == ("a", 5)
        upgraded.close()


def test_what_a_newer_version_wrote_is_refused(settings: Settings, notes: Schema) -> None:
    newer = open_database(settings, replace(notes, steps=(*notes.steps, "CREATE TABLE more (name TEXT);")))
    add(newer, "a")
    older = open_database(settings, notes)
    with pytest.raises(MASISError, match="format 2 of its notes, not 1") as error:
        names(older)
    assert "Use the version that wrote it" in error.value.advice
    assert names(newer) == ["a"]
    newer.close()
    older.close()


def test_a_step_that_fails_leaves_nothing(database: Database, settings: Settings, notes: Schema) -> None:
    add(database, "a")
    broken = open_database(
        settings, replace(notes, steps=(*notes.steps, "CREATE TABLE half (name TEXT); CREATE TABLE notes (name TEXT);"))
    )
    with pytest.raises(MASISError):
        names(broken)
    with pytest.raises(MASISError, match="half"), database.reading() as db:
        db.execute("SELECT 1 FROM half")
    assert names(database) == ["a"]
    broken.close()


def test_writers_with_one_lock_wait_for_each_other(database: Database) -> None:
    add(database, "count")

    def count() -> None:
        for _ in range(10):
            with database.writing(lock="count") as db:
                found = db.execute("SELECT number FROM notes WHERE name = 'count'").fetchone()[0]
                db.execute("UPDATE notes SET number = ? WHERE name = 'count'", (found + 1,))

    in_threads(count, 8)
    with database.reading() as db:
        assert db.execute("SELECT number FROM notes").fetchone()[0] == 81


def test_rows_are_taken_by_one_only(database: Database) -> None:
    for number in range(40):
        add(database, f"{number:02}")
    taken: list[str] = []

    def take() -> None:
        while True:
            with database.writing() as db:
                row = db.execute(f"SELECT name FROM notes WHERE number = 1 LIMIT 1{database.row_lock}").fetchone()
                if row is None:
                    return
                db.execute("UPDATE notes SET number = 0 WHERE name = ?", (row[0],))
                taken.append(row[0])

    in_threads(take, 4)
    assert sorted(taken) == [f"{number:02}" for number in range(40)]


def test_processes_that_start_at_once(settings: Settings) -> None:
    environment = {**os.environ, "MASIS_HOME": str(settings.home)}
    if settings.database_url:
        environment["MASIS_DATABASE_URL"] = settings.database_url
    command = [sys.executable, "-c", START]
    processes = [
        subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)
    ]
    for process in processes:
        assert process.stdin
        process.stdin.close()
    errors = []
    for process in processes:
        assert process.stderr
        errors.append(process.stderr.read().decode())
        process.stderr.close()
        process.wait(60)
    assert errors == [""] * 4
    database = open_database(settings, Schema("counts", ("",)))
    with database.reading() as db:
        assert db.execute("SELECT n FROM counts").fetchone()[0] == 80
    database.close()


def in_threads(work: Callable[[], None], count: int) -> None:
    errors: list[BaseException] = []

    def caught() -> None:
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=caught) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
