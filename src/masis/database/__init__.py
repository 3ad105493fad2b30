"""Where documents and runs are stored: SQLite in the data folder, or PostgreSQL when one is configured.

SQL is written once, in what both understand: `?` and `:name` for parameters; TEXT, INTEGER, REAL and BLOB for columns
(and `INTEGER PRIMARY KEY` for a number that is given out); ON CONFLICT with its columns instead of OR IGNORE and
OR REPLACE. Calls block: async code makes them in a thread.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from masis.settings import Settings

Parameters = Sequence[Any] | Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Schema:
    """A set of tables that one part of MASIS owns; several may share a database."""

    name: str
    steps: tuple[str, ...]
    """Step n brings format n-1 to n: statements, each ended by a semicolon, with no semicolon inside one."""


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
        """Ends a SELECT of a writing transaction that takes rows for itself and passes over those taken by others."""
        ...

    def reading(self) -> AbstractContextManager[Connection]:
        """Each statement sees what is committed when it starts. Where there is nothing yet, nothing is made."""
        ...

    def writing(self, lock: str | None = None) -> AbstractContextManager[Connection]:
        """One transaction, undone when an exception leaves it.

        SQLite has one writer at a time. On PostgreSQL only those with the same `lock` wait for each other: name one
        where what is written depends on what was read.
        """
        ...

    def forget_deleted(self) -> None:
        """What was deleted leaves the disk too, as far as that is in our hands."""
        ...

    def close(self) -> None:
        """Gives connections back; the next call opens new ones."""
        ...


def open_database(settings: Settings, schema: Schema, file: str = "masis.db") -> Database:
    """Opens no file or socket yet."""
    if settings.database_url:
        from masis.database.postgres import PostgresDatabase

        return PostgresDatabase(settings.database_url, schema)
    from masis.database.sqlite import SqliteDatabase

    return SqliteDatabase(settings.home / file, schema)
