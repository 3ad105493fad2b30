"""What is known of a run without opening its state."""

from dataclasses import dataclass, fields
from typing import Any, Literal

from masis.types import Outcome

RunStatus = Literal["queued", "running", "waiting", "finished", "cancelled", "failed"]
"""`waiting`: for a person's answer. `failed`: by a fault of MASIS itself; what was done is kept and can go on."""

ENDED: frozenset[RunStatus] = frozenset({"finished", "cancelled", "failed"})


@dataclass(frozen=True, slots=True)
class RunRecord:
    run_id: str
    workspace_id: str
    question: str
    status: RunStatus
    outcome: Outcome | None
    confidence: float | None
    created_at: str
    started_at: str | None
    finished_at: str | None
    attempts: int
    agent: str | None
    """Who works now."""
    requires_human_review: bool
    asked_by: str
    key_id: str | None
    model_calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float
    error: str | None

    @property
    def position(self) -> str:
        """Where it stands in a list of runs; that place stays when the run is deleted."""
        return f"{self.created_at} {self.run_id}"


RUN_COLUMNS = ", ".join(field.name for field in fields(RunRecord))


def record_of(row: tuple[Any, ...]) -> RunRecord:
    names = [field.name for field in fields(RunRecord)]
    values = dict(zip(names, row, strict=True))
    values["requires_human_review"] = bool(values["requires_human_review"])
    return RunRecord(**values)


@dataclass(frozen=True, slots=True)
class UsageRow:
    """What was spent, by whom and on what."""

    workspace_id: str
    key_id: str | None
    asked_by: str
    runs: int
    model_calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float
