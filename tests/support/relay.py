"""The network between two programs, which can be cut and mended, or stand still for a while."""

import contextlib
import socket
import threading

from tests.support.servers import free_port


class Relay:
    """Passes bytes on to `port` from a port of its own."""

    def __init__(self, port: int) -> None:
        self.port = free_port()
        self._to = port
        self._open: set[socket.socket] = set()
        self._flows = threading.Event()
        self._flows.set()
        self._listener: socket.socket | None = None
        self.mend()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def mend(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def cut(self) -> None:
        """Every connection ends, and no new one comes about."""
        assert self._listener
        for each in (self._listener, *self._open):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self._open.clear()

    def pause(self) -> None:
        """Connections stay, and nothing passes."""
        self._flows.clear()

    def resume(self) -> None:
        self._flows.set()

    def _accept(self, listener: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = listener.accept()
                try:
                    far = socket.create_connection(("127.0.0.1", self._to))
                except OSError:  # it is down, and may come back
                    near.close()
                    continue
                self._open |= {near, far}
                for one, other in ((near, far), (far, near)):
                    threading.Thread(target=self._pass_on, args=(one, other), daemon=True).start()

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                self._flows.wait()
                other.sendall(data)
        with contextlib.suppress(OSError):
            other.shutdown(socket.SHUT_WR)
