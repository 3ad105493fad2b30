"""The graph with its checkpoints: opened by the first who needs it, closed by the last.

Two hundred runs at once in one event loop then have one file or one pool of connections between them.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from masis.orchestrator.graph import MASISGraph, build_graph
from masis.runs.checkpoints import open_checkpointer, saving
from masis.settings import Settings


class SharedGraph:
    """For one event loop."""

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
            # Shielded: whoever is cancelled here closes for others too.
            await asyncio.shield(self._left())

    async def _left(self) -> None:
        async with self._lock:
            self._users -= 1
            if self._users == 0:
                self._graph = None
                await self._open.aclose()
