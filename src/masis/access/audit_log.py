"""The tables of access, the installation's secret, and the audit log: who did what, when, to which workspace."""

import hashlib
import hmac
import secrets
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from masis.access.api_key import iso, without_tokens
from masis.database import Database, Schema, open_database
from masis.errors import InvalidInput
from masis.settings import Settings
from masis.types import Caller

_MIN_CHARS = 32

_STEPS = (
    """
    CREATE TABLE access_secret (
        one INTEGER NOT NULL UNIQUE CHECK (one = 1),
        secret TEXT NOT NULL
    );
    CREATE TABLE api_keys (
        key_id TEXT PRIMARY KEY,
        name TEXT NOT NULL,
        role TEXT NOT NULL,
        workspaces TEXT NOT NULL,
        digest TEXT NOT NULL,
        created_at TEXT NOT NULL,
        expires_at TEXT,
        revoked_at TEXT,
        last_used_at TEXT
    );
    CREATE TABLE audit_log (
        entry_id TEXT PRIMARY KEY,
        at TEXT NOT NULL,
        who TEXT NOT NULL,
        key_id TEXT,
        action TEXT NOT NULL,
        workspace_id TEXT,
        subject TEXT,
        detail TEXT
    );
    CREATE INDEX audit_log_workspace ON audit_log (workspace_id, entry_id);
    """,
    "ALTER TABLE api_keys ADD COLUMN keeps_closed INTEGER NOT NULL DEFAULT 0;",
)


ACCESS = Schema("access", _STEPS, back=("ALTER TABLE api_keys DROP COLUMN keeps_closed;",))


def access_database(settings: Settings) -> Database:
    return open_database(settings, ACCESS)


def secret_for(purpose: str, settings: Settings, database: Database) -> bytes:
    """A separate secret for each purpose: a signature for one is worthless for another."""
    root = _given(settings) or _kept(database)
    return hmac.new(root.encode(), purpose.encode(), hashlib.sha256).digest()


def _given(settings: Settings) -> str | None:
    if settings.secret_key is None:
        return None
    given = settings.secret_key.get_secret_value()
    # Checked here and not in the settings, because a settings error would show the value.
    if len(given) < _MIN_CHARS:
        raise InvalidInput(
            f"MASIS_SECRET_KEY is shorter than {_MIN_CHARS} characters.",
            advice="Generate one with `openssl rand -hex 32`, or unset it to let MASIS generate its own.",
        )
    return given


def _kept(database: Database) -> str:
    with database.reading() as db:
        row = db.execute("SELECT secret FROM access_secret").fetchone()
    if row is None:
        with database.writing() as db:
            # Two processes may get here at once: the first secret stays.
            db.execute(
                "INSERT INTO access_secret (one, secret) VALUES (1, ?) ON CONFLICT (one) DO NOTHING",
                (secrets.token_hex(32),),
            )
            row = db.execute("SELECT secret FROM access_secret").fetchone()
    return str(row[0])


_COLUMNS = "entry_id, at, who, key_id, action, workspace_id, subject, detail"
_NS_DIGITS = 20


@dataclass(frozen=True, slots=True)
class AuditEntry:
    entry_id: str
    """Ascending in time; also the cursor for the next page."""
    at: str
    who: str
    key_id: str | None
    action: str
    """The action and the kind of object: `key.create`, `document.delete`."""
    workspace_id: str | None
    """None for entries about the installation."""
    subject: str | None
    """The id of the object."""
    detail: str | None
    """Further details for a reader."""


class AuditLog:
    def __init__(self, settings: Settings) -> None:
        self._database = access_database(settings)

    def record(
        self,
        who: Caller,
        action: str,
        workspace_id: str | None = None,
        subject: str | None = None,
        detail: str | None = None,
    ) -> None:
        now = time.time_ns()
        entry_id = f"{now:0{_NS_DIGITS}}{secrets.token_hex(4)}"
        at = iso(datetime.fromtimestamp(now / 1e9, UTC))
        texts = [text and without_tokens(text) for text in (subject, detail)]
        with self._database.writing() as db:
            db.execute(
                f"INSERT INTO audit_log ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (entry_id, at, who.name, who.key_id, action, workspace_id, *texts),
            )

    def entries(
        self,
        workspace: str | None = None,
        limit: int = 50,
        before: str | None = None,
        *,
        within: Collection[str] | None = None,
    ) -> list[AuditEntry]:
        """Newest first. `before` is the last entry_id seen; `within` limits the entries to these workspaces."""
        wanted = None if within is None else sorted(set(within))
        if workspace is not None:
            wanted = [workspace] if wanted is None or workspace in wanted else []
        conditions, parameters = _conditions(wanted, before)
        with self._database.reading() as db:
            rows = db.execute(
                f"SELECT {_COLUMNS} FROM audit_log WHERE {conditions} ORDER BY entry_id DESC LIMIT ?",
                (*parameters, max(0, limit)),
            ).fetchall()
        return [AuditEntry(*row) for row in rows]


def _conditions(workspaces: Sequence[str] | None, before: str | None) -> tuple[str, list[str]]:
    conditions, parameters = ["1 = 1"], list[str]()
    if workspaces is not None:
        conditions.append(f"workspace_id IN ({', '.join('?' * len(workspaces))})" if workspaces else "1 = 0")
        parameters += workspaces
    if before is not None:
        conditions.append("entry_id < ?")
        parameters.append(before)
    return " AND ".join(conditions), parameters
