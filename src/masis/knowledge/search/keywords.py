"""Relevance by words: a passage that holds what was asked must not be lost because its meaning scored low."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from masis.language.words import FUNCTION_WORDS, content_stems, words
from masis.types import Chunk

ALL_WORDS = 0.80
"""The relevance of a passage that has every word of the question; at 0.60 three words in four must be there."""
_PHRASE = 3
"""So many content words in a row are a phrase of the question; what it quotes is one anyway."""
_LABEL = 2
"""A heading or a row's label of fewer words is on too many pages to be what was meant."""
BY_ROW = 0.3
"""What a row is worth, where the best passage by meaning and words has 1; measured on quarterly filings, where the
amounts asked for then stand among the first five passages for .40 of the questions instead of .32."""
_FULL_LABEL = 3
_MOST_WORDS = 80
"""Of a question: a retry adds the Critic's findings to it."""
_QUOTED = re.compile(r"[\"“”„«»]([^\"“”„«»]{3,200})[\"“”„«»]")


def folded(text: str) -> str:
    """Without accents: "societe" is Société."""
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(character for character in decomposed if not unicodedata.combining(character))


@dataclass(frozen=True)
class Asked:
    """A question as words."""

    text: str

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(content_stems(folded(self.text)))

    @cached_property
    def phrases(self) -> tuple[str, ...]:
        """Word by word, each between spaces."""
        spoken = words(folded(self.text))[:_MOST_WORDS]
        quoted = (words(folded(match[1])) for match in _QUOTED.finditer(self.text))
        runs = [*_runs(spoken), *(part for part in quoted if len(part) > 1)]
        return tuple(dict.fromkeys(f" {' '.join(run)} " for run in runs))

    def relevance(self, chunk: Chunk, known: frozenset[str] = frozenset()) -> float:
        """By the share of the question's words that the passage has; `known` are those that name its document."""
        if not self.stems:
            return 0.0
        said = known.union(content_stems(folded(f"{chunk.file_name} {chunk.heading or ''} {chunk.text}")))
        return ALL_WORDS * len(self.stems & said) / len(self.stems)

    def row_worth(self, chunk: Chunk) -> float:
        """What a row adds that is called what is asked ("Total net sales"): prose about a figure says more of the
        question's words than the table that has it."""
        named = (len(label) for label in row_labels(chunk.text) if label <= self.stems)
        return BY_ROW * min(max(named, default=0), _FULL_LABEL) / _FULL_LABEL

    def is_named_in(self, chunk: Chunk, known: frozenset[str] = frozenset()) -> bool:
        """Whether a heading or a row's label of the passage holds what is asked, or its text a phrase of it."""
        return any(self._is_meant(label, known) for label in _labels(chunk)) or self._is_quoted_in(chunk)

    def _is_meant(self, label: str, known: frozenset[str]) -> bool:
        named = frozenset(content_stems(folded(label)))
        asked = self.stems - known
        return (len(named) >= _LABEL and named <= self.stems) or (bool(asked) and asked <= named)

    def _is_quoted_in(self, chunk: Chunk) -> bool:
        said = f" {' '.join(words(folded(chunk.text)))} "
        return any(phrase in said for phrase in self.phrases)


@lru_cache(maxsize=8192)
def row_labels(text: str) -> frozenset[frozenset[str]]:
    """The words of the first cell of each row of a table."""
    lines = (line for line in text.split("\n") if line.startswith("|"))
    labels = (frozenset(content_stems(folded(line.strip("| ").split(" | ", 1)[0]))) for line in lines)
    return frozenset(label for label in labels if label)


def _runs(spoken: list[str]) -> Iterator[list[str]]:
    """The shortest runs of words that hold enough content."""
    content = [place for place, word in enumerate(spoken) if word not in FUNCTION_WORDS]
    for first, last in zip(content, content[_PHRASE - 1 :], strict=False):
        yield spoken[first : last + 1]


def _labels(chunk: Chunk) -> Iterator[str]:
    yield from (chunk.heading or "").split(" > ")
    for line in chunk.text.split("\n"):
        if line.startswith("#"):
            yield line.lstrip("# ")
        elif " | " in line:
            yield line.strip("| ").split(" | ", 1)[0]
