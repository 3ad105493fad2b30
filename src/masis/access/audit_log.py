"""The audit log: who did what, when, to which workspace. Entries are added and read, never changed."""

import secrets
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from masis.access.api_key import iso, without_tokens
from masis.access.tables import access_database
from masis.settings import Settings
from masis.types import Caller

_COLUMNS = "entry_id, at, who, key_id, action, workspace_id, subject, detail"
_NS_DIGITS = 20


@dataclass(frozen=True, slots=True)
class AuditEntry:
    entry_id: str
    """In the order of time; also the cursor to read on from."""
    at: str
    who: str
    key_id: str | None
    action: str
    """What was done to what: `key.create`, `document.delete`."""
    workspace_id: str | None
    """None for what concerns the installation."""
    subject: str | None
    """The id of what it was done to."""
    detail: str | None
    """What else a reader needs to know."""


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
        """Newest first. `before` is the last entry_id seen; `within` leaves out all but these workspaces' entries."""
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
