"""What a Masis works with: settings, documents, tables, engines, and the graph with its checkpoints.

Each part is opened when it is first needed. Parts passed in by the caller are used but never closed.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from weakref import WeakKeyDictionary

from masis.audit.checks.signature import Check
from masis.database import open_database
from masis.database.batched import BatchedDatabase
from masis.errors import InvalidInput, UnknownDocument, UnknownWorkspace
from masis.jobs.queue import JobQueue
from masis.knowledge.catalog import WorkspaceSummary
from masis.knowledge.embedding.port import Embedder
from masis.knowledge.library import Library, open_library
from masis.knowledge.store.port import VectorStore
from masis.orchestrator.graph import MASISGraph, build_graph
from masis.orchestrator.services import Services, services_with
from masis.reasoning.ports import Auditor, Judge, Writer
from masis.runs.checkpoints import open_checkpointer, saving
from masis.runs.events import Hub
from masis.runs.feedback import FeedbackTable
from masis.runs.ingestions import Ingestions
from masis.runs.run_table import RunTable
from masis.runs.tables import RUNS, StandingDecisions
from masis.settings import Settings
from masis.types import Document


@dataclass(frozen=True, slots=True)
class Given:
    """Parts passed in by the caller; those that are None are made from the settings."""

    library: Library | None = None
    embedder: Embedder | None = None
    store: VectorStore | None = None
    writer: Writer | None = None
    auditor: Auditor | None = None
    judge: Judge | None = None
    checks: Sequence[Check] = ()

    def __post_init__(self) -> None:
        if self.library and (self.embedder or self.store):
            raise InvalidInput(
                "A library has its own embedder and store.", advice="Pass either a library, or an embedder and a store."
            )


@dataclass(eq=False)
class Parts:
    settings: Settings
    given: Given = field(default_factory=Given)
    hub: Hub = field(default_factory=Hub)
    _graphs: "WeakKeyDictionary[asyncio.AbstractEventLoop, SharedGraph]" = field(default_factory=WeakKeyDictionary)

    @cached_property
    def library(self) -> Library:
        from masis.reasoning.llm.vision import image_reader_for

        if self.given.library:
            return self.given.library
        reader = image_reader_for(self.settings)
        return open_library(self.settings, reader, embedder=self.given.embedder, store=self.given.store)

    @cached_property
    def services(self) -> Services:
        given, library = self.given, self.library
        services = services_with(self.settings, library.search, given.writer, given.auditor, given.judge, given.checks)
        return replace(services, mentions=library.mentions, outline=library.outline, whole_tables=library.whole_tables)

    @cached_property
    def database(self) -> BatchedDatabase:
        return BatchedDatabase(open_database(self.settings, RUNS))

    @cached_property
    def queue(self) -> JobQueue:
        return JobQueue(self.database, self.settings.lease_seconds)

    @cached_property
    def runs(self) -> RunTable:
        return RunTable(self.database, self.queue)

    @cached_property
    def decisions(self) -> StandingDecisions:
        return StandingDecisions(self.database)

    @cached_property
    def feedback(self) -> FeedbackTable:
        return FeedbackTable(self.database, self.runs)

    @cached_property
    def ingestions(self) -> Ingestions:
        return Ingestions(self.database, self.queue)

    def close(self) -> None:
        """Closes the index and the database, so that another process can open them."""
        opened = vars(self)
        if "library" in opened and self.given.library is None:
            self.library.close()
        if "database" in opened:
            self.database.close()

    @asynccontextmanager
    async def graph(self) -> AsyncIterator[MASISGraph]:
        loop = asyncio.get_running_loop()
        async with self._graphs.setdefault(loop, SharedGraph(self.settings)).opened() as graph:
            yield graph

    async def require_workspace(self, workspace: str) -> None:
        if not await asyncio.to_thread(self.library.catalog.has_workspace, workspace):
            raise UnknownWorkspace(f"There is no workspace named “{workspace}”.")

    async def create_workspace(self, workspace: str) -> WorkspaceSummary:
        catalog = self.library.catalog
        if await asyncio.to_thread(catalog.has_workspace, workspace):
            raise InvalidInput(f"A workspace named “{workspace}” already exists.", advice="Use it as it is.")
        await asyncio.to_thread(catalog.create_workspace, workspace)
        return next(w for w in await asyncio.to_thread(catalog.workspaces) if w.workspace_id == workspace)

    async def documents(self, workspace: str) -> list[Document]:
        await self.require_workspace(workspace)
        return await asyncio.to_thread(self.library.catalog.documents, workspace)

    async def document(self, document: str, workspace: str) -> Document:
        """By its id or its file name."""
        found = [d for d in await self.documents(workspace) if document in (d.document_id, d.file_name)]
        if len(found) != 1:
            raise UnknownDocument(
                f"{len(found) or 'No'} documents of {workspace} are named {document[:80]!r}.",
                advice=f"Take the id from `masis documents --workspace {workspace} --json`.",
            )
        return found[0]


class SharedGraph:
    """A graph for one event loop, opened by its first user and closed by its last.

    Two hundred concurrent runs thus share one file or one pool of connections.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = asyncio.Lock()
        self._users = 0
        self._graph: MASISGraph | None = None
        self._open = AsyncExitStack()

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[MASISGraph]:
        async with self._lock:
            if self._graph is None:
                saver = await self._open.enter_async_context(open_checkpointer(self._settings))
                self._graph = build_graph(saver)
            graph = self._graph
            self._users += 1
        try:
            with saving(self._settings):
                yield graph
        finally:
            # Shielded, since a cancelled caller may be closing the graph for others too.
            await asyncio.shield(self._left())

    async def _left(self) -> None:
        async with self._lock:
            self._users -= 1
            if self._users == 0:
                self._graph = None
                await self._open.aclose()
