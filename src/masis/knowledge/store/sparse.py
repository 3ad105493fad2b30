"""Keyword vectors: BM25 by Qdrant's own tokenizer, so that both stores rank alike.

Accents are folded, so that "societe" finds Société. The language decides which words say nothing and where a word's
ending begins. Passages and questions must agree on it, so an index keeps its name.
"""

from functools import cache
from typing import Any

from masis.errors import InvalidInput
from masis.knowledge.store.port import SparseVector


def sparse_passage(text: str, language: str) -> SparseVector:
    return _vector(_bm25(language).embed_document(text))


def sparse_query(text: str, language: str) -> SparseVector:
    return _vector(_bm25(language).embed_query(text))


@cache
def _bm25(language: str) -> Any:
    from qdrant_edge import Bm25, Bm25Config

    try:
        return Bm25(Bm25Config(language=language, ascii_folding=True))
    except ValueError as error:
        raise InvalidInput(
            f"The keyword search does not know the language {language[:80]!r}.",
            advice="Set MASIS_KEYWORD_LANGUAGE to the English name of a language in small letters, such as english, "
            "german, french or spanish.",
        ) from error


def _vector(raw: Any) -> SparseVector:
    return SparseVector(tuple(raw.indices), tuple(raw.values))
