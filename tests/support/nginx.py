"""Debian's nginx in front of services, with a configuration of the test's own."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.support.servers import free_port

START_SECONDS = 30


@contextmanager
def proxies(folder: Path, targets: Mapping[str, tuple[str, str]]) -> Iterator[dict[str, str]]:
    """By name: the address that is proxied and what the location says beside `proxy_pass`. Yields their addresses."""
    program = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if program is None:
        pytest.skip("no nginx: install it with scripts/install_nginx.sh")
    ports = {name: free_port() for name in targets}
    (folder / "nginx.conf").write_text(_configuration(folder, targets, ports))
    with subprocess.Popen([program, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", "error.log"]) as process:
        try:
            addresses = {name: f"http://127.0.0.1:{port}" for name, port in ports.items()}
            for address in addresses.values():
                _wait_for(address, process)
            yield addresses
        finally:
            process.terminate()


def _configuration(folder: Path, targets: Mapping[str, tuple[str, str]], ports: Mapping[str, int]) -> str:
    # As Debian sets it up: its workers have a user of their own, which only root can give them.
    user = "user nobody nogroup;" if os.geteuid() == 0 else ""
    folders = " ".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    servers = "\n".join(
        f"server {{ listen 127.0.0.1:{ports[name]}; location / {{ proxy_pass {address}; {more} }} }}"
        for name, (address, more) in targets.items()
    )
    return (
        f"daemon off; {user} pid {folder}/nginx.pid; error_log {folder}/error.log;\n"
        f"events {{}}\nhttp {{ access_log off; {folders}\n{servers}\n}}\n"
    )


def _wait_for(address: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            httpx.get(address, timeout=5)
        except httpx.TransportError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("nginx does not answer")
