"""The proxies of deploy/, run as they are shipped, but for the ports, the name and the certificate."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.support import nginx
from tests.support.servers import free_port
from tests.support.waiting import is_listening, wait_until

DEPLOY = Path(__file__).parents[2] / "deploy"
SHIPPED = {"nginx": DEPLOY / "nginx.conf", "caddy": DEPLOY / "Caddyfile"}
_SERVICES = (8000, 8001)
"""Ports that both files name."""
_SELF_SIGNED = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost"


@contextmanager
def nginx_before(ports: Sequence[int], folder: Path) -> Iterator[str]:
    """Its address, with a certificate that nobody else would believe."""
    certificate, key, port = folder / "masis.pem", folder / "masis.key", free_port()
    made = ["openssl", *_SELF_SIGNED.split(), "-out", str(certificate), "-keyout", str(key)]
    subprocess.run(made, check=True, capture_output=True)
    servers = _filled(SHIPPED["nginx"].read_text(), ports)
    for theirs, ours in {
        "listen 443": f"listen 127.0.0.1:{port}",
        "/etc/ssl/masis.pem": str(certificate),
        "/etc/ssl/masis.key": str(key),
    }.items():
        servers = _replaced(servers, theirs, ours)
    with nginx.running(folder, servers, "nobody nogroup", [f"https://127.0.0.1:{port}"]):
        yield f"https://127.0.0.1:{port}"


@contextmanager
def caddy_before(ports: Sequence[int], folder: Path) -> Iterator[str]:
    """Its address, without TLS: the certificate that it would fetch for its name cannot be had here."""
    program = shutil.which("caddy")
    if program is None:
        pytest.skip("no Caddy: `make test` installs it")
    port = free_port()
    text = _replaced(_filled(SHIPPED["caddy"].read_text(), ports), "masis.example.org", f"http://127.0.0.1:{port}")
    (folder / "Caddyfile").write_text(f"{{\n admin off\n}}\n{text}")
    own = {"HOME": str(folder), "XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    command = [program, "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]
    with (
        (folder / "caddy.log").open("wb") as log,
        subprocess.Popen(command, env=os.environ | own, stdout=log, stderr=log) as process,
    ):
        try:
            wait_until(lambda: process.poll() is not None or is_listening(port))
            assert process.poll() is None, (folder / "caddy.log").read_text()
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()


BEFORE = {"nginx": nginx_before, "caddy": caddy_before}


def _filled(text: str, ports: Sequence[int]) -> str:
    for shipped, port in zip(_SERVICES, ports, strict=True):
        text = _replaced(text, f"127.0.0.1:{shipped}", f"127.0.0.1:{port}")
    return text


def _replaced(text: str, theirs: str, ours: str) -> str:
    found = re.compile(rf"{re.escape(theirs)}\b")
    assert len(found.findall(text)) == 1, theirs
    return found.sub(lambda _: ours, text)
