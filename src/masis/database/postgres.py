"""PostgreSQL: one pool of connections for each address and process, transactions, errors in words.

A server that was away is connected to again by the next call. No message holds the password.
"""

import contextlib
import hashlib
import importlib.util
import threading
import weakref
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from masis.database import Connection, Cursor, Parameters, Schema
from masis.database.dialect import postgres_parameters, postgres_sql, postgres_tables
from masis.database.postgres_pool import lease_pool, release_pool
from masis.errors import DatabaseUnavailable, InvalidInput

if TYPE_CHECKING:
    import psycopg
    from psycopg_pool import ConnectionPool

_VERSIONS = "CREATE TABLE IF NOT EXISTS schema_versions (name TEXT PRIMARY KEY, version BIGINT NOT NULL)"


class PostgresDatabase:
    row_lock = " FOR UPDATE SKIP LOCKED"

    def __init__(self, url: str, schema: Schema) -> None:
        _check_usable(url)
        self._url = url
        self._schema = schema
        self._lock = threading.Lock()
        self._pool: ConnectionPool[Any] | None = None
        self._give_back: weakref.finalize[Any, Any] | None = None
        self._is_prepared = False

    @contextlib.contextmanager
    def reading(self) -> Iterator[Connection]:
        with self._translated(), self._leased().connection() as raw:
            self._prepare(raw)
            yield _PostgresConnection(raw)

    @contextlib.contextmanager
    def writing(self, lock: str | None = None) -> Iterator[Connection]:
        with self._translated(), self._leased().connection() as raw:
            self._prepare(raw)
            with raw.transaction():
                if lock is not None:
                    _wait_for(raw, f"{self._schema.name} {lock}")
                yield _PostgresConnection(raw)

    def forget_deleted(self) -> None:
        """The server frees the space by itself, and keeps its log as long as it was told to."""

    def close(self) -> None:
        with self._lock:
            if self._give_back:
                self._give_back()
            self._pool = self._give_back = None

    def _leased(self) -> "ConnectionPool[Any]":
        with self._lock:
            if self._pool is None:
                self._pool = lease_pool(self._url)
                # Whoever forgets to close it must not leave connections behind.
                self._give_back = weakref.finalize(self, release_pool, self._url)
            return self._pool

    def _prepare(self, raw: "psycopg.Connection[Any]") -> None:
        if self._is_prepared:
            return
        with raw.transaction():
            _wait_for(raw, "schema_versions")  # several processes may start at once
            raw.execute(_VERSIONS)
            row = raw.execute("SELECT version FROM schema_versions WHERE name = %s", (self._schema.name,)).fetchone()
            self._migrate(raw, row[0] if row else 0)
        self._is_prepared = True

    def _migrate(self, raw: "psycopg.Connection[Any]", version: int) -> None:
        newest = len(self._schema.steps)
        if version > newest:
            raise DatabaseUnavailable(
                f"The database was written by a newer version of MASIS"
                f" (format {version} of its {self._schema.name}, not {newest}).",
                advice="Use the version that wrote it, or set MASIS_DATABASE_URL to another database.",
            )
        for step in self._schema.steps[version:]:
            raw.execute(postgres_tables(step).encode())
        raw.execute(
            "INSERT INTO schema_versions VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET version = excluded.version",
            (self._schema.name, newest),
        )

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        import psycopg
        from psycopg.errors import IdleInTransactionSessionTimeout
        from psycopg_pool import PoolTimeout

        try:
            yield
        except PoolTimeout:
            raise DatabaseUnavailable(f"PostgreSQL gave no connection: {_why_not(self._url)}") from None
        except (psycopg.OperationalError, psycopg.InterfaceError, IdleInTransactionSessionTimeout) as error:
            raise DatabaseUnavailable(f"PostgreSQL did not answer: {_in_a_line(error, self._url)}") from error
        except psycopg.Error as error:
            raise DatabaseUnavailable(
                f"PostgreSQL refused what MASIS asked of it: {_in_a_line(error, self._url)}",
                advice="Check that the user of MASIS_DATABASE_URL may make and change tables there.",
            ) from error


class _PostgresConnection:
    def __init__(self, raw: "psycopg.Connection[Any]") -> None:
        self._raw = raw

    def execute(self, sql: str, parameters: Parameters = (), /) -> Cursor:
        return self._raw.execute(postgres_sql(sql).encode(), postgres_parameters(parameters))

    def executemany(self, sql: str, rows: Iterable[Parameters], /) -> None:
        with self._raw.cursor() as cursor:
            cursor.executemany(postgres_sql(sql).encode(), [postgres_parameters(row) for row in rows])


def _wait_for(raw: "psycopg.Connection[Any]", name: str) -> None:
    """Until the transaction ends, no other that asks for the same name gets past this line."""
    number = int.from_bytes(hashlib.sha256(name.encode("utf-8", "replace")).digest()[:8], "big", signed=True)
    raw.execute("SELECT pg_advisory_xact_lock(%s)", (number,))


def _check_usable(url: str) -> None:
    if not url.startswith(("postgresql://", "postgres://")):
        raise InvalidInput(
            "MASIS_DATABASE_URL is not the address of a PostgreSQL database.",
            advice="Write it as postgresql://USER:PASSWORD@HOST:5432/DATABASE, or unset it for the data folder.",
        )
    if not (importlib.util.find_spec("psycopg") and importlib.util.find_spec("psycopg_pool")):
        raise InvalidInput(
            "MASIS_DATABASE_URL is set, and what MASIS needs for PostgreSQL is not installed.",
            advice="Install it with `pip install 'masis[server]'`, or unset MASIS_DATABASE_URL.",
        )
    import psycopg
    from psycopg.conninfo import conninfo_to_dict

    try:
        conninfo_to_dict(url)
    except psycopg.Error:
        # What exactly is wrong would be said with a part of the address, and that may be the password.
        raise InvalidInput(
            "MASIS_DATABASE_URL cannot be read as an address.",
            advice="Write special characters of the user and the password percent-encoded, as %40 for @.",
        ) from None


def _why_not(url: str) -> str:
    import psycopg

    try:
        psycopg.connect(url, connect_timeout=2).close()
    except psycopg.Error as error:
        return _in_a_line(error, url)
    return "all are in use."


def _in_a_line(error: Exception, url: str) -> str:
    from psycopg.conninfo import conninfo_to_dict

    words = " ".join(str(error).split())[:500] or type(error).__name__
    password = str(conninfo_to_dict(url).get("password") or "")
    return words.replace(password, "…") if password else words
