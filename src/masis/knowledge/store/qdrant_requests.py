"""The requests to a Qdrant server, twins of the embedded engine's."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from masis.knowledge.embedding.port import Vector
from masis.knowledge.store.points import (
    INTEGER_FIELDS,
    KEYWORD_FIELDS,
    Condition,
    asked_depth,
    conditions,
    payload_of,
    point_id,
)
from masis.knowledge.store.port import (
    DENSE,
    EVERYWHERE,
    MOST_HOLDERS,
    SPARSE,
    IndexedChunk,
    SparseVector,
    StoreFilters,
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


def payload_indexes() -> dict[str, Any]:
    from qdrant_client import models

    keyword, integer = models.KeywordIndexType.KEYWORD, models.IntegerIndexType.INTEGER
    indexes: dict[str, Any] = {"workspace_id": models.KeywordIndexParams(type=keyword, is_tenant=True)}
    indexes |= {field: models.KeywordIndexParams(type=keyword) for field in KEYWORD_FIELDS}
    indexes |= {field: models.IntegerIndexParams(type=integer, lookup=False, range=True) for field in INTEGER_FIELDS}
    return indexes


def points_filter(
    workspace_id: str, filters: StoreFilters = EVERYWHERE, hidden: Collection[str] = (), *, embedded: bool = False
) -> "models.Filter":
    from qdrant_client import models

    must: list[Any] = [_condition(one) for one in conditions(workspace_id, filters)]
    if embedded:
        must.append(models.HasVectorCondition(has_vector=DENSE))
    if hidden:
        out_of_sight = models.FieldCondition(key="document_id", match=models.MatchAny(any=sorted(hidden)))
        must.append(models.Filter(must_not=[out_of_sight]))
    return models.Filter(must=must)


def _condition(wanted: Condition) -> "models.FieldCondition":
    from qdrant_client import models

    if len(wanted.any_of) == 1:
        return models.FieldCondition(key=wanted.field, match=models.MatchValue(value=wanted.any_of[0]))
    if wanted.any_of:
        return models.FieldCondition(key=wanted.field, match=models.MatchAny(any=list(wanted.any_of)))
    return models.FieldCondition(key=wanted.field, range=models.Range(gte=wanted.at_least, lte=wanted.at_most))


def points(workspace_id: str, items: Sequence[IndexedChunk]) -> list["models.PointStruct"]:
    from qdrant_client import models

    return [
        models.PointStruct(
            id=point_id(workspace_id, item.chunk.chunk_id),
            vector=_vectors(item),
            payload=payload_of(workspace_id, item.chunk),
        )
        for item in items
    ]


def _vectors(item: IndexedChunk) -> dict[str, Any]:
    keyword = {SPARSE: _sparse(item.sparse)}
    return keyword if item.dense is None else {DENSE: item.dense, **keyword}


def query_requests(
    workspace_id: str,
    dense: Vector,
    sparse: SparseVector,
    limit: int,
    filters: StoreFilters = EVERYWHERE,
    hidden: Collection[str] = (),
) -> list["models.QueryRequest"]:
    """By meaning, then by keyword; the latter only where the question has words to search for."""
    from qdrant_client import models

    within = points_filter(workspace_id, filters, hidden)
    common: dict[str, Any] = {"limit": asked_depth(limit), "filter": within, "with_payload": True}
    requests = [models.QueryRequest(query=dense, using=DENSE, **common)]
    if sparse.indices:
        # A server that does not know `idf` (1.16 does not) counts a word's rarity over all workspaces.
        corpus = points_filter(workspace_id, EVERYWHERE, hidden)
        rarity = models.SearchParams(idf=models.IdfCorpusParams(corpus=corpus))
        words = _sparse(sparse)
        requests.append(models.QueryRequest(query=words, using=SPARSE, params=rarity, with_vector=[DENSE], **common))
    return requests


def holders_requests(workspace_id: str, terms: Sequence[int], hidden: Collection[str]) -> list["models.QueryRequest"]:
    """One for each term."""
    from qdrant_client import models

    own = points_filter(workspace_id, EVERYWHERE, hidden)
    return [
        models.QueryRequest(
            query=_sparse(SparseVector((term,), (1.0,))),
            using=SPARSE,
            limit=MOST_HOLDERS,
            filter=own,
            with_payload=["document_id"],
        )
        for term in terms
    ]


def _sparse(vector: SparseVector) -> "models.SparseVector":
    from qdrant_client import models

    return models.SparseVector(indices=list(vector.indices), values=list(vector.values))
