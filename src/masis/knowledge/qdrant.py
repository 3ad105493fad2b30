"""The vector store on a Qdrant server or cluster: for several processes, and for more than one machine holds.

The blocking client runs in threads: it is safe there, and one client serves any event loop, now and later.
"""

import asyncio
import contextlib
import math
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from masis.errors import StoreUnavailable
from masis.knowledge.embedding import Embedder, Vector
from masis.knowledge.index_meta import IndexMeta, foreign_index, read_meta, require_match
from masis.knowledge.qdrant_requests import (
    collection_options,
    payload_indexes,
    points,
    query_requests,
    workspace_filter,
)
from masis.knowledge.store import DENSE, Found, Hit, IndexedChunk, SparseVector, fuse
from masis.settings import Settings

if TYPE_CHECKING:
    from qdrant_client import QdrantClient
    from qdrant_client.models import CollectionInfo

T = TypeVar("T")

_BATCH = 128
_OLDEST_SERVER = (1, 16)
"""The first that keeps a description with the collection."""


class QdrantStore:
    def __init__(self, settings: Settings, embedder: Embedder) -> None:
        self._settings = settings
        self._collection = settings.qdrant_collection
        self._where = f"The Qdrant collection {settings.qdrant_collection!r}"
        self._embedder = embedder
        self._lock = threading.Lock()
        self._client: QdrantClient | None = None
        self._meta: IndexMeta | None = None

    async def upsert(self, workspace_id: str, items: Sequence[IndexedChunk]) -> None:
        def upsert(client: "QdrantClient") -> None:
            for first in range(0, len(items), _BATCH):
                batch = points(workspace_id, items[first : first + _BATCH])
                client.upsert(self._collection, batch, wait=True)

        if items:
            await asyncio.to_thread(self._run, upsert, None, len(items[0].dense), may_create=True)

    async def query(self, workspace_id: str, dense: Vector, sparse: SparseVector, limit: int) -> list[Hit]:
        def query(client: "QdrantClient") -> list[Hit]:
            requests = query_requests(workspace_id, dense, sparse, limit)
            answers: Any = client.query_batch_points(self._collection, requests)
            by_meaning = [Found(point.payload, point.score) for point in answers[0].points]
            words = answers[1].points if len(answers) > 1 else []
            by_words = [Found(point.payload, point.score, point.vector[DENSE]) for point in words]
            return fuse(by_meaning, by_words, dense, limit)

        return await asyncio.to_thread(self._run, query, list[Hit](), len(dense))

    async def count(self, workspace_id: str, document_id: str | None = None) -> int:
        def count(client: "QdrantClient") -> int:
            own = workspace_filter(workspace_id, document_id)
            return client.count(self._collection, count_filter=own, exact=True).count

        return await asyncio.to_thread(self._run, count, 0)

    async def delete_document(self, workspace_id: str, document_id: str) -> None:
        await self._delete(workspace_id, document_id)

    async def delete_workspace(self, workspace_id: str) -> None:
        await self._delete(workspace_id, None)

    async def _delete(self, workspace_id: str, document_id: str | None) -> None:
        def delete(client: "QdrantClient") -> None:
            client.delete(self._collection, workspace_filter(workspace_id, document_id), wait=True)

        await asyncio.to_thread(self._run, delete, None)

    def close(self) -> None:
        with self._lock:
            if self._client is not None:
                self._client.close()
            self._client = self._meta = None

    def _run(
        self,
        action: Callable[["QdrantClient"], T],
        without_index: T,
        dimension: int | None = None,
        *,
        may_create: bool = False,
    ) -> T:
        with self._translated():
            client = self._connected()
            if not self._opened(client, dimension, may_create):
                return without_index
            return action(client)

    def _connected(self) -> "QdrantClient":
        with self._lock:
            if self._client is None:
                self._client = _client(self._settings)
            return self._client

    def _opened(self, client: "QdrantClient", dimension: int | None, may_create: bool) -> bool:
        """Whether there is a collection, made if need be, that fits the embedder."""
        with self._lock:
            if self._meta is None:
                if not client.collection_exists(self._collection):
                    if not may_create or dimension is None:
                        return False
                    self._create(client, dimension)
                self._meta = self._read(client)
            require_match(self._meta, self._embedder.name, dimension, self._where)
        return True

    def _create(self, client: "QdrantClient", dimension: int) -> None:
        from qdrant_client.http.exceptions import UnexpectedResponse

        _require_version(client.info().version)
        meta = IndexMeta(self._embedder.name, dimension)
        try:
            client.create_collection(self._collection, metadata=meta.as_dict(), **collection_options(dimension))
        except UnexpectedResponse as error:
            # Another process was faster; what it made is checked like any other.
            if error.status_code != 409:
                raise

    def _read(self, client: "QdrantClient") -> IndexMeta:
        info = client.get_collection(self._collection)
        meta = read_meta(info.config.metadata, self._where)
        if _dimension(info) != meta.dimension:
            raise foreign_index(self._where)
        for field, schema in payload_indexes().items():
            if field not in info.payload_schema:
                client.create_payload_index(self._collection, field, schema, wait=True)
        return meta

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        from qdrant_client.common.client_exceptions import QdrantException
        from qdrant_client.http.exceptions import ApiException, UnexpectedResponse

        try:
            yield
        except UnexpectedResponse as error:
            self._meta = None  # the collection may have gone: look again next time
            if error.status_code in (401, 403):
                raise StoreUnavailable(
                    "The Qdrant server refused the key.", advice="Set QDRANT_API_KEY to a key that may write."
                ) from error
            raise StoreUnavailable(f"The Qdrant server answered with status {error.status_code}.") from error
        except (ApiException, QdrantException) as error:
            raise StoreUnavailable(f"The Qdrant server did not answer: {error}.") from error
        except ValueError as error:  # not JSON, or not what Qdrant says
            raise StoreUnavailable("What answered at that address is not a Qdrant server.") from error


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


def _require_version(version: str) -> None:
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    if numbers < _OLDEST_SERVER:
        raise StoreUnavailable(
            f"The Qdrant server has version {version}, which is too old for MASIS.",
            advice="Update it to 1.16 or newer, or unset QDRANT_HOST and QDRANT_URL.",
        )


def _dimension(info: "CollectionInfo") -> int | None:
    vectors = info.config.params.vectors
    dense = vectors.get(DENSE) if isinstance(vectors, dict) else None
    return dense.size if dense else None
