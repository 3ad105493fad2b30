"""The tables of access, in the database that runs and documents share."""

from masis.database import Database, Schema, open_database
from masis.settings import Settings

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


def access_database(settings: Settings) -> Database:
    return open_database(settings, Schema("access", _STEPS))
