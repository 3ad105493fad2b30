"""What every test may use."""

import fcntl
import gc
import os
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import certifi
import pytest
from hypothesis import HealthCheck, settings

from masis.sources.sandbox import pool
from masis.sources.sandbox.process import Worker
from tests.support import parsers
from tests.support.deployment import MASIS
from tests.support.fake_openai import FakeOpenAI
from tests.support.servers import PostgresServer, QdrantServer
from tests.support.service import SAMPLE, clean_environment

gc.disable()  # until all tests are collected
# onnxruntime reports its use to its maker unless the environment forbids it before the first import.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
# As the command line sets it.
os.environ["OPENBLAS_NUM_THREADS"] = "1"
# httpx reads all certificates of the world for every client, and tests make thousands that never leave this machine.
_certificate = tempfile.NamedTemporaryFile("w", suffix=".pem")  # noqa: SIM115
_certificate.write("".join(Path(certifi.where()).read_text().partition("-----END CERTIFICATE-----")[:2]) + "\n")
_certificate.flush()
os.environ["SSL_CERT_FILE"] = _certificate.name

# Enough to find what a change breaks; HYPOTHESIS_PROFILE=deep looks further.
settings.register_profile("suite", max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("deep", max_examples=1000, deadline=None)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))


def pytest_collection_finish() -> None:
    """Thousands of tests and all that they import are there until the end: a collection need not walk through them."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000)
    gc.enable()


@pytest.fixture(autouse=True)
def _no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys and addresses of the developer's own shell must not reach a test, nor a proxy loopback."""
    for name in list(os.environ):
        if name.startswith(("MASIS_", "OPENAI_", "QDRANT_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")


@pytest.fixture(autouse=True, scope="session")
def _reused_parsers() -> Iterator[None]:
    pool.Worker = parsers.reused_worker  # type: ignore[assignment,misc]
    yield
    parsers.end_all(is_over=True)


@pytest.fixture
def own_parsers(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of the limited processes themselves."""
    parsers.end_all()
    monkeypatch.setattr(pool, "Worker", Worker)


@pytest.fixture
def fake_openai() -> Iterator[FakeOpenAI]:
    server = FakeOpenAI()
    yield server
    server.close()


@pytest.fixture(scope="session")
def sample_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the sample in it, read once for all processes of a test run, and a copy for each: what one has open
    another must not copy."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own
    home, done = shared / "sample-home", shared / "sample-home.done"
    with (shared / "sample-home.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            environment = clean_environment() | {"MASIS_HOME": str(home)}
            arguments = [MASIS, "ingest", Path(__file__).parents[1] / "examples" / "tolmerick", "-w", SAMPLE]
            said = subprocess.run(arguments, env=environment, check=True, capture_output=True, timeout=100).stdout
            assert b"9 read" in said
            done.touch()
    return shutil.copytree(home, own / "sample-home-of-this-process")


@pytest.fixture(scope="session")
def qdrant_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[QdrantServer]:
    server = QdrantServer(tmp_path_factory.mktemp("qdrant"))
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[PostgresServer]:
    """Shared by all tests of a process: one that stops it takes `own_postgres_server`."""
    yield from _started_postgres()


@pytest.fixture
def own_postgres_server() -> Iterator[PostgresServer]:
    """One that a test may stop, kill and start."""
    yield from _started_postgres()


@pytest.fixture
def postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """A fresh empty database."""
    name = f"test_{secrets.token_hex(8)}"
    yield postgres_server.database(name)
    postgres_server.drop(name)


def _started_postgres() -> Iterator[PostgresServer]:
    server = PostgresServer()
    try:
        server.start()
        yield server
    finally:
        server.close()
