"""Standing decisions are their workspace's own, in the order they were made."""

from typing import Any

import pytest

from masis.database import Database
from masis.errors import UnknownDecision
from masis.runs.tables import StandingDecisions


def made(workspace: str = "w", **changes: Any) -> Any:
    decision = {
        "workspace_id": workspace,
        "action": "prefer",
        "about": "revenue",
        "period": "2025",
        "prefer": ["report.pdf"],
        "over": ["memo.md"],
        "documents": ["report.pdf", "memo.md"],
        "note": None,
        "by": "Ada",
        "run_id": "r1",
        "created_at": "2026-01-01T00:00:00",
    }
    return decision | changes


def test_kept_for_the_workspace_until_deleted(database: Database) -> None:
    decisions = StandingDecisions(database)
    later, earlier = made(created_at="2026-02-01"), made(created_at="2026-01-01")
    decisions.add([later, earlier])
    decisions.add([made("elsewhere")])
    kept = decisions.of("w")
    assert [one["created_at"] for one in kept] == ["2026-01-01", "2026-02-01"]
    assert kept[0] == {**earlier, "decision_id": kept[0]["decision_id"]}
    with pytest.raises(UnknownDecision):
        decisions.delete("elsewhere", kept[0]["decision_id"])
    assert decisions.delete("w", kept[0]["decision_id"]) == kept[0]
    assert decisions.of("w") == kept[1:]
    with pytest.raises(UnknownDecision):
        decisions.delete("w", kept[0]["decision_id"])
