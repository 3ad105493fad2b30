"""After kill -9: how soon the service responds again and its runs continue, and how much memory runs take."""

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import httpx

from evals.served import Served, served
from evals.tables import Section, machine, table
from masis import Masis, Settings
from tests.support.fake_openai import FakeOpenAI, Recorded, Say

ROUNDS, ACTIVE, PAUSED = 3, 100, 100
MODEL_SECONDS = 2.0
QUESTION = "What was revenue in 2025?"
DOCUMENT = "# Report\n\nRevenue was $12 million in 2025. Costs were $7 million in 2025.\n"


def measure_recovery() -> Section:
    with tempfile.TemporaryDirectory() as folder:
        home, models = Path(folder) / "home", _models()
        _filled(home, folder)
        figures = [_killed_and_back(home, _environment(models)) for _ in range(ROUNDS)]
        models.close()
    rows = [
        [name, f"{statistics.median(each):.2f}", f"{max(each):.2f}"]
        for name, each in zip(
            ["until the service answers again", "until the run resumes", "until the run has its answer"],
            zip(*figures, strict=True),
            strict=True,
        )
    ]
    body = (
        f"`masis serve` killed with SIGKILL while a model is writing, and started again at once; seconds since the "
        f"start, {ROUNDS} times; each model answers after {MODEL_SECONDS:g} s; SQLite; {machine()}. A worker of the "
        "same machine that is gone is recognised at once. Of another machine it is waited for, until its lease of "
        f"{Settings().lease_seconds:g} s (`MASIS_LEASE_SECONDS`) has run out.\n\n"
        + table(["", "median s", "longest s"], rows)
    )
    return Section("recovery", "Recovery after kill -9", body)


def measure_memory() -> Section:
    with tempfile.TemporaryDirectory() as folder:
        home, models = Path(folder) / "home", _models()
        _filled(home, folder)
        with served(home, _environment(models)) as service:
            _wait_for(service, [_start(service)])
            idle = service.memory_mb
            _wait_for(service, [_start(service, "hello") for _ in range(PAUSED)])
            paused = service.memory_mb
            runs = [_start(service) for _ in range(ACTIVE)]
            active = max(_watched(service, runs))
        models.close()
    rows: list[list[object]] = [
        ["the service with its models loaded, no run", f"{idle:.0f} MB", ""],
        [f"after {PAUSED} runs that wait for a person", f"{paused:.0f} MB", f"{(paused - idle) / PAUSED:.3f} MB"],
        [f"with {ACTIVE} runs in work", f"{active:.0f} MB", f"{(active - paused) / ACTIVE:.2f} MB"],
    ]
    body = (
        "Resident memory of `masis serve` (one process, SQLite, the embedded index and embedder in it); models on "
        f"another process; {machine()}. A run that waits for a person is rows in the database and nothing else.\n\n"
        + table(["", "memory", "per run"], rows)
    )
    return Section("memory", "Memory per run", body)


def _models() -> FakeOpenAI:
    server = FakeOpenAI()

    def answer(request: Recorded) -> Say:
        time.sleep(MODEL_SECONDS)
        schema = str(request.body.get("response_format", ""))
        if "hallucination_detected" in schema:
            return Say(
                '{"confidence": 0.9, "hallucination_detected": false, "unsupported_claims": [], "logical_gaps": [], '
                '"conflicting_evidence": [], "needs_retry": false}'
            )
        if "faithfulness" in schema:
            return Say(
                '{"faithfulness": 0.9, "relevance": 0.9, "completeness": 0.9, "reasoning_quality": 0.9, '
                '"improvement_suggestions": []}'
            )
        return Say("Revenue was $12 million in 2025.")

    server.answer_with(answer)
    return server


def _environment(models: FakeOpenAI) -> dict[str, str]:
    return {
        "MASIS_MODEL_BASE_URL": models.base_url,
        "MASIS_RATE_LIMIT_CALLS": "100000",
        "NO_PROXY": "127.0.0.1",
        "MASIS_MAX_RETRIES": "1",
    }


def _filled(home: Path, folder: str) -> None:
    document = Path(folder) / "report.md"
    document.write_text(DOCUMENT)
    masis = Masis(Settings(home=home))
    masis.ingest([document], "bench")
    masis.close()


def _start(service: Served, question: str = QUESTION) -> str:
    made = httpx.post(f"{service.url}/masis/workspaces/bench/runs", json={"query": question}, timeout=60)
    made.raise_for_status()
    return str(made.json()["run_id"])


def _record(service: Served, run_id: str) -> dict[str, Any]:
    found: dict[str, Any] = httpx.get(f"{service.url}/masis/workspaces/bench/runs/{run_id}", timeout=60).json()
    return found


def _killed_and_back(home: Path, environment: dict[str, str]) -> tuple[float, float, float]:
    service = Served(home, environment)
    service.start()
    run_id = _start(service)
    while _record(service, run_id)["agent"] != "synthesizer":
        time.sleep(0.02)
    service.kill()
    started = time.perf_counter()
    answers = service.start()
    while _tries(home, run_id) < 2:
        time.sleep(0.01)
    goes_on = time.perf_counter() - started
    while _record(service, run_id)["status"] not in ("finished", "waiting"):
        time.sleep(0.02)
    ended = time.perf_counter() - started
    service.stop()
    return answers, goes_on, ended


def _tries(home: Path, run_id: str) -> int:
    masis = Masis(Settings(home=home))
    with masis._parts.database.reading() as db:
        row = db.execute("SELECT tries FROM jobs WHERE subject = ?", (run_id,)).fetchone()
    masis._parts.database.close()
    return int(row[0]) if row else 2


def _wait_for(service: Served, runs: list[str]) -> None:
    for _ in _watched(service, runs):
        pass


def _watched(service: Served, runs: list[str]) -> list[float]:
    """Memory while they work."""
    memory, left = [service.memory_mb], set(runs)
    while left:
        time.sleep(0.1)
        memory.append(service.memory_mb)
        some = list(left)[:20]
        left -= {run_id for run_id in some if _record(service, run_id)["status"] in ("finished", "waiting")}
    return memory
