"""The tables of access, in the database that runs and documents share, and the secret of the installation."""

import hashlib
import hmac
import secrets

from masis.database import Database, Schema, open_database
from masis.errors import InvalidInput
from masis.settings import Settings

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


def access_database(settings: Settings) -> Database:
    return open_database(settings, Schema("access", _STEPS))


def secret_for(purpose: str, settings: Settings, database: Database) -> bytes:
    """One of its own for each purpose: what is signed for one says nothing for another."""
    root = _given(settings) or _kept(database)
    return hmac.new(root.encode(), purpose.encode(), hashlib.sha256).digest()


def _given(settings: Settings) -> str | None:
    if settings.secret_key is None:
        return None
    given = settings.secret_key.get_secret_value()
    # Not a rule of the settings: the complaint about a setting shows its value.
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
            # Two processes may get here at once: the first one's stays.
            db.execute(
                "INSERT INTO access_secret (one, secret) VALUES (1, ?) ON CONFLICT (one) DO NOTHING",
                (secrets.token_hex(32),),
            )
            row = db.execute("SELECT secret FROM access_secret").fetchone()
    return str(row[0])
