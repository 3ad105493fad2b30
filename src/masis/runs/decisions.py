"""Standing decisions: what people decided about conflicts, kept for the workspace and applied to its later runs."""

import json
import uuid
from collections.abc import Sequence
from typing import cast

from masis.database import Connection, Database
from masis.errors import UnknownDecision
from masis.types import DecisionMade, StandingDecision


def keep_decisions(db: Connection, decisions: Sequence[DecisionMade]) -> list[StandingDecision]:
    """In the caller's transaction."""
    kept: list[StandingDecision] = [{**decision, "decision_id": uuid.uuid4().hex[:12]} for decision in decisions]
    db.executemany(
        "INSERT INTO decisions VALUES (?, ?, ?, ?)",
        [(d["decision_id"], d["workspace_id"], d["created_at"], json.dumps(d)) for d in kept],
    )
    return kept


class StandingDecisions:
    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, decisions: Sequence[DecisionMade]) -> list[StandingDecision]:
        with self._database.writing() as db:
            return keep_decisions(db, decisions)

    def of(self, workspace_id: str) -> list[StandingDecision]:
        """Oldest first: the later one has the last word."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT decision FROM decisions WHERE workspace_id = ? ORDER BY created_at, decision_id",
                (workspace_id,),
            )
            return [cast(StandingDecision, json.loads(row[0])) for row in rows.fetchall()]

    def delete(self, workspace_id: str, decision_id: str) -> StandingDecision:
        with self._database.writing(lock=decision_id) as db:
            row = db.execute(
                "SELECT decision FROM decisions WHERE workspace_id = ? AND decision_id = ?", (workspace_id, decision_id)
            ).fetchone()
            if row is None:
                raise UnknownDecision(f"There is no decision {decision_id[:80]} in {workspace_id}.")
            db.execute("DELETE FROM decisions WHERE decision_id = ?", (decision_id,))
        return cast(StandingDecision, json.loads(row[0]))
