"""Keyword vectors: BM25 by Qdrant's own tokenizer, so that both stores rank alike."""

from functools import cache
from typing import Any

from masis.knowledge.store import SparseVector


def sparse_passage(text: str) -> SparseVector:
    return _vector(_bm25().embed_document(text))


def sparse_query(text: str) -> SparseVector:
    return _vector(_bm25().embed_query(text))


@cache
def _bm25() -> Any:
    from qdrant_edge import Bm25

    return Bm25()


def _vector(raw: Any) -> SparseVector:
    return SparseVector(tuple(raw.indices), tuple(raw.values))
