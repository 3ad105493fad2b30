"""The image: pinned, small in what it takes in, without root, and asked for its health in a way that works."""

import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.deploy.container_files import ROOT, dockerfile, health_command, last

KNOWN = set("FROM RUN COPY ENV USER WORKDIR VOLUME EXPOSE HEALTHCHECK CMD".split())


class Health(BaseHTTPRequestHandler):
    status = 200

    def do_GET(self) -> None:
        self.send_response(self.status if self.path == "/health" else 404)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None: ...


class Unwell(Health):
    status = 503


@pytest.fixture(params=[Health, Unwell])
def service(request: pytest.FixtureRequest) -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), request.param)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_every_instruction_is_one_we_mean() -> None:
    assert {instruction.name for instruction in dockerfile()} == KNOWN


def test_every_base_is_pinned() -> None:
    bases = [instruction.words[0] for instruction in dockerfile() if instruction.name == "FROM"]
    assert len(set(bases)) == 1
    assert re.fullmatch(r"python:3\.\d+-slim-\w+", bases[0])


def test_what_is_copied_exists_and_is_let_through() -> None:
    copies = [instruction for instruction in dockerfile() if instruction.name == "COPY"]
    sources = [word for copy in copies if "--from=" not in copy.arguments for word in copy.words[:-1]]
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert "*" in ignored
    assert [source for source in sources if not (ROOT / source).exists()] == []
    assert {line[1:] for line in ignored if line.startswith("!")} == set(sources)


def test_only_hashed_packages_are_installed() -> None:
    installs = [
        step.arguments for step in dockerfile() if step.name == "RUN" and " install --no-cache-dir" in step.arguments
    ]
    from_lock, own = installs
    assert "--require-hashes -r requirements/server.txt" in from_lock
    assert own.endswith("--no-deps --no-build-isolation .")
    locked = (ROOT / "requirements" / "server.txt").read_text()
    assert all(re.search(rf"^{name}==", locked, re.M) for name in ("hatchling", "qdrant-client", "psycopg", "mcp"))


def test_it_does_not_run_as_root() -> None:
    names = [instruction.name for instruction in dockerfile()]
    assert last("USER").words[0] not in {"0", "root"}
    assert names.index("USER") < names.index("CMD")
    assert "RUN" not in names[names.index("USER") :]


def test_its_data_is_a_volume() -> None:
    assert last("VOLUME").words == ["/data"]
    assert "MASIS_HOME=/data" in last("ENV").words


def test_no_part_of_it_reports_to_others() -> None:
    assert "ORT_DISABLE_TELEMETRY=1" in last("ENV").words


def test_its_health_is_that_of_the_service(service: ThreadingHTTPServer) -> None:
    assert health_command()[0] == "python"
    command = [
        sys.executable,
        *(part.replace(last("EXPOSE").words[0], str(service.server_port)) for part in health_command()[1:]),
    ]
    result = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert (result.returncode == 0) is (service.RequestHandlerClass is Health), result.stderr
