"""The requests to a Qdrant server, counterparts of the embedded engine's."""

import hashlib
import os
import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from masis.errors import StoreUnavailable
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
    IndexMeta,
    SparseVector,
    StoreFilters,
    foreign_index,
    is_described,
    read_meta,
)
from masis.settings import Settings

if TYPE_CHECKING:
    import httpx
    from qdrant_client import QdrantClient, models
    from qdrant_client.models import CollectionInfo


_OLDEST_SERVER = (1, 16)
"""The first version that stores a description with the collection."""
_CONFLICT = 409
_SNAPSHOT_SECONDS = 3600
_PIECE = 1 << 20


def find_collection(client: "QdrantClient", alias: str) -> str | None:
    """The collection that the alias points to. A collection with that very name is an index of the first format, or
    somebody else's."""
    for known in client.get_aliases().aliases:
        if known.alias_name == alias:
            return known.collection_name
    return alias if client.collection_exists(alias) else None


def create_collection(client: "QdrantClient", name: str, alias: str, meta: IndexMeta, settings: Settings) -> None:
    from qdrant_client.http.exceptions import UnexpectedResponse

    _require_version(client.info().version)
    described = {**meta.as_dict(), "alias": alias}
    try:
        client.create_collection(name, metadata=described, **collection_options(meta.dimension, settings))
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
    """A name for an index beside the current one. Never number 1, which a service creates if it finds none: it must not
    take a half-built index for its own."""
    numbers = [_number(name, alias) for name in _names(client)]
    return f"{alias}-{max(numbers, default=1) + 1}"


def unfinished(client: "QdrantClient", alias: str, database: str) -> str | None:
    """An index that was being built for this database when its builder died."""
    current = find_collection(client, alias)
    for name in _names(client):
        if _number(name, alias) > 1 and name != current:
            described = _description(client, name)
            if described.get("alias") == alias and described.get("database") == database:
                return name
    return None


def download_snapshot(client: "QdrantClient", name: str, file: Path) -> None:
    """Downloads the snapshot as a whole or not at all: a file of this name is always complete."""
    _require_one_node(client, name)
    draft, place = file.with_name(f"{file.name}.part"), f"collections/{name}/snapshots"
    with _http(client) as http:
        made = http.post(place, params={"wait": "true"}).raise_for_status().json()["result"]
        try:
            with draft.open("wb") as target, http.stream("GET", f"{place}/{made['name']}") as sent:
                digest = _written(target, sent.raise_for_status().iter_bytes(_PIECE))
            if made.get("checksum") not in (None, digest):
                raise StoreUnavailable("The snapshot was damaged in transit.", advice="Try again.")
            draft.replace(file)
        finally:
            draft.unlink(missing_ok=True)
            http.delete(f"{place}/{made['name']}")


def _written(target: BinaryIO, pieces: Iterable[bytes]) -> str:
    digest = hashlib.sha256()
    for piece in pieces:
        target.write(piece)
        digest.update(piece)
    target.flush()
    os.fsync(target.fileno())
    return digest.hexdigest()


def upload_snapshot(client: "QdrantClient", name: str, alias: str, file: Path) -> None:
    how = {"priority": "snapshot", "wait": "true"}
    with file.open("rb") as source, _http(client) as http:
        sent = http.post(f"collections/{name}/snapshots/upload", params=how, files={"snapshot": source})
    if sent.status_code != 200:
        raise StoreUnavailable(
            f"The Qdrant server cannot read the snapshot {file.name} (status {sent.status_code}).",
            advice="Use a file written by `masis index save`, and a Qdrant server no older than the one it came from.",
        )
    client.update_collection(name, metadata={**_description(client, name), "alias": alias})


def _require_one_node(client: "QdrantClient", name: str) -> None:
    if client.collection_cluster_info(name).remote_shards:
        raise StoreUnavailable(
            "The collection is spread over several nodes, each of which makes a snapshot of its own part.",
            advice="Use Qdrant's own snapshot tools, or rely on `masis reindex`, which rebuilds it from the database.",
        )


def _http(client: "QdrantClient") -> "httpx.Client":
    """For requests that the client has no method for, or gives up on after ten seconds."""
    import httpx

    remote: Any = client._client
    return httpx.Client(base_url=remote.rest_uri, headers=remote._rest_headers, timeout=_SNAPSHOT_SECONDS)


def give_alias(client: "QdrantClient", alias: str, name: str) -> None:
    from qdrant_client import models

    made = models.CreateAlias(collection_name=name, alias_name=alias)
    client.update_collection_aliases([models.CreateAliasOperation(create_alias=made)])


def switch(client: "QdrantClient", alias: str, name: str | None, where: str) -> None:
    """Points the alias to this collection, or to nothing if None, and removes every other index of the same alias."""
    if find_collection(client, alias) == alias:
        # An alias cannot have the name of a collection; only in this case does the switch take more than one step.
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


def collection_options(dimension: int, settings: Settings) -> dict[str, Any]:
    from qdrant_client import models

    on_disk = settings.qdrant_on_disk
    scalar = models.ScalarQuantizationConfig(type=models.ScalarType.INT8, always_ram=True)
    quantization = {
        "off": None,
        "scalar": models.ScalarQuantization(scalar=scalar),
        "binary": models.BinaryQuantization(binary=models.BinaryQuantizationConfig(always_ram=True)),
    }
    dense = models.VectorParams(size=dimension, distance=models.Distance.COSINE, on_disk=on_disk)
    return {
        "vectors_config": {DENSE: dense},
        "sparse_vectors_config": {
            SPARSE: models.SparseVectorParams(
                modifier=models.Modifier.IDF, index=models.SparseIndexParams(on_disk=on_disk)
            )
        },
        # One graph per workspace and none for all, because no query crosses workspaces.
        "hnsw_config": models.HnswConfigDiff(m=0, payload_m=16, on_disk=on_disk),
        "quantization_config": quantization[settings.qdrant_quantization],
        "shard_number": settings.qdrant_shards,
        "replication_factor": settings.qdrant_replicas,
        "write_consistency_factor": settings.qdrant_write_consistency,
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
    """Searches by meaning, and by keyword if the question has words to search for."""
    from qdrant_client import models

    within = points_filter(workspace_id, filters, hidden)
    common: dict[str, Any] = {"limit": asked_depth(limit), "filter": within, "with_payload": True}
    requests = [models.QueryRequest(query=dense, using=DENSE, **common)]
    if sparse.indices:
        # A server that does not know `idf` (1.16 does not) computes a word's rarity over all workspaces.
        corpus = points_filter(workspace_id, EVERYWHERE, hidden)
        rarity = models.SearchParams(idf=models.IdfCorpusParams(corpus=corpus))
        words = _sparse(sparse)
        requests.append(models.QueryRequest(query=words, using=SPARSE, params=rarity, with_vector=[DENSE], **common))
    return requests


def holders_requests(workspace_id: str, terms: Sequence[int], hidden: Collection[str]) -> list["models.QueryRequest"]:
    """One request per term."""
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
