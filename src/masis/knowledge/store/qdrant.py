"""The vector store on a Qdrant server or cluster, for several processes or more data than one machine holds.

The blocking client runs in threads: it is safe there, and one client serves any event loop. Deleted points are no
longer found at once; the server's vacuum decides when their bytes leave the files.
"""

import asyncio
import contextlib
import math
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from masis.errors import StoreUnavailable
from masis.knowledge.embedding.port import Embedder, Vector
from masis.knowledge.store.points import (
    answer_of,
    document_filter,
    holders_of,
    in_order,
    indexed_chunk_of,
    own_chunk,
    point_id,
)
from masis.knowledge.store.port import (
    EVERYWHERE,
    Answer,
    Identity,
    IndexedChunk,
    IndexMeta,
    SparseVector,
    StoreFilters,
    VectorStore,
    require_match,
    require_own,
)
from masis.knowledge.store.qdrant_requests import holders_requests, points, points_filter, query_requests
from masis.settings import Settings
from masis.types import Chunk

if TYPE_CHECKING:
    from qdrant_client import QdrantClient

T = TypeVar("T")

_BATCH = 128
_PAGE = 256
_GONE = 404


class QdrantStore:
    def __init__(
        self,
        settings: Settings,
        embedder: Embedder,
        identity: Identity | None = None,
        *,
        collection: str | None = None,
    ) -> None:
        self._settings = settings
        self._alias = settings.qdrant_collection
        self._where = f"The Qdrant collection {settings.qdrant_collection!r}"
        self._embedder = embedder
        self._identity = identity
        self._own = collection
        """The name of an index built beside the current one; None for the current one."""
        self._lock = threading.Lock()
        self._client: QdrantClient | None = None
        self._opened: tuple[str, IndexMeta] | None = None
        """The collection and its description."""
        self._rebuilt: QdrantStore | None = None

    async def prepare(self, dimension: int) -> None:
        await asyncio.to_thread(self._run, lambda *_: None, None, dimension, may_create=True)

    async def upsert(self, workspace_id: str, items: Sequence[IndexedChunk]) -> None:
        def upsert(client: "QdrantClient", collection: str) -> None:
            for first in range(0, len(items), _BATCH):
                client.upsert(collection, points(workspace_id, items[first : first + _BATCH]), wait=True)

        if items:
            dimension = next((len(item.dense) for item in items if item.dense is not None), None)
            known = dimension or self._embedder.dimension
            await asyncio.to_thread(self._run, upsert, None, known, may_create=True)

    async def query(
        self,
        workspace_id: str,
        dense: Vector,
        sparse: SparseVector,
        limit: int,
        *,
        filters: StoreFilters = EVERYWHERE,
        hidden: Collection[str] = (),
    ) -> Answer:
        def query(client: "QdrantClient", collection: str) -> list[Any]:
            requests = query_requests(workspace_id, dense, sparse, limit, filters, hidden)
            return [answer.points for answer in client.query_batch_points(collection, requests)]

        found = await asyncio.to_thread(self._run, query, [], len(dense))
        by_meaning, by_words = [*found, [], []][:2]
        return answer_of(by_meaning, by_words, dense, limit)

    async def holders(
        self, workspace_id: str, terms: Sequence[int], *, hidden: Collection[str] = ()
    ) -> list[dict[str, str]]:
        def query(client: "QdrantClient", collection: str) -> list[dict[str, str]]:
            requests = holders_requests(workspace_id, terms, hidden)
            return [holders_of(answer.points) for answer in client.query_batch_points(collection, requests)]

        nothing: list[dict[str, str]] = [{} for _ in terms]
        return await asyncio.to_thread(self._run, query, nothing) if terms else []

    async def count(self, workspace_id: str, document_id: str | None = None, *, embedded: bool = False) -> int:
        own = points_filter(workspace_id, document_filter(document_id), embedded=embedded)
        return await asyncio.to_thread(self._run, lambda client, name: _count(client, name, own), 0)

    async def chunks(self, workspace_id: str, document_id: str | None = None) -> list[IndexedChunk]:
        own = points_filter(workspace_id, document_filter(document_id))

        def scroll(client: "QdrantClient", collection: str) -> list[IndexedChunk]:
            found, after = client.scroll(collection, own, _PAGE, with_vectors=True)
            while after is not None:
                page, after = client.scroll(collection, own, _PAGE, offset=after, with_vectors=True)
                found += page
            return in_order(map(indexed_chunk_of, found))

        return await asyncio.to_thread(self._run, scroll, [])

    async def chunk(self, workspace_id: str, chunk_id: str) -> Chunk | None:
        def retrieve(client: "QdrantClient", collection: str) -> list[Any]:
            return list(client.retrieve(collection, [point_id(workspace_id, chunk_id)]))

        return own_chunk(workspace_id, await asyncio.to_thread(self._run, retrieve, []))

    async def delete_document(self, workspace_id: str, document_id: str) -> int:
        return await self._delete(workspace_id, document_id)

    async def delete_workspace(self, workspace_id: str) -> int:
        return await self._delete(workspace_id, None)

    async def _delete(self, workspace_id: str, document_id: str | None) -> int:
        own = points_filter(workspace_id, document_filter(document_id))

        def delete(client: "QdrantClient", collection: str) -> int:
            there = _count(client, collection, own)
            client.delete(collection, own, wait=True)
            return there

        return await asyncio.to_thread(self._run, delete, 0)

    async def rebuild(self, *, resume: bool = False) -> "QdrantStore":
        """`resume` continues an index that was being built for the same database, if there is one."""

        def rebuild() -> QdrantStore:
            from masis.knowledge.store.qdrant_requests import next_name, unfinished

            with self._translated():
                client, own = self._connected(), self._identity.known() if self._identity else ""
                name = (unfinished(client, self._alias, own) if resume else None) or next_name(client, self._alias)
            return QdrantStore(self._settings, self._embedder, self._identity, collection=name)

        self._rebuilt = await asyncio.to_thread(rebuild)
        return self._rebuilt

    async def adopt(self, rebuilt: VectorStore) -> None:
        if rebuilt is not self._rebuilt or self._rebuilt is None:
            raise ValueError("Only the last result of this store's `rebuild` can be adopted.")
        await asyncio.to_thread(self._adopt, self._rebuilt)
        self._rebuilt = None

    def _adopt(self, rebuilt: "QdrantStore") -> None:
        from masis.knowledge.store.qdrant_requests import switch

        with self._translated():
            client = self._connected()
            was_made = rebuilt._own is not None and client.collection_exists(rebuilt._own)
            switch(client, self._alias, rebuilt._own if was_made else None, self._where)
        rebuilt.close()
        self._opened = None

    def size(self) -> int:
        """Passages of all workspaces, whichever database and embedder they belong to."""
        from masis.knowledge.store.qdrant_requests import find_collection

        with self._translated():
            client = self._connected()
            name = find_collection(client, self._alias)
            return client.count(name, exact=True).count if name else 0

    def save_snapshot(self, file: Path) -> int:
        """Saves the current index to one file and returns the number of passages. Nothing has to stop meanwhile."""

        def save(client: "QdrantClient", collection: str) -> int:
            from masis.knowledge.store.qdrant_requests import download_snapshot

            download_snapshot(client, collection, file)
            return self.size()

        return self._run(save, 0)

    def restore_snapshot(self, file: Path) -> "QdrantStore":
        """Restores beside the current index, like `rebuild`; raises IndexMismatch if the snapshot belongs to another
        database or embedder."""
        from masis.knowledge.store.qdrant_requests import next_name, upload_snapshot

        with self._translated():
            name = next_name(self._connected(), self._alias)
            upload_snapshot(self._connected(), name, self._alias, file)
        self._rebuilt = QdrantStore(self._settings, self._embedder, self._identity, collection=name)
        try:
            self._rebuilt._run(lambda *_: None, None)
        except BaseException:
            self.discard(self._rebuilt)
            raise
        return self._rebuilt

    def discard(self, rebuilt: "QdrantStore") -> None:
        """Deletes an index that was to replace the current one and must not."""
        with self._translated():
            self._connected().delete_collection(str(rebuilt._own))
        rebuilt.close()

    def close(self) -> None:
        with self._lock:
            if self._client is not None:
                self._client.close()
            self._client = self._opened = None

    def _run(
        self,
        action: Callable[["QdrantClient", str], T],
        without_index: T,
        dimension: int | None = None,
        *,
        may_create: bool = False,
    ) -> T:
        from qdrant_client.http.exceptions import UnexpectedResponse

        with self._translated():
            client = self._connected()
            collection = self._open(client, dimension, may_create)
            if collection is None:
                return without_index
            try:
                return action(client, collection)
            except UnexpectedResponse as error:
                if error.status_code != _GONE:
                    raise
                # Another process may have replaced it by a rebuilt index.
                self._opened = None
                successor = self._open(client, dimension, may_create)
                if successor in (None, collection):
                    raise
                return action(client, str(successor))

    def _connected(self) -> "QdrantClient":
        with self._lock:
            if self._client is None:
                self._client = _client(self._settings)
            return self._client

    def _open(self, client: "QdrantClient", dimension: int | None, may_create: bool) -> str | None:
        """The collection that fits the embedder, created if needed.

        It is addressed by its own name, not by the alias: a replaced collection no longer answers, so a process that
        still uses the old embedder cannot write its vectors into the new index.
        """
        from masis.knowledge.store.qdrant_requests import find_collection, read_collection

        with self._lock:
            if self._opened is None:
                name = self._own or find_collection(client, self._alias)
                if name is None or not client.collection_exists(name):
                    if not may_create or dimension is None:
                        return None
                    name = self._create(client, dimension)
                self._opened = (name, read_collection(client, name, self._where))
            name, meta = self._opened
            require_match(meta, self._embedder.name, self._settings.keyword_language, dimension, self._where)
            if self._identity is not None:
                require_own(meta, self._identity.known(), self._where)
            return name

    def _create(self, client: "QdrantClient", dimension: int) -> str:
        """Several processes may do this at once: they all create the same collection."""
        from masis.knowledge.store.qdrant_requests import create_collection, give_alias, read_collection

        name = self._own or f"{self._alias}-1"
        language, database = self._settings.keyword_language, self._identity.made() if self._identity else ""
        meta = IndexMeta(self._embedder.name, dimension, language, database=database)
        create_collection(client, name, self._alias, meta, self._settings)
        read_collection(client, name, self._where)
        if self._own is None:
            give_alias(client, self._alias, name)
        return name

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        import httpx
        from qdrant_client.common.client_exceptions import QdrantException
        from qdrant_client.http.exceptions import ApiException, UnexpectedResponse

        try:
            yield
        except UnexpectedResponse as error:
            self._opened = None  # the collection may be gone: look again next time
            if error.status_code in (401, 403):
                raise StoreUnavailable(
                    "The Qdrant server refused the key.", advice="Set QDRANT_API_KEY to a key that may write."
                ) from error
            raise StoreUnavailable(f"The Qdrant server answered with status {error.status_code}.") from error
        except (ApiException, QdrantException, httpx.HTTPError) as error:
            raise StoreUnavailable(f"The Qdrant server did not respond: {error}.") from error
        except ValueError as error:  # not JSON, or not what Qdrant says
            raise StoreUnavailable("The server at that address is not a Qdrant server.") from error


def _client(settings: Settings) -> "QdrantClient":
    from qdrant_client import QdrantClient

    key = settings.qdrant_api_key
    return QdrantClient(
        url=settings.qdrant_url,
        host=None if settings.qdrant_url else settings.qdrant_host,
        port=settings.qdrant_port,
        api_key=key.get_secret_value() if key else None,
        timeout=math.ceil(settings.qdrant_timeout_seconds),
        check_compatibility=False,
    )


def _count(client: "QdrantClient", collection: str, own: Any) -> int:
    return client.count(collection, count_filter=own, exact=True).count
