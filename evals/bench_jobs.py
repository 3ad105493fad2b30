"""What a durable job costs: MASIS's queue beside DBOS, with jobs that do nothing, on SQLite."""

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

JOBS, ROUNDS = 300, 5
HERE = Path(__file__).parent
PEER_PYTHON = HERE.parent / ".cache" / "peers" / "bin" / "python"
PEER_SCRIPT = HERE / "peers" / "dbos_jobs.py"


def measure() -> Section:
    ours, peer = [asyncio.run(_ours()) for _ in range(ROUNDS)], _dbos()
    rows = [_row("MASIS's queue", ours, statistics.median(ours))]
    if peer:
        rows.append(_row("DBOS 3.3, a workflow of one step", peer, statistics.median(ours)))
    body = (
        f"{JOBS} jobs that do nothing, put, claimed, done and waited for in one process, median of {ROUNDS} rounds; "
        f"{machine()}. Both survive kill -9. The steps of a run are kept by LangGraph's checkpoints either way; the "
        "queue only says whose turn it is.\n\n" + table(["", "CPU ms per job", "ratio"], rows)
    )
    return Section("jobs", "What a durable job costs", body)


def _row(name: str, figures: list[float], ours: float) -> list[object]:
    middle = statistics.median(figures)
    return [name, f"{middle:.2f}", f"{middle / ours:.1f}"]


async def _ours() -> float:
    with tempfile.TemporaryDirectory() as home:
        database = open_database(Settings(home=Path(home)), RUNS)
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


def _dbos() -> list[float] | None:
    if not PEER_PYTHON.exists():
        return None
    with tempfile.TemporaryDirectory() as home:
        done = subprocess.run(
            [PEER_PYTHON, PEER_SCRIPT, home, str(JOBS), str(ROUNDS)], capture_output=True, text=True, timeout=300
        )
    return list(json.loads(done.stdout.strip().splitlines()[-1])) if done.returncode == 0 else None
