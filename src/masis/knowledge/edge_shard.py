"""The requests of the embedded engine, and its errors in words."""

import contextlib
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from masis.errors import DataFolderError, IndexMismatch, MASISError
from masis.knowledge.data_folder import folder_error
from masis.knowledge.embedding import Vector
from masis.knowledge.store import (
    DENSE,
    SPARSE,
    IndexedChunk,
    SparseVector,
    asked_depth,
    payload_of,
    point_id,
)

_NEVER = 10**9
_SYSTEM_ERRORS = ("no space left", "permission denied", "read-only file system", "file too large")


def create_shard(folder: Path, dimension: int, where: str) -> None:
    from qdrant_edge import EdgeShard, KeywordIndexParams, UpdateOperation

    with translated(where):
        # What a crash left of an earlier attempt; nothing was ever written to it but this.
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        shard = EdgeShard.create(str(folder), _config(dimension))
        tenant = KeywordIndexParams(is_tenant=True)
        shard.update(UpdateOperation.create_field_index("workspace_id", tenant))
        shard.update(UpdateOperation.create_field_index("document_id", KeywordIndexParams()))
        shard.close()


def load_shard(folder: Path, dimension: int, where: str) -> Any:
    from qdrant_edge import EdgeShard

    with translated(where, damaged=IndexMismatch):
        return EdgeShard.load(str(folder), _config(dimension))


def _config(dimension: int) -> Any:
    from qdrant_edge import (
        Distance,
        EdgeConfig,
        EdgeOptimizersConfig,
        EdgeSparseVectorParams,
        EdgeVectorParams,
        Modifier,
    )

    return EdgeConfig(
        vectors={DENSE: EdgeVectorParams(size=dimension, distance=Distance.Cosine)},
        sparse_vectors={SPARSE: EdgeSparseVectorParams(modifier=Modifier.Idf)},
        optimizers=EdgeOptimizersConfig(indexing_threshold=_NEVER),
    )


def query_request(workspace_id: str, dense: Vector, sparse: SparseVector, limit: int) -> Any:
    """By meaning, then by keyword; the latter only where the question has words to search for."""
    from qdrant_edge import IdfParams, Query, QueryBatchRequest, QueryRequest, SearchParams

    own = _filter(workspace_id)
    common = {"limit": asked_depth(limit), "filter": own, "with_payload": True}
    queries = [QueryRequest(query=Query.Nearest(dense, using=DENSE), **common)]
    if sparse.indices:
        # How rare a word is counts within the workspace: what others store must not change the order here.
        rarity = SearchParams(idf=IdfParams(corpus=own))
        words = Query.Nearest(_sparse(sparse), using=SPARSE)
        queries.append(QueryRequest(query=words, params=rarity, with_vector=[DENSE], **common))
    return QueryBatchRequest(queries)


def count_request(workspace_id: str, document_id: str | None) -> Any:
    from qdrant_edge import CountRequest

    return CountRequest(exact=True, filter=_filter(workspace_id, document_id))


def upsert_operation(workspace_id: str, items: Sequence[IndexedChunk]) -> Any:
    from qdrant_edge import Point, UpdateOperation

    return UpdateOperation.upsert_points(
        [
            Point(
                point_id(workspace_id, item.chunk.chunk_id),
                {DENSE: item.dense, SPARSE: _sparse(item.sparse)},
                payload_of(workspace_id, item.chunk),
            )
            for item in items
        ]
    )


def delete_operation(workspace_id: str, document_id: str | None) -> Any:
    from qdrant_edge import UpdateOperation

    return UpdateOperation.delete_points_by_filter(_filter(workspace_id, document_id))


def _sparse(vector: SparseVector) -> Any:
    from qdrant_edge import SparseVector as EdgeSparseVector

    return EdgeSparseVector(list(vector.indices), list(vector.values))


def _filter(workspace_id: str, document_id: str | None = None) -> Any:
    from qdrant_edge import FieldCondition, Filter, MatchValue

    wanted = {"workspace_id": workspace_id, "document_id": document_id}
    return Filter(
        must=[FieldCondition(key, match=MatchValue(value)) for key, value in wanted.items() if value is not None]
    )


@contextlib.contextmanager
def translated(where: str, damaged: type[DataFolderError] = DataFolderError) -> Iterator[None]:
    """Edge raises bare exceptions, and a Rust panic that is not even an Exception."""
    try:
        yield
    except MASISError:
        raise
    except OSError as error:
        raise folder_error(where, error) from error
    except BaseException as error:
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        if any(known in str(error).lower() for known in _SYSTEM_ERRORS):
            raise folder_error(where, error) from error
        raise damaged(
            f"{where} is damaged and was left as it is: {str(error)[:200]}",
            advice="Restore it from a copy, or move its folder away and ingest the documents again.",
        ) from error
