"""The tables of runs, their events, what people decided, and the jobs that all of it waits for."""

from masis.database import Schema
from masis.jobs.queue import JOB_STOPS, JOB_TABLES

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
"""Runs whose checkpoints are still to go: those lie elsewhere, and a crash may come between."""

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
"""Of requests with an `Idempotency-Key`. Here, since they quote runs and go with them; those of a table made before it
knew whose they are must not outlive what was deleted."""

_RESUMED = "ALTER TABLE run_inputs RENAME COLUMN reopened TO resumed;"

RUNS = Schema("runs", (JOB_TABLES + _RUN_TABLES, JOB_STOPS, _DELETED_RUNS + _FIRST_RESPONSES, _RESUMED))
