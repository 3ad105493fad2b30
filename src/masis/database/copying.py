"""Copies the tables of one database to another: SQLite to PostgreSQL.

Rows are copied in storage order, so that an interrupted copy continues after its last row. A marker in the target
identifies the source: a target that holds other data is never written to.
"""

import random
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from masis.database import Connection, Database, Schema, open_database
from masis.database.postgres import postgres_parameters
from masis.errors import InvalidInput, MASISError
from masis.settings import Settings

SAMPLE = 25
"""Number of rows per table compared at the end; all rows are counted."""
OnStep = Callable[[str, int, int], None]
"""What is being copied, how much is done, and how much there is."""

_TABLE = re.compile(r"CREATE TABLE (?:IF NOT EXISTS )?(\w+)")
_INCIDENTAL = ("access_secret", "catalog_identity", "ended_sessions")
"""Tables that may have rows in a database that was opened but never used."""
_MARK = Schema("migration", ("CREATE TABLE migration (source TEXT PRIMARY KEY, finished_at TEXT);",))
_ROWS, _BYTES = 500, 8_000_000
"""Most rows and bytes per transaction."""


class Copying:
    def __init__(
        self, source: Settings, target: Settings, schemas: Sequence[tuple[Schema, str]], identity: str, on_step: OnStep
    ) -> None:
        """`schemas`: each with its file in the data folder. `identity` identifies the source."""
        self._pairs = [
            (schema, open_database(source, schema, file), open_database(target, schema)) for schema, file in schemas
        ]
        self._mark = open_database(target, _MARK)
        self._identity, self._on_step = identity, on_step
        self.is_finished = False

    def close(self) -> None:
        for _, source, target in self._pairs:
            source.close()
            target.close()
        self._mark.close()

    def counts(self) -> dict[str, int]:
        return {name: _count(source, name) for name, source, _ in self._tables()}

    def require_free(self) -> None:
        """Raises InvalidInput if the target is in use, unless it is a copy of this very source."""
        with self._mark.reading() as db:
            known = db.execute("SELECT source, finished_at FROM migration").fetchone()
        if known and known[0] == self._identity:
            self.is_finished = known[1] is not None
            return
        # Eagerly: every table must exist before the copy begins.
        counts = {name: _count(target, name) for name, _, target in self._tables()}
        used = [name for name, rows in counts.items() if rows and name not in _INCIDENTAL]
        if used or known:
            raise InvalidInput(
                f"The database of MASIS_DATABASE_URL is in use: it has rows in {', '.join(used[:5]) or 'migration'}.",
                advice="Migrate into an empty database.",
            )

    def begin(self) -> None:
        with self._mark.writing() as db:
            if db.execute("SELECT 1 FROM migration").fetchone():
                return
            for name in _INCIDENTAL:
                db.execute(f"DELETE FROM {name}")
            db.execute("INSERT INTO migration VALUES (?, NULL)", (self._identity,))

    def finish(self) -> None:
        with self._mark.writing() as db:
            db.execute("UPDATE migration SET finished_at = ?", (datetime.now(UTC).isoformat(),))
        self.is_finished = True

    def copy(self) -> int:
        """Returns the number of rows compared; all rows were counted."""
        for table in self._tables():
            self._copy(*table)
        return sum(_compared(*table) for table in self._tables())

    def _copy(self, name: str, source: Database, target: Database) -> None:
        total, there = _count(source, name), _count(target, name)
        with source.reading() as db:
            columns = _columns(db, name)
            marks = ", ".join("?" * len(columns))
            insert = f"INSERT INTO {name} ({', '.join(columns)}) VALUES ({marks}) ON CONFLICT DO NOTHING"
            rows = db.execute(f"SELECT {', '.join(columns)} FROM {name} LIMIT -1 OFFSET {there}")
            for batch in _batches(rows):
                self._on_step(name, there, total)
                with target.writing() as into:
                    into.executemany(insert, batch)
                there += len(batch)

    def _tables(self) -> Iterator[tuple[str, Database, Database]]:
        """In the order of creation, so that referenced tables come first."""
        for schema, source, target in self._pairs:
            for name in dict.fromkeys(_TABLE.findall(" ".join(schema.steps))):
                yield name, source, target


def _compared(name: str, source: Database, target: Database) -> int:
    total = _count(source, name)
    if total != _count(target, name):
        raise differs(f"the number of rows in {name}")
    places = random.Random(name).sample(range(total), min(SAMPLE, total))
    with source.reading() as db, target.reading() as other:
        columns, keys = _columns(db, name), _columns(db, name, keys=True)
        where = " AND ".join(f"{key} = :{key}" for key in keys)
        for place in places:
            row = db.execute(f"SELECT {', '.join(columns)} FROM {name} LIMIT 1 OFFSET {place}").fetchone()
            expected = dict(zip(columns, postgres_parameters(row), strict=True))
            found = other.execute(f"SELECT {', '.join(columns)} FROM {name} WHERE {where}", expected).fetchone()
            if found is None or list(found) != list(expected.values()):
                raise differs(f"a row in {name}")
    return len(places)


def _count(database: Database, table: str) -> int:
    with database.reading() as db:
        return int(db.execute(f"SELECT COUNT(*) FROM {table}").fetchone()[0])


def _columns(db: Connection, table: str, *, keys: bool = False) -> list[str]:
    """`keys` identify a row; a table without keys has one row."""
    described = db.execute(f"PRAGMA table_info({table})").fetchall()
    chosen = [row[1] for row in described if row[5]] if keys else [row[1] for row in described]
    return chosen or [described[0][1]]


def _batches(rows: Iterable[Any]) -> Iterator[list[Any]]:
    batch, size = list[Any](), 0
    for row in rows:
        batch.append(row)
        size += sum(len(value) for value in row if isinstance(value, str | bytes))
        if len(batch) == _ROWS or size > _BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def differs(what: str) -> MASISError:
    return MASISError(
        f"The copy differs from the data folder: {what}.",
        advice="The data folder is as it was. Empty the servers and migrate again.",
    )
