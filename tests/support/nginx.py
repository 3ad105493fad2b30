"""Debian's nginx in front of services, with a configuration of the test's own."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.support.servers import free_port

START_SECONDS = 120


@contextmanager
def proxies(folder: Path, targets: Mapping[str, tuple[str, str]]) -> Iterator[dict[str, str]]:
    """By name: the address that is proxied and what the location says beside `proxy_pass`. Yields their addresses."""
    ports = {name: free_port() for name in targets}
    servers = "\n".join(
        f"server {{ listen 127.0.0.1:{ports[name]}; location / {{ proxy_pass {address}; {more} }} }}"
        for name, (address, more) in targets.items()
    )
    addresses = {name: f"http://127.0.0.1:{port}" for name, port in ports.items()}
    # As Debian sets it up: its workers have a user of their own, which only root can give them.
    with running(folder, servers, "nobody nogroup", list(addresses.values())):
        yield addresses


@contextmanager
def files_served(folder: Path, root: Path, certificate: tuple[Path, Path] | None = None) -> Iterator[str]:
    """The address at which nginx lists and serves a folder; with a certificate and its key, over TLS as well."""
    port, secure = free_port(), free_port()
    served = f"root {root}; autoindex on;"
    servers = f"server {{ listen 127.0.0.1:{port}; {served} }}"
    if certificate:
        chain, key = certificate
        servers += (
            f"server {{ listen 127.0.0.1:{secure} ssl; ssl_certificate {chain}; ssl_certificate_key {key}; {served} }}"
        )
    with running(folder, servers, "root", [f"http://127.0.0.1:{port}"]):
        yield f"https://localhost:{secure}/" if certificate else f"http://127.0.0.1:{port}/"


@contextmanager
def running(folder: Path, servers: str, user: str, addresses: Sequence[str]) -> Iterator[None]:
    program = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        pytest.skip("no nginx: `make test` installs it")
    (folder / "nginx.conf").write_text(_configuration(folder, servers, user))
    with subprocess.Popen([program, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", "error.log"]) as process:
        try:
            for address in addresses:
                _wait_for(address, process)
            yield
        finally:
            process.terminate()


def _configuration(folder: Path, servers: str, user: str) -> str:
    user = f"user {user};" if os.geteuid() == 0 else ""
    folders = " ".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    return (
        f"daemon off; {user} pid {folder}/nginx.pid; error_log {folder}/error.log;\n"
        f"events {{}}\nhttp {{ access_log off; {folders}\n{servers}\n}}\n"
    )


def _wait_for(address: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            httpx.get(address, timeout=5, verify=False)
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("nginx does not answer")
