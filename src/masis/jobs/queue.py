"""The table of open jobs (put, claimed, renewed, released, done), and which owners are alive."""

import os
import secrets
import socket
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from masis.database import Connection, Database


def new_owner() -> str:
    """One for each worker, also within a process."""
    return f"{_machine()}|{os.getpid()}|{_started(os.getpid())}|{secrets.token_hex(4)}"


def is_dead(owner: str | None) -> bool:
    """True only where it is certain: the process was one of this machine and is gone."""
    parts = (owner or "").split("|")
    if len(parts) != 4 or parts[0] != _machine() or not parts[1].isdigit():
        return False
    pid = int(parts[1])
    # A process id may have been given to another process since; its start time has not.
    return not _lives(pid) or _started(pid) != parts[2]


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@lru_cache(maxsize=1)
def _machine() -> str:
    """Containers may share a host's name, but not its list of processes."""
    try:
        processes = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        processes = ""
    return f"{socket.gethostname()}{processes}".replace("|", "")


def _started(pid: int) -> str:
    try:
        # The name of a program may hold blanks and brackets; what follows the last bracket does not.
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
    except OSError:
        return ""
    state, start = fields[0], fields[19]
    return "" if state == "Z" else start


JOB_TABLES = """
CREATE TABLE IF NOT EXISTS jobs (
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    workspace_id TEXT NOT NULL,
    status TEXT NOT NULL,
    owner TEXT,
    lease_until REAL NOT NULL,
    not_before REAL NOT NULL,
    tries INTEGER NOT NULL,
    cancel_requested INTEGER NOT NULL,
    created_at REAL NOT NULL,
    PRIMARY KEY (kind, subject)
);
CREATE INDEX IF NOT EXISTS jobs_in_order ON jobs (created_at);
"""
"""Only open jobs are in it: a run or an ingestion is waited for by at most one."""
JOB_STOPS = "ALTER TABLE jobs ADD COLUMN stops INTEGER NOT NULL DEFAULT 0;"

Kind = Literal["run", "ingest"]
JobKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Job:
    kind: Kind
    subject: str
    """Of the run, or of the ingestion: its id."""
    workspace_id: str
    tries: int = 1
    """Which try this is: more than 1 after a worker died or was stopped."""
    stops: int = 0
    """How many of the tries ended because the worker was stopped."""

    @property
    def key(self) -> JobKey:
        return (self.kind, self.subject)

    @property
    def deaths(self) -> int:
        return self.tries - 1 - self.stops


class JobQueue:
    def __init__(self, database: Database, lease_seconds: float, clock: Callable[[], float] = time.time) -> None:
        self.database = database
        self.lease_seconds = lease_seconds
        self._clock = clock

    def put(self, db: Connection, job: Job, owner: str | None = None) -> bool:
        """In the caller's transaction; False where the same thing is waited for already. An owner has claimed it."""
        now = self._clock()
        added = db.execute(
            "INSERT INTO jobs VALUES (:kind, :subject, :workspace, :status, :owner, :until, 0, :tries, 0, :now, 0)"
            " ON CONFLICT DO NOTHING",
            {
                "kind": job.kind,
                "subject": job.subject,
                "workspace": job.workspace_id,
                "status": "running" if owner else "queued",
                "owner": owner,
                "until": now + self.lease_seconds if owner else 0,
                "tries": 1 if owner else 0,
                "now": now,
            },
        )
        return added.rowcount == 1

    def claim(self, owner: str, room: Mapping[Kind, int]) -> list[Job]:
        """The oldest jobs that nobody holds, as many of each kind as there is room for."""
        with self.database.writing() as db:
            return [job for kind, most in room.items() if most > 0 for job in self._claimed(db, owner, kind, most)]

    def claim_one(self, owner: str, key: JobKey) -> Job | None:
        """This one, if nobody holds it."""
        with self.database.writing() as db:
            found = self._claimed(db, owner, key[0], 1, key[1])
            return found[0] if found else None

    def renew(self, owner: str, keys: Collection[JobKey]) -> dict[JobKey, bool]:
        """Which of them the owner still holds, each with whether it should be cancelled; held for another while.

        Only what is in work: a job that nobody works on any more, for whatever reason, must run out.
        """
        if not keys:
            return {}
        subjects = [subject for _, subject in keys]
        theirs = f"owner = ? AND subject IN ({', '.join('?' * len(subjects))})"
        with self.database.writing() as db:
            # A row that is locked is just being written by this owner's own work: waiting for it, with others locked
            # already, could stop both for good. The next renewal comes before the lease runs out.
            free = f"SELECT subject FROM jobs WHERE {theirs}{self.database.row_lock}"
            now_free = [row[0] for row in db.execute(free, (owner, *subjects)).fetchall()]
            now = self._clock()
            until = now + self.lease_seconds
            db.executemany("UPDATE jobs SET lease_until = ? WHERE subject = ?", [(until, one) for one in now_free])
            # One whose time is over and that is locked is just being taken by another.
            rows = db.execute(
                f"SELECT kind, subject, cancel_requested FROM jobs WHERE {theirs} AND lease_until >= ?",
                (owner, *subjects, now),
            )
            return {(kind, subject): bool(cancel) for kind, subject, cancel in rows.fetchall()}

    def holds(self, db: Connection, owner: str, key: JobKey) -> bool:
        """To the end of the caller's transaction: writing to the row keeps others from taking it."""
        found = db.execute("UPDATE jobs SET owner = owner WHERE kind = ? AND subject = ? AND owner = ?", (*key, owner))
        return found.rowcount == 1

    def done(self, db: Connection, owner: str, key: JobKey) -> bool:
        """False where another has taken it over: then nothing that was found out here may be written."""
        gone = db.execute("DELETE FROM jobs WHERE kind = ? AND subject = ? AND owner = ?", (*key, owner))
        return gone.rowcount == 1

    def remove(self, db: Connection, key: JobKey) -> None:
        """Whoever holds it."""
        db.execute("DELETE FROM jobs WHERE kind = ? AND subject = ?", key)

    def give_back(self, owner: str, keys: Iterable[JobKey], delay: float = 0.0, *, is_stop: bool = False) -> None:
        """For another to do; not before the delay is over, where trying again at once would be no use. `is_stop`: the
        worker was stopped, which says nothing about the job."""
        with self.database.writing() as db:
            db.executemany(
                "UPDATE jobs SET status = 'queued', owner = NULL, lease_until = 0, not_before = ?, stops = stops + ?"
                " WHERE kind = ? AND subject = ? AND owner = ?",
                [(self._clock() + delay, int(is_stop), *key, owner) for key in keys],
            )

    def request_cancel(self, db: Connection, key: JobKey) -> Literal["not_open", "queued", "running"]:
        """A running one learns of it at its worker's next renewal; one that waits, or whose worker is gone, is
        simply taken out."""
        asked = db.execute("UPDATE jobs SET cancel_requested = 1 WHERE kind = ? AND subject = ?", key)
        if asked.rowcount == 0:
            return "not_open"
        if self.is_running(db, key):
            return "running"
        self.remove(db, key)
        return "queued"

    def is_open(self, db: Connection, key: JobKey) -> bool:
        return db.execute("SELECT 1 FROM jobs WHERE kind = ? AND subject = ?", key).fetchone() is not None

    def is_running(self, db: Connection, key: JobKey) -> bool:
        """By a worker that is alive, as far as is known."""
        row = db.execute("SELECT owner, lease_until FROM jobs WHERE kind = ? AND subject = ?", key).fetchone()
        return row is not None and row[1] > self._clock() and not is_dead(row[0])

    def open_subjects(self, kind: Kind, workspace_id: str) -> list[str]:
        with self.database.reading() as db:
            rows = db.execute("SELECT subject FROM jobs WHERE kind = ? AND workspace_id = ?", (kind, workspace_id))
            return [row[0] for row in rows.fetchall()]

    def free_the_dead(self) -> None:
        """A worker of this machine that is gone need not be waited for."""
        with self.database.reading() as db:
            rows = db.execute("SELECT DISTINCT owner FROM jobs WHERE owner IS NOT NULL AND lease_until > 0").fetchall()
        dead = [row[0] for row in rows if is_dead(row[0])]
        if dead:
            with self.database.writing() as db:
                db.executemany("UPDATE jobs SET lease_until = 0 WHERE owner = ?", [(owner,) for owner in dead])

    def counts(self) -> dict[tuple[str, str], int]:
        """Open jobs by kind and status."""
        with self.database.reading() as db:
            rows = db.execute("SELECT kind, status, COUNT(*) FROM jobs GROUP BY kind, status").fetchall()
        return {(kind, status): count for kind, status, count in rows}

    def _claimed(self, db: Connection, owner: str, kind: str, most: int, subject: str | None = None) -> list[Job]:
        now = self._clock()
        rows = db.execute(
            "SELECT kind, subject, workspace_id, tries, stops FROM jobs WHERE kind = :kind"
            f"{' AND subject = :subject' if subject else ''}"
            " AND (status = 'queued' OR lease_until < :now) AND not_before <= :now"
            f" ORDER BY created_at LIMIT :most{self.database.row_lock}",
            {"kind": kind, "now": now, "most": most} | ({"subject": subject} if subject else {}),
        ).fetchall()
        db.executemany(
            "UPDATE jobs SET status = 'running', owner = ?, lease_until = ?, tries = tries + 1"
            " WHERE kind = ? AND subject = ?",
            [(owner, now + self.lease_seconds, row[0], row[1]) for row in rows],
        )
        return [Job(row[0], row[1], row[2], row[3] + 1, row[4]) for row in rows]


def kinds_of(keys: Collection[JobKey], kind: Kind) -> int:
    return sum(key[0] == kind for key in keys)
