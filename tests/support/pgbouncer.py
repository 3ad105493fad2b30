"""Debian's PgBouncer in front of a PostgreSQL, in transaction mode."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.support.servers import free_port
from tests.support.waiting import is_listening, wait_until


@contextmanager
def pooled(url: str, connections: int) -> Iterator[str]:
    """The address of the same database through it: however many clients there are, so many connections."""
    program = shutil.which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        pytest.skip("no PgBouncer: `make test` installs it")
    server, port = urlsplit(url), free_port()
    folder = Path(tempfile.mkdtemp())  # where its own user may look, too
    folder.chmod(0o755)
    # As docs/scale.md has it: what a frozen process holds is let go.
    frozen = "SET idle_in_transaction_session_timeout = 10000"
    (folder / "pgbouncer.ini").write_text(
        f"""[databases]
* = host=127.0.0.1 port={server.port} user={server.username} connect_query='{frozen}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {connections}
max_client_conn = 500
"""
    )
    (folder / "pgbouncer.ini").chmod(0o644)
    unprivileged = ["-u", "nobody"] if os.geteuid() == 0 else []
    with subprocess.Popen([program, "-q", *unprivileged, str(folder / "pgbouncer.ini")]) as process:
        try:
            wait_until(lambda: is_listening(port))
            yield server._replace(netloc=f"{server.username}@127.0.0.1:{port}").geturl()
        finally:
            process.terminate()
            shutil.rmtree(folder)
