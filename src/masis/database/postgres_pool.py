"""The pools of PostgreSQL connections of this process: one for each address, closed with its last user."""

import logging
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import psycopg
    from psycopg_pool import ConnectionPool

_CONNECTIONS = 10
"""In one process at most; PostgreSQL's own limit, 100 unless it was raised, is for all processes together."""
_WAIT_SECONDS = 4.0
_CONNECT_SECONDS = 5
_SILENCE_SECONDS = 30
_FROZEN_SECONDS = 10
"""A process that says nothing for so long in the middle of a transaction is frozen, or its machine is: the server ends
the transaction, or what it has locked would be kept from everybody until it wakes up."""
FROZEN = f"SET idle_in_transaction_session_timeout = '{_FROZEN_SECONDS}s'"


@dataclass(slots=True)
class _Shared:
    pool: "ConnectionPool[Any]"
    users: int = 0


_shared: dict[str, _Shared] = {}
_shared_lock = threading.RLock()
"""Giving back may happen at any moment, even while this thread takes one: when Python collects its garbage."""


def lease_pool(url: str) -> "ConnectionPool[Any]":
    with _shared_lock:
        found = _shared.get(url) or _shared.setdefault(url, _Shared(_open_pool(url)))
        found.users += 1
        return found.pool


def release_pool(url: str) -> None:
    with _shared_lock:
        found = _shared[url]
        found.users -= 1
        if found.users:
            return
        del _shared[url]
    if threading.current_thread().name.startswith(f"{found.pool.name}-"):
        # Collected by one of its own threads, which cannot wait for itself to end.
        threading.Thread(target=found.pool.close, daemon=True).start()
    else:
        found.pool.close()


def _open_pool(url: str) -> "ConnectionPool[Any]":
    """Connects when asked for a connection, and not before."""
    from psycopg_pool import ConnectionPool

    # The caller is told what went wrong; without a log to go to, it need not be told a second time on the terminal.
    logging.getLogger("psycopg.pool").addHandler(logging.NullHandler())
    return ConnectionPool(
        url,
        min_size=0,
        max_size=_CONNECTIONS,
        timeout=_WAIT_SECONDS,
        # Given up soon and begun anew by the next call: a server that comes back is found at once.
        reconnect_timeout=_CONNECT_SECONDS,
        kwargs={"autocommit": True, "connect_timeout": _CONNECT_SECONDS, "keepalives_idle": _SILENCE_SECONDS},
        check=ConnectionPool.check_connection,
        configure=_configure,
        open=True,
    )


def _configure(connection: "psycopg.Connection[Any]") -> None:
    from psycopg.adapt import Buffer, Loader

    class PlainNumber(Loader):
        """Sums of whole numbers come as decimals of any length; SQLite gives plain numbers."""

        def load(self, data: Buffer) -> int | float:
            text = bytes(data).decode()
            return int(text) if text.lstrip("-").isdigit() else float(text)

    connection.adapters.register_loader("numeric", PlainNumber)
    connection.execute(FROZEN)
