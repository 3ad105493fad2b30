"""The server around the app: uvicorn, set up to be patient with nobody for ever."""

import asyncio
import socket
from typing import cast

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from masis.settings import Settings

GRACE_SECONDS = 5
"""Requests in work when the service stops are waited for so long, half of what container engines wait; runs are given
back and go on elsewhere or later."""
MOST_CONNECTIONS = 2000
MOST_HEADER_BYTES = 64 * 1024


def server_for(app: FastAPI, settings: Settings, host: str, port: int) -> uvicorn.Server:
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=_patience_of(settings.request_seconds),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=15,
        timeout_graceful_shutdown=GRACE_SECONDS,
        limit_concurrency=MOST_CONNECTIONS,
        h11_max_incomplete_event_size=MOST_HEADER_BYTES,
    )
    return _Server(config)


class _Server(uvicorn.Server):
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        app = cast(FastAPI, self.config.app)
        app.state.service.stopping.set()
        await super().shutdown(sockets)


def _patience_of(seconds: float) -> type[asyncio.Protocol]:
    """uvicorn waits for ever for the head of a request; a crowd of such clients would take every connection."""

    class Patience(H11Protocol):
        _deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._watch()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._watch()

        def connection_lost(self, exc: Exception | None) -> None:
            self._forget_deadline()
            super().connection_lost(exc)

        def _watch(self) -> None:
            # A deadline once set is not put off by another byte: only a whole head lifts it.
            if self.cycle is not None and not self.cycle.response_complete:
                self._forget_deadline()
            elif self._deadline is None:
                self._deadline = self.loop.call_later(seconds, self._cut_off)

        def _cut_off(self) -> None:
            self._deadline = None
            if self.cycle is None or self.cycle.response_complete:
                self.transport.write(b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
                self.transport.close()

        def _forget_deadline(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None

    return Patience
