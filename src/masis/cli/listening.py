"""What a service has for itself: its folder, and the place where it listens, taken before anything is said about it."""

import socket
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from masis.data_folder import FolderLock
from masis.errors import InvalidInput
from masis.settings import Settings


def alone_in_its_folder(settings: Settings) -> AbstractContextManager[None]:
    """A second service would take runs out of the queue of the first, and could not open the index for them."""
    return nullcontext() if settings.uses_qdrant_server else FolderLock(settings.home / "service.lock").kept()


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
