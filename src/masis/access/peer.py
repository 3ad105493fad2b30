"""Whose process is at the other end of a connection from this machine, as Linux knows it."""

import os
import socket
import struct
from pathlib import Path

Address = tuple[str, int]

_TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_UID_COLUMN = 7


def is_another_users(client: Address | None, server: Address | None) -> bool:
    """A proxy on this machine usually runs as a user of its own. Unknown where the system does not tell."""
    owner = _owner(client, server) if client and server else None
    return owner is not None and owner not in (os.geteuid(), 0)


def _owner(client: Address, server: Address) -> int | None:
    for table in _TABLES:
        try:
            ends = f" {_written(client, table)} {_written(server, table)} "
            row = next((line for line in table.read_text().splitlines() if ends in line), None)
        except (OSError, ValueError):
            continue
        if row:
            return int(row.split()[_UID_COLUMN])
    return None


def _written(address: Address, table: Path) -> str:
    """As the kernel writes it: words of the machine's byte order, in hexadecimal."""
    host, port = address
    if table.name == "tcp":
        packed = socket.inet_aton(host)
    else:
        packed = socket.inet_pton(socket.AF_INET6, host if ":" in host else f"::ffff:{host}")
    words = struct.unpack(f"={len(packed) // 4}I", packed)
    return "".join(f"{word:08X}" for word in words) + f":{port:04X}"
