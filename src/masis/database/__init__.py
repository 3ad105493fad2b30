"""Where documents and runs are stored: SQLite in the data folder, or PostgreSQL if configured.

SQL is written once, in the dialect that both understand: `?` and `:name` for parameters; TEXT, INTEGER, REAL and BLOB
for columns (and `INTEGER PRIMARY KEY` for a generated number); ON CONFLICT with its columns instead of OR IGNORE and OR
REPLACE. Calls block, so async code makes them in a thread.

`SharedWindow` is a sliding-window rate limit that one PostgreSQL counts for all processes and machines. A limit has at
most as many slots as it allows events, and only as many as were needed so far. An event takes a slot whose last event
is long enough ago, so no slot is used twice in a window, and no window holds more events than slots. Nobody waits for a
lock: simultaneous events take different slots. All times are the database's.
"""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from typing import Any, Protocol

from masis.errors import InvalidInput
from masis.settings import Settings

Parameters = Sequence[Any] | Mapping[str, Any]


class OnPostgres(str):
    """A schema step that only PostgreSQL needs."""


@dataclass(frozen=True, slots=True)
class Schema:
    """A set of tables that belongs to one part of MASIS. Several sets may share a database."""

    name: str
    steps: tuple[str, ...]
    """Step n upgrades format n-1 to n. Each statement ends with a semicolon and contains no other."""
    back: tuple[str, ...] = ()
    """Each undoes a step, from the second on, and drops what only the newer format can store."""


class Cursor(Protocol):
    @property
    def rowcount(self) -> int: ...
    def fetchone(self) -> Any: ...
    def fetchall(self) -> list[Any]: ...
    def __iter__(self) -> Iterator[Any]: ...


class Connection(Protocol):
    def execute(self, sql: str, parameters: Parameters = (), /) -> Cursor: ...
    def executemany(self, sql: str, rows: Iterable[Parameters], /) -> object: ...


class Database(Protocol):
    @property
    def row_lock(self) -> str:
        """Appended to a SELECT in a writing transaction to claim rows, skipping those that others have claimed."""
        ...

    @property
    def now(self) -> str:
        """SQL expression for the time in seconds, by the server's clock, which all machines share."""
        ...

    def reading(self) -> AbstractContextManager[Connection]:
        """Each statement sees what was committed when it started. Creates nothing."""
        ...

    def writing(self, lock: str | None = None) -> AbstractContextManager[Connection]:
        """One transaction, rolled back if an exception leaves the block.

        SQLite has one writer at a time. On PostgreSQL only transactions with the same `lock` wait for each other: name
        one if what you write depends on what you read.
        """
        ...

    def forget_deleted(self) -> None:
        """Removes deleted data from the disk as well, as far as possible."""
        ...

    def close(self) -> None:
        """Closes the connections. The next call opens new ones."""
        ...


def open_database(settings: Settings, schema: Schema, file: str = "masis.db") -> Database:
    """Does not open a file or socket yet."""
    if settings.database_url:
        from masis.database.postgres import PostgresDatabase

        return PostgresDatabase(settings.database_url, schema, settings.database_prepare)
    from masis.database.sqlite import SqliteDatabase

    return SqliteDatabase(settings.home / file, schema)


def steps_back(settings: Settings, schema: Schema, version: int) -> list[str]:
    """The statements that turn the newest tables into those of an older format."""
    if not 1 <= version <= len(schema.steps):
        raise InvalidInput(
            f"The {schema.name} tables have no format {version}.", advice=f"Choose one from 1 to {len(schema.steps)}."
        )
    undone = [s for s in reversed(schema.back[version - 1 :]) if settings.database_url or not isinstance(s, OnPostgres)]
    return [statement.strip() for step in undone for statement in step.split(";") if statement.strip()]


def go_back(settings: Settings, schema: Schema, version: int, file: str = "masis.db") -> None:
    """Turns the tables into those of an older format, in one transaction, for an older version of MASIS. Opened by this
    version again, they are upgraded again."""
    statements = steps_back(settings, schema, version)
    database = open_database(settings, schema, file)
    with closing(database), database.writing("schema_versions") as db:
        for statement in statements:
            db.execute(statement)
        db.execute("UPDATE schema_versions SET version = ? WHERE name = ?", (version, schema.name))


def vacuumed_often(*tables: str) -> OnPostgres:
    """For small tables whose rows are constantly rewritten. PostgreSQL keeps old row versions until autovacuum removes
    them, by default once a fifth of the table has changed; by then a queue would be mostly old versions. Half of each
    page stays free, so that a new version fits beside the old one and no index needs an update."""
    often = "autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0"
    return OnPostgres("".join(f"ALTER TABLE {table} SET (fillfactor = 50, {often});" for table in tables))


def vacuumed_as_usual(*tables: str) -> OnPostgres:
    """Undoes `vacuumed_often` and `vacuumed_early`."""
    names = "fillfactor, autovacuum_vacuum_scale_factor, autovacuum_vacuum_threshold, autovacuum_vacuum_cost_delay"
    return OnPostgres(
        "".join(f"ALTER TABLE {table} RESET ({names}, autovacuum_analyze_scale_factor);" for table in tables)
    )


def vacuumed_early(*tables: str) -> OnPostgres:
    """For large tables in which retention and runs delete or rewrite a part: vacuumed after 2% of the rows, not 20%."""
    early = "autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02"
    return OnPostgres("".join(f"ALTER TABLE {table} SET ({early});" for table in tables))


LIMITS = Schema(
    "limits",
    (
        """
        CREATE TABLE rate_slots (
            name TEXT NOT NULL,
            slot INTEGER NOT NULL,
            last_at REAL NOT NULL,
            PRIMARY KEY (name, slot)
        );
        """,
        "CREATE INDEX rate_slots_oldest ON rate_slots (name, last_at);",
        vacuumed_often("rate_slots"),
    ),
    back=("DROP INDEX rate_slots_oldest;", vacuumed_as_usual("rate_slots")),
)
_TRIES = 10
_PAUSE_SECONDS = 0.002
_NOW = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) AS DOUBLE PRECISION)"
_ASKED_AT = _NOW.replace("clock_timestamp", "statement_timestamp")
"""Slightly early, and the same for every row, so that an index finds the free slot."""
_TAKE = f"""
    WITH free AS (
        SELECT slot FROM rate_slots
        WHERE name = :name AND slot < :calls AND last_at <= {_ASKED_AT} - :seconds
        ORDER BY last_at LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    UPDATE rate_slots SET last_at = {_NOW} + :grace FROM free
    WHERE rate_slots.name = :name AND rate_slots.slot = free.slot
    RETURNING rate_slots.slot, rate_slots.last_at"""
_TAKE_AGAIN = f"""
    UPDATE rate_slots SET last_at = {_NOW} + :grace
    WHERE name = :name AND slot = :slot AND last_at = :last_at
    RETURNING slot, last_at"""
_WAIT = f"""
    SELECT COALESCE(MAX(slot) + 1, 0), COALESCE(MIN(last_at) + :seconds - {_NOW}, 0)
    FROM rate_slots WHERE name = :name AND slot < :calls"""
_FIRST_SLOTS = 10
_MAKE = """
    INSERT INTO rate_slots (name, slot, last_at)
    SELECT :name, slot, 0 FROM generate_series(:existing, :wanted - 1) AS slot
    ON CONFLICT (name, slot) DO NOTHING"""


@dataclass(frozen=True, slots=True)
class Place:
    """The right to one event, from `asked_at` until `grace` seconds later."""

    slot: int
    last_at: float
    asked_at: float
    """By this process's monotonic clock, just before the database was asked."""
    grace: float

    @property
    def late_by(self) -> float:
        """Above 0, the event would come later than it was counted for."""
        return time.monotonic() - self.asked_at - self.grace


def limits_database(settings: Settings) -> Database:
    return open_database(settings, LIMITS)


class SharedWindow:
    """Needs PostgreSQL. Calls block, so async code makes them in a thread."""

    def __init__(self, database: Database, name: str, calls: int, seconds: float) -> None:
        self._database = database
        self._limit = {"name": name, "calls": calls, "seconds": seconds}

    def take(self, grace: float = 0.0) -> Place | float:
        """A slot, or the number of seconds to wait before asking again."""
        answer = self._take_once(grace)
        for again in range(1, _TRIES):
            if isinstance(answer, Place) or answer > 0:
                break
            # One is free but locked by a transaction of others; when that ends, the slot is theirs or ours.
            time.sleep(_PAUSE_SECONDS * again)
            answer = self._take_once(grace)
        return answer

    def _take_once(self, grace: float) -> Place | float:
        with self._database.writing() as db:
            if place := self._taken(db, _TAKE, grace):
                return place
            existing, wait = db.execute(_WAIT, self._limit).fetchone()
            if existing < self._limit["calls"]:
                wanted = min(self._limit["calls"], 2 * existing + _FIRST_SLOTS)
                db.execute(_MAKE, {"name": self._limit["name"], "existing": existing, "wanted": wanted})
                return 0.0
            return max(0.0, float(wait))

    def take_again(self, place: Place, grace: float) -> Place | None:
        """Renews the slot; None if it was idle for so long that another event took it."""
        with self._database.writing() as db:
            return self._taken(db, _TAKE_AGAIN, grace, slot=place.slot, last_at=place.last_at)

    def _taken(self, db: Connection, sql: str, grace: float, **which: float) -> Place | None:
        asked_at = time.monotonic()
        row = db.execute(sql, {**self._limit, "grace": grace, **which}).fetchone()
        return Place(row[0], row[1], asked_at, grace) if row else None
