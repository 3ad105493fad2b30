"""What an index says of itself: vectors of two embedders must never mix, nor the words of two languages."""

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from masis.errors import IndexMismatch
from masis.knowledge.store.port import FORMAT_VERSION


@dataclass(frozen=True, slots=True)
class IndexMeta:
    embedder: str
    dimension: int
    language: str
    format: int = FORMAT_VERSION

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def read_meta(source: object, where: str) -> IndexMeta:
    """From what was stored beside the index; raises IndexMismatch for what MASIS did not write."""
    if not isinstance(source, dict):
        raise foreign_index(where)
    version = source.get("format")
    if isinstance(version, int) and version != FORMAT_VERSION:
        raise IndexMismatch(
            f"{where} has format {version}; this version of MASIS reads format {FORMAT_VERSION}.",
            advice="Run `masis reindex`: it reads the documents again and builds a new index.",
        )
    embedder, dimension, language = (source.get(key) for key in ("embedder", "dimension", "language"))
    if not isinstance(embedder, str) or not isinstance(dimension, int) or not isinstance(language, str) or not version:
        raise foreign_index(where)
    return IndexMeta(embedder, dimension, language)


def is_described(source: object) -> bool:
    """Whether MASIS wrote it, in this or another format."""
    return isinstance(source, dict) and "embedder" in source and "format" in source


def require_match(stored: IndexMeta, embedder: str, language: str, dimension: int | None, where: str) -> None:
    if stored.embedder != embedder or dimension not in (None, stored.dimension):
        raise IndexMismatch(
            f"{where} was built with the embedder {stored.embedder} ({stored.dimension} dimensions), "
            f"not with {embedder}" + (f" ({dimension} dimensions)." if dimension else ".")
        )
    if stored.language != language:
        raise IndexMismatch(
            f"{where} was built for keywords in {stored.language}, not in {language}.",
            advice=f"Set MASIS_KEYWORD_LANGUAGE to {stored.language}, or rebuild the index with `masis reindex`.",
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


def write_meta_file(path: Path, meta: IndexMeta, folder: str) -> None:
    """Whole or not at all: a crash must not leave half a description."""
    draft = path.with_name(f"{path.name}.new")
    with draft.open("w", encoding="utf-8") as file:
        json.dump({**meta.as_dict(), "folder": folder}, file)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
