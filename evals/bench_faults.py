"""Breaks something in the middle of runs and uploads, and counts what is lost or done twice, which should be
nothing."""

import os
import secrets
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from evals.tables import Section, machine, table
from masis import Masis, Settings
from masis.runs.records import RunRecord
from tests.faults.conftest import surroundings
from tests.support.deployment import Deployment, Program, until
from tests.support.fake_openai import FakeOpenAI
from tests.support.patient_model import PatientModel
from tests.support.relay import Relay
from tests.support.servers import PostgresServer, QdrantServer

RUNS, FILES = 24, 8
MODEL_SECONDS = 0.5
CALLS = 3
AWAY_SECONDS = 6.0
"""Three times the lease: a process that is silent for this long has lost its jobs."""
QUESTION = "What was revenue in 2025?"
REPORT = ("report.md", b"# Report\n\nRevenue was $12 million in 2025.\n")
SHIFTED = """
import datetime, os, time

seconds, real, real_ns = float(os.environ["SHIFTED_BY"]), time.time, time.time_ns
time.time = lambda: real() + seconds
time.time_ns = lambda: real_ns() + int(seconds * 1e9)


class Shifted(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return super().now(tz) + datetime.timedelta(seconds=seconds)

    @classmethod
    def utcnow(cls):
        return super().utcnow() + datetime.timedelta(seconds=seconds)


datetime.datetime = Shifted
"""
"""Imported by a process before anything else, to change its time of day."""
OVER = ("finished", "waiting", "failed", "cancelled")


@dataclass
class Site:
    """PostgreSQL and Qdrant behind relays, a model, and two workers, one of them behind the relays."""

    folder: Path
    masis: Masis
    direct: Deployment
    relayed: Deployment
    postgres: PostgresServer
    qdrant: QdrantServer
    relays: tuple[Relay, Relay]
    provider: FakeOpenAI
    model: PatientModel
    workers: list[Program]
    standby: PostgresServer | None = None

    def start_workers(self, shift: int = 0) -> None:
        """`shift`: seconds by which the first worker's clock is fast."""
        self.stop_workers()
        own = self.relayed.environment
        if shift:
            (self.folder / "sitecustomize.py").write_text(SHIFTED)
            before = os.environ.get("PYTHONPATH", "")
            self.relayed.environment = own | {"SHIFTED_BY": str(shift), "PYTHONPATH": f"{self.folder}:{before}"}
        self.workers = [self.relayed.worker(), self.direct.worker()]
        self.relayed.environment = own

    def add_standby(self) -> None:
        """From now on everybody knows both databases and writes to the one that accepts it."""
        self.standby = PostgresServer(leader=self.postgres)
        self.standby.start()
        hosts = f"127.0.0.1:{self.postgres.port},127.0.0.1:{self.standby.port}"
        url = {"MASIS_DATABASE_URL": f"postgresql://masis@{hosts}/masis?target_session_attrs=read-write"}
        os.environ |= url
        self.masis.close()
        self.masis = Masis(Settings())
        self.direct.environment |= url
        self.relayed.environment |= url
        self.start_workers()

    def stop_workers(self) -> None:
        for worker in self.workers:
            worker.kill()
        self.workers = []


@contextmanager
def _site() -> Iterator[Site]:
    with tempfile.TemporaryDirectory() as name:
        folder, postgres = Path(name), PostgresServer()
        qdrant, provider, model = QdrantServer(folder), FakeOpenAI(), PatientModel(MODEL_SECONDS)
        provider.answer_with(model)
        postgres.start()
        qdrant.start()
        relays = Relay(postgres.port), Relay(qdrant.port)
        url = postgres.database("masis")
        settings = surroundings(folder / "home", url, qdrant.url, provider.base_url)
        settings["MASIS_WORKER_RUNS"] = str(RUNS // 2)  # otherwise the first to look would take them all
        behind = {
            "MASIS_DATABASE_URL": url.replace(str(postgres.port), str(relays[0].port)),
            "QDRANT_URL": relays[1].url,
        }
        os.environ.update(settings)
        masis = Masis(Settings())
        masis.create_workspace("w")
        direct, relayed = Deployment(folder, settings), Deployment(folder, settings | behind)
        site = Site(folder, masis, direct, relayed, postgres, qdrant, relays, provider, model, [])
        try:
            yield site
        finally:
            site.masis.close()
            direct.close()
            relayed.close()
            provider.close()
            qdrant.stop()
            if site.standby:
                site.standby.close()
            postgres.close()
            for each in settings:
                del os.environ[each]


def _nothing(_: Site) -> None:
    """For comparison."""


def _worker_killed(site: Site) -> None:
    site.workers[0].kill()
    site.workers[0] = site.relayed.worker()


def _other_killed(site: Site) -> None:
    site.workers[1].kill()
    site.workers[1] = site.direct.worker()


def _worker_frozen(site: Site) -> None:
    site.workers[0].send(signal.SIGSTOP)
    time.sleep(AWAY_SECONDS)
    site.workers[0].send(signal.SIGCONT)


def _database_killed(site: Site) -> None:
    site.postgres.kill()
    time.sleep(2)
    site.postgres.start()


def _database_restarted(site: Site) -> None:
    site.postgres.restart()


def _failed_over(site: Site) -> None:
    assert site.standby
    site.postgres.kill()
    time.sleep(AWAY_SECONDS)
    site.standby.promote()


def _index_killed(site: Site) -> None:
    site.qdrant.kill()
    time.sleep(2)
    site.qdrant.start()


def _network_paused(site: Site) -> None:
    for relay in site.relays:
        relay.pause()
    time.sleep(AWAY_SECONDS)
    for relay in site.relays:
        relay.resume()


def _network_cut(site: Site) -> None:
    for relay in site.relays:
        relay.cut()
    time.sleep(AWAY_SECONDS)
    for relay in site.relays:
        relay.mend()


FAULTS: dict[str, tuple[Callable[[Site], None], int]] = {
    "nothing, for comparison": (_nothing, 0),
    "a worker is killed (SIGKILL) and another started": (_worker_killed, 0),
    f"a worker is frozen (SIGSTOP) for {AWAY_SECONDS:g} s, three leases": (_worker_frozen, 0),
    "PostgreSQL is restarted": (_database_restarted, 0),
    "PostgreSQL is killed (SIGKILL), 2 s later started": (_database_killed, 0),
    "Qdrant is killed (SIGKILL), 2 s later started": (_index_killed, 0),
    f"the network of a worker stands still for {AWAY_SECONDS:g} s": (_network_paused, 0),
    f"the network of a worker is cut for {AWAY_SECONDS:g} s": (_network_cut, 0),
    "a worker's clock is a minute fast, and the other worker is killed": (_other_killed, 60),
    "a worker's clock is a minute slow, and the other worker is killed": (_other_killed, -60),
}

FAIL_OVER = f"PostgreSQL is killed (SIGKILL), {AWAY_SECONDS:g} s later its standby takes over"


def measure() -> Section:
    with _site() as site:
        site.start_workers()
        _upload_and_wait(site, [REPORT])
        reference = _trail(site.masis, _finished(site, [site.masis.ask_in_background(QUESTION, "w").run_id])[0])
        rows = [_row(site, name, *fault, reference) for name, fault in FAULTS.items()]
        site.add_standby()  # last, because this stays the database
        rows.append(_row(site, FAIL_OVER, _failed_over, 0, reference))
    body = (
        f"{RUNS} runs and an upload of {FILES} files, in work on two workers when the fault comes (a third of "
        f"the model calls made); PostgreSQL, Qdrant and a model that answers after {MODEL_SECONDS:g} s; leases of 2 s; "
        f"{machine()}, all of it on this one machine. *Lost*: runs without an end or files that are not ready. "
        "*Doubled*: runs with a step that was done twice, documents or passages that are there twice. *Calls again*: "
        f"model calls beyond {CALLS} a run, whose answer was on its way when something broke. *Waiting*: runs that "
        "end in “have another look later”, since the index was away when they searched.\n\n"
        + table(["fault", "lost", "doubled", "finished", "waiting", "calls again"], rows)
    )
    return Section("faults", "Faults in the middle of runs", body)


def _row(site: Site, name: str, fault: Callable[[Site], None], shift: int, reference: Counter[object]) -> list[object]:
    if shift or len(site.workers) < 2 or any(worker.process.poll() is not None for worker in site.workers):
        site.start_workers(shift)
    before, known = len(site.provider.chats), len(site.masis.documents("w"))
    started = time.monotonic()
    runs = [site.masis.ask_in_background(QUESTION, "w").run_id for _ in range(RUNS)]
    upload = site.masis.upload("w", _files()).ingestion_id
    until(lambda: len(site.provider.chats) - before >= RUNS * CALLS // 3)
    fault(site)
    lost = 0
    try:
        until(lambda: all(site.masis.get_run(run).status in OVER for run in runs), 180)
        until(lambda: site.masis.ingestion(upload, "w").status == "done", 180)
    except TimeoutError:
        lost = sum(site.masis.get_run(run).status not in OVER for run in runs)
    seconds = time.monotonic() - started
    records = [site.masis.get_run(run) for run in runs]
    lost += sum(record.status in ("failed", "cancelled") for record in records)
    ready = [each for each in site.masis.documents("w") if each.status == "READY"]
    lost += max(0, known + FILES - len(ready))
    doubled = sum(bool(_trail(site.masis, record) - reference) for record in records if record.status == "finished")
    doubled += max(0, len(ready) - known - FILES)
    doubled += sum(_passages(site, each.document_id) > each.chunks for each in ready)
    states = Counter(record.status for record in records)
    again = len(site.provider.chats) - before - sum(record.model_calls for record in records)
    print(name, lost, doubled, dict(states), again, f"{seconds:.0f} s", flush=True)
    return [name, lost, doubled, states["finished"], states["waiting"], max(0, again)]


def _files() -> list[tuple[str, bytes]]:
    mark = secrets.token_hex(4)
    return [(f"{mark}-{n}.md", f"# Harbour {mark}\n\nThe ferry carried {n} cars.\n".encode()) for n in range(FILES)]


def _passages(site: Site, document_id: str) -> int:
    import asyncio

    return asyncio.run(site.masis.library.store.count("w", document_id))


def _upload_and_wait(site: Site, files: list[tuple[str, bytes]]) -> None:
    upload = site.masis.upload("w", files).ingestion_id
    until(lambda: site.masis.ingestion(upload, "w").status == "done")


def _finished(site: Site, runs: list[str]) -> list[RunRecord]:
    until(lambda: all(site.masis.get_run(run).status == "finished" for run in runs))
    return [site.masis.get_run(run) for run in runs]


def _trail(masis: Masis, record: RunRecord) -> Counter[object]:
    """Without the starts, because a process that dies in its first moments may not have recorded its own."""
    events = [event for event in masis.events(record.run_id) if event["event"] != "started"]
    return Counter((event["event"], event.get("agent"), event.get("attempt")) for event in events)
