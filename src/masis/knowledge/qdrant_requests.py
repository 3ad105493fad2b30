"""The requests to a Qdrant server, twins of the embedded engine's."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

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

if TYPE_CHECKING:
    from qdrant_client import models


def collection_options(dimension: int) -> dict[str, Any]:
    from qdrant_client import models

    return {
        "vectors_config": {DENSE: models.VectorParams(size=dimension, distance=models.Distance.COSINE)},
        "sparse_vectors_config": {SPARSE: models.SparseVectorParams(modifier=models.Modifier.IDF)},
        # One graph for each workspace and none for all: no query crosses workspaces.
        "hnsw_config": models.HnswConfigDiff(m=0, payload_m=16),
    }


def payload_indexes() -> dict[str, "models.KeywordIndexParams"]:
    from qdrant_client import models

    keyword = models.KeywordIndexType.KEYWORD
    return {
        "workspace_id": models.KeywordIndexParams(type=keyword, is_tenant=True),
        "document_id": models.KeywordIndexParams(type=keyword),
    }


def workspace_filter(workspace_id: str, document_id: str | None = None) -> "models.Filter":
    from qdrant_client import models

    wanted = {"workspace_id": workspace_id, "document_id": document_id}
    return models.Filter(
        must=[
            models.FieldCondition(key=key, match=models.MatchValue(value=value))
            for key, value in wanted.items()
            if value is not None
        ]
    )


def points(workspace_id: str, items: Sequence[IndexedChunk]) -> list["models.PointStruct"]:
    from qdrant_client import models

    return [
        models.PointStruct(
            id=point_id(workspace_id, item.chunk.chunk_id),
            vector={DENSE: item.dense, SPARSE: _sparse(item.sparse)},
            payload=payload_of(workspace_id, item.chunk),
        )
        for item in items
    ]


def query_requests(workspace_id: str, dense: Vector, sparse: SparseVector, limit: int) -> list["models.QueryRequest"]:
    """By meaning, then by keyword; the latter only where the question has words to search for."""
    from qdrant_client import models

    own = workspace_filter(workspace_id)
    common: dict[str, Any] = {"limit": asked_depth(limit), "filter": own, "with_payload": True}
    requests = [models.QueryRequest(query=dense, using=DENSE, **common)]
    if sparse.indices:
        # A server that does not know `idf` (1.16 does not) counts a word's rarity over all workspaces.
        rarity = models.SearchParams(idf=models.IdfCorpusParams(corpus=own))
        words = _sparse(sparse)
        requests.append(models.QueryRequest(query=words, using=SPARSE, params=rarity, with_vector=[DENSE], **common))
    return requests


def _sparse(vector: SparseVector) -> "models.SparseVector":
    from qdrant_client import models

    return models.SparseVector(indices=list(vector.indices), values=list(vector.values))
