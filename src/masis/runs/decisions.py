"""What people decided about conflicts and wanted remembered: kept for the workspace, applied to its later runs."""

import json
import uuid
from collections.abc import Sequence
from typing import cast

from masis.database import Connection, Database
from masis.errors import InvalidInput
from masis.types import Decision, DecisionMade


class UnknownDecision(InvalidInput):
    code = "unknown_decision"
    advice = "List what is remembered with `masis decisions`."


def keep_decisions(db: Connection, decisions: Sequence[DecisionMade]) -> list[Decision]:
    """In the caller's transaction."""
    kept: list[Decision] = [{**decision, "decision_id": uuid.uuid4().hex[:12]} for decision in decisions]
    db.executemany(
        "INSERT INTO decisions VALUES (?, ?, ?, ?)",
        [(d["decision_id"], d["workspace_id"], d["created_at"], json.dumps(d)) for d in kept],
    )
    return kept


class Decisions:
    def __init__(self, database: Database) -> None:
        self._database = database

    def remember(self, decisions: Sequence[DecisionMade]) -> list[Decision]:
        with self._database.writing() as db:
            return keep_decisions(db, decisions)

    def of(self, workspace_id: str) -> list[Decision]:
        """Oldest first: the later one has the last word."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT decision FROM decisions WHERE workspace_id = ? ORDER BY created_at, decision_id",
                (workspace_id,),
            )
            return [cast(Decision, json.loads(row[0])) for row in rows.fetchall()]

    def forget(self, workspace_id: str, decision_id: str) -> Decision:
        with self._database.writing(lock=decision_id) as db:
            row = db.execute(
                "SELECT decision FROM decisions WHERE workspace_id = ? AND decision_id = ?", (workspace_id, decision_id)
            ).fetchone()
            if row is None:
                raise UnknownDecision(f"There is no decision {decision_id[:80]} in {workspace_id}.")
            db.execute("DELETE FROM decisions WHERE decision_id = ?", (decision_id,))
        return cast(Decision, json.loads(row[0]))
