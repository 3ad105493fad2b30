"""The requests of the embedded engine, and its errors in words."""

import contextlib
import shutil
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from masis.data_folder import folder_error
from masis.errors import DataFolderError, IndexMismatch, MASISError
from masis.knowledge.embedding.port import Vector
from masis.knowledge.store.points import (
    INTEGER_FIELDS,
    KEYWORD_FIELDS,
    Condition,
    asked_depth,
    conditions,
    document_filter,
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

_NEVER = 10**9
_ANY_DELETED = 1e-9
_PAGE = 256
_SYSTEM_ERRORS = ("no space left", "permission denied", "read-only file system", "file too large")


def create_shard(folder: Path, dimension: int, where: str) -> None:
    from qdrant_edge import EdgeShard, IntegerIndexParams, KeywordIndexParams, UpdateOperation

    indexes: dict[str, Any] = {"workspace_id": KeywordIndexParams(is_tenant=True)}
    indexes |= {field: KeywordIndexParams() for field in KEYWORD_FIELDS}
    indexes |= {field: IntegerIndexParams(lookup=False, range=True) for field in INTEGER_FIELDS}
    with translated(where):
        # What a crash left of an earlier attempt; nothing was ever written to it but this.
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        shard = EdgeShard.create(str(folder), _config(dimension))
        for field, index in indexes.items():
            shard.update(UpdateOperation.create_field_index(field, index))
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
        # No graph is ever built, and optimizing, which only `edge_purge` does, rewrites whatever lost a point.
        optimizers=EdgeOptimizersConfig(
            indexing_threshold=_NEVER, deleted_threshold=_ANY_DELETED, vacuum_min_vector_number=1
        ),
    )


def query_request(
    workspace_id: str,
    dense: Vector,
    sparse: SparseVector,
    limit: int,
    filters: StoreFilters = EVERYWHERE,
    hidden: Collection[str] = (),
) -> Any:
    """By meaning, then by keyword; the latter only where the question has words to search for."""
    from qdrant_edge import IdfParams, Query, QueryBatchRequest, QueryRequest, SearchParams

    common = {"limit": asked_depth(limit), "filter": _filter(workspace_id, filters, hidden), "with_payload": True}
    queries = [QueryRequest(query=Query.Nearest(dense, using=DENSE), **common)]
    if sparse.indices:
        # How rare a word is counts within the workspace: what others store must not change the order here.
        rarity = SearchParams(idf=IdfParams(corpus=_filter(workspace_id, EVERYWHERE, hidden)))
        words = Query.Nearest(_sparse(sparse), using=SPARSE)
        queries.append(QueryRequest(query=words, params=rarity, with_vector=[DENSE], **common))
    return QueryBatchRequest(queries)


def holders_request(workspace_id: str, terms: Sequence[int], hidden: Collection[str]) -> Any:
    """One query for each term."""
    from qdrant_edge import Query, QueryBatchRequest, QueryRequest

    own = _filter(workspace_id, EVERYWHERE, hidden)
    return QueryBatchRequest(
        [
            QueryRequest(
                query=Query.Nearest(_sparse(SparseVector((term,), (1.0,))), using=SPARSE),
                limit=MOST_HOLDERS,
                filter=own,
                with_payload=["document_id"],
            )
            for term in terms
        ]
    )


def count_points(shard: Any, workspace_id: str, document_id: str | None, *, embedded: bool = False) -> int:
    from qdrant_edge import CountRequest

    own = _filter(workspace_id, document_filter(document_id), embedded=embedded)
    return int(shard.count(CountRequest(exact=True, filter=own)))


def scroll(shard: Any, workspace_id: str, document_id: str | None, after: Any) -> tuple[list[Any], Any]:
    """One page of points with everything they have, and where the next one begins."""
    from qdrant_edge import ScrollRequest

    own = _filter(workspace_id, document_filter(document_id))
    request = ScrollRequest(offset=after, limit=_PAGE, filter=own, with_payload=True, with_vector=True)
    points, following = shard.scroll(request)
    return points, following


def upsert_operation(workspace_id: str, items: Sequence[IndexedChunk]) -> Any:
    from qdrant_edge import Point, UpdateOperation

    return UpdateOperation.upsert_points(
        [
            Point(point_id(workspace_id, item.chunk.chunk_id), _vectors(item), payload_of(workspace_id, item.chunk))
            for item in items
        ]
    )


def delete_operation(workspace_id: str, document_id: str | None) -> Any:
    from qdrant_edge import UpdateOperation

    return UpdateOperation.delete_points_by_filter(_filter(workspace_id, document_filter(document_id)))


def _vectors(item: IndexedChunk) -> dict[str, Any]:
    keyword = {SPARSE: _sparse(item.sparse)}
    return keyword if item.dense is None else {DENSE: item.dense, **keyword}


def _sparse(vector: SparseVector) -> Any:
    from qdrant_edge import SparseVector as EdgeSparseVector

    return EdgeSparseVector(list(vector.indices), list(vector.values))


def _filter(
    workspace_id: str, filters: StoreFilters = EVERYWHERE, hidden: Collection[str] = (), *, embedded: bool = False
) -> Any:
    from qdrant_edge import FieldCondition, Filter, HasVectorCondition, MatchAny

    must: list[Any] = [_condition(one) for one in conditions(workspace_id, filters)]
    if embedded:
        must.append(HasVectorCondition(DENSE))
    if hidden:
        must.append(Filter(must_not=[FieldCondition("document_id", match=MatchAny(sorted(hidden)))]))
    return Filter(must=must)


def _condition(wanted: Condition) -> Any:
    from qdrant_edge import FieldCondition, MatchAny, MatchValue, RangeFloat

    if len(wanted.any_of) == 1:
        return FieldCondition(wanted.field, match=MatchValue(wanted.any_of[0]))
    if wanted.any_of:
        return FieldCondition(wanted.field, match=MatchAny(list(wanted.any_of)))
    return FieldCondition(wanted.field, range=RangeFloat(gte=wanted.at_least, lte=wanted.at_most))


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
