"""The tables of runs, events, decisions and uploads, and their rows, written and read in the caller's transaction."""

import json
import re
import uuid
from collections.abc import Sequence
from typing import Any, cast

from masis.database import Connection, Database, OnPostgres, Schema, vacuumed_as_usual, vacuumed_early, vacuumed_often
from masis.errors import InvalidInput, UnknownDecision, UnknownRun
from masis.jobs.queue import JOB_STOPS, JOB_TABLES
from masis.orchestrator.state import MASISState
from masis.runs.events import now
from masis.runs.records import RUN_COLUMNS, RunRecord, RunResult, RunStatus, record_of
from masis.types import Caller, DecisionMade, StandingDecision

_RUN_TABLES = """
CREATE TABLE IF NOT EXISTS runs (
    run_id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    question TEXT NOT NULL,
    status TEXT NOT NULL,
    outcome TEXT,
    confidence REAL,
    created_at TEXT NOT NULL,
    started_at TEXT,
    finished_at TEXT,
    attempts INTEGER NOT NULL,
    agent TEXT,
    requires_human_review INTEGER NOT NULL,
    asked_by TEXT NOT NULL,
    key_id TEXT,
    model_calls INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost_usd REAL NOT NULL,
    error TEXT
);
CREATE INDEX IF NOT EXISTS runs_by_workspace ON runs (workspace_id, created_at, run_id);
CREATE INDEX IF NOT EXISTS runs_by_time ON runs (created_at, run_id);
CREATE TABLE IF NOT EXISTS run_inputs (
    run_id TEXT PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
    state TEXT NOT NULL,
    answers INTEGER NOT NULL,
    answer TEXT,
    reopened INTEGER NOT NULL,
    has_checkpoints INTEGER NOT NULL
);
CREATE TABLE IF NOT EXISTS run_results (
    run_id TEXT PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
    result TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS run_events (
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (run_id, seq)
);
CREATE TABLE IF NOT EXISTS run_drafts (
    run_id TEXT PRIMARY KEY REFERENCES runs ON DELETE CASCADE,
    attempt INTEGER NOT NULL,
    text TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS decisions (
    decision_id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    created_at TEXT NOT NULL,
    decision TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS decisions_by_workspace ON decisions (workspace_id, created_at);
CREATE TABLE IF NOT EXISTS ingestions (
    ingestion_id TEXT PRIMARY KEY,
    workspace_id TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at TEXT NOT NULL,
    finished_at TEXT,
    asked_by TEXT NOT NULL,
    key_id TEXT,
    files TEXT NOT NULL,
    progress TEXT NOT NULL,
    error TEXT
);
CREATE INDEX IF NOT EXISTS ingestions_by_workspace ON ingestions (workspace_id, created_at);
"""

_DELETED_RUNS = """
CREATE TABLE deleted_runs (
    run_id TEXT PRIMARY KEY
);
"""
"""Runs whose checkpoints must still be deleted. They are stored elsewhere, and a crash may come in between."""

_FIRST_RESPONSES = """
DROP TABLE IF EXISTS first_responses;
CREATE TABLE first_responses (
    caller TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    workspace_id TEXT,
    run_id TEXT REFERENCES runs ON DELETE CASCADE,
    status INTEGER,
    headers TEXT NOT NULL,
    body BLOB NOT NULL,
    created_at REAL NOT NULL,
    PRIMARY KEY (caller, idempotency_key)
);
CREATE INDEX first_responses_by_age ON first_responses (created_at);
CREATE INDEX first_responses_by_run ON first_responses (run_id);
CREATE INDEX first_responses_by_workspace ON first_responses (workspace_id);
"""
"""First responses to requests with an `Idempotency-Key`. They quote runs and are deleted with them. An older table did
not record their runs; it is dropped, so that no response outlives what was deleted."""

_RESUMED = "ALTER TABLE run_inputs RENAME COLUMN reopened TO resumed;"

_THREADS = """
ALTER TABLE runs ADD COLUMN thread_id TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN asked TEXT;
ALTER TABLE runs ADD COLUMN filters TEXT NOT NULL DEFAULT '{}';
UPDATE runs SET thread_id = run_id;
CREATE INDEX runs_by_thread ON runs (thread_id, created_at);
"""

_FEEDBACK = """
CREATE TABLE feedback (
    run_id TEXT NOT NULL REFERENCES runs ON DELETE CASCADE,
    claim INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    reason TEXT,
    given_by TEXT NOT NULL,
    given_at TEXT NOT NULL,
    confidence REAL NOT NULL,
    likelihood REAL,
    checked TEXT,
    PRIMARY KEY (run_id, claim, given_by)
);
"""

_OWNERS = "ALTER TABLE first_responses ADD COLUMN owner TEXT;"
"""The process that handles the first request; if it dies, the key can be used again."""

RUNS = Schema(
    "runs",
    (
        *(
            JOB_TABLES + _RUN_TABLES,
            JOB_STOPS,
            _DELETED_RUNS + _FIRST_RESPONSES,
            _RESUMED,
            _THREADS,
            _FEEDBACK,
            _OWNERS,
        ),
        OnPostgres(vacuumed_often("jobs") + vacuumed_early("runs", "run_events", "run_drafts", "first_responses")),
    ),
    back=(
        "ALTER TABLE jobs DROP COLUMN stops;",
        "DROP TABLE first_responses; DROP TABLE deleted_runs;",
        "ALTER TABLE run_inputs RENAME COLUMN resumed TO reopened;",
        "DROP INDEX runs_by_thread; ALTER TABLE runs DROP COLUMN thread_id; ALTER TABLE runs DROP COLUMN asked;"
        " ALTER TABLE runs DROP COLUMN filters;",
        "DROP TABLE feedback;",
        "ALTER TABLE first_responses DROP COLUMN owner;",
        vacuumed_as_usual("jobs", "runs", "run_events", "run_drafts", "first_responses"),
    ),
)

_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+00:00")


def new_record(run_id: str, state: MASISState, by: Caller, owner: str | None) -> RunRecord:
    moment = now()
    return RunRecord(
        run_id,
        state["workspace_id"],
        state["user_query"],
        status="running" if owner else "queued",
        outcome=None,
        confidence=None,
        created_at=moment,
        started_at=moment if owner else None,
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
        thread_id=state.get("thread_id") or run_id,
        asked=state.get("asked"),
        filters=state.get("filters", {}),
    )


def insert(db: Connection, records: Sequence[RunRecord], states: Sequence[MASISState]) -> None:
    names = RUN_COLUMNS.split(", ")
    rows = [[getattr(record, name) for name in names] for record in records]
    values = [json.dumps(value) if isinstance(value, dict) else value for row in rows for value in row]
    row = f"({', '.join('?' * len(names))})"
    db.execute(f"INSERT INTO runs ({RUN_COLUMNS}) VALUES {', '.join([row] * len(rows))}", values)
    db.execute(
        f"INSERT INTO run_inputs VALUES {', '.join(['(?, ?, 0, NULL, 0, 1)'] * len(records))}",
        [value for record, state in zip(records, states, strict=True) for value in (record.run_id, json.dumps(state))],
    )


def get_record(db: Connection, run_id: str, workspace_id: str | None) -> RunRecord:
    return get_records(db, [(run_id, workspace_id)])[0]


def get_records(db: Connection, looks: Sequence[tuple[str, str | None]]) -> list[RunRecord]:
    """Reads runs, each only if it belongs to the given workspace."""
    these = f"WHERE run_id IN ({', '.join('?' * len(looks))})"
    rows = db.execute(f"SELECT {RUN_COLUMNS} FROM runs {these}", [run_id for run_id, _ in looks])
    found = {record.run_id: record for record in map(record_of, rows.fetchall())}
    for run_id, workspace_id in looks:
        if run_id not in found or workspace_id not in (None, found[run_id].workspace_id):
            raise unknown(run_id, workspace_id)
    return [found[run_id] for run_id, _ in looks]


def place_of(db: Connection, before: str, workspace_id: str | None) -> dict[str, str]:
    created_at, _, run_id = before.partition(" ")
    if _MOMENT.fullmatch(created_at) and run_id:
        return {"created_at": created_at, "run_id": run_id}
    try:
        last = get_record(db, before, workspace_id)
    except UnknownRun:
        raise InvalidInput(
            f"There is no run {before[:80]!r} to continue after.", advice="Start again with the first page."
        ) from None
    return {"created_at": last.created_at, "run_id": last.run_id}


def delete_runs(db: Connection, condition: str, value: str) -> int:
    """Deletes runs from all tables, and notes that their checkpoints must be deleted."""
    gone = db.execute(f"DELETE FROM runs WHERE {condition} RETURNING run_id", (value,)).fetchall()
    db.executemany("INSERT INTO deleted_runs VALUES (?) ON CONFLICT DO NOTHING", gone)
    return len(gone)


def unknown(run_id: str, workspace_id: str | None = None) -> UnknownRun:
    return UnknownRun(f"There is no run {run_id[:80]}{f' in {workspace_id}' if workspace_id else ''}.")


def settle(db: Connection, run_id: str, status: RunStatus, error: str | None) -> None:
    """Sets the status of a run that has no result."""
    db.execute(
        "UPDATE runs SET status = ?, finished_at = ?, agent = NULL, error = ?, requires_human_review = ?"
        " WHERE run_id = ?",
        (status, now(), error, int(status == "waiting"), run_id),
    )
    db.execute("DELETE FROM run_drafts WHERE run_id = ?", (run_id,))


_COUNTED = ("model_calls", "input_tokens", "output_tokens", "cost_usd")
_SETTLED = ("status", "requires_human_review", "outcome", "confidence", "attempts", *_COUNTED)


def settle_with_results(db: Connection, ended: Sequence[tuple[str, RunStatus, RunResult]]) -> None:
    if not ended:
        return
    row = f"({', '.join('?' * (1 + len(_SETTLED)))})"
    db.execute(
        f"WITH ended (named, {', '.join(f'new_{name}' for name in _SETTLED)})"
        f" AS (VALUES {', '.join([row] * len(ended))})"
        f" UPDATE runs SET {', '.join(f'{name} = new_{name}' for name in _SETTLED)},"
        " finished_at = ?, agent = NULL, error = NULL FROM ended WHERE run_id = named",
        [*(value for one in ended for value in _settled_values(*one)), now()],
    )
    names = [run_id for run_id, _, _ in ended]
    db.execute(f"DELETE FROM run_drafts WHERE run_id IN ({', '.join('?' * len(names))})", names)
    db.execute(
        f"INSERT INTO run_results VALUES {', '.join(['(?, ?)'] * len(ended))}"
        " ON CONFLICT (run_id) DO UPDATE SET result = excluded.result",
        [value for run_id, _, result in ended for value in (run_id, json.dumps(result.as_dict(), default=str))],
    )


def _settled_values(run_id: str, status: RunStatus, result: RunResult) -> list[Any]:
    counted = [result.metrics.get(name, 0) for name in _COUNTED]
    iterations = result.metrics.get("iterations", 0)
    return [run_id, status, int(status == "waiting"), result.outcome, result.confidence, iterations, *counted]


def escaped(words: str) -> str:
    for sign in "!%_":
        words = words.replace(sign, f"!{sign}")
    return words


def keep_decisions(db: Connection, decisions: Sequence[DecisionMade]) -> list[StandingDecision]:
    """Stores decisions in the caller's transaction."""
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
        """Oldest first; later decisions override earlier ones."""
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
