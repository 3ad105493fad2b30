"""Which collection of a server is the index: numbered collections, and an alias that names one of them.

Switching the alias is what puts another index in its place, for every process at once.
"""

import re
from typing import TYPE_CHECKING, Any

from masis.errors import StoreUnavailable
from masis.knowledge.store.index_meta import IndexMeta, foreign_index, is_described, read_meta
from masis.knowledge.store.port import DENSE
from masis.knowledge.store.qdrant_requests import collection_options, payload_indexes

if TYPE_CHECKING:
    from qdrant_client import QdrantClient
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
