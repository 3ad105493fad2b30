"""The place where a service listens, taken before anything is said about it."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager

from masis.errors import InvalidInput


@contextmanager
def listening(host: str, port: int) -> Iterator[tuple[socket.socket, str]]:
    """The socket and the address that callers use; port 0 takes a free one."""
    try:
        found = socket.create_server((host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InvalidInput(
            f"MASIS cannot listen on {host}, port {port}: {reason}.",
            advice="Stop what listens there, or choose another with --host and --port.",
        ) from None
    with found:
        # Connections inherit it; asyncio sets it only on sockets it made itself, and answers would wait 40 ms each.
        found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        yield found, f"http://{_shown(host)}:{found.getsockname()[1]}"


def _shown(host: str) -> str:
    if host in ("0.0.0.0", "::"):
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
