"""Queues on PostgreSQL with jobs that do nothing: CPU milliseconds per job, one figure a round. Run by bench_jobs."""

import asyncio
import json
import sys
import time

JOBS_AT_ONCE = 100


async def procrastinate(url: str, jobs: int) -> float:
    from procrastinate import App, PsycopgConnector

    done = set[int]()
    app = App(connector=PsycopgConnector(conninfo=url))

    @app.task(name="job")
    async def job(number: int) -> None:
        done.add(number)

    async with app.open_async():
        there = await app.connector.execute_query_one_async(
            "SELECT to_regclass('procrastinate_jobs') IS NOT NULL AS yes"
        )
        if not there["yes"]:
            await app.schema_manager.apply_schema_async()
        started = time.process_time()
        for number in range(jobs):
            await job.defer_async(number=number)
        await app.run_worker_async(
            wait=False, concurrency=JOBS_AT_ONCE, install_signal_handlers=False, delete_jobs="always"
        )
        seconds = time.process_time() - started
    assert len(done) == jobs
    return seconds / jobs * 1000


async def pgqueuer(url: str, jobs: int) -> float:
    import asyncpg
    from pgqueuer import PgQueuer
    from pgqueuer.models import Job
    from pgqueuer.types import QueueExecutionMode

    done = set[bytes | None]()
    connection = await asyncpg.connect(url)
    queue = PgQueuer.from_asyncpg_connection(connection)
    if not await queue.queries.schema_is_installed():
        await queue.queries.install()

    @queue.entrypoint("job")
    async def job(job: Job) -> None:
        done.add(job.payload)

    started = time.process_time()
    for number in range(jobs):
        await queue.queries.enqueue("job", str(number).encode())
    await queue.run(batch_size=JOBS_AT_ONCE, mode=QueueExecutionMode.drain)
    seconds = time.process_time() - started
    await connection.close()
    assert len(done) == jobs
    return seconds / jobs * 1000


async def main(library: str, url: str, jobs: int, rounds: int) -> None:
    measure = {"procrastinate": procrastinate, "pgqueuer": pgqueuer}[library]
    print(json.dumps([await measure(url, jobs) for _ in range(rounds)]))


asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])))
