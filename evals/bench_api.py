"""The overhead of the API per request: key, rights, rate limit, database and problem handling, against a bare route."""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx

from evals.served import served
from evals.tables import Section, machine, table
from masis import Masis, Settings
from masis.access.keys import Keys
from tests.support.servers import free_port

REQUESTS, ROUNDS, WARM = 300, 5, 50
BARE = """
import sys, uvicorn
from fastapi import FastAPI
app = FastAPI()
@app.get("/bare/{name}")
async def bare(name: str) -> dict[str, str]:
    return {"name": name}
uvicorn.run(app, port=int(sys.argv[1]), log_level="error", access_log=False)
"""


def measure() -> Section:
    with tempfile.TemporaryDirectory() as home:
        settings = Settings(home=Path(home))
        masis = Masis(settings)
        masis.create_workspace("bench")
        run_id = masis.ask("What was revenue?", "bench").run_id
        masis.close()
        _, token = Keys(settings).create("bench", "admin", ["*"])
        many = {"MASIS_KEY_RATE_CALLS": "1000000"}
        with served(Path(home), many) as ours, _bare() as bare, httpx.Client() as client:
            key = {"Authorization": f"Bearer {token}"}
            workspace = f"{ours.url}/masis/workspaces/bench"
            rows = _rows(
                client,
                {
                    "a bare FastAPI route": (f"{bare}/bare/bench", {}),
                    "`/health`": (f"{ours.url}/health", {}),
                    "a workspace, with a key": (workspace, key),
                    "a run's record, with a key": (f"{workspace}/runs/{run_id}", key),
                    "a run's whole result, with a key": (f"{workspace}/runs/{run_id}/result", key),
                },
            )
    body = (
        f"Milliseconds per request over one connection on loopback, median of {REQUESTS} requests in {ROUNDS} rounds "
        f"taken in turns, each server a process of its own, SQLite; {machine()}.\n\n"
        + table(["", "ms", "ms more than bare"], rows)
    )
    return Section("api", "What the API adds to a request", body)


def _rows(client: httpx.Client, targets: dict[str, tuple[str, dict[str, str]]]) -> list[list[object]]:
    figures: dict[str, list[float]] = {name: [] for name in targets}
    for round_ in range(ROUNDS + 1):
        for name, (url, headers) in targets.items():
            took = [_request_ms(client, url, headers) for _ in range(REQUESTS if round_ else WARM)]
            if round_:
                figures[name] += took
    medians = {name: statistics.median(took) for name, took in figures.items()}
    floor = next(iter(medians.values()))
    return [[name, f"{ms:.2f}", f"{ms - floor:.2f}"] for name, ms in medians.items()]


def _request_ms(client: httpx.Client, url: str, headers: dict[str, str]) -> float:
    started = time.perf_counter()
    client.get(url, headers=headers).raise_for_status()
    return (time.perf_counter() - started) * 1000


@contextmanager
def _bare() -> Iterator[str]:
    port = free_port()
    process = subprocess.Popen([sys.executable, "-c", BARE, str(port)])
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(500):
            with suppress(httpx.HTTPError):
                httpx.get(f"{url}/bare/x", timeout=1)
                break
            time.sleep(0.02)
        yield url
    finally:
        process.terminate()
        process.wait()
