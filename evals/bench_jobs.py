"""The cost of a durable job: MASIS's queue against those of libraries, with jobs that do nothing."""

import asyncio
import json
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from evals.tables import Section, machine, table
from masis.database import open_database
from masis.jobs.queue import Job, JobQueue
from masis.jobs.worker import Lease, Worker
from masis.runs.tables import RUNS
from masis.settings import Settings
from tests.support.servers import PostgresServer

JOBS, ROUNDS = 300, 5
HERE = Path(__file__).parent
PEER_PYTHON = HERE.parent / ".cache" / "peers" / "bin" / "python"
POSTGRES = HERE / "peers" / "postgres_jobs.py"
DBOS = HERE / "peers" / "dbos_jobs.py"
TITLES = {
    "dbos": "DBOS 3.3, a workflow of one step",
    "procrastinate": "procrastinate 3.10",
    "pgqueuer": "PgQueuer 1.6, `SKIP LOCKED` and little more",
}


def measure() -> Section:
    ours = [asyncio.run(_ours(None)) for _ in range(ROUNDS)]
    rows = [
        _row("MASIS's queue", "SQLite", ours, ours),
        _row(TITLES["dbos"], "SQLite", _dbos_on_sqlite(), ours),
    ]
    server = PostgresServer()
    server.start()
    try:
        names = [f"ours_{number}" for number in range(ROUNDS)]
        ours = [asyncio.run(_ours(server.database(name))) for name in names]
        rows += [
            _row("MASIS's queue", "PostgreSQL", ours, ours),
            _row(TITLES["dbos"], "PostgreSQL", _peer(DBOS, server.database("dbos")), ours),
        ]
        for library in ("procrastinate", "pgqueuer"):
            rows.append(_row(TITLES[library], "PostgreSQL", _peer(POSTGRES, library, server.database(library)), ours))
    finally:
        server.close()
    body = (
        f"{JOBS} jobs that do nothing, put one by one, claimed, done and waited for in one process, median of {ROUNDS} "
        f"rounds; CPU of that process, without the database server's; {machine()}. All survive kill -9. The steps of "
        "a run are kept by LangGraph's checkpoints either way; the queue only says whose turn it is.\n\n"
        + table(["", "on", "CPU ms per job", "ratio"], [row for row in rows if row])
    )
    return Section("jobs", "What a durable job costs", body)


def _row(name: str, database: str, figures: list[float] | None, ours: list[float]) -> list[object]:
    if figures is None:
        return []
    middle = statistics.median(figures)
    return [name, database, f"{middle:.2f}", f"{middle / statistics.median(ours):.1f}"]


async def _ours(url: str | None) -> float:
    with tempfile.TemporaryDirectory() as home:
        database = open_database(Settings(home=Path(home), database_url=url), RUNS)
        queue, done = JobQueue(database, 15.0), asyncio.Event()
        left = JOBS

        async def handler(job: Job, lease: Lease) -> None:
            nonlocal left
            await asyncio.to_thread(_finish, queue, lease)
            left -= 1
            if not left:
                done.set()

        worker = Worker(queue, {"run": handler}, {"run": JOBS}, 0.05)
        cpu = time.process_time()
        for number in range(JOBS):
            with database.writing() as db:
                queue.put(db, Job("run", str(number), "bench"))
        task = asyncio.create_task(worker.run())
        await done.wait()
        cpu = time.process_time() - cpu
        worker.stop()
        await task
        database.close()
    return cpu / JOBS * 1000


def _finish(queue: JobQueue, lease: Lease) -> None:
    with queue.database.writing() as db:
        queue.done(db, lease.owner, lease.job.key)


def _dbos_on_sqlite() -> list[float] | None:
    with tempfile.TemporaryDirectory() as home:
        return _peer(DBOS, f"sqlite:///{home}/dbos.sqlite")


def _peer(script: Path, *given: str) -> list[float] | None:
    if not PEER_PYTHON.exists():
        return None
    command = [PEER_PYTHON, script, *given, str(JOBS), str(ROUNDS)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return list(json.loads(done.stdout.strip().splitlines()[-1])) if done.returncode == 0 else None
