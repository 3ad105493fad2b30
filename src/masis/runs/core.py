"""What the methods of Masis share: settings, documents, tables, and the graph with its checkpoints."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from functools import cached_property, update_wrapper
from typing import Any, Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

from masis.database import Database, open_database
from masis.errors import UnknownWorkspace
from masis.jobs.queue import JobQueue
from masis.knowledge.library import Library
from masis.orchestrator.graph import MASISGraph
from masis.orchestrator.services import Services, library_for, services_for
from masis.orchestrator.twin import run_blocking
from masis.runs.decisions import Decisions
from masis.runs.hub import Hub
from masis.runs.ingestions import Ingestions
from masis.runs.run_table import RunTable
from masis.runs.schema import RUNS
from masis.runs.shared_graph import SharedGraph
from masis.settings import Settings

P = ParamSpec("P")
T = TypeVar("T")
Self = TypeVar("Self")


def blocking(
    method: Callable[Concatenate[Self, P], Coroutine[Any, Any, T]],
) -> Callable[Concatenate[Self, P], T]:
    """The sync twin of an async method."""

    def twin(self: Self, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return run_blocking(method(self, *args, **kwargs))

    update_wrapper(twin, method)
    twin.__name__ = method.__name__.removeprefix("a")
    return twin


class Core:
    def __init__(self, settings: Settings | None = None, *, services: Services | None = None) -> None:
        self.settings = settings or (services.settings if services else Settings())
        self.hub = Hub()
        self._services = services
        self._graphs: WeakKeyDictionary[asyncio.AbstractEventLoop, SharedGraph] = WeakKeyDictionary()

    @property
    def services(self) -> Services:
        return self._services or services_for(self.settings)

    @property
    def library(self) -> Library:
        return library_for(self.settings)

    @cached_property
    def database(self) -> Database:
        return open_database(self.settings, RUNS)

    @cached_property
    def queue(self) -> JobQueue:
        return JobQueue(self.database, self.settings.lease_seconds)

    @cached_property
    def run_table(self) -> RunTable:
        return RunTable(self.database, self.queue)

    @cached_property
    def remembered(self) -> Decisions:
        return Decisions(self.database)

    @cached_property
    def uploads(self) -> Ingestions:
        return Ingestions(self.database, self.queue)

    def close(self) -> None:
        """Give the index and the database back, so that another process can open them."""
        self.library.close()
        self.database.close()

    @asynccontextmanager
    async def keeping_checkpoints_open(self) -> AsyncIterator[None]:
        """For who makes many runs in one event loop: opening the checkpoints costs more than a step."""
        async with self.graph():
            yield

    @asynccontextmanager
    async def graph(self) -> AsyncIterator[MASISGraph]:
        loop = asyncio.get_running_loop()
        async with self._graphs.setdefault(loop, SharedGraph(self.settings)).opened() as graph:
            yield graph

    async def require_workspace(self, workspace: str) -> None:
        if not await asyncio.to_thread(self.library.catalog.has_workspace, workspace):
            raise UnknownWorkspace(f"There is no workspace named “{workspace}”.")
