"""The requests to a Qdrant server, twins of the embedded engine's."""

import re
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

from masis.errors import StoreUnavailable
from masis.knowledge.embedding.port import Vector
from masis.knowledge.store.index_meta import IndexMeta, foreign_index, is_described, read_meta
from masis.knowledge.store.points import (
    INTEGER_FIELDS,
    KEYWORD_FIELDS,
    Condition,
    asked_depth,
    conditions,
    payload_of,
    point_id,
)
from masis.knowledge.store.port import DENSE, EVERYWHERE, MOST_HOLDERS, SPARSE, IndexedChunk, SparseVector, StoreFilters

if TYPE_CHECKING:
    from qdrant_client import QdrantClient, models
    from qdrant_client.models import CollectionInfo


_OLDEST_SERVER = (1, 16)
"""The first that keeps a description with the collection."""
_CONFLICT = 409


def find_collection(client: "QdrantClient", alias: str) -> str | None:
    """What the alias names; a collection of that very name is an index of the first format, or somebody else's."""
    for known in client.get_aliases().aliases:
        if known.alias_name == alias:
            return known.collection_name
    return alias if client.collection_exists(alias) else None


def create_collection(client: "QdrantClient", name: str, alias: str, meta: IndexMeta) -> None:
    from qdrant_client.http.exceptions import UnexpectedResponse

    _require_version(client.info().version)
    described = {**meta.as_dict(), "alias": alias}
    try:
        client.create_collection(name, metadata=described, **collection_options(meta.dimension))
    except UnexpectedResponse as error:
        # Another process was faster; what it made is checked like any other.
        if error.status_code != _CONFLICT:
            raise


def read_collection(client: "QdrantClient", name: str, where: str) -> IndexMeta:
    info = client.get_collection(name)
    meta = read_meta(info.config.metadata, where)
    if _dimension(info) != meta.dimension:
        raise foreign_index(where)
    for field, schema in payload_indexes().items():
        if field not in info.payload_schema:
            client.create_payload_index(name, field, schema, wait=True)
    return meta


def next_name(client: "QdrantClient", alias: str) -> str:
    numbers = [_number(name, alias) for name in _names(client)]
    return f"{alias}-{max(numbers, default=0) + 1}"


def give_alias(client: "QdrantClient", alias: str, name: str) -> None:
    from qdrant_client import models

    made = models.CreateAlias(collection_name=name, alias_name=alias)
    client.update_collection_aliases([models.CreateAliasOperation(create_alias=made)])


def switch(client: "QdrantClient", alias: str, name: str | None, where: str) -> None:
    """The alias names this collection, None: nothing; every other index that had or wanted the alias is removed."""
    if find_collection(client, alias) == alias:
        # An alias cannot have the name of a collection: the only switch that is not one step.
        if not is_described(_description(client, alias)):
            raise foreign_index(where)
        client.delete_collection(alias)
    if name:
        give_alias(client, alias, name)
    for other in _names(client):
        if _number(other, alias) and other != name and _description(client, other).get("alias") == alias:
            client.delete_collection(other)


def _description(client: "QdrantClient", name: str) -> dict[str, Any]:
    return client.get_collection(name).config.metadata or {}


def _names(client: "QdrantClient") -> list[str]:
    return [found.name for found in client.get_collections().collections]


def _number(name: str, alias: str) -> int:
    match = re.fullmatch(rf"{re.escape(alias)}-(\d+)", name)
    return int(match[1]) if match else 0


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
