"""The table of open jobs, and which of their owners are alive."""

import os
import secrets
import socket
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from masis.database import Connection, Database


def new_owner() -> str:
    """A unique name for each worker, even within one process."""
    return f"{_machine()}|{os.getpid()}|{_started(os.getpid())}|{secrets.token_hex(4)}"


def is_dead(owner: str | None) -> bool:
    """True only if it is certain: the process ran on this machine and is gone."""
    parts = (owner or "").split("|")
    if len(parts) != 4 or parts[0] != _machine() or not parts[1].isdigit():
        return False
    pid = int(parts[1])
    # The id may belong to another process by now, but that one has another start time.
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
    """The host name and the process namespace: containers may share the former, but not the latter."""
    try:
        processes = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        processes = ""
    return f"{socket.gethostname()}{processes}".replace("|", "")


def _started(pid: int) -> str:
    try:
        # The program's name may contain blanks and brackets; the fields after its closing bracket do not.
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
"""Only open jobs; at most one per run or ingestion."""
JOB_STOPS = "ALTER TABLE jobs ADD COLUMN stops INTEGER NOT NULL DEFAULT 0;"

Kind = Literal["run", "ingest", "sync", "index"]
JobKey = tuple[str, str]
SUSPECT = 2
"""From this many deaths in a row, a worker runs only one such job at a time: if the job kills its worker, it does not
take others like it down as well."""


@dataclass(frozen=True, slots=True)
class Job:
    kind: Kind
    subject: str
    """The id of the run, the ingestion or the source."""
    workspace_id: str
    tries: int = 1
    """The number of this attempt; above 1 if a worker died or was stopped."""
    stops: int = 0
    """Attempts that ended through no fault of the job (the worker was stopped, or a server was down), and all attempts
    before the last completed step."""

    @property
    def key(self) -> JobKey:
        return (self.kind, self.subject)

    @property
    def deaths(self) -> int:
        """How many workers in a row this job may have killed, without completing a step in between."""
        return self.tries - 1 - self.stops


class JobQueue:
    """All times come from the database, since the clocks of machines differ."""

    def __init__(self, database: Database, lease_seconds: float, clock: Callable[[], float] | None = None) -> None:
        self.database = database
        self.lease_seconds = lease_seconds
        self._clock = clock

    @property
    def _now(self) -> str:
        return repr(self._clock()) if self._clock else self.database.now

    def put(self, db: Connection, job: Job, owner: str | None = None) -> bool:
        """Adds the job in the caller's transaction, claimed at once if it has an owner; False if it exists already."""
        return self.put_all(db, [(job, owner)]) == 1

    def put_all(self, db: Connection, jobs: Sequence[tuple[Job, str | None]]) -> int:
        """Adds the jobs in order, and returns how many are new."""
        now = self._now
        kept = {True: f"'running', ?, {now} + {self.lease_seconds!r}, 0, 1", False: "'queued', ?, 0, 0, 0"}
        rows = [f"(?, ?, ?, {kept[owner is not None]}, 0, {now} + {n}e-6, 0)" for n, (_, owner) in enumerate(jobs)]
        return db.execute(
            f"INSERT INTO jobs VALUES {', '.join(rows)} ON CONFLICT DO NOTHING",
            [value for job, owner in jobs for value in (*job.key, job.workspace_id, owner)],
        ).rowcount

    def claim(self, owner: str, room: Mapping[Kind, int]) -> list[Job]:
        """Claims the oldest free jobs, as many of each kind as there is room for."""
        with self.database.writing() as db:
            return [job for kind, most in room.items() if most > 0 for job in self._claimed_of(db, owner, kind, most)]

    def claim_one(self, owner: str, key: JobKey) -> Job | None:
        """Claims this job if nobody holds it."""
        with self.database.writing() as db:
            found = self._claimed(db, owner, key[0], 1, "subject = :subject", {"subject": key[1]})
            return found[0] if found else None

    def renew(self, owner: str, keys: Collection[JobKey]) -> dict[JobKey, bool]:
        """Renews the leases that the owner still holds, and returns for each whether the job should be cancelled. Only
        for jobs in progress: the lease of a job that nobody works on must expire."""
        if not keys:
            return {}
        subjects = [subject for _, subject in keys]
        theirs = f"owner = ? AND subject IN ({', '.join('?' * len(subjects))})"
        with self.database.writing() as db:
            # A locked row is being written by this owner's own work. Waiting for it while holding other locks could
            # deadlock; the next renewal comes before the lease expires.
            free = f"SELECT subject FROM jobs WHERE {theirs}{self.database.row_lock}"
            now_free = [row[0] for row in db.execute(free, (owner, *subjects)).fetchall()]
            now = self._now
            if now_free:
                these = ", ".join("?" * len(now_free))
                renewal = f"UPDATE jobs SET lease_until = {now} + ? WHERE subject IN ({these})"
                db.execute(renewal, (self.lease_seconds, *now_free))
            # A locked row whose lease has expired is being claimed by another worker.
            rows = db.execute(
                f"SELECT kind, subject, cancel_requested FROM jobs WHERE {theirs} AND lease_until >= {now}",
                (owner, *subjects),
            )
            return {(kind, subject): bool(cancel) for kind, subject, cancel in rows.fetchall()}

    def holds(self, db: Connection, owner: str, key: JobKey, *, has_advanced: bool = False) -> bool:
        return bool(self.held(db, key[0], [(key[1], owner, has_advanced)]))

    def held(self, db: Connection, kind: str, given: Sequence[tuple[str, str, bool]]) -> set[str]:
        """Returns the subjects that their owners still hold, and keeps others from claiming them until the caller's
        transaction ends. The flag of each tells whether it completed a step: then the job itself did not cause the
        interruptions before."""
        rows = db.execute(
            f"WITH given (named, holder, has_advanced) AS (VALUES {', '.join(['(?, ?, ?)'] * len(given))})"
            " UPDATE jobs SET stops = CASE WHEN has_advanced = 1 THEN tries - 1 ELSE stops END"
            " FROM given WHERE kind = ? AND subject = named AND owner = holder RETURNING subject",
            [*(value for subject, owner, advanced in given for value in (subject, owner, int(advanced))), kind],
        )
        return {row[0] for row in rows.fetchall()}

    def done(self, db: Connection, owner: str, key: JobKey) -> bool:
        """Removes the job; False if another worker has taken it over, in which case this one must write nothing."""
        return bool(self.all_done(db, key[0], [(key[1], owner)]))

    def all_done(self, db: Connection, kind: str, given: Sequence[tuple[str, str]]) -> set[tuple[str, str]]:
        """Removes jobs, given by subject and owner, and returns those that their owners still held."""
        rows = db.execute(
            f"DELETE FROM jobs WHERE kind = ? AND (subject, owner) IN (VALUES {', '.join(['(?, ?)'] * len(given))})"
            " RETURNING subject, owner",
            [kind, *(value for one in given for value in one)],
        )
        return {(subject, owner) for subject, owner in rows.fetchall()}

    def remove(self, db: Connection, key: JobKey) -> None:
        """Removes the job, whoever holds it."""
        db.execute("DELETE FROM jobs WHERE kind = ? AND subject = ?", key)

    def give_back(self, owner: str, keys: Iterable[JobKey], delay: float = 0.0, *, is_stop: bool = False) -> None:
        """Returns jobs to the queue, to be retried after the delay. `is_stop`: the worker was stopped or a server is
        down, so the job is not to blame."""
        with self.database.writing() as db:
            db.executemany(
                f"UPDATE jobs SET status = 'queued', owner = NULL, lease_until = 0, not_before = {self._now} + ?,"
                " stops = stops + ? WHERE kind = ? AND subject = ? AND owner = ?",
                [(delay, int(is_stop), *key, owner) for key in keys],
            )

    def note_stop(self, owner: str, keys: Iterable[JobKey]) -> None:
        """Records that these jobs are interrupted through no fault of their own."""
        with self.database.writing() as db:
            db.executemany(
                "UPDATE jobs SET stops = stops + 1 WHERE kind = ? AND subject = ? AND owner = ?",
                [(*key, owner) for key in keys],
            )

    def request_cancel(self, db: Connection, key: JobKey) -> Literal["not_open", "queued", "running"]:
        """A worker learns of it at its next renewal. A queued job, or one whose worker is gone, is removed at once."""
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
        """Whether a worker that is not known to be dead holds it."""
        row = db.execute(
            "SELECT owner FROM jobs WHERE kind = ? AND subject = ? AND status = 'running'"
            f" AND lease_until > {self._now}",
            key,
        ).fetchone()
        return row is not None and not is_dead(row[0])

    def open_subjects(self, kind: Kind, workspace_id: str) -> list[str]:
        with self.database.reading() as db:
            rows = db.execute("SELECT subject FROM jobs WHERE kind = ? AND workspace_id = ?", (kind, workspace_id))
            return [row[0] for row in rows.fetchall()]

    def free_the_dead(self) -> None:
        """Ends the leases of dead workers of this machine at once."""
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

    def _claimed_of(self, db: Connection, owner: str, kind: Kind, most: int) -> list[Job]:
        jobs = self._claimed(db, owner, kind, most, f"tries - stops < {SUSPECT}")
        if len(jobs) < most and not self._has_a_suspect(db, owner, kind):
            jobs += self._claimed(db, owner, kind, 1, f"tries - stops >= {SUSPECT}")
        return jobs

    def _has_a_suspect(self, db: Connection, owner: str, kind: Kind) -> bool:
        suspects = f"SELECT 1 FROM jobs WHERE kind = ? AND owner = ? AND tries - 1 - stops >= {SUSPECT} LIMIT 1"
        return db.execute(suspects, (kind, owner)).fetchone() is not None

    def _claimed(
        self,
        db: Connection,
        owner: str,
        kind: str,
        most: int,
        condition: str,
        given: Mapping[str, str] = MappingProxyType({}),
    ) -> list[Job]:
        rows = db.execute(
            f"SELECT kind, subject, workspace_id, tries, stops FROM jobs WHERE kind = :kind AND {condition}"
            f" AND (status = 'queued' OR lease_until < {self._now}) AND not_before <= {self._now}"
            f" ORDER BY created_at LIMIT :most{self.database.row_lock}",
            {"kind": kind, "most": most, **given},
        ).fetchall()
        if rows:
            these = ", ".join("?" * len(rows))
            db.execute(
                f"UPDATE jobs SET status = 'running', owner = ?, lease_until = {self._now} + ?, tries = tries + 1"
                f" WHERE kind = ? AND subject IN ({these})",
                (owner, self.lease_seconds, kind, *(row[1] for row in rows)),
            )
        return [Job(row[0], row[1], row[2], row[3] + 1, row[4]) for row in rows]


def kinds_of(keys: Collection[JobKey], kind: Kind) -> int:
    return sum(key[0] == kind for key in keys)
