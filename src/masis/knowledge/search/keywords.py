"""Relevance by words: a passage with the question's words must not be lost because its cosine is low or because a word
of the question is misspelled."""

import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from masis.language.question import quoted_in
from masis.language.words import FUNCTION_WORDS, content_stems, words
from masis.types import Chunk

_SHORTEST = 5
_TWO_SLIPS = 9
"""A word of this length may have two typing errors; a shorter one with two is another word."""
_MIDDLE = 12


def vocabulary_of(text: str) -> str:
    """Every word of a text that may be misspelled in a question, once each, separated by spaces."""
    return " ".join(sorted({word for word in words(folded(text)) if len(word) >= _SHORTEST - 1 and word.isalpha()}))


def nearest(word: str, vocabulary: Iterable[str]) -> str | None:
    """The word with the fewest typing errors (a letter added, missing or wrong, or two exchanged); None if none is
    close. Ties go to a word with the same first letter, then to the alphabetically first."""
    word = folded(word).lower()
    if len(word) < _SHORTEST or not word.isalpha():
        return None
    most = 2 if len(word) >= _TWO_SLIPS else 1
    letters = set(word)
    best: tuple[int, bool, str] | None = None
    for known in vocabulary:
        is_alike = abs(len(known) - len(word)) <= most and len(letters.symmetric_difference(known)) <= 2 * most
        if is_alike and known != word:
            slips = _slips(word, known, most)
            if slips <= most:
                found = (slips, known[0] != word[0], known)
                best = found if best is None else min(best, found)
    return best[2] if best else None


def _slips(one: str, other: str, most: int) -> int:
    """The number of typing errors, counted up to `most` + 1. Common beginnings and endings are skipped."""
    start = 0
    shorter = min(len(one), len(other))
    while start < shorter and one[start] == other[start]:
        start += 1
    end = 0
    while end < shorter - start and one[-1 - end] == other[-1 - end]:
        end += 1
    a, b = one[start : len(one) - end], other[start : len(other) - end]
    return _distance(a, b) if max(len(a), len(b)) <= _MIDDLE else most + 1


def _distance(a: str, b: str) -> int:
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, start=1):
        before, last, row = row, before, [i]
        for j, right in enumerate(b, start=1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right))
            if last and j > 1 and left == b[j - 2] and a[i - 2] == right:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]


ALL_WORDS = 0.80
"""Relevance of a passage with every word of the question. To reach 0.60, it must have three words in four."""
_PHRASE = 3
"""This many content words in a row make a phrase; quoted text is always one."""
_LABEL = 2
"""Headings and row labels with fewer words are on too many pages to show what is meant."""
BY_ROW = 0.3
"""Bonus for a row whose label is in the question; the best passage by meaning and words has 1. Measured on quarterly
filings: with it, the amounts asked for are among the first five passages for .40 of the questions instead of .32."""
_FULL_LABEL = 3
_MOST_WORDS = 80
"""The most words of a question that are used: a retry adds the Critic's findings to it."""


def folded(text: str) -> str:
    """Without accents, so that “societe” matches “Société”."""
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(character for character in decomposed if not unicodedata.combining(character))


@dataclass(frozen=True)
class QueryWords:
    """The words of a query."""

    text: str

    @cached_property
    def stems(self) -> frozenset[str]:
        return frozenset(content_stems(folded(self.text)))

    @cached_property
    def phrases(self) -> tuple[str, ...]:
        """The words of each phrase, with a space before and after each word."""
        spoken = words(folded(self.text))[:_MOST_WORDS]
        quoted = (words(folded(phrase)) for phrase in quoted_in(self.text))
        runs = [*_runs(spoken), *(part for part in quoted if len(part) > 1)]
        return tuple(dict.fromkeys(f" {' '.join(run)} " for run in runs))

    def relevance(self, chunk: Chunk, known: frozenset[str] = frozenset()) -> float:
        """The share of the question's words that the passage has. `known` are the words that name its document."""
        if not self.stems:
            return 0.0
        said = known.union(content_stems(folded(f"{chunk.file_name} {chunk.heading or ''} {chunk.text}")))
        return ALL_WORDS * len(self.stems & said) / len(self.stems)

    def row_worth(self, chunk: Chunk) -> float:
        """Bonus for a row with the label asked for (“Total net sales”): prose about a figure has more of the question's
        words than the table with the figure."""
        named = (len(label) for label in row_labels(chunk.text) if label <= self.stems)
        return BY_ROW * min(max(named, default=0), _FULL_LABEL) / _FULL_LABEL

    def is_named_in(self, chunk: Chunk, known: frozenset[str] = frozenset()) -> bool:
        """Whether a heading or a row label of the passage names what is asked, or its text contains a phrase of the
        question."""
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
    """The words in the first cell of each table row."""
    lines = (line for line in text.split("\n") if line.startswith("|"))
    labels = (frozenset(content_stems(folded(line.strip("| ").split(" | ", 1)[0]))) for line in lines)
    return frozenset(label for label in labels if label)


def _runs(spoken: list[str]) -> Iterator[list[str]]:
    """The shortest runs of words with enough content words."""
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
