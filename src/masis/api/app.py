"""The application: routes, guard, errors, OpenAPI document, server, and the worker for its queue."""

import asyncio
import socket
import time
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from typing import Any, Protocol, cast

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from starlette.exceptions import HTTPException
from starlette.routing import Match, Route
from starlette.types import Lifespan, Receive, Scope, Send

from masis._version import __version__
from masis.api.access import Service, open_service
from masis.api.connections import server_config
from masis.api.middleware.guard import Guard
from masis.api.middleware.idempotency import KeepFirstResponse, Replay, on_replay
from masis.api.middleware.problems import FieldProblem, Problem, on_http_error, on_masis_error, on_validation_error
from masis.api.routes import (
    documents,
    ingestions,
    keys,
    openai,
    page_images,
    runs,
    sample,
    sources,
    web_files,
    workspaces,
)
from masis.client import Masis
from masis.errors import MASISError
from masis.observability.metrics import watching_jobs
from masis.runs.working import settle_in
from masis.settings import Settings

INTRODUCTION = """
**Answers you can defend.** Five agents answer a question from a workspace's documents, cite every sentence, audit
themselves, and say what the documents do not.

1. Upload documents: `POST /masis/workspaces/{workspace_id}/documents`.
2. Ask: `POST /masis/workspaces/{workspace_id}`, or start a run in the background and follow its events.
3. When a run needs a decision, answer it: `POST …/runs/{run_id}/answer`.

**Keys.** Send `Authorization: Bearer masis_…`. A service without keys accepts requests only from its own machine.
**Errors** are problem details (RFC 9457) with a stable `code` and `advice`. **Lists** are paginated: send `next_cursor`
as `cursor` to get the next page. **Retries** of a POST are safe with an `Idempotency-Key`: you get the first response
again.
"""

TAGS: list[dict[str, str]] = [
    {"name": "ask", "description": "Ask a question and get the answer in the same request."},
    {"name": "runs", "description": "Ask in the background: follow, answer, cancel and export runs."},
    {"name": "documents", "description": "The documents behind the answers: upload, read, search, delete."},
    {"name": "workspaces", "description": "Tenants: every document, run and key belongs to exactly one workspace."},
    {"name": "access", "description": "Keys with roles, sessions, and the audit log."},
    {"name": "openai", "description": "For clients that speak OpenAI's chat API: a workspace is a model."},
    {"name": "system", "description": "For administrators."},
]

_SCHEMES = {
    "key": {"type": "http", "scheme": "bearer", "description": "A MASIS API key: `masis_…`."},
    "keyHeader": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
    "session": {
        "type": "apiKey",
        "in": "cookie",
        "name": "masis_session",
        "description": "Set when signing in on the page.",
    },
}
_PUBLIC = frozenset({"/health", "/ready"})


def described(document: dict[str, Any]) -> dict[str, Any]:
    document["info"]["description"] = INTRODUCTION.strip()
    components = document.setdefault("components", {})
    components["securitySchemes"] = _SCHEMES
    schemas = components.setdefault("schemas", {})
    problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    problem.pop("$defs", None)
    schemas |= {"Problem": problem, "FieldProblem": FieldProblem.model_json_schema()}
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    for path, operations in document["paths"].items():
        for operation in operations.values():
            # An empty requirement: a service without keys needs none.
            operation["security"] = [] if path in _PUBLIC else [{"key": []}, {"keyHeader": []}, {"session": []}, {}]
    return document


def server_for(app: FastAPI, settings: Settings, host: str, port: int) -> uvicorn.Server:
    config = server_config(app, settings, host=host, port=port)
    return _Server(config)


class _Server(uvicorn.Server):
    """Stops without losing a request, so that processes behind a proxy can be restarted one by one."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        service: Service = cast(FastAPI, self.config.app).state.service
        service.draining.set()
        drained = time.monotonic() + service.settings.drain_seconds
        while time.monotonic() < drained and not self.force_exit:  # noqa: ASYNC110 - a signal only sets that flag
            await asyncio.sleep(0.1)
        service.stopping.set()
        # Early enough to tell waiting clients where to find their answer.
        asyncio.get_running_loop().call_later(service.settings.stop_seconds * 0.8, service.closing.set)
        try:
            await self._take_in(sockets or [])
        finally:  # otherwise runs in progress would not return to the queue
            await super().shutdown(sockets)

    async def _take_in(self, sockets: Sequence[socket.socket]) -> None:
        """Serves connections that the system has accepted but nobody has picked up; closing the socket would reset
        them."""
        waiting = [connection for place in sockets for connection in _waiting_at(place)]
        for server in self.servers:
            server.close()
        protocol: Any = self.config.http_protocol_class
        make = partial(protocol, self.config, self.server_state, self.lifespan.state)
        for connection in waiting:
            with suppress(OSError):  # a lost connection does not affect the others
                await asyncio.get_running_loop().connect_accepted_socket(make, connection)


def _waiting_at(place: socket.socket) -> list[socket.socket]:
    place.setblocking(False)
    waiting: list[socket.socket] = []
    while True:
        try:
            waiting.append(place.accept()[0])
        except ConnectionAbortedError:  # this client left; others may be queued behind it
            continue
        except OSError:  # the queue is empty, or no more files can be opened
            return waiting


ROUTERS = (
    runs.router,
    workspaces.router,
    documents.router,
    page_images.router,
    sample.router,
    ingestions.router,
    sources.router,
    keys.router,
    keys.sessions,
    openai.router,
    keys.system,
    web_files.reference,
    web_files.router,
)


class Beside(Protocol):
    """Another application in the same service, with its own checks, such as the MCP server."""

    def running(self) -> AbstractAsyncContextManager[None]: ...
    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None: ...


def create_app(
    settings: Settings,
    masis: Masis | None = None,
    *,
    with_worker: bool = True,
    concurrency: int | None = None,
    always_with_keys: bool = False,
    beside: Mapping[str, Callable[[Service], Beside]] | None = None,
) -> FastAPI:
    """Opens nothing until it is started. With `always_with_keys`, for an address that others can reach, nobody gets in
    without a key. `beside`: other applications to serve, by path."""
    service = open_service(settings, masis, always_with_keys=always_with_keys)
    others = {path: make(service) for path, make in (beside or {}).items()}
    app = _App(
        title="MASIS",
        version=__version__,
        openapi_tags=TAGS,
        lifespan=_lifespan(service, with_worker, concurrency, others.values()),
        redirect_slashes=False,
        # FastAPI's pages load scripts from other sites; ours are in `reference`.
        docs_url=None,
        redoc_url=None,
    )
    app.state.service = service
    for router in ROUTERS:
        app.include_router(router)
    for path, other in others.items():
        app.router.routes.append(_Door(path, endpoint=other))
    _handle_errors(app)
    # The last middleware added is the outermost.
    app.add_middleware(KeepFirstResponse)
    app.add_middleware(Guard, service=service)
    return app


class _App(FastAPI):
    def openapi(self) -> dict[str, Any]:
        if self.openapi_schema is None:
            plain = get_openapi(title=self.title, version=self.version, routes=self.routes, tags=self.openapi_tags)
            self.openapi_schema = described(plain)
        return self.openapi_schema


class _Door(Route):
    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        # As FastAPI's own routes do, so that requests are counted by route.
        match, found = super().matches(scope)
        return match, {**found, "route": self}


def _handle_errors(app: FastAPI) -> None:
    app.add_exception_handler(MASISError, on_masis_error)
    app.add_exception_handler(HTTPException, _on_http_error)
    app.add_exception_handler(RequestValidationError, on_validation_error)
    app.add_exception_handler(Replay, on_replay)


async def _on_http_error(request: Request, error: Exception) -> Response:
    response = await on_http_error(request, error)
    if response.status_code == 405:
        response.headers["Allow"] = ", ".join(_methods_at(request.url.path))
    return response


def _methods_at(path: str) -> list[str]:
    """The methods of all routes at a path, as each route knows only its own."""
    routes = [route for router in ROUTERS for route in router.routes if isinstance(route, Route)]
    return sorted({method for route in routes if route.path_regex.match(path) for method in route.methods or ()})


def _lifespan(
    service: Service, with_worker: bool, concurrency: int | None, others: Iterable[Beside]
) -> Lifespan[FastAPI]:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        settle_in()
        async with AsyncExitStack() as open_parts:
            open_parts.callback(service.masis.close)
            open_parts.callback(service.page_images.close)
            open_parts.enter_context(watching_jobs(service.masis.job_counts))
            if with_worker:
                await open_parts.enter_async_context(service.masis.working(concurrency))
            for other in others:
                await open_parts.enter_async_context(other.running())
            yield

    return lifespan
