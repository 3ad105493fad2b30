"""The embedded engine's files and requests, its errors in words, and the purge of deleted data."""

import contextlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
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
from masis.knowledge.store.port import DENSE, EVERYWHERE, MOST_HOLDERS, SPARSE, IndexedChunk, SparseVector, StoreFilters

_FOLDER = re.compile(r"index(?:-(\d+))?")
_LEFTOVER = re.compile(r"index-\d+(?:\.new|\.json|\.json\.new|\.unpurged)")
_ONE_FOLDER = 1
"""The format with a single folder name and no description of it."""
_MADE_BY_THE_ENGINE = "edge_config.json"


@dataclass(frozen=True, slots=True)
class IndexFiles:
    home: Path
    number: int | None = None
    """Number of an index being built beside the current one; None for the current one."""

    @property
    def description(self) -> Path:
        return self.home / ("index.json" if self.number is None else f"index-{self.number}.json")

    @property
    def unpurged(self) -> Path:
        """Exists while files of the index may contain deleted data."""
        return self.description.with_suffix(".unpurged")

    def folder(self) -> Path | None:
        """The folder named by the description; None if there is none."""
        described = self._described()
        return next((path for path in self._folders() if path.name == described), None)

    def stray(self) -> bool:
        """Whether there are folders that look like an index and no description says which one is current. A folder
        being built has its own description."""
        unsaid = (path for path in self._folders() if not path.with_suffix(".json").exists())
        return self.number is None and self._described() is None and any(unsaid)

    def new_folder(self) -> Path:
        return self.home / f"index-{self.number or self.next_number()}"

    def next_number(self) -> int:
        return max((_number(path) for path in self._folders()), default=0) + 1

    def sweep(self, keep: Path | None) -> None:
        """Removes every index but this one, left behind by a crash or a rebuild."""
        for path in self._folders():
            if path != keep and (path / _MADE_BY_THE_ENGINE).exists():
                shutil.rmtree(path, ignore_errors=True)
        for path in self.home.iterdir():
            if _LEFTOVER.fullmatch(path.name):
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def _described(self) -> str | None:
        try:
            described = json.loads(self.description.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if not isinstance(described, dict):
            return None
        name = described.get("folder", "index" if described.get("format") == _ONE_FOLDER else None)
        return name if isinstance(name, str) else None

    def _folders(self) -> list[Path]:
        """Empty folders are left out: they are not an index, and a new one can be renamed onto them."""
        if not self.home.is_dir():
            return []
        found = (path for path in self.home.iterdir() if _FOLDER.fullmatch(path.name) and path.is_dir())
        return [path for path in found if any(path.iterdir())]


def _number(folder: Path) -> int:
    match = _FOLDER.fullmatch(folder.name)
    return int(match[1] or 0) if match else 0


_SMALL = 10_000
_LOG_FILE_BYTES = 32 << 20
_LOG_FILES = 2
"""The engine keeps two log files: the one being written, and the closed one before it."""


def purge(folder: Path, dimension: int, points: int, where: str) -> None:
    """Removes deleted data from the files. The index must be closed, and this process must hold its lock."""
    if points <= _SMALL:
        purge_here(folder, dimension, where)
        return
    command = [sys.executable, "-P", "-m", __name__, str(folder), str(dimension), where]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise DataFolderError(f"{where} could not be purged: {done.stderr.strip()[-300:]}")


def purge_here(folder: Path, dimension: int, where: str) -> None:
    from qdrant_edge import FieldCondition, Filter, MatchValue, UpdateOperation

    shard = load_shard(folder, dimension, where)
    with translated(where):
        shard.optimize()
        shard.flush()
        # An operation that does nothing, but is too long to share a log file with anything else.
        nobody = Filter(must=[FieldCondition("workspace_id", match=MatchValue(""))])
        filler = UpdateOperation.delete_payload_by_filter(nobody, ["-" * (_LOG_FILE_BYTES + 1)])
        for _ in range(_LOG_FILES):
            shard.update(filler)
            shard.flush()
        shard.close()


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
        # Left by a crash of an earlier attempt; nothing else was ever written to it.
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
        # A graph is never built. Only the purge optimises, and it rewrites whatever lost a point.
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
    """Searches by meaning, and by keyword if the question has words to search for."""
    from qdrant_edge import IdfParams, Query, QueryBatchRequest, QueryRequest, SearchParams

    common = {"limit": asked_depth(limit), "filter": _filter(workspace_id, filters, hidden), "with_payload": True}
    queries = [QueryRequest(query=Query.Nearest(dense, using=DENSE), **common)]
    if sparse.indices:
        # The rarity of a word counts within the workspace: what others store must not change the order here.
        rarity = SearchParams(idf=IdfParams(corpus=_filter(workspace_id, EVERYWHERE, hidden)))
        words = Query.Nearest(_sparse(sparse), using=SPARSE)
        queries.append(QueryRequest(query=words, params=rarity, with_vector=[DENSE], **common))
    return QueryBatchRequest(queries)


def holders_request(workspace_id: str, terms: Sequence[int], hidden: Collection[str]) -> Any:
    """One query per term."""
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
    """One page of points with payload and vectors, and the offset of the next page."""
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
    """Translates errors: Edge raises bare exceptions, and a Rust panic that is not even an Exception."""
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


if __name__ == "__main__":
    purge_here(Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
