"""The rows of a run, written and read within the transaction of whoever calls."""

import json
import re

from masis.database import Connection
from masis.errors import InvalidInput, UnknownRun
from masis.orchestrator.state import MASISState
from masis.runs.moments import now
from masis.runs.records import RUN_COLUMNS, RunRecord, RunStatus, record_of
from masis.runs.result import RunResult
from masis.types import Caller

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00")


def new_record(run_id: str, state: MASISState, by: Caller, status: RunStatus) -> RunRecord:
    moment = now()
    return RunRecord(
        run_id,
        state["workspace_id"],
        state["user_query"],
        status=status,
        outcome=None,
        confidence=None,
        created_at=moment,
        started_at=None if status == "queued" else moment,
        finished_at=None,
        attempts=0,
        agent=None,
        requires_human_review=False,
        asked_by=by.name,
        key_id=by.key_id,
        model_calls=0,
        input_tokens=0,
        output_tokens=0,
        cost_usd=0.0,
        error=None,
    )


def insert_input(db: Connection, run_id: str, state: MASISState) -> None:
    db.execute("INSERT INTO run_inputs VALUES (?, ?, 0, NULL, 0, 1)", (run_id, json.dumps(state)))


def insert(db: Connection, record: RunRecord) -> None:
    names = RUN_COLUMNS.split(", ")
    values = {name: getattr(record, name) for name in names} | {"requires_human_review": 0}
    db.execute(f"INSERT INTO runs ({RUN_COLUMNS}) VALUES ({', '.join(f':{name}' for name in names)})", values)


def get_record(db: Connection, run_id: str, workspace_id: str | None) -> RunRecord:
    row = db.execute(f"SELECT {RUN_COLUMNS} FROM runs WHERE run_id = ?", (run_id,)).fetchone()
    record = record_of(row) if row else None
    if record is None or (workspace_id is not None and record.workspace_id != workspace_id):
        raise unknown(run_id, workspace_id)
    return record


def place_of(db: Connection, before: str, workspace_id: str | None) -> dict[str, str]:
    created_at, _, run_id = before.partition(" ")
    if _MOMENT.fullmatch(created_at) and run_id:
        return {"created_at": created_at, "run_id": run_id}
    try:
        last = get_record(db, before, workspace_id)
    except UnknownRun:
        raise InvalidInput(
            f"There is no run {before[:80]!r} to go on after.", advice="Start again with the first page."
        ) from None
    return {"created_at": last.created_at, "run_id": last.run_id}


def delete_runs(db: Connection, condition: str, value: str) -> int:
    """With all tables that name them; their checkpoints are written down as still to go."""
    gone = db.execute(f"DELETE FROM runs WHERE {condition} RETURNING run_id", (value,)).fetchall()
    db.executemany("INSERT INTO deleted_runs VALUES (?) ON CONFLICT DO NOTHING", gone)
    return len(gone)


def unknown(run_id: str, workspace_id: str | None = None) -> UnknownRun:
    return UnknownRun(f"There is no run {run_id[:80]}{f' in {workspace_id}' if workspace_id else ''}.")


def settle(db: Connection, run_id: str, status: RunStatus, error: str | None) -> None:
    db.execute(
        "UPDATE runs SET status = ?, finished_at = ?, agent = NULL, requires_human_review = ?, error = ?"
        " WHERE run_id = ?",
        (status, now(), int(status == "waiting"), error, run_id),
    )
    db.execute("DELETE FROM run_drafts WHERE run_id = ?", (run_id,))


def save_result(db: Connection, run_id: str, result: RunResult) -> None:
    m = result.metrics
    db.execute(
        "UPDATE runs SET outcome = ?, confidence = ?, attempts = ?, model_calls = ?, input_tokens = ?,"
        " output_tokens = ?, cost_usd = ? WHERE run_id = ?",
        (
            result.outcome,
            result.confidence,
            m.get("iterations", 0),
            m.get("model_calls", 0),
            m.get("input_tokens", 0),
            m.get("output_tokens", 0),
            m.get("cost_usd", 0.0),
            run_id,
        ),
    )
    db.execute(
        "INSERT INTO run_results VALUES (?, ?) ON CONFLICT (run_id) DO UPDATE SET result = excluded.result",
        (run_id, json.dumps(result.as_dict(), default=str)),
    )


def escaped(words: str) -> str:
    for sign in "!%_":
        words = words.replace(sign, f"!{sign}")
    return words
