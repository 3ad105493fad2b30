"""Many runs at once in one process, with models that answer after a second: the time that MASIS adds."""

import asyncio
import statistics
import tempfile
import time
from pathlib import Path

from evals.slow_models import IDEAL_SECONDS, QUESTION, slow_services
from evals.tables import Section, machine, table
from masis import Masis, Settings
from masis.runs.working import settle_in
from tests.support.servers import PostgresServer

AT_ONCE = (1, 50, 200)
TARGET = 1.5
WORKSPACE = "bench"


def measure() -> Section:
    rows = [asyncio.run(_row("SQLite", runs, None)) for runs in AT_ONCE]
    server = PostgresServer()
    server.start()
    try:
        rows += [asyncio.run(_row("PostgreSQL", runs, server.database(f"bench_{runs}"))) for runs in AT_ONCE]
    finally:
        server.close()
    body = (
        "Runs started in the background and followed to their end by their events, all at once, in one process: "
        "queue, checkpoints, events and the code audit are real, the three models of a run answer after 1 s "
        f"each (so the ideal is {IDEAL_SECONDS:g} s whatever the number); {machine()}, which PostgreSQL shares with "
        f"the process. Target at 200: wall time under {TARGET}× the ideal.\n\n"
        + table(
            [
                "database",
                "runs at once",
                "wall s",
                "× ideal",
                "runs per s",
                "added p50 ms",
                "added p99 ms",
                "CPU ms per run",
            ],
            rows,
        )
    )
    return Section("concurrency", "Many runs at once", body)


async def _row(database: str, runs: int, url: str | None) -> list[object]:
    with tempfile.TemporaryDirectory() as home:
        settings = Settings(home=Path(home), database_url=url, worker_runs=max(AT_ONCE))
        masis = Masis(settings)
        masis._parts.services = slow_services(settings, runs + 1)
        masis.library.catalog.create_workspace(WORKSPACE)
        async with masis.working():
            await _followed(masis)  # what is loaded once does not count towards a run
            settle_in()
            cpu, started = time.process_time(), time.perf_counter()
            seconds = sorted(await asyncio.gather(*(_followed(masis) for _ in range(runs))))
            wall, cpu = time.perf_counter() - started, time.process_time() - cpu
        masis.close()
    return [
        database,
        runs,
        f"{wall:.2f}",
        f"{wall / IDEAL_SECONDS:.2f}",
        f"{runs / wall:.1f}",
        f"{_added_ms(statistics.median(seconds))}",
        f"{_added_ms(seconds[int(len(seconds) * 0.99)])}",
        f"{cpu / runs * 1000:.1f}",
    ]


def _added_ms(seconds: float) -> int:
    return round((seconds - IDEAL_SECONDS) * 1000)


async def _followed(masis: Masis) -> float:
    started = time.perf_counter()
    record = await masis.aask_in_background(QUESTION, WORKSPACE)
    async for _ in masis.afollow(record.run_id):
        pass
    if (await masis.aget_run(record.run_id)).outcome != "answered":
        raise RuntimeError("a run of the benchmark was not answered")
    return time.perf_counter() - started
