"""A thousand runs in the queue of two workers, and a service under mixed load for minutes: does it stay stable?"""

import os
import random
import statistics
import tempfile
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from itertools import count
from pathlib import Path

import httpx
import psutil

from evals.served import Served, served
from evals.tables import Section, machine, table
from masis import Masis, Settings
from tests.faults.conftest import surroundings
from tests.support.deployment import Deployment, until
from tests.support.fake_openai import FakeOpenAI
from tests.support.patient_model import PatientModel
from tests.support.servers import PostgresServer, QdrantServer

RUNS, WORKERS, AT_ONCE = 1000, 2, 100
MODEL_SECONDS, CALLS = 1.0, 3
QUESTION = "What was revenue in 2025?"
REPORT = ("report.md", b"# Report\n\nRevenue was $12 million in 2025.\n")

SOAK_SECONDS = float(os.environ.get("SOAK_SECONDS", "1440"))
WARM_SECONDS = SOAK_SECONDS / 6
"""Until models are loaded and caches are full; measuring begins afterwards."""
SAMPLE = Path(__file__).parents[1] / "examples" / "tolmerick"
QUESTIONS = (
    "When does the term loan from Lakehead Mutual Bank mature?",
    "What was revenue in 2025?",
    "Who chairs the audit committee?",
    "How many employees are there?",
    "What is the weather on Mars?",
)


def measure_queue() -> Section:
    with tempfile.TemporaryDirectory() as name:
        folder, postgres, provider = Path(name), PostgresServer(), FakeOpenAI()
        qdrant = QdrantServer(folder)
        provider.answer_with(PatientModel(MODEL_SECONDS))
        postgres.start()
        qdrant.start()
        settings = surroundings(folder / "home", postgres.database("masis"), qdrant.url, provider.base_url)
        settings |= {"MASIS_LEASE_SECONDS": "15"}
        deployment = Deployment(folder, settings)
        os.environ.update(settings)
        try:
            rows = _queued(deployment)
        finally:
            deployment.close()
            provider.close()
            qdrant.stop()
            postgres.close()
            for each in settings:
                del os.environ[each]
    body = (
        f"{RUNS:,} runs put into the queue at once, {WORKERS} workers with room for {AT_ONCE} each, PostgreSQL, Qdrant "
        f"and a model that answers after {MODEL_SECONDS:g} s ({CALLS} calls a run); {machine()}, on which servers, "
        "workers and the model's server share the cores. Queueing: from being accepted to being claimed.\n\n"
        + table(["", ""], rows)
    )
    return Section("load", "A thousand runs in the queue", body)


def _queued(deployment: Deployment) -> list[list[object]]:
    masis = Masis(Settings())
    masis.create_workspace("w")
    workers = [deployment.worker() for _ in range(WORKERS)]
    upload = masis.upload("w", [REPORT]).ingestion_id
    until(lambda: masis.ingestion(upload, "w").status == "done")
    warm = masis.ask_in_background(QUESTION, "w").run_id
    until(lambda: masis.get_run(warm).status == "finished")
    cpu = sum(_cpu(worker.process.pid) for worker in workers)
    started = time.perf_counter()
    runs = [masis.ask_in_background(QUESTION, "w").run_id for _ in range(RUNS)]
    accepted = time.perf_counter() - started
    until(lambda: not masis.job_counts(), 900)
    wall = time.perf_counter() - started
    cpu = sum(_cpu(worker.process.pid) for worker in workers) - cpu
    records = [masis.get_run(run) for run in runs]
    masis.close()
    waited = sorted(_seconds(record.created_at, record.started_at) for record in records)
    lived = sorted(_seconds(record.started_at, record.finished_at) for record in records)
    ideal = RUNS / (WORKERS * AT_ONCE) * MODEL_SECONDS * CALLS
    outcomes = Counter(record.outcome for record in records)
    doubled = sum(record.model_calls > CALLS for record in records)
    return [
        ["answered, lost, with a step done twice", f"{outcomes['answered']}, {RUNS - outcomes['answered']}, {doubled}"],
        ["accepted per second (one caller)", f"{RUNS / accepted:.0f}"],
        ["all done after (ideal: the models alone)", f"{wall:.0f} s ({ideal:.0f} s)"],
        ["runs per second", f"{RUNS / wall:.1f}"],
        ["queueing p50, p99", f"{statistics.median(waited):.1f} s, {waited[int(RUNS * 0.99)]:.1f} s"],
        ["in work p50, p99 (ideal 3 s)", f"{statistics.median(lived):.1f} s, {lived[int(RUNS * 0.99)]:.1f} s"],
        ["CPU of the workers per run", f"{cpu / RUNS * 1000:.0f} ms"],
    ]


def _seconds(start: str | None, end: str | None) -> float:
    assert start is not None
    assert end is not None
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds()


def _cpu(pid: int) -> float:
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


# The same service, minutes later


def measure_soak() -> Section:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        with Masis(Settings(home=home)) as masis:
            masis.ingest([SAMPLE], "soak")
        with served(home) as service:
            done, samples = _soaked(service)
    rows = [
        [name, *(f"{_around(samples, share, column):.0f}" for share in (0.0, 0.5, 1.0)), f"{highest:.0f}"]
        for column, (name, highest) in enumerate(
            (name, max(sample[column] for sample in samples))
            for column, name in enumerate(("memory, MB", "open files and sockets", "threads"))
        )
    ]
    load = ", ".join(f"{n:,} × {what}" for what, n in sorted(done.items()))
    body = (
        f"`masis serve` with the embedded index and engine (no model, no server) for {SOAK_SECONDS / 60:g} minutes "
        f"(`SOAK_SECONDS`), of which the first {WARM_SECONDS:g} s are not counted: callers that ask, search, upload "
        f"and delete documents, and read what there is, all the time ({load}); "
        f"{machine()}. Each figure is the mean of a tenth of the time.\n\n"
        + table(["", "at the start", "in the middle", "at the end", "highest"], rows)
    )
    return Section("soak", "Minutes of mixed load", body)


def _around(samples: list[tuple[float, ...]], share: float, column: int) -> float:
    width = max(1, len(samples) // 10)
    first = round(share * (len(samples) - width))
    return statistics.fmean(sample[column] for sample in samples[first : first + width])


def _soaked(service: Served) -> tuple[Counter[str], list[tuple[float, ...]]]:
    assert service._process is not None
    process, enough = psutil.Process(service._process.pid), threading.Event()
    done: Counter[str] = Counter()
    samples: list[tuple[float, ...]] = []
    started = time.monotonic()
    with ThreadPoolExecutor(3) as callers:
        calling = [callers.submit(caller, service.url, done, enough) for caller in (_ask, _search, _upload)]
        while time.monotonic() - started < SOAK_SECONDS and not any(call.done() for call in calling):
            enough.wait(1)
            if time.monotonic() - started > WARM_SECONDS:
                memory = process.memory_info().rss / 1e6
                samples.append((memory, float(process.num_fds()), float(process.num_threads())))
        enough.set()
        for call in calling:
            call.result()
    return done, samples


def _ask(url: str, done: Counter[str], enough: threading.Event) -> None:
    chance = random.Random(1)
    with httpx.Client(timeout=120) as client:
        for number in count():
            if enough.is_set():
                return
            question = f"{chance.choice(QUESTIONS)}{'' if number % 3 else f' ({number})'}"
            _note(done, "question", client.post(f"{url}/masis/workspaces/soak", json={"query": question}))


def _search(url: str, done: Counter[str], enough: threading.Event) -> None:
    with httpx.Client(base_url=f"{url}/masis/workspaces/soak", timeout=120) as client:
        for number in count():
            if enough.wait(0.2):
                return
            _note(done, "search", client.get("/search", params={"q": f"revenue {number % 97}"}))
            _note(done, "list", client.get("/runs" if number % 2 else "/documents"))


def _upload(url: str, done: Counter[str], enough: threading.Event) -> None:
    with httpx.Client(base_url=f"{url}/masis/workspaces/soak", timeout=120) as client:
        for number in count():
            if enough.wait(1):
                return
            text = f"# Note {number}\n\nThe ferry carried {number} cars on day {number}. " * 40
            sent = client.post("/documents?wait=true", files={"files": (f"note-{number}.md", text.encode())})
            _note(done, "upload", sent)
            names = {each["file_name"]: each["document_id"] for each in client.get("/documents").json()["items"]}
            if old := names.get(f"note-{number - 3}.md"):
                _note(done, "deletion", client.delete(f"/documents/{old}"))


def _note(done: Counter[str], what: str, answer: httpx.Response) -> None:
    done[what if answer.is_success else f"{what} refused ({answer.status_code})"] += 1
