"""The application: routes, guard, errors, and the worker that does what they put into the queue."""

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import Any, Protocol

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.utils import get_openapi
from starlette.exceptions import HTTPException
from starlette.routing import Match, Route
from starlette.types import Lifespan, Receive, Scope, Send

from masis._version import __version__
from masis.api.described import TAGS, described
from masis.api.middleware.guard import Guard
from masis.api.middleware.idempotency import KeepFirstResponse, Replay, on_replay
from masis.api.middleware.problems import on_http_error, on_masis_error, on_validation_error
from masis.api.routes import (
    documents,
    ingestions,
    keys,
    openai,
    page_images,
    reference,
    runs,
    sample,
    sessions,
    system,
    web_files,
    workspaces,
)
from masis.api.service import Service, open_service
from masis.client import Masis
from masis.errors import MASISError
from masis.observability.metrics import watching_jobs
from masis.runs.working import use_many_threads
from masis.settings import Settings

ROUTERS = (
    runs.router,
    workspaces.router,
    documents.router,
    page_images.router,
    sample.router,
    ingestions.router,
    keys.router,
    sessions.router,
    openai.router,
    system.router,
    reference.router,
    web_files.router,
)


class Beside(Protocol):
    """Another door to the same service, with checks of its own: the MCP server is one."""

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
    """Opens nothing until it is started. `always_with_keys`: for an address that others can reach; there, having no
    keys must not mean that none is needed. `beside`: what else is served, by its path."""
    service = open_service(settings, masis, always_with_keys=always_with_keys)
    others = {path: make(service) for path, make in (beside or {}).items()}
    app = _App(
        title="MASIS",
        version=__version__,
        openapi_tags=TAGS,
        lifespan=_lifespan(service, with_worker, concurrency, others.values()),
        redirect_slashes=False,
        # Theirs load scripts from elsewhere; ours is in `reference`.
        docs_url=None,
        redoc_url=None,
    )
    app.state.service = service
    for router in ROUTERS:
        app.include_router(router)
    for path, other in others.items():
        app.router.routes.append(_Door(path, endpoint=other))
    _handle_errors(app)
    # The last one added is the outermost.
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
        # As FastAPI's own routes do: requests are counted by the route they name.
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
    """Of all routes at an address; each of them knows only its own."""
    routes = [route for router in ROUTERS for route in router.routes if isinstance(route, Route)]
    return sorted({method for route in routes if route.path_regex.match(path) for method in route.methods or ()})


def _lifespan(
    service: Service, with_worker: bool, concurrency: int | None, others: Iterable[Beside]
) -> Lifespan[FastAPI]:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        use_many_threads()
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
