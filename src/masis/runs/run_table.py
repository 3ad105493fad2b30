"""Every run of every workspace: one row each, with its result."""

import json
import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from masis.database import Connection
from masis.database.batched import BatchedDatabase
from masis.errors import InvalidInput, RunNotWaiting
from masis.jobs.queue import Job, JobQueue
from masis.language.follow_up import Turn
from masis.orchestrator.state import MASISState
from masis.runs.events import EventLog, RunEvent, now
from masis.runs.records import RUN_COLUMNS, Ending, NewRun, RunRecord, RunStatus, UsageRow, record_of
from masis.runs.tables import (
    delete_runs,
    escaped,
    get_record,
    get_records,
    insert,
    keep_decisions,
    new_record,
    place_of,
    settle,
    settle_with_results,
    unknown,
)
from masis.types import DecisionMade, Outcome

MOST_TURNS = 6
"""Earlier turns of a conversation no longer bear on a question."""


@dataclass(frozen=True, slots=True)
class Thread:
    thread_id: str
    turns: tuple[Turn, ...]
    filters: dict[str, Any]
    """Those of its last question."""


@dataclass(frozen=True, slots=True)
class RunInput:
    state: MASISState
    answers: int
    """How many answers people have given to the run."""
    answer: dict[str, Any] | None
    """The last one."""
    has_failed: bool = False
    """It may have completed steps before it failed."""


@dataclass(frozen=True, slots=True)
class News:
    """What happened to a run since its last save."""

    run_id: str
    owner: str
    events: Sequence[RunEvent]
    draft: tuple[int, str] | None = None
    """Attempt and text."""

    @property
    def has_advanced(self) -> bool:
        return any(event["event"] == "finished" for event in self.events)


Seen = tuple[RunStatus, list[RunEvent], tuple[int, str] | None]
"""The status of a run, its events, and the attempt and text of its draft."""


def _queued(record: RunRecord) -> RunEvent:
    return {"seq": 0, "at": record.created_at, "event": "queued", "data": {"question": record.question}}


def _seen(rows: Sequence[Any]) -> Seen:
    status, _, attempt, text = rows[0]
    return status, [json.loads(row[1]) for row in rows if row[1] is not None], None if text is None else (attempt, text)


class RunTable:
    def __init__(self, database: BatchedDatabase, queue: JobQueue) -> None:
        self._database = database
        self._queue = queue
        self.events = EventLog(self._database)
        self.together = self._database.together
        self.all_together = self._database.all_together

    def create(self, asked: Sequence[NewRun]) -> list[RunRecord]:
        """Creates the runs and their jobs in one transaction."""
        records = [new_record(one.run_id or uuid.uuid4().hex[:16], one.state, one.by, one.owner) for one in asked]
        with self._database.writing() as db:
            insert(db, records, [one.state for one in asked])
            self.events.append_all(db, [(record.run_id, _queued(record)) for record in records])
            jobs = [Job("run", record.run_id, record.workspace_id) for record in records]
            self._queue.put_all(db, [(job, one.owner) for job, one in zip(jobs, asked, strict=True)])
        return records

    def get(self, run_id: str, workspace_id: str | None = None) -> RunRecord:
        return self.get_all([(run_id, workspace_id)])[0]

    def get_all(self, looks: Sequence[tuple[str, str | None]]) -> list[RunRecord]:
        with self._database.reading() as db:
            return get_records(db, looks)

    def page(
        self,
        workspace_id: str | None = None,
        *,
        status: RunStatus | None = None,
        outcome: Outcome | None = None,
        search: str | None = None,
        thread_id: str | None = None,
        limit: int = 50,
        before: str | None = None,
    ) -> list[RunRecord]:
        """Newest first. `before` is the position or the id of the last run of the previous page."""
        wanted = {"workspace_id": workspace_id, "status": status, "outcome": outcome, "thread_id": thread_id}
        given = {name: value for name, value in wanted.items() if value is not None}
        conditions = [f"{name} = :{name}" for name in given]
        if search:
            conditions.append("LOWER(question) LIKE :search ESCAPE '!'")
            given["search"] = f"%{escaped(search.lower())}%"
        with self._database.reading() as db:
            if before:
                conditions.append("(created_at, run_id) < (:created_at, :run_id)")
                given |= place_of(db, before, workspace_id)
            where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
            rows = db.execute(
                f"SELECT {RUN_COLUMNS} FROM runs {where} ORDER BY created_at DESC, run_id DESC LIMIT :limit",
                {**given, "limit": limit},
            )
            return [record_of(row) for row in rows.fetchall()]

    def thread(self, thread_id: str, workspace_id: str) -> Thread:
        """Finds a thread by its id, or by one of its runs: then as it was after that run."""
        with self._database.reading() as db:
            at = db.execute(
                "SELECT thread_id, MAX(created_at) FROM runs WHERE workspace_id = ? AND (run_id = ? OR thread_id = ?)"
                " GROUP BY thread_id",
                (workspace_id, thread_id, thread_id),
            ).fetchone()
            if at is None:
                raise unknown(thread_id, workspace_id)
            rows = db.execute(
                "SELECT r.question, r.filters, s.result FROM runs r LEFT JOIN run_results s ON s.run_id = r.run_id"
                " WHERE r.thread_id = ? AND r.created_at <= ? ORDER BY r.created_at DESC, r.run_id DESC LIMIT ?",
                (*at, MOST_TURNS),
            ).fetchall()
        turns = [Turn(question, json.loads(result)["answer"] if result else "") for question, _, result in rows]
        return Thread(at[0], tuple(reversed(turns)), json.loads(rows[0][1]))

    def seen(self, looks: Sequence[tuple[str, int]]) -> list[Seen]:
        """Reads the given runs at one moment, each with the events after the given one."""
        asked = list(dict.fromkeys(looks))
        found: dict[tuple[str, int], list[Any]] = defaultdict(list)
        with self._database.reading() as db:
            rows = db.execute(
                f"WITH look (named, known) AS (VALUES {', '.join(['(?, ?)'] * len(asked))})"
                " SELECT named, known, r.status, e.data, d.attempt, d.text FROM look JOIN runs r ON r.run_id = named"
                " LEFT JOIN run_events e ON e.run_id = r.run_id AND e.seq > known"
                " LEFT JOIN run_drafts d ON d.run_id = r.run_id ORDER BY e.seq",
                [value for look in asked for value in look],
            )
            for named, known, *row in rows.fetchall():
                found[named, known].append(row)
        for look in asked:
            if look not in found:
                raise unknown(look[0])
        return [_seen(found[look]) for look in looks]

    def inputs(self, run_ids: Sequence[str]) -> list[RunInput]:
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT run_id, state, answers, answer, resumed FROM run_inputs"
                f" WHERE run_id IN ({', '.join('?' * len(run_ids))})",
                run_ids,
            )
            found = {row[0]: row[1:] for row in rows.fetchall()}
        for run_id in run_ids:
            if run_id not in found:
                raise unknown(run_id)
        return [
            RunInput(json.loads(state), answers, json.loads(answer) if answer else None, bool(resumed))
            for state, answers, answer, resumed in (found[run_id] for run_id in run_ids)
        ]

    def result(self, run_id: str) -> dict[str, Any] | None:
        with self._database.reading() as db:
            row = db.execute("SELECT result FROM run_results WHERE run_id = ?", (run_id,)).fetchone()
        return json.loads(row[0]) if row else None

    def began(self, runs: Sequence[tuple[str, str]]) -> list[None]:
        """Marks runs as started, given with their owners, except those cancelled since they were claimed."""
        with self._database.writing() as db:
            held = self._queue.held(db, "run", [(run_id, owner, False) for run_id, owner in runs])
            if held:
                db.execute(
                    "UPDATE runs SET status = 'running', error = NULL, started_at = COALESCE(started_at, ?)"
                    f" WHERE run_id IN ({', '.join('?' * len(held))})",
                    [now(), *held],
                )
        return [None] * len(runs)

    def progressed(self, news: Sequence[News]) -> list[None]:
        """Saves progress in one transaction, and skips runs that another worker now holds."""
        with self._database.writing() as db:
            held = self._queue.held(db, "run", [(one.run_id, one.owner, one.has_advanced) for one in news])
            ours = [one for one in news if one.run_id in held]
            self.events.append_all(db, [(one.run_id, event) for one in ours for event in one.events])
            if drafts := {one.run_id: one.draft for one in ours if one.draft}:
                db.execute(
                    f"INSERT INTO run_drafts VALUES {', '.join(['(?, ?, ?)'] * len(drafts))}"
                    " ON CONFLICT (run_id) DO UPDATE SET attempt = excluded.attempt, text = excluded.text",
                    [value for run_id, draft in drafts.items() for value in (run_id, *draft)],
                )
            if begun := {one.run_id: event for one in ours for event in one.events if event["event"] == "started"}:
                db.execute(
                    f"WITH begun (named, busy, attempt) AS (VALUES {', '.join(['(?, ?, ?)'] * len(begun))})"
                    " UPDATE runs SET agent = busy, attempts = attempt + 1 FROM begun WHERE run_id = named",
                    [value for run_id, event in begun.items() for value in (run_id, event["agent"], event["attempt"])],
                )
        return [None] * len(news)

    def settled(self, endings: Sequence[Ending]) -> list[bool]:
        """Saves endings in one transaction; False for a run that its owner no longer holds or has already settled."""
        with self._database.writing() as db:
            held = self._queue.all_done(db, "run", [(one.run_id, one.owner) for one in endings])
            ours: dict[str, Ending] = {}
            for one in endings:
                if (one.run_id, one.owner) in held:
                    ours.setdefault(one.run_id, one)
            self.events.append_all(db, [(one.run_id, event) for one in ours.values() for event in one.events])
            settle_with_results(db, [(one.run_id, one.status, one.result) for one in ours.values() if one.result])
            for one in ours.values():
                if not one.result:
                    settle(db, one.run_id, one.status, None)
        return [ours.get(one.run_id) is one for one in endings]

    def answered(
        self,
        run_id: str,
        answer: Mapping[str, Any],
        owner: str | None = None,
        remember: Sequence[DecisionMade] = (),
    ) -> None:
        """Saves a person's answer, the decision to store and the job that acts on it. Only the first of two answers is
        accepted."""
        with self._database.writing(lock=run_id) as db:
            row = db.execute("SELECT status, workspace_id FROM runs WHERE run_id = ?", (run_id,)).fetchone()
            if row is None or row[0] != "waiting":
                raise RunNotWaiting(f"Run {run_id} is not waiting for an answer.")
            db.execute(
                "UPDATE run_inputs SET answers = answers + 1, answer = ? WHERE run_id = ?",
                (json.dumps(dict(answer)), run_id),
            )
            status = "running" if owner else "queued"
            db.execute(
                "UPDATE runs SET status = ?, finished_at = NULL, outcome = NULL, requires_human_review = 0"
                " WHERE run_id = ?",
                (status, run_id),
            )
            told = {name: answer.get(name) for name in ("action", "by", "note")}
            self.events.add_next(db, run_id, "answered", told)
            keep_decisions(db, remember)
            self._queue.put(db, Job("run", run_id, row[1]), owner)

    def resumed(self, run_id: str, owner: str | None = None) -> None:
        """Queues a failed run, which continues from its last checkpoint."""
        with self._database.writing(lock=run_id) as db:
            record = get_record(db, run_id, None)
            if record.status != "failed":
                raise InvalidInput(f"Run {run_id} is {record.status}: it cannot be resumed.")
            status = "running" if owner else "queued"
            db.execute(
                "UPDATE runs SET status = ?, finished_at = NULL, error = NULL WHERE run_id = ?", (status, run_id)
            )
            db.execute("UPDATE run_inputs SET resumed = 1 WHERE run_id = ?", (run_id,))
            self._queue.put(db, Job("run", run_id, record.workspace_id), owner)

    def cancel(self, run_id: str, workspace_id: str | None) -> RunRecord:
        with self._database.writing(lock=run_id) as db:
            get_record(db, run_id, workspace_id)
            where = self._queue.request_cancel(db, ("run", run_id))
            # Only now, since its worker may have ended it just before its job was locked here.
            record = get_record(db, run_id, workspace_id)
            if where != "running" and record.status in ("queued", "running", "waiting"):
                self._stop(db, run_id)
            return get_record(db, run_id, workspace_id)

    def given_up(self, run_id: str, owner: str) -> None:
        """Ends a run whose waiting caller is gone, so that nobody else continues it."""
        with self._database.writing() as db:
            if self._queue.done(db, owner, ("run", run_id)):
                self._stop(db, run_id)

    def failed(self, run_id: str, owner: str, events: list[RunEvent], error: str) -> None:
        """Marks the run as failed; it can be resumed. Does nothing if this owner no longer holds it."""
        with self._database.writing() as db:
            if self._queue.done(db, owner, ("run", run_id)):
                self.events.append(db, run_id, events)
                self.events.add_next(db, run_id, "failed", {"error": error})
                settle(db, run_id, "failed", error)

    def _stop(self, db: Connection, run_id: str) -> None:
        self.events.add_next(db, run_id, "cancelled")
        settle(db, run_id, "cancelled", None)

    def delete(self, run_id: str, workspace_id: str | None) -> None:
        with self._database.writing(lock=run_id) as db:
            get_record(db, run_id, workspace_id)
            if self._queue.is_running(db, ("run", run_id)):
                raise InvalidInput(f"Run {run_id} is running.", advice="Cancel it first, then delete it.")
            self._queue.remove(db, ("run", run_id))
            delete_runs(db, "run_id = ?", run_id)
        self._database.forget_deleted()

    def ids(self, workspace_id: str) -> list[str]:
        with self._database.reading() as db:
            rows = db.execute("SELECT run_id FROM runs WHERE workspace_id = ?", (workspace_id,))
            return [row[0] for row in rows.fetchall()]

    def ended_before(self, moment: str) -> list[str]:
        with self._database.reading() as db:
            rows = db.execute("SELECT run_id FROM runs WHERE finished_at < ? AND status <> 'waiting'", (moment,))
            return [row[0] for row in rows.fetchall()]

    def with_checkpoints_before(self, moment: str) -> list[str]:
        """Runs that ended before then and still have checkpoints, except failed ones, which may be resumed."""
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT run_id FROM runs JOIN run_inputs USING (run_id) WHERE finished_at < ?"
                " AND status IN ('finished', 'cancelled') AND has_checkpoints = 1",
                (moment,),
            )
            return [row[0] for row in rows.fetchall()]

    def without_checkpoints(self, run_ids: list[str]) -> None:
        with self._database.writing() as db:
            db.executemany("UPDATE run_inputs SET has_checkpoints = 0 WHERE run_id = ?", [(id_,) for id_ in run_ids])

    def delete_workspace(self, workspace_id: str) -> int:
        with self._database.writing() as db:
            gone = delete_runs(db, "workspace_id = ?", workspace_id)
            for table in ("decisions", "ingestions", "jobs", "first_responses"):
                db.execute(f"DELETE FROM {table} WHERE workspace_id = ?", (workspace_id,))
        self._database.forget_deleted()
        return gone

    def with_checkpoints_to_go(self) -> list[str]:
        """Deleted runs whose checkpoints may still exist."""
        with self._database.reading() as db:
            return [row[0] for row in db.execute("SELECT run_id FROM deleted_runs").fetchall()]

    def checkpoints_gone(self, run_ids: Sequence[str]) -> None:
        with self._database.writing() as db:
            db.executemany("DELETE FROM deleted_runs WHERE run_id = ?", [(run_id,) for run_id in run_ids])

    def spent(self, workspace_id: str, since: str) -> float:
        """What runs asked since then have spent on models, in US dollars."""
        with self._database.reading() as db:
            row = db.execute(
                "SELECT SUM(cost_usd) FROM runs WHERE workspace_id = ? AND created_at >= ?", (workspace_id, since)
            ).fetchone()
        return float(row[0] or 0.0)

    def usage(self, workspace_id: str | None = None) -> list[UsageRow]:
        where, given = ("WHERE workspace_id = ?", (workspace_id,)) if workspace_id else ("", ())
        with self._database.reading() as db:
            rows = db.execute(
                "SELECT workspace_id, key_id, asked_by, COUNT(*), SUM(model_calls), SUM(input_tokens),"
                f" SUM(output_tokens), SUM(cost_usd) FROM runs {where}"
                " GROUP BY workspace_id, key_id, asked_by ORDER BY workspace_id, asked_by, key_id",
                given,
            )
            return [
                UsageRow(row[0], row[1], row[2], int(row[3]), int(row[4]), int(row[5]), int(row[6]), float(row[7]))
                for row in rows.fetchall()
            ]
