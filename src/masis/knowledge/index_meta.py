"""What an index says of itself: vectors of two embedders must never mix."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from masis.errors import IndexMismatch
from masis.knowledge.store import FORMAT_VERSION


@dataclass(frozen=True, slots=True)
class IndexMeta:
    embedder: str
    dimension: int
    format: int = FORMAT_VERSION

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def read_meta(source: object, where: str) -> IndexMeta:
    """From what was stored beside the index; raises IndexMismatch for what MASIS did not write."""
    if not isinstance(source, dict):
        raise foreign_index(where)
    embedder, dimension, version = (source.get(key) for key in ("embedder", "dimension", "format"))
    if not isinstance(embedder, str) or not isinstance(dimension, int) or not isinstance(version, int):
        raise foreign_index(where)
    if version != FORMAT_VERSION:
        raise IndexMismatch(
            f"{where} has format {version}; this version of MASIS reads format {FORMAT_VERSION}.",
            advice="Use the MASIS that wrote it, or set MASIS_HOME to a new folder and ingest again.",
        )
    return IndexMeta(embedder, dimension, version)


def require_match(stored: IndexMeta, embedder: str, dimension: int | None, where: str) -> None:
    if stored.embedder != embedder or dimension not in (None, stored.dimension):
        raise IndexMismatch(
            f"{where} was built with the embedder {stored.embedder} ({stored.dimension} dimensions), "
            f"not with {embedder}" + (f" ({dimension} dimensions)." if dimension else ".")
        )


def foreign_index(where: str) -> IndexMismatch:
    return IndexMismatch(
        f"{where} is not an index of MASIS, or its description is damaged; it was left as it is.",
        advice="Move it away or set MASIS_HOME (QDRANT collection: MASIS_QDRANT_COLLECTION) to another one, "
        "then ingest again.",
    )


def read_meta_file(path: Path, where: str) -> IndexMeta:
    try:
        return read_meta(json.loads(path.read_text(encoding="utf-8")), where)
    except (OSError, ValueError) as error:
        raise foreign_index(where) from error


def write_meta_file(path: Path, meta: IndexMeta) -> None:
    """Whole or not at all: a crash must not leave half a description."""
    draft = path.with_name(f"{path.name}.new")
    draft.write_text(json.dumps(meta.as_dict()), encoding="utf-8")
    draft.replace(path)
