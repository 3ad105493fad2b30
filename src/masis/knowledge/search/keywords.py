"""Relevance by words: a passage that holds what was asked must not be lost because its meaning scored low."""

from collections.abc import Set as AbstractSet

from masis.language.words import content_stems
from masis.types import Chunk

ALL_WORDS = 0.80
"""The relevance of a passage that has every word of the question; at 0.60 three words in four must be there."""


def keyword_relevance(asked: AbstractSet[str], chunk: Chunk) -> float:
    """`asked` are the content stems of the question."""
    if not asked:
        return 0.0
    said = set(content_stems(f"{chunk.file_name} {chunk.heading or ''} {chunk.text}"))
    return ALL_WORDS * len(asked & said) / len(asked)
